/* Counts torch_npu's silent fall-backs to the CPU.
 *
 * torch_npu calls at::native::cpu_fallback of libtorch_cpu.so.  The dynamic linker finds the function
 * of the same name here first, because this library is loaded globally before torch_npu is.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "emulator.h"

#define CPU_FALLBACK                                                                                       \
  "_ZN2at6native12cpu_fallbackERKN3c1014OperatorHandleEPSt6vectorINS1_6IValueESaIS6_EEbNS1_11DispatchKeyE"
#define OPERATORS 256
#define STRING 32 /* bytes of a std::string, of which the first eight point to its characters */

static struct { char name[96]; uint64_t count; } fallbacks[OPERATORS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void count(const char *name, const char *overload) {
  char full[96];
  snprintf(full, sizeof full, *overload ? "%s.%s" : "%s", name, overload);
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < OPERATORS; i++) {
    if (*fallbacks[i].name && strcmp(fallbacks[i].name, full)) continue;
    strcpy(fallbacks[i].name, full);
    fallbacks[i].count++;
    break;
  }
  pthread_mutex_unlock(&mutex);
}

/* A c10::OperatorHandle begins with a pointer to an entry that begins with the operator's two names. */
void emulator_cpu_fallback(const void *const *operator, void *stack, _Bool views, int key) __asm__(CPU_FALLBACK);
void emulator_cpu_fallback(const void *const *operator, void *stack, _Bool views, int key) {
  static void (*original)(const void *const *, void *, _Bool, int);
  const char *entry = *operator;
  if (!original) {
    void *library = dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD);
    original = (void (*)(const void *const *, void *, _Bool, int))dlsym(library, CPU_FALLBACK);
  }
  count(*(const char *const *)entry, *(const char *const *)(entry + STRING));
  original(operator, stack, views, key);
}

const char *emulator_fallback(int i, uint64_t *number) {
  if (i >= OPERATORS || !*fallbacks[i].name) return NULL;
  *number = fallbacks[i].count;
  return fallbacks[i].name;
}

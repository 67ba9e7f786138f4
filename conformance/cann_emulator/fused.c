/* Kernels that a program brings along: binaries (aclrtBinary*, rtDevBinaryRegister) and their launches.
 *
 * There is nothing here that could run such a binary.  The one that is known is that of DVM, the compiler
 * in libtorch_npu.so: a virtual machine whose programs are the arguments of its launches (mindspore-ai/dvm,
 * src/system.cc).  _dvm.py notes the operations that a program was made of.  Before each call it prepares a
 * job that computes them, and the launch that has the job's addresses among its arguments submits it.
 * Every other launch, and every other binary, is refused.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "emulator.h"
#include "operators.h"

#define EXTERNAL 16 /* bytes of arguments where the program itself was copied to the device */

typedef struct expected {
  emulator_job *job;
  struct expected *next;
} expected;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static expected *first;

/* The functions of DVM's binary, for the vector unit, the cube unit and both. */
static const char *const names[] = {"dvm", "dvm_aix_aiv", "dvm_aix_aic", "dvm_six_aiv", "dvm_mix_aiv", "dvm_mix_aic"};
#define NAMES (sizeof names / sizeof *names)
static const void *stubs[NAMES]; /* by which rtKernelLaunch knows them */
static int binary, found;        /* found: whether one of the functions was asked for */

static int known(const char *name) {
  int i = 0;
  while (i < (int)NAMES && strcmp(names[i], name)) i++;
  if (i < (int)NAMES) found = 1;
  return i;
}

static int refuse_function(const char *name) {
  return emulator_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the function %s of a binary is not emulated", name);
}

/* Callers may not look at the answer (TORCH_NPU_LAZY_FUSION does not): the next synchronisation gives it too.
 * For torch_npu 207000, "not supported", would be no more than a warning there. */
static int refuse_launch(const char *what, const emulator_stream *s) {
  int32_t device = 0;
  if (s) device = s->device; else aclrtGetDevice(&device);
  emulator_fail(device, ACLNN_ERR_INNER, what);
  return emulator_error(ACLNN_ERR_INNER, "%s", what);
}

/* ---- what DVM calls from CANN 9.1 on ---- */

int aclrtBinaryLoadFromData(const void *data, size_t size, const void *options, void **handle) {
  FAILS_ON_DEMAND;
  *handle = &binary;
  return 0;
}

int aclrtBinaryGetFunction(const void *handle, const char *name, void **function) {
  FAILS_ON_DEMAND;
  int i = known(name);
  if (i == NAMES) return refuse_function(name);
  *function = (void *)&names[i];
  return 0;
}

/* ---- and before ---- */

int rtDevBinaryRegister(const void *data, void **handle) {
  FAILS_ON_DEMAND;
  *handle = &binary;
  return 0;
}

int rtFunctionRegister(void *handle, const void *stub, const char *name, const void *function, uint32_t mode) {
  FAILS_ON_DEMAND;
  int i = known(name);
  if (i == NAMES) return refuse_function(name);
  stubs[i] = stub;
  return 0;
}

/* ---- the launch ---- */

static int has(const uint64_t *words, size_t n, const void *address) {
  for (size_t i = 0; i < n; i++)
    if (words[i] == (uint64_t)address) return 1;
  return 0;
}

enum { PROGRAM, INPUTS, OUTPUTS, SCALARS, SLOTS }; /* the arguments of the kernel dvm */

/* How many tensors of a list have their address among the arguments of a launch. */
static uint64_t found_of(const emulator_handle *list, const uint64_t *words, size_t n) {
  uint64_t count = 0;
  for (uint64_t j = 0; j < list->n; j++) count += has(words, n, ((emulator_handle *)list->values[j])->data);
  return count;
}

/* Whether the arguments of a launch have the addresses of all tensors of a job. */
static int is_of(const emulator_job *job, const uint64_t *words, size_t n) {
  const emulator_handle *inputs = job->slots[INPUTS].p, *outputs = job->slots[OUTPUTS].p;
  return found_of(inputs, words, n) == inputs->n && found_of(outputs, words, n) == outputs->n;
}

/* Whether it has a job's outputs alone: before a sum by several units, DVM launches a kernel that writes zeros. */
static int clears(const emulator_job *job, const uint64_t *words, size_t n) {
  return found_of(job->slots[OUTPUTS].p, words, n) && !found_of(job->slots[INPUTS].p, words, n);
}

static emulator_job *nothing_to_compute(int kernel) {
  emulator_slot slots[SLOTS] = {[PROGRAM] = {.i = -1}};
  void *executor = NULL;
  uint64_t size;
  slots[INPUTS].p = aclCreateTensorList(NULL, 0);
  slots[OUTPUTS].p = aclCreateTensorList(NULL, 0);
  slots[SCALARS].p = aclCreateIntArray(NULL, 0);
  emulator_prepare(kernel, slots, &size, &executor);
  for (int i = INPUTS; i < SLOTS; i++) aclDestroyTensor(slots[i].p);
  return executor;
}

/* The job that a launch does; NULL if it does none that was expected. */
static emulator_job *take(const uint64_t *words, size_t n) {
  emulator_job *job = NULL;
  pthread_mutex_lock(&mutex);
  for (expected **at = &first; *at && !job; at = &(*at)->next) {
    expected *e = *at;
    if (!is_of(e->job, words, n)) continue;
    job = e->job;
    *at = e->next;
    free(e);
    break;
  }
  for (expected *e = first; e && !job; e = e->next)
    if (clears(e->job, words, n)) job = nothing_to_compute(e->job->kernel);
  pthread_mutex_unlock(&mutex);
  return job;
}

static int launch(const void *arguments, size_t size, void *stream) {
  const uint64_t *words = arguments;
  const void *copied;
  if (size == EXTERNAL && (copied = emulator_copied_last((void *)words[0], &size))) words = copied;
  emulator_job *job = take(words, size / sizeof *words);
  return job ? emulator_launch(job, stream)
             : refuse_launch("DVM launches a program whose operations were not noted; this is not emulated", stream);
}

int aclrtLaunchKernelWithHostArgs(void *function, uint32_t blocks, void *stream, void *options, void *arguments,
                                  size_t size, void *places, size_t place_count) {
  FAILS_ON_DEMAND;
  if ((char *)function < (char *)names || (char *)function >= (char *)(names + NAMES))
    return refuse_launch("a kernel of another binary than DVM's is not emulated", stream);
  return launch(arguments, size, stream);
}

int rtKernelLaunch(const void *stub, uint32_t blocks, void *arguments, uint32_t size, void *memory, void *stream) {
  FAILS_ON_DEMAND;
  int i = 0;
  while (i < (int)NAMES && stubs[i] != stub) i++;
  if (!stub || i == (int)NAMES) return refuse_launch("a kernel of another binary than DVM's is not emulated", stream);
  return launch(arguments, size, stream);
}

/* ---- for _dvm.py ---- */

/* Whether DVM registered its binary; where it did not, its launches do nothing and answer success. */
int emulator_dvm_is_ready(void) { return found; }

/* A job that emulator_prepare made, which a launch is about to ask for. */
void emulator_dvm_expect(void *executor) {
  expected *e = malloc(sizeof *e), **at = &first;
  *e = (expected){executor, NULL};
  pthread_mutex_lock(&mutex);
  while (*at) at = &(*at)->next;
  *at = e;
  pthread_mutex_unlock(&mutex);
}

/* No launch came, and none will. */
void emulator_dvm_forget(void *executor) {
  pthread_mutex_lock(&mutex);
  for (expected **at = &first; *at; at = &(*at)->next) {
    expected *e = *at;
    if (e->job != executor) continue;
    *at = e->next;
    free(e);
    emulator_release_job(executor);
    break;
  }
  pthread_mutex_unlock(&mutex);
}

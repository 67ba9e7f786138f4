/* Kernels that a program brings along: binaries (aclrtBinary*, rtDevBinaryRegister) and their launches.
 *
 * There is nothing here that could run such a binary.  The one that is known is that of DVM, the compiler
 * in libtorch_npu.so: a virtual machine whose programs are the arguments of its launches (mindspore-ai/dvm,
 * src/system.cc).  _dvm.py notes the operations that a program was made of.  Before each call it prepares a
 * job that computes them, and the first launch that has the job's addresses among its arguments submits it.
 * A call may take several launches, such as one that clears a sum and one for each stage of a softmax.
 * Every other launch, and every other binary, is refused.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "emulator.h"
#include "operators.h"

#define EXTERNAL 16 /* bytes of arguments where the program itself was copied to the device */

/* A call of a program: the job that computes it, and the launches that it takes, of which each has a part of
 * the addresses. */
typedef struct expected {
  emulator_job *job;
  int launches; /* that are to come; 0: until each address was seen */
  size_t n;
  struct { const void *address; int seen; } tensors[256];
  struct expected *next;
} expected;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static expected *first;
static __thread expected *current; /* of which this thread made a launch, and has more to make */

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

enum { PROGRAM, INPUTS, OUTPUTS, SCALARS, SLOTS }; /* the arguments of the kernel dvm */

static int has(const uint64_t *words, size_t n, const void *address) {
  for (size_t i = 0; i < n; i++)
    if (words[i] == (uint64_t)address) return 1;
  return 0;
}

/* How many addresses of a call are among the arguments of a launch. */
static size_t common(const expected *e, const uint64_t *words, size_t n) {
  size_t count = 0;
  for (size_t i = 0; i < e->n; i++) count += has(words, n, e->tensors[i].address);
  return count;
}

/* The call whose first launch this is: one with all of its addresses, else one of several launches with some. */
static expected *begun(const uint64_t *words, size_t n) {
  for (int all = 1; all >= 0; all--)
    for (expected **at = &first; *at; at = &(*at)->next) {
      expected *e = *at;
      if (all ? common(e, words, n) < e->n : e->launches == 1 || !common(e, words, n)) continue;
      *at = e->next;
      return e;
    }
  return NULL;
}

/* The job of later launches: the first one computed all. */
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

static void leave(void) {
  free(current);
  current = NULL;
}

static int launch(const void *arguments, size_t size, void *stream) {
  static const char *const unknown = "DVM launches a program whose operations were not noted; this is not emulated";
  static int kernel;
  const uint64_t *words = arguments;
  const void *copied;
  if (size == EXTERNAL && (copied = emulator_copied_last((void *)words[0], &size))) words = copied;
  size_t n = size / sizeof *words, seen = 0, fresh = 0;
  expected *e = current;
  emulator_job *job = NULL;
  if (!e) {
    pthread_mutex_lock(&mutex);
    e = begun(words, n);
    pthread_mutex_unlock(&mutex);
    if (!e) return refuse_launch(unknown, stream);
    job = e->job;
    kernel = job->kernel;
  }
  for (size_t i = 0; i < e->n; i++) {
    int now = has(words, n, e->tensors[i].address);
    fresh += now && !e->tensors[i].seen;
    seen += e->tensors[i].seen |= now;
  }
  int whole = seen == e->n, last = e->launches ? !--e->launches : whole;
  int known = e->launches || last ? !last || whole : fresh > 0;
  current = last || !known ? NULL : e;
  if (!current) free(e);
  if (!known) {
    if (job) emulator_release_job(job);
    return refuse_launch(unknown, stream);
  }
  if (!job) job = nothing_to_compute(kernel);
  int code = job ? emulator_launch(job, stream) : ACLNN_ERR_INNER; /* none: its check was told to fail */
  if (code) leave(); /* DVM makes no other launch of this call */
  return code;
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

/* A job that emulator_prepare made, which launches are about to ask for: so many, or 0 where nobody knows.
 * Returns 0, or 1 if it has too many tensors. */
int emulator_dvm_expect(void *executor, int launches) {
  emulator_job *job = executor;
  expected *e = calloc(1, sizeof *e), **at = &first;
  e->job = job;
  e->launches = launches;
  for (int i = INPUTS; i <= OUTPUTS; i++) {
    const emulator_handle *list = job->slots[i].p;
    for (uint64_t j = 0; j < list->n; j++) {
      if (e->n == sizeof e->tensors / sizeof *e->tensors) {
        free(e);
        emulator_release_job(job);
        return 1;
      }
      e->tensors[e->n++].address = ((emulator_handle *)list->values[j])->data;
    }
  }
  pthread_mutex_lock(&mutex);
  while (*at) at = &(*at)->next;
  *at = e;
  pthread_mutex_unlock(&mutex);
  return 0;
}

/* No launch came, or not all of them, and none will. */
void emulator_dvm_forget(void *executor) {
  if (current && current->job == executor) leave();
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

/* Kernels that a program brings along: binaries (aclrtBinary*, rtDevBinaryRegister) and their launches.
 *
 * There is nothing here that could run the machine code of such a binary.  The one that is known is that of DVM,
 * the compiler in libtorch_npu.so: a virtual machine whose programs are the arguments of its launches
 * (mindspore-ai/dvm, src/system.cc).  dvm.c runs these.  Every other launch, and every other binary, is refused.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "dvm.h"
#include "emulator.h"
#include "operators.h"

#define EXTERNAL 16 /* bytes of arguments where the program itself was copied to the device */

/* The functions of DVM's binary, for the vector unit, the cube unit and both. */
static const char *const names[] = {"dvm", "dvm_aix_aiv", "dvm_aix_aic", "dvm_six_aiv", "dvm_mix_aiv", "dvm_mix_aic"};
#define NAMES (sizeof names / sizeof *names)
#define BOTH 0                   /* of the names: that of which a block is two vector units */
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
  if (data) emulator_dvm_read(data, size);
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

typedef struct { uint32_t magic, version; const void *data; uint64_t size; } rtDevBinary_t;

int rtDevBinaryRegister(const void *registered, void **handle) {
  FAILS_ON_DEMAND;
  const rtDevBinary_t *b = registered;
  if (b && b->data) emulator_dvm_read(b->data, b->size);
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

/* ---- where the flags are by which the units wait for each other: dvm.c knows itself when they do ---- */

static uint64_t flags;

int aclrtGetHardwareSyncAddr(void **address) {
  FAILS_ON_DEMAND;
  *address = &flags;
  return 0;
}

int rtGetC2cCtrlAddr(uint64_t *address, uint32_t *size) {
  FAILS_ON_DEMAND;
  *address = (uint64_t)&flags;
  *size = sizeof flags;
  return 0;
}

/* ---- the launch ---- */

enum { PROGRAM, UNITS }; /* the arguments of the kernel dvm */

static int launch(int function, uint32_t blocks, const void *arguments, size_t size, emulator_stream *stream) {
  static int kernel = -1;
  const uint64_t *words = arguments;
  const void *copied;
  if (size == EXTERNAL && (copied = emulator_copied_last((void *)words[0], &size))) words = copied;
  size_t n = size / sizeof *words, used;
  uint64_t units = function == BOTH ? 2 * (uint64_t)blocks : blocks, needed, *uses = malloc(size + 1);
  const char *problem = emulator_dvm_problem(words, n, units, uses, &used);
  if (problem) {
    free(uses);
    return refuse_launch(problem, stream);
  }
  for (size_t i = 0; stream && stream->graph && i < used; i++) emulator_record_use(stream->graph, (void *)uses[i]);
  free(uses);
  for (kernel = kernel < 0 ? 0 : kernel; strcmp(emulator_kernels[kernel].name, "dvm"); kernel++);
  emulator_slot slots[] = {[PROGRAM] = {.p = aclCreateIntArray((const int64_t *)words, n)}, [UNITS] = {.i = (int64_t)units}};
  void *executor = NULL;
  int code = emulator_prepare(kernel, slots, &needed, &executor);
  aclDestroyTensor(slots[PROGRAM].p);
  return code ? code : emulator_launch(executor, stream);
}

int aclrtLaunchKernelWithHostArgs(void *function, uint32_t blocks, void *stream, void *options, void *arguments,
                                  size_t size, void *places, size_t place_count) {
  FAILS_ON_DEMAND;
  if ((char *)function < (char *)names || (char *)function >= (char *)(names + NAMES))
    return refuse_launch("a kernel of another binary than DVM's is not emulated", stream);
  return launch((int)((const char *const *)function - names), blocks, arguments, size, stream);
}

int rtKernelLaunch(const void *stub, uint32_t blocks, void *arguments, uint32_t size, void *memory, void *stream) {
  FAILS_ON_DEMAND;
  int i = 0;
  while (i < (int)NAMES && stubs[i] != stub) i++;
  if (!stub || i == (int)NAMES) return refuse_launch("a kernel of another binary than DVM's is not emulated", stream);
  return launch(i, blocks, arguments, size, stream);
}

/* ---- for runtime.c and _dvm.py ---- */

int emulator_is_program(const emulator_job *job) {
  return job->kind == JOB_KERNEL && !strcmp(emulator_kernels[job->kernel].name, "dvm");
}

/* Runs a launch of DVM on the device thread. */
void emulator_run_program(const emulator_job *job) {
  char text[160] = "";
  const emulator_handle *program = job->slots[PROGRAM].p;
  int code = emulator_dvm_run(job->device, (const uint64_t *)program->values, program->n, (uint64_t)job->slots[UNITS].i, text, sizeof text);
  if (code) emulator_fail(job->device, code, text);
}

/* Whether DVM registered its binary; where it did not, its launches do nothing and answer success. */
int emulator_dvm_is_ready(void) { return found; }

/* The operator library (libopapi.so) that torch_npu sees: handles, the check of arguments, the launch.
 *
 * kernels.c, generated from kernels.csv, holds the table `emulator_kernels` and for every kernel its
 * two functions, which call `emulator_prepare` and `emulator_launch`.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "emulator.h"
#include "operators.h"

/* ---- handles ---- */

static emulator_handle *new_handle(int kind, uint64_t n) {
  emulator_handle *h = calloc(1, sizeof *h + n * sizeof h->values[0]);
  h->kind = kind;
  h->references = 1;
  h->n = n;
  return h;
}

static void release(emulator_handle *h) {
  if (!h || __atomic_sub_fetch(&h->references, 1, __ATOMIC_ACQ_REL)) return;
  if (h->kind == 'L')
    for (uint64_t i = 0; i < h->n; i++) release((emulator_handle *)h->values[i]);
  free(h);
}

/* values: the shape, then the strides */
void *aclCreateTensor(const int64_t *dims, uint64_t n, int dtype, const int64_t *strides, int64_t offset,
                      int format, const int64_t *storage_dims, uint64_t storage_n, void *data) {
  emulator_handle *h = new_handle('T', 2 * n);
  h->n = n;
  h->dtype = dtype;
  h->offset = offset;
  h->data = data;
  memcpy(h->values, dims, n * 8);
  if (strides) memcpy(h->values + n, strides, n * 8);
  return h;
}

static size_t item_size(int dtype) {
  static const uint8_t sizes[] = {4, 2, 1, 4, 1, 0, 2, 2, 4, 8, 8, 8, 1, 0, 0, 0, 8, 16};
  if (dtype == 27) return 2; /* bfloat16 */
  if (dtype == 33) return 4; /* complex32 */
  return dtype >= 0 && dtype < (int)sizeof sizes ? sizes[dtype] : 0;
}

void *aclCreateScalar(void *value, int dtype) {
  emulator_handle *h = new_handle('S', 2);
  h->dtype = dtype;
  memcpy(h->values, value, item_size(dtype));
  return h;
}

void *aclCreateIntArray(const int64_t *values, uint64_t n) {
  emulator_handle *h = new_handle('A', n);
  memcpy(h->values, values, n * 8);
  return h;
}

void *aclCreateBoolArray(const _Bool *values, uint64_t n) {
  emulator_handle *h = new_handle('A', n);
  for (uint64_t i = 0; i < n; i++) h->values[i] = values[i];
  return h;
}

void *aclCreateTensorList(void *const *tensors, uint64_t n) { /* owns its tensors */
  emulator_handle *h = new_handle('L', n);
  memcpy(h->values, tensors, n * 8);
  return h;
}

int aclDestroyTensor(void *h) { release(h); return 0; }
int aclDestroyScalar(void *h) { release(h); return 0; }
int aclDestroyIntArray(void *h) { release(h); return 0; }
int aclDestroyBoolArray(void *h) { release(h); return 0; }
int aclDestroyTensorList(void *h) { release(h); return 0; }

/* The shape that a kernel found, for kernels whose output's size depends on data. */
int aclGetViewShape(const void *tensor, int64_t **dims, uint64_t *n) {
  const emulator_handle *h = tensor;
  *n = h->n;
  *dims = malloc((h->n + 1) * 8);
  memcpy(*dims, h->values, h->n * 8);
  return 0;
}

void emulator_set_shape(emulator_handle *h, const int64_t *dims, uint64_t n) {
  h->n = n; /* never more than it had */
  memcpy(h->values, dims, n * 8);
}

/* ---- the check: what aclnnXxxGetWorkspaceSize does ---- */

/* by whether a graph ran it, kernel, device, AICore or AICPU */
static uint64_t counts[2][EMULATOR_KERNELS_MAX][EMULATOR_DEVICES][2];

static struct { int kernel, when, code, nth; } fault = {.kernel = -1};

enum { NO_KERNEL = -1, ANY_KERNEL = -2 };

static int faulty(int kernel, int when) {
  if ((fault.kernel != kernel && fault.kernel != ANY_KERNEL) || fault.when != when || --fault.nth) return 0;
  fault.kernel = NO_KERNEL;
  return fault.code;
}

void emulator_fail_kernel(int kernel, int when, int code, int nth) {
  fault.when = when;
  fault.code = code;
  fault.nth = nth;
  fault.kernel = kernel;
}

static int check_tensor(const emulator_kernel *k, int i, const emulator_handle *h) {
  if (!h) return 0; /* an optional tensor, not given */
  if (h->dtype < 0 || h->dtype > 63 || !(k->accepts[i] >> h->dtype & 1))
    return emulator_error(ACLNN_ERR_PARAM_INVALID, "%s: dtype %s of argument %d is not supported on Atlas A2",
                          k->name, emulator_dtype_name(h->dtype), i);
  if (h->n > 8)
    return emulator_error(ACLNN_ERR_PARAM_INVALID, "%s: argument %d has %d dimensions, 8 at most are supported",
                          k->name, i, (int)h->n);
  return 0;
}

/* Whether `h` broadcasts to the shape of `out`. */
static int broadcasts(const emulator_handle *h, const emulator_handle *out) {
  if (h->n > out->n) return 0;
  for (uint64_t j = 1; j <= h->n; j++) {
    int64_t size = h->values[h->n - j];
    if (size != 1 && size != out->values[out->n - j]) return 0;
  }
  return 1;
}

static int is_list(char type) { return type == 'L' || type == 'N'; }

static int64_t elements(const emulator_handle *h) {
  int64_t n = 1;
  for (uint64_t j = 0; h && j < h->n; j++) n *= h->values[j];
  return n;
}

/* bool, integers, floats, complex numbers: none can be cast to one before it. */
static int kind_of(int dtype) {
  switch (dtype) {
    case 12: return 0;
    case 0: case 1: case 11: case 27: return 2;
    case 16: case 17: case 33: return 3;
    default: return 1;
  }
}

static int as_chip; /* whether limits are checked that sources show, and documents do not */

void emulator_set_as_chip(int value) { as_chip = value; }

static int limits[EMULATOR_KERNELS_MAX]; /* of each kernel: LIMIT_ */

void emulator_limit_kernel(int kernel, int value) { limits[kernel] = value; }

enum { LARGEST_SIDE = 8192 };

static int same_shape(const emulator_handle *a, const emulator_handle *b) {
  return a->n == b->n && !memcmp(a->values, b->values, a->n * sizeof a->values[0]);
}

static int check_limits(const emulator_kernel *k, int limit, const emulator_slot *slots, const emulator_handle *out) {
  if (limit & LIMIT_REFUSED)
    return emulator_error(ACLNN_ERR_PARAM_INVALID, "%s: no dtype is supported", k->name);
  const emulator_handle *h = slots[0].p;
  if (limit & LIMIT_SIDE && h && h->n && h->values[h->n - 1] > LARGEST_SIDE)
    return emulator_error(ACLNN_ERR_PARAM_INVALID, "%s: the last axis has %d elements, %d at most are supported",
                          k->name, (int)h->values[h->n - 1], LARGEST_SIDE);
  if (limit & LIMIT_WHOLE && h && out && !same_shape(h, out))
    return emulator_error(ACLNN_ERR_PARAM_INVALID, "%s: argument 0 has not the shape of the result", k->name);
  return 0;
}

static int check_more(const emulator_kernel *k, const emulator_slot *slots, const emulator_handle *out) {
  for (int i = 0; i < k->n; i++) {
    const emulator_handle *h = slots[i].p;
    if (!strchr("TU", k->types[i]) || !h) continue;
    if (k->checks & CHECK_BROADCAST && out && k->types[i] == 'T' && !broadcasts(h, out))
      return emulator_error(ACLNN_ERR_PARAM_INVALID, "%s: argument %d does not broadcast to the result",
                            k->name, i);
    if (k->checks & CHECK_COMBINE && out && kind_of(h->dtype) > kind_of(out->dtype))
      return emulator_error(ACLNN_ERR_PARAM_INVALID, "%s: %s can't be cast to the desired output type %s",
                            k->name, emulator_dtype_name(h->dtype), emulator_dtype_name(out->dtype));
    if (k->checks & CHECK_SAME && out && h->dtype != out->dtype)
      return emulator_error(ACLNN_ERR_PARAM_INVALID, "%s: dtype %s of argument %d is not that of the output, %s",
                            k->name, emulator_dtype_name(h->dtype), i, emulator_dtype_name(out->dtype));
    if (k->checks & CHECK_RANK6 && as_chip && h->n > 6)
      return emulator_error(ACLNN_ERR_PARAM_INVALID, "%s: argument %d has %d dimensions, 6 at most are supported",
                            k->name, i, (int)h->n);
  }
  if (k->checks & CHECK_ROUNDED) {
    int mode = 0, complex = 0;
    for (int i = 0; i < k->n; i++) {
      if (k->types[i] == 'j') mode = (int32_t)slots[i].i;
      else if (strchr("TUS", k->types[i]) && slots[i].p)
        complex |= kind_of(((const emulator_handle *)slots[i].p)->dtype) == 3;
    }
    if (mode && complex)
      return emulator_error(ACLNN_ERR_PARAM_INVALID, "%s: quotients of complex numbers are not rounded", k->name);
  }
  if (k->checks & CHECK_REPEAT && as_chip) {
    const emulator_handle *repeats = slots[1].p;
    int axes = 0;
    for (uint64_t j = 1; j < repeats->n; j++) axes += repeats->values[j] != 1;
    if (axes > 3)
      return emulator_error(ACLNN_ERR_INNER_TILING_ERROR, "%s: repeats along %d axes besides the first, "
                            "3 at most are supported", k->name, axes);
  }
  return 0;
}

int emulator_prepare(int index, const emulator_slot *slots, uint64_t *size, void **executor) {
  const emulator_kernel *k = &emulator_kernels[index];
  const emulator_handle *out = NULL;
  int code = faulty(index, FAULT_CALL);
  *size = 0;
  if (code) return emulator_error(code, "emulated fault in %sGetWorkspaceSize", k->name);
  for (int i = 0; i < k->n && !code; i++) {
    char type = k->types[i];
    const emulator_handle *h = slots[i].p;
    if (strchr("TOU", type)) code = check_tensor(k, i, h);
    if (is_list(type))
      for (uint64_t j = 0; j < h->n && !code; j++) {
        const emulator_handle *t = (emulator_handle *)h->values[j];
        if (type == 'L' || elements(t)) code = check_tensor(k, i, t);
      }
    if (h && (type == 'O' || type == 'U')) out = h;
  }
  if (code) return code;
  if ((code = check_limits(k, limits[index], slots, out))) return code;
  if ((code = check_more(k, slots, out))) return code;
  emulator_job *job = calloc(1, sizeof *job);
  job->kind = JOB_KERNEL;
  job->kernel = index;
  memcpy(job->slots, slots, k->n * sizeof *slots);
  for (int i = 0; i < k->n; i++)
    if (strchr("TOUSALN", k->types[i]) && slots[i].p)
      __atomic_add_fetch(&((emulator_handle *)slots[i].p)->references, 1, __ATOMIC_RELAXED);
  *executor = job;
  return 0;
}

void emulator_release_job(emulator_job *job) {
  if (job->owner) {
    emulator_release_graph(job->owner);
  } else if (job->kind == JOB_KERNEL) {
    const emulator_kernel *k = &emulator_kernels[job->kernel];
    for (int i = 0; i < k->n; i++)
      if (strchr("TOUSALN", k->types[i])) release(job->slots[i].p);
  }
  free(job->error_text);
  free(job);
}

/* ---- the launch: what aclnnXxx does ---- */

/* What is wrong with a tensor's memory, "" if nothing. */
static const char *memory_fault(const emulator_handle *h, int device) {
  int64_t low = h->offset, high = h->offset;
  size_t item = item_size(h->dtype);
  for (uint64_t j = 0; j < h->n; j++) {
    if (!h->values[j]) return "";
    int64_t reach = (h->values[j] - 1) * h->values[h->n + j];
    if (reach > 0) high += reach; else low += reach;
  }
  int owner = emulator_device_of(h->data);
  if (owner < 0) return "an address in host memory";
  if (owner != device) return "an address of another device";
  if (!emulator_allocated(device, (char *)h->data + low * (int64_t)item, (high - low + 1) * item))
    return "an address outside of any allocation";
  return "";
}

static void fail_job(emulator_job *job, int code, const char *what) {
  if (job->error) return;
  job->error = code;
  if (asprintf(&job->error_text, "%s: %s", emulator_kernels[job->kernel].name, what) < 0) job->error_text = NULL;
}

/* Whether an axis has a larger stride than one before it: ViewCopy of 950 keeps differences of strides and sizes
 * without a sign (view_copy_dim2.h to view_copy_dim5.h of ops-math). */
static int out_of_order(const emulator_handle *h) {
  int64_t last = INT64_MAX;
  for (uint64_t j = 0; elements(h) && j < h->n; j++) {
    if (h->values[j] < 2) continue;
    if (h->values[h->n + j] > last) return 1;
    last = h->values[h->n + j];
  }
  return 0;
}

static int64_t product(const emulator_handle *h, uint64_t from, uint64_t to) {
  int64_t n = 1;
  for (uint64_t j = from; j < to; j++) n *= h->values[j];
  return n;
}

/* Whether aclnnIndexPutImpl goes to the AICPU: IsAiCPUSupport of ops-nn v9.1.0,
 * index/index_put_v2/op_api/aclnn_index_put_impl.cpp. Chips before A2 (`old`) have no atomic writes. */
static int positions_on_aicpu(const emulator_job *job, int old) {
  const emulator_handle *self = job->slots[0].p, *list = job->slots[1].p, *values = job->slots[2].p, *first = NULL;
  uint64_t start = 0, end = 0;
  if (!elements(self)) return 0;
  for (uint64_t i = 0; i < list->n; i++) {
    const emulator_handle *t = (emulator_handle *)list->values[i];
    if (!t || !elements(t)) continue;
    if (!first) {
      first = t;
      start = i;
    } else if (i != end || t->dtype == 12 || !same_shape(t, first)) {
      return 1; /* not side by side, a mask, or to be broadcast */
    }
    end = i + 1;
  }
  if (!first) return 0;
  if ((first->dtype != 3 && first->dtype != 9) || values->n >= 8 || (start && old)) return 1;
  if (self->dtype == 11 || self->dtype == 6) return 1;
  int64_t tail = product(self, list->n, self->n), number = elements(first);
  int64_t moved = start && tail < 1024 && !old ? tail * product(self, 0, start) : 1;
  int atomic = !old && (self->dtype <= 3 || self->dtype == 12 || self->dtype == 27);
  if (number > 60000000) return 1;
  if (!atomic && ((tail <= 100 && number <= 100 && (tail > 70 || elements(self) > 5400000)) ||
                  (tail <= 1024 && number > 20000)))
    return 1;
  if (number <= 100 && tail <= 128 && moved <= 128) return 0;
  return old ? !(self->dtype <= 1 && job->slots[3].i) : !atomic;
}

int emulator_launch(void *executor, void *stream) {
  emulator_job *job = executor;
  const emulator_kernel *k = &emulator_kernels[job->kernel];
  emulator_graph *graph = stream ? ((emulator_stream *)stream)->graph : NULL;
  int device = stream ? ((emulator_stream *)stream)->device : 0, known = 0, code = faulty(job->kernel, FAULT_LAUNCH);
  if (code) {
    emulator_release_job(job);
    return emulator_error(code, "emulated fault in %s", k->name);
  }
  if ((code = faulty(job->kernel, FAULT_SYNCHRONIZE))) fail_job(job, code, "emulated asynchronous fault");
  for (int i = 0; i < k->n; i++) {
    const emulator_handle *h = job->slots[i].p;
    uint64_t n = !h ? 0 : is_list(k->types[i]) ? h->n : strchr("TOU", k->types[i]) ? 1 : 0;
    for (uint64_t j = 0; j < n; j++) {
      const emulator_handle *t = is_list(k->types[i]) ? (emulator_handle *)h->values[j] : h;
      if (!t) continue;
      const char *what = memory_fault(t, device);
      if (!*what && limits[job->kernel] & LIMIT_IN_ORDER && strchr("OU", k->types[i]) && out_of_order(t))
        what = "an address outside of any allocation";
      if (*what) fail_job(job, ACL_ERROR_RT_AICORE_EXCEPTION, what);
      if (graph) emulator_record_use(graph, t->data);
      int weight = k->apart >> i & 1 ? 1 : 2; /* the first tensor decides, a condition or index if need be */
      if (weight > known) {
        known = weight;
        job->unit = !(k->aicore >> t->dtype & 1);
      }
    }
  }
  int limit = limits[job->kernel];
  if (limit & LIMIT_POSITIONS && !job->unit) job->unit = positions_on_aicpu(job, limit & LIMIT_OLD_POSITIONS);
  if (limit & LIMIT_AICPU_FAILS && job->unit) fail_job(job, ACL_ERROR_RT_AICPU_EXCEPTION, "the AICPU kernel failed");
  if (!graph) __atomic_add_fetch(&counts[0][job->kernel][device][job->unit], 1, __ATOMIC_RELAXED);
  code = emulator_submit(job, stream);
  if (code) emulator_release_job(job);
  return code;
}

int emulator_not_emulated(const char *kernel) {
  return emulator_error(ACLNN_ERR_INNER, "%s is a kernel of CANN that the emulator does not have", kernel);
}

void emulator_count_in_graph(const emulator_job *job, int device) {
  __atomic_add_fetch(&counts[1][job->kernel][device][job->unit], 1, __ATOMIC_RELAXED);
}

uint64_t emulator_count(int in_graph, int kernel, int device, int unit) {
  return __atomic_load_n(&counts[in_graph][kernel][device][unit], __ATOMIC_RELAXED);
}

/* The ACL runtime (libascendcl.so) that torch_npu sees: devices, memory, streams, events, errors.
 *
 * Work is submitted to one queue and done in the order of submission by one thread, the device
 * thread: a legal schedule for any number of streams.  Nothing that torch_npu calls here takes
 * Python's GIL, except to let go of it while waiting, so that torch_npu may hold the GIL while it
 * waits for its own task queue.
 *
 * Device memory is a range of addresses that no one can touch (PROT_NONE); the bytes lie at a fixed
 * distance, in the shadow, which only this library and the kernels know.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "emulator.h"

#define MIB ((size_t)1 << 20)
#define POISONED_UP_TO (32 * MIB) /* fresh memory is filled with garbage up to this size */
#define GARBAGE 0xCB

typedef struct block {
  char *start;
  size_t size;
  struct block *next;
  uint64_t serial; /* no two allocations have the same */
} block;

typedef struct {
  char *window, *shadow; /* addresses that torch_npu sees; where the bytes lie */
  size_t limit, used, peak;
  block *blocks; /* in the order of their addresses */
  uint64_t submitted; /* number of the last job for this device */
  int lost; /* the error that every call answers, 0 while the device is there */
  int pending; /* an asynchronous error that no one has seen yet */
  char pending_text[512];
  int allocations_before_failure, allocations_to_fail;
  emulator_traffic traffic;
} device;

typedef emulator_stream stream;
typedef emulator_event event;

static device devices[EMULATOR_DEVICES];
static int device_count;
static size_t window_size;
static char soc_name[64], cann_version[64];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t submitted = PTHREAD_COND_INITIALIZER, finished = PTHREAD_COND_INITIALIZER;
static emulator_job *first, *last;
static uint64_t next_number = 1, done_number;
static int stopped;

static __thread int current = -1; /* the device of this thread */
static __thread char recent_error[1024];

/* ---- errors ---- */

int emulator_error(int code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(recent_error, sizeof recent_error, format, arguments);
  va_end(arguments);
  return code;
}

static __thread const char *ordered_text; /* of the order that this thread met; CANN keeps the first error */

const char *aclGetRecentErrMsg(void) { return ordered_text ? ordered_text : recent_error; }

static device *here(void) { return &devices[current < 0 ? 0 : current]; }

static int lost(device *d) {
  return d->lost ? emulator_error(d->lost, "emulated fault: device %d is lost", (int)(d - devices)) : 0;
}

static int take_pending(device *d) { /* with the mutex held */
  int code = d->pending;
  if (code) emulator_error(code, "%s", d->pending_text);
  d->pending = 0;
  return code ? code : lost(d);
}

/* ---- functions that answer an error on demand ---- */

static struct { char function[64], text[512]; int code; } orders[8];
static int order_count;

/* The error that `function` is to answer, 0 for none. */
int emulator_ordered(const char *function) {
  if (!order_count) ordered_text = NULL;
  for (int i = 0; i < order_count; i++) {
    if (strcmp(orders[i].function, function)) continue;
    ordered_text = orders[i].text;
    return orders[i].code;
  }
  return 0;
}

/* NULL takes all orders back.  Returns 0, or 1 if there are too many. */
int emulator_fail_function(const char *function, int code, const char *text) {
  if (!function) return order_count = 0;
  if (order_count == sizeof orders / sizeof *orders) return 1;
  snprintf(orders[order_count].function, sizeof orders->function, "%s", function);
  snprintf(orders[order_count].text, sizeof orders->text, "%s", text);
  orders[order_count++].code = code;
  return 0;
}

/* ---- the queue ---- */

/* Waits until job `number` is done.  torch_npu may call while it holds the GIL, which kernels need. */
static void wait_for(uint64_t number) {
  static int (*check)(void);
  static void *(*save)(void);
  static void (*restore)(void *);
  pthread_mutex_lock(&mutex);
  if (done_number < number && !stopped) {
    void *state = NULL;
    if (!check) {
      save = (void *(*)(void))dlsym(RTLD_DEFAULT, "PyEval_SaveThread");
      restore = (void (*)(void *))dlsym(RTLD_DEFAULT, "PyEval_RestoreThread");
      check = (int (*)(void))dlsym(RTLD_DEFAULT, "PyGILState_Check");
    }
    pthread_mutex_unlock(&mutex);
    if (check()) state = save();
    pthread_mutex_lock(&mutex);
    while (done_number < number && !stopped) pthread_cond_wait(&finished, &mutex);
    pthread_mutex_unlock(&mutex);
    if (state) restore(state);
    return;
  }
  pthread_mutex_unlock(&mutex);
}

/* Once it is in the queue the job is the device thread's, which does it and frees it at any moment. */
int emulator_submit(emulator_job *job, void *stream_handle) {
  stream *s = stream_handle;
  job->device = s ? s->device : (int)(here() - devices);
  device *d = &devices[job->device];
  int code = lost(d);
  if (code) return code;
  if (s && s->graph) {
    emulator_record(job, s);
    return 0;
  }
  pthread_mutex_lock(&mutex);
  job->number = next_number++;
  job->next = NULL;
  d->submitted = job->number;
  if (s) s->submitted = job->number;
  if (job->kind == JOB_EVENT) ((event *)job->to)->number = job->number;
  if (last) last->next = job; else first = job;
  last = job;
  pthread_cond_signal(&submitted);
  pthread_mutex_unlock(&mutex);
  return 0;
}

static void run_here(emulator_job *job) {
  if (job->kind == JOB_COPY) memmove(job->to, job->from, job->size);
  if (job->kind == JOB_FILL) memset(job->to, job->value, job->size);
  if (job->kind == JOB_CALL) job->function(job->from);
  if (job->kind == JOB_EVENT) clock_gettime(CLOCK_MONOTONIC, &((event *)job->to)->when);
  if (job->kind == JOB_KERNEL) emulator_run_program(job);
}

/* The device thread's loop: ends the job before, does what needs no Python, returns a kernel's job
 * (NULL at the end of the process). */
emulator_job *emulator_next(emulator_job *before, int code, const char *text) {
  if (before && code) emulator_fail(before->device, code, text);
  pthread_mutex_lock(&mutex);
  for (;;) {
    if (before) {
      done_number = before->number;
      pthread_cond_broadcast(&finished);
      pthread_mutex_unlock(&mutex);
      emulator_release_job(before);
      pthread_mutex_lock(&mutex);
    }
    while (!first && !stopped) pthread_cond_wait(&submitted, &mutex);
    if (stopped) { pthread_mutex_unlock(&mutex); return NULL; }
    before = first;
    first = first->next;
    if (!first) last = NULL;
    if (before->kind == JOB_KERNEL && !before->error && !emulator_is_program(before)) { pthread_mutex_unlock(&mutex); return before; }
    pthread_mutex_unlock(&mutex);
    if (before->error) emulator_fail(before->device, before->error, before->error_text);
    else run_here(before);
    pthread_mutex_lock(&mutex);
  }
}

void emulator_stop(void) {
  pthread_mutex_lock(&mutex);
  stopped = 1;
  pthread_cond_broadcast(&submitted);
  pthread_cond_broadcast(&finished);
  pthread_mutex_unlock(&mutex);
}

static emulator_job *new_job(int kind) {
  emulator_job *job = calloc(1, sizeof *job);
  job->kind = kind;
  return job;
}

/* ---- memory ---- */

int emulator_device_of(const void *address) {
  for (int i = 0; i < device_count; i++)
    if ((char *)address >= devices[i].window && (char *)address < devices[i].window + window_size) return i;
  return -1;
}

void *emulator_shadow(const void *address) {
  int i = emulator_device_of(address);
  return i < 0 ? NULL : devices[i].shadow + ((char *)address - devices[i].window);
}

/* Whether [address, address + size) lies within one live allocation of device `i`. */
int emulator_allocated(int i, const void *address, size_t size) {
  int found = 0;
  pthread_mutex_lock(&mutex);
  for (block *b = devices[i].blocks; b && !found; b = b->next)
    found = (char *)address >= b->start && (char *)address + size <= b->start + b->size;
  pthread_mutex_unlock(&mutex);
  return found;
}

/* The serial of the allocation that an address lies in, 0 if none. */
uint64_t emulator_allocation(int i, const void *address) {
  uint64_t serial = 0;
  pthread_mutex_lock(&mutex);
  for (block *b = devices[i].blocks; b && !serial; b = b->next)
    if ((char *)address >= b->start && (char *)address < b->start + b->size) serial = b->serial;
  pthread_mutex_unlock(&mutex);
  return serial;
}

static int allocate(void **address, size_t size) {
  device *d = here();
  size_t rounded = (size + 511 + 32) / 512 * 512; /* CANN pads an allocation by 32 bytes */
  block **at, *b;
  char *start = d->window;
  if (lost(d)) return d->lost;
  pthread_mutex_lock(&mutex);
  int fail = d->allocations_to_fail && !d->allocations_before_failure;
  if (fail) d->allocations_to_fail--;
  if (d->allocations_before_failure) d->allocations_before_failure--;
  for (at = &d->blocks; *at && (size_t)((*at)->start - start) < rounded; at = &(*at)->next)
    start = (*at)->start + (*at)->size;
  if (fail || d->used + rounded > d->limit || start + rounded > d->window + window_size) {
    pthread_mutex_unlock(&mutex);
    return emulator_error(ACL_ERROR_RT_MEMORY_ALLOCATION,
                          fail ? "emulated fault: this allocation of %zu bytes fails"
                               : "out of memory: %zu bytes asked for, %zu of %zu in use",
                          size, d->used, d->limit);
  }
  b = malloc(sizeof *b);
  *b = (block){start, rounded, *at, ++d->traffic.allocations};
  *at = b;
  d->used += rounded;
  if (d->used > d->peak) d->peak = d->used;
  pthread_mutex_unlock(&mutex);
  if (rounded <= POISONED_UP_TO) memset(d->shadow + (start - d->window), GARBAGE, rounded);
  *address = start;
  return 0;
}

int aclrtMalloc(void **address, size_t size, int policy) { FAILS_ON_DEMAND; return allocate(address, size); }
int aclrtMallocAlign32(void **address, size_t size, int policy) { FAILS_ON_DEMAND; return allocate(address, size); }

int aclrtFree(void *address) {
  FAILS_ON_DEMAND;
  int i = emulator_device_of(address);
  if (i < 0) return emulator_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtFree: %p is no device memory", address);
  device *d = &devices[i];
  wait_for(d->submitted);
  pthread_mutex_lock(&mutex);
  for (block **at = &d->blocks; *at; at = &(*at)->next) {
    block *b = *at;
    if (b->start != address) continue;
    *at = b->next;
    d->used -= b->size;
    d->traffic.frees++;
    madvise(d->shadow + (b->start - d->window), b->size, MADV_DONTNEED);
    pthread_mutex_unlock(&mutex);
    free(b);
    return 0;
  }
  pthread_mutex_unlock(&mutex);
  return emulator_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtFree: %p is not allocated", address);
}

static block *pinned; /* page-locked host memory */

int aclrtMallocHost(void **address, size_t size) {
  FAILS_ON_DEMAND;
  block *b = malloc(sizeof *b);
  *b = (block){aligned_alloc(4096, (size + 4095) / 4096 * 4096 + 4096), size, NULL};
  if (!b->start) { free(b); return emulator_error(ACL_ERROR_RT_MEMORY_ALLOCATION, "no host memory"); }
  pthread_mutex_lock(&mutex);
  b->next = pinned;
  pinned = b;
  pthread_mutex_unlock(&mutex);
  *address = b->start;
  return 0;
}

int aclrtFreeHost(void *address) {
  FAILS_ON_DEMAND;
  pthread_mutex_lock(&mutex);
  for (block **at = &pinned; *at; at = &(*at)->next) {
    block *b = *at;
    if (b->start != address) continue;
    *at = b->next;
    pthread_mutex_unlock(&mutex);
    free(address);
    free(b);
    return 0;
  }
  pthread_mutex_unlock(&mutex);
  return emulator_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtFreeHost: %p is not allocated", address);
}

static int is_pinned(const void *address) {
  int found = 0;
  pthread_mutex_lock(&mutex);
  for (block *b = pinned; b && !found; b = b->next)
    found = (char *)address >= b->start && (char *)address < b->start + b->size;
  pthread_mutex_unlock(&mutex);
  return found;
}

int aclrtPointerGetAttributes(const void *address, aclrtPtrAttributes *attributes) {
  FAILS_ON_DEMAND;
  int i = emulator_device_of(address);
  memset(attributes, 0, sizeof *attributes);
  attributes->device = i < 0 ? 0 : i;
  attributes->type = i >= 0 ? 1 : is_pinned(address) ? 0 : 2; /* device, host, not registered */
  return 0;
}

int aclrtGetMemInfo(int kind, size_t *left, size_t *total) {
  FAILS_ON_DEMAND;
  device *d = here();
  *total = d->limit;
  *left = d->limit - d->used;
  return lost(d);
}

/* The error of a call that waits for the device during a capture that forbids it. */
static int waits_in_capture(const char *function) {
  if (!emulator_capture_forbids((int)(here() - devices))) return 0;
  return emulator_error(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT,
                        "%s waits, which is not permitted while a stream is being captured", function);
}

static int captured(const stream *s, const char *function) {
  if (!s || !s->graph) return 0;
  return emulator_error(ACL_ERROR_RT_STREAM_CAPTURED, "%s of a stream that is being captured", function);
}

static int copies_before_failure; /* 0: no copy is to fail */

void emulator_fail_copy(int nth) { copies_before_failure = nth; }

/* Checks that a copy's two ends are where its kind says, and finds the bytes. */
static int copy_ends(void **to, size_t room, const void **from, size_t size, int kind) {
  int to_device = emulator_device_of(*to), from_device = emulator_device_of(*from);
  int wants_to = kind == COPY_TO_DEVICE || kind == COPY_ON_DEVICE;
  int wants_from = kind == COPY_TO_HOST || kind == COPY_ON_DEVICE;
  if (!size) return 0;
  if (kind != COPY_DEFAULT && ((to_device >= 0) != wants_to || (from_device >= 0) != wants_from))
    return emulator_error(ACL_ERROR_RT_PARAM_INVALID, "copy of kind %d from %s to %s memory", kind,
                          from_device < 0 ? "host" : "device", to_device < 0 ? "host" : "device");
  if (size > room || (to_device >= 0 && !emulator_allocated(to_device, *to, size)) ||
      (from_device >= 0 && !emulator_allocated(from_device, *from, size)))
    return emulator_error(ACL_ERROR_RT_PARAM_INVALID, "copy of %zu bytes beyond an allocation", size);
  emulator_traffic *t = &devices[to_device >= 0 ? to_device : from_device >= 0 ? from_device : 0].traffic;
  pthread_mutex_lock(&mutex);
  if (copies_before_failure && !--copies_before_failure) {
    pthread_mutex_unlock(&mutex);
    return emulator_error(ACL_ERROR_RT_INTERNAL_ERROR, "emulated fault: this copy of %zu bytes fails", size);
  }
  if (from_device < 0 && to_device >= 0) { t->to_device++; t->to_device_bytes += size; }
  if (from_device >= 0 && to_device < 0) { t->to_host++; t->to_host_bytes += size; }
  if (from_device >= 0 && to_device >= 0) { t->on_device++; t->on_device_bytes += size; }
  pthread_mutex_unlock(&mutex);
  if (to_device >= 0) *to = emulator_shadow(*to);
  if (from_device >= 0) *from = emulator_shadow(*from);
  return 0;
}

int aclrtMemcpy(void *to, size_t room, const void *from, size_t size, int kind) {
  FAILS_ON_DEMAND;
  device *d = here();
  int code = lost(d);
  if (!code) code = waits_in_capture(__func__);
  if (!code) code = copy_ends(&to, room, &from, size, kind);
  if (code) return code;
  wait_for(d->submitted);
  memmove(to, from, size);
  pthread_mutex_lock(&mutex);
  code = take_pending(d);
  pthread_mutex_unlock(&mutex);
  return code;
}

/* A copy to or from host memory that is not page-locked waits for the stream, on hardware. */
static int pageable_in_capture(const void *to, const void *from, const stream *s) {
  const void *host = emulator_device_of(to) < 0 ? to : emulator_device_of(from) < 0 ? from : NULL;
  if (!host || is_pinned(host)) return 0;
  if (s && s->graph)
    return emulator_error(ACL_ERROR_RT_PARAM_INVALID, "copies of pageable memory are not captured");
  if (emulator_capture_forbids((int)(here() - devices)))
    return emulator_error(ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC,
                          "a copy of pageable memory waits, which is not permitted while a stream is being captured");
  return 0;
}

static __thread struct { const void *to, *from; size_t size; } last_copy; /* to a device, of this thread */

/* Where the bytes come from that this thread had copied to an address just now, NULL if it had not. */
const void *emulator_copied_last(const void *to, size_t *size) {
  if (last_copy.to != to || emulator_device_of(to) < 0) return NULL;
  *size = last_copy.size;
  return last_copy.from;
}

int aclrtMemcpyAsync(void *to, size_t room, const void *from, size_t size, int kind, void *handle) {
  FAILS_ON_DEMAND;
  stream *s = handle;
  const void *ends[] = {to, from};
  int code = size ? pageable_in_capture(to, from, s) : 0;
  if (!code) code = copy_ends(&to, room, &from, size, kind);
  if (code) return code;
  for (int i = 0; i < 2 && s && s->graph; i++)
    if (emulator_device_of(ends[i]) >= 0) emulator_record_use(s->graph, ends[i]);
  last_copy.to = ends[0];
  last_copy.from = ends[1];
  last_copy.size = size;
  emulator_job *job = new_job(JOB_COPY);
  job->to = to;
  job->from = (void *)from;
  job->size = size;
  return emulator_submit(job, s);
}

int aclrtMemsetAsync(void *to, size_t room, int32_t value, size_t size, void *s) {
  FAILS_ON_DEMAND;
  int i = emulator_device_of(to);
  if (i < 0 || size > room || !emulator_allocated(i, to, size))
    return emulator_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemset beyond an allocation");
  emulator_job *job = new_job(JOB_FILL);
  job->to = emulator_shadow(to);
  job->value = value;
  job->size = size;
  if (s && ((stream *)s)->graph) emulator_record_use(((stream *)s)->graph, to);
  return emulator_submit(job, s);
}

int aclrtMemset(void *to, size_t room, int32_t value, size_t size) {
  FAILS_ON_DEMAND;
  int code = waits_in_capture(__func__);
  if (!code) code = aclrtMemsetAsync(to, room, value, size, NULL);
  wait_for(here()->submitted);
  return code;
}

/* ---- devices and contexts: a context is its device ---- */

int aclrtGetDeviceCount(uint32_t *count) { FAILS_ON_DEMAND; *count = device_count; return 0; }

int aclrtSetDevice(int32_t i) {
  FAILS_ON_DEMAND;
  if (i < 0 || i >= device_count)
    return emulator_error(ACL_ERROR_RT_INVALID_DEVICEID, "device %d of %d", i, device_count);
  current = i;
  return 0;
}

int aclrtResetDevice(int32_t i) { FAILS_ON_DEMAND; return 0; }

int aclrtGetDevice(int32_t *i) {
  FAILS_ON_DEMAND;
  if (current < 0) return emulator_error(ACL_ERROR_RT_CONTEXT_NULL, "this thread has no device yet");
  *i = current;
  return 0;
}

int aclrtGetCurrentContext(void **context) {
  FAILS_ON_DEMAND;
  *context = current < 0 ? NULL : &devices[current];
  return current < 0 ? ACL_ERROR_RT_CONTEXT_NULL : 0;
}

int aclrtSetCurrentContext(void *context) { FAILS_ON_DEMAND; current = (int)((device *)context - devices); return 0; }

int aclrtGetPrimaryCtxState(int32_t i, uint32_t *flags, int32_t *active) {
  FAILS_ON_DEMAND;
  if (flags) *flags = 0;
  *active = i >= 0 && i < device_count;
  return 0;
}

const char *aclrtGetSocName(void) { return emulator_ordered(__func__) ? NULL : soc_name; }

/* The units and the second-level cache (MiB) of chips, from the files of CANN's platform_config and DVM's
 * list of them (src/system.cc). */
static const struct { const char *soc; int64_t capabilities[3]; } chips[] = { /* as aclDeviceInfo counts them */
  {"Ascend910B1", {24, 48, 192 * MIB}}, {"Ascend910B2", {24, 48, 192 * MIB}}, {"Ascend910B2C", {24, 48, 192 * MIB}},
  {"Ascend910B3", {20, 40, 192 * MIB}}, {"Ascend910B4", {20, 40, 96 * MIB}}, {"Ascend910B4-1", {20, 40, 96 * MIB}},
  {"Ascend950PR_958b", {32, 64, 112 * MIB}},
};

int aclGetDeviceCapability(uint32_t i, int what, int64_t *value) {
  FAILS_ON_DEMAND;
  for (size_t j = 0; j < sizeof chips / sizeof *chips && what >= 0 && what < 3; j++) {
    if (strcmp(chips[j].soc, soc_name)) continue;
    *value = chips[j].capabilities[what];
    return 0;
  }
  return emulator_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "capability %d of %s is not emulated", what, soc_name);
}

int aclrtGetSysParamOpt(int what, int64_t *value) { FAILS_ON_DEMAND; *value = 0; return 0; }

/* aclCANNPackageVersion: the whole, then its parts */
int aclsysGetCANNVersion(int package, char *version) {
  FAILS_ON_DEMAND;
  enum { WHOLE = 128, PART = 64 };
  int parts[4] = {0}; /* major, minor, release, patch */
  strcpy(version, cann_version);
  sscanf(cann_version, "%d.%d.%d", parts, parts + 1, parts + 2);
  for (int i = 0; i < 4; i++) snprintf(version + WHOLE + i * PART, PART, "%d", parts[i]);
  return 0;
}

int aclsysGetVersionStr(char *package, char *version) { FAILS_ON_DEMAND; strcpy(version, cann_version); return 0; }
int aclrtDeviceCanAccessPeer(int32_t *can, int32_t a, int32_t b) { FAILS_ON_DEMAND; *can = a != b; return 0; }

int aclrtSynchronizeDevice(void) {
  FAILS_ON_DEMAND;
  device *d = here();
  if (emulator_capture_forbids((int)(d - devices)))
    return emulator_error(ACL_ERROR_RT_STREAM_CAPTURED, "a stream of the device is being captured");
  wait_for(d->submitted);
  pthread_mutex_lock(&mutex);
  int code = take_pending(d);
  pthread_mutex_unlock(&mutex);
  return code;
}

int aclrtSynchronizeDeviceWithTimeout(int32_t timeout) { FAILS_ON_DEMAND; return aclrtSynchronizeDevice(); }

/* ---- streams and events ---- */

/* Asked for chips before Atlas A2, which saturate. */
int aclrtSetStreamOverflowSwitch(void *stream, uint32_t flag) { FAILS_ON_DEMAND; return 0; }
int aclrtGetStreamOverflowSwitch(void *stream, uint32_t *flag) { FAILS_ON_DEMAND; *flag = 0; return 0; }

static int new_stream(void **handle) {
  static uint32_t id;
  stream *s = calloc(1, sizeof *s);
  s->device = (int)(here() - devices);
  s->id = __atomic_add_fetch(&id, 1, __ATOMIC_RELAXED);
  *handle = s;
  return lost(&devices[s->device]);
}

int aclrtCreateStream(void **s) { FAILS_ON_DEMAND; return new_stream(s); }
int aclrtCreateStreamWithConfig(void **s, uint32_t priority, uint32_t flags) { FAILS_ON_DEMAND; return new_stream(s); }

int aclrtSynchronizeStream(void *handle) {
  FAILS_ON_DEMAND;
  stream *s = handle;
  if (!s) return aclrtSynchronizeDevice();
  if (s->graph) return captured(s, __func__);
  wait_for(s->submitted);
  pthread_mutex_lock(&mutex);
  int code = take_pending(&devices[s->device]);
  pthread_mutex_unlock(&mutex);
  return code;
}

int aclrtSynchronizeStreamWithTimeout(void *s, int32_t timeout) { FAILS_ON_DEMAND; return aclrtSynchronizeStream(s); }

/* A stream is not freed: as a process ends, torch_npu destroys its streams while threads launch on. */
int aclrtDestroyStream(void *s) {
  FAILS_ON_DEMAND;
  if (((stream *)s)->graph) return captured(s, __func__);
  wait_for(((stream *)s)->submitted);
  return 0;
}

int aclrtDestroyStreamForce(void *s) { FAILS_ON_DEMAND; return aclrtDestroyStream(s); }

int aclrtStreamGetId(void *s, int32_t *id) { FAILS_ON_DEMAND; *id = s ? (int32_t)((stream *)s)->id : 0; return 0; }

static int is_done(uint64_t number) {
  pthread_mutex_lock(&mutex);
  int done = done_number >= number || stopped;
  pthread_mutex_unlock(&mutex);
  return done;
}

int aclrtStreamQuery(void *s, int *status) { FAILS_ON_DEMAND; if (((stream *)s)->graph) return captured(s, __func__); *status = !is_done(((stream *)s)->submitted); return 0; }

static int new_event(void **handle) { *handle = calloc(1, sizeof(event)); return 0; }
int aclrtCreateEvent(void **e) { FAILS_ON_DEMAND; return new_event(e); }
int aclrtCreateEventWithFlag(void **e, uint32_t flag) { FAILS_ON_DEMAND; return new_event(e); }
int aclrtCreateEventExWithFlag(void **e, uint32_t flag) { FAILS_ON_DEMAND; return new_event(e); }

int aclrtDestroyEvent(void *e) {
  FAILS_ON_DEMAND;
  wait_for(((event *)e)->number);
  free(e);
  return 0;
}

int aclrtRecordEvent(void *handle, void *s) {
  FAILS_ON_DEMAND;
  if (s && ((stream *)s)->graph) {
    emulator_record_event(handle, s);
    return 0;
  }
  ((event *)handle)->capture = 0;
  emulator_job *job = new_job(JOB_EVENT);
  job->to = handle;
  return emulator_submit(job, s);
}

int aclrtResetEvent(void *e, void *s) { FAILS_ON_DEMAND; return 0; }

/* Everything is done in the order of submission: what follows the record follows the event. */
int aclrtStreamWaitEvent(void *s, void *e) {
  FAILS_ON_DEMAND;
  if (s) return emulator_wait_in_capture(s, e);
  if (!emulator_event_captured(e)) return 0;
  return emulator_error(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT, "the default stream cannot be captured");
}

static int event_captured(const event *e, const char *function) {
  if (!emulator_event_captured(e)) return 0;
  return emulator_error(ACL_ERROR_RT_EVENT_CAPTURED, "%s of an event that is being captured", function);
}

int aclrtSynchronizeEvent(void *handle) {
  FAILS_ON_DEMAND;
  event *e = handle;
  int code = event_captured(e, __func__);
  if (!code) wait_for(e->number);
  return code;
}

int aclrtQueryEventStatus(void *handle, int *status) {
  FAILS_ON_DEMAND;
  event *e = handle;
  *status = is_done(e->number);
  return event_captured(e, __func__);
}

int aclrtQueryEventWaitStatus(void *handle, int *status) {
  FAILS_ON_DEMAND;
  event *e = handle;
  *status = !is_done(e->number);
  return event_captured(e, __func__);
}

int aclrtEventElapsedTime(float *milliseconds, void *start, void *end) {
  FAILS_ON_DEMAND;
  event *a = start, *b = end;
  int code = event_captured(a, __func__);
  if (!code) code = event_captured(b, __func__);
  if (code) return code;
  wait_for(b->number);
  *milliseconds = (float)((b->when.tv_sec - a->when.tv_sec) * 1e3 + (b->when.tv_nsec - a->when.tv_nsec) / 1e6);
  return 0;
}

static int submit_call(void (*function)(void *), void *data, void *s) {
  emulator_job *job = new_job(JOB_CALL);
  job->function = function;
  job->from = data;
  return emulator_submit(job, s);
}

/* A function that frees its data, so that it cannot run again. */
int emulator_call(void (*function)(void *), void *data, void *s) {
  if (s && ((stream *)s)->graph)
    return emulator_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "collectives in a capture are not emulated");
  return submit_call(function, data, s);
}

int aclrtLaunchHostFunc(void *s, void (*function)(void *), void *data) { FAILS_ON_DEMAND; return submit_call(function, data, s); }

/* ---- the older operator path: no operator is emulated there ---- */

static char asked[64][64]; /* the names of operators that were asked for there */
static int asked_count;

int aclopCompileAndExecute(const char *name) {
  FAILS_ON_DEMAND;
  pthread_mutex_lock(&mutex);
  int known = 0;
  for (int i = 0; i < asked_count && !known; i++) known = !strcmp(asked[i], name);
  if (!known && asked_count < 64) snprintf(asked[asked_count++], 64, "%s", name);
  pthread_mutex_unlock(&mutex);
  return emulator_error(ACL_ERROR_OP_NOT_FOUND, "operator %s of the older (GE) path is not emulated", name);
}

int aclopCompileAndExecuteV2(const char *name) { FAILS_ON_DEMAND; return aclopCompileAndExecute(name); }
static int nothing;
void *aclopCreateAttr(void) { return &nothing; }
void *aclCreateDataBuffer(void *data, size_t size) { return &nothing; }
void *aclCreateTensorDesc(int dtype, int n, const int64_t *dims, int format) { return &nothing; }

/* ---- for the emulator's Python side ---- */

const char *emulator_soc(void) { return soc_name; }
const char *emulator_cann(void) { return cann_version; }
const char *emulator_asked(int i) { return i < asked_count ? asked[i] : NULL; }

void emulator_fail(int i, int code, const char *text) {
  pthread_mutex_lock(&mutex);
  if (!devices[i].pending) {
    devices[i].pending = code;
    snprintf(devices[i].pending_text, sizeof devices[i].pending_text, "%s", text);
  }
  pthread_mutex_unlock(&mutex);
}

void emulator_set_lost(int i, int code) { devices[i].lost = code; }
void emulator_fail_allocation(int i, int before, int count) {
  pthread_mutex_lock(&mutex);
  devices[i].allocations_before_failure = before;
  devices[i].allocations_to_fail = count;
  pthread_mutex_unlock(&mutex);
}

void emulator_limit(int i, size_t bytes) { devices[i].limit = bytes; }
void *emulator_window(int i, int shadow) { return shadow ? devices[i].shadow : devices[i].window; }

void emulator_wait(void) {
  pthread_mutex_lock(&mutex);
  uint64_t number = next_number - 1;
  pthread_mutex_unlock(&mutex);
  wait_for(number);
}

void emulator_read_traffic(int i, emulator_traffic *out) {
  pthread_mutex_lock(&mutex);
  *out = devices[i].traffic;
  out->used = devices[i].used;
  out->peak = devices[i].peak;
  pthread_mutex_unlock(&mutex);
}

static struct sigaction before_us;

static void touched(int number, siginfo_t *info, void *context) {
  int i = emulator_device_of(info->si_addr);
  if (i >= 0) {
    char text[160];
    int n = snprintf(text, sizeof text, "cann_emulator: host code touched memory of device %d at %p\n", i,
                     info->si_addr);
    if (write(2, text, n) < 0) _exit(1);
  }
  sigaction(SIGSEGV, &before_us, NULL); /* the access is tried again, and this time it ends as before */
}

/* Returns 0, or the number of bytes of addresses that could not be had. */
size_t emulator_start(int count, size_t limit, const char *soc, const char *version) {
  device_count = count;
  window_size = 2 * limit; /* so that fragments do not eat into the limit */
  snprintf(soc_name, sizeof soc_name, "%s", soc);
  snprintf(cann_version, sizeof cann_version, "%s", version);
  for (int i = 0; i < count; i++) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    devices[i].limit = limit;
    devices[i].window = mmap(NULL, window_size, PROT_NONE, flags, -1, 0);
    devices[i].shadow = mmap(NULL, window_size, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (devices[i].window == MAP_FAILED || devices[i].shadow == MAP_FAILED) return 2 * window_size;
    madvise(devices[i].shadow, window_size, MADV_DONTDUMP);
  }
  struct sigaction action = {.sa_sigaction = touched, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigaction(SIGSEGV, &action, &before_us);
  return 0;
}

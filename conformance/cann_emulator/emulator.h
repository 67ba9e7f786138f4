/* What the runtime (runtime.c), the operator library (operators.c) and _native.py share. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define EMULATOR_DEVICES 8
#define EMULATOR_ARGUMENTS 16

/* aclError and aclnnStatus, as CANN numbers them. */
enum {
  ACL_ERROR_OP_NOT_FOUND = 100024,
  ACL_ERROR_RT_PARAM_INVALID = 107000,
  ACL_ERROR_RT_INVALID_DEVICEID = 107001,
  ACL_ERROR_RT_CONTEXT_NULL = 107002,
  ACL_ERROR_RT_CAPTURE_DEPENDENCY = 107024,
  ACL_ERROR_RT_STREAM_UNJOINED = 107025,
  ACL_ERROR_RT_STREAM_CAPTURED = 107027,
  ACL_ERROR_RT_EVENT_CAPTURED = 107028,
  ACL_ERROR_RT_STREAM_NOT_CAPTURED = 107029,
  ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT = 107030,
  ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT = 107031,
  ACL_ERROR_STREAM_CAPTURE_CONFLICT = 107032,
  ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED = 107036,
  ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD = 107038,
  ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC = 107041,
  ACLNN_ERR_PARAM_INVALID = 161002,
  ACL_ERROR_RT_FEATURE_NOT_SUPPORT = 207000,
  ACL_ERROR_RT_MEMORY_ALLOCATION = 207001,
  ACLNN_ERR_INNER = 561000,
  ACLNN_ERR_INNER_TILING_ERROR = 561002,
  ACL_ERROR_RT_INTERNAL_ERROR = 507000,
  ACL_ERROR_RT_AICORE_EXCEPTION = 507015,
  ACL_ERROR_RT_AICPU_EXCEPTION = 507018,
};

enum { COPY_ON_HOST, COPY_TO_DEVICE, COPY_TO_HOST, COPY_ON_DEVICE, COPY_DEFAULT }; /* aclrtMemcpyKind */
enum { JOB_KERNEL, JOB_COPY, JOB_FILL, JOB_EVENT, JOB_CALL };

typedef union { void *p; int64_t i; double d; } emulator_slot;

typedef struct emulator_job {
  int32_t kind, device, kernel, error;
  uint64_t number;
  emulator_slot slots[EMULATOR_ARGUMENTS];
  int32_t unit;                 /* AICore or AICPU */
  struct emulator_graph *owner; /* the graph that owns what it points to */
  void *to, *from;
  size_t size;
  int32_t value;
  void (*function)(void *);
  char *error_text;
  struct emulator_job *next;
} emulator_job;

typedef struct emulator_graph emulator_graph;

typedef struct {
  int device;
  uint32_t id;
  uint64_t submitted;
  emulator_graph *graph;     /* that it is being captured for */
  uint64_t recorded, joined; /* in it: how many jobs, and how many of them another stream waits for */
} emulator_stream;

typedef struct {
  uint64_t number;
  struct timespec when;
  uint64_t capture; /* the graph that it was recorded in */
  emulator_stream *stream;
  uint64_t recorded;
} emulator_event;

typedef struct {
  uint64_t allocations, frees, used, peak;
  uint64_t to_device, to_device_bytes, to_host, to_host_bytes, on_device, on_device_bytes;
} emulator_traffic;

typedef struct { uint32_t device, type, page_size, reserved[4]; } aclrtPtrAttributes;

int emulator_error(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
int emulator_ordered(const char *function);
#define FAILS_ON_DEMAND do { int code = emulator_ordered(__func__); if (code) return code; } while (0)
int emulator_submit(emulator_job *job, void *stream);
int emulator_call(void (*function)(void *), void *data, void *stream);
void emulator_release_job(emulator_job *job);
int aclrtGetDevice(int32_t *i);
int emulator_device_of(const void *address);
int emulator_allocated(int device, const void *address, size_t size);
void *emulator_shadow(const void *address);
void emulator_fail(int device, int code, const char *text);
int aclrtSynchronizeDevice(void);
const char *emulator_soc(void), *emulator_cann(void);
uint64_t emulator_allocation(int device, const void *address);
const void *emulator_copied_last(const void *to, size_t *size);
void emulator_count_in_graph(const emulator_job *job, int device);
int emulator_is_program(const emulator_job *job);
void emulator_run_program(const emulator_job *job);

void emulator_release_graph(emulator_graph *g);
int emulator_capture_forbids(int device);
void emulator_record(emulator_job *job, emulator_stream *s);
void emulator_record_use(emulator_graph *g, const void *address);
void emulator_record_event(emulator_event *e, emulator_stream *s);
int emulator_event_captured(const emulator_event *e);
int emulator_wait_in_capture(emulator_stream *s, emulator_event *e);

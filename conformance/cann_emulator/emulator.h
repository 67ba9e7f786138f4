/* What the runtime (runtime.c), the operator library (operators.c) and _native.py share. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define EMULATOR_DEVICES 8
#define EMULATOR_ARGUMENTS 16

/* aclError and aclnnStatus, as CANN numbers them. */
enum {
  ACL_ERROR_OP_NOT_FOUND = 100024,
  ACL_ERROR_RT_PARAM_INVALID = 107000,
  ACL_ERROR_RT_INVALID_DEVICEID = 107001,
  ACL_ERROR_RT_CONTEXT_NULL = 107002,
  ACLNN_ERR_PARAM_INVALID = 161002,
  ACL_ERROR_RT_MEMORY_ALLOCATION = 207001,
  ACLNN_ERR_INNER = 561000,
  ACLNN_ERR_INNER_TILING_ERROR = 561002,
  ACL_ERROR_RT_INTERNAL_ERROR = 507000,
  ACL_ERROR_RT_AICORE_EXCEPTION = 507015,
};

enum { COPY_ON_HOST, COPY_TO_DEVICE, COPY_TO_HOST, COPY_ON_DEVICE, COPY_DEFAULT }; /* aclrtMemcpyKind */
enum { JOB_KERNEL, JOB_COPY, JOB_FILL, JOB_EVENT, JOB_CALL };

typedef union { void *p; int64_t i; double d; } emulator_slot;

typedef struct emulator_job {
  int32_t kind, device, kernel, error;
  uint64_t number;
  emulator_slot slots[EMULATOR_ARGUMENTS];
  void *to, *from;
  size_t size;
  int32_t value;
  void (*function)(void *);
  char *error_text;
  struct emulator_job *next;
} emulator_job;

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
const char *emulator_soc(void);
void emulator_fail(int device, int code, const char *text);

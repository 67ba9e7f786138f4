/* The one-dimensional transforms (libasdsip.so) that torch_npu sees: plans, and their execution. */
#include <stdlib.h>
#include <string.h>
#include "emulator.h"
#include "operators.h"

#define FAILED 1
#define LONGEST (1 << 27)
#define LARGEST_FACTOR 199 /* of the length */

enum { FORWARD = 0x10, COMPLEX_TO_COMPLEX = 0x10 };

typedef struct { int64_t length; int direction; void *stream; } plan;

int asdFftCreate(void **handle) { *handle = calloc(1, sizeof(plan)); return 0; }
int asdFftDestroy(void *handle) { free(handle); return 0; }
int asdFftSetStream(void *handle, void *stream) { ((plan *)handle)->stream = stream; return 0; }
int asdFftSynchronize(void *handle) { return 0; }
int asdFftGetWorkspaceSize(void *handle, size_t *size) { *size = 0; return 0; }
int asdFftSetWorkspace(void *handle, void *workspace) { return 0; }

int asdFftMakePlan1D(void *handle, int64_t length, int type, int direction, int64_t batch, int layout) {
  /* Ascend 950 ("Atlas 350") has transforms of complex numbers alone (SiP, FFT_1D). */
  if (type != COMPLEX_TO_COMPLEX && strstr(emulator_soc(), "950")) return FAILED;
  int64_t rest = length;
  for (int64_t factor = 2; factor <= LARGEST_FACTOR; factor++)
    while (rest > 1 && rest % factor == 0) rest /= factor;
  if (length < 1 || length > LONGEST || rest != 1) return FAILED;
  *(plan *)handle = (plan){length, direction, NULL};
  return 0;
}

int asdFftMakePlan2D(void *handle, int64_t x, int64_t y, int type, int direction, int32_t batch) {
  return FAILED; /* torch_npu computes transforms over several axes by matrix products */
}

#define EXECUTE(kind)                                                                                       \
  int emulator_fft_##kind##GetWorkspaceSize(void *, void *, int64_t, _Bool, uint64_t *, void **);           \
  int emulator_fft_##kind(void *, uint64_t, void *, void *);                                                \
  int asdFftExec##kind(void *handle, void *in, void *out) {                                                 \
    plan *p = handle;                                                                                       \
    uint64_t size;                                                                                          \
    void *executor;                                                                                         \
    _Bool forward = p->direction == FORWARD;                                                                \
    int code = emulator_fft_##kind##GetWorkspaceSize(in, out, p->length, forward, &size, &executor);        \
    return code ? code : emulator_fft_##kind(NULL, 0, executor, p->stream);                                 \
  }

EXECUTE(C2C)
EXECUTE(R2C)
EXECUTE(C2R)

/* What operators.c and the generated kernels.c share. */
#define EMULATOR_KERNELS_MAX 512

enum { FAULT_CALL, FAULT_LAUNCH, FAULT_SYNCHRONIZE };

/* CHECKS in _table.py */
enum { CHECK_BROADCAST = 1, CHECK_COMBINE = 2, CHECK_RANK6 = 4, CHECK_REPEAT = 8, CHECK_SAME = 16,
       CHECK_ROUNDED = 32 };

/* LIMITS in faults.py: what a release or a family of chips checks besides, while it is emulated */
enum { LIMIT_REFUSED = 1, LIMIT_SIDE = 2, LIMIT_POSITIONS = 4, LIMIT_OLD_POSITIONS = 8, LIMIT_AICPU_FAILS = 16,
       LIMIT_WHOLE = 32, LIMIT_IN_ORDER = 64 };

typedef struct {
  int32_t kind, dtype, references;
  int64_t offset;
  uint64_t n;
  void *data;
  int64_t values[];
} emulator_handle;

typedef struct {
  const char *name;
  int n;
  const char *types; /* a letter for each argument, see kernels.csv in _table.py */
  uint64_t accepts[EMULATOR_ARGUMENTS]; /* for each argument that is a tensor, its dtypes by number */
  uint64_t aicore; /* dtypes that run on AICore; the others run on AICPU */
  uint64_t apart; /* by bit, arguments that have dtypes of their own: conditions, indices */
  int checks; /* what is checked besides dtypes: CHECK_... */
} emulator_kernel;

extern const emulator_kernel emulator_kernels[];
const char *emulator_dtype_name(int dtype);
int emulator_prepare(int kernel, const emulator_slot *slots, uint64_t *size, void **executor);
int emulator_not_emulated(const char *kernel);
int emulator_launch(void *executor, void *stream);
void *aclCreateTensorList(void *const *tensors, uint64_t n), *aclCreateIntArray(const int64_t *values, uint64_t n);
int aclDestroyTensor(void *h);

/* Collective communication (libhccl.so): the processes of one machine, through shared memory.
 *
 * A collective is a job in the queue of the process, as a kernel is.  It posts what it sends piece by
 * piece in shared memory, meets the others there, and takes what is for it.  Reductions add in the
 * order of the ranks.
 *
 * That a process is gone is seen at once, by a lock that it held; CANN takes its time of waiting for
 * it (HCCL_EXEC_TIMEOUT), and so does the emulator for one that is there but does not come.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "emulator.h"

#define RANKS 16
#define PIECE ((size_t)1 << 18) /* bytes that a rank posts at a time */
#define ROOT_INFO 4108 /* HCCL_ROOT_INFO_BYTES */
#define NAME 128 /* COMM_NAME_MAX_LENGTH */
#define CAPABILITIES 12 /* HCCL_COMM_CONFIG_RESERVED */
#define CONNECT_SECONDS 120 /* the defaults of HCCL_CONNECT_TIMEOUT and HCCL_EXEC_TIMEOUT */
#define EXECUTE_SECONDS 1836
#define INTERNAL_TASK_TIMEOUT 507048

enum { /* HcclResult */
  HCCL_SUCCESS, HCCL_E_PARA, HCCL_E_PTR, HCCL_E_MEMORY, HCCL_E_INTERNAL, HCCL_E_NOT_SUPPORT,
  HCCL_E_TIMEOUT = 9, HCCL_E_REMOTE = 21,
};
enum { INT8, INT16, INT32, FP16, FP32, INT64, UINT64, UINT8, UINT16, UINT32, FP64, BFP16, DTYPES };
enum { SUM, PROD, MAX, MIN, OPERATIONS };
enum { ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, BROADCAST, ALL_TO_ALL, SEND_RECEIVE };

static const char *const dtype_names[DTYPES] = {"int8", "int16", "int32", "float16", "float32", "int64",
                                                "uint64", "uint8", "uint16", "uint32", "float64", "bfloat16"};
static const size_t widths[DTYPES] = {1, 2, 4, 2, 4, 8, 8, 1, 2, 4, 8, 2};
static const char *const kinds[] = {"AllReduce", "AllGather", "ReduceScatter", "Broadcast", "AlltoAll", "Send and Recv"};

typedef struct {
  _Atomic uint64_t stage; /* how many meetings this rank came to */
  _Atomic int left; /* whether it destroyed the communicator, or failed: it comes to no more meetings */
  uint64_t signature, used, more; /* what it calls; the bytes that it posted, and that follow */
} member;

typedef struct {
  _Atomic uint32_t bell; /* changes whenever anything does */
  member members[RANKS];
  struct { _Atomic uint64_t sent, taken; } boxes[RANKS][RANKS]; /* pieces from a rank to a rank */
  uint64_t box_used[RANKS][RANKS];
  char pieces[RANKS][PIECE], letters[RANKS][RANKS][PIECE / RANKS];
} board;

typedef struct {
  board *board;
  int file, ranks, rank, seconds;
  uint64_t stage;
  _Atomic int error, destroyed;
  char name[NAME];
} communicator;

typedef struct {
  communicator *comm;
  int kind, device, dtype, operation, peer, receives;
  char *from, *to;
  uint64_t count; /* of elements: of one rank's part where there are parts */
  uint64_t send_counts[RANKS], send_offsets[RANKS], receive_offsets[RANKS]; /* in bytes */
} call;

/* ---- meeting ---- */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int seconds_of(const char *variable, int usual) {
  const char *given = getenv(variable);
  return given && atoi(given) > 0 ? atoi(given) : usual;
}

static void ring(board *b) {
  b->bell++;
  syscall(SYS_futex, &b->bell, FUTEX_WAKE, RANKS, NULL, NULL, 0);
}

/* Every process holds a lock on the byte of its rank, which goes with it, however it ends. */
static int is_gone(const communicator *c, int rank) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = rank, .l_len = 1};
  if (rank == c->rank || fcntl(c->file, F_GETLK, &lock)) return 0;
  return lock.l_type == F_UNLCK;
}

/* Waits until `*value` is at least `least`; returns an HcclResult. */
static int await(communicator *c, _Atomic uint64_t *value, uint64_t least, int rank, double deadline) {
  for (int turn = 0;; turn++) {
    uint32_t before = c->board->bell;
    if (*value >= least) return HCCL_SUCCESS;
    if (c->destroyed) return HCCL_E_INTERNAL;
    if (turn > 20) { /* first as long as others answer fast */
      member *m = &c->board->members[rank];
      int gone = m->left || (m->stage && is_gone(c, rank)); /* before its first stage it is yet to come */
      if (gone && *value < least) return HCCL_E_REMOTE;
      if (now() > deadline) return HCCL_E_TIMEOUT;
    }
    struct timespec some = {0, turn < 20 ? 1000000 : 50000000};
    syscall(SYS_futex, &c->board->bell, FUTEX_WAIT, before, &some, NULL, 0);
  }
}

static int meet(communicator *c, int *missing) {
  double deadline = now() + c->seconds;
  c->board->members[c->rank].stage = ++c->stage;
  ring(c->board);
  for (int r = 0; r < c->ranks; r++) {
    int code = await(c, &c->board->members[r].stage, c->stage, r, deadline);
    *missing = r;
    if (code) return code;
  }
  return HCCL_SUCCESS;
}

/* ---- arithmetic ---- */

static float from_bfloat(uint16_t x) {
  uint32_t bits = (uint32_t)x << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint16_t to_bfloat(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (value != value) return 0x7FC0;
  return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

static float from_half(uint16_t x) {
  uint32_t sign = (uint32_t)(x & 0x8000) << 16, exponent = x >> 10 & 31, fraction = x & 1023, bits;
  float value;
  if (exponent == 31) bits = sign | 0x7F800000 | fraction << 13;
  else if (exponent) bits = sign | (exponent + 112) << 23 | fraction << 13;
  else { /* fraction * 2^-24 */
    value = (float)fraction * 0x1p-24f;
    return sign ? -value : value;
  }
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint16_t to_half(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint16_t sign = bits >> 16 & 0x8000;
  bits &= 0x7FFFFFFF;
  if (bits > 0x7F800000) return 0x7E00;
  if (bits >= 0x477FF000) return sign | 0x7C00; /* rounds to more than 65504 */
  if (bits < 0x38800000) { /* below 2^-14: the sum with 0.5 rounds to multiples of 2^-24 */
    float small;
    memcpy(&small, &bits, sizeof small);
    small += 0.5f;
    memcpy(&bits, &small, sizeof bits);
    return sign | (uint16_t)(bits - 0x3F000000);
  }
  return sign | (uint16_t)((bits - 0x38000000 + 0xFFF + (bits >> 13 & 1)) >> 13);
}

static int64_t integer_at(int dtype, const char *x) {
  int64_t value = 0;
  memcpy(&value, x, widths[dtype]);
  return dtype == INT8 ? (int8_t)value : dtype == INT16 ? (int16_t)value : dtype == INT32 ? (int32_t)value : value;
}

static float real_at(int dtype, const char *x) {
  uint16_t bits;
  float value;
  memcpy(&bits, x, 2);
  if (dtype == FP32) memcpy(&value, x, 4);
  else value = dtype == FP16 ? from_half(bits) : from_bfloat(bits);
  return value;
}

static void store_real(int dtype, char *x, float value) {
  uint16_t bits = dtype == FP16 ? to_half(value) : dtype == BFP16 ? to_bfloat(value) : 0;
  if (dtype == FP32) memcpy(x, &value, 4);
  else memcpy(x, &bits, 2);
}

/* Integers wrap around; every step is rounded to the data type. */
static void reduce(int dtype, int operation, char *x, const char *y, size_t bytes) {
  size_t width = widths[dtype];
  for (const char *end = x + bytes; x < end; x += width, y += width) {
    if (dtype == FP16 || dtype == FP32 || dtype == BFP16) {
      float a = real_at(dtype, x), b = real_at(dtype, y);
      int taken = b != b || (operation == MAX ? b > a : b < a);
      store_real(dtype, x, operation == SUM ? a + b : operation == PROD ? a * b : a != a || !taken ? a : b);
    } else {
      int64_t a = integer_at(dtype, x), b = integer_at(dtype, y);
      int64_t value = operation == SUM    ? (int64_t)((uint64_t)a + (uint64_t)b)
                      : operation == PROD ? (int64_t)((uint64_t)a * (uint64_t)b)
                      : operation == MAX  ? (b > a ? b : a)
                                          : (b < a ? b : a);
      memcpy(x, &value, width);
    }
  }
}

/* ---- what a job does ---- */

static void fail(call *j, int code, const char *format, int rank) {
  communicator *c = j->comm;
  char why[160], text[480];
  snprintf(why, sizeof why, format, rank, c->seconds);
  snprintf(text, sizeof text, "EI0002: the wait of %s on rank %d of %d (communicator %s) ended: %s", kinds[j->kind],
           c->rank, c->ranks, c->name, why);
  c->error = code;
  c->board->members[c->rank].left = 1;
  ring(c->board);
  emulator_fail(j->device, INTERNAL_TASK_TIMEOUT, text);
}

static int told(call *j, int code, int rank) {
  if (code == HCCL_E_REMOTE) fail(j, code, "rank %d is gone: its process has ended, or it failed before or left", rank);
  if (code == HCCL_E_TIMEOUT) fail(j, code, "rank %d did not come within HCCL_EXEC_TIMEOUT, %d s", rank);
  if (code == HCCL_E_INTERNAL) fail(j, code, "the communicator was destroyed on this rank", rank);
  return code;
}

/* Takes what rank `r` posted, from byte `offset` on of what it sends in this round. */
static void take(call *j, int target, int r, size_t offset, const char *piece, size_t n) {
  char *to = j->to + offset;
  switch (j->kind) {
    case ALL_GATHER: to += r * j->count * widths[j->dtype]; break;
    case ALL_TO_ALL: to += j->receive_offsets[r]; break;
  }
  if ((j->kind == ALL_TO_ALL || j->kind == REDUCE_SCATTER) && target != j->comm->rank) return;
  if ((j->kind == ALL_REDUCE || j->kind == REDUCE_SCATTER) && r) reduce(j->dtype, j->operation, to, piece, n);
  else if (n) memcpy(to, piece, n);
}

/* Every rank posts `size` bytes, each as many as it has, and takes what the others post. */
static int round_of(call *j, int target, const char *from, size_t size) {
  communicator *c = j->comm;
  board *b = c->board;
  member *own = &b->members[c->rank];
  uint64_t counted = j->kind == ALL_TO_ALL ? 0 : j->count;
  int code, rank, more = 1;
  own->signature = (uint64_t)j->kind | (uint64_t)j->dtype << 8 | (uint64_t)j->operation << 16 | counted << 24;
  for (size_t offset = 0; more; offset += PIECE) {
    own->used = offset < size ? (size - offset < PIECE ? size - offset : PIECE) : 0;
    own->more = offset + own->used < size;
    if (own->used) memcpy(b->pieces[c->rank], from + offset, own->used);
    if ((code = meet(c, &rank))) return told(j, code, rank);
    more = 0;
    for (int r = 0; r < c->ranks; r++) {
      if (b->members[r].signature != own->signature) {
        fail(j, HCCL_E_PARA, "rank %d calls another collective, or with another count or data type", r);
        return HCCL_E_PARA;
      }
      take(j, target, r, offset, b->pieces[r], b->members[r].used);
      more |= b->members[r].more != 0;
    }
    if ((code = meet(c, &rank))) return told(j, code, rank);
  }
  return HCCL_SUCCESS;
}

/* A piece is sent once the one before was taken, and a call ends once all was. */
static int send_or_receive(call *j) {
  communicator *c = j->comm;
  board *b = c->board;
  int from = j->receives ? j->peer : c->rank, to = j->receives ? c->rank : j->peer, code;
  size_t size = j->count * widths[j->dtype], done = 0, room = sizeof b->letters[0][0];
  double deadline = now() + c->seconds;
  while (done < size) {
    uint64_t *used = &b->box_used[from][to];
    if (j->receives) {
      uint64_t next = b->boxes[from][to].taken + 1;
      if ((code = await(c, &b->boxes[from][to].sent, next, j->peer, deadline))) return told(j, code, j->peer);
      if (*used > size - done) {
        fail(j, HCCL_E_PARA, "rank %d sends more than is received", j->peer);
        return HCCL_E_PARA;
      }
      memcpy(j->to + done, b->letters[from][to], *used);
      done += *used;
      b->boxes[from][to].taken = next;
    } else {
      *used = size - done < room ? size - done : room;
      memcpy(b->letters[from][to], j->from + done, *used);
      done += *used;
      uint64_t number = ++b->boxes[from][to].sent;
      ring(b);
      if ((code = await(c, &b->boxes[from][to].taken, number, j->peer, deadline))) return told(j, code, j->peer);
    }
    ring(b);
  }
  return HCCL_SUCCESS;
}

static void run(void *data) {
  call *j = data;
  communicator *c = j->comm;
  size_t size = j->count * widths[j->dtype];
  if (!c->error) {
    if (j->kind == SEND_RECEIVE) send_or_receive(j);
    else if (j->kind == BROADCAST) round_of(j, -1, j->from, c->rank == j->peer ? size : 0);
    else if (j->kind == ALL_REDUCE || j->kind == ALL_GATHER) round_of(j, -1, j->from, size);
    else
      for (int r = 0; r < c->ranks; r++) {
        size_t offset = j->kind == ALL_TO_ALL ? j->send_offsets[r] : r * size;
        if (round_of(j, r, j->from + offset, j->kind == ALL_TO_ALL ? j->send_counts[r] : size)) break;
      }
  }
  free(j);
}

/* ---- calls ---- */

static int lies_on(int device, const void *address, size_t size) {
  return !size || (emulator_device_of(address) == device && emulator_allocated(device, address, size));
}

/* `sent` and `received` are the bytes behind `from` and `to`. */
static int submit(call job, size_t sent, size_t received, void *stream) {
  communicator *c = job.comm;
  const char *name = kinds[job.kind];
  if (!c) return emulator_error(HCCL_E_PTR, "%s: no communicator", name);
  if (job.dtype < 0 || job.dtype >= DTYPES)
    return emulator_error(HCCL_E_NOT_SUPPORT, "EI0003: %s: data type %d is not supported", name, job.dtype);
  if (job.kind == ALL_REDUCE || job.kind == REDUCE_SCATTER) {
    int d = job.dtype;
    int listed = d == INT8 || d == INT16 || d == INT32 || d == INT64 || d == FP16 || d == FP32 || d == BFP16;
    if (job.operation < 0 || job.operation >= OPERATIONS || !listed ||
        (job.operation == PROD && (d == INT16 || d == BFP16)))
      return emulator_error(HCCL_E_NOT_SUPPORT, "EI0003: %s: data type %s is not supported by operation %d", name,
                            dtype_names[d], job.operation);
  }
  if (job.peer < 0 || job.peer >= c->ranks || (job.kind == SEND_RECEIVE && job.peer == c->rank))
    return emulator_error(HCCL_E_PARA, "EI0003: %s: there is no rank %d to talk to among %d", name, job.peer, c->ranks);
  if (c->error) return emulator_error(c->error, "%s: communicator %s has failed before", name, c->name);
  if (!sent && !received && job.kind != ALL_TO_ALL) return HCCL_SUCCESS;
  /* Who has nothing to send nor to receive still meets the others, and may have no memory for it. */
  if (sent || received) job.device = emulator_device_of(sent ? job.from : job.to);
  else if (aclrtGetDevice(&job.device)) job.device = -1;
  if (job.device < 0 || !lies_on(job.device, job.from, sent) || !lies_on(job.device, job.to, received))
    return emulator_error(HCCL_E_PARA, "%s: %zu bytes sent or %zu received are not in one allocation each of a device",
                          name, sent, received);
  if (sent) job.from = emulator_shadow(job.from);
  if (received) job.to = emulator_shadow(job.to);
  call *kept = malloc(sizeof *kept);
  *kept = job;
  int code = emulator_call(run, kept, stream);
  if (code) free(kept);
  return code ? HCCL_E_INTERNAL : HCCL_SUCCESS;
}

static size_t bytes(uint64_t count, int dtype) { return dtype >= 0 && dtype < DTYPES ? count * widths[dtype] : 0; }

int HcclAllReduce(void *from, void *to, uint64_t count, int dtype, int operation, void *comm, void *stream) {
  size_t n = bytes(count, dtype);
  return submit((call){.comm = comm, .kind = ALL_REDUCE, .dtype = dtype, .operation = operation, .from = from,
                       .to = to, .count = count}, n, n, stream);
}

int HcclAllGather(void *from, void *to, uint64_t count, int dtype, void *comm, void *stream) {
  size_t n = bytes(count, dtype);
  return submit((call){.comm = comm, .kind = ALL_GATHER, .dtype = dtype, .from = from, .to = to, .count = count}, n,
                comm ? n * ((communicator *)comm)->ranks : 0, stream);
}

int HcclReduceScatter(void *from, void *to, uint64_t count, int dtype, int operation, void *comm, void *stream) {
  size_t n = bytes(count, dtype);
  return submit((call){.comm = comm, .kind = REDUCE_SCATTER, .dtype = dtype, .operation = operation, .from = from,
                       .to = to, .count = count}, comm ? n * ((communicator *)comm)->ranks : 0, n, stream);
}

int HcclBroadcast(void *buffer, uint64_t count, int dtype, uint32_t root, void *comm, void *stream) {
  size_t n = bytes(count, dtype);
  return submit((call){.comm = comm, .kind = BROADCAST, .dtype = dtype, .peer = (int)root, .from = buffer,
                       .to = buffer, .count = count}, n, n, stream);
}

int HcclAlltoAllV(const void *from, const uint64_t *counts, const uint64_t *offsets, int dtype, const void *to,
                  const uint64_t *receives, const uint64_t *places, int receives_dtype, void *comm, void *stream) {
  call job = {.comm = comm, .kind = ALL_TO_ALL, .dtype = dtype, .from = (char *)from, .to = (char *)to};
  size_t sent = 0, received = 0, n;
  if (receives_dtype != dtype)
    return emulator_error(HCCL_E_PARA, "EI0003: AlltoAll: data types %d and %d differ", dtype, receives_dtype);
  for (int r = 0; comm && r < ((communicator *)comm)->ranks; r++) {
    job.send_counts[r] = bytes(counts[r], dtype);
    job.send_offsets[r] = bytes(offsets[r], dtype);
    job.receive_offsets[r] = bytes(places[r], dtype);
    if ((n = job.send_offsets[r] + job.send_counts[r]) > sent) sent = n;
    if ((n = job.receive_offsets[r] + bytes(receives[r], dtype)) > received) received = n;
  }
  return submit(job, sent, received, stream);
}

int HcclAlltoAll(const void *from, uint64_t count, int dtype, const void *to, uint64_t receives, int receives_dtype,
                 void *comm, void *stream) {
  uint64_t counts[RANKS], offsets[RANKS];
  if (receives != count) return emulator_error(HCCL_E_PARA, "EI0003: AlltoAll: the counts differ");
  for (int r = 0; r < RANKS; r++) counts[r] = count, offsets[r] = r * count;
  return HcclAlltoAllV(from, counts, offsets, dtype, to, counts, offsets, receives_dtype, comm, stream);
}

int HcclSend(void *from, uint64_t count, int dtype, uint32_t peer, void *comm, void *stream) {
  return submit((call){.comm = comm, .kind = SEND_RECEIVE, .dtype = dtype, .peer = (int)peer, .from = from,
                       .count = count}, bytes(count, dtype), 0, stream);
}

int HcclRecv(void *to, uint64_t count, int dtype, uint32_t peer, void *comm, void *stream) {
  return submit((call){.comm = comm, .kind = SEND_RECEIVE, .dtype = dtype, .peer = (int)peer, .receives = 1,
                       .to = to, .count = count}, 0, bytes(count, dtype), stream);
}

/* ---- communicators ---- */

int HcclGetRootInfo(char *root) {
  static _Atomic int number;
  snprintf(root, NAME, "/cann_emulator_hccl_%d_%d_%llx", (int)getpid(), number++, (unsigned long long)(now() * 1e9));
  int file = shm_open(root, O_RDWR | O_CREAT | O_EXCL, 0600);
  if (file < 0 || ftruncate(file, sizeof(board))) {
    int reason = errno;
    if (file >= 0) close(file), shm_unlink(root);
    return emulator_error(HCCL_E_MEMORY, "HcclGetRootInfo: no shared memory: %s", strerror(reason));
  }
  close(file);
  return HCCL_SUCCESS;
}

typedef struct { /* the head of HcclCommConfig */
  size_t size;
  char reserved[16];
  uint32_t buffer_size, deterministic;
  char name[NAME], udi[128];
  uint32_t settings[4];
  uint64_t job;
  uint8_t zero_copy;
  int32_t seconds;
} config;

int HcclCommInitRootInfoConfig(uint32_t ranks, const char *root, uint32_t rank, const config *given, void **made) {
  if (ranks < 1 || ranks > RANKS || rank >= ranks)
    return emulator_error(HCCL_E_PARA, "rank %u of %u: the emulated HCCL takes 1 to %d ranks", rank, ranks, RANKS);
  communicator *c = calloc(1, sizeof *c);
  c->file = shm_open(root, O_RDWR | O_CLOEXEC, 0600);
  c->board = c->file < 0 ? MAP_FAILED : mmap(NULL, sizeof(board), PROT_READ | PROT_WRITE, MAP_SHARED, c->file, 0);
  if (c->board == MAP_FAILED) {
    int reason = errno;
    if (c->file >= 0) close(c->file);
    free(c);
    return emulator_error(HCCL_E_INTERNAL, "rank %u finds no communicator %.*s: %s", rank, NAME, root, strerror(reason));
  }
  c->ranks = (int)ranks;
  c->rank = (int)rank;
  c->seconds = seconds_of("HCCL_CONNECT_TIMEOUT", CONNECT_SECONDS);
  int named = given && given->size >= offsetof(config, udi) && *given->name;
  snprintf(c->name, sizeof c->name, "%s", named ? given->name : root + 1);
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = rank, .l_len = 1};
  int taken = fcntl(c->file, F_SETLK, &lock), missing, code = taken ? HCCL_E_PARA : meet(c, &missing);
  if (rank == 0 && !taken) shm_unlink(root);
  if (code) {
    munmap(c->board, sizeof(board));
    close(c->file);
    free(c);
    if (taken) return emulator_error(code, "communicator %.*s: another process is rank %u", NAME, root, rank);
    return emulator_error(code, "EI0006: rank %u of %u (communicator %.*s) waited for rank %d in vain (%s)", rank, ranks,
                          NAME, root, missing, code == HCCL_E_TIMEOUT ? "HCCL_CONNECT_TIMEOUT" : "it is gone");
  }
  c->seconds = seconds_of("HCCL_EXEC_TIMEOUT", EXECUTE_SECONDS);
  if (given && given->size >= sizeof(config) && given->seconds > 0) c->seconds = given->seconds;
  *made = c;
  return HCCL_SUCCESS;
}

int HcclCommInitRootInfo(uint32_t ranks, const char *root, uint32_t rank, void **made) {
  return HcclCommInitRootInfoConfig(ranks, root, rank, NULL, made);
}

/* Its memory stays: a job that fails may still look at it. */
int HcclCommDestroy(void *comm) {
  communicator *c = comm;
  if (!c || c->destroyed) return HCCL_E_PTR;
  c->destroyed = 1;
  c->board->members[c->rank].left = 1;
  ring(c->board);
  close(c->file);
  return HCCL_SUCCESS;
}

int HcclGetCommName(void *comm, char *name) {
  snprintf(name, NAME, "%s", ((communicator *)comm)->name);
  return HCCL_SUCCESS;
}

/* Of faults of the network alone, which there are none of here. */
int HcclGetCommAsyncError(void *comm, int *error) { *error = HCCL_SUCCESS; return HCCL_SUCCESS; }
uint32_t HcclGetCommConfigCapability(void) { return CAPABILITIES; }

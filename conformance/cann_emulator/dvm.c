/* The virtual machine of DVM, the compiler in libtorch_npu.so.
 *
 * A launch of DVM's binary passes a program as its arguments: the address of the hardware's flags, an entry
 * word, and instructions of 64-bit words.  Each unit (a block) goes through them once for each of its tiles:
 * it loads a tile to its buffer of 192 KB, computes there, and stores.  This file does so one unit after the
 * other, as the public sources of the machine say (mindspore-ai/dvm: src/isa.h, src/vm_aiv.cce, src/vm_aiv.h,
 * src/code.cc).
 *
 * The number of an instruction is the place of its function in the binary, in words of the chip; the names
 * come from the symbols of that binary, so that no version of it is assumed.  Arithmetic of float16 and
 * bfloat16 is that of float32, rounded; roots, logarithms and powers of e are the C library's: how the chip
 * rounds them is not known.
 *
 * Not emulated are matrix products and what comes with them, collectives, and transposed loads.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "emulator.h"
#include "dvm.h"

enum {
  ROOM = 1 << 18,  /* bytes that an address of the buffer can name; the buffer has fewer */
  UNITS = 128,     /* of any chip */
  PIECE = 32,      /* bytes: the buffer is copied in these */
};

/* How much of a word stands at an offset, and whose. */
static inline uint64_t bits(uint64_t word, int offset, int n) { return word >> offset & (n == 64 ? ~0ull : (1ull << n) - 1); }
static inline uint64_t ext(uint64_t head, int offset, int n) { return bits(head, 22 + offset, n); }    /* of a computation */
static inline uint64_t m_ext(uint64_t head, int offset, int n) { return bits(head, 14 + offset, n); } /* of a load or store */

/* ---- the instructions ---- */

typedef enum { F32, F16, BF16, I32, I64, B8, B16, B32 } type;
static const int sizes[] = {4, 2, 2, 4, 8, 1, 2, 4};

typedef enum {
  NONE, LOAD, LOAD_DUMMY, LOAD_VIEW, LOAD_VIEW_X, STORE, STORE_ATOMIC, STORE_COND, STORE_VIEW, STORE_VIEW_X,
  NOP, COPY, BROADCAST_X, BROADCAST_Y, BROADCAST_S, BROADCAST_S_B64, UNARY, ISFINITE, CAST, BINARY, SCALAR,
  CMP, CMPS, SEL, POW, RED_X, RED_Y, RSUM_JOIN, CLR_PAD, REMOVEPAD, ATOMICCUM, ONE_HOT, ELEMENT_ANY,
  EXTRACT, PACK, VISIT,
} family;

enum { SQRT, ABS, LOG, EXP, ROUND, FLOOR, CEIL, TRUNC };
enum { ADD, SUB, MUL, DIV, MIN, MAX, REVERSED_DIV };
enum { SUM, MAXIMUM, MINIMUM }; /* vReduceOpType */
enum { EQ, NE, GT, GE, LT, LE }; /* vCompareType */

typedef struct { const char *name; family family; type type, to; int what; } instruction;

#define FLOATS(name, family, what) {name, family, F32, F32, what}, {name "_FP16", family, F16, F16, what}, \
                                   {name "_BF16", family, BF16, BF16, what}
#define REALS(name, family, what) FLOATS(name, family, what), {name "_INT32", family, I32, I32, what}

static const instruction instructions[] = {
  {"LOAD", LOAD}, {"LOAD_DUMMY", LOAD_DUMMY}, {"LOAD_VIEW", LOAD_VIEW}, {"LOAD_VIEW_X", LOAD_VIEW_X},
  {"STORE", STORE}, {"STORE_ATOMIC", STORE_ATOMIC}, {"STORE_COND", STORE_COND}, {"STORE_VIEW", STORE_VIEW},
  {"STORE_VIEW_X", STORE_VIEW_X}, {"NOP", NOP}, {"COPY", COPY},
  {"BROADCAST_X_B32", BROADCAST_X, B32}, {"BROADCAST_X_B16", BROADCAST_X, B16}, {"BROADCAST_Y", BROADCAST_Y},
  {"BROADCAST_S", BROADCAST_S, B32}, {"BROADCAST_S_B16", BROADCAST_S, B16}, {"BROADCAST_S_B64", BROADCAST_S_B64},
  FLOATS("SQRT", UNARY, SQRT), REALS("ABS", UNARY, ABS), FLOATS("LOG", UNARY, LOG), FLOATS("EXP", UNARY, EXP),
  {"ROUND", UNARY, F32, F32, ROUND}, {"FLOOR", UNARY, F32, F32, FLOOR}, {"CEIL", UNARY, F32, F32, CEIL},
  {"TRUNC", UNARY, F32, F32, TRUNC}, FLOATS("ISFINITE", ISFINITE, 0),
  REALS("ADD", BINARY, ADD), REALS("SUB", BINARY, SUB), REALS("MUL", BINARY, MUL), FLOATS("DIV", BINARY, DIV),
  REALS("MIN", BINARY, MIN), REALS("MAX", BINARY, MAX),
  REALS("ADDS", SCALAR, ADD), REALS("MULS", SCALAR, MUL), REALS("MAXS", SCALAR, MAX), REALS("MINS", SCALAR, MIN),
  FLOATS("DIVS", SCALAR, DIV), FLOATS("SDIV", SCALAR, REVERSED_DIV),
  REALS("CMP", CMP, 0), REALS("CMPS", CMPS, 0), REALS("SEL", SEL, 0), {"POW", POW, F32},
  {"CAST_FP32_TO_FP16", CAST, F32, F16}, {"CAST_FP32_TO_BF16", CAST, F32, BF16},
  {"CAST_FP32_TO_INT32", CAST, F32, I32}, {"CAST_FP32_TO_INT64", CAST, F32, I64},
  {"CAST_FP16_TO_FP32", CAST, F16, F32}, {"CAST_FP16_TO_INT32", CAST, F16, I32}, {"CAST_FP16_TO_BOOL", CAST, F16, B8},
  {"CAST_BF16_TO_FP32", CAST, BF16, F32}, {"CAST_BF16_TO_INT32", CAST, BF16, I32},
  {"CAST_BOOL_TO_FP16", CAST, B8, F16}, {"CAST_INT32_TO_FP16", CAST, I32, F16}, {"CAST_INT32_TO_FP32", CAST, I32, F32},
  {"CAST_INT32_TO_INT64", CAST, I32, I64}, {"CAST_INT64_TO_INT32", CAST, I64, I32}, {"CAST_INT64_TO_FP32", CAST, I64, F32},
  {"RSUM_X", RED_X, F32, F32, SUM}, FLOATS("RMAX_X", RED_X, MAXIMUM), FLOATS("RMIN_X", RED_X, MINIMUM),
  {"RSUM_Y", RED_Y, F32, F32, SUM}, FLOATS("RMAX_Y", RED_Y, MAXIMUM), FLOATS("RMIN_Y", RED_Y, MINIMUM),
  {"RSUM_JOIN", RSUM_JOIN, F32}, {"CLR_PAD", CLR_PAD, B32}, {"CLR_PAD_B16", CLR_PAD, B16},
  {"REMOVEPAD", REMOVEPAD, B32}, {"REMOVEPAD_U16", REMOVEPAD, B16},
  {"ATOMICCUM", ATOMICCUM, F32}, {"ATOMICCUM_FP16", ATOMICCUM, F16},
  {"ONE_HOT", ONE_HOT, B32}, {"ONE_HOT_B16", ONE_HOT, B16}, {"ELEMENT_ANY", ELEMENT_ANY, F32},
  {"EXTRACT_B32", EXTRACT, B32}, {"PACK_B32", PACK, B32},
  {"VISIT_RED_1", VISIT, 0, 0, 1}, {"VISIT_RED_2", VISIT, 0, 0, 2}, {"VISIT_RED_3", VISIT, 0, 0, 3},
  {"VISIT_RED_4", VISIT, 0, 0, 4},
};
#define INSTRUCTIONS (sizeof instructions / sizeof *instructions)

typedef struct { char name[40]; const instruction *is; } symbol;
static symbol by_number[1 << 16]; /* by the place of its function: what an instruction is called, and is */

/* Reads which function stands where in DVM's binary. */
void emulator_dvm_read(const void *data, size_t size) {
  const char *binary = data;
  const Elf64_Ehdr *head = data;
  if (size < sizeof *head || memcmp(binary, ELFMAG, SELFMAG) || head->e_shoff + head->e_shnum * sizeof(Elf64_Shdr) > size)
    return;
  const Elf64_Shdr *sections = (const void *)(binary + head->e_shoff);
  for (int i = 0; i < head->e_shnum; i++) {
    const Elf64_Shdr *s = &sections[i];
    if (s->sh_type != SHT_SYMTAB || s->sh_link >= head->e_shnum || s->sh_offset + s->sh_size > size) continue;
    const char *names = binary + sections[s->sh_link].sh_offset;
    const Elf64_Sym *symbols = (const void *)(binary + s->sh_offset);
    for (size_t j = 0; j < s->sh_size / sizeof *symbols; j++) {
      const char *name = names + symbols[j].st_name;
      if (ELF64_ST_TYPE(symbols[j].st_info) != STT_FUNC || strncmp(name, "D_V_", 4)) continue;
      symbol *at = &by_number[symbols[j].st_value >> 2 & 0xffff];
      snprintf(at->name, sizeof at->name, "%s", name + 4);
      for (size_t k = 0; k < INSTRUCTIONS; k++)
        if (!strcmp(instructions[k].name, at->name)) at->is = &instructions[k];
    }
  }
}

/* ---- numbers ---- */

static float from_half(uint16_t h) {
  uint32_t exponent = h >> 10 & 31, fraction = h & 0x3ff, sign = (uint32_t)(h & 0x8000) << 16, word;
  if (exponent == 31) word = sign | 0x7f800000 | fraction << 13;
  else if (exponent) word = sign | (exponent + 112) << 23 | fraction << 13;
  else return (sign ? -1 : 1) * ldexpf((float)fraction, -24);
  float x;
  memcpy(&x, &word, 4);
  return x;
}

static uint16_t to_half(float x) {
  uint16_t sign = signbit(x) ? 0x8000 : 0;
  if (isnan(x)) return sign | 0x7e00;
  x = fabsf(x);
  if (x >= 65520.0f) return sign | 0x7c00;
  if (x < 0x1p-14f) return sign | (uint16_t)rintf(ldexpf(x, 24));
  int exponent;
  frexpf(x, &exponent);
  int units = (int)rintf(ldexpf(x, 11 - exponent)); /* 1024 to 2048 */
  return sign | (uint16_t)(((exponent + 13) << 10) + units);
}

static float from_bfloat(uint16_t b) {
  uint32_t word = (uint32_t)b << 16;
  float x;
  memcpy(&x, &word, 4);
  return x;
}

static uint16_t to_bfloat(float x) {
  uint32_t word;
  memcpy(&word, &x, 4);
  if (isnan(x)) return word >> 16 | 0x40;
  return (uint16_t)((word + 0x7fff + (word >> 16 & 1)) >> 16);
}

static float get(const void *at, type t) {
  uint16_t h;
  float x;
  if (t == F32) { memcpy(&x, at, 4); return x; }
  memcpy(&h, at, 2);
  return t == F16 ? from_half(h) : from_bfloat(h);
}

static void put(void *at, type t, float x) {
  uint16_t h;
  if (t == F32) { memcpy(at, &x, 4); return; }
  h = t == F16 ? to_half(x) : to_bfloat(x);
  memcpy(at, &h, 2);
}

static int32_t get_int(const void *at) { int32_t i; memcpy(&i, at, 4); return i; }
static void put_int(void *at, int32_t i) { memcpy(at, &i, 4); }

static int64_t truncated(float x, double low, double high) {
  return isnan(x) ? 0 : x <= low ? (int64_t)low : x >= high ? (high > 1e10 ? INT64_MAX : (int64_t)high) : (int64_t)x;
}

static float toward_zero(int64_t i) {
  float x = (float)i; /* the nearest */
  if (fabs((double)x) > fabs((double)i) || (x == 0x1p63f && i > 0)) x = nextafterf(x, 0);
  return x;
}

static float larger(float x, float y) { return isnan(x) || isnan(y) ? NAN : x > y ? x : x < y ? y : signbit(x) ? y : x; }
static float smaller(float x, float y) { return isnan(x) || isnan(y) ? NAN : x < y ? x : x > y ? y : signbit(x) ? x : y; }

static float unary(int what, float x) {
  switch (what) {
    case SQRT: return sqrtf(x);
    case ABS: return fabsf(x);
    case LOG: return (float)log(x);
    case EXP: return (float)exp(x);
    case ROUND: return rintf(x);
    case FLOOR: return floorf(x);
    case CEIL: return ceilf(x);
    default: return truncf(x);
  }
}

static float binary(int what, float x, float y) {
  switch (what) {
    case ADD: return x + y;
    case SUB: return x - y;
    case MUL: return x * y;
    case DIV: return x / y;
    case MIN: return smaller(x, y);
    case MAX: return larger(x, y);
    default: return y / x;
  }
}

static int32_t binary_int(int what, int32_t x, int32_t y) {
  switch (what) {
    case ADD: return (int32_t)((uint32_t)x + (uint32_t)y);
    case SUB: return (int32_t)((uint32_t)x - (uint32_t)y);
    case MUL: return (int32_t)((uint32_t)x * (uint32_t)y);
    case MIN: return x < y ? x : y;
    default: return x > y ? x : y;
  }
}

static int compared(uint64_t how, float x, float y) {
  switch (how) {
    case EQ: return x == y;
    case NE: return !(x == y);
    case GT: return x > y;
    case GE: return x >= y;
    case LT: return x < y;
    default: return x <= y;
  }
}

/* x ** y as the machine does it: by exp(y * log(abs(x))). */
static float power(float x, float y) {
  float r = (float)exp((float)(y * (float)log(fabsf(x)))), whole, half;
  if (y == 0) r = 1;
  if (!(x < 0)) return r;
  whole = (float)(int32_t)truncated(y, -2147483648.0, 2147483647.0);
  half = whole == y ? (float)(int32_t)truncated(ceilf(y * 0.5f), -2147483648.0, 2147483647.0) : NAN;
  return ((y - half * 2) * 2 + 1) * r;
}

static float reduced(int what, float x, float y) { return what == SUM ? x + y : what == MAXIMUM ? larger(x, y) : smaller(x, y); }

/* ---- a unit ---- */

enum { BEGUN = 1, END = 2, TAIL = 4, SKIP = 8 }; /* of a tile: its index << 32 | how many are left << 4 | these */
static uint64_t tile_index(uint64_t tile) { return tile >> 32; }
static int is_begin(uint64_t tile) { return !(tile & BEGUN); }
static int is_last(uint64_t tile) { return (tile & (END | TAIL)) == (END | TAIL); }

typedef struct {
  uint64_t index, count;    /* which unit it is, and of how many */
  uint64_t *code, *visit;   /* its own copy, which it writes to */
  uint64_t entry, tile, stride;
  uint64_t *waits;          /* the instruction at which it waits for the others */
  int done;
  uint8_t room[ROOM];
} unit;

typedef struct {
  int device, code;
  char *text;
  size_t text_size;
} machine;

/* Device memory of an instruction; NULL, and the launch fails, where it is not all of one allocation. */
static uint8_t *memory(machine *m, uint64_t address, size_t size) {
  const void *at = (const void *)address;
  if (!size) return (uint8_t *)m; /* not read */
  if (emulator_device_of(at) == m->device && emulator_allocated(m->device, at, size)) return emulator_shadow(at);
  m->code = ACL_ERROR_RT_AICORE_EXCEPTION;
  snprintf(m->text, m->text_size, "dvm: an address outside of any allocation");
  return NULL;
}

static uint64_t up(uint64_t x, uint64_t to) { return (x + to - 1) / to * to; }

/* Copies `n` pieces of `size` bytes from device memory, with gaps between them there in bytes, here in PIECEs. */
static void fetch(machine *m, uint8_t *to, uint64_t from, uint64_t n, uint64_t size, uint64_t gap, uint64_t own_gap) {
  uint8_t *at = n ? memory(m, from, n * size + (n - 1) * gap) : NULL;
  for (uint64_t i = 0; at && i < n; i++) memcpy(to + i * (up(size, PIECE) + own_gap * PIECE), at + i * (size + gap), size);
}

static void flush(machine *m, uint64_t to, const uint8_t *from, uint64_t n, uint64_t size, uint64_t own_gap, uint64_t gap) {
  uint8_t *at = n ? memory(m, to, n * size + (n - 1) * gap) : NULL;
  for (uint64_t i = 0; at && i < n; i++) memcpy(at + i * (size + gap), from + i * (up(size, PIECE) + own_gap * PIECE), size);
}

/* Where a tile of a tensor is that has fewer of them than the program: ROUNDED_* says for what. */
enum { ROUNDED_LOAD, ROUNDED_STORE, ROUNDED_ATOMIC, ROUNDED_ALWAYS };
#define NOWHERE (~0ull)

static uint64_t rounded(int mode, uint64_t tile, uint64_t index, uint64_t rank, const uint64_t *rounds) {
  uint64_t r1 = rounds[0] & 0xffffffff, r2 = rounds[0] >> 32, r3, r4, p0, p1, p2, p3;
  int fresh = is_begin(tile) || tile & SKIP;
  if (rank == 1) {
    r1 = rounds[0];
    p1 = index / r1;
    if (mode == ROUNDED_LOAD) return p1 * r1 == index || fresh ? p1 : NOWHERE;
    if (mode == ROUNDED_STORE) return p1 * r1 == index ? p1 : NOWHERE;
    if (mode == ROUNDED_ATOMIC) return p1 * r1 + r1 - 1 == index || tile & END ? p1 : NOWHERE;
    return p1;
  }
  if (rank == 2) {
    p1 = index / r1;
    if (mode == ROUNDED_STORE) return index < p1 * r1 + r2 ? p1 * r2 + index - p1 * r1 : NOWHERE;
    return p1 * r2 + index % r2;
  }
  r3 = rounds[1] & 0xffffffff;
  p0 = index / r1;
  if (rank == 3) {
    r3 = rounds[1];
    p1 = p0 * r2;
    p2 = index % (r2 * r3);
    p3 = p2 / r3;
    if (mode == ROUNDED_LOAD) return p3 * r3 == p2 || fresh ? p1 + p3 : NOWHERE;
    if (mode == ROUNDED_STORE) return index < p0 * r1 + r2 * r3 && p3 * r3 == p2 ? p1 + p3 : NOWHERE;
    if (mode == ROUNDED_ATOMIC) return p3 * r3 + r3 - 1 == p2 || tile & END ? p1 + p3 : NOWHERE;
    return p1 + p3;
  }
  r4 = rounds[1] >> 32;
  p1 = index % (r2 * r3);
  p2 = p1 / r3;
  if (mode == ROUNDED_STORE)
    return index < p0 * r1 + r2 * r3 && p1 < p2 * r3 + r4 ? (p0 * r2 + p2) * r4 + p1 - p2 * r3 : NOWHERE;
  return (p0 * r2 + p2) * r4 + index % r4;
}

/* Strided loads and stores: pc[1] and pc[2] differ between those of whole pieces and those of single items. */
typedef struct { uint64_t address, offset, at, size, number, tail, gap, own_gap, loops, tiles, item, stride; } view;

static view decoded_view(const uint64_t *pc, uint64_t head, int single) {
  uint64_t w = single ? pc[2] : pc[1];
  view v = {.address = pc[3], .offset = bits(single ? pc[1] : pc[2], 0, 32)};
  if (single) {
    v.stride = m_ext(head, 0, 32);
    v.number = bits(pc[1], 32, 16);
    v.tail = pc[1] >> 48;
    v.at = bits(w, 18, 18);
    v.tiles = bits(w, 36, 4);
    v.loops = bits(w, 40, 4);
    v.item = bits(w, 44, 4);
  } else {
    v.at = m_ext(head, 0, 18);
    v.number = bits(w, 0, 16);
    v.size = bits(w, 16, 18);
    v.tail = bits(w, 34, 18);
    v.tiles = bits(w, 52, 4);
    v.loops = bits(w, 56, 4);
    v.own_gap = w >> 60;
    v.gap = pc[2] >> 32;
  }
  return v;
}

static void view_piece(machine *m, const view *v, uint8_t *here, uint64_t there, int store, int single) {
  if (!single) {
    if (store) flush(m, there, here, v->number, v->size, v->own_gap, v->gap);
    else fetch(m, here, there, v->number, v->size, v->gap, v->own_gap);
    return;
  }
  uint8_t *at = v->number ? memory(m, there, (v->number - 1) * v->stride + v->item) : NULL;
  for (uint64_t i = 0; at && i < v->number; i++) {
    if (store) memcpy(at + i * v->stride, here + i * v->item, v->item);
    else memcpy(here + i * v->item, at + i * v->stride, v->item);
  }
}

static void run_view(machine *m, unit *u, const uint64_t *pc, uint64_t head, int store, int single) {
  view v = decoded_view(pc, head, single);
  uint64_t index = tile_index(u->tile), offset = v.offset, space = 0, depth = v.tiles;
  for (; depth && index; depth--) {
    uint64_t word = pc[3 + v.loops + depth];
    space = word >> 32;
    offset += (word & 0xffffffff) * (index / space);
    index %= space;
  }
  if (!store && space > 1 && !depth && index && !is_begin(u->tile) && !(u->tile & SKIP)) return; /* it is there */
  if (is_last(u->tile) && !v.loops) {
    if (single || v.number != 1) v.number = v.tail; else v.size = v.tail;
  }
  uint64_t counts[16] = {0}, limits[16], here[16], there[16], i;
  for (i = 0; i < v.loops; i++) {
    uint64_t word = pc[4 + i];
    limits[i] = i == v.loops - 1 && is_last(u->tile) ? v.tail : word >> 48;
    here[i] = bits(word, 32, 16);
    there[i] = word & 0xffffffff;
    if (!limits[i]) return;
  }
  do {
    uint64_t own = v.at, away = v.address + offset;
    for (i = 0; i < v.loops; i++) { own += counts[i] * here[i]; away += counts[i] * there[i]; }
    view_piece(m, &v, u->room + own, away, store, single);
    for (i = 0; i < v.loops && ++counts[i] == limits[i]; i++) counts[i] = 0;
  } while (i < v.loops && !m->code);
}

static void run_load(machine *m, unit *u, const uint64_t *pc, uint64_t head) {
  uint64_t w = pc[2], rank = w >> 60, size = bits(w, 34, 18), n = bits(w, 0, 16), tail = bits(w, 16, 18);
  uint64_t index = tile_index(u->tile);
  if (rank && (index = rounded(ROUNDED_LOAD, u->tile, index, rank, pc + 3)) == NOWHERE) return;
  if (is_last(u->tile)) { if (n == 1) size = tail; else n = tail; }
  fetch(m, u->room + (m_ext(head, 0, 13) << 5), pc[1] + m_ext(head, 13, 18) * index, n, size, 0, bits(w, 52, 8) >> 5);
}

static void run_store(machine *m, unit *u, const uint64_t *pc, uint64_t head) {
  uint64_t w = pc[1], rank = w >> 60, size = bits(w, 34, 18), n = bits(w, 0, 16), tail = bits(w, 16, 18);
  uint64_t index = tile_index(u->tile);
  if (rank && (index = rounded(ROUNDED_STORE, u->tile, index, rank, pc + 3)) == NOWHERE) return;
  if (is_last(u->tile)) { if (n == 1) size = tail; else n = tail; }
  flush(m, pc[2] + m_ext(head, 13, 18) * index, u->room + (m_ext(head, 0, 13) << 5), n, size, bits(w, 52, 8) >> 5, 0);
}

static void run_store_atomic(machine *m, unit *u, const uint64_t *pc, uint64_t head) {
  uint64_t w = pc[1], rank = w >> 60, pad = bits(w, 50, 8), size = bits(w, 32, 18);
  uint64_t n = is_last(u->tile) ? bits(w, 16, 16) : bits(w, 0, 12), index = tile_index(u->tile);
  int what = (int)bits(w, 12, 2);
  type t = what == SUM || !bits(w, 14, 2) ? F32 : F16;
  index = rounded(bits(w, 58, 2) ? ROUNDED_ATOMIC : ROUNDED_ALWAYS, u->tile, index, rank, pc + 3);
  if (index == NOWHERE) return;
  const uint8_t *from = u->room + (m_ext(head, 0, 13) << 5);
  if (!pad) { size *= n; n = 1; }
  uint8_t *at = memory(m, pc[2] + m_ext(head, 13, 18) * index, n * size);
  for (uint64_t i = 0; at && i < n; i++)
    for (uint64_t j = 0; j < size; j += sizes[t]) {
      uint8_t *to = at + i * size + j;
      put(to, t, reduced(what, get(to, t), get(from + i * (up(size, PIECE) + (pad >> 5) * PIECE) + j, t)));
    }
}

static void run_store_cond(machine *m, unit *u, uint64_t *pc, uint64_t head) {
  uint64_t *condition = pc - m_ext(head, 0, 13), range = *condition & 0x3ffff, offset = *condition >> 32, w = pc[1];
  if (!range) return;
  *condition = 0;
  uint64_t index = tile_index(u->tile), rank = w >> 60, pad = bits(w, 0, 8), at = bits(w, 16, 18), size = bits(w, 34, 18);
  if (rank) index = rounded(ROUNDED_ALWAYS, u->tile, index, rank, pc + 3);
  uint64_t to = pc[2] + m_ext(head, 13, 18) * index;
  if (!pad) {
    offset <<= bits(w, 52, 8);
    range <<= bits(w, 52, 8);
    flush(m, to + offset, u->room + at + offset, 1, range, 0, 0);
  } else {
    flush(m, to + offset * size, u->room + at + offset * (size + pad), range, size, pad >> 5, 0);
  }
}

/* Halves, again and again, `n` rows of `size` items in each of `count` groups; where the results are. */
static uint8_t *halved(int what, type t, uint8_t *to, uint8_t *from, uint64_t n, uint64_t count, uint64_t step, uint64_t size) {
  int item = sizes[t];
  for (; n > 1; from = to) {
    uint64_t odd = n & 1, half = n / 2 * size;
    n /= 2;
    for (uint64_t i = 0; i < count; i++) {
      uint8_t *x = from + i * step * item, *y = to + i * step * item;
      for (uint64_t j = 0; j < half; j++)
        put(y + j * item, t, reduced(what, get(x + j * item, t), get(x + (half + j) * item, t)));
      for (uint64_t j = 0; odd && j < size; j++)
        put(y + j * item, t, reduced(what, get(y + j * item, t), get(x + (2 * half + j) * item, t)));
    }
  }
  return from;
}

static float across(int what, type t, const uint8_t *from, uint64_t n) {
  float values[256];
  for (uint64_t i = 0; i < n; i++) values[i] = get(from + i * sizes[t], t);
  for (; n > 1; n = (n + 1) / 2)
    for (uint64_t i = 0; i < (n + 1) / 2; i++)
      values[i] = 2 * i + 1 < n ? reduced(what, values[2 * i], values[2 * i + 1]) : values[2 * i];
  return values[0];
}

static void run_reduction(unit *u, const instruction *is, const uint64_t *pc, uint64_t head) {
  int item = sizes[is->type], last = is_last(u->tile);
  uint8_t *to = u->room + ext(head, 0, 18), *from;
  if (is->family == RED_Y) {
    uint64_t size = bits(pc[1], 0, 16), n = last ? bits(pc[1], 32, 16) : bits(pc[1], 16, 16), count = pc[1] >> 48;
    from = u->room + bits(pc[2], 0, 18);
    if (n == 1) { memmove(to, from, count * size * item / PIECE * PIECE); return; }
    halved(is->what, is->type, to, from, n, count, size * n, size);
    for (uint64_t i = 1; i < count; i++) memmove(to + i * size * item, to + i * size * n * item, size * item);
    return;
  }
  uint64_t n = last ? bits(pc[1], 16, 16) : bits(pc[1], 0, 16), count = pc[1] >> 32, width = pc[2] >> 56;
  uint64_t block = bits(pc[2], 0, 16), pad = bits(pc[2], 16, 16);
  from = halved(is->what, is->type, to, u->room + bits(pc[2], 32, 18), n / width, count, n, width);
  for (uint64_t i = 0; i < count / block; i++)
    for (uint64_t j = 0; j < block; j++)
      put(to + (i * (block + pad) + j) * item, is->type, across(is->what, is->type, from + (i * block + j) * n * item, width));
}

/* The sum of several tiles, and of several units; returns whether the unit is to wait for the others. */
static int run_join(machine *m, unit *u, uint64_t *pc, uint64_t head, int woken) {
  uint64_t number = pc[1] >> 48, stride = bits(pc[1], 31, 17), total = number * stride;
  uint8_t *to = u->room + (ext(head, 13, 13) << 5), *from = u->room + bits(pc[1], 0, 18);
  uint32_t red;
  memcpy(&red, pc + ext(head, 0, 12), 4);
  uint64_t threads = bits(red, 24, 7), length = up(total * 4, PIECE);
  if (!woken) {
    if (is_begin(u->tile) && !(red >> 31)) memmove(to, from, length);
    else
      for (uint64_t i = 0; i < total; i++) put(to + 4 * i, F32, get(to + 4 * i, F32) + get(from + 4 * i, F32));
    if (!(u->tile & END) || (red & 0xffffff)) return 0;
    if (threads == 1) { pc[3] = number > 1 ? number : stride; return 0; }
    flush(m, pc[2] + u->index * length, to, 1, length, 0, 0);
    return 1;
  }
  uint64_t thread = u->index % threads, offset, range, joined, count;
  if (number == 1) {
    count = ((total - 1) / threads + 64) & ~0x3full;
    joined = count * thread;
    if (joined + count > total) count = joined < total ? total - joined : 0;
    offset = joined;
    range = count;
  } else {
    range = (number - 1) / threads + 1;
    offset = range * thread;
    if (offset + range > number) range = offset < number ? number - offset : 0;
    joined = offset * stride;
    count = range * stride;
  }
  if (joined >= total) return 0;
  pc[3] = offset << 32 | range;
  for (uint64_t i = 1; i < threads; i++) {
    uint64_t other = u->index - thread + (thread + i) % threads;
    const uint8_t *at = memory(m, pc[2] + other * length + joined * 4, count * 4);
    for (uint64_t j = joined; at && j < joined + count; j++)
      put(to + 4 * j, F32, get(to + 4 * j, F32) + get(at + 4 * (j - joined), F32));
  }
  return 0;
}

static void run_cast(unit *u, const instruction *is, const uint64_t *pc, uint64_t head) {
  uint8_t *to = u->room + ext(head, 0, 18), *from = u->room + (pc[1] >> 32);
  uint64_t n = bits(pc[1], 0, 16);
  int step = sizes[is->to], size = sizes[is->type], down = step <= size;
  for (uint64_t k = 0; k < n; k++) {
    uint64_t i = down ? k : n - 1 - k; /* it may widen in place */
    const uint8_t *x = from + i * size;
    uint8_t *y = to + i * step;
    int64_t wide = 0;
    float value = 0;
    if (is->type == I64) memcpy(&wide, x, 8);
    else if (is->type == I32) wide = get_int(x);
    else if (is->type == B8) wide = (int8_t)*x;
    else value = get(x, is->type);
    if (is->type == I64 || is->type == I32 || is->type == B8) value = is->type == I64 ? toward_zero(wide) : (float)wide;
    else if (is->to == B8) wide = (int64_t)rintf(isnan(value) ? 0 : fminf(fmaxf(value, -128), 127));
    else if (is->to == I64) wide = truncated(value, -0x1p63, 0x1p63);
    else if (is->to == I32) wide = truncated(value, -2147483648.0, 2147483647.0);
    if (is->to == I64) memcpy(y, &wide, 8);
    else if (is->to == I32) put_int(y, is->type == I64 ? (wide > INT32_MAX ? INT32_MAX : wide < INT32_MIN ? INT32_MIN : (int32_t)wide) : (int32_t)wide);
    else if (is->to == B8) *y = (uint8_t)wide;
    else put(y, is->to, value);
  }
}

static void run_one_hot(unit *u, const instruction *is, const uint64_t *pc) {
  int item = sizes[is->type];
  uint64_t n = pc[1] >> 36, number = bits(pc[2], 0, 16), depth = bits(pc[2], 16, 16), rounds = bits(pc[2], 32, 16);
  uint64_t mode = pc[2] >> 48, begin, index = tile_index(u->tile);
  uint32_t on = (uint32_t)pc[3], off = (uint32_t)(pc[3] >> 32);
  uint8_t *to = u->room + bits(pc[1], 18, 18), *from = u->room + bits(pc[1], 0, 18);
  for (uint64_t i = 0; i < n; i++) memcpy(to + i * item, &off, item);
#define AT(i) ((uint64_t)(int64_t)get_int(from + 4 * (i)))
#define SET(i) memcpy(to + (i) * item, &on, item)
  if (mode == 0) {
    for (uint64_t i = 0; i < number; i++) if (AT(i) < depth) SET(i * depth + AT(i));
  } else if (mode == 1) {
    begin = index % rounds * depth;
    if (AT(0) >= begin && AT(0) < begin + depth) SET(AT(0) - begin);
  } else if (mode == 2) {
    for (uint64_t d = 0; d < rounds; d++)
      for (uint64_t i = 0; i < number; i++)
        if (AT(number * d + i) < depth) SET((depth * d + AT(number * d + i)) * number + i);
  } else {
    begin = mode == 3 ? index % rounds * depth : index % rounds / depth;
    for (uint64_t i = 0; i < number; i++)
      if (AT(i) >= begin && AT(i) < begin + (mode == 3 ? depth : 1)) SET((AT(i) - begin) * number + i);
  }
}

static void run_computation(unit *u, const instruction *is, uint64_t *pc, uint64_t head) {
  uint8_t *room = u->room, *to, *x, *y;
  type t = is->type;
  int item = sizes[t];
  uint64_t n, i, j, k;
  switch (is->family) {
    case COPY:
      memmove(room + bits(pc[1], 0, 18), room + ext(head, 0, 18), bits(pc[1], 32, 16) * PIECE);
      break;
    case BROADCAST_X: /* [number, lead, n] of [number, lead + pad] */
      n = bits(pc[1], 0, 16);
      to = room + (pc[1] >> 48 << 5);
      x = room + ext(head, 0, 18);
      for (i = 0; i < bits(pc[1], 32, 16); i++, x += ext(head, 18, 8) * item)
        for (j = 0; j < bits(pc[1], 16, 16); j++, x += item)
          for (k = 0; k < n; k++, to += item) memcpy(to, x, item);
      break;
    case BROADCAST_Y: /* [number, copies, size] of [number, size] */
      n = bits(pc[1], 0, 16) * PIECE;
      to = room + (pc[1] >> 48 << 5);
      x = room + ext(head, 0, 18);
      for (i = bits(pc[1], 32, 16); i-- > 0;) /* it may be in place */
        for (j = bits(pc[1], 16, 16); j-- > 0;) memmove(to + (i * bits(pc[1], 16, 16) + j) * n, x + i * n, n);
      break;
    case BROADCAST_S:
      to = room + ext(head, 0, 18);
      for (i = 0; i < (uint32_t)pc[1]; i++) memcpy(to + i * item, (char *)&pc[1] + 4, item);
      break;
    case UNARY: case ISFINITE:
      to = room + ext(head, 0, 18);
      x = room + bits(pc[1], 32, 18);
      n = bits(pc[1], 0, 16);
      for (i = 0; i < n; i++) {
        if (t == I32) put_int(to + 4 * i, get_int(x + 4 * i) < 0 ? (int32_t)-(uint32_t)get_int(x + 4 * i) : get_int(x + 4 * i));
        else if (is->family == ISFINITE) put(to + i * item, t, isfinite(get(x + i * item, t)) ? 1 : 0);
        else put(to + i * item, t, unary(is->what, get(x + i * item, t)));
      }
      break;
    case CAST: run_cast(u, is, pc, head); break;
    case BINARY: case POW:
      to = room + bits(pc[1], 18, 18);
      x = room + ext(head, 0, 18);
      y = room + bits(pc[1], 0, 18);
      for (i = 0; i < pc[1] >> 48; i++) {
        if (t == I32) put_int(to + 4 * i, binary_int(is->what, get_int(x + 4 * i), get_int(y + 4 * i)));
        else if (is->family == POW) put(to + 4 * i, F32, power(get(x + 4 * i, F32), get(y + 4 * i, F32)));
        else put(to + i * item, t, binary(is->what, get(x + i * item, t), get(y + i * item, t)));
      }
      break;
    case SCALAR:
      to = room + (bits(pc[1], 16, 16) << 5);
      x = room + ext(head, 0, 18);
      y = (uint8_t *)&pc[1] + 4;
      for (i = 0; i < bits(pc[1], 0, 16); i++) {
        if (t == I32) put_int(to + 4 * i, binary_int(is->what, get_int(x + 4 * i), get_int(y)));
        else put(to + i * item, t, binary(is->what, get(x + i * item, t), get(y, t)));
      }
      break;
    case CMP: case CMPS:
      x = room + ext(head, 0, 18);
      y = is->family == CMP ? room + bits(pc[1], 0, 18) : (uint8_t *)&pc[2];
      to = room + (is->family == CMP ? bits(pc[1], 18, 13) << 5 : bits(pc[1], 0, 18));
      n = pc[1] >> 48;
      for (i = 0; i < n; i++) {
        const uint8_t *other = is->family == CMP ? y + i * item : y;
        if (t == I32) put_int(to + 4 * i, ext(head, 18, 4) == NE ? get_int(x + 4 * i) != get_int(other) : get_int(x + 4 * i) == get_int(other));
        else put(to + i * item, t, (float)compared(ext(head, 18, 4), get(x + i * item, t), get(other, t)));
      }
      break;
    case SEL:
      to = room + bits(pc[2], 32, 18);
      x = room + ext(head, 0, 18);
      y = room + bits(pc[1], 18, 18);
      for (i = 0; i < pc[1] >> 48; i++) {
        float condition = get(room + bits(pc[1], 0, 18) + i * item, t == I32 ? F32 : t);
        memcpy(to + i * item, condition != 0 ? x + i * item : y + i * item, item);
      }
      break;
    case RED_X: case RED_Y: run_reduction(u, is, pc, head); break;
    case CLR_PAD: {
      uint64_t size = bits(pc[1], 16, 16), stride = bits(pc[1], 32, 16), tail = pc[1] >> 48, width = ext(head, 18, 8);
      if (is_last(u->tile) && tail) { size = tail; stride = tail + width - tail % width; }
      for (i = 0; size != stride && i < bits(pc[1], 0, 16); i++)
        for (j = size; j < stride; j++) memcpy(room + ext(head, 0, 18) + (i * stride + j) * item, &pc[2], item);
      break;
    }
    case REMOVEPAD:
      to = room + ext(head, 0, 18);
      x = room + (pc[1] >> 46);
      n = bits(pc[1], 16, 16);
      for (i = 0; i < bits(pc[1], 0, 16); i++) memmove(to + i * n * item, x + i * bits(pc[1], 32, 8) * PIECE, n * item);
      break;
    case ATOMICCUM:
      to = room + ext(head, 0, 18);
      x = room + bits(pc[1], 32, 18);
      n = bits(pc[1], 16, 16);
      j = pc[1] & 0xf;
      if (j && rounded(ROUNDED_LOAD, u->tile, tile_index(u->tile), j, pc + 2) == NOWHERE)
        for (i = 0; i < n; i++) put(to + i * item, t, reduced((int)(pc[1] >> 60), get(to + i * item, t), get(x + i * item, t)));
      else memmove(to, x, n * item / PIECE * PIECE);
      break;
    case ONE_HOT: run_one_hot(u, is, pc); break;
    case ELEMENT_ANY: {
      uint64_t width = ext(head, 18, 8), rows = is_last(u->tile) ? bits(pc[1], 16, 16) : bits(pc[1], 0, 16);
      to = room + (pc[1] >> 32);
      x = halved(MAXIMUM, t, to, room + ext(head, 0, 18), rows, 1, 0, width);
      put(to, t, across(MAXIMUM, t, x, width));
      if (get_int(to)) pc[2] = 1;
      break;
    }
    case EXTRACT:
      to = room + bits(pc[1], 34, 18);
      x = room + bits(pc[1], 16, 18) + 4 * !!(pc[1] >> 60);
      for (i = 0; i < bits(pc[1], 0, 16); i++) memmove(to + 4 * i, x + 8 * i, 4);
      break;
    default: break; /* NOP */
  }
}

/* ---- programs ---- */

/* Goes through the tiles that a unit has; returns whether it waits for the others. */
static int run_tiles(machine *m, unit *u) {
  while (bits(u->tile, 4, 28) && !m->code) {
    uint64_t *pc = u->waits ? u->waits : u->code;
    if (bits(u->tile, 4, 28) == 1) u->tile |= END;
    for (uint64_t head; (head = *pc) && !m->code;) {
      const instruction *is = by_number[head >> 48].is;
      switch (is->family) {
        case LOAD: run_load(m, u, pc, head); break;
        case LOAD_DUMMY: break;
        case LOAD_VIEW: case LOAD_VIEW_X: run_view(m, u, pc, head, 0, is->family == LOAD_VIEW_X); break;
        case STORE: run_store(m, u, pc, head); break;
        case STORE_ATOMIC: run_store_atomic(m, u, pc, head); break;
        case STORE_COND: run_store_cond(m, u, pc, head); break;
        case STORE_VIEW: case STORE_VIEW_X: run_view(m, u, pc, head, 1, is->family == STORE_VIEW_X); break;
        case RSUM_JOIN: {
          int woken = u->waits == pc;
          u->waits = NULL;
          if (run_join(m, u, pc, head, woken)) { u->waits = pc; return 1; }
          break;
        }
        default: run_computation(u, is, pc, head);
      }
      pc += head & 1 ? bits(head, 7, 3) : bits(head, 4, 4);
    }
    u->tile = (u->tile | BEGUN) + ((u->tile & SKIP ? u->stride : 1) << 32) - (1ull << 4);
  }
  return 0;
}

/* The tiles that a unit of a sum by several units takes next, 0 if none: VisitRed_1 to VisitRed_4. */
static uint64_t visited(unit *u, int kind) {
  uint64_t *v = u->visit, *e = &v[1], number = *e >> 32, begin = *e & 0xffffffff, r1, e1, r2 = 1, e2 = 1, head;
  if (kind == 1) { r1 = v[0] >> 32; e1 = 1; }
  else if (kind == 2) { r1 = v[2] & 0xffffffff; e1 = v[2] >> 32; }
  else if (kind == 3) { r1 = v[3] & 0xffffffff; e1 = v[2] >> 32; r2 = v[2] & 0xffffffff; }
  else { r1 = v[2] & 0xffffffff; e1 = v[2] >> 32; r2 = v[3] & 0xffffffff; e2 = v[3] >> 32; }
  if (kind > 2 && (v[0] & 0xffffff)) {
    v[0] = (v[0] | 1ull << 31) + ((r2 * e1 * e2 * bits(v[0], 24, 7)) << 32) - 1;
    u->stride = e2;
    return v[0] >> 32 << 32 | (kind == 4 ? SKIP : 0) | r2 << 4;
  }
  if (begin >= number) return 0;
  uint64_t current, thread = 0, threads = 1, groups = number - begin;
  if (begin + u->count / 2 < number) {
    *e += u->count;
    current = begin + u->index;
    if (current >= number) return 0;
  } else {
    threads = r1 < u->count / groups ? r1 : u->count / groups;
    *e += groups;
    if (u->index >= threads * groups) return 0;
    thread = u->index % threads;
    current = begin + u->index / threads;
  }
  uint64_t loops = (r1 - thread - 1) / threads + 1;
  uint64_t inner = current % (e1 * e2), outer = current / (e1 * e2);
  uint64_t first = outer * r1 * e1 * r2 * e2 + inner / e2 * r2 * e2 + inner % e2 + thread * e1 * r2 * e2;
  if (kind == 3) first = (r1 * e1 * (current / e1) + current % e1 + thread * e1) * r2;
  head = threads << 24;
  if (kind < 3) {
    uint32_t word = (uint32_t)head;
    memcpy(v, &word, 4);
    u->stride = e1 * threads;
    uint64_t tile = first << 32 | loops << 4;
    if (kind == 2 || threads > 1 || thread) tile |= SKIP;
    if (kind == 1 && current == number - 1 && threads * (loops - 1) + thread == r1 - 1) tile |= TAIL;
    return tile;
  }
  v[0] = first << 32 | head | (loops - 1);
  u->stride = e2;
  return first << 32 | (kind == 4 ? SKIP : 0) | r2 << 4;
}

enum { TYPE_VECTOR, TYPE_VISITED, TYPE_CUBE, TYPE_PARALLEL };
#define MIXED 8

/* What is wrong with instructions, NULL if nothing. */
static const char *unknown(const uint64_t *code, size_t n) {
  static __thread char text[120];
  for (size_t i = 0; i < n && code[i];) {
    const symbol *s = &by_number[code[i] >> 48];
    uint64_t size = code[i] & 1 ? bits(code[i], 7, 3) : bits(code[i], 4, 4);
    if (!s->is || s->is->family == PACK || s->is->family == BROADCAST_S_B64 || !size || i + size > n) {
      snprintf(text, sizeof text, "DVM's instruction %s is not emulated", *s->name ? s->name : "of an unknown number");
      return text;
    }
    i += size;
  }
  return NULL;
}

/* A part of a program: its entry word, its code, and which units run it. */
typedef struct { uint64_t entry; const uint64_t *code; size_t n; uint64_t first, count; } part;

static int parts_of(const uint64_t *words, size_t n, uint64_t units, part *parts, const char **why) {
  uint64_t entry = words[1];
  const uint8_t *body = (const uint8_t *)(words + 2);
  int found = 0;
  *why = NULL;
  if ((entry & 7) != TYPE_PARALLEL) parts[found++] = (part){entry, words + 2, n - 2, 0, units};
  for (uint64_t i = 0, before = 0xff; (entry & 7) == TYPE_PARALLEL && i < units; i++) {
    size_t lookup = (entry >> 48) + i;
    if (lookup / 8 + 2 >= n) return 0;
    uint64_t place = body[lookup];
    if (place == 0xff || place == before) continue;
    if (place + 4 > n) return 0;
    before = place;
    const uint64_t *program = words + 2 + place;
    uint64_t offset = bits(program[1], 32, 16);
    if (offset / 8 + 2 >= n) return 0;
    parts[found++] = (part){program[0], words + 2 + offset / 8, n - 2 - offset / 8, bits(program[1], 0, 16), bits(program[1], 16, 16)};
  }
  for (int i = 0; i < found && !*why; i++) {
    uint64_t kind = parts[i].entry & 7;
    size_t size = bits(parts[i].entry, 8, 12);
    if (kind == TYPE_CUBE || parts[i].entry & MIXED) *why = "matrix products of DVM are not emulated";
    else if (kind > TYPE_VISITED || size > parts[i].n) return 0;
    else {
      const symbol *s = &by_number[bits(parts[i].entry, 32, 16)];
      size_t end = kind == TYPE_VISITED ? parts[i].entry >> 48 : size;
      if (kind == TYPE_VISITED && (!s->is || s->is->family != VISIT || end + 3 + (s->is->what > 2) + (s->is->what > 3) > size)) *why = "an order of tiles of DVM is not emulated";
      else *why = unknown(parts[i].code, end);
      parts[i].n = size;
    }
  }
  return found;
}

static uint64_t units_of(uint64_t blocks) { return blocks < UNITS ? blocks : UNITS; }

/* Why a program cannot be run, NULL if it can; `uses` gets the addresses of its loads and stores. */
const char *emulator_dvm_problem(const uint64_t *words, size_t n, uint64_t blocks, uint64_t *uses, size_t *used) {
  static const char *const none = "a launch of DVM with no program is not emulated";
  part parts[UNITS];
  const char *why;
  *used = 0;
  if (n < 3) return none;
  int found = parts_of(words, n, units_of(blocks), parts, &why);
  if (!found || why) return why ? why : none;
  for (int i = 0; i < found; i++)
    for (const uint64_t *pc = parts[i].code; pc < parts[i].code + parts[i].n && *pc; pc += *pc & 1 ? bits(*pc, 7, 3) : bits(*pc, 4, 4)) {
      family f = by_number[*pc >> 48].is->family;
      uint64_t address = f == LOAD ? pc[1] : f == LOAD_VIEW || f == LOAD_VIEW_X || f == STORE_VIEW || f == STORE_VIEW_X ? pc[3]
                         : f == STORE || f == STORE_ATOMIC || f == STORE_COND || f == RSUM_JOIN ? pc[2] : 0;
      if (address) uses[(*used)++] = address;
    }
  return NULL;
}

/* Runs a program on the device thread; returns 0 or an error, with its text. */
int emulator_dvm_run(int device, const uint64_t *words, size_t n, uint64_t blocks, char *text, size_t text_size) {
  static unit *units[UNITS];
  machine m = {device, 0, text, text_size};
  part parts[UNITS];
  const char *why;
  int found = parts_of(words, n, units_of(blocks), parts, &why);
  for (int p = 0; p < found && !m.code; p++) {
    part *program = &parts[p];
    uint64_t entry = program->entry, count = program->count, waiting = 0;
    for (uint64_t i = 0; i < count; i++) {
      unit *u = units[i] ? units[i] : (units[i] = calloc(1, sizeof *u));
      free(u->code);
      u->code = calloc(program->n + 1, 8);
      memcpy(u->code, program->code, program->n * 8);
      u->index = i;
      u->count = count;
      u->waits = NULL;
      u->done = 0;
      u->stride = 1;
      u->visit = NULL;
      if ((entry & 7) == TYPE_VISITED) {
        u->visit = u->code + (entry >> 48);
        u->tile = visited(u, by_number[bits(entry, 32, 16)].is->what);
      } else {
        uint64_t tiles = entry >> 40;
        u->tile = (i * tiles) << 32;
        if (i == count - 1) { tiles -= bits(entry, 32, 8); u->tile |= TAIL; }
        u->tile |= tiles << 4;
      }
    }
    do {
      waiting = 0;
      for (uint64_t i = 0; i < count && !m.code; i++) {
        unit *u = units[i];
        if (u->done) continue;
        while (!run_tiles(&m, u)) {
          u->tile = u->visit && !m.code ? visited(u, by_number[bits(entry, 32, 16)].is->what) : 0;
          if (!u->tile) { u->done = 1; break; }
        }
        waiting += !u->done;
      }
    } while (waiting && !m.code);
  }
  return m.code;
}

/* lu.c - factors a dense matrix in place into a lower and an upper triangular one, without pivoting and block by block
 * as in SPLASH-2 (Woo et al. 1995). Each block is contiguous in the memory of its processor; blocks are dealt to
 * processors in a repeating two-dimensional pattern.
 *
 * For each diagonal block: its owner factors it; barrier; the owners of the blocks right of it and below it solve with
 * it; barrier; the owners of all blocks right of and below it subtract the product. */
#include <float.h>
#include <math.h>

#include "base/local.h"
#include "ripstop/kit/programs.h"
#include "ripstop/plugin/kernel.h"

typedef struct config {
  int64_t size, block;
} config;

enum { SIZE_MAX_ = 4096, BLOCK_MAX = 256, REAL = 8 };

static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, size, 1, SIZE_MAX_, "256", "rows and columns of the matrix"),
    RIPSTOP_INTEGER(config, block, 1, BLOCK_MAX, "16", "rows and columns of a block"),
    {0}};

typedef struct lu {
  uint32_t size, block, blocks; /* blocks: per row */
  uint32_t rows, columns;       /* shape of the grid of processors */
  uint64_t bytes;               /* memory of a block, in whole lines */
  uint64_t matrix;
  double *input;
} lu;

static uint32_t owner(const lu *l, uint32_t row, uint32_t column) {
  return row % l->rows * l->columns + column % l->columns;
}
static uint64_t block_at(const lu *l, uint32_t row, uint32_t column) {
  return l->matrix + ((uint64_t)row * l->blocks + column) * l->bytes;
}
static uint64_t at(const lu *l, uint64_t block, uint32_t row, uint32_t column) {
  return block + ((uint64_t)row * l->block + column) * REAL;
}
static uint64_t element(const lu *l, uint32_t row, uint32_t column) {
  return at(l, block_at(l, row / l->block, column / l->block), row % l->block, column % l->block);
}

/* ------------------------------------------------------------------ preparation */

/* Random elements in [-1, 1), and diagonally dominant, so no pivoting is needed. */
static void fill(ripstop_machine *machine, const lu *l, uint64_t seed) {
  ripstop_stream stream = ripstop_stream_open(seed, RIPSTOP_RANDOM_PROGRAM, 0);
  for (uint32_t row = 0; row < l->size; row++)
    for (uint32_t column = 0; column < l->size; column++) {
      double *value = &l->input[(size_t)row * l->size + column];
      *value = 2 * ripstop_stream_unit(&stream) - 1 + (row == column ? (double)l->size : 0);
      ripstop_poke(machine, element(l, row, column), value, sizeof *value);
    }
}

static int prepare(ripstop_machine *machine, const void *config_, uint64_t seed, void **state, ripstop_error *err) {
  const config *c = config_;
  uint32_t processors = ripstop_processors(machine);
  if (c->size % c->block)
    return ripstop_fail(err, "program lu: size %lld is not a multiple of block %lld", (long long)c->size,
                        (long long)c->block);
  lu *l = RIPSTOP_NEW(ripstop_machine_arena(machine), lu);
  l->size = (uint32_t)c->size, l->block = (uint32_t)c->block, l->blocks = l->size / l->block;
  l->rows = 1;
  for (uint32_t rows = 2; rows * rows <= processors; rows++)
    if (processors % rows == 0) l->rows = rows;
  l->columns = processors / l->rows;
  l->bytes = ((uint64_t)l->block * l->block * REAL + RIPSTOP_LINE_BYTES - 1) / RIPSTOP_LINE_BYTES * RIPSTOP_LINE_BYTES;
  l->matrix = ripstop_shared(machine, (uint64_t)l->blocks * l->blocks * l->bytes);
  for (uint32_t row = 0; row < l->blocks; row++)
    for (uint32_t column = 0; column < l->blocks; column++)
      ripstop_place(machine, block_at(l, row, column), l->bytes, owner(l, row, column));
  l->input = RIPSTOP_ARRAY(ripstop_machine_arena(machine), (size_t)l->size * l->size, double);
  fill(machine, l, seed);
  *state = l;
  return 0;
}

/* ------------------------------------------------------------------ on the processors */

/* row[from..] -= factor * other[from..] */
static void subtract(ripstop_processor *w, uint64_t row, uint64_t other, double factor, uint32_t from, uint32_t end) {
  for (uint32_t j = from; j < end; j++) {
    double value =
        ripstop_load_real(w, row + (uint64_t)j * REAL) - factor * ripstop_load_real(w, other + (uint64_t)j * REAL);
    ripstop_flops(w, 2);
    ripstop_store_real(w, row + (uint64_t)j * REAL, value);
  }
}

static double divide(ripstop_processor *w, uint64_t address, uint64_t divisor) {
  double value = ripstop_load_real(w, address) / ripstop_load_real(w, divisor);
  ripstop_flops(w, 1);
  ripstop_store_real(w, address, value);
  return value;
}

static void factor(ripstop_processor *w, const lu *l, uint64_t a) {
  for (uint32_t k = 0; k < l->block; k++)
    for (uint32_t i = k + 1; i < l->block; i++) {
      double f = divide(w, at(l, a, i, k), at(l, a, k, k));
      subtract(w, at(l, a, i, 0), at(l, a, k, 0), f, k + 1, l->block);
    }
}

/* Multiplies a block right of the diagonal from the left by the inverse of the diagonal block's lower part. */
static void solve_lower(ripstop_processor *w, const lu *l, uint64_t a, uint64_t diagonal) {
  for (uint32_t i = 1; i < l->block; i++)
    for (uint32_t k = 0; k < i; k++) {
      double f = ripstop_load_real(w, at(l, diagonal, i, k));
      subtract(w, at(l, a, i, 0), at(l, a, k, 0), f, 0, l->block);
    }
}

/* Multiplies a block below the diagonal from the right by the inverse of the diagonal block's upper part. */
static void solve_upper(ripstop_processor *w, const lu *l, uint64_t a, uint64_t diagonal) {
  for (uint32_t i = 0; i < l->block; i++)
    for (uint32_t k = 0; k < l->block; k++) {
      double f = divide(w, at(l, a, i, k), at(l, diagonal, k, k));
      subtract(w, at(l, a, i, 0), at(l, diagonal, k, 0), f, k + 1, l->block);
    }
}

static void subtract_product(ripstop_processor *w, const lu *l, uint64_t a, uint64_t left, uint64_t above) {
  for (uint32_t i = 0; i < l->block; i++)
    for (uint32_t k = 0; k < l->block; k++) {
      double f = ripstop_load_real(w, at(l, left, i, k));
      subtract(w, at(l, a, i, 0), at(l, above, k, 0), f, 0, l->block);
    }
}

static void run(ripstop_processor *w, const void *state) {
  const lu *l = state;
  uint32_t self = ripstop_self(w);
  ripstop_barrier(w);
  for (uint32_t k = 0; k < l->blocks; k++) {
    uint64_t diagonal = block_at(l, k, k);
    if (owner(l, k, k) == self) factor(w, l, diagonal);
    ripstop_barrier(w);
    for (uint32_t i = k + 1; i < l->blocks; i++) {
      if (owner(l, k, i) == self) solve_lower(w, l, block_at(l, k, i), diagonal);
      if (owner(l, i, k) == self) solve_upper(w, l, block_at(l, i, k), diagonal);
    }
    ripstop_barrier(w);
    for (uint32_t i = k + 1; i < l->blocks; i++)
      for (uint32_t j = k + 1; j < l->blocks; j++)
        if (owner(l, i, j) == self) subtract_product(w, l, block_at(l, i, j), block_at(l, i, k), block_at(l, k, j));
  }
  ripstop_barrier(w);
}

/* ------------------------------------------------------------------ the check */

/* *error gets the largest element of L U - A, relative to the largest of A; diagonal dominance bounds the growth
 * (Higham, 9.4). */
static bool check(const ripstop_machine *machine, const void *state, double *error) {
  const lu *l = state;
  RIPSTOP_LOCAL_ARENA(arena);
  size_t n = l->size;
  double *f = RIPSTOP_ARRAY(arena, n * n, double), *row = RIPSTOP_ARRAY(arena, n, double), largest = 0, off = 0;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < n; j++) ripstop_peek(machine, element(l, i, j), &f[i * n + j], sizeof *f);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) row[j] = -l->input[i * n + j];
    for (size_t k = 0; k <= i; k++)
      for (size_t j = k; j < n; j++) row[j] += (k == i ? 1 : f[i * n + k]) * f[k * n + j];
    for (size_t j = 0; j < n; j++) {
      largest = fmax(largest, fabs(l->input[i * n + j]));
      if (!(fabs(row[j]) <= off)) off = isnan(row[j]) ? INFINITY : fabs(row[j]);
    }
  }
  *error = off / largest;
  return *error <= (double)n * DBL_EPSILON;
}

const ripstop_kernel ripstop_kernel_lu = {
    .abi = RIPSTOP_KERNEL_ABI,
    .name = "lu",
    .summary = "dense LU factorisation by blocks: the diagonal, its row and column, then all others",
    .options = options,
    .config_size = sizeof(config),
    .small = "size=32,block=4",
    .prepare = prepare,
    .run = run,
    .check = check,
};

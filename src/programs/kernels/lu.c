/* lu.c - a dense matrix as the product of a lower and an upper triangular one, in place, without pivoting, block by
 * block as SPLASH-2 does it (Woo et al. 1995): blocks lie whole in memory at their processors, which own them in a
 * two-dimensional pattern that repeats.
 *
 * For each diagonal block: its owner factors it; barrier; the owners of the blocks right of it and below it solve with
 * it; barrier; the owners of all blocks right and below subtract the product. */
#include <float.h>
#include <math.h>

#include "ripstop/programs.h"

typedef struct config {
  int64_t size, block;
} config;

enum { SIZE_MAX_ = 4096, BLOCK_MAX = 256, REAL = 8 };

static const rs_option options[] = {{.name = "size",
                                     .type = RS_OPTION_INTEGER,
                                     .offset = offsetof(config, size),
                                     .min = 1,
                                     .max = SIZE_MAX_,
                                     .fallback = "256",
                                     .help = "rows and columns of the matrix"},
                                    {.name = "block",
                                     .type = RS_OPTION_INTEGER,
                                     .offset = offsetof(config, block),
                                     .min = 1,
                                     .max = BLOCK_MAX,
                                     .fallback = "16",
                                     .help = "rows and columns of a block"},
                                    {0}};

typedef struct lu {
  uint32_t size, block, blocks; /* blocks: in a row */
  uint32_t rows, columns;       /* of processors */
  uint64_t bytes;               /* of a block in memory, whole lines */
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

/* ------------------------------------------------------------------ before */

/* Random in [-1, 1), with a diagonal that outweighs its row, so that no pivot is needed. */
static void fill(rs_machine *machine, const lu *l, uint64_t seed) {
  rs_stream stream = rs_stream_open(seed, RS_RANDOM_PROGRAM, 0);
  for (uint32_t row = 0; row < l->size; row++)
    for (uint32_t column = 0; column < l->size; column++) {
      double *value = &l->input[(size_t)row * l->size + column];
      *value = 2 * rs_stream_unit(&stream) - 1 + (row == column ? (double)l->size : 0);
      rs_poke(machine, element(l, row, column), value, sizeof *value);
    }
}

static int prepare(rs_machine *machine, const void *config_, uint64_t seed, void **state, rs_error *err) {
  const config *c = config_;
  uint32_t processors = rs_processors(machine);
  if (c->size % c->block)
    return rs_fail(err, "program lu: a matrix of size %lld is not made of blocks of %lld", (long long)c->size,
                   (long long)c->block);
  lu *l = RS_NEW(rs_machine_arena(machine), lu);
  l->size = (uint32_t)c->size, l->block = (uint32_t)c->block, l->blocks = l->size / l->block;
  l->rows = 1;
  for (uint32_t rows = 2; rows * rows <= processors; rows++)
    if (processors % rows == 0) l->rows = rows;
  l->columns = processors / l->rows;
  l->bytes = ((uint64_t)l->block * l->block * REAL + RS_LINE_BYTES - 1) / RS_LINE_BYTES * RS_LINE_BYTES;
  l->matrix = rs_shared(machine, (uint64_t)l->blocks * l->blocks * l->bytes);
  for (uint32_t row = 0; row < l->blocks; row++)
    for (uint32_t column = 0; column < l->blocks; column++)
      rs_place(machine, block_at(l, row, column), l->bytes, owner(l, row, column));
  l->input = RS_ARRAY(rs_machine_arena(machine), (size_t)l->size * l->size, double);
  fill(machine, l, seed);
  *state = l;
  return 0;
}

/* ------------------------------------------------------------------ on the processors */

/* row[from..] -= factor * other[from..] */
static void subtract(rs_worker *w, uint64_t row, uint64_t other, double factor, uint32_t from, uint32_t end) {
  for (uint32_t j = from; j < end; j++) {
    double value = rs_load_real(w, row + (uint64_t)j * REAL) - factor * rs_load_real(w, other + (uint64_t)j * REAL);
    rs_flops(w, 2);
    rs_store_real(w, row + (uint64_t)j * REAL, value);
  }
}

static double divide(rs_worker *w, uint64_t address, uint64_t divisor) {
  double value = rs_load_real(w, address) / rs_load_real(w, divisor);
  rs_flops(w, 1);
  rs_store_real(w, address, value);
  return value;
}

static void factor(rs_worker *w, const lu *l, uint64_t a) {
  for (uint32_t k = 0; k < l->block; k++)
    for (uint32_t i = k + 1; i < l->block; i++) {
      double f = divide(w, at(l, a, i, k), at(l, a, k, k));
      subtract(w, at(l, a, i, 0), at(l, a, k, 0), f, k + 1, l->block);
    }
}

/* A block right of the diagonal: times the inverse of the diagonal's lower part, from the left. */
static void solve_lower(rs_worker *w, const lu *l, uint64_t a, uint64_t diagonal) {
  for (uint32_t i = 1; i < l->block; i++)
    for (uint32_t k = 0; k < i; k++) {
      double f = rs_load_real(w, at(l, diagonal, i, k));
      subtract(w, at(l, a, i, 0), at(l, a, k, 0), f, 0, l->block);
    }
}

/* A block below the diagonal: times the inverse of the diagonal's upper part, from the right. */
static void solve_upper(rs_worker *w, const lu *l, uint64_t a, uint64_t diagonal) {
  for (uint32_t i = 0; i < l->block; i++)
    for (uint32_t k = 0; k < l->block; k++) {
      double f = divide(w, at(l, a, i, k), at(l, diagonal, k, k));
      subtract(w, at(l, a, i, 0), at(l, diagonal, k, 0), f, k + 1, l->block);
    }
}

static void subtract_product(rs_worker *w, const lu *l, uint64_t a, uint64_t left, uint64_t above) {
  for (uint32_t i = 0; i < l->block; i++)
    for (uint32_t k = 0; k < l->block; k++) {
      double f = rs_load_real(w, at(l, left, i, k));
      subtract(w, at(l, a, i, 0), at(l, above, k, 0), f, 0, l->block);
    }
}

static void run(rs_worker *w, const void *state) {
  const lu *l = state;
  uint32_t self = rs_self(w);
  rs_barrier(w);
  for (uint32_t k = 0; k < l->blocks; k++) {
    uint64_t diagonal = block_at(l, k, k);
    if (owner(l, k, k) == self) factor(w, l, diagonal);
    rs_barrier(w);
    for (uint32_t i = k + 1; i < l->blocks; i++) {
      if (owner(l, k, i) == self) solve_lower(w, l, block_at(l, k, i), diagonal);
      if (owner(l, i, k) == self) solve_upper(w, l, block_at(l, i, k), diagonal);
    }
    rs_barrier(w);
    for (uint32_t i = k + 1; i < l->blocks; i++)
      for (uint32_t j = k + 1; j < l->blocks; j++)
        if (owner(l, i, j) == self) subtract_product(w, l, block_at(l, i, j), block_at(l, i, k), block_at(l, k, j));
  }
  rs_barrier(w);
}

/* ------------------------------------------------------------------ after */

/* The largest element of L U - A, relative to the largest of A, with growth bounded by the diagonal (Higham, 9.4). */
static bool check(const rs_machine *machine, const void *state, double *error) {
  const lu *l = state;
  rs_arena *arena = rs_arena_new();
  size_t n = l->size;
  double *f = RS_ARRAY(arena, n * n, double), *row = RS_ARRAY(arena, n, double), largest = 0, off = 0;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < n; j++) rs_peek(machine, element(l, i, j), &f[i * n + j], sizeof *f);
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
  rs_arena_free(arena);
  return *error <= (double)n * DBL_EPSILON;
}

const rs_kernel rs_kernel_lu = {
    .abi = RS_KERNEL_ABI,
    .name = "lu",
    .summary = "dense matrix factored block by block: one owner works, a row and a column, then all the rest",
    .options = options,
    .config_size = sizeof(config),
    .small = "size=32,block=4",
    .prepare = prepare,
    .run = run,
    .check = check,
};

/* fft.c - the discrete Fourier transform of n complex numbers, as a sqrt(n) x sqrt(n) matrix in six steps (Bailey
 * 1990), with the layout of SPLASH-2 (Woo et al. 1995): blocks of rows over the processors, and three transpositions in
 * which each processor reads from all, starting with the next one.
 *
 * transpose; transform rows and multiply by the roots; transpose; transform rows; transpose
 *
 * Each processor keeps its own copy of the roots for row transforms; the roots between the transforms are distributed
 * like the matrix. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ripstop/kit/programs.h"
#include "ripstop/plugin/kernel.h"

typedef struct config {
  int64_t points;
} config;

enum { POINTS_MAX = 1 << 22, COMPLEX_BYTES = 16 };

static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, points, 4, POINTS_MAX, "65536", "number of complex values, a power of 4"), {0}};

typedef struct fft {
  uint32_t side, rows, bits; /* rows of the matrix; rows per processor; log2 of side */
  uint64_t data, scratch, roots, own_roots;
  double *input; /* [2 * points] */
} fft;

static uint64_t element(const fft *f, uint64_t matrix, uint32_t row, uint32_t column) {
  return matrix + ((uint64_t)row * f->side + column) * COMPLEX_BYTES;
}

/* exp(-2 pi i k/n) */
static void root(uint64_t k, uint64_t n, double out[2]) {
  const double turn = -2 * 3.14159265358979323846 * (double)(k % n) / (double)n;
  out[0] = cos(turn), out[1] = sin(turn);
}

/* ------------------------------------------------------------------ preparation */

static uint64_t spread(ripstop_machine *machine, const fft *f) {
  uint64_t row = (uint64_t)f->side * COMPLEX_BYTES, matrix = ripstop_shared(machine, f->side * row);
  for (uint32_t p = 0; p < ripstop_processors(machine); p++)
    ripstop_place(machine, matrix + p * f->rows * row, f->rows * row, p);
  return matrix;
}

static void fill(ripstop_machine *machine, const fft *f, uint64_t seed) {
  ripstop_stream stream = ripstop_stream_open(seed, RIPSTOP_RANDOM_PROGRAM, 0);
  uint64_t points = (uint64_t)f->side * f->side;
  for (uint64_t i = 0; i < 2 * points; i++) f->input[i] = 2 * ripstop_stream_unit(&stream) - 1;
  ripstop_poke(machine, f->data, f->input, points * COMPLEX_BYTES);
  for (uint32_t j = 0; j < f->side; j++)
    for (uint32_t k = 0; k < f->side; k++) {
      double w[2];
      root((uint64_t)j * k, points, w);
      ripstop_poke(machine, element(f, f->roots, j, k), w, sizeof w);
    }
}

static int prepare(ripstop_machine *machine, const void *config_, uint64_t seed, void **state, ripstop_error *err) {
  const config *c = config_;
  uint32_t processors = ripstop_processors(machine);
  fft *f = RIPSTOP_NEW(ripstop_machine_arena(machine), fft);
  while ((INT64_C(1) << 2 * f->bits) < c->points) f->bits++;
  f->side = 1u << f->bits;
  if ((int64_t)f->side * f->side != c->points)
    return ripstop_fail(err, "program fft: points must be a power of 4, not %lld", (long long)c->points);
  if (f->side % processors)
    return ripstop_fail(err, "program fft: %u rows of %u numbers cannot be divided among %u processors", f->side,
                        f->side, processors);
  f->rows = f->side / processors;
  f->input = RIPSTOP_ARRAY(ripstop_machine_arena(machine), 2 * (size_t)c->points, double);
  f->data = spread(machine, f), f->scratch = spread(machine, f), f->roots = spread(machine, f);
  /* whole lines for each processor */
  uint64_t own =
      ((uint64_t)f->side / 2 * COMPLEX_BYTES + RIPSTOP_LINE_BYTES - 1) / RIPSTOP_LINE_BYTES * RIPSTOP_LINE_BYTES;
  f->own_roots = ripstop_shared(machine, own * processors);
  for (uint32_t p = 0; p < processors; p++) {
    ripstop_place(machine, f->own_roots + p * own, own, p);
    for (uint32_t k = 0; k < f->side / 2; k++) {
      double w[2];
      root(k, f->side, w);
      ripstop_poke(machine, f->own_roots + p * own + (uint64_t)k * COMPLEX_BYTES, w, sizeof w);
    }
  }
  fill(machine, f, seed);
  *state = f;
  return 0;
}

/* ------------------------------------------------------------------ on the processors */

typedef struct complex_ {
  double re, im;
} complex_;

static complex_ load(ripstop_processor *w, uint64_t address) {
  double re = ripstop_load_real(w, address), im = ripstop_load_real(w, address + sizeof(double));
  return (complex_){re, im};
}

static void store(ripstop_processor *w, uint64_t address, complex_ value) {
  ripstop_store_real(w, address, value.re);
  ripstop_store_real(w, address + sizeof(double), value.im);
}

static complex_ multiply(ripstop_processor *w, complex_ a, complex_ b) {
  ripstop_flops(w, 6);
  return (complex_){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static void transpose(ripstop_processor *w, const fft *f, uint64_t from, uint64_t to) {
  uint32_t self = ripstop_self(w), processors = ripstop_processor_count(w), first = self * f->rows;
  for (uint32_t step = 1; step <= processors; step++) {
    uint32_t other = (self + step) % processors * f->rows;
    for (uint32_t row = other; row < other + f->rows; row++)
      for (uint32_t column = first; column < first + f->rows; column++)
        store(w, element(f, to, column, row), load(w, element(f, from, row, column)));
  }
}

static uint32_t reversed(uint32_t value, uint32_t bits) {
  uint32_t out = 0;
  for (; bits--; value >>= 1) out = out << 1 | (value & 1);
  return out;
}

static void shuffle_row(ripstop_processor *w, const fft *f, uint64_t matrix, uint32_t row) {
  for (uint32_t i = 0; i < f->side; i++) {
    uint32_t j = reversed(i, f->bits);
    ripstop_ops(w, 1);
    if (j <= i) continue;
    complex_ a = load(w, element(f, matrix, row, i)), b = load(w, element(f, matrix, row, j));
    store(w, element(f, matrix, row, i), b);
    store(w, element(f, matrix, row, j), a);
  }
}

static void butterfly(ripstop_processor *w, uint64_t low, uint64_t high, uint64_t omega) {
  complex_ a = load(w, low), b = multiply(w, load(w, omega), load(w, high));
  ripstop_flops(w, 4);
  store(w, low, (complex_){a.re + b.re, a.im + b.im});
  store(w, high, (complex_){a.re - b.re, a.im - b.im});
}

static void transform_row(ripstop_processor *w, const fft *f, uint64_t matrix, uint32_t row) {
  uint64_t own =
      ((uint64_t)f->side / 2 * COMPLEX_BYTES + RIPSTOP_LINE_BYTES - 1) / RIPSTOP_LINE_BYTES * RIPSTOP_LINE_BYTES;
  uint64_t omega = f->own_roots + ripstop_self(w) * own;
  shuffle_row(w, f, matrix, row);
  for (uint32_t half = 1; half < f->side; half *= 2)
    for (uint32_t block = 0; block < f->side; block += 2 * half)
      for (uint32_t k = 0; k < half; k++)
        butterfly(w, element(f, matrix, row, block + k), element(f, matrix, row, block + k + half),
                  omega + (uint64_t)k * (f->side / (2 * half)) * COMPLEX_BYTES);
}

static void multiply_row(ripstop_processor *w, const fft *f, uint64_t matrix, uint32_t row) {
  for (uint32_t k = 0; k < f->side; k++) {
    uint64_t at = element(f, matrix, row, k);
    store(w, at, multiply(w, load(w, at), load(w, element(f, f->roots, row, k))));
  }
}

static void run(ripstop_processor *w, const void *state) {
  const fft *f = state;
  uint32_t first = ripstop_self(w) * f->rows, end = first + f->rows;
  ripstop_barrier(w);
  transpose(w, f, f->data, f->scratch);
  for (uint32_t row = first; row < end; row++) {
    transform_row(w, f, f->scratch, row);
    multiply_row(w, f, f->scratch, row);
  }
  ripstop_barrier(w);
  transpose(w, f, f->scratch, f->data);
  for (uint32_t row = first; row < end; row++) transform_row(w, f, f->data, row);
  ripstop_barrier(w);
  transpose(w, f, f->data, f->scratch);
  ripstop_barrier(w);
}

/* ------------------------------------------------------------------ the check: the inverse transform by another
 * algorithm */

/* Stockham's algorithm, which needs no permutation: transforms `from` in place, with `to` as scratch space. */
static void inverse(double *from, double *to, uint64_t n) {
  for (uint64_t half = n / 2, stride = 1; half; half /= 2, stride *= 2) {
    for (uint64_t p = 0; p < half; p++) {
      double w[2];
      root(p, 2 * half, w);
      for (uint64_t q = 0; q < stride; q++) {
        const double *a = &from[2 * (q + stride * p)], *b = &from[2 * (q + stride * (p + half))];
        double *sum = &to[2 * (q + stride * 2 * p)], *difference = &to[2 * (q + stride * (2 * p + 1))];
        double re = a[0] - b[0], im = a[1] - b[1];
        sum[0] = a[0] + b[0], sum[1] = a[1] + b[1];
        difference[0] = re * w[0] + im * w[1], difference[1] = im * w[0] - re * w[1];
      }
    }
    memcpy(from, to, 2 * n * sizeof *from);
  }
}

/* Returns the largest difference from the input after both transforms in *error; rounding grows with their depth
 * (Higham, chapter 24). */
static bool check(const ripstop_machine *machine, const void *state, double *error) {
  const fft *f = state;
  uint64_t points = (uint64_t)f->side * f->side;
  ripstop_arena *arena = ripstop_arena_new();
  double *output = RIPSTOP_ARRAY(arena, 2 * points, double), *other = RIPSTOP_ARRAY(arena, 2 * points, double);
  ripstop_peek(machine, f->scratch, output, points * COMPLEX_BYTES);
  inverse(output, other, points);
  *error = 0;
  for (uint64_t i = 0; i < 2 * points; i++) {
    double difference = fabs(output[i] / (double)points - f->input[i]);
    if (!(difference <= *error)) *error = isnan(difference) ? INFINITY : difference;
  }
  ripstop_arena_free(arena);
  const double per_level = 8 * DBL_EPSILON;
  return *error <= per_level * 2 * f->bits;
}

const ripstop_kernel ripstop_kernel_fft = {
    .abi = RIPSTOP_KERNEL_ABI,
    .name = "fft",
    .summary = "Fourier transform in six steps: three transpositions, all to all",
    .options = options,
    .config_size = sizeof(config),
    .small = "points=1024",
    .prepare = prepare,
    .run = run,
    .check = check,
};

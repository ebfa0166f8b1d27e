/* radix.c - radix sort of integers as in SPLASH-2 (Woo et al. 1995; Blelloch et al. 1991). For each digit, the lowest
 * first: every processor counts the digits of its keys; the counts are summed up a binary tree of processors, and
 * passed down again as the start of each processor's keys of each digit; every processor writes its keys to their
 * places, which may be in any memory.
 *
 * The number of processors is a power of 2. At level l of the tree a processor whose number ends in l+1 ones adds the
 * sum of its left partner, whose number is lower by 2^l. */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "base/sort.h"
#include "ripstop/kit/programs.h"
#include "ripstop/plugin/kernel.h"

typedef struct config {
  int64_t keys, radix, bits;
} config;

enum { KEYS_MAX = 1 << 24, RADIX_MAX = 1 << 16, WORD = 4 };

static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, keys, 1, KEYS_MAX, "524288", "to sort"),
    RIPSTOP_INTEGER(config, radix, 2, RADIX_MAX, "1024", "number of values of a digit, a power of 2"),
    RIPSTOP_INTEGER(config, bits, 1, 32, "19", "bits of a key"),
    {0}};

typedef struct radix {
  uint32_t keys, share, radix, digit_bits, passes, levels;
  uint64_t from, to; /* range of keys */
  uint64_t sum;      /* [processors][levels + 1][radix]: sum of the subtree below a processor at a level; level 0: its
                      * own counts */
  uint64_t place;    /* [processors][radix]: position of the next key of a digit */
  uint64_t flags;    /* [processors][2 * levels], each in a line of its own */
  uint32_t *input;
} radix;

/* ------------------------------------------------------------------ preparation */

static uint64_t vector_bytes(const radix *r) {
  return ((uint64_t)r->radix * WORD + RIPSTOP_LINE_BYTES - 1) / RIPSTOP_LINE_BYTES * RIPSTOP_LINE_BYTES;
}

static uint64_t each(ripstop_machine *machine, uint64_t bytes) {
  uint32_t processors = ripstop_processors(machine);
  uint64_t address = ripstop_shared(machine, bytes * processors);
  for (uint32_t p = 0; p < processors; p++) ripstop_place(machine, address + p * bytes, bytes, p);
  return address;
}

static int check_sizes(const config *c, uint32_t processors, ripstop_error *err) {
  if (processors & (processors - 1))
    return ripstop_fail(err, "program radix: processors must be a power of 2, not %u", processors);
  if (c->radix & (c->radix - 1))
    return ripstop_fail(err, "program radix: radix must be a power of 2, not %lld", (long long)c->radix);
  if (c->keys % processors || c->keys / processors * WORD % RIPSTOP_LINE_BYTES)
    return ripstop_fail(err, "program radix: keys must be a multiple of %u for %u processors", processors * 16,
                        processors);
  return 0;
}

static int prepare(ripstop_machine *machine, const void *config_, uint64_t seed, void **state, ripstop_error *err) {
  const config *c = config_;
  uint32_t processors = ripstop_processors(machine);
  if (check_sizes(c, processors, err)) return -1;
  radix *r = RIPSTOP_NEW(ripstop_machine_arena(machine), radix);
  r->keys = (uint32_t)c->keys, r->radix = (uint32_t)c->radix;
  r->share = r->keys / processors;
  while (1u << r->digit_bits < r->radix) r->digit_bits++;
  while (1u << r->levels < processors) r->levels++;
  r->passes = ((uint32_t)c->bits + r->digit_bits - 1) / r->digit_bits;
  r->from = each(machine, (uint64_t)r->share * WORD), r->to = each(machine, (uint64_t)r->share * WORD);
  r->sum = each(machine, vector_bytes(r) * (r->levels + 1)), r->place = each(machine, vector_bytes(r));
  r->flags = each(machine, (uint64_t)2 * r->levels * RIPSTOP_LINE_BYTES);
  r->input = RIPSTOP_ARRAY(ripstop_machine_arena(machine), r->keys, uint32_t);
  ripstop_stream stream = ripstop_stream_open(seed, RIPSTOP_RANDOM_PROGRAM, 0);
  for (uint32_t i = 0; i < r->keys; i++) r->input[i] = ripstop_stream_u32(&stream) >> (32 - c->bits);
  ripstop_poke(machine, r->from, r->input, (size_t)r->keys * WORD);
  *state = r;
  return 0;
}

/* ------------------------------------------------------------------ on the processors */

static uint64_t sum_of(const radix *r, uint32_t processor, uint32_t level) {
  return r->sum + ((uint64_t)processor * (r->levels + 1) + level) * vector_bytes(r);
}
static uint64_t place_of(const radix *r, uint32_t processor) { return r->place + processor * vector_bytes(r); }
/* The flag that a processor sets when its sum of a level, or (`down`) its positions, are complete; its partner waits
 * for it. */
static uint64_t flag_of(const radix *r, uint32_t processor, uint32_t level, bool down) {
  return r->flags + ((uint64_t)processor * 2 * r->levels + 2 * level + down) * RIPSTOP_LINE_BYTES;
}

static void clear(ripstop_processor *w, const radix *r, uint64_t vector) {
  for (uint32_t d = 0; d < r->radix; d++) ripstop_store_word(w, vector + (uint64_t)d * WORD, 0);
}

static uint32_t digit(ripstop_processor *w, const radix *r, uint32_t key, uint32_t pass) {
  ripstop_ops(w, 2);
  return key >> (pass * r->digit_bits) & (r->radix - 1);
}

static void count(ripstop_processor *w, const radix *r, uint64_t keys, uint32_t pass) {
  uint64_t first = keys + (uint64_t)ripstop_self(w) * r->share * WORD, sum = sum_of(r, ripstop_self(w), 0);
  clear(w, r, sum);
  for (uint32_t i = 0; i < r->share; i++) {
    uint64_t at = sum + (uint64_t)digit(w, r, ripstop_load_word(w, first + (uint64_t)i * WORD), pass) * WORD;
    ripstop_ops(w, 1);
    ripstop_store_word(w, at, ripstop_load_word(w, at) + 1);
  }
}

/* out = a + b; a may be out. */
static void add(ripstop_processor *w, const radix *r, uint64_t out, uint64_t a, uint64_t b) {
  for (uint64_t at = 0; at < (uint64_t)r->radix * WORD; at += WORD) {
    ripstop_ops(w, 1);
    ripstop_store_word(w, out + at, ripstop_load_word(w, a + at) + ripstop_load_word(w, b + at));
  }
}

static void copy(ripstop_processor *w, const radix *r, uint64_t out, uint64_t from) {
  for (uint64_t at = 0; at < (uint64_t)r->radix * WORD; at += WORD)
    ripstop_store_word(w, out + at, ripstop_load_word(w, from + at));
}

/* The position of each digit's first key, from the sums over all processors. */
static void place_digits(ripstop_processor *w, const radix *r, uint64_t out, uint64_t sum) {
  uint32_t before = 0;
  for (uint64_t at = 0; at < (uint64_t)r->radix * WORD; at += WORD) {
    ripstop_ops(w, 1);
    ripstop_store_word(w, out + at, before);
    before += ripstop_load_word(w, sum + at);
  }
}

/* The number of tree levels at which a processor adds a partner's sums: the number of ones at the end of its own
 * number. */
static uint32_t height(const radix *r, uint32_t self) {
  uint32_t level = 0;
  while (level < r->levels && (self >> level & 1)) level++;
  return level;
}

static void find_places(ripstop_processor *w, const radix *r, uint32_t pass) {
  uint32_t self = ripstop_self(w), top = height(r, self), episode = pass + 1;
  uint64_t place = place_of(r, self);
  for (uint32_t level = 0; level < top; level++) {
    uint32_t partner = self - (1u << level);
    ripstop_await(w, flag_of(r, partner, level, false), episode);
    add(w, r, sum_of(r, self, level + 1), sum_of(r, self, level), sum_of(r, partner, level));
  }
  ripstop_fence(w);
  if (top == r->levels) {
    place_digits(w, r, place, sum_of(r, self, top));
  } else {
    ripstop_store_word(w, flag_of(r, self, top, false), episode);
    ripstop_await(w, flag_of(r, self, top, true), episode);
  }
  for (uint32_t level = top; level-- > 0;) {
    uint32_t partner = self - (1u << level);
    copy(w, r, place_of(r, partner), place);
    ripstop_fence(w);
    ripstop_store_word(w, flag_of(r, partner, level, true), episode);
    add(w, r, place, place, sum_of(r, partner, level));
  }
}

static void permute(ripstop_processor *w, const radix *r, uint64_t from, uint64_t to, uint32_t pass) {
  uint64_t first = from + (uint64_t)ripstop_self(w) * r->share * WORD, places = place_of(r, ripstop_self(w));
  for (uint32_t i = 0; i < r->share; i++) {
    uint32_t key = ripstop_load_word(w, first + (uint64_t)i * WORD);
    uint64_t at = places + (uint64_t)digit(w, r, key, pass) * WORD;
    uint32_t place = ripstop_load_word(w, at);
    ripstop_ops(w, 1);
    ripstop_store_word(w, at, place + 1);
    ripstop_store_word(w, to + (uint64_t)place * WORD, key);
  }
}

static void run(ripstop_processor *w, const void *state) {
  const radix *r = state;
  for (uint32_t pass = 0; pass < r->passes; pass++) {
    uint64_t from = pass % 2 ? r->to : r->from, to = pass % 2 ? r->from : r->to;
    ripstop_barrier(w);
    count(w, r, from, pass);
    find_places(w, r, pass);
    permute(w, r, from, to, pass);
  }
  ripstop_barrier(w);
}

/* ------------------------------------------------------------------ the check */

/* Compares with the result of the host's qsort; the error is the number of misplaced keys. */
static bool check(const ripstop_machine *machine, const void *state, double *error) {
  const radix *r = state;
  RIPSTOP_LOCAL_ARENA(arena);
  uint32_t *output = RIPSTOP_ARRAY(arena, r->keys, uint32_t), *sorted = RIPSTOP_ARRAY(arena, r->keys, uint32_t);
  ripstop_peek(machine, r->passes % 2 ? r->to : r->from, output, (size_t)r->keys * WORD);
  memcpy(sorted, r->input, (size_t)r->keys * WORD);
  qsort(sorted, r->keys, WORD, ripstop_by_u32);
  *error = 0;
  for (uint32_t i = 0; i < r->keys; i++) *error += output[i] != sorted[i];
  return *error == 0;
}

const ripstop_kernel ripstop_kernel_radix = {
    .abi = RIPSTOP_KERNEL_ABI,
    .name = "radix",
    .summary = "radix sort: counts summed up and down a tree, keys written to any memory",
    .options = options,
    .config_size = sizeof(config),
    .small = "keys=4096,radix=32,bits=10",
    .prepare = prepare,
    .run = run,
    .check = check,
};

/* held.c - words that messages carry, and that are checked in the end. A single word is stored in place of the list. */
#include "workload/held.h"

#include <string.h>

#include "base/memory.h"

typedef union carried {
  uint64_t one, *many;
} carried;

struct held {
  uint64_t *word;   /* [ranks * words] */
  carried *carried; /* [tasks]: of sends in progress */
  ripstop_arena *arena;
};

held *held_open(const ripstop_workload *kind, const void *config, const ripstop_tasks *tasks, ripstop_arena *arena) {
  if (!tasks->words) return NULL;
  held *w = RIPSTOP_NEW(arena, held);
  w->arena = arena;
  w->word = RIPSTOP_ARRAY(arena, (size_t)tasks->ranks * tasks->words, uint64_t);
  w->carried = RIPSTOP_ARRAY(arena, (size_t)tasks->count + 1, carried);
  uint64_t *at = w->word;
  for (uint32_t r = 0; r < tasks->ranks; r++)
    for (uint32_t i = 0; i < tasks->words; i++) *at++ = kind->first(config, tasks->ranks, r, i);
  return w;
}

static const cargo *cargo_of(const held *w, const ripstop_tasks *tasks, uint32_t send) {
  return w && send < tasks->cargos && tasks->cargo[send].count ? &tasks->cargo[send] : NULL;
}

static uint64_t *words_of(const held *w, const ripstop_tasks *tasks, uint32_t rank) {
  return w->word + (size_t)rank * tasks->words;
}

/* The i-th word of a cargo, from its first. */
static size_t place(const cargo *c, uint32_t i) { return (size_t)(i / c->run) * c->stride + i % c->run; }

void held_leave(held *w, const ripstop_tasks *tasks, uint32_t send) {
  const cargo *c = cargo_of(w, tasks, send);
  if (!c) return;
  const uint64_t *from = words_of(w, tasks, tasks->task[send].rank) + c->from;
  carried *out = &w->carried[send];
  if (c->count == 1) {
    out->one = *from;
    return;
  }
  out->many = ripstop_arena_realloc(w->arena, NULL, c->count, sizeof *out->many);
  for (uint32_t i = 0; i < c->count; i++) out->many[i] = from[place(c, i)];
}

static void put(uint64_t *word, uint64_t value, uint8_t how) {
  if (how == RIPSTOP_CARRY_COPY) *word = value;
  if (how == RIPSTOP_CARRY_ADD) *word += value;
  if (how == RIPSTOP_CARRY_OR) *word |= value;
}

void held_arrive(held *w, const ripstop_tasks *tasks, uint32_t send) {
  const cargo *c = cargo_of(w, tasks, send);
  if (!c) return;
  uint64_t *to = words_of(w, tasks, tasks->task[send].peer) + c->to;
  carried *in = &w->carried[send];
  if (c->count == 1) {
    put(to, in->one, c->how);
    return;
  }
  for (uint32_t i = 0; i < c->count; i++) put(&to[place(c, i)], in->many[i], c->how);
  ripstop_free(in->many);
}

bool held_is_right(const held *w, const ripstop_workload *kind, const void *config, const ripstop_tasks *tasks) {
  for (uint32_t r = 0; w && r < tasks->ranks; r++)
    for (uint32_t i = 0; i < tasks->words; i++)
      if (!kind->last(config, tasks->ranks, r, i, words_of(w, tasks, r)[i])) return false;
  return true;
}

void held_copy(held *to, const held *from, const ripstop_tasks *tasks) {
  if (to) memcpy(to->word, from->word, (size_t)tasks->ranks * tasks->words * sizeof *to->word);
}

/* ------------------------------------------------------------------ values */

/* Powers of an odd number without pattern: no sum of small multiples of some equals that of others. */
#define BASE UINT64_C(0x9e3779b97f4a7c15)

static uint64_t of_word(uint32_t word) { return 2 * (uint64_t)word + 1; }

uint64_t held_own(uint32_t rank, uint32_t word) {
  uint64_t power = 1, base = BASE;
  for (uint32_t n = rank; n; n >>= 1, base *= base)
    if (n & 1) power *= base;
  return power * of_word(word);
}

/* By halves: the first 2k powers are (1 + BASE^k) times the first k. */
uint64_t held_sum(uint32_t ranks, uint32_t word) {
  uint64_t sum = 0, power = 1; /* sum of the first n powers, and BASE^n */
  for (int bit = 31; bit >= 0; bit--) {
    sum *= 1 + power;
    power *= power;
    if (!(ranks >> bit & 1)) continue;
    sum += power;
    power *= BASE;
  }
  return sum * of_word(word);
}

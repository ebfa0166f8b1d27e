/* rare.c - the share of fault sets that are not tolerated, where it is so small that random sets hardly ever show it.
 *
 * All defeating sets of few parts are listed first: every set of 1, 2, ... up to `core` parts is proved, and kept if
 * it is not tolerated and contains no smaller listed one. Then the sets of `count` parts are of two kinds, and each
 * share is estimated separately:
 *
 *   within    they contain a listed set. A sample takes a listed set, each with its own share of all sets, adds other
 *             parts at random, and counts if the result is not tolerated and contains no earlier listed set. So every
 *             set is counted through one of the listed sets in it (R. M. Karp, M. Luby: "Monte-Carlo algorithms for
 *             enumeration and reliability problems", FOCS 1983). The share is that of the hits times `reach`, the sum
 *             of the listed sets' shares, however small that is.
 *   outside   they contain none. They are sampled as all sets are, and those with a listed set in them are not proved.
 *
 * Nothing is assumed about the method: a set may be tolerated although a part of it is not. Both counts are binomial,
 * so both intervals are Clopper and Pearson's, each with half of the error, and their sum holds for the sum. All
 * samples are numbered, and results do not depend on threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/growing.h"
#include "base/local.h"
#include "base/memory.h"
#include "prove/proof.h"
#include "ripstop/kit/proofs.h"

enum { CHUNK = 4096 };                /* fault sets that are proved at a time */
enum { QUARTER = 4, WITHIN = 10000 }; /* samples within: at most this fraction of all, and at most this many */

typedef struct listed {
  uint32_t size, part[RIPSTOP_RARE_CORE_MAX]; /* ascending */
  double until;                               /* sum of the shares up to this set's */
} listed;

typedef struct list {
  const ripstop_rare *rare;
  uint32_t population; /* parts are numbered from 0, as by ripstop_scope_id */
  listed *set;
  size_t sets, room;
  uint32_t *start, *next; /* [population], [sets]: the sets whose first part is p: start[p], next[...]; NONE ends */
  ripstop_arena *arena;
  bool *in; /* [population]: parts of the present set */
} list;

/* ------------------------------------------------------------------ defeating sets of few parts */

/* The number in the scope of part i of a set. */
static uint32_t part_at(const ripstop_rare *rare, const ripstop_faults *faults, uint32_t i) {
  const uint32_t id = i < faults->links ? faults->link[i] : faults->switch_[i - faults->links];
  return ripstop_scope_part(rare->fabric, rare->scope, id);
}

static uint32_t parts_of(const ripstop_faults *faults) { return faults->links + faults->switches; }

static void mark(list *l, const uint32_t *part, uint32_t count, bool in) {
  for (uint32_t i = 0; i < count; i++) l->in[part[i]] = in;
}

static bool is_inside(const list *l, const listed *set) {
  bool inside = true;
  for (uint32_t i = 0; i < set->size && inside; i++) inside = l->in[set->part[i]];
  return inside;
}

/* The first listed set contained in these parts; NONE: there is none. */
static uint32_t first_inside(list *l, const uint32_t *part, uint32_t count) {
  uint32_t first = RIPSTOP_NONE;
  mark(l, part, count, true);
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t s = l->start[part[i]]; s < first; s = l->next[s])
      if (is_inside(l, &l->set[s])) first = s;
  mark(l, part, count, false);
  return first;
}

/* Lists are in ascending order, so that a search can end early: sets arrive in that order, and each is appended. */
static void append(list *l, const uint32_t *part, uint32_t count) {
  if (l->sets == l->room) {
    l->room = RIPSTOP_MORE_ROOM(l->room);
    l->set = ripstop_realloc(l->set, l->room, sizeof *l->set);
    l->next = ripstop_realloc(l->next, l->room, sizeof *l->next);
  }
  uint32_t number = (uint32_t)l->sets++, *place = &l->start[part[0]];
  while (*place != RIPSTOP_NONE) place = &l->next[*place];
  *place = number;
  l->next[number] = RIPSTOP_NONE;
  l->set[number] = (listed){.size = count};
  memcpy(l->set[number].part, part, count * sizeof *part);
}

/* Called in the thread of the proof: prints the parts of a set that is not tolerated. */
static void report_parts(void *context, const ripstop_set_proof *proof, ripstop_text *text) {
  const list *l = context;
  if (proof->proof.tolerated) return;
  for (uint32_t i = 0; i < parts_of(proof->faults); i++) {
    uint32_t part = part_at(l->rare, proof->faults, i);
    ripstop_text_add_bytes(text, (const char *)&part, sizeof part);
  }
}

static int list_set(void *context, const ripstop_set_proof *proof, const ripstop_text *text,
                    const ripstop_tally *so_far) {
  list *l = context;
  uint32_t part[RIPSTOP_RARE_CORE_MAX], count = (uint32_t)(text->length / sizeof *part);
  (void)proof, (void)so_far;
  if (!count) return 0;
  memcpy(part, text->data, text->length);
  if (first_inside(l, part, count) == RIPSTOP_NONE) append(l, part, count);
  return l->sets > RIPSTOP_RARE_LIST_MAX;
}

static ripstop_many many_of(const ripstop_rare *rare) {
  return (ripstop_many){.fabric = rare->fabric,
                        .method = rare->method,
                        .scope = rare->scope,
                        .count = rare->count,
                        .seed = rare->seed,
                        .confidence = rare->confidence,
                        .switch_ = rare->switch_,
                        .switch_channels = rare->switch_channels,
                        .binding = rare->binding,
                        .tolerance = true,
                        .threads = rare->threads,
                        .stop = rare->stop};
}

/* 1: stopped; -1 with an error. */
static int list_defeats(list *l, ripstop_rarity *out, ripstop_error *err) {
  ripstop_many many = many_of(l->rare);
  many.kind = RIPSTOP_SETS_ALL, many.tell = report_parts, many.done = list_set, many.context = l;
  for (uint32_t size = 1; size <= l->rare->core; size++) {
    ripstop_tally tally;
    many.count = size;
    int status = ripstop_prove_many(&many, &tally, err);
    out->looked += tally.proofs;
    if (l->sets > RIPSTOP_RARE_LIST_MAX)
      return ripstop_fail(err,
                          "more than %d sets of up to %u parts are not tolerated: that is not rare; sample sets, or "
                          "list smaller ones",
                          RIPSTOP_RARE_LIST_MAX, size);
    if (status) return status;
  }
  out->listed = l->sets;
  return 0;
}

/* The share of the sets of n parts that contain m given ones. */
static double share_with(uint32_t population, uint32_t n, uint32_t m) {
  double share = 1;
  for (uint32_t i = 0; i < m; i++) share *= (double)(n - i) / (double)(population - i);
  return n < m ? 0 : share;
}

static int add_shares(list *l, ripstop_rarity *out, ripstop_error *err) {
  for (size_t i = 0; i < l->sets; i++) {
    out->reach += share_with(l->population, l->rare->count, l->set[i].size);
    l->set[i].until = out->reach;
  }
  return out->reach <= 1 ? 0
                         : ripstop_fail(err,
                                        "a set of %u parts has %.3g of the %llu listed ones in it on average: that is "
                                        "not rare; sample sets",
                                        l->rare->count, out->reach, (unsigned long long)out->listed);
}

/* ------------------------------------------------------------------ samples within */

/* The listed set into whose part of the reach a number below 1 falls. */
static uint32_t set_at(const list *l, double at) {
  size_t low = 0, high = l->sets - 1;
  at *= l->set[l->sets - 1].until;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (l->set[middle].until > at)
      high = middle;
    else
      low = middle + 1;
  }
  return (uint32_t)low;
}

/* Samples a listed set, and others up to the count. Returns which. */
static uint32_t draw_within(list *l, uint64_t number, uint32_t *part) {
  ripstop_stream stream = ripstop_stream_open(l->rare->seed, RIPSTOP_RANDOM_RARE, number);
  uint64_t word = (uint64_t)ripstop_stream_below(&stream, UINT32_MAX) << 21 ^ ripstop_stream_below(&stream, 1u << 21);
  uint32_t which = set_at(l, (double)word * 0x1p-53), count = l->set[which].size;
  memcpy(part, l->set[which].part, count * sizeof *part);
  mark(l, part, count, true);
  while (count < l->rare->count) {
    uint32_t next = ripstop_stream_below(&stream, l->population);
    if (!l->in[next]) l->in[next] = true, part[count++] = next;
  }
  mark(l, part, count, false);
  return which;
}

static int count_failed(void *context, const ripstop_set_proof *proof, const ripstop_text *text,
                        const ripstop_tally *so_far) {
  uint64_t *hits = context;
  (void)text, (void)so_far;
  *hits += !proof->proof.tolerated;
  return 0;
}

static int prove_chunk(const list *l, const ripstop_faults *faults, size_t count, ripstop_rarity *out,
                       ripstop_error *err) {
  ripstop_many many = many_of(l->rare);
  ripstop_tally tally;
  many.kind = RIPSTOP_SETS_GIVEN, many.given = faults, many.givens = count;
  many.done = count_failed, many.context = &out->within_hits;
  int status = count ? ripstop_prove_many(&many, &tally, err) : 0;
  out->proofs += count;
  return status;
}

static int draw_chunk(list *l, uint64_t until, ripstop_rarity *out, ripstop_error *err) {
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_faults *faults = RIPSTOP_ARRAY(arena, CHUNK, ripstop_faults);
  uint32_t *part = RIPSTOP_ARRAY(arena, l->rare->count, uint32_t);
  size_t count = 0;
  for (; out->within < until && count < CHUNK; out->within++) {
    uint32_t which = draw_within(l, out->within, part);
    if (first_inside(l, part, l->rare->count) != which) continue;
    ripstop_faults_from_parts(arena, l->rare->fabric, l->rare->scope, part, l->rare->count, &faults[count++]);
  }
  return prove_chunk(l, faults, count, out, err);
}

/* ------------------------------------------------------------------ samples outside */

static int outside_chunk(list *l, uint64_t until, ripstop_rarity *out, ripstop_error *err) {
  const ripstop_rare *rare = l->rare;
  ripstop_many many = many_of(rare);
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_faults *faults = RIPSTOP_ARRAY(arena, CHUNK, ripstop_faults);
  uint32_t *part = RIPSTOP_ARRAY(arena, rare->count, uint32_t);
  ripstop_tally tally;
  size_t count = 0;
  int status = 0;
  for (; !status && out->outside < until && count < CHUNK; out->outside++) { /* as in plain samples */
    uint64_t index = (uint64_t)rare->count << 32 | out->outside;
    status =
        ripstop_faults_sample(arena, rare->fabric, rare->scope, rare->count, rare->seed, index, &faults[count], err);
    for (uint32_t i = 0; i < rare->count && !status; i++) part[i] = part_at(rare, &faults[count], i);
    if (!status && first_inside(l, part, rare->count) == RIPSTOP_NONE) count++;
  }
  many.kind = RIPSTOP_SETS_GIVEN, many.given = faults, many.givens = count;
  many.done = count_failed, many.context = &out->outside_hits;
  if (!status && count) status = ripstop_prove_many(&many, &tally, err);
  out->proofs += count;
  return status;
}

/* ------------------------------------------------------------------ the whole estimate */

static double share_of(uint64_t hits, uint64_t draws) { return draws ? (double)hits / (double)draws : 0; }

/* Variance of one sample of this estimate, relative to that of a plain sample. */
static double gain_of(const ripstop_rarity *r) {
  double within = share_of(r->within_hits, r->within), outside = share_of(r->outside_hits, r->outside);
  double variance = r->within ? r->reach * r->reach * within * (1 - within) / (double)r->within : 0;
  variance += outside * (1 - outside) / (double)r->outside;
  return r->share * (1 - r->share) / (double)(r->looked + r->proofs) / variance;
}

static void conclude(const ripstop_rare *rare, ripstop_rarity *r) {
  double each = (1 + rare->confidence) / 2;
  ripstop_interval within = ripstop_clopper_pearson(r->within_hits, r->within, each);
  ripstop_interval outside = ripstop_clopper_pearson(r->outside_hits, r->outside, each);
  if (!r->listed) within = (ripstop_interval){0, 0};
  r->share = r->reach * share_of(r->within_hits, r->within) + share_of(r->outside_hits, r->outside);
  r->interval.low = r->reach * within.low + outside.low;
  r->interval.high = fmin(1, r->reach * within.high + outside.high);
  r->gain = gain_of(r);
}

static int estimate(list *l, ripstop_rarity *out, ripstop_error *err) {
  uint64_t within, outside;
  int status = list_defeats(l, out, err);
  if (status || (status = add_shares(l, out, err)) != 0) return status;
  within = out->listed ? (l->rare->samples + QUARTER - 1) / QUARTER : 0;
  if (within > WITHIN) within = WITHIN;
  outside = l->rare->samples - within;
  while (!status && out->within < within) status = draw_chunk(l, within, out, err);
  while (!status && out->outside < outside) status = outside_chunk(l, outside, out, err);
  if (!status) conclude(l->rare, out);
  return status;
}

int ripstop_prove_rare(const ripstop_rare *rare, ripstop_rarity *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  list l = {.rare = rare, .arena = ripstop_arena_new()};
  *out = (ripstop_rarity){0};
  l.population = ripstop_faults_population(rare->fabric, rare->scope);
  if (rare->core < 1 || rare->core > RIPSTOP_RARE_CORE_MAX || rare->core > rare->count || rare->count > l.population) {
    ripstop_arena_free(l.arena);
    return ripstop_fail(
        err, "sets of up to %u parts cannot be listed for sets of %u of %u parts: 1 to %d, and no more than these have",
        rare->core, rare->count, l.population, RIPSTOP_RARE_CORE_MAX);
  }
  l.in = RIPSTOP_ARRAY(l.arena, l.population, bool);
  l.start = RIPSTOP_ARRAY(l.arena, l.population, uint32_t);
  for (uint32_t i = 0; i < l.population; i++) l.start[i] = RIPSTOP_NONE;
  int status = estimate(&l, out, err);
  ripstop_free(l.set);
  ripstop_free(l.next);
  ripstop_arena_free(l.arena);
  return status;
}

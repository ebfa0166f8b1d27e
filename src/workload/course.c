/* course.c - steps, and the steps that collectives share.
 *
 * Messages may overtake each other, but a rank's receives of a step complete after those of earlier steps. So a later
 * send waits for the last receive only, and thereby for all. */
#include "workload/course.h"

#include <string.h>

/* Trees and chains reach their rate only as pipelines (Sanders, Speck and Traeff, Parallel Computing 35, 2009). More
 * than 16 chunks brought nothing in measurements: 16 ranks, 256 KiB, two trees take 999,428 cycles with 16 chunks,
 * 1,024,018 with 64, and 1,835,044 with one. */
uint32_t course_chunks(int64_t asked, uint64_t bytes) {
  enum { CHUNK_BYTES = 4096, MOST = 16 };
  if (asked) return (uint32_t)asked;
  return bytes < CHUNK_BYTES ? 1 : bytes / CHUNK_BYTES < MOST ? (uint32_t)(bytes / CHUNK_BYTES) : MOST;
}

course course_open(ripstop_tasks *tasks) {
  const uint32_t ranks = ripstop_tasks_ranks(tasks);
  ripstop_arena *arena = ripstop_tasks_arena(tasks);
  course c = {.tasks = tasks, .ranks = ranks};
  c.after = RIPSTOP_ARRAY(arena, ranks, ripstop_task);
  c.next = RIPSTOP_ARRAY(arena, ranks, ripstop_task);
  c.touched = RIPSTOP_ARRAY(arena, ranks, uint32_t);
  for (uint32_t i = 0; i < ranks; i++) c.after[i] = c.next[i] = RIPSTOP_NONE;
  return c;
}

/* A task of length 0 that comes after both. */
static ripstop_task both(const course *c, uint32_t rank, ripstop_task one, ripstop_task other) {
  if (one == RIPSTOP_NONE || one == other) return other;
  if (other == RIPSTOP_NONE) return one;
  ripstop_task join = ripstop_tasks_wait(c->tasks, rank, 0);
  ripstop_tasks_after(c->tasks, join, one);
  ripstop_tasks_after(c->tasks, join, other);
  return join;
}

static void come_after(const course *c, ripstop_task task_, uint32_t rank) {
  if (c->after[rank] != RIPSTOP_NONE) ripstop_tasks_after(c->tasks, task_, c->after[rank]);
}

ripstop_message course_send(course *c, uint32_t from, uint32_t to, uint64_t bytes, ripstop_piece piece) {
  ripstop_message m = ripstop_tasks_message(c->tasks, from, to, bytes);
  come_after(c, m.send, from);
  come_after(c, m.receive, to);
  if (piece.count) ripstop_tasks_carry(c->tasks, m, &piece);
  if (c->next[to] == RIPSTOP_NONE) c->touched[c->touches++] = to;
  c->next[to] = both(c, to, c->next[to], m.receive);
  return m;
}

void course_step(course *c) {
  for (uint32_t i = 0; i < c->touches; i++) {
    c->after[c->touched[i]] = c->next[c->touched[i]];
    c->next[c->touched[i]] = RIPSTOP_NONE;
  }
  c->touches = 0;
}

int shared_open(ripstop_tasks *tasks, uint64_t bytes, int64_t repeat, const char *of_two, shared_out *out,
                ripstop_error *err) {
  const uint32_t ranks = ripstop_tasks_ranks(tasks);
  if (of_two && !is_power_of_two(ranks))
    return ripstop_fail(err, "%s needs a power of two of ranks, not %u", of_two, ranks);
  if (course_words(tasks, ranks, repeat, err)) return -1;
  *out = (shared_out){.course = course_open(tasks),
                      .all = {.stride = 1, .count = ranks},
                      .block = {.bytes = bytes, .all = ranks, .words = ranks}};
  return 0;
}

int shared_next(shared_out *p, int64_t repeat, ripstop_error *err) {
  p->block.base += p->block.all;
  p->block.first += p->block.all;
  return course_repeated(p->course.tasks, repeat, err);
}

int course_fits(const ripstop_tasks *tasks, int64_t times, ripstop_error *err) {
  if ((uint64_t)tasks->count * (uint64_t)times <= RIPSTOP_TASKS_MAX) return 0;
  return ripstop_fail(err, "%lld times %u tasks are more than the %d that there can be", (long long)times, tasks->count,
                      RIPSTOP_TASKS_MAX);
}

int course_room(uint64_t each, uint64_t first, int64_t times, ripstop_error *err) {
  const double all = (double)first + (double)each * (double)(times - 1);
  if (all <= RIPSTOP_TASKS_MAX) return 0;
  return ripstop_fail(err, "%.0f tasks are more than the %d that there can be", all, RIPSTOP_TASKS_MAX);
}

int course_words(ripstop_tasks *tasks, uint64_t each, int64_t times, ripstop_error *err) {
  const uint64_t words = each * (uint64_t)times;
  if (words > RIPSTOP_TASKS_MAX)
    return ripstop_fail(err, "%lld times %llu parts are more than the %d that there can be", (long long)times,
                        (unsigned long long)each, RIPSTOP_TASKS_MAX);
  ripstop_tasks_words(tasks, (uint32_t)words);
  return 0;
}

int course_stepped(ripstop_tasks *tasks, int64_t times, ripstop_error *err) {
  ripstop_tasks_step(tasks);
  return tasks->steps == 1 ? course_fits(tasks, times, err) : 0;
}

int course_repeated(ripstop_tasks *tasks, int64_t repeat, ripstop_error *err) {
  return repeat > 1 ? course_stepped(tasks, repeat, err) : 0;
}

course course_fork(const course *c) {
  course fork = course_open(c->tasks);
  memcpy(fork.after, c->after, c->ranks * sizeof *c->after);
  return fork;
}

void course_join(course *c, const course *other) {
  for (uint32_t i = 0; i < c->ranks; i++) c->after[i] = both(c, i, c->after[i], other->after[i]);
}

/* ------------------------------------------------------------------ blocks */

block block_part(const block *b, uint32_t i, uint32_t parts) {
  block part = *b;
  part.words = b->words / parts;
  part.first = b->first + i % parts * part.words;
  return part;
}

/* The bytes before a word: words have equal sizes, or sizes that differ by one byte. */
static uint64_t bytes_before(const block *b, uint64_t word) {
  return b->bytes / b->all * word + b->bytes % b->all * word / b->all;
}

uint64_t block_bytes(const block *b) {
  const uint64_t first = b->first - b->base;
  return bytes_before(b, first + b->words) - bytes_before(b, first);
}

ripstop_piece block_piece(const block *b, ripstop_carry how) {
  return (ripstop_piece){.from = b->first, .to = b->first, .count = b->words, .run = b->words, .how = how};
}

static void send_block(course *c, uint32_t from, uint32_t to, const block *b, ripstop_carry how) {
  course_send(c, from, to, block_bytes(b), block_piece(b, how));
}

/* ------------------------------------------------------------------ rings */

/* In step s, rank i sends part (i + shift - s) to the next rank. */
static void ring(course *c, const team *t, const block *b, uint32_t shift, ripstop_carry how) {
  for (uint32_t s = 0; s + 1 < t->count; s++, course_step(c))
    for (uint32_t i = 0; i < t->count; i++) {
      block part = block_part(b, i + shift + t->count - s, t->count);
      send_block(c, team_rank(t, i), team_rank(t, i + 1), &part, how);
    }
}

void ring_scatter(course *c, const team *t, const block *b) { ring(c, t, b, 0, RIPSTOP_CARRY_ADD); }

void ring_gather(course *c, const team *t, const block *b, uint32_t shift) { ring(c, t, b, shift, RIPSTOP_CARRY_COPY); }

/* ------------------------------------------------------------------ halving, doubling */

/* Each of `parts` parts has several words: those whose numbers begin like rank i's, down to this distance. */
static block half(const block *b, uint32_t i, uint32_t distance, uint32_t count) {
  return block_part(b, i / distance, count / distance);
}

void halving_scatter(course *c, const team *t, const block *b) {
  for (uint32_t distance = t->count / 2; distance; distance /= 2, course_step(c))
    for (uint32_t i = 0; i < t->count; i++) {
      block part = half(b, i ^ distance, distance, t->count);
      send_block(c, team_rank(t, i), team_rank(t, i ^ distance), &part, RIPSTOP_CARRY_ADD);
    }
}

void doubling_gather(course *c, const team *t, const block *b) {
  for (uint32_t distance = 1; distance < t->count; distance *= 2, course_step(c))
    for (uint32_t i = 0; i < t->count; i++) {
      block part = half(b, i, distance, t->count);
      send_block(c, team_rank(t, i), team_rank(t, i ^ distance), &part, RIPSTOP_CARRY_COPY);
    }
}

/* ------------------------------------------------------------------ trees */

/* Lists ranks from the root down: parents before their children, siblings in order. */
static uint32_t *from_root(const course *c, const uint32_t *parent) {
  ripstop_arena *arena = ripstop_tasks_arena(c->tasks);
  uint32_t *depth = RIPSTOP_ARRAY(arena, c->ranks, uint32_t), *list = RIPSTOP_ARRAY(arena, c->ranks, uint32_t);
  uint32_t count = 0;
  for (uint32_t i = 0; i < c->ranks; i++)
    for (uint32_t at = i; parent[at] != RIPSTOP_NONE; at = parent[at]) depth[i]++;
  for (uint32_t level = 0; count < c->ranks; level++)
    for (uint32_t i = 0; i < c->ranks; i++)
      if (depth[i] == level) list[count++] = i;
  return list;
}

void tree_reduce(course *c, const uint32_t *parent, const block *b) {
  const uint32_t *list = from_root(c, parent);
  for (uint32_t i = c->ranks; i-- > 1; course_step(c)) send_block(c, list[i], parent[list[i]], b, RIPSTOP_CARRY_ADD);
}

void tree_broadcast(course *c, const uint32_t *parent, const block *b) {
  const uint32_t *list = from_root(c, parent);
  for (uint32_t i = 1; i < c->ranks; i++, course_step(c))
    send_block(c, parent[list[i]], list[i], b, RIPSTOP_CARRY_COPY);
}

void tree_binary(uint32_t ranks, uint32_t *parent) {
  for (uint32_t i = 0; i < ranks; i++) parent[i] = i ? (i - 1) / 2 : RIPSTOP_NONE;
}

void tree_chain(uint32_t ranks, uint32_t *parent) {
  for (uint32_t i = 0; i < ranks; i++) parent[i] = i ? i - 1 : RIPSTOP_NONE;
}

void tree_binomial(uint32_t ranks, uint32_t *parent) {
  for (uint32_t i = 0, high = 1; i < ranks; i++) {
    while (2 * high <= i) high *= 2;
    parent[i] = i ? i - high : RIPSTOP_NONE;
  }
}

/* The lowest set bit of a rank gives its height. */
static uint32_t in_order(uint32_t ranks, uint32_t i) {
  const uint32_t bit = i & (~i + 1), up = (i ^ bit) | (bit << 1);
  return i == 0 ? RIPSTOP_NONE : up < ranks ? up : i ^ bit;
}

void tree_in_order(uint32_t ranks, bool mirrored, uint32_t *parent) {
  for (uint32_t i = 0; i < ranks; i++) {
    const uint32_t at = mirrored ? ranks - 1 - i : i, up = in_order(ranks, at);
    parent[i] = up == RIPSTOP_NONE || !mirrored ? up : ranks - 1 - up;
  }
}

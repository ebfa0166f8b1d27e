/* allreduce.c - every rank ends with the sum of all: five algorithms. */
#include "workload/course.h"

typedef enum candidate { WAY_RING, WAY_HALVING, WAY_TREE, WAY_DOUBLE_TREE, WAY_TWO_LEVEL } candidate;
static const char *const way_words[] = {"ring", "halving", "tree", "double-tree", "two-level", NULL};

typedef struct config {
  int64_t bytes, channels, chunks, node, repeat;
  int32_t candidate; /* the algorithm */
} config;

#define OPTION(field) .offset = offsetof(config, field)
static const ripstop_option options[] = {
    {.name = "bytes",
     .type = RIPSTOP_OPTION_INTEGER,
     OPTION(bytes),
     .min = 0,
     .max = 1e15,
     .help = "that each rank has"},
    {.name = "way",
     .type = RIPSTOP_OPTION_WORD,
     OPTION(candidate),
     .words = way_words,
     .fallback = "ring",
     .help = "ring; halving and doubling; one binary tree, or two with half of the bytes each; or "
             "rings inside nodes and between them"},
    {.name = "channels",
     .type = RIPSTOP_OPTION_INTEGER,
     OPTION(channels),
     .min = 1,
     .max = 64,
     .fallback = "1",
     .help = "parts of the bytes that are sent at the same time; in rings every second one in the other direction"},
    {.name = "chunks",
     .type = RIPSTOP_OPTION_INTEGER,
     OPTION(chunks),
     .min = 0,
     .max = 65536,
     .fallback = "0",
     .help = "parts of a channel that follow each other through a tree; 0: of 4,096 bytes or more, at most 16"},
    {.name = "node",
     .type = RIPSTOP_OPTION_INTEGER,
     OPTION(node),
     .min = 1,
     .max = 1 << 20,
     .fallback = "8",
     .help = "ranks of a node, for two-level"},
    COURSE_REPEAT(config, false),
    {0}};

/* Rings: a channel has as many words as there are ranks. */
static void ring_around(course *c, const block *b, bool back) {
  team t = {.count = c->ranks, .stride = 1};
  if (back) t = (team){.base = c->ranks - 1, .stride = UINT32_MAX, .count = c->ranks};
  ring_scatter(c, &t, b);
  ring_gather(c, &t, b, 1);
}

static uint32_t power_below(uint32_t ranks) {
  uint32_t power = 1;
  while (power <= ranks / 2) power *= 2;
  return power;
}

/* With a power of two of ranks. Each rank beyond it gives its data to another, and gets the sum from it (Rabenseifner
 * 2004, section 3). */
static void halve(course *c, const block *b) {
  const team t = {.count = power_below(c->ranks), .stride = 1};
  for (uint32_t i = t.count; i < c->ranks; i++)
    course_send(c, i, i - t.count, block_bytes(b), block_piece(b, RIPSTOP_CARRY_ADD));
  course_step(c);
  halving_scatter(c, &t, b);
  doubling_gather(c, &t, b);
  for (uint32_t i = t.count; i < c->ranks; i++)
    course_send(c, i - t.count, i, block_bytes(b), block_piece(b, RIPSTOP_CARRY_COPY));
  course_step(c);
}

/* Each rank of a node sums up its part inside, then with its counterparts in other nodes, and the node puts the parts
 * together. */
static void two_levels(course *c, const block *b, uint32_t node) {
  const uint32_t nodes = c->ranks / node;
  for (uint32_t n = 0; n < nodes; n++) ring_scatter(c, &(team){n * node, 1, node}, b);
  for (uint32_t i = 0; i < node; i++) {
    const team rail = {i, node, nodes};
    const block part = block_part(b, i + 1, node);
    ring_scatter(c, &rail, &part);
    ring_gather(c, &rail, &part, 1);
  }
  for (uint32_t n = 0; n < nodes; n++) ring_gather(c, &(team){n * node, 1, node}, b, 1);
}

/* Chunks are independent: only the NICs keep them in order. */
static void climb(course *c, const block *b, uint32_t chunks, const uint32_t *parent) {
  course start = course_fork(c);
  for (uint32_t i = 0; i < chunks; i++) {
    course own = course_fork(&start);
    const block part = block_part(b, i, chunks);
    tree_reduce(&own, parent, &part);
    tree_broadcast(&own, parent, &part);
    course_join(c, &own);
  }
}

static void climb_both(course *c, const block *b, uint32_t chunks, uint32_t *parent) {
  course start = course_fork(c);
  for (uint32_t tree = 0; tree < 2; tree++) {
    course own = course_fork(&start);
    const block part = block_part(b, tree, 2);
    tree_in_order(c->ranks, tree == 1, parent);
    climb(&own, &part, chunks, parent);
    course_join(c, &own);
  }
}

/* Chunks of a tree: of all bytes of a channel, or of each half of them. */
static uint32_t chunks_of(const config *k) {
  return course_chunks(k->chunks,
                       (uint64_t)k->bytes / (uint64_t)k->channels / (k->candidate == WAY_DOUBLE_TREE ? 2 : 1));
}

static void go(course *c, const config *k, const block *b, bool back) {
  uint32_t *parent = RIPSTOP_ARRAY(ripstop_tasks_arena(c->tasks), c->ranks, uint32_t);
  tree_binary(c->ranks, parent);
  if (k->candidate == WAY_RING) ring_around(c, b, back);
  if (k->candidate == WAY_HALVING) halve(c, b);
  if (k->candidate == WAY_TREE) climb(c, b, chunks_of(k), parent);
  if (k->candidate == WAY_DOUBLE_TREE) climb_both(c, b, chunks_of(k), parent);
  if (k->candidate == WAY_TWO_LEVEL) two_levels(c, b, (uint32_t)k->node);
}

/* Words of a channel: one for each part that is ever sent separately. */
static uint32_t words_of(const config *k, uint32_t ranks) {
  if (k->candidate == WAY_TREE) return chunks_of(k);
  if (k->candidate == WAY_DOUBLE_TREE) return 2 * chunks_of(k);
  return k->candidate == WAY_HALVING ? power_below(ranks) : ranks;
}

static int check(const config *k, uint32_t ranks, ripstop_error *err) {
  if (k->candidate == WAY_TWO_LEVEL && (ranks % k->node || k->node > ranks))
    return ripstop_fail(err, "%u ranks are no whole number of nodes of %lld", ranks, (long long)k->node);
  return 0;
}

static int build(ripstop_tasks *tasks, const void *config_, ripstop_error *err) {
  const config *k = config_;
  const uint32_t ranks = ripstop_tasks_ranks(tasks), each = words_of(k, ranks), channels = (uint32_t)k->channels;
  if (check(k, ranks, err)) return -1;
  const block all = {.bytes = (uint64_t)k->bytes, .all = each * channels, .words = each * channels};
  ripstop_tasks_words(tasks, each * channels);
  course c = course_open(tasks);
  for (int64_t n = 0; n < k->repeat; n++) {
    course start = course_fork(&c);
    for (uint32_t i = 0; i < channels; i++) {
      course own = course_fork(&start);
      const block b = block_part(&all, i, channels);
      go(&own, k, &b, i % 2);
      course_join(&c, &own);
    }
    if (course_repeated(tasks, k->repeat, err)) return -1;
  }
  return 0;
}

/* Sums of sums, `repeat` times. */
static bool last(const void *config_, uint32_t ranks, uint32_t rank, uint32_t word, uint64_t value) {
  const config *k = config_;
  uint64_t sum = held_sum(ranks, word);
  for (int64_t n = 1; n < k->repeat; n++) sum *= ranks;
  (void)rank;
  return value == sum;
}

static uint64_t first(const void *config_, uint32_t ranks, uint32_t rank, uint32_t word) {
  (void)config_, (void)ranks;
  return held_own(rank, word);
}

const ripstop_workload ripstop_workload_allreduce = {
    .abi = RIPSTOP_WORKLOAD_ABI,
    .name = "allreduce",
    .summary = "every rank ends with the sum of all: ring, halving and doubling, trees, two levels",
    .options = options,
    .config_size = sizeof(config),
    .small = "bytes=8192",
    .build = build,
    .first = first,
    .last = last,
};

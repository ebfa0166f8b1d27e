/* simai.c - workloads of SimAI and AICB: one training step.
 *
 * Transformer: forward through the rows, a computation and then a collective for which the rank waits. Then from the
 * last row to the first: input gradients with a collective and its wait, weight gradients with a collective without
 * one. MICRO: the collectives of the weight gradients, a row after the other.
 *
 * Tensor-parallel ranks are neighbours. Data-parallel ones have the same place in their TP groups. An EP group has that
 * place in `ep` successive TP groups, a DP_EP group in every ep-th one. */
#include "base/local.h"
#include "formats/traces/simai_workload.h"
#include "workload/collective.h"
#include "workload/tasks.h"
#include "workload/trace_file.h"

typedef struct config {
  ripstop_workload_file from; /* first */
  int64_t ranks;
} config;

static const ripstop_option options[] = {RIPSTOP_WORKLOAD_FILE_OPTIONS("path of the workload"),
                                         {.name = "ranks",
                                          .type = RIPSTOP_OPTION_INTEGER,
                                          .offset = offsetof(config, ranks),
                                          .min = 0,
                                          .max = RIPSTOP_FABRIC_MAX_PORTS,
                                          .fallback = "0",
                                          .help = "ranks, where the file has no all_gpus; 0: it has"},
                                         {0}};

typedef struct maker {
  ripstop_tasks *tasks;
  const simai_workload *workload;
  uint32_t ranks;
  ripstop_task *last; /* [ranks]: what comes next waits for it */
  ripstop_arena *scratch;
} maker;

/* ------------------------------------------------------------------ groups */

/* The ranks first, first + stride, ... : the group of one that is its first member. */
typedef struct members {
  uint32_t stride, count;
} members;

static members members_of(const maker *m, simai_phase phase, simai_scope scope) {
  const uint32_t tp = m->workload->tp, ep = m->workload->ep, dp = m->ranks / tp;
  if (scope == SIMAI_EP) return (members){tp, ep};
  if (scope == SIMAI_DP_EP) return (members){tp * ep, dp / ep};
  return phase == SIMAI_WEIGHT_GRADIENT ? (members){tp, dp} : (members){1, tp};
}

/* Groups fill blocks of stride * count ranks, and each rank of the first stride of a block begins one. */
static bool begins_group(const members *g, uint32_t rank) { return rank % (g->stride * g->count) < g->stride; }

/* ------------------------------------------------------------------ tasks */

static uint64_t cycles_of(const maker *m, const simai_part *part) {
  return tasks_cycles(m->tasks, part->picoseconds, part->more);
}

static void compute(const maker *m, const simai_part *part, bool first) {
  for (uint32_t rank = 0; rank < m->ranks; rank++) {
    const ripstop_task one = ripstop_tasks_compute(m->tasks, rank, cycles_of(m, part));
    if (!first) ripstop_tasks_after(m->tasks, one, m->last[rank]);
    m->last[rank] = one;
  }
}

static void run_collective(const collective *c, const simai_part *part) {
  if (part->collective == SIMAI_ALL_REDUCE) collective_all_reduce(c, part->bytes);
  if (part->collective == SIMAI_ALL_GATHER) collective_all_gather(c, part->bytes);
  if (part->collective == SIMAI_REDUCE_SCATTER) collective_reduce_scatter(c, part->bytes);
  if (part->collective == SIMAI_ALL_TO_ALL) collective_all_to_all(c, part->bytes);
}

static void communicate(const maker *m, const simai_row *row, simai_phase phase, bool wait) {
  const simai_part *part = &row->part[phase];
  const members g = members_of(m, phase, part->scope);
  if (part->collective == SIMAI_NONE || part->bytes == 0 || g.count < 2) return;
  uint32_t *rank = RIPSTOP_ARRAY(m->scratch, g.count, uint32_t);
  ripstop_task *start = RIPSTOP_ARRAY(m->scratch, g.count, ripstop_task);
  ripstop_task *done = RIPSTOP_ARRAY(m->scratch, g.count, ripstop_task);
  const collective c = {m->tasks, rank, g.count, start, done, row->line};
  for (uint32_t first = 0; first < m->ranks; first++) {
    if (!begins_group(&g, first)) continue;
    for (uint32_t i = 0; i < g.count; i++) {
      rank[i] = first + i * g.stride;
      start[i] = m->last[rank[i]];
      done[i] = ripstop_tasks_wait(m->tasks, rank[i], 0);
      ripstop_tasks_line(m->tasks, done[i], row->line);
    }
    run_collective(&c, part);
    for (uint32_t i = 0; wait && i < g.count; i++) m->last[rank[i]] = done[i];
  }
}

static void add_step(const maker *m) {
  const simai_workload *w = m->workload;
  for (uint32_t i = 0; i < w->rows; i++) {
    compute(m, &w->row[i].part[SIMAI_FORWARD], i == 0);
    communicate(m, &w->row[i], SIMAI_FORWARD, true);
  }
  for (uint32_t i = w->rows; i-- > 0;) {
    compute(m, &w->row[i].part[SIMAI_INPUT_GRADIENT], false);
    communicate(m, &w->row[i], SIMAI_INPUT_GRADIENT, true);
    compute(m, &w->row[i].part[SIMAI_WEIGHT_GRADIENT], false);
    communicate(m, &w->row[i], SIMAI_WEIGHT_GRADIENT, false);
  }
}

static void add_micro(const maker *m) {
  static const simai_part none = {0};
  compute(m, &none, true); /* a task of each rank to begin with */
  for (uint32_t i = 0; i < m->workload->rows; i++) communicate(m, &m->workload->row[i], SIMAI_WEIGHT_GRADIENT, true);
}

/* ------------------------------------------------------------------ the job */

static int find_ranks(const config *c, const simai_workload *w, uint32_t *out, ripstop_error *err) {
  const uint32_t own = (uint32_t)c->ranks;
  if (!own && !w->gpus) return ripstop_fail(err, "SimAI workload: line 1 has no all_gpus; give ranks=N");
  if (own && w->gpus && own != w->gpus)
    return ripstop_fail(err, "SimAI workload: ranks=%u, but line 1 has all_gpus %u", own, w->gpus);
  *out = own ? own : w->gpus;
  if (*out % w->tp)
    return ripstop_fail(err, "SimAI workload: line 1: %u GPUs are no whole number of tensor-parallel groups of %u",
                        *out, w->tp);
  if (*out / w->tp % w->ep == 0) return 0;
  return ripstop_fail(err, "SimAI workload: line 1: %u data-parallel ranks are no multiple of ep %u", *out / w->tp,
                      w->ep);
}

static int build(ripstop_tasks *tasks, const void *config_, ripstop_error *err) {
  const config *c = config_;
  RIPSTOP_LOCAL_ARENA(scratch);
  const char *text;
  size_t length;
  simai_workload w;
  maker m = {.tasks = tasks, .workload = &w, .scratch = scratch};
  if (trace_file_read(scratch, c->from.path, "simai", &text, &length, err)) return -1;
  if (ripstop_simai_read(&w, scratch, text, length, err) || find_ranks(c, &w, &m.ranks, err)) return -1;
  if (ripstop_tasks_need(tasks, m.ranks, err)) return -1;
  m.last = RIPSTOP_ARRAY(scratch, m.ranks, ripstop_task);
  if (w.rows) (w.policy == SIMAI_MICRO ? add_micro : add_step)(&m);
  return 0;
}

const ripstop_workload ripstop_workload_simai = {
    .abi = RIPSTOP_WORKLOAD_ABI,
    .name = "simai",
    .summary = "a workload of SimAI or AICB: a training step by layers, with its collectives",
    .options = options,
    .config_size = sizeof(config),
    .build = build,
};

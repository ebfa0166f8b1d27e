/* opensm-dfsssp.c - the tables that OpenSM's engine `dfsssp` writes, and the service levels that it answers: shortest
 * paths that share cables (shared/opensm_sssp.h), on virtual lanes whose channel dependency graphs have no cycle
 * (opensm-dfsssp/dfsssp_lanes.h). */
#include "base/local.h"
#include "methods/opensm-dfsssp/dfsssp_lanes.h"
#include "methods/shared/c_random.h"
#include "methods/shared/entries.h"
#include "methods/shared/opensm_fallback.h"
#include "methods/shared/opensm_lids.h"

typedef struct config {
  int64_t lanes, seed;
} config;

static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, lanes, 1, RIPSTOP_LANES, "8", "virtual lanes of each link"),
    RIPSTOP_INTEGER(config, seed, 0, UINT32_MAX, "1",
                    "seed of the VL that a pair gets if it may use several; 0: the first of them"),
    {0}};

/* OpenSM draws a VL each time a path is requested. Here each pair gets one. */
static void draw_lanes(const config *c, const ripstop_opensm_targets *t, const ripstop_dfsssp_lanes *lanes,
                       ripstop_forwarding *tables) {
  ripstop_c_random random;
  ripstop_c_random_open(&random, (uint32_t)c->seed);
  for (uint32_t part = 0; part < t->parts && c->seed > 0; part++)
    for (uint32_t k = t->first[part]; k < t->first[part + 1] && ripstop_is_end(tables->fabric, t->node[k]); k++)
      for (uint32_t i = t->first[part]; i < t->first[part + 1]; i++) {
        uint8_t *level = &tables->level[(size_t)t->node[k] * tables->addresses + t->node[i]];
        const uint32_t count = lanes[part].count[*level];
        if (count > 1) *level = (uint8_t)(*level + ripstop_c_random_next(&random) % count);
      }
}

static ripstop_forwarding *make(const void *given, const ripstop_view *view, ripstop_arena *arena, ripstop_error *err) {
  const config *c = given;
  RIPSTOP_LOCAL_ARENA(scratch);
  ripstop_opensm net;
  ripstop_opensm_targets targets;
  ripstop_opensm_discover(&net, view, scratch);
  ripstop_opensm_list_targets(&net, scratch, &targets);
  const uint32_t *lid = ripstop_opensm_lids(view->fabric, scratch, err);
  ripstop_forwarding *tables = lid ? ripstop_opensm_sssp(&net, &targets, arena, err) : NULL;
  ripstop_dfsssp_lanes *lanes = RIPSTOP_ARRAY(scratch, targets.parts, ripstop_dfsssp_lanes);
  if (!tables) return NULL;
  tables->lanes = (uint32_t)c->lanes;
  tables->level = RIPSTOP_ARRAY(arena, (size_t)view->fabric->ends * tables->addresses, uint8_t);
  if (ripstop_dfsssp_assign(&net, &targets, lid, tables->lanes, tables, lanes, err)) return NULL;
  draw_lanes(c, &targets, lanes, tables);
  return tables;
}

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  p->channels = (uint32_t)((const config *)p->config)->lanes;
  return ripstop_opensm_plan_or_fall_back(p, make, err);
}

static ripstop_forwarding *repair(const void *given, const ripstop_view *view, const ripstop_forwarding *old,
                                  double *seconds, ripstop_answer *answer, ripstop_error *err) {
  (void)seconds;
  return ripstop_opensm_repair_or_fall_back(make, given, view, old, answer, err);
}

static void guarantees(const ripstop_fabric *fabric, const void *given, ripstop_guarantees *out) {
  (void)fabric;
  (void)given;
  *out = (ripstop_guarantees){.deadlock_free = true};
}

const ripstop_method ripstop_method_opensm_dfsssp = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "opensm-dfsssp",
    .summary = "any fabric: the tables that OpenSM's engine dfsssp writes, shortest paths on VLs without cycles",
    .source = "Domke, Hoefler and Nagel 2011; OpenSM 3.3.23 (docs/methods/opensm-dfsssp.md)",
    .options = options,
    .config_size = sizeof(config),
    .preset = "modern",
    .losses = ripstop_entries_losses,
    .plan = plan,
    .route = ripstop_entries_route,
    .guarantees = guarantees,
    .forwarding = ripstop_entries_forwarding,
    .repair = repair,
    .by_source = true,
};

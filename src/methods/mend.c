/* mend.c - deadlock-free forwarding tables for any fabric with any faults. src/mend makes them; here packets follow
 * them, or take any shortest route that the tables' channel orders permit (mend/adaptive.h). A packet gets its virtual
 * channel when it is generated, and keeps it.
 *
 * Stored runs are named by the text of this file and its folder, not by that of src/mend (cmake/sources.cmake). A
 * change of the tables that src/mend makes is counted here: tables 3 have shorter routes on damaged fat trees. */
#include "mend/made.h"
#include "mend/repairs.h"

#include "fabric/tree.h"
#include "methods/mend/adaptive.h"
#include "methods/shared/entries.h"

typedef struct config {
  int64_t lanes, seed, budget, lmc;
  int32_t ways, sl, groups;
} config;

enum { TOLERATES = 2 }; /* it delivers every connected pair; the proofs check two faults */
enum { BY_TABLES, ADAPTIVE };
static const char *const candidates_words[] = {[BY_TABLES] = "tables", [ADAPTIVE] = "adaptive", NULL};
enum { BY_DESTINATION, BY_PAIR };
static const char *const sl_words[] = {[BY_DESTINATION] = "destination", [BY_PAIR] = "pair", NULL};

enum { NO_GROUPS, BY_TREE };
static const char *const groups_words[] = {[NO_GROUPS] = "none", [BY_TREE] = "tree", NULL};

static const ripstop_option options[] = {
    RIPSTOP_WORD(config, ways, candidates_words, "tables",
                 "candidates: one per destination, from tables; or every shortest one that cannot deadlock",
                 .positional = true),
    RIPSTOP_INTEGER(config, lanes, 1, RIPSTOP_MEND_LANES, "4",
                    "virtual channels of each link; packets keep theirs. Adaptive candidates on fat trees use one"),
    RIPSTOP_WORD(config, sl, sl_words, "destination",
                 "what the virtual channel depends on: the destination, or source and destination"),
    RIPSTOP_INTEGER(config, seed, 0, UINT32_MAX, "1", "seed of the random numbers that tables are made with"),
    RIPSTOP_INTEGER(config, budget, 0, UINT32_MAX, "0",
                    "entries that a repair may change: what it does not need relieves the busiest channels"),
    RIPSTOP_INTEGER(config, lmc, 0, RIPSTOP_MEND_LMC, "0",
                    "2^lmc addresses for each end node, with routes of their own; each packet uses a random one"),
    RIPSTOP_WORD(config, groups, groups_words, "none",
                 "tree: virtual channel 0 keeps room for one tree of all multicast groups, as under OpenSM's plug-in",
                 .later = true),
    {0}};

/* A fat tree's shortest routes go up and then down, and need only one virtual channel. */
static uint32_t lanes_of(const ripstop_fabric *fabric, const config *c) {
  ripstop_tree tree;
  return c->ways == ADAPTIVE && ripstop_tree_from(fabric, &tree) ? 1 : (uint32_t)c->lanes;
}

static ripstop_mend_options wanted_of(const ripstop_fabric *fabric, const config *c) {
  return (ripstop_mend_options){.lanes = lanes_of(fabric, c),
                                .by_pair = c->sl == BY_PAIR,
                                .seed = (uint64_t)c->seed,
                                .lmc = (uint32_t)c->lmc,
                                .groups = c->groups == BY_TREE};
}

static void raise_to(uint32_t *most, uint32_t count) {
  if (count > *most) *most = count;
}

static ripstop_answer plan_adaptive(ripstop_plan *p, const ripstop_mend *mend, ripstop_error *err) {
  const ripstop_fabric *f = p->fabric;
  p->bubble = true;
  p->candidates_max = p->channels;
  for (uint32_t v = f->ends; v < f->nodes; v++) raise_to(&p->candidates_max, ripstop_node_ports(f, v));
  if (p->candidates_max > UINT8_MAX)
    return ripstop_does_not_apply(err, "mend: a switch of %s has more than %d ports", f->spec, UINT8_MAX);
  p->data = ripstop_mend_adaptive(p, mend, err);
  return p->data ? RIPSTOP_APPLIES : RIPSTOP_DOES_NOT_APPLY;
}

static ripstop_answer plan_tables(ripstop_plan *p, const ripstop_mend *mend) {
  p->data = mend->tables;
  p->random_headers = ripstop_forwarding_most(mend->tables);
  return RIPSTOP_APPLIES;
}

/* If service levels depend on the source, a tree may use any virtual channel, so no branch can be moved alone. */
static int check(const config *c, ripstop_error *err) {
  if (c->budget > 0 && c->sl == BY_PAIR) return ripstop_fail(err, "mend: budget goes with sl=destination");
  if (c->lmc > 0 && c->ways == ADAPTIVE) return ripstop_fail(err, "mend: lmc goes with ways=tables");
  return 0;
}

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  const config *c = p->config;
  if (check(c, err)) return RIPSTOP_DOES_NOT_APPLY;
  const ripstop_mend_options wanted = wanted_of(p->fabric, c);
  ripstop_mend *mend = mend_open_in(p->arena, p->view, &wanted, err);
  if (!mend) return RIPSTOP_ERROR;
  p->channels = wanted.lanes;
  ripstop_answer answer = c->ways == ADAPTIVE ? plan_adaptive(p, mend, err) : plan_tables(p, mend);
  mend->tables = NULL; /* the plan owns them */
  ripstop_mend_free(mend);
  return answer;
}

static bool is_adaptive(const ripstop_plan *p) { return ((const config *)p->config)->ways == ADAPTIVE; }

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  if (!is_adaptive(p)) return ripstop_entries_route(p, head, candidates);
  if (ripstop_is_end(p->fabric, head->node) && !p->view->port_up[p->fabric->port_base[head->node]])
    return -(1 + ENTRIES_CUT_OFF);
  int count = ripstop_mend_adaptive_candidates(p, p->data, head, candidates);
  return count ? count : -(1 + ENTRIES_NO_CANDIDATE);
}

static void guarantees(const ripstop_fabric *fabric, const void *config_, ripstop_guarantees *out) {
  (void)config_;
  *out = (ripstop_guarantees){.tolerates = ripstop_mend_tolerates(fabric, TOLERATES), .deadlock_free = true};
}

static const ripstop_forwarding *forwarding(const ripstop_plan *p) {
  return is_adaptive(p) ? NULL : ripstop_entries_forwarding(p);
}

static int check_repair(const config *c, const ripstop_forwarding *old, ripstop_answer *answer, ripstop_error *err) {
  const ripstop_mend_options wanted = wanted_of(old->fabric, c);
  *answer = RIPSTOP_DOES_NOT_APPLY;
  if (c->ways == ADAPTIVE) return ripstop_fail(err, "mend: ways=adaptive has no tables to repair");
  return check(c, err) ? -1 : mend_may_stay(&wanted, old, err);
}

static ripstop_forwarding *repair(const void *config_, const ripstop_view *view, const ripstop_forwarding *old,
                                  double *seconds, ripstop_answer *answer, ripstop_error *err) {
  const config *c = config_;
  if (check_repair(c, old, answer, err)) return NULL;
  return ripstop_mend_repair(view, old, (uint64_t)c->seed, (uint32_t)c->budget, c->groups == BY_TREE, seconds, answer,
                             err);
}

static void *open_repairs(const void *config_, const ripstop_view *view, const ripstop_forwarding *old,
                          ripstop_answer *answer, ripstop_error *err) {
  const config *c = config_;
  if (check_repair(c, old, answer, err)) return NULL;
  return mend_repairs_open(view, old, (uint64_t)c->seed, (uint32_t)c->budget, c->groups == BY_TREE, answer, err);
}

static ripstop_answer follow(void *repairs, ripstop_repaired *out, ripstop_error *err) {
  return mend_repairs_follow(repairs, out, err);
}

static void close_repairs(void *repairs) { mend_repairs_close(repairs); }

static const ripstop_repairs repairs = {open_repairs, follow, close_repairs};

const ripstop_method ripstop_method_mend = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "mend",
    .summary = "any fabric with any faults: balanced forwarding tables, every connected pair, no deadlock",
    .source = "docs/methods/mend.md",
    .options = options,
    .config_size = sizeof(config),
    .preset = "modern",
    .plain_with = "adaptive",
    .losses = ripstop_entries_losses,
    .plan = plan,
    .route = route,
    .guarantees = guarantees,
    .forwarding = forwarding,
    .repair = repair,
    .repairs = &repairs,
    .by_source = true,
};

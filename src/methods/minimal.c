/* minimal.c - minimal routing: all shortest paths, adaptively, on any fabric with any number of end nodes per switch.
 * The usual baseline for methods with detours. src/methods/shared/shortest.h has the candidates, the virtual channels,
 * and why they do not deadlock.
 *
 * Fat trees of `half` up ports have that many link-disjoint shortest paths between two leaves, so fewer failed links
 * leave one, and no packet gets longer paths. Elsewhere a failed link may make shortest paths longer than the virtual
 * channels suffice for. */
#include "fabric/tree.h"
#include "methods/shared/shortest.h"

enum { LATE, EARLY };
typedef struct minimal_config {
  shortest_config shortest;
  int32_t rise;
} minimal_config;

static const char *const rise_words[] = {[LATE] = "late", [EARLY] = "early", NULL};
static const ripstop_option options[] = {
    RIPSTOP_SHORTEST_OPTIONS("all"),
    {.name = "rise",
     .type = RIPSTOP_OPTION_WORD,
     .offset = offsetof(minimal_config, rise),
     .words = rise_words,
     .fallback = "late",
     .later = true,
     .help = "late: a packet takes the next virtual channel where the order of links demands it; early: at every hop "
             "for which channels are left, so that its hops share no queue"},
    {0}};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) { return ripstop_shortest_plan(p, 1, err); }

/* Takes the next virtual channel where that leaves as many as the packet needs behind the link. Each hop still takes a
 * later link of the same channel or a higher channel. */
static void rise_early(const ripstop_plan *p, const ripstop_head *head, uint32_t target, ripstop_candidate *candidates,
                       int count) {
  const ripstop_fabric *f = p->fabric;
  const uint32_t base = f->port_base[head->node];
  const uint8_t *rises = shortest_rises(p->data, f, target);
  if (ripstop_is_end(f, f->port_node[f->peer[base + head->in_port]])) return;
  for (int i = 0; i < count; i++) {
    const uint32_t ahead = rises[base + candidates[i].port - f->ends];
    if (candidates[i].channel == head->channel && candidates[i].channel + 1 + ahead < p->channels)
      candidates[i].channel++;
  }
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const shortest *s = p->data;
  if (ripstop_is_end(p->fabric, head->node)) return ripstop_shortest_end(p, head, 0, 0, candidates);
  uint32_t last = shortest_target(s, p, head->destination);
  if (s->node[last] == head->node)
    return ripstop_shortest_end(p, head, ripstop_end_switch_port(p->fabric, head->destination), 0, candidates);
  const ripstop_candidate like = {.space = 1, .weight = shortest_links(s, p, head->node, last)};
  const int count = ripstop_shortest_candidates(p, head, last, false, 0, like, candidates);
  if (((const minimal_config *)p->config)->rise == EARLY) rise_early(p, head, last, candidates, count);
  return count;
}

static void guarantees(const ripstop_fabric *fabric, const void *config, ripstop_guarantees *out) {
  (void)config;
  ripstop_tree tree;
  uint32_t tolerates = ripstop_tree_from(fabric, &tree) && tree.levels > 1 ? tree.half - 1 : 0;
  *out = (ripstop_guarantees){.tolerates = tolerates, .minimal = false, .deadlock_free = true};
}

const ripstop_method ripstop_method_minimal = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "minimal",
    .summary = "any fabric: every shortest path, with a virtual channel per hop or fewer",
    .source = "Dally and Towles 2004, sections 10.2.1 and 14.2",
    .options = options,
    .config_size = sizeof(minimal_config),
    .preset = "modern",
    .losses = ripstop_shortest_losses,
    .plan = plan,
    .route = route,
    .guarantees = guarantees,
};

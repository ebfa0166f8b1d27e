/* what_text.c - prints `ripstop what-if` for people. */
#include <inttypes.h>
#include <string.h>

#include "base/local.h"
#include "cli/what.h"
#include "fabric/ib.h"
#include "faults/describe.h"
#include "ripstop/plugin/method.h"

enum { SHOWN = 20, FEW = 5, ALONE = 12, WITH_SET = 14 /* widths of these columns */ };

/* "yes", or the condition that it breaks alone; empty for a cable of a host. */
static const char *alone(const what_if_study *w, uint32_t part) {
  if (!w->page.safe_why || what_if_is_host_cable(w, part)) return "";
  const unsigned why = w->safe.why_not[w->parts[part].link[0]];
  return why == RIPSTOP_HARM_NONE ? "yes" : ripstop_harm_words[why];
}

/* Prints both answers for a cable between switches: alone, and with the safe set. */
static void print_may_go(const what_if_study *w, uint32_t part) {
  if (!w->page.safe_why) return;
  const char *beside = w->page.beside_why[part] ? what_if_beside(w, w->parts[part].link[0]) : "";
  const char *words = *beside                          ? ripstop_arena_printf(w->arena, "no: %s", beside)
                      : what_if_is_host_cable(w, part) ? ""
                      : w->page.safe_why[part]         ? "no"
                                                       : "yes";
  printf("%-*s%-*s", ALONE, alone(w, part), WITH_SET, words);
}

static void print_table(const what_if_study *w, bool all) {
  const uint32_t *order = w->page.drawn.order;
  uint32_t shown = 0, hosts = 0;
  printf("  %12s %12s %12s %12s  %-6s  ", "disconnected", "paths on it", "worst before", "worst after", "loop");
  if (w->page.safe_why) printf("%-*s%-*s", ALONE, "alone", WITH_SET, "with the set");
  printf("%s\n", what_if_part_words[w->settings.of]);
  for (uint32_t i = 0; i < w->count; i++) {
    const ripstop_what_if *e = &w->effect[order[i]];
    bool host = what_if_is_host_cable(w, order[i]);
    hosts += host;
    if (!all && (host || shown == SHOWN)) continue;
    shown++;
    printf("  %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 "  %-6s  ", e->disconnected, e->on_it,
           w->before.worst, e->worst,
           e->credit_loop      ? "yes"
           : e->transient_loop ? "mixed"
                               : "no");
    print_may_go(w, order[i]);
    printf("%s", w->name[order[i]]);
    if (w->described[order[i]][0]) printf("  %s", w->described[order[i]]);
    if (e->groups_cut)
      printf("  (cuts off %u member%s of multicast groups)", e->members_cut, e->members_cut == 1 ? "" : "s");
    printf("\n");
  }
  if (!all && shown < w->count - hosts) printf("  ... and %u more (--all shows them)\n", w->count - hosts - shown);
  if (!all && hosts) printf("  %u cables to adapters, each of which parts its own from all others\n", hosts);
}

static uint32_t count_loops(const what_if_study *w, uint32_t from) {
  uint32_t looping = 0;
  for (uint32_t i = from; i < w->count; i++) looping += w->effect[i].credit_loop && !what_if_is_host_cable(w, i);
  return looping;
}

static const char *as_now(const what_if_study *w) {
  if (w->now == RIPSTOP_DEADLOCK_DRAINED) return ", as the tables have now on switches without bubble flow control";
  return w->before.credit_loop ? ", as the tables have now" : "";
}

/* The verdict of the tables as they are, and what the column "loop" assumes where that is something else. */
static void print_deadlock(const what_if_study *w) {
  const ripstop_plan *plan = w->settings.plan;
  printf("  deadlock   %s\n", ripstop_deadlock_words[w->now]);
  if (plan && !w->settings.whole)
    printf("  loop       of repaired tables with credits or PFC, all packets on one virtual channel: service levels "
           "cannot name those of %s\n",
           plan->method->name);
  else if (plan && plan->bubble)
    printf("  loop       of repaired tables with credits or PFC: repaired entries have no bubble flow control\n");
}

/* Pairs in which one cable disconnects end nodes alone. */
static uint64_t pairs_with_one(const ripstop_cuts *c) {
  uint64_t alone = c->alone;
  return alone * (c->links - alone) + (alone > 0 ? alone * (alone - 1) / 2 : 0);
}

static void print_pairs(const what_if_study *w) {
  const ripstop_cuts *c = &w->cuts;
  uint32_t drawn = w->count - w->from;
  printf("\nexactly %" PRIu64 " of all %" PRIu64 " pairs of cables part adapters that live on", c->parting, c->pairs);
  if (c->alone) printf("; in all but %" PRIu64 " of them one cable does so alone", c->parting - pairs_with_one(c));
  printf("\nafter %u of %u that were looked at the repaired tables have a credit loop%s\n", count_loops(w, 0), w->count,
         as_now(w));
  if (!w->sampled || drawn == 0) return;
  ripstop_interval loops = ripstop_clopper_pearson(count_loops(w, w->from), drawn, 0.99);
  printf("%u of these are a random sample of all: a credit loop follows after at most %.3g %% of all, with 99 %% "
         "confidence\n",
         drawn, 100 * loops.high);
}

static void print_shares(const what_if_study *w) {
  uint32_t parting = 0, hosts = 0;
  for (uint32_t i = 0; i < w->count; i++) {
    hosts += what_if_is_host_cable(w, i);
    parting += w->effect[i].disconnected > w->effect[i].own;
  }
  printf("\n%u of %u %s part adapters that live on; after %u of them the repaired tables have a credit loop%s\n",
         parting, w->count - hosts, what_if_parts_words[w->settings.of], count_loops(w, 0), as_now(w));
}

/* Failed parts cut the trees of multicast groups until the subnet manager has made others. */
static void print_groups(const what_if_study *w) {
  const ripstop_groups *groups = w->settings.tables->groups;
  uint32_t cut = 0;
  for (uint32_t i = 0; i < w->count; i++) cut += w->effect[i].groups_cut > 0;
  if (groups)
    printf("%u of %u cut off members of the %u multicast groups until there are new trees; loops are with the present "
           "trees\n",
           cut, w->count, groups->groups);
}

/* The remedy for `mixed` in the table. */
static void print_mixed(const what_if_study *w) {
  uint32_t mixed = 0, never = 0;
  for (uint32_t i = 0; i < w->count; i++) {
    const bool together = w->effect[i].transient_loop && !w->effect[i].credit_loop;
    mixed += together;
    never += together && w->effect[i].no_order;
  }
  if (mixed == 0 || w->before.credit_loop) return;
  printf("mixed, after %u of %u: neither old nor new tables can deadlock, but together they can, with %s, while one is "
         "written over the other\n  two writes are safe: first without the entries that change, then with the new ones",
         mixed, w->count, ripstop_flow_control_words[0]);
  if (w->settings.reroute) printf(" ('ripstop route --method %s --after' makes both)", w->settings.reroute);
  printf("\n");
  if (never)
    printf("  except after %u of these: packets on old service levels can deadlock under the new tables, so write them "
           "while no traffic runs\n",
           never);
}

static void print_rerouted(const what_if_study *w) {
  uint32_t none = 0, unrouted = 0, first = 0;
  for (uint32_t i = 0; i < w->count; i++) {
    if (!w->effect[i].rerouted && !none++) first = i;
    unrouted += w->effect[i].unrouted > 0;
  }
  printf("rerouted by %s: after %u of %u it leaves pairs with a path without a route, for %u it has no tables and they "
         "are "
         "repaired\n",
         w->settings.reroute, unrouted, w->count, none);
  if (none) printf("  after %s: %s\n", w->name[first], w->effect[first].why_not);
}

/* "S-0002c90200000010 'leaf-01'" */
static void print_node(const what_if_study *w, uint32_t node) {
  printf("%s", what_if_node_name(w, node));
  if (ripstop_describe_node(w->arena, w->settings.view->fabric, node)[0])
    printf(" %s", ripstop_describe_node(w->arena, w->settings.view->fabric, node));
}

static void print_nodes(const what_if_study *w, const what_if_cut_off *off) {
  for (uint32_t i = 0; i < off->count && i < FEW; i++) {
    printf(i ? ", " : " ");
    print_node(w, off->node[off->count - 1 - i]);
  }
  if (off->count > FEW) printf(", ... %u in all", off->count);
}

/* Parts whose death takes switches out of the subnet manager's reach. */
static void print_cut_off(const what_if_study *w) {
  uint32_t parts = 0;
  for (uint32_t i = 0; i < w->count; i++) {
    const what_if_cut_off *off = &w->off[w->page.drawn.order[i]];
    if (off->switches == 0 || ++parts > FEW) continue;
    printf("out of the subnet manager's reach after %s: %u switches, %u adapters:", w->name[w->page.drawn.order[i]],
           off->switches, off->count - off->switches);
    print_nodes(w, off);
    printf("\n");
  }
  if (parts > FEW) printf("... and after %u more\n", parts - FEW);
}

/* They are no cables of the fabric, so none of the parts. */
static void print_own_cables(const what_if_study *w) {
  uint32_t found = 0;
  for (uint32_t i = 0; w->page.drawn.told && i < w->page.drawn.told->count; i++) {
    const ripstop_odd *odd = &w->page.drawn.told->list[i];
    if (strcmp(odd->what, RIPSTOP_ODD_OWN_CABLE) != 0) continue;
    printf("%s%s", found++ ? ", " : "from a switch to itself, and carry nothing: ", odd->where[0]);
  }
  if (found) printf("\n");
}

static const char *loop_words(const ripstop_table_verdict *v) {
  return v->credit_loop ? "and the credit loop that is there stays" : "no credit loop";
}

/* `steps`: ripstop_update.steps. */
static void print_order(const char *tables, uint32_t steps) {
  if (steps == 0)
    printf("  %s are the present ones\n", tables);
  else if (steps == 2)
    printf("  write %s in two steps, first without the entries that change: together with the present ones they could "
           "deadlock or loop\n",
           tables);
  else if (steps == RIPSTOP_NONE)
    printf("  write %s while no traffic runs: of old and new ones together, deadlock is %s\n", tables,
           ripstop_deadlock_words[ripstop_deadlock_of_tables(true)]);
  else
    printf("  %s can be written in any order under traffic: under any transient state of old and new, deadlock is %s\n",
           tables, ripstop_deadlock_words[ripstop_deadlock_of_tables(false)]);
}

static void print_method_proof(const what_if_study *w) {
  const ripstop_safe_set *s = &w->safe;
  const ripstop_table_verdict *v = &s->rerouted_after;
  if (s->rerouted)
    printf("  proved also for the tables that %s then makes: all pairs with a path are reached, the worst link carries "
           "%" PRIu64 " paths (its tables now: %" PRIu64 "), %s\n",
           w->settings.reroute, v->worst, s->worst_now, loop_words(v));
  else if (w->settings.reroute)
    printf("  none can be: %s\n", w->page.why_none);
}

/* The number of cables that each condition refuses, and one of them. */
static void print_unsafe(const what_if_study *w) {
  for (unsigned why = RIPSTOP_HARM_NONE + 1; why < RIPSTOP_HARMS; why++) {
    uint32_t i = 0;
    if (w->safe.unsafe[why] == 0) continue;
    while (what_if_is_host_cable(w, i) || w->safe.why_not[w->parts[i].link[0]] != why) i++;
    printf("  %-9s  no: %u cables, such as %s: %s\n", ripstop_harm_words[why], w->safe.unsafe[why], w->name[i],
           w->page.safe_why[i]);
  }
}

/* The number of cables that are safe alone, but not in the set, and one of them with its reason. */
static void print_beside(const what_if_study *w) {
  uint32_t count = 0, first = 0;
  for (uint32_t i = w->count; i-- > 0;)
    if (w->page.beside_why[i]) count++, first = i;
  if (count == 0) return;
  printf("  alone yes, with the set no: %u cable%s, such as %s: %s\n", count, count == 1 ? "" : "s", w->name[first],
         w->page.beside_why[first]);
}

/* The load of each role now and then, and its bar. */
static void print_roles(const what_if_study *w) {
  for (uint32_t i = 0; i < w->capacity->roles; i++) {
    const ripstop_role_use *use = &w->safe.role[i];
    RIPSTOP_LOCAL_TEXT(name);
    if (use->before == 0 && use->bar == 0) continue;
    ripstop_capacity_print_role(w->capacity, i, &name);
    printf("  levels %-8s worst link now %.4g, then %.4g paths (bar: %.4g)\n", name.data, use->before, use->after,
           use->bar);
  }
}

static void print_cables(const what_if_study *w, const uint32_t *link, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const char *words = ripstop_describe_link(w->arena, w->settings.view->fabric, link[i]);
    printf("  %s%s%s\n", what_if_link_name(w, link[i]), words[0] ? "  " : "", words);
  }
}

static void print_safe_proof(const what_if_study *w, const char *folder) {
  const ripstop_safe_set *s = &w->safe;
  printf("  with the %s tables all %" PRIu64 " pairs that had a route are reached, the worst link carries %" PRIu64
         " paths (now %" PRIu64 "), %s\n",
         s->from_scratch ? "new" : "repaired", s->after.pairs - s->after.unreached, s->after.worst, w->before.worst,
         loop_words(&s->after));
  printf("  proved for %s%s\n",
         s->from_scratch ? "shortest paths made for the rest of the fabric, which spare more cables than repairs"
         : s->fresh      ? "new tables, which load links less than the given ones, repaired by the fewest changes"
                         : ripstop_arena_printf(w->arena, "%s, repaired by the fewest changes", w->page.tables),
         w->settings.reroute ? "" : ": for what OpenSM would write instead, give --reroute");
  print_method_proof(w);
  if (s->links == 0) return;
  print_roles(w);
  print_order(s->from_scratch ? "the new tables" : "the repaired tables", s->steps);
  if (s->rerouted) print_order("its tables", s->rerouted_steps);
  printf("  write the tables %s%s first, then pull: they use none of these cables, so no packet is lost\n",
         folder ? "in " : "(--safe-tables FOLDER)", folder ? folder : "");
}

static void print_safe(const what_if_study *w, const char *folder) {
  const ripstop_safe_set *s = &w->safe;
  printf("\nSafe to take out while the tables stay as they are: %u cables, which carry no path%s\n", s->idle,
         w->settings.tables->groups ? " and no multicast packets" : "");
  print_cables(w, s->idle_link, s->idle);
  printf("\nSafe to take out together: %u of %u cables between switches, ", s->links, s->links + s->refused);
  if (w->incomplete)
    printf("as the dump is incomplete\n");
  else
    s->links == s->at_most ? printf("the maximum\n") : printf("at most %u\n", s->at_most);
  if (w->incomplete)
    printf("  INCOMPLETE DUMP: %s. No cable is known to be safe: hosts and cables that are not listed may need it.\n",
           w->incomplete);
  print_safe_proof(w, folder);
  if (w->safe_off.count > 0) {
    printf("  without them the subnet manager does not reach:");
    print_nodes(w, &w->safe_off);
    printf("\n");
  }
  print_cables(w, s->link, s->links);
  print_unsafe(w);
  print_beside(w);
}

static void print_leaves(const what_if_study *w) {
  const picture *o = &w->page.drawn;
  printf("\nWeakest leaves, by what their cables to switches can carry for each unit that their hosts can send:\n");
  for (uint32_t i = 0; i < o->leaves && i < FEW; i++) {
    printf("  %.3f  ", what_share(&o->leaf[i]));
    print_node(w, o->leaf[i].node);
    printf(": %u hosts, %u cables to switches\n", o->leaf[i].hosts, o->leaf[i].uplinks);
  }
  if (o->leaves > FEW) printf("  ... and %u more, up to %.3f\n", o->leaves - FEW, what_share(&o->leaf[o->leaves - 1]));
}

static void print_mends(const what_if_study *w) {
  const what_if *p = &w->page;
  if (p->mends == 0) return;
  printf("\nMend first, by what it changes when the next cable of the same leaf or pod fails:\n");
  for (uint32_t i = 0; i < p->mends && i < FEW; i++) {
    const what_if_mend *m = &p->mend[i];
    printf("  %s (%s): %s", m->where, m->what, m->words);
    if (m->disconnected) printf(", and %" PRIu64 " pairs disconnected", m->disconnected);
    printf("; worst link of its role then %.4g\n", m->worst);
  }
  if (p->mends > FEW) printf("  ... and %u more\n", p->mends - FEW);
}

void what_print_text(const what_if_study *w, bool all, const char *folder) {
  printf("%s\n", w->settings.view->fabric->spec);
  if (!w->settings.origin)
    printf("  tables     none are given: shortest paths, one cable each; %" PRIu64
           " paths on the worst link, and no routing has fewer than %" PRIu64 "\n",
           w->before.worst, w->bound);
  print_deadlock(w);
  if (w->count > 0) print_table(w, all);
  w->settings.of == WHAT_IF_PAIRS ? print_pairs(w) : print_shares(w);
  if (w->settings.reroute) print_rerouted(w);
  print_mixed(w);
  print_groups(w);
  print_cut_off(w);
  print_own_cables(w);
  if (w->settings.of != WHAT_IF_CABLES) return;
  print_safe(w, folder);
  print_leaves(w);
  print_mends(w);
}

/* why_not.c - why a cable, or any cable at all, may not be taken out, in words. */
#include <inttypes.h>

#include "fabric/ib.h"
#include "report/what_if_study.h"

const char *what_if_part_name(ripstop_arena *arena, const ripstop_fabric *fabric, const ripstop_capacity_part *part) {
  char name[RIPSTOP_NAME_MAX];
  const char *words = ripstop_ib_of(fabric) ? ripstop_ib_description(fabric, part->node) : "";
  if (!words[0]) ripstop_node_name(fabric, part->node, name), words = name;
  return ripstop_arena_printf(arena, "%s%s", part->level ? "the pod of " : "", words);
}

/* A part whose uplinks all run at one rate, in uplinks. */
static const char *lacking_uplinks(const what_if_study *w, const ripstop_capacity_part *p, uint64_t rate) {
  const char *name = what_if_part_name(w->arena, w->settings.view->fabric, p);
  const uint32_t need = (uint32_t)((p->need + rate - 1) / rate);
  if (p->capacity < p->need)
    return ripstop_arena_printf(w->arena, "%s has %u of the %u uplinks that its %u hosts need", name, p->uplinks, need,
                                p->hosts);
  return ripstop_arena_printf(w->arena, "%s would keep %u of the %u uplinks that its %u hosts need", name,
                              p->uplinks - 1, need, p->hosts);
}

/* Gb/s where a dump has speeds; else rates are thousandths of a cable at full rate. */
static const char *unit_of(const what_if_study *w, const char *otherwise) {
  const ripstop_ib_fabric *ib = ripstop_ib_of(w->settings.view->fabric);
  return ib && ib->dump->fastest ? "Gb/s" : otherwise;
}

static const char *lacking_rate(const what_if_study *w, const ripstop_capacity_part *p, uint64_t rate) {
  const bool less = p->capacity < p->need;
  return ripstop_arena_printf(w->arena, "%s %s %.4g of the %.4g %s that its %u hosts need",
                              what_if_part_name(w->arena, w->settings.view->fabric, p), less ? "has" : "would keep",
                              (double)(less ? p->capacity : p->capacity - rate) / 1000, (double)p->need / 1000,
                              unit_of(w, "full uplinks"), p->hosts);
}

static const char *too_little(const what_if_study *w, uint32_t link) {
  const ripstop_capacity_part *p = &w->capacity->part[w->safe.hurts[link]];
  const uint64_t rate = w->capacity->rate[link];
  return p->capacity == rate * p->uplinks ? lacking_uplinks(w, p, rate) : lacking_rate(w, p, rate);
}

static const char *too_narrow(const what_if_study *w, uint32_t link) {
  const ripstop_flow_gap *g = &w->safe.gap[link];
  const ripstop_fabric *f = w->settings.view->fabric;
  return ripstop_arena_printf(w->arena,
                              "between %s and %s all paths together would carry %.4g of the %.4g %s that they need",
                              what_if_part_name(w->arena, f, &w->capacity->part[g->part[0]]),
                              what_if_part_name(w->arena, f, &w->capacity->part[g->part[1]]), (double)g->kept / 1000,
                              (double)g->need / 1000, unit_of(w, "full cables"));
}

static const char *too_much(const what_if_study *w, uint32_t link) {
  if (w->safe.hurts[link] == RIPSTOP_NONE) return "another cable would carry more paths than any of its role does now";
  const ripstop_capacity_part *p = &w->capacity->part[w->safe.hurts[link]];
  return ripstop_arena_printf(w->arena, "a cable of %s would carry more paths than any of its role does now",
                              what_if_part_name(w->arena, w->settings.view->fabric, p));
}

const char *what_if_why_not(const what_if_study *w, uint32_t link) {
  switch ((ripstop_harm)w->safe.why_not[link]) {
  case RIPSTOP_HARM_PAIRS:
    return "some hosts have no other path";
  case RIPSTOP_HARM_CAPACITY:
    return too_little(w, link);
  case RIPSTOP_HARM_FLOW:
    return too_narrow(w, link);
  case RIPSTOP_HARM_GROUPS:
    return "the trees of multicast groups use it";
  case RIPSTOP_HARM_LOAD:
    return too_much(w, link);
  case RIPSTOP_HARM_ORDER:
    return "the tables without it could deadlock";
  case RIPSTOP_HARM_INCOMPLETE:
    return ripstop_arena_printf(w->arena, "the dump is incomplete: %s", w->incomplete);
  case RIPSTOP_HARM_NONE:
  case RIPSTOP_HARMS:
    break;
  }
  return NULL;
}

const char *what_if_why_none(const what_if_study *w) {
  const ripstop_safe_set *s = &w->safe;
  const ripstop_table_verdict *v = &s->rerouted_after;
  if (!w->settings.reroute || s->rerouted) return NULL;
  const char *tables = ripstop_arena_printf(w->arena, "the tables that %s makes", w->settings.reroute);
  if (s->rerouted_harm == RIPSTOP_HARM_PAIRS)
    return ripstop_arena_printf(w->arena,
                                "%s leave %" PRIu64 " pairs with a path without a route while nothing is taken out",
                                tables, v->unreached - v->disconnected);
  if (s->rerouted_harm == RIPSTOP_HARM_LOAD)
    return ripstop_arena_printf(w->arena, "%s now load some link more than the present ones load any of its role",
                                tables);
  if (v->credit_loop)
    return ripstop_arena_printf(w->arena, "%s now have a credit loop, and the present ones have none", tables);
  return ripstop_arena_printf(
      w->arena, "%s now cannot be written over the present ones under traffic without a danger of deadlock", tables);
}

/* ------------------------------------------------------------------ beside the safe set */

static bool is_in_set(const ripstop_safe_set *s, uint32_t link) {
  uint32_t i = 0;
  while (i < s->links && s->link[i] != link) i++;
  return i < s->links;
}

const char *what_if_beside(const what_if_study *w, uint32_t link) {
  const ripstop_harm why = w->safe.why_not_beside[link];
  if (why != RIPSTOP_HARM_NONE) return ripstop_harm_words[why];
  return is_in_set(&w->safe, link) ? NULL : "method";
}

const char *what_if_why_not_beside(const what_if_study *w, uint32_t link) {
  if (w->safe.why_not[link] != RIPSTOP_HARM_NONE || !what_if_beside(w, link)) return NULL;
  const uint32_t hurts = w->safe.hurts_beside[link];
  const char *part = hurts == RIPSTOP_NONE
                         ? "another part"
                         : what_if_part_name(w->arena, w->settings.view->fabric, &w->capacity->part[hurts]);
  switch ((ripstop_harm)w->safe.why_not_beside[link]) {
  case RIPSTOP_HARM_PAIRS:
    return "without the set some hosts have no other path";
  case RIPSTOP_HARM_CAPACITY:
    return ripstop_arena_printf(w->arena, "without the set %s would have less than its hosts need", part);
  case RIPSTOP_HARM_FLOW:
    return ripstop_arena_printf(w->arena, "without the set less would fit between %s and another leaf than they need",
                                part);
  case RIPSTOP_HARM_LOAD:
    return ripstop_arena_printf(w->arena, "without the set a cable of %s would carry more paths than its role may",
                                part);
  case RIPSTOP_HARM_ORDER:
    return "the tables without the set and this cable could not be written in any order under traffic";
  default:
    return ripstop_arena_printf(w->arena, "the tables of %s do not keep the conditions without it",
                                w->settings.reroute);
  }
}

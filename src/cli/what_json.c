/* what_json.c - the same for scripts: a line a part, then the safe set. */
#include <math.h>

#include "base/local.h"
#include "cli/json.h"
#include "cli/what.h"
#include "faults/describe.h"

static const char *kind_of(const what_if_study *w, uint32_t part) {
  if (w->settings.of == WHAT_IF_GROUPS) return w->kind[part];
  if (w->settings.of == WHAT_IF_PAIRS) return "pair";
  if (w->settings.of == WHAT_IF_SWITCHES) return "switch";
  return what_if_is_host_cable(w, part) ? "host cable" : "cable";
}

/* Nodes that stay up, but out of the subnet manager's reach. */
static json_t *json_cut_off(const what_if_study *w, const what_if_cut_off *off) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < off->count; i++)
    json_array_append_new(list, ripstop_json_text(what_if_node_name(w, off->node[i])));
  return json_pack("{s:i, s:i, s:o}", "adapters_cut_off", (int)(off->count - off->switches), "switches_cut_off",
                   (int)off->switches, "cut_off", list);
}

/* Tables after a repair are judged for switches with credits or PFC alone. */
static const char *deadlock_words(bool waits) { return ripstop_deadlock_words[ripstop_deadlock_of_tables(waits)]; }

static json_t *json_text(const ripstop_text *text) { return ripstop_json_text(text->data ? text->data : ""); }

/* The most paths on a channel in the roles of a cable; 0: it has failed. */
static double role_worst_now(const what_if_study *w, uint32_t link) {
  const uint32_t *port = &w->settings.view->fabric->link_port[2 * (size_t)link];
  const uint32_t one = w->capacity->role[port[0]], other = w->capacity->role[port[1]];
  return one == RIPSTOP_NONE ? 0 : fmax(w->role_worst[one], w->role_worst[other]);
}

/* Adds the role of a cable between switches, and why it may not be taken out alone. */
static void add_safety(const what_if_study *w, uint32_t part, json_t *out) {
  const uint32_t link = w->parts[part].link[0];
  const ripstop_safe_set *s = &w->safe;
  RIPSTOP_LOCAL_TEXT(role);
  ripstop_capacity_print_cable(w->capacity, link, &role);
  json_object_set_new(out, "role", json_text(&role));
  json_object_set_new(out, "role_worst_before", json_real(role_worst_now(w, link)));
  json_object_set_new(out, "role_worst_after", json_real(w->effect[part].role_worst));
  if (!w->settings.safe) return;
  const bool safe = s->why_not[link] == RIPSTOP_HARM_NONE, named = !safe && s->hurts[link] != RIPSTOP_NONE;
  json_object_set_new(out, "safe_alone", json_boolean(safe));
  json_object_set_new(out, "why_not", safe ? json_null() : json_string(ripstop_harm_words[s->why_not[link]]));
  json_object_set_new(out, "hurts",
                      named ? ripstop_json_text(what_if_node_name(w, w->capacity->part[s->hurts[link]].node))
                            : json_null());
  const char *beside = what_if_beside(w, link);
  json_object_set_new(out, "in_safe_set", json_boolean(!beside));
  json_object_set_new(out, "why_not_in_set", beside ? json_string(beside) : json_null());
}

/* null: the dump lacks nothing that is known. */
static json_t *json_incomplete(const what_if_study *w) {
  what_if_gaps g;
  if (!what_if_find_gaps(w->settings.view->fabric, &g)) return json_null();
  return json_pack("{s:s, s:i, s:i, s:i, s:b}", "text", w->incomplete, "half_links", (int)g.half_links,
                   "hosts_not_listed", (int)g.hosts, "timeouts", (int)g.timeouts, "truncated",
                   g.truncated || g.unlisted);
}

static void print_json_part(const what_if_study *w, uint32_t part) {
  const ripstop_what_if *e = &w->effect[part];
  json_t *out = json_pack("{s:o, s:s, s:I, s:I, s:I, s:I, s:I, s:b, s:b, s:I, s:o}", "part",
                          ripstop_json_text(w->name[part]), "kind", kind_of(w, part), "pairs_disconnected",
                          (json_int_t)e->disconnected, "pairs_of_dead_adapters", (json_int_t)e->own, "pairs_on_it",
                          (json_int_t)e->on_it, "worst_link_before", (json_int_t)w->before.worst, "worst_link_after",
                          (json_int_t)e->worst, "credit_loop", e->credit_loop, "mixture_loop", e->transient_loop,
                          "changed_entries", (json_int_t)e->changed, "name", ripstop_json_text(w->described[part]));
  json_object_set_new(out, "deadlock", json_string(deadlock_words(e->credit_loop)));
  json_object_update_new(out, json_cut_off(w, &w->off[part]));
  if (w->settings.of == WHAT_IF_CABLES && !what_if_is_host_cable(w, part)) add_safety(w, part, out);
  if (w->settings.tables->groups) {
    json_object_set_new(out, "groups_cut", json_integer(e->groups_cut));
    json_object_set_new(out, "group_members_cut", json_integer(e->members_cut));
  }
  if (w->settings.reroute) json_object_set_new(out, "no_order", json_boolean(e->no_order));
  if (w->settings.reroute) json_object_set_new(out, "rerouted", json_boolean(e->rerouted));
  if (w->settings.reroute) json_object_set_new(out, "unrouted_pairs", json_integer((json_int_t)e->unrouted));
  if (e->why_not) json_object_set_new(out, "why_not_rerouted", ripstop_json_text(e->why_not));
  if (w->settings.of == WHAT_IF_GROUPS)
    json_object_set_new(out, "members", ripstop_json_text(what_if_name(w, &w->parts[part])));
  ripstop_cli_json_print(out);
}

static json_t *json_leaves(const what_if_study *w) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < w->page.drawn.leaves; i++) {
    const ripstop_leaf *l = &w->page.drawn.leaf[i];
    json_array_append_new(
        list, json_pack("{s:o, s:i, s:i, s:f, s:o}", "switch", ripstop_json_text(what_if_node_name(w, l->node)),
                        "hosts", (int)l->hosts, "uplinks", (int)l->uplinks, "capacity", what_share(l), "name",
                        ripstop_json_text(ripstop_describe_node(w->arena, w->settings.view->fabric, l->node))));
  }
  return list;
}

/* null: no hosts. */
static json_t *json_share(double share) { return isfinite(share) ? json_real(share) : json_null(); }

static json_t *json_mends(const what_if_study *w) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < w->page.mends; i++) {
    const what_if_mend *m = &w->page.mend[i];
    json_t *row =
        json_pack("{s:o, s:s, s:o, s:o, s:I, s:I, s:b, s:f}", "cable", ripstop_json_text(m->where), "what", m->what,
                  "text", ripstop_json_text(m->text), "leaf", ripstop_json_text(what_if_node_name(w, m->part->node)),
                  "next_fault_disconnects", (json_int_t)m->disconnected, "saves_pairs", (json_int_t)m->saved,
                  "next_fault_credit_loop", m->loop, "role_worst_link_after_next", m->worst);
    json_object_update_new(row, json_pack("{s:o, s:o, s:o}", "capacity", json_share(m->share), "capacity_like",
                                          json_share(m->part->like_share), "capacity_after_next",
                                          json_share(m->share_next)));
    json_array_append_new(list, row);
  }
  return list;
}

/* Gb/s where a dump has speeds, else cables at full rate. */
static json_t *json_rate(uint64_t rate) { return json_real((double)rate / 1000); }

/* The parts that the set leaves with fewer cables. */
static json_t *json_parts(const what_if_study *w) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < w->capacity->parts; i++) {
    const ripstop_capacity_part *p = &w->capacity->part[i];
    if (w->safe.capacity_after[i] == p->capacity) continue;
    json_array_append_new(list, json_pack("{s:o, s:s, s:o, s:o, s:o, s:o}", "part",
                                          ripstop_json_text(what_if_node_name(w, p->node)), "kind",
                                          p->level ? "pod" : "leaf", "need", json_rate(p->need), "capacity_before",
                                          json_rate(p->capacity), "capacity_after",
                                          json_rate(w->safe.capacity_after[i]), "floor", json_rate(p->floor)));
  }
  return list;
}

/* Roles without any channel are left out. */
static json_t *json_roles(const what_if_study *w, bool rerouted) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < w->capacity->roles; i++) {
    const ripstop_role_use *use = &w->safe.role[i];
    RIPSTOP_LOCAL_TEXT(name);
    if (use->bar == 0 && use->before == 0) continue;
    ripstop_capacity_print_role(w->capacity, i, &name);
    json_array_append_new(list,
                          json_pack("{s:o, s:f, s:f, s:f}", "role", json_text(&name), "bar", use->bar, "worst_before",
                                    use->before, "worst_after", rerouted ? use->rerouted : use->after));
  }
  return list;
}

static json_t *json_unsafe(const ripstop_safe_set *s) {
  json_t *out = json_object();
  for (unsigned why = RIPSTOP_HARM_NONE + 1; why < RIPSTOP_HARMS; why++)
    json_object_set_new(out, ripstop_harm_words[why], json_integer(s->unsafe[why]));
  return out;
}

/* null: no order of writes is safe. */
static json_t *json_steps(uint32_t steps) { return steps == RIPSTOP_NONE ? json_null() : json_integer(steps); }

static json_t *json_proof(const what_if_study *w, bool rerouted) {
  const ripstop_safe_set *s = &w->safe;
  const ripstop_table_verdict *v = rerouted ? &s->rerouted_after : &s->after;
  const ripstop_transient *m = rerouted ? &s->rerouted_transient : &s->transient;
  json_t *out = json_pack("{s:s, s:{s:I, s:I}, s:o, s:o}", "tables",
                          rerouted          ? w->settings.reroute
                          : s->from_scratch ? "shortest paths for the rest"
                          : s->fresh        ? "new ones, repaired"
                                            : "repaired",
                          "reach", "pairs_now", (json_int_t)s->connected_now, "pairs_then",
                          (json_int_t)s->connected_then, "parts", json_parts(w), "roles", json_roles(w, rerouted));
  json_object_set_new(out, "incomplete", json_boolean(w->incomplete));
  json_object_set_new(out, "flow", json_boolean(s->flow));
  json_object_update_new(out, json_pack("{s:i, s:b, s:o}", "at_most", (int)s->at_most, "maximum",
                                        !w->incomplete && s->links == s->at_most, "unsafe", json_unsafe(s)));
  json_object_update_new(out, json_pack("{s:I, s:I, s:b, s:o, s:b}", "pairs", (json_int_t)v->pairs, "unreachable_pairs",
                                        (json_int_t)v->unreached, "credit_loop", v->credit_loop, "steps",
                                        json_steps(rerouted ? s->rerouted_steps : s->steps), "mixture_loop",
                                        m->credit_loop || m->looping > 0));
  return out;
}

static json_t *json_links(const what_if_study *w, const uint32_t *link, uint32_t count) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < count; i++) json_array_append_new(list, ripstop_json_text(what_if_link_name(w, link[i])));
  return list;
}

static json_t *json_safe(const what_if_study *w) {
  const ripstop_safe_set *s = &w->safe;
  json_t *names = json_array();
  for (uint32_t i = 0; i < s->links; i++)
    json_array_append_new(names,
                          ripstop_json_text(ripstop_describe_link(w->arena, w->settings.view->fabric, s->link[i])));
  json_t *out = json_pack("{s:o, s:o, s:o}", "safe_set", json_links(w, s->link, s->links), "safe_without_rewrite",
                          json_links(w, s->idle_link, s->idle), "proof", json_proof(w, false));
  json_object_set_new(out, "incomplete", json_incomplete(w));
  if (s->rerouted) json_object_set_new(out, "rerouted_proof", json_proof(w, true));
  if (w->page.why_none) json_object_set_new(out, "why_not_rerouted", ripstop_json_text(w->page.why_none));
  json_object_set_new(out, "names", names);
  json_object_update_new(out, json_cut_off(w, &w->safe_off));
  json_object_set_new(out, "leaves", json_leaves(w));
  json_object_set_new(out, "mend_first", json_mends(w));
  return out;
}

void what_print_json(const what_if_study *w) {
  const ripstop_cuts *c = &w->cuts;
  for (uint32_t i = 0; i < w->count; i++) print_json_part(w, i);
  json_t *last = json_safe(w), *now = json_object();
  ripstop_cli_json_deadlock(now, w->now);
  json_object_set_new(now, "worst_link_paths", json_integer((json_int_t)w->before.worst));
  if (w->bound) json_object_set_new(now, "bound", json_integer((json_int_t)w->bound));
  json_object_set_new(last, "now", now);
  if (w->settings.of == WHAT_IF_PAIRS)
    json_object_update_new(last,
                           json_pack("{s:I, s:I, s:i, s:b}", "pairs_of_cables", (json_int_t)c->pairs, "parting_pairs",
                                     (json_int_t)c->parting, "parting_cables", (int)c->alone, "drawn", w->sampled));
  ripstop_cli_json_print(last);
}

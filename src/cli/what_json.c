/* what_json.c - the same for scripts: a line a part, then the safe set. */
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

static json_t *json_mends(const what_if_study *w) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < w->page.mends; i++) {
    const what_if_mend *m = &w->page.mend[i];
    json_array_append_new(list, json_pack("{s:o, s:s, s:o, s:I, s:b, s:I, s:f}", "cable", ripstop_json_text(m->where),
                                          "what", m->what, "text", ripstop_json_text(m->text), "next_fault_disconnects",
                                          (json_int_t)m->disconnected, "next_fault_credit_loop", m->loop,
                                          "next_fault_worst_link", (json_int_t)m->worst, "capacity", m->share));
  }
  return list;
}

static json_t *json_proof(const what_if_study *w, const char *tables, const ripstop_table_verdict *v,
                          const ripstop_transient *m) {
  return json_pack("{s:I, s:I, s:I, s:I, s:b, s:b, s:s}", "pairs", (json_int_t)v->pairs, "unreachable_pairs",
                   (json_int_t)v->unreached, "worst_link_before", (json_int_t)w->before.worst, "worst_link_after",
                   (json_int_t)v->worst, "credit_loop", v->credit_loop, "mixture_loop",
                   m->credit_loop || m->looping > 0, "tables", tables);
}

static json_t *json_safe(const what_if_study *w) {
  const ripstop_safe_set *s = &w->safe;
  json_t *list = json_array(), *names = json_array();
  for (uint32_t i = 0; i < s->links; i++) {
    json_array_append_new(list, ripstop_json_text(w->page.safe_name[i]));
    json_array_append_new(names,
                          ripstop_json_text(ripstop_describe_link(w->arena, w->settings.view->fabric, s->link[i])));
  }
  json_t *out = json_pack("{s:o, s:o}", "safe_set", list, "proof", json_proof(w, "repaired", &s->after, &s->transient));
  if (s->rerouted)
    json_object_set_new(out, "rerouted_proof",
                        json_proof(w, w->settings.reroute, &s->rerouted_after, &s->rerouted_transient));
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
  json_object_set_new(last, "now", now);
  if (w->settings.of == WHAT_IF_PAIRS)
    json_object_update_new(last,
                           json_pack("{s:I, s:I, s:i, s:b}", "pairs_of_cables", (json_int_t)c->pairs, "parting_pairs",
                                     (json_int_t)c->parting, "parting_cables", (int)c->alone, "drawn", w->sampled));
  ripstop_cli_json_print(last);
}

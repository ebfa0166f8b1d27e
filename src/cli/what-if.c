/* what-if.c - `ripstop what-if FABRIC --tables FILE`: what the next dead cable, switch or pair of cables does: who
 * loses whom until new tables are written, how the paths lie afterwards, and what may be taken out of service now.
 * docs/operators.md says what each number means. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/team.h"
#include "cli/experiment.h"
#include "cli/forwarding.h"
#include "cli/groups.h"
#include "cli/json.h"
#include "fabric/ib/ib.h"
#include "report/outlook.h"

enum { SHOWN = 20, FEW = 5, PAIRS_DEFAULT = 1000 };

typedef enum part_kind { CABLES, SWITCHES, PAIRS, GROUPS, KINDS } part_kind;
static const char *const of_words[] = {"cables", "switches", "pairs", "groups", NULL};
static const char *const part_words[] = {"cable", "switch", "pair of cables", "group"};
static const char *const parts_words[] = {"cables between switches", "switches", "pairs of cables", "groups"};

typedef struct what {
  ripstop_table_case c;
  ripstop_table_verdict before;
  bool given;          /* tables are, or a method */
  bool safe_wanted;    /* it is told: of cables, and as JSON */
  const char *reroute; /* the method that makes new tables; NULL: they are repaired */
  part_kind of;
  uint32_t count;
  ripstop_faults *parts;   /* [count] */
  const char **name;       /* [count] */
  const char **kind;       /* [count], of groups */
  ripstop_what_if *effect; /* [count] */
  ripstop_safe_set safe;
  ripstop_recognised recognised;
  outlook o;         /* the same for the page */
  ripstop_cuts cuts; /* PAIRS: which part somebody, of all of them */
  bool drawn;        /* PAIRS: not all of them were looked at, but some that part somebody and, */
  uint32_t from;     /* from this one of the parts on, a sample of all */
} what;

/* ------------------------------------------------------------------ which parts */

static bool alive(const ripstop_view *v, uint32_t link) { return v->port_up[v->fabric->link_port[2 * (size_t)link]]; }

static void list_cables(what *w) {
  const ripstop_fabric *f = w->c.fabric;
  uint32_t *link = RIPSTOP_ARRAY(w->c.arena, f->links, uint32_t);
  w->parts = RIPSTOP_ARRAY(w->c.arena, f->links, ripstop_faults);
  for (uint32_t i = 0; i < f->links; i++) {
    link[i] = i;
    if (alive(w->c.view, i)) w->parts[w->count++] = (ripstop_faults){.links = 1, .link = &link[i]};
  }
}

static void list_switches(what *w) {
  const ripstop_fabric *f = w->c.fabric;
  uint32_t *node = RIPSTOP_ARRAY(w->c.arena, ripstop_fabric_switches(f), uint32_t);
  w->parts = RIPSTOP_ARRAY(w->c.arena, ripstop_fabric_switches(f), ripstop_faults);
  for (uint32_t i = 0; i < ripstop_fabric_switches(f); i++) {
    node[i] = f->ends + i;
    if (w->c.view->node_up[node[i]]) w->parts[w->count++] = (ripstop_faults){.switches = 1, .switch_ = &node[i]};
  }
}

static void add_pair(what *w, const uint32_t *link) {
  uint32_t *own = RIPSTOP_ARRAY(w->c.arena, 2, uint32_t);
  own[0] = link[0];
  own[1] = link[1];
  if (alive(w->c.view, link[0]) && alive(w->c.view, link[1]))
    w->parts[w->count++] = (ripstop_faults){.links = 2, .link = own};
}

/* Pairs of cables between switches: all of them where there are no more than wanted, else those of which neither parts
 * anybody alone, and so many drawn. */
static int list_pairs(what *w, uint64_t wanted, uint64_t seed, ripstop_error *err) {
  const ripstop_fabric *f = w->c.fabric;
  uint32_t cables = f->links - f->link_ends;
  uint64_t all = cables < 2 ? 0 : ripstop_combinations_total(cables, 2);
  if (ripstop_judge_cuts(w->c.arena, w->c.view, (uint32_t)wanted, &w->cuts, err) != 0) return -1;
  w->parts = RIPSTOP_ARRAY(w->c.arena, 2 * wanted, ripstop_faults);
  for (uint32_t a = f->link_ends; a < f->links && all <= wanted; a++)
    for (uint32_t b = a + 1; b < f->links; b++) add_pair(w, (const uint32_t[]){a, b});
  for (uint32_t i = 0; i < w->cuts.listed && all > wanted; i++) add_pair(w, &w->cuts.pair[2 * (size_t)i]);
  w->from = w->count;
  for (uint32_t i = 0; i < wanted && all > wanted; i++) {
    ripstop_faults drawn;
    if (ripstop_faults_sample(w->c.arena, f, RIPSTOP_FAULTS_SWITCH_LINKS, 2, seed, i, &drawn, err) != 0) return -1;
    add_pair(w, drawn.link);
  }
  w->drawn = all > wanted;
  return 0;
}

/* ------------------------------------------------------------------ the work */

static int try_parts(what *w, ripstop_error *err) {
  const unsigned threads = ripstop_team_processors();
  if (!w->reroute) return ripstop_judge_what_if(w->c.view, w->c.tables, w->parts, w->count, threads, w->effect, err);
  if (ripstop_judge_reroute(w->c.view, w->c.tables, w->reroute, RIPSTOP_TABLE_ENTRIES_MAX, w->parts, w->count, threads,
                            w->effect, err) != 0)
    return ripstop_fail_at(err, "what-if: --reroute");
  return 0;
}

static int try_all(what *w, ripstop_error *err) {
  w->effect = RIPSTOP_ARRAY(w->c.arena, w->count, ripstop_what_if);
  if (ripstop_judge(w->c.arena, w->c.view, w->c.tables, NULL, &w->before, err) != 0) return -1;
  if (try_parts(w, err) != 0) return -1;
  if (!w->safe_wanted) return 0;
  return ripstop_judge_safe_set(w->c.arena, w->c.view, w->c.tables, &w->before, &w->safe, err);
}

static _Thread_local const what *sorted; /* for qsort */

/* The worst first: what parts pairs for good, then what could deadlock, then what most paths go over. */
static int compare_parts(const void *a, const void *b) {
  const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
  const ripstop_what_if *x = &sorted->effect[i], *y = &sorted->effect[k];
  if (x->disconnected != y->disconnected) return x->disconnected < y->disconnected ? 1 : -1;
  if (x->credit_loop != y->credit_loop) return y->credit_loop - x->credit_loop;
  if (x->on_it != y->on_it) return x->on_it < y->on_it ? 1 : -1;
  if (x->worst != y->worst) return x->worst < y->worst ? 1 : -1;
  return (i > k) - (i < k);
}

static const uint32_t *sort_parts(const what *w) {
  uint32_t *order = RIPSTOP_ARRAY(w->c.arena, w->count, uint32_t);
  for (uint32_t i = 0; i < w->count; i++) order[i] = i;
  sorted = w;
  qsort(order, w->count, sizeof *order, compare_parts);
  return order;
}

/* ------------------------------------------------------------------ what is told */

static bool is_host_cable(const what *w, const ripstop_faults *part) {
  return w->of == CABLES && part->link[0] < w->c.fabric->link_ends;
}

static const char *kind_of(const what *w, uint32_t part) {
  if (w->of == GROUPS) return w->kind[part];
  if (w->of == PAIRS) return "pair";
  if (w->of == SWITCHES) return "switch";
  return is_host_cable(w, &w->parts[part]) ? "host cable" : "cable";
}

/* As in fault files, but for a switch, whose name stands alone. */
static const char *name_of(const what *w, const ripstop_faults *part) {
  ripstop_text text = {0};
  char node[RIPSTOP_NAME_MAX];
  if (part->switches == 1 && part->links == 0) {
    ripstop_node_name(w->c.fabric, part->switch_[0], node);
    return ripstop_arena_text(w->c.arena, node);
  }
  ripstop_faults_print(&text, w->c.fabric, part);
  const char *name = ripstop_arena_text(w->c.arena, text.data ? text.data : "");
  ripstop_text_free(&text);
  return name;
}

static void name_parts(what *w) {
  if (w->of == GROUPS) return;
  w->name = RIPSTOP_ARRAY(w->c.arena, w->count, const char *);
  for (uint32_t i = 0; i < w->count; i++) w->name[i] = name_of(w, &w->parts[i]);
}

static const char *const *name_safe(const what *w) {
  const char **name = RIPSTOP_ARRAY(w->c.arena, w->safe.links, const char *);
  for (uint32_t i = 0; i < w->safe.links; i++)
    name[i] = name_of(w, &(ripstop_faults){.links = 1, .link = &w->safe.link[i]});
  return name;
}

/* Everything that is told, put together. */
static int look_out(what *w, const ripstop_table_words *from, ripstop_error *err) {
  outlook *o = &w->o;
  ripstop_leaf *leaf;
  w->given = from->method || from->tables.count;
  name_parts(w);
  ripstop_recognise(w->c.fabric, w->c.arena, &w->recognised);
  *o = (outlook){.fabric = w->c.fabric,
                 .view = w->c.view,
                 .recognised = &w->recognised,
                 .text = ripstop_cli_describe(w->c.arena, w->c.fabric),
                 .told = ripstop_ib_of(w->c.fabric) ? &ripstop_ib_of(w->c.fabric)->dump->odd : NULL,
                 .tables = from->method         ? from->method
                           : from->tables.count ? from->tables.value[0]
                                                : "shortest ways",
                 .part = part_words[w->of],
                 .parts_ = parts_words[w->of],
                 .before = &w->before,
                 .parts = w->count,
                 .set = w->parts,
                 .name = w->name,
                 .effect = w->effect,
                 .order = sort_parts(w)};
  if (ripstop_judge_leaves(w->c.arena, w->c.view, &leaf, &o->leaves, err) != 0) return -1;
  o->leaf = leaf;
  if (!w->safe_wanted) return 0;
  o->safe = &w->safe;
  o->safe_name = name_safe(w);
  if (w->of == CABLES) outlook_find_mends(w->c.arena, o);
  return 0;
}

static void print_table(const what *w, bool all) {
  const uint32_t *order = w->o.order;
  uint32_t shown = 0, hosts = 0;
  printf("  %12s %12s %12s %12s  %-6s  %s\n", "parted pairs", "paths on it", "worst before", "worst after", "loop",
         part_words[w->of]);
  for (uint32_t i = 0; i < w->count; i++) {
    const ripstop_what_if *e = &w->effect[order[i]];
    bool host = is_host_cable(w, &w->parts[order[i]]);
    hosts += host;
    if (!all && (host || shown == SHOWN)) continue;
    shown++;
    printf("  %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 "  %-6s  %s\n", e->disconnected, e->on_it,
           w->before.worst, e->worst,
           e->credit_loop    ? "yes"
           : e->mixture_loop ? "mixed"
                             : "no",
           w->name[order[i]]);
  }
  if (!all && shown < w->count - hosts) printf("  ... and %u more (--all shows them)\n", w->count - hosts - shown);
  if (!all && hosts) printf("  %u cables to adapters, each of which parts its own from all others\n", hosts);
}

static uint32_t count_loops(const what *w, uint32_t from) {
  uint32_t looping = 0;
  for (uint32_t i = from; i < w->count; i++) looping += w->effect[i].credit_loop && !is_host_cable(w, &w->parts[i]);
  return looping;
}

static const char *as_now(const what *w) { return w->before.credit_loop ? ", as the tables have now" : ""; }

/* Of which one cable parts somebody alone. */
static uint64_t pairs_with_one(const ripstop_cuts *c) {
  uint64_t alone = c->alone;
  return alone * (c->links - alone) + (alone > 0 ? alone * (alone - 1) / 2 : 0);
}

static void print_pairs(const what *w) {
  const ripstop_cuts *c = &w->cuts;
  uint32_t drawn = w->count - w->from;
  printf("\nexactly %" PRIu64 " of all %" PRIu64 " pairs of cables part adapters that live on", c->parting, c->pairs);
  if (c->alone) printf("; in all but %" PRIu64 " of them one cable does so alone", c->parting - pairs_with_one(c));
  printf("\nafter %u of %u that were looked at the repaired tables have a credit loop%s\n", count_loops(w, 0), w->count,
         as_now(w));
  if (!w->drawn || drawn == 0) return;
  ripstop_interval loops = ripstop_clopper_pearson(count_loops(w, w->from), drawn, 0.99);
  printf("%u of these were drawn from all: a credit loop follows after at most %.3g %% of all, with 99 %% confidence\n",
         drawn, 100 * loops.high);
}

static void print_shares(const what *w) {
  uint32_t parting = 0, hosts = 0;
  for (uint32_t i = 0; i < w->count; i++) {
    hosts += is_host_cable(w, &w->parts[i]);
    parting += w->effect[i].disconnected > w->effect[i].own;
  }
  printf("\n%u of %u %s part adapters that live on; after %u of them the repaired tables have a credit loop%s\n",
         parting, w->count - hosts, parts_words[w->of], count_loops(w, 0), as_now(w));
}

static void print_rerouted(const what *w) {
  uint32_t none = 0, unrouted = 0;
  for (uint32_t i = 0; i < w->count; i++) {
    none += !w->effect[i].rerouted;
    unrouted += w->effect[i].unrouted > 0;
  }
  printf("rerouted by %s: after %u of %u it leaves pairs with a path without a route, for %u it has no tables and they "
         "are "
         "repaired\n",
         w->reroute, unrouted, w->count, none);
}

static void print_safe(const what *w) {
  const ripstop_safe_set *s = &w->safe;
  printf("\nSafe to take out together: %u of %u cables between switches; with the repaired tables all %" PRIu64
         " pairs that had a path are reached, the worst link carries %" PRIu64 " paths (now %" PRIu64 "), %s\n",
         s->links, s->links + s->refused, s->after.pairs - s->after.unreached, s->after.worst, w->before.worst,
         s->after.credit_loop ? "and the credit loop that is there stays" : "no credit loop");
  if (s->links > 0)
    printf("  %s\n", s->mixture.credit_loop || s->mixture.looping
                         ? "write the repaired tables while no traffic runs: old and new ones together could deadlock"
                         : "the repaired tables can be written in any order under traffic: no mixture of old and new "
                           "can deadlock");
  for (uint32_t i = 0; i < s->links; i++) printf("  %s\n", w->o.safe_name[i]);
}

static const char *node_name(const what *w, uint32_t node) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(w->c.fabric, node, name);
  return ripstop_arena_text(w->c.arena, name);
}

static double share_of(const ripstop_leaf *leaf) { return (double)leaf->have / (double)leaf->need; }

static void print_leaves(const what *w) {
  const outlook *o = &w->o;
  printf("\nWeakest leaves, by what their cables to switches can carry for each unit that their hosts can send:\n");
  for (uint32_t i = 0; i < o->leaves && i < FEW; i++)
    printf("  %.3f  %s: %u hosts, %u cables to switches\n", share_of(&o->leaf[i]), node_name(w, o->leaf[i].node),
           o->leaf[i].hosts, o->leaf[i].uplinks);
  if (o->leaves > FEW) printf("  ... and %u more, up to %.3f\n", o->leaves - FEW, share_of(&o->leaf[o->leaves - 1]));
}

static void print_mends(const what *w) {
  const outlook *o = &w->o;
  if (o->mends == 0) return;
  printf("\nMend first, by what the next dead cable at either end would do:\n");
  for (uint32_t i = 0; i < o->mends && i < FEW; i++)
    printf("  %s (%s): then %" PRIu64 " pairs parted, worst link %" PRIu64 "\n", o->mend[i].where, o->mend[i].what,
           o->mend[i].parted, o->mend[i].worst);
  if (o->mends > FEW) printf("  ... and %u more\n", o->mends - FEW);
}

static void print_json_part(const what *w, uint32_t part) {
  const ripstop_what_if *e = &w->effect[part];
  json_t *out =
      json_pack("{s:o, s:s, s:I, s:I, s:I, s:I, s:I, s:b, s:b, s:I}", "part", ripstop_cli_json_text(w->name[part]),
                "kind", kind_of(w, part), "pairs_disconnected", (json_int_t)e->disconnected, "pairs_of_dead_adapters",
                (json_int_t)e->own, "pairs_on_it", (json_int_t)e->on_it, "worst_link_before",
                (json_int_t)w->before.worst, "worst_link_after", (json_int_t)e->worst, "credit_loop", e->credit_loop,
                "mixture_loop", e->mixture_loop, "changed_entries", (json_int_t)e->changed);
  if (w->reroute) json_object_set_new(out, "rerouted", json_boolean(e->rerouted));
  if (w->reroute) json_object_set_new(out, "unrouted_pairs", json_integer((json_int_t)e->unrouted));
  if (w->of == GROUPS) json_object_set_new(out, "members", ripstop_cli_json_text(name_of(w, &w->parts[part])));
  ripstop_cli_json_print(out);
}

static json_t *json_leaves(const what *w) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < w->o.leaves; i++) {
    const ripstop_leaf *l = &w->o.leaf[i];
    json_array_append_new(list,
                          json_pack("{s:o, s:i, s:i, s:f}", "switch", ripstop_cli_json_text(node_name(w, l->node)),
                                    "hosts", (int)l->hosts, "uplinks", (int)l->uplinks, "capacity", share_of(l)));
  }
  return list;
}

static json_t *json_mends(const what *w) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < w->o.mends; i++) {
    const outlook_mend *m = &w->o.mend[i];
    json_array_append_new(list,
                          json_pack("{s:o, s:s, s:I, s:b, s:I, s:f}", "cable", ripstop_cli_json_text(m->where), "what",
                                    m->what, "next_fault_disconnects", (json_int_t)m->parted, "next_fault_credit_loop",
                                    m->loop, "next_fault_worst_link", (json_int_t)m->worst, "capacity", m->share));
  }
  return list;
}

static json_t *json_safe(const what *w) {
  const ripstop_safe_set *s = &w->safe;
  json_t *list = json_array();
  for (uint32_t i = 0; i < s->links; i++) json_array_append_new(list, ripstop_cli_json_text(w->o.safe_name[i]));
  return json_pack("{s:o, s:{s:I, s:I, s:I, s:I, s:b, s:b}, s:o, s:o}", "safe_set", list, "proof", "pairs",
                   (json_int_t)s->after.pairs, "unreachable_pairs", (json_int_t)s->after.unreached, "worst_link_before",
                   (json_int_t)w->before.worst, "worst_link_after", (json_int_t)s->after.worst, "credit_loop",
                   s->after.credit_loop, "mixture_loop", s->mixture.credit_loop || s->mixture.looping > 0, "leaves",
                   json_leaves(w), "mend_first", json_mends(w));
}

static void print_json(const what *w) {
  const ripstop_cuts *c = &w->cuts;
  for (uint32_t i = 0; i < w->count; i++) print_json_part(w, i);
  json_t *last = json_safe(w);
  if (w->of == PAIRS)
    json_object_update_new(last,
                           json_pack("{s:I, s:I, s:i, s:b}", "pairs_of_cables", (json_int_t)c->pairs, "parting_pairs",
                                     (json_int_t)c->parting, "parting_cables", (int)c->alone, "drawn", w->drawn));
  ripstop_cli_json_print(last);
}

static int write_page(const what *w, const char *path, ripstop_error *err) {
  ripstop_text page = {0};
  outlook_page(&w->o, &page);
  int status = cli_write_file(path, &page, err);
  ripstop_text_free(&page);
  return status;
}

/* ------------------------------------------------------------------ the command */

typedef struct wish {
  ripstop_table_words tables;
  ripstop_cli_values groups;
  const char *of, *samples, *seed, *page, *reroute;
  bool json, all;
} wish;

static int read_wish(const wish *asked, what *w, uint64_t *samples, uint64_t *seed, ripstop_error *err) {
  const char *of = asked->of ? asked->of : asked->groups.count ? of_words[GROUPS] : of_words[CABLES];
  for (w->of = CABLES; w->of < KINDS && strcmp(of, of_words[w->of]) != 0;) w->of++;
  if (w->of == KINDS) {
    const char *near = ripstop_nearest_word(of, of_words);
    return ripstop_fail(err, "what-if: --of '%.100s' is none of cables, switches, pairs, groups%s%s%s", of,
                        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  }
  *samples = PAIRS_DEFAULT;
  *seed = 1;
  if (asked->samples && ripstop_parse_u64(asked->samples, UINT32_MAX - 1, samples, err))
    return ripstop_fail_at(err, "what-if: --samples");
  if (asked->seed && ripstop_parse_u64(asked->seed, UINT64_MAX, seed, err))
    return ripstop_fail_at(err, "what-if: --seed");
  if (w->of != PAIRS && (asked->samples || asked->seed))
    return ripstop_fail(err, "what-if: --samples and --seed go with --of pairs");
  if (w->of != GROUPS && asked->groups.count) return ripstop_fail(err, "what-if: --group goes with --of groups");
  return 0;
}

static int list_groups(what *w, const ripstop_cli_values *given, ripstop_error *err) {
  ripstop_group *list;
  if (given->count == 0)
    ripstop_groups_found(w->c.arena, w->c.view, &list, &w->count);
  else if (ripstop_groups_given(w->c.arena, w->c.fabric, given, &list, &w->count, err) != 0)
    return ripstop_fail_at(err, "what-if: --group");
  w->parts = RIPSTOP_ARRAY(w->c.arena, w->count, ripstop_faults);
  w->name = RIPSTOP_ARRAY(w->c.arena, w->count, const char *);
  w->kind = RIPSTOP_ARRAY(w->c.arena, w->count, const char *);
  for (uint32_t i = 0; i < w->count; i++) {
    w->parts[i] = list[i].parts;
    w->name[i] = list[i].name;
    w->kind[i] = list[i].kind;
  }
  return 0;
}

static int list_parts(what *w, const wish *asked, uint64_t samples, uint64_t seed, ripstop_error *err) {
  if (w->of == PAIRS) return list_pairs(w, samples, seed, err);
  if (w->of == GROUPS) return list_groups(w, &asked->groups, err);
  w->of == CABLES ? list_cables(w) : list_switches(w);
  return 0;
}

static void print_text(const what *w, bool all) {
  printf("%s\n", w->c.fabric->spec);
  if (!w->given) printf("  tables     none are given: shortest ways, spread over the cables\n");
  if (w->count > 0) print_table(w, all);
  w->of == PAIRS ? print_pairs(w) : print_shares(w);
  if (w->reroute) print_rerouted(w);
  if (w->of != CABLES) return;
  print_safe(w);
  print_leaves(w);
  print_mends(w);
}

static int ask(const wish *asked) {
  ripstop_error err = {0};
  uint64_t samples, seed;
  what w = {0};
  int status = read_wish(asked, &w, &samples, &seed, &err);
  if (status) return ripstop_cli_fail(&err);
  w.reroute = asked->reroute;
  w.safe_wanted = asked->json || w.of == CABLES;
  status = ripstop_table_case_open(&asked->tables, &w.c, &err);
  if (!status) status = list_parts(&w, asked, samples, seed, &err);
  if (!status && w.of == GROUPS && w.count == 0)
    fprintf(stderr,
            "ripstop: what-if: there are no groups: no line card, chassis or cables side by side; --group PARTS "
            "names some\n");
  if (!status) status = try_all(&w, &err);
  if (!status) status = look_out(&w, &asked->tables, &err);
  if (!status && asked->page) status = write_page(&w, asked->page, &err);
  if (!status && (asked->json || !asked->page)) asked->json ? print_json(&w) : print_text(&w, asked->all);
  ripstop_table_case_close(&w.c);
  return status ? ripstop_cli_fail(&err) : RIPSTOP_EXIT_OK;
}

int ripstop_cmd_what_if(int argc, char **argv) {
  wish asked = {.tables = {.command = "what-if", .any = true}};
  const ripstop_flag flags[] = {
      {.name = "tables",
       .value = "FILE",
       .values = &asked.tables.tables,
       .help = "Forwarding tables as OpenSM, dump_lfts or ibroute print them; several files are one set of tables."},
      {.name = "method",
       .value = "METHOD",
       .text = &asked.tables.method,
       .help = "Begin with the tables of a method instead. With neither: shortest ways, spread over the cables."},
      {.name = "reroute",
       .value = "METHOD",
       .text = &asked.reroute,
       .help = "After a part has died the tables are this method's new ones, not repaired ones."},
      {.name = "of",
       .value = "KIND",
       .text = &asked.of,
       .help = "What dies: cables (the default), switches, pairs of cables, or groups."},
      {.name = "group",
       .value = "PARTS",
       .values = &asked.groups,
       .help = "Groups: parts that die together, as in fault files, '*' allowed; may be repeated. Without: line cards, "
               "chassis, and cables side by side."},
      {.name = "output",
       .letter = 'o',
       .value = "PAGE.html",
       .text = &asked.page,
       .help = "Write a page: the fabric drawn, what is odd, and the tables of all this."},
      {.name = "samples",
       .value = "N",
       .text = &asked.samples,
       .help = "Pairs: how many to draw when there are more (1000)."},
      {.name = "seed", .value = "N", .text = &asked.seed, .help = "Pairs: what they are drawn from (1)."},
      {.name = "set",
       .value = "PARTS",
       .text = &asked.tables.dead,
       .help = "Links and switches that are dead already, as in fault files."},
      {.name = "all", .help = "Show every part, not only the worst.", .given = &asked.all},
      {.name = "json", .help = "Print one JSON object a part, then the safe set.", .given = &asked.json},
      {0},
  };
  const ripstop_usage usage = {.command = "what-if",
                               .arguments = "FABRIC [FILE ...]",
                               .summary = "Tells what the next dead cable, switch, pair of cables or line card does.",
                               .at_least = 1,
                               .at_most = RIPSTOP_CLI_VALUES,
                               .flags = flags};
  const char *argument[RIPSTOP_CLI_VALUES];
  unsigned count;
  int status = ripstop_cli_parse(&usage, argc, argv, argument, &count);
  if (status == RIPSTOP_CLI_GO_ON) status = ripstop_table_words_take(&asked.tables, argument, count);
  return status == RIPSTOP_CLI_GO_ON ? ask(&asked) : status;
}

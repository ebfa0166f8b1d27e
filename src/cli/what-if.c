/* what-if.c - `ripstop what-if FABRIC --tables FILE`: what the next dead cable, switch or pair of cables does: who
 * loses whom until new tables are written, how the paths lie afterwards, and what may be taken out of service now.
 * docs/operators.md says what each number means. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/team.h"
#include "cli/forwarding.h"

enum { SHOWN = 20, PAIRS_DEFAULT = 1000 };

typedef enum part_kind { CABLES, SWITCHES, PAIRS, KINDS } part_kind;
static const char *const of_words[] = {"cables", "switches", "pairs", NULL};

typedef struct what {
  ripstop_table_case c;
  ripstop_table_verdict before;
  part_kind of;
  uint32_t count;
  ripstop_faults *parts;   /* [count] */
  ripstop_what_if *effect; /* [count] */
  bool safe_wanted;
  ripstop_safe_set safe;
  uint64_t pairs; /* PAIRS: how many there are, of which `count` were looked at */
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

/* Pairs of cables between switches: all of them where there are no more than wanted, else so many drawn. */
static int list_pairs(what *w, uint64_t wanted, uint64_t seed, ripstop_error *err) {
  const ripstop_fabric *f = w->c.fabric;
  uint32_t cables = f->links - f->link_ends;
  w->pairs = cables < 2 ? 0 : ripstop_combinations_total(cables, 2);
  bool all = w->pairs <= wanted;
  uint32_t count = (uint32_t)(all ? w->pairs : wanted);
  w->parts = RIPSTOP_ARRAY(w->c.arena, count, ripstop_faults);
  ripstop_combinations pair = {0};
  if (all && count && ripstop_combinations_first(w->c.arena, cables, 2, &pair) != 0) return -1;
  for (uint32_t i = 0; i < count; i++) {
    ripstop_faults *set = &w->parts[w->count];
    int status = all ? ripstop_faults_from_parts(w->c.arena, f, RIPSTOP_FAULTS_SWITCH_LINKS, pair.part, 2, set)
                     : ripstop_faults_sample(w->c.arena, f, RIPSTOP_FAULTS_SWITCH_LINKS, 2, seed, i, set, err);
    if (status) return -1;
    if (alive(w->c.view, set->link[0]) && alive(w->c.view, set->link[1])) w->count++;
    if (all) (void)ripstop_combinations_next(&pair);
  }
  return 0;
}

/* ------------------------------------------------------------------ the work */

static int try_all(what *w, ripstop_error *err) {
  w->effect = RIPSTOP_ARRAY(w->c.arena, w->count, ripstop_what_if);
  if (ripstop_judge(w->c.arena, w->c.view, w->c.tables, NULL, &w->before, err) != 0) return -1;
  if (ripstop_judge_what_if(w->c.view, w->c.tables, w->parts, w->count, ripstop_team_processors(), w->effect, err) != 0)
    return -1;
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
  return part->links == 1 && part->link[0] < w->c.fabric->link_ends;
}

static const char *kind_of(const what *w, const ripstop_faults *part) {
  if (w->of == PAIRS) return "pair";
  if (part->switches) return "switch";
  return is_host_cable(w, part) ? "host cable" : "cable";
}

/* As in fault files, but for a switch, whose name stands alone. */
static const char *name_of(const what *w, const ripstop_faults *part) {
  ripstop_text text = {0};
  char node[RIPSTOP_NAME_MAX];
  if (part->switches) {
    ripstop_node_name(w->c.fabric, part->switch_[0], node);
    return ripstop_arena_text(w->c.arena, node);
  }
  ripstop_faults_print(&text, w->c.fabric, part);
  const char *name = ripstop_arena_text(w->c.arena, text.data ? text.data : "");
  ripstop_text_free(&text);
  return name;
}

static void print_table(const what *w, bool all) {
  const uint32_t *order = sort_parts(w);
  uint32_t shown = 0, hosts = 0;
  printf("  %12s %12s %12s %12s  %-6s  %s\n", "parted pairs", "paths on it", "worst before", "worst after", "loop",
         w->of == SWITCHES ? "switch"
         : w->of == PAIRS  ? "pair of cables"
                           : "cable");
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
           name_of(w, &w->parts[order[i]]));
  }
  if (!all && shown < w->count - hosts) printf("  ... and %u more (--all shows them)\n", w->count - hosts - shown);
  if (!all && hosts) printf("  %u cables to adapters, each of which parts its own from all others\n", hosts);
}

static void print_shares(const what *w) {
  uint32_t parting = 0, looping = 0, hosts = 0;
  for (uint32_t i = 0; i < w->count; i++) {
    hosts += is_host_cable(w, &w->parts[i]);
    parting += w->effect[i].disconnected > w->effect[i].own;
    looping += w->effect[i].credit_loop && !w->before.credit_loop;
  }
  const char *kind = w->of == SWITCHES ? "switches" : w->of == PAIRS ? "pairs of cables" : "cables between switches";
  printf("\n%u of %u %s part adapters that live on; after %u of them the repaired tables have a credit loop\n", parting,
         w->count - hosts, kind, looping);
  if (w->of != PAIRS || w->count == w->pairs) return;
  ripstop_interval part = ripstop_clopper_pearson(parting, w->count, 0.99);
  printf("drawn from %" PRIu64 " pairs: at most %.3g %% of all part somebody, with 99 %% confidence\n", w->pairs,
         100 * part.high);
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
  for (uint32_t i = 0; i < s->links; i++)
    printf("  %s\n", name_of(w, &(ripstop_faults){.links = 1, .link = &s->link[i]}));
}

static void dump(json_t *o) {
  json_dumpf(o, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9));
  printf("\n");
  json_decref(o);
}

static void print_json(const what *w) {
  for (uint32_t i = 0; i < w->count; i++) {
    const ripstop_what_if *e = &w->effect[i];
    dump(json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:b, s:b, s:I}", "part", name_of(w, &w->parts[i]), "kind",
                   kind_of(w, &w->parts[i]), "pairs_disconnected", (json_int_t)e->disconnected,
                   "pairs_of_dead_adapters", (json_int_t)e->own, "pairs_on_it", (json_int_t)e->on_it,
                   "worst_link_before", (json_int_t)w->before.worst, "worst_link_after", (json_int_t)e->worst,
                   "credit_loop", e->credit_loop, "mixture_loop", e->mixture_loop, "changed_entries",
                   (json_int_t)e->changed));
  }
  if (!w->safe_wanted) return;
  const ripstop_safe_set *s = &w->safe;
  json_t *list = json_array();
  for (uint32_t i = 0; i < s->links; i++)
    json_array_append_new(list, json_string(name_of(w, &(ripstop_faults){.links = 1, .link = &s->link[i]})));
  dump(json_pack("{s:o, s:{s:I, s:I, s:I, s:I, s:b, s:b}}", "safe_set", list, "proof", "pairs",
                 (json_int_t)s->after.pairs, "unreachable_pairs", (json_int_t)s->after.unreached, "worst_link_before",
                 (json_int_t)w->before.worst, "worst_link_after", (json_int_t)s->after.worst, "credit_loop",
                 s->after.credit_loop, "mixture_loop", s->mixture.credit_loop || s->mixture.looping > 0));
}

/* ------------------------------------------------------------------ the command */

typedef struct wish {
  ripstop_table_words tables;
  const char *of, *samples, *seed;
  bool json, all;
} wish;

static int read_wish(const wish *asked, what *w, uint64_t *samples, uint64_t *seed, ripstop_error *err) {
  const char *of = asked->of ? asked->of : of_words[CABLES];
  for (w->of = CABLES; w->of < KINDS && strcmp(of, of_words[w->of]) != 0;) w->of++;
  if (w->of == KINDS) {
    const char *near = ripstop_nearest_word(of, of_words);
    return ripstop_fail(err, "what-if: --of '%.100s' is none of cables, switches, pairs%s%s%s", of,
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
  return 0;
}

static int list_parts(what *w, uint64_t samples, uint64_t seed, ripstop_error *err) {
  if (w->of == PAIRS) return list_pairs(w, samples, seed, err);
  w->of == CABLES ? list_cables(w) : list_switches(w);
  return 0;
}

static void print_text(const what *w, bool all) {
  printf("%s\n", w->c.fabric->spec);
  print_table(w, all);
  print_shares(w);
  if (w->safe_wanted) print_safe(w);
}

static int ask(const wish *asked) {
  ripstop_error err = {0};
  uint64_t samples, seed;
  what w = {0};
  int status = read_wish(asked, &w, &samples, &seed, &err);
  if (status) return ripstop_cli_fail(&err);
  w.safe_wanted = w.of == CABLES;
  status = ripstop_table_case_open(&asked->tables, &w.c, &err);
  if (!status) status = list_parts(&w, samples, seed, &err);
  if (!status) status = try_all(&w, &err);
  if (!status) asked->json ? print_json(&w) : print_text(&w, asked->all);
  ripstop_table_case_close(&w.c);
  return status ? ripstop_cli_fail(&err) : RIPSTOP_EXIT_OK;
}

int ripstop_cmd_what_if(int argc, char **argv) {
  wish asked = {.tables = {.command = "what-if"}};
  const ripstop_flag flags[] = {
      {.name = "tables",
       .value = "FILE",
       .values = &asked.tables.tables,
       .help = "Forwarding tables as OpenSM, dump_lfts or ibroute print them; several files are one set of tables."},
      {.name = "method",
       .value = "METHOD",
       .text = &asked.tables.method,
       .help = "Begin with the tables of a method instead."},
      {.name = "of",
       .value = "KIND",
       .text = &asked.of,
       .help = "What dies: cables (the default), switches or pairs of cables."},
      {.name = "samples",
       .value = "N",
       .text = &asked.samples,
       .help = "Pairs: how many to draw when there are more (1000)."},
      {.name = "seed", .value = "N", .text = &asked.seed, .help = "Pairs: what they are drawn from (1)."},
      {.name = "dead",
       .value = "PARTS",
       .text = &asked.tables.dead,
       .help = "Links and switches that are dead already, as in fault files."},
      {.name = "all", .help = "Show every part, not only the worst.", .given = &asked.all},
      {.name = "json", .help = "Print one JSON object a part, then the safe set.", .given = &asked.json},
      {0},
  };
  const ripstop_usage usage = {.command = "what-if",
                               .arguments = "FABRIC [FILE ...]",
                               .summary = "Tells what the next dead cable, switch or pair of cables does.",
                               .at_least = 1,
                               .at_most = RIPSTOP_CLI_VALUES,
                               .flags = flags};
  const char *argument[RIPSTOP_CLI_VALUES];
  unsigned count;
  int status = ripstop_cli_parse(&usage, argc, argv, argument, &count);
  if (status == RIPSTOP_CLI_GO_ON) status = ripstop_table_words_take(&asked.tables, argument, count);
  return status == RIPSTOP_CLI_GO_ON ? ask(&asked) : status;
}

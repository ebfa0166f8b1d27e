/* what-if.c - `ripstop what-if FABRIC --tables FILE`: what the next dead cable, switch or pair of cables does: who
 * loses whom until new tables are written, how the paths lie afterwards, and what may be taken out of service now.
 * docs/operators.md says what each number means. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "base/sort.h"
#include "base/team.h"
#include "cli/experiment.h"
#include "cli/meter.h"
#include "cli/what.h"
#include "fabric/ib.h"

enum { PAIRS_DEFAULT = 1000 };
static const double AGAIN_SECONDS = 0.2; /* between two lines of progress */

/* Of tables, and of what each thread keeps to repair them and to make a method's own: an entry, and how far it is. */
enum { ENTRY_BYTES = 2, REPAIR_BYTES = 6, REROUTE_BYTES = 2 };

static const char *const of_words[] = {"cables", "switches", "pairs", "groups", NULL};
static const char *const part_words[] = {"cable", "switch", "pair of cables", "group"};
static const char *const parts_words[] = {"cables between switches", "switches", "pairs of cables", "groups"};

/* ------------------------------------------------------------------ the work */

typedef struct line {
  const char *what;
  cli_meter meter;
} line;

static line begin_line(const char *parts) { return (line){parts, cli_meter_begin(AGAIN_SECONDS, INFINITY)}; }

static void print_line(void *context, uint32_t done, uint32_t all) {
  line *l = context;
  if (!cli_meter_is_due(&l->meter, false)) return;
  fprintf(stderr, "what-if: %u of %u %s, %.0f s", done, all, l->what, cli_meter_seconds(&l->meter));
  cli_meter_printed(&l->meter);
}

static int try_parts(what *w, ripstop_error *err) {
  const unsigned threads = ripstop_team_processors();
  line l = begin_line(w->of == CABLES ? "cables" : parts_words[w->of]);
  const ripstop_progress progress = {print_line, &l};
  int status =
      w->reroute
          ? ripstop_judge_reroute(w->c.arena, w->c.view, w->c.tables, w->reroute, RIPSTOP_TABLE_ENTRIES_MAX, w->parts,
                                  w->count, threads, &progress, w->effect, err)
          : ripstop_judge_what_if(w->c.view, w->c.tables, w->parts, w->count, threads, &progress, w->effect, err);
  cli_meter_end(&l.meter, false);
  return status != 0 && w->reroute ? ripstop_fail_at(err, "what-if: --reroute") : status;
}

static int find_cut_off(const what *w, const ripstop_faults *parts, cut_off *out, ripstop_error *err) {
  uint32_t *node;
  if (ripstop_judge_cut_off(w->c.arena, w->c.view, parts, &node, &out->count, err) != 0) return -1;
  out->node = node;
  for (uint32_t i = 0; i < out->count; i++) out->switches += !ripstop_is_end(w->c.fabric, node[i]);
  return 0;
}

static int find_all_cut_off(what *w, ripstop_error *err) {
  w->off = RIPSTOP_ARRAY(w->c.arena, w->count, cut_off);
  for (uint32_t i = 0; i < w->count; i++)
    if (find_cut_off(w, &w->parts[i], &w->off[i], err) != 0) return -1;
  return 0;
}

static int find_safe(what *w, ripstop_error *err) {
  const ripstop_table_case *c = &w->c;
  line l = begin_line("cables for the safe set");
  int status = ripstop_judge_safe_set(c->arena, c->view, c->tables, &w->before, &(ripstop_progress){print_line, &l},
                                      &w->safe, err);
  cli_meter_end(&l.meter, false);
  if (status != 0) return -1;
  l = begin_line("cables of the safe set by the method's tables");
  if (w->reroute)
    status = ripstop_judge_safe_reroute(c->arena, c->view, c->tables, &w->before, w->reroute, RIPSTOP_TABLE_ENTRIES_MAX,
                                        &(ripstop_progress){print_line, &l}, &w->safe, err);
  cli_meter_end(&l.meter, false);
  if (status != 0) return ripstop_fail_at(err, "what-if: --reroute");
  return find_cut_off(w, &(ripstop_faults){.links = w->safe.links, .link = w->safe.link}, &w->safe_off, err);
}

static int find_deadlock(what *w, ripstop_error *err) {
  ripstop_plan_waits waits;
  if (ripstop_table_case_deadlock(&w->c, &w->before, &waits, err)) return -1;
  w->now = waits.verdict;
  return 0;
}

static int try_all(what *w, ripstop_error *err) {
  w->effect = RIPSTOP_ARRAY(w->c.arena, w->count, ripstop_what_if);
  if (ripstop_judge(w->c.arena, w->c.view, w->c.tables, NULL, &w->before, err) != 0 || find_deadlock(w, err)) return -1;
  if (try_parts(w, err) != 0 || find_all_cut_off(w, err) != 0) return -1;
  return w->safe_wanted ? find_safe(w, err) : 0;
}

/* The worst first: what parts pairs for good, then what could deadlock, then what most paths go over. */
static int compare_parts(const void *context, const void *a, const void *b) {
  const what *w = context;
  const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
  const ripstop_what_if *x = &w->effect[i], *y = &w->effect[k];
  if (x->disconnected != y->disconnected) return x->disconnected < y->disconnected ? 1 : -1;
  if (x->credit_loop != y->credit_loop) return y->credit_loop - x->credit_loop;
  if (x->on_it != y->on_it) return x->on_it < y->on_it ? 1 : -1;
  if (x->worst != y->worst) return x->worst < y->worst ? 1 : -1;
  return (i > k) - (i < k);
}

static const uint32_t *sort_parts(const what *w) {
  uint32_t *order = RIPSTOP_ARRAY(w->c.arena, w->count, uint32_t);
  for (uint32_t i = 0; i < w->count; i++) order[i] = i;
  ripstop_sort(order, w->count, sizeof *order, compare_parts, w);
  return order;
}

/* ------------------------------------------------------------------ what is told */

bool what_is_host_cable(const what *w, uint32_t part) {
  return w->of == CABLES && w->parts[part].link[0] < w->c.fabric->link_ends;
}

/* As in fault files, but for a switch, whose name stands alone. */
const char *what_name(const what *w, const ripstop_faults *part) {
  RIPSTOP_LOCAL_TEXT(text);
  char node[RIPSTOP_NAME_MAX];
  if (part->switches == 1 && part->links == 0) {
    ripstop_node_name(w->c.fabric, part->switch_[0], node);
    return ripstop_arena_text(w->c.arena, node);
  }
  ripstop_faults_print(&text, w->c.fabric, part);
  const char *name = ripstop_arena_text(w->c.arena, text.data ? text.data : "");
  return name;
}

const char *what_node_name(const what *w, uint32_t node) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(w->c.fabric, node, name);
  return ripstop_arena_text(w->c.arena, name);
}

const char *what_node_told(const what *w, uint32_t node) {
  return ripstop_cli_told(w->c.arena, w->c.fabric, &(ripstop_faults){.switches = 1, .switch_ = &node});
}

const char *what_link_told(const what *w, uint32_t link) {
  return ripstop_cli_told(w->c.arena, w->c.fabric, &(ripstop_faults){.links = 1, .link = &link});
}

static void name_parts(what *w) {
  w->told = RIPSTOP_ARRAY(w->c.arena, w->count, const char *);
  for (uint32_t i = 0; i < w->count; i++)
    w->told[i] = w->of == GROUPS ? "" : ripstop_cli_told(w->c.arena, w->c.fabric, &w->parts[i]);
  if (w->of == GROUPS) return;
  w->name = RIPSTOP_ARRAY(w->c.arena, w->count, const char *);
  for (uint32_t i = 0; i < w->count; i++) w->name[i] = what_name(w, &w->parts[i]);
}

static const char *const *name_safe(const what *w) {
  const char **name = RIPSTOP_ARRAY(w->c.arena, w->safe.links, const char *);
  for (uint32_t i = 0; i < w->safe.links; i++)
    name[i] = what_name(w, &(ripstop_faults){.links = 1, .link = &w->safe.link[i]});
  return name;
}

/* Everything that is told, put together. */
static int look_out(what *w, const ripstop_table_words *from, ripstop_error *err) {
  what_if *page = &w->page;
  picture *o = &page->drawn;
  ripstop_leaf *leaf;
  w->given = from->method || from->tables.count;
  name_parts(w);
  ripstop_recognise(w->c.fabric, w->c.arena, &w->recognised);
  page->tables = from->method ? from->method : from->tables.count ? from->tables.value[0] : "shortest ways";
  page->part = part_words[w->of], page->parts = parts_words[w->of];
  page->deadlock = w->now;
  page->reroute = w->reroute;
  *o = (picture){.fabric = w->c.fabric,
                 .view = w->c.view,
                 .recognised = &w->recognised,
                 .text = ripstop_cli_describe(w->c.arena, w->c.fabric),
                 .told = ripstop_ib_of(w->c.fabric) ? &ripstop_ib_of(w->c.fabric)->dump->odd : NULL,
                 .before = &w->before,
                 .parts = w->count,
                 .set = w->parts,
                 .name = w->name,
                 .name_told = w->told,
                 .effect = w->effect,
                 .order = sort_parts(w),
                 .gather = true};
  picture_find_marks(w->c.arena, o);
  if (ripstop_judge_leaves(w->c.arena, w->c.view, &leaf, &o->leaves, err) != 0) return -1;
  o->leaf = leaf;
  if (!w->safe_wanted) return 0;
  o->safe = &w->safe;
  page->safe_name = name_safe(w);
  page->safe_off = w->safe_off.node;
  page->safe_offs = w->safe_off.count;
  if (w->of == CABLES) what_if_find_mends(w->c.arena, page);
  return 0;
}

static int write_page(const what *w, const char *path, ripstop_error *err) {
  RIPSTOP_LOCAL_TEXT(page);
  what_if_page(&w->page, &page);
  int status = 0;
  if (strcmp(path, "-") != 0)
    status = cli_write_file(path, &page, err);
  else if (fwrite(page.data, 1, page.length, stdout) < page.length)
    status = ripstop_fail_system(err, errno, "what-if: the output could not be written");
  return status;
}

/* ------------------------------------------------------------------ the command */

typedef struct head_request {
  ripstop_table_words tables;
  ripstop_cli_values groups;
  const char *page, *reroute;
  uint64_t samples, seed;
  unsigned of;
  bool json, all;
} head_request;

static int list_parts(what *w, const head_request *asked, ripstop_error *err) {
  if (w->of == PAIRS) return what_list_pairs(w, asked->samples, asked->seed, err);
  if (w->of == GROUPS) return what_list_groups(w, &asked->groups, err);
  w->of == CABLES ? what_list_cables(w) : what_list_switches(w);
  return 0;
}

static int ask(const head_request *asked) {
  ripstop_table_words words = asked->tables;
  ripstop_error err = {0};
  what w = {.of = asked->groups.count ? GROUPS : (part_kind)asked->of};
  w.reroute = asked->reroute;
  if (!words.method && words.tables.count == 0 && asked->reroute) {
    words.method = asked->reroute;
    words.asker = "--reroute";
  }
  w.safe_wanted = asked->json || w.of == CABLES;
  words.entry_bytes = ENTRY_BYTES + ripstop_team_processors() * (REPAIR_BYTES + (asked->reroute ? REROUTE_BYTES : 0));
  int status = ripstop_table_case_open(&words, &w.c, &err);
  if (!status && w.c.plan && w.c.plan->note) fprintf(stderr, "ripstop: what-if: %s\n", w.c.plan->note);
  if (!status) status = list_parts(&w, asked, &err);
  if (!status && w.of == GROUPS && w.count == 0)
    fprintf(stderr,
            "ripstop: what-if: there are no groups: no line card, chassis or cables side by side; --group PARTS "
            "names some\n");
  if (!status) status = try_all(&w, &err);
  if (!status) status = look_out(&w, &words, &err);
  if (!status && asked->page) status = write_page(&w, asked->page, &err);
  if (!status && (asked->json || !asked->page)) asked->json ? what_print_json(&w) : what_print_text(&w, asked->all);
  ripstop_table_case_close(&w.c);
  return status ? ripstop_cli_fail(&err) : RIPSTOP_EXIT_OK;
}

int ripstop_cmd_what_if(int argc, char **argv) {
  head_request asked = {.tables = {.command = "what-if", .any = true}, .samples = PAIRS_DEFAULT, .seed = 1};
  const ripstop_flag flags[] = {
      CLI_TEXTS("tables", "FILE", &asked.tables.tables,
                "Forwarding tables as OpenSM, dump_lfts or ibroute print them; several files, or a folder, are one set "
                "of tables."),
      CLI_TEXT("method", "METHOD", &asked.tables.method,
               "Begin with the tables of a method instead. With neither: those of --reroute, or shortest ways, spread "
               "over the cables."),
      CLI_TEXT("reroute", "METHOD", &asked.reroute,
               "After a part has died the tables are this method's new ones, not repaired ones."),
      CLI_WORD("of", "KIND", &asked.of, of_words,
               "What dies: cables (the default), switches, pairs of cables, or groups."),
      CLI_TEXTS("group", "PARTS", &asked.groups,
                "Groups: parts that die together, as in fault files, '*' allowed; may be repeated. Without: line "
                "cards, chassis, and cables side by side.",
                .excludes = "of=cables of=switches of=pairs", .because = "--group names what --of groups takes"),
      CLI_TEXT("output", "PAGE.html", &asked.page,
               "Write a page, - to standard output: the fabric drawn, what is odd, and the tables of all this.",
               .letter = 'o', .output = RIPSTOP_FLAG_OUTPUT_OR_DASH),
      CLI_INTEGER("samples", "N", &asked.samples, "Pairs: how many to draw when there are more (1000).",
                  .most = UINT32_MAX - 1, .needs = "of=pairs"),
      CLI_INTEGER("seed", "N", &asked.seed, "Pairs: what they are drawn from (1).", .needs = "of=pairs"),
      CLI_TEXT("set", "PARTS", &asked.tables.dead, "Links and switches that are dead already, as in fault files."),
      CLI_SWITCH("all", &asked.all, "Show every part, not only the worst."),
      CLI_SWITCH("json", &asked.json, "Print one JSON object a part, then the safe set.", .excludes = "output=-",
                 .because = "both go to standard output; give the page a file"),
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

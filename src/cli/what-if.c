/* what-if.c - `ripstop what-if FABRIC --tables FILE`: prints what the next failed cable, switch or pair of cables does:
 * the pairs lost until new tables are written, the load of links afterwards, and what may be taken out of service now.
 * docs/operators.md says what each number means. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "base/team.h"
#include "cli/experiment.h"
#include "cli/meter.h"
#include "cli/table_case.h"
#include "cli/tables_folder.h"
#include "cli/what.h"
#include "fabric/ib.h"

enum { PAIRS_DEFAULT = 1000 };
static const double AGAIN_SECONDS = 0.2; /* between two lines of progress */

/* Bytes for each entry: in the tables, and in each thread to repair them and to make a method's own. */
enum { ENTRY_BYTES = 2, REPAIR_BYTES = 6, REROUTE_BYTES = 2 };

static const char *const of_words[] = {"cables", "switches", "pairs", "groups", NULL};

/* ------------------------------------------------------------------ progress */

typedef struct line {
  const char *what; /* the present step; NULL: none has begun */
  cli_meter meter;
} line;

static void end_line(const line *l) {
  if (l->what) cli_meter_end(&l->meter, false);
}

static void print_line(void *context, const char *what, uint32_t done, uint32_t all) {
  line *l = context;
  if (l->what != what) {
    end_line(l);
    *l = (line){what, cli_meter_begin(AGAIN_SECONDS, INFINITY)};
  }
  if (!cli_meter_is_due(&l->meter, false)) return;
  fprintf(stderr, "what-if: %u of %u %s, %.0f s", done, all, what, cli_meter_seconds(&l->meter));
  cli_meter_printed(&l->meter);
}

/* ------------------------------------------------------------------ the command */

typedef struct head_request {
  ripstop_table_words tables;
  ripstop_cli_values groups, counters, counters_before, before;
  const char *page, *reroute, *safe_tables;
  uint64_t samples, seed;
  unsigned of;
  bool json, all;
} head_request;

static int write_page(const what_if_study *w, const char *path, ripstop_error *err) {
  RIPSTOP_LOCAL_TEXT(page);
  what_if_page(&w->page, &page);
  int status = 0;
  if (strcmp(path, "-") != 0)
    status = cli_write_file(path, &page, err);
  else if (fwrite(page.data, 1, page.length, stdout) < page.length)
    status = ripstop_fail_system(err, errno, "what-if: the output could not be written");
  return status;
}

/* Reads the files of errors and of earlier tables, for the page. Memory from the arena. */
static int add_files(what_if_study *w, const head_request *asked, const ripstop_table_case *c, ripstop_error *err) {
  const ib_counter_files files = {.now = asked->counters.value,
                                  .nows = asked->counters.count,
                                  .before = asked->counters_before.value,
                                  .befores = asked->counters_before.count};
  ib_cable_counters *counters = RIPSTOP_NEW(c->arena, ib_cable_counters);
  ripstop_transient *changed = RIPSTOP_NEW(c->arena, ripstop_transient);
  if (files.nows) {
    if (ib_cable_counters_read(c->arena, c->view, w->before.load, &files, counters, err)) return -1;
    w->page.counters = counters;
  }
  if (!asked->before.count) return 0;
  ripstop_forwarding *before = cli_read_tables(c->fabric, NULL, &asked->before, NULL, err);
  const int status = before ? ripstop_judge_transient(c->arena, c->view, before, c->tables, changed, err) : -1;
  ripstop_forwarding_free(before);
  w->page.changed = changed;
  w->page.before = asked->before.value[0];
  return status;
}

/* The tables of the proof, with a first step where the present ones and these must not meet. */
static int write_safe_tables(const what_if_study *w, const char *path, ripstop_error *err) {
  const cli_tables_folder folder = {path, "what-if", "--safe-tables", RIPSTOP_OUTPUT_NEW};
  const ripstop_forwarding *tables = w->safe.rerouted ? w->safe.rerouted_tables : w->safe.proved;
  const ripstop_forwarding *first = w->safe.rerouted ? w->safe.rerouted_between : w->safe.between;
  return ripstop_output_folder(path, err) || cli_tables_write(&folder, tables, first, err) ? -1 : 0;
}

static int print(const what_if_study *w, const head_request *asked, ripstop_error *err) {
  if (w->settings.of == WHAT_IF_GROUPS && w->count == 0)
    fprintf(stderr,
            "ripstop: what-if: there are no groups: no line card, chassis or cables side by side; --group PARTS "
            "names some\n");
  if (asked->page && write_page(w, asked->page, err)) return -1;
  if (asked->safe_tables && write_safe_tables(w, asked->safe_tables, err)) return -1;
  if (asked->json || !asked->page)
    asked->json ? what_print_json(w) : what_print_text(w, asked->all, asked->safe_tables);
  return 0;
}

static int study(const head_request *asked, const ripstop_table_words *words, const ripstop_table_case *c,
                 ripstop_error *err) {
  line l = {0};
  what_if_study w;
  const what_if_settings settings = {.view = c->view,
                                     .tables = c->tables,
                                     .plan = c->plan,
                                     .whole = c->whole,
                                     .origin = words->method         ? words->method
                                               : words->tables.count ? words->tables.value[0]
                                                                     : NULL,
                                     .reroute = asked->reroute,
                                     .entries = RIPSTOP_TABLE_ENTRIES_MAX,
                                     .of = asked->groups.count ? WHAT_IF_GROUPS : (what_if_kind)asked->of,
                                     .group = asked->groups.value,
                                     .groups = asked->groups.count,
                                     .samples = asked->samples,
                                     .seed = asked->seed,
                                     .safe = asked->json || asked->safe_tables ||
                                             (!asked->groups.count && asked->of == WHAT_IF_CABLES),
                                     .threads = ripstop_team_processors(),
                                     .progress = print_line,
                                     .context = &l};
  int status = what_if_study_make(c->arena, &settings, &w, err);
  end_line(&l);
  if (status || add_files(&w, asked, c, err)) return ripstop_fail_at(err, "what-if");
  return print(&w, asked, err);
}

static int answer(const head_request *asked) {
  ripstop_table_words words = asked->tables;
  ripstop_table_case c;
  ripstop_error err = {0};
  if (!words.method && words.tables.count == 0 && asked->reroute) {
    words.method = asked->reroute;
    words.asker = "--reroute";
  }
  if (asked->before.count && !words.method && words.tables.count == 0) {
    ripstop_fail(&err, "what-if: --before has no tables to compare with; give --tables FILE or --method METHOD");
    return ripstop_cli_fail(&err);
  }
  words.entry_bytes = ENTRY_BYTES + ripstop_team_processors() * (REPAIR_BYTES + (asked->reroute ? REROUTE_BYTES : 0));
  const cli_tables_folder folder = {asked->safe_tables, "what-if", "--safe-tables", RIPSTOP_OUTPUT_NEW};
  if (asked->safe_tables && cli_tables_check(&folder, &err)) return ripstop_cli_fail(&err);
  int status = ripstop_table_case_open(&words, &c, &err);
  if (!status && c.plan && c.plan->note) fprintf(stderr, "ripstop: what-if: %s\n", c.plan->note);
  if (!status) status = study(asked, &words, &c, &err);
  ripstop_table_case_close(&c);
  return status ? ripstop_cli_fail(&err) : RIPSTOP_EXIT_OK;
}

int ripstop_cmd_what_if(int argc, char **argv) {
  head_request asked = {.tables = {.command = "what-if", .any = true}, .samples = PAIRS_DEFAULT, .seed = 1};
  const ripstop_flag flags[] = {
      CLI_TEXTS("tables", "FILE", &asked.tables.tables,
                "Forwarding tables as OpenSM, dump_lfts or ibroute print them; several files, or a folder, are one set "
                "of tables."),
      CLI_TEXT("method", "METHOD", &asked.tables.method,
               "Begin with the tables of a method instead. With neither: those of --reroute, or shortest paths, one "
               "cable each."),
      CLI_TEXT("reroute", "METHOD", &asked.reroute,
               "After a part has died the tables are this method's new ones, not repaired ones."),
      CLI_WORD("of", "KIND", &asked.of, of_words,
               "What dies: cables (the default), switches, pairs of cables, or groups."),
      CLI_TEXTS("group", "PARTS", &asked.groups,
                "Groups: parts that die together, as in fault files, '*' allowed; may be repeated. Without: line "
                "cards, chassis, and cables side by side.",
                .excludes = "of=cables of=switches of=pairs", .because = "--group names what --of groups takes"),
      CLI_TEXT(
          "output", "PAGE.html", &asked.page,
          "Write a page, - to standard output: the fabric drawn, what is odd, what breaks next, what may be pulled.",
          .letter = 'o', .output = RIPSTOP_FLAG_OUTPUT_OR_DASH),
      CLI_TEXTS("counters", "FILE", &asked.counters,
                "Page: error counters as for 'ripstop fabric'; lists the cables to replace first. May be repeated.",
                .needs = "output"),
      CLI_TEXTS("counters-before", "FILE", &asked.counters_before,
                "Page: counters of an earlier time: only what was added since counts. May be repeated.",
                .needs = "counters"),
      CLI_TEXTS("before", "FILE", &asked.before,
                "Page: older tables: says what changed, and what happens while the new ones are written over them.",
                .needs = "output"),
      CLI_TEXT("safe-tables", "FOLDER", &asked.safe_tables,
               "Write the tables under which the safe set was proved: lfts.dump, sl.dump and sl2vl.dump."),
      CLI_INTEGER("samples", "N", &asked.samples, "Pairs: how many to draw when there are more (1000).",
                  .most = UINT32_MAX - 1, .needs = "of=pairs"),
      CLI_INTEGER("seed", "N", &asked.seed, "Pairs: the seed of the random ones (1).", .needs = "of=pairs"),
      CLI_TEXT("set", "PARTS", &asked.tables.dead,
               "Links and switches that have failed already, written like in fault files."),
      CLI_SWITCH("all", &asked.all, "Show every part, not only the worst."),
      CLI_SWITCH("json", &asked.json, "Print one JSON object a part, then the safe set.", .excludes = "output=-",
                 .because = "both go to standard output; give the page a file"),
      {0},
  };
  const ripstop_usage usage = {.command = "what-if",
                               .arguments = "FABRIC [FILE ...]",
                               .summary =
                                   "Reports what the next failed cable, switch, pair of cables or line card does.",
                               .at_least = 1,
                               .at_most = RIPSTOP_CLI_VALUES,
                               .flags = flags};
  const char *argument[RIPSTOP_CLI_VALUES];
  unsigned count;
  int status = ripstop_cli_parse(&usage, argc, argv, argument, &count);
  if (status == RIPSTOP_CLI_GO_ON) status = ripstop_table_words_take(&asked.tables, argument, count);
  return status == RIPSTOP_CLI_GO_ON ? answer(&asked) : status;
}

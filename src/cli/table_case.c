/* table_case.c - reads the fabric, its failed parts and its tables for `ripstop judge` and `ripstop what-if`. */
#include "cli/table_case.h"

#include <string.h>

#include "base/local.h"
#include "fabric/ib.h"
#include "mend/table_files.h"
#include "ripstop/kit/campaign.h"
#include "ripstop/plugin/plan.h"
#include "route/plan_steps.h"
#include "tables/infiniband/lfts.h"
#include "tables/of_plan.h"

/* Prints the lines as notes. */
static void print_notes(const ripstop_text *notes) {
  for (const char *line = notes->data; *line; line += strcspn(line, "\n") + 1)
    ripstop_cli_say(stderr, "ripstop: %.*s\n", (int)strcspn(line, "\n"), line);
}

ripstop_forwarding *cli_read_tables(const ripstop_fabric *fabric, const ripstop_view *view,
                                    const ripstop_cli_values *given, bool *levels, ripstop_error *err) {
  RIPSTOP_LOCAL_TEXT(notes);
  ripstop_text_begin(&notes);
  ripstop_forwarding *tables =
      ripstop_table_files_read(&(ripstop_table_files){given->value, given->count}, fabric, view, &notes, levels, err);
  if (tables) print_notes(&notes);
  return tables;
}

int ripstop_table_words_take(ripstop_table_words *w, const char *const *argument, unsigned count) {
  ripstop_error err;
  w->fabric = argument[0];
  for (unsigned i = 1; i < count; i++) {
    if (w->tables.count == 0 || w->tables.count == RIPSTOP_CLI_VALUES) {
      ripstop_fail(&err, "%s: one argument too many, '%.100s'", w->command, argument[i]);
      return ripstop_cli_fail(&err);
    }
    w->tables.value[w->tables.count++] = argument[i];
  }
  return RIPSTOP_CLI_GO_ON;
}

static int compile(const ripstop_table_words *w, ripstop_table_case *c, ripstop_error *err) {
  ripstop_answer answer;
  c->plan = ripstop_plan_compile(c->view, w->method, &answer, err);
  if (!c->plan) return w->asker ? ripstop_fail_at(err, "%s: %s", w->command, w->asker) : -1;
  c->tables = ripstop_forwarding_of_method(c->plan, RIPSTOP_TABLE_ENTRIES_MAX, &c->whole, err);
  if (c->tables) return 0;
  return w->asker ? ripstop_fail_at(err, "%s: %s", w->command, w->asker) : ripstop_fail_at(err, "%s", w->command);
}

static int open_view(const ripstop_table_words *w, ripstop_table_case *c, ripstop_error *err) {
  ripstop_faults faults = {0};
  if (w->dead) {
    ripstop_names *names = ripstop_names_new(c->fabric);
    int status = ripstop_faults_parse(c->arena, names, w->dead, strlen(w->dead), &faults, err);
    ripstop_names_free(names);
    if (status) return ripstop_fail_at(err, "%s: --set", w->command);
  }
  c->view = ripstop_view_new(c->fabric, &faults);
  return 0;
}

/* Before anything large is made. */
static int check_memory(const ripstop_table_words *w, const ripstop_fabric *f, ripstop_error *err) {
  const double giga = 1e9, needs = (double)w->entry_bytes * f->ends * ripstop_fabric_switches(f);
  const uint64_t there = ripstop_memory_there();
  if (there == UINT64_MAX || needs <= (double)there) return 0;
  return ripstop_fail(err, "%s: needs %.1f GB at least, for %u end nodes and %u switches, and there are %.1f GB",
                      w->command, needs / giga, f->ends, ripstop_fabric_switches(f), (double)there / giga);
}

/* Judging and repairing tables takes links to carry packets in both directions. */
static int check_directions(const ripstop_table_words *w, const ripstop_fabric *f, ripstop_error *err) {
  if (!f->one_way) return 0;
  return ripstop_fail(err, "%s: not for %s, which has links that carry packets in one direction; 'ripstop prove' is",
                      w->command, f->spec);
}

int ripstop_table_case_open(const ripstop_table_words *w, ripstop_table_case *c, ripstop_error *err) {
  *c = (ripstop_table_case){.arena = ripstop_arena_new()};
  unsigned sources = (w->method != NULL) + (w->tables.count > 0);
  if (sources > 1 || (sources == 0 && !w->any))
    return ripstop_fail(err, "%s: give either --tables FILE or --method METHOD", w->command);
  c->fabric = ripstop_cli_open_fabric(w->fabric, err);
  if (!c->fabric || check_directions(w, c->fabric, err) || check_memory(w, c->fabric, err) || open_view(w, c, err))
    return -1;
  if (w->method) return compile(w, c, err);
  c->tables =
      sources ? cli_read_tables(c->fabric, c->view, &w->tables, NULL, err) : ripstop_forwarding_shortest(c->view, err);
  return c->tables ? 0 : -1;
}

void ripstop_table_case_close(ripstop_table_case *c) {
  ripstop_forwarding_free(c->tables);
  ripstop_plan_free(c->plan);
  ripstop_view_free(c->view);
  ripstop_fabric_free(c->fabric);
  ripstop_arena_free(c->arena);
}

/* report.c - `ripstop report FILE`: an experiment's figures, tables and claims as one HTML page, and as CSV. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/experiment.h"

/* The two commands that lead to the page. */
static void print_commands(ripstop_text *out, int argc, char **argv, const cli_experiment *e, const char *file) {
  ripstop_text_add(out, "ripstop run");
  cli_print_word(out, file);
  cli_print_variant(out, &e->spec->variant);
  ripstop_text_add(out, " --store");
  cli_print_word(out, e->store_path);
  ripstop_text_add(out, "\nripstop");
  for (int i = 0; i < argc; i++) cli_print_word(out, argv[i]);
}

static int write_all(const cli_experiment *e, const char *command, const char *page_path, const char *folder,
                     ripstop_error *err) {
  ripstop_data data = {.runs = e->runs, .outcome = e->outcome};
  ripstop_text page = {0};
  int status = ripstop_report_html(&data, command, &page, err);
  if (status > 0) fprintf(stderr, "ripstop: note: figures are tables alone: %s\n", err->text);
  if (status >= 0) status = cli_write_file(page_path, &page, err);
  if (!status && folder) status = ripstop_report_csv(&data, folder, err);
  ripstop_text_free(&page);
  return status;
}

static int nothing_done(const cli_experiment *e, const char *file, ripstop_error *err) {
  ripstop_text flags = {0};
  cli_print_variant(&flags, &e->spec->variant);
  ripstop_fail(err, "store %s has no run of %s; 'ripstop run %s%s' does them", e->store_path, file, file,
               flags.data ? flags.data : "");
  ripstop_text_free(&flags);
  return -1;
}

/* Leaves with a message when there is nothing to show. */
static int check_done(const cli_experiment *e, const char *file, ripstop_error *err) {
  size_t done = 0;
  for (size_t i = 0; i < e->runs->count; i++) done += e->outcome[i] != NULL;
  if (!done) return nothing_done(e, file, err);
  if (done < e->runs->count)
    fprintf(stderr, "ripstop: note: %zu of %zu runs are not done yet; 'ripstop run' goes on with them\n",
            e->runs->count - done, e->runs->count);
  return 0;
}

/* Where it is; as it is to other programs. */
static int tell_page(const cli_experiment *e, const char *page, bool json) {
  ripstop_error err;
  ripstop_text text = {0};
  const ripstop_data data = {.runs = e->runs, .outcome = e->outcome};
  int status = json ? ripstop_report_json(&data, page, &text, &err) : 0;
  if (status)
    status = ripstop_cli_fail(&err);
  else if (json)
    fputs(text.data, stdout);
  else if (isatty(STDOUT_FILENO))
    ripstop_cli_say(stdout, "%s\n", page);
  else
    printf("%s\n", page);
  ripstop_text_free(&text);
  return status;
}

static int report_file(int argc, char **argv, const char *file, const ripstop_variant *variant, const char *store,
                       const char *page, const char *folder, bool json) {
  ripstop_error err = {0};
  cli_experiment e;
  int status = RIPSTOP_EXIT_OK;
  if (cli_open(&e, file, variant, store, &err) || cli_load(&e, folder ? CLI_LOOK_ALL : CLI_LOOK_PAGE, &err) ||
      check_done(&e, file, &err)) {
    status = ripstop_cli_fail(&err);
  } else {
    ripstop_text command = {0};
    bool own = !page;
    if (own) page = cli_out(&e, e.spec->name, ".html");
    print_commands(&command, argc, argv, &e, file);
    if ((own && ripstop_make_folders(page, &err)) || write_all(&e, command.data, page, folder, &err)) {
      status = ripstop_cli_fail(&err);
    } else {
      status = tell_page(&e, page, json);
    }
    ripstop_text_free(&command);
  }
  cli_close(&e);
  return status;
}

int ripstop_cmd_report(int argc, char **argv) {
  bool json = false;
  cli_variant given = {0};
  ripstop_variant variant;
  const char *store = NULL, *page = NULL, *folder = NULL, *file[CLI_FILES_MOST] = {NULL};
  unsigned files = 0;
  const ripstop_flag flags[] = {
      {.name = "quick", .help = "Show the runs of 'ripstop run --quick'.", .given = &given.quick},
      CLI_VARIANT_FLAGS(given),
      {.name = "store", .value = "DB", .help = "Read the runs from here instead of out/NAME.db.", .text = &store},
      {.name = "output",
       .letter = 'o',
       .value = "PAGE",
       .help = "Write the page here instead of out/NAME.html.",
       .text = &page},
      {.name = "csv",
       .value = "DIR",
       .help = "Also write every figure, all claims and all runs as CSV.",
       .text = &folder},
      {.name = "json", .help = "Print figures and verdicts as JSON too, an object for each file.", .given = &json},
      {0},
  };
  const ripstop_usage usage = {
      .command = "report",
      .arguments = "FILE...",
      .summary = "Writes an experiment's figures, tables and claims as one HTML page. - is standard input.",
      .at_least = 1,
      .at_most = CLI_FILES_MOST,
      .flags = flags};
  ripstop_error err = {0};
  int status = ripstop_cli_parse(&usage, argc, argv, file, &files);
  if (status != RIPSTOP_CLI_GO_ON) return status;
  if (cli_read_variant("report", &given, &variant, &err)) return ripstop_cli_fail(&err);
  if (files > 1 && (page || folder)) {
    ripstop_fail(&err, "report: --%s takes one experiment", page ? "output" : "csv");
    return ripstop_cli_fail(&err);
  }
  status = RIPSTOP_EXIT_OK;
  for (unsigned i = 0; i < files; i++) {
    int own = report_file(argc, argv, file[i], &variant, store, page, folder, json);
    if (own > status) status = own;
  }
  return status;
}

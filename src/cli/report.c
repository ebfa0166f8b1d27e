/* report.c - `ripstop report FILE`: an experiment's figures, tables and claims as one HTML page, and as CSV. */
#include <string.h>
#include <unistd.h>

#include "base/local.h"
#include "base/output.h"
#include "cli/cli.h"
#include "cli/experiment.h"

/* True if the store has runs of the file's quick variant. */
static bool has_quick(const ripstop_campaign *c) {
  ripstop_error ignored = {0};
  ripstop_campaign_settings settings = *ripstop_campaign_settings_of(c);
  ripstop_data data;
  bool any = false;
  if (settings.variant.quick || !strcmp(settings.file, "-")) return false;
  settings.variant.quick = true;
  ripstop_campaign *quick = ripstop_campaign_open(&settings, &ignored);
  if (quick && !ripstop_report_load(quick, RIPSTOP_LOAD_TABLES, &data, &ignored))
    for (size_t i = 0; i < data.runs->count && !any; i++) any = data.outcome[i] != NULL;
  ripstop_campaign_close(quick);
  return any;
}

static int nothing_done(const ripstop_campaign *c, ripstop_error *err) {
  const ripstop_campaign_settings *s = ripstop_campaign_settings_of(c);
  RIPSTOP_LOCAL_TEXT(flags);
  cli_print_variant(&flags, &s->variant);
  ripstop_fail(err, "store %s has no run of %s; 'ripstop run %s%s' does them%s", ripstop_campaign_store_path(c),
               s->file, s->file, flags.data ? flags.data : "",
               has_quick(c) ? "; it has some of its quick runs, which --quick shows" : "");
  return -1;
}

/* True if 'run' would do the missing runs. Otherwise its reason is the mistake, not the missing rows. */
static int check_runs(const ripstop_spec *spec, ripstop_error *err) {
  ripstop_runs *tried = ripstop_expand(spec, err);
  ripstop_runs_free(tried);
  return tried ? 0 : -1;
}

/* Leaves with a message when there is nothing to show, or nothing can be. */
static int check_done(const ripstop_campaign *c, const ripstop_data *data, ripstop_error *err) {
  const size_t runs = data->runs->count;
  size_t done = 0;
  for (size_t i = 0; i < runs; i++) done += data->outcome[i] != NULL;
  if (done < runs && check_runs(data->runs->spec, err)) return -1;
  if (!done) return nothing_done(c, err);
  if (done < runs)
    fprintf(stderr, "ripstop: note: %zu of %zu runs are not done yet; 'ripstop run' goes on with them\n", runs - done,
            runs);
  return 0;
}

/* The path in a form for other programs. */
static int print_page(const ripstop_data *data, const char *page, bool json) {
  ripstop_error err;
  RIPSTOP_LOCAL_TEXT(text);
  int status = json ? ripstop_report_json(data, page, &text, &err) : 0;
  if (status)
    status = ripstop_cli_fail(&err);
  else if (json)
    fputs(text.data, stdout);
  else if (isatty(STDOUT_FILENO))
    ripstop_cli_say(stdout, "%s\n", page);
  else
    printf("%s\n", page);
  return status;
}

/* The flags, for every file. */
typedef struct request {
  int argc;
  char **argv;
  ripstop_campaign_settings settings;
  const char *page, *folder, *figure;
  bool json;
} request;

static int write_page(const ripstop_campaign *c, const ripstop_data *data, const char *page, const request *w,
                      ripstop_error *err) {
  RIPSTOP_LOCAL_TEXT(commands);
  cli_print_run(&commands, c, ripstop_campaign_settings_of(c)->file);
  ripstop_text_add(&commands, "\nripstop");
  for (int i = 0; i < w->argc; i++) cli_print_word(&commands, w->argv[i]);
  int status = cli_write_page(page, data, commands.data, NULL, err);
  if (!status && w->folder) status = ripstop_report_csv(data, w->folder, err);
  return status ? ripstop_cli_fail(err) : print_page(data, page, w->json);
}

static int write_figure(const ripstop_data *data, const request *w, ripstop_error *err) {
  if (ripstop_report_figure(data, w->figure, w->page, err)) return ripstop_cli_fail(err);
  return print_page(data, w->page, false);
}

/* The files whose names follow from the experiment; without --output the page is `page`. */
static int check_files(const ripstop_spec *spec, const request *w, ripstop_text *page, ripstop_error *err) {
  ripstop_text_add(page, "out/%s.html", spec->name);
  if (!w->page && (ripstop_make_folders(page->data, err) || ripstop_output_check(page->data, RIPSTOP_OUTPUT_NEW, err)))
    return -1;
  return w->folder ? ripstop_output_check_folder(w->folder, RIPSTOP_OUTPUT_NEW, ripstop_report_has_csv, spec, err) : 0;
}

static int report_campaign(ripstop_campaign *c, const request *w, ripstop_text *page, ripstop_error *err) {
  ripstop_data data;
  if (check_files(ripstop_campaign_runs(c)->spec, w, page, err) ||
      ripstop_report_load(c, w->folder ? RIPSTOP_LOAD_ALL : RIPSTOP_LOAD_PAGE, &data, err) || check_done(c, &data, err))
    return ripstop_cli_fail(err);
  return w->figure ? write_figure(&data, w, err) : write_page(c, &data, w->page ? w->page : page->data, w, err);
}

static int report_file(const char *file, request *w) {
  ripstop_error err = {0};
  RIPSTOP_LOCAL_TEXT(page);
  w->settings.file = file;
  ripstop_campaign *c = ripstop_campaign_open(&w->settings, &err);
  int status = c ? report_campaign(c, w, &page, &err) : ripstop_cli_fail(&err);
  ripstop_campaign_close(c);
  return status;
}

static int check_request(const request *w, unsigned files, ripstop_error *err) {
  if (files > 1 && (w->page || w->folder))
    return ripstop_fail(err, "report: --%s takes one experiment", w->page ? "output" : "csv");
  return 0;
}

int ripstop_cmd_report(int argc, char **argv) {
  cli_variant given = {0};
  request w = {.argc = argc, .argv = argv, .settings = ripstop_campaign_defaults(NULL)};
  const char *file[CLI_FILES_MOST] = {NULL};
  unsigned files = 0;
  const ripstop_flag flags[] = {
      CLI_SWITCH("quick", &given.quick, "Show the runs of 'ripstop run --quick'."),
      CLI_VARIANT_FLAGS(given),
      CLI_TEXT("store", "DB", &w.settings.store, "Read the runs from here instead of out/NAME.db."),
      CLI_TEXT("output", "PAGE", &w.page, "Write the page here instead of out/NAME.html, or with --figure the figure.",
               .letter = 'o', .output = RIPSTOP_FLAG_OUTPUT),
      CLI_TEXT("figure", "ID", &w.figure,
               "Write this figure alone, for a paper: -o fig.svg, .pdf, .png, .tikz, .csv or .gp.", .needs = "output",
               .excludes = "csv json"),
      CLI_TEXT("csv", "DIR", &w.folder, "Also write every figure, all claims and all runs as CSV."),
      CLI_SWITCH("json", &w.json, "Print figures and verdicts as JSON too, an object for each file."),
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
  w.settings.variant = cli_variant_of(&given);
  if (check_request(&w, files, &err)) return ripstop_cli_fail(&err);
  w.settings.mode = RIPSTOP_CAMPAIGN_READ;
  status = RIPSTOP_EXIT_OK;
  for (unsigned i = 0; i < files; i++) {
    int own = report_file(file[i], &w);
    if (own > status) status = own;
  }
  return status;
}

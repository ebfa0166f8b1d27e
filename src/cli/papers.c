/* papers.c - what `claims` and `book` share. */
#include "cli/papers.h"

#include <stdio.h>

ripstop_record *cli_read_record(const char *path, ripstop_error *err) {
  ripstop_record *record = ripstop_record_read(path, err);
  const size_t bare = record ? ripstop_record_undigested(record) : 0;
  if (bare)
    ripstop_cli_say(stderr,
                    "ripstop: note: %s: its %zu claims have no digests (written by an older version), so changed "
                    "numbers go undetected; 'ripstop claims --record' adds digests\n",
                    path, bare);
  return record;
}

ripstop_papers_settings cli_papers_settings(cli_run_events *events) {
  ripstop_papers_settings settings = {
      .campaign = ripstop_campaign_defaults(NULL), .load = RIPSTOP_LOAD_TABLES, .notes = stderr};
  cli_print_events(events, false, &settings.campaign);
  return settings;
}

int cli_parse_papers(const ripstop_usage *usage, int argc, char **argv, const cli_variant *variant,
                     const char **argument, unsigned *count, ripstop_papers_settings *settings) {
  ripstop_error err = {0};
  char quick[32];
  const int status = ripstop_cli_parse(usage, argc, argv, argument, count);
  if (status != RIPSTOP_CLI_GO_ON) return status;
  snprintf(quick, sizeof quick, "%s --quick", usage->command);
  if (variant->quick && ripstop_ranks_none(quick, &err)) return err.text[0] ? ripstop_cli_fail(&err) : RIPSTOP_EXIT_OK;
  settings->campaign.variant = cli_variant_of(variant);
  return RIPSTOP_CLI_GO_ON;
}

int cli_collect_papers(ripstop_papers *papers, ripstop_error *err) {
  const int result = ripstop_papers_collect(papers, err);
  return result < 0 ? ripstop_cli_fail(err) : result ? CLI_EXIT_INTERRUPTED : RIPSTOP_EXIT_OK;
}

/* papers.c - what `claims` and `book` share. */
#include "cli/papers.h"

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

/* With events as new as the campaign. */
static int run(void *context, ripstop_campaign *c, ripstop_error *err) {
  (void)context;
  ripstop_campaign_settings settings = *ripstop_campaign_settings_of(c);
  cli_run_events *events = settings.context;
  cli_print_events(events, false, &settings);
  return cli_run_campaign(c, events, err);
}

ripstop_papers_settings cli_papers_settings(cli_run_events *events) {
  ripstop_papers_settings settings = {
      .campaign = ripstop_campaign_defaults(NULL), .load = RIPSTOP_LOAD_TABLES, .notes = stderr, .run = run};
  cli_print_events(events, false, &settings.campaign);
  return settings;
}

int cli_collect_papers(ripstop_papers *papers, ripstop_error *err) {
  const int status = ripstop_papers_collect(papers, err);
  return status < 0 ? ripstop_cli_fail(err) : status;
}

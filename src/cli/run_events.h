/* run_events.h - how a campaign's progress is printed: for people a line on standard error that is rewritten, for
 * programs events on standard output, a JSON object a line (docs/many-machines.md). */
#ifndef CLI_RUN_EVENTS_H
#define CLI_RUN_EVENTS_H

#include "cli/meter.h"
#include "ripstop/kit/campaign.h"

typedef struct cli_run_events {
  cli_meter meter;
  bool json;
  unsigned wanted; /* threads for each run; 0: any will do, or a note was printed */
  int64_t owner;   /* the owner whose runs were last reported as awaited; 0: none */
  double named;    /* seconds by the meter: when that was */
} cli_run_events;

/* Sets the settings such that campaigns' events are printed, and that signals stop their runs. `events` must stay. */
void cli_print_events(cli_run_events *events, bool json, ripstop_campaign_settings *settings);
/* Does the runs that are missing. The exit code: of an error that was printed, too. */
int cli_run_campaign(ripstop_campaign *campaign, ripstop_error *err);
/* A note on standard error if other threads worked on the run than were wanted (0: any will do), where the meter's line
 * is (NULL: there is none). Returns whether there was one. */
bool cli_note_threads(const cli_meter *meter, unsigned wanted, const ripstop_outcome *outcome);

#endif

/* run_events.h - how a campaign's progress is printed: for people a line on standard error that is rewritten, for
 * programs events on standard output, a JSON object a line (docs/experiments.md, "Events"). */
#ifndef CLI_RUN_EVENTS_H
#define CLI_RUN_EVENTS_H

#include "cli/meter.h"
#include "ripstop/kit/campaign.h"

typedef struct cli_run_events {
  cli_meter meter;
  bool json;
  bool started;    /* it was printed what there is to do */
  unsigned wanted; /* threads for each run; 0: not asked for, or it was printed that there were others */
  int64_t owner;   /* of the runs that others have, when it was last printed; 0: never */
  double named;    /* seconds by the meter: when that was */
} cli_run_events;

/* Sets the settings such that the campaign's events are printed, and that signals stop it. `events` must stay. */
void cli_print_events(cli_run_events *events, bool json, ripstop_campaign_settings *settings);
/* Does the runs that are missing, prints what comes of that, and returns the exit code. */
int cli_run_campaign(ripstop_campaign *campaign, cli_run_events *events, ripstop_error *err);
/* A note on standard error if other threads worked on the run than were wanted (0: any will do), where the meter's line
 * is (NULL: there is none). Returns whether there was one. */
bool cli_note_threads(const cli_meter *meter, unsigned wanted, const ripstop_outcome *outcome);

#endif

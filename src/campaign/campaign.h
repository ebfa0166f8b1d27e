/* campaign.h - what the files of a campaign share: the experiment with its store, and how its user is notified. */
#ifndef RIPSTOP_CAMPAIGN_CAMPAIGN_H
#define RIPSTOP_CAMPAIGN_CAMPAIGN_H

#include "ripstop/kit/campaign.h"

struct ripstop_campaign {
  ripstop_campaign_settings settings;
  ripstop_spec *read; /* the campaign's own; NULL: settings.spec */
  const ripstop_spec *spec;
  ripstop_runs *runs;
  ripstop_store *store;    /* NULL: there is none */
  const char *store_path;  /* NULL before it has a name */
  const ripstop_run **own; /* [owns]: the runs of the part, each once; of those who read rows none */
  size_t owns;
  double began; /* seconds by the clock */
  ripstop_campaign_progress progress;
  ripstop_store_owner awaited; /* progress.awaited points to it */
  ripstop_arena *arena;
};

/* Runs that are stored, but not believed (RIPSTOP_STORE_DOUBTED): the store, how many of how many, the first. */
#define CAMPAIGN_DOUBTED "store %s: %zu of %zu runs do not agree with their digests, first %s; "

/* Notifies the campaign's user. */
void campaign_notify(ripstop_campaign *c, const ripstop_campaign_event *event);
void campaign_warn(ripstop_campaign *c, const char *fmt, ...) RIPSTOP_PRINTF(2, 3);

/* Proves the plans of all runs of the campaign (plans.c). On ranks but 0 it helps. 1: stopped. */
int campaign_prove(ripstop_campaign *c);

#endif

/* todo.h - the runs of a campaign that its store does not have (todo.c). */
#ifndef RIPSTOP_CAMPAIGN_TODO_H
#define RIPSTOP_CAMPAIGN_TODO_H

#include "campaign/campaign.h"
#include "campaign/cost.h"

typedef struct campaign_todo {
  const ripstop_run **missing; /* [count]: in the experiment's order */
  size_t count;
  ripstop_cost *known; /* [knowns]: what some of the stored runs took; none where nothing is missing */
  size_t knowns;
} campaign_todo;

/* Warns of stored runs that are not believed: they are missing, too. */
int campaign_find_todo(ripstop_campaign *c, campaign_todo *out, ripstop_error *err);

/* Leaves in the list the first run of each key, in their order, and returns how many are left. Keys may be made in the
 * arena. */
size_t campaign_distinct(ripstop_arena *arena, const char *(*key)(const ripstop_run *run, ripstop_arena *arena),
                         const ripstop_run **run, size_t count);

#endif

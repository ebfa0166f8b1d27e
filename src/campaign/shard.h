/* shard.h - which runs are a part's (shard.c). */
#ifndef RIPSTOP_CAMPAIGN_SHARD_H
#define RIPSTOP_CAMPAIGN_SHARD_H

#include "ripstop/kit/campaign.h"

/* Leaves those of the runs in the list that are the part's, in their order, and returns how many they are. The list is
 * that of all runs of the experiment, each once. Each run is in one part; which, depends on `of`, on the runs' names
 * and on their order alone. Of any beginning of the list no part has two runs more than another. */
size_t ripstop_shard_runs(ripstop_shard shard, const ripstop_run **run, size_t count);

#endif

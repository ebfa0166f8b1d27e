/* kept_runs.h - outcomes into a store and out of it, and the claims of those that do runs. */
#ifndef STORE_KEPT_RUNS_H
#define STORE_KEPT_RUNS_H

#include "ripstop/kit/store.h"

RIPSTOP_BEGIN

/* Before long work: whether what it yields can be kept. Writes a little, so that a full disk is found, too. -1: why
 * not. */
int ripstop_store_ready(ripstop_store *store, ripstop_error *err);
/* The network file system that the store lies on, "NFS"; NULL: none that is known. There several machines may not write
 * at once unless its locks work, which many do not. */
const char *ripstop_store_network(const ripstop_store *store);
/* 1: the run is there; RIPSTOP_STORE_DOUBTED; 0: it is not, or memory ran out in it (ripstop_outcome_again) and it is
 * replaced as well; -1: error. */
int ripstop_store_has(ripstop_store *store, const char *id, ripstop_error *err);
/* Outcomes that are put between them become durable with the commit, all at once: a transaction costs some
 * milliseconds, much more than a small run. Others wait meanwhile when they want to write, so a batch should not last
 * longer than a second. A commit that fails, and a store that is closed first, keep nothing of it. */
int ripstop_store_begin(ripstop_store *store, ripstop_error *err);
int ripstop_store_commit(ripstop_store *store, ripstop_error *err);
/* Keeps one outcome; outside a batch it is durable now. A run that is there already stays as it is, if it is believed.
 */
int ripstop_store_put(ripstop_store *store, const ripstop_run *run, const ripstop_outcome *outcome, ripstop_error *err);
/* 1 and the outcome, its memory from the arena and the store (outcome->arena stays NULL); RIPSTOP_STORE_DOUBTED or 0
 * and nothing; -1: error. */
int ripstop_store_get(ripstop_store *store, const char *id, ripstop_arena *arena, ripstop_outcome *out,
                      ripstop_error *err);
/* The number of runs of all experiments; -1: error. */
int64_t ripstop_store_count(ripstop_store *store, ripstop_error *err);
/* granted[i]: the run is not stored, and now claimed for this store, or was before. One transaction for all: some
 * milliseconds. It is a sign of life too. -1: error, and nothing was claimed. */
int ripstop_store_claim(ripstop_store *store, const ripstop_run *const *run, size_t count, bool *granted,
                        ripstop_error *err);
/* 1; 0: no owner has claimed it; -1: error. */
int ripstop_store_holder(ripstop_store *store, const char *id, ripstop_store_owner *out, ripstop_error *err);
/* A sign of life; to be given every third of the lease or so while there are claims. 1; 0: there are none, or they have
 * been lost, because this owner was taken for gone; -1: error. */
int ripstop_store_renew(ripstop_store *store, ripstop_error *err);
/* Gives back what was claimed and not put; closing the store does so too. */
int ripstop_store_release(ripstop_store *store, ripstop_error *err);

RIPSTOP_END

#endif

/* store.h - outcomes of runs, kept in one SQLite file.
 *
 * A run is found by its name (the hash of its canonical text), so a store can serve many experiments, and an experiment
 * asks only for what is missing. Each outcome, or each batch of them, is one transaction: whatever happens to the
 * process afterwards, it stays. What is read is believed only if it agrees with the digest that was stored with it.
 * Several processes may use a store at once. The tables are documented in src/store/schema.sql and may be read with any
 * SQLite client. */
#ifndef RIPSTOP_KIT_STORE_H
#define RIPSTOP_KIT_STORE_H

#include "ripstop/kit/experiment.h"

RIPSTOP_BEGIN

#define RIPSTOP_STORE_VERSION 2 /* of the tables; user_version of the file */

typedef struct ripstop_store ripstop_store;

typedef enum ripstop_store_mode {
  RIPSTOP_STORE_READ,  /* the file must be there; it is not changed */
  RIPSTOP_STORE_WRITE, /* made when it is not there, its folder too */
} ripstop_store_mode;

/* Makes the folders that a file of this path is to lie in, where they are missing. */
int ripstop_make_folders(const char *path, ripstop_error *err);

/* NULL with an error, and the file as it was, when it is not a store, of another version, damaged or cut off. */
ripstop_store *ripstop_store_open(const char *path, ripstop_store_mode mode, ripstop_error *err);
void ripstop_store_close(ripstop_store *store); /* NULL is fine */

/* What ripstop_store_has and ripstop_store_get return for a run that is there, but does not agree with its digest, or
 * with its name: a bit of the file has flipped, or somebody edited it. It has to be done again; putting it replaces
 * what is there. */
enum { RIPSTOP_STORE_DOUBTED = 2 };

/* 1: the run is there; RIPSTOP_STORE_DOUBTED; 0: it is not, or memory ran out in it (ripstop_outcome_again) and it is
 * replaced as well; -1: error. */
int ripstop_store_has(ripstop_store *store, const char *id, ripstop_error *err);
/* What is put between them becomes durable with the commit, all at once: a transaction costs some milliseconds, many
 * times what a small run does. Others wait meanwhile when they want to write, so a batch should not last longer than a
 * second. A commit that fails, and a store that is closed first, keep nothing of it. */
int ripstop_store_begin(ripstop_store *store, ripstop_error *err);
int ripstop_store_commit(ripstop_store *store, ripstop_error *err);
/* Keeps one outcome; outside a batch it is durable now. A run that is there already stays as it is, if it is believed.
 */
int ripstop_store_put(ripstop_store *store, const ripstop_run *run, const ripstop_outcome *outcome, ripstop_error *err);
/* 1 and the outcome, its memory from the arena and the store (outcome->arena stays NULL); RIPSTOP_STORE_DOUBTED or 0
 * and nothing; -1: error. */
int ripstop_store_get(ripstop_store *store, const char *id, ripstop_arena *arena, ripstop_outcome *out,
                      ripstop_error *err);
/* How many runs there are, of whatever experiment; -1: error. */
int64_t ripstop_store_count(ripstop_store *store, ripstop_error *err);

/* Several owners of one store (processes, on one machine or on several) that do the same experiment claim runs before
 * they do them; no run is granted to two. An owner that does not claim disturbs nobody, but may do what others do.
 *
 * What is granted is claimed until it is put, released, or the owner is dead: when its process is gone, which is seen
 * on the same machine, or when it has given no sign of life for RIPSTOP_STORE_LEASE_SECONDS. Clocks of different
 * machines should differ by much less. Each call is a transaction of its own, or in a batch a part of it. */
enum { RIPSTOP_STORE_LEASE_SECONDS = 60 };

/* granted[i]: the run is not stored, and now claimed for this store, or was before. One transaction for all: some
 * milliseconds. It is a sign of life too. -1: error, and nothing was claimed. */
int ripstop_store_claim(ripstop_store *store, const ripstop_run *const *run, size_t count, bool *granted,
                        ripstop_error *err);
/* A sign of life; to be given every third of the lease or so while there are claims. 1; 0: there are none, or they have
 * been lost, since this owner was taken for dead; -1: error. */
int ripstop_store_renew(ripstop_store *store, ripstop_error *err);
/* Gives back what was claimed and not put; closing the store does so too. */
int ripstop_store_release(ripstop_store *store, ripstop_error *err);

RIPSTOP_END

#endif

/* store.h - outcomes of runs, kept in one SQLite file.
 *
 * A run is found by its name (the hash of its canonical text), so a store can serve many experiments, and an experiment
 * asks only for what is missing. Each outcome, or each batch of them, is one transaction: whatever happens to the
 * process afterwards, it stays. Several processes may use a store at once. The tables are documented in
 * src/store/schema.sql and may be read with any SQLite client. */
#ifndef RIPSTOP_KIT_STORE_H
#define RIPSTOP_KIT_STORE_H

#include "ripstop/kit/experiment.h"

RIPSTOP_BEGIN

#define RIPSTOP_STORE_VERSION 1 /* of the tables; user_version of the file */

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

/* 1: the run is there; 0: it is not; -1: error. */
int ripstop_store_has(ripstop_store *store, const char *id, ripstop_error *err);
/* What is put between them becomes durable with the commit, all at once: a transaction costs some milliseconds, many
 * times what a small run does. Others wait meanwhile when they want to write, so a batch should not last longer than a
 * second. A commit that fails, and a store that is closed first, keep nothing of it. */
int ripstop_store_begin(ripstop_store *store, ripstop_error *err);
int ripstop_store_commit(ripstop_store *store, ripstop_error *err);
/* Keeps one outcome; outside a batch it is durable now. A run that is there already stays as it is. */
int ripstop_store_put(ripstop_store *store, const ripstop_run *run, const ripstop_outcome *outcome, ripstop_error *err);
/* 1 and the outcome, its memory from the arena (outcome->arena stays NULL); 0: it is not there; -1: error. */
int ripstop_store_get(ripstop_store *store, const char *id, ripstop_arena *arena, ripstop_outcome *out,
                      ripstop_error *err);
/* How many runs there are, of whatever experiment; -1: error. */
int64_t ripstop_store_count(ripstop_store *store, ripstop_error *err);

RIPSTOP_END

#endif

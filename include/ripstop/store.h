/* store.h - outcomes of runs, kept in one SQLite file.
 *
 * A run is found by its name (the hash of its canonical text), so a store can serve many experiments, and an experiment
 * asks only for what is missing. Each outcome is one transaction: whatever happens to the process afterwards, it stays.
 * Several processes may use a store at once. The tables are documented in src/store/schema.sql and may be read with any
 * SQLite client. */
#ifndef RIPSTOP_STORE_H
#define RIPSTOP_STORE_H

#include "ripstop/experiment.h"

#define RS_STORE_VERSION 1 /* of the tables; user_version of the file */

typedef struct rs_store rs_store;

typedef enum rs_store_mode {
  RS_STORE_READ,  /* the file must be there; it is not changed */
  RS_STORE_WRITE, /* made when it is not there, its folder too */
} rs_store_mode;

/* NULL with an error, and the file as it was, when it is not a store, of another version, damaged or cut off. */
rs_store *rs_store_open(const char *path, rs_store_mode mode, rs_error *err);
void rs_store_close(rs_store *store); /* NULL is fine */

/* 1: the run is there; 0: it is not; -1: error. */
int rs_store_has(rs_store *store, const char *id, rs_error *err);
/* Keeps one outcome. A run that is there already stays as it is. */
int rs_store_put(rs_store *store, const rs_run *run, const rs_outcome *outcome, rs_error *err);
/* 1 and the outcome, its memory from the arena (outcome->arena stays NULL); 0: it is not there; -1: error. */
int rs_store_get(rs_store *store, const char *id, rs_arena *arena, rs_outcome *out, rs_error *err);
/* How many runs there are, of whatever experiment; -1: error. */
int64_t rs_store_count(rs_store *store, rs_error *err);

#endif

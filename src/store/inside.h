/* inside.h - state shared by the files of this module: an open store, its statements, and a stored row as read. */
#ifndef STORE_INSIDE_H
#define STORE_INSIDE_H

#include <sqlite3.h>
#include <sys/types.h>

#include "base/hash.h"
#include "base/memory.h"
#include "ripstop/kit/store.h"

enum {
  COUNT,
  PUT_RUN,
  RENAME_RUN,
  PUT_QUANTITY,
  PUT_NUMBER,
  PUT_WINDOW,
  DROP_RUN,
  DROP_NUMBERS,
  DROP_WINDOWS,
  GET_RUN,
  GET_IDS,
  GET_NEXT,
  GET_QUANTITIES,
  GET_NUMBERS,
  GET_WINDOWS,
  BEAR_OWNER,
  RENEW_OWNER,
  DROP_OWNER,
  GET_OWNERS,
  COUNT_LEASES,
  PUT_LEASE,
  GET_LEASE,
  DROP_LEASE,
  DROP_LEASES,
  STATEMENTS
};

/* A name and a unit of numbers. */
typedef struct quantity {
  int64_t id;
  const char *name, *unit;
} quantity;

/* When an owner's last renewal was first seen here. */
typedef struct store_watch {
  int64_t owner, until; /* until: the owner's entry, by its own clock */
  double since;         /* seconds of this machine's monotonic clock */
  bool renewed;         /* it has been renewed since it was first seen */
} store_watch;

enum { STORE_START = 100 }; /* bytes of SQLite's header */
typedef struct store_start {
  unsigned char byte[STORE_START];
  int64_t size; /* size of the file, bytes */
} store_start;

/* The part of the log that SQLite has put into the file; from its shared index. */
typedef struct store_backfill {
  uint32_t salt[2], done, begun; /* pages; begun: before they are written */
} store_backfill;

struct ripstop_store {
  char *path;
  sqlite3 *db;
  bool writes, batch; /* batch: a transaction is open, between ripstop_store_begin and ripstop_store_commit */
  bool begins;        /* a transaction was just begun, and is empty */
  bool entered;       /* between store_enter and store_leave */
  sqlite3_stmt *statement[STATEMENTS];
  ripstop_arena *arena; /* memory that lives as long as the store */
  quantity *quantity;   /* the known rows of the table, in its order (quantities.c) */
  size_t quantities, quantity_room, quantity_hint;
  int64_t owner;         /* its row among the owners; 0: none (run_owners.c) */
  bool taken_for_failed; /* another owner has taken it for ended, at least once */
  store_watch *watch;    /* the owners that were seen (run_owners.c) */
  size_t watches, watch_room;
  dev_t device; /* the open file's (moved.c) */
  ino_t number;
  const char *place;       /* the path without links, when it was opened */
  bool had_log, had_index; /* they existed before the file was opened (sqlite_litter.c) */
  bool logs;               /* with a write-ahead log */
  bool marked;             /* `start` and `backfill` are known (mark.c) */
  store_start start;       /* the file's, when it was last read */
  store_backfill backfill; /* no later than `start` */
  int log_pages;           /* pages in the log after the last commit */
  ripstop_arena *kept;     /* copies of the last runs (kept.c) */
  struct store_kept *first_kept, *last_kept;
  size_t kept_runs, settled; /* settled: runs that were put, and are no longer kept */
  bool moved;                /* its path leads to another file, or to none, or the file was overwritten */
  const char *why;           /* the error that reported it */
  const char *now;           /* present path of the open file; NULL: unchanged, or none */
};

/* A stored run, as in the tables. */
typedef struct store_row {
  int64_t run;
  const char *id, *canonical, *version, *digest;
  const char *verdict; /* text as stored; outcome.verdict is one of ripstop_outcome_words, or NULL */
  ripstop_outcome outcome;
  bool whole; /* every number's quantity is known */
} store_row;

/* ------------------------------------------------------------------ store.c */

/* The error number with which the system refused a call for the store's file, or for its log; 0: none. SQLite reports
 * an unreadable file as a damaged one. */
int store_errno(const ripstop_store *s);
/* -1 with the system's reason, or SQLite's. */
int store_fail(const ripstop_store *s, ripstop_error *err);
int store_execute(const ripstop_store *s, const char *sql, ripstop_error *err);
/* Ready for new parameters. */
sqlite3_stmt *store_fresh(const ripstop_store *s, int which);
/* Brackets for writing: a transaction, in a batch a savepoint, so that a failed write leaves the rest of the batch
 * intact. `status` is the result of the write; returns it, or -1. */
int store_enter(ripstop_store *s, ripstop_error *err);
int store_leave(ripstop_store *s, int status, ripstop_error *err);
/* For guards: undoes a pending store_enter. Returns -1. */
int store_give_up(ripstop_store *s);
/* Discards a batch. */
void store_abandon(ripstop_store *s);
/* Runs a statement without rows. */
int store_run_once(const ripstop_store *s, int which, ripstop_error *err);
void store_bind_text(sqlite3_stmt *st, int at, const char *text);
const char *store_column_text(sqlite3_stmt *st, int at, ripstop_arena *arena);
extern const char *const store_statement_text[STATEMENTS];

/* Reads the run of this name as stored; 1, 0 if there is none, -1 on error. */
int store_read(ripstop_store *s, const char *id, ripstop_arena *arena, store_row *out, ripstop_error *err);
/* True if a row agrees with its digest and its name. */
bool store_believes(const store_row *row);
/* Calls `visit` with every run, by name; the row's memory lives as long as the call. -1 if it does not return 0. */
typedef int store_visit(void *context, const store_row *row, bool believed, ripstop_error *err);
int store_each(ripstop_store *s, store_visit *visit, void *context, ripstop_error *err);
/* Puts a row as it is, and replaces one that is not believed, between store_enter and store_leave. 1; 0: there is a
 * believed one, which stays; -1: error. */
int store_put_row(ripstop_store *s, const store_row *row, ripstop_error *err);
int store_drop_row(ripstop_store *s, int64_t run, ripstop_error *err);

/* ------------------------------------------------------------------ first_bytes.c */

int store_read_start(const char *path, store_start *out, ripstop_error *err);
/* Calls `visit` with the file, which SQLite does not treat as a database then. Returns its code, or that of opening
 * the file, and leaves errno as the call that failed. */
typedef int store_file_visit(void *context, sqlite3_file *file);
int store_visit_file(const char *path, int flags, store_file_visit *visit, void *context);

/* ------------------------------------------------------------------ sqlite_litter.c */

/* Notes the files beside the store, before SQLite makes any. */
void store_note_beside(ripstop_store *s);
/* Removes those that were not there, after SQLite has closed the store. Files in use stay. */
void store_remove_beside(const ripstop_store *s);

/* ------------------------------------------------------------------ trust.c */

/* Call it before anything else is done with the file. */
int store_harden(const ripstop_store *s, ripstop_error *err);
/* -1: it has an object that no store has, or lacks one that every store has. */
int store_check_schema(const ripstop_store *s, ripstop_error *err);
/* Call it when the store was found good: a log may be put into the file from now on. */
int store_trust(const ripstop_store *s, ripstop_error *err);

/* ------------------------------------------------------------------ mark.c */

/* Notes the present state of the file, before any write. */
void store_note_mark(ripstop_store *s);
/* True if another file was copied over the open one. Otherwise notes the present state. */
bool store_is_overwritten(ripstop_store *s);

/* ------------------------------------------------------------------ moved.c */

/* True if the path leads to another file now, or to none. */
bool store_is_moved(const ripstop_store *s);
/* Notes which file is open, before any write. */
void store_note_place(ripstop_store *s);
/* -1: the path leads to another file now, or to none, or the file was overwritten; the written rows were saved
 * elsewhere, and the error says where. Outside of transactions. */
int store_check_place(ripstop_store *s, ripstop_error *err);
/* The same within a transaction, and only whether the file was overwritten. */
int store_check_content(ripstop_store *s, ripstop_error *err);
/* After a commit: checks the place, and puts a long log into the file. */
int store_settle(ripstop_store *s, ripstop_error *err);

/* ------------------------------------------------------------------ kept.c */

/* Copies a row that was put. Its quantities are known (store_quantity). */
int store_keep(ripstop_store *s, const store_row *row, ripstop_error *err);
/* Drops all copies: the file itself has the runs now. */
void store_drop_kept(ripstop_store *s);
/* Puts them into a new store. */
int store_save_kept(const ripstop_store *s, const char *path, ripstop_error *err);

/* ------------------------------------------------------------------ quantities.c */

/* The quantity with this name and unit; a new one needs a transaction that writes. Its texts live as long as the
 * store. NULL on error. */
const quantity *store_quantity(ripstop_store *s, const char *name, const char *unit, ripstop_error *err);
/* The quantity with this number; NULL: there is none. -1 on error. */
int store_quantity_of(ripstop_store *s, int64_t id, const quantity **out, ripstop_error *err);
/* Call it after a rollback, which may have removed some. */
void store_forget_quantities(ripstop_store *s);

/* ------------------------------------------------------------------ digest.c */

/* Over everything that is stored of a run, except its numbers in the tables. */
void store_digest(const store_row *row, char out[RIPSTOP_HASH]);
/* True if two rows agree in all that two executions of one run must agree in. */
bool store_same_outcome(const store_row *a, const store_row *b);

/* ------------------------------------------------------------------ location.c */

/* Adds the path in a form that SQLite cannot misread. */
void store_plain_path(ripstop_text *out, const char *path);
/* Removes temporary files of stores that ended processes left. */
void store_clean(const char *path);
/* -1: it is there and not a regular file. */
int store_check_file(const char *path, ripstop_error *err);
/* -1: the file or its folder may not be written; the error says why. */
int store_check_rights(const char *path, ripstop_error *err);
/* The usual name of the network file system that a file is on; NULL: none that is known. By the type of statfs; by a
 * line of mountinfo, if it is about this device. */
const char *store_network(const char *path);
const char *store_network_of_type(unsigned long type);
const char *store_network_of_mount(const char *line, unsigned major_number, unsigned minor_number);

/* ------------------------------------------------------------------ run_owners.c */

/* Counts live owners, and what they and ended ones have claimed. */
int store_count_owners(ripstop_store *s, ripstop_store_tally *out, ripstop_error *err);
/* The run of this name is done, whichever owner claimed it. */
int store_drop_lease(ripstop_store *s, const char *id, ripstop_error *err);

#endif

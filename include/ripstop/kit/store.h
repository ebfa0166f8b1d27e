/* store.h - outcomes of runs, kept in one SQLite file.
 *
 * A run is found by its name (the hash of its canonical text), so a store can serve many experiments, and an experiment
 * needs only the missing runs. Each outcome, or each batch of them, is one transaction, which outlives the process.
 * What is read is believed only if it agrees with the digest that was stored with it. Several processes may use a store
 * at once. The tables are documented in src/store/schema.sql and may be read with any SQLite client. */
#ifndef RIPSTOP_KIT_STORE_H
#define RIPSTOP_KIT_STORE_H

#include "ripstop/kit/experiment.h"

RIPSTOP_BEGIN

#define RIPSTOP_STORE_VERSION 2 /* version of the tables; user_version of the file */

typedef struct ripstop_store ripstop_store;

typedef enum ripstop_store_mode {
  RIPSTOP_STORE_READ,  /* the file must be there; it is not changed */
  RIPSTOP_STORE_WRITE, /* made when it is not there, its folder too */
} ripstop_store_mode;

/* Makes the folders that a file of this path is to lie in, where they are missing. */
int ripstop_make_folders(const char *path, ripstop_error *err);

/* NULL with an error, and the file as it was, when it is not a store, of another version, damaged or cut off. */
ripstop_store *ripstop_store_open(const char *path, ripstop_store_mode mode, ripstop_error *err);
/* Closes a store, NULL is fine. -1: its file was removed, renamed, replaced or overwritten since the last call, so what
 * was put is not at its path; the error says where it is. For processes that have put something. */
int ripstop_store_end(ripstop_store *store, ripstop_error *err);
void ripstop_store_close(ripstop_store *store); /* the same, after an error or of a store that was read */

/* The result of ripstop_store_has and ripstop_store_get for a run that is there, but does not agree with its digest or
 * its name: a bit of the file has flipped, or the file was edited. The run must be done again; putting it replaces the
 * stored one. */
enum { RIPSTOP_STORE_DOUBTED = 2 };

/* ------------------------------------------------------------------ a whole store */

/* The content of a store when all of it is read. */
typedef struct ripstop_store_tally {
  uint64_t runs, of[RIPSTOP_OUTCOMES]; /* by verdict, in the order of ripstop_outcome_words */
  uint64_t numbers, windows;
  uint64_t doubted;           /* runs that do not agree with their digests or names; they count in `runs` alone */
  char first[RIPSTOP_RUN_ID]; /* the first of them */
  uint64_t stray;             /* rows that belong to no run, no quantity or no owner */
  uint64_t outdated;          /* believed, but of another model, or of plug-ins that were edited since */
  uint64_t owners, leases;    /* processes that do runs now, and their runs */
  uint64_t left;              /* runs that were claimed by processes that are gone: who comes next does them */
} ripstop_store_tally;
/* Reads everything. -1 when the file is damaged. The store is good if nothing is doubted or stray. */
int ripstop_store_check(ripstop_store *store, ripstop_store_tally *out, ripstop_error *err);

/* Results of merging the runs of another store. */
typedef struct ripstop_store_merger {
  uint64_t added, there;                                /* there: the same outcome was there already */
  uint64_t conflicts;                                   /* another outcome was there, and stays */
  uint64_t doubted;                                     /* not believed there, and left */
  char conflict[RIPSTOP_RUN_ID], doubt[RIPSTOP_RUN_ID]; /* the first of each */
} ripstop_store_merger;
/* Adds the runs of a store to another, bit by bit as they are there; to what is in `sums`. Two outcomes are the same
 * when all is but the processor time and the program's version. A run of which `into` has one that is not believed
 * replaces that. Committed about twice a second: interrupted, `into` has some of the runs, each of them whole. An
 * `into` that was opened for reading is only compared: 1 at the first run that it lacks, 0 when it has all. -1: an
 * error, also when both are one file. */
int ripstop_store_merge(ripstop_store *into, ripstop_store *from, ripstop_store_merger *sums, ripstop_error *err);

/* Runs of a store that have to be done again, for one reason. */
typedef struct ripstop_store_again {
  const char *why; /* "method ugal: sources of no known version" */
  uint64_t runs;
} ripstop_store_again;
/* The runs of a store that earlier versions may have written. */
typedef struct ripstop_store_migration {
  uint64_t runs, current; /* current: of this version already */
  uint64_t renamed;       /* the same run has another name now */
  uint64_t repeated;      /* the store has the run under its name of today too: removed if the outcome is the same */
  uint64_t doubted;       /* not believed, and left */
  char doubt[RIPSTOP_RUN_ID]; /* the first of these */
  size_t reasons;
  ripstop_store_again *again; /* [reasons]: by number of runs, most first */
} ripstop_store_migration;
/* Gives the runs of earlier versions their names of today, in one transaction, so that the store is either as before or
 * migrated. Runs that mean something else today stay as they are, and are counted in `again`. A store that was opened
 * for reading is only counted. Memory from the arena. */
int ripstop_store_migrate(ripstop_store *store, ripstop_arena *arena, ripstop_store_migration *out, ripstop_error *err);

typedef enum ripstop_column_kind {
  RIPSTOP_COLUMN_RUN,     /* id, version, verdict, reason, faults, seconds */
  RIPSTOP_COLUMN_SETTING, /* a line of the canonical text */
  RIPSTOP_COLUMN_VALUE,
  RIPSTOP_COLUMN_HALF /* the half width of a value's interval */
} ripstop_column_kind;
extern const char *const ripstop_column_kind_words[];

/* A column of what is exported. */
typedef struct ripstop_store_column {
  ripstop_column_kind kind;
  const char *name, *unit; /* unit: NULL but for values and half widths */
  const char *head;        /* the heading: "traffic.load", "accepted [flits/node/cycle]", "accepted half [...]" */
  const char *type;        /* type of all cells that are not empty: "text", "integer" (-2^63 to 2^64 - 1), "real" */
} ripstop_store_column;
typedef struct ripstop_store_columns {
  size_t count;
  const ripstop_store_column *column;
} ripstop_store_columns;
/* The columns of all runs that are believed: of the run, its settings by name, its values in the order in which they
 * first come. Memory from the arena. */
int ripstop_store_columns_of(ripstop_store *store, ripstop_arena *arena, ripstop_store_columns *out,
                             ripstop_error *err);
/* Writes them as CSV (RFC 4180 but for line ends), a row for each run that is believed, by name. Cells are empty where
 * a run has no such setting or value, or it is no number; numbers have as many digits as it takes to read the same
 * back; a text that a spreadsheet would take for a formula (its first character is = + - @, a tabulator or a line's
 * end) gets an apostrophe before it. Returns the number of runs left out as not believed; -1: error.
 * The owner of the file must check that all has been written. */
int64_t ripstop_store_export(ripstop_store *store, const ripstop_store_columns *columns, FILE *file,
                             ripstop_error *err);

/* ------------------------------------------------------------------ owners */

/* Several owners of one store (processes, on one machine or on several) that do the same experiment claim runs before
 * they do them; no run is granted to two. An owner that does not claim disturbs no other owner, but may do the same
 * runs.
 *
 * A granted run is claimed until it is put, released, or the owner is gone: its process has ended, which is visible on
 * the same machine, or another owner has seen no sign of life for RIPSTOP_STORE_LEASE_SECONDS by its own clock. An
 * owner is gone at once if its last sign of life had expired when another owner first saw it, by the clock of that
 * other owner. Wrong clocks can make two owners do a run twice; no outcome is lost by it. Each call is a transaction of
 * its own, or in a batch a part of it. */
enum { RIPSTOP_STORE_LEASE_SECONDS = 60 };

/* The owner that has claimed a run that is not granted here. */
typedef struct ripstop_store_owner {
  int64_t owner;   /* its number in the store, never given twice */
  char host[256];  /* the owner's name for its machine; "": unknown */
  int64_t process; /* its number on that machine */
  uint64_t runs;   /* claimed and not stored yet */
  double silent;   /* seconds since this store first saw its last sign of life */
  double left;     /* seconds until its runs are granted to others, if it gives no other sign of life */
} ripstop_store_owner;

RIPSTOP_END

#endif

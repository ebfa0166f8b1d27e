/* experiment.h - from an experiment's file to runs, and from runs to outcomes (docs/experiments.md is the user's side).
 *
 *   file -> rs_spec (what varies and what to show; validated) -> rs_runs (the product of the lists) -> rs_work ->
 * rs_outcome
 *
 * A run is a flat list of keys, all present, defaults filled in, method and fabric in canonical form. Its name is the
 * hash of that list, so two experiments that ask for the same run share it. Storing outcomes and drawing figures are
 * other rooms' business (store.h, report.h); they meet here only in rs_run and rs_outcome. */
#ifndef RIPSTOP_EXPERIMENT_H
#define RIPSTOP_EXPERIMENT_H

#include "ripstop/programs.h"

/* Part of every run's name; raised whenever the same run would give other numbers than before. */
#define RS_MODEL_VERSION 1
#define RS_RUNS_MAX      1000000u /* of one experiment */

/* ------------------------------------------------------------------ what varies */

/* One value of a key. */
typedef struct rs_setting {
  const char *written; /* as in the file: what figures and tables show */
  const char *text;    /* canonical: what runs carry. A fabric's is known once rs_expand has opened it */
  int line;
} rs_setting;

/* A run key and the values that it takes, in the file's order. */
typedef struct rs_axis {
  const char *key;    /* "traffic.load" */
  const char *silent; /* the canonical value that runs' names do not tell (rs_option.later); NULL: all are told */
  size_t count;
  rs_setting *setting;
  size_t full_count; /* the values without --quick: what figures and claims may name */
  rs_setting *full;
} rs_axis;

/* ------------------------------------------------------------------ what to show */

/* Runs whose `key` has one of these values. The key may be "verdict". */
typedef struct rs_filter {
  const char *key;
  size_t count;
  const rs_setting *const *setting;
} rs_filter;

/* How a figure is drawn: its curves; or a field for each curve and x, coloured by its value. */
typedef enum rs_figure_kind { RS_FIGURE_CURVES, RS_FIGURE_HEATMAP } rs_figure_kind;
extern const char *const rs_figure_kind_words[];

/* Which values of a figure are good ones. */
typedef enum rs_best { RS_BEST_NONE, RS_BEST_HIGHEST, RS_BEST_LOWEST } rs_best;
extern const char *const rs_best_words[];

/* A query over runs: the mean of the value `y` for each value of the key `x`, one curve for each combination of the
 * keys `by`. What else varies must be fault samples or seeds: it is averaged over. */
typedef struct rs_figure {
  const char *id, *title;
  const char *x; /* a run key, or "cycle": the time series (measure.window) */
  const char
      *y; /* a value's name (rs_value.name), or "verdict.WORD": the share of runs that end with this verdict; with
             x: cycle one of generated, injected, delivered, lost (packets of a window), accepted, latency */
  const char *xlabel, *ylabel; /* NULL: made from the names and the unit */
  size_t bys;
  const char *const *by;
  size_t filters;
  const rs_filter *filter;
  const char *over;          /* a value of the same run that y is divided by; NULL: none */
  const rs_filter *relative; /* one key, one value: y is divided by what it is there; NULL: it is not */
  const char *base;          /* the value that is taken there; NULL: y */
  bool change;               /* instead of the quotient with `relative` the change in percent */
  rs_best rank;              /* instead of y each sample's place among the curves, 1 for the best; NONE: y itself */
  rs_figure_kind kind;
  double ymin;     /* of the axis; NAN: where the data begins */
  bool table_only; /* written under `tables:` */
  int line;
} rs_figure;

typedef enum rs_claim_kind {
  RS_CLAIM_VALUE, /* y at x = from */
  RS_CLAIM_RATIO, /* y at x = from over y at x = to */
  RS_CLAIM_SLOPE, /* change of y per unit of x: least squares over from <= x <= to */
  RS_CLAIM_LOSS,  /* the slope's negative over y at the curve's first x: relative loss per unit of x */
  RS_CLAIM_SHARE  /* share of runs with from <= x <= to that end with `verdict` */
} rs_claim_kind;
extern const char *const rs_claim_kind_words[];

typedef enum rs_compare { RS_COMPARE_ABOUT, RS_COMPARE_AT_MOST, RS_COMPARE_AT_LEAST } rs_compare;
extern const char *const rs_compare_words[];

/* A published number and how to measure it on one curve of a figure. */
typedef struct rs_claim {
  const char *id, *says, *where; /* `where`: the paper's section or figure; may be NULL */
  double published, tolerance;   /* tolerance: absolute; 0: only the measured interval counts */
  rs_compare compare;
  rs_claim_kind kind;
  const rs_figure *figure;
  size_t filters;
  const rs_filter *filter; /* which curve */
  double from, to;
  const char *verdict; /* RS_CLAIM_SHARE */
  int line;
} rs_claim;

/* A bound that a figure's value at one x must keep, or without a bound a goal: the more, or the less, the better. */
typedef struct rs_term {
  const rs_figure *figure;
  const rs_setting *at; /* x */
  rs_best best;         /* HIGHEST: at least `bound` */
  double bound;         /* NAN: none */
} rs_term;

/* What a service must keep, and by what those that keep it are weighed against each other. The candidates are the
 * curves of the figures, which all tell them apart by the same keys. */
typedef struct rs_agreement {
  const char *id, *title;
  size_t terms, goals;
  const rs_term *term; /* [terms + goals] */
  int line;
} rs_agreement;

/* ------------------------------------------------------------------ the experiment as written */

/* A part of the product of the lists. */
typedef struct rs_part {
  size_t filters;
  const rs_filter *filter;
} rs_part;

enum { RS_SAMPLES_ALL = 0 };

/* What a run does: packets of made traffic, end nodes that run a program, or proofs of many drawn fault sets. */
typedef enum rs_run_kind { RS_RUN_SIMULATE, RS_RUN_PROGRAM, RS_RUN_PROVE } rs_run_kind;
extern const char *const rs_run_kind_words[]; /* "simulate", "program", "prove", NULL */

/* Which of the drawn fault sets are taken; others are drawn anew. */
typedef enum rs_keep { RS_KEEP_ALL, RS_KEEP_CONNECTED, RS_KEEP_TOLERATED } rs_keep;
extern const char *const rs_keep_words[]; /* "all", "connected", "tolerated", NULL */

typedef struct rs_spec {
  const char *file, *title, *about;
  const char *source; /* the file's bytes, terminated */
  bool quick;
  rs_run_kind kind;
  size_t axes;
  rs_axis *axis;           /* every key of a run but "faults.sample" */
  int64_t samples;         /* fault sets drawn for each count; RS_SAMPLES_ALL: every set there is, once */
  bool all_up_to;          /* where there are no more than `samples` sets, every one once instead */
  const char *faults_file; /* each line a fault set; NULL: none */
  int faults_line;
  size_t parts; /* runs are those of the product that are in one of them; 0: all */
  const rs_part *part;
  size_t figures;
  const rs_figure *figure;
  size_t claims;
  const rs_claim *claim;
  size_t agreements;
  const rs_agreement *agreement;
  rs_arena *arena;
} rs_spec;

/* Reads and validates everything that needs no fabric; `quick` applies the file's `quick:` section. NULL on error. */
rs_spec *rs_spec_read(const char *path, bool quick, rs_error *err);
/* The same from memory; `name` stands for the file in messages, and relative paths in it start at its folder. */
rs_spec *rs_spec_read_memory(const char *name, const char *bytes, size_t length, bool quick, rs_error *err);
void rs_spec_free(rs_spec *spec);
/* The axis of a key, or NULL. */
const rs_axis *rs_spec_axis(const rs_spec *spec, const char *key);

/* ------------------------------------------------------------------ runs */

enum { RS_RUN_ID = 33 }; /* bytes of a run's name: 32 hexadecimal digits and the end */

/* Of runs that prove: `sets` fault sets are drawn, those of samples 0, 1, 2 ... of simulations with the same seed and
 * count, and delivery is decided for each. */
typedef struct rs_prove_config {
  int64_t sets;
  double confidence; /* of the intervals */
} rs_prove_config;
extern const rs_option rs_prove_options[];

typedef struct rs_key {
  const char *name, *value;
} rs_key;

typedef struct rs_run {
  char id[RS_RUN_ID];    /* XXH3, 128 bits, of `canonical` */
  const char *canonical; /* "key=value\n" for every key, sorted, "model=N\n" among them; but for rs_axis.silent */
  const rs_key *key;     /* every key, sorted by name */
  size_t keys;
  /* Ready to be executed, but for the fault set where it is drawn (`faults` NULL and fault_count > 0), for the schedule
   * where that is (`draw`), and for `stop`.
   * The seed is the experiment's for sample 0 and derived from it and the sample otherwise: runs that differ only in
   * method, load or number of faults see the same traffic, and two samples never do. */
  rs_simulation simulation;
  rs_run_kind kind;
  rs_program_config program; /* RS_RUN_PROGRAM */
  rs_prove_config prove;     /* RS_RUN_PROVE; of `simulation` then only fabric and method count */
  uint64_t seed;             /* the experiment's */
  uint32_t fault_count, sample;
  rs_fault_scope scope;
  rs_keep keep;
  const rs_draw *draw; /* the schedule is to be drawn too; NULL: simulation.schedule says all */
} rs_run;

typedef struct rs_runs {
  const rs_spec *spec;
  size_t count;
  const rs_run *run; /* sorted by sample, so that an interrupted experiment has some samples of everything */
  size_t fabrics;
  rs_fabric **fabric;
  rs_arena *arena;
} rs_runs;

/* Opens the fabrics and multiplies the lists. Fault sets, schedules and counts are checked against the fabrics, and
 * each different combination of switch and traffic against the simulator. `spec` must outlive the runs. NULL on error.
 */
rs_runs *rs_expand(rs_spec *spec, rs_error *err);
void rs_runs_free(rs_runs *runs);
/* The value of a key of a run, or NULL. */
const char *rs_run_key(const rs_run *run, const char *key);

/* ------------------------------------------------------------------ outcomes */

/* What a run yields: all that is stored and shown. */
typedef struct rs_outcome {
  const char *verdict; /* one of rs_outcome_words */
  const char *reason;  /* a deadlock's or disconnection's witness; why the method does not apply; the error; or NULL */
  const char *faults;  /* the fault set by name, and changes that were drawn; "" when there is none */
  size_t values, windows;
  const rs_value *value;
  const rs_window *window;
  double seconds; /* processor time; the only thing here that two executions may differ in */
  rs_arena *arena;
} rs_outcome;

/* Whether a value is a number of the plan for the run's fault set, the same whatever the traffic and the seed. */
bool rs_value_is_of_plan(const rs_run *run, const char *name);

/* rs_verdict_words, then "does-not-apply", "error", "proved", NULL. */
extern const char *const rs_outcome_words[];

/* Executes one run; `stop` as in rs_simulation. -1 only when stopped: then there is no outcome. */
typedef int (*rs_execute)(const rs_run *run, const atomic_int *stop, rs_outcome *out);
int rs_run_execute(const rs_run *run, const atomic_int *stop, rs_outcome *out);
/* Proves the plans that a run uses (prove.h) instead of simulating it: that of its fault set, and the one after each
 * change of its schedule. The outcome is for showing, not for storing: its values are the numbers of plans, of those
 * refuted in any way, and of those under which packets can be lost, wait or go round for ever ("plans", "refuted",
 * "lossy", "deadlocking", "livelocking"). Its verdict is NULL, or "error" with a reason when a plan breaks a rule of
 * method.h. Never -1: a proof that has begun is not stopped. A run that is a proof itself has no plans. */
int rs_run_prove(const rs_run *run, const atomic_int *stop, rs_outcome *out);
/* The run's fault set, drawn where it has to be, and anew until it is one that is kept (rs_run.keep): depends on the
 * seed, the number of parts, the sample and, for RS_KEEP_TOLERATED, the method. Memory from the arena, or the run's.
 * NULL with an error, also when none of RS_DRAWS_MAX sets is one to keep. */
enum { RS_DRAWS_MAX = 4096 };
const rs_faults *rs_run_faults(const rs_run *run, rs_arena *arena, rs_error *err);
/* The same for its schedule: 0, and NULL in `out` when nothing changes. `faults`: the run's. */
int rs_run_schedule(const rs_run *run, const rs_faults *faults, rs_arena *arena, const rs_schedule **out,
                    rs_error *err);
/* What is dead, and behind it what has been drawn to fail while it runs; "" for neither. */
const char *rs_run_broken(const rs_run *run, const rs_faults *faults, const rs_schedule *schedule, rs_arena *arena);
void rs_outcome_free(rs_outcome *outcome);

/* ------------------------------------------------------------------ workers */

typedef struct rs_workers {
  unsigned threads;       /* 0: one for every processor that is online */
  rs_execute execute;     /* NULL: rs_run_execute */
  const atomic_int *stop; /* NULL: cannot be stopped */
  /* Called in the caller's thread with every outcome, in the order in which they are ready; non-zero ends the work. */
  int (*done)(void *context, const rs_run *run, const rs_outcome *outcome);
  /* Called in the caller's thread a few times a second; may be NULL. */
  void (*tick)(void *context);
  void *context;
} rs_workers;

/* Executes the runs. Returns 0 when all are done, 1 when stopped before, -1 when `done` ended it. Outcomes depend on
 * the run alone, never on the number of threads. */
int rs_work(const rs_run *const *run, size_t count, const rs_workers *workers);

#endif

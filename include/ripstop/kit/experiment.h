/* experiment.h - from an experiment's file to runs, and from runs to outcomes (docs/experiments.md is the user's side).
 *
 *   a file
 *     -> ripstop_spec     what varies and what to show, validated
 *     -> ripstop_runs     the product of the lists
 *     -> ripstop_outcome  what each yields
 *
 * A run is a flat list of keys, all present, defaults filled in, method and fabric in canonical form. Its name is the
 * hash of that list, so two experiments that need the same run share it. campaign.h does many runs, store.h stores
 * outcomes and report.h draws figures. */
#ifndef RIPSTOP_KIT_EXPERIMENT_H
#define RIPSTOP_KIT_EXPERIMENT_H

#include "ripstop/kit/fluid.h"
#include "ripstop/kit/programs.h"
#include "ripstop/kit/workload.h"
#include "ripstop/scale.h"

RIPSTOP_BEGIN

/* Part of every run's name; raised whenever the same run would give other numbers than before. */
#define RIPSTOP_MODEL_VERSION 2
/* Also part of the version, after a dot; raised when only the intervals of single runs change. Means over runs and the
 * record of claims (design note 0023) stay valid. */
#define RIPSTOP_MODEL_INTERVALS 2
#define RIPSTOP_RUNS_MAX        1000000u /* most runs of one experiment */

/* ------------------------------------------------------------------ keys and values */

/* One value of a key. */
typedef struct ripstop_setting {
  const char *written; /* as in the file: what figures and tables show */
  const char *text;    /* canonical, as in runs; NULL if it depends on an open fabric (ripstop_runs_is) */
  const char *opens;   /* a method or jobs: the text that opens them, with the paths of files */
  int line;
} ripstop_setting;

#define RIPSTOP_PRESETS_MOST 8 /* presets of the switch */

/* A run key and the values that it takes, in the file's order. */
typedef struct ripstop_axis {
  const char *key;    /* "traffic.load" */
  const char *silent; /* the canonical value that runs' names leave out (ripstop_option.later); NULL: none */
  size_t count;
  ripstop_setting *setting;
  /* [RIPSTOP_PRESETS_MOST]: the canonical value that each preset of the switch gives the key, by number; NULL: its
   * default. NULL if the file or the command line gives the key, or no preset does. */
  const char *const *of_preset;
  bool of_fabric;    /* fabric and faults: what the values are depends on the fabric that is open */
  size_t full_count; /* the values without --quick: what figures and claims may name */
  ripstop_setting *full;
  const ripstop_setting **by_written, **full_by_written; /* sorted, for ripstop_setting.written to be found in */
} ripstop_axis;

/* ------------------------------------------------------------------ figures */

/* Runs whose `key` has one of these values. The key may be "verdict". */
typedef struct ripstop_filter {
  const char *key;
  size_t count;
  const ripstop_setting *const *setting;
} ripstop_filter;

/* Kinds of figures: curves; a field for each curve and x, coloured by its value; or how what `y` names is
 * spread (ripstop_measure_config.spread): the share that has at most so much, or that has more. */
typedef enum ripstop_figure_kind {
  RIPSTOP_FIGURE_CURVES,
  RIPSTOP_FIGURE_HEATMAP,
  RIPSTOP_FIGURE_CDF,
  RIPSTOP_FIGURE_CCDF
} ripstop_figure_kind;
extern const char *const ripstop_figure_kind_words[];

/* Comparison of a value with another: y over it, that as a change in percent, y minus it. */
typedef enum ripstop_against {
  RIPSTOP_AGAINST_RELATIVE,
  RIPSTOP_AGAINST_CHANGE,
  RIPSTOP_AGAINST_DIFFERENCE
} ripstop_against;
extern const char *const ripstop_against_words[]; /* "relative", "change", "difference", NULL */

/* Which values of a figure are good ones. */
typedef enum ripstop_best { RIPSTOP_BEST_NONE, RIPSTOP_BEST_HIGHEST, RIPSTOP_BEST_LOWEST } ripstop_best;
extern const char *const ripstop_best_words[];

/* Bits: x, y. */
typedef enum ripstop_figure_log { RIPSTOP_LOG_NONE, RIPSTOP_LOG_X, RIPSTOP_LOG_Y, RIPSTOP_LOG_XY } ripstop_figure_log;
extern const char *const ripstop_figure_log_words[];

/* A query over runs: the mean of the value `y` for each value of the key `x`, one curve for each combination of the
 * keys `by`. What else varies must be fault samples or seeds: it is averaged over. */
#define RIPSTOP_SHARE "share"
typedef struct ripstop_figure {
  const char *id, *title;
  const char *x; /* a run key; "cycle": the time series (measure.window); or of a CDF RIPSTOP_SHARE */
  size_t mores;  /* further keys that distinguish rows of a table */
  const char *const *more;
  const char *at; /* a value: each point is at its mean, and x distinguishes the points of a curve; NULL: at x */
  /* A value's name (ripstop_value.name), or "verdict.WORD": the share of runs that end with this verdict. With x: cycle
   * one of generated, injected, delivered, lost (packets of a window), accepted, latency. */
  const char *y;
  const char *xlabel, *ylabel; /* NULL: made from the names and the unit */
  size_t bys;
  const char *const *by;
  size_t filters;
  const ripstop_filter *filter;
  const char *over;               /* a value of the same run that y is divided by; NULL: none */
  const ripstop_filter *relative; /* one key, one value: y is compared with y there; NULL: it is not */
  const char *base;               /* the value that is taken there; NULL: y */
  ripstop_against against;        /* how */
  ripstop_best rank; /* instead of y each sample's place among the curves, 1 for the best; NONE: y itself */
  ripstop_figure_kind kind;
  double ymin, ymax;      /* ends of the axis; NAN: where the data begins and ends */
  ripstop_figure_log log; /* axes with logarithmic scales */
  bool table_only;        /* written under `tables:` */
  int line;
} ripstop_figure;

/* Several figures as one, side by side. */
typedef struct ripstop_panels {
  const char *id, *title;
  size_t figures, columns;
  const ripstop_figure *const *figure;
  int line;
} ripstop_panels;

typedef enum ripstop_claim_kind {
  RIPSTOP_CLAIM_VALUE,      /* y at x = from */
  RIPSTOP_CLAIM_RATIO,      /* y at x = from over y at x = to */
  RIPSTOP_CLAIM_DIFFERENCE, /* y at x = from minus y at x = to */
  RIPSTOP_CLAIM_SLOPE,      /* change of y per unit of x: least squares over from <= x <= to */
  RIPSTOP_CLAIM_LOSS,       /* the slope's negative over y at the curve's first x: relative loss per unit of x */
  RIPSTOP_CLAIM_SHARE,      /* share of runs with from <= x <= to that end with `verdict` */
  RIPSTOP_CLAIM_PEAK /* highest y with from <= x <= to; against that of another curve where `relative` names one */
} ripstop_claim_kind;
extern const char *const ripstop_claim_kind_words[];

typedef enum ripstop_compare {
  RIPSTOP_COMPARE_ABOUT,
  RIPSTOP_COMPARE_AT_MOST,
  RIPSTOP_COMPARE_AT_LEAST
} ripstop_compare;
extern const char *const ripstop_compare_words[];

/* The outcome of a claim, by its author or by the measured interval. */
typedef enum ripstop_finding {
  RIPSTOP_REPRODUCED,
  RIPSTOP_DIFFERS,
  RIPSTOP_CANNOT_BE_TOLD,
  RIPSTOP_NO_DATA /* the runs for it are missing; not for authors */
} ripstop_finding;
extern const char *const ripstop_finding_words[]; /* in this order, NULL-terminated */

/* The cause of a number that differs, as the author knows it. */
typedef enum ripstop_cause {
  RIPSTOP_CAUSE_NOT_SAID,
  RIPSTOP_CAUSE_UNEXPLAINED,
  RIPSTOP_CAUSE_TESTED /* an experiment shows it */
} ripstop_cause;
enum { RIPSTOP_CAUSES = RIPSTOP_CAUSE_TESTED + 1 };

/* A paper, and the figures and tables of its that show results (docs/claims.md). */
typedef struct ripstop_paper {
  const char *number, *key, *title;
  size_t places;
  const char *const *place; /* "Figure 3", "Table 1" */
} ripstop_paper;

/* A published number and how to measure it on one curve of a figure. */
typedef struct ripstop_claim {
  const char *id, *says;
  const ripstop_paper *paper;  /* NULL: a claim of the experiment itself */
  const char *place;           /* in the paper: "Figure 4a", "section 7"; NULL without a paper */
  size_t result;               /* the one of the paper's places that it is about; RIPSTOP_NOWHERE: none */
  const char *reading;         /* how the paper is read, with its sentence; NULL only without a paper */
  bool chosen_after;           /* the reading was chosen after results were seen */
  ripstop_finding finding;     /* the author's */
  const char *why;             /* the reason if that is not RIPSTOP_REPRODUCED; else may be NULL */
  ripstop_cause cause;         /* the cause of a number that differs */
  const char *tested_by;       /* RIPSTOP_CAUSE_TESTED: the experiment's file, from this one's folder; else NULL */
  double published, tolerance; /* tolerance: absolute; 0: only the measured interval counts */
  ripstop_compare compare;
  ripstop_claim_kind kind;
  const ripstop_figure *figure;
  size_t filters;
  const ripstop_filter *filter; /* which curve */
  double from, to;
  const char *verdict;            /* RIPSTOP_CLAIM_SHARE */
  const ripstop_filter *relative; /* RIPSTOP_CLAIM_PEAK: in which key that curve is another; NULL: there is none */
  ripstop_against against;        /* RELATIVE or DIFFERENCE to its peak */
  int line;
} ripstop_claim;
#define RIPSTOP_NOWHERE SIZE_MAX

/* A bound that a figure's value at one x must keep, or without a bound a goal: the more, or the less, the better. */
typedef struct ripstop_term {
  const ripstop_figure *figure;
  const ripstop_setting *at; /* x */
  ripstop_best best;         /* HIGHEST: at least `bound` */
  double bound;              /* NAN: none */
} ripstop_term;

/* Limits that a service must keep, and goals that rank the candidates which keep them. The candidates are the curves of
 * the figures, which all distinguish them by the same keys. */
typedef struct ripstop_agreement {
  const char *id, *title;
  size_t terms, goals;
  const ripstop_term *term; /* [terms + goals] */
  int line;
} ripstop_agreement;

/* ------------------------------------------------------------------ the experiment as written */

/* A part of the product of the lists. */
typedef struct ripstop_part {
  size_t filters;
  const ripstop_filter *filter;
} ripstop_part;

enum { RIPSTOP_SAMPLES_ALL = 0 };

/* Kinds of runs: synthetic traffic, end nodes that run a program, proofs of many random fault sets, or jobs that send
 * messages. */
typedef enum ripstop_run_kind {
  RIPSTOP_RUN_SIMULATE,
  RIPSTOP_RUN_PROGRAM,
  RIPSTOP_RUN_PROVE,
  RIPSTOP_RUN_WORKLOAD
} ripstop_run_kind;
extern const char *const ripstop_run_kind_words[]; /* "simulate", "program", "prove", "workload", NULL */

/* The random fault sets that are accepted; others are replaced by new ones. */
typedef enum ripstop_keep { RIPSTOP_KEEP_ALL, RIPSTOP_KEEP_CONNECTED, RIPSTOP_KEEP_TOLERATED } ripstop_keep;
extern const char *const ripstop_keep_words[]; /* "all", "connected", "tolerated", NULL */

/* `faults:`, a value of each key. All but `file` and `samples` are keys of runs too. */
typedef struct ripstop_faults_config {
  int64_t count;
  const char *scope;
  int32_t keep; /* ripstop_keep */
  const char *set, *file, *schedule, *samples;
} ripstop_faults_config;
extern const ripstop_option ripstop_faults_options[];

/* In what an experiment is to differ from its file. All zero: in nothing. */
typedef struct ripstop_variant {
  bool quick; /* the file's `quick:` section applies */
  size_t sets;
  const char *const
      *set;             /* [sets] "KEY=VALUE": after that section; VALUE is a value or a list as the file may have it */
  uint64_t seed_offset; /* added to every seed, while figures and claims go on calling it as the file does */
} ripstop_variant;

/* `link:`, as written; no keys of runs. */
typedef struct ripstop_link_config {
  const char *rate, *delay, *flit, *ber;
} ripstop_link_config;
extern const ripstop_option ripstop_link_options[];

typedef struct ripstop_spec {
  const char *file, *title, *about;
  const char *source; /* the file's bytes, terminated */
  const char *name;   /* its path below the last folder `experiments`, without .yaml; elsewhere the file's name alone */
  ripstop_scale scale; /* rate and flit of `link:`; a rate of 0: cycles have no length in seconds */
  const char *notes;   /* a line for each quantity with a unit that is off by more than 1 % after rounding; "": none */
  const char *store;   /* the name of the experiment whose store it uses: its own, or one beside it */
  int store_line;      /* the line of the file that says so; 0: none */
  ripstop_variant variant;
  ripstop_run_kind kind;
  size_t axes;
  ripstop_axis *axis;  /* every key of a run but "faults.sample" */
  int64_t samples;     /* fault sets drawn for each count; RIPSTOP_SAMPLES_ALL: every set there is, once */
  bool all_up_to;      /* if there are no more than `samples` sets: every one once instead */
  size_t faults_files; /* 0: none */
  const struct ripstop_faults_file {
    const char *path; /* each line a fault set */
    int line;         /* the line of the experiment that names the file */
  } * faults_file;
  size_t parts; /* runs are those of the product that are in one of them; 0: all */
  const ripstop_part *part;
  size_t figures;
  const ripstop_figure *figure;
  size_t panels;
  const ripstop_panels *panel;
  size_t papers;
  const ripstop_paper *paper; /* the content of the file under the key `papers`; claims point into it */
  size_t claims;
  const ripstop_claim *claim;
  size_t agreements;
  const ripstop_agreement *agreement;
  ripstop_arena *arena;
} ripstop_spec;

/* Reads and validates everything that needs no fabric; `variant` may be NULL. NULL on error. */
ripstop_spec *ripstop_spec_read(const char *path, const ripstop_variant *variant, ripstop_error *err);
/* The same from memory; `name` stands for the file in messages, and relative paths in it start at its folder. */
ripstop_spec *ripstop_spec_read_memory(const char *name, const char *bytes, size_t length,
                                       const ripstop_variant *variant, ripstop_error *err);
void ripstop_spec_free(ripstop_spec *spec);
/* The axis of a key, or NULL. */
const ripstop_axis *ripstop_spec_axis(const ripstop_spec *spec, const char *key);

/* ------------------------------------------------------------------ runs */

enum { RIPSTOP_RUN_ID = 33 }; /* bytes of a run's name: 32 hexadecimal digits and the end */

/* Which transient states of tables are proved beside the last ones (ripstop_mixed): none; those of any versions; those
 * of one history; any that stays; of tables written twice; of tables and their repair. */
typedef enum ripstop_transients {
  RIPSTOP_TRANSIENTS_OFF,
  RIPSTOP_TRANSIENTS_ANY,
  RIPSTOP_TRANSIENTS_IN_ORDER,
  RIPSTOP_TRANSIENTS_FOR_EVER,
  RIPSTOP_TRANSIENTS_TWO_WRITES,
  RIPSTOP_TRANSIENTS_REPAIRED
} ripstop_transients;

/* Runs that prove take `sets` random fault sets, those of samples 0, 1, 2 ... of simulations with the same seed and
 * count, and decide delivery for each; with `mixtures` also whether all transient states drain. */
typedef enum ripstop_decide { RIPSTOP_DECIDE_DELIVERY, RIPSTOP_DECIDE_ALL } ripstop_decide;

typedef struct ripstop_prove_config {
  int64_t sets;
  double confidence;  /* confidence of the intervals */
  bool tables;        /* the tables of every plan are counted too */
  int64_t rare;       /* 0, or ripstop_rare.core: random sets contain those of so many parts that are not tolerated */
  int32_t decide;     /* ripstop_decide */
  int32_t transients; /* ripstop_transients */
  int64_t orders;     /* orders of messages, for transient states of a protocol */
} ripstop_prove_config;
extern const ripstop_option ripstop_prove_options[];

/* The precision that a value must reach: a run goes on until then (docs/statistics.md). */
typedef enum ripstop_grow { RIPSTOP_GROW_CYCLES, RIPSTOP_GROW_SAMPLES } ripstop_grow;
extern const char *const ripstop_grow_words[]; /* "cycles", "samples", NULL */
typedef struct ripstop_precision_config {
  const char *value;         /* its name; "": runs are as long as they are */
  double relative, absolute; /* greatest half width of the interval; 0: no limit */
  int32_t grow;              /* ripstop_grow */
  int64_t most;              /* the most of these; 0: 64 times the first number */
} ripstop_precision_config;
extern const ripstop_option ripstop_precision_options[];

typedef struct ripstop_key {
  const char *name, *value;
} ripstop_key;

/* The keys of a run as settings. */
typedef struct ripstop_settings {
  /* Ready to be executed, except for a random schedule (ripstop_run.rule) and `stop`.
   * The seed is the experiment's for sample 0 and derived from it and the sample otherwise: runs that differ only in
   * method, load or number of faults see the same traffic, and two samples never do. */
  ripstop_simulate_settings simulation;
  ripstop_program_config program;   /* RIPSTOP_RUN_PROGRAM */
  ripstop_workload_config workload; /* RIPSTOP_RUN_WORKLOAD, as the next one */
  ripstop_fluid_config fluid;
  ripstop_prove_config prove; /* RIPSTOP_RUN_PROVE; `simulation` does not count then */
  ripstop_precision_config precision;
  bool saturation; /* the load is that at which the network saturates, and is searched for; `simulation` has another */
} ripstop_settings;

/* There may be a million, so keys, canonical text and settings of a run are computed on request. */
typedef struct ripstop_run {
  char id[RIPSTOP_RUN_ID]; /* XXH3, 128 bits, of its canonical text */
  ripstop_run_kind kind;
  const ripstop_fault_scope *scope;
  ripstop_keep keep;
  uint32_t fault_count, sample;
  uint32_t threads; /* threads for the run; 0 is 1. The outcome does not depend on it */
  bool worth;       /* no more of them than ripstop_simulate_worth says */
  size_t losses;    /* most lost packets that the outcome lists; none in a search for saturation or precision */
  uint64_t seed;    /* the experiment's */
  const ripstop_fabric *fabric;
  const char *method;               /* method spec, canonical */
  const char *routes;               /* the same for ripstop_plan_open: files with their paths */
  const char *source;               /* a hash of the source of the plug-ins that it uses; NULL: unknown */
  const ripstop_faults *faults;     /* NULL: none, or random ones if fault_count > 0 */
  const ripstop_schedule *schedule; /* changes while it runs; NULL: none, or a random schedule by `rule` */
  const ripstop_rule *rule;         /* NULL: the schedule says all */
  /* Its place in the product of the lists, and its case of its fabric. */
  const struct ripstop_product *product;
  uint64_t place;
  const struct ripstop_fault_case *fault;
  const struct ripstop_schedule_case *change;
  /* Called between pieces of a simulation of random traffic, each as long as a window of its time series; NULL: not
   * called. The outcome does not depend on it. */
  void (*watch)(void *context, const ripstop_simulation *sim, const ripstop_fabric *fabric, uint64_t window);
  void *watch_context;
} ripstop_run;

typedef struct ripstop_runs {
  const ripstop_spec *spec;
  size_t count;
  const ripstop_run *run; /* sorted by sample, so that an interrupted experiment has some samples of everything */
  size_t fabrics;
  ripstop_fabric **fabric;
  const struct ripstop_meaning *meaning; /* for ripstop_runs_is */
  ripstop_arena *arena;
} ripstop_runs;

/* Opens the fabrics and multiplies the lists. Fault sets, schedules and counts are checked against the fabrics, each
 * different combination of switch and traffic against the simulator. `spec` must outlive the runs. NULL on error. */
ripstop_runs *ripstop_expand(const ripstop_spec *spec, ripstop_error *err);
void ripstop_runs_free(ripstop_runs *runs);
/* True if a run's key has this value by this setting of the spec. */
bool ripstop_runs_is(const ripstop_runs *runs, const ripstop_setting *setting, const char *value);
/* The keys whose word RIPSTOP_OF_METHOD means the method's own value: "switch.preset", "switch.selection",
 * "switch.escape", NULL. */
extern const char *const ripstop_keys_of_method[];
/* The values of such a key that simulations use, each with its methods as the file writes them: "weighted (ugal), space
 * (minimal, valiant)", presets with the keys that they set; "" for proofs. `out` holds nothing else after it. Returns
 * whether one is not that of a method that names none; false for any other key, and without memory. */
bool ripstop_spec_own(const ripstop_spec *spec, const char *key, ripstop_text *out);
/* The value of a key of a run, or NULL. For ripstop_keys_of_method it is the one in use, never "method". */
const char *ripstop_run_key(const ripstop_run *run, const char *key);
/* The value as the file has it, to compare with settings (ripstop_runs_is): for ripstop_keys_of_method it may be
 * "method". */
const char *ripstop_run_key_written(const ripstop_run *run, const char *key);
/* Sentences about settings of the run that are likely to surprise, numbered from 0: a method without the selection
 * function that it names, slow links that hold up the inputs of fast ones. `out` holds the sentence and nothing else.
 * False: there are not so many. */
bool ripstop_run_warning(const ripstop_run *run, uint32_t number, ripstop_text *out);

/* The simulations of a run: one, unless it has a goal of precision or searches for its load: then as many as
 * it takes, no fewer than the first of each pair, unless the method turns out not to apply, and no more than the
 * second. Cycles are those of a simulation of random traffic, with warm-ups; an automatic one is taken to be as long as
 * what is measured. */
typedef struct ripstop_looks {
  double simulations[2], cycles[2];
} ripstop_looks;

/* ------------------------------------------------------------------ outcomes */

/* The outcome of a run: all that is stored and shown. */
typedef struct ripstop_outcome {
  const char *verdict; /* one of ripstop_outcome_words */
  const char *reason;  /* a deadlock's or disconnection's witness; why the method does not apply; the error; or NULL */
  const char *faults;  /* the fault set by name, and changes that were drawn; "" when there is none */
  size_t values, windows;
  const ripstop_value *value;
  const ripstop_window *window;
  size_t losses; /* ripstop_run_result.loss. Not stored, as the next two */
  const ripstop_loss *loss;
  size_t messages; /* model: flow with measure.messages, in the order of the workload */
  const ripstop_message_record *message;
  size_t loads; /* model: flow with flow.at */
  const ripstop_channel_loads *load;
  double seconds;   /* processor time; with `threads` all here that two executions may differ in */
  uint32_t threads; /* that worked on a simulation (ripstop_run_result.threads); 0: not known. Not stored */
  ripstop_arena *arena;
} ripstop_outcome;

/* A value by its name; NULL: the outcome has none. */
const ripstop_value *ripstop_outcome_value(const ripstop_outcome *outcome, const char *name);

/* ripstop_verdict_words, then "does-not-apply", "error", "proved", "disconnected" (only of model: flow), NULL. */
extern const char *const ripstop_outcome_words[];
enum { RIPSTOP_OUTCOMES = 8 }; /* how many these are */

/* Executes one run; `stop` as in ripstop_simulate_settings. A run that memory runs out in has the verdict "error" and
 * that reason. -1: stopped, or not even begun for want of memory; then there is no outcome. */
typedef int (*ripstop_execute)(const ripstop_run *run, const atomic_int *stop, ripstop_outcome *out);
int ripstop_run_execute(const ripstop_run *run, const atomic_int *stop, ripstop_outcome *out);
/* The run's fault set, drawn where it has to be, and again until it is one that is kept (ripstop_run.keep): depends on
 * the seed, the number of parts, the sample and, for RIPSTOP_KEEP_TOLERATED, the method. Memory from the arena, or the
 * run's. NULL with an error, also when none of RIPSTOP_RESAMPLES_MAX sets is one to keep. */
enum { RIPSTOP_RESAMPLES_MAX = 4096 };
/* True if the run should be done again: memory ran out, which is no answer. */
bool ripstop_outcome_again(const ripstop_outcome *outcome);
void ripstop_outcome_free(ripstop_outcome *outcome);

RIPSTOP_END

#endif

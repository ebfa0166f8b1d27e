/* reader.h - what the readers of an experiment's sections share: messages with lines, keys, numbers, settings. */
#ifndef EXPERIMENT_READER_H
#define EXPERIMENT_READER_H

#include "experiment/yaml.h"
#include "ripstop/kit/experiment.h"

enum { READER_LIST_MAX = 10000 }; /* values of one key */

typedef struct reader {
  const char *file;      /* in messages */
  ripstop_spec *spec;    /* that is being read; NULL: it has been */
  const yaml_node *root; /* the whole file; NULL: it has been read */
  const ripstop_variant *variant;
  const yaml_node *set; /* a map from axes' keys to the values of --set; lines say which (variant.c) */
  ripstop_error *err;
} reader;

/* "FILE:LINE: ...", of what --set says "FILE: --set KEY=VALUE: ..."; returns -1. */
int reader_fail(const reader *r, int line, const char *fmt, ...) RIPSTOP_PRINTF(3, 4);
#ifdef __clang_analyzer__ /* the analyzer sees one file at a time and must know what this returns */
#define reader_fail(...) (reader_fail(__VA_ARGS__), -1)
#endif
/* Another's error, which stays the machine's when it was, behind the place and "WHAT: "; "" for nothing there. */
int reader_pass(const reader *r, int line, const ripstop_error *why, const char *what);
/* The word of the list that a word may mean, also a key without its section; NULL: nothing is near. */
const char *reader_nearest(const char *word, const char *const *words);
/* A word that is not in the list: names the nearest one or, if none is near, all. `what` is "key", "verdict", ... */
int reader_unknown(const reader *r, int line, const char *what, const char *word, const char *const *words);
#ifdef __clang_analyzer__
#define reader_unknown(...) (reader_unknown(__VA_ARGS__), -1)
#endif
/* -1: the node is no list. */
int reader_list(const reader *r, const yaml_node *node, const char *name);
/* -1: the id in this line is that of the other line too. */
int reader_other_id(const reader *r, const char *id, int line, const char *other, int other_line);
/* True if the list has the word. */
bool reader_is_word(const char *text, const char *const *words);
/* The words of runs' outcomes that this experiment can have. `disconnected` is one of flows alone; for packets it is
 * the old name of `lossy`, and refused as such. */
const char *const *reader_outcomes(const reader *r);
/* `node` is a map whose keys are all in the list. `what` names it in messages. */
int reader_map(const reader *r, const yaml_node *node, const char *what, const char *const *words);

/* One plain value on one line, without control characters. */
int reader_value(const reader *r, const yaml_node *node, const char *what);
/* An entry of a map as one line of text (control characters become blanks); left as it is when absent. */
int reader_text(const reader *r, const yaml_node *map, const char *key, const char **out);
/* The same, but the entry must be there. */
int reader_needed(const reader *r, const yaml_node *map, const char *what, const char *key, const char **out);
int reader_real(const reader *r, const yaml_node *node, const char *what, double *out);
/* One value or a list of them, which may not be empty, as [*count] nodes; where they are numbers each may be a range
 * (ranges.c). */
int reader_items(const reader *r, const yaml_node *node, const char *what, bool numbers, const yaml_node **out,
                 size_t *count);
/* An entry of a map that is one of the words; its index. Left as it is when absent. */
int reader_word(const reader *r, const yaml_node *map, const char *key, const char *const *words, int *out);
/* An id: letters, digits and '-', so that it can be a file's name. */
int reader_id(const reader *r, const yaml_node *map, const char *what, const char **out);

/* A map "key: value or list of values" as filters; every value must be one that its axis takes, and the key in `keys`
 * when that is not NULL. "verdict" is a key too where `verdicts`. */
int reader_filters(const reader *r, const yaml_node *node, const char *what, bool verdicts, const ripstop_filter **out,
                   size_t *count);
/* The value of an axis that a node names. */
int reader_setting(const reader *r, const ripstop_axis *axis, const yaml_node *node, const ripstop_setting **out);
/* True if a run can have a value of this name, which the key gives. */
int reader_check_value(const reader *r, int line, const char *key, const char *name);
/* The same of what has quantiles, "latency", "link-use" (ripstop_quantiles). */
int reader_check_spread(const reader *r, int line, const char *key, const char *name);
/* True if a value describes packets that arrive, all or some kinds of them. */
bool reader_is_of_packets(const char *value);
const ripstop_filter *reader_filter(const ripstop_filter *filter, size_t count, const char *key);
/* The text that distinguishes two settings of one axis. */
const char *reader_known(const ripstop_setting *setting);
/* The number of values that the filters leave of an axis; 0: not known before the fabrics are open. */
size_t reader_remaining(const ripstop_axis *axis, const ripstop_filter *filter, size_t filters);

/* Keys of `quick:` and --set that are no axes; so are link.rate and link.flit (link.c). */
#define FAULTS_SAMPLES "faults.samples"
#define FAULTS_FILE    "faults.file"

/* The values of --set (variant.c), read before the sections; checked, and seeds moved, when all axes are there. */
int reader_variant(reader *r);
int reader_check_variant(const reader *r);
/* The keys that `quick:` and --set may name: those of the axes that are there, FAULTS_SAMPLES, and the
 * keys of `link:`. */
const char *const *reader_replaceable(const reader *r);
/* A key that is none of these words: unknown, or one of experiments of another kind. -1. */
int reader_no_key(const reader *r, const yaml_node *key, const char *const *words);

/* The sections in files of their own. */
int reader_faults(const reader *r, const yaml_node *root);
/* Checks the keys of measure.precision together, once all axes are there. */
int reader_precision(const reader *r);
int reader_faults_of_proof(const reader *r, const yaml_node *root); /* checks the keys that go with `prove` */
int reader_panels(reader *r, const yaml_node *panels);              /* once all figures are there */
int reader_figures(reader *r, const yaml_node *figures, const yaml_node *tables);
/* An error when runs would fall on one point of a figure that differ in a key which it does not show (mixing.c). */
int reader_mixing(const reader *r, const ripstop_figure *figure);
/* True if the figure distinguishes runs that differ in a key, by x or curves. */
bool figure_shows_key(const ripstop_figure *figure, const char *key);
/* True if a key is averaged over by default: seeds and fault sets are repetitions, not questions. */
bool figure_repeats(const char *key);
int reader_claims(reader *r, const yaml_node *claims);

/* The file that the root's key `papers` names, if it does (papers.c); before claims are read. */
int reader_papers(reader *r);
/* A claim's paper, place and reading: its own, else the root's. */
int reader_place(const reader *r, const yaml_node *node, ripstop_claim *claim);
int reader_agreements(reader *r, const yaml_node *agreements);

#endif

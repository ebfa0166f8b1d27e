/* words.c - `ripstop help WORD`: what a word means, wherever it is one. Options, methods, families and their like come
 * from the registries and option arrays; keys of figures, verdicts and values of runs are told here. */
#include "cli/words.h"

#include <string.h>

#include "cli/cli.h"
#include "ripstop/kit/experiment.h"
#include "ripstop/kit/programs.h"
#include "ripstop/kit/workload.h"
#include "ripstop/plugin/family.h"
#include "ripstop/plugin/kernel.h"
#include "ripstop/plugin/method.h"
#include "ripstop/plugin/pattern.h"
#include "ripstop/plugin/process.h"
#include "ripstop/plugin/workload.h"

/* ------------------------------------------------------------------ words that no array holds */

typedef struct meaning {
  const char *word, *says;
} meaning;

static const meaning verdicts[] = {
    {"steady", "all that was offered was carried"},
    {"saturated", "packets piled up at the sources; as a value: 1 when more was offered than carried"},
    {"deadlocked", "some packets wait for each other for ever; the page shows which"},
    {"disconnected", "the method lost packets for want of a way"},
    {"does-not-apply", "the method is not for this fabric, fault set or reaction; the reason says why"},
    {"error", "the simulation failed inside, or was too big for the memory; the reason says why"},
    {"proved", "a proof came to its end, whatever it found"},
};

/* Sections that are one key, and keys of figures, tables and claims. */
static const meaning keys[] = {
    {"title", "what stands above an experiment, or a figure of it"},
    {"about", "a paragraph for the page"},
    {"fabric", "a list of fabrics, FAMILY:OPTIONS or a file; a run for each"},
    {"method", "a list of routing methods, METHOD:OPTIONS; a run for each"},
    {"seed", "of everything that is random; a list of seeds is averaged over"},
    {"quick", "values in place of the file's own with --quick"},
    {"only", "parts of the product of all lists; runs in none of them are not done"},
    {"figures", "a list of figures: id, title, x, y, by, where, ..."},
    {"tables", "a list of tables: id, title, rows, value, columns, where, ..."},
    {"claims", "a list of published numbers, each beside the same thing measured"},
    {"agreements", "what a service must keep, and the candidates that keep it"},
    {"x", "of a figure: a run key, 'cycle' for a time series, or a value of runs, as in x: accepted"},
    {"y", "of a figure: a value of runs, or verdict.WORD, the share of runs that end so"},
    {"by", "of a figure: keys, a curve for each combination; default: all that vary"},
    {"along", "of a figure whose x is a value: the key that tells the points of a curve apart"},
    {"where", "of a figure: keys and the values that count; also verdict"},
    {"over", "of a figure: a value of the same run that y is divided by"},
    {"relative", "of a figure: one key and value; y is divided by what it is there"},
    {"change", "of a figure: one key and value; y as a change in percent against what it is there"},
    {"difference", "of a figure: one key and value; y minus what it is there"},
    {"base", "of a figure: the value that is taken there, if another than y"},
    {"rank", "of a figure: highest or lowest; instead of y its place among the curves"},
    {"kind", "of a figure: curves or heatmap"},
    {"log", "of a figure: x, y or xy; axes with logarithmic scales"},
    {"ymin", "of a figure: where the vertical axis begins"},
    {"ymax", "of a figure: where the vertical axis ends"},
    {"xlabel", "of a figure: the title of the horizontal axis"},
    {"ylabel", "of a figure: the title of the vertical axis"},
    {"rows", "of a table: a run key, or a list of them"},
    {"columns", "of a table: keys, a column for each combination"},
    {"value", "of a table: a value of runs, or verdict.WORD"},
    {"curve", "of a claim: the by keys that have several values, fixed"},
    {"compare", "of a claim: about, at-most or at-least"},
    {"published", "of a claim: the number that is published"},
    {"tolerance", "of a claim: how far the measured interval may lie from the published number"},
};

/* By their last part: class1.affected.latency.p99 is a latency.p99. */
static const meaning values[] = {
    {"offered", "flits/node/cycle that sources gave birth to"},
    {"accepted", "flits/node/cycle that arrived: the throughput"},
    {"unserved", "flits/node/cycle that were offered and neither accepted nor lost"},
    {"packets", "delivered packets that were measured"},
    {"latency.mean", "cycles from a packet's birth to its last flit's arrival, mean"},
    {"latency.p50", "cycles that half of the packets' latencies do not exceed"},
    {"latency.p99", "cycles that 99 of 100 packets' latencies do not exceed"},
    {"latency.p999", "cycles that 999 of 1000 packets' latencies do not exceed"},
    {"latency.max", "cycles, the greatest latency"},
    {"network-latency.mean",
     "cycles from the network interface to the last flit's arrival, mean; finite beyond saturation"},
    {"hops.mean", "links between switches that a packet took, mean"},
    {"lost", "packets that were lost"},
    {"lost.share", "lost packets as a share of those that network interfaces took"},
    {"link-use.mean", "share of cycles that a link was busy, mean over links"},
    {"link-use.max", "share of cycles that the busiest link was busy"},
    {"warmup", "cycles before anything was measured"},
    {"warmup.settled", "1 when throughput and filling had settled by then"},
    {"accepted.drift", "change of throughput from the first half of the measured cycles to the second"},
    {"latency.drift", "change of latency from the first half of the measured cycles to the second"},
    {"not-tolerated", "1 when the method loses some pair under the run's fault set"},
    {"pairs.lost", "ordered pairs of end nodes that the method loses"},
    {"control.messages", "messages of the method's protocol"},
    {"control.settling", "cycles from the last change to the last new ways of a switch"},
    {"saturation.load", "the load at which the network saturates, found by bisection"},
    {"saturation.accepted", "throughput at that load"},
    {"stops", "times that the network was stopped for new routes"},
    {"stopped", "cycles for which it was"},
    {"tolerated", "share of all fault sets under which no pair is lost"},
    {"workload.cycles", "cycles from the start to the end of all jobs"},
    {"workload.complete", "1 when all jobs came to their end"},
    {"program.time", "cycles that the program took"},
    {"program.slowdown", "that over the time without a network between its parts"},
    {"run.cycles", "cycles of the whole run"},
    {"account.generated", "packets born in the whole run"},
    {"account.delivered", "packets delivered in the whole run"},
    {"account.waiting", "packets in their sources at the end"},
    {"account.in-flight", "packets in the network at the end"},
    {"account.lost", "packets lost in the whole run"},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ------------------------------------------------------------------ what has options */

/* Of every registry and section: a name, what it is, and how to ask for all of it. */
typedef struct entry {
  const char *name, *what, *summary, *more;
  const ripstop_option *options;
} entry;

typedef bool (*visit)(void *context, const entry *e); /* true ends it */

static const entry sections[] = {
    {"faults", "section", NULL, "ripstop help faults", ripstop_faults_options},
    {"measure", "section", NULL, "ripstop help measure", ripstop_measure_options},
    {"measure.precision", "section", NULL, "ripstop help measure.precision", ripstop_precision_options},
    {"program", "section", NULL, "ripstop help program", ripstop_program_options},
    {"prove", "section", NULL, "ripstop help prove", ripstop_prove_options},
    {"reaction", "section", NULL, "ripstop help reaction", ripstop_reaction_options},
    {"switch", "section", NULL, "ripstop help switch", ripstop_switch_options},
    {"traffic", "section", NULL, "ripstop help traffic", ripstop_traffic_options},
    {"workload", "section", NULL, "ripstop help workload", ripstop_workload_options},
};

#define VISIT(list, kind, command)   \
  for (size_t i = 0; (list)[i]; i++) \
    if (call(context, &(entry){(list)[i]->name, kind, (list)[i]->summary, command, (list)[i]->options})) return

static void each_entry(visit call, void *context) {
  for (size_t i = 0; i < COUNT(sections); i++)
    if (call(context, &sections[i])) return;
  VISIT(ripstop_methods, "method", "ripstop methods NAME");
  VISIT(ripstop_families, "fabric", "ripstop fabric --help");
  VISIT(ripstop_patterns, "pattern", "ripstop patterns NAME");
  VISIT(ripstop_workloads, "workload", "ripstop workloads NAME");
  VISIT(ripstop_kernels, "program", "ripstop programs NAME");
  VISIT(ripstop_processes, "process of faults", "ripstop faults NAME");
}

/* ------------------------------------------------------------------ telling */

typedef struct asked {
  const char *word;
  bool found;
} asked;

static void tell_option(const entry *e, const ripstop_option *option) {
  const ripstop_option one[] = {*option, {0}};
  printf("%s %s, option:\n", e->what, e->name);
  ripstop_options_help(stdout, one);
}

/* "in_queue", "switch.in_queue"; a section's name alone is told by main. */
static bool is_option(const entry *e, const ripstop_option *option, const char *word) {
  const size_t length = strlen(e->name);
  if (!strcmp(option->name, word)) return true;
  return !strncmp(word, e->name, length) && (word[length] == '.' || word[length] == ':') &&
         !strcmp(word + length + 1, option->name);
}

static bool tell_entry(void *context, const entry *e) {
  asked *a = context;
  if (e->summary && !strcmp(e->name, a->word)) {
    printf("%s %s: %s\n", e->what, e->name, e->summary);
    if (e->options && e->options->name) printf("  options:\n"), ripstop_options_help(stdout, e->options);
    printf("'%.*s%s' tells more.\n", (int)strcspn(e->more, "N"), e->more, strchr(e->more, 'N') ? e->name : "");
    a->found = true;
  }
  for (const ripstop_option *o = e->options; o && o->name; o++)
    if (is_option(e, o, a->word)) tell_option(e, o), a->found = true;
  return false;
}

/* Whether a value's name is this one, or ends with it behind a point. */
static bool ends_so(const char *word, const char *name) {
  const size_t length = strlen(word), own = strlen(name);
  if (length < own || strcmp(word + length - own, name) != 0) return false;
  return length == own || word[length - own - 1] == '.';
}

static bool tell_meaning(const meaning *list, size_t count, const char *what, const char *word, bool by_end) {
  const meaning *best = NULL;
  for (size_t i = 0; i < count; i++)
    if (by_end ? ends_so(word, list[i].word) : !strcmp(word, list[i].word))
      if (!best || strlen(list[i].word) > strlen(best->word)) best = &list[i];
  if (best) printf("%s %s: %s\n", what, word, best->says);
  return best != NULL;
}

bool cli_tell_word(const char *word) {
  asked a = {.word = word};
  each_entry(tell_entry, &a);
  a.found |= tell_meaning(verdicts, COUNT(verdicts), "verdict", word, false);
  a.found |= tell_meaning(keys, COUNT(keys), "key", word, false);
  a.found |= tell_meaning(values, COUNT(values), "value of a run", word, true);
  return a.found;
}

/* ------------------------------------------------------------------ all of them */

typedef struct words {
  const char **word;
  size_t count, room;
} words;

static void add(words *w, const char *word) {
  enum { GROWTH = 128 };
  if (w->count + 1 >= w->room) w->room += GROWTH, w->word = ripstop_realloc(w->word, w->room, sizeof *w->word);
  w->word[w->count++] = word;
  w->word[w->count] = NULL;
}

static bool add_entry(void *context, const entry *e) {
  add(context, e->name);
  for (const ripstop_option *o = e->options; o && o->name; o++) add(context, o->name);
  return false;
}

const char **cli_words(void) {
  words w = {0};
  each_entry(add_entry, &w);
  for (size_t i = 0; i < COUNT(verdicts); i++) add(&w, verdicts[i].word);
  for (size_t i = 0; i < COUNT(keys); i++) add(&w, keys[i].word);
  for (size_t i = 0; i < COUNT(values); i++) add(&w, values[i].word);
  return w.word;
}

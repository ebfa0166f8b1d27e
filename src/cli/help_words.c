/* help_words.c - `ripstop help WORD`: what a word means, wherever it is one. Options, methods, families and their like
 * come from the registries and option arrays; keys of figures, verdicts and values of runs are here. */
#include "cli/help_words.h"

#include <string.h>

#include "cli/cli.h"
#include "experiment/presets.h"
#include "ripstop/kit/experiment.h"
#include "ripstop/kit/programs.h"
#include "ripstop/kit/values.h"
#include "ripstop/kit/workload.h"
#include "ripstop/plugin/arbiter.h"
#include "ripstop/plugin/family.h"
#include "ripstop/plugin/kernel.h"
#include "ripstop/plugin/matching.h"
#include "ripstop/plugin/method.h"
#include "ripstop/plugin/pattern.h"
#include "ripstop/plugin/process.h"
#include "ripstop/plugin/selection.h"
#include "ripstop/plugin/switch.h"
#include "ripstop/plugin/workload.h"

/* ------------------------------------------------------------------ words that no array holds */

typedef struct meaning {
  const char *word, *says;
} meaning;

static const meaning verdicts[] = {
    {"steady", "all that was offered was carried"},
    {"saturated", "packets piled up at the sources; as a value: 1 when more was offered than carried"},
    {"deadlocked", "some packets wait for each other forever; the page shows which"},
    {"lossy", "the method lost packets for want of a way"},
    {"does-not-apply", "the method does not work on this fabric or fault set, or while it runs; the reason says why"},
    {"error", "the simulation failed inside, or was too big for the memory; the reason says why"},
    {"proved", "a proof came to its end, whatever it found"},
};

/* Sections that are one key, and keys of figures, tables and claims. */
static const meaning keys[] = {
    {"title", "what stands above an experiment, or a figure of it"},
    {"about", "a paragraph for the page"},
    {"fabric", "a list of fabrics, FAMILY:OPTIONS or a file; a run for each"},
    {"method", "a list of routing methods, METHOD:OPTIONS; a run for each"},
    {"class", "a job's class of traffic, as in 'allreduce class 1'; in a graph a word that a cable keeps"},
    {"seed", "of everything that is random; a list of seeds is averaged over"},
    {"quick", "values in place of the file's own with --quick"},
    {"only", "parts of the product of all lists; runs in none of them are not done"},
    {"figures", "a list of figures: id, title, x, y, by, where, ..."},
    {"tables", "a list of tables: id, title, rows, value, columns, where, ..."},
    {"claims", "a list of published numbers, each beside the same thing measured"},
    {"panels", "several figures as one, side by side"},
    {"agreements", "what a service must keep, and the candidates that keep it"},
    {"x", "of a figure: a run key, 'cycle' for a time series, or a value of runs, as in x: accepted"},
    {"y", "of a figure: a value of runs, or verdict.WORD, the share of runs that end so"},
    {"by", "of a figure: keys, a curve for each combination; default: all that vary"},
    {"along", "in a figure whose x is a value: the key by which the points of a curve differ"},
    {"where", "of a figure: keys and the values that count; also verdict"},
    {"over", "of a figure: a value of the same run that y is divided by"},
    {"relative", "of a figure: one key and value; y is divided by what it is there"},
    {"change", "of a figure: one key and value; y as a change in percent against what it is there"},
    {"difference", "of a figure: one key and value; y minus what it is there"},
    {"base", "of a figure: the value that is taken there, if another than y"},
    {"rank", "of a figure: highest or lowest; instead of y its place among the curves"},
    {"kind", "of a figure: curves, heatmap, cdf or ccdf"},
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

/* Values of options that are texts. */
static const meaning texts[] = {
    {"switch-links", "of faults.scope: the links between switches"},
    {"all-links", "of faults.scope: all links, those to end nodes too"},
    {"switches", "of faults.scope: the switches"},
    {"saturation", "of traffic.load: the load at which the network saturates is searched for"},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ------------------------------------------------------------------ registries and sections */

/* Each registry and section: a name, its kind, and the command that lists all of it. */
typedef struct entry {
  const char *name, *what, *summary, *more;
  const ripstop_option *options;
} entry;

typedef bool (*visit)(void *context, const entry *e); /* true ends it */

static const entry sections[] = {
    {"faults", "section", NULL, "ripstop help N", ripstop_faults_options},
    {"flow", "section", NULL, "ripstop help N", ripstop_fluid_options},
    {"link", "section", NULL, "ripstop help N", ripstop_link_options},
    {"measure", "section", NULL, "ripstop help N", ripstop_measure_options},
    {"measure.precision", "section", NULL, "ripstop help measure.precision", ripstop_precision_options},
    {"program", "section", NULL, "ripstop help N", ripstop_program_options},
    {"prove", "section", NULL, "ripstop help N", ripstop_prove_options},
    {"reaction", "section", NULL, "ripstop help N", ripstop_reconfiguration_options},
    {"switch", "section", NULL, "ripstop help N", ripstop_switch_options},
    {"traffic", "section", NULL, "ripstop help N", ripstop_traffic_options},
    {"workload", "section", NULL, "ripstop help N", ripstop_workload_options},
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
  VISIT(ripstop_selections, "selection function (switch.selection)", "ripstop help switch");
  VISIT(ripstop_switches, "organisation of queues (switch.queues)", "ripstop help switch");
  VISIT(ripstop_matchings, "matching of a crossbar (switch.match)", "ripstop help switch");
  VISIT(ripstop_arbiters, "arbiter (switch.arbiter)", "ripstop help switch");
}

/* ------------------------------------------------------------------ printing */

typedef struct asked {
  const char *word;
  bool found;
} asked;

/* The keys that each preset of the switch sets, and what it models. */
static void report_presets(const ripstop_option *option) {
  for (const char *const *word = option->words; *word; word++) {
    const char *about = preset_about(*word), *sets = preset_keys(*word);
    if (about) printf("  %-10s %s%s%s\n", *word, sets, *sets ? "; " : "", about);
  }
  printf("A key that is given goes before the preset. 'ripstop methods NAME' prints the preset of a method.\n");
}

static void report_option(const entry *e, const ripstop_option *option) {
  const ripstop_option one[] = {*option, {0}};
  printf("%s %s, option:\n", e->what, e->name);
  ripstop_options_help(stdout, one);
  if (e->options == ripstop_switch_options && !strcmp(option->name, "preset")) report_presets(option);
}

/* "in_queue", "switch.in_queue"; main prints a section whose name stands alone. */
static bool is_option(const entry *e, const ripstop_option *option, const char *word) {
  const size_t length = strlen(e->name);
  if (!strcmp(option->name, word)) return true;
  return !strncmp(word, e->name, length) && (word[length] == '.' || word[length] == ':') &&
         !strcmp(word + length + 1, option->name);
}

static bool is_value(const ripstop_option *option, const char *word) {
  for (const char *const *w = option->words; option->type == RIPSTOP_OPTION_WORD && *w; w++)
    if (!strcmp(*w, word)) return true;
  return false;
}

/* A word that the option takes. */
static void report_value(const entry *e, const ripstop_option *option, const char *word) {
  printf("'%s' is a value of an option of the %s %s:\n", word, e->what, e->name);
  const ripstop_option one[] = {*option, {0}};
  ripstop_options_help(stdout, one);
}

static bool report_entry(void *context, const entry *e) {
  asked *a = context;
  if (e->summary && !strcmp(e->name, a->word)) {
    printf("%s %s: %s\n", e->what, e->name, e->summary);
    if (e->options && e->options->name) printf("  options:\n"), ripstop_options_help(stdout, e->options);
    printf("'%.*s%s' explains it.\n", (int)strcspn(e->more, "N"), e->more, strchr(e->more, 'N') ? e->name : "");
    a->found = true;
  }
  for (const ripstop_option *o = e->options; o && o->name; o++)
    if (is_option(e, o, a->word))
      report_option(e, o), a->found = true;
    else if (is_value(o, a->word))
      report_value(e, o, a->word), a->found = true;
  return false;
}

static bool report_meaning(const meaning *list, size_t count, const char *what, const char *word) {
  for (size_t i = 0; i < count; i++)
    if (!strcmp(word, list[i].word)) return printf("%s %s: %s\n", what, word, list[i].says), true;
  return false;
}

/* One value, except those of families, for which there is more to say. */
static bool report_quantity(const char *word) {
  const ripstop_quantity *q =
      ripstop_quantity_find(word, ~(unsigned)(RIPSTOP_VALUES_FAMILY | RIPSTOP_VALUES_PROOF | RIPSTOP_VALUES_TABLES));
  if (q) printf("value of a run %s: %s\n", word, q->help);
  return q != NULL;
}

/* All of them. */
static void report_quantities(void) {
  for (const ripstop_quantity *q = ripstop_quantities; q->name; q++)
    printf("%s%s%s%s%s: %s\n", q->of & RIPSTOP_VALUES_JOB ? "job.N." : "", q->name, *q->unit ? " [" : "", q->unit,
           *q->unit ? "]" : "", q->help);
}

static bool ends_so(const char *word, const char *name) {
  const size_t length = strlen(word), own = strlen(name);
  if (length < own || strcmp(word + length - own, name) != 0) return false;
  return length == own || word[length - own - 1] == '.';
}

/* "settling": the end of values' names. */
static bool report_ends(const char *word) {
  bool found = false;
  for (const ripstop_quantity *q = ripstop_quantities; q->name; q++)
    if (strcmp(q->name, word) != 0 && ends_so(q->name, word))
      printf("value of a run %s: %s\n", q->name, q->help), found = true;
  return found;
}

/* "global": groups of links that scopes and fault sets name. */
static bool report_group(const char *word) {
  bool found = false;
  for (size_t i = 0; ripstop_families[i]; i++)
    for (const ripstop_link_group *g = ripstop_families[i]->groups; g && g->name; g++) {
      if (strcmp(g->name, word) != 0) continue;
      printf("group of links %s%s of the fabric %s, for scopes and fault sets: %s\n", word, g->numbered ? "-N" : "",
             ripstop_families[i]->name, g->help);
      found = true;
    }
  return found;
}

static void print_quantile(const char *word, const char *says, const ripstop_quantile *q) {
  printf("value of a run %s: %s ", word, says);
  if (q->share > 0)
    printf("%g %% have at most so much", 100 * q->share);
  else
    printf("none has less");
  printf(", with measure.spread\n");
}

/* "latency.p90", "class1.latency.least", "sent.max" */
static bool report_quantile(const char *word) {
  static const meaning of[] = {{"latency", "cycles from generation to arrival: of the packets"},
                               {"link-use", "share of cycles that a link was busy: of the links, in each direction,"},
                               {"sent", "flits/cycle that an end node sent: of the end nodes"},
                               {"received", "flits/cycle that an end node received: of the end nodes"}};
  const char *point = strrchr(word, '.');
  if (!point) return false;
  for (size_t i = 0; i < COUNT(of); i++) {
    const size_t length = (size_t)(point - word), own = strlen(of[i].word);
    if (length < own || strncmp(point - own, of[i].word, own) != 0 || (length > own && point[-1 - (long)own] != '.'))
      continue;
    for (const ripstop_quantile *q = ripstop_quantiles; q->word; q++)
      if (!strcmp(point + 1, q->word)) return print_quantile(word, of[i].says, q), true;
  }
  return false;
}

static bool report_one_of(const char *const *list, const char *prefix, const char *what, const char *method,
                          const char *word) {
  const size_t length = strlen(prefix);
  bool found = false;
  for (size_t i = 0; list && list[i] && !strncmp(word, prefix, length); i++) found |= !strcmp(word + length, list[i]);
  if (found) printf("value of a run %s: %s %s\n", word, what, method);
  return found;
}

/* Facts, causes of loss and kinds of messages of methods. */
static bool report_of_methods(const char *word) {
  bool found = false;
  for (size_t i = 0; ripstop_methods[i]; i++) {
    const ripstop_method *m = ripstop_methods[i];
    found |= report_one_of(m->fact_names, "", "a number of the plan of the method", m->name, word);
    found |= report_one_of(m->losses, "lost.", "packets lost for this reason by the method", m->name, word);
    if (!m->proto) continue;
    found |= report_one_of(m->proto->kinds, "control.", "messages of this kind of the method", m->name, word);
    found |= report_one_of(m->proto->kinds, "control.last.",
                           "cycles from the last change to the last message of this kind of the method", m->name, word);
    found |=
        report_one_of(m->proto->kinds, "control.settling.",
                      "cycles from the last change to the last new candidates by a message of this kind of the method",
                      m->name, word);
  }
  return found;
}

bool cli_report_word(const char *word) {
  if (!strcmp(word, "values")) return report_quantities(), true;
  asked a = {.word = word};
  each_entry(report_entry, &a);
  a.found |= report_meaning(verdicts, COUNT(verdicts), "verdict", word);
  a.found |= report_meaning(keys, COUNT(keys), "key", word);
  a.found |= report_meaning(texts, COUNT(texts), "value", word);
  a.found |= report_quantity(word) || report_quantile(word);
  a.found |= report_group(word);
  a.found |= report_of_methods(word);
  return a.found || report_ends(word);
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

static bool add_values(void *context, const entry *e) {
  for (const ripstop_option *o = e->options; o && o->name; o++)
    for (const char *const *w = o->words; o->type == RIPSTOP_OPTION_WORD && *w; w++) add(context, *w);
  return false;
}

const char **cli_words(void) {
  words w = {0};
  each_entry(add_entry, &w);
  for (size_t i = 0; i < COUNT(verdicts); i++) add(&w, verdicts[i].word);
  for (size_t i = 0; i < COUNT(keys); i++) add(&w, keys[i].word);
  for (size_t i = 0; i < COUNT(texts); i++) add(&w, texts[i].word);
  for (const ripstop_quantity *q = ripstop_quantities; q->name; q++)
    if (!(q->of & (RIPSTOP_VALUES_FAMILY | RIPSTOP_VALUES_JOB | RIPSTOP_VALUES_PROOF | RIPSTOP_VALUES_TABLES)))
      add(&w, q->name);
  each_entry(add_values, &w); /* last: of words that are as near the first is taken */
  return w.word;
}

/* help_words.c - `ripstop help WORD`: what a word means, wherever it is one. Options, methods, families and their like
 * come from the registries and option arrays; keys of figures, verdicts and values of runs are told here. */
#include "cli/help_words.h"

#include <string.h>

#include "cli/cli.h"
#include "ripstop/kit/experiment.h"
#include "ripstop/kit/programs.h"
#include "ripstop/kit/workload.h"
#include "ripstop/plugin/arbiter.h"
#include "ripstop/plugin/family.h"
#include "ripstop/plugin/kernel.h"
#include "ripstop/plugin/method.h"
#include "ripstop/plugin/pattern.h"
#include "ripstop/plugin/process.h"
#include "ripstop/plugin/selection.h"
#include "ripstop/plugin/workload.h"

/* ------------------------------------------------------------------ words that no array holds */

typedef struct meaning {
  const char *word, *says;
} meaning;

static const meaning verdicts[] = {
    {"steady", "all that was offered was carried"},
    {"saturated", "packets piled up at the sources; as a value: 1 when more was offered than carried"},
    {"deadlocked", "some packets wait for each other for ever; the page shows which"},
    {"lossy", "the method lost packets for want of a way"},
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
    {"panels", "several figures as one, side by side"},
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
    {"slow-queue",
     "packets that an output holds for a slow link to an end node (switch.slow_queue), where some link is slow"},
    {"sent.fairness", "1 when all end nodes sent as much, 1/n when one of n sent all (Jain's index)"},
    {"received.fairness", "1 when all end nodes received as much, 1/n when one of n received all (Jain's index)"},
    {"warmup", "cycles before anything was measured"},
    {"warmup.settled", "1 when throughput and filling had settled by then"},
    {"accepted.drift", "change of throughput from the first half of the measured cycles to the second"},
    {"latency.drift", "change of latency from the first half of the measured cycles to the second"},
    {"not-tolerated", "1 when the method loses some pair under the run's fault set"},
    {"pairs.lost", "ordered pairs of end nodes that the method loses"},
    {"control.messages", "messages of the method's protocol"},
    {"fault.recovery", "cycles from the first change of the schedule to the end of the last window with clearly less "
                       "throughput than before"},
    {"fault.worst", "throughput of the worst window from that change on, over what it was before"},
    {"fault.stall", "cycles, the longest time from the first change on in which an end node got nothing"},
    {"fault.stall.before", "the same before that change: what is usual"},
    {"fault.until-good", "cycles from the first change until nothing is lost any more and all switches have their last "
                         "ways"},
    {"channels", "virtual channels on every link"},
    {"header.bits", "bits of a packet's header that its ways depend on, with prove.tables"},
    {"tables.entries", "entries of all nodes' tables, one for every head that packets can have, with prove.tables"},
    {"control.settling", "cycles from the last change to the last new ways of a switch"},
    {"saturation.load", "the load at which the network saturates, found by bisection"},
    {"saturation.accepted", "throughput at that load"},
    {"saturation.lost", "lost packets at that load as a share of those that network interfaces took"},
    {"stops", "times that the network was stopped for new routes"},
    {"stopped", "cycles for which it was"},
    {"tolerated", "share of all fault sets under which no pair is lost"},
    {"safe",
     "share of all fault sets under which every transient state of old and new tables drains, with prove.mixtures"},
    {"safe.connected",
     "share of those that leave it connected under which every transient state of old and new tables drains"},
    {"deadlocked", "share of all fault sets under which some transient state of old and new tables can deadlock"},
    {"deadlocked.connected",
     "share of those that leave it connected under which some transient state of tables can deadlock"},
    {"livelocked",
     "share of all fault sets under which packets can go round for ever in some transient state of tables"},
    {"deadlock.possible", "share of all fault sets under which packets can deadlock"},
    {"deadlock.possible.connected", "share of the connected fault sets under which packets can deadlock"},
    {"deadlock.possible.tolerated",
     "share of the tolerated fault sets (no pair lost) under which packets can deadlock"},
    {"livelock.possible", "share of all fault sets under which packets can livelock"},
    {"workload.cycles", "cycles from the start to the end of all jobs"},
    {"workload.complete", "1 when all jobs came to their end"},
    {"workload.late-changes", "changes of the schedule behind the end of all jobs, which have done nothing"},
    {"program.time", "cycles that the program took"},
    {"program.slowdown", "that over the time without a network between its parts"},
    {"run.cycles", "cycles of the whole run"},
    {"account.generated", "packets born in the whole run"},
    {"account.delivered", "packets delivered in the whole run"},
    {"account.waiting", "packets in their sources at the end"},
    {"account.in-flight", "packets in the network at the end"},
    {"account.lost", "packets lost in the whole run"},
    {"lost.link died", "packets lost on a link that died"},
    {"lost.switch died", "packets lost in or with a switch that died"},
    {"lost.drained", "packets that a stop discarded to empty the network"},
    {"network-latency.drift", "change of network latency from the first half of the measured cycles to the second"},
    {"stops.deadlocked", "stops in which the network had to be emptied by force"},
    {"stops.detecting", "cycles from changes of the fabric to stops"},
    {"stopped.draining", "of the cycles stopped, those until the network was empty"},
    {"stopped.computing", "of the cycles stopped, those for the new routes"},
    {"stopped.resuming", "of the cycles stopped, those from the new routes until network interfaces went on"},
    {"run.hops", "links between switches that packets took in the whole run, in all"},
    {"faults.refused", "fault sets that were drawn before the run's and not taken, by faults.keep"},
    {"precision.reached", "1 when the value is known as well as measure.precision asks"},
    {"precision.looks", "how often it was looked at until then"},
    {"precision.samples", "fault sets that the row is the mean of"},
    {"saturation.found", "0 where even a load of 1 is carried, or probes could not be told apart"},
    {"saturation.probes", "runs that the search for saturation took"},
    {"program.done", "1 when the program came to its end"},
    {"program.right", "1 when its result is right, and caches and directories agree"},
    {"program.error", "of the program's result, in the kernel's measure"},
    {"program.wait", "processor cycles that a processor waited, mean, for lines or for others"},
    {"program.loads", "loads of all processors"},
    {"program.stores", "stores of all processors"},
    {"program.l1-misses", "accesses that missed the first cache, of all processors"},
    {"program.misses", "lines that were asked of their homes, of all processors"},
    {"program.upgrades", "lines that a processor had and asked to write to, of all processors"},
    {"program.evictions", "lines that had to go from caches, of all processors"},
    {"program.requests", "packets with requests, repetitions included"},
    {"program.forwards", "packets with forwarded requests, repetitions included"},
    {"program.responses", "packets with responses, repetitions included"},
    {"program.completions", "packets with completions, repetitions included"},
    {"program.retries", "packets of the program that were sent again"},
    {"program.peak", "flits/cycle, the most in a whole window, of all end nodes"},
    {"workload.ideal-cycles",
     "cycles that no network of this fabric can beat: the largest of the four workload.ideal.*"},
    {"workload.ideal.path", "cycles of the longest chain of tasks, in which each message takes what it takes alone"},
    {"workload.ideal.compute", "cycles of the processor that has most to compute"},
    {"workload.ideal.ports", "cycles of the end node that has most to send or receive, at a flit a cycle"},
    {"workload.ideal.bisection",
     "cycles for what goes between two halves of the end nodes, over the links between them"},
    {"message.count", "messages that are there"},
    {"message.bytes", "bytes of the messages that are there"},
    {"message.completion.mean", "cycles from when a message could be sent until it is there, mean"},
    {"message.completion.p50", "the same, which half of the messages did not exceed"},
    {"message.completion.p99", "the same, which 99 of 100 messages did not exceed"},
    {"message.completion.p999", "the same, which 999 of 1000 messages did not exceed"},
    {"message.completion.max", "cycles of the slowest message"},
    {"message.slowdown.mean", "what a message took over what it takes alone in the network without faults, mean"},
    {"message.slowdown.p99", "the same ratio, which 99 of 100 messages did not exceed"},
    {"message.repeats", "packets that were sent again"},
    {"transport.repeats", "packets that a transport sent again"},
    {"transport.lost", "losses of all that a transport sent: packets, repeats and answers"},
    {"transport.oldest",
     "cycles since the generation of the oldest packet that is not delivered at the end; 0: all are"},
    {"transport.timeouts", "timers of the transport that ran out"},
    {"transport.acks", "acknowledgements that were sent, in packets"},
    {"transport.naks", "negative acknowledgements that were sent, in packets"},
    {"transport.informed", "packets that a source sent again, or went back to, because a switch informed it"},
    {"transport.refused", "packets that came out of order and were not taken"},
    {"transport.duplicates", "packets that had come before"},
    {"transport.marked", "packets that came with a mark of congestion"},
    {"transport.notifications", "packets that told of such marks"},
    {"checkpoint.count", "checkpoints that were written"},
    {"checkpoint.cycles", "cycles that all ranks paused for checkpoints"},
    {"rollback.count", "times that the jobs went back to a checkpoint"},
    {"rollback.cycles", "cycles from stops of the network until the jobs went on from a checkpoint"},
    {"rollback.repeated", "cycles of work that were undone and done again"},
    {"rollback.tasks", "tasks that were undone and done again"},
    {"sets", "fault sets that a proof drew"},
    {"connected", "share of the fault sets that leave the fabric connected"},
    {"tolerated.connected", "share of those that leave it connected under which no pair is lost"},
    {"pairs", "ordered pairs of end nodes that the method loses, mean over the fault sets of a proof"},
    {"rare.looked", "fault sets of up to prove.rare parts that were looked at, one by one"},
    {"rare.listed", "those of them that are not tolerated and have no other such set in them"},
    {"rare.reach", "the shares that these have among all sets, added up"},
};

/* job.N.WORD, of the N-th job. */
static const meaning job_values[] = {
    {"cycles", "cycles from the job's start to its end"},
    {"ideal-cycles", "its cycles by the alpha-beta bound"},
    {"steps", "steps of the job that are done"},
    {"step.mean", "cycles of a step, mean"},
    {"step.p50", "cycles that half of the steps did not exceed"},
    {"step.p99", "cycles that 99 of 100 steps did not exceed"},
    {"step.max", "cycles of the longest step"},
    {"recovery", "cycles from the first change of the schedule until its steps are as fast again"},
    {"message.count", "messages of the job that arrived, where jobs have classes"},
    {"message.completion.mean",
     "cycles from when a message of the job could be sent until it was there, mean, where jobs have classes"},
    {"message.completion.p99", "the same, which 99 of 100 messages of the job did not exceed"},
    {"message.slowdown.mean",
     "what a message of the job took over what it takes alone in the network, mean, where jobs have classes"},
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
    {"reaction", "section", NULL, "ripstop help reaction", ripstop_reconfiguration_options},
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
  VISIT(ripstop_selections, "selection function (switch.selection)", "ripstop help switch");
  VISIT(ripstop_arbiters, "arbiter (switch.arbiter)", "ripstop help switch");
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

static bool is_value(const ripstop_option *option, const char *word) {
  for (const char *const *w = option->words; option->type == RIPSTOP_OPTION_WORD && *w; w++)
    if (!strcmp(*w, word)) return true;
  return false;
}

/* A word that the option takes. */
static void tell_value(const entry *e, const ripstop_option *option, const char *word) {
  printf("'%s' is a value of an option of the %s %s:\n", word, e->what, e->name);
  const ripstop_option one[] = {*option, {0}};
  ripstop_options_help(stdout, one);
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
    if (is_option(e, o, a->word))
      tell_option(e, o), a->found = true;
    else if (is_value(o, a->word))
      tell_value(e, o, a->word), a->found = true;
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

/* "job.2.steps" */
static bool tell_of_job(const char *word) {
  const size_t prefix = strlen("job."),
               digits = strncmp(word, "job.", prefix) ? 0 : strspn(word + prefix, "0123456789");
  const char *name = word + prefix + digits + 1;
  if (!digits || word[prefix + digits] != '.') return false;
  for (size_t i = 0; i < COUNT(job_values); i++)
    if (!strcmp(name, job_values[i].word)) return printf("value of a run %s: %s\n", word, job_values[i].says), true;
  return false;
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
static bool tell_quantile(const char *word) {
  static const meaning of[] = {{"latency", "cycles from birth to arrival: of the packets"},
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

static bool tell_one_of(const char *const *list, const char *prefix, const char *what, const char *method,
                        const char *word) {
  const size_t length = strlen(prefix);
  bool found = false;
  for (size_t i = 0; list && list[i] && !strncmp(word, prefix, length); i++) found |= !strcmp(word + length, list[i]);
  if (found) printf("value of a run %s: %s %s\n", word, what, method);
  return found;
}

/* What methods count, lose packets for, and send messages of. */
static bool tell_of_methods(const char *word) {
  bool found = false;
  for (size_t i = 0; ripstop_methods[i]; i++) {
    const ripstop_method *m = ripstop_methods[i];
    found |= tell_one_of(m->fact_names, "", "a number of the plan of the method", m->name, word);
    found |= tell_one_of(m->losses, "lost.", "packets lost for this reason by the method", m->name, word);
    if (!m->proto) continue;
    found |= tell_one_of(m->proto->kinds, "control.", "messages of this kind of the method", m->name, word);
    found |= tell_one_of(m->proto->kinds, "control.last.",
                         "cycles from the last change to the last message of this kind of the method", m->name, word);
    found |= tell_one_of(m->proto->kinds, "control.settling.",
                         "cycles from the last change to the last new ways by a message of this kind of the method",
                         m->name, word);
  }
  return found;
}

bool cli_tell_word(const char *word) {
  asked a = {.word = word};
  each_entry(tell_entry, &a);
  a.found |= tell_meaning(verdicts, COUNT(verdicts), "verdict", word, false);
  a.found |= tell_meaning(keys, COUNT(keys), "key", word, false);
  a.found |= tell_meaning(texts, COUNT(texts), "value", word, false);
  a.found |= tell_meaning(values, COUNT(values), "value of a run", word, true) || tell_quantile(word);
  a.found |= tell_of_job(word);
  a.found |= tell_of_methods(word);
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
  for (size_t i = 0; i < COUNT(values); i++) add(&w, values[i].word);
  each_entry(add_values, &w); /* last: of words that are as near the first is taken */
  return w.word;
}

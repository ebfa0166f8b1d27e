/* proof_run.c - a run that proves: many random fault sets of one size, delivery decided for each, as `ripstop prove
 * --tolerance` does it, or what transient states of tables do while they come, as `--transients` does.
 *
 * One run is one point of a figure, however many sets it samples: a hundred thousand sets are no hundred thousand rows
 * of a store. The runs of an experiment share its workers, so each proof is the work of one thread, which takes its
 * sets in order: sums are the same whenever they are made. */
#include <math.h>
#include <string.h>

#include "base/statistics.h"
#include "base/team.h"
#include "experiment/execute.h"
#include "experiment/inner_runs.h"
#include "prove/proof.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/kit/protocol.h"
#include "ripstop/kit/tables.h"
#include "ripstop/plugin/method.h"

enum { ENTRIES_MAX = 4000000 }; /* largest tables that are counted */

static const char *const decide_words[] = {[RIPSTOP_DECIDE_DELIVERY] = "delivery", [RIPSTOP_DECIDE_ALL] = "all", NULL};
static const char *const transients_words[] = {"off", "any", "in-order", "for-ever", "two-writes", "repaired", NULL};

const ripstop_option ripstop_prove_options[] = {
    RIPSTOP_INTEGER(ripstop_prove_config, sets, 1, 1e9, "10000",
                    "random fault sets for each count; without failed parts there is one"),
    RIPSTOP_REAL(ripstop_prove_config, confidence, 0.5, 0.9999, "0.99",
                 "confidence of the intervals: Clopper and Pearson's of shares, Student's t of means"),
    RIPSTOP_INTEGER(
        ripstop_prove_config, rare, 0, RIPSTOP_RARE_CORE_MAX, "0",
        "prove every set of up to so many parts, and draw round those that are not tolerated; 0: draw plain sets",
        .later = true),
    RIPSTOP_FLAG(ripstop_prove_config, tables, "off",
                 "walk every plan for the entries of its tables and the bits of its packets' headers", .later = true),
    RIPSTOP_WORD(ripstop_prove_config, decide, decide_words, "delivery",
                 "what is decided for each set: delivery, or also whether packets can deadlock or livelock",
                 .later = true),
    {.name = "mixtures", /* the name in files, not the member's */
     .type = RIPSTOP_OPTION_WORD,
     .offset = offsetof(ripstop_prove_config, transients),
     .words = transients_words,
     .fallback = "off",
     .later = true,
     .help = "start with packets wherever transient states of old and new tables can leave them, and decide whether "
             "they drain: any versions of tables, those that switches have in order, transient states that stay "
             "forever, tables written in two writes, or repaired"},
    RIPSTOP_INTEGER(ripstop_prove_config, orders, 1, 1e6, "4",
                    "of transient states of a protocol: orders of its messages to try", .later = true),
    {0}};

/* One of the method's own numbers: mean and sum of squared deviations, after Welford (Technometrics 4, 1962). */
typedef struct moments {
  double count, mean, squares;
} moments;

typedef struct tallies {
  moments lost, entries;
  uint32_t channels;     /* the most that a plan has */
  uint64_t header;       /* bits that are set in any header */
  bool tables, unlisted; /* tables are counted; some plan has too many entries */
  moments fact[RIPSTOP_FACTS_MAX];
  const ripstop_method *method; /* NULL: it applied to no set yet */
  const char *why_not;          /* to one of the sets; in the arena */
  uint64_t pairs;
  double seconds; /* processor time of the thread */
  ripstop_arena *arena;
} tallies;

static void add_number(moments *m, double value) {
  double off = value - m->mean;
  m->count++;
  m->mean += off / m->count;
  m->squares += off * (value - m->mean);
}

/* Routes depend on these; a header on which nothing depends is no header. */
static void add_tables(tallies *t, const ripstop_plan *plan) {
  ripstop_answer answer;
  ripstop_error ignored;
  ripstop_tables *tables = ripstop_tables_open(plan, ENTRIES_MAX, &answer, &ignored);
  t->unlisted |= !tables;
  if (!tables) return;
  add_number(&t->entries, (double)tables->entries);
  for (uint64_t i = 0; i < tables->entries; i++) t->header |= tables->entry[i].header;
  ripstop_tables_free(tables);
}

/* Called by the one thread that proves. */
static void take(void *context, const ripstop_set_proof *proof, ripstop_text *text) {
  tallies *t = context;
  uint64_t fact[RIPSTOP_FACTS_MAX];
  (void)text;
  t->pairs = proof->proof.pairs;
  t->seconds = ripstop_thread_seconds();
  if (!proof->plan) {
    if (!t->why_not) t->why_not = ripstop_arena_text(t->arena, proof->why_not);
    return;
  }
  t->method = proof->plan->method;
  if (proof->plan->channels > t->channels) t->channels = proof->plan->channels;
  if (t->tables && !t->unlisted) add_tables(t, proof->plan);
  add_number(&t->lost, (double)proof->proof.lost_pairs_some_choice);
  if (!t->method->facts) return;
  t->method->facts(proof->plan, fact);
  for (size_t i = 0; t->method->fact_names[i]; i++)
    if (fact[i] != RIPSTOP_FACT_NONE) add_number(&t->fact[i], (double)fact[i]);
}

/* `most`: the largest value of a set; NAN: unknown. If all values are 0, the mean is at most `most` times the share of
 * sets that may have more than 0. */
static double half_of(const moments *m, double most, double confidence) {
  if (m->count < 2) return NAN;
  if (m->mean == 0 && m->squares == 0) return most * ripstop_zeros_at_most("share", (size_t)m->count, confidence);
  if (m->count == 2) return INFINITY;
  return ripstop_t_quantile((1 + confidence) / 2, m->count - 1) * sqrt(m->squares / (m->count - 1) / m->count);
}

/* Switches select as the method says. */
static const char *binding_of(const ripstop_run *run) {
  ripstop_error never;
  const ripstop_method *method = ripstop_method_find(run->routes, strcspn(run->routes, ":"), &never);
  return method ? ripstop_own_binding(method) : NULL;
}

static ripstop_value mean_of(const char *name, const moments *m, double most, const ripstop_many *many) {
  return (ripstop_value){name, "", m->mean,
                         many->kind == RIPSTOP_SETS_SAMPLED ? half_of(m, most, many->confidence) : NAN};
}

static double bits_of(uint64_t word) {
  double bits = 0;
  for (; word; word >>= 1) bits++;
  return bits;
}

static void keep_tallies(const ripstop_many *many, const ripstop_tally *tally, const tallies *t, ripstop_outcome *out) {
  enum { OWN = 8, MORE = 7 };
  ripstop_value *value = RIPSTOP_ARRAY(out->arena, OWN + MORE + RIPSTOP_FACTS_MAX, ripstop_value);
  ripstop_tally_shares(many, tally, value);
  value[5] = (ripstop_value){"pairs", "pairs", (double)t->pairs, NAN};
  value[6] = mean_of("pairs.lost", &t->lost, t->pairs, many);
  value[7] = (ripstop_value){"channels", "", t->channels, NAN};
  out->values = OWN;
  out->values += ripstop_tally_waits(many, tally, value + OWN);
  if (t->entries.count > 0 && !t->unlisted) {
    value[out->values++] = mean_of("tables.entries", &t->entries, NAN, many);
    value[out->values++] = (ripstop_value){"header.bits", "bits", bits_of(t->header), NAN};
  }
  for (size_t i = 0; t->method->facts && t->method->fact_names[i]; i++)
    if (t->fact[i].count > 0)
      value[out->values++] = mean_of(ripstop_arena_text(out->arena, t->method->fact_names[i]), &t->fact[i], NAN, many);
  out->value = value;
}

static void keep_rarity(const ripstop_rarity *r, ripstop_outcome *out) {
  double half = fmax(r->share - r->interval.low, r->interval.high - r->share);
  const ripstop_value values[] = {{"sets", "sets", (double)(r->within + r->outside), NAN},
                                  {"tolerated", "share", 1 - r->share, half},
                                  {"not-tolerated", "share", r->share, half},
                                  {"rare.looked", "sets", (double)r->looked, NAN},
                                  {"rare.listed", "sets", (double)r->listed, NAN},
                                  {"rare.reach", "", r->reach, NAN}};
  ripstop_value *value = RIPSTOP_ARRAY(out->arena, sizeof values / sizeof *values, ripstop_value);
  memcpy(value, values, sizeof values);
  out->value = value, out->values = sizeof values / sizeof *values;
  out->verdict = ripstop_outcome_words[OUTCOME_PROVED];
}

static int execute_rare(const ripstop_run *run, const ripstop_prove_config *prove, const atomic_int *stop,
                        ripstop_outcome *out) {
  ripstop_rarity rarity;
  ripstop_error why = {0};
  ripstop_rare rare = {.fabric = run->fabric,
                       .method = run->routes,
                       .scope = run->scope,
                       .count = run->fault_count,
                       .core = (uint32_t)prove->rare < run->fault_count ? (uint32_t)prove->rare : run->fault_count,
                       .samples = (uint64_t)prove->sets,
                       .seed = run->seed,
                       .confidence = prove->confidence,
                       .threads = 1,
                       .stop = stop};
  double begun = ripstop_thread_seconds();
  *out = (ripstop_outcome){.verdict = ripstop_outcome_words[OUTCOME_ERROR], .faults = "", .arena = ripstop_arena_new()};
  int status = ripstop_prove_rare(&rare, &rarity, &why);
  out->seconds = ripstop_thread_seconds() - begun;
  if (!status) keep_rarity(&rarity, out);
  if (status < 0) out->reason = ripstop_arena_text(out->arena, why.text);
  if (status > 0) ripstop_outcome_free(out);
  return status > 0 ? -1 : 0;
}

static ripstop_mixed mixed_of(const ripstop_prove_config *prove) {
  return (ripstop_mixed){.orders = (uint32_t)prove->orders,
                         .in_order = prove->transients == RIPSTOP_TRANSIENTS_IN_ORDER,
                         .for_ever = prove->transients == RIPSTOP_TRANSIENTS_FOR_EVER,
                         .two_writes = prove->transients == RIPSTOP_TRANSIENTS_TWO_WRITES,
                         .repaired = prove->transients == RIPSTOP_TRANSIENTS_REPAIRED,
                         .of_protocol = ripstop_network_versions};
}

/* Without failed parts there is one set, and nothing is rare. */
int execute_proof(const ripstop_run *run, const atomic_int *stop, ripstop_outcome *out) {
  static const ripstop_faults nothing;
  ripstop_arena *arena = ripstop_arena_new();
  tallies t = {.arena = arena};
  ripstop_error why = {0};
  ripstop_tally tally;
  ripstop_settings settings;
  ripstop_run_settings(run, arena, &settings);
  t.tables = settings.prove.tables;
  if (settings.prove.rare && run->fault_count) {
    ripstop_prove_config prove = settings.prove;
    ripstop_arena_free(arena);
    return execute_rare(run, &prove, stop, out);
  }
  *out = (ripstop_outcome){.verdict = ripstop_outcome_words[OUTCOME_ERROR], .faults = "", .arena = arena};
  const ripstop_mixed mixed = mixed_of(&settings.prove);
  ripstop_many many = {.fabric = run->fabric,
                       .method = run->routes,
                       .binding = binding_of(run),
                       .kind = run->fault_count ? RIPSTOP_SETS_SAMPLED : RIPSTOP_SETS_GIVEN,
                       .given = &nothing,
                       .givens = 1,
                       .count = run->fault_count,
                       .scope = run->scope,
                       .samples = (uint64_t)settings.prove.sets,
                       .seed = run->seed,
                       .confidence = settings.prove.confidence,
                       .tolerance = !settings.prove.transients && settings.prove.decide == RIPSTOP_DECIDE_DELIVERY,
                       .mixed = settings.prove.transients ? &mixed : NULL,
                       .threads = 1,
                       .stop = stop,
                       .tell = take,
                       .context = &t};
  int status = ripstop_prove_many(&many, &tally, &why);
  if (status > 0) {
    ripstop_outcome_free(out);
    return -1;
  }
  out->seconds = t.seconds;
  if (status < 0) {
    out->reason = ripstop_arena_text(arena, why.text);
  } else if (!t.method) {
    out->verdict = ripstop_outcome_words[OUTCOME_DOES_NOT_APPLY];
    out->reason = t.why_not;
  } else {
    out->verdict = ripstop_outcome_words[OUTCOME_PROVED];
    keep_tallies(&many, &tally, &t, out);
  }
  return 0;
}

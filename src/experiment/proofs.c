/* proofs.c - a run that proves: many drawn fault sets of one size, delivery decided for each, as `ripstop prove
 * --tolerance` does it.
 *
 * One run is one point of a figure, however many sets it draws: a hundred thousand sets are no hundred thousand rows of
 * a store. The runs of an experiment share its workers, so each proof is the work of one thread, which takes its sets
 * in order: sums are the same whenever they are made. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "experiment/execute.h"
#include "ripstop/prove.h"

const rs_option rs_prove_options[] = {
    {.name = "sets",
     .type = RS_OPTION_INTEGER,
     .offset = offsetof(rs_prove_config, sets),
     .min = 1,
     .max = 1e9,
     .fallback = "10000",
     .help = "fault sets that are drawn for each count; of no dead part there is one"},
    {.name = "confidence",
     .type = RS_OPTION_REAL,
     .offset = offsetof(rs_prove_config, confidence),
     .min = 0.5,
     .max = 0.9999,
     .fallback = "0.99",
     .help = "confidence of the intervals: Clopper and Pearson's of shares, Student's t of means"},
    {0}};

/* One of the method's own numbers: mean and sum of squared deviations, after Welford (Technometrics 4, 1962). */
typedef struct moments {
  double count, mean, squares;
} moments;

typedef struct tallies {
  moments lost;
  moments fact[RS_FACTS_MAX];
  const rs_method *method; /* NULL: it applied to no set yet */
  const char *why_not;     /* to one of the sets; in the arena */
  uint64_t pairs;
  double seconds; /* processor time of the thread */
  rs_arena *arena;
} tallies;

static void add_number(moments *m, double value) {
  double off = value - m->mean;
  m->count++;
  m->mean += off / m->count;
  m->squares += off * (value - m->mean);
}

static double thread_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Called by the one thread that proves. */
static void take(void *context, const rs_set_proof *proof, rs_text *text) {
  tallies *t = context;
  uint64_t fact[RS_FACTS_MAX];
  (void)text;
  t->pairs = proof->proof.pairs;
  t->seconds = thread_seconds();
  if (!proof->plan) {
    if (!t->why_not) t->why_not = rs_arena_text(t->arena, proof->why_not);
    return;
  }
  t->method = proof->plan->method;
  add_number(&t->lost, (double)proof->proof.lost_pairs_some_choice);
  if (!t->method->facts) return;
  t->method->facts(proof->plan, fact);
  for (size_t i = 0; t->method->fact_names[i]; i++)
    if (fact[i] != RS_FACT_NONE) add_number(&t->fact[i], (double)fact[i]);
}

static rs_value mean_of(const char *name, const moments *m, double confidence) {
  double half = m->count < 2
                    ? NAN
                    : rs_t_quantile((1 + confidence) / 2, m->count - 1) * sqrt(m->squares / (m->count - 1) / m->count);
  return (rs_value){name, "", m->mean, half};
}

/* Clopper and Pearson's interval is no longer on one side than on the other; a value has one half width, the longer. */
static rs_value share_of(const char *name, uint64_t hits, uint64_t sets, const rs_many *many) {
  if (!sets) return (rs_value){name, "share", NAN, NAN};
  double share = (double)hits / (double)sets;
  if (many->kind != RS_SETS_DRAWN) return (rs_value){name, "share", share, NAN};
  rs_interval i = rs_clopper_pearson(hits, sets, many->confidence);
  return (rs_value){name, "share", share, fmax(share - i.low, i.high - share)};
}

static void keep_tallies(const rs_many *many, const rs_tally *tally, const tallies *t, rs_outcome *out) {
  enum { OWN = 7 };
  const rs_counts_of_sets *all = &tally->all, *connected = &tally->connected;
  rs_value *value = RS_ARRAY(out->arena, OWN + RS_FACTS_MAX, rs_value);
  value[0] = (rs_value){"sets", "sets", (double)all->sets, NAN};
  value[1] = share_of("tolerated", all->tolerated, all->sets, many);
  value[2] = share_of("tolerated.connected", connected->tolerated, connected->sets, many);
  value[3] = share_of("not-tolerated", all->sets - all->tolerated, all->sets, many);
  value[4] = share_of("connected", connected->sets, all->sets, many);
  value[5] = (rs_value){"pairs", "pairs", (double)t->pairs, NAN};
  value[6] = mean_of("pairs.lost", &t->lost, many->confidence);
  out->values = OWN;
  for (size_t i = 0; t->method->facts && t->method->fact_names[i]; i++)
    if (t->fact[i].count > 0)
      value[out->values++] =
          mean_of(rs_arena_text(out->arena, t->method->fact_names[i]), &t->fact[i], many->confidence);
  out->value = value;
}

int execute_proof(const rs_run *run, const atomic_int *stop, rs_outcome *out) {
  static const rs_faults nothing;
  rs_arena *arena = rs_arena_new();
  tallies t = {.arena = arena};
  rs_error why = {""};
  rs_tally tally;
  *out = (rs_outcome){.verdict = rs_outcome_words[OUTCOME_ERROR], .faults = "", .arena = arena};
  rs_many many = {.fabric = run->simulation.fabric,
                  .method = run->simulation.method,
                  .kind = run->fault_count ? RS_SETS_DRAWN : RS_SETS_GIVEN,
                  .given = &nothing,
                  .givens = 1,
                  .count = run->fault_count,
                  .scope = run->scope,
                  .samples = (uint64_t)run->prove.sets,
                  .seed = run->seed,
                  .confidence = run->prove.confidence,
                  .tolerance = true,
                  .threads = 1,
                  .stop = stop,
                  .tell = take,
                  .context = &t};
  int status = rs_prove_many(&many, &tally, &why);
  if (status > 0) {
    rs_outcome_free(out);
    return -1;
  }
  out->seconds = t.seconds;
  if (status < 0) {
    out->reason = rs_arena_text(arena, why.text);
  } else if (!t.method) {
    out->verdict = rs_outcome_words[OUTCOME_DOES_NOT_APPLY];
    out->reason = t.why_not;
  } else {
    out->verdict = rs_outcome_words[OUTCOME_PROVED];
    keep_tallies(&many, &tally, &t, out);
  }
  return 0;
}

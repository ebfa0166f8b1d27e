/* basis.c - what a claim rests on: which runs, how many of them are done, and a name for all that.
 *
 * A number that was kept is still that of its claim as long as the name is the same: what the text says of it, what is
 * published and which tolerance it has may have changed meanwhile, what was measured has not. Other curves of its
 * figure count as rivals where places are compared; of a curve that it is relative to only the value that picks it. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#undef malloc /* the header calls them in functions that are not called here */
#undef free
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/local.h"
#include "base/sort.h"
#include "experiment/inner_runs.h"
#include "experiment/shown.h"
#include "papers/ledger.h"

typedef struct search {
  const ripstop_runs *runs;
  const ripstop_claim *claim;
  const char **word; /* the values of x in order, where they are no numbers */
  size_t words;
  bool numeric;
} search;

static bool passes(const ripstop_runs *runs, const ripstop_run *run, const ripstop_filter *filter) {
  return shown_passes(runs, filter, ripstop_run_key_written(run, filter->key));
}

/* Whatever the verdict will be. */
static bool is_in_figure(const ripstop_runs *runs, const ripstop_figure *figure, const ripstop_run *run) {
  for (size_t i = 0; i < figure->filters; i++)
    if (strcmp(figure->filter[i].key, "verdict") != 0 && !passes(runs, run, &figure->filter[i])) return false;
  return true;
}

static bool is_on_curve(const search *s, const ripstop_run *run) {
  for (size_t i = 0; i < s->claim->filters; i++)
    if (!passes(s->runs, run, &s->claim->filter[i])) return false;
  return true;
}

/* ------------------------------------------------------------------ x */

static bool is_number(const char *text, double *number) {
  ripstop_error ignored;
  return !ripstop_parse_real(text, number, &ignored);
}

static size_t place_of(const search *s, const char *x) {
  size_t i = 0;
  while (i < s->words && strcmp(s->word[i], x) != 0) i++;
  return i;
}

/* Numbers words as plots do, in the order in which they come. */
static void find_words(search *s, ripstop_arena *arena) {
  const ripstop_axis *axis = ripstop_spec_axis(s->runs->spec, s->claim->figure->x);
  double number;
  s->numeric = true;
  s->word = RIPSTOP_ARRAY(arena, s->runs->count, const char *);
  for (size_t i = 0; axis && i < s->runs->count; i++) {
    if (!is_in_figure(s->runs, s->claim->figure, &s->runs->run[i])) continue;
    const char *x = ripstop_run_key(&s->runs->run[i], axis->key);
    if (place_of(s, x) == s->words) s->word[s->words++] = x;
  }
  for (size_t i = 0; i < s->words; i++) s->numeric &= is_number(s->word[i], &number);
}

static bool is_at(const search *s, const ripstop_run *run) {
  const ripstop_claim *claim = s->claim;
  const char *text = ripstop_run_key(run, claim->figure->x);
  double x = NAN;
  if (!text) return true; /* cycles: every run has all of them */
  if (!s->numeric)
    x = (double)place_of(s, text);
  else if (!is_number(text, &x))
    return false;
  if (claim->kind == RIPSTOP_CLAIM_VALUE) return x == claim->from;
  if (claim->kind == RIPSTOP_CLAIM_RATIO || claim->kind == RIPSTOP_CLAIM_DIFFERENCE)
    return x == claim->from || x == claim->to;
  return x >= claim->from && x <= claim->to;
}

/* ------------------------------------------------------------------ the name */

static void add_text(XXH3_state_t *hash, const char *text) {
  XXH3_64bits_update(hash, text ? text : "", text ? strlen(text) + 1 : 1);
}

static void add_number(XXH3_state_t *hash, double number) { XXH3_64bits_update(hash, &number, sizeof number); }

static void add_filter(XXH3_state_t *hash, const ripstop_filter *filter) {
  add_text(hash, filter ? filter->key : NULL);
  for (size_t i = 0; filter && i < filter->count; i++) add_text(hash, filter->setting[i]->written);
}

static void add_measure(XXH3_state_t *hash, const ripstop_claim *claim) {
  const ripstop_figure *figure = claim->figure;
  add_text(hash, figure->x), add_text(hash, figure->y), add_text(hash, figure->over), add_text(hash, figure->base);
  add_filter(hash, figure->relative);
  for (size_t i = 0; i < figure->filters; i++)
    if (!strcmp(figure->filter[i].key, "verdict")) add_filter(hash, &figure->filter[i]);
  add_number(hash, figure->against), add_text(hash, ripstop_best_words[figure->rank]);
  add_text(hash, ripstop_claim_kind_words[claim->kind]), add_text(hash, claim->verdict);
  add_number(hash, claim->from), add_number(hash, claim->to);
  add_filter(hash, claim->relative);
  if (claim->against) add_number(hash, claim->against);
}

static void add_bytes(XXH3_state_t *hash, const char *from, const char *to) {
  XXH3_64bits_update(hash, from, (size_t)(to - from));
}

/* All keys of the run but the version of the model and the source of its plug-ins, and the seed moved. Keys are sorted:
 * these have some before them, and the source comes behind the seed. `canonical` is room for its text. */
static void add_run(XXH3_state_t *hash, const ripstop_run *run, uint64_t moved, ripstop_text *canonical) {
  static const char model[] = "\nmodel=", seed[] = "\nseed=", source[] = "\nsource=";
  char number[24];
  canonical->length = 0;
  ripstop_run_canonical(run, canonical);
  const char *from = strstr(canonical->data, model), *rest = strchr(from + 1, '\n');
  const char *own = strstr(rest, seed) + strlen(seed);
  snprintf(number, sizeof number, "%" PRIu64, run->seed + moved);
  const char *mark = strstr(own, source);
  add_bytes(hash, canonical->data, from);
  add_bytes(hash, rest, own);
  add_bytes(hash, number, number + strlen(number));
  add_bytes(hash, own + strcspn(own, "\n"), mark);
  add_text(hash, strchr(mark + 1, '\n'));
}

/* ------------------------------------------------------------------ other seeds */

typedef struct seeds {
  uint64_t *seed;
  size_t count;
  bool chance; /* something random has a part in what is measured */
} seeds;

static void add_seed(seeds *s, const ripstop_claim *claim, const ripstop_run *run) {
  const ripstop_figure *figure = claim->figure;
  bool certain = plot_is_certain(run, figure->y) && (!figure->over || plot_is_certain(run, figure->over));
  s->seed[s->count++] = run->seed;
  s->chance |= !certain;
}

/* True if runs with the moved seeds would repeat some of these runs. */
static bool is_again(seeds *s, uint64_t moved) {
  bool again = s->count && !s->chance;
  qsort(s->seed, s->count, sizeof *s->seed, ripstop_by_u64);
  for (size_t i = 0; i < s->count && !again; i++) {
    uint64_t there = s->seed[i] + moved;
    again = bsearch(&there, s->seed, s->count, sizeof there, ripstop_by_u64) != NULL;
  }
  return again;
}

ripstop_basis ripstop_claim_basis(const ripstop_data *data, const ripstop_claim *claim, uint64_t moved) {
  RIPSTOP_LOCAL_ARENA(arena);
  search s = {.runs = data->runs, .claim = claim};
  seeds own_seeds = {.seed = RIPSTOP_ARRAY(arena, data->runs->count + 1, uint64_t)};
  ripstop_basis basis = {0};
  RIPSTOP_LOCAL_TEXT(canonical);
  XXH3_state_t hash;
  find_words(&s, arena);
  XXH3_64bits_reset(&hash);
  add_measure(&hash, claim);
  for (size_t i = 0; i < data->runs->count; i++) {
    const ripstop_run *run = &data->runs->run[i];
    if (!is_in_figure(data->runs, claim->figure, run)) continue;
    bool own = is_on_curve(&s, run) && is_at(&s, run);
    if (own || claim->figure->rank) add_run(&hash, run, moved, &canonical);
    if (own) add_seed(&own_seeds, claim, run);
    basis.planned += own;
    basis.runs += own && data->outcome[i];
    basis.others_planned += !own;
    basis.others += !own && data->outcome[i];
  }
  snprintf(basis.name, sizeof basis.name, "%016llx", (unsigned long long)XXH3_64bits_digest(&hash));
  basis.again = is_again(&own_seeds, moved);
  return basis;
}

/* claims.c - the section `claims:`: a published number, and how to measure the same thing on one curve of a figure. */
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "experiment/reader.h"

const char *const ripstop_claim_kind_words[] = {[RIPSTOP_CLAIM_VALUE] = "value",
                                                [RIPSTOP_CLAIM_RATIO] = "ratio",
                                                [RIPSTOP_CLAIM_DIFFERENCE] = "difference",
                                                [RIPSTOP_CLAIM_SLOPE] = "slope",
                                                [RIPSTOP_CLAIM_LOSS] = "loss",
                                                [RIPSTOP_CLAIM_SHARE] = "share",
                                                [RIPSTOP_CLAIM_PEAK] = "peak",
                                                NULL};
const char *const ripstop_compare_words[] = {[RIPSTOP_COMPARE_ABOUT] = "about",
                                             [RIPSTOP_COMPARE_AT_MOST] = "at-most",
                                             [RIPSTOP_COMPARE_AT_LEAST] = "at-least",
                                             NULL};

static const char *const claim_words[] = {"id",      "says",      "paper",     "place",  "reading", "chosen",
                                          "finding", "why",       "cause",     "figure", "curve",   "measure",
                                          "compare", "published", "tolerance", NULL};
const char *const ripstop_finding_words[] = {[RIPSTOP_REPRODUCED] = "reproduced",
                                             [RIPSTOP_DIFFERS] = "differs",
                                             [RIPSTOP_CANNOT_BE_TOLD] = "cannot be told",
                                             [RIPSTOP_NO_DATA] = "no data",
                                             NULL};
static const char *const author_words[] = {"reproduced", "differs", "cannot be told",
                                           NULL}; /* in the order of ripstop_finding */
static const char *const chosen_words[] = {"before", "after", NULL};
static const char *const measure_words[] = {"value", "ratio", "difference", "slope",    "loss",
                                            "share", "peak",  "between",    "relative", NULL};

static int read_figure_of(const reader *r, const yaml_node *node, ripstop_claim *claim) {
  const char *id;
  if (reader_needed(r, node, "a claim", "figure", &id)) return -1;
  const char **ids = RIPSTOP_ARRAY(r->spec->arena, r->spec->figures + 1, const char *);
  for (size_t i = 0; i < r->spec->figures; i++) {
    ids[i] = r->spec->figure[i].id;
    if (!strcmp(ids[i], id)) claim->figure = &r->spec->figure[i];
  }
  if (!claim->figure) return reader_unknown(r, yaml_get(node, "figure")->line, "figure", id, ids);
  return claim->figure->mores ? reader_fail(r, yaml_get(node, "figure")->line,
                                            "a claim cannot be of '%s', which has several keys in its rows", id)
                              : 0;
}

/* The claim must leave exactly one of the figure's curves. */
static int read_curve(const reader *r, const yaml_node *node, ripstop_claim *claim) {
  const ripstop_figure *figure = claim->figure;
  if (reader_filters(r, yaml_get(node, "curve"), "curve", false, &claim->filter, &claim->filters)) return -1;
  for (size_t i = 0; i < figure->bys; i++) {
    const ripstop_filter *own = reader_filter(claim->filter, claim->filters, figure->by[i]);
    size_t left =
        own ? own->count : reader_remaining(ripstop_spec_axis(r->spec, figure->by[i]), figure->filter, figure->filters);
    if (left != 1)
      return reader_fail(r, node->line, "claim '%s' must pick one curve of '%s': curve: {%s: ...}", claim->id,
                         figure->id, figure->by[i]);
  }
  for (size_t i = 0; i < claim->filters; i++) {
    bool known = false;
    for (size_t j = 0; j < figure->bys; j++) known |= !strcmp(figure->by[j], claim->filter[i].key);
    if (!known)
      return reader_fail(r, yaml_get(node, "curve")->line, "curve: %s does not distinguish curves of '%s'",
                         claim->filter[i].key, figure->id);
  }
  return 0;
}

/* A setting as points have it: without units. */
static const char *number_of(const ripstop_setting *setting) {
  return setting->text ? setting->text : setting->written;
}

/* A value of x: a number, or a value with a unit as the key's list has it. */
static int read_x(const reader *r, const yaml_node *node, const char *what, const ripstop_claim *claim, double *x) {
  const ripstop_figure *figure = claim->figure;
  const ripstop_axis *axis = figure->mores || figure->at ? NULL : ripstop_spec_axis(r->spec, figure->x);
  ripstop_error ignored;
  for (size_t i = 0; axis && node->kind == YAML_VALUE && i < axis->full_count; i++)
    if (!strcmp(axis->full[i].written, node->text) && !ripstop_parse_real(number_of(&axis->full[i]), x, &ignored))
      return 0;
  return reader_real(r, node, what, x);
}

/* An x that no run has, for a key whose values are in the file: numbers, or words by their places. */
static int check_x(const reader *r, int line, const char *what, const ripstop_claim *claim, double x) {
  const ripstop_figure *figure = claim->figure;
  const ripstop_axis *axis = figure->mores || figure->at ? NULL : ripstop_spec_axis(r->spec, figure->x);
  if (!axis) return 0;
  RIPSTOP_LOCAL_TEXT(all);
  bool words = false, known = false;
  for (size_t i = 0; i < axis->full_count; i++) {
    double own;
    ripstop_error ignored;
    words = words || ripstop_parse_real(number_of(&axis->full[i]), &own, &ignored);
    known = known || (!words && fabs(own - x) <= 1e-9 * fabs(x));
    ripstop_text_add(&all, "%s%s", i ? ", " : "", axis->full[i].written);
  }
  known = known || (words && x >= 0 && x < (double)axis->full_count);
  if (!known) reader_fail(r, line, "%s: no run has %s = %.10g; there are %s", what, figure->x, x, all.data);
  return known ? 0 : -1;
}

static int read_pair(const reader *r, const yaml_node *node, const char *what, ripstop_claim *claim) {
  if (node->kind != YAML_LIST || node->count != 2)
    return reader_fail(r, node->line, "%s needs two values of x: [FROM, TO]", what);
  return read_x(r, &node->item[0], what, claim, &claim->from) || read_x(r, &node->item[1], what, claim, &claim->to) ? -1
                                                                                                                    : 0;
}

static int read_share(const reader *r, const yaml_node *map, ripstop_claim *claim) {
  int word = 0;
  if (reader_word(r, map, "share", reader_outcomes(r), &word)) return -1;
  claim->verdict = ripstop_outcome_words[word];
  claim->from = -INFINITY, claim->to = INFINITY;
  const yaml_node *between = yaml_get(map, "between");
  return between ? read_pair(r, between, "between", claim) : 0;
}

/* The curve that a peak is measured against: the claim's own but for one key. */
static int read_relative(const reader *r, const yaml_node *node, ripstop_claim *claim) {
  size_t count;
  bool known = false;
  const char *word = ripstop_against_words[claim->against];
  if (reader_filters(r, node, word, false, &claim->relative, &count)) return -1;
  if (count != 1 || claim->relative->count != 1)
    return reader_fail(r, node->line, "%s must name one key and one value of it", word);
  for (size_t i = 0; i < claim->figure->bys; i++) known |= !strcmp(claim->figure->by[i], claim->relative->key);
  if (!known)
    return reader_fail(r, node->line, "%s: %s does not distinguish curves of '%s'", word, claim->relative->key,
                       claim->figure->id);
  if (claim->figure->relative)
    return reader_fail(r, node->line, "%s: '%s' is relative already", word, claim->figure->id);
  return 0;
}

static int read_peak(const reader *r, const yaml_node *map, ripstop_claim *claim) {
  const yaml_node *peak = yaml_get(map, "peak"), *relative = yaml_get(map, "relative");
  const yaml_node *difference = yaml_get(map, "difference");
  claim->from = -INFINITY, claim->to = INFINITY;
  if (relative && difference) return reader_fail(r, difference->line, "either relative or difference");
  if (difference) claim->against = RIPSTOP_AGAINST_DIFFERENCE;
  if ((relative || difference) && read_relative(r, relative ? relative : difference, claim)) return -1;
  if (peak->kind == YAML_LIST) return read_pair(r, peak, "peak", claim);
  return peak->kind == YAML_VALUE && !strcmp(peak->text, "all")
             ? 0
             : reader_fail(r, peak->line, "peak is all, or two values of x: [FROM, TO]");
}

static const char kinds[] = "value, ratio, difference, slope, loss, share and peak";

static int read_measure(const reader *r, const yaml_node *node, ripstop_claim *claim) {
  const yaml_node *map = yaml_get(node, "measure"), *chosen = NULL;
  if (!map) return reader_fail(r, node->line, "a claim needs the key 'measure'");
  if (reader_map(r, map, "measure", measure_words)) return -1;
  for (int kind = 0; ripstop_claim_kind_words[kind]; kind++) {
    const yaml_node *found = yaml_get(map, ripstop_claim_kind_words[kind]);
    if (!found || (kind == RIPSTOP_CLAIM_DIFFERENCE && yaml_get(map, "peak"))) continue; /* to another peak */
    if (chosen) return reader_fail(r, found->line, "measure: only one of %s", kinds);
    chosen = found, claim->kind = (ripstop_claim_kind)kind;
  }
  if (!chosen) return reader_fail(r, map->line, "measure needs one of %s", kinds);
  if (yaml_get(map, "between") && claim->kind != RIPSTOP_CLAIM_SHARE)
    return reader_fail(r, map->line, "between goes with share only");
  if (yaml_get(map, "relative") && claim->kind != RIPSTOP_CLAIM_PEAK)
    return reader_fail(r, map->line, "relative goes with peak only: give the figure itself the key 'relative'");
  if (claim->kind == RIPSTOP_CLAIM_SHARE) return read_share(r, map, claim);
  if (claim->kind == RIPSTOP_CLAIM_PEAK) return read_peak(r, map, claim);
  const char *word = ripstop_claim_kind_words[claim->kind];
  if (claim->kind == RIPSTOP_CLAIM_VALUE)
    return read_x(r, chosen, word, claim, &claim->from) || check_x(r, chosen->line, word, claim, claim->from) ? -1 : 0;
  if (read_pair(r, chosen, word, claim)) return -1;
  if (claim->kind != RIPSTOP_CLAIM_RATIO && claim->kind != RIPSTOP_CLAIM_DIFFERENCE) return 0;
  return check_x(r, chosen->line, word, claim, claim->from) || check_x(r, chosen->line, word, claim, claim->to) ? -1
                                                                                                                : 0;
}

/* `unexplained`, or `tested-by FILE`. Whether that file is there, `ripstop claims` looks. */
static int read_cause(const reader *r, const yaml_node *node, ripstop_claim *claim) {
  static const char tested[] = "tested-by ";
  const char *text = NULL;
  if (reader_text(r, node, "cause", &text)) return -1;
  if (!text) return 0;
  bool is_tested = !strncmp(text, tested, sizeof tested - 1) && text[sizeof tested - 1];
  if (!is_tested && strcmp(text, "unexplained") != 0)
    return reader_fail(r, yaml_get(node, "cause")->line,
                       "cause: '%s' is unknown; write unexplained or tested-by FILE.yaml", text);
  claim->cause = is_tested ? RIPSTOP_CAUSE_TESTED : RIPSTOP_CAUSE_UNEXPLAINED;
  claim->tested_by = is_tested ? text + sizeof tested - 1 : NULL;
  return 0;
}

/* The author's finding, and the reason, which `reproduced` does not need. */
static int read_finding(const reader *r, const yaml_node *node, ripstop_claim *claim) {
  int chosen = 0, finding = RIPSTOP_REPRODUCED;
  if (reader_word(r, node, "chosen", chosen_words, &chosen)) return -1;
  if (reader_word(r, node, "finding", author_words, &finding) || reader_text(r, node, "why", &claim->why)) return -1;
  claim->chosen_after = chosen, claim->finding = (ripstop_finding)finding;
  if (finding != RIPSTOP_REPRODUCED && !(claim->why && *claim->why))
    return reader_fail(r, yaml_get(node, "finding")->line, "finding '%s' needs the key 'why'", author_words[finding]);
  return read_cause(r, node, claim);
}

static int read_claim(const reader *r, const yaml_node *node, ripstop_claim *claim) {
  *claim = (ripstop_claim){.line = node->line};
  int compare = RIPSTOP_COMPARE_ABOUT;
  if (reader_map(r, node, "a claim", claim_words) || reader_id(r, node, "a claim", &claim->id)) return -1;
  if (reader_needed(r, node, "a claim", "says", &claim->says)) return -1;
  if (reader_place(r, node, claim) || read_finding(r, node, claim)) return -1;
  if (reader_word(r, node, "compare", ripstop_compare_words, &compare)) return -1;
  claim->compare = (ripstop_compare)compare;
  const yaml_node *published = yaml_get(node, "published"), *tolerance = yaml_get(node, "tolerance");
  if (!published) return reader_fail(r, node->line, "a claim needs the key 'published'");
  if (reader_real(r, published, "published", &claim->published)) return -1;
  if (tolerance && reader_real(r, tolerance, "tolerance", &claim->tolerance)) return -1;
  if (tolerance && claim->tolerance < 0) return reader_fail(r, tolerance->line, "tolerance must not be negative");
  return read_figure_of(r, node, claim) || read_curve(r, node, claim) || read_measure(r, node, claim) ? -1 : 0;
}

int reader_claims(reader *r, const yaml_node *claims) {
  if (reader_papers(r)) return -1;
  if (!claims) return 0;
  if (reader_list(r, claims, "claims")) return -1;
  ripstop_claim *claim = RIPSTOP_ARRAY(r->spec->arena, claims->count + 1, ripstop_claim);
  r->spec->claim = claim;
  for (size_t i = 0; i < claims->count; i++, r->spec->claims++) {
    if (read_claim(r, &claims->item[i], &claim[i])) return -1;
    for (size_t j = 0; j < i; j++)
      if (reader_other_id(r, claim[i].id, claim[i].line, claim[j].id, claim[j].line)) return -1;
  }
  return 0;
}

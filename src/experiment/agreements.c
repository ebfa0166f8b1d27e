/* agreements.c - the section `agreements:`: what a service must keep, and by what those that keep it are compared. */
#include <math.h>
#include <string.h>

#include "experiment/reader.h"

static const char *const agreement_words[] = {"id", "title", "terms", "goals", NULL};
static const char *const term_words[] = {"figure", "at", "at-most", "at-least", NULL};
static const char *const goal_words[] = {"figure", "at", "best", NULL};

static int read_figure_of(const reader *r, const yaml_node *node, const char *what, ripstop_term *term) {
  const char *id;
  if (reader_needed(r, node, what, "figure", &id)) return -1;
  const char **ids = RIPSTOP_ARRAY(r->spec->arena, r->spec->figures + 1, const char *);
  for (size_t i = 0; i < r->spec->figures; i++) {
    ids[i] = r->spec->figure[i].id;
    if (!strcmp(ids[i], id)) term->figure = &r->spec->figure[i];
  }
  if (!term->figure) return reader_unknown(r, yaml_get(node, "figure")->line, "figure", id, ids);
  const yaml_node *at = yaml_get(node, "at");
  if (term->figure->mores)
    return reader_fail(r, node->line, "%s cannot be of '%s', which has several keys in its rows", what, id);
  const ripstop_axis *axis = ripstop_spec_axis(r->spec, term->figure->x);
  if (!axis) return reader_fail(r, node->line, "%s cannot be of a series over cycles", what);
  if (!at) return reader_fail(r, node->line, "%s needs the key 'at', a value of %s", what, axis->key);
  return reader_setting(r, axis, at, &term->at);
}

static int read_term(const reader *r, const yaml_node *node, ripstop_term *term) {
  *term = (ripstop_term){.bound = NAN};
  if (reader_map(r, node, "a term", term_words) || read_figure_of(r, node, "a term", term)) return -1;
  const yaml_node *most = yaml_get(node, "at-most"), *least = yaml_get(node, "at-least");
  if (!most == !least) return reader_fail(r, node->line, "a term needs either at-most or at-least");
  term->best = least ? RIPSTOP_BEST_HIGHEST : RIPSTOP_BEST_LOWEST;
  return reader_real(r, least ? least : most, least ? "at-least" : "at-most", &term->bound);
}

static int read_goal(const reader *r, const yaml_node *node, ripstop_term *goal) {
  int best = RIPSTOP_BEST_NONE;
  *goal = (ripstop_term){.bound = NAN};
  if (reader_map(r, node, "a goal", goal_words) || read_figure_of(r, node, "a goal", goal)) return -1;
  if (reader_word(r, node, "best", ripstop_best_words, &best)) return -1;
  if (best == RIPSTOP_BEST_NONE) return reader_fail(r, node->line, "a goal needs best: highest or best: lowest");
  goal->best = (ripstop_best)best;
  return 0;
}

static int read_terms(const reader *r, const yaml_node *list, const char *what,
                      int (*read)(const reader *, const yaml_node *, ripstop_term *), ripstop_term *term) {
  if (list && list->kind != YAML_LIST)
    return reader_fail(r, list->line, "%s must be a list, each item starting with '- '", what);
  for (size_t i = 0; list && i < list->count; i++)
    if (read(r, &list->item[i], &term[i])) return -1;
  return 0;
}

/* All figures must tell the same candidates apart. */
static int check_candidates(const reader *r, const ripstop_agreement *agreement) {
  const ripstop_figure *first = agreement->term[0].figure;
  for (size_t i = 1; i < agreement->terms + agreement->goals; i++) {
    const ripstop_figure *other = agreement->term[i].figure;
    bool same = other->bys == first->bys;
    for (size_t b = 0; same && b < first->bys; b++) same = !strcmp(first->by[b], other->by[b]);
    if (!same)
      return reader_fail(r, agreement->line, "agreement '%s': the figures '%s' and '%s' have curves by different keys",
                         agreement->id, first->id, other->id);
  }
  return 0;
}

static int read_agreement(const reader *r, const yaml_node *node, ripstop_agreement *agreement) {
  *agreement = (ripstop_agreement){.line = node->line};
  if (reader_map(r, node, "an agreement", agreement_words)) return -1;
  if (reader_id(r, node, "an agreement", &agreement->id)) return -1;
  agreement->title = agreement->id;
  if (reader_text(r, node, "title", &agreement->title)) return -1;
  const yaml_node *terms = yaml_get(node, "terms"), *goals = yaml_get(node, "goals");
  agreement->terms = terms ? terms->count : 0;
  agreement->goals = goals ? goals->count : 0;
  if (!agreement->goals) return reader_fail(r, node->line, "an agreement needs goals");
  ripstop_term *term = RIPSTOP_ARRAY(r->spec->arena, agreement->terms + agreement->goals, ripstop_term);
  agreement->term = term;
  if (read_terms(r, terms, "terms", read_term, term)) return -1;
  if (read_terms(r, goals, "goals", read_goal, term + agreement->terms)) return -1;
  return check_candidates(r, agreement);
}

int reader_agreements(reader *r, const yaml_node *agreements) {
  if (!agreements) return 0;
  if (reader_list(r, agreements, "agreements")) return -1;
  ripstop_agreement *agreement = RIPSTOP_ARRAY(r->spec->arena, agreements->count + 1, ripstop_agreement);
  r->spec->agreement = agreement;
  for (size_t i = 0; i < agreements->count; i++, r->spec->agreements++) {
    if (read_agreement(r, &agreements->item[i], &agreement[i])) return -1;
    for (size_t f = 0; f < r->spec->figures; f++) /* figures and agreements become files of these names */
      if (reader_other_id(r, agreement[i].id, agreement[i].line, r->spec->figure[f].id, r->spec->figure[f].line))
        return -1;
    for (size_t j = 0; j < i; j++)
      if (reader_other_id(r, agreement[i].id, agreement[i].line, agreement[j].id, agreement[j].line)) return -1;
  }
  return 0;
}

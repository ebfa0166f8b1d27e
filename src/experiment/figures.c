/* figures.c - the sections `figures:` and `tables:`: which runs, which value, against what.
 *
 * A figure averages over fault samples and seeds and over nothing else: a key that takes several values must be its x,
 * one of its curves, or fixed. That is checked here, so that no mean ever mixes what should be told apart. */
#include <math.h>
#include <string.h>

#include "experiment/reader.h"

const char *const ripstop_figure_kind_words[] = {
    [RIPSTOP_FIGURE_CURVES] = "curves", [RIPSTOP_FIGURE_HEATMAP] = "heatmap", NULL};
const char *const ripstop_best_words[] = {
    [RIPSTOP_BEST_NONE] = "none", [RIPSTOP_BEST_HIGHEST] = "highest", [RIPSTOP_BEST_LOWEST] = "lowest", NULL};

const char *const ripstop_against_words[] = {[RIPSTOP_AGAINST_RELATIVE] = "relative",
                                             [RIPSTOP_AGAINST_CHANGE] = "change",
                                             [RIPSTOP_AGAINST_DIFFERENCE] = "difference",
                                             NULL};

static const char *const figure_words[] = {"id",    "kind",   "title",    "x",      "y",          "by",
                                           "where", "over",   "relative", "change", "difference", "base",
                                           "rank",  "xlabel", "ylabel",   "ymin",   NULL};
static const char *const table_words[] = {"id",       "title",  "rows",       "value", "columns", "where", "over",
                                          "relative", "change", "difference", "base",  "rank",    NULL};
static const char *const series_words[] = {"generated", "injected", "delivered", "lost", "accepted", "latency", NULL};

bool figure_repeats(const char *key) { return !strcmp(key, "seed") || !strcmp(key, "faults.set"); }

static bool is_series(const ripstop_figure *figure) { return !strcmp(figure->x, "cycle"); }

static const char *const *axis_words(const reader *r, const char *more) {
  const char **words = RIPSTOP_ARRAY(r->spec->arena, r->spec->axes + 2, const char *);
  for (size_t i = 0; i < r->spec->axes; i++) words[i] = r->spec->axis[i].key;
  words[r->spec->axes] = more;
  return words;
}

static int read_x(const reader *r, const yaml_node *node, const char *key, ripstop_figure *figure) {
  const char *what = figure->table_only ? "a table" : "a figure";
  if (reader_needed(r, node, what, key, &figure->x)) return -1;
  if (ripstop_spec_axis(r->spec, figure->x)) return 0;
  if (is_series(figure) && !figure->table_only) return 0;
  return reader_unknown(r, yaml_get(node, key)->line, key, figure->x,
                        axis_words(r, figure->table_only ? NULL : "cycle"));
}

static bool has_windows(const reader *r) {
  const ripstop_axis *window = ripstop_spec_axis(r->spec, "measure.window");
  for (size_t i = 0; window && i < window->full_count; i++)
    if (strcmp(window->full[i].text, "0")) return true;
  return false;
}

static int read_y(const reader *r, const yaml_node *node, const char *key, ripstop_figure *figure) {
  if (reader_needed(r, node, figure->table_only ? "a table" : "a figure", key, &figure->y)) return -1;
  int line = yaml_get(node, key)->line;
  if (!strncmp(figure->y, "verdict.", 8)) {
    for (size_t i = 0; ripstop_outcome_words[i]; i++)
      if (!strcmp(figure->y + 8, ripstop_outcome_words[i])) return 0;
    return reader_unknown(r, line, "verdict", figure->y + 8, ripstop_outcome_words);
  }
  if (!is_series(figure)) return reader_check_value(r, line, key, figure->y);
  if (!has_windows(r)) return reader_fail(r, line, "a figure over cycles needs measure.window");
  for (size_t i = 0; series_words[i]; i++)
    if (!strcmp(figure->y, series_words[i])) return 0;
  return reader_unknown(r, line, "series", figure->y, series_words);
}

static int read_by_list(const reader *r, const yaml_node *node, ripstop_figure *figure) {
  size_t count = node->kind == YAML_LIST ? node->count : 1;
  const char **by = RIPSTOP_ARRAY(r->spec->arena, count, const char *);
  for (size_t i = 0; i < count; i++) {
    const yaml_node *item = node->kind == YAML_LIST ? &node->item[i] : node;
    if (reader_value(r, item, "by")) return -1;
    const ripstop_axis *axis = ripstop_spec_axis(r->spec, item->text);
    if (!axis) return reader_unknown(r, item->line, "key", item->text, axis_words(r, NULL));
    if (!strcmp(axis->key, figure->x)) return reader_fail(r, item->line, "%s is already what x shows", axis->key);
    by[i] = axis->key;
  }
  figure->by = by, figure->bys = count;
  return 0;
}

bool figure_shows_key(const ripstop_figure *figure, const char *key) {
  bool shown = !strcmp(figure->x, key);
  for (size_t i = 0; i < figure->bys && !shown; i++) shown = !strcmp(figure->by[i], key);
  return shown;
}

/* Every key that varies, in the order of the axes. */
static void default_by(const reader *r, ripstop_figure *figure) {
  const char **by = RIPSTOP_ARRAY(r->spec->arena, r->spec->axes, const char *);
  figure->by = by;
  for (size_t i = 0; i < r->spec->axes; i++) {
    const ripstop_axis *axis = &r->spec->axis[i];
    if (strcmp(axis->key, figure->x) && !figure_repeats(axis->key) &&
        reader_remaining(axis, figure->filter, figure->filters) > 1)
      by[figure->bys++] = axis->key;
  }
}

/* Three ways to tell the same. */
static int read_relative(const reader *r, const yaml_node *map, ripstop_figure *figure) {
  const yaml_node *node = NULL;
  const char *word = NULL;
  size_t count;
  for (int i = 0; ripstop_against_words[i]; i++) {
    const yaml_node *found = yaml_get(map, ripstop_against_words[i]);
    if (found && node) return reader_fail(r, found->line, "only one of relative, change and difference");
    if (found) node = found, word = ripstop_against_words[i], figure->against = (ripstop_against)i;
  }
  const yaml_node *base = yaml_get(map, "base");
  if (!node) return base ? reader_fail(r, base->line, "base goes with relative, change or difference only") : 0;
  if (base && is_series(figure)) return reader_fail(r, base->line, "base: a series has none");
  if (reader_text(r, map, "base", &figure->base)) return -1;
  if (base && reader_check_value(r, base->line, "base", figure->base)) return -1;
  if (reader_filters(r, node, word, false, &figure->relative, &count)) return -1;
  if (count != 1 || figure->relative->count != 1)
    return reader_fail(r, node->line, "%s must name one key and one value of it", word);
  if (!figure_shows_key(figure, figure->relative->key))
    return reader_fail(r, node->line, "%s: %s is neither x nor in by", word, figure->relative->key);
  return 0;
}

static int read_rank(const reader *r, const yaml_node *map, ripstop_figure *figure) {
  int rank = RIPSTOP_BEST_NONE;
  if (reader_word(r, map, "rank", ripstop_best_words, &rank)) return -1;
  figure->rank = (ripstop_best)rank;
  if (!rank) return 0;
  int line = yaml_get(map, "rank")->line;
  if (figure->relative) return reader_fail(r, line, "rank: places are not told relative to others");
  if (is_series(figure) || !strncmp(figure->y, "verdict.", 8))
    return reader_fail(r, line, "rank: neither series nor verdicts have places");
  return 0;
}

static int read_kind(const reader *r, const yaml_node *map, ripstop_figure *figure) {
  int kind = RIPSTOP_FIGURE_CURVES;
  if (reader_word(r, map, "kind", ripstop_figure_kind_words, &kind)) return -1;
  figure->kind = (ripstop_figure_kind)kind;
  if (kind == RIPSTOP_FIGURE_HEATMAP && is_series(figure))
    return reader_fail(r, yaml_get(map, "kind")->line, "a heatmap has no room for a series");
  return 0;
}

static int read_figure(const reader *r, const yaml_node *node, bool table, ripstop_figure *figure) {
  *figure = (ripstop_figure){.ymin = NAN, .line = node->line, .table_only = table};
  if (reader_map(r, node, table ? "a table" : "a figure", table ? table_words : figure_words)) return -1;
  if (reader_id(r, node, table ? "a table" : "a figure", &figure->id)) return -1;
  figure->title = figure->id;
  if (reader_text(r, node, "title", &figure->title) || reader_text(r, node, "xlabel", &figure->xlabel) ||
      reader_text(r, node, "ylabel", &figure->ylabel))
    return -1;
  if (read_x(r, node, table ? "rows" : "x", figure) || read_y(r, node, table ? "value" : "y", figure)) return -1;
  if (reader_text(r, node, "over", &figure->over)) return -1;
  if (figure->over && (is_series(figure) || !strncmp(figure->y, "verdict.", 8)))
    return reader_fail(r, yaml_get(node, "over")->line, "over divides values of runs, not verdicts or time series");
  if (figure->over && reader_check_value(r, yaml_get(node, "over")->line, "over", figure->over)) return -1;
  const yaml_node *ymin = yaml_get(node, "ymin"), *by = yaml_get(node, table ? "columns" : "by");
  if (ymin && reader_real(r, ymin, "ymin", &figure->ymin)) return -1;
  if (reader_filters(r, yaml_get(node, "where"), "where", true, &figure->filter, &figure->filters)) return -1;
  if (!by)
    default_by(r, figure);
  else if (read_by_list(r, by, figure))
    return -1;
  if (reader_mixing(r, figure)) return -1;
  return read_relative(r, node, figure) || read_rank(r, node, figure) || read_kind(r, node, figure) ? -1 : 0;
}

static int read_list(const reader *r, const yaml_node *list, const char *what, ripstop_figure *figure, size_t *count) {
  if (!list) return 0;
  if (list->kind != YAML_LIST)
    return reader_fail(r, list->line, "%s must be a list, each item starting with '- '", what);
  for (size_t i = 0; i < list->count; i++) {
    if (read_figure(r, &list->item[i], !strcmp(what, "tables"), &figure[*count])) return -1;
    for (size_t j = 0; j < *count; j++)
      if (!strcmp(figure[j].id, figure[*count].id))
        return reader_fail(r, list->item[i].line, "the id '%s' is taken in line %d", figure[j].id, figure[j].line);
    ++*count;
  }
  return 0;
}

int reader_figures(reader *r, const yaml_node *figures, const yaml_node *tables) {
  size_t most = (figures ? figures->count : 0) + (tables ? tables->count : 0);
  ripstop_figure *figure = RIPSTOP_ARRAY(r->spec->arena, most + 1, ripstop_figure);
  r->spec->figure = figure;
  if (read_list(r, figures, "figures", figure, &r->spec->figures)) return -1;
  return read_list(r, tables, "tables", figure, &r->spec->figures);
}

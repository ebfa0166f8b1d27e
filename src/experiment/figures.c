/* figures.c - the sections `figures:` and `tables:`: which runs, which value, against what.
 *
 * A figure averages over fault samples and seeds and over nothing else: a key that takes several values must be its x,
 * one of its curves, or fixed. That is checked here, so that no mean ever mixes what should be told apart. */
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "experiment/inner_runs.h"
#include "experiment/reader.h"

const char *const ripstop_figure_kind_words[] = {[RIPSTOP_FIGURE_CURVES] = "curves",
                                                 [RIPSTOP_FIGURE_HEATMAP] = "heatmap",
                                                 [RIPSTOP_FIGURE_CDF] = "cdf",
                                                 [RIPSTOP_FIGURE_CCDF] = "ccdf",
                                                 NULL};
const char *const ripstop_best_words[] = {
    [RIPSTOP_BEST_NONE] = "none", [RIPSTOP_BEST_HIGHEST] = "highest", [RIPSTOP_BEST_LOWEST] = "lowest", NULL};

const char *const ripstop_figure_log_words[] = {
    [RIPSTOP_LOG_NONE] = "none", [RIPSTOP_LOG_X] = "x", [RIPSTOP_LOG_Y] = "y", [RIPSTOP_LOG_XY] = "xy", NULL};

const char *const ripstop_against_words[] = {[RIPSTOP_AGAINST_RELATIVE] = "relative",
                                             [RIPSTOP_AGAINST_CHANGE] = "change",
                                             [RIPSTOP_AGAINST_DIFFERENCE] = "difference",
                                             NULL};

static const char *const figure_words[] = {"id",     "kind",     "title",  "x",          "y",     "by",   "where",
                                           "over",   "relative", "change", "difference", "base",  "rank", "xlabel",
                                           "ylabel", "ymin",     "ymax",   "log",        "along", NULL};
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

/* The rows of a table: a key, or a list of them. */
static int read_rows(const reader *r, const yaml_node *node, ripstop_figure *figure) {
  if (!node) return 0;
  if (!node->count) return reader_fail(r, node->line, "rows: the list is empty");
  const char **key = RIPSTOP_ARRAY(r->spec->arena, node->count, const char *);
  for (size_t i = 0; i < node->count; i++) {
    if (reader_value(r, &node->item[i], "rows")) return -1;
    const ripstop_axis *axis = ripstop_spec_axis(r->spec, node->item[i].text);
    if (!axis) return reader_unknown(r, node->item[i].line, "rows", node->item[i].text, axis_words(r, NULL));
    for (size_t j = 0; j < i; j++)
      if (!strcmp(key[j], axis->key)) return reader_fail(r, node->item[i].line, "rows: %s stands twice", axis->key);
    key[i] = axis->key;
  }
  figure->x = key[0], figure->more = key + 1, figure->mores = node->count - 1;
  return 0;
}

static bool varies(const ripstop_axis *axis) { return axis->count > 1 || axis->full_count > 1; }

/* The key that distinguishes the points of a curve: `along`, else the load where it varies, else the one key that
 * varies. */
static int read_along(const reader *r, const yaml_node *map, ripstop_figure *figure) {
  const ripstop_axis *only = ripstop_spec_axis(r->spec, "traffic.load");
  const yaml_node *along = yaml_get(map, "along");
  size_t count = only && varies(only);
  if (along) {
    if (reader_value(r, along, "along")) return -1;
    only = ripstop_spec_axis(r->spec, along->text), count = 1;
    if (!only) return reader_unknown(r, along->line, "along", along->text, axis_words(r, NULL));
  }
  if (!count)
    for (size_t i = 0; i < r->spec->axes; i++)
      if (varies(&r->spec->axis[i]) && !figure_repeats(r->spec->axis[i].key)) only = &r->spec->axis[i], count++;
  if (count != 1)
    return reader_fail(r, map->line, "a figure against the value '%s' needs the key 'along': what tells points apart",
                       figure->at);
  figure->x = only->key;
  return 0;
}

static bool is_value(const reader *r, const char *name, const char **near) {
  RIPSTOP_LOCAL_ARENA(arena);
  const char *const *word = ripstop_spec_values(r->spec, arena);
  const char *nearest = ripstop_nearest_word(name, word);
  *near = nearest ? ripstop_arena_text(r->spec->arena, nearest) : NULL;
  while (*word && strcmp(*word, name) != 0) word++;
  return *word != NULL;
}

static bool is_cdf(const ripstop_figure *figure) {
  return figure->kind == RIPSTOP_FIGURE_CDF || figure->kind == RIPSTOP_FIGURE_CCDF;
}

/* Its x is the share; what goes with values that stand at one only does not go with it. */
static int read_spread(const reader *r, const yaml_node *node, ripstop_figure *figure) {
  static const char *const others[] = {"x", "along", "over", "relative", "change", "difference", "base", "rank", NULL};
  for (size_t i = 0; others[i]; i++)
    if (yaml_get(node, others[i]))
      return reader_fail(r, yaml_get(node, others[i])->line, "%s: a figure of the kind %s has none", others[i],
                         ripstop_figure_kind_words[figure->kind]);
  if (reader_needed(r, node, "a figure", "y", &figure->y)) return -1;
  figure->x = RIPSTOP_SHARE;
  return reader_check_spread(r, yaml_get(node, "y")->line, "y", figure->y);
}

static int read_x(const reader *r, const yaml_node *node, const char *key, ripstop_figure *figure) {
  const char *what = figure->table_only ? "a table" : "a figure", *near = NULL;
  const yaml_node *x = yaml_get(node, key);
  if (figure->table_only && x && x->kind == YAML_LIST) return read_rows(r, x, figure);
  if (reader_needed(r, node, what, key, &figure->x) || !x) return -1;
  const char *const *words = axis_words(r, figure->table_only ? NULL : "cycle");
  bool known = ripstop_spec_axis(r->spec, figure->x) || (is_series(figure) && !figure->table_only);
  if (!known && !figure->table_only && is_value(r, figure->x, &near)) {
    figure->at = figure->x;
    return read_along(r, node, figure);
  }
  if (yaml_get(node, "along"))
    return reader_fail(r, yaml_get(node, "along")->line, "along goes with an x that is a value of runs");
  if (known) return 0;
  if (near && !reader_nearest(figure->x, words))
    return reader_fail(r, x->line, "%s '%s' is unknown; did you mean '%s'?", key, figure->x, near);
  return reader_unknown(r, x->line, key, figure->x, words);
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
    const char *const *words = reader_outcomes(r);
    if (reader_is_word(figure->y + 8, words)) return 0;
    return reader_unknown(r, line, "verdict", figure->y + 8, words);
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
    if (figure_shows_key(figure, axis->key))
      return reader_fail(r, item->line, "%s is already what %s", axis->key,
                         figure->table_only ? "rows show"
                         : figure->at       ? "points are told apart by"
                                            : "x shows");
    by[i] = axis->key;
  }
  figure->by = by, figure->bys = count;
  return 0;
}

bool figure_shows_key(const ripstop_figure *figure, const char *key) {
  bool shown = !strcmp(figure->x, key);
  for (size_t i = 0; i < figure->mores && !shown; i++) shown = !strcmp(figure->more[i], key);
  for (size_t i = 0; i < figure->bys && !shown; i++) shown = !strcmp(figure->by[i], key);
  return shown;
}

/* `by` is being made. */
static bool shows_in_rows(const ripstop_figure *figure, const char *key) {
  ripstop_figure rows = *figure;
  rows.bys = 0;
  return figure_shows_key(&rows, key);
}

/* Every key that varies, in the order of the axes. */
static void default_by(const reader *r, ripstop_figure *figure) {
  const char **by = RIPSTOP_ARRAY(r->spec->arena, r->spec->axes, const char *);
  figure->by = by;
  for (size_t i = 0; i < r->spec->axes; i++) {
    const ripstop_axis *axis = &r->spec->axis[i];
    if (!shows_in_rows(figure, axis->key) && !figure_repeats(axis->key) &&
        reader_remaining(axis, figure->filter, figure->filters) > 1)
      by[figure->bys++] = axis->key;
  }
}

/* Three keys with one meaning. */
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
  if (figure->mores && shows_in_rows(figure, figure->relative->key))
    return reader_fail(r, node->line, "%s: %s stands in rows beside other keys; put it into columns", word,
                       figure->relative->key);
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
  if (figure->relative) return reader_fail(r, line, "rank: places cannot be relative to others");
  if (is_series(figure) || !strncmp(figure->y, "verdict.", 8))
    return reader_fail(r, line, "rank: neither series nor verdicts have places");
  return 0;
}

static int check_kind(const reader *r, const yaml_node *map, const ripstop_figure *figure) {
  const ripstop_figure_kind kind = figure->kind;
  if (kind == RIPSTOP_FIGURE_HEATMAP && is_series(figure))
    return reader_fail(r, yaml_get(map, "kind")->line, "a heatmap has no room for a series");
  if (kind == RIPSTOP_FIGURE_HEATMAP && figure->at)
    return reader_fail(r, yaml_get(map, "kind")->line, "the columns of a heatmap are values of a key, not '%s'",
                       figure->at);
  return 0;
}

static bool is_number(const ripstop_setting *setting) {
  double number;
  ripstop_error ignored;
  return !ripstop_parse_real(setting->text ? setting->text : setting->written, &number, &ignored);
}

/* True if x is an axis of words: one of the wanted values is no number. */
static bool has_words(const reader *r, const ripstop_figure *figure) {
  const ripstop_axis *axis = ripstop_spec_axis(r->spec, figure->x);
  bool asked = false, words = false;
  for (size_t i = 0; i < figure->filters; i++) {
    const ripstop_filter *filter = &figure->filter[i];
    if (strcmp(filter->key, figure->x) != 0) continue;
    asked = true;
    for (size_t k = 0; k < filter->count; k++) words |= !is_number(filter->setting[k]);
  }
  for (size_t i = 0; axis && !asked && i < axis->full_count; i++) words |= !is_number(&axis->full[i]);
  for (size_t i = 0; axis && !asked && i < axis->count; i++) words |= !is_number(&axis->setting[i]);
  return words;
}

/* The scales of the axes. */
static int read_scales(const reader *r, const yaml_node *map, ripstop_figure *figure) {
  int log = figure->kind == RIPSTOP_FIGURE_CCDF ? RIPSTOP_LOG_Y : RIPSTOP_LOG_NONE; /* it is about small shares */
  const yaml_node *least = yaml_get(map, "ymin"), *most = yaml_get(map, "ymax");
  if (reader_word(r, map, "log", ripstop_figure_log_words, &log)) return -1;
  figure->log = (ripstop_figure_log)log;
  if (least && reader_real(r, least, "ymin", &figure->ymin)) return -1;
  if (most && reader_real(r, most, "ymax", &figure->ymax)) return -1;
  if (least && most && figure->ymax <= figure->ymin) return reader_fail(r, most->line, "ymax must be above ymin");
  if (least && (log & RIPSTOP_LOG_Y) && figure->ymin <= 0)
    return reader_fail(r, least->line, "ymin must be above 0 on a logarithmic axis");
  if (most && (log & RIPSTOP_LOG_Y) && figure->ymax <= 0)
    return reader_fail(r, most->line, "ymax must be above 0 on a logarithmic axis");
  if (log && figure->kind == RIPSTOP_FIGURE_HEATMAP)
    return reader_fail(r, yaml_get(map, "log")->line, "a heatmap has no axes of numbers");
  if ((log & RIPSTOP_LOG_X) && !figure->at && !is_cdf(figure) && has_words(r, figure))
    return reader_fail(r, yaml_get(map, "log")->line, "log: the axis of %s is one of words, which have no logarithms",
                       figure->x);
  return 0;
}

static int read_figure(const reader *r, const yaml_node *node, bool table, ripstop_figure *figure) {
  *figure = (ripstop_figure){.ymin = NAN, .ymax = NAN, .line = node->line, .table_only = table};
  if (reader_map(r, node, table ? "a table" : "a figure", table ? table_words : figure_words)) return -1;
  if (reader_id(r, node, table ? "a table" : "a figure", &figure->id)) return -1;
  figure->title = figure->id;
  if (reader_text(r, node, "title", &figure->title) || reader_text(r, node, "xlabel", &figure->xlabel) ||
      reader_text(r, node, "ylabel", &figure->ylabel))
    return -1;
  int kind = RIPSTOP_FIGURE_CURVES;
  if (reader_word(r, node, "kind", ripstop_figure_kind_words, &kind)) return -1;
  figure->kind = (ripstop_figure_kind)kind;
  if (is_cdf(figure) ? read_spread(r, node, figure)
                     : read_x(r, node, table ? "rows" : "x", figure) || read_y(r, node, table ? "value" : "y", figure))
    return -1;
  if (reader_text(r, node, "over", &figure->over)) return -1;
  if (figure->over && (is_series(figure) || !strncmp(figure->y, "verdict.", 8)))
    return reader_fail(r, yaml_get(node, "over")->line, "over divides values of runs, not verdicts or time series");
  if (figure->over && reader_check_value(r, yaml_get(node, "over")->line, "over", figure->over)) return -1;
  const yaml_node *by = yaml_get(node, table ? "columns" : "by");
  if (reader_filters(r, yaml_get(node, "where"), "where", true, &figure->filter, &figure->filters)) return -1;
  if (!by)
    default_by(r, figure);
  else if (read_by_list(r, by, figure))
    return -1;
  if (reader_mixing(r, figure)) return -1;
  return read_relative(r, node, figure) || read_rank(r, node, figure) || check_kind(r, node, figure) ||
                 read_scales(r, node, figure)
             ? -1
             : 0;
}

static int read_list(const reader *r, const yaml_node *list, const char *what, ripstop_figure *figure, size_t *count) {
  if (!list) return 0;
  if (reader_list(r, list, what)) return -1;
  for (size_t i = 0; i < list->count; i++) {
    if (read_figure(r, &list->item[i], !strcmp(what, "tables"), &figure[*count])) return -1;
    for (size_t j = 0; j < *count; j++)
      if (reader_other_id(r, figure[*count].id, list->item[i].line, figure[j].id, figure[j].line)) return -1;
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

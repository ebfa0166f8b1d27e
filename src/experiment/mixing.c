/* mixing.c - whether a figure would lay runs on one point that differ in a key which it does not show.
 *
 * Where `only:` picks parts of the product, a key may vary and yet be tied to another that the figure shows. Two parts
 * meet on a point if they have a value in common of every key that it shows; what they have of another key falls
 * together there. There may be thousands of parts: those that are alike in all that is shown are one group, and groups
 * are compared only where they share a value of the key that shares the fewest. */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "experiment/reader.h"

enum { IN_FULL = 1, IN_USE = 2 }; /* the file's list, and that of this variant */

/* Values of one key by their numbers, sorted. */
typedef struct set {
  const uint32_t *id;
  size_t count;
} set;

typedef struct column {
  const ripstop_axis *axis;
  bool shown, repeated;
  const ripstop_setting **value; /* [values]: each once, by what tells them apart */
  uint8_t *list;                 /* [values]: IN_FULL, IN_USE */
  bool *left;                    /* [values]: by the figure's own filter */
  size_t values;
  set all; /* that are left */
} column;

/* A part, or a group of parts: what it has of each column. */
typedef struct row {
  const struct mixing *of;
  set *has; /* [columns] */
} row;

typedef struct mixing {
  const ripstop_spec *spec;
  const ripstop_figure *figure;
  ripstop_arena *arena;
  column *column;
  size_t columns;
  row *row;
  size_t rows;
  size_t *most; /* [columns]: values that fall together */
} mixing;

/* ------------------------------------------------------------------ values */

static int by_known(const void *a, const void *b) {
  return strcmp(reader_known(*(const ripstop_setting *const *)a), reader_known(*(const ripstop_setting *const *)b));
}

static uint32_t number_of(const column *c, const ripstop_setting *setting) {
  const ripstop_setting *const *found = bsearch(&setting, c->value, c->values, sizeof(void *), by_known);
  return found ? (uint32_t)(found - c->value) : UINT32_MAX;
}

static void list_values(mixing *m, column *c) {
  const ripstop_axis *axis = c->axis;
  size_t count = 0;
  c->value = RIPSTOP_ARRAY(m->arena, axis->full_count + axis->count, const ripstop_setting *);
  for (size_t i = 0; i < axis->full_count; i++) c->value[count++] = &axis->full[i];
  for (size_t i = 0; i < axis->count; i++) c->value[count++] = &axis->setting[i];
  qsort(c->value, count, sizeof(void *), by_known);
  for (size_t i = 0; i < count; i++)
    if (!c->values || by_known(&c->value[c->values - 1], &c->value[i]) != 0) c->value[c->values++] = c->value[i];
  c->list = RIPSTOP_ARRAY(m->arena, c->values, uint8_t);
  for (size_t i = 0; i < axis->full_count; i++) c->list[number_of(c, &axis->full[i])] |= IN_FULL;
  for (size_t i = 0; i < axis->count; i++) c->list[number_of(c, &axis->setting[i])] |= IN_USE;
}

/* The remaining values of a filter. */
static set filtered(const mixing *m, const column *c, const ripstop_filter *filter) {
  uint32_t *id = RIPSTOP_ARRAY(m->arena, filter->count, uint32_t);
  set s = {.id = id};
  for (size_t i = 0; i < filter->count; i++) {
    uint32_t number = number_of(c, filter->setting[i]);
    if (number != UINT32_MAX && c->left[number]) id[s.count++] = number;
  }
  qsort(id, s.count, sizeof *id, ripstop_by_u32);
  return s;
}

static void open_column(mixing *m, const ripstop_axis *axis, bool shown, bool repeated) {
  column *c = &m->column[m->columns++];
  *c = (column){.axis = axis, .shown = shown, .repeated = repeated};
  list_values(m, c);
  c->left = RIPSTOP_ARRAY(m->arena, c->values, bool);
  const ripstop_filter *own = reader_filter(m->figure->filter, m->figure->filters, axis->key);
  for (size_t i = 0; i < c->values; i++) c->left[i] = !own;
  for (size_t i = 0; own && i < own->count; i++) {
    uint32_t number = number_of(c, own->setting[i]);
    if (number != UINT32_MAX) c->left[number] = true;
  }
  uint32_t *all = RIPSTOP_ARRAY(m->arena, c->values, uint32_t);
  c->all.id = all;
  for (uint32_t i = 0; i < c->values; i++)
    if (c->left[i]) all[c->all.count++] = i;
}

static bool is_named(const ripstop_spec *spec, const char *key) {
  for (size_t i = 0; i < spec->parts; i++)
    if (reader_filter(spec->part[i].filter, spec->part[i].filters, key)) return true;
  return false;
}

/* Among shown or repeated keys only those matter that distinguish parts. */
static void open_columns(mixing *m) {
  m->column = RIPSTOP_ARRAY(m->arena, m->spec->axes, column);
  m->most = RIPSTOP_ARRAY(m->arena, m->spec->axes, size_t);
  for (size_t i = 0; i < m->spec->axes; i++) {
    const ripstop_axis *axis = &m->spec->axis[i];
    bool shown = figure_shows_key(m->figure, axis->key), repeated = figure_repeats(axis->key);
    if (axis->full_count && ((!shown && !repeated) || is_named(m->spec, axis->key)))
      open_column(m, axis, shown, repeated);
  }
}

/* The most of a set's values that one list has. */
static size_t together(const column *c, const set *s) {
  size_t full = 0, used = 0;
  for (size_t i = 0; i < s->count; i++) full += (c->list[s->id[i]] & IN_FULL) != 0, used += c->list[s->id[i]] >= IN_USE;
  return full > used ? full : used;
}

/* ------------------------------------------------------------------ parts */

/* Parts of which the figure's filters leave nothing are left out. */
static void open_rows(mixing *m) {
  m->row = RIPSTOP_ARRAY(m->arena, m->spec->parts, row);
  for (size_t p = 0; p < m->spec->parts; p++) {
    const ripstop_part *part = &m->spec->part[p];
    row *r = &m->row[m->rows];
    *r = (row){.of = m, .has = RIPSTOP_ARRAY(m->arena, m->columns, set)};
    bool empty = false;
    for (size_t i = 0; i < m->columns; i++) {
      const ripstop_filter *own = reader_filter(part->filter, part->filters, m->column[i].axis->key);
      r->has[i] = own ? filtered(m, &m->column[i], own) : m->column[i].all;
      empty |= r->has[i].count == 0;
    }
    m->rows += !empty;
  }
}

static int compare_sets(const set *a, const set *b) {
  if (a->id == b->id) return 0;
  if (a->count != b->count) return a->count < b->count ? -1 : 1;
  return memcmp(a->id, b->id, a->count * sizeof *a->id);
}

static int by_what_is_shown(const void *a, const void *b) {
  const row *one = a, *two = b;
  int order = 0;
  for (size_t i = 0; i < one->of->columns && !order; i++)
    if (one->of->column[i].shown) order = compare_sets(&one->has[i], &two->has[i]);
  return order;
}

/* Whatever one of the rows has of a column. */
static set unite(const mixing *m, size_t at, const row *rows, size_t count) {
  bool *there = RIPSTOP_ARRAY(m->arena, m->column[at].values, bool);
  size_t most = 0;
  for (size_t r = 0; r < count; r++) most += rows[r].has[at].count;
  if (most > m->column[at].values) most = m->column[at].values;
  uint32_t *id = RIPSTOP_ARRAY(m->arena, most, uint32_t);
  set all = {.id = id};
  for (size_t r = 0; r < count; r++)
    for (size_t i = 0; i < rows[r].has[at].count && all.count < m->column[at].values; i++) {
      uint32_t value = rows[r].has[at].id[i];
      if (!there[value]) id[all.count++] = value, there[value] = true;
    }
  qsort(id, all.count, sizeof *id, ripstop_by_u32);
  return all;
}

/* Rows that are alike in all that is shown become one; it has of the other keys what one of them has. */
static void group(mixing *m) {
  size_t groups = 0;
  qsort(m->row, m->rows, sizeof *m->row, by_what_is_shown);
  for (size_t from = 0, to; from < m->rows; from = to) {
    for (to = from + 1; to < m->rows && by_what_is_shown(&m->row[from], &m->row[to]) == 0; to++) continue;
    row one = m->row[from];
    for (size_t i = 0; i < m->columns; i++) {
      if (m->column[i].shown || m->column[i].repeated) continue;
      if (to > from + 1) one.has[i] = unite(m, i, &m->row[from], to - from);
      size_t now = together(&m->column[i], &one.has[i]);
      if (now > m->most[i]) m->most[i] = now;
    }
    m->row[groups++] = one;
  }
  m->rows = groups;
}

/* ------------------------------------------------------------------ groups that meet */

/* Goes through what two sets have together, or only in common; how many values one list has of it. */
static size_t merge(const mixing *m, size_t at, const set *a, const set *b, bool common) {
  const uint8_t *list = m->column[at].list;
  size_t full = 0, used = 0;
  for (size_t i = 0, j = 0; i < a->count || j < b->count;) {
    bool first = j == b->count || (i < a->count && a->id[i] <= b->id[j]);
    bool second = i == a->count || (j < b->count && b->id[j] <= a->id[i]);
    uint8_t in = list[first ? a->id[i] : b->id[j]];
    if (!common || (first && second)) full += (in & IN_FULL) != 0, used += in >= IN_USE;
    i += first, j += second;
  }
  return full > used ? full : used;
}

static bool meet(const mixing *m, const row *a, const row *b) {
  for (size_t i = 0; i < m->columns; i++)
    if (m->column[i].shown && !merge(m, i, &a->has[i], &b->has[i], true)) return false;
  return true;
}

static void compare(mixing *m, const row *a, const row *b) {
  if (!meet(m, a, b)) return;
  for (size_t i = 0; i < m->columns; i++) {
    if (m->column[i].shown || m->column[i].repeated) continue;
    size_t now = merge(m, i, &a->has[i], &b->has[i], false);
    if (now > m->most[i]) m->most[i] = now;
  }
}

/* The number of groups that have each value of a column: begin[v + 1] - begin[v], for the sums. Returns the comparisons
 * that this column needs. */
static double count_groups(const mixing *m, size_t at, size_t *begin) {
  double pairs = 0;
  memset(begin, 0, (m->column[at].values + 1) * sizeof *begin);
  for (size_t r = 0; r < m->rows; r++)
    for (size_t i = 0; i < m->row[r].has[at].count; i++) begin[m->row[r].has[at].id[i] + 1]++;
  for (size_t v = 0; v < m->column[at].values; v++) {
    pairs += (double)begin[v + 1] * (double)begin[v + 1];
    begin[v + 1] += begin[v];
  }
  return pairs;
}

static void compare_by(mixing *m, size_t at) {
  size_t values = m->column[at].values;
  size_t *begin = RIPSTOP_ARRAY(m->arena, values + 1, size_t);
  count_groups(m, at, begin);
  size_t *member = RIPSTOP_ARRAY(m->arena, begin[values], size_t), *end = RIPSTOP_ARRAY(m->arena, values + 1, size_t);
  memcpy(end, begin, (values + 1) * sizeof *end);
  for (size_t r = 0; r < m->rows; r++)
    for (size_t i = 0; i < m->row[r].has[at].count; i++) member[end[m->row[r].has[at].id[i]]++] = r;
  for (size_t v = 0; v < values; v++)
    for (size_t i = begin[v]; i < end[v]; i++)
      for (size_t j = begin[v]; j < i; j++) compare(m, &m->row[member[i]], &m->row[member[j]]);
}

static void compare_groups(mixing *m) {
  size_t best = 0;
  double least = 0;
  for (size_t i = 0; i < m->columns; i++) {
    if (!m->column[i].shown) continue;
    double pairs = count_groups(m, i, RIPSTOP_ARRAY(m->arena, m->column[i].values + 1, size_t));
    if (least == 0 || pairs < least) least = pairs, best = i;
  }
  if (m->rows > 1) compare_by(m, best);
}

/* ------------------------------------------------------------------ the figure */

static size_t find_mixed(mixing *m) {
  open_columns(m);
  open_rows(m);
  group(m);
  compare_groups(m);
  for (size_t i = 0; i < m->columns; i++)
    if (!m->column[i].shown && !m->column[i].repeated && m->most[i] > 1) return i;
  return m->columns;
}

static int fail(const reader *r, const ripstop_figure *figure, size_t values, const char *key) {
  return reader_fail(r, figure->line, "'%s' would mix %zu values of %s: put it into x, by (columns) or where",
                     figure->id, values, key);
}

int reader_mixing(const reader *r, const ripstop_figure *figure) {
  for (size_t i = 0; i < r->spec->axes && !r->spec->parts; i++) {
    const ripstop_axis *axis = &r->spec->axis[i];
    size_t left = reader_remaining(axis, figure->filter, figure->filters);
    if (left > 1 && !figure_shows_key(figure, axis->key) && !figure_repeats(axis->key))
      return fail(r, figure, left, axis->key);
  }
  if (!r->spec->parts) return 0;
  mixing m = {.spec = r->spec, .figure = figure, .arena = ripstop_arena_new()};
  size_t mixed = find_mixed(&m);
  int status = mixed < m.columns ? fail(r, figure, m.most[mixed], m.column[mixed].axis->key) : 0;
  ripstop_arena_free(m.arena);
  return status;
}

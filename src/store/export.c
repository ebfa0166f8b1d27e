/* export.c - the runs of a store as one wide table: a row for each, a column for each setting and value.
 *
 * Two passes over the store: the columns, then the rows. Settings and values come in nearly the same order in each
 * run, so the next column is usually the one after the last.
 *
 * Memory: proportional to the columns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/growing.h"
#include "store/cells.h"
#include "store/inside.h"

const char *const ripstop_column_kind_words[] = {"run", "setting", "value", "half", NULL};
static const char *const type_words[] = {"text", "integer", "real", "text"};
enum { NEVER_SET, INTEGER, REAL, TEXT };

/* ------------------------------------------------------------------ columns */

/* A setting or a quantity of some run. */
typedef struct found {
  const char *name, *unit; /* unit: NULL for settings */
  int type;                /* the narrowest type that fits all values of a setting */
  bool half;               /* some runs have a half width */
} found;

typedef struct list {
  ripstop_arena *arena;
  found *at;
  size_t count, room, next; /* next: where the next search begins */
} list;

/* The entry with this name (of which `length` characters count) and unit, added if missing. */
static found *find(list *l, const char *name, size_t length, const char *unit) {
  for (size_t i = 0; i < l->count; i++) {
    found *f = &l->at[(l->next + i) % l->count];
    if (strlen(f->name) != length || memcmp(f->name, name, length) != 0 || (unit && strcmp(f->unit, unit) != 0))
      continue;
    l->next = (l->next + i + 1) % l->count;
    return f;
  }
  RIPSTOP_GROW_IN(l->arena, l->at, l->count, l->room);
  l->at[l->count] = (found){.name = ripstop_arena_printf(l->arena, "%.*s", (int)length, name),
                            .unit = unit ? ripstop_arena_text(l->arena, unit) : NULL};
  return &l->at[l->count++];
}

typedef struct gathering {
  list settings, values;
  ripstop_arena *arena; /* memory of a row */
} gathering;

static int type_of(const char *text) {
  bool negative = *text == '-';
  double number;
  uint64_t size;
  ripstop_error ignored;
  if (!*text) return NEVER_SET;
  if (!ripstop_parse_u64(text + negative, negative ? (uint64_t)1 << 63 : UINT64_MAX, &size, &ignored)) return INTEGER;
  return ripstop_parse_real(text, &number, &ignored) ? TEXT : REAL;
}

/* The next line of a canonical text: its key and value, in a copy; false: no more. */
static bool next_setting(const char **rest, ripstop_arena *arena, const char **key, size_t *length,
                         const char **value) {
  const char *line = *rest;
  size_t whole = strcspn(line, "\n");
  if (!whole) return false;
  *key = line, *length = strcspn(line, "=");
  if (*length >= whole) return false;
  *value = ripstop_arena_printf(arena, "%.*s", (int)(whole - *length - 1), line + *length + 1);
  *rest = line + whole + (line[whole] == '\n');
  return true;
}

static int gather(void *context, const store_row *row, bool believed, ripstop_error *err) {
  gathering *g = context;
  const ripstop_outcome *o = &row->outcome;
  const char *rest = row->canonical, *key, *value;
  size_t length;
  (void)err;
  while (believed && next_setting(&rest, g->arena, &key, &length, &value)) {
    found *f = find(&g->settings, key, length, NULL);
    if (type_of(value) > f->type) f->type = type_of(value);
  }
  for (size_t i = 0; believed && i < o->values; i++)
    find(&g->values, o->value[i].name, strlen(o->value[i].name), o->value[i].unit)->half |= !isnan(o->value[i].half);
  ripstop_arena_clear(g->arena);
  return 0;
}

static int by_name(const void *a, const void *b) { return strcmp(((const found *)a)->name, ((const found *)b)->name); }

static const ripstop_store_column of_run[] = {
    {RIPSTOP_COLUMN_RUN, "id", NULL, "id", "text"},           {RIPSTOP_COLUMN_RUN, "version", NULL, "version", "text"},
    {RIPSTOP_COLUMN_RUN, "verdict", NULL, "verdict", "text"}, {RIPSTOP_COLUMN_RUN, "reason", NULL, "reason", "text"},
    {RIPSTOP_COLUMN_RUN, "faults", NULL, "faults", "text"},   {RIPSTOP_COLUMN_RUN, "seconds", "s", "seconds", "real"}};
enum { OF_RUN = sizeof of_run / sizeof *of_run };

static ripstop_store_column value_column(ripstop_arena *arena, const found *f, ripstop_column_kind kind) {
  const char *word = kind == RIPSTOP_COLUMN_HALF ? " half" : "";
  const char *head = *f->unit ? ripstop_arena_printf(arena, "%s%s [%s]", f->name, word, f->unit)
                              : ripstop_arena_printf(arena, "%s%s", f->name, word);
  return (ripstop_store_column){kind, f->name, f->unit, head, type_words[REAL]};
}

static void make_columns(const gathering *g, ripstop_arena *arena, ripstop_store_columns *out) {
  ripstop_store_column *column =
      RIPSTOP_ARRAY(arena, OF_RUN + g->settings.count + 2 * g->values.count, ripstop_store_column);
  size_t count = 0;
  for (; count < OF_RUN; count++) column[count] = of_run[count];
  for (size_t i = 0; i < g->settings.count; i++) {
    const found *f = &g->settings.at[i];
    column[count++] = (ripstop_store_column){RIPSTOP_COLUMN_SETTING, f->name, NULL, f->name, type_words[f->type]};
  }
  for (size_t i = 0; i < g->values.count; i++) {
    column[count++] = value_column(arena, &g->values.at[i], RIPSTOP_COLUMN_VALUE);
    if (g->values.at[i].half) column[count++] = value_column(arena, &g->values.at[i], RIPSTOP_COLUMN_HALF);
  }
  *out = (ripstop_store_columns){.count = count, .column = column};
}

int ripstop_store_columns_of(ripstop_store *store, ripstop_arena *arena, ripstop_store_columns *out,
                             ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  gathering g = {.settings.arena = arena, .values.arena = arena, .arena = ripstop_arena_new()};
  int status = store_each(store, gather, &g, err);
  ripstop_arena_free(g.arena);
  if (status) return -1;
  if (g.settings.count) qsort(g.settings.at, g.settings.count, sizeof *g.settings.at, by_name);
  make_columns(&g, arena, out);
  return 0;
}

/* ------------------------------------------------------------------ the rows */

typedef struct export {
  const ripstop_store_columns *columns;
  FILE *file;
  ripstop_arena *arena; /* memory of a row */
  const char **text;    /* [columns->count]: texts of the run and its settings; NULL: it has none */
  double *number;       /* [columns->count]: numbers of its values */
  size_t next;          /* start of the next search */
  int64_t doubted;
}
export;

/* The column of this name; its count if there is none, which cannot happen. */
static size_t place(export *x, ripstop_column_kind kind, const char *name, size_t length, const char *unit) {
  size_t count = x->columns->count;
  for (size_t i = 0; i < count; i++) {
    size_t at = (x->next + i) % count;
    const ripstop_store_column *c = &x->columns->column[at];
    if (c->kind != kind || strlen(c->name) != length || memcmp(c->name, name, length) != 0 ||
        (unit && strcmp(c->unit, unit) != 0))
      continue;
    x->next = (at + 1) % count;
    return at;
  }
  return count;
}

static void place_value(export *x, const ripstop_value *v) {
  size_t length = strlen(v->name), at = place(x, RIPSTOP_COLUMN_VALUE, v->name, length, v->unit);
  if (at == x->columns->count) return;
  x->number[at] = v->value;
  if (!isnan(v->half)) x->number[at + 1] = v->half; /* the next column, which exists since some run has a half width */
}

static void fill(export *x, const store_row *row) {
  const ripstop_outcome *o = &row->outcome;
  const char *const run[] = {row->id, row->version, row->verdict, o->reason, o->faults, NULL};
  const char *rest = row->canonical, *key, *value;
  size_t length;
  for (size_t i = 0; i < x->columns->count; i++) x->text[i] = i < OF_RUN ? run[i] : NULL, x->number[i] = NAN;
  x->number[OF_RUN - 1] = o->seconds;
  while (next_setting(&rest, x->arena, &key, &length, &value)) {
    size_t at = place(x, RIPSTOP_COLUMN_SETTING, key, length, NULL);
    if (at < x->columns->count) x->text[at] = value;
  }
  for (size_t i = 0; i < o->values; i++) place_value(x, &o->value[i]);
}

static int write_row(void *context, const store_row *row, bool believed, ripstop_error *err) {
  export *x = context;
  (void)err;
  x->doubted += !believed;
  if (!believed) return 0;
  fill(x, row);
  for (size_t i = 0; i < x->columns->count; i++) {
    if (i) putc(',', x->file);
    if (x->text[i])
      csv_text(x->file, x->text[i]);
    else
      csv_number(x->file, x->number[i]);
  }
  putc('\n', x->file);
  ripstop_arena_clear(x->arena);
  return 0;
}

int64_t ripstop_store_export(ripstop_store *store, const ripstop_store_columns *columns, FILE *file,
                             ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  ripstop_arena *arena = ripstop_arena_new();
  export x = {.columns = columns, .file = file, .arena = ripstop_arena_new()};
  x.text = RIPSTOP_ARRAY(arena, columns->count, const char *);
  x.number = RIPSTOP_ARRAY(arena, columns->count, double);
  for (size_t i = 0; i < columns->count; i++) {
    if (i) putc(',', file);
    csv_text(file, columns->column[i].head);
  }
  putc('\n', file);
  int status = store_each(store, write_row, &x, err);
  ripstop_arena_free(x.arena);
  ripstop_arena_free(arena);
  return status ? -1 : x.doubted;
}

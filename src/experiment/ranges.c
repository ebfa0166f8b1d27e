/* ranges.c - values that an experiment's file writes as a range: `0.1..0.9/0.1` for 0.1, 0.2, ... 0.9.
 *
 * Numbers are counted as they are written, in units of their last decimal: the third value of `0.1..0.9/0.1` is 0.3. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "experiment/reader.h"

enum { DIGITS_MOST = 11, PLACES_MOST = 7 }; /* so that all fits into 64 bits */

typedef struct decimal {
  int64_t units;
  int places; /* behind the point */
} decimal;

typedef struct range {
  int64_t from, to, step;
  int places;
} range;

/* Behind the number; NULL: there is none. */
static const char *read_decimal(const char *at, decimal *out) {
  const bool negative = *at == '-';
  int digits = 0;
  bool point = false;
  *out = (decimal){0};
  for (at += negative; isdigit((unsigned char)*at) || (!point && *at == '.' && isdigit((unsigned char)at[1])); at++) {
    if (*at == '.') {
      point = true;
      continue;
    }
    if (++digits > DIGITS_MOST) return NULL;
    out->units = 10 * out->units + (*at - '0');
    out->places += point;
  }
  if (negative) out->units = -out->units;
  return digits ? at : NULL;
}

static int64_t in_units(decimal d, int places) {
  for (; d.places < places; d.places++) d.units *= 10;
  return d.units;
}

static void print_units(ripstop_text *out, int64_t units, int places) {
  int64_t whole = 1;
  for (int i = 0; i < places; i++) whole *= 10;
  ripstop_text_add(out, "%s%lld", units < 0 ? "-" : "", (long long)(llabs(units) / whole));
  if (places) ripstop_text_add(out, ".%0*lld", places, (long long)(llabs(units) % whole));
}

/* An error in a range, with what would be right. */
static int read_range(const char *text, range *out, ripstop_error *why) {
  decimal from, to, step = {.units = 1};
  const char *at = read_decimal(text, &from);
  at = at && !strncmp(at, "..", 2) ? read_decimal(at + 2, &to) : NULL;
  const bool stepped = at && *at == '/';
  if (stepped) at = read_decimal(at + 1, &step);
  if (!at || *at) return ripstop_fail(why, "'%s' is no range FROM..TO/STEP, as 0.1..0.9/0.1", text);
  if (!stepped && (from.places || to.places))
    return ripstop_fail(why, "'%s' needs the step of its range, as in %s/0.1", text, text);
  out->places = from.places > to.places ? from.places : to.places;
  if (step.places > out->places) out->places = step.places;
  if (out->places > PLACES_MOST) return ripstop_fail(why, "'%s' has too many decimals", text);
  out->from = in_units(from, out->places), out->to = in_units(to, out->places), out->step = in_units(step, out->places);
  if (out->step <= 0) return ripstop_fail(why, "'%s': the step of a range must be above 0", text);
  if (out->to < out->from) return ripstop_fail(why, "'%s' goes down; a range goes up", text);
  if ((out->to - out->from) % out->step == 0) return 0;
  RIPSTOP_LOCAL_TEXT(last);
  print_units(&last, out->to - (out->to - out->from) % out->step, out->places);
  ripstop_fail(why, "'%s' does not come to its end in such steps; the last value would be %s", text, last.data);
  return -1;
}

/* Names of files may have two points too, and none begins as a number does. */
static bool is_range(const yaml_node *node) {
  const char *text = node->text;
  return node->kind == YAML_VALUE && strstr(text, "..") &&
         (isdigit((unsigned char)*text) || (*text == '-' && isdigit((unsigned char)text[1])));
}

static size_t count_of(const range *r) { return (size_t)((r->to - r->from) / r->step) + 1; }

static int count_items(const reader *r, const char *what, const yaml_node *item, size_t items, size_t *count) {
  for (size_t i = 0; i < items; i++) {
    range one = {.step = 1}; /* a value alone */
    ripstop_error why;
    if (is_range(&item[i]) && read_range(item[i].text, &one, &why))
      return reader_fail(r, item[i].line, "%s: %s", what, why.text);
    *count += count_of(&one);
    if (*count > READER_LIST_MAX)
      return reader_fail(r, item[i].line, "%s: the list has more than %d values", what, READER_LIST_MAX);
  }
  return 0;
}

static void expand(const reader *r, const yaml_node *item, yaml_node *out) {
  range one;
  ripstop_error never;
  if (read_range(item->text, &one, &never)) return;
  for (size_t i = 0; i < count_of(&one); i++) {
    RIPSTOP_LOCAL_TEXT(text);
    print_units(&text, one.from + (int64_t)i * one.step, one.places);
    out[i] = (yaml_node){.kind = YAML_VALUE, .line = item->line, .text = ripstop_arena_text(r->spec->arena, text.data)};
  }
}

int reader_items(const reader *r, const yaml_node *node, const char *what, bool numbers, const yaml_node **out,
                 size_t *count) {
  const yaml_node *item = node->kind == YAML_LIST ? node->item : node;
  const size_t items = node->kind == YAML_LIST ? node->count : 1;
  *count = 0, *out = item;
  if (!items) return reader_fail(r, node->line, "%s: the list is empty", what);
  if (!numbers) {
    *count = items;
    return items > READER_LIST_MAX
               ? reader_fail(r, node->line, "%s: the list has more than %d values", what, READER_LIST_MAX)
               : 0;
  }
  if (count_items(r, what, item, items, count)) return -1;
  yaml_node *all = RIPSTOP_ARRAY(r->spec->arena, *count, yaml_node);
  size_t at = 0;
  for (size_t i = 0; i < items; i++) {
    range one;
    ripstop_error never;
    if (is_range(&item[i]) && !read_range(item[i].text, &one, &never)) {
      expand(r, &item[i], &all[at]);
      at += count_of(&one);
    } else {
      all[at++] = item[i];
    }
  }
  *out = all;
  return 0;
}

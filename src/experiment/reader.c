/* reader.c - what the readers of an experiment's sections share.
 *
 * Every message starts with FILE:LINE and names what would have been right. */
#include "base/local.h"
#include "experiment/axes.h"

#include <stdlib.h>
#include <string.h>

#include "base/locale.h"
#include "base/renamed.h"
#include "experiment/execute.h"
#include "ripstop/kit/fluid.h"

#undef reader_fail /* reader.h has macros for the analyzer */
#undef reader_unknown

int reader_fail(const reader *r, int line, const char *fmt, ...) {
  ripstop_error said;
  va_list args;
  va_start(args, fmt);
  ripstop_format_list(said.text, sizeof said.text, fmt, args);
  va_end(args);
  if (line < 0) return ripstop_fail(r->err, "%s: --set %s: %s", r->file, r->variant->set[-line - 1], said.text);
  return ripstop_fail(r->err, "%s:%d: %s", r->file, line, said.text);
}

int reader_pass(const reader *r, int line, const ripstop_error *why, const char *what) {
  reader_fail(r, line, "%s%s%s", what, *what ? ": " : "", why->text);
  r->err->machine = why->machine;
  return -1;
}

/* True if a word before this one begins as it does. */
static bool section_seen(const char *const *words, size_t i, size_t length) {
  for (size_t k = 0; k < i; k++)
    if (!strncmp(words[k], words[i], length)) return true;
  return false;
}

/* Words of the same section, "switch.", or all of them; long lists by their sections, each once. Returns how
 * many it has listed. */
static size_t list_words(ripstop_text *out, const char *word, const char *const *words, bool same) {
  enum { LONG = 400 };
  const size_t section = strcspn(word, ".");
  size_t listed = 0, length = 0;
  for (size_t i = 0; words[i]; i++) length += strlen(words[i]) + 2;
  for (size_t i = 0; words[i]; i++) {
    const size_t own = strcspn(words[i], ".");
    if (same && (word[section] != '.' || own != section || strncmp(word, words[i], section + 1) != 0)) continue;
    const bool brief = !same && length > LONG && words[i][own] == '.';
    if (brief && section_seen(words, i, own + 1)) continue;
    ripstop_text_add(out, brief ? "%s%.*s.KEY" : "%s%.*s", listed++ ? ", " : "", (int)(brief ? own : strlen(words[i])),
                     words[i]);
  }
  return listed;
}

/* A key of a section that is called without it, 'load' for 'traffic.load'. */
static const char *whole_key(const char *word, const char *const *words) {
  for (; *words; words++) {
    const char *point = strrchr(*words, '.');
    if (point && !strcmp(point + 1, word)) return *words;
  }
  return NULL;
}

const char *reader_nearest(const char *word, const char *const *words) {
  const char *whole = whole_key(word, words);
  return whole ? whole : ripstop_nearest_word(word, words);
}

/* Names that the version before knew by other words. `what` is what the word was read as. */
static bool was_renamed(const reader *r, int line, const char *what, const char *word) {
  ripstop_error why = {0};
  const bool verdict = !strcmp(what, "verdict") || !strcmp(what, "share"), process = !strcmp(what, "faults.schedule");
  const char *kind = verdict ? "verdict" : process ? "process" : "key";
  const size_t length = process ? strcspn(word, ":") : strlen(word);
  if (!ripstop_renamed_fails(kind, word, length, &why)) return false;
  reader_fail(r, line, "%s", why.text);
  return true;
}

int reader_unknown(const reader *r, int line, const char *what, const char *word, const char *const *words) {
  if (was_renamed(r, line, what, word)) return -1;
  const char *near = reader_nearest(word, words);
  if (near) return reader_fail(r, line, "%s '%s' is unknown; did you mean '%s'?", what, word, near);
  RIPSTOP_LOCAL_TEXT(all);
  if (!list_words(&all, word, words, true)) list_words(&all, word, words, false);
  reader_fail(r, line, "%s '%s' is unknown; known here: %s", what, word, all.data ? all.data : "nothing");
  return -1;
}

bool reader_is_word(const char *text, const char *const *words) {
  for (size_t i = 0; words[i]; i++)
    if (!strcmp(text, words[i])) return true;
  return false;
}

int reader_map(const reader *r, const yaml_node *node, const char *what, const char *const *words) {
  if (node->kind != YAML_MAP)
    return reader_fail(r, node->line, "%s must be a list of 'key: value', each on a line or in braces", what);
  for (size_t i = 0; i < node->count; i++) {
    const yaml_node *key = &node->key[i];
    if (reader_is_word(key->text, words)) continue;
    if (was_renamed(r, key->line, "key", ripstop_arena_printf(r->spec->arena, "%s.%s", what, key->text))) return -1;
    return reader_unknown(r, key->line, "key", key->text, words);
  }
  return 0;
}

int reader_value(const reader *r, const yaml_node *node, const char *what) {
  if (node->kind != YAML_VALUE)
    return reader_fail(r, node->line, "%s must be one plain value, not a %s", what,
                       node->kind == YAML_LIST ? "list" : "mapping");
  for (const char *c = node->text; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 127)
      return reader_fail(r, node->line, "%s contains a control character or a line break", what);
  return 0;
}

static const char *one_line(ripstop_arena *arena, const char *text) {
  char *copy = ripstop_arena_text(arena, text);
  for (char *c = copy; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 127) *c = ' ';
  for (size_t n = strlen(copy); n && copy[n - 1] == ' '; n--) copy[n - 1] = 0;
  return copy;
}

int reader_text(const reader *r, const yaml_node *map, const char *key, const char **out) {
  const yaml_node *node = yaml_get(map, key);
  if (!node) return 0;
  if (node->kind != YAML_VALUE) return reader_fail(r, node->line, "%s must be plain text", key);
  *out = one_line(r->spec->arena, node->text);
  return 0;
}

int reader_needed(const reader *r, const yaml_node *map, const char *what, const char *key, const char **out) {
  if (!yaml_get(map, key)) return reader_fail(r, map->line, "%s needs the key '%s'", what, key);
  if (reader_text(r, map, key, out)) return -1;
  return **out ? 0 : reader_fail(r, yaml_get(map, key)->line, "%s is empty", key);
}

int reader_real(const reader *r, const yaml_node *node, const char *what, double *out) {
  ripstop_error why;
  if (reader_value(r, node, what)) return -1;
  if (ripstop_parse_real(node->text, out, &why)) return reader_fail(r, node->line, "%s: %s", what, why.text);
  return 0;
}

int reader_word(const reader *r, const yaml_node *map, const char *key, const char *const *words, int *out) {
  const yaml_node *node = yaml_get(map, key);
  if (!node) return 0;
  if (reader_value(r, node, key)) return -1;
  for (int i = 0; words[i]; i++)
    if (!strcmp(node->text, words[i])) {
      *out = i;
      return 0;
    }
  return reader_unknown(r, node->line, key, node->text, words);
}

int reader_id(const reader *r, const yaml_node *map, const char *what, const char **out) {
  if (reader_needed(r, map, what, "id", out)) return -1;
  size_t good = strspn(*out, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-");
  if ((*out)[good] || strlen(*out) > 100)
    return reader_fail(r, yaml_get(map, "id")->line, "id '%s' may have letters, digits and '-' only", *out);
  if (!strcmp(*out, "claims") || !strcmp(*out, "runs")) /* the report's own CSV files */
    return reader_fail(r, yaml_get(map, "id")->line, "the id '%s' is taken by the report", *out);
  return 0;
}

/* ------------------------------------------------------------------ filters */

static bool same_value(const ripstop_setting *setting, const char *text) {
  double a, b;
  ripstop_error ignored;
  if (!strcmp(setting->written, text) || (setting->text && !strcmp(setting->text, text))) return true;
  return !ripstop_parse_real(setting->written, &a, &ignored) && !ripstop_parse_real(text, &b, &ignored) && a == b;
}

/* The words of an axis, for messages and for the search of the nearest. */
static const char *const *axis_words(const reader *r, const ripstop_axis *axis) {
  const char **words = RIPSTOP_ARRAY(r->spec->arena, axis->full_count + 1, const char *);
  for (size_t i = 0; i < axis->full_count; i++) words[i] = axis->full[i].written;
  return words;
}

static int no_such_setting(const reader *r, const ripstop_axis *axis, const yaml_node *node) {
  double number;
  ripstop_error ignored;
  if (ripstop_parse_real(node->text, &number, &ignored))
    return reader_unknown(r, node->line, axis->key, node->text, axis_words(r, axis));
  ripstop_text all = {0}; /* the nearest number is no likely misspelling */
  for (size_t i = 0; i < axis->full_count; i++) ripstop_text_add(&all, "%s%s", i ? ", " : "", axis->full[i].written);
  reader_fail(r, node->line, "no run has %s = %s; there are %s", axis->key, node->text, all.data);
  ripstop_text_free(&all);
  return -1;
}

/* NULL: none of these is it. */
static const ripstop_setting *find_setting(const ripstop_setting *setting, const ripstop_setting *const *sorted,
                                           size_t count, const char *text) {
  const ripstop_setting *found = axis_find(sorted, count, text);
  for (size_t i = 0; i < count && !found; i++)
    if (same_value(&setting[i], text)) found = &setting[i];
  return found;
}

int reader_setting(const reader *r, const ripstop_axis *axis, const yaml_node *node, const ripstop_setting **out) {
  if (reader_value(r, node, axis->key)) return -1;
  /* Settings in use come first: the expansion finds out what they mean. */
  *out = find_setting(axis->setting, axis->by_written, axis->count, node->text);
  if (!*out) *out = find_setting(axis->full, axis->full_by_written, axis->full_count, node->text);
  if (*out) return 0;
  if (axis->full_count) return no_such_setting(r, axis, node);
  ripstop_setting *own = RIPSTOP_NEW(r->spec->arena, ripstop_setting); /* known only when the fault sets are */
  *own = (ripstop_setting){.written = node->text, .text = node->text, .line = node->line};
  *out = own;
  return 0;
}

const char *reader_known(const ripstop_setting *setting) { return setting->text ? setting->text : setting->written; }

const char *const *reader_outcomes(const reader *r) {
  const ripstop_axis *model = ripstop_spec_axis(r->spec, "flow.model");
  for (size_t i = 0; model && i < model->full_count + model->count; i++) {
    const ripstop_setting *setting = i < model->count ? &model->setting[i] : &model->full[i - model->count];
    if (!strcmp(reader_known(setting), ripstop_model_words[RIPSTOP_MODEL_FLOW])) return ripstop_outcome_words;
  }
  const char **words = RIPSTOP_ARRAY(r->spec->arena, RIPSTOP_OUTCOMES, const char *);
  memcpy(words, ripstop_outcome_words, OUTCOME_DISCONNECTED * sizeof *words);
  return words;
}

static const ripstop_axis *verdict_axis(const reader *r) {
  const char *const *words = reader_outcomes(r);
  ripstop_axis *axis = RIPSTOP_NEW(r->spec->arena, ripstop_axis);
  axis->key = "verdict";
  while (words[axis->full_count]) axis->full_count++;
  axis->full = RIPSTOP_ARRAY(r->spec->arena, axis->full_count, ripstop_setting);
  for (size_t i = 0; i < axis->full_count; i++)
    axis->full[i] = (ripstop_setting){.written = words[i], .text = words[i]};
  return axis;
}

static bool has_number(const ripstop_axis *axis) {
  double number;
  ripstop_error ignored;
  for (size_t i = 0; i < axis->full_count; i++)
    if (!ripstop_parse_real(axis->full[i].written, &number, &ignored)) return true;
  return false;
}

static int read_filter(const reader *r, const ripstop_axis *axis, const yaml_node *node, ripstop_filter *out) {
  const yaml_node *item;
  size_t count;
  if (reader_items(r, node, axis->key, has_number(axis), &item, &count)) return -1;
  const ripstop_setting **setting = RIPSTOP_ARRAY(r->spec->arena, count, const ripstop_setting *);
  for (size_t i = 0; i < count; i++)
    if (reader_setting(r, axis, &item[i], &setting[i])) return -1;
  *out = (ripstop_filter){.key = axis->key, .count = count, .setting = setting};
  return 0;
}

static const char *const *filter_words(const reader *r, bool verdicts) {
  const char **words = RIPSTOP_ARRAY(r->spec->arena, r->spec->axes + 2, const char *);
  for (size_t i = 0; i < r->spec->axes; i++) words[i] = r->spec->axis[i].key;
  if (verdicts) words[r->spec->axes] = "verdict";
  return words;
}

int reader_filters(const reader *r, const yaml_node *node, const char *what, bool verdicts, const ripstop_filter **out,
                   size_t *count) {
  *out = NULL, *count = 0;
  if (!node) return 0;
  if (reader_map(r, node, what, filter_words(r, verdicts))) return -1;
  ripstop_filter *filter = RIPSTOP_ARRAY(r->spec->arena, node->count, ripstop_filter);
  for (size_t i = 0; i < node->count; i++) {
    const ripstop_axis *axis = ripstop_spec_axis(r->spec, node->key[i].text);
    if (read_filter(r, axis ? axis : verdict_axis(r), &node->item[i], &filter[i])) return -1;
  }
  *out = filter, *count = node->count;
  return 0;
}

const ripstop_filter *reader_filter(const ripstop_filter *filter, size_t count, const char *key) {
  for (size_t i = 0; i < count; i++)
    if (!strcmp(filter[i].key, key)) return &filter[i];
  return NULL;
}

size_t reader_remaining(const ripstop_axis *axis, const ripstop_filter *filter, size_t filters) {
  const ripstop_filter *own = reader_filter(filter, filters, axis->key);
  if (own) return own->count;
  return axis->count > axis->full_count ? axis->count : axis->full_count;
}

int reader_list(const reader *r, const yaml_node *node, const char *name) {
  if (node->kind == YAML_LIST) return 0;
  return reader_fail(r, node->line, "%s must be a list, each item starting with '- '", name);
}

int reader_other_id(const reader *r, const char *id, int line, const char *other, int other_line) {
  return strcmp(id, other) ? 0 : reader_fail(r, line, "the id '%s' is taken in line %d", id, other_line);
}

/* variant.c - how an experiment differs from its file: values of --set in place of the file's, and the offset of its
 * seeds.
 *
 * A value of --set is read as the file's `quick:` section is, by the same readers. Its nodes have the lines -1, -2,
 * ...: so messages say which --set they are about (reader_fail). */
#include <stdlib.h>
#include <string.h>

#include "experiment/reader.h"

static yaml_node moved(ripstop_arena *arena, yaml_node node, int line) {
  yaml_node *item = RIPSTOP_ARRAY(arena, node.count, yaml_node);
  for (size_t i = 0; i < node.count; i++) item[i] = moved(arena, node.item[i], line);
  node.item = item, node.line = line;
  return node;
}

/* The value may be empty: it is the empty text then. */
static int read_set(const reader *r, size_t number, yaml_node *key, yaml_node *value) {
  const char *text = r->variant->set[number], *equals = strchr(text, '=');
  int line = -(int)number - 1;
  ripstop_error why;
  if (!equals || equals == text)
    return reader_fail(r, line, "must be KEY=VALUE, as in 'seed=7' or 'faults.count=[0, 3]'");
  *key = (yaml_node){.line = line, .text = ripstop_arena_printf(r->spec->arena, "%.*s", (int)(equals - text), text)};
  *value = (yaml_node){.line = line, .text = ""};
  if (!equals[1]) return 0;
  if (yaml_read(r->spec->arena, "", equals + 1, strlen(equals + 1), value, &why)) {
    const char *what = strstr(why.text, ": "); /* without the line */
    return reader_fail(r, line, "%s", what ? what + 2 : why.text);
  }
  *value = moved(r->spec->arena, *value, line);
  return 0;
}

int reader_variant(reader *r) {
  size_t count = r->variant->sets;
  yaml_node *map = RIPSTOP_NEW(r->spec->arena, yaml_node);
  yaml_node *key = RIPSTOP_ARRAY(r->spec->arena, count, yaml_node);
  yaml_node *item = RIPSTOP_ARRAY(r->spec->arena, count, yaml_node);
  for (size_t i = 0; i < count; i++) {
    if (read_set(r, i, &key[i], &item[i])) return -1;
    for (size_t j = 0; j < i; j++)
      if (!strcmp(key[j].text, key[i].text)) return reader_fail(r, key[i].line, "%s is set twice", key[i].text);
  }
  *map = (yaml_node){.kind = YAML_MAP, .count = count, .item = item, .key = key};
  r->set = map;
  return 0;
}

/* Keys that are no axes. */
static const char *const others[] = {FAULTS_SAMPLES, "link.rate", "link.flit"};
enum { OTHERS = sizeof others / sizeof *others };

const char *const *reader_replaceable(const reader *r) {
  const char **words = RIPSTOP_ARRAY(r->spec->arena, r->spec->axes + 1 + OTHERS, const char *);
  for (size_t i = 0; i < r->spec->axes; i++) words[i] = r->spec->axis[i].key;
  for (size_t i = 0; i < OTHERS; i++) words[r->spec->axes + i] = others[i];
  return words;
}

/* ------------------------------------------------------------------ seeds */

static uint64_t seed_of(const ripstop_setting *setting) { return strtoull(setting->text, NULL, 10); }

static bool is_seed_of(const ripstop_setting *setting, size_t count, uint64_t seed) {
  for (size_t i = 0; i < count; i++)
    if (seed_of(&setting[i]) == seed) return true;
  return false;
}

/* A seed that an experiment has already would be no new one, and its name would mean two. */
static int check_offset(const reader *r, const ripstop_setting *setting, size_t count, uint64_t offset) {
  for (size_t i = 0; i < count; i++) {
    if (seed_of(&setting[i]) > UINT64_MAX - offset)
      return ripstop_fail(r->err, "%s: --seed-offset %llu: seed %s is too large for it", r->file,
                          (unsigned long long)offset, setting[i].written);
    if (is_seed_of(setting, count, seed_of(&setting[i]) + offset))
      return ripstop_fail(r->err,
                          "%s: --seed-offset %llu: %s and another of the seeds are that far apart; take a larger one",
                          r->file, (unsigned long long)offset, setting[i].written);
  }
  return 0;
}

static int add_offset(const reader *r, ripstop_setting *setting, size_t count, uint64_t offset) {
  if (check_offset(r, setting, count, offset)) return -1;
  for (size_t i = 0; i < count; i++)
    setting[i].text = ripstop_arena_printf(r->spec->arena, "%llu", (unsigned long long)(seed_of(&setting[i]) + offset));
  return 0;
}

static int move_seeds(const reader *r) {
  const ripstop_axis *seed = ripstop_spec_axis(r->spec, "seed");
  uint64_t offset = r->variant->seed_offset;
  if (!offset) return 0;
  if (add_offset(r, seed->full, seed->full_count, offset)) return -1;
  return seed->setting == seed->full ? 0 : add_offset(r, seed->setting, seed->count, offset);
}

/* Keys that are no axes are read where they belong. */
static int check_keys(const reader *r) {
  const char *const *words = reader_replaceable(r);
  for (size_t i = 0; i < r->set->count; i++) {
    const yaml_node *key = &r->set->key[i];
    if (strcmp(key->text, FAULTS_FILE) && !reader_is_word(key->text, words)) return reader_no_key(r, key, words);
  }
  return 0;
}

int reader_check_variant(const reader *r) { return check_keys(r) || move_seeds(r) ? -1 : 0; }

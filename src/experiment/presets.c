/* presets.c - switch.preset: the values of other keys by one word. What a file or the command line says of a key goes
 * before it.
 *
 * A preset may need keys that a version does not have yet: then it is refused, and the message names the key. */
#include "experiment/presets.h"

#include <string.h>

static const struct preset {
  const char *name, *keys;
} presets[] = {{"plain", ""},
               {"ideal", "queues=output in_queue=unlimited"},
               {"modern", "queues=voq match=maximal speedup=2 in_queue=16 out_queue=8"},
               {0}};

static const char *keys_of(const char *name) {
  const struct preset *p = presets;
  while (p->name && strcmp(p->name, name) != 0) p++;
  return p->name ? p->keys : "";
}

/* The first key of a list; its text is `length` long, the value begins behind its `=`. */
static size_t key_length(const char *keys) { return strcspn(keys, "="); }
static const char *next_key(const char *keys) {
  keys += strcspn(keys, " ");
  return *keys ? keys + 1 : keys;
}

const char *preset_value(ripstop_arena *arena, const char *preset, const char *key) {
  for (const char *at = keys_of(preset); *at; at = next_key(at)) {
    const size_t length = key_length(at);
    if (strlen(key) == length && !strncmp(at, key, length))
      return ripstop_arena_printf(arena, "%.*s", (int)strcspn(at + length + 1, " "), at + length + 1);
  }
  return NULL;
}

static int check_key(const reader *r, const ripstop_option *options, const ripstop_setting *setting, const char *at) {
  const ripstop_option *option = options;
  while (option->name && (strlen(option->name) != key_length(at) || strncmp(option->name, at, key_length(at)) != 0))
    option++;
  if (!option->name)
    return reader_fail(r, setting->line, "switch.preset = %s needs switch.%.*s, which this version does not have",
                       setting->text, (int)key_length(at), at);
  axis_kind kind = axis_of_option("switch", options, option);
  const char *value = preset_value(r->spec->arena, setting->text, option->name);
  ripstop_setting never;
  ripstop_error why;
  if (!kind.canonical(r, &kind, value, &never, &why)) return 0;
  return reader_fail(r, setting->line, "switch.preset = %s needs switch.%s = %s: %s", setting->text, option->name,
                     value, why.text);
}

int preset_check(const reader *r, const ripstop_option *options, ripstop_axis *axis) {
  const ripstop_setting *setting = axis->setting;
  if (axis->count != 1)
    return reader_fail(r, setting[1].line, "switch.preset: one word, not a list: it stands for other keys");
  for (const char *at = keys_of(setting->text); *at; at = next_key(at))
    if (check_key(r, options, setting, at)) return -1;
  axis->silent = setting->text;
  return 0;
}

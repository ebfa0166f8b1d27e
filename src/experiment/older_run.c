/* older_run.c - what a run that an earlier version stored means today (docs/design/0061-stores-migrate.md).
 *
 * Words of its canonical text that have changed are replaced (base/renamed.c), and a line that today's text leaves out
 * is dropped. Its line `source` must then be that of a known version, whose plug-ins give the same numbers as those of
 * today, except the ones in `changes`. */
#include "experiment/older_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/growing.h"
#include "base/local.h"
#include "base/renamed.h"
#include "experiment/inner_runs.h"
#include "experiment/plugin_hash.h"

/* Runs whose numbers have changed: a part of their canonical text, and the last version that had the old numbers. A
 * change that alters numbers without another model adds its line here; cli_store_migrate fails without it. */
static const struct {
  const char *part, *last, *why;
} changes[] = {
    {"protocol=printed", "c846427f", "immunet:protocol=printed: proofs walk the tree of the printed protocol"},
    {"control_path=safe", "c846427f", "immunet:control_path=safe: runs have the values control.settling.KIND"},
    {"method=mend", "1761fe65", "mend: routes of damaged fat trees are shorter"},
    {"method=ugal-global", "1761fe65", "ugal-global: routers report the loads of their own cables"},
    {"\nswitch.speedup=", "1761fe65", "switch.speedup: each head of an input queue is bound by itself"},
    {"\nswitch.out_queue=unlimited", "1761fe65",
     "switch.out_queue: unlimited: packets take their space behind the link when they cross"},
    {"\nswitch.queues=output", "1761fe65",
     "switch.queues: output: packets are marked by the queue of their own channel"},
    {"\nworkload.transport=trim", "1761fe65",
     "workload.transport: trim: acknowledgements carry the number of requests"},
    {NULL, NULL, NULL}};

/* ------------------------------------------------------------------ words */

/* A line of a canonical text. */
typedef struct line {
  const char *key, *value;
} line;

static int by_key(const void *a, const void *b) { return strcmp(((const line *)a)->key, ((const line *)b)->key); }

static const char *key_now(const char *key) {
  const char *now = ripstop_renamed_find("key", key, strlen(key));
  return now ? now : key;
}

/* A process has its options behind its name. */
static const char *value_now(ripstop_arena *arena, const char *key, const char *value) {
  const size_t length = strcspn(value, ":");
  const char *now = strcmp(key, "faults.schedule") ? NULL : ripstop_renamed_find("process", value, length);
  return now ? ripstop_arena_printf(arena, "%s%s", now, value + length) : value;
}

static line read_line(ripstop_arena *arena, const char *text, size_t length) {
  char *key = ripstop_arena_printf(arena, "%.*s", (int)length, text), *equals = strchr(key, '=');
  if (!equals) return (line){key, ""};
  *equals = '\0';
  const char *now = key_now(key);
  return (line){now, value_now(arena, now, equals + 1)};
}

/* The time-out of transports was 100,000 cycles by default, and every run of jobs named it. Today's default is not
 * named, and means something else, so only runs without a transport are the same. */
static const char old_timeout[] = "\nworkload.timeout=100000\n", no_transport[] = "\nworkload.transport=none\n";

static bool has_idle_timeout(const char *canonical) {
  return strstr(canonical, old_timeout) && strstr(canonical, no_transport);
}

/* The canonical text in the words of today, with this source; NULL: the source that it has. */
static const char *renamed(ripstop_arena *arena, const char *canonical, const char *source) {
  line *all = NULL;
  size_t count = 0, room = 0;
  const bool idle = has_idle_timeout(canonical);
  RIPSTOP_LOCAL_TEXT(text);
  for (const char *at = canonical; *at; at += strcspn(at, "\n"), at += *at == '\n') {
    RIPSTOP_GROW_IN(arena, all, count, room);
    all[count] = read_line(arena, at, strcspn(at, "\n"));
    if (source && !strcmp(all[count].key, "source")) all[count].value = source;
    count += !idle || strcmp(all[count].key, "workload.timeout") != 0;
  }
  if (count) qsort(all, count, sizeof *all, by_key);
  for (size_t i = 0; i < count; i++) ripstop_text_add(&text, "%s=%s\n", all[i].key, all[i].value);
  return ripstop_arena_text(arena, count ? text.data : "");
}

/* ------------------------------------------------------------------ versions */

static const known_version *version_of(const source_spec *spec, const char *source) {
  char hash[SOURCE_HASH];
  for (const known_version *v = known_versions; v->revision; v++) {
    source_hash(spec, v, hash);
    if (!strcmp(hash, source)) return v;
  }
  return NULL;
}

/* Why a run of this version has other numbers today; NULL: it has the same. */
static const char *change_since(const char *text, const known_version *version) {
  for (size_t i = 0; changes[i].part; i++) {
    const known_version *last = known_versions;
    while (strcmp(last->revision, changes[i].last) != 0) last++;
    if (version <= last && strstr(text, changes[i].part)) return changes[i].why;
  }
  return NULL;
}

static older_answer again(const char **why, const char *text) {
  *why = text;
  return OLDER_AGAIN;
}

older_answer ripstop_older_run(ripstop_arena *arena, const char *canonical, const char **now, const char **why) {
  const char *text = renamed(arena, canonical, NULL), *model = source_value(arena, text, "model");
  const char *source = source_value(arena, text, "source");
  if (ripstop_canonical_is_current(canonical)) {
    *now = text;
    return has_idle_timeout(canonical) ? OLDER_RENAMED : OLDER_CURRENT;
  }
  if (!model || strcmp(model, SOURCE_MODEL) != 0)
    return again(
        why, ripstop_arena_printf(arena, "model %s: this version's model " SOURCE_MODEL " has other %s",
                                  model ? model : "unknown",
                                  model && strtol(model, NULL, 10) == RIPSTOP_MODEL_VERSION ? "intervals" : "numbers"));
  const source_spec spec = source_spec_of(arena, text);
  const known_version *version = source ? version_of(&spec, source) : NULL;
  if (!version)
    return again(why, ripstop_arena_printf(arena, "method %.*s: sources of no known version",
                                           (int)strcspn(spec.part[SOURCE_METHOD], ":"), spec.part[SOURCE_METHOD]));
  const char *change = change_since(text, version);
  if (change) return again(why, change);
  char hash[SOURCE_HASH];
  source_hash(&spec, NULL, hash);
  *now = renamed(arena, canonical, hash);
  return OLDER_RENAMED;
}

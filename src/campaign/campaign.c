/* campaign.c - an experiment, its runs and its store: opened, and closed again.
 *
 * What a campaign is opened for decides how much of it there is: those who only read rows do not try the runs against
 * the simulator, which can take seconds, and of several ranks the first alone has a store. */
#include "campaign/campaign.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/local.h"
#include "base/locale.h"
#include "base/memory.h"
#include "campaign/shard.h"
#include "campaign/todo.h"
#include "experiment/inner_runs.h"

ripstop_campaign_settings ripstop_campaign_defaults(const char *file) {
  return (ripstop_campaign_settings){.file = file, .shard = {1, 1}, .every = 1};
}

/* ------------------------------------------------------------------ the experiment */

static int is_there(const char *path, ripstop_error *err) {
  if (!access(path, F_OK)) return 1;
  return errno == ENOENT ? 0 : ripstop_fail_system(err, errno, "%s", path);
}

/* Another experiment's store can be used if that stands beside this one. */
static int check_neighbour(const ripstop_campaign *c, ripstop_error *err) {
  const ripstop_spec *spec = c->spec;
  const char *slash = strrchr(spec->file, '/'), *name = strrchr(spec->store, '/');
  if (!strcmp(spec->store, spec->name)) return 0;
  const char *path = ripstop_arena_printf(c->arena, "%.*s%s.yaml", slash ? (int)(slash - spec->file) + 1 : 0,
                                          spec->file, name ? name + 1 : spec->store);
  const int there = is_there(path, err);
  if (there) return there > 0 ? 0 : -1;
  return ripstop_fail(err, "%s:%d: store: there is no experiment %s", spec->file, spec->store_line, path);
}

static bool is_for_rows(const ripstop_campaign *c) {
  return c->settings.mode == RIPSTOP_CAMPAIGN_READ || c->settings.mode == RIPSTOP_CAMPAIGN_READ_ANY;
}

static int read_experiment(ripstop_campaign *c, ripstop_error *err) {
  const ripstop_campaign_settings *s = &c->settings;
  if (!s->spec && !(c->read = ripstop_spec_read(s->file, &s->variant, err))) return -1;
  c->spec = s->spec ? s->spec : c->read;
  if (check_neighbour(c, err)) return -1;
  c->runs = (is_for_rows(c) ? ripstop_expand_untried : ripstop_expand)(c->spec, err);
  return c->runs ? 0 : -1;
}

/* ------------------------------------------------------------------ the runs of the part */

static const char *id_of(const ripstop_run *run, ripstop_arena *arena) { return (void)arena, run->id; }

/* A fault set that stands twice in a file makes two runs of one name. */
static void deal(ripstop_campaign *c) {
  const size_t count = c->runs->count;
  c->own = RIPSTOP_ARRAY(c->arena, count, const ripstop_run *);
  for (size_t i = 0; i < count; i++) c->own[i] = &c->runs->run[i];
  c->owns = ripstop_shard_runs(c->settings.shard, c->own, campaign_distinct(c->arena, id_of, c->own, count));
}

/* ------------------------------------------------------------------ the store */

/* A part has a store of its own. */
static const char *name_store(const ripstop_campaign *c) {
  const ripstop_shard shard = c->settings.shard;
  if (c->settings.store) return c->settings.store;
  return shard.of > 1 ? ripstop_arena_printf(c->arena, "out/%s.%u-of-%u.db", c->spec->store, shard.part, shard.of)
                      : ripstop_arena_printf(c->arena, "out/%s.db", c->spec->store);
}

/* A store that was named is expected to be there, unless the campaign is only estimated. */
static bool may_be_missing(const ripstop_campaign *c) {
  const ripstop_campaign_mode mode = c->settings.mode;
  return mode == RIPSTOP_CAMPAIGN_ESTIMATE || (mode == RIPSTOP_CAMPAIGN_READ_ANY && !c->settings.store);
}

static int open_store(ripstop_campaign *c, ripstop_error *err) {
  if (c->settings.mode == RIPSTOP_CAMPAIGN_CHECK) return 0;
  c->store_path = name_store(c);
  const int there = may_be_missing(c) ? is_there(c->store_path, err) : 1;
  if (there <= 0) return there;
  c->store = ripstop_store_open(
      c->store_path, c->settings.mode == RIPSTOP_CAMPAIGN_RUN ? RIPSTOP_STORE_WRITE : RIPSTOP_STORE_READ, err);
  return c->store ? 0 : -1;
}

/* ------------------------------------------------------------------ open and close */

static int open_here(void *context, bool first, ripstop_error *err) {
  ripstop_campaign *c = context;
  if (read_experiment(c, err)) return -1;
  if (!is_for_rows(c)) deal(c);
  return first ? open_store(c, err) : 0;
}

static void describe(const void *context, ripstop_text *out) {
  const ripstop_campaign *c = context;
  RIPSTOP_LOCAL_TEXT(names);
  char hash[RIPSTOP_HASH];
  for (size_t i = 0; i < c->runs->count; i++) ripstop_text_add_bytes(&names, c->runs->run[i].id, RIPSTOP_RUN_ID);
  ripstop_hash(names.data, names.length, hash);
  ripstop_text_add(out, "%zu runs, whose names have the hash %.16s, in ripstop %s", c->runs->count, hash,
                   RIPSTOP_VERSION);
}

ripstop_campaign *ripstop_campaign_open(const ripstop_campaign_settings *settings, ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_campaign *c = RIPSTOP_NEW(arena, ripstop_campaign);
  *c = (ripstop_campaign){.settings = *settings, .arena = arena, .began = ripstop_seconds_now()};
  const ripstop_joint joint = {open_here, describe, c};
  int status = settings->ranks ? ripstop_ranks_join(settings->ranks, &joint, settings->prove ? 2 : 1, err)
                               : open_here(c, true, err);
  if (!status) return c;
  ripstop_campaign_close(c);
  return NULL;
}

int ripstop_campaign_end(ripstop_campaign *c, ripstop_error *err) {
  int status = c ? ripstop_store_end(c->store, err) : 0;
  if (c) c->store = NULL;
  ripstop_campaign_close(c);
  return status;
}

void ripstop_campaign_close(ripstop_campaign *c) {
  if (!c) return;
  ripstop_store_close(c->store);
  ripstop_runs_free(c->runs);
  ripstop_spec_free(c->read);
  ripstop_arena_free(c->arena);
}

const ripstop_campaign_settings *ripstop_campaign_settings_of(const ripstop_campaign *c) { return &c->settings; }

const ripstop_runs *ripstop_campaign_runs(const ripstop_campaign *c) { return c->runs; }

const char *ripstop_campaign_store_path(const ripstop_campaign *c) { return c->store_path; }

const ripstop_campaign_progress *ripstop_campaign_state(const ripstop_campaign *c) { return &c->progress; }

/* ------------------------------------------------------------------ events */

void campaign_notify(ripstop_campaign *c, const ripstop_campaign_event *event) {
  ripstop_campaign_event whole = *event;
  whole.campaign = c, whole.progress = &c->progress;
  c->progress.seconds = ripstop_seconds_now() - c->began;
  if (c->settings.progress) c->settings.progress(c->settings.context, &whole);
}

void campaign_warn(ripstop_campaign *c, const char *fmt, ...) {
  char text[2048];
  va_list args;
  va_start(args, fmt);
  ripstop_format_list(text, sizeof text, fmt, args);
  va_end(args);
  campaign_notify(c, &(ripstop_campaign_event){.kind = RIPSTOP_CAMPAIGN_WARNS, .text = text});
}

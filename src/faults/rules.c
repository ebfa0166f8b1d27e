/* rules.c - looks up processes by name, and helpers that they share. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef malloc /* only functions of the header use them that are not called here */
#undef free
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/local.h"
#include "base/memory.h"
#include "base/registry.h"
#include "base/renamed.h"
#include "faults/fault_syntax.h"
#include "faults/outages.h"

/* ------------------------------------------------------------------ by name */

static ripstop_plugin process_at(size_t i) { return RIPSTOP_PLUGIN(ripstop_processes[i]); }
static const ripstop_registry processes = {"process", RIPSTOP_PROCESS_ABI, process_at};

/* A process of today, or one that the version before had by this name. */
static bool is_process(const char *text, size_t length) {
  return ripstop_registry_has(&processes, text, length) || ripstop_renamed_find("process", text, length);
}

bool ripstop_rule_is_meant(const char *text) {
  if (is_process(text, strcspn(text, ":"))) return true;
  return strchr(text, ':') && !strchr(text, '@') && !strchr(text, '/');
}

/* The text before a colon is the name of a process, or nearly one. */
static bool is_nearly_process(const char *text) {
  enum { NAMES = 32 };
  char word[32];
  const char *names[NAMES + 1] = {NULL};
  const size_t length = strcspn(text, ":");
  if (is_process(text, length)) return true;
  if (text[length] != ':' || length >= sizeof word) return false;
  for (size_t i = 0; ripstop_processes[i] && i < NAMES; i++) names[i] = ripstop_processes[i]->name;
  snprintf(word, sizeof word, "%.*s", (int)length, text);
  return ripstop_nearest_word(word, names) != NULL;
}

ripstop_faults_kind ripstop_faults_kind_of(const char *text) {
  if (*text && text[strspn(text, "0123456789")] == '\0') return RIPSTOP_FAULTS_KIND_COUNT;
  const bool is_group =
      !strncmp(text, RIPSTOP_GROUP_PREFIX, sizeof RIPSTOP_GROUP_PREFIX - 1); /* "groups" is a process */
  return strchr(text, '@') || (!is_group && is_nearly_process(text)) ? RIPSTOP_FAULTS_KIND_CHANGES
                                                                     : RIPSTOP_FAULTS_KIND_PARTS;
}

const ripstop_process *ripstop_process_find(const char *name, size_t length, ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  return ripstop_registry_find(&processes, name, length, err);
}

static const char *canonical(ripstop_arena *arena, const ripstop_process *process, const void *config) {
  RIPSTOP_LOCAL_TEXT(text);
  ripstop_text_add(&text, "%s:", process->name);
  ripstop_options_print(&text, process->options, config);
  const char *spec = ripstop_arena_text(arena, text.data);
  return spec;
}

const char *ripstop_process_canonical(ripstop_arena *arena, const char *spec, ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  void *config;
  const ripstop_process *process = ripstop_registry_open(&processes, arena, spec, &config, err);
  return process ? canonical(arena, process, config) : NULL;
}

int ripstop_rule_open(ripstop_arena *arena, const ripstop_names *names, const char *spec, const char *beside,
                      ripstop_rule *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  void *config;
  const void *table = NULL;
  const ripstop_process *process = ripstop_registry_open(&processes, arena, spec, &config, err);
  if (!process) return -1;
  if (process->prepare && process->prepare(arena, names, beside, config, &table, err)) return -1;
  *out =
      (ripstop_rule){.process = process, .config = config, .table = table, .spec = canonical(arena, process, config)};
  return 0;
}

int ripstop_rule_sample(ripstop_arena *arena, const ripstop_fabric *fabric, const ripstop_faults *faults,
                        const ripstop_rule *rule, uint64_t seed, uint64_t index, ripstop_schedule *out,
                        ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  ripstop_process_case at = {.fabric = fabric, .faults = faults, .seed = seed, .index = index};
  ripstop_outages outages = {0};
  int status = rule->process->sample(&at, rule->config, rule->table, &outages, err);
  if (!status && outages.full)
    status = ripstop_fail(err, "process %s: more than %d failures", rule->process->name, RIPSTOP_OUTAGES_MAX);
  if (!status) ripstop_outages_settle(&outages, arena, fabric, faults, out);
  ripstop_free(outages.list);
  return status;
}

/* ------------------------------------------------------------------ helpers of processes */

int ripstop_process_open_scope(ripstop_arena *arena, const ripstop_names *names, const char *beside, void *config,
                               const void **table, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  (void)beside;
  const char **name = config;
  const ripstop_fault_scope *scope;
  if (ripstop_scope_open(arena, names, *name, &scope, err)) return -1;
  *name = ripstop_scope_name(scope);
  *table = scope;
  return 0;
}

int ripstop_process_parts(const ripstop_process_case *at, const ripstop_fault_scope *scope, uint32_t count, bool cut,
                          uint32_t *id, ripstop_error *err) {
  const ripstop_fabric *f = at->fabric;
  uint32_t found = 0;
  ripstop_stream stream = ripstop_stream_open(at->seed, RIPSTOP_RANDOM_SCHEDULE, at->index);
  if (count <= ripstop_faults_population(f, scope)) {
    ripstop_view *view = ripstop_view_new(f, at->faults);
    found = ripstop_view_break(view, scope, count, cut, &stream, id);
    ripstop_view_free(view);
  }
  if (found == count) return 0;
  const char *kind = ripstop_scope_is_switches(scope) ? "switches" : "links";
  const bool whole = scope == RIPSTOP_FAULTS_SWITCH_LINKS || scope == RIPSTOP_FAULTS_SWITCHES;
  return ripstop_fail(err, "%u %s%s%s cannot fail in %s%s", count, kind, whole ? "" : " of ",
                      whole ? "" : ripstop_scope_name(scope), f->spec, cut ? "" : " without cutting it");
}

int ripstop_process_each(const ripstop_process_case *at, const ripstop_fault_scope *scope, uint32_t count, bool cut,
                         ripstop_process_part *part, const void *config, ripstop_outages *out, ripstop_error *err) {
  uint32_t *id = ripstop_realloc(NULL, count, sizeof *id);
  int status = ripstop_process_parts(at, scope, count, cut, id, err);
  for (uint32_t i = 0; !status && i < count; i++) part(at, config, id[i], ripstop_scope_is_switches(scope), out);
  ripstop_free(id);
  return status;
}

ripstop_stream ripstop_process_stream(const ripstop_process_case *at, uint32_t id, bool is_switch) {
  uint64_t part = id + (is_switch ? (uint64_t)at->fabric->links : 0);
  return ripstop_stream_open(at->seed, RIPSTOP_RANDOM_OUTAGE, at->index << 32 | part);
}

double ripstop_process_exponential(ripstop_stream *stream, double mean) {
  return -mean * log1p(-ripstop_stream_unit(stream));
}

int ripstop_process_file(ripstop_arena *arena, const char *beside, const char **file, const char **hash,
                         const char **path, char **text, size_t *length, ripstop_error *err) {
  const char *slash = beside && **file != '/' ? strrchr(beside, '/') : NULL, *last = strrchr(*file, '/');
  *path = slash ? ripstop_arena_printf(arena, "%.*s/%s", (int)(slash - beside), beside, *file) : *file;
  if (ripstop_read_file(arena, *path, RIPSTOP_FAULTS_FILE_LIMIT, text, length, err)) return -1;
  const char *digits = ripstop_arena_printf(arena, "%016" PRIx64, XXH3_64bits(*text, *length));
  if (**hash && strcmp(*hash, digits) != 0)
    return ripstop_fail(err, "%s: the content has the hash %s, not %.64s", *path, digits, *hash);
  *hash = digits;
  if (last) *file = last + 1;
  return 0;
}

/* prove_request.c - makes a question for the prover of the flags, with the fabric and the method. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/team.h"
#include "campaign/proof_parts.h"
#include "cli/cli.h"
#include "cli/prove.h"
#include "experiment/presets.h"
#include "experiment/units.h"
#include "report/proof_json.h"
#include "ripstop/kit/experiment.h"
#include "ripstop/kit/protocol.h"
#include "ripstop/kit/simulation.h"
#include "ripstop/plugin/method.h"
#include "ripstop/plugin/selection.h"
#include "ripstop/plugin/switch.h"

enum { SAMPLES_DEFAULT = 1000000 };
#define WIDTH_DEFAULT 0.01

/* Parts do not exchange results. */
static int check_parts(const prove_request *r, ripstop_error *err) {
  const prove_words *w = &r->words;
  bool known = !w->smallest_defeat && !(w->width > 0) && !w->rare && (!w->counted || w->all || w->samples);
  if (known || !(w->shard.of || w->merge || r->ranks)) return 0;
  return ripstop_fail(err, "prove: %s needs all sets of a known number: --all, --samples, --faults or --set",
                      r->ranks      ? "work on several ranks"
                      : w->shard.of ? "--shard"
                                    : "--merge");
}

static int read_numbers(prove_request *r, ripstop_error *err) {
  const prove_words *w = &r->words;
  ripstop_many *m = &r->many;
  if (w->destinations && w->confidence <= 0.5)
    return ripstop_fail(err, "prove: --confidence must be above 0.5 with --destinations");
  if (w->rare > w->count)
    return ripstop_fail(err, "prove: --rare %" PRIu64 " is more than the %" PRIu64 " parts of --count", w->rare,
                        w->count);
  m->part = w->shard.part;
  m->parts = w->shard.of;
  m->count = (uint32_t)w->count;
  m->samples = w->samples ? w->samples : SAMPLES_DEFAULT;
  m->seed = w->seed;
  m->confidence = w->confidence;
  m->half_width = w->samples || w->width > 0 ? w->width : WIDTH_DEFAULT;
  m->destinations = (uint32_t)w->destinations;
  m->random_headers = (uint32_t)w->random_headers;
  m->of_connected = w->of == 1;
  m->interval = (ripstop_interval_kind)w->interval;
  m->threads = w->workers ? w->workers : r->ranks ? ripstop_ranks_share(r->ranks) : ripstop_team_processors();
  m->symmetry = !w->no_symmetry;
  m->paths = w->paths;
  m->tolerance = w->tolerance;
  r->mixed = (ripstop_mixed){.before = &r->before,
                             .orders = (uint32_t)w->orders,
                             .in_order = w->in_order,
                             .for_ever = w->for_ever,
                             .two_writes = w->two_writes,
                             .repaired = w->repaired,
                             .of_protocol = ripstop_network_versions};
  m->mixed = w->transients ? &r->mixed : NULL;
  return 0;
}

/* Refuses more parts and sets than there are. */
static int check_counts(const prove_request *r, ripstop_error *err) {
  const ripstop_many *m = &r->many;
  const uint32_t parts = ripstop_faults_population(r->fabric, m->scope);
  if (m->count > parts)
    return ripstop_fail(err, "prove: --count %u, but %s has only %u parts of the kind '%s'", m->count, r->fabric->spec,
                        parts, ripstop_scope_name(m->scope));
  if (m->kind == RIPSTOP_SETS_ALL && ripstop_combinations_total(parts, m->count) == UINT64_MAX)
    return ripstop_fail(err, "prove: there are more sets of %u of %u parts than 64 bits count; draw --samples of them",
                        m->count, parts);
  if (m->destinations >= r->fabric->ends)
    return ripstop_fail(err, "prove: --destinations %u, but %s has %u; leave it out to prove all", m->destinations,
                        r->fabric->spec, r->fabric->ends);
  return 0;
}

/* The sets that words and files give. */
static int read_names(prove_request *r, const ripstop_names *names, ripstop_error *err) {
  const prove_words *w = &r->words;
  ripstop_many *m = &r->many;
  ripstop_faults *set = RIPSTOP_NEW(r->arena, ripstop_faults);
  int status = 0;
  if (w->before && ripstop_faults_parse(r->arena, names, w->before, strlen(w->before), &r->before, err))
    status = ripstop_fail_at(err, "--before");
  m->givens = m->kind == RIPSTOP_SETS_GIVEN;
  if (w->faults && !status) status = ripstop_faults_read(r->arena, names, w->faults, &set, &m->givens, err);
  if (w->faults && !status && !m->givens) status = ripstop_fail(err, "%s: there is no fault set in it", w->faults);
  if (w->set && !status && ripstop_faults_parse(r->arena, names, w->set, strlen(w->set), set, err))
    status = ripstop_fail_at(err, "--set");
  m->given = set;
  return status;
}

static int read_sets(prove_request *r, ripstop_error *err) {
  const prove_words *w = &r->words;
  ripstop_many *m = &r->many;
  m->kind = w->counted ? w->all ? RIPSTOP_SETS_ALL : RIPSTOP_SETS_SAMPLED : RIPSTOP_SETS_GIVEN;
  ripstop_names *names = ripstop_names_new(r->fabric);
  int status = w->scope ? ripstop_scope_open(r->arena, names, w->scope, &m->scope, err) : 0;
  if (status) ripstop_fail_at(err, "prove: --scope");
  if (!status) status = check_counts(r, err);
  if (!status) status = read_names(r, names, err);
  ripstop_names_free(names);
  return status;
}

/* ------------------------------------------------------------------ the method and its channels */

static bool has_option(const ripstop_method *method, const char *name) {
  for (const ripstop_option *o = method->options; o->name; o++)
    if (strcmp(o->name, name) == 0) return true;
  return false;
}

/* --vcs sets the method's option `channels` where it has one. */
static int work_in_channels(prove_request *r, ripstop_error *err) {
  const char *spec = r->words.method;
  const ripstop_method *method = ripstop_method_find(spec, strcspn(spec, ":"), err);
  r->method = spec;
  if (!method) return -1;
  if (r->words.vcs && has_option(method, "channels") && !strstr(spec, "channels="))
    r->method =
        ripstop_arena_printf(r->arena, "%s%schannels=%" PRIu64, spec, strchr(spec, ':') ? "," : ":", r->words.vcs);
  return ripstop_method_canonical(r->arena, r->method, &r->method, err);
}

/* The keys of --switch. */
typedef struct switch_keys {
  ripstop_switch_config config;
  const char *preset;    /* NULL: none */
  bool queues, in_queue; /* were given, so that the preset does not set them */
} switch_keys;

/* No proof depends on the sizes and times of a switch, so any flit and rate will do: those of the presets. */
static const ripstop_scale switch_scale = {.rate = 400e9, .flit = 64};

static int set_key(prove_request *r, switch_keys *k, const char *name, const char *value, ripstop_error *err) {
  const units u = {.arena = r->arena, .scale = &switch_scale};
  value = units_option(&u, "switch", name, value, err);
  if (!value) return ripstop_fail_at(err, "prove: --switch");
  return ripstop_options_set(r->arena, "prove: --switch", ripstop_switch_options, &k->config, name, value, err);
}

static int read_key(prove_request *r, switch_keys *k, const char *word, ripstop_error *err) {
  const char *equals = strchr(word, '=');
  if (!equals) return ripstop_fail(err, "prove: --switch %.100s: KEY=VALUE is missing, as queues=voq", word);
  const char *name = ripstop_arena_printf(r->arena, "%.*s", (int)(equals - word), word);
  if (!strcmp(name, "preset")) k->preset = equals + 1;
  k->queues |= !strcmp(name, "queues");
  k->in_queue |= !strcmp(name, "in_queue");
  return set_key(r, k, name, equals + 1, err);
}

/* A size of queues by the preset. No other than `unlimited` decides anything. */
static int apply_size(prove_request *r, switch_keys *k, const char *key, ripstop_error *err) {
  const char *size = preset_value(r->arena, k->preset, key);
  return size && !strcmp(size, "unlimited") ? set_key(r, k, key, size, err) : 0;
}

/* The preset's values of keys that were not given and that proofs depend on. */
static int apply_preset(prove_request *r, switch_keys *k, ripstop_error *err) {
  if (!k->preset) return 0;
  const char *queues = k->queues ? NULL : preset_value(r->arena, k->preset, "queues");
  if (queues && set_key(r, k, "queues", queues, err)) return -1;
  return k->in_queue ? 0 : apply_size(r, k, "in_queue", err);
}

/* Notes the selection function of --switch, or else the method's own, if it binds packets. */
static int read_selection(prove_request *r, ripstop_error *err) {
  void *own;
  const char *spec = r->method;
  const ripstop_method *method = ripstop_method_find(spec, strcspn(spec, ":"), err);
  if (!method) return -1;
  spec = ripstop_method_selection(method, r->selection);
  const ripstop_selection *selection = ripstop_selection_open(r->arena, spec, &own, err);
  if (!selection) return ripstop_fail_at(err, "prove: --switch");
  if (selection->traits && (selection->traits(own) & RIPSTOP_SELECTION_BINDS)) r->many.binding = spec;
  return 0;
}

/* Refuses switches in which no packet waits for space. */
static int check_waits(const ripstop_switch *found, const ripstop_switch_config *config, ripstop_error *err) {
  const char *key = !found->memory && config->in_queue == RIPSTOP_UNLIMITED ? "in_queue=unlimited"
                    : found->memory && config->buffer == RIPSTOP_UNLIMITED  ? "buffer=unlimited"
                    : found->memory && !config->lossless                    ? "lossless=off"
                                                                            : NULL;
  if (!key) return 0;
  return ripstop_fail(err, "prove: --switch %s: no packet waits for space, and nothing can deadlock", key);
}

/* The key `queues` decides what a packet waits for. */
static int read_switch(prove_request *r, ripstop_error *err) {
  switch_keys k = {0};
  void *own;
  ripstop_options_defaults(r->arena, ripstop_switch_options, &k.config);
  for (size_t i = 0; i < r->words.switch_.count; i++)
    if (read_key(r, &k, r->words.switch_.value[i], err)) return -1;
  if (apply_preset(r, &k, err)) return -1;
  r->selection = k.config.selection;
  const ripstop_switch *found = ripstop_switch_open(r->arena, k.config.queues, &own, err);
  if (!found) return ripstop_fail_at(err, "prove: --switch");
  if (check_waits(found, &k.config, err)) return -1;
  if (found->space == RIPSTOP_SWITCH_SPACE_ONE)
    return ripstop_fail(err,
                        "prove: --switch queues=%s: packets share the space of a switch without a reserve, and "
                        "two neighbours with packets for each other can fill both: nothing is free of deadlock",
                        found->name);
  r->many.switch_ = strcmp(found->name, RIPSTOP_SWITCH_QUEUES) ? found : NULL;
  if (k.config.vcs == RIPSTOP_UNLIMITED)
    return ripstop_fail(err,
                        "prove: --switch vcs=8/channels: a number is needed, as vcs=2; the verdict is that of vcs=1");
  r->many.switch_channels =
      (ripstop_switch_channels){.vcs = (uint32_t)k.config.vcs, .pooled = k.config.buffers == RIPSTOP_BUFFERS_PORT};
  return 0;
}

static int find_subfunction(prove_request *r, const ripstop_plan *plan, ripstop_error *err) {
  if (!r->words.subfunction) return 0;
  r->many.subfunction = ripstop_subfunction_find(plan->method, r->words.subfunction, err);
  if (!r->many.subfunction) return ripstop_fail_at(err, "prove: --subfunction");
  const bool bound = r->many.switch_ && r->many.switch_->waits == RIPSTOP_SWITCH_WAITS_ONE;
  if (!(plan->choose_early || bound || r->many.binding) || !r->many.subfunction->supply) return 0;
  if (r->many.binding)
    return ripstop_fail(err, "prove: --subfunction %s: selection=%s binds packets to candidates, so only 'all' decides",
                        r->words.subfunction, r->many.binding);
  if (bound)
    return ripstop_fail(err,
                        "prove: --subfunction %s: with queues=%s packets wait for one candidate, so only 'all' "
                        "decides",
                        r->words.subfunction, r->many.switch_->name);
  return ripstop_fail(err,
                      "prove: --subfunction %s: packets of %s settle on one candidate early, so only 'all' decides",
                      r->words.subfunction, r->method);
}

/* The method applies to the fabric as such, and needs the channels of --vcs. */
static int try_method(prove_request *r, ripstop_error *err) {
  ripstop_view *view = ripstop_view_new(r->fabric, NULL);
  ripstop_plan *plan = ripstop_plan_compile(view, r->method, NULL, err);
  int status = plan ? 0 : -1;
  if (plan && r->words.vcs && plan->channels != r->words.vcs)
    status =
        ripstop_fail(err, "prove: --vcs %" PRIu64 ": %s uses %u channel%s on every link, and has no option for that",
                     r->words.vcs, r->method, plan->channels, plan->channels == 1 ? "" : "s");
  if (!status && !(r->many.tolerance && plan->method->lost_pairs))
    status = ripstop_prove_check(plan, r->many.random_headers, err);
  if (!status) status = find_subfunction(r, plan, err);
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  return status;
}

/* JSON has to be UTF-8, and so have all names that come into it. */
static int check_names(const ripstop_fabric *f, ripstop_error *err) {
  char name[RIPSTOP_NAME_MAX];
  for (uint32_t node = 0; node < f->nodes; node++) {
    ripstop_node_name(f, node, name);
    json_t *text = json_string(name);
    if (!text)
      return ripstop_fail(err, "%s cannot be written as JSON: the name of node %u is not UTF-8", f->spec, node);
    json_decref(text);
  }
  return 0;
}

int prove_read(prove_request *r, ripstop_error *err) {
  if (check_parts(r, err) || read_numbers(r, err) || read_switch(r, err) || work_in_channels(r, err) ||
      read_selection(r, err))
    return -1;
  r->fabric = ripstop_cli_open_fabric(r->words.fabric, err);
  if (!r->fabric || try_method(r, err) || read_sets(r, err)) return -1;
  if ((r->words.json || r->words.shard.of || r->ranks) && check_names(r->fabric, err)) return -1;
  r->many.fabric = r->fabric;
  r->many.method = r->method;
  return 0;
}

void prove_describe(const prove_request *r, ripstop_text *out) {
  parts_describe(&r->many, r->words.json ? "JSON" : "", out);
}

/* proof_json.c - what was decided for one fault set, as a line of JSON (docs/prove.md lists the names). */
#include "report/proof_json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "prove/proof.h"
#include "ripstop/plugin/method.h"
#include "ripstop/plugin/switch.h"

int ripstop_json_add(const char *bytes, size_t length, void *text) {
  ripstop_text_add_bytes(text, bytes, length);
  return 0;
}

static void sender_and_receiver(const ripstop_fabric *f, const ripstop_deadlocked_packet *q, char *from, char *to) {
  ripstop_node_name(f, f->port_node[q->port], from);
  ripstop_node_name(f, f->port_node[f->peer[q->port]], to);
}

static uint32_t local_port(const ripstop_fabric *f, uint32_t port) { return port - f->port_base[f->port_node[port]]; }

static json_t *queue_json(const ripstop_fabric *f, const ripstop_deadlocked_packet *q, bool classes) {
  char from[RIPSTOP_NAME_MAX], to[RIPSTOP_NAME_MAX], source[RIPSTOP_NAME_MAX], destination[RIPSTOP_NAME_MAX],
      header[24], port[16];
  sender_and_receiver(f, q, from, to);
  ripstop_node_name(f, q->source, source);
  ripstop_node_name(f, q->destination, destination);
  snprintf(header, sizeof header, "0x%" PRIx64, q->header);
  snprintf(port, sizeof port, "%u", local_port(f, q->port));
  json_t *packet = json_pack("{s:s, s:s, s:s}", "source", source, "destination", destination, "header", header);
  if (classes) json_object_set_new(packet, "class", json_integer(q->class_));
  return json_pack("{s:s, s:s, s:i, s:s, s:o}", "from", from, "to", to, "channel", (int)q->channel, "port", port,
                   "packet", packet);
}

static json_t *witness_json(const ripstop_plan *plan, const ripstop_proof *proof) {
  if (proof->deadlock_free) return json_null();
  json_t *queues = json_array();
  for (uint32_t i = 0; i < proof->queues; i++)
    json_array_append_new(queues, queue_json(plan->fabric, &proof->queue[i], plan->classes > 1));
  return json_pack("{s:o}", "queues", queues);
}

static double mean(uint64_t sum, uint64_t count) { return count ? (double)sum / (double)count : 0; }

json_t *ripstop_paths_json(const ripstop_paths *p) {
  if (!p->pairs) return json_null();
  json_t *out = json_pack("{s:I, s:f, s:i, s:f, s:i, s:f, s:i}", "pairs", (json_int_t)p->pairs, "minimum_mean",
                          mean(p->minimum, p->pairs), "minimum_max", (int)p->max_minimum, "shortest_mean",
                          mean(p->shortest, p->pairs), "shortest_max", (int)p->max_shortest, "longest_mean",
                          mean(p->longest, p->pairs), "longest_max", (int)p->max_longest);
  json_t *extra = json_pack("{s:f, s:i, s:f, s:i}", "extra_shortest_mean", mean(p->shortest - p->minimum, p->pairs),
                            "extra_shortest_max", (int)p->max_extra_shortest, "extra_longest_mean",
                            mean(p->longest - p->minimum, p->pairs), "extra_longest_max", (int)p->max_extra_longest);
  json_object_update_new(out, extra);
  return out;
}

static void set_number(json_t *line, const char *name, uint64_t value) {
  json_object_set_new(line, name, json_integer((json_int_t)value));
}

/* "NAME.3" goes to the array NAME. */
static void add_fact(json_t *line, const char *name, uint64_t value) {
  char array[RIPSTOP_NAME_MAX];
  const char *dot = strchr(name, '.');
  if (!dot) {
    set_number(line, name, value);
    return;
  }
  snprintf(array, sizeof array, "%.*s", (int)(dot - name), name);
  if (!json_object_get(line, array)) json_object_set_new(line, array, json_array());
  json_array_append_new(json_object_get(line, array), json_integer((json_int_t)value));
}

/* The method's own numbers. */
static void add_facts(json_t *line, const ripstop_plan *plan) {
  uint64_t value[RIPSTOP_FACTS_MAX];
  if (!plan->method->facts) return;
  plan->method->facts(plan, value);
  for (size_t i = 0; plan->method->fact_names[i]; i++)
    if (value[i] != RIPSTOP_FACT_NONE) add_fact(line, plan->method->fact_names[i], value[i]);
}

/* A verdict that a sample of destinations can refute and not prove. */
static json_t *verdict(const ripstop_set_proof *p, bool holds) {
  return holds && p->confidence > 0 ? json_null() : json_boolean(holds);
}

static void add_sample(json_t *line, const ripstop_fabric *f, const ripstop_set_proof *p) {
  set_number(line, "destinations", p->proof.destinations);
  set_number(line, "all_destinations", f->ends);
  set_number(line, "lost_destinations", p->proof.lost_destinations);
  if (p->plan->random_headers > 1) {
    set_number(line, "draws", p->proof.random_headers);
    set_number(line, "all_draws", p->plan->random_headers);
  }
  json_object_set_new(line, "lost_share_at_most", json_real(ripstop_lost_share_at_most(&p->proof, f, p->confidence)));
  json_object_set_new(line, "confidence", json_real(p->confidence));
}

static void add_transients(json_t *line, const ripstop_set_proof *p) {
  set_number(line, "orders", p->orders);
  set_number(line, "standing_states", p->proof.deadlock_packets);
  set_number(line, "dropped_states", p->proof.dropped);
  if (p->proof.dropped_walk) json_object_set_new(line, "dropped_walk", json_string(p->proof.dropped_walk));
}

static json_t *cycle_json(const ripstop_plan *plan, const ripstop_dependencies *d) {
  char from[RIPSTOP_NAME_MAX], to[RIPSTOP_NAME_MAX];
  json_t *cycle = json_array();
  for (uint32_t i = 0; i < d->length; i++) {
    sender_and_receiver(plan->fabric, &d->cycle[i], from, to);
    json_array_append_new(cycle,
                          json_pack("{s:s, s:s, s:i}", "from", from, "to", to, "channel", (int)d->cycle[i].channel));
  }
  return cycle;
}

static json_t *dependencies_json(const ripstop_plan *plan, const ripstop_dependencies *d) {
  return json_pack("{s:s, s:I, s:i, s:I, s:I, s:i, s:o}", "name", d->of->name, "starved_heads", (json_int_t)d->starved,
                   "queues", (int)d->queues, "direct", (json_int_t)d->direct, "cross", (json_int_t)d->cross,
                   "cyclic_queues", (int)d->cyclic, "cycle", cycle_json(plan, d));
}

static json_t *deadlock_json(const ripstop_set_proof *p) {
  if (p->confidence > 0 && p->proof.deadlock_free) return json_null();
  return json_string(ripstop_deadlock_words[p->proof.deadlock]);
}

static json_t *number_json(const ripstop_set_proof *p, const ripstop_value *value) {
  if (isnan(value->value)) return json_null();
  return strcmp(value->unit, "0 or 1") ? json_integer((json_int_t)value->value) : verdict(p, value->value != 0);
}

/* The numbers of the proof; beside those of queues and states the texts that explain them. */
static void add_numbers(json_t *line, const ripstop_set_proof *p) {
  ripstop_value value[RIPSTOP_PROOF_VALUES];
  const size_t count = ripstop_proof_values(&p->proof, p->plan, value);
  for (size_t i = 0; i < count; i++) {
    json_object_set_new(line, value[i].name, number_json(p, &value[i]));
    if (!strcmp(value[i].name, "waiting_queues"))
      json_object_set_new(line, "witness", witness_json(p->plan, &p->proof));
    if (!strcmp(value[i].name, "states")) json_object_set_new(line, "deadlock", deadlock_json(p));
  }
}

/* The results of the method's plan; all null if the method does not apply. */
static void add_verdicts(json_t *line, const ripstop_set_proof *p) {
  const ripstop_proof *proof = &p->proof;
  static const char *const unknown[] = {"lost_pairs_some_choice", "lost_pairs_every_choice"};
  if (!p->plan) {
    for (size_t i = 0; i < 2; i++) json_object_set_new(line, unknown[i], json_null());
    json_object_update_new(line, json_pack("{s:b, s:n, s:n, s:n, s:n, s:s}", "tolerated", 0, "livelock_free",
                                           "deadlock_free", "waiting_queues", "witness", "does_not_apply", p->why_not));
    json_object_set_new(line, "deadlock", json_null());
    return;
  }
  set_number(line, "lost_pairs_some_choice", proof->lost_pairs_some_choice);
  if (p->counted) {
    json_object_set_new(line, "tolerated", json_boolean(proof->tolerated));
    add_facts(line, p->plan);
    return;
  }
  add_numbers(line, p);
  if (proof->lost_walk) json_object_set_new(line, "lost_walk", json_string(proof->lost_walk));
  if (proof->never_walk) json_object_set_new(line, "never_walk", json_string(proof->never_walk));
  if (proof->livelock_walk) json_object_set_new(line, "livelock_walk", json_string(proof->livelock_walk));
  if (p->mixing.versions) add_transients(line, p);
  if (proof->dependencies.of)
    json_object_set_new(line, "subfunction", dependencies_json(p->plan, &proof->dependencies));
  if (proof->paths.pairs) json_object_set_new(line, "paths", ripstop_paths_json(&proof->paths));
  add_facts(line, p->plan);
}

static void add_before(json_t *line, const ripstop_fabric *f, const ripstop_faults *before) {
  RIPSTOP_LOCAL_TEXT(text);
  if (before->links + before->switches == 0) return;
  ripstop_faults_print(&text, f, before);
  json_object_set_new(line, "before", json_string(text.data));
}

void ripstop_set_proof_json(ripstop_text *out, const ripstop_fabric *f, const ripstop_set_proof *p) {
  RIPSTOP_LOCAL_TEXT(faults);
  ripstop_faults_print(&faults, f, p->faults);
  json_t *line = json_pack("{s:s}", "faults", faults.data);
  if (p->plan && p->plan->switch_) json_object_set_new(line, "queues", json_string(p->plan->switch_->name));
  if (p->plan && p->plan->binding) json_object_set_new(line, "selection", json_string(p->plan->binding));
  if (p->plan && p->plan->switch_channels.vcs > 1) set_number(line, "vcs", p->plan->switch_channels.vcs);
  if (p->plan && p->plan->switch_channels.pooled) json_object_set_new(line, "buffers", json_string("port"));
  if (p->before) add_before(line, f, p->before);
  if (p->weight > 1) set_number(line, "sets", p->weight);
  set_number(line, "pairs", p->proof.pairs);
  set_number(line, "disconnected_pairs", p->proof.disconnected_pairs);
  if (p->plan && p->confidence > 0) add_sample(line, f, p);
  add_verdicts(line, p);
  json_dump_callback(line, ripstop_json_add, out, JSON_COMPACT | JSON_REAL_PRECISION(9));
  json_decref(line);
}

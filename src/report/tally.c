/* tally.c - what was counted over many fault sets, as a line of JSON and as a table (docs/prove.md lists the names). */
#include <inttypes.h>
#include <math.h>

#include "base/local.h"
#include "prove/set_report.h"
#include "report/json_values.h"
#include "report/proof_json.h"
#include "report/tally.h"
#include "ripstop/plugin/method.h"
#include "ripstop/plugin/switch.h"

static double share(const ripstop_counts_of_sets *c, uint64_t part) {
  return c->sets ? (double)part / (double)c->sets : NAN;
}

/* The first sets of a list say nothing about the rest. */
static bool has_interval(const ripstop_many *m, bool whole) { return whole || m->kind == RIPSTOP_SETS_SAMPLED; }

/* The counts of its graphs, over all sets to which the method applies. */
static json_t *subfunction_json(const ripstop_many *m, const ripstop_counts_of_sets *c) {
  return json_pack("{s:s, s:I, s:I}", "name", m->subfunction->name, "cyclic", (json_int_t)c->cyclic, "starved",
                   (json_int_t)c->starved);
}

static json_t *counts_json(const ripstop_many *m, const ripstop_tally *t, bool connected, bool whole) {
  const ripstop_counts_of_sets *c = connected ? &t->connected : &t->all;
  ripstop_interval i = ripstop_tally_interval(m, t, connected);
  if (!has_interval(m, whole)) i = (ripstop_interval){NAN, NAN};
  json_t *out =
      json_pack("{s:I, s:I, s:o, s:o, s:o, s:I}", "sets", (json_int_t)c->sets, "tolerated", (json_int_t)c->tolerated,
                "share", ripstop_json_number(share(c, c->tolerated)), "low", ripstop_json_number(i.low), "high",
                ripstop_json_number(i.high), "does_not_apply", (json_int_t)c->not_applicable);
  if (!t->counted)
    json_object_update_new(out, json_pack("{s:I, s:o, s:I, s:I}", "deadlocked", (json_int_t)c->deadlocked,
                                          "deadlocked_share", ripstop_json_number(share(c, c->deadlocked)),
                                          "livelocked", (json_int_t)c->livelocked, "safe", (json_int_t)c->safe));
  if (m->subfunction) json_object_set_new(out, "subfunction", subfunction_json(m, c));
  return out;
}

static const char *interval_word(const ripstop_many *m, bool whole) {
  if (!has_interval(m, whole)) return "none";
  return m->kind == RIPSTOP_SETS_SAMPLED ? ripstop_interval_words[m->interval] : "exact";
}

/* The parts that have failed before the sets of transient states; "": none. */
static void add_before(ripstop_text *out, const ripstop_many *m) {
  ripstop_text_add(out, "%s", "");
  if (m->mixed && m->mixed->before) ripstop_faults_print(out, m->fabric, m->mixed->before);
}

/* The flow control with which deadlock is decided, one of ripstop_flow_control_words; the same for every set. */
static const char *flow_control(const ripstop_many *m) {
  ripstop_error never; /* it has been opened before */
  ripstop_view *view = ripstop_view_new(m->fabric, NULL);
  ripstop_plan *plan = ripstop_plan_compile(view, m->method, NULL, &never);
  const char *words = ripstop_flow_control_words[plan && plan->bubble];
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  return words;
}

static void add_switch(json_t *out, const ripstop_switch *s, const char *binding, ripstop_switch_channels channels) {
  if (s) json_object_set_new(out, "queues", json_string(s->name));
  if (binding) json_object_set_new(out, "selection", json_string(binding));
  if (channels.vcs > 1) json_object_set_new(out, "vcs", json_integer(channels.vcs));
  if (channels.pooled) json_object_set_new(out, "buffers", json_string("port"));
}

void tally_json(FILE *file, const ripstop_many *m, const ripstop_tally *t, bool whole) {
  static const char *const kinds[] = {
      [RIPSTOP_SETS_GIVEN] = "given", [RIPSTOP_SETS_ALL] = "all", [RIPSTOP_SETS_SAMPLED] = "drawn"};
  json_t *s = json_pack("{s:s, s:s, s:s}", "fabric", m->fabric->spec, "method", m->method, "kind", kinds[m->kind]);
  add_switch(s, m->switch_, m->binding, m->switch_channels);
  if (m->kind != RIPSTOP_SETS_GIVEN)
    json_object_update_new(s, json_pack("{s:i, s:s}", "count", (int)m->count, "scope", ripstop_scope_name(m->scope)));
  if (m->kind == RIPSTOP_SETS_SAMPLED) json_object_set_new(s, "seed", json_integer((json_int_t)m->seed));
  if (m->mixed) {
    RIPSTOP_LOCAL_TEXT(before);
    add_before(&before, m);
    json_object_set_new(s, "before", json_string(before.data));
  }
  json_object_update_new(s, json_pack("{s:s, s:s, s:f, s:I}", "of", m->of_connected ? "connected" : "all", "interval",
                                      interval_word(m, whole), "confidence", m->confidence, "proofs",
                                      (json_int_t)t->proofs));
  json_object_update_new(s, counts_json(m, t, m->of_connected, whole));
  json_object_set_new(s, "all", counts_json(m, t, false, whole));
  json_object_set_new(s, "connected", counts_json(m, t, true, whole));
  json_object_set_new(s, "flow_control", json_string(flow_control(m)));
  if (t->paths.pairs) json_object_set_new(s, "paths", ripstop_paths_json(&t->paths));
  if (!whole) json_object_set_new(s, "interrupted", json_true());
  json_t *line = json_pack("{s:o}", "summary", s);
  json_dumpf(line, file, JSON_COMPACT | JSON_REAL_PRECISION(9));
  fputc('\n', file);
  json_decref(line);
}

static void print_counts(FILE *file, const ripstop_many *m, const ripstop_tally *t, bool connected) {
  const ripstop_counts_of_sets *c = connected ? &t->connected : &t->all;
  ripstop_interval i = ripstop_tally_interval(m, t, connected);
  fprintf(file, "%c %-14s %12" PRIu64 " %12" PRIu64 " ", connected == m->of_connected ? '*' : ' ',
          connected ? "connected sets" : "all sets", c->sets, c->tolerated);
  if (c->sets)
    fprintf(file, "%10.6g ", share(c, c->tolerated));
  else
    fprintf(file, "%10s ", "-");
  if (m->kind == RIPSTOP_SETS_SAMPLED) fprintf(file, "[%.6f, %.6f] ", i.low, i.high);
  if (t->counted)
    fprintf(file, "%12s %12s %12s ", "-", "-", "-");
  else
    fprintf(file, "%12" PRIu64 " %12" PRIu64 " %12" PRIu64 " ", c->safe, c->deadlocked, c->livelocked);
  fprintf(file, "%14" PRIu64 "\n", c->not_applicable);
}

/* The switches, where they are not the usual ones. */
static void print_switch(FILE *file, const ripstop_switch *s, const char *binding, ripstop_switch_channels channels) {
  if (s) fprintf(file, ", queues=%s", s->name);
  if (binding) fprintf(file, ", selection=%s (binds packets)", binding);
  if (channels.vcs > 1) fprintf(file, ", vcs=%u", channels.vcs);
  if (channels.pooled) fprintf(file, ", buffers=port");
}

static void print_question(FILE *file, const ripstop_many *m) {
  RIPSTOP_LOCAL_TEXT(before);
  add_before(&before, m);
  fprintf(file, "%s, %s", m->fabric->spec, m->method);
  print_switch(file, m->switch_, m->binding, m->switch_channels);
  fprintf(file, "%s%s\n", before.length ? ", before: " : "", before.data);
}

static void print_subfunction(FILE *file, const ripstop_many *m, const ripstop_tally *t, bool connected) {
  const ripstop_counts_of_sets *c = connected ? &t->connected : &t->all;
  const uint64_t sets = c->sets - c->not_applicable;
  fprintf(file,
          "subfunction %s, %s: no cycle in %" PRIu64 ", a cycle in %" PRIu64 "; some head starved in %" PRIu64 "\n",
          m->subfunction->name, connected ? "connected sets" : "all sets", sets - c->cyclic, c->cyclic, c->starved);
}

void tally_print(FILE *file, const ripstop_many *m, const ripstop_tally *t, bool whole) {
  bool drawn = m->kind == RIPSTOP_SETS_SAMPLED;
  print_question(file, m);
  fprintf(file, "%16s %12s %12s %10s %s%12s %12s %12s %14s\n", "", "sets", "tolerated", "share",
          drawn ? "[      interval     ] " : "", "safe", "deadlocked", "livelocked", "does not apply");
  print_counts(file, m, t, false);
  print_counts(file, m, t, true);
  if (drawn) fprintf(file, "* counts; %g %% %s interval\n", 100 * m->confidence, ripstop_interval_words[m->interval]);
  if (!has_interval(m, whole))
    fprintf(file, "interrupted: shares of the first sets alone, which say nothing of the rest\n");
  if (!t->counted && flow_control(m) != ripstop_flow_control_words[0])
    fprintf(file, "deadlock is decided with %s\n", flow_control(m));
  if (m->subfunction) print_subfunction(file, m, t, false);
  if (m->subfunction) print_subfunction(file, m, t, true);
  if (t->proofs < t->all.sets) fprintf(file, "%" PRIu64 " proofs: one for all sets that are alike\n", t->proofs);
  RIPSTOP_LOCAL_TEXT(paths);
  ripstop_paths_print(&paths, &t->paths);
  fprintf(file, "%s", paths.length ? paths.data : "");
}

/* ------------------------------------------------------------------ rare failures */

void rarity_print(FILE *file, const ripstop_rare *rare, const ripstop_rarity *r) {
  fprintf(file, "%s, %s", rare->fabric->spec, rare->method);
  print_switch(file, rare->switch_, rare->binding, rare->switch_channels);
  fprintf(file, ", sets of %u\n", rare->count);
  fprintf(file,
          "%" PRIu64 " sets of up to %u parts looked at; %" PRIu64 " are not tolerated and have no other in them\n",
          r->looked, rare->core, r->listed);
  fprintf(file, "within    %12" PRIu64 " drawn %12" PRIu64 " counted  x %.6g, the listed sets' own shares\n", r->within,
          r->within_hits, r->reach);
  fprintf(file, "outside   %12" PRIu64 " drawn %12" PRIu64 " not tolerated\n", r->outside, r->outside_hits);
  fprintf(file, "not tolerated %.6g  [%.6g, %.6g]  %g %% interval\n", r->share, r->interval.low, r->interval.high,
          100 * rare->confidence);
  fprintf(file, "tolerated     %.12g  [%.12g, %.12g]\n", 1 - r->share, 1 - r->interval.high, 1 - r->interval.low);
  if (isfinite(r->gain)) fprintf(file, "%.3g times the variance for as many proofs of random sets\n", r->gain);
}

void rarity_json(FILE *file, const ripstop_rare *rare, const ripstop_rarity *r) {
  json_t *own = json_pack(
      "{s:s, s:s, s:i, s:s, s:i, s:I, s:f, s:I, s:I, s:f, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:o}", "fabric",
      rare->fabric->spec, "method", rare->method, "count", (int)rare->count, "scope", ripstop_scope_name(rare->scope),
      "core", (int)rare->core, "seed", (json_int_t)rare->seed, "confidence", rare->confidence, "looked",
      (json_int_t)r->looked, "listed", (json_int_t)r->listed, "reach", r->reach, "within", (json_int_t)r->within,
      "within_hits", (json_int_t)r->within_hits, "outside", (json_int_t)r->outside, "outside_hits",
      (json_int_t)r->outside_hits, "proofs", (json_int_t)r->proofs, "not_tolerated", r->share, "low", r->interval.low,
      "high", r->interval.high, "gain", ripstop_json_number(r->gain));
  add_switch(own, rare->switch_, rare->binding, rare->switch_channels);
  json_t *line = json_pack("{s:o}", "rare", own);
  json_dumpf(line, file, JSON_COMPACT | JSON_REAL_PRECISION(9));
  fputc('\n', file);
  json_decref(line);
}

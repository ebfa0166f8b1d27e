/* traces.h - files of other simulators in tests: fabrics and jobs of tests/data/traces, and texts that are refused. */
#ifndef RIPSTOP_TESTS_TRACES_H
#define RIPSTOP_TESTS_TRACES_H

#include <stdlib.h>
#include <unistd.h>

#include "fabric/graph.h"
#include "run_workload.h"
#include "workload/jobs.h"

static inline void trace_path(const char *name, char *out, size_t room) {
  const char *root = getenv("RIPSTOP_SOURCE_DIR") ? getenv("RIPSTOP_SOURCE_DIR") : RIPSTOP_SOURCE_DIR;
  snprintf(out, room, "%s/tests/data/traces/%s", root, name);
}

static inline ripstop_fabric *open_trace(const char *name) {
  char path[512];
  trace_path(name, path, sizeof path);
  return open_fabric(path);
}

static inline void demand_sizes(const ripstop_fabric *f, uint32_t ends, uint32_t switches, uint32_t links) {
  assert_int_equal(f->ends, ends);
  assert_int_equal(f->nodes - f->ends, switches);
  assert_int_equal(f->links, links);
}

static inline bool is_between(const ripstop_fabric *f, uint32_t link, const char *a, const char *b) {
  char name[2][RIPSTOP_NAME_MAX];
  for (unsigned side = 0; side < 2; side++) ripstop_node_name(f, ripstop_link_node(f, link, side), name[side]);
  return (!strcmp(name[0], a) && !strcmp(name[1], b)) || (!strcmp(name[0], b) && !strcmp(name[1], a));
}

static inline uint32_t cables_between(const ripstop_fabric *f, const char *a, const char *b) {
  uint32_t count = 0;
  for (uint32_t link = 0; link < f->links; link++) count += is_between(f, link, a, b);
  return count;
}

static inline uint32_t cables_at_rate(const ripstop_fabric *f, uint16_t rate) {
  uint32_t count = 0;
  for (uint32_t link = 0; link < f->links; link++) count += ripstop_fabric_rate(f, link) == rate;
  return count;
}

static inline void refuse_graph(const char *text, const char *what) {
  ripstop_error err = {0};
  ripstop_fabric *f = ripstop_graph_from_text("net", text, strlen(text), &err);
  if (f) fail_msg("read as a fabric of %u end nodes, without '%s'", f->ends, what);
  if (!strstr(err.text, what)) fail_msg("'%s' does not contain '%s'", err.text, what);
}

/* A job on one switch, over which a message of s bytes alone takes 999 + s cycles. */
static inline void demand_job(const char *spec, unsigned ranks, double cycles, double messages) {
  char fabric[64];
  snprintf(fabric, sizeof fabric, "xgft:m=%u,w=1", ranks);
  const setting s = {fabric, "minimal", spec, "flit=1,header=0", .seed = 1, .in_queue = 32767};
  ripstop_run_result r = play_with(&s, &(extra){.switch_ = "link=1,pipeline=998"});
  if (ripstop_run_result_value(&r, "workload.complete") != 1 ||
      ripstop_run_result_value(&r, "workload.cycles") != cycles ||
      ripstop_run_result_value(&r, "message.count") != messages)
    fail_msg("%s: %.0f cycles and %.0f messages, not %.0f and %.0f", spec,
             ripstop_run_result_value(&r, "workload.cycles"), ripstop_run_result_value(&r, "message.count"), cycles,
             messages);
  assert_true(ripstop_run_result_value(&r, "workload.ideal-cycles") <= cycles);
  ripstop_run_result_free(&r);
}

static inline void demand_cycles(const char *kind, const char *name, unsigned ranks, double cycles, double messages) {
  char path[512], spec[600];
  trace_path(name, path, sizeof path);
  snprintf(spec, sizeof spec, "%s:%s", kind, path);
  demand_job(spec, ranks, cycles, messages);
}

/* Writes a text to a file of its own; returns its name, which `forget_text` frees. */
static inline char *keep_text(const char *text, size_t length) {
  char *path = strdup("/tmp/ripstop-trace-XXXXXX");
  const int file = mkstemp(path);
  assert_true(file >= 0);
  assert_int_equal(write(file, text, length), length);
  close(file);
  return path;
}

static inline void forget_text(char *path) {
  unlink(path);
  free(path);
}

/* `options` begin with a comma, or are empty. */
static inline void demand_text(const char *kind, const char *options, const char *text, unsigned ranks, double cycles,
                               double messages) {
  char spec[256], *path = keep_text(text, strlen(text));
  snprintf(spec, sizeof spec, "%s:%s%s", kind, path, options);
  demand_job(spec, ranks, cycles, messages);
  forget_text(path);
}

static inline void refuse_bytes(const char *kind, const char *options, const char *text, size_t length,
                                const char *what) {
  char *path = keep_text(text, length);
  ripstop_error err = {0};
  ripstop_arena *arena = ripstop_arena_new();
  job *all;
  size_t count;
  const char *spec = ripstop_arena_printf(arena, "%s:%s%s", kind, path, options);
  ripstop_fabric *fabric = open_fabric("xgft:m=16,w=1");
  uint32_t *busy = RIPSTOP_ARRAY(arena, fabric->ends, uint32_t);
  if (jobs_read(arena, spec, &all, &count, &err) == 0) {
    if (jobs_place(arena, fabric, 1, all, count, busy, &err) == 0) fail_msg("%s is read, without '%s'", spec, what);
    jobs_free(all, count);
  }
  if (!strstr(err.text, what)) fail_msg("'%s' does not contain '%s'", err.text, what);
  ripstop_fabric_free(fabric);
  ripstop_arena_free(arena);
  forget_text(path);
}

static inline void refuse_job(const char *kind, const char *options, const char *text, const char *what) {
  refuse_bytes(kind, options, text, strlen(text), what);
}

#endif

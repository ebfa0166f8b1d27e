/* faults.h - what is broken: fault sets, samples of them, all of them, schedules of failures and repairs, and the view
 * (fabric + fault bits + epoch) that methods compile their plans for. */
#ifndef RIPSTOP_FAULTS_H
#define RIPSTOP_FAULTS_H

#include "ripstop/fabric.h"

/* A set of dead links and dead switches, each list sorted and without repetition. */
typedef struct rs_faults {
  uint32_t links, switches; /* how many */
  const uint32_t *link;
  const uint32_t *switch_;
} rs_faults;

/* One line of a fault file: links and "switch:NAME", blank-separated; a '#' where a word starts opens a comment;
 * nothing is the fault-free set. Unknown names (the nearest one is named), doubles and anything with '@' are errors.
 * Memory from the arena. */
int rs_faults_parse(rs_arena *arena, const rs_names *names, const char *line, size_t length, rs_faults *out,
                    rs_error *err);
/* A file of such lines: one set per line; comment-only lines count for nothing, blank lines are fault-free sets. Errors
 * carry FILE:LINE. */
int rs_faults_read(rs_arena *arena, const rs_names *names, const char *path, rs_faults **sets, size_t *count,
                   rs_error *err);
void rs_faults_print(rs_text *out, const rs_fabric *fabric, const rs_faults *faults);

/* Which links may fail in samples and enumerations. */
typedef enum rs_fault_scope { RS_FAULTS_SWITCH_LINKS, RS_FAULTS_ALL_LINKS, RS_FAULTS_SWITCHES } rs_fault_scope;
extern const char *const rs_fault_scope_words[]; /* "switch-links", "all-links", "switches", NULL */

uint32_t rs_faults_population(const rs_fabric *fabric, rs_fault_scope scope); /* how many parts may fail */
/* `count` distinct parts, uniformly; depends on (seed, index) alone. -1 when there are not so many. */
int rs_faults_sample(rs_arena *arena, const rs_fabric *fabric, rs_fault_scope scope, uint32_t count, uint64_t seed,
                     uint64_t index, rs_faults *out, rs_error *err);

/* All sets of a size, which is at most the population, in lexicographic order of part numbers. */
typedef struct rs_combinations {
  uint32_t population, count;
  uint32_t *part; /* [count], ascending: the present set */
} rs_combinations;
void rs_combinations_first(rs_arena *arena, uint32_t population, uint32_t count, rs_combinations *out);
bool rs_combinations_next(rs_combinations *combinations);                /* false: that was the last */
void rs_combinations_seek(rs_combinations *combinations, uint64_t rank); /* the set with this rank, 0 first */
uint64_t rs_combinations_total(uint32_t population, uint32_t count);     /* UINT64_MAX when it does not fit */
/* Part numbers of a scope as a fault set. */
void rs_faults_from_parts(rs_arena *arena, const rs_fabric *fabric, rs_fault_scope scope, const uint32_t *part,
                          uint32_t count, rs_faults *out);

/* ------------------------------------------------------------------ schedules */

typedef struct rs_change {
  uint64_t cycle;
  uint32_t id; /* a link, or a switch's node number */
  bool is_switch;
  bool up; /* true: repaired */
} rs_change;

typedef struct rs_schedule {
  size_t count;
  const rs_change *change; /* sorted by cycle, then by position in the text */
} rs_schedule;

/* Items like "0/2.1/3@5000", "0/2.1/3+@9000", "switch:1/0.0@70", blank- or line-separated, '#' comments. A part that
 * fails or is repaired twice in a row is an error; one that is repaired first must be dead from the start, see
 * rs_schedule_check. */
int rs_schedule_parse(rs_arena *arena, const rs_names *names, const char *text, size_t length, rs_schedule *out,
                      rs_error *err);
int rs_schedule_read(rs_arena *arena, const rs_names *names, const char *path, rs_schedule *out, rs_error *err);
/* Whether all that is repaired is down then, given what is dead from the start (NULL: nothing). What fails while it is
 * down stays down. */
int rs_schedule_check(const rs_schedule *schedule, const rs_fabric *fabric, const rs_faults *faults, rs_error *err);
void rs_schedule_print(rs_text *out, const rs_fabric *fabric, const rs_schedule *schedule);

/* ------------------------------------------------------------------ the view */

typedef struct rs_view {
  const rs_fabric *fabric;
  uint32_t epoch;   /* counts the changes since rs_view_new */
  uint8_t *link_up; /* [links]: the link itself, its switches aside */
  uint8_t *node_up; /* [nodes] */
  uint8_t *port_up; /* [ports]: cable there, link up, both nodes up: the one thing that routing asks */
  uint32_t dead_links, dead_switches;
} rs_view;

rs_view *rs_view_new(const rs_fabric *fabric, const rs_faults *faults); /* faults may be NULL */
void rs_view_free(rs_view *view);
void rs_view_set_link(rs_view *view, uint32_t link, bool up);
void rs_view_set_switch(rs_view *view, uint32_t node, bool up);
void rs_view_apply(rs_view *view, const rs_change *change);
/* Component number of every node over the ports that are up (dead nodes: RS_NONE), and how many components have end
 * nodes. */
uint32_t rs_view_components(const rs_view *view, uint32_t *component);
/* Ordered pairs of distinct end nodes without any physical path. */
uint64_t rs_view_disconnected_pairs(const rs_view *view);

/* ------------------------------------------------------------------ failures that cut nothing */

/* Lets up to `count` links between switches, or switches, fail one after another, drawn such that end nodes that are
 * connected stay so as long as their switches live. Writes their numbers to `id` and returns how many there are; fewer
 * than `count`: no more can. */
uint32_t rs_view_break(rs_view *view, bool switches, uint32_t count, rs_stream *stream, uint32_t *id);

/* A schedule that is drawn: "draw:COUNT,scope=switches,from=1000,every=500" in experiments. */
typedef struct rs_draw {
  int64_t count;       /* parts that fail */
  int32_t scope;       /* 0: links between switches, 1: switches */
  int64_t from, every; /* cycles: of the first failure, and from each to the next */
} rs_draw;
extern const rs_option rs_draw_options[];
/* The failures of (seed, index), such as cut nothing; those of a smaller count are the first of a greater one's.
 * -1: there are not so many. Memory from the arena. */
int rs_schedule_draw(rs_arena *arena, const rs_fabric *fabric, const rs_faults *faults, const rs_draw *draw,
                     uint64_t seed, uint64_t index, rs_schedule *out, rs_error *err);

#endif

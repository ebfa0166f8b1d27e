/* faults.h - failed parts: fault sets, samples of them, all of them, schedules of failures and repairs, and the view
 * (fabric + fault bits + epoch) for which plans are compiled. */
#ifndef RIPSTOP_PLUGIN_FAULTS_H
#define RIPSTOP_PLUGIN_FAULTS_H

#include "ripstop/plugin/base.h"
#include "ripstop/view.h"

RIPSTOP_BEGIN

typedef struct ripstop_slow_link {
  uint32_t link;
  uint16_t rate;
} ripstop_slow_link;

/* A set of failed links and switches, and of slow links; each list sorted and without repetition, and no link both
 * failed and slow. */
typedef struct ripstop_faults {
  uint32_t links, switches, slows; /* lengths of the lists */
  const uint32_t *link;
  const uint32_t *switch_;
  const ripstop_slow_link *slow;
} ripstop_faults;

/* One line of a fault file: links and "switch:NAME", blank-separated, failed, or "LINK~0.25", at that rate; a '#'
 * where a word starts opens a comment; an empty line is the fault-free set. Unknown names (the error has the nearest
 * one), duplicates and anything with '@' are errors. Memory from the arena. */
int ripstop_faults_parse(ripstop_arena *arena, const ripstop_names *names, const char *line, size_t length,
                         ripstop_faults *out, ripstop_error *err);
/* A file of such lines: one set per line; comment-only lines are ignored, blank lines are fault-free sets. Errors
 * carry FILE:LINE. */
int ripstop_faults_read(ripstop_arena *arena, const ripstop_names *names, const char *path, ripstop_faults **sets,
                        size_t *count, ripstop_error *err);
void ripstop_faults_print(ripstop_text *out, const ripstop_fabric *fabric, const ripstop_faults *faults);

/* The parts that may fail in samples, enumerations and processes: all of a kind, or some links or some switches of
 * one fabric. Parts of a scope are numbered from 0 in the fabric's order. A NULL scope means the links between
 * switches. */
typedef struct ripstop_fault_scope ripstop_fault_scope;
extern const ripstop_fault_scope ripstop_scope_switch_links, ripstop_scope_all_links, ripstop_scope_switches;
#define RIPSTOP_FAULTS_SWITCH_LINKS (&ripstop_scope_switch_links)
#define RIPSTOP_FAULTS_ALL_LINKS    (&ripstop_scope_all_links)
#define RIPSTOP_FAULTS_SWITCHES     (&ripstop_scope_switches)

/* "switch-links", "all-links", "switches"; a group of the fabric ("global", "level-0"); or a pattern as in fault
 * sets: "0/2.*", "switch:1/\*", "group:WORD". An unknown word is an error that names the nearest valid word and all
 * valid words, and returns -1. The scope is in the arena, except the three whole kinds, which are constants. `names`
 * is the caller's; the scope does not need it after the call. */
int ripstop_scope_open(ripstop_arena *arena, const ripstop_names *names, const char *text,
                       const ripstop_fault_scope **out, ripstop_error *err);
/* The canonical text of a scope: "group:WORD" is WORD, and "switch:*" is "switches". A part of `text`, or a constant;
 * any text is accepted. */
const char *ripstop_scope_canonical(const char *text);
const char *ripstop_scope_name(const ripstop_fault_scope *scope); /* canonical */
bool ripstop_scope_is_switches(const ripstop_fault_scope *scope); /* else links */
/* The link or switch with a part's number, and the number of a link or switch that is in the scope. */
uint32_t ripstop_scope_id(const ripstop_fabric *fabric, const ripstop_fault_scope *scope, uint32_t part);
uint32_t ripstop_scope_part(const ripstop_fabric *fabric, const ripstop_fault_scope *scope, uint32_t id);

/* The number of parts that may fail. */
uint32_t ripstop_faults_population(const ripstop_fabric *fabric, const ripstop_fault_scope *scope);
/* `count` distinct parts, uniformly; depends on (seed, index) alone. -1 if there are fewer. */
int ripstop_faults_sample(ripstop_arena *arena, const ripstop_fabric *fabric, const ripstop_fault_scope *scope,
                          uint32_t count, uint64_t seed, uint64_t index, ripstop_faults *out, ripstop_error *err);

/* All sets of a size, which is at most the population, in lexicographic order of part numbers. */
typedef struct ripstop_combinations {
  uint32_t population, count;
  uint32_t *part; /* [count], ascending: the present set */
} ripstop_combinations;
int ripstop_combinations_first(ripstop_arena *arena, uint32_t population, uint32_t count, ripstop_combinations *out);
bool ripstop_combinations_next(ripstop_combinations *combinations);                /* false: that was the last */
void ripstop_combinations_seek(ripstop_combinations *combinations, uint64_t rank); /* the set with this rank, 0 first */
uint64_t ripstop_combinations_total(uint32_t population, uint32_t count);          /* UINT64_MAX when it does not fit */
/* Part numbers of a scope as a fault set. */
int ripstop_faults_from_parts(ripstop_arena *arena, const ripstop_fabric *fabric, const ripstop_fault_scope *scope,
                              const uint32_t *part, uint32_t count, ripstop_faults *out);

/* ------------------------------------------------------------------ schedules */

/* Items like "0/2.1/3@5000", "0/2.1/3+@9000", "0/2.1/3~0.25@9500" (up at that rate), "switch:1/0.0@70", blank- or
 * line-separated, '#' comments. A part that fails, is repaired or gets the same rate twice in a row is an error; one
 * that is repaired first must have failed from the start, see ripstop_schedule_check. */
int ripstop_schedule_parse(ripstop_arena *arena, const ripstop_names *names, const char *text, size_t length,
                           ripstop_schedule *out, ripstop_error *err);
int ripstop_schedule_read(ripstop_arena *arena, const ripstop_names *names, const char *path, ripstop_schedule *out,
                          ripstop_error *err);
/* Fails unless every repaired part is down then, given the parts that failed from the start (NULL: none). A part that
 * fails while it is down stays down. */
int ripstop_schedule_check(const ripstop_schedule *schedule, const ripstop_fabric *fabric, const ripstop_faults *faults,
                           ripstop_error *err);
void ripstop_schedule_print(ripstop_text *out, const ripstop_fabric *fabric, const ripstop_schedule *schedule);

/* ------------------------------------------------------------------ the view */

struct ripstop_view {
  const ripstop_fabric *fabric;
  uint32_t epoch;   /* counts failures and repairs since ripstop_view_new */
  uint8_t *link_up; /* [links]: state of the link itself, without its switches */
  uint8_t *node_up; /* [nodes] */
  uint8_t *port_up; /* [ports]: a cable that the port sends into, link up, both nodes up: all that routing reads */
  uint32_t failed_links, failed_switches;
  uint16_t *link_rate; /* [links]; NULL: none is slow. Methods ignore it */
  ripstop_arena *arena;
};

/* `faults` may be NULL. Links, switches and rates must be those of the fabric, here and below: they are not checked. */
ripstop_view *ripstop_view_new(const ripstop_fabric *fabric, const ripstop_faults *faults);
ripstop_view *ripstop_view_copy(const ripstop_view *view); /* with the same failed parts; including the epoch */
/* `rate`: RIPSTOP_RATE_LEAST to RIPSTOP_RATE_FULL; a simulation refuses a view with another one. */
void ripstop_view_set_rate(ripstop_view *view, uint32_t link, uint16_t rate);
static inline uint16_t ripstop_view_rate(const ripstop_view *view, uint32_t link) {
  return view->link_rate ? view->link_rate[link] : (uint16_t)RIPSTOP_RATE_FULL;
}
/* Cycles that a number of flits need at a rate. */
static inline uint32_t ripstop_cycles_at(uint16_t rate, uint32_t flits) {
  return (uint32_t)(((uint64_t)flits * RIPSTOP_RATE_FULL + rate - 1) / rate);
}
/* All links and switches of a set; rates stay as they are. */
void ripstop_view_set_faults(ripstop_view *view, const ripstop_faults *faults, bool up);
void ripstop_view_apply(ripstop_view *view, const ripstop_change *change);
/* Component number of every node over the ports that are up (failed nodes: RIPSTOP_NONE). Returns how many components
 * have end nodes. With one-way links the nodes of a component reach each other in both directions. */
uint32_t ripstop_view_components(const ripstop_view *view, uint32_t *component);

/* ------------------------------------------------------------------ failures that leave the rest connected */

/* Lets up to `count` random parts of a scope fail one after another. Without `cut`, end nodes that are connected stay
 * connected as long as their switches are up. Writes the numbers of the parts to `id` and returns how many; fewer
 * than `count`: no more can fail. */
uint32_t ripstop_view_break(ripstop_view *view, const ripstop_fault_scope *scope, uint32_t count, bool cut,
                            ripstop_stream *stream, uint32_t *id);
/* The same for parts that fail together, in the given `groups`; writes those that fail to `chosen`. A group without a
 * part that is up is never chosen. */
uint32_t ripstop_view_break_groups(ripstop_view *view, const ripstop_faults *group, uint32_t groups, uint32_t count,
                                   bool cut, ripstop_stream *stream, uint32_t *chosen);

/* ------------------------------------------------------------------ random schedules */

/* A process (docs/faults.md) with its options, ready for one fabric. */
typedef struct ripstop_rule {
  const struct ripstop_process *process;
  const void *config, *table;
  const char *spec; /* canonical: "random:3,scope=switches,from=1000,every=500" */
} ripstop_rule;

/* True if a text is meant as a rule: it begins with the name of a process, or has a ':' and is no part of a fabric. */
bool ripstop_rule_is_meant(const char *text);
/* "NAME" or "NAME:options". A path in it is relative to the folder of the file `beside` (NULL: the present one).
 * Memory from the arena. */
int ripstop_rule_open(ripstop_arena *arena, const ripstop_names *names, const char *spec, const char *beside,
                      ripstop_rule *out, ripstop_error *err);
/* The schedule of (seed, index), which depends on nothing else. Memory from the arena. -1: the fabric lacks parts
 * that the process needs. */
int ripstop_rule_sample(ripstop_arena *arena, const ripstop_fabric *fabric, const ripstop_faults *faults,
                        const ripstop_rule *rule, uint64_t seed, uint64_t index, ripstop_schedule *out,
                        ripstop_error *err);

RIPSTOP_END

#endif

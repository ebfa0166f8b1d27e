/* what_if_study.h - the consequences of the next failure: for each cable, switch, pair of cables or risk group of a
 * fabric with forwarding tables, what its failure does, and which cables may be taken out of service now.
 *
 *   what_if_settings s = {.view = view, .tables = tables, .threads = 1, .safe = true};
 *   what_if_study study;
 *   int status = what_if_study_make(arena, &s, &study, &err);
 *
 * docs/operators.md has the meaning of each number. */
#ifndef REPORT_WHAT_IF_STUDY_H
#define REPORT_WHAT_IF_STUDY_H

#include "report/what_if.h"
#include "ripstop/kit/proofs.h"

typedef enum what_if_kind {
  WHAT_IF_CABLES,
  WHAT_IF_SWITCHES,
  WHAT_IF_PAIRS,
  WHAT_IF_GROUPS,
  WHAT_IF_KINDS
} what_if_kind;

/* Whatever it points to must outlive the study. */
typedef struct what_if_settings {
  const ripstop_view *view; /* has the parts that failed already */
  const ripstop_forwarding *tables;
  const ripstop_plan *plan; /* its method made the tables; NULL: they came from files or are shortest paths */
  bool whole;               /* the tables name the virtual channels of the plan */
  const char *origin;  /* for the page: the tables come from there; NULL: none were given, they are shortest paths */
  const char *reroute; /* the method that makes new tables after each failure; NULL: the tables are repaired */
  uint64_t entries;    /* the most entries that its tables may have */
  what_if_kind of;
  const char *const *group; /* [groups] GROUPS: parts as in fault sets; none: ripstop_risk_groups_find */
  unsigned groups;
  uint64_t samples, seed; /* PAIRS: how many random pairs to study if there are more, and their seed */
  bool safe;              /* find the safe set as well */
  unsigned threads;       /* at least 1 */
  /* Now and then in the caller's thread; NULL: not requested. `what` are the steps counted, in words. */
  void (*progress)(void *context, const char *what, uint32_t done, uint32_t all);
  void *context;
} what_if_settings;

/* Nodes that stay up and lose most of the fabric (ripstop_judge_cut_off). */
typedef struct what_if_cut_off {
  const uint32_t *node; /* end nodes, then switches */
  uint32_t count, switches;
} what_if_cut_off;

typedef struct what_if_study {
  what_if_settings settings;
  ripstop_table_verdict before;
  uint64_t bound;       /* paths on the worst link that no routing can beat, if no tables were given; else 0 */
  ripstop_deadlock now; /* the verdict on the tables, or on the method that makes them */
  uint32_t count;
  ripstop_faults *parts;   /* [count] */
  const char **name;       /* [count] */
  const char **described;  /* [count] by the nodes' descriptions in a dump; empty: there are none */
  const char **kind;       /* [count] of GROUPS */
  ripstop_what_if *effect; /* [count] */
  what_if_cut_off *off;    /* [count] */
  const ripstop_capacity *capacity;
  const double *role_worst; /* [capacity->roles]: the most paths on a channel of each role now, for each unit of rate */
  ripstop_safe_set safe;    /* with settings.safe, as the next */
  what_if_cut_off safe_off;
  const char *incomplete; /* the parts that the dump lacks, in words; NULL: none is known, or it is no dump */
  ripstop_recognised recognised;
  what_if page;      /* the same for what_if_page; `page.drawn.order` has the worst first */
  ripstop_cuts cuts; /* PAIRS: which of all pairs disconnect end nodes */
  bool sampled;      /* PAIRS: the parts are some that disconnect end nodes and, */
  uint32_t from;     /* from this part on, a random sample of all */
  ripstop_arena *arena;
} what_if_study;

/* Everything is in the arena; it prints nothing. -1: a group names no part, the method has no tables now, or the
 * machine failed. */
int what_if_study_make(ripstop_arena *arena, const what_if_settings *settings, what_if_study *out, ripstop_error *err);

/* "cable", "cables between switches" */
extern const char *const what_if_part_words[WHAT_IF_KINDS], *const what_if_parts_words[WHAT_IF_KINDS];
bool what_if_is_host_cable(const what_if_study *study, uint32_t part);
/* Why a cable between switches may not be taken out alone, in words; NULL: it may. Needs settings.safe. */
const char *what_if_why_not(const what_if_study *study, uint32_t link);
/* The condition that the tables of settings.reroute break with nothing taken out, in words; NULL: they break none. */
const char *what_if_why_none(const what_if_study *study);
/* The condition that a cable between switches breaks beside the safe set: a word of ripstop_harm_words, or "method" if
 * the tables of --reroute do; NULL: it is in the set. Then the sentence, also NULL if the cable is not safe alone. */
const char *what_if_beside(const what_if_study *study, uint32_t link);
const char *what_if_why_not_beside(const what_if_study *study, uint32_t link);
/* Counts the parts that the dump lacks. False: none, or the fabric is no dump. */
typedef struct what_if_gaps {
  uint32_t half_links, hosts; /* hosts: half links of switches to hosts without lines of their own */
  uint32_t timeouts;
  bool truncated, unlisted;
} what_if_gaps;
bool what_if_find_gaps(const ripstop_fabric *fabric, what_if_gaps *out);
/* The same as a sentence; NULL: nothing. In the arena. */
const char *what_if_incomplete_words(ripstop_arena *arena, const ripstop_fabric *fabric);
/* As in fault files, except that a single switch is its name alone. In the arena, like the next. */
const char *what_if_name(const what_if_study *study, const ripstop_faults *part);
const char *what_if_link_name(const what_if_study *study, uint32_t link);
const char *what_if_node_name(const what_if_study *study, uint32_t node);
/* For what_if_study_make: lists the parts, with names and kinds of groups. */
int what_if_list_parts(what_if_study *study, ripstop_error *err);

#endif

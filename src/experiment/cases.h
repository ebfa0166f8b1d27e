/* cases.h - what is wrong with a fabric, from the start and later: the cases that runs are made of. */
#ifndef EXPERIMENT_CASES_H
#define EXPERIMENT_CASES_H

#include "base/text_table.h"
#include "experiment/reader.h"

/* One fault set of one fabric, still to be drawn (faults NULL) or given. */
typedef struct ripstop_fault_case {
  const char *count, *sample, *scope, *set, *keep; /* the run keys' values */
  uint32_t parts, index;
  const ripstop_fault_scope *parts_of;
  ripstop_keep keep_word;
  const ripstop_faults *faults;
} fault_case;

typedef struct ripstop_schedule_case {
  const char *text;                 /* the run key's value */
  const ripstop_schedule *schedule; /* NULL: nothing changes, or what does is drawn */
  const ripstop_rule *rule;         /* NULL: it is not */
  int line;
} schedule_case;

/* The run keys whose values they are. */
typedef enum cases_key {
  CASES_COUNT,
  CASES_SAMPLE,
  CASES_SCOPE,
  CASES_SET,
  CASES_KEEP,
  CASES_SCHEDULE,
  CASES_KEYS
} cases_key;

typedef struct cases {
  const reader *reader; /* for messages */
  const ripstop_spec *spec;
  ripstop_arena *arena;
  const ripstop_fabric *fabric;
  const ripstop_names *names;
  fault_case *fault;        /* [faults] */
  ripstop_text_table known; /* the given ones, by their sets */
  size_t faults, faults_room;
  schedule_case *schedule; /* [schedules], one for each setting of faults.schedule */
  size_t schedules;
  const char **set; /* [settings of faults.set]: what they came to */
} cases;

/* Fills in fault and schedule; the rest is given. All of it belongs to the arena. */
int cases_find(cases *x);
/* The run key of this name; CASES_KEYS: it is none of faults'. */
cases_key cases_key_of(const char *name);
/* Its value; NULL of CASES_KEYS. */
const char *cases_value(const fault_case *fault, const schedule_case *schedule, cases_key key);

#endif

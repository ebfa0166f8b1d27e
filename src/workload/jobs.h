/* jobs.h - the text of `workload.jobs` as jobs: what each does, on which end nodes, from which cycle on.
 *
 *   JOBS  = JOB { " + " JOB }
 *   JOB   = KIND[:options] [" on " PLACE] [" at " CYCLE] [" class " N]         N from 1
 *   PLACE = RULE[:ranks[/server]] | "file:"PATH[",hash="HASH]         RULE = packed, spread, random, racks */
#ifndef WORKLOAD_JOBS_H
#define WORKLOAD_JOBS_H

#include "workload/tasks.h"

typedef enum placement { PLACE_PACKED, PLACE_SPREAD, PLACE_RANDOM, PLACE_RACKS, PLACE_FILE } placement;

typedef struct job {
  const ripstop_workload *kind;
  void *config;
  int32_t place;                    /* placement */
  uint32_t ranks;                   /* 0: all end nodes that are left, or as many as its file has */
  uint32_t server;                  /* end nodes of a server, which the rule keeps together; 0: none, each is alone */
  const char *places, *places_hash; /* the file with its end nodes, and its hash ("": not known); or NULL */
  uint64_t at;
  double tick;          /* ripstop_workload_config.tick; set before the job is placed */
  uint32_t class_;      /* traffic class of its packets, from 1; 0: the text has none, which is class 1 */
  ripstop_tasks *tasks; /* after it is built */
  uint32_t *end;        /* [ranks]: the end node of each */
  uint64_t path;        /* cycles of its longest chain of tasks (ideal_paths) */
} job;

/* Memory from the arena. -1: an unknown word, or an invalid option. */
int jobs_read(ripstop_arena *arena, const char *text, job **out, size_t *count, ripstop_error *err);
/* The traffic class of the job's packets as the engine counts, from 0; and how many classes the jobs need. */
static inline uint32_t job_class(const job *j) { return j->class_ ? j->class_ - 1 : 0; }
uint32_t jobs_classes(const job *all, size_t count);
bool jobs_have_classes(const job *all, size_t count); /* some job's text has a class */
/* Builds the tasks of each job, closes them, and finds end nodes for all. jobs_free frees the tasks, also after a
 * failure. `busy` ([ends]) gets the number + 1 of the job that has an end node. */
int jobs_place(ripstop_arena *arena, const ripstop_fabric *fabric, uint64_t seed, job *all, size_t count,
               uint32_t *busy, ripstop_error *err);
/* Reads names or numbers of end nodes, one for each rank: *list, from the arena, has *count of them. `busy` ([ends])
 * gets the job's number for each. -1: not an end node, or taken already; the error has the line. */
int places_from_text(ripstop_arena *arena, const ripstop_names *names, const char *text, size_t length, uint32_t number,
                     uint32_t *busy, uint32_t **list, uint32_t *count, ripstop_error *err);
/* Prefixes an error with the job that it is about, counted from 0 here and from 1 in the message. Returns -1. */
int jobs_fail(const job *j, size_t number, ripstop_error *err);
void jobs_free(job *all, size_t count);

#endif

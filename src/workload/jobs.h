/* jobs.h - the text of `workload.jobs` as jobs: what each does, on which end nodes, from which cycle on.
 *
 *   JOBS  = JOB { " + " JOB }
 *   JOB   = KIND[:options] [" on " PLACE] [" at " CYCLE] [" class " N]         N from 1
 *   PLACE = RULE[:ranks] | "file:"PATH[",hash="HASH]         RULE = packed, spread, random, racks */
#ifndef WORKLOAD_JOBS_H
#define WORKLOAD_JOBS_H

#include "workload/tasks.h"

typedef enum placement { PLACE_PACKED, PLACE_SPREAD, PLACE_RANDOM, PLACE_RACKS, PLACE_FILE } placement;

typedef struct job {
  const ripstop_workload *kind;
  void *config;
  int32_t place;                    /* placement */
  uint32_t ranks;                   /* 0: as many as there are end nodes left, or as its file has */
  const char *places, *places_hash; /* the file with its end nodes, and what it hashes to ("": not known); or NULL */
  uint64_t at;
  uint32_t class_;      /* traffic class of its packets, from 1; 0: the text has none, which is class 1 */
  ripstop_tasks *tasks; /* once it is built */
  uint32_t *end;        /* [ranks]: the end node of each */
} job;

/* Memory from the arena. -1: a word that is not known, or an option that cannot be. */
int jobs_read(ripstop_arena *arena, const char *text, job **out, size_t *count, ripstop_error *err);
/* The traffic class of the job's packets as the engine counts, from 0; and how many classes the jobs need. */
static inline uint32_t job_class(const job *j) { return j->class_ ? j->class_ - 1 : 0; }
uint32_t jobs_classes(const job *all, size_t count);
bool jobs_have_classes(const job *all, size_t count); /* some job's text has a class */
/* Builds each job's tasks and closes them, and finds places for all. What is built is freed by jobs_free, also after a
 * failure. `busy` ([ends]) gets who has an end node: a job's number + 1. */
int jobs_place(ripstop_arena *arena, const ripstop_fabric *fabric, uint64_t seed, job *all, size_t count,
               uint32_t *busy, ripstop_error *err);
/* Names or numbers of end nodes, one for each rank: *list, from the arena, has *count of them, and `busy` ([ends]),
 * where they must not be yet, gets the job's number for each. -1: what is no end node, or somebody's, with its line. */
int places_from_text(ripstop_arena *arena, const ripstop_names *names, const char *text, size_t length, uint32_t number,
                     uint32_t *busy, uint32_t **list, uint32_t *count, ripstop_error *err);
/* Puts before a message which job it is about, counted from 0 here and from 1 there; -1. */
int jobs_fail(const job *j, size_t number, ripstop_error *err);
void jobs_free(job *all, size_t count);

#endif

/* team.h - threads that work for one that waits. All threads of ripstop are made here, and none outlives the call that
 * made it.
 *
 * ripstop_team_work: jobs are fetched one after the other, done by several threads, and taken by the caller's thread,
 * in their order or as they are finished. Only so many are under way or wait to be taken: the window bounds memory, and
 * nobody runs far ahead of a caller who is slow. Whoever fetches deterministically and takes in order has results that
 * do not depend on the number of threads.
 *
 * ripstop_team_share: a piece of work in parts, done when all parts are.
 *
 * ripstop_team_together: threads that work side by side and meet again and again (ripstop_meet).
 *
 * Where the system gives fewer threads than wished for, these do it all; where it gives none, or none is wished for,
 * the caller does everything itself. All are called under a guard (memory.h). When memory runs out in one of the
 * threads, the others end their jobs and leave, and then it has run out in the caller's. */
#ifndef RIPSTOP_BASE_TEAM_H
#define RIPSTOP_BASE_TEAM_H

#include <pthread.h>
#include <stdatomic.h>

#include "ripstop/base.h"

/* The kit uses it too. */
RIPSTOP_BEGIN

/* A job is `job_size` bytes of the team's memory, zero before its first use and later as the last job left it. A job
 * that fails says so in its own bytes. */
typedef struct ripstop_duty {
  unsigned threads; /* 0: the caller works */
  size_t window;    /* most jobs under way or waiting to be taken, at least 1 */
  size_t job_size;
  bool in_order; /* jobs are taken in the order in which they were fetched; else as they are finished */
  void *context; /* of all calls */

  /* What a thread works with: made in it at its start, freed in it at its end. NULL, both: nothing. */
  void *(*enter)(void *context);
  void (*leave)(void *tools);
  /* Fills the next job, by one thread at a time. False: there are no more, or somebody wishes the work to end; it is
   * not asked again. Takes no memory. */
  bool (*fetch)(void *context, void *job);
  /* Does a job, by many threads at a time. What the job holds afterwards has been disowned (memory.h). */
  void (*work)(void *context, void *tools, void *job);
  /* After `fetch` had none, in the same thread: whether there may be a job later. Then threads ask again after the next
   * tick, and the work goes on. NULL: never. */
  bool (*later)(void *context);
  /* In the caller's thread: a job is done. False: no more are wanted; those that have begun are ended and dropped. */
  bool (*take)(void *context, void *job);
  /* In the caller's thread, between two jobs and at least five times a second, or as often as is said. NULL: nothing.
   */
  void (*tick)(void *context);
  long tick_nanoseconds; /* below a second; 0: five times a second */
  /* In the caller's thread, at the end, for each place of the window: frees what the job in it holds, which may never
   * have been one. NULL: nothing. */
  void (*forget)(void *job);
} ripstop_duty;

/* Returns when the last job has been taken, or `take` wanted no more. */
void ripstop_team_work(const ripstop_duty *duty);

/* Calls part(context, i) for i = 0 .. parts - 1, the first in the caller's thread, the others in a thread each. */
void ripstop_team_share(unsigned parts, void (*part)(void *context, unsigned i), void *context);

/* Calls work(context, i, threads) for i = 0 .. threads - 1, the first in the caller's thread, all at the same time: in
 * so many threads as are wished for, or as the system gives. */
void ripstop_team_together(unsigned wished, void (*work)(void *context, unsigned i, unsigned threads), void *context);

/* Where the threads of ripstop_team_together wait for each other. Whoever comes looks for the others for a while and
 * then sleeps: on a machine that is busy with other things they may not come for long. */
typedef struct ripstop_meeting {
  atomic_uint come, round;
  unsigned processors;
  pthread_mutex_t lock;
  pthread_cond_t all_there;
  void (*all_met)(void *context);
  void *context;
} ripstop_meeting;
/* `all_met` is called by the last who comes, while the others still wait: what it writes they may read. */
void ripstop_meeting_open(ripstop_meeting *meeting, void (*all_met)(void *context), void *context);
void ripstop_meeting_close(ripstop_meeting *meeting);
/* Returns when all `threads` have called it. What each did before, all see afterwards. */
void ripstop_meet(ripstop_meeting *meeting, unsigned threads);

/* Processor time of the calling thread, in seconds: of work that it does alone, whatever other threads there are. */
double ripstop_thread_seconds(void);

/* Processors that this process may run on, at least 1: not those that a batch system, a set of processors of a
 * container or taskset keeps from it. Shares of processor time (cgroup quotas) are not seen. */
unsigned ripstop_team_processors(void);

RIPSTOP_END

#endif

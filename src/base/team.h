/* team.h - threads that work for a caller that waits. All threads of ripstop are made here, and none outlives the
 * call that made it.
 *
 * ripstop_team_work: jobs are fetched one after the other, done by several threads, and taken by the caller's thread,
 * in order or as they are finished. The window limits the jobs that are fetched and not yet taken, and thereby
 * memory, so threads do not run far ahead of a slow caller. A caller that fetches deterministically and takes in
 * order gets results that do not depend on the number of threads.
 *
 * ripstop_team_share: a piece of work in parts, done when all parts are.
 *
 * ripstop_team_together: threads that work side by side and meet repeatedly (ripstop_meet).
 *
 * If the system gives fewer threads than requested, these do all the work; if it gives none, or none is requested,
 * the caller does it. All are called under a guard (memory.h). When memory runs out in one of the threads, the others
 * end their jobs and leave, and then the failure is passed to the caller's thread. */
#ifndef RIPSTOP_BASE_TEAM_H
#define RIPSTOP_BASE_TEAM_H

#include <pthread.h>
#include <stdatomic.h>

#include "ripstop/plugin/base.h"

/* The kit uses it too. */
RIPSTOP_BEGIN

/* A job is `job_size` bytes of the team's memory, zero before its first use and later as the last job left it. A job
 * that fails says so in its own bytes. */
typedef struct ripstop_duty {
  unsigned threads; /* 0: the caller works */
  size_t window;    /* most jobs that are fetched and not yet taken, at least 1 */
  size_t job_size;
  bool in_order; /* jobs are taken in the order in which they were fetched; else as they are finished */
  void *context; /* argument of all calls */

  /* Makes the tools of a thread in it at its start; `leave` frees them at its end. NULL, both: none. */
  void *(*enter)(void *context);
  void (*leave)(void *tools);
  /* Fills the next job, by one thread at a time. False: there are no more, or the work is to end; it is not called
   * again. Allocates nothing. */
  bool (*fetch)(void *context, void *job);
  /* Does a job, by many threads at a time. What the job holds afterwards has been disowned (memory.h). */
  void (*work)(void *context, void *tools, void *job);
  /* Called after `fetch` had none, in the same thread: true if a job may come later. Then threads try again after the
   * next tick, and the work goes on. NULL: never. */
  bool (*later)(void *context);
  /* In the caller's thread: a job is done. False: no more are wanted; jobs in progress are ended and dropped. */
  bool (*take)(void *context, void *job);
  /* In the caller's thread, between two jobs and at least five times a second, or as often as set below. NULL:
   * nothing. */
  void (*tick)(void *context);
  long tick_nanoseconds; /* below a second; 0: five times a second */
  /* In the caller's thread, at the end, for each place of the window: frees the contents of its job, which may never
   * have been filled. NULL: nothing. */
  void (*forget)(void *job);
} ripstop_duty;

/* Returns when the last job has been taken, or `take` wanted no more. */
void ripstop_team_work(const ripstop_duty *duty);

/* Calls part(context, i) for i = 0 .. parts - 1, the first in the caller's thread, the others in a thread each. */
void ripstop_team_share(unsigned parts, void (*part)(void *context, unsigned i), void *context);

/* Calls work(context, i, threads) for i = 0 .. threads - 1, the first in the caller's thread, all at the same time:
 * in as many threads as requested, or as the system gives. */
void ripstop_team_together(unsigned wished, void (*work)(void *context, unsigned i, unsigned threads), void *context);

/* A barrier for the threads of ripstop_team_together. A thread that arrives spins for a while and then sleeps: on a
 * busy machine the others may not come for long. */
typedef struct ripstop_meeting {
  atomic_uint come, round;
  unsigned processors;
  pthread_mutex_t lock;
  pthread_cond_t all_there;
  void (*all_met)(void *context);
  void *context;
} ripstop_meeting;
/* The last thread that arrives calls `all_met` while the others still wait: they may read what it writes. */
void ripstop_meeting_open(ripstop_meeting *meeting, void (*all_met)(void *context), void *context);
void ripstop_meeting_close(ripstop_meeting *meeting);
/* Returns when all `threads` have called it. Writes before it are visible to all afterwards. */
void ripstop_meet(ripstop_meeting *meeting, unsigned threads);

/* Processor time of the calling thread, in seconds: of work that it does alone, whatever other threads there are. */
double ripstop_thread_seconds(void);

/* Processors that this process may run on, at least 1, without those that a batch system, a container's processor set
 * or taskset excludes. Shares of processor time (cgroup quotas) are not considered. */
unsigned ripstop_team_processors(void);

RIPSTOP_END

#endif

/* ranks.h - this process among the ranks: how it sends, waits and receives. */
#ifndef RIPSTOP_CAMPAIGN_RANKS_H
#define RIPSTOP_CAMPAIGN_RANKS_H

#include <pthread.h>

#include "base/files.h"
#include "campaign/message_net.h"
#include "campaign/workers.h"

typedef struct ranks_hand {
  unsigned rank, hand;
} ranks_hand;

struct ripstop_ranks {
  void *module; /* from dlopen */
  const recognised_graph *net;
  ripstop_net_place at;
  pthread_mutex_t lock; /* guards net's functions; nothing is allocated under it */
  ripstop_files files;  /* read by rank 0 */
  int round;            /* calls that have come to their end */
  unsigned rounds;      /* calls to come */

  /* rank 0's, in a round */
  unsigned *under_way; /* [ranks] runs that each has */
  unsigned left;       /* ranks that have ended the round, beside this one */
  ranks_hand *waiting; /* [waits] hands without a run that may get one later */
  size_t waits;
  bool own_work; /* threads of this rank are at work */
  double mean;   /* seconds of a run, lately; 0: not known yet */
};

/* Tags. A hand is a thread of another rank that does runs; each has one open question. */
enum { TAG_MEETING = 0 };
static inline int tag_of_round(const ripstop_ranks *r) { return 2 * r->round + 2; }
static inline int tag_of_hand(unsigned hand) { return 2 * (int)hand + 1; }

void ranks_send(ripstop_ranks *r, unsigned to, int tag, const ripstop_text *message);
/* True if there was a message: then it is in `out`, which was empty, and its sender in `from`. */
bool ranks_receive(ripstop_ranks *r, int tag, unsigned *from, ripstop_text *out);
/* Waits for it; false: stopped before (`stop` may be NULL). */
bool ranks_wait(ripstop_ranks *r, int tag, const atomic_int *stop, unsigned *from, ripstop_text *out);

/* A sleep that grows with every vain attempt, from 20 microseconds to a millisecond. */
typedef struct ranks_nap {
  long nanoseconds;
} ranks_nap;
void ranks_sleep(ranks_nap *nap);

/* On rank 0: how many ranks, this one too, have work now. */
unsigned ranks_busy(const ripstop_ranks *ranks);

/* A call of ripstop_work, or of ripstop_ranks_gather, has come to its end. */
void ranks_end_round(ripstop_ranks *r);

/* Threads of this rank that do runs: the requested number or, for 0, its share of its machine's processors. Rank 0 has
 * one fewer where the ranks of its machine together would have more threads than processors, since it hands out runs
 * too.
 */
unsigned ranks_threads(const ripstop_ranks *r, unsigned wished);

#endif

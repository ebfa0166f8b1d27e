/* message_net.h - what the processes of one campaign, its ranks, need of a message system.
 *
 * It is found at run time: the program knows no MPI, and a module beside it (mpi/mpi.c), which does, is loaded when the
 * environment says that a launcher started several processes. So one package is good with and without MPI.
 *
 * One thread at a time calls these functions (ripstop_ranks.lock). Nothing here waits, neither for a message nor for
 * a receiver. A rank that waits polls and sleeps in between (ranks.c), because MPI's own waiting takes a whole
 * processor from threads that compute. */
#ifndef RIPSTOP_CAMPAIGN_MESSAGE_NET_H
#define RIPSTOP_CAMPAIGN_MESSAGE_NET_H

#include <stdbool.h>
#include <stddef.h>

#define RIPSTOP_NET_ABI    2u
#define RIPSTOP_NET_MODULE "ripstop-mpi.so"
#define RIPSTOP_NET_SYMBOL "ripstop_net_mpi"

typedef struct ripstop_net_place {
  unsigned rank, ranks;
  unsigned neighbours; /* ranks on this machine, this one too */
  unsigned processors; /* on this machine that they may use together */
  char host[256];
} ripstop_net_place;

/* A message in transit; its bytes must stay where they are. A thread has one at a time. */
typedef unsigned ripstop_net_passage;
enum { RIPSTOP_NET_THREADS = 4200 }; /* no rank has more */

typedef struct recognised_graph {
  unsigned abi; /* RIPSTOP_NET_ABI */
  /* False, and the reason in `why`. */
  bool (*open)(ripstop_net_place *place, char *why, size_t room);
  /* To another rank, at most INT_MAX bytes. Messages of one tag stay in order. */
  ripstop_net_passage (*send)(unsigned to, int tag, const void *bytes, size_t length);
  /* True if a message of this tag is there, with its sender and length; then `take` gets it. */
  bool (*look)(int tag, unsigned *from, size_t *length);
  ripstop_net_passage (*take)(unsigned from, int tag, void *bytes, size_t length);
  /* True if the message was sent or taken; called until then, and no more. */
  bool (*over)(ripstop_net_passage passage);
  void (*close)(void);       /* returns when all ranks have called it */
  void (*end_all)(int code); /* ends all ranks at once and does not return */
} recognised_graph;

#endif

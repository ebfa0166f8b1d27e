/* fib_hosts.h - who sends and receives: the hosts of a fabric, and the classes of their addresses. */
#ifndef RIPSTOP_TABLES_ETHERNET_FIB_HOSTS_H
#define RIPSTOP_TABLES_ETHERNET_FIB_HOSTS_H

#include "tables/ethernet/fib.h"

/* A prefix that is connected at a port of a switch. */
typedef struct fib_connected {
  uint32_t switch_, port;
  ip_prefix prefix;
} fib_connected;

typedef struct fib_connections {
  fib_connected *at; /* by switch */
  uint32_t count;
  size_t room;
  uint32_t *first; /* [switches + 1] */
} fib_connections;

void fib_connections_find(fib *f, const fib_state *state, fib_connections *out, ripstop_arena *arena);
/* Finds hosts, groups and classes from the present tables; older ones add longer prefixes. */
void fib_hosts_find(fib *f, const fib_connections *connected);

#endif

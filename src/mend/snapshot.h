/* snapshot.h - forwarding tables by the GUIDs of ports: they outlive the fabric that they were made for, in memory and
 * as a file, and are laid over the next one, which has other nodes and links.
 *
 * Only tables whose lanes follow from levels alone (ripstop_forwarding.lane is NULL). */
#ifndef MEND_SNAPSHOT_H
#define MEND_SNAPSHOT_H

#include "ripstop/forwarding.h"

typedef struct snapshot {
  uint32_t addresses, switches, lanes;
  uint32_t several;  /* addresses of an end node, which stand together */
  uint64_t *address; /* [addresses]: port GUIDs of their nodes */
  uint64_t *switch_; /* [switches]: GUIDs */
  uint8_t *port;     /* [addresses * switches]: the ports' numbers, 0 of the switch itself; SNAPSHOT_NONE: none */
  /* [addresses * addresses], at source * addresses + address, or, `by_address`, [addresses]; NULL: all are 0. */
  uint8_t *level;
  bool by_address;
  ripstop_arena *arena;
} snapshot;

enum { SNAPSHOT_NONE = 255 };

snapshot *snapshot_of(const ripstop_forwarding *tables);
void snapshot_free(snapshot *s); /* NULL is fine */
/* What of the tables is about nodes of this fabric: its addresses are those that both know. */
ripstop_forwarding *snapshot_lay(const snapshot *s, const ripstop_fabric *fabric);

/* A file that is replaced as a whole or not at all. */
int snapshot_write(const snapshot *s, const char *path, ripstop_error *err);
/* Whether the file begins as one does. */
bool snapshot_is(const char *path);
/* NULL on error; *missing: there is no such file. */
snapshot *snapshot_read(const char *path, bool *missing, ripstop_error *err);

#endif

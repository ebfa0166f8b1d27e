/* snapshot.h - forwarding tables by the GUIDs of ports: they outlive the fabric that they were made for, in memory
 * and as a file, and can be mapped to the next one, which has other nodes and links.
 *
 * Only tables whose VLs follow from service levels alone (ripstop_forwarding.lane is NULL). */
#ifndef MEND_SNAPSHOT_H
#define MEND_SNAPSHOT_H

#include "ripstop/plugin/forwarding.h"

enum { SNAPSHOT_NONE = 255, SNAPSHOT_WRITER = 64 };

typedef struct snapshot {
  uint32_t addresses, switches, lanes;
  uint32_t several;  /* the addresses of an end node are adjacent */
  uint64_t *address; /* [addresses]: port GUIDs of their nodes */
  uint64_t *switch_; /* [switches]: GUIDs */
  uint8_t *port;     /* [addresses * switches]: port numbers, 0 for the switch itself; SNAPSHOT_NONE: none */
  /* [addresses * addresses], at source * addresses + address, or, `by_address`, [addresses]; NULL: all are 0. */
  uint8_t *level;
  bool by_address;
  /* In a file: the version of its contents, which counts up, and the writer. */
  uint64_t generation;
  char writer[SNAPSHOT_WRITER];
  /* The tables that were planned for the whole fabric; NULL: none. Freed with the snapshot. */
  struct snapshot *plan;
  uint64_t worst;  /* in a plan: paths on its busiest channel */
  uint32_t cables; /* in a plan: links of its fabric */
  ripstop_arena *arena;
} snapshot;

snapshot *snapshot_of(const ripstop_forwarding *tables);
bool snapshot_same(const snapshot *a, const snapshot *b); /* the same tables, in the same order */
void snapshot_free(snapshot *s);                          /* NULL is fine */
/* The part of the tables about nodes of this fabric: its addresses are those that both have. */
ripstop_forwarding *snapshot_lay(const snapshot *s, const ripstop_fabric *fabric);

/* The file is replaced atomically, with `plan`, `generation` and `writer`. */
int snapshot_write(const snapshot *s, const char *path, ripstop_error *err);
/* The generation and the writer ([SNAPSHOT_WRITER]) of a file; 0: there is none that can be read. */
uint64_t snapshot_generation(const char *path, char *writer);
/* True if the file begins like a snapshot. */
bool snapshot_is(const char *path);
/* NULL on error; *missing: the file does not exist. */
snapshot *snapshot_read(const char *path, bool *missing, ripstop_error *err);

#endif

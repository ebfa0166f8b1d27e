/* hostlist.h - reads a list of hosts as Slurm and pdsh write it: a[1-8],b[01-03,7],login1; or one host on each line, as
 * `scontrol show hostnames` prints them and files have them, with LF or CR LF. Blanks separate hosts as commas do.
 *
 * The order counts: it is that of the ranks of a job. Each item with brackets is a set of hosts; items without brackets
 * that follow each other are one. Numbers keep their width. */
#ifndef RIPSTOP_FORMATS_HOSTLIST_H
#define RIPSTOP_FORMATS_HOSTLIST_H

#include "ripstop/error.h"
#include "ripstop/plugin/base.h"

enum { HOSTLIST_HOSTS_MAX = 100000, HOSTLIST_SETS_MAX = 64 };

typedef struct hostlist_set {
  const char *text; /* the item as it was written */
  uint32_t first, count;
} hostlist_set;

typedef struct hostlist {
  const char **name; /* [names], each once */
  uint32_t names, names_room;
  hostlist_set *set;
  uint32_t sets, sets_room;
} hostlist;

/* Everything belongs to the arena. */
int hostlist_read(hostlist *out, ripstop_arena *arena, const char *text, ripstop_error *err);

#endif

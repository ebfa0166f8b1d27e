/* dump_history.h - many dumps of one fabric, in the order of their time: which cables and nodes went away and came
 * back, and which of them did so together.
 *
 * A cable went down where a dump lacks it and the dump before had it; it flaps when a later dump has it again. If one
 * of its nodes went with it, that is the node's doing: a host that was rebooted, a switch without power. If one of its
 * ports has another cable now, it was moved. */
#ifndef RIPSTOP_FORMATS_INFINIBAND_DUMP_HISTORY_H
#define RIPSTOP_FORMATS_INFINIBAND_DUMP_HISTORY_H

#include "formats/infiniband/dump.h"

typedef struct ib_history_times {
  uint32_t *list; /* numbers of dumps, ascending */
  uint32_t count, room;
} ib_history_times;

/* A node or a cable. */
typedef struct ib_history_part {
  const char *name;       /* `id`, or `end-end` as dumps name a cable */
  const char *text[2];    /* descriptions: the node's, or of both ends of a cable */
  uint32_t node[2];       /* a cable's nodes in the history; RIPSTOP_NONE for a node */
  uint32_t port[2];       /* a cable's */
  ripstop_ib_kind kind;   /* a node's */
  uint32_t first, last;   /* dumps */
  ib_history_times down;  /* first dumps without it, without those below */
  ib_history_times with;  /* first dumps without a cable and one of its nodes */
  ib_history_times moved; /* first dumps without a cable in which one of its ports has another one */
  ib_history_times up;    /* dumps that have it again */
} ib_history_part;

/* Parts that went down in the same dumps, each time. */
typedef struct ib_history_group {
  bool nodes;     /* switches; else cables */
  uint32_t *part; /* [parts]: in the list of nodes or cables */
  uint32_t parts;
  uint32_t at; /* cables: the switch at which all of them are; RIPSTOP_NONE: there is none */
  const ib_history_times *down;
} ib_history_group;

typedef struct ib_history {
  ripstop_arena *arena;
  ib_history_part *node, *cable;
  uint32_t nodes, nodes_room, cables, cables_room;
  ripstop_text_table node_ids, cable_names;
  uint32_t dumps;
  ib_history_group *group; /* the one with most times first */
  uint32_t groups, groups_room;
} ib_history;

/* Set the arena; the rest begins as zeroes. Adds the next dump, which may be freed afterwards. */
void ib_history_add(ib_history *history, const ripstop_ib_dump *dump);
/* Finds the groups, after the last dump. */
void ib_history_end(ib_history *history);
/* True if the last dump has it. */
static inline bool ib_history_is_there(const ib_history *history, const ib_history_part *part) {
  return part->last + 1 == history->dumps;
}

enum { IB_HISTORY_DATE = 20 }; /* bytes of a date, terminator included */
/* The date of a dump, "2026-01-31 06:00:00": from its file's name (2026-01-31T0600, 20260131-060000), or else from the
 * first lines ("generated on Thu Jan  1 00:00:00 2026"). False: neither has one. */
bool ib_history_date(const char *name, const char *text, size_t length, char out[IB_HISTORY_DATE]);
/* Hours between two such dates; negative if the second is the earlier one. */
double ib_history_hours(const char *from, const char *to);

#endif

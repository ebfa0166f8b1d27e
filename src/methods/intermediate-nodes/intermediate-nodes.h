/* intermediate-nodes.h - shared by the files of the method intermediate-nodes: its options, the plan's data, the
 * header, and the functions of each file. Routers have numbers (fabric/kns.h). */
#ifndef METHODS_INTERMEDIATE_NODES_H
#define METHODS_INTERMEDIATE_NODES_H

#include "methods/intermediate-nodes/row_reach.h"
#include "ripstop/plugin/method.h"

typedef enum { LISTS_CHOSEN, LISTS_ALL } lists_kind;
typedef enum { PREFER_SHORTEST, PREFER_FEWEST } prefer_kind;
typedef enum { PICK_HASH, PICK_FIRST } pick_kind;

typedef struct config {
  int64_t intermediates, channels, entries;
  int32_t lists, prefer, pick;
  bool adaptive, tables;
} config;

enum { INTERMEDIATES_MAX = 15, DIMENSIONS_MAX = 12 };

enum { NO_LIST, FAILED_AHEAD, CUT_OFF, END_CUT_OFF, TABLE_FULL }; /* causes of loss */

typedef struct central {
  ripstop_reach reach;
  uint32_t address; /* bits of a router's number */
  uint32_t escapes; /* virtual channels for subpaths; with adaptive=on the channel of this number is the adaptive one */
  uint32_t *limit;  /* [reach.from.classes]: the first router for which a source's full table has no entry; NULL: tables
                     * have no limit */
} central;

/* The table of a source has an entry for this destination, if it needs one. */
static inline bool has_entry(const central *m, uint32_t source, uint32_t destination) {
  return !m->limit || destination < m->limit[m->reach.from.of[source]];
}

static inline const ripstop_kns *shape_of(const central *m) { return &m->reach.kns; }
static inline uint32_t digit_of(const central *m, uint32_t router, uint32_t d) {
  return ripstop_kns_digit(shape_of(m), router, d);
}

/* ------------------------------------------------------------------ header
 *
 * Bits 0-3: the subpath, from 0. A packet without a list has header 0 all along.
 * lists=chosen: bits 4-7 the number of intermediate nodes left (the field I), then their addresses, the next one
 * lowest.
 * lists=all: the target router of the subpath, and that of the next subpath, each as a code. */

enum { COUNT_BITS = 4, LIST_BITS = 8, CODE_BITS = 9 };
enum { TO_DESTINATION = 0, CODE_UNKNOWN = 0, CODE_DESTINATION = 1 };

/* A packet's place on its list. */
typedef struct leg {
  uint32_t subpath, target;
  bool last; /* the target is the destination's router */
} leg;

static inline uint32_t bits_at(uint64_t header, uint32_t at, uint32_t bits) {
  return (uint32_t)(header >> at) & ((1u << bits) - 1);
}

static inline uint64_t subpath_of(uint64_t header) { return bits_at(header, 0, COUNT_BITS); }

/* lists=all. `target` is TO_DESTINATION or a router's number + 1. `next` is CODE_UNKNOWN while undecided,
 * CODE_DESTINATION, or a router's number + 2. */
static inline uint64_t pack_legs(uint64_t subpath, uint32_t target, uint32_t next) {
  return subpath | (uint64_t)target << COUNT_BITS | (uint64_t)next << (COUNT_BITS + CODE_BITS);
}
static inline uint32_t target_code(uint64_t header) { return bits_at(header, COUNT_BITS, CODE_BITS); }
static inline uint32_t next_code(uint64_t header) { return bits_at(header, COUNT_BITS + CODE_BITS, CODE_BITS); }

static inline leg read_leg(const central *m, lists_kind lists, uint64_t header, uint32_t destination) {
  leg out = {.subpath = (uint32_t)subpath_of(header), .target = destination, .last = true};
  if (lists == LISTS_ALL && target_code(header) != TO_DESTINATION) {
    out.target = target_code(header) - 1;
    out.last = false;
  } else if (lists == LISTS_CHOSEN && bits_at(header, COUNT_BITS, COUNT_BITS) > 0) {
    out.target = bits_at(header, LIST_BITS, m->address);
    out.last = false;
  }
  return out;
}

/* At an intermediate node: drops its address and begins the next subpath. */
static inline uint64_t next_leg(const central *m, lists_kind lists, uint64_t header) {
  uint64_t subpath = subpath_of(header) + 1;
  if (lists == LISTS_ALL) return pack_legs(subpath, next_code(header) - CODE_DESTINATION, CODE_UNKNOWN);
  uint64_t left = bits_at(header, COUNT_BITS, COUNT_BITS) - 1;
  return subpath | left << COUNT_BITS | header >> (LIST_BITS + m->address) << LIST_BITS;
}

static inline uint64_t pack_list(const central *m, const uint32_t *list, uint32_t count) {
  uint64_t header = (uint64_t)count << COUNT_BITS;
  for (uint32_t i = 0; i < count; i++) header |= (uint64_t)list[i] << (LIST_BITS + i * m->address);
  return header;
}
/* ------------------------------------------------------------------ lists (lists.c) */

/* Writes the list of the pair of routers: its intermediate nodes in order, at most INTERMEDIATES_MAX. Returns their
 * number, or RIPSTOP_NONE without a list. */
uint32_t ripstop_intermediate_choose_list(const central *m, const config *c, uint32_t source, uint32_t destination,
                                          uint32_t *list);
/* The length of that list between two routers that need at least `fewest` nodes, 1 or more. */
uint32_t ripstop_intermediate_list_length(const central *m, const config *c, uint32_t source, uint32_t destination,
                                          uint32_t fewest);

/* ------------------------------------------------------------------ full tables (full_tables.c)
 *
 * With entries=N a source's table, an associative memory, has N entries: for the N lowest of the destinations that need
 * a list. Packets to the others are lost at the source. */

/* Fills m->limit for tables of so many entries. Cost: O(classes * routers / 64 + entries) for each class. */
void ripstop_intermediate_limit(ripstop_arena *arena, central *m, uint64_t entries);
/* Ordered pairs of end nodes that need exactly `j` intermediate nodes (0: any number) and whose source has no entry. */
uint64_t ripstop_intermediate_pairs_without_entry(const central *m, uint32_t j);

/* ------------------------------------------------------------------ facts about plans (facts.c)
 *
 * The functions of ripstop_method. */

uint64_t ripstop_intermediate_lost_pairs(const ripstop_plan *p);
extern const char *const ripstop_intermediate_fact_names[];
void ripstop_intermediate_facts(const ripstop_plan *p, uint64_t *value);

#endif

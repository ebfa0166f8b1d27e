/* link-fault-messages.h - shared by the files of the method link-fault-messages: its options, the tree in numbers, the
 * rules common to settled tables and the protocol, and the functions of each file. */
#ifndef METHODS_LINK_FAULT_MESSAGES_H
#define METHODS_LINK_FAULT_MESSAGES_H

#include "fabric/tree.h"
#include "methods/shared/messages.h"
#include "ripstop/plugin/method.h"

typedef enum { CASE3_PAPER, CASE3_PER_PORT } case3_rule;
typedef enum { PHASE_TOGETHER, PHASE_APART } phase_rule; /* when switches poll their port states */
typedef enum { RELAY_AT_ONCE, RELAY_POLL } relay_rule;   /* when a message from another switch is forwarded */

typedef struct config {
  message_times message; /* first (messages.h) */
  int64_t capacity;
  int32_t case3, poll_phase, relay;
  int64_t probe, timeout, retries, poll;
  bool withdraw;
} config;

enum { NO_PORT_LEFT, NO_DOWN, CUT_OFF }; /* causes of loss */

/* ------------------------------------------------------------------ the tree in numbers
 *
 * Switch number s of level l has digits c with s = sum c_i * half^i. Its position s / half^l has the digits from l on;
 * below position q are the end nodes q * half^(l+1) and following. */

enum { LEVELS_MAX = 64, HALF_MAX = 64 };
#define NO_LEVEL UINT8_MAX

typedef struct shape {
  ripstop_tree tree;
  uint32_t half, top;             /* top: the highest level */
  uint64_t all;                   /* a bit for each up port */
  uint32_t first[LEVELS_MAX];     /* node of switch number 0 of a level */
  uint32_t count[LEVELS_MAX];     /* switches of a level */
  uint32_t twins[LEVELS_MAX];     /* half^level: switches of one position */
  uint32_t positions[LEVELS_MAX]; /* count / twins */
  uint32_t fact[LEVELS_MAX];      /* number of the first fact of a level: links are numbered by switch and up port */
  uint32_t facts, words;          /* links between switches, and the words of a set of them */
} shape;

static inline uint32_t number_of(const shape *s, uint32_t level, uint32_t node) { return node - s->first[level]; }

/* Level of the lowest common ancestors of positions a and b of a level. */
static inline uint32_t meet(const shape *s, uint32_t level, uint32_t a, uint32_t b) {
  /* a switch has an up port at least: NOLINTNEXTLINE(clang-analyzer-core.DivideZero) */
  for (; a != b && level < s->top; level++) a /= s->half, b /= s->half;
  return level;
}

/* Position of an end node's ancestors at a level. */
static inline uint32_t position_above(const shape *s, uint32_t level, uint32_t end) {
  return end / ripstop_tree_at(&s->tree, s->first[level])->span;
}

/* The members first .. first + count - 1 of a set that lie in a word of 64. */
static inline uint64_t part(uint32_t first, uint32_t count, uint32_t word) {
  uint32_t from = first > 64 * word ? first - 64 * word : 0, end = first + count - 64 * word;
  return (end >= 64 ? UINT64_MAX : (UINT64_C(1) << end) - 1) >> from << from;
}

/* ------------------------------------------------------------------ rules of both constructions */

/* States of a switch's up ports: levels[k] is PS_k.l, or NO_LEVEL if PS_k.f is 0. */
typedef struct ups {
  uint64_t flagged;
  const uint8_t *level;
} ups;

static inline uint8_t highest(const ups *u, uint64_t ports) {
  uint8_t most = 0;
  for (; ports; ports &= ports - 1) {
    uint8_t level = u->level[__builtin_ctzll(ports)];
    if (level > most) most = level;
  }
  return most;
}

/* Cases 2 and 3: no up port of this switch leads to <l,c'>, whose lowest common ancestors have level `met`. */
static inline bool unreachable(const shape *s, const config *c, const ups *u, uint64_t entry, uint32_t met) {
  if (entry == s->all) return true;
  if (!entry || (entry | u->flagged) != s->all) return false;
  return met > highest(u, c->case3 == CASE3_PAPER ? u->flagged : u->flagged & ~entry);
}

/* Steps 2 and 3: the up ports that may be taken towards a destination. */
static inline uint64_t allowed(const shape *s, const ups *u, uint64_t entry, uint32_t met) {
  uint64_t excluded = entry;
  for (uint64_t ports = u->flagged; ports; ports &= ports - 1) {
    int k = __builtin_ctzll(ports);
    if (u->level[k] < met) excluded |= UINT64_C(1) << k;
  }
  return s->all & ~excluded;
}

/* Step 4: the preferred port, else the next allowed one, cyclically upward; at least one is allowed. */
static inline uint32_t next_allowed(uint64_t ports, uint32_t preferred) {
  uint64_t from = ports >> preferred << preferred;
  return (uint32_t)__builtin_ctzll(from ? from : ports);
}

/* ------------------------------------------------------------------ settled tables (settle.c) */

typedef struct tables {
  shape shape;
  uint64_t *entry[LEVELS_MAX]; /* [count * positions]: f of the entry of a position; 0: none */
  uint8_t *level[LEVELS_MAX];  /* [count * half]: PS_k.l or NO_LEVEL */
  uint64_t *flagged[LEVELS_MAX];
  uint32_t most_entries; /* most entries that a switch would need */
} tables;

static inline ups ups_of(const tables *t, uint32_t level, uint32_t number) {
  return (ups){.flagged = t->flagged[level][number], .level = t->level[level] + (size_t)number * t->shape.half};
}

static inline const shape *shape_of(const ripstop_plan *p) { return &((const tables *)p->data)->shape; }

/* Fills the tables, which are allocated and empty, for the plan's view. */
void ripstop_lfm_settle(ripstop_plan *p, tables *t);

/* ------------------------------------------------------------------ candidates (candidates.c) */

/* Step 1: returns 1 or a loss if the packet goes down or leaves its source; 0: it needs an up port. */
static inline int go_down(const ripstop_plan *p, const shape *s, const ripstop_head *head,
                          ripstop_candidate *candidate) {
  *candidate = (ripstop_candidate){.port = 0, .space = 1};
  if (ripstop_is_end(p->fabric, head->node))
    return p->view->port_up[p->fabric->port_base[head->node]] ? 1 : -(1 + CUT_OFF);
  if (!ripstop_tree_above(&s->tree, head->node, head->destination)) return 0;
  candidate->port =
      (uint16_t)ripstop_tree_down_port(&s->tree, ripstop_tree_level(&s->tree, head->node), head->destination);
  return 1;
}

/* Steps 2 to 4, for a switch of a level at a position: 1 or a loss. */
int ripstop_lfm_go_up(const shape *s, uint32_t level, uint32_t position, uint32_t destination, const ups *u,
                      uint64_t entry, ripstop_candidate *candidate);

/* ------------------------------------------------------------------ counting (count.c)
 *
 * The functions of ripstop_method. */

uint64_t ripstop_lfm_lost_pairs(const ripstop_plan *p);
extern const char *const ripstop_lfm_fact_names[];
void ripstop_lfm_facts(const ripstop_plan *p, uint64_t *value);

/* ------------------------------------------------------------------ the protocol (protocol.c, print.c) */

typedef enum { FACT, LEVEL, SYNC, PROBE, ANSWER } message_kind;

typedef struct message {
  uint8_t kind;
  uint8_t on;    /* FACT: it holds, 0: it is withdrawn; ANSWER: nothing is missing */
  uint8_t level; /* LEVEL (DLFM): level where the sender's paths up end; NO_LEVEL: they lead to the top again */
  uint8_t zero;
  uint32_t fact;    /* FACT (ULFM) */
  uint32_t session; /* SYNC, PROBE: the session in which messages are counted */
  uint32_t sent;    /* PROBE: facts and levels sent since its SYNC */
} message;

typedef struct port_memory {
  bool dead;
  bool polled;                               /* `dead` as of the last poll (poll > 0) */
  uint8_t received, reported;                /* DLFM, NO_LEVEL: none */
  uint8_t tries;                             /* probes without an answer */
  bool answered;                             /* the last one */
  uint32_t session, sent;                    /* this switch's reports */
  uint32_t received_session, received_count; /* the neighbour's reports */
} port_memory;

/* A switch's state, followed by its arrays: for each port the facts received from the neighbour and those sent to it;
 * three sets of scratch; the table's entries; the levels of up ports; the memory of ports. */
typedef struct memory {
  uint64_t flagged;
  uint32_t node, entries;
  bool starting; /* only START and notifications of failed ports have happened so far */
  bool waiting;  /* a timer for the next poll is running */
} memory;

typedef struct table_entry {
  uint64_t bits;
  uint32_t position;
} table_entry;

typedef struct arrays {
  memory *m;
  uint64_t *received, *reported, *scratch;
  table_entry *entry;
  port_memory *port;
  uint8_t *level;
} arrays;

/* Bytes of all switches' states. */
uint64_t ripstop_lfm_protocol_bytes(const shape *s, const config *c);
arrays ripstop_lfm_open_memory(const shape *s, const config *c, uint32_t level, uint32_t ports, const void *state);
/* NULL: the table has no entry for the position. */
table_entry *ripstop_lfm_find_entry(const arrays *a, uint32_t position);

/* The functions of ripstop_proto. */
size_t ripstop_lfm_state_size(const ripstop_plan *p, uint32_t node);
void ripstop_lfm_step(const ripstop_plan *p, uint32_t node, void *state, const ripstop_event *event,
                      ripstop_actions *actions);
int ripstop_lfm_protocol_candidates(const ripstop_plan *p, const void *state, const ripstop_head *head,
                                    ripstop_candidate *candidate);
void ripstop_lfm_print(const ripstop_plan *p, const void *message, ripstop_text *out);
void ripstop_lfm_json(const ripstop_plan *p, const void *state, ripstop_text *out);

#endif

/* chakra.c - execution traces of Chakra, a file for each rank, as ASTRA-sim runs them.
 *
 * A node begins when those that it depends on are done. A rank has three things that do one node at a time, the one
 * with the lowest id of those that may begin: its processor, its host's processor, and its network, for collectives and
 * sends (turns.h). A send is done when it is delivered. The k-th collectives that the ranks of a group begin are one;
 * that order is found before the run (chakra_order.h).
 *
 * Tasks: each node has a task with which it begins and one with which it is done, perhaps the same one. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/growing.h"
#include "base/local.h"
#include "base/text_table.h"
#include "formats/traces/chakra_trace.h"
#include "workload/chakra_order.h"
#include "workload/collective.h"
#include "workload/tasks.h"
#include "workload/trace_file.h"

typedef struct config {
  ripstop_workload_file from; /* first */
  const char *groups, *groups_hash;
  int32_t deps; /* words below */
} config;

enum { DEPS_BOTH, DEPS_DATA };
static const char *const deps_words[] = {[DEPS_BOTH] = "both", [DEPS_DATA] = "data", NULL};

static const ripstop_option options[] = {
    RIPSTOP_WORKLOAD_FILE_OPTIONS("the files' path without .0.et, .1.et, ..., or .0.json, ..., a file for each rank"),
    {.name = "groups",
     .type = RIPSTOP_OPTION_TEXT,
     .offset = offsetof(config, groups),
     .fallback = "",
     .help =
         "path of the process groups, {\"1\": [0, 1, 2, 3], ...}; empty: those that metadata of the traces describe"},
    {.name = "groups_hash",
     .type = RIPSTOP_OPTION_TEXT,
     .offset = offsetof(config, groups_hash),
     .fallback = "",
     .help = "hash of that file (XXH3, 16 hexadecimal digits); empty: any file"},
    {.name = "deps",
     .type = RIPSTOP_OPTION_WORD,
     .offset = offsetof(config, deps),
     .words = deps_words,
     .fallback = "both",
     .help = "what a node waits for: data_deps and ctrl_deps, or data_deps alone as in MLCommons' feeder"},
    {0}};

enum { TURN_PROCESSOR, TURN_HOST, TURN_NETWORK, NO_TURN };
_Static_assert((int)NO_TURN == (int)TASK_TURNS, "each has a turn of a rank");

typedef struct rank_trace {
  const char *name; /* its file's, without folders */
  chakra_trace trace;
  ripstop_task *begin, *done; /* [nodes] */
} rank_trace;

typedef struct group {
  piece name;
  uint32_t *rank, ranks;
  uint32_t *position; /* [ranks of the job]: in the list; RIPSTOP_NONE: not in it */
  uint32_t *node;     /* [collectives * ranks]: the node of each rank; RIPSTOP_NONE: it has fewer */
  uint32_t *begun;    /* [ranks]: collectives so far */
  uint32_t collectives;
  size_t room;
} group;

typedef struct maker {
  ripstop_tasks *tasks;
  const config *config;
  rank_trace *rank;
  uint32_t ranks;
  group *group; /* the first one has all ranks */
  uint32_t groups, group_room;
  ripstop_text_table names; /* the groups by name */
  ripstop_arena *arena;
  ripstop_error *err;
} maker;

static const chakra_node *node_of(const maker *m, uint32_t rank, uint32_t node) {
  return &m->rank[rank].trace.node[node];
}

static int at_node(const maker *m, uint32_t rank, uint32_t node) {
  return ripstop_fail_at(m->err, "Chakra execution trace: %s: node %" PRIu64, m->rank[rank].name,
                         node_of(m, rank, node)->id);
}

/* ------------------------------------------------------------------ files */

static int read_rank(const maker *m, const char *path, rank_trace *out) {
  const char *text, *slash = strrchr(path, '/');
  size_t length;
  out->name = slash ? slash + 1 : path;
  return trace_file_read(m->arena, path, "chakra", &text, &length, m->err) ||
                 ripstop_chakra_read(&out->trace, m->arena, out->name, text, length, m->err)
             ? -1
             : 0;
}

static int read_ranks(maker *m) {
  trace_parts parts;
  if (trace_parts_find(m->arena, m->config->from.path, &parts, m->err)) return -1;
  m->ranks = parts.count;
  m->rank = RIPSTOP_ARRAY(m->arena, parts.count, rank_trace);
  for (uint32_t i = 0; i < parts.count; i++)
    if (read_rank(m, parts.path[i], &m->rank[i])) return -1;
  return 0;
}

/* ------------------------------------------------------------------ process groups */

static bool is_everybody(piece name) { return name.at == name.end || piece_is(name, "0"); }

static bool has_name(const void *maker_, uint32_t number, const char *text, size_t length) {
  const piece own = ((const maker *)maker_)->group[number].name;
  return piece_length(own) == length && memcmp(own.at, text, length) == 0;
}

static group *find_group(const maker *m, piece name) {
  if (is_everybody(name)) return &m->group[0];
  const uint32_t found = ripstop_text_table_find(&m->names, name.at, piece_length(name), has_name, m);
  return found == RIPSTOP_NONE ? NULL : &m->group[found];
}

static group *new_group(maker *m, piece name, uint32_t ranks) {
  RIPSTOP_GROW_IN(m->arena, m->group, m->groups, m->group_room);
  ripstop_text_table_add(&m->names, name.at, piece_length(name), m->groups);
  group *g = &m->group[m->groups++];
  *g = (group){.name = name, .ranks = ranks};
  g->rank = RIPSTOP_ARRAY(m->arena, (size_t)ranks + 1, uint32_t);
  g->begun = RIPSTOP_ARRAY(m->arena, (size_t)ranks + 1, uint32_t);
  g->position = RIPSTOP_ARRAY(m->arena, m->ranks, uint32_t);
  for (uint32_t i = 0; i < m->ranks; i++) g->position[i] = RIPSTOP_NONE;
  return g;
}

/* Bytes of a name in messages. */
static int shown(piece name) {
  enum { MOST = 60 };
  return piece_length(name) < MOST ? (int)piece_length(name) : MOST;
}

static int refuse_group(const maker *m, piece name, const char *what, uint64_t rank) {
  return ripstop_fail(m->err, "process group '%.*s' %s %" PRIu64, shown(name), name.at, what, rank);
}

static int fill_group(const maker *m, group *g, const uint64_t *rank) {
  for (uint32_t i = 0; i < g->ranks; i++) {
    if (rank[i] >= m->ranks) return refuse_group(m, g->name, "has a rank without a file:", rank[i]);
    if (g->position[rank[i]] != RIPSTOP_NONE) return refuse_group(m, g->name, "has twice the rank", rank[i]);
    g->rank[i] = (uint32_t)rank[i];
    g->position[rank[i]] = i;
  }
  return 0;
}

/* A group that is there already must be the same one. */
static int compare_group(const maker *m, const group *g, const uint64_t *rank, uint32_t ranks, uint32_t of) {
  bool same = ranks == g->ranks;
  for (uint32_t i = 0; same && i < ranks; i++) same = rank[i] == g->rank[i];
  if (same) return 0;
  if (of != RIPSTOP_NONE) return refuse_group(m, g->name, "has other ranks in the metadata of rank", of);
  return ripstop_fail(m->err, "groups: %s: process group '%.*s' stands twice, with different ranks", m->config->groups,
                      shown(g->name), g->name.at);
}

static void add_everybody(maker *m, piece name) {
  group *g = new_group(m, name, m->ranks);
  for (uint32_t i = 0; i < m->ranks; i++) g->rank[i] = g->position[i] = i;
}

/* `of`: the rank whose metadata has them; RIPSTOP_NONE: the file of groups. */
static int add_groups(maker *m, const chakra_trace *t, uint32_t of) {
  for (uint32_t i = 0; i < t->groups; i++) {
    const chakra_group *from = &t->group[i];
    const uint64_t *rank = t->number + from->ranks.first;
    if (is_everybody(from->name)) continue;
    const group *known = find_group(m, from->name);
    int status = 0;
    if (known && from->ranks.count)
      status = compare_group(m, known, rank, from->ranks.count, of);
    else if (!known && from->ranks.count)
      status = fill_group(m, new_group(m, from->name, from->ranks.count), rank);
    else if (!known)
      add_everybody(m, from->name);
    if (status) return -1;
  }
  return 0;
}

static int read_groups(maker *m) {
  const char *text;
  size_t length;
  chakra_trace file;
  add_everybody(m, piece_of(""));
  if (m->config->groups[0] == '\0') {
    for (uint32_t i = 0; i < m->ranks; i++)
      if (add_groups(m, &m->rank[i].trace, i)) return -1;
    return 0;
  }
  if (trace_file_read(m->arena, m->config->groups, "chakra", &text, &length, m->err)) return -1;
  return ripstop_chakra_groups(&file, m->arena, m->config->groups, text, length, m->err) ||
                 add_groups(m, &file, RIPSTOP_NONE)
             ? -1
             : 0;
}

/* ------------------------------------------------------------------ checks of nodes */

static int check_peer(const maker *m, uint32_t rank, const chakra_node *n, bool sends) {
  const uint64_t peer = sends ? n->destination : n->source;
  if (!(sends ? n->has_destination : n->has_source))
    return ripstop_fail(m->err, "a %s without %s", sends ? "send" : "receive", sends ? "comm_dst" : "comm_src");
  if (peer >= m->ranks) return ripstop_fail(m->err, "there is no rank %" PRIu64 ", only 0 to %u", peer, m->ranks - 1);
  if (peer == rank) return ripstop_fail(m->err, "rank %u cannot send to itself", rank);
  return n->has_bytes ? 0 : ripstop_fail(m->err, "a %s without comm_size", sends ? "send" : "receive");
}

static int check_collective(const maker *m, uint32_t rank, const chakra_node *n) {
  const char *name = ripstop_chakra_collective(n->collective);
  const bool known = n->collective == CHAKRA_ALL_REDUCE || n->collective == CHAKRA_ALL_GATHER ||
                     n->collective == CHAKRA_BROADCAST || n->collective == CHAKRA_ALL_TO_ALL ||
                     n->collective == CHAKRA_REDUCE_SCATTER;
  const group *g = find_group(m, n->group);
  if (!known)
    return ripstop_fail(m->err, "the collective %s (comm_type %" PRIu64 ") is not modelled", name ? name : "unknown",
                        n->collective);
  if (!g) return ripstop_fail(m->err, "the process group '%.*s' is not known", shown(n->group), n->group.at);
  if (g->position[rank] == RIPSTOP_NONE)
    return ripstop_fail(m->err, "rank %u is not in the process group '%.*s'", rank, shown(n->group), n->group.at);
  if (n->bytes > INT64_MAX / g->ranks)
    return ripstop_fail(m->err, "comm_size %" PRIu64 " is too large for %u ranks", n->bytes, g->ranks);
  return n->has_bytes || n->collective == CHAKRA_BROADCAST ? 0 : ripstop_fail(m->err, "a collective without comm_size");
}

static int check_node(const maker *m, uint32_t rank, const chakra_node *n) {
  static const uint64_t most = 9000000000000; /* microseconds, so that picoseconds fit */
  if (n->micros > most) return ripstop_fail(m->err, "a duration of %" PRIu64 " microseconds", n->micros);
  if (n->bytes > INT64_MAX) return ripstop_fail(m->err, "comm_size is negative or too large");
  if ((n->type == CHAKRA_LOAD || n->type == CHAKRA_STORE) && n->tensor > 0)
    return ripstop_fail(m->err, "a %s of remote memory (tensor_size %" PRIu64 ") is not modelled",
                        n->type == CHAKRA_LOAD ? "load" : "store", n->tensor);
  if (n->type == CHAKRA_SEND || n->type == CHAKRA_RECEIVE) return check_peer(m, rank, n, n->type == CHAKRA_SEND);
  return n->type == CHAKRA_COLLECTIVE ? check_collective(m, rank, n) : 0;
}

static int check_nodes(const maker *m) {
  for (uint32_t rank = 0; rank < m->ranks; rank++)
    for (uint32_t i = 0; i < m->rank[rank].trace.nodes; i++)
      if (check_node(m, rank, node_of(m, rank, i))) return at_node(m, rank, i);
  return 0;
}

/* ------------------------------------------------------------------ the tasks of nodes */

/* A broadcast is a pause, as in ASTRA-sim. */
static bool is_joint(const chakra_node *n) { return n->type == CHAKRA_COLLECTIVE && n->collective != CHAKRA_BROADCAST; }

static uint8_t turn_of(const chakra_node *n) {
  if (n->type == CHAKRA_COMPUTE) return n->is_host ? TURN_HOST : TURN_PROCESSOR;
  return n->type == CHAKRA_SEND || n->type == CHAKRA_COLLECTIVE ? TURN_NETWORK : NO_TURN;
}

static uint32_t label_of(const chakra_node *n) { return n->id < UINT32_MAX ? (uint32_t)n->id : 0; }

/* In the order of ids, which is that of turns. */
static void add_begins(const maker *m, uint32_t rank) {
  rank_trace *r = &m->rank[rank];
  r->begin = RIPSTOP_ARRAY(m->arena, (size_t)r->trace.nodes + 1, ripstop_task);
  r->done = RIPSTOP_ARRAY(m->arena, (size_t)r->trace.nodes + 1, ripstop_task);
  for (uint32_t i = 0; i < r->trace.nodes; i++) {
    const uint8_t turn = turn_of(&r->trace.node[i]);
    r->begin[i] = turn == NO_TURN ? ripstop_tasks_wait(m->tasks, rank, 0) : tasks_take(m->tasks, rank, turn);
    ripstop_tasks_line(m->tasks, r->begin[i], label_of(&r->trace.node[i]));
  }
}

/* Sends get theirs with their receives. */
static void add_done(const maker *m, uint32_t rank, uint32_t i) {
  enum { PICO = 1000000 };
  rank_trace *r = &m->rank[rank];
  const chakra_node *n = &r->trace.node[i];
  const uint64_t cycles = tasks_cycles(m->tasks, n->micros * PICO, false);
  r->done[i] = r->begin[i];
  if (n->type == CHAKRA_COMPUTE) {
    r->done[i] = ripstop_tasks_compute(m->tasks, rank, cycles);
    ripstop_tasks_processor(m->tasks, r->done[i], turn_of(n));
  } else if (n->type == CHAKRA_COLLECTIVE) {
    r->done[i] = ripstop_tasks_wait(m->tasks, rank, is_joint(n) ? 0 : cycles);
  } else {
    return;
  }
  ripstop_tasks_line(m->tasks, r->done[i], label_of(n));
  ripstop_tasks_after(m->tasks, r->done[i], r->begin[i]);
}

static void add_order(const maker *m, uint32_t rank, uint32_t i, chakra_list list) {
  const rank_trace *r = &m->rank[rank];
  for (uint32_t k = 0; k < list.count; k++)
    ripstop_tasks_after(m->tasks, r->begin[i], r->done[r->trace.number[list.first + k]]);
}

static void add_ends(const maker *m, uint32_t rank) {
  const rank_trace *r = &m->rank[rank];
  for (uint32_t i = 0; i < r->trace.nodes; i++) {
    const chakra_node *n = &r->trace.node[i];
    const uint8_t turn = turn_of(n);
    add_order(m, rank, i, n->data);
    if (m->config->deps == DEPS_BOTH) add_order(m, rank, i, n->control);
    if (turn != NO_TURN) ripstop_tasks_after(m->tasks, tasks_give(m->tasks, rank, turn), r->done[i]);
  }
}

/* ------------------------------------------------------------------ sends and receives */

typedef struct loose {
  uint64_t tag, bytes;
  uint32_t from, to, node;
} loose;

static int by_key(const loose *x, const loose *y) {
  if (x->from != y->from) return x->from < y->from ? -1 : 1;
  if (x->to != y->to) return x->to < y->to ? -1 : 1;
  if (x->tag != y->tag) return x->tag < y->tag ? -1 : 1;
  return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static int by_all(const void *a, const void *b) {
  const loose *x = a, *y = b;
  const int key = by_key(x, y);
  return key ? key : (x->node > y->node) - (x->node < y->node);
}

static loose *list_loose(const maker *m, ripstop_arena *scratch, chakra_type type, uint32_t *count) {
  uint32_t nodes = 0;
  *count = 0;
  for (uint32_t rank = 0; rank < m->ranks; rank++)
    for (uint32_t i = 0; i < m->rank[rank].trace.nodes; i++) nodes += node_of(m, rank, i)->type == type;
  loose *list = RIPSTOP_ARRAY(scratch, (size_t)nodes + 1, loose);
  for (uint32_t rank = 0; rank < m->ranks; rank++)
    for (uint32_t i = 0; i < m->rank[rank].trace.nodes; i++) {
      const chakra_node *n = node_of(m, rank, i);
      const bool sends = type == CHAKRA_SEND;
      if (n->type != type) continue;
      list[(*count)++] = (loose){.tag = n->tag,
                                 .bytes = n->bytes,
                                 .from = sends ? rank : (uint32_t)n->source,
                                 .to = sends ? (uint32_t)n->destination : rank,
                                 .node = i};
    }
  qsort(list, nodes, sizeof *list, by_all);
  return list;
}

static int refuse_loose(const maker *m, const loose *l, bool sends) {
  ripstop_fail(m->err,
               "a %s of %" PRIu64 " bytes from rank %u to rank %u with tag %" PRIu64 " has no %s of that length",
               sends ? "send" : "receive", l->bytes, l->from, l->to, l->tag, sends ? "receive" : "send");
  return at_node(m, sends ? l->from : l->to, l->node);
}

static void join(const maker *m, const loose *send, const loose *receive) {
  const ripstop_message one = ripstop_tasks_message(m->tasks, send->from, send->to, send->bytes);
  ripstop_tasks_line(m->tasks, one.send, label_of(node_of(m, send->from, send->node)));
  ripstop_tasks_line(m->tasks, one.receive, label_of(node_of(m, receive->to, receive->node)));
  ripstop_tasks_after(m->tasks, one.send, m->rank[send->from].begin[send->node]);
  ripstop_tasks_after(m->tasks, m->rank[receive->to].begin[receive->node], one.receive);
  m->rank[send->from].done[send->node] = one.receive;
}

/* By ranks, tag and bytes, in the order of ids. */
static int join_all(const maker *m) {
  RIPSTOP_LOCAL_ARENA(scratch);
  uint32_t sends, receives;
  const loose *send = list_loose(m, scratch, CHAKRA_SEND, &sends);
  const loose *receive = list_loose(m, scratch, CHAKRA_RECEIVE, &receives);
  for (uint32_t i = 0; i < sends || i < receives; i++) {
    const int first = i >= sends ? 1 : i >= receives ? -1 : by_key(&send[i], &receive[i]);
    if (first != 0) return refuse_loose(m, first < 0 ? &send[i] : &receive[i], first < 0);
    join(m, &send[i], &receive[i]);
  }
  return 0;
}

/* ------------------------------------------------------------------ collectives */

static void note_collective(const maker *m, uint32_t rank, uint32_t node) {
  group *g = find_group(m, node_of(m, rank, node)->group);
  const uint32_t position = g->position[rank], number = g->begun[position]++;
  const size_t needed = ((size_t)number + 1) * g->ranks;
  RIPSTOP_ROOM_IN(m->arena, g->node, needed, g->room);
  for (; g->collectives <= number; g->collectives++)
    for (uint32_t i = 0; i < g->ranks; i++) g->node[(size_t)g->collectives * g->ranks + i] = RIPSTOP_NONE;
  g->node[(size_t)number * g->ranks + position] = node;
}

static int note_collectives(const maker *m) {
  for (uint32_t rank = 0; rank < m->ranks; rank++) {
    RIPSTOP_LOCAL_ARENA(scratch);
    const chakra_trace *t = &m->rank[rank].trace;
    uint32_t stuck;
    const uint32_t *begun = chakra_order(scratch, t, m->config->deps == DEPS_BOTH, &stuck);
    if (!begun) {
      ripstop_fail(m->err, "it never begins: it and nodes that it depends on wait for each other");
      return at_node(m, rank, stuck);
    }
    for (uint32_t i = 0; i < t->nodes; i++)
      if (is_joint(&t->node[begun[i]])) note_collective(m, rank, begun[i]);
  }
  return 0;
}

/* All ranks of the group have it, with one kind and size. */
static int check_joint(const maker *m, const group *g, uint32_t number) {
  const uint32_t *node = g->node + (size_t)number * g->ranks;
  uint32_t there = 0;
  while (node[there] == RIPSTOP_NONE) there++;
  const chakra_node *one = node_of(m, g->rank[there], node[there]);
  for (uint32_t i = 0; i < g->ranks; i++) {
    if (node[i] == RIPSTOP_NONE) {
      ripstop_fail(m->err, "collective %u of its group, which rank %u does not begin", number + 1, g->rank[i]);
      return at_node(m, g->rank[there], node[there]);
    }
    const chakra_node *other = node_of(m, g->rank[i], node[i]);
    if (other->collective == one->collective && other->bytes == one->bytes) continue;
    ripstop_fail(m->err,
                 "%s of %" PRIu64 " bytes, collective %u of its group, which is %s of %" PRIu64
                 " bytes at rank %u: kind and size must be the same",
                 ripstop_chakra_collective(other->collective), other->bytes, number + 1,
                 ripstop_chakra_collective(one->collective), one->bytes, g->rank[there]);
    return at_node(m, g->rank[i], node[i]);
  }
  return 0;
}

static int add_joint(const maker *m, const group *g, uint32_t number) {
  const uint32_t *node = g->node + (size_t)number * g->ranks;
  if (check_joint(m, g, number)) return -1;
  RIPSTOP_LOCAL_ARENA(scratch);
  ripstop_task *start = RIPSTOP_ARRAY(scratch, g->ranks, ripstop_task);
  ripstop_task *done = RIPSTOP_ARRAY(scratch, g->ranks, ripstop_task);
  for (uint32_t i = 0; i < g->ranks; i++) {
    start[i] = m->rank[g->rank[i]].begin[node[i]];
    done[i] = m->rank[g->rank[i]].done[node[i]];
  }
  const chakra_node *one = node_of(m, g->rank[0], node[0]);
  const collective c = {m->tasks, g->rank, g->ranks, start, done, label_of(one)};
  if (one->collective == CHAKRA_ALL_REDUCE) collective_all_reduce(&c, one->bytes);
  if (one->collective == CHAKRA_REDUCE_SCATTER) collective_reduce_scatter(&c, one->bytes);
  if (one->collective == CHAKRA_ALL_GATHER)
    collective_all_gather(&c, one->bytes * g->ranks); /* bytes that one rank gives */
  if (one->collective == CHAKRA_ALL_TO_ALL) collective_all_to_all(&c, one->bytes);
  return 0;
}

static int add_collectives(const maker *m) {
  if (note_collectives(m)) return -1;
  for (uint32_t i = 0; i < m->groups; i++)
    for (uint32_t k = 0; k < m->group[i].collectives; k++)
      if (add_joint(m, &m->group[i], k)) return -1;
  return 0;
}

static int add_tasks(const maker *m) {
  for (uint32_t rank = 0; rank < m->ranks; rank++) add_begins(m, rank);
  for (uint32_t rank = 0; rank < m->ranks; rank++)
    for (uint32_t i = 0; i < m->rank[rank].trace.nodes; i++) add_done(m, rank, i);
  if (join_all(m) || add_collectives(m)) return -1;
  for (uint32_t rank = 0; rank < m->ranks; rank++) add_ends(m, rank);
  return 0;
}

static int build(ripstop_tasks *tasks, const void *config_, ripstop_error *err) {
  RIPSTOP_LOCAL_ARENA(scratch);
  maker m = {.tasks = tasks, .config = config_, .names = {.arena = scratch}, .arena = scratch, .err = err};
  if (read_ranks(&m) || ripstop_tasks_need(tasks, m.ranks, err)) return -1;
  tasks->place = "node";
  return read_groups(&m) || check_nodes(&m) || add_tasks(&m) ? -1 : 0;
}

const ripstop_workload ripstop_workload_chakra = {
    .abi = RIPSTOP_WORKLOAD_ABI,
    .name = "chakra",
    .summary = "execution traces of Chakra, a file for each rank: computations, messages and collectives",
    .options = options,
    .config_size = sizeof(config),
    .build = build,
};

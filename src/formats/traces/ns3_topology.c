/* ns3_topology.c - reads topologies of HPCC and SimAI, in which ends of lines are blanks:
 *
 *   HPCC   NODES SWITCHES LINKS  { SWITCH-ID } { A B RATE DELAY ERROR }
 *   SimAI  NODES GPUS-PER-SERVER NVSWITCHES SWITCHES LINKS GPU-TYPE  { NVSWITCH-ID } { SWITCH-ID } { A B RATE DELAY
 * ERROR }
 *
 * Ids are 0 to NODES - 1, and hosts are those that are in no list. What stands behind the last link is not read. A rate
 * of errors above 0 is refused: links lose packets by `link.ber`, and not each at its own rate. */
#include "formats/traces/ns3_topology.h"

#include "formats/traces/trace_format.h"
#include "formats/traces/trace_words.h"

enum { NODES_MOST = RIPSTOP_FABRIC_MAX_PORTS, MEGA = 1000000 };

typedef struct reader {
  ns3_topology *out;
  const trace_format *format;
  const char *file;
  piece rest;
  uint32_t line; /* the last word's */
  ripstop_error *err;
} reader;

static int at_line(const reader *r) { return ripstop_fail_at(r->err, "%s:%u: %s", r->file, r->line, r->format->name); }

/* The next word of the file; empty at its end. */
static piece next_word(reader *r) {
  while (r->rest.at < r->rest.end && (piece_blank(*r->rest.at) || *r->rest.at == '\n'))
    r->line += *r->rest.at++ == '\n';
  piece word = {r->rest.at, r->rest.at};
  while (word.end < r->rest.end && !piece_blank(*word.end) && *word.end != '\n') word.end++;
  r->rest.at = word.end;
  return word;
}

static int refuse(const reader *r, const char *what, piece word, const char *wanted) {
  if (word.at == word.end)
    ripstop_fail(r->err, "the file ends where %s should stand: %s", what, wanted);
  else
    ripstop_fail(r->err, "%s '%.*s': %s must stand here", what, trace_shown(word), word.at, wanted);
  return at_line(r);
}

static int take_count(reader *r, const char *what, uint32_t *out) {
  const piece word = next_word(r);
  return piece_is_count(word, NODES_MOST, out) ? 0 : refuse(r, what, word, "a whole number");
}

static int take_node(reader *r, const char *what, uint32_t *out) {
  if (take_count(r, what, out)) return -1;
  if (*out < r->out->nodes) return 0;
  ripstop_fail(r->err, "there is no node %u, only 0 to %u", *out, r->out->nodes - 1);
  return at_line(r);
}

static int read_list(reader *r, uint32_t count, ns3_kind kind) {
  for (uint32_t i = 0, node; i < count; i++) {
    if (take_node(r, kind == NS3_SWITCH ? "a switch's number" : "an NVSwitch's number", &node)) return -1;
    if (r->out->kind[node] != NS3_HOST) {
      ripstop_fail(r->err, "node %u is twice in the lists of switches", node);
      return at_line(r);
    }
    r->out->kind[node] = (uint8_t)kind;
  }
  return 0;
}

static int take_errors(reader *r) {
  const piece word = next_word(r);
  uint64_t whole;
  bool more;
  if (!trace_decimal(word, 0, &whole, &more)) return refuse(r, "the rate of errors", word, "a number");
  if (!whole && !more) return 0;
  ripstop_fail(r->err, "an error rate of %.*s: loss of packets at one link is not modelled", trace_shown(word),
               word.at);
  return at_line(r);
}

static int check_link(const reader *r, const ns3_link *l) {
  const ns3_topology *t = r->out;
  if (l->node[0] == l->node[1])
    ripstop_fail(r->err, "a link from node %u to itself", l->node[0]);
  else if (t->kind[l->node[0]] == NS3_HOST && t->kind[l->node[1]] == NS3_HOST)
    ripstop_fail(r->err, "a link between the hosts %u and %u, which do not forward", l->node[0], l->node[1]);
  else
    return 0;
  return at_line(r);
}

static int read_link(reader *r, ns3_link *l) {
  if (take_node(r, "a node's number", &l->node[0]) || take_node(r, "a node's number", &l->node[1])) return -1;
  l->line = r->line;
  const piece rate = next_word(r);
  if (!trace_speed(rate, &l->bits) || l->bits == 0 || l->bits % MEGA || l->bits / MEGA > UINT32_MAX)
    return refuse(r, "rate", rate, "a speed of whole Mb/s, such as 100Gbps,");
  const piece delay = next_word(r);
  if (!trace_time(delay, &l->delay_ps)) return refuse(r, "delay", delay, "a time such as 0.001ms");
  return take_errors(r) || check_link(r, l) ? -1 : 0;
}

static int read_links(reader *r) {
  ns3_topology *t = r->out;
  for (uint32_t i = 0; i < t->links; i++) {
    if (next_word(&(reader){.rest = r->rest}).at == r->rest.end) {
      ripstop_fail(r->err, "%u links by the first line, but the file ends behind %u", t->links, i);
      return at_line(r);
    }
    if (read_link(r, &t->link[i])) return -1;
    for (unsigned side = 0; side < 2; side++) t->cables[t->link[i].node[side]]++;
  }
  return 0;
}

static int check_hosts(const reader *r) {
  const ns3_topology *t = r->out;
  uint32_t hosts = 0;
  for (uint32_t node = 0; node < t->nodes; node++) {
    if (t->kind[node] != NS3_HOST) continue;
    hosts++;
    if (t->cables[node] > 0) continue;
    ripstop_fail(r->err, "host %u has no link", node);
    return at_line(r);
  }
  if (hosts) return 0;
  ripstop_fail(r->err, "there are no hosts: all nodes are switches");
  return at_line(r);
}

/* The counts are known: the lists, then the links. */
static int read_rest(reader *r, ripstop_arena *arena) {
  ns3_topology *t = r->out;
  if (t->nodes == 0) {
    ripstop_fail(r->err, "there are no nodes");
    return at_line(r);
  }
  if (t->links > piece_length(r->rest)) {
    ripstop_fail(r->err, "%u links by the first line, but the file is shorter", t->links);
    return at_line(r);
  }
  t->kind = RIPSTOP_ARRAY(arena, t->nodes, uint8_t);
  t->cables = RIPSTOP_ARRAY(arena, t->nodes, uint32_t);
  t->link = RIPSTOP_ARRAY(arena, t->links + 1, ns3_link);
  return read_list(r, t->nvswitches, NS3_NVSWITCH) || read_list(r, t->switches, NS3_SWITCH) || read_links(r)
             ? -1
             : check_hosts(r);
}

int ns3_hpcc_read(ns3_topology *out, ripstop_arena *arena, const char *file, const char *text, size_t length,
                  ripstop_error *err) {
  reader r = {.out = out,
              .format = &trace_hpcc_topology,
              .file = file,
              .rest = piece_of_file(text, length),
              .line = 1,
              .err = err};
  *out = (ns3_topology){0};
  if (take_count(&r, "the number of nodes", &out->nodes) || take_count(&r, "the number of switches", &out->switches) ||
      take_count(&r, "the number of links", &out->links))
    return -1;
  return read_rest(&r, arena);
}

int ns3_simai_read(ns3_topology *out, ripstop_arena *arena, const char *file, const char *text, size_t length,
                   ripstop_error *err) {
  reader r = {.out = out,
              .format = &trace_simai_topology,
              .file = file,
              .rest = piece_of_file(text, length),
              .line = 1,
              .err = err};
  uint32_t server;
  *out = (ns3_topology){0};
  if (take_count(&r, "the number of nodes", &out->nodes) || take_count(&r, "the GPUs of a server", &server) ||
      take_count(&r, "the number of NVSwitches", &out->nvswitches) ||
      take_count(&r, "the number of switches", &out->switches) || take_count(&r, "the number of links", &out->links))
    return -1;
  const piece type = next_word(&r);
  return type.at == type.end ? refuse(&r, "the type of GPU", type, "a word") : read_rest(&r, arena);
}

/* ------------------------------------------------------------------ the graph */

typedef struct maker {
  ripstop_graph *graph;
  const ns3_topology *topology;
  char host;      /* the letter of its name */
  uint32_t *part; /* [nodes]: router; of a host with one cable, end node */
  ripstop_error *err;
} maker;

static bool is_end(const ns3_topology *t, uint32_t node) { return t->kind[node] == NS3_HOST && t->cables[node] == 1; }

/* A host with several cables is a router, beside which it is an end node at full rate. */
static int add_host(const maker *m, uint32_t node) {
  ripstop_graph_cable own = {.ends = true, .port = {RIPSTOP_NONE, RIPSTOP_NONE}};
  const uint32_t end = trace_graph_end(m->graph, m->host, node, m->err);
  if (end == RIPSTOP_NONE) return -1;
  m->part[node] = end;
  if (is_end(m->topology, node)) return 0;
  own.node[0] = end;
  own.node[1] = m->part[node] = trace_graph_router(m->graph, m->host, node, m->err);
  return own.node[1] == RIPSTOP_NONE ? -1 : ripstop_graph_add(m->graph, &own, m->err);
}

static int add_nodes(const maker *m) {
  for (uint32_t node = 0; node < m->topology->nodes; node++) {
    const uint8_t kind = m->topology->kind[node];
    if (kind == NS3_HOST) {
      if (add_host(m, node)) return -1;
    } else {
      m->part[node] = trace_graph_router(m->graph, kind == NS3_SWITCH ? 's' : 'n', node, m->err);
      if (m->part[node] == RIPSTOP_NONE) return -1;
    }
  }
  return 0;
}

static int add_link(const maker *m, const ns3_link *l) {
  const bool turned = is_end(m->topology, l->node[1]);
  const ripstop_graph_cable cable = {.node = {m->part[l->node[turned]], m->part[l->node[!turned]]},
                                     .ends = turned || is_end(m->topology, l->node[0]),
                                     .port = {RIPSTOP_NONE, RIPSTOP_NONE},
                                     .speed = (uint32_t)(l->bits / MEGA),
                                     .delay_ps = l->delay_ps,
                                     .line = l->line};
  return ripstop_graph_add(m->graph, &cable, m->err);
}

static int make_graph(ripstop_graph *g, const ns3_topology *t, char host, ripstop_error *err) {
  const maker m = {g, t, host, RIPSTOP_ARRAY(g->arena, t->nodes, uint32_t), err};
  if (add_nodes(&m)) return -1;
  for (uint32_t i = 0; i < t->links; i++)
    if (add_link(&m, &t->link[i])) return -1;
  return 0;
}

int ns3_hpcc_graph(ripstop_graph *g, const char *text, size_t length, ripstop_error *err) {
  ns3_topology t;
  return ns3_hpcc_read(&t, g->arena, g->file, text, length, err) ? -1 : make_graph(g, &t, 'h', err);
}

int ns3_simai_graph(ripstop_graph *g, const char *text, size_t length, ripstop_error *err) {
  ns3_topology t;
  return ns3_simai_read(&t, g->arena, g->file, text, length, err) ? -1 : make_graph(g, &t, 'g', err);
}

/* host_job.c - see host_job.h. Cost of the ring: as many rounds as there are different bottlenecks. */
#include "tables/host_job.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/growing.h"
#include "base/text_table.h"
#include "fabric/ib.h"
#include "formats/infiniband/adapter_words.h"
#include "tables/addresses.h"

/* ------------------------------------------------------------------ adapters of the hosts */

static void find_rates(host_job *job) {
  const ripstop_ib_dump *dump = ripstop_ib_of(job->fabric)->dump;
  job->speeds = dump->usual > 0;
  job->rate = RIPSTOP_ARRAY(job->arena, (size_t)job->fabric->ports + 1, double);
  for (uint32_t port = 0; port < job->fabric->ports; port++) {
    const uint32_t at = ripstop_ib_dump_port(job->fabric, port);
    const bool cabled = at != RIPSTOP_NONE && dump->port[at].mate != RIPSTOP_NONE;
    const uint32_t speed = cabled ? ripstop_ib_cable_speed(dump, at) : 0;
    job->rate[port] = !job->speeds ? 1 : speed ? speed : dump->usual;
  }
}

static bool same_host(const void *owner, uint32_t i, const char *text, size_t length) {
  const char *name = ((const hostlist *)owner)->name[i];
  return strlen(name) == length && memcmp(name, text, length) == 0;
}

static int by_host(const void *a_, const void *b_) {
  const job_adapter *a = a_, *b = b_;
  if (a->host != b->host) return a->host < b->host ? -1 : 1;
  const int order = strcmp(a->word, b->word);
  return order ? order : (a->end > b->end) - (a->end < b->end);
}

/* Adds an end node if it is an adapter of a listed host. */
static void take_end(host_job *job, const ripstop_text_table *hosts, const regex_t *pattern, uint32_t end) {
  const ripstop_ib_fabric *ib = ripstop_ib_of(job->fabric);
  const ripstop_ib_node *node = &ib->dump->node[ib->dump->port[ib->end_port[end]].node];
  const uint32_t leaf = ripstop_end_switch(job->fabric, end);
  piece name, word;
  if (node->kind != RIPSTOP_IB_ADAPTER || node->aggregates || ripstop_is_end(job->fabric, leaf)) return;
  if (ib_is_factory_name(node->text)) return; /* says nothing of its host */
  ib_adapter_words(node->text, &name, &word);
  const uint32_t host = ripstop_text_table_find(hosts, name.at, piece_length(name), same_host, job->list);
  if (host == RIPSTOP_NONE) return;
  const char *second = ripstop_arena_printf(job->arena, "%.*s", (int)piece_length(word), word.at);
  if (pattern && regexec(pattern, second, 0, NULL, 0) != 0) return;
  job->adapter[job->adapters++] = (job_adapter){.host = host,
                                                .end = end,
                                                .word = second,
                                                .leaf = leaf,
                                                .rail = RIPSTOP_NONE,
                                                .rate = job->rate[job->fabric->port_base[end]]};
}

static int find_adapters(host_job *job, const char *adapters, ripstop_error *err) {
  regex_t pattern;
  if (adapters && ib_adapter_pattern(&pattern, adapters, err)) return -1;
  ripstop_text_table hosts = {.arena = job->arena};
  for (uint32_t i = 0; i < job->list->names; i++)
    ripstop_text_table_add(&hosts, job->list->name[i], strlen(job->list->name[i]), i);
  job->adapter = RIPSTOP_ARRAY(job->arena, (size_t)job->fabric->ends + 1, job_adapter);
  job->first = RIPSTOP_ARRAY(job->arena, (size_t)job->list->names + 2, uint32_t);
  for (uint32_t end = 0; end < job->fabric->ends; end++) take_end(job, &hosts, adapters ? &pattern : NULL, end);
  if (adapters) regfree(&pattern);
  qsort(job->adapter, job->adapters, sizeof *job->adapter, by_host);
  for (uint32_t i = 0; i < job->adapters; i++) job->first[job->adapter[i].host + 1]++;
  for (uint32_t i = 0; i < job->list->names; i++) {
    if (job->first[i + 1] == 0)
      return ripstop_fail(err,
                          "no adapter of '%s' has a cable%s%s; descriptions begin with the host, as 'n0101 mlx5_0'",
                          job->list->name[i], adapters ? " and matches " : "", adapters ? adapters : "");
    job->first[i + 1] += job->first[i];
  }
  return 0;
}

/* ------------------------------------------------------------------ rails */

typedef struct place {
  const char *word;
  uint32_t leaf;
} place;

static int by_leaf(const void *a_, const void *b_) {
  const place *a = a_, *b = b_;
  if (a->leaf != b->leaf) return a->leaf < b->leaf ? -1 : 1;
  return strcmp(a->word, b->word);
}

/* The words of all adapters of the fabric, by leaf. */
static place *list_places(const host_job *job, uint32_t *count) {
  const ripstop_ib_fabric *ib = ripstop_ib_of(job->fabric);
  place *list = RIPSTOP_ARRAY(job->arena, (size_t)job->fabric->ends + 1, place);
  *count = 0;
  for (uint32_t end = 0; end < job->fabric->ends; end++) {
    const ripstop_ib_node *node = &ib->dump->node[ib->dump->port[ib->end_port[end]].node];
    piece host, word;
    if (node->kind != RIPSTOP_IB_ADAPTER || node->aggregates || ib_is_factory_name(node->text)) continue;
    ib_adapter_words(node->text, &host, &word);
    if (word.at < word.end)
      list[(*count)++] = (place){ripstop_arena_printf(job->arena, "%.*s", (int)piece_length(word), word.at),
                                 ripstop_end_switch(job->fabric, end)};
  }
  qsort(list, *count, sizeof *list, by_leaf);
  return list;
}

/* A leaf has the rail of which two thirds of its adapters are; a rail is the first place of its word. */
static void find_rails(host_job *job) {
  uint32_t count;
  place *list = list_places(job, &count);
  const char **rail = RIPSTOP_ARRAY(job->arena, (size_t)job->fabric->nodes + 1, const char *);
  for (uint32_t i = 0, end; i < count; i = end) {
    uint32_t best = 0, from = i;
    for (end = i; end < count && list[end].leaf == list[i].leaf; end++) {
      if (strcmp(list[end].word, list[from].word) != 0) from = end;
      if (end - from + 1 > best) {
        best = end - from + 1;
        rail[list[i].leaf] = list[from].word;
      }
    }
    if (3 * best < 2 * (end - i)) rail[list[i].leaf] = NULL;
  }
  for (uint32_t i = 0; i < job->adapters; i++)
    for (uint32_t k = 0; rail[job->adapter[i].leaf] && job->adapter[i].rail == RIPSTOP_NONE && k < count; k++)
      if (strcmp(list[k].word, rail[job->adapter[i].leaf]) == 0) job->adapter[i].rail = k;
}

/* ------------------------------------------------------------------ paths */

static void add_port(const host_job *job, job_ring *ring, uint32_t port) {
  RIPSTOP_GROW_IN(job->arena, ring->port, ring->ports, ring->ports_room);
  ring->port[ring->ports++] = port;
}

/* Adds the ports that send on the path between two adapters. False: it is lost. */
static bool walk(const host_job *job, job_ring *ring, const job_adapter *from, const job_adapter *to) {
  const ripstop_fabric *f = job->fabric;
  const uint32_t address = ripstop_first_address(job->tables, to->end);
  uint32_t at = f->port_base[from->end];
  if (address == job->tables->addresses || job->tables->node[address] != to->end) return false;
  for (uint32_t hops = 0; hops <= f->nodes; hops++) {
    if (!job->view->port_up[at]) return false;
    add_port(job, ring, at);
    const uint32_t node = f->port_node[f->peer[at]];
    if (node == to->end) return true;
    if (ripstop_is_end(f, node)) return false;
    const uint16_t out = ripstop_forwarding_port(job->tables, address, node);
    if (out >= ripstop_node_ports(f, node)) return false;
    at = f->port_base[node] + out;
  }
  return false;
}

static bool is_between(const ripstop_fabric *f, uint32_t port) {
  return !ripstop_is_end(f, f->port_node[port]) && !ripstop_is_end(f, f->port_node[f->peer[port]]);
}

uint32_t host_job_partner(const host_job *job, const char *word, uint32_t host) {
  for (uint32_t i = job->first[host]; i < job->first[host + 1]; i++)
    if (strcmp(job->adapter[i].word, word) == 0) return i;
  return job->first[host];
}

/* ------------------------------------------------------------------ the ring */

static void add_step(host_job *job, job_ring *ring, uint32_t from, uint32_t to) {
  const job_adapter *a = &job->adapter[from], *b = &job->adapter[to];
  job_step *step = &ring->step[ring->steps++];
  *step = (job_step){.from = from, .to = to, .first = ring->ports};
  step->lost = !walk(job, ring, a, b);
  if (step->lost) ring->ports = step->first;
  step->ports = ring->ports - step->first;
  step->crosses_rail =
      strcmp(a->word, b->word) != 0 || (a->rail != RIPSTOP_NONE && b->rail != RIPSTOP_NONE && a->rail != b->rail);
  for (uint32_t i = step->first; i < ring->ports; i++)
    step->leaves_leaf = step->leaves_leaf || is_between(job->fabric, ring->port[i]);
  ring->lost += step->lost;
  ring->between += step->leaves_leaf;
  ring->crossing += step->crosses_rail;
}

static void find_busiest(const host_job *job, job_ring *ring) {
  uint32_t *steps = RIPSTOP_ARRAY(job->arena, job->fabric->ports, uint32_t);
  double most = 0;
  ring->busiest = RIPSTOP_NONE;
  for (uint32_t i = 0; i < ring->ports; i++) steps[ring->port[i]]++;
  for (uint32_t p = 0; p < job->fabric->ports; p++) {
    if (steps[p] == 0 || !is_between(job->fabric, p)) continue;
    const double use = steps[p] / job->rate[p];
    if (use <= most) continue;
    most = use;
    ring->busiest = p;
    ring->sharing = steps[p];
  }
}

/* Progressive filling: the cable that gives its steps least fixes their rates; what they use elsewhere is taken off. */
static void share_rates(const host_job *job, job_ring *ring) {
  double *left = RIPSTOP_ARRAY(job->arena, job->fabric->ports, double);
  uint32_t *open = RIPSTOP_ARRAY(job->arena, job->fabric->ports, uint32_t), todo = ring->steps - ring->lost;
  bool *fixed = RIPSTOP_ARRAY(job->arena, (size_t)ring->steps + 1, bool);
  for (uint32_t i = 0; i < ring->ports; i++) {
    left[ring->port[i]] = job->rate[ring->port[i]];
    open[ring->port[i]]++;
  }
  while (todo > 0) {
    double least = 0;
    bool any = false;
    for (uint32_t i = 0; i < ring->ports; i++) {
      const uint32_t p = ring->port[i];
      const double share = open[p] ? left[p] / open[p] : 0;
      if (open[p] && (!any || share < least)) least = share;
      any = any || open[p];
    }
    const double enough = least * (1 + 1e-9);
    for (uint32_t s = 0; s < ring->steps; s++) {
      job_step *step = &ring->step[s];
      bool tight = false;
      for (uint32_t i = 0; !fixed[s] && i < step->ports; i++) {
        const uint32_t p = ring->port[step->first + i];
        tight = tight || left[p] / open[p] <= enough;
      }
      if (!tight) continue;
      fixed[s] = true;
      step->rate = least;
      todo--;
    }
    for (uint32_t i = 0; i < ring->ports; i++) open[ring->port[i]] = 0;
    for (uint32_t i = 0; i < ring->ports; i++) left[ring->port[i]] = job->rate[ring->port[i]];
    for (uint32_t s = 0; s < ring->steps; s++)
      for (uint32_t i = 0; i < ring->step[s].ports; i++) {
        const uint32_t p = ring->port[ring->step[s].first + i];
        if (fixed[s]) left[p] -= ring->step[s].rate;
        open[p] += !fixed[s];
      }
  }
}

static void find_slowest(job_ring *ring) {
  ring->slowest = RIPSTOP_NONE;
  for (uint32_t s = 0; s < ring->steps; s++)
    if (!ring->step[s].lost &&
        (ring->slowest == RIPSTOP_NONE || ring->step[s].rate < ring->step[ring->slowest].rate * (1 - 1e-9)))
      ring->slowest = s;
}

/* The ring of the hosts in the order ring->host. */
static void make_ring(host_job *job, job_ring *ring) {
  const uint32_t hosts = job->list->names;
  ring->step = RIPSTOP_ARRAY(job->arena, (size_t)job->adapters + 1, job_step);
  for (uint32_t i = 0; hosts > 1 && i < hosts; i++) {
    const uint32_t host = ring->host[i], next = ring->host[(i + 1) % hosts];
    for (uint32_t a = job->first[host]; a < job->first[host + 1]; a++)
      add_step(job, ring, a, host_job_partner(job, job->adapter[a].word, next));
  }
  find_busiest(job, ring);
  share_rates(job, ring);
  find_slowest(ring);
}

typedef struct seat {
  uint32_t rank, host; /* rank: of the leaf, by the first host of the list there */
} seat;

static int by_rank(const void *a_, const void *b_) {
  const seat *a = a_, *b = b_;
  if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
  return (a->host > b->host) - (a->host < b->host);
}

/* Hosts of one leaf, by their first adapters, stand side by side; leaves come in the order of the list. */
static void order_by_leaf(host_job *job) {
  const uint32_t hosts = job->list->names;
  uint32_t *rank = RIPSTOP_ARRAY(job->arena, job->fabric->nodes, uint32_t);
  seat *list = RIPSTOP_ARRAY(job->arena, (size_t)hosts + 1, seat);
  for (uint32_t host = 0; host < hosts; host++) {
    uint32_t *at = &rank[job->adapter[job->first[host]].leaf];
    if (*at == 0) {
      *at = host + 1;
      job->leaves++;
    }
    list[host] = (seat){*at, host};
  }
  qsort(list, hosts, sizeof *list, by_rank);
  for (uint32_t i = 0; i < hosts; i++) job->by_leaf.host[i] = list[i].host;
}

int host_job_make(host_job *job, ripstop_arena *arena, const ripstop_view *view, const ripstop_forwarding *tables,
                  const hostlist *list, const char *adapters, ripstop_error *err) {
  *job = (host_job){.fabric = view->fabric, .view = view, .tables = tables, .arena = arena, .list = list};
  if (!ripstop_ib_of(job->fabric)) return ripstop_fail(err, "%s is no dump of an InfiniBand fabric", job->fabric->spec);
  if (forwarding_check_simple(tables, "hosts", err)) return -1;
  find_rates(job);
  if (find_adapters(job, adapters, err)) return -1;
  find_rails(job);
  host_job_block(job);
  job->ring.host = RIPSTOP_ARRAY(arena, (size_t)list->names + 1, uint32_t);
  job->by_leaf.host = RIPSTOP_ARRAY(arena, (size_t)list->names + 1, uint32_t);
  for (uint32_t i = 0; i < list->names; i++) job->ring.host[i] = i;
  order_by_leaf(job);
  make_ring(job, &job->ring);
  make_ring(job, &job->by_leaf);
  return 0;
}

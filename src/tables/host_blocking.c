/* host_blocking.c - how far sets of hosts block each other. Paths to one address form a tree, so the loads of all its
 * sources are added where their paths meet. Cost of two sets: for each adapter of the second one, the switches on the
 * paths from all leaves of the first one. */
#include <stdlib.h>
#include <string.h>

#include "base/growing.h"
#include "tables/addresses.h"
#include "tables/host_job.h"

/* Adapters of one set with the same second word, on one leaf. */
typedef struct group {
  const char *word;
  uint32_t leaf; /* node behind their ports; RIPSTOP_NONE: their ports are down */
  uint32_t count;
  double rate; /* their sum */
} group;

typedef enum fate { UNKNOWN, OPEN, ARRIVES, LOST } fate;

typedef struct blocker {
  const host_job *job;
  group *group; /* [groups], those of one word side by side */
  uint32_t groups;
  double *use;     /* [ports]: traffic over each cable between switches, of its rate */
  uint64_t *pairs; /* [ports] */
  uint64_t lost;
  /* The current destination: */
  uint8_t *fate;   /* [nodes] */
  double *rate;    /* [nodes]: sum of the sources whose paths pass, which arrive */
  uint32_t *count; /* [nodes]: how many */
  uint32_t *order; /* [orders]: nodes that are met; the next hop of each comes before it */
  uint32_t orders;
} blocker;

/* ------------------------------------------------------------------ sources */

static uint32_t leaf_of(const host_job *job, const job_adapter *a) {
  const uint32_t port = job->fabric->port_base[a->end];
  return job->view->port_up[port] ? job->fabric->port_node[job->fabric->peer[port]] : RIPSTOP_NONE;
}

static int by_word(const void *a_, const void *b_) {
  const group *a = a_, *b = b_;
  const int order = strcmp(a->word, b->word);
  return order ? order : (a->leaf > b->leaf) - (a->leaf < b->leaf);
}

static void find_groups(blocker *b, const hostlist_set *set) {
  const host_job *job = b->job;
  uint32_t count = 0;
  for (uint32_t i = job->first[set->first]; i < job->first[set->first + set->count]; i++)
    b->group[count++] = (group){job->adapter[i].word, leaf_of(job, &job->adapter[i]), 1, job->adapter[i].rate};
  qsort(b->group, count, sizeof *b->group, by_word);
  b->groups = 0;
  for (uint32_t i = 0; i < count; i++) {
    group *last = b->groups ? &b->group[b->groups - 1] : NULL;
    if (!last || by_word(last, &b->group[i]) != 0) {
      b->group[b->groups++] = b->group[i];
      continue;
    }
    last->count++;
    last->rate += b->group[i].rate;
  }
}

/* ------------------------------------------------------------------ one destination */

/* The port that sends on to the address; RIPSTOP_NONE: there is none. */
static uint32_t port_on(const host_job *job, uint32_t address, uint32_t node) {
  const ripstop_fabric *f = job->fabric;
  const uint16_t out = ripstop_is_end(f, node) ? RIPSTOP_NO_PORT : ripstop_forwarding_port(job->tables, address, node);
  const uint32_t port = f->port_base[node] + out;
  return out < ripstop_node_ports(f, node) && job->view->port_up[port] ? port : RIPSTOP_NONE;
}

/* Follows the entries to a node whose fate is known, which all nodes on the path share. */
static void follow(blocker *b, uint32_t address, uint32_t node) {
  const ripstop_fabric *f = b->job->fabric;
  const uint32_t first = b->orders;
  for (uint32_t port; b->fate[node] == UNKNOWN; node = f->port_node[f->peer[port]]) {
    b->fate[node] = OPEN;
    b->order[b->orders++] = node;
    port = port_on(b->job, address, node);
    if (port == RIPSTOP_NONE) break;
  }
  const uint8_t end = b->fate[node] == ARRIVES ? ARRIVES : LOST;
  for (uint32_t i = first; i < b->orders; i++) b->fate[b->order[i]] = end;
  for (uint32_t i = first, k = b->orders; i + 1 < k; i++) {
    const uint32_t other = b->order[--k];
    b->order[k] = b->order[i];
    b->order[i] = other;
  }
}

static void add_source(blocker *b, uint32_t address, uint32_t leaf, uint32_t count, double rate) {
  if (count == 0) return;
  if (leaf != RIPSTOP_NONE) follow(b, address, leaf);
  if (leaf == RIPSTOP_NONE || b->fate[leaf] != ARRIVES) {
    b->lost += count;
    return;
  }
  b->rate[leaf] += rate;
  b->count[leaf] += count;
}

static void pass_on(blocker *b, uint32_t address, uint32_t node, double share) {
  const ripstop_fabric *f = b->job->fabric;
  if (b->count[node] == 0) return;
  const uint32_t port = port_on(b->job, address, node), next = f->port_node[f->peer[port]];
  if (ripstop_is_end(f, next)) return;
  b->use[port] += share * b->rate[node] / b->job->rate[port];
  b->pairs[port] += b->count[node];
  b->rate[next] += b->rate[node];
  b->count[next] += b->count[node];
}

static void begin(blocker *b, const job_adapter *to) {
  b->orders = 0;
  b->fate[to->end] = ARRIVES;
}

/* Adds the loads of all sources, and forgets them. */
static void end(blocker *b, uint32_t address, const job_adapter *to, double share) {
  for (uint32_t i = b->orders; i-- > 0;) pass_on(b, address, b->order[i], share);
  for (uint32_t i = 0; i < b->orders; i++) {
    const uint32_t node = b->order[i];
    b->fate[node] = UNKNOWN;
    b->rate[node] = b->count[node] = 0;
  }
  b->fate[to->end] = UNKNOWN;
  b->rate[to->end] = b->count[to->end] = 0;
}

/* Sends from the groups first..end, which have one word, to a host's adapter on their rail. A host sends nothing to
 * itself. */
static void send_to(blocker *b, uint32_t host, bool among, uint32_t first, uint32_t last, double share) {
  const host_job *job = b->job;
  const char *word = b->group[first].word;
  const job_adapter *to = &job->adapter[host_job_partner(job, word, host)];
  const uint32_t address = ripstop_first_address(job->tables, to->end);
  const bool known = address < job->tables->addresses && job->tables->node[address] == to->end;
  begin(b, to);
  for (uint32_t i = first; i < last; i++) {
    group g = b->group[i];
    for (uint32_t k = job->first[host]; among && k < job->first[host + 1]; k++) {
      const job_adapter *own = &job->adapter[k];
      if (leaf_of(job, own) != g.leaf || strcmp(own->word, word) != 0) continue;
      g.count--;
      g.rate -= own->rate;
    }
    if (known)
      add_source(b, address, g.leaf, g.count, g.rate);
    else
      b->lost += g.count;
  }
  end(b, address, to, share);
}

static void send_to_host(blocker *b, uint32_t host, bool among, double share) {
  for (uint32_t first = 0, last; first < b->groups; first = last) {
    for (last = first; last < b->groups && strcmp(b->group[last].word, b->group[first].word) == 0;) last++;
    send_to(b, host, among, first, last, share);
  }
}

/* ------------------------------------------------------------------ all sets */

static void block(blocker *b, job_blocking *out) {
  const host_job *job = b->job;
  const hostlist_set *from = &job->list->set[out->from], *to = &job->list->set[out->to];
  const bool among = out->from == out->to;
  const double targets = among ? (double)to->count - 1 : to->count;
  const double slow = !among && to->count < from->count ? (double)to->count / from->count : 1;
  memset(b->use, 0, job->fabric->ports * sizeof *b->use);
  memset(b->pairs, 0, job->fabric->ports * sizeof *b->pairs);
  b->lost = 0;
  for (uint32_t y = to->first; y < to->first + to->count; y++) send_to_host(b, y, among, slow / targets);
  out->lost = b->lost;
  out->factor = 1;
  out->port = RIPSTOP_NONE;
  double most = 0;
  for (uint32_t p = 0; p < job->fabric->ports; p++)
    if (b->use[p] > most * (1 + 1e-9)) {
      most = b->use[p];
      out->port = p;
      out->pairs = b->pairs[p];
    }
  if (most > 1) out->factor = most;
}

void host_job_block(host_job *job) {
  const uint32_t sets = job->list->sets, nodes = job->fabric->nodes;
  blocker b = {.job = job};
  b.use = RIPSTOP_ARRAY(job->arena, job->fabric->ports, double);
  b.pairs = RIPSTOP_ARRAY(job->arena, job->fabric->ports, uint64_t);
  b.group = RIPSTOP_ARRAY(job->arena, (size_t)job->adapters + 1, group);
  b.fate = RIPSTOP_ARRAY(job->arena, nodes, uint8_t);
  b.rate = RIPSTOP_ARRAY(job->arena, nodes, double);
  b.count = RIPSTOP_ARRAY(job->arena, nodes, uint32_t);
  b.order = RIPSTOP_ARRAY(job->arena, nodes, uint32_t);
  job->blocking = RIPSTOP_ARRAY(job->arena, (size_t)sets * sets, job_blocking);
  for (uint32_t from = 0; from < sets; from++) {
    find_groups(&b, &job->list->set[from]);
    for (uint32_t to = 0; to < sets; to++) {
      if (from == to && job->list->set[from].count < 2) continue;
      job_blocking *out = &job->blocking[job->blockings++];
      *out = (job_blocking){.from = from, .to = to};
      block(&b, out);
    }
  }
}

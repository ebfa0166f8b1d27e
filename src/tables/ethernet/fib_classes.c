/* fib_classes.c - follows packets of every DSCP along the next hops, and notes what each waits for.
 *
 * DSCPs that every map treats alike are followed as one. What packets of a DSCP do between two ports of a switch does
 * not depend on where they go, so each such transition is looked at once. */
#include "tables/ethernet/fib_classes.h"

#include "base/growing.h"
#include "base/local.h"
#include "tables/ethernet/fib_judge.h"

/* A port by which packets come: a link, or a port of hosts. */
typedef struct entrance {
  uint32_t switch_, link; /* link RIPSTOP_NONE: hosts */
  uint32_t port;          /* this switch's */
  size_t first_done;      /* in `done`: a mask of DSCPs for each link that leaves the switch */
} entrance;

typedef struct following {
  fib *f;
  fib_class_verdict *out;
  const sonic_qos *none;
  const sonic_qos **qos;      /* by port of the cabling */
  uint8_t alike[SONIC_DSCPS]; /* the first DSCP that every map treats alike */
  uint64_t starts;            /* a bit for each of these */
  entrance *at;               /* the links in their order, then ports of hosts */
  uint32_t entrances;
  size_t room;
  uint64_t *done; /* DSCPs whose transition was looked at */
  uint64_t *came; /* [entrances]: DSCPs that come for the present class of addresses */
  uint64_t *left; /* [entrances]: those that have not been followed yet */
  uint32_t *queue;
  uint32_t queued;
  bool *mismatch, *leaves; /* [ports] */
  ripstop_arena *scratch;
} following;

/* ------------------------------------------------------------------ maps */

static void find_alike(following *l, const sonic_classes *classes) {
  for (unsigned d = 0; d < SONIC_DSCPS; d++) {
    l->alike[d] = (uint8_t)d;
    for (unsigned e = 0; e < d && l->alike[d] == d; e++) {
      bool same = true;
      for (uint32_t i = 0; same && i < classes->qoses; i++)
        same = classes->qos[i].tc_of_dscp[d] == classes->qos[i].tc_of_dscp[e];
      if (same) l->alike[d] = (uint8_t)e;
    }
    l->starts |= UINT64_C(1) << l->alike[d];
  }
}

static void find_qos(following *l, const sonic_classes *classes) {
  const cabling *c = l->f->c;
  bool *has = RIPSTOP_ARRAY(l->scratch, (size_t)c->nodes + 1, bool);
  l->qos = RIPSTOP_ARRAY(l->scratch, (size_t)c->ports + 1, const sonic_qos *);
  for (uint32_t p = 0; p < c->ports; p++) l->qos[p] = l->none;
  for (uint32_t i = 0; i < classes->ports; i++) {
    const sonic_port *at = &classes->port[i];
    has[at->node] = true;
    if (at->port != RIPSTOP_NONE) l->qos[at->port] = &classes->qos[at->qos];
    for (uint32_t p = 0; at->port == RIPSTOP_NONE && p < c->ports; p++)
      if (c->port[p].node == at->node) l->qos[p] = &classes->qos[at->qos];
  }
  for (uint32_t p = 0; p < c->ports; p++)
    if (l->f->switch_of[c->port[p].node] != RIPSTOP_NONE) l->out->lossless |= l->qos[p]->pauses;
  for (uint32_t s = 0; s < l->f->switches; s++)
    if (!has[l->f->node[s]]) fib_note(l->f, &l->out->without, c->node[l->f->node[s]].name);
}

/* The priorities by which a switch pauses for packets of the traffic class. */
static unsigned held_by(const sonic_qos *in, unsigned tc) {
  unsigned held = 0;
  for (unsigned p = 0; p < SONIC_PRIORITIES; p++)
    if ((in->pauses >> p & 1) && in->group_of_priority[p] == in->group_of_tc[tc]) held |= 1U << p;
  return held;
}

/* The priorities that stop the queue in which such packets leave. */
static unsigned stopped_by(const sonic_qos *out, const sonic_qos *peer, unsigned tc) {
  unsigned stops = 0;
  for (unsigned p = 0; p < SONIC_PRIORITIES; p++)
    if ((out->pauses & peer->pauses) >> p & 1 && out->queue_of_priority[p] == out->queue_of_tc[tc]) stops |= 1U << p;
  return stops;
}

/* ------------------------------------------------------------------ transitions */

static unsigned next_dscp(const following *l, const sonic_qos *in, const sonic_qos *out, unsigned dscp) {
  return out->rewrites ? l->alike[out->dscp_of_tc[in->tc_of_dscp[dscp]]] : dscp;
}

static void look_at(following *l, const entrance *e, uint32_t link, unsigned dscp) {
  fib_waits *w = &l->out->waits;
  const uint32_t port = w->port_of[link];
  const sonic_qos *in = l->qos[e->port], *out = l->qos[port], *peer = l->qos[l->f->c->port[port].peer];
  const unsigned tc = in->tc_of_dscp[dscp], held = held_by(in, tc), stops = stopped_by(out, peer, tc);
  const unsigned there = held_by(peer, peer->tc_of_dscp[next_dscp(l, in, out, dscp)]);
  if (there && !(there & stops)) l->mismatch[port] = true;
  if (held && !(there & stops)) l->leaves[port] = true;
  for (unsigned a = 0; e->link != RIPSTOP_NONE && a < SONIC_PRIORITIES; a++)
    for (unsigned b = 0; held >> a & 1 && b < SONIC_PRIORITIES; b++)
      if (stops >> b & 1) fib_waits_add(w, e->link, a, link, b);
}

/* The DSCPs with which packets of these come out at a link. */
static uint64_t pass(following *l, const entrance *e, uint32_t link, uint64_t dscps) {
  const fib_waits *w = &l->out->waits;
  uint64_t *done = &l->done[e->first_done + (link - w->first_out[e->switch_])], next = 0;
  for (uint64_t left = dscps & ~*done; left; left &= left - 1) look_at(l, e, link, (unsigned)__builtin_ctzll(left));
  *done |= dscps;
  for (; dscps; dscps &= dscps - 1)
    next |= UINT64_C(1) << next_dscp(l, l->qos[e->port], l->qos[w->port_of[link]], (unsigned)__builtin_ctzll(dscps));
  return next;
}

static void come(following *l, uint32_t by, uint64_t dscps) {
  dscps &= ~l->came[by];
  if (!dscps) return;
  if (!l->left[by]) l->queue[l->queued++ % l->entrances] = by;
  l->came[by] |= dscps;
  l->left[by] |= dscps;
}

static void follow(following *l, uint32_t class_, const uint64_t *pairs) {
  const fib *f = l->f;
  memset(l->came, 0, l->entrances * sizeof *l->came);
  l->queued = 0;
  for (uint32_t i = l->out->waits.links; i < l->entrances; i++)
    if (pairs[l->at[i].switch_]) come(l, i, l->starts);
  for (uint32_t at = 0; at != l->queued; at++) {
    const uint32_t i = l->queue[at % l->entrances];
    const entrance *e = &l->at[i];
    const uint64_t dscps = l->left[i];
    const uint32_t set = fib_entry(f, &f->now, class_, e->switch_);
    l->left[i] = 0;
    if (!fib_is_set(set)) continue;
    for (const fib_hop *h = &f->hop[f->set[set].first], *end = h + f->set[set].count; h < end; h++) {
      if (h->to == FIB_LOST) continue;
      const uint32_t link = l->out->waits.link_of[h->port];
      come(l, link, pass(l, e, link, dscps));
    }
  }
}

/* ------------------------------------------------------------------ all */

static void add_entrance(following *l, uint32_t switch_, uint32_t link, uint32_t port, size_t *done) {
  const fib_waits *w = &l->out->waits;
  RIPSTOP_GROW_IN(l->scratch, l->at, l->entrances, l->room);
  l->at[l->entrances++] = (entrance){switch_, link, port, *done};
  *done += w->first_out[switch_ + 1] - w->first_out[switch_];
}

/* Hosts at ports of one switch that have the same maps count once. */
static bool is_new(const following *l, uint32_t switch_, uint32_t port) {
  for (uint32_t i = l->entrances; i-- > l->out->waits.links && l->at[i].switch_ == switch_;)
    if (l->qos[l->at[i].port] == l->qos[port]) return false;
  return true;
}

static void open_following(following *l) {
  const fib *f = l->f;
  const fib_waits *w = &l->out->waits;
  size_t done = 0;
  for (uint32_t i = 0; i < w->links; i++) add_entrance(l, w->into[i], i, f->c->port[w->port_of[i]].peer, &done);
  for (uint32_t h = 0; h < f->hosts; h++)
    if (is_new(l, f->host[h].switch_, f->host[h].port))
      add_entrance(l, f->host[h].switch_, RIPSTOP_NONE, f->host[h].port, &done);
  l->done = RIPSTOP_ARRAY(l->scratch, done + 1, uint64_t);
  l->came = RIPSTOP_ARRAY(l->scratch, (size_t)l->entrances + 1, uint64_t);
  l->left = RIPSTOP_ARRAY(l->scratch, (size_t)l->entrances + 1, uint64_t);
  l->queue = RIPSTOP_ARRAY(l->scratch, (size_t)l->entrances + 1, uint32_t);
  l->mismatch = RIPSTOP_ARRAY(l->scratch, (size_t)f->c->ports + 1, bool);
  l->leaves = RIPSTOP_ARRAY(l->scratch, (size_t)f->c->ports + 1, bool);
}

void fib_classes_judge(fib *f, const sonic_classes *classes, fib_class_verdict *out) {
  RIPSTOP_LOCAL_ARENA(scratch);
  const sonic_qos none = sonic_qos_none();
  uint32_t *first_host, *host_of;
  uint64_t *pairs = RIPSTOP_ARRAY(scratch, (size_t)f->switches + 1, uint64_t);
  following l = {.f = f, .out = out, .none = &none, .scratch = scratch};
  *out = (fib_class_verdict){0};
  fib_waits_open(&out->waits, f, SONIC_PRIORITIES, f->arena);
  find_alike(&l, classes);
  find_qos(&l, classes);
  open_following(&l);
  fib_group_hosts(f, scratch, &first_host, &host_of);
  for (uint32_t c = 0; c < f->classes; c++) {
    fib_pairs_of(f, f->class_[c].group, first_host, host_of, pairs);
    follow(&l, c, pairs);
  }
  for (uint32_t p = 0; p < f->c->ports; p++) {
    if (l.mismatch[p]) fib_note(f, &out->mismatch, fib_port_name(f, p));
    if (l.leaves[p]) fib_note(f, &out->leaves, fib_port_name(f, p));
  }
  fib_waits_cycles(&out->waits, f->arena, &out->cycles);
}

/* defeat.c - the smallest set of links that defeats a method, and the smallest that disconnects the fabric.
 *
 * The first by enumeration of all sets by increasing size, one of each orbit where that is sound (symmetry.c). So a
 * set that it finds is smallest, and the sets that it has passed are proved. If its budget ends, random search gives
 * an upper bound: links fail in random order until the method is defeated, then all that are not needed return.
 *
 * The second by maximum flow (see `ripstop_smallest_cut`). */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "base/memory.h"
#include "base/sort.h"
#include "fabric/inner.h"
#include "prove/proof.h"
#include "prove/symmetry.h"
#include "ripstop/kit/proofs.h"
#include "route/plan_steps.h"

/* ------------------------------------------------------------------ smallest cut */

/* Unit flow on links; flow[p] is the flow out of port p: 1, 0 or -1, and flow[peer of p] = -flow[p]. A port that does
 * not send can only return the flow that came in by it. */
typedef struct flow_net {
  const ripstop_fabric *fabric;
  int8_t *flow;      /* [ports] */
  uint32_t *came_by; /* [nodes]: port by which the search reached it; RIPSTOP_NONE: not reached */
  uint32_t *queue;   /* [nodes] */
} flow_net;

/* Breadth-first search over ports with residual capacity. Returns true if `to` was reached. */
static bool reach(flow_net *net, uint32_t from, uint32_t to) {
  const ripstop_fabric *f = net->fabric;
  uint32_t head = 0, tail = 0;
  memset(net->came_by, 0xff, f->nodes * sizeof *net->came_by);
  net->came_by[from] = f->port_base[from];
  net->queue[tail++] = from;
  while (head < tail) {
    uint32_t node = net->queue[head++];
    if (node == to) return true;
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
      if (f->peer[port] == RIPSTOP_NONE || net->flow[port] >= (ripstop_port_sends(f, port) ? 1 : 0)) continue;
      uint32_t next = f->port_node[f->peer[port]];
      if (ripstop_is_end(f, next) || net->came_by[next] != RIPSTOP_NONE) continue;
      net->came_by[next] = port;
      net->queue[tail++] = next;
    }
  }
  return false;
}

static void augment(flow_net *net, uint32_t from, uint32_t to) {
  const ripstop_fabric *f = net->fabric;
  for (uint32_t node = to; node != from;) {
    uint32_t port = net->came_by[node];
    net->flow[port]++;
    net->flow[f->peer[port]]--;
    node = f->port_node[port];
  }
}

/* The maximum flow from one switch to another, or `limit` if it is not less. */
static uint32_t flow_between(flow_net *net, uint32_t from, uint32_t to, uint32_t limit) {
  uint32_t flow = 0;
  memset(net->flow, 0, net->fabric->ports);
  while (flow < limit && reach(net, from, to)) {
    augment(net, from, to);
    flow++;
  }
  return flow;
}

/* After a search that failed: the links from the reached nodes to the rest. */
static uint32_t links_of_cut(const flow_net *net, uint32_t *link) {
  const ripstop_fabric *f = net->fabric;
  uint32_t count = 0;
  for (uint32_t i = f->link_ends; i < f->links; i++) {
    bool here = net->came_by[ripstop_link_node(f, i, 0)] != RIPSTOP_NONE,
         there = net->came_by[ripstop_link_node(f, i, 1)] != RIPSTOP_NONE;
    if (here != there && (here || !f->one_way || !f->one_way[i])) link[count++] = i; /* the first node sends */
  }
  return count;
}

/* By the theorem of Ford and Fulkerson (Menger's, for links) the fewest links that disconnect two switches are as
 * many as the maximum flow between them. One fixed source suffices. A set that disconnects any two end nodes leaves
 * some switch with end nodes on the other side than the source's. So it disconnects the source from that switch, and
 * the flow between those two is no greater than the set. So the least over all other switches with end nodes is the
 * least of all. With one-way links the flow back counts, too. */
uint32_t ripstop_smallest_cut(ripstop_arena *arena, const ripstop_fabric *f, const uint32_t **link) {
  RIPSTOP_GUARD(NULL, RIPSTOP_NONE);
  ripstop_arena *scratch = ripstop_arena_new();
  flow_net net = {.fabric = f,
                  .flow = RIPSTOP_ARRAY(scratch, f->ports, int8_t),
                  .came_by = RIPSTOP_ARRAY(scratch, f->nodes, uint32_t),
                  .queue = RIPSTOP_ARRAY(scratch, f->nodes, uint32_t)};
  uint32_t *cut = RIPSTOP_ARRAY(scratch, f->links, uint32_t), least = RIPSTOP_NONE;
  uint8_t *asked = RIPSTOP_ARRAY(scratch, f->nodes, uint8_t);
  uint32_t source = f->ends ? ripstop_end_switch(f, 0) : RIPSTOP_NONE;
  for (uint32_t end = 1; end < f->ends; end++) {
    uint32_t to = ripstop_end_switch(f, end);
    if (to == source || asked[to]) continue;
    asked[to] = 1;
    for (uint32_t back = 0; back <= (f->one_way != NULL); back++) {
      uint32_t flow = back ? flow_between(&net, to, source, least) : flow_between(&net, source, to, least);
      if (flow < least) least = links_of_cut(&net, cut);
    }
  }
  *link = NULL;
  if (least != RIPSTOP_NONE) {
    uint32_t *kept = RIPSTOP_ARRAY(arena, least, uint32_t);
    if (least > 0) memcpy(kept, cut, least * sizeof *kept);
    *link = kept;
  }
  ripstop_arena_free(scratch);
  return least;
}

/* ------------------------------------------------------------------ one set */

typedef struct hunt {
  ripstop_arena *arena;
  const ripstop_fabric *fabric;
  ripstop_view *view;
  ripstop_plan *plan;
  ripstop_prover *prover;
  ripstop_defeat *out;
  uint64_t left; /* proofs left for random search */
  const atomic_int *stop;
} hunt;

static bool is_stopped(const hunt *h) { return h->stop && atomic_load_explicit(h->stop, memory_order_relaxed); }

typedef enum { STANDS, DEFEATED, FAILED } outcome;

static void add_part(ripstop_text *text, const char *part) {
  ripstop_text_add(text, "%s%s", text->length ? ", " : "", part);
}

static const char *describe(ripstop_arena *arena, const ripstop_proof *proof) {
  RIPSTOP_LOCAL_TEXT(text);
  if (proof->lost_pairs_some_choice)
    ripstop_text_add(&text, "%llu of %llu pairs can be lost", (unsigned long long)proof->lost_pairs_some_choice,
                     (unsigned long long)proof->pairs);
  if (!proof->livelock_free) add_part(&text, "packets can loop forever");
  if (!proof->deadlock_free) {
    add_part(&text, "deadlock");
    ripstop_text_add(&text, " of %u queues", proof->queues);
  }
  const char *kept = ripstop_arena_text(arena, text.data);
  return kept;
}

/* Tries the method in the present view. *how (may be NULL) gets the failure. */
static outcome try_view(hunt *h, const char **how, ripstop_error *err) {
  ripstop_error why;
  ripstop_answer answer = ripstop_plan_recompile(h->plan, &why);
  if (answer == RIPSTOP_APPLIES) answer = ripstop_plan_tables(h->plan, &why);
  if (answer == RIPSTOP_ERROR) {
    *err = why;
    return FAILED;
  }
  if (answer == RIPSTOP_DOES_NOT_APPLY) {
    if (how) *how = ripstop_arena_text(h->arena, why.text);
    return DEFEATED;
  }
  ripstop_proof proof;
  if (ripstop_prover_prove(h->prover, h->plan, &proof, err)) return FAILED;
  if (proof.tolerated && proof.livelock_free && proof.deadlock_free) return STANDS;
  if (how) *how = describe(h->arena, &proof);
  return DEFEATED;
}

static void set_links(ripstop_view *view, const uint32_t *link, uint32_t count, bool up) {
  for (uint32_t i = 0; i < count; i++) ripstop_view_set_link(view, link[i], up);
}

static void keep_set(hunt *h, const uint32_t *link, uint32_t count) {
  uint32_t *kept = RIPSTOP_ARRAY(h->arena, count, uint32_t);
  if (count > 0) {
    memcpy(kept, link, count * sizeof *kept);
    qsort(kept, count, sizeof *kept, ripstop_by_u32);
  }
  h->out->size = count;
  h->out->link = kept;
}

/* ------------------------------------------------------------------ exact search */

/* The result for all sets of one size: none defeats; one does (kept); none of them leaves the fabric connected (so no
 * bigger one does either); or the budget ended first. */
typedef enum { ALL_STAND, ONE_DEFEATS, NONE_CONNECTED, UNFINISHED, BROKEN } size_outcome;

static outcome try_set(hunt *h, const uint32_t *link, uint32_t size, bool *connected, ripstop_error *err) {
  set_links(h->view, link, size, false);
  bool whole = size < h->out->cut_size || ripstop_view_disconnected_pairs(h->view) == 0;
  outcome result = whole ? try_view(h, &h->out->how, err) : STANDS;
  set_links(h->view, link, size, true);
  *connected |= whole;
  return result;
}

static size_outcome try_size(hunt *h, const ripstop_symmetry *symmetry, uint32_t size, uint64_t budget,
                             ripstop_error *err) {
  ripstop_orbits orbits;
  ripstop_error beyond; /* too many sets to enumerate end the search as the budget does */
  bool connected = false;
  if (ripstop_orbits_first(&orbits, symmetry, size, &beyond)) return UNFINISHED;
  do {
    if (h->out->proofs == budget || is_stopped(h)) return UNFINISHED;
    h->out->proofs++;
    h->out->sets += orbits.sets;
    outcome result = try_set(h, orbits.link, size, &connected, err);
    if (result == FAILED) return BROKEN;
    if (result == DEFEATED) {
      keep_set(h, orbits.link, size);
      return ONE_DEFEATS;
    }
  } while (ripstop_orbits_next(&orbits));
  return connected ? ALL_STAND : NONE_CONNECTED;
}

static outcome search_all(hunt *h, uint64_t budget, ripstop_error *err) {
  const ripstop_fabric *f = h->fabric;
  ripstop_symmetry *symmetry = ripstop_symmetry_for(h->plan);
  size_outcome result = ALL_STAND;
  h->out->symmetric = ripstop_symmetry_useful(symmetry);
  for (uint32_t size = 0; size <= f->links - f->link_ends && result == ALL_STAND; size++) {
    result = try_size(h, symmetry, size, budget, err);
    if (result == ALL_STAND) h->out->at_least = size + 1;
  }
  h->out->exact = result != UNFINISHED;
  ripstop_symmetry_free(symmetry);
  return result == BROKEN ? FAILED : STANDS;
}

/* ------------------------------------------------------------------ random search */

static void shuffle(ripstop_stream *stream, uint32_t *link, uint32_t count) {
  for (uint32_t i = count; i > 1; i--) {
    uint32_t k = ripstop_stream_below(stream, i), kept = link[i - 1];
    link[i - 1] = link[k];
    link[k] = kept;
  }
}

/* Fails links in the order of `link`, except those that would disconnect the fabric, until the method is defeated;
 * the failed ones come first in `link`. Returns how many, or RIPSTOP_NONE if the method survives or no proofs are
 * left. */
static uint32_t kill_until_defeat(hunt *h, uint32_t *link, uint32_t count, outcome *result, ripstop_error *err) {
  uint32_t dead = 0;
  for (uint32_t i = 0; i < count && h->left > 0 && !is_stopped(h); i++) {
    ripstop_view_set_link(h->view, link[i], false);
    if (ripstop_view_disconnected_pairs(h->view) > 0) {
      ripstop_view_set_link(h->view, link[i], true);
      continue;
    }
    uint32_t kept = link[dead];
    link[dead++] = link[i];
    link[i] = kept;
    h->left--;
    *result = try_view(h, NULL, err);
    if (*result != STANDS) return dead;
  }
  set_links(h->view, link, dead, true);
  return RIPSTOP_NONE;
}

/* Restores every link that the defeat does not need. Returns how many remain failed. */
static uint32_t spare(hunt *h, uint32_t *link, uint32_t dead, outcome *result, ripstop_error *err) {
  for (uint32_t i = 0; i < dead && h->left > 0 && !is_stopped(h);) {
    ripstop_view_set_link(h->view, link[i], true);
    h->left--;
    *result = try_view(h, NULL, err);
    if (*result == FAILED) return dead;
    if (*result == DEFEATED) {
      link[i] = link[--dead];
    } else {
      ripstop_view_set_link(h->view, link[i], false);
      i++;
    }
  }
  return dead;
}

/* Tries one random order of links, which may give a smaller set than known. */
static outcome draw(hunt *h, uint32_t *link, uint32_t count, ripstop_error *err) {
  outcome result = STANDS;
  uint32_t dead = kill_until_defeat(h, link, count, &result, err);
  if (dead == RIPSTOP_NONE) return STANDS;
  if (result == DEFEATED) dead = spare(h, link, dead, &result, err);
  if (result != FAILED && dead < h->out->size) {
    result = try_view(h, &h->out->how, err);
    keep_set(h, link, dead);
  }
  set_links(h->view, link, dead, true);
  return result == FAILED ? FAILED : STANDS;
}

static outcome search_random(hunt *h, uint64_t seed, ripstop_error *err) {
  const ripstop_fabric *f = h->fabric;
  uint32_t count = f->links - f->link_ends;
  uint32_t *link = RIPSTOP_ARRAY(h->arena, count, uint32_t);
  uint64_t before = 0;
  for (uint64_t index = 0; h->left > 0 && h->left != before && h->out->size > h->out->at_least && !is_stopped(h);
       index++) {
    ripstop_stream stream = ripstop_stream_open(seed, RIPSTOP_RANDOM_DEFEAT, index);
    for (uint32_t i = 0; i < count; i++) link[i] = f->link_ends + i;
    shuffle(&stream, link, count);
    before = h->left; /* no proof was spent: every link disconnects the fabric */
    if (draw(h, link, count, err) == FAILED) return FAILED;
  }
  h->out->exact = h->out->size == h->out->at_least;
  return STANDS;
}

/* ------------------------------------------------------------------ the whole search */

ripstop_answer ripstop_smallest_defeat(ripstop_arena *arena, const ripstop_fabric *fabric, const char *method,
                                       const ripstop_defeat_limits *limits, ripstop_defeat *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, RIPSTOP_ERROR);
  ripstop_answer answer;
  hunt h = {.arena = arena,
            .fabric = fabric,
            .view = ripstop_view_new(fabric, NULL),
            .out = out,
            .left = limits->search,
            .stop = limits->stop};
  *out = (ripstop_defeat){.size = RIPSTOP_NONE};
  out->cut_size = ripstop_smallest_cut(arena, fabric, &out->cut);
  h.plan = ripstop_plan_compile(h.view, method, &answer, err);
  if (h.plan) {
    h.plan->switch_ = limits->switch_;
    h.plan->switch_channels = limits->switch_channels;
    h.plan->binding = limits->binding;
    h.prover = ripstop_prover_new(fabric);
    outcome result = search_all(&h, limits->budget, err);
    if (result == STANDS && !out->exact) result = search_random(&h, limits->seed, err);
    if (result == FAILED) answer = RIPSTOP_ERROR;
    ripstop_prover_free(h.prover);
    ripstop_plan_free(h.plan);
  }
  ripstop_view_free(h.view);
  return answer;
}

static void add_set(ripstop_text *out, const ripstop_fabric *fabric, const uint32_t *link, uint32_t count) {
  ripstop_faults faults = {.links = count, .link = link};
  ripstop_faults_print(out, fabric, &faults);
}

static void add_defeat(ripstop_text *out, const ripstop_fabric *fabric, const char *method, const ripstop_defeat *d) {
  ripstop_text_add(out, "%s: ", method);
  if (d->size == 0) {
    ripstop_text_add(out, "defeated without any fault: %s\n", d->how);
  } else if (d->size != RIPSTOP_NONE) {
    ripstop_text_add(out, d->size == 1 ? "%u failed link defeats it" : "%u failed links defeat it", d->size);
    ripstop_text_add(out, d->exact && d->size > 1 ? ", no fewer: " : ": ");
    add_set(out, fabric, d->link, d->size);
    ripstop_text_add(out, " (%s)", d->how);
    if (!d->exact) ripstop_text_add(out, "; at least %u are needed", d->at_least);
    ripstop_text_add(out, "\n");
  } else if (d->exact) {
    ripstop_text_add(out, "no failed links defeat it that leave the fabric connected\n");
  } else {
    ripstop_text_add(out, "no set is known that defeats it; at least %u failed links are needed\n", d->at_least);
  }
}

int ripstop_defeat_print(ripstop_text *out, const ripstop_fabric *fabric, const char *method, const ripstop_defeat *d) {
  ripstop_text_begin(out); /* the text is the caller's */
  RIPSTOP_GUARD(NULL, -1);
  add_defeat(out, fabric, method, d);
  ripstop_text_add(out, d->proofs == 1 ? "looked at %llu set" : "looked at %llu sets by increasing size",
                   (unsigned long long)d->proofs);
  if (d->symmetric) ripstop_text_add(out, ", which stand for %llu by symmetry", (unsigned long long)d->sets);
  if (d->cut_size == RIPSTOP_NONE) {
    ripstop_text_add(out, "\nno failed links between switches disconnect the end nodes\n");
  } else if (d->cut_size == 0) {
    ripstop_text_add(out, "\nthe fabric is disconnected without any fault\n");
  } else {
    ripstop_text_add(out,
                     d->cut_size == 1 ? "\n%u failed link disconnects the fabric: "
                                      : "\n%u failed links disconnect the fabric, no fewer: ",
                     d->cut_size);
    add_set(out, fabric, d->cut, d->cut_size);
    ripstop_text_add(out, "\n");
  }
  return out->cut ? -1 : 0;
}

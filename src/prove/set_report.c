/* set_report.c - the result for one fault set, as lines for people.
 *
 * A witness is the whole set of queues that wait for each other. People see one cycle in it: from queue to queue over
 * the candidates of the first packet in each, as short as a search from a few of the queues finds. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "prove/lowest.h"
#include "prove/proof.h"
#include "prove/set_report.h"
#include "ripstop/plugin/method.h"
#include "tables/versions.h"

enum { SEARCHES = 64 }; /* queues from which a short cycle is searched */

static void sender_and_receiver(const ripstop_fabric *f, const ripstop_deadlocked_packet *q, char *from, char *to) {
  ripstop_node_name(f, f->port_node[q->port], from);
  ripstop_node_name(f, f->port_node[f->peer[q->port]], to);
}

static uint32_t local_port(const ripstop_fabric *f, uint32_t port) { return port - f->port_base[f->port_node[port]]; }

static double mean(uint64_t sum, uint64_t count) { return count ? (double)sum / (double)count : 0; }

/* ------------------------------------------------------------------ a cycle in a witness */

typedef struct waits {
  const ripstop_plan *plan;
  const ripstop_proof *proof;
  const ripstop_mixing *mixing;
  ripstop_candidate *candidate;
  uint32_t *version; /* [queues]: with transient states, the version of the switch by which the head waits */
  uint32_t *first;   /* [queues + 1]: where the queues that a queue waits for begin in `on` */
  uint32_t *on;      /* indices of queues */
  uint32_t *before, *list;
  ripstop_arena *arena;
} waits;

/* The witness lists queues in ascending order of port and channel. */
static uint32_t find_queue(const ripstop_proof *proof, uint32_t port, uint32_t channel) {
  uint32_t low = 0, high = proof->queues;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    const ripstop_deadlocked_packet *q = &proof->queue[middle];
    if (q->port < port || (q->port == port && q->channel < channel))
      low = middle + 1;
    else
      high = middle;
  }
  if (low == proof->queues || proof->queue[low].port != port || proof->queue[low].channel != channel)
    return RIPSTOP_NONE;
  return low;
}

/* An in-transit packet is in a queue that leads to an end node. */
static ripstop_head head_of(const ripstop_fabric *f, const ripstop_deadlocked_packet *q) {
  uint32_t in = f->peer[q->port];
  if (ripstop_is_end(f, f->port_node[in]))
    return (ripstop_head){.node = f->port_node[in],
                          .in_port = RIPSTOP_NONE,
                          .source = q->source,
                          .destination = q->destination,
                          .header = q->header,
                          .class_ = q->class_};
  return (ripstop_head){.node = f->port_node[in],
                        .in_port = local_port(f, in),
                        .source = q->source,
                        .destination = q->destination,
                        .header = q->header,
                        .channel = q->channel,
                        .class_ = q->class_};
}

/* Writes the candidates of the head to w->way. */
static int ask_plan(const waits *w, const ripstop_head *head) { return ripstop_route(w->plan, head, w->candidate); }

/* True if one of its wait sets leads into the witness alone. */
static bool stays_inside(const waits *w, const ripstop_head *head, int candidates) {
  const uint8_t lowest = lowest_rank_of(w->candidate, candidates);
  tally_of_ranks inside = {0};
  for (int i = 0; i < candidates; i++)
    tally_rank(&inside, w->candidate[i].rank == lowest,
               find_queue(w->proof, w->plan->fabric->port_base[head->node] + w->candidate[i].port,
                          w->candidate[i].channel) != RIPSTOP_NONE);
  return candidates == 0 || some_set_has_all(w->plan, &inside);
}

/* The version by which a head waits for the witness alone, and its candidates. */
static int ask_versions(waits *w, uint32_t queue, const ripstop_head *head) {
  const ripstop_versions *v = w->mixing->versions;
  uint32_t last = v->first[head->node + 1] - 1, i = w->mixing->for_ever ? v->first[head->node] : last;
  int candidates = ripstop_version_candidates(&v->version[i], head, w->candidate);
  for (; i < last && (candidates < 0 || !stays_inside(w, head, candidates)); i++)
    candidates = ripstop_version_candidates(&v->version[i + 1], head, w->candidate);
  w->version[queue] = i - v->first[head->node];
  return candidates;
}

static void find_waits(waits *w) {
  const ripstop_proof *proof = w->proof;
  const ripstop_fabric *f = w->plan->fabric;
  const ripstop_versions *v = w->mixing->versions;
  uint32_t most = v ? 2 * ripstop_versions_candidates_max(v) : w->plan->candidates_max;
  w->candidate = RIPSTOP_ARRAY(w->arena, most, ripstop_candidate);
  w->version = RIPSTOP_ARRAY(w->arena, proof->queues, uint32_t);
  w->first = RIPSTOP_ARRAY(w->arena, proof->queues + 1, uint32_t);
  w->on = RIPSTOP_ARRAY(w->arena, (size_t)proof->queues * most, uint32_t);
  w->before = RIPSTOP_ARRAY(w->arena, proof->queues, uint32_t);
  w->list = RIPSTOP_ARRAY(w->arena, proof->queues, uint32_t);
  for (uint32_t i = 0; i < proof->queues; i++) {
    ripstop_head head = head_of(f, &proof->queue[i]);
    int candidates = v ? ask_versions(w, i, &head) : ask_plan(w, &head);
    uint32_t end = w->first[i];
    for (int k = 0; k < candidates; k++) {
      uint32_t next = find_queue(proof, f->port_base[head.node] + w->candidate[k].port, w->candidate[k].channel);
      if (next != RIPSTOP_NONE) w->on[end++] = next;
    }
    w->first[i + 1] = end;
  }
}

/* The last queue before a shortest path returns to `start`, along `before`; RIPSTOP_NONE: none. */
static uint32_t search_back(waits *w, uint32_t start) {
  uint32_t head = 0, tail = 0;
  memset(w->before, 0xff, w->proof->queues * sizeof *w->before);
  w->list[tail++] = start;
  while (head < tail) {
    uint32_t at = w->list[head++];
    for (uint32_t k = w->first[at]; k < w->first[at + 1]; k++) {
      uint32_t next = w->on[k];
      if (next == start) return at;
      if (w->before[next] != RIPSTOP_NONE) continue;
      w->before[next] = at;
      w->list[tail++] = next;
    }
  }
  return RIPSTOP_NONE;
}

static uint32_t cycle_length(const waits *w, uint32_t start, uint32_t last) {
  uint32_t length = 1;
  for (uint32_t at = last; at != start; at = w->before[at]) length++;
  return length;
}

/* Writes a short cycle, in order, to w->list. Returns its length, 0: none was found. */
static uint32_t find_cycle(waits *w) {
  uint32_t best = 0, from = RIPSTOP_NONE;
  for (uint32_t start = 0; start < w->proof->queues && start < SEARCHES; start++) {
    uint32_t last = search_back(w, start), length = last == RIPSTOP_NONE ? 0 : cycle_length(w, start, last);
    if (length && (!best || length < best)) best = length, from = start;
  }
  if (!best) return 0;
  uint32_t at = search_back(w, from);
  for (uint32_t i = best; i-- > 0; at = w->before[at]) w->list[i] = at;
  return best;
}

/* For transient states that stay. */
static void print_version(ripstop_text *out, const waits *w, uint32_t queue) {
  const ripstop_fabric *f = w->plan->fabric;
  const ripstop_versions *v = w->mixing->versions;
  if (!v || !w->mixing->for_ever) return;
  uint32_t node = f->port_node[f->peer[w->proof->queue[queue].port]];
  ripstop_text_add(out, ", version %u of %u", w->version[queue] + 1, v->first[node + 1] - v->first[node]);
}

static void print_queue(ripstop_text *out, const waits *w, uint32_t queue) {
  const ripstop_plan *plan = w->plan;
  const ripstop_deadlocked_packet *q = &w->proof->queue[queue];
  const ripstop_fabric *f = plan->fabric;
  char from[RIPSTOP_NAME_MAX], to[RIPSTOP_NAME_MAX], source[RIPSTOP_NAME_MAX], destination[RIPSTOP_NAME_MAX];
  sender_and_receiver(f, q, from, to);
  ripstop_node_name(f, q->source, source);
  ripstop_node_name(f, q->destination, destination);
  ripstop_text_add(out, "    %s > %s", from, to);
  if (plan->channels > 1) ripstop_text_add(out, " channel %u", q->channel);
  ripstop_text_add(out, ": packet %s > %s", source, destination);
  if (plan->classes > 1) ripstop_text_add(out, ", class %u", q->class_);
  if (q->header) ripstop_text_add(out, ", header 0x%" PRIx64, q->header);
  print_version(out, w, queue);
  ripstop_text_add(out, "\n");
}

/* Without a cycle: the first head that is stalled by its switch. */
static void print_held(ripstop_text *out, const waits *w) {
  for (uint32_t i = 0; i < w->proof->queues; i++) {
    if (w->first[i + 1] > w->first[i]) continue;
    ripstop_text_add(out, "  stalled forever:\n");
    print_queue(out, w, i);
    return;
  }
}

static void print_witness(ripstop_text *out, const ripstop_set_proof *p) {
  waits w = {.plan = p->plan, .proof = &p->proof, .mixing = &p->mixing, .arena = ripstop_arena_new()};
  find_waits(&w);
  uint32_t length = find_cycle(&w);
  ripstop_text_add(out, "  deadlock: %u queues can wait for each other forever", p->proof.queues);
  ripstop_text_add(out, length ? "; a cycle of %u, each packet waiting for the next queue:\n" : "\n", length);
  for (uint32_t i = 0; i < length; i++) print_queue(out, &w, w.list[i]);
  if (!length) print_held(out, &w);
  ripstop_arena_free(w.arena);
}

/* ------------------------------------------------------------------ the graph of a subfunction */

static void print_link(ripstop_text *out, const ripstop_plan *plan, const ripstop_deadlocked_packet *q) {
  char from[RIPSTOP_NAME_MAX], to[RIPSTOP_NAME_MAX];
  sender_and_receiver(plan->fabric, q, from, to);
  ripstop_text_add(out, "%s > %s", from, to);
  if (plan->channels > 1) ripstop_text_add(out, " channel %u", q->channel);
}

static void print_graph_cycle(ripstop_text *out, const ripstop_plan *plan, const ripstop_dependencies *d) {
  ripstop_text_add(out, "    a cycle of %u: ", d->length);
  for (uint32_t i = 0; i < d->length; i++) {
    print_link(out, plan, &d->cycle[i]);
    ripstop_text_add(out, "%s", i + 1 < d->length ? ", " : "\n");
  }
}

static void print_dependencies(ripstop_text *out, const ripstop_set_proof *p) {
  const ripstop_dependencies *d = &p->proof.dependencies;
  if (!d->of) return;
  ripstop_text_add(out, "  subfunction %s: ", d->of->name);
  if (d->starved)
    ripstop_text_add(out, "supplies nothing to %" PRIu64 " heads", d->starved);
  else
    ripstop_text_add(out, p->proof.tolerated ? "connected" : "supplies every head that is not discarded");
  ripstop_text_add(out, "; %u queues, %" PRIu64 " direct and %" PRIu64 " cross dependencies, ", d->queues, d->direct,
                   d->cross);
  if (!d->cyclic) {
    ripstop_text_add(out, "no cycle\n");
    return;
  }
  ripstop_text_add(out, "cycles among %u queues\n", d->cyclic);
  print_graph_cycle(out, p->plan, d);
}

static void print_arc(ripstop_text *out, const ripstop_plan *plan, const ripstop_dependency *a) {
  ripstop_text_add(out, "  \"");
  print_link(out, plan, &a->from);
  ripstop_text_add(out, "\" -> \"");
  print_link(out, plan, &a->to);
  ripstop_text_add(out, "\"%s%s;\n", a->cross ? " [style=dashed]" : "", a->in_cycle ? " [color=red]" : "");
}

int ripstop_dependencies_dot(ripstop_text *out, const ripstop_plan *plan, const ripstop_dependencies *d) {
  ripstop_text_begin(out); /* the text is the caller's */
  RIPSTOP_GUARD(NULL, -1);
  ripstop_text_add(out, "digraph \"%s of %s\" {\n  node [shape=box];\n", d->of->name, plan->method->name);
  for (uint64_t i = 0; i < d->direct + d->cross; i++) print_arc(out, plan, &d->arc[i]);
  ripstop_text_add(out, "}\n");
  return out->cut ? -1 : 0;
}

/* ------------------------------------------------------------------ texts for people */

void ripstop_paths_print(ripstop_text *out, const ripstop_paths *p) {
  if (!p->pairs) return;
  ripstop_text_add(out,
                   "links walked by the %" PRIu64
                   " pairs that are always delivered (mean, most): without faults %.4f, %u; "
                   "shortest %.4f, %u; longest %.4f, %u\n",
                   p->pairs, mean(p->minimum, p->pairs), p->max_minimum, mean(p->shortest, p->pairs), p->max_shortest,
                   mean(p->longest, p->pairs), p->max_longest);
  ripstop_text_add(out, "  more than without faults (mean, most): shortest %.4f, %u; longest %.4f, %u\n",
                   mean(p->shortest - p->minimum, p->pairs), p->max_extra_shortest,
                   mean(p->longest - p->minimum, p->pairs), p->max_extra_longest);
}

static void print_walk(ripstop_text *out, const char *what, const char *walk) {
  if (walk) ripstop_text_add(out, "  %s %s\n", what, walk);
}

static uint32_t most_versions(const ripstop_versions *v) {
  uint32_t most = 0;
  for (uint32_t node = v->after->fabric->ends; node < v->after->fabric->nodes; node++)
    if (v->first[node + 1] - v->first[node] > most) most = v->first[node + 1] - v->first[node];
  return most;
}

static void print_mixing(ripstop_text *out, const ripstop_set_proof *p) {
  const ripstop_versions *v = p->mixing.versions;
  ripstop_text_add(out, "  transient states%s%s: ", p->mixing.in_order ? " in order" : "",
                   p->mixing.for_ever ? " that stay" : "");
  if (p->plan->method->proto)
    ripstop_text_add(out, "%u order%s of messages, in the last up to %u versions of a switch's tables; ", p->orders,
                     p->orders == 1 ? "" : "s", most_versions(v));
  else if (p->orders > 1)
    ripstop_text_add(out, "two writes; ");
  ripstop_text_add(out, "packets can be left in %" PRIu64 " states, in %" PRIu64 " of which they may be dropped\n",
                   p->proof.deadlock_packets, p->proof.dropped);
  print_walk(out, "dropped:", p->proof.dropped_walk);
}

static void print_walks(ripstop_text *out, const ripstop_set_proof *p) {
  const ripstop_proof *proof = &p->proof;
  if (p->mixing.versions) print_mixing(out, p);
  print_walk(out, "lost by choice:", proof->lost_walk);
  print_walk(out, "never delivered:", proof->never_walk);
  print_walk(out, "loops forever:", proof->livelock_walk);
  if (!proof->deadlock_free) print_witness(out, p);
  print_dependencies(out, p);
  if (proof->paths.pairs) ripstop_text_add(out, "  ");
  ripstop_paths_print(out, &proof->paths);
}

/* The result of a sample of destinations, for these and for all. */
static void print_sample(ripstop_text *out, const ripstop_fabric *f, const ripstop_set_proof *p) {
  const ripstop_proof *proof = &p->proof;
  const bool some_draws = proof->random_headers < p->plan->random_headers;
  ripstop_text_add(out, "%u of %u destinations", proof->destinations, f->ends);
  if (some_draws) ripstop_text_add(out, ", %u of %u random headers", proof->random_headers, p->plan->random_headers);
  ripstop_text_add(out, "\n");
  if (proof->tolerated)
    ripstop_text_add(out, "  delivery: all %" PRIu64 " pairs to them are delivered under every choice\n", proof->pairs);
  else
    ripstop_text_add(out,
                     "  delivery: not tolerated: lost are %" PRIu64 " of %" PRIu64 " pairs (%" PRIu64
                     " always), to %u of the destinations%s\n",
                     proof->lost_pairs_some_choice, proof->pairs, proof->lost_pairs_every_choice,
                     proof->lost_destinations, proof->livelock_free ? "" : ", some by livelock");
  ripstop_text_add(out, "  bound: with %g %%, at most %.3g %% of all destinations have a pair that is lost%s\n",
                   100 * p->confidence, 100 * ripstop_lost_share_at_most(proof, f, p->confidence),
                   some_draws ? " with these random headers" : "");
  if (proof->deadlock_free)
    ripstop_text_add(out, "  deadlock: none of packets to these destinations alone, which proves nothing of all\n");
  print_walks(out, p);
}

/* Prints the keys of switches that are not the defaults. */
static void print_switch(ripstop_text *out, const ripstop_plan *plan) {
  const ripstop_switch_channels *c = &plan->switch_channels;
  if (!plan->switch_ && !plan->binding && c->vcs <= 1 && !c->pooled) return;
  ripstop_text_add(out, "with ");
  if (plan->switch_) ripstop_text_add(out, "queues=%s, ", plan->switch_->name);
  if (plan->binding) ripstop_text_add(out, "selection=%s (binds packets), ", plan->binding);
  if (c->vcs > 1) ripstop_text_add(out, "vcs=%u (decided as vcs=1), ", c->vcs);
  if (c->pooled) ripstop_text_add(out, "buffers=port (decided as buffers=channel), ");
}

int ripstop_set_proof_print(ripstop_text *out, const ripstop_fabric *f, const ripstop_set_proof *p) {
  ripstop_text_begin(out); /* the text is the caller's */
  RIPSTOP_GUARD(NULL, -1);
  const ripstop_proof *proof = &p->proof;
  ripstop_text faults = {0};
  ripstop_faults_print(&faults, f, p->faults);
  ripstop_text_add(out, "%s: ", faults.length ? faults.data : "no faults");
  ripstop_text_free(&faults);
  if (p->plan) print_switch(out, p->plan);
  if (!p->plan) {
    ripstop_text_add(out, "does not apply: %s\n", p->why_not);
    return out->cut ? -1 : 0;
  }
  if (p->confidence > 0) {
    print_sample(out, f, p);
    return out->cut ? -1 : 0;
  }
  if (proof->tolerated)
    ripstop_text_add(out, "tolerated, ");
  else if (p->counted)
    ripstop_text_add(out, "loses %" PRIu64 " of %" PRIu64 " pairs (%" PRIu64 " have no path), ",
                     proof->lost_pairs_some_choice, proof->pairs, proof->disconnected_pairs);
  else
    ripstop_text_add(out, "loses %" PRIu64 " of %" PRIu64 " pairs (%" PRIu64 " always, %" PRIu64 " have no path), ",
                     proof->lost_pairs_some_choice, proof->pairs, proof->lost_pairs_every_choice,
                     proof->disconnected_pairs);
  if (p->counted) {
    ripstop_text_add(out, "nothing else was requested\n");
    return out->cut ? -1 : 0;
  }
  ripstop_text_add(out, "%sdeadlock %s\n", proof->livelock_free ? "" : "livelocks, ",
                   ripstop_deadlock_words[proof->deadlock]);
  print_walks(out, p);
  return out->cut ? -1 : 0;
}

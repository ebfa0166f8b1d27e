/* test_prove_rings.c - what several virtual channels for each of the method's, pools of space, and packets that are
 * bound to candidates do to deadlock, by brute force: every state of a small one-way ring that packets can bring about
 * from an empty one. docs/prove.md, "How packets wait in a switch", has the argument. It needs no prover: the prover's
 * verdicts are those with vcs=1 and buffers=channel, so here each must be the same as that one. test_prove_switch.c has
 * the prover's verdicts on the rings of the last part.
 *
 * Link i leads from node i to the next one and has `channels` x k queues at its end, for packets of one unit. A packet
 * is the number of links that it still has to take. Without a dateline all packets use one channel of the method. With
 * a dateline they use channel 0 until they take the last link, and channel 1 from then on. Of the k queues that stand
 * for their channel they take any that has room. A deadlock is a state with packets of which none can move. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "ripstop/plugin/base.h"

typedef enum buffers { OF_CHANNEL, POOL_WITHOUT_RESERVE, POOL_WITH_RESERVE } buffers;
typedef struct ring {
  uint32_t nodes, k, places; /* `places` of each channel, or in a pool for each of its channels */
  bool dateline, any_order;  /* any_order: each packet of a queue may go, as with virtual output queues */
  buffers space;
} ring;

enum {
  QUEUES_MOST = 12,
  BITS = 5
}; /* in a state each queue has a few bits: a one, and behind it the packets' links - 1
    * or 0, the first packet first */
typedef struct queues {
  uint32_t length[QUEUES_MOST];
  uint8_t left[QUEUES_MOST][BITS]; /* links that each packet still has to take: 0 or 1 in a ring of three nodes */
} queues;

static uint32_t channels_of(const ring *r) { return (r->dateline ? 2 : 1) * r->k; }
static uint32_t queues_of(const ring *r) { return r->nodes * channels_of(r); }

static uint64_t packed(const ring *r, const queues *q) {
  uint64_t state = 0;
  for (uint32_t i = 0; i < queues_of(r); i++) {
    uint64_t own = 1;
    for (uint32_t at = 0; at < q->length[i]; at++) own = own << 1 | q->left[i][at];
    state = state << BITS | own;
  }
  return state;
}

static void unpack(const ring *r, uint64_t state, queues *q) {
  for (uint32_t i = queues_of(r); i-- > 0; state >>= BITS) {
    const uint64_t own = state & ((1u << BITS) - 1);
    q->length[i] = (uint32_t)(63 - __builtin_clzll(own));
    for (uint32_t at = 0; at < q->length[i]; at++) q->left[i][at] = own >> (q->length[i] - 1 - at) & 1;
  }
}

static bool has_room(const ring *r, const queues *q, uint32_t link, uint32_t channel) {
  const uint32_t channels = channels_of(r), first = link * channels, reserve = r->space == POOL_WITH_RESERVE;
  uint32_t taken = 0;
  if (r->space == OF_CHANNEL) return q->length[first + channel] < r->places;
  if (q->length[first + channel] < reserve) return true;
  for (uint32_t c = 0; c < channels; c++) taken += q->length[first + c] > reserve ? q->length[first + c] - reserve : 0;
  return taken < channels * (r->places - reserve);
}

/* ------------------------------------------------------------------ all states */

/* Depth first, which fills queues soonest. */
typedef struct search {
  const ring *ring;
  uint64_t *known; /* [SLOTS]: a hash table of states; 0: free. No state is 0 */
  uint64_t *open;  /* states whose moves are to be tried */
  uint32_t states, opens;
} search;
enum { SLOTS = 1 << 18 };

static void find_or_add(search *s, const queues *q) {
  const uint64_t state = packed(s->ring, q);
  uint32_t at = (uint32_t)((state * UINT64_C(0x9e3779b97f4a7c15)) >> 40) % SLOTS;
  for (; s->known[at]; at = (at + 1) % SLOTS)
    if (s->known[at] == state) return;
  assert_true(++s->states < SLOTS);
  s->known[at] = s->open[s->opens++] = state;
}

/* The states in which a packet with so many links to go, this one not counted, has taken a link. Returns how many. */
static uint32_t take_link(search *s, const queues *before, uint32_t link, uint32_t old_channel, uint32_t left) {
  const ring *r = s->ring;
  const uint32_t channel = r->dateline && (old_channel == 1 || link == r->nodes - 1);
  uint32_t moves = 0;
  for (uint32_t c = channel * r->k; c < (channel + 1) * r->k; c++) {
    queues after = *before;
    const uint32_t i = link * channels_of(r) + c;
    if (!has_room(r, before, link, c)) continue;
    after.left[i][after.length[i]++] = (uint8_t)left;
    find_or_add(s, &after);
    moves++;
  }
  return moves;
}

/* The same for the packet at a position of a queue. */
static uint32_t move(search *s, const queues *now, uint32_t i, uint32_t at) {
  const uint32_t channels = channels_of(s->ring), left = now->left[i][at];
  const uint32_t link = (i / channels + 1) % s->ring->nodes;
  queues without = *now;
  without.length[i]--;
  for (uint32_t k = at; k < without.length[i]; k++) without.left[i][k] = now->left[i][k + 1];
  if (left == 0) {
    find_or_add(s, &without);
    return 1;
  }
  return take_link(s, &without, link, i % channels / s->ring->k, left - 1);
}

/* Tries all moves of packets in the network. True if there are packets, and none of them can move. */
static bool is_stuck(search *s, const queues *now) {
  const ring *r = s->ring;
  uint32_t packets = 0, moves = 0;
  for (uint32_t q = 0; q < queues_of(r); q++) {
    packets += now->length[q];
    for (uint32_t at = 0; at < (r->any_order ? now->length[q] : now->length[q] > 0); at++) moves += move(s, now, q, at);
  }
  return packets > 0 && moves == 0;
}

/* Returns whether a deadlock can come about. */
static bool deadlocks(const ring *r) {
  search s = {.ring = r};
  queues now = {0};
  bool found = false;
  s.known = ripstop_realloc(NULL, SLOTS, sizeof *s.known);
  s.open = ripstop_realloc(NULL, SLOTS, sizeof *s.open);
  memset(s.known, 0, SLOTS * sizeof *s.known);
  find_or_add(&s, &now);
  while (s.opens > 0 && !found) {
    unpack(r, s.open[--s.opens], &now);
    found = is_stuck(&s, &now);
    for (uint32_t link = 0; link < r->nodes; link++)
      for (uint32_t left = 0; left < r->nodes - 1; left++) (void)take_link(&s, &now, link, 0, left);
  }
  ripstop_free(s.known);
  ripstop_free(s.open);
  return found;
}

/* ------------------------------------------------------------------ packets that are bound
 * Each link has four queues of one packet: two adaptive ones, 0 and 1, and an escape, 2 while the wrap-around link lies
 * ahead and 3 behind it. Each packet takes two links. In the queue of the first link it is bound to some of its
 * candidates; behind the second one it leaves at once, which only takes away from what can wait. So a queue is empty,
 * or has a packet with the number of the candidates that it is bound to. */

typedef enum waiting { ANY, RANKED, LEVEL } waiting; /* LEVEL: also what switches do that bind packets on entry */
enum { NODES = 3, CHANNELS = 4, ADAPTIVE = 2, ALL_STATES = 1 << 25 };

/* The sets of adaptive channels (bits 0 and 1) and the escape (bit 2) that a packet can be bound to. */
static const uint8_t bonds[][3] = {[ANY] = {1 | 2 | 4}, [RANKED] = {1 | 4, 2 | 4}, [LEVEL] = {1, 2, 4}};

/* The states with one more packet in a queue, one for each bond. Returns how many. */
static uint32_t add_packets(waiting rule, uint64_t state, uint32_t link, uint32_t channel, uint64_t *next) {
  const uint32_t shift = 2 * (link * CHANNELS + channel);
  uint32_t count = 0;
  if (state >> shift & 3) return 0;
  for (uint32_t i = 0; i < 3 && bonds[rule][i]; i++) next[count++] = state | (uint64_t)(i + 1) << shift;
  return count;
}

/* A packet in the queue of a link can take the next one. */
static bool goes(waiting rule, uint64_t state, uint32_t queue) {
  const uint32_t here = state >> 2 * queue & 3, link = (queue / CHANNELS + 1) % NODES;
  const uint32_t escape = link == NODES - 1 ? 2 : 3; /* the channel of its last link */
  for (uint32_t c = 0; c < ADAPTIVE; c++)
    if (bonds[rule][here - 1] >> c & 1 && !(state >> 2 * (link * CHANNELS + c) & 3)) return true;
  return bonds[rule][here - 1] & 4 && !(state >> 2 * (link * CHANNELS + escape) & 3);
}

/* The channels of a packet's first link: the escape's is 2 if one of its two links is the wrap-around link. */
static uint32_t first_channels(uint32_t link, uint32_t *channel) {
  channel[0] = 0;
  channel[1] = 1;
  channel[2] = link + 2 >= NODES ? 2 : 3;
  return 3;
}

static bool is_new(uint8_t *known, uint64_t state) {
  const bool fresh = !(known[state / 8] >> (state % 8) & 1);
  known[state / 8] |= (uint8_t)(1u << (state % 8));
  return fresh;
}

/* Tries all states that packets bring about, deepest first. */
static bool bound_ring_deadlocks(waiting rule) {
  uint8_t *known = ripstop_realloc(NULL, ALL_STATES / 8, 1);
  uint64_t *open = ripstop_realloc(NULL, ALL_STATES / 8, sizeof *open), next[3];
  uint32_t opens = 0, channel[3];
  bool found = false;
  memset(known, 0, ALL_STATES / 8);
  for (open[opens++] = 0; opens > 0 && !found;) {
    const uint64_t now = open[--opens];
    uint32_t moves = 0;
    for (uint32_t q = 0; q < NODES * CHANNELS; q++) {
      const uint64_t gone = now & ~(UINT64_C(3) << 2 * q);
      if (gone == now || !goes(rule, now, q)) continue;
      moves++;
      if (is_new(known, gone)) open[opens++] = gone;
    }
    found = now && !moves;
    for (uint32_t link = 0; link < NODES; link++)
      for (uint32_t c = first_channels(link, channel); c-- > 0;)
        for (uint32_t i = add_packets(rule, now, link, channel[c], next); i-- > 0;)
          if (is_new(known, next[i])) open[opens++] = next[i];
    assert_true(opens + 64 < ALL_STATES / 8);
  }
  ripstop_free(known);
  ripstop_free(open);
  return found;
}

/* Whatever binds a packet leaves it free of deadlock as long as it can take the escape. */
static void binding_needs_the_escape(void **state) {
  (void)state;
  assert_false(bound_ring_deadlocks(ANY));
  assert_false(bound_ring_deadlocks(RANKED));
  assert_true(bound_ring_deadlocks(LEVEL));
}

/* ------------------------------------------------------------------ the verdicts */

static const uint32_t sizes[][2] = {{1, 1}, {1, 2}, {2, 1}}; /* k, places */

static void each_ring(bool dateline, buffers space, bool expected) {
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int any = 0; any < 2; any++) {
      const ring r = {
          .nodes = 3, .k = sizes[i][0], .places = sizes[i][1], .dateline = dateline, .any_order = any, .space = space};
      if (deadlocks(&r) != expected)
        fail_msg("dateline %d, k %u, %u places, space %d, any order %d: a deadlock is %s", dateline, r.k, r.places,
                 space, any, expected ? "not found" : "found");
    }
}

static void several_channels_change_no_verdict(void **state) {
  (void)state;
  each_ring(false, OF_CHANNEL, true);
  each_ring(true, OF_CHANNEL, false);
}

static void pools_with_a_reserve_change_no_verdict(void **state) {
  (void)state;
  each_ring(false, POOL_WITH_RESERVE, true);
  each_ring(true, POOL_WITH_RESERVE, false);
}

/* All channels of a port are one queue then, and a dateline proves nothing. */
static void pools_without_a_reserve_deadlock(void **state) {
  (void)state;
  each_ring(true, POOL_WITHOUT_RESERVE, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(several_channels_change_no_verdict),
      cmocka_unit_test(pools_with_a_reserve_change_no_verdict),
      cmocka_unit_test(pools_without_a_reserve_deadlock),
      cmocka_unit_test(binding_needs_the_escape),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

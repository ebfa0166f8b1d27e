/* frame.c - the allowed turns of valleys, as a function of the links of a component that are up.
 *
 * The fixed turns are those that change from up to down or keep their direction, and of the others, the valleys, those
 * from an up port to a higher one. They form no cycle under any faults. If they do not serve a pair of leaves, more
 * turns are added, each only if it closes no cycle either. The turns of a spanning tree alone serve all pairs and form
 * no cycle, so the construction always ends.
 *
 * Time: for the fixed turns one visit to each turn per 16 leaves; searches if these do not suffice. */
#include <string.h>

#include "methods/valleys/valleys.h"

uint64_t ripstop_valleys_wired(const chart *c, uint32_t switch_) {
  return ports_to(c->fabric, c->fabric->ends + switch_, TO_ROUTERS, NULL);
}

/* ------------------------------------------------------------------ memory */

/* Arrays of 8, 4, 2 and 1 bytes follow each other. */
uint64_t ripstop_valleys_frame_bytes(const chart *c) {
  uint64_t channels = c->channels, switches = c->switches;
  uint64_t words = switches + channels * (2 + c->words), halves = channels * 6 + switches;
  return words * sizeof(uint64_t) + halves * sizeof(uint32_t) + channels * BATCH * sizeof(int16_t) + 2 * switches;
}

frame ripstop_valleys_open_frame(const chart *c, void *memory_) {
  size_t channels = c->channels, switches = c->switches;
  frame f = {.chart = c, .live = memory_};
  f.turn = f.live + switches;
  f.refused = f.turn + channels;
  f.reach = f.refused + channels;
  f.order = (uint32_t *)(f.reach + channels * c->words);
  f.channel = f.order + channels;
  f.queue = f.channel + channels;
  f.before = f.queue + channels;
  f.pending = f.before + channels;
  f.mark = f.pending + channels;
  f.member = f.mark + channels;
  f.left = (int16_t *)(f.member + switches);
  f.parent = (uint8_t *)(f.left + channels * BATCH);
  f.joined = f.parent + switches;
  memset(f.mark, 0, channels * sizeof *f.mark);
  return f;
}

/* ------------------------------------------------------------------ the component */

static void search(frame *f, uint32_t from) {
  const chart *c = f->chart;
  memset(f->parent, NO_PORT, c->switches);
  memset(f->joined, 0, c->switches);
  f->member[0] = from;
  f->joined[from] = 1;
  f->members = 1;
  for (uint32_t next = 0; next < f->members; next++)
    for (uint64_t ports = f->live[f->member[next]]; ports; ports &= ports - 1) {
      uint32_t channel = channel_from(c, f->member[next], lowest(ports)), to = head_of(c, channel);
      if (f->joined[to]) continue;
      f->joined[to] = 1;
      f->parent[to] = (uint8_t)head_port(c, channel);
      f->member[f->members++] = to;
    }
}

void ripstop_valleys_span(frame *f, uint32_t of) {
  uint32_t root = of;
  search(f, of);
  for (uint32_t i = 0; i < f->members; i++)
    if (f->member[i] > root) root = f->member[i];
  if (root != of) search(f, root);
  f->channels = 0;
  for (uint32_t i = 0; i < f->members; i++)
    for (uint64_t ports = f->live[f->member[i]]; ports; ports &= ports - 1)
      f->channel[f->channels++] = channel_from(f->chart, f->member[i], lowest(ports));
}

/* ------------------------------------------------------------------ turns */

static uint64_t ups_of(const chart *c, uint32_t switch_) {
  uint32_t ups = ripstop_tree_ups(&c->tree, c->fabric->ends + switch_), first = ripstop_tree_first_up(&c->tree);
  return ups ? (bit(ups) - 1) << first : 0; /* at most 32 up ports */
}

static bool leads_up(const chart *c, uint32_t channel) {
  return ripstop_tree_is_up(&c->tree, c->fabric->ends + tail_of(c, channel), tail_port(c, channel));
}

/* Every turn of a channel except back. */
static uint64_t all_turns(const frame *f, uint32_t channel) {
  return f->live[head_of(f->chart, channel)] & ~bit(head_port(f->chart, channel));
}

static uint64_t level_turns(const frame *f, uint32_t channel) {
  uint64_t ports = all_turns(f, channel);
  return leads_up(f->chart, channel) ? ports : ports & ~ups_of(f->chart, head_of(f->chart, channel));
}

/* A packet that came down by an up port may go up again by one of a higher number. */
static uint64_t fixed_turns(const frame *f, uint32_t channel) {
  uint64_t below = bit(head_port(f->chart, channel)) - 1;
  uint64_t ups = ups_of(f->chart, head_of(f->chart, channel));
  return all_turns(f, channel) & (leads_up(f->chart, channel) ? UINT64_MAX : ~(ups & below));
}

/* Turns between links of the spanning tree. */
static uint64_t tree_turns(const frame *f, uint32_t channel) {
  const chart *c = f->chart;
  uint32_t at = head_of(c, channel), from = tail_of(c, channel);
  bool is_branch = f->parent[at] == head_port(c, channel) || f->parent[from] == tail_port(c, channel);
  uint64_t ports = 0;
  for (uint64_t left = is_branch ? all_turns(f, channel) : 0; left; left &= left - 1) {
    uint32_t next = channel_from(c, at, lowest(left)), to = head_of(c, next);
    if (f->parent[at] == lowest(left) || f->parent[to] == head_port(c, next)) ports |= left & -left;
  }
  return ports;
}

typedef uint64_t (*turns_fn)(const frame *f, uint32_t channel);

static void permit(frame *f, turns_fn turns) {
  for (uint32_t i = 0; i < f->channels; i++) {
    f->turn[f->channel[i]] = turns(f, f->channel[i]);
    f->refused[f->channel[i]] = 0;
  }
}

static void visit(frame *f, uint32_t channel, uint32_t before, uint32_t *count) {
  if (f->mark[channel] == f->marks) return;
  f->mark[channel] = f->marks;
  f->before[channel] = before;
  f->queue[(*count)++] = channel;
}

/* Follows permitted turns from the queued channels until it reaches `goal`. */
static bool follow(frame *f, uint32_t *next, uint32_t *count, uint32_t goal) {
  const chart *c = f->chart;
  for (; *next < *count; ++*next) {
    uint32_t from = f->queue[*next], first = channel_from(c, head_of(c, from), 0);
    if (from == goal) return true;
    for (uint64_t ports = f->turn[from]; ports; ports &= ports - 1) visit(f, first + lowest(ports), from, count);
  }
  return false;
}

/* A turn would close a cycle: its end already leads to its beginning. */
static bool closes_cycle(frame *f, uint32_t from, uint32_t to) {
  uint32_t next = 0, count = 0;
  f->marks++;
  visit(f, to, RIPSTOP_NONE, &count);
  return follow(f, &next, &count, from);
}

/* Permits the turns that close no cycle, one after the other. */
static void add(frame *f, turns_fn turns) {
  for (uint32_t i = 0; i < f->channels; i++) {
    uint32_t from = f->channel[i], first = channel_from(f->chart, head_of(f->chart, from), 0);
    for (uint64_t ports = turns(f, from) & ~f->turn[from]; ports; ports &= ports - 1)
      if (!closes_cycle(f, from, first + lowest(ports))) f->turn[from] |= ports & -ports;
  }
}

/* ------------------------------------------------------------------ the order */

/* Sorts the channels so that each comes after all that it may turn into. All channels of the component are sorted
 * unless there is a cycle. */
static void sort(frame *f) {
  const chart *c = f->chart;
  f->ordered = 0;
  for (uint32_t i = 0; i < f->channels; i++) {
    uint32_t channel = f->channel[i];
    f->pending[channel] = (uint32_t)__builtin_popcountll(f->turn[channel]);
    if (f->pending[channel] == 0) f->order[f->ordered++] = channel;
  }
  for (uint32_t next = 0; next < f->ordered; next++) {
    uint32_t to = f->order[next], at = tail_of(c, to);
    for (uint64_t ports = f->live[at]; ports; ports &= ports - 1) {
      uint32_t from = channel_back(c, channel_from(c, at, lowest(ports)));
      if (f->turn[from] & bit(tail_port(c, to)) && --f->pending[from] == 0) f->order[f->ordered++] = from;
    }
  }
}

/* ------------------------------------------------------------------ pairs that are served */

static void add_reach(const frame *f, uint64_t *set, uint32_t at, uint64_t ports) {
  uint32_t words = f->chart->words;
  for (; ports; ports &= ports - 1) {
    const uint64_t *more = f->reach + (size_t)channel_from(f->chart, at, lowest(ports)) * words;
    for (uint32_t w = 0; w < words; w++) set[w] |= more[w];
  }
}

/* In the channels' order. */
static void find_reach(frame *f) {
  const chart *c = f->chart;
  for (uint32_t i = 0; i < f->ordered; i++) {
    uint32_t channel = f->order[i], at = head_of(c, channel);
    uint64_t *set = f->reach + (size_t)channel * c->words;
    memset(set, 0, c->words * sizeof *set);
    if (at < c->leaves) set[at / 64] |= bit(at % 64);
    add_reach(f, set, at, f->turn[channel]);
  }
}

/* Each leaf of the component has a route to each other. */
static bool serves_all(frame *f) {
  const chart *c = f->chart;
  find_reach(f);
  for (uint32_t w = 0; w < c->words; w++) {
    uint64_t wanted = 0;
    for (uint32_t leaf = 64 * w; leaf < c->leaves && leaf < 64 * w + 64; leaf++)
      if (f->joined[leaf]) wanted |= bit(leaf % 64);
    for (uint32_t leaf = 0; leaf < c->leaves; leaf++) {
      uint64_t found = leaf / 64 == w ? bit(leaf % 64) : 0;
      for (uint64_t ports = f->live[leaf]; ports; ports &= ports - 1)
        found |= f->reach[(size_t)channel_from(c, leaf, lowest(ports)) * c->words + w];
      if (f->joined[leaf] && wanted & ~found) return false;
    }
  }
  return true;
}

/* ------------------------------------------------------------------ more turns where they are needed */

static void leave(frame *f, uint32_t leaf, uint32_t *count) {
  f->marks++;
  for (uint64_t ports = f->live[leaf]; ports; ports &= ports - 1)
    visit(f, channel_from(f->chart, leaf, lowest(ports)), RIPSTOP_NONE, count);
}

/* Continues from the channels first .. end - 1 of the queue by turns that are neither permitted nor refused. */
static void visit_new_turns(frame *f, uint32_t first, uint32_t end, uint32_t *count) {
  for (uint32_t i = first; i < end; i++) {
    uint32_t from = f->queue[i], base = channel_from(f->chart, head_of(f->chart, from), 0);
    for (uint64_t ports = all_turns(f, from) & ~f->refused[from]; ports; ports &= ports - 1)
      visit(f, base + lowest(ports), from, count);
  }
}

/* The last channel of a route from one leaf to another with the fewest new turns; RIPSTOP_NONE: every route has refused
 * turns. */
static uint32_t find_candidate(frame *f, uint32_t leaf, uint32_t to) {
  uint32_t next = 0, count = 0;
  leave(f, leaf, &count);
  for (uint32_t layer = 0, end = 0; layer < count; layer = end) {
    follow(f, &next, &count, RIPSTOP_NONE);
    for (uint32_t i = layer; i < count; i++)
      if (head_of(f->chart, f->queue[i]) == to) return f->queue[i];
    end = count;
    visit_new_turns(f, layer, end, &count);
  }
  return RIPSTOP_NONE;
}

/* Permits the turns of the route that ends with a channel. False: a turn would close a cycle, and is refused from now
 * on. */
static bool lay(frame *f, uint32_t channel) {
  uint32_t count = 0, *candidate = f->pending;
  for (; channel != RIPSTOP_NONE; channel = f->before[channel]) candidate[count++] = channel;
  for (uint32_t i = count; i-- > 1;) {
    uint64_t turn = bit(tail_port(f->chart, candidate[i - 1]));
    if (f->turn[candidate[i]] & turn) continue;
    bool refuses = closes_cycle(f, candidate[i], candidate[i - 1]);
    *(refuses ? &f->refused[candidate[i]] : &f->turn[candidate[i]]) |= turn;
    if (refuses) return false;
  }
  return true;
}

static bool is_reached(const frame *f, uint32_t leaf, uint32_t to) {
  uint64_t found = 0;
  for (uint64_t ports = f->live[leaf]; ports; ports &= ports - 1)
    found |= f->reach[(size_t)channel_from(f->chart, leaf, lowest(ports)) * f->chart->words + to / 64];
  return leaf == to || found & bit(to % 64);
}

/* Adds turns until all pairs of leaves are served; false: each remaining route would close a cycle. */
static bool serve(frame *f) {
  sort(f);
  find_reach(f);
  for (uint32_t leaf = 0; leaf < f->chart->leaves; leaf++)
    for (uint32_t to = 0; f->joined[leaf] && to < f->chart->leaves; to++) {
      if (!f->joined[to] || is_reached(f, leaf, to)) continue;
      for (bool is_laid = false; !is_laid;) {
        uint32_t last = find_candidate(f, leaf, to);
        if (last == RIPSTOP_NONE) return false;
        is_laid = lay(f, last);
      }
    }
  return true;
}

static bool leads_nowhere(const frame *f, uint32_t channel) {
  const uint64_t *set = f->reach + (size_t)channel * f->chart->words;
  for (uint32_t w = 0; w < f->chart->words; w++)
    if (set[w]) return false;
  return true;
}

/* The ports of a channel's turns from which a leaf can be reached. */
static uint64_t useful(const frame *f, uint32_t channel, uint64_t turns) {
  uint32_t first = channel_from(f->chart, head_of(f->chart, channel), 0);
  uint64_t ports = turns;
  for (; turns; turns &= turns - 1)
    if (leads_nowhere(f, first + lowest(turns))) ports &= ~(turns & -turns);
  return ports;
}

/* No packet turns into a channel from which no leaf is reached. So packets that are still in one may turn anywhere, and
 * close no cycle. True: there is such a channel. */
static bool free_dead_ends(frame *f) {
  bool any = false;
  for (uint32_t i = 0; i < f->channels; i++) any |= leads_nowhere(f, f->channel[i]);
  for (uint32_t i = 0; any && i < f->channels; i++) {
    uint32_t channel = f->channel[i];
    bool is_dead_end = leads_nowhere(f, channel);
    f->turn[channel] = useful(f, channel, is_dead_end ? f->live[head_of(f->chart, channel)] : f->turn[channel]);
  }
  return any;
}

/* Uses other turns if the fixed ones, which are permitted, do not serve all pairs. */
static frame_kind serve_all(frame *f) {
  if (serves_all(f)) return FIXED;
  permit(f, level_turns);
  bool is_served = serve(f);
  if (!is_served) {
    permit(f, tree_turns);
    add(f, level_turns);
  }
  add(f, fixed_turns);
  return is_served ? LEVELS_AND_MORE : TREE_AND_MORE;
}

void ripstop_valleys_build(frame *f) {
  f->kind = FIXED;
  permit(f, fixed_turns);
  sort(f);
  if (f->chart->keeps_fixed) return;
  f->kind = serve_all(f);
  if (f->kind != FIXED) {
    sort(f);
    find_reach(f);
  }
  if (free_dead_ends(f)) sort(f);
}

/* ------------------------------------------------------------------ distances */

static void measure_one(const frame *f, uint32_t channel, uint32_t first) {
  const chart *c = f->chart;
  uint32_t at = head_of(c, channel), base = channel_from(c, at, 0);
  int16_t *left = f->left + (size_t)channel * BATCH;
  for (uint32_t i = 0; i < BATCH; i++) left[i] = FAR;
  for (uint64_t ports = f->turn[channel]; ports; ports &= ports - 1) {
    const int16_t *beyond = f->left + (size_t)(base + lowest(ports)) * BATCH;
    for (uint32_t i = 0; i < BATCH; i++) left[i] = beyond[i] < left[i] ? beyond[i] : left[i];
  }
  for (uint32_t i = 0; i < BATCH; i++) left[i] = (int16_t)(left[i] + (left[i] < FAR - 1));
  if (at >= c->leaves) return;
  if (at - first < BATCH) left[at - first] = 1;
  if (c->leaves - first < BATCH) left[c->leaves - first] = 1;
}

void ripstop_valleys_measure(frame *f, uint32_t first) {
  ripstop_task_progress(NULL, 0, 0);
  for (uint32_t i = 0; i < f->ordered; i++) measure_one(f, f->order[i], first);
}

void ripstop_valleys_copy_rows(const frame *f, uint32_t first, uint32_t switch_, int16_t *left) {
  const chart *c = f->chart;
  uint32_t ports = ports_of(c, switch_), rows = c->leaves + 1 - first < BATCH ? c->leaves + 1 - first : BATCH;
  for (uint32_t row = 0; row < rows; row++)
    for (uint32_t port = 0; port < ports; port++) {
      const int16_t *from = f->left + (size_t)channel_from(c, switch_, port) * BATCH;
      left[(size_t)(first + row) * ports + port] = f->live[switch_] & bit(port) ? from[row] : FAR;
    }
}

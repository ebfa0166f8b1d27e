/* htsim_topology.c - reads topology files of htsim:
 *
 *   file = { blank | "#" ... | KEY VALUE ... }      keys in any case; more words of a line are not read
 *   head = Nodes N | Tiers T | Podsize P            before the first tier; T is 2 or 3
 *   tier = Tier I, then in any order the keys of `htsim_key`; a tier may be continued by a second Tier I
 *
 * Wiring, numbers from 0 across pods, P hosts a pod, D and U radices, B bundles: host h is at leaf h / D0. A leaf has
 * B1 cables to each of the A = U0 / B1 aggs of its pod. Agg a has B2 cables to each core (a mod A) + A l, l < U1 / B2.
 *
 * htsim also accepts files whose radices contradict this wiring, where link speeds differ or a two-tier file has
 * several pods. They are refused, since two different fabrics could be meant. */
#include "formats/traces/htsim_topology.h"

#include <strings.h>

#include "formats/traces/trace_format.h"
#include "formats/traces/trace_words.h"

enum { VALUE_MOST = 1000000000, SPEED_MOST = 4000000, PICO = 1000, MEGA = 1000 }; /* MEGA: Mb/s in a Gb/s */

static const char *const words[] = {[HTSIM_SPEED] = "Downlink_speed_Gbps",
                                    [HTSIM_DOWN] = "Radix_Down",
                                    [HTSIM_UP] = "Radix_Up",
                                    [HTSIM_LATENCY] = "Downlink_Latency_ns",
                                    [HTSIM_OVER] = "Oversubscribed",
                                    [HTSIM_BUNDLE] = "Bundle",
                                    [HTSIM_SWITCH_LATENCY] = "Switch_Latency_ns",
                                    [HTSIM_QUEUE_UP] = "Queue_Up",
                                    [HTSIM_QUEUE_DOWN] = "Queue_Down",
                                    [HTSIM_KEYS] = "Nodes",
                                    "Tiers",
                                    "Podsize",
                                    "Tier",
                                    NULL};
enum { NODES = HTSIM_KEYS, TIERS, PODSIZE, TIER };

static const uint64_t fallback[HTSIM_KEYS] = {[HTSIM_OVER] = 1, [HTSIM_BUNDLE] = 1};

typedef struct reader {
  htsim_topology *out;
  const char *file;
  trace_lines lines;
  htsim_tier *tier; /* the present one; NULL: the head */
  ripstop_error *err;
} reader;

/* ------------------------------------------------------------------ lines */

static int at_line(const reader *r) {
  return ripstop_fail_at(r->err, "%s:%u: %s", r->file, r->lines.number, trace_htsim_topology.name);
}

static int unknown(const reader *r, piece key) {
  char text[TRACE_SHOWN + 1];
  snprintf(text, sizeof text, "%.*s", trace_shown(key), key.at);
  const char *near = ripstop_nearest_word(text, words);
  ripstop_fail(r->err, "'%s' is unknown%s%s%s", text, near ? "; did you mean '" : "", near ? near : "",
               near ? "'?" : "");
  return at_line(r);
}

static int find(piece key) {
  for (int i = 0; words[i]; i++)
    if (strlen(words[i]) == piece_length(key) && !strncasecmp(words[i], key.at, piece_length(key))) return i;
  return -1;
}

static int begin_tier(reader *r, uint64_t number) {
  const htsim_topology *t = r->out;
  if (!t->nodes || !t->tiers || !t->podsize) {
    ripstop_fail(r->err, "%s must stand before the first Tier", !t->nodes ? "Nodes" : !t->tiers ? "Tiers" : "Podsize");
    return at_line(r);
  }
  if (number >= t->tiers) {
    ripstop_fail(r->err, "there is no tier %u, only 0 to %u", (unsigned)number, (unsigned)t->tiers - 1);
    return at_line(r);
  }
  r->tier = &r->out->tier[number];
  r->tier->is_there = true;
  return 0;
}

static int set_head(reader *r, int key, uint64_t value) {
  uint64_t *out = key == NODES ? &r->out->nodes : key == TIERS ? &r->out->tiers : &r->out->podsize;
  if (r->tier)
    ripstop_fail(r->err, "%s must stand before the first Tier", words[key]);
  else if (*out)
    ripstop_fail(r->err, "%s stands twice", words[key]);
  else if (value == 0)
    ripstop_fail(r->err, "%s is 0", words[key]);
  else if (key == TIERS && value != 2 && value != HTSIM_TIERS)
    ripstop_fail(r->err, "Tiers is %u; a topology has 2 or 3", (unsigned)value);
  else
    return *out = value, 0;
  return at_line(r);
}

/* As in htsim, a key may stand twice if its first value was the default. */
static int set_in_tier(reader *r, int key, uint64_t value) {
  htsim_tier *t = r->tier;
  const unsigned number = t ? (unsigned)(t - r->out->tier) : 0;
  const bool positive = key == HTSIM_SPEED || key == HTSIM_DOWN || key == HTSIM_OVER || key == HTSIM_BUNDLE;
  if (!t)
    ripstop_fail(r->err, "%s belongs to a tier, and no Tier stands before it", words[key]);
  else if (t->line[key] && t->value[key] != fallback[key])
    ripstop_fail(r->err, "%s of tier %u stands twice, first in line %u", words[key], number, t->line[key]);
  else if (positive && value == 0)
    ripstop_fail(r->err, "%s of tier %u is 0", words[key], number);
  else if (key == HTSIM_UP && number + 1 == r->out->tiers)
    ripstop_fail(r->err, "tier %u is the top one, and has no Radix_Up", number);
  else if (key == HTSIM_SPEED && value > SPEED_MOST)
    ripstop_fail(r->err, "a speed above %d Gb/s", SPEED_MOST);
  else {
    t->value[key] = value;
    t->line[key] = r->lines.number;
    return 0;
  }
  return at_line(r);
}

static int read_line(reader *r) {
  piece line = r->lines.line;
  const piece word = piece_next_word(&line), text = piece_next_word(&line);
  const int key = find(word);
  uint32_t value;
  if (key < 0) return unknown(r, word);
  if (!piece_is_count(text, VALUE_MOST, &value)) {
    ripstop_fail(r->err, "%s '%.*s': a whole number up to %d must stand here", words[key], trace_shown(text), text.at,
                 VALUE_MOST);
    return at_line(r);
  }
  r->out->line = r->lines.number;
  if (key == TIER) return begin_tier(r, value);
  return key >= HTSIM_KEYS ? set_head(r, key, value) : set_in_tier(r, key, value);
}

/* ------------------------------------------------------------------ checks */

static int whole(const htsim_topology *t, ripstop_error *err) {
  static const htsim_key needed[] = {HTSIM_SPEED, HTSIM_DOWN, HTSIM_LATENCY, HTSIM_UP};
  if (!t->nodes || !t->tiers || !t->podsize)
    return ripstop_fail(err, "%s is missing", !t->nodes ? "Nodes" : !t->tiers ? "Tiers" : "Podsize");
  for (unsigned i = 0; i < t->tiers; i++)
    for (unsigned k = 0; k < sizeof needed / sizeof *needed; k++) {
      if (!t->tier[i].is_there) return ripstop_fail(err, "tier %u is missing", i);
      const bool top = i + 1 == t->tiers && needed[k] == HTSIM_UP;
      if (!top && (!t->tier[i].line[needed[k]] || (needed[k] == HTSIM_UP && !t->tier[i].value[HTSIM_UP])))
        return ripstop_fail(err, "%s of tier %u is missing", words[needed[k]], i);
    }
  return 0;
}

static unsigned value(const htsim_topology *t, unsigned tier, htsim_key key) {
  return (unsigned)t->tier[tier].value[key];
}

/* No divisor is 0 once a file is checked. */
static uint64_t share(uint64_t of, uint64_t by) { return by ? of / by : 0; }

/* Bundles divide the radices at both of their sides. */
static int check_bundles(const htsim_topology *t, ripstop_error *err) {
  if (value(t, 0, HTSIM_BUNDLE) != 1)
    return ripstop_fail(err, "tier 0 has a Bundle of %u, but a host has one cable", value(t, 0, HTSIM_BUNDLE));
  for (unsigned i = 1; i < t->tiers; i++) {
    const unsigned bundle = value(t, i, HTSIM_BUNDLE), down = value(t, i, HTSIM_DOWN), up = value(t, i - 1, HTSIM_UP);
    if (down % bundle)
      return ripstop_fail(err, "Radix_Down %u of tier %u is no multiple of its Bundle %u", down, i, bundle);
    if (up % bundle)
      return ripstop_fail(err, "Radix_Up %u of tier %u is no multiple of the Bundle %u of tier %u", up, i - 1, bundle,
                          i);
  }
  return 0;
}

static int check_hosts(const htsim_topology *t, ripstop_error *err) {
  const unsigned nodes = (unsigned)t->nodes, pod = (unsigned)t->podsize, down = value(t, 0, HTSIM_DOWN);
  const unsigned ratio = (unsigned)share(down, value(t, 0, HTSIM_UP)), over = value(t, 0, HTSIM_OVER);
  if (nodes % pod) return ripstop_fail(err, "%u nodes are no whole number of pods of %u (Podsize)", nodes, pod);
  if (t->tiers == 2 && nodes != pod)
    return ripstop_fail(err,
                        "two tiers have one pod, but Nodes is %u and Podsize %u: htsim would join each leaf to the "
                        "spines of all pods; write Podsize %u",
                        nodes, pod, nodes);
  if (pod % down)
    return ripstop_fail(err, "Podsize %u is no multiple of Radix_Down %u of tier 0, the hosts of a leaf", pod, down);
  if (ratio != over)
    return ripstop_fail(err, "Radix_Down %u over Radix_Up %u of tier 0 is %u, but it is Oversubscribed %u", down,
                        value(t, 0, HTSIM_UP), ratio, over);
  return 0;
}

/* The uplinks that htsim computes from bandwidth: those below, their number times speed over speed and ratio. */
static int check_bandwidth(const htsim_topology *t, unsigned tier, uint64_t below, uint64_t cables,
                           ripstop_error *err) {
  const uint64_t from = below * value(t, tier, HTSIM_SPEED);
  const uint64_t by = (uint64_t)value(t, tier + 1, HTSIM_SPEED) * value(t, tier, HTSIM_OVER);
  const uint64_t whole_ones = share(from, by);
  const bool part = whole_ones * by != from;
  if (!part && whole_ones == cables) return 0;
  return ripstop_fail(err,
                      "tier %u has %llu cables up, but by bandwidth (%llu cables down at %u Gb/s, %u Gb/s above, "
                      "Oversubscribed %u) there are %llu%s",
                      tier, (unsigned long long)cables, (unsigned long long)below, value(t, tier, HTSIM_SPEED),
                      value(t, tier + 1, HTSIM_SPEED), value(t, tier, HTSIM_OVER), (unsigned long long)whole_ones,
                      part ? " and a part" : "");
}

static int check_ports(const htsim_topology *t, unsigned tier, uint64_t ports, const char *below, ripstop_error *err) {
  if (ports == value(t, tier, HTSIM_DOWN)) return 0;
  return ripstop_fail(
      err,
      "a switch of tier %u has Radix_Down %u, but with Radix_Up %u of tier %u and a Bundle of %u it has "
      "%llu cables to the %s",
      tier, value(t, tier, HTSIM_DOWN), value(t, tier - 1, HTSIM_UP), tier - 1, value(t, tier, HTSIM_BUNDLE),
      (unsigned long long)ports, below);
}

/* How many of everything. */
typedef struct sizes {
  uint64_t pods, leaves, aggs, cores; /* leaves and aggs of a pod */
} sizes;

static sizes sizes_of(const htsim_topology *t) {
  sizes s = {.pods = share(t->nodes, t->podsize), .leaves = share(t->podsize, value(t, 0, HTSIM_DOWN))};
  s.aggs = share(value(t, 0, HTSIM_UP), value(t, 1, HTSIM_BUNDLE));
  if (t->tiers == HTSIM_TIERS) s.cores = s.aggs * share(value(t, 1, HTSIM_UP), value(t, 2, HTSIM_BUNDLE));
  return s;
}

static int check(const htsim_topology *t, ripstop_error *err) {
  if (whole(t, err) || check_bundles(t, err) || check_hosts(t, err)) return -1;
  const sizes s = sizes_of(t);
  const uint64_t up = s.pods * s.leaves * value(t, 0, HTSIM_UP), second = s.pods * s.aggs * value(t, 1, HTSIM_UP);
  if (check_ports(t, 1, value(t, 1, HTSIM_BUNDLE) * s.leaves, "leaves of its pod", err)) return -1;
  if (check_bandwidth(t, 0, t->nodes, up, err)) return -1;
  if (t->tiers == HTSIM_TIERS &&
      (check_ports(t, 2, value(t, 2, HTSIM_BUNDLE) * s.pods, "pods", err) || check_bandwidth(t, 1, up, second, err)))
    return -1;
  if (t->nodes + up + second > RIPSTOP_FABRIC_MAX_PORTS / 2)
    return ripstop_fail(err, "too big, more than %u links", RIPSTOP_FABRIC_MAX_PORTS / 2);
  return 0;
}

int htsim_topology_read(htsim_topology *out, const char *file, const char *text, size_t length, ripstop_error *err) {
  reader r = {.out = out, .file = file, .lines = trace_lines_of(text, length), .err = err};
  *out = (htsim_topology){0};
  for (unsigned i = 0; i < HTSIM_TIERS; i++) memcpy(out->tier[i].value, fallback, sizeof fallback);
  while (trace_next_line(&r.lines, true))
    if (read_line(&r) != 0) return -1;
  return check(out, err) ? ripstop_fail_at(err, "%s: %s", file, trace_htsim_topology.name) : 0;
}

/* ------------------------------------------------------------------ wiring */

typedef struct wirer {
  ripstop_graph *graph;
  const htsim_topology *topology;
  ripstop_error *err;
} wirer;

static int add_routers(const wirer *w, char letter, uint64_t count) {
  for (uint64_t i = 0; i < count; i++)
    if (trace_graph_router(w->graph, letter, i, w->err) == RIPSTOP_NONE) return -1;
  return 0;
}

/* The cables down from a tier between two of its nodes. */
static int join(const wirer *w, unsigned tier, uint64_t low, uint64_t high) {
  ripstop_graph_cable cable = {.node = {(uint32_t)low, (uint32_t)high},
                               .ends = tier == 0,
                               .port = {RIPSTOP_NONE, RIPSTOP_NONE},
                               .speed = value(w->topology, tier, HTSIM_SPEED) * MEGA,
                               .delay_ps = (uint64_t)value(w->topology, tier, HTSIM_LATENCY) * PICO,
                               .line = w->topology->tier[tier].line[HTSIM_SPEED]};
  for (unsigned i = 0; i < value(w->topology, tier, HTSIM_BUNDLE); i++)
    if (ripstop_graph_add(w->graph, &cable, w->err)) return -1;
  return 0;
}

static int wire_hosts(const wirer *w) {
  for (uint64_t host = 0; host < w->topology->nodes; host++)
    if (trace_graph_end(w->graph, 'h', host, w->err) == RIPSTOP_NONE ||
        join(w, 0, host, share(host, value(w->topology, 0, HTSIM_DOWN))))
      return -1;
  return 0;
}

static int wire_leaves(const wirer *w, const sizes *s) {
  const uint64_t leaves = s->pods * s->leaves;
  for (uint64_t leaf = 0; leaf < leaves; leaf++)
    for (uint64_t i = 0; i < s->aggs; i++)
      if (join(w, 1, leaf, leaves + share(leaf, s->leaves) * s->aggs + i)) return -1;
  return 0;
}

static int wire_aggs(const wirer *w, const sizes *s) {
  const uint64_t first = s->pods * s->leaves, aggs = s->pods * s->aggs;
  for (uint64_t agg = 0; agg < aggs; agg++)
    for (uint64_t core = agg % s->aggs; core < s->cores; core += s->aggs)
      if (join(w, 2, first + agg, first + aggs + core)) return -1;
  return 0;
}

int htsim_topology_graph(ripstop_graph *g, const char *text, size_t length, ripstop_error *err) {
  htsim_topology t;
  if (htsim_topology_read(&t, g->file, text, length, err)) return -1;
  const sizes s = sizes_of(&t);
  const wirer w = {g, &t, err};
  if (add_routers(&w, 't', s.pods * s.leaves) || add_routers(&w, 'a', s.pods * s.aggs) || add_routers(&w, 'c', s.cores))
    return -1;
  return wire_hosts(&w) || wire_leaves(&w, &s) || wire_aggs(&w, &s) ? -1 : 0;
}

/* astra_network.c - reads network files of ASTRA-sim: YAML with four lists of the same length.
 *
 *   topology: [ Ring | FullyConnected | Switch, ... ]     npus_count: [ N, ... ]     bandwidth: [ GB/s, ... ]
 *   latency: [ ns, ... ]
 *
 * Lists may continue on the next lines, or have an entry "- X" a line. */
#include "formats/traces/astra_network.h"

#include "formats/traces/trace_format.h"
#include "formats/traces/trace_words.h"

enum { NANO = 3, MICRO = 6 };
enum { TOPOLOGY, NPUS, BANDWIDTH, LATENCY, KEYS };
static const char *const keys[] = {"topology", "npus_count", "bandwidth", "latency", NULL};

typedef struct list {
  piece word[ASTRA_DIMENSIONS];
  uint32_t count, line; /* line 0: not in the file */
} list;

typedef struct reader {
  list list[KEYS];
  list *open; /* the list that a line continues */
  const char *file;
  trace_lines lines;
  ripstop_error *err;
} reader;

static int at_line(const reader *r, uint32_t line) {
  return ripstop_fail_at(r->err, "%s:%u: %s", r->file, line, trace_astra_network.name);
}

/* ------------------------------------------------------------------ lists */

static bool is_mark(char c) { return piece_blank(c) || (c != '\0' && strchr("[],'\"", c) != NULL); }

/* Adds the words of a line; '#' starts a comment. */
static int add_words(reader *r, piece rest) {
  const char *mark = memchr(rest.at, '#', piece_length(rest));
  if (mark) rest.end = mark;
  while (rest.at < rest.end) {
    piece word = {rest.at, rest.at};
    while (word.end < rest.end && !is_mark(*word.end)) word.end++;
    rest.at = word.end + (word.end < rest.end);
    if (word.at == word.end || piece_is(word, "-")) continue;
    if (r->open->count == ASTRA_DIMENSIONS) {
      ripstop_fail(r->err, "more than %d dimensions", ASTRA_DIMENSIONS);
      return at_line(r, r->lines.number);
    }
    r->open->word[r->open->count++] = word;
  }
  return 0;
}

/* "KEY: [ X, Y ]", or a line that continues the list before. */
static int read_line(reader *r) {
  const piece line = r->lines.line;
  const char *colon = memchr(line.at, ':', piece_length(line));
  if (!colon && piece_is(line, "---")) return 0;
  if (!colon && r->open) return add_words(r, line);
  const piece key = piece_trimmed((piece){line.at, colon ? colon : line.end});
  const int number = colon ? trace_find_word(key, keys) : -1;
  char text[TRACE_SHOWN + 1];
  snprintf(text, sizeof text, "%.*s", trace_shown(key), key.at);
  if (number < 0) {
    const char *near = ripstop_nearest_word(text, keys);
    ripstop_fail(r->err, "'%s' is unknown; %s%s%s", text,
                 near ? "did you mean '" : "the keys are topology, npus_count, ", near ? near : "bandwidth and latency",
                 near ? "'?" : "");
    return at_line(r, r->lines.number);
  }
  if (r->list[number].line) {
    ripstop_fail(r->err, "%s stands twice, first in line %u", keys[number], r->list[number].line);
    return at_line(r, r->lines.number);
  }
  r->open = &r->list[number];
  r->open->line = r->lines.number;
  return add_words(r, (piece){colon + 1, line.end});
}

/* ------------------------------------------------------------------ values */

static int refuse_value(const reader *r, int key, piece word, const char *wanted) {
  ripstop_fail(r->err, "%s '%.*s': %s", keys[key], trace_shown(word), word.at, wanted);
  return at_line(r, r->list[key].line);
}

static int take_shape(const reader *r, piece word, astra_shape *out) {
  static const char *const shapes[] = {
      [ASTRA_RING] = "Ring", [ASTRA_FULL] = "FullyConnected", [ASTRA_SWITCH] = "Switch", NULL};
  for (int i = 0; shapes[i]; i++)
    if (piece_is(word, shapes[i])) return *out = (astra_shape)i, 0;
  return refuse_value(r, TOPOLOGY, word, "it is Ring, FullyConnected or Switch");
}

static int read_dimension(const reader *r, uint32_t number, astra_dimension *d) {
  enum { MOST = 1000000 };
  const piece npus = r->list[NPUS].word[number], bandwidth = r->list[BANDWIDTH].word[number],
              latency = r->list[LATENCY].word[number];
  bool more;
  if (take_shape(r, r->list[TOPOLOGY].word[number], &d->shape)) return -1;
  if (!piece_is_count(npus, MOST, &d->npus) || d->npus < 2)
    return refuse_value(r, NPUS, npus, "a whole number from 2 to 1000000");
  if (!trace_decimal(bandwidth, MICRO, &d->bandwidth, &more) || more || !d->bandwidth ||
      d->bandwidth > UINT64_MAX / RIPSTOP_RATE_FULL / 2)
    return refuse_value(r, BANDWIDTH, bandwidth, "GB/s, above 0 and with at most six digits behind the point");
  if (!trace_decimal(latency, NANO, &d->delay_ps, &more)) return refuse_value(r, LATENCY, latency, "ns");
  return 0;
}

/* The cables of all dimensions, of fewer than 2^26 NPUs. */
static uint64_t count_cables(const astra_network *n) {
  uint64_t cables = 0;
  for (uint32_t i = 0; i < n->dimensions; i++) {
    const astra_dimension *d = &n->dimension[i];
    const uint64_t lines = n->npus / d->npus, pairs = (uint64_t)d->npus * (d->npus - 1) / 2;
    cables += lines * (d->shape == ASTRA_FULL ? pairs : d->npus);
  }
  return cables;
}

static int read_dimensions(const reader *r, astra_network *out) {
  uint64_t npus = 1;
  for (int key = 0; key < KEYS; key++) {
    if (!r->list[key].line)
      return ripstop_fail(r->err, "%s: %s: %s is missing", r->file, trace_astra_network.name, keys[key]);
    if (r->list[key].count == r->list[TOPOLOGY].count) continue;
    ripstop_fail(r->err, "%s has %u values, but topology has %u", keys[key], r->list[key].count,
                 r->list[TOPOLOGY].count);
    return at_line(r, r->list[key].line);
  }
  out->dimensions = r->list[TOPOLOGY].count;
  if (out->dimensions == 0) {
    ripstop_fail(r->err, "topology is empty");
    return at_line(r, r->list[TOPOLOGY].line);
  }
  for (uint32_t i = 0; i < out->dimensions; i++) {
    if (read_dimension(r, i, &out->dimension[i])) return -1;
    npus *= out->dimension[i].npus;
    if (npus <= RIPSTOP_FABRIC_MAX_PORTS / 2) continue;
    ripstop_fail(r->err, "too big, more than %u NPUs", RIPSTOP_FABRIC_MAX_PORTS / 2);
    return at_line(r, r->list[NPUS].line);
  }
  out->npus = (uint32_t)npus;
  if (out->npus + count_cables(out) <= RIPSTOP_FABRIC_MAX_PORTS / 2) return 0;
  ripstop_fail(r->err, "too big, more than %u cables", RIPSTOP_FABRIC_MAX_PORTS / 2);
  return at_line(r, r->list[NPUS].line);
}

int astra_network_read(astra_network *out, const char *file, const char *text, size_t length, ripstop_error *err) {
  reader r = {.file = file, .lines = trace_lines_of(text, length), .err = err};
  *out = (astra_network){0};
  while (trace_next_line(&r.lines, true))
    if (read_line(&r)) return -1;
  return read_dimensions(&r, out);
}

bool astra_network_is(const char *text, size_t length) {
  trace_lines lines = trace_lines_of(text, length);
  bool topology = false, npus = false;
  while (trace_next_line(&lines, true)) {
    topology |= piece_begins(lines.line, "topology:");
    npus |= piece_begins(lines.line, "npus_count:");
  }
  return topology && npus;
}

/* ------------------------------------------------------------------ the graph */

typedef struct maker {
  ripstop_graph *graph;
  const astra_network *network;
  uint64_t fastest;
  uint32_t switches;
  bool ends; /* NPUs are end nodes, without routers */
  ripstop_error *err;
} maker;

static uint16_t rate_of(const maker *m, const astra_dimension *d) {
  const uint64_t fastest = m->fastest > 0 ? m->fastest : 1;
  const uint64_t rate = (d->bandwidth * RIPSTOP_RATE_FULL + fastest / 2) / fastest;
  return (uint16_t)(rate < RIPSTOP_RATE_FULL || d->bandwidth == fastest ? rate : RIPSTOP_RATE_FULL - 1);
}

static int join(const maker *m, const astra_dimension *d, uint32_t a, uint32_t b) {
  const ripstop_graph_cable cable = {.node = {a, b},
                                     .ends = m->ends,
                                     .port = {RIPSTOP_NONE, RIPSTOP_NONE},
                                     .rate = rate_of(m, d),
                                     .delay_ps = d->delay_ps};
  return ripstop_graph_add(m->graph, &cable, m->err);
}

static int add_npus(const maker *m) {
  for (uint32_t npu = 0; npu < m->network->npus; npu++) {
    const uint32_t end = trace_graph_end(m->graph, 'n', npu, m->err);
    if (end == RIPSTOP_NONE) return -1;
    if (m->ends) continue;
    const ripstop_graph_cable own = {.node = {end, trace_graph_router(m->graph, 'n', npu, m->err)},
                                     .ends = true,
                                     .port = {RIPSTOP_NONE, RIPSTOP_NONE}};
    if (own.node[1] == RIPSTOP_NONE || ripstop_graph_add(m->graph, &own, m->err)) return -1;
  }
  return 0;
}

/* The NPUs first, first + stride, ... of one line of a dimension. A ring of two has two cables. */
static int wire_line(maker *m, const astra_dimension *d, uint32_t first, uint32_t stride) {
  uint32_t hub = RIPSTOP_NONE;
  if (d->shape == ASTRA_SWITCH && (hub = trace_graph_router(m->graph, 's', m->switches++, m->err)) == RIPSTOP_NONE)
    return -1;
  for (uint32_t i = 0; i < d->npus; i++) {
    const uint32_t own = first + i * stride;
    if (d->shape == ASTRA_SWITCH && join(m, d, own, hub)) return -1;
    if (d->shape == ASTRA_RING && join(m, d, own, first + (i + 1) % d->npus * stride)) return -1;
    for (uint32_t k = i + 1; d->shape == ASTRA_FULL && k < d->npus; k++)
      if (join(m, d, own, first + k * stride)) return -1;
  }
  return 0;
}

static int wire(maker *m) {
  uint32_t stride = 1;
  for (uint32_t i = 0; i < m->network->dimensions; i++) {
    const astra_dimension *d = &m->network->dimension[i];
    for (uint32_t npu = 0; npu < m->network->npus; npu++)
      if (npu / stride % d->npus == 0 && wire_line(m, d, npu, stride)) return -1;
    stride *= d->npus;
  }
  return 0;
}

static int check_rates(const maker *m, const char *file) {
  for (uint32_t i = 0; i < m->network->dimensions; i++)
    if (rate_of(m, &m->network->dimension[i]) < RIPSTOP_RATE_LEAST)
      return ripstop_fail(m->err, "%s: %s: the bandwidth of dimension %u is below a hundredth of the fastest", file,
                          trace_astra_network.name, i);
  return 0;
}

int astra_network_graph(ripstop_graph *g, const char *text, size_t length, ripstop_error *err) {
  astra_network n;
  if (astra_network_read(&n, g->file, text, length, err)) return -1;
  maker m = {.graph = g, .network = &n, .fastest = 1, .err = err};
  m.ends = n.dimensions == 1 && n.dimension[0].shape == ASTRA_SWITCH;
  for (uint32_t i = 0; i < n.dimensions; i++)
    if (n.dimension[i].bandwidth > m.fastest) m.fastest = n.dimension[i].bandwidth;
  return check_rates(&m, g->file) || add_npus(&m) || wire(&m) ? -1 : 0;
}

/* source.c - generation processes, packet sizes and destinations from counter-based random numbers.
 *
 * Invariant: block 2n of (seed, RIPSTOP_RANDOM_GENERATION, stream) holds packet n's gap (words 0, 1) and destination
 * (words 2, 3), block 2n+1 its size (words 0, 1). (seed, RIPSTOP_RANDOM_PHASE, stream) holds a periodic source's phase
 * in block 0; for an on-off source block b holds the lengths of burst b (words 0, 1) and of the silence before it
 * (words 2, 3). No random number is used twice, and the order of calls has no influence.
 *
 * With rate p (packets per cycle) of a stream:
 *   bernoulli  each cycle generates a packet with probability p: gaps are geometric
 *   poisson    exponential gaps of mean 1/p in continuous time, rounded down to cycles; a cycle may generate several
 *   periodic   every 1/p cycles, from a random phase on
 *   on-off     bursts and silences of exponential lengths with means `on` and `off`; within a burst poisson at rate
 *              p (on + off) / on, so that the mean rate is p. It starts in its stationary state: in a silence with
 *              probability off / (on + off), and the rest of a silence or a burst is exponential again */
#include "simulate/source.h"
#include "base/registry.h"
#include "ripstop/plugin/pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum { BERNOULLI, POISSON, PERIODIC, ON_OFF } process_kind;

typedef struct on_off_config {
  double on, off;
} on_off_config;

static const ripstop_option no_options[] = {{0}};
static const ripstop_option on_off_options[] = {
    RIPSTOP_REAL(on_off_config, on, 1, 1e9, "200", "mean length of a burst in cycles"),
    RIPSTOP_REAL(on_off_config, off, 0, 1e9, "600", "mean length of a silence in cycles"),
    {0}};

/* These are no plug-ins but are looked up in the same way. */
static const struct {
  const char *name;
  const ripstop_option *options;
} processes[] = {[BERNOULLI] = {"bernoulli", no_options},
                 [POISSON] = {"poisson", no_options},
                 [PERIODIC] = {"periodic", no_options},
                 [ON_OFF] = {"on-off", on_off_options}};
enum { PROCESSES = sizeof processes / sizeof *processes };

static ripstop_plugin process_at(size_t i) {
  if (i == PROCESSES) return (ripstop_plugin){0};
  return (ripstop_plugin){.self = &processes[i],
                          .name = processes[i].name,
                          .options = processes[i].options,
                          .config_size = sizeof(on_off_config)};
}
static const ripstop_registry process_registry = {.kind = "process", .at = process_at};

static ripstop_plugin pattern_at(size_t i) { return RIPSTOP_PLUGIN(ripstop_patterns[i]); }
static const ripstop_registry patterns = {"pattern", RIPSTOP_PATTERN_ABI, pattern_at};

enum { PACKET_SIZES_MAX = 8 }; /* different packet sizes */

struct ripstop_sources {
  const ripstop_fabric *fabric;
  uint64_t seed;
  process_kind process;
  on_off_config on_off;
  uint32_t classes, sizes;
  double rate[RIPSTOP_CLASSES_MAX];     /* packets per cycle of a stream of this class */
  double log_miss[RIPSTOP_CLASSES_MAX]; /* bernoulli: ln(1 - rate) */
  uint16_t size[PACKET_SIZES_MAX];      /* flits */
  double size_until[PACKET_SIZES_MAX];  /* cumulative shares */
  uint32_t shortest, longest;
  double end; /* later generations do not matter */
  const ripstop_pattern *pattern;
  const void *pattern_config, *pattern_table;
};

/* ------------------------------------------------------------------ reading the options */

/* Splits "a/b/c" and calls `item` for each piece. */
static int each_piece(const char *owner, const char *text, size_t most, ripstop_error *err,
                      int (*item)(void *context, size_t index, char *piece, ripstop_error *err), void *context) {
  char piece[64];
  for (size_t index = 0;; index++) {
    size_t length = strcspn(text, "/");
    if (index == most) return ripstop_fail(err, "%s: at most %zu parts", owner, most);
    if (length == 0 || length >= sizeof piece)
      return ripstop_fail(err, "%s: empty or overlong part in '%.60s'", owner, text);
    memcpy(piece, text, length);
    piece[length] = '\0';
    if (item(context, index, piece, err)) return ripstop_fail_at(err, "%s", owner);
    if (text[length] == '\0') return 0;
    text += length + 1;
  }
}

static int read_share(void *context, size_t index, char *piece, ripstop_error *err) {
  ripstop_sources *s = context;
  double share;
  if (ripstop_parse_real(piece, &share, err)) return -1;
  if (!(share > 0) || share > 1e6) return ripstop_fail(err, "share %s must be above 0 and at most 1000000", piece);
  s->rate[index] = share;
  s->classes = (uint32_t)index + 1;
  return 0;
}

static int read_size(void *context, size_t index, char *piece, ripstop_error *err) {
  ripstop_sources *s = context;
  double share = 1;
  uint64_t flits;
  char *colon = strchr(piece, ':');
  if (colon) {
    *colon = '\0';
    if (ripstop_parse_real(colon + 1, &share, err)) return -1;
    if (!(share > 0) || share > 1e6)
      return ripstop_fail(err, "share %s must be above 0 and at most 1000000", colon + 1);
  }
  if (ripstop_parse_u64(piece, 4096, &flits, err)) return -1;
  if (flits == 0) return ripstop_fail(err, "a packet has at least 1 flit");
  s->size[index] = (uint16_t)flits;
  s->size_until[index] = share;
  s->sizes = (uint32_t)index + 1;
  return 0;
}

/* Turns shares into cumulative shares; returns the mean size in flits. */
static double settle_sizes(ripstop_sources *s) {
  double total = 0, mean = 0;
  for (uint32_t i = 0; i < s->sizes; i++) total += s->size_until[i];
  double until = 0;
  s->shortest = UINT16_MAX;
  for (uint32_t i = 0; i < s->sizes; i++) {
    double share = s->size_until[i] / total;
    mean += share * s->size[i];
    s->size_until[i] = until += share;
    if (s->size[i] < s->shortest) s->shortest = s->size[i];
    if (s->size[i] > s->longest) s->longest = s->size[i];
  }
  return mean;
}

static int open_process(ripstop_arena *arena, ripstop_sources *s, const char *spec, ripstop_error *err) {
  void *config;
  const void *found = ripstop_registry_open(&process_registry, arena, spec, &config, err);
  if (!found) return -1;
  while (found != &processes[s->process]) s->process++;
  s->on_off = *(const on_off_config *)config;
  return 0;
}

bool ripstop_sources_to_self(const ripstop_sources *s) {
  return s->pattern->to_self && s->pattern->to_self(s->pattern_config);
}

static int open_pattern(ripstop_arena *arena, ripstop_sources *s, const char *spec, ripstop_error *err) {
  void *config;
  s->pattern = ripstop_registry_open(&patterns, arena, spec, &config, err);
  if (!s->pattern) return -1;
  s->pattern_config = config;
  return s->pattern->prepare ? s->pattern->prepare(arena, s->fabric, config, s->seed, &s->pattern_table, err) : 0;
}

ripstop_sources *ripstop_sources_open(ripstop_arena *arena, const ripstop_fabric *fabric,
                                      const ripstop_traffic_config *config, uint64_t seed, ripstop_error *err) {
  ripstop_sources *s = RIPSTOP_NEW(arena, ripstop_sources);
  s->fabric = fabric;
  s->seed = seed;
  s->end = INFINITY;
  if (fabric->ends < 2) {
    ripstop_fail(err, "traffic needs at least two end nodes");
    return NULL;
  }
  if (each_piece("classes", config->classes, RIPSTOP_CLASSES_MAX, err, read_share, s)) return NULL;
  if (each_piece("packet", config->packet, PACKET_SIZES_MAX, err, read_size, s)) return NULL;
  if (open_process(arena, s, config->process, err) || open_pattern(arena, s, config->pattern, err)) return NULL;
  if ((uint64_t)fabric->ends * s->classes > UINT32_MAX / 2) {
    ripstop_fail(err, "classes: too many streams for this fabric");
    return NULL;
  }
  double mean = settle_sizes(s), shares = 0;
  for (uint32_t c = 0; c < s->classes; c++) shares += s->rate[c];
  for (uint32_t c = 0; c < s->classes; c++) {
    s->rate[c] *= config->load / (mean * shares);
    s->log_miss[c] = log1p(-s->rate[c]);
  }
  return s;
}

uint32_t ripstop_sources_classes(const ripstop_sources *s) { return s->classes; }
uint32_t ripstop_sources_shortest(const ripstop_sources *s) { return s->shortest; }
uint32_t ripstop_sources_longest(const ripstop_sources *s) { return s->longest; }
void ripstop_sources_end(ripstop_sources *s, uint64_t end) { s->end = (double)end; }

/* ------------------------------------------------------------------ random numbers */

static inline uint64_t join(const uint32_t *words) { return (uint64_t)words[1] << 32 | words[0]; }
/* (0, 1], 53 bits: fit for a logarithm */
static inline double above_zero(const uint32_t *words) { return (double)((join(words) >> 11) + 1) * 0x1p-53; }

/* Opens the next burst and the silence before it. The first silence exists with its stationary probability only. */
static void open_burst(const ripstop_sources *s, uint32_t stream, ripstop_source *source) {
  uint32_t word[4];
  ripstop_random_block(s->seed, RIPSTOP_RANDOM_PHASE, stream, source->burst, word);
  double silent = source->burst > 0 ? 1 : s->on_off.off / (s->on_off.on + s->on_off.off);
  double rest = above_zero(word + 2);
  source->burst_end += -s->on_off.on * log(above_zero(word));
  if (rest < silent) source->shift += -s->on_off.off * log(rest / silent);
}

/* The generation that follows the process's present place by one gap. */
static uint64_t advance(const ripstop_sources *s, uint32_t stream, ripstop_source *source, const uint32_t *word) {
  uint32_t class_ = stream % s->classes;
  double rate = s->rate[class_], start;
  uint32_t phase[4];
  switch (s->process) {
  case BERNOULLI:
    source->clock += rate >= 1 ? 1 : 1 + floor(log(above_zero(word)) / s->log_miss[class_]);
    start = source->clock - 1;
    break;
  case POISSON:
    source->clock += -log(above_zero(word)) / rate;
    start = source->clock;
    break;
  case PERIODIC:
    ripstop_random_block(s->seed, RIPSTOP_RANDOM_PHASE, stream, 0, phase);
    start = ((double)source->number + above_zero(phase)) / rate;
    break;
  default: /* ON_OFF */
    source->clock += -log(above_zero(word)) / rate * s->on_off.on / (s->on_off.on + s->on_off.off);
    while (source->clock >= source->burst_end) {
      if (source->burst_end + source->shift > s->end) return RIPSTOP_NEVER;
      source->burst++;
      open_burst(s, stream, source);
    }
    start = source->clock + source->shift;
  }
  return start < 0x1p62 ? (uint64_t)start : RIPSTOP_NEVER;
}

static void compute_packet(const ripstop_sources *s, uint32_t stream, ripstop_source *source) {
  uint32_t word[4], size[4];
  ripstop_random_block(s->seed, RIPSTOP_RANDOM_GENERATION, stream, 2 * (uint64_t)source->number, word);
  source->generated_at = advance(s, stream, source, word);
  source->destination =
      s->pattern->destination(s->fabric, s->pattern_config, s->pattern_table, stream / s->classes, join(word + 2));
  if (source->destination == RIPSTOP_NONE) source->generated_at = RIPSTOP_NEVER;
  source->flits = s->size[0];
  if (s->sizes == 1) return;
  ripstop_random_block(s->seed, RIPSTOP_RANDOM_GENERATION, stream, 2 * (uint64_t)source->number + 1, size);
  double at = above_zero(size);
  uint32_t i = 0;
  while (i + 1 < s->sizes && at > s->size_until[i]) i++;
  source->flits = s->size[i];
}

void ripstop_source_open(const ripstop_sources *s, uint32_t stream, ripstop_source *source) {
  *source = (ripstop_source){0};
  if (s->rate[stream % s->classes] <= 0) {
    source->generated_at = RIPSTOP_NEVER;
    return;
  }
  if (s->process == ON_OFF) open_burst(s, stream, source);
  compute_packet(s, stream, source);
}

void ripstop_source_next(const ripstop_sources *s, uint32_t stream, ripstop_source *source) {
  if (source->generated_at == RIPSTOP_NEVER) return;
  source->number++;
  compute_packet(s, stream, source);
}

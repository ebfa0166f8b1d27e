/* flowlet.c - flowlet switching (Sinha, Kandula and Katabi 2004; LetFlow: Vanini et al. 2017): a flow keeps its
 * candidate as long as its packets follow each other closely, and takes the least loaded candidate after a gap. With a
 * gap longer than the difference between two paths packets stay in order.
 *
 * State: a table for each switch, indexed by the hash of the flow. Flows that share an entry share their candidate. An
 * entry whose candidate is not among the packet's candidates starts again. */
#include "ripstop/plugin/selection.h"

#include "base/no_heap.h"

typedef struct config {
  int64_t gap, size;
} config;

typedef struct entry {
  uint32_t seen; /* cycle of the last packet + 1; 0: none yet */
  uint16_t port;
  uint8_t channel;
} entry;

static unsigned traits(const void *config_) {
  (void)config_;
  return RIPSTOP_SELECTION_LOAD | RIPSTOP_SELECTION_BINDS;
}

static size_t state_size(const void *config_, uint32_t ports) {
  (void)ports;
  return (size_t)((const config *)config_)->size * sizeof(entry);
}

/* Ties by the tie rule. */
static uint32_t least_loaded(const ripstop_choosing *c) {
  uint8_t tied[UINT8_MAX] = {0};
  uint32_t ties = 1;
  for (uint32_t i = 1; i < c->count; i++) {
    if (c->load[i] > c->load[tied[0]]) continue;
    if (c->load[i] < c->load[tied[0]]) ties = 0;
    tied[ties++] = (uint8_t)i;
  }
  return tied[ties > 1 ? ripstop_choosing_tie(c, ties) : 0];
}

/* The position of the entry's candidate; `count`: it is not among the candidates. */
static uint32_t find(const ripstop_choosing *c, const entry *e) {
  uint32_t i = 0;
  while (i < c->count && (c->candidate[c->open[i]].port != e->port || c->candidate[c->open[i]].channel != e->channel))
    i++;
  return i;
}

static uint32_t choose(const void *config_, const ripstop_choosing *c) {
  const config *own = config_;
  if (!c->state) return least_loaded(c);
  const uint64_t flow = ripstop_ecmp_flow(ripstop_ecmp_seed(c->seed, c->node), c->source, c->destination, 0);
  entry *e = (entry *)c->state + flow % (uint64_t)own->size;
  const bool lasts = e->seen && c->cycle - (e->seen - 1) < (uint64_t)own->gap;
  uint32_t position = lasts ? find(c, e) : c->count;
  if (position == c->count) position = least_loaded(c);
  const ripstop_candidate *chosen = &c->candidate[c->open[position]];
  *e = (entry){.seen = c->cycle + 1, .port = chosen->port, .channel = chosen->channel};
  return position;
}

static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, gap, 1, 1000000000, "500",
                    "cycles without a packet after which a flow may take another candidate"),
    RIPSTOP_INTEGER(config, size, 1, 1 << 20, "4096", "entries of each switch's table"),
    {0}};
const ripstop_selection ripstop_selection_flowlet = {
    .abi = RIPSTOP_SELECTION_ABI,
    .name = "flowlet",
    .summary = "the candidate of the flow's last packet, or the least loaded after a gap",
    .options = options,
    .config_size = sizeof(config),
    .traits = traits,
    .state_size = state_size,
    .choose = choose};

/* channels.c - several virtual channels for each of the plan's (switch.vcs), and pools of space for a port
 * (switch.buffers): docs/model.md, "Several channels for each" and "Pools". */
#include "ripstop/plugin/selection.h"

#include "things.h"

uint32_t slow_plan_channel(const model *m, uint32_t channel) { return channel / (uint32_t)m->sw->vcs; }

/* ------------------------------------------------------------------ the channels of a candidate */

/* With vc=hash: which of the channels a packet takes, everywhere. */
uint32_t slow_hashed(const model *m, uint32_t packet) {
  const model_packet *p = &m->packet[packet];
  const uint64_t hash = ripstop_mix(ripstop_ecmp_flow(m->sim->seed, p->source, p->destination, 0));
  return (uint32_t)(((hash >> 32) * (uint64_t)m->sw->vcs) >> 32);
}

uint32_t slow_channels_of(const model *m, uint32_t packet, const ripstop_candidate *candidate,
                          ripstop_candidate *each) {
  const uint32_t vcs = (uint32_t)m->sw->vcs;
  uint32_t count = 0;
  for (uint32_t i = 0; i < vcs; i++) {
    if (m->sw->vc == RIPSTOP_VC_HASH && i != slow_hashed(m, packet)) continue;
    each[count] = *candidate;
    each[count++].channel = (uint8_t)(candidate->channel * vcs + i);
  }
  return count;
}

uint32_t slow_take_channel(const model *m, uint32_t v, uint32_t queue, uint32_t packet, const int64_t *units,
                           uint32_t count) {
  uint32_t word[4], equal[RIPSTOP_CHANNELS_MAX], n = 0;
  int64_t most = INT64_MIN;
  for (uint32_t i = 0; i < count; i++)
    if (units[i] > most) most = units[i];
  for (uint32_t i = 0; i < count; i++)
    if (m->sw->vc == RIPSTOP_VC_RANDOM || units[i] == most) equal[n++] = i;
  if (m->sw->vc == RIPSTOP_VC_RANDOM)
    ripstop_random_block(m->sim->seed, RIPSTOP_RANDOM_VC, (uint64_t)v << 32 | m->now, m->node[v].queue[queue].port,
                         word);
  else
    ripstop_random_block(m->sim->seed, RIPSTOP_RANDOM_VC, m->packet[packet].serial, m->packet[packet].hops, word);
  return equal[(uint64_t)word[0] * n >> 32];
}

/* ------------------------------------------------------------------ pools */

static int64_t reserve(const model *m) { return m->sw->unit == RIPSTOP_UNIT_FLITS ? m->longest : 1; }

static int64_t beyond_reserve(const model *m, int64_t units) { return units > reserve(m) ? units - reserve(m) : 0; }

/* Units of the pool of a port, of which these channels take so much. */
static int64_t pool_left(const model *m, const int64_t *taken) {
  int64_t left = m->sw->in_queue - m->channels * reserve(m);
  for (uint32_t c = 0; c < m->channels; c++) left -= beyond_reserve(m, taken[c]);
  return left;
}

int64_t slow_free(const model *m, const output *o, uint32_t channel) {
  int64_t taken[RIPSTOP_CHANNELS_MAX] = {0};
  if (m->sw->buffers == RIPSTOP_BUFFERS_CHANNEL) return o->free[channel];
  for (uint32_t c = 0; c < m->channels; c++) taken[c] = m->sw->in_queue - o->free[c];
  const int64_t own = reserve(m) - taken[channel];
  return (own > 0 ? own : 0) + pool_left(m, taken);
}

int64_t slow_most_free(const model *m) {
  if (m->sw->buffers == RIPSTOP_BUFFERS_CHANNEL) return m->sw->in_queue;
  return m->sw->in_queue - (m->channels - 1) * reserve(m);
}

void slow_check_space(model *m, const node *n, uint32_t queue) {
  const uint32_t first = queue / m->stride * m->stride;
  int64_t taken[RIPSTOP_CHANNELS_MAX] = {0};
  if (m->sw->buffers == RIPSTOP_BUFFERS_CHANNEL) {
    slow_must(m, n->queue[queue].stalled <= m->sw->in_queue, "an input queue overflows");
    return;
  }
  for (uint32_t c = 0; c < m->channels; c++) taken[c] = n->queue[first + c].stalled;
  slow_must(m, pool_left(m, taken) >= 0, "the pool of an input port overflows");
}

/* round_trip.c - see round_trip.h. */
#include "workload/round_trip.h"

#include "ripstop/kit/fabrics.h"
#include "ripstop/plugin/faults.h"

void round_trip_add(round_trip *r, uint64_t cycles) {
  if (!r->mean8) { /* SRTT = R, RTTVAR = R / 2 */
    r->mean8 = 8 * cycles;
    r->deviation4 = 2 * cycles;
    return;
  }
  const uint64_t mean = r->mean8 / 8, error = cycles > mean ? cycles - mean : mean - cycles;
  r->deviation4 += error - r->deviation4 / 4; /* gain 1/4 */
  r->mean8 += cycles - mean;                  /* gain 1/8 */
}

uint64_t round_trip_timeout(const round_trip *r, uint64_t least) {
  const uint64_t measured = r->mean8 / 8 + (r->deviation4 ? r->deviation4 : 1);
  return r->mean8 && measured > least ? measured : least;
}

/* ------------------------------------------------------------------ the fabric */

static uint16_t slowest_rate(const ripstop_plan *plan, const ripstop_schedule *schedule) {
  uint16_t least = RIPSTOP_RATE_FULL;
  for (uint32_t link = 0; link < plan->fabric->links; link++)
    if (ripstop_view_rate(plan->view, link) < least) least = ripstop_view_rate(plan->view, link);
  for (size_t i = 0; schedule && i < schedule->count; i++)
    if (schedule->change[i].rate && schedule->change[i].rate < least) least = schedule->change[i].rate;
  return least;
}

/* Links from end node to end node at most, in the fabric without faults: over the switch of one of them. */
static uint64_t longest_path(const ripstop_fabric *f) {
  ripstop_span span = {0};
  ripstop_fabric_span(f, 1, &span);
  return span.diameter > 2 ? 2 * ((uint64_t)span.diameter - 1) : 2;
}

/* Cycles of the head of a packet of `flits` flits over the longest path, and of that of an acknowledgement back. */
static uint64_t idle_trip(const ripstop_plan *plan, const ripstop_switch_config *s, uint32_t flits) {
  const ripstop_fabric *f = plan->fabric;
  uint64_t delay = (uint64_t)s->link;
  for (uint32_t link = 0; f->delay && link < f->links; link++)
    if (f->delay[link] > delay) delay = f->delay[link];
  const uint64_t stored = s->forward == RIPSTOP_FORWARD_STORE ? flits - 1 : 0;
  return longest_path(f) * (2 * (delay + (uint64_t)s->pipeline) + stored);
}

uint64_t round_trip_bound(const ripstop_plan *plan, const ripstop_simulate_settings *scenario, uint64_t window,
                          uint32_t flits) {
  const uint64_t packet = ripstop_cycles_at(slowest_rate(plan, scenario->schedule), flits);
  const uint64_t path = idle_trip(plan, &scenario->switch_, flits) + 2 * longest_path(plan->fabric) * packet;
  const uint64_t packets = 2 * plan->fabric->ends * window; /* twice, as no switch is quite fair */
  const uint64_t bound = packets > ROUND_TRIP_MOST / packet ? ROUND_TRIP_MOST : packets * packet + path;
  return bound < ROUND_TRIP_MOST ? bound : ROUND_TRIP_MOST;
}

uint32_t round_trip_packets(const ripstop_plan *plan, const ripstop_simulate_settings *scenario, uint32_t flits,
                            uint32_t ack) {
  const uint64_t cycles = idle_trip(plan, &scenario->switch_, flits) + flits + ack;
  const uint64_t packets = (cycles + flits - 1) / flits + QUEUED_PACKETS;
  return packets < RIPSTOP_TRANSPORT_WINDOW_MAX ? (uint32_t)packets : RIPSTOP_TRANSPORT_WINDOW_MAX;
}

/* rate.c - rates and windows. */
#include "workload/rate.h"

rate rate_open(const ripstop_workload_config *config) {
  return (rate){.now = 1, .target = 1, .alpha = 1, .packets = 1, .steep = (double)config->window};
}

/* ------------------------------------------------------------------ dcqcn */

/* The timer or the byte counter has expired: first fast recovery by halves, then additive increase, then hyper
 * increase. */
static void raise_rate(rate *r, const ripstop_congestion *c) {
  const uint32_t more = r->by_time > r->by_flits ? r->by_time : r->by_flits;
  const uint32_t less = r->by_time > r->by_flits ? r->by_flits : r->by_time;
  const uint32_t stages = (uint32_t)c->stages;
  if (less > stages)
    r->target += (less - stages) * c->hyper;
  else if (more >= stages)
    r->target += c->additive;
  if (r->target > 1) r->target = 1;
  r->now = (r->now + r->target) / 2;
  if (r->now >= 1) r->limited = false; /* rounded: some fifty steps at 1 reach it */
}

static void decay(rate *r, const ripstop_congestion *c) {
  r->alpha *= 1 - c->gain;
  r->decay_at += (uint64_t)c->decay;
}

static void count_time(rate *r, const ripstop_congestion *c) {
  r->by_time++;
  r->rise_at += (uint64_t)c->rise;
  raise_rate(r, c);
}

/* Processes timers up to this cycle. A rate without limit has only the timer of alpha, which soon is nearly 0. */
static void catch_up(rate *r, const ripstop_congestion *c, uint64_t cycle) {
  static const double nothing = 1e-12;
  while (r->limited && (r->rise_at <= cycle || r->decay_at <= cycle)) {
    if (r->decay_at <= r->rise_at)
      decay(r, c);
    else
      count_time(r, c);
  }
  while (r->decay_at <= cycle && r->alpha > nothing) decay(r, c);
  if (r->alpha <= nothing) r->alpha = 0;
}

void rate_notified(rate *r, const ripstop_workload_config *config, uint64_t cycle) {
  const ripstop_congestion *c = &config->congestion;
  if (r->decay_at) catch_up(r, c, cycle);
  r->target = r->now;
  r->now *= 1 - r->alpha / 2;
  if (r->now < c->least) r->now = c->least;
  r->alpha = (1 - c->gain) * r->alpha + c->gain;
  r->limited = true;
  r->by_time = r->by_flits = 0;
  r->sent = 0;
  r->decay_at = cycle + (uint64_t)c->decay;
  r->rise_at = cycle + (uint64_t)c->rise;
}

static void count_flits(rate *r, const ripstop_congestion *c, uint32_t flits) {
  for (r->sent += flits; r->limited && r->sent >= (uint64_t)c->rise_flits; r->sent -= (uint64_t)c->rise_flits) {
    r->by_flits++;
    raise_rate(r, c);
  }
}

void rate_sends(rate *r, const ripstop_workload_config *config, uint64_t cycle, uint32_t flits) {
  if (!r->limited) return;
  catch_up(r, &config->congestion, cycle);
  if (r->open < (double)cycle) r->open = (double)cycle;
  r->open += flits / r->now;
  count_flits(r, &config->congestion, flits);
}

/* ------------------------------------------------------------------ window */

uint32_t rate_window(const rate *r, const ripstop_workload_config *config) {
  const uint32_t most = (uint32_t)config->window;
  if (config->congestion.kind != RIPSTOP_CONGESTION_WINDOW || r->packets >= most) return most;
  return (uint32_t)r->packets;
}

/* Once for all packets that were in flight. */
static void halve(rate *r, uint32_t number, uint32_t next) {
  if (number < r->halved) return;
  r->packets = r->packets < 2 ? 1 : r->packets / 2;
  r->steep = r->packets;
  r->halved = next;
}

void rate_answered(rate *r, const ripstop_workload_config *config, uint32_t packets, uint32_t number, uint32_t next,
                   bool marked) {
  if (config->congestion.kind != RIPSTOP_CONGESTION_WINDOW) return;
  if (marked) {
    halve(r, number, next);
    return;
  }
  r->packets += r->packets < r->steep ? packets : packets / r->packets;
  if (r->packets > (double)config->window) r->packets = (double)config->window;
}

void rate_expired(rate *r, const ripstop_workload_config *config, uint32_t number, uint32_t next) {
  if (config->congestion.kind == RIPSTOP_CONGESTION_WINDOW) halve(r, number, next);
}

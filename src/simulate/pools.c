/* pools.c - reads and lays out pools: pools.h. */
#include "simulate/pools.h"

#include "ripstop/plugin/method.h"

static int check(const run *r, const shape *s, ripstop_error *err) {
  const char *name = r->plan->method->name;
  if (r->config->switch_.in_queue == RIPSTOP_UNLIMITED)
    return ripstop_fail(err, "switch.buffers = port: switch.in_queue = unlimited leaves nothing to share");
  if (!s->credits)
    return ripstop_fail(err, "switch.buffers = port: with switch.flow = xonxoff each channel needs space of its own");
  if (r->plan->bubble)
    return ripstop_fail(
        err, "switch.buffers = port: method %s has bubble flow control, which counts the space of each channel", name);
  if (r->plan->control_flits)
    return ripstop_fail(
        err, "switch.buffers = port: method %s sends control packets, which need space of their channel alone", name);
  return 0;
}

int pools_read(run *r, shape *s, ripstop_error *err) {
  const int64_t in_queue = r->config->switch_.in_queue, reserve = units(s, s->longest), least = s->channels * reserve;
  if (r->config->switch_.buffers != RIPSTOP_BUFFERS_PORT) return 0;
  if (check(r, s, err)) return -1;
  if (in_queue < least)
    return ripstop_fail(
        err,
        "switch.in_queue = %lld: with switch.buffers = port each of the %u virtual channels has a reserve of one "
        "longest packet, %lld %s, so in_queue is at least %lld",
        (long long)in_queue, s->channels, (long long)reserve, s->unit_flits ? "flits" : "packet", (long long)least);
  s->pools = RIPSTOP_NEW(r->arena, struct pools);
  s->pools->reserve = (int32_t)reserve;
  s->pools->size = (int32_t)(in_queue - least);
  return 0;
}

void pools_lay(run *r, shape *s) {
  if (s->pools) s->pools->taken = RIPSTOP_ARRAY(r->arena, (size_t)r->fabric->ports * s->channels, int32_t);
}

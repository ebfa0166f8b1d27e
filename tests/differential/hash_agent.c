/* hash_agent.c - see hash_agent.h. */
#include "hash_agent.h"

enum { START, DELIVERED, LOST, ALARM };

/* A hash of all calls so far. */
static uint64_t mix(uint64_t a, uint64_t b) {
  a = (a ^ b) * UINT64_C(0x9e3779b97f4a7c15);
  a = (a ^ a >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
  return a ^ a >> 32;
}

static uint32_t draw(hash_agent *p, uint32_t bound) {
  p->told = mix(p->told, bound);
  return (uint32_t)((p->told >> 11) % bound);
}

static void hear(hash_agent *p, uint32_t what, uint64_t cycle, uint64_t more) {
  p->told = mix(mix(mix(p->told, what), cycle), more);
  p->calls++;
}

static void hear_agent_packet(hash_agent *p, uint32_t what, const stage *on, const ripstop_agent_packet *l) {
  hear(p, what, on->now(on->runner), l->tag);
  hear(p, what, l->source, (uint64_t)l->destination << 32 | (uint32_t)l->cut << 24 | l->class_ << 16 | l->flits);
}

static void send(hash_agent *p, const stage *on, uint32_t source, uint32_t destination) {
  if (p->tag >= p->letters || source == destination) return;
  on->send(on->runner, &(ripstop_agent_packet){.source = source,
                                               .destination = destination,
                                               .class_ = draw(p, p->classes),
                                               .flits = p->shortest + draw(p, p->longest - p->shortest + 1),
                                               .tag = p->tag++});
}

static void send_some(hash_agent *p, const stage *on) {
  for (uint32_t letters = draw(p, 8); letters > 0; letters--) {
    uint32_t source = draw(p, p->ends);
    send(p, on, source, draw(p, p->ends));
  }
}

/* One link in a cycle, at most. */
static void break_or_repair(hash_agent *p, const stage *on) {
  uint64_t now = on->now(on->runner);
  if (p->links == 0 || p->changed == now || draw(p, 6)) return;
  uint32_t i = draw(p, p->links);
  on->change(on->runner, &(ripstop_change){.id = p->link[i], .up = p->broken >> i & 1});
  p->broken ^= UINT64_C(1) << i;
  p->changed = now;
}

static void on_start(void *context, const stage *on) {
  hash_agent *p = context;
  hear(p, START, 0, 0);
  send_some(p, on);
  for (uint32_t alarms = 1 + draw(p, 4); alarms > 0; alarms--) on->alarm(on->runner, draw(p, 3), alarms);
}

static void on_delivered(void *context, const stage *on, const ripstop_agent_packet *l) {
  hash_agent *p = context;
  hear_agent_packet(p, DELIVERED, on, l);
  if (draw(p, 3)) send(p, on, l->destination, l->source);
  if (draw(p, 20) == 0) on->alarm(on->runner, on->now(on->runner) + 1 + draw(p, 3), l->tag);
}

static void on_lost(void *context, const stage *on, const ripstop_agent_packet *l) {
  hash_agent *p = context;
  hear_agent_packet(p, LOST, on, l);
  if (draw(p, 4)) send(p, on, l->source, l->destination);
}

static void on_alarm(void *context, const stage *on, uint64_t number) {
  hash_agent *p = context;
  uint64_t now = on->now(on->runner);
  hear(p, ALARM, now, number);
  send_some(p, on);
  break_or_repair(p, on);
  if (number < 5) on->alarm(on->runner, now + 1 + draw(p, 30), number); /* alarms of the start go on forever */
  if (p->finishes && p->tag >= p->letters && draw(p, 20) == 0) on->finish(on->runner);
}

void play_begin(hash_agent *p) {
  p->told = p->seed;
  p->calls = p->broken = p->tag = 0;
  p->changed = UINT64_MAX;
}

model_agent play_agent(hash_agent *p) {
  return (model_agent){.classes = p->classes,
                       .shortest = p->shortest,
                       .longest = p->longest,
                       .start = on_start,
                       .delivered = on_delivered,
                       .lost = on_lost,
                       .alarm = on_alarm,
                       .context = p};
}

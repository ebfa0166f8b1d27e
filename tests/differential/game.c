/* game.c - end nodes that answer (docs/model.md, "End nodes that answer"). */
#include "simulate/run_result.h"
#include "things.h"

#include <stdlib.h>
#include <string.h>

typedef struct list { /* packets, by index */
  uint32_t *at;
  size_t count, room;
} list;

typedef struct alarm {
  uint64_t cycle, number;
} alarm;

struct game {
  const model_agent *agent;
  stage stage;
  list delivered, lost;
  alarm *alarm; /* in the order in which they were set */
  size_t alarms, alarm_room;
  ripstop_change *change; /* for the next cycle, in the order of the requests */
  size_t changes, change_room;
  uint32_t *number; /* [streams]: of the next packet */
};

static void add(list *l, uint32_t packet) {
  if (l->count == l->room) l->at = ripstop_realloc(l->at, l->room = l->room ? 2 * l->room : 64, sizeof packet);
  l->at[l->count++] = packet;
}

void slow_game_delivered(model *m, uint32_t packet) { add(&m->game->delivered, packet); }
void slow_game_lost(model *m, uint32_t packet) { add(&m->game->lost, packet); }

/* ------------------------------------------------------------------ an agent's actions */

static uint64_t on_now(void *runner) { return ((const model *)runner)->now; }

static void on_send(void *runner, const ripstop_agent_packet *l) {
  model *m = runner;
  uint32_t stream = l->source * m->classes + l->class_;
  uint32_t packet = slow_bear(m, stream, m->game->number[stream]++, l->destination, (uint16_t)l->flits);
  m->packet[packet].tag = l->tag;
  if (m->view->node_up[ripstop_end_switch(m->fabric, l->source)])
    slow_enter_interface(m, packet);
  else
    slow_lose(m, packet, RIPSTOP_LOST_SWITCH);
}

static void on_alarm(void *runner, uint64_t cycle, uint64_t number) {
  struct game *g = ((model *)runner)->game;
  if (g->alarms == g->alarm_room)
    g->alarm = ripstop_realloc(g->alarm, g->alarm_room = g->alarm_room ? 2 * g->alarm_room : 16, sizeof *g->alarm);
  g->alarm[g->alarms++] = (alarm){.cycle = cycle, .number = number};
}

static void on_change(void *runner, const ripstop_change *change) {
  struct game *g = ((model *)runner)->game;
  if (g->changes == g->change_room)
    g->change = ripstop_realloc(g->change, g->change_room = g->change_room ? 2 * g->change_room : 16, sizeof *change);
  g->change[g->changes++] = *change;
}

static void on_finish(void *runner) {
  model *m = runner;
  m->end = m->now + 1;
}

bool slow_game_change(model *m, ripstop_change *out) {
  struct game *g = m->game;
  if (!g || g->changes == 0) return false;
  *out = g->change[0];
  memmove(g->change, g->change + 1, --g->changes * sizeof *g->change);
  return true;
}

/* ------------------------------------------------------------------ calls */

static ripstop_agent_packet agent_packet_of(const model *m, uint32_t packet, bool delivered) {
  const model_packet *p = &m->packet[packet];
  return (ripstop_agent_packet){.source = p->source,
                                .destination = p->destination,
                                .class_ = p->class_,
                                .flits = p->flits,
                                .cut = p->cut && delivered,
                                .tag = p->tag};
}

/* Serial numbers of one stream rise with the number in it. */
static bool goes_before(const model *m, bool by_receiver, uint32_t a, uint32_t b) {
  const model_packet *x = &m->packet[a], *y = &m->packet[b];
  if (by_receiver) return x->destination < y->destination;
  if (x->source != y->source) return x->source < y->source;
  if (x->class_ != y->class_) return x->class_ < y->class_;
  return x->serial < y->serial;
}

/* The actions of these calls count from the next cycle. */
static void call_all(model *m, list *l, bool by_receiver,
                     void (*call)(void *context, const stage *on, const ripstop_agent_packet *agent_packet)) {
  list now = *l;
  *l = (list){0};
  for (size_t i = 1; i < now.count; i++)
    for (size_t j = i; j > 0 && goes_before(m, by_receiver, now.at[j], now.at[j - 1]); j--) {
      uint32_t packet = now.at[j];
      now.at[j] = now.at[j - 1];
      now.at[j - 1] = packet;
    }
  for (size_t i = 0; i < now.count; i++) {
    ripstop_agent_packet agent_packet = agent_packet_of(m, now.at[i], by_receiver);
    call(m->game->agent->context, &m->game->stage, &agent_packet);
  }
  ripstop_free(now.at);
}

void slow_game_turn(model *m) {
  struct game *g = m->game;
  list lost = g->lost; /* not what the calls about deliveries lose */
  g->lost = (list){0};
  call_all(m, &g->delivered, true, g->agent->delivered);
  list later = g->lost;
  g->lost = lost;
  call_all(m, &g->lost, false, g->agent->lost);
  for (size_t i = 0; i < g->lost.count; i++) add(&later, g->lost.at[i]);
  ripstop_free(g->lost.at);
  g->lost = later;
  for (size_t i = 0; i < g->alarms;) {
    alarm a = g->alarm[i];
    if (a.cycle > m->now) {
      i++;
      continue;
    }
    memmove(&g->alarm[i], &g->alarm[i + 1], (--g->alarms - i) * sizeof a);
    g->agent->alarm(g->agent->context, &g->stage, a.number);
  }
}

void slow_game_start(model *m) { m->game->agent->start(m->game->agent->context, &m->game->stage); }

/* ------------------------------------------------------------------ opening */

void slow_game_open(model *m, const model_agent *agent) {
  struct game *g = m->game = RIPSTOP_NEW(m->arena, struct game);
  g->agent = agent;
  g->number = RIPSTOP_ARRAY(m->arena, m->streams, uint32_t);
  g->stage =
      (stage){.runner = m, .now = on_now, .send = on_send, .alarm = on_alarm, .change = on_change, .finish = on_finish};
}

void slow_game_close(model *m) {
  struct game *g = m->game;
  if (!g) return;
  ripstop_free(g->delivered.at);
  ripstop_free(g->lost.at);
  ripstop_free(g->alarm);
  ripstop_free(g->change);
}

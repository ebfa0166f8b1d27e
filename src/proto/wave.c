/* wave.c - the messages that one change causes (an update flood), collected from the trace events of a network. */
#include "base/memory.h"
#include "ripstop/protocol.h"

ripstop_wave *ripstop_wave_new(const ripstop_fabric *fabric, size_t cause) {
  RIPSTOP_GUARD(NULL, NULL);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_wave *w = RIPSTOP_NEW(arena, ripstop_wave);
  *w = (ripstop_wave){.fabric = fabric, .cause = cause, .change.id = RIPSTOP_NONE, .arena = arena};
  w->port = RIPSTOP_ARRAY(arena, fabric->ports, ripstop_wave_port);
  w->changed = RIPSTOP_ARRAY(arena, fabric->nodes, uint8_t);
  w->dead_link = RIPSTOP_ARRAY(arena, fabric->links, uint8_t);
  return w;
}

void ripstop_wave_free(ripstop_wave *w) {
  if (w) ripstop_arena_free(w->arena);
}

static void keep_message(ripstop_wave *w, const ripstop_sight *sight) {
  ripstop_wave_port *p = &w->port[w->fabric->port_base[sight->node] + sight->port];
  w->messages++;
  if (!p->messages++ || sight->arrives < p->arrives) p->arrives = sight->arrives;
  if (sight->arrives != RIPSTOP_NEVER && sight->arrives > w->ended) w->ended = sight->arrives;
}

static void keep_dead(ripstop_wave *w, const ripstop_view *view) {
  w->begun = true;
  for (uint32_t link = 0; link < w->fabric->links; link++)
    w->dead_link[link] = !view->port_up[w->fabric->link_port[2 * (size_t)link]];
}

void ripstop_wave_watch(void *wave, const ripstop_sight *sight) {
  ripstop_wave *w = wave;
  if (sight->cause != w->cause) return;
  if (!w->begun) keep_dead(w, sight->plan->view);
  if (sight->kind == RIPSTOP_SAW_CHANGE) {
    w->change = *sight->change;
    w->began = w->ended = sight->cycle;
  }
  if (sight->kind == RIPSTOP_SAW_SENT) keep_message(w, sight);
  if (sight->kind == RIPSTOP_SAW_WAYS) w->changed[sight->node] = 1;
}

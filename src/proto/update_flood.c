/* wave.c - the messages that one change causes (an update flood), collected from the trace events of a network. */
#include "base/memory.h"
#include "ripstop/kit/protocol.h"

ripstop_update_flood *ripstop_update_flood_new(const ripstop_fabric *fabric, size_t cause) {
  RIPSTOP_GUARD(NULL, NULL);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_update_flood *w = RIPSTOP_NEW(arena, ripstop_update_flood);
  *w = (ripstop_update_flood){.fabric = fabric, .cause = cause, .change.id = RIPSTOP_NONE, .arena = arena};
  w->port = RIPSTOP_ARRAY(arena, fabric->ports, ripstop_update_flood_port);
  w->changed = RIPSTOP_ARRAY(arena, fabric->nodes, uint8_t);
  w->failed_link = RIPSTOP_ARRAY(arena, fabric->links, uint8_t);
  return w;
}

void ripstop_update_flood_free(ripstop_update_flood *w) {
  if (w) ripstop_arena_free(w->arena);
}

static void keep_message(ripstop_update_flood *w, const ripstop_trace_event *trace) {
  ripstop_update_flood_port *p = &w->port[w->fabric->port_base[trace->node] + trace->port];
  w->messages++;
  if (!p->messages++ || trace->arrives < p->arrives) p->arrives = trace->arrives;
  if (trace->arrives != RIPSTOP_NEVER && trace->arrives > w->ended) w->ended = trace->arrives;
}

static void keep_failed(ripstop_update_flood *w, const ripstop_view *view) {
  w->begun = true;
  for (uint32_t link = 0; link < w->fabric->links; link++)
    w->failed_link[link] = !view->port_up[w->fabric->link_port[2 * (size_t)link]];
}

void ripstop_update_flood_watch(void *flood, const ripstop_trace_event *trace) {
  ripstop_update_flood *w = flood;
  if (trace->cause != w->cause) return;
  if (!w->begun) keep_failed(w, trace->plan->view);
  if (trace->kind == RIPSTOP_SAW_CHANGE) {
    w->change = *trace->change;
    w->began = w->ended = trace->cycle;
  }
  if (trace->kind == RIPSTOP_SAW_SENT) keep_message(w, trace);
  if (trace->kind == RIPSTOP_SAW_CANDIDATES) w->changed[trace->node] = 1;
}

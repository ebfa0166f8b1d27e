/* settle.c - computes the turns and tables of a view, component by component, with global knowledge: `route` and the
 * proofs use them, and the protocol's switches must reach the same. */
#include <string.h>

#include "methods/valleys/valleys.h"

uint64_t ripstop_valleys_live(const ripstop_plan *p, uint32_t switch_) {
  const chart *c = chart_of(p);
  uint64_t ports = ripstop_valleys_wired(c, switch_);
  for (uint64_t left = ports; left; left &= left - 1)
    if (!p->view->port_up[port_of(c, channel_from(c, switch_, lowest(left)))]) ports &= ~(left & -left);
  return ports;
}

static void settle_component(frame *f, tables *t, uint32_t of) {
  const chart *c = f->chart;
  ripstop_valleys_span(f, of);
  ripstop_valleys_build(f);
  if (f->kind > t->kind) t->kind = f->kind;
  for (uint32_t i = 0; i < f->channels; i++) t->turn[f->channel[i]] = f->turn[f->channel[i]];
  for (uint32_t first = 0; first <= c->leaves; first += BATCH) {
    ripstop_valleys_measure(f, first);
    for (uint32_t i = 0; i < f->members; i++)
      ripstop_valleys_copy_rows(f, first, f->member[i], rows_of(t, f->member[i]));
  }
}

void ripstop_valleys_settle(const ripstop_plan *p, tables *t, ripstop_arena *arena) {
  const chart *c = &t->chart;
  size_t rows = (size_t)c->channels * (c->leaves + 1);
  frame f = ripstop_valleys_open_frame(c, ripstop_arena_array(arena, ripstop_valleys_frame_bytes(c), 1));
  t->component = RIPSTOP_ARRAY(arena, c->switches, uint32_t); /* 0: none yet */
  t->turn = RIPSTOP_ARRAY(arena, c->channels, uint64_t);
  t->left = RIPSTOP_ARRAY(arena, rows, int16_t);
  t->live = RIPSTOP_ARRAY(arena, c->switches, uint64_t);
  t->kind = FIXED;
  for (size_t i = 0; i < rows; i++) t->left[i] = FAR;
  for (uint32_t s = 0; s < c->switches; s++) t->live[s] = f.live[s] = ripstop_valleys_live(p, s);
  for (uint32_t s = 0; s < c->switches; s++) {
    if (t->component[s]) continue;
    settle_component(&f, t, s);
    for (uint32_t i = 0; i < f.members; i++) t->component[f.member[i]] = s + 1;
  }
}

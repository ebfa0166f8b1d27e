/* keep.c - saves and restores a mender's state, for trying one fault after another. */
#include <string.h>

#include "mend/mender.h"

struct mender_kept {
  ripstop_stream random;
  double scale;
  bool fresh, counted, cables, followed, tree_whole;
  uint8_t *tree;                          /* the mender's, or NULL; `cable`: what it was */
  uint8_t *cable;                         /* [links] */
  uint8_t *alive, *up, *required, *level; /* level: NULL where it never changes */
  uint32_t *home, *part, *load, *place;
};

static size_t levels(const ripstop_mender *m) {
  return m->by_pair ? (size_t)m->view->fabric->ends * m->tables->addresses : 0;
}

static struct mender_kept *new_kept(ripstop_mender *m) {
  struct mender_kept *k = RIPSTOP_NEW(m->arena, struct mender_kept);
  k->cable = RIPSTOP_ARRAY(m->arena, m->view->fabric->links + 1, uint8_t);
  k->alive = RIPSTOP_ARRAY(m->arena, m->net.channels, uint8_t);
  k->up = RIPSTOP_ARRAY(m->arena, m->view->fabric->ports, uint8_t);
  k->required = RIPSTOP_ARRAY(m->arena, m->net.turns, uint8_t);
  k->level = RIPSTOP_ARRAY(m->arena, levels(m), uint8_t);
  k->home = RIPSTOP_ARRAY(m->arena, m->view->fabric->ends, uint32_t);
  k->part = RIPSTOP_ARRAY(m->arena, m->net.switches, uint32_t);
  k->load = RIPSTOP_ARRAY(m->arena, m->net.channels, uint32_t);
  k->place = RIPSTOP_ARRAY(m->arena, (size_t)m->lanes * m->net.channels, uint32_t);
  return k;
}

static void copy(void *to, const void *from, size_t bytes) {
  if (bytes > 0) memcpy(to, from, bytes);
}

/* Copies to the saved state, or back from it if `back`. */
static void copy_arrays(ripstop_mender *m, struct mender_kept *k, bool back) {
  const struct {
    void *here, *there;
    size_t bytes;
  } list[] = {{m->alive, k->alive, m->net.channels},
              {m->up, k->up, m->view->fabric->ports},
              {m->orders.required, k->required, m->net.turns},
              {m->tables->level, k->level, levels(m)},
              {m->home, k->home, m->view->fabric->ends * sizeof *m->home},
              {m->part, k->part, m->net.switches * sizeof *m->part},
              {m->load, k->load, m->net.channels * sizeof *m->load},
              {m->tree, k->cable, m->tree ? m->view->fabric->links : 0}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    copy(back ? list[i].here : list[i].there, back ? list[i].there : list[i].here, list[i].bytes);
  for (uint32_t lane = 0; lane < m->lanes; lane++) {
    uint32_t *there = k->place + (size_t)lane * m->net.channels, *here = m->orders.place[lane];
    copy(back ? here : there, back ? there : here, m->net.channels * sizeof *here);
  }
}

void mender_keep(ripstop_mender *m) {
  if (!m->kept) m->kept = new_kept(m);
  struct mender_kept *k = m->kept;
  k->random = m->random;
  k->scale = m->scale;
  k->fresh = m->fresh;
  k->counted = m->counted;
  k->cables = m->cables;
  k->followed = m->followed;
  k->tree = m->tree;
  k->tree_whole = m->tree_whole;
  copy_arrays(m, k, false);
  m->log.entries = 0;
}

void mender_back(ripstop_mender *m) {
  const struct mender_kept *k = m->kept;
  entry_log_undo(&m->log, 0);
  m->random = k->random;
  m->scale = k->scale;
  m->fresh = k->fresh;
  m->counted = k->counted;
  m->cables = k->cables;
  m->followed = k->followed;
  m->tree = k->tree;
  m->tree_whole = k->tree_whole;
  copy_arrays(m, m->kept, true);
  size_t ends = m->view->fabric->ends * sizeof *m->home, switches = m->net.switches * sizeof *m->part;
  if (memcmp(m->home, m->net.home, ends) != 0 || memcmp(m->part, m->net.part, switches) != 0)
    switch_graph_follow(&m->net);
  memset(m->place, 0xFF, m->net.switches * sizeof *m->place);
  m->cuts = 0;
}

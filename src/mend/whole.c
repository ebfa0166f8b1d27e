/* whole.c - grows a destination's tree again, where the switches that are cut off find no path to the others.
 *
 * First with the pointers of all switches from which packets arrive fixed; then with none fixed, several times with
 * other prices. Turns become required where needed, and channels change their places in the order. By destination
 * always in the VC of the service level; by pair in any VC. */
#include <math.h>
#include <string.h>

#include "mend/mender.h"

enum { MANY = 60, FEW = 8 }; /* paths that are fixed for one tree, and searches for each */

/* Prices prefer shortest paths over little load, and old pointers to others. */
static void set_prices(ripstop_mender *m, double noise) {
  for (uint32_t c = 0; c < m->net.channels; c++) {
    bool old = mender_next(m, m->net.from[c]) == c;
    m->price[c] = !m->alive[c] ? INFINITY : mender_busy(m, c) + (old ? 0 : 3);
    if (noise > 0 && m->alive[c]) m->price[c] += noise * ripstop_stream_unit(&m->random);
  }
}

/* Undoes turns that became required if no tree was found. */
static bool grow(ripstop_mender *m, unsigned lanes, bool keep, double noise) {
  for (uint32_t s = 0; s < m->net.switches; s++) {
    bool kept = keep && s != m->to && m->net.part[s] == m->net.part[m->to] && m->place[s] == RIPSTOP_NONE;
    m->candidate[s] = kept ? mender_next(m, s) : RIPSTOP_NONE;
  }
  m->grow.kept = m->candidate;
  set_prices(m, noise);
  memcpy(m->saved, m->orders.required, m->net.turns);
  if (mend_grow_tree(&m->grow, m->to, lanes)) return true;
  memcpy(m->orders.required, m->saved, m->net.turns);
  return false;
}

static bool grow_somehow(ripstop_mender *m, bool required) {
  unsigned lanes = mender_lanes_to(m);
  m->grow.tries = m->grow.searches = required ? MANY : FEW;
  if (!required) return grow(m, lanes, false, 0);
  return grow(m, lanes, true, 0) || grow(m, lanes, false, 0) || grow(m, lanes, false, 1);
}

static void write_levels(ripstop_mender *m) {
  const ripstop_fabric *f = m->view->fabric;
  for (uint32_t end = 0; m->tables->level && end < f->ends; end++) {
    unsigned mask = m->net.home[end] == RIPSTOP_NONE ? 0 : m->grow.mask[m->net.home[end]];
    if (!mask || mask >> mender_lane(m, end) & 1) continue;
    m->tables->level[(size_t)end * m->tables->addresses + m->address] = (uint8_t)__builtin_ctz(mask);
    m->levels_changed++;
  }
}

/* Adds or removes the paths of the current tables; those of switches that are cut off only where `load` has them. */
static void lay(ripstop_mender *m, bool cut, bool add) {
  const switch_graph *net = &m->net;
  if (!m->counted || !ripstop_is_end(m->view->fabric, m->tables->node[m->address])) return;
  for (uint32_t s = 0; s < net->switches; s++) {
    bool there = net->hosts[s] && net->part[s] == net->part[m->to] && (cut || m->place[s] == RIPSTOP_NONE);
    for (uint32_t v = there ? s : m->to; v != m->to;) {
      uint32_t c = mender_next(m, v);
      m->load[c] += add ? net->hosts[s] : 0u - net->hosts[s];
      v = net->to[c];
    }
  }
}

bool mender_grow_whole(ripstop_mender *m, bool required) {
  if (!grow_somehow(m, required)) return false;
  lay(m, m->cables, false);
  for (uint32_t s = 0; s < m->net.switches; s++)
    if (s != m->to && m->net.part[s] == m->net.part[m->to] && m->grow.next[s] != mender_next(m, s))
      mender_write(m, s, m->net.local[m->grow.next[s]]);
  write_levels(m);
  lay(m, true, true);
  return true;
}

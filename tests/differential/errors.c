/* errors.c - links that corrupt flits: docs/model.md, "Errors of links". Every flit is looked at. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/run_result.h"
#include "things.h"

/* Good flits before the next corrupted one of a direction. */
static uint64_t draw(const model *m, uint32_t port, const errors *e) {
  const uint32_t link = m->fabric->port_link[port], turned = m->fabric->link_port[2 * link] != port;
  uint32_t w[4];
  ripstop_random_block(m->sim->seed, RIPSTOP_RANDOM_ERRORS, 2 * link + turned, e->count, w);
  const double u = ((double)w[0] * 2097152 + floor(w[1] / 2048.) + 1) / 9007199254740992.;
  return e->share < 1 ? (uint64_t)floor(log(u) / log1p(-e->share)) : 0;
}

/* "P" is for all links, "LINK~P" for one. */
static void read_word(model *m, const ripstop_names *names, const char *word, size_t length) {
  const char *mark = memchr(word, '~', length);
  const double share = strtod(mark ? mark + 1 : word, NULL);
  const uint32_t named = mark ? ripstop_names_link(names, word, (size_t)(mark - word)) : RIPSTOP_NONE;
  for (uint32_t port = 0; port < m->fabric->ports; port++)
    if (!mark || (m->fabric->port_link[port] == named && m->fabric->peer[port] != RIPSTOP_NONE))
      m->errors[port].share = share;
}

void slow_errors_open(model *m) {
  if (!strcmp(m->sw->flit_errors, "0")) return;
  m->errors = RIPSTOP_ARRAY(m->arena, m->fabric->ports, errors);
  ripstop_names *names = ripstop_names_new(m->fabric);
  for (const char *word = m->sw->flit_errors; *word; word += strspn(word, " ")) {
    read_word(m, names, word, strcspn(word, " "));
    word += strcspn(word, " ");
  }
  ripstop_names_free(names);
  for (uint32_t port = 0; port < m->fabric->ports; port++)
    if (m->errors[port].share > 0) m->errors[port].good = draw(m, port, &m->errors[port]);
}

void slow_corrupt(model *m, uint32_t port, uint32_t packet) {
  errors *e = m->errors ? &m->errors[port] : NULL;
  bool wrong = false;
  if (!e || !(e->share > 0) || slow_is_lost(m, packet) || m->packet[packet].control) return;
  for (uint32_t flits = m->packet[packet].cut ? 1 : m->packet[packet].flits; flits > 0; flits--) {
    if (e->good-- > 0) continue;
    wrong = true;
    e->count++;
    e->good = draw(m, port, e);
  }
  if (wrong) slow_lose(m, packet, RIPSTOP_LOST_ERRORS);
}

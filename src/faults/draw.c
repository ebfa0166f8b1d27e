/* draw.c - parts that fail one after another while what is left stays in one piece.
 *
 * Invariant: end nodes that were connected before and whose switches live are connected after each failure. */
#include <stdlib.h>
#include <string.h>

#include "ripstop/faults.h"

enum { LINKS, SWITCHES };
static const char *const scope_words[] = {[LINKS] = "switch-links", [SWITCHES] = "switches", NULL};

const ripstop_option ripstop_draw_options[] = {{.name = "count",
                                                .type = RIPSTOP_OPTION_INTEGER,
                                                .offset = offsetof(ripstop_draw, count),
                                                .min = 1,
                                                .max = 1e6,
                                                .positional = true,
                                                .help = "parts that fail"},
                                               {.name = "scope",
                                                .type = RIPSTOP_OPTION_WORD,
                                                .offset = offsetof(ripstop_draw, scope),
                                                .words = scope_words,
                                                .fallback = "switch-links",
                                                .help = "what fails"},
                                               {.name = "from",
                                                .type = RIPSTOP_OPTION_INTEGER,
                                                .offset = offsetof(ripstop_draw, from),
                                                .min = 0,
                                                .max = 1e9,
                                                .fallback = "0",
                                                .help = "cycle of the first failure"},
                                               {.name = "every",
                                                .type = RIPSTOP_OPTION_INTEGER,
                                                .offset = offsetof(ripstop_draw, every),
                                                .min = 0,
                                                .max = 1e9,
                                                .fallback = "0",
                                                .help = "cycles from each failure to the next; 0: all at once"},
                                               {0}};

static uint32_t ends_of(const ripstop_fabric *f, uint32_t node) {
  uint32_t ends = 0;
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
    ends += f->peer[port] != RIPSTOP_NONE && ripstop_is_end(f, f->port_node[f->peer[port]]);
  return ends;
}

/* Lets one part fail, or not when that would cut something. The end nodes of a dead switch are components of their
 * own. */
static bool break_part(ripstop_view *view, bool is_switch, uint32_t id, uint32_t *component) {
  const ripstop_fabric *f = view->fabric;
  uint32_t before = ripstop_view_components(view, component);
  ripstop_change change = {.id = id, .is_switch = is_switch};
  ripstop_view_apply(view, &change);
  if (ripstop_view_components(view, component) <= before + (is_switch ? ends_of(f, id) : 0)) return true;
  change.up = true;
  ripstop_view_apply(view, &change);
  return false;
}

uint32_t ripstop_view_break(ripstop_view *view, bool switches, uint32_t count, ripstop_stream *stream, uint32_t *id) {
  const ripstop_fabric *f = view->fabric;
  uint32_t first = switches ? f->ends : f->link_ends, last = switches ? f->nodes : f->links;
  uint32_t *left = ripstop_realloc(NULL, last - first + 1, sizeof *left), parts = 0, found = 0;
  uint32_t *component = ripstop_realloc(NULL, f->nodes, sizeof *component);
  for (uint32_t i = first; i < last; i++)
    if (switches ? view->node_up[i] : view->link_up[i]) left[parts++] = i;
  while (parts && found < count) {
    uint32_t at = ripstop_stream_below(stream, parts), one = left[at];
    left[at] = left[--parts];
    if (break_part(view, switches, one, component)) id[found++] = one;
  }
  ripstop_free(component);
  ripstop_free(left);
  return found;
}

int ripstop_schedule_draw(ripstop_arena *arena, const ripstop_fabric *fabric, const ripstop_faults *faults,
                          const ripstop_draw *draw, uint64_t seed, uint64_t index, ripstop_schedule *out,
                          ripstop_error *err) {
  bool switches = draw->scope == SWITCHES;
  uint32_t count = (uint32_t)draw->count, most = switches ? ripstop_fabric_switches(fabric) : fabric->links;
  if (count > most) count = most;
  uint32_t *id = RIPSTOP_ARRAY(arena, count + 1, uint32_t);
  ripstop_stream stream = ripstop_stream_open(seed, RIPSTOP_RANDOM_SCHEDULE, index);
  ripstop_view *view = ripstop_view_new(fabric, faults);
  uint32_t found = ripstop_view_break(view, switches, count, &stream, id);
  ripstop_view_free(view);
  if (found < draw->count)
    return ripstop_fail(err, "%lld %s cannot fail in %s without cutting it", (long long)draw->count,
                        switches ? "switches" : "links", fabric->spec);
  ripstop_change *change = RIPSTOP_ARRAY(arena, count, ripstop_change);
  for (uint32_t i = 0; i < count; i++)
    change[i] =
        (ripstop_change){.cycle = (uint64_t)draw->from + i * (uint64_t)draw->every, .id = id[i], .is_switch = switches};
  *out = (ripstop_schedule){.count = count, .change = change};
  return 0;
}

/* cabling_diff.c - compares two cablings by the names of nodes and ports. */
#include "formats/ethernet/cabling_diff.h"

#include "base/local.h"
#include "base/sort.h"

/* ------------------------------------------------------------------ nodes */

bool cabling_is_switch(const cabling *c, uint32_t node) {
  return c->planned ? c->node[node].cables > 1 : c->node[node].own;
}

uint32_t cabling_between_switches(const cabling *c) {
  uint32_t count = 0;
  for (uint32_t p = 0; p < c->ports; p++) {
    const uint32_t peer = c->port[p].peer;
    if (peer == RIPSTOP_NONE || peer < p) continue;
    count += cabling_is_switch(c, c->port[p].node) && cabling_is_switch(c, c->port[peer].node);
  }
  return count;
}

/* ------------------------------------------------------------------ differences */

/* The port of the same name in another cabling; RIPSTOP_NONE: it has none. */
static uint32_t same_port(const cabling *from, uint32_t port, const cabling *to) {
  const uint32_t node = cabling_find_node(to, piece_of(from->node[from->port[port].node].name));
  return node == RIPSTOP_NONE ? RIPSTOP_NONE : cabling_find_port(to, node, piece_of(from->port[port].name));
}

static uint32_t same_node(const cabling *from, uint32_t port, const cabling *to) {
  return cabling_find_node(to, piece_of(from->node[from->port[port].node].name));
}

static bool is_cabled(const cabling *c, uint32_t port) {
  return port != RIPSTOP_NONE && c->port[port].peer != RIPSTOP_NONE;
}

/* True if `to` has the cable at this port of `from`. */
static bool has_cable(const cabling *from, uint32_t port, const cabling *to) {
  const uint32_t a = same_port(from, port, to), b = same_port(from, from->port[port].peer, to);
  return is_cabled(to, a) && to->port[a].peer == b;
}

static bool is_own(const cabling *from, uint32_t port, const cabling *found) {
  const uint32_t node = same_node(from, port, found);
  return node != RIPSTOP_NONE && found->node[node].own;
}

static bool is_missing(const cabling *plan, uint32_t p, const cabling *found) {
  const uint32_t q = plan->port[p].peer;
  if (has_cable(plan, p, found)) return false;
  if (found->planned || (is_own(plan, p, found) && is_own(plan, q, found))) return true;
  return is_cabled(found, same_port(plan, p, found)) || is_cabled(found, same_port(plan, q, found));
}

static bool is_extra(const cabling *found, uint32_t p, const cabling *plan) {
  const uint32_t q = found->port[p].peer;
  return !has_cable(found, p, plan) && same_node(found, p, plan) != RIPSTOP_NONE &&
         same_node(found, q, plan) != RIPSTOP_NONE;
}

static int by_text(const void *context, const void *a, const void *b) {
  (void)context;
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *name_of(const cabling *c, uint32_t port, ripstop_arena *arena) {
  RIPSTOP_LOCAL_TEXT(text);
  ripstop_text_begin(&text);
  cabling_port_name(c, port, &text);
  return ripstop_arena_text(arena, text.data);
}

static void find_swaps(const cabling *plan, const cabling *found, ripstop_arena *arena, cabling_diff *out) {
  for (uint32_t p = 0; p < plan->ports; p++) {
    const uint32_t other = same_port(plan, p, found);
    if (!is_cabled(plan, p) || !is_cabled(found, other) || has_cable(plan, p, found)) continue;
    out->swap[out->swaps++] = (cabling_swap){name_of(plan, p, arena), name_of(plan, plan->port[p].peer, arena),
                                             name_of(found, found->port[other].peer, arena)};
  }
}

void cabling_compare(const cabling *plan, const cabling *found, ripstop_arena *arena, cabling_diff *out) {
  *out = (cabling_diff){.missing = RIPSTOP_ARRAY(arena, (size_t)plan->cables + 1, const char *),
                        .extra = RIPSTOP_ARRAY(arena, (size_t)found->cables + 1, const char *),
                        .swap = RIPSTOP_ARRAY(arena, (size_t)plan->ports + 1, cabling_swap),
                        .silent = RIPSTOP_ARRAY(arena, (size_t)plan->nodes + 1, const char *)};
  for (uint32_t p = 0; p < plan->ports; p++) {
    if (!is_cabled(plan, p) || plan->port[p].peer < p) continue;
    out->planned += is_own(plan, p, found) && is_own(plan, plan->port[p].peer, found);
    if (is_missing(plan, p, found)) out->missing[out->missings++] = cabling_cable_name(plan, p, arena);
  }
  for (uint32_t p = 0; p < found->ports; p++)
    if (is_cabled(found, p) && p < found->port[p].peer && is_extra(found, p, plan))
      out->extra[out->extras++] = cabling_cable_name(found, p, arena);
  for (uint32_t n = 0; n < plan->nodes && !found->planned; n++) {
    const uint32_t other = cabling_find_node(found, piece_of(plan->node[n].name));
    if ((other == RIPSTOP_NONE || !found->node[other].own) && plan->node[n].cables > 1)
      out->silent[out->silents++] = plan->node[n].name;
  }
  find_swaps(plan, found, arena, out);
  ripstop_sort(out->missing, out->missings, sizeof *out->missing, by_text, NULL);
  ripstop_sort(out->extra, out->extras, sizeof *out->extra, by_text, NULL);
}

/* ------------------------------------------------------------------ an edge list */

static bool is_plain(const char *name) {
  for (const char *at = name; *at; at++)
    if ((unsigned char)*at <= ' ' || *at == '=' || *at == ',' || *at == '#') return false;
  return *name != '@' && *name != '\0';
}

static void add_label(const cabling *c, uint32_t port, char before, ripstop_text *out) {
  const char *name = c->port[port].name;
  if (is_plain(name) && piece_digit(*name) >= 10 && !strchr(name, ':')) ripstop_text_add(out, "%c%s", before, name);
}

static bool has_label(const cabling *c, uint32_t port) {
  const char *name = c->port[port].name;
  return is_plain(name) && (piece_digit(*name) > 9) && !strchr(name, ':');
}

/* A host of the plan, at a switch of `c`. */
static void add_host(const cabling *plan, uint32_t port, const cabling *c, ripstop_text *out) {
  const uint32_t peer = plan->port[port].peer, at = same_node(plan, peer, c);
  if (at == RIPSTOP_NONE || !cabling_is_switch(c, at)) return;
  ripstop_text_add(out, "@end %s %s", plan->node[plan->port[port].node].name, c->node[at].name);
  if (has_label(plan, peer)) {
    ripstop_text_add(out, " port");
    add_label(plan, peer, '=', out);
  }
  ripstop_text_add(out, "\n");
}

static bool add_hosts(const cabling *plan, const cabling *c, ripstop_text *out) {
  for (uint32_t p = 0; p < plan->ports; p++) {
    const uint32_t node = plan->port[p].node, other = cabling_find_node(c, piece_of(plan->node[node].name));
    if (!is_cabled(plan, p) || plan->node[node].cables > 1 || (other != RIPSTOP_NONE && cabling_is_switch(c, other)))
      continue;
    if (!is_plain(plan->node[node].name)) return false;
    add_host(plan, p, c, out);
  }
  return true;
}

bool cabling_edges(const cabling *c, const cabling *plan, ripstop_text *out) {
  for (uint32_t n = 0; n < c->nodes; n++) {
    if (!cabling_is_switch(c, n)) continue;
    if (!is_plain(c->node[n].name)) return false;
    ripstop_text_add(out, "@router %s\n", c->node[n].name);
  }
  if (!add_hosts(plan ? plan : c, c, out)) return false;
  for (uint32_t p = 0; p < c->ports; p++) {
    const uint32_t q = c->port[p].peer;
    if (!is_cabled(c, p) || q < p) continue;
    if (!cabling_is_switch(c, c->port[p].node) || !cabling_is_switch(c, c->port[q].node)) continue;
    ripstop_text_add(out, "%s %s", c->node[c->port[p].node].name, c->node[c->port[q].node].name);
    if (has_label(c, p) && has_label(c, q)) {
      ripstop_text_add(out, " port");
      add_label(c, p, '=', out);
      add_label(c, q, ',', out);
    }
    ripstop_text_add(out, "\n");
  }
  return true;
}

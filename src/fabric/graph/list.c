/* list.c - whether what was read as an edge list can be one.
 *
 * Any text with two words a line would be a graph: settings, sentences, and hosts that are listed as routers. A list
 * with a line that only edge lists have (an '@', a speed, KEY=VALUE) is accepted, except for its hosts. Other lists are
 * refused if one column has only numbers and the other only words, or if most pieces are single cables. Each refusal
 * names the first line that shows it. */
#include <string.h>
#include <strings.h>

#include "fabric/graph/graph.h"

static bool is_number(const char *name) { return name[strspn(name, "0123456789")] == '\0'; }

static const char *name_of(const ripstop_graph *g, uint32_t router) { return g->router[router].name; }

static int refuse(const ripstop_graph *g, const ripstop_graph_cable *c, const char *why, ripstop_error *err) {
  return ripstop_fail(err,
                      "%s:%u: '%.60s %.60s' is no cable: %s; an edge list has two router names on each line, "
                      "and '@router NAME' for a name that must count as a router",
                      g->file, c->line, name_of(g, c->node[0]), name_of(g, c->node[1]), why);
}

/* ------------------------------------------------------------------ words and numbers */

static bool are_settings(const ripstop_graph *g) {
  uint32_t numbers[2] = {0};
  for (uint32_t i = 0; i < g->cables; i++)
    for (unsigned side = 0; side < 2; side++) numbers[side] += is_number(name_of(g, g->cable[i].node[side]));
  return g->cables > 0 && numbers[0] != numbers[1] && (numbers[0] == 0 || numbers[1] == 0) &&
         numbers[0] + numbers[1] == g->cables;
}

/* ------------------------------------------------------------------ pieces */

static uint32_t root(uint32_t *parent, uint32_t v) {
  while (parent[v] != v) v = parent[v] = parent[parent[v]];
  return v;
}

static uint32_t *count_cables(const ripstop_graph *g) {
  uint32_t *cables = RIPSTOP_ARRAY(g->arena, g->routers + 1, uint32_t);
  for (uint32_t i = 0; i < g->cables; i++)
    for (unsigned side = g->cable[i].ends; side < 2; side++) cables[g->cable[i].node[side]]++;
  return cables;
}

/* The first cable that is a piece of its own, if there are three pieces or more and most of them are single cables. */
static const ripstop_graph_cable *loose_cable(const ripstop_graph *g, const uint32_t *cables) {
  uint32_t *parent = RIPSTOP_ARRAY(g->arena, g->routers + 1, uint32_t), pieces = 0, loose = 0;
  const ripstop_graph_cable *first = NULL;
  for (uint32_t v = 0; v < g->routers; v++) parent[v] = v;
  for (uint32_t i = 0; i < g->cables; i++) {
    const ripstop_graph_cable *c = &g->cable[i];
    parent[root(parent, c->node[0])] = root(parent, c->node[1]);
    if (cables[c->node[0]] != 1 || cables[c->node[1]] != 1) continue;
    loose++;
    if (!first) first = c;
  }
  for (uint32_t v = 0; v < g->routers; v++) pieces += root(parent, v) == v;
  return pieces >= 3 && 2 * loose > pieces ? first : NULL;
}

/* ------------------------------------------------------------------ hosts */

/* Whether a name is one of the words, with a number behind it or none: "host12", "h3", "gpu-0". */
static bool is_called(const char *name, const char *const *words) {
  const size_t letters = strcspn(name, "0123456789_-.:/");
  for (; *words; words++)
    if (strlen(*words) == letters && strncasecmp(name, *words, letters) == 0) return true;
  return false;
}

static const char *const hosts[] = {"h",    "host",     "server",   "srv",    "gpu",     "nic", "hca",
                                    "node", "compute",  "rank",     "npu",    "xpu",     "vm",  "cn",
                                    "ca",   "terminal", "endpoint", "client", "adapter", NULL};
static const char *const routers[] = {"s", "sw",     "switch", "leaf", "spine", "tor", "core", "agg",      "edge",
                                      "r", "router", "t",      "l",    "rtr",   "top", "root", "nvswitch", NULL};

/* The first cable from a router that is named like a host, and has no other cable, to one that is named like a switch.
 */
static const ripstop_graph_cable *hosts_cable(const ripstop_graph *g, const uint32_t *cables, unsigned *side) {
  for (uint32_t i = 0; i < g->cables; i++)
    for (*side = 0; *side < 2 && !g->cable[i].ends; ++*side) {
      const uint32_t host = g->cable[i].node[*side], other = g->cable[i].node[1 - *side];
      if (cables[host] == 1 && !g->router[host].told && is_called(name_of(g, host), hosts) &&
          is_called(name_of(g, other), routers))
        return &g->cable[i];
    }
  return NULL;
}

static int refuse_host(const ripstop_graph *g, const ripstop_graph_cable *c, unsigned side, ripstop_error *err) {
  const char *host = name_of(g, c->node[side]), *router = name_of(g, c->node[1 - side]);
  return ripstop_fail(
      err,
      "%s:%u: '%.60s' is named like a host and has one cable, but would be a router with a host of its own: "
      "'@end %.60s %.60s' makes it an end node, '@router %.60s' before it a router",
      g->file, c->line, host, host, router, host);
}

int ripstop_graph_check_list(const ripstop_graph *g, ripstop_error *err) {
  const uint32_t *cables = count_cables(g);
  unsigned side;
  const ripstop_graph_cable *host = g->ends == 0 ? hosts_cable(g, cables, &side) : NULL;
  if (host) return refuse_host(g, host, side, err);
  if (g->marked) return 0;
  if (are_settings(g)) return refuse(g, &g->cable[0], "a word and a number on each line, as settings have", err);
  const ripstop_graph_cable *loose = loose_cable(g, cables);
  return loose ? refuse(g, loose, "no other line has either name, and most lines are like that", err) : 0;
}

/* named_graph.c - parts of all readers of graphs: names, the keys that describe parts, and the numbers of ports.
 *
 * Names may stand in lists of faults, and are parts of links' names; so they have no blank, no '@', '=', '#' or quote
 * in them, no "--", and no '-' or '+' at their ends. */
#include "formats/graph/named_graph.h"

#include <string.h>

#include "base/growing.h"

/* ------------------------------------------------------------------ names */

static bool is_fine(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         (c != '\0' && strchr("_.:-/*[]", c) != NULL);
}

static int check_name(const ripstop_graph *g, piece name, ripstop_error *err) {
  const char *text = name.at;
  const size_t length = piece_length(name);
  const int shown = length > RIPSTOP_GRAPH_NAME_LIMIT ? RIPSTOP_GRAPH_NAME_LIMIT : (int)length;
  if (length == 0) return ripstop_fail(err, "%s:%u: a name is empty", g->file, g->line);
  if (length > RIPSTOP_GRAPH_NAME_LIMIT)
    return ripstop_fail(err, "%s:%u: name '%.*s...' is longer than %d bytes", g->file, g->line, shown, text,
                        RIPSTOP_GRAPH_NAME_LIMIT);
  for (size_t i = 0; i < length; i++) {
    if (!is_fine(text[i]))
      return ripstop_fail(err, "%s:%u: name '%.*s': only letters, digits and _ . : / * [ ] - can be in a name", g->file,
                          g->line, shown, text);
    if (text[i] == '-' && (i == 0 || i + 1 == length || text[i + 1] == '-'))
      return ripstop_fail(err, "%s:%u: name '%.*s': '-' stands alone between other characters%s", g->file, g->line,
                          shown, text,
                          i + 1 < length && text[i + 1] == '-' ? "; '--' joins the two names of a cable" : "");
  }
  if (piece_begins(name, "end:") || piece_begins(name, "switch:") || piece_begins(name, "group:"))
    return ripstop_fail(err, "%s:%u: name '%.*s': 'end:', 'switch:' and 'group:' have a meaning of their own", g->file,
                        g->line, shown, text);
  return 0;
}

static const char *keep(const ripstop_graph *g, piece text) {
  return memcpy(ripstop_arena_array(g->arena, piece_length(text) + 1, 1), text.at, piece_length(text));
}

static bool same_router(const void *owner, uint32_t router, const char *text, size_t length) {
  return piece_is((piece){text, text + length}, ((const ripstop_graph *)owner)->router[router].name);
}

static bool same_end(const void *owner, uint32_t end, const char *text, size_t length) {
  return piece_is((piece){text, text + length}, ((const ripstop_graph *)owner)->end[end]);
}

uint32_t ripstop_graph_find_router(const ripstop_graph *g, piece name) {
  return ripstop_text_table_find(&g->router_names, name.at, piece_length(name), same_router, g);
}

uint32_t ripstop_graph_find_end(const ripstop_graph *g, piece name) {
  return ripstop_text_table_find(&g->end_names, name.at, piece_length(name), same_end, g);
}

uint32_t ripstop_graph_router_of(ripstop_graph *g, piece name, ripstop_error *err) {
  if (check_name(g, name, err) != 0) return RIPSTOP_NONE;
  const uint32_t router = ripstop_graph_find_router(g, name);
  if (router != RIPSTOP_NONE) return router;
  RIPSTOP_GROW_IN(g->arena, g->router, g->routers, g->routers_room);
  g->router[g->routers] = (ripstop_graph_router){.name = keep(g, name)};
  ripstop_text_table_add(&g->router_names, name.at, piece_length(name), g->routers);
  return g->routers++;
}

static uint32_t add_end(ripstop_graph *g, const char *name) {
  RIPSTOP_GROW_IN(g->arena, g->end, g->ends, g->ends_room);
  g->end[g->ends] = name;
  return g->ends++;
}

uint32_t ripstop_graph_end_of(ripstop_graph *g, piece name, ripstop_error *err) {
  if (check_name(g, name, err) != 0) return RIPSTOP_NONE;
  if (ripstop_graph_find_end(g, name) != RIPSTOP_NONE) {
    ripstop_fail(err, "%s:%u: a second line for the end node '%.*s'", g->file, g->line, (int)piece_length(name),
                 name.at);
    return RIPSTOP_NONE;
  }
  ripstop_text_table_add(&g->end_names, name.at, piece_length(name), g->ends);
  return add_end(g, keep(g, name));
}

/* ------------------------------------------------------------------ values by key */

uint32_t ripstop_graph_speed(piece word) {
  enum { MOST = 99999 };
  uint32_t number;
  if (!piece_count(&word, MOST, &number) || number > MOST || piece_length(word) != 1) return 0;
  const uint64_t unit = *word.at == 'M' ? 1 : *word.at == 'G' ? 1000 : *word.at == 'T' ? 1000000 : 0;
  return number * unit <= UINT32_MAX ? (uint32_t)(number * unit) : 0;
}

/* A value by its key, and the part that it describes. */
typedef struct setting {
  ripstop_graph *graph;
  ripstop_graph_router *router;
  ripstop_graph_cable *cable;
  piece value;
} setting;

static int refuse(const setting *t, const char *key, const char *is, ripstop_error *err) {
  const int shown = piece_length(t->value) > 64 ? 64 : (int)piece_length(t->value);
  return ripstop_fail(err, "%s:%u: %s=%.*s: %s", t->graph->file, t->graph->line, key, shown, t->value.at, is);
}

static int set_rate(setting *t, ripstop_error *err) {
  uint32_t rate = 0;
  t->cable->speed = ripstop_graph_speed(t->value);
  if (t->cable->speed) return 0;
  if (!piece_thousandths(t->value, &rate) || rate < RIPSTOP_RATE_LEAST || rate > RIPSTOP_RATE_FULL)
    return refuse(t, "rate", "a number from 0.01 to 1 with at most three digits behind the point, or a speed as 100G",
                  err);
  t->cable->rate = (uint16_t)rate;
  return 0;
}

static int set_delay(setting *t, ripstop_error *err) {
  uint32_t delay;
  if (!piece_is_count(t->value, RIPSTOP_DELAY_MAX, &delay) || delay == 0)
    return refuse(t, "delay", "a number of cycles from 1 to 1000", err);
  t->cable->delay = (uint16_t)delay;
  return 0;
}

static int set_twins(setting *t, ripstop_error *err) {
  if (!piece_is_count(t->value, RIPSTOP_GRAPH_TWINS_MAX, &t->cable->twins) || t->cable->twins == 0)
    return refuse(t, "n", "a number of parallel cables from 1 to 4096", err);
  return 0;
}

static int set_word(setting *t, const char **out, const char *key, ripstop_error *err) {
  for (const char *c = t->value.at; c < t->value.end; c++)
    if (!is_fine(*c)) return refuse(t, key, "only letters, digits and _ . : / * [ ] - can be in a name", err);
  if (piece_length(t->value) == 0 || piece_length(t->value) > RIPSTOP_GRAPH_NAME_LIMIT)
    return refuse(t, key, "a word of 1 to 100 bytes", err);
  *out = keep(t->graph, t->value);
  return 0;
}

/* A number, a name, or `number:name`. */
static int set_port(setting *t, unsigned side, ripstop_error *err) {
  enum { MOST = RIPSTOP_GRAPH_PORTS_MAX - 1 };
  setting name = *t;
  uint32_t port;
  const bool digits = piece_count(&name.value, MOST, &port), named = name.value.at < name.value.end;
  const bool numbered = digits && (!named || piece_take_char(&name.value, ':'));
  if (numbered && port > MOST) return refuse(t, "port", "a number below 65535", err);
  if (numbered)
    t->cable->port[side] = port;
  else
    name.value = t->value;
  return named ? set_word(&name, &t->cable->label[side], "port", err) : numbered ? 0 : refuse(t, "port", "empty", err);
}

/* "P,Q", the ports at both ends; of an end node the one at its router. */
static int set_ports(setting *t, ripstop_error *err) {
  if (t->cable->ends) return set_port(t, 1, err);
  const char *comma = memchr(t->value.at, ',', piece_length(t->value));
  if (comma == NULL) return refuse(t, "port", "both ends have one, as port=3,7", err);
  setting first = *t, second = *t;
  first.value.end = comma;
  second.value.at = comma + 1;
  return set_port(&first, 0, err) || set_port(&second, 1, err) ? -1 : 0;
}

static int set_router_ports(setting *t, ripstop_error *err) {
  if (!piece_is_count(t->value, RIPSTOP_GRAPH_PORTS_MAX, &t->router->ports))
    return refuse(t, "ports", "a number up to 65535", err);
  return 0;
}

enum { RATE, DELAY, TWINS, PORTS, SOURCE_PORT, TARGET_PORT, NAME, GROUP, CLASS, ROLE, ROUTER_PORTS };

static int set(setting *t, int key, ripstop_error *err) {
  switch (key) {
  case RATE:
    return set_rate(t, err);
  case DELAY:
    return set_delay(t, err);
  case TWINS:
    return set_twins(t, err);
  case PORTS:
    return set_ports(t, err);
  case SOURCE_PORT:
  case TARGET_PORT:
    return set_port(t, key == TARGET_PORT, err);
  case NAME:
    return set_word(t, &t->cable->name, "name", err);
  case GROUP:
    return set_word(t, t->cable ? &t->cable->group : &t->router->group, "group", err);
  case CLASS:
    return set_word(t, &t->cable->class_, "class", err);
  case ROLE:
    return set_word(t, &t->router->role, "role", err);
  default:
    return set_router_ports(t, err);
  }
}

int ripstop_graph_set(ripstop_graph *g, ripstop_graph_part part, ripstop_graph_router *router,
                      ripstop_graph_cable *cable, piece key, piece value, ripstop_error *err) {
  static const char *const words[][10] = {
      [RIPSTOP_GRAPH_ROUTER] = {"group", "role", "ports", NULL},
      [RIPSTOP_GRAPH_END] = {"rate", "delay", "group", "port", "name", "class", NULL},
      [RIPSTOP_GRAPH_CABLE] = {"rate", "delay", "group", "class", "n", "name", "port", "sourceport", "targetport",
                               NULL}};
  static const int meaning[][10] = {
      [RIPSTOP_GRAPH_ROUTER] = {GROUP, ROLE, ROUTER_PORTS},
      [RIPSTOP_GRAPH_END] = {RATE, DELAY, GROUP, PORTS, NAME, CLASS},
      [RIPSTOP_GRAPH_CABLE] = {RATE, DELAY, GROUP, CLASS, TWINS, NAME, PORTS, SOURCE_PORT, TARGET_PORT}};
  setting t = {g, router, cable, value};
  char shown[64];
  snprintf(shown, sizeof shown, "%.*s", piece_length(key) > 60 ? 60 : (int)piece_length(key), key.at);
  for (unsigned i = 0; words[part][i] != NULL; i++)
    if (piece_is(key, words[part][i])) return set(&t, meaning[part][i], err);
  const char *near = ripstop_nearest_word(shown, words[part]);
  return ripstop_fail(err, "%s:%u: '%s=' is unknown%s%s%s", g->file, g->line, shown, near ? "; did you mean '" : "",
                      near ? near : "", near ? "='?" : "");
}

/* ------------------------------------------------------------------ cables */

static bool same_link(const void *owner, uint32_t cable, const char *text, size_t length) {
  return piece_is((piece){text, text + length}, ((const ripstop_graph *)owner)->cable[cable].name);
}

/* Adds the name of the cable that comes next. */
static int add_name(ripstop_graph *g, const char *name, ripstop_error *err) {
  if (ripstop_text_table_find(&g->link_names, name, strlen(name), same_link, g) != RIPSTOP_NONE)
    return ripstop_fail(err, "%s:%u: two links have the name '%s'", g->file, g->line, name);
  ripstop_text_table_add(&g->link_names, name, strlen(name), g->cables);
  return 0;
}

int ripstop_graph_add(ripstop_graph *g, const ripstop_graph_cable *cable, ripstop_error *err) {
  uint32_t count = cable->twins ? cable->twins : 1;
  bool own = cable->name || cable->label[0] || cable->label[1] || cable->port[0] != RIPSTOP_NONE ||
             cable->port[1] != RIPSTOP_NONE;
  if (count > 1 && own)
    return ripstop_fail(err, "%s:%u: %u cables cannot have one name or port", g->file, g->line, count);
  if (!cable->ends && cable->node[0] == cable->node[1])
    return ripstop_fail(err, "%s:%u: a link from '%s' to itself", g->file, g->line, g->router[cable->node[0]].name);
  if (count > RIPSTOP_FABRIC_MAX_PORTS / 2 - g->cables)
    return ripstop_fail(err, "%s:%u: too big, more than %u links", g->file, g->line, RIPSTOP_FABRIC_MAX_PORTS / 2);
  if (cable->name && add_name(g, cable->name, err) != 0) return -1;
  for (; count > 0; count--) {
    RIPSTOP_GROW_IN(g->arena, g->cable, g->cables, g->cables_room);
    g->cable[g->cables++] = *cable;
  }
  if (cable->speed > g->fastest) g->fastest = cable->speed;
  return 0;
}

void ripstop_graph_link_name(const char *a, const char *b, uint32_t twin, char *out) {
  int length = snprintf(out, RIPSTOP_NAME_MAX, "%.120s--%.120s", a, b);
  if (twin > 1) snprintf(out + length, RIPSTOP_NAME_MAX - (size_t)length, "#%u", twin);
}

/* The router that was named first comes first in a link and its name. */
static void turn_cables(ripstop_graph *g) {
  for (uint32_t i = 0; i < g->cables; i++) {
    ripstop_graph_cable *c = &g->cable[i], as = *c;
    if (c->ends || c->node[0] < c->node[1]) continue;
    for (unsigned side = 0; side < 2; side++) {
      c->node[side] = as.node[1 - side];
      c->port[side] = as.port[1 - side];
      c->label[side] = as.label[1 - side];
    }
  }
}

static void add_ends_of_routers(ripstop_graph *g) {
  for (uint32_t router = 0; router < g->routers; router++) {
    const ripstop_graph_cable cable = {
        .node = {add_end(g, g->router[router].name), router}, .ends = true, .port = {RIPSTOP_NONE, RIPSTOP_NONE}};
    RIPSTOP_GROW_IN(g->arena, g->cable, g->cables, g->cables_room);
    g->cable[g->cables++] = cable;
  }
}

/* ------------------------------------------------------------------ ports */

/* A router has a port for each of its cables, and at least as many as the highest number in the file. */
static int count_ports(ripstop_graph *g, ripstop_error *err) {
  uint32_t *ports = RIPSTOP_ARRAY(g->arena, g->routers, uint32_t);
  uint64_t all = 0;
  for (uint32_t i = 0; i < g->cables; i++)
    for (unsigned side = g->cable[i].ends; side < 2; side++) ports[g->cable[i].node[side]]++;
  for (uint32_t i = 0; i < g->cables; i++)
    for (unsigned side = g->cable[i].ends; side < 2; side++) {
      uint32_t router = g->cable[i].node[side], port = g->cable[i].port[side];
      if (port != RIPSTOP_NONE && port >= ports[router]) ports[router] = port + 1;
    }
  for (uint32_t router = 0; router < g->routers; router++) {
    if (ports[router] > g->router[router].ports) g->router[router].ports = ports[router];
    all += g->router[router].ports;
  }
  if (all <= RIPSTOP_FABRIC_MAX_PORTS) return 0;
  return ripstop_fail(err, "%s: too big, more than %u ports", g->file, RIPSTOP_FABRIC_MAX_PORTS);
}

/* Ports with a number in the file keep it; the others get the free numbers in order. */
static int number_ports(ripstop_graph *g, ripstop_error *err) {
  uint32_t *first = RIPSTOP_ARRAY(g->arena, g->routers + 1, uint32_t);
  uint32_t *next = RIPSTOP_ARRAY(g->arena, g->routers + 1, uint32_t);
  for (uint32_t router = 0; router < g->routers; router++) first[router + 1] = first[router] + g->router[router].ports;
  uint8_t *taken = RIPSTOP_ARRAY(g->arena, first[g->routers] + 1, uint8_t);
  for (uint32_t i = 0; i < g->cables; i++)
    for (unsigned side = g->cable[i].ends; side < 2; side++) {
      uint32_t router = g->cable[i].node[side], port = g->cable[i].port[side];
      g->cable[i].numbered[side] = port != RIPSTOP_NONE;
      if (port != RIPSTOP_NONE && taken[first[router] + port]++)
        return ripstop_fail(err, "%s: port %u of '%s' has two cables", g->file, port, g->router[router].name);
    }
  for (uint32_t i = 0; i < g->cables; i++)
    for (unsigned side = g->cable[i].ends; side < 2; side++) {
      uint32_t router = g->cable[i].node[side], *port = &g->cable[i].port[side];
      if (*port != RIPSTOP_NONE) continue;
      while (taken[first[router] + next[router]]) next[router]++;
      *port = next[router]++;
    }
  return 0;
}

static int fail_unjoined(const ripstop_graph *g, ripstop_error *err) {
  const char *edge = g->xml ? "no <edge source=... target=...>" : "no line that joins two of them";
  if (!g->routers) return ripstop_fail(err, "%s: no switch and no link in it", g->file);
  return ripstop_fail(err, "%s: %u %s and no link between switches: %s", g->file, g->routers,
                      g->routers == 1 ? "switch" : "switches", edge);
}

int ripstop_graph_finish(ripstop_graph *g, ripstop_error *err) {
  bool joined = g->ends > 0;
  for (uint32_t i = 0; i < g->cables; i++) joined |= !g->cable[i].ends;
  if (!joined) return fail_unjoined(g, err);
  turn_cables(g);
  if (g->ends == 0) add_ends_of_routers(g);
  return count_ports(g, err) || number_ports(g, err) ? -1 : 0;
}

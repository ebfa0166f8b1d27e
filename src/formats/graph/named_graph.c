/* named_graph.c - what both readers of graphs need: names, the words that tell of parts, and the numbers of ports.
 *
 * Names may stand in lists of faults, and are parts of links' names; so they have no blank, no '@', '=', '#' or quote
 * in them, no "--", and no '-' or '+' at their ends. */
#include "formats/graph/named_graph.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ names */

static bool starts_with(const char *text, size_t length, const char *prefix) {
  size_t count = strlen(prefix);
  return length >= count && memcmp(text, prefix, count) == 0;
}

static bool is_fine(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         (c != '\0' && strchr("_.:-/*[]", c) != NULL);
}

static int check_name(const ripstop_graph *g, const char *text, size_t length, ripstop_error *err) {
  int shown = length > RIPSTOP_GRAPH_NAME_LIMIT ? RIPSTOP_GRAPH_NAME_LIMIT : (int)length;
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
  if (starts_with(text, length, "end:") || starts_with(text, length, "switch:") || starts_with(text, length, "group:"))
    return ripstop_fail(err, "%s:%u: name '%.*s': 'end:', 'switch:' and 'group:' have a meaning of their own", g->file,
                        g->line, shown, text);
  return 0;
}

static const char *keep(const ripstop_graph *g, const char *text, size_t length) {
  char *copy = ripstop_arena_array(g->arena, length + 1, 1);
  return memcpy(copy, text, length);
}

static bool same_router(const void *owner, uint32_t router, const char *text, size_t length) {
  const char *name = ((const ripstop_graph *)owner)->router[router].name;
  return strlen(name) == length && memcmp(name, text, length) == 0;
}

static bool same_end(const void *owner, uint32_t end, const char *text, size_t length) {
  const char *name = ((const ripstop_graph *)owner)->end[end];
  return strlen(name) == length && memcmp(name, text, length) == 0;
}

static void *grown(const ripstop_graph *g, void *list, uint32_t count, uint32_t *room, size_t size) {
  if (count < *room) return list;
  *room = *room == 0 ? 64 : 2 * *room;
  return ripstop_arena_realloc(g->arena, list, *room, size);
}

uint32_t ripstop_graph_find_router(const ripstop_graph *g, const char *name, size_t length) {
  return ripstop_text_table_find(&g->router_names, name, length, same_router, g);
}

uint32_t ripstop_graph_find_end(const ripstop_graph *g, const char *name, size_t length) {
  return ripstop_text_table_find(&g->end_names, name, length, same_end, g);
}

uint32_t ripstop_graph_router_of(ripstop_graph *g, const char *name, size_t length, ripstop_error *err) {
  if (check_name(g, name, length, err) != 0) return RIPSTOP_NONE;
  uint32_t router = ripstop_graph_find_router(g, name, length);
  if (router != RIPSTOP_NONE) return router;
  g->router = grown(g, g->router, g->routers, &g->routers_room, sizeof *g->router);
  g->router[g->routers] = (ripstop_graph_router){.name = keep(g, name, length)};
  ripstop_text_table_add(&g->router_names, name, length, g->routers);
  return g->routers++;
}

static uint32_t add_end(ripstop_graph *g, const char *name) {
  g->end = grown(g, (void *)g->end, g->ends, &g->ends_room, sizeof *g->end);
  g->end[g->ends] = name;
  return g->ends++;
}

uint32_t ripstop_graph_end_of(ripstop_graph *g, const char *name, size_t length, ripstop_error *err) {
  if (check_name(g, name, length, err) != 0) return RIPSTOP_NONE;
  if (ripstop_graph_find_end(g, name, length) != RIPSTOP_NONE) {
    ripstop_fail(err, "%s:%u: the end node '%.*s' is told of twice", g->file, g->line, (int)length, name);
    return RIPSTOP_NONE;
  }
  ripstop_text_table_add(&g->end_names, name, length, g->ends);
  return add_end(g, keep(g, name, length));
}

/* ------------------------------------------------------------------ what is told of a part */

uint32_t ripstop_graph_speed(const char *word, size_t length) {
  uint64_t speed = 0;
  if (length < 2 || length > 6) return 0;
  for (size_t i = 0; i + 1 < length; i++) {
    if (word[i] < '0' || word[i] > '9') return 0;
    speed = 10 * speed + (uint64_t)(word[i] - '0');
  }
  speed *= word[length - 1] == 'M' ? 1 : word[length - 1] == 'G' ? 1000 : word[length - 1] == 'T' ? 1000000 : 0;
  return speed <= UINT32_MAX ? (uint32_t)speed : 0;
}

/* Digits and nothing else, at most `most`. */
static bool read_number(const char *text, size_t length, uint32_t most, uint32_t *out) {
  uint64_t value = 0;
  for (size_t i = 0; i < length && value <= most; i++) {
    if (text[i] < '0' || text[i] > '9') return false;
    value = 10 * value + (uint64_t)(text[i] - '0');
  }
  *out = (uint32_t)value;
  return length > 0 && value <= most;
}

typedef struct telling {
  ripstop_graph *graph;
  ripstop_graph_router *router;
  ripstop_graph_cable *cable;
  const char *value;
  size_t length;
} telling;

static int refuse(const telling *t, const char *key, const char *is, ripstop_error *err) {
  int shown = t->length > 64 ? 64 : (int)t->length;
  return ripstop_fail(err, "%s:%u: %s=%.*s: %s", t->graph->file, t->graph->line, key, shown, t->value, is);
}

static int tell_rate(telling *t, ripstop_error *err) {
  char digits[16];
  double rate = 0;
  ripstop_error why;
  t->cable->speed = ripstop_graph_speed(t->value, t->length);
  if (t->cable->speed) return 0;
  if (t->length < sizeof digits && !memchr(t->value, '\0', t->length)) {
    snprintf(digits, sizeof digits, "%.*s", (int)t->length, t->value);
    if (ripstop_parse_real(digits, &rate, &why)) rate = 0;
  }
  rate *= RIPSTOP_RATE_FULL;
  if (rate < RIPSTOP_RATE_LEAST - 0.5 || rate > RIPSTOP_RATE_FULL + 0.5 || fabs(rate - round(rate)) > 1e-6)
    return refuse(t, "rate", "a number from 0.01 to 1 with at most three digits behind the point, or a speed as 100G",
                  err);
  t->cable->rate = (uint16_t)lround(rate);
  return 0;
}

static int tell_delay(telling *t, ripstop_error *err) {
  uint32_t delay;
  if (!read_number(t->value, t->length, RIPSTOP_DELAY_MAX, &delay) || delay == 0)
    return refuse(t, "delay", "a number of cycles from 1 to 1000", err);
  t->cable->delay = (uint16_t)delay;
  return 0;
}

static int tell_twins(telling *t, ripstop_error *err) {
  if (!read_number(t->value, t->length, RIPSTOP_GRAPH_TWINS_MAX, &t->cable->twins) || t->cable->twins == 0)
    return refuse(t, "n", "a number of parallel cables from 1 to 4096", err);
  return 0;
}

static int tell_word(telling *t, const char **out, const char *key, ripstop_error *err) {
  for (size_t i = 0; i < t->length; i++)
    if (!is_fine(t->value[i])) return refuse(t, key, "only letters, digits and _ . : / * [ ] - can be in a name", err);
  if (t->length == 0 || t->length > RIPSTOP_GRAPH_NAME_LIMIT) return refuse(t, key, "a word of 1 to 100 bytes", err);
  *out = keep(t->graph, t->value, t->length);
  return 0;
}

/* A number, a name, or `number:name`. */
static int tell_port(telling *t, unsigned side, ripstop_error *err) {
  size_t digits = 0;
  while (digits < t->length && t->value[digits] >= '0' && t->value[digits] <= '9') digits++;
  bool named = digits<t->length, numbered = digits> 0 && (!named || t->value[digits] == ':');
  telling name = *t;
  if (numbered && !read_number(t->value, digits, RIPSTOP_GRAPH_PORTS_MAX - 1, &t->cable->port[side]))
    return refuse(t, "port", "a number below 65535", err);
  if (numbered) name.value += digits + named, name.length -= digits + named;
  return named ? tell_word(&name, &t->cable->label[side], "port", err) : numbered ? 0 : refuse(t, "port", "empty", err);
}

/* "P,Q", the ports at both ends; of an end node the one at its router. */
static int tell_ports(telling *t, ripstop_error *err) {
  if (t->cable->ends) return tell_port(t, 1, err);
  const char *comma = memchr(t->value, ',', t->length);
  if (comma == NULL) return refuse(t, "port", "both ends have one, as port=3,7", err);
  telling first = *t, second = *t;
  first.length = (size_t)(comma - t->value);
  second.value = comma + 1;
  second.length = t->length - first.length - 1;
  return tell_port(&first, 0, err) || tell_port(&second, 1, err) ? -1 : 0;
}

static int tell_router_ports(telling *t, ripstop_error *err) {
  if (!read_number(t->value, t->length, RIPSTOP_GRAPH_PORTS_MAX, &t->router->ports))
    return refuse(t, "ports", "a number up to 65535", err);
  return 0;
}

enum { RATE, DELAY, TWINS, PORTS, SOURCE_PORT, TARGET_PORT, NAME, GROUP, CLASS, ROLE, ROUTER_PORTS };

static int tell(telling *t, int key, ripstop_error *err) {
  switch (key) {
  case RATE:
    return tell_rate(t, err);
  case DELAY:
    return tell_delay(t, err);
  case TWINS:
    return tell_twins(t, err);
  case PORTS:
    return tell_ports(t, err);
  case SOURCE_PORT:
  case TARGET_PORT:
    return tell_port(t, key == TARGET_PORT, err);
  case NAME:
    return tell_word(t, &t->cable->name, "name", err);
  case GROUP:
    return tell_word(t, t->cable ? &t->cable->group : &t->router->group, "group", err);
  case CLASS:
    return tell_word(t, &t->cable->class_, "class", err);
  case ROLE:
    return tell_word(t, &t->router->role, "role", err);
  default:
    return tell_router_ports(t, err);
  }
}

int ripstop_graph_tell(ripstop_graph *g, ripstop_graph_part part, ripstop_graph_router *router,
                       ripstop_graph_cable *cable, const char *key, size_t key_length, const char *value, size_t length,
                       ripstop_error *err) {
  static const char *const words[][10] = {
      [RIPSTOP_GRAPH_ROUTER] = {"group", "role", "ports", NULL},
      [RIPSTOP_GRAPH_END] = {"rate", "delay", "group", "port", "name", "class", NULL},
      [RIPSTOP_GRAPH_CABLE] = {"rate", "delay", "group", "class", "n", "name", "port", "sourceport", "targetport",
                               NULL}};
  static const int meaning[][10] = {
      [RIPSTOP_GRAPH_ROUTER] = {GROUP, ROLE, ROUTER_PORTS},
      [RIPSTOP_GRAPH_END] = {RATE, DELAY, GROUP, PORTS, NAME, CLASS},
      [RIPSTOP_GRAPH_CABLE] = {RATE, DELAY, GROUP, CLASS, TWINS, NAME, PORTS, SOURCE_PORT, TARGET_PORT}};
  telling t = {g, router, cable, value, length};
  char shown[64];
  snprintf(shown, sizeof shown, "%.*s", key_length > 60 ? 60 : (int)key_length, key);
  for (unsigned i = 0; words[part][i] != NULL; i++)
    if (strlen(words[part][i]) == key_length && memcmp(words[part][i], key, key_length) == 0)
      return tell(&t, meaning[part][i], err);
  const char *near = ripstop_nearest_word(shown, words[part]);
  return ripstop_fail(err, "%s:%u: '%s=' is unknown%s%s%s", g->file, g->line, shown, near ? "; did you mean '" : "",
                      near ? near : "", near ? "='?" : "");
}

/* ------------------------------------------------------------------ cables */

static bool same_link(const void *owner, uint32_t cable, const char *text, size_t length) {
  const char *name = ((const ripstop_graph *)owner)->cable[cable].name;
  return strlen(name) == length && memcmp(name, text, length) == 0;
}

/* Of the cable that comes next. */
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
    g->cable = grown(g, g->cable, g->cables, &g->cables_room, sizeof *g->cable);
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
    g->cable = grown(g, g->cable, g->cables, &g->cables_room, sizeof *g->cable);
    g->cable[g->cables++] = cable;
  }
}

/* ------------------------------------------------------------------ ports */

/* How many a router has: one for each of its cables, up to the highest that is told. */
static int count_ports(ripstop_graph *g, uint32_t *ports, ripstop_error *err) {
  uint64_t all = 0;
  for (uint32_t i = 0; i < g->cables; i++)
    for (unsigned side = g->cable[i].ends; side < 2; side++) ports[g->cable[i].node[side]]++;
  for (uint32_t i = 0; i < g->cables; i++)
    for (unsigned side = g->cable[i].ends; side < 2; side++) {
      uint32_t router = g->cable[i].node[side], port = g->cable[i].port[side];
      if (port != RIPSTOP_NONE && port >= ports[router]) ports[router] = port + 1;
    }
  for (uint32_t router = 0; router < g->routers; router++) {
    if (ports[router] < g->router[router].ports) ports[router] = g->router[router].ports;
    all += ports[router];
  }
  if (all <= RIPSTOP_FABRIC_MAX_PORTS) return 0;
  return ripstop_fail(err, "%s: too big, more than %u ports", g->file, RIPSTOP_FABRIC_MAX_PORTS);
}

/* First those that are told, then the others one after the other. */
static int number_ports(ripstop_graph *g, const uint32_t *ports, ripstop_error *err) {
  uint32_t *first = RIPSTOP_ARRAY(g->arena, g->routers + 1, uint32_t);
  uint32_t *next = RIPSTOP_ARRAY(g->arena, g->routers + 1, uint32_t);
  for (uint32_t router = 0; router < g->routers; router++) first[router + 1] = first[router] + ports[router];
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

int ripstop_graph_finish(ripstop_graph *g, uint32_t **ports, ripstop_error *err) {
  bool joined = g->ends > 0;
  for (uint32_t i = 0; i < g->cables; i++) joined |= !g->cable[i].ends;
  if (!joined) return fail_unjoined(g, err);
  turn_cables(g);
  if (g->ends == 0) add_ends_of_routers(g);
  *ports = RIPSTOP_ARRAY(g->arena, g->routers, uint32_t);
  return count_ports(g, *ports, err) || number_ports(g, *ports, err) ? -1 : 0;
}

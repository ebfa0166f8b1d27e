/* class_maps.c - writes the maps.
 *
 * A switch must know at the port of departure from where a packet came. So packets of a class get one traffic class
 * (TC) at ports from above, and another one at other ports; TC 0 is lossy. A packet is accounted for in the class with
 * which it came. At a port that leads up, packets from above get the queue and the DSCP of the next class; those of the
 * last class get those of TC 0. From hosts only the first class is lossless. */
#include "report/class_maps.h"

#include "formats/ethernet/sonic_config.h"
#include "report/json_values.h"

typedef struct maps {
  const turn_classes *t;
  json_t *out;
} maps;

/* Traffic classes: 0, then a class each from below, then from above. */
static unsigned tc_of(const maps *m, uint32_t class_, bool above) { return 1 + class_ + (above ? m->t->classes : 0); }

static void put(json_t *map, unsigned key, unsigned value) {
  char name[12];
  snprintf(name, sizeof name, "%u", key);
  json_object_set_new(map, name, json_sprintf("%u", value));
}

static json_t *table(const maps *m, const char *name) {
  if (!json_object_get(m->out, name)) json_object_set_new(m->out, name, json_object());
  return json_object_get(m->out, name);
}

/* `classes`: those that are lossless; from hosts the first one alone. */
static void add_dscps(const maps *m, const char *name, bool above, uint32_t classes) {
  json_t *map = json_object();
  for (unsigned dscp = 0; dscp < SONIC_DSCPS; dscp++) put(map, dscp, 0);
  for (uint32_t k = 0; k < classes; k++) put(map, class_maps_priority(k), tc_of(m, k, above));
  json_object_set_new(table(m, "DSCP_TO_TC_MAP"), name, map);
}

static void add_groups(const maps *m) {
  json_t *map = json_object();
  put(map, 0, 0);
  for (uint32_t k = 0; k < m->t->classes; k++)
    for (unsigned above = 0; above < 2; above++) put(map, tc_of(m, k, above), class_maps_priority(k));
  json_object_set_new(table(m, "TC_TO_PRIORITY_GROUP_MAP"), "TURNS", map);
}

/* Queues and DSCPs have the same numbers. */
static void add_departures(const maps *m, const char *of, const char *name, bool up) {
  json_t *map = json_object();
  put(map, 0, 0);
  for (uint32_t k = 0; k < m->t->classes; k++)
    for (unsigned above = 0; above < 2; above++) {
      const uint32_t next = k + (above && up);
      put(map, tc_of(m, k, above), next < m->t->classes ? class_maps_priority(next) : 0);
    }
  json_object_set_new(table(m, of), name, map);
}

static void add_pauses(const maps *m) {
  json_t *map = json_object();
  for (unsigned p = 0; p < SONIC_PRIORITIES; p++) put(map, p, p);
  json_object_set_new(table(m, "MAP_PFC_PRIORITY_TO_QUEUE"), "TURNS", map);
}

/* "3,4" */
static json_t *priorities(const maps *m) {
  char text[2 * TURN_CLASSES_MOST + 1] = "";
  for (uint32_t k = 0; k < m->t->classes; k++)
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u", k ? "," : "", class_maps_priority(k));
  return json_string(text);
}

static void add_port(const maps *m, uint32_t port) {
  static const char *const from[] = {[TURN_HOST] = "FROM_HOST", [TURN_DOWN] = "FROM_BELOW", [TURN_UP] = "FROM_ABOVE"};
  const turn_side side = m->t->side[port];
  const char *to = side == TURN_UP ? "TO_ABOVE" : "TO_BELOW";
  if (side == TURN_NOWHERE) return;
  json_object_set_new(table(m, "PORT_QOS_MAP"), m->t->c->port[port].name,
                      json_pack("{s:s, s:s, s:s, s:s, s:s, s:o}", "dscp_to_tc_map", from[side], "tc_to_pg_map", "TURNS",
                                "tc_to_queue_map", to, "tc_to_dscp_map", to, "pfc_to_queue_map", "TURNS", "pfc_enable",
                                priorities(m)));
}

json_t *class_maps_of(const turn_classes *t, uint32_t node) {
  const maps m = {.t = t, .out = json_object()};
  add_dscps(&m, "FROM_HOST", false, 1);
  add_dscps(&m, "FROM_BELOW", false, t->classes);
  add_dscps(&m, "FROM_ABOVE", true, t->classes);
  add_groups(&m);
  add_departures(&m, "TC_TO_QUEUE_MAP", "TO_ABOVE", true);
  add_departures(&m, "TC_TO_QUEUE_MAP", "TO_BELOW", false);
  add_departures(&m, "TC_TO_DSCP_MAP", "TO_ABOVE", true);
  add_departures(&m, "TC_TO_DSCP_MAP", "TO_BELOW", false);
  add_pauses(&m);
  for (uint32_t i = t->first[node]; i < t->first[node + 1]; i++) add_port(&m, t->port[i]);
  return m.out;
}

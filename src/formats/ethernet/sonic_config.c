/* sonic_config.c - reads config_db.json.
 *
 * A port without dscp_to_tc_map has TC 0 for all packets; without another map numbers stay as they are; without
 * tc_to_dscp_map the DSCP stays. A number that a map lacks becomes 0. */
#include "formats/ethernet/sonic_config.h"

#include "base/growing.h"

enum { SHOWN = 40, QUEUES = 32 };

static const char *const tables[] = {"DEVICE_NEIGHBOR", "PORT",           "PORT_QOS_MAP",
                                     "DEVICE_METADATA", "DSCP_TO_TC_MAP", NULL};

bool sonic_config_is(const jt_doc *doc) {
  for (unsigned i = 0; tables[i]; i++)
    if (jt_kind_of(doc, jt_member(doc, 0, tables[i])) == JT_OBJECT) return true;
  return false;
}

static int shown(piece p) { return piece_length(p) > SHOWN ? SHOWN : (int)piece_length(p); }

/* ------------------------------------------------------------------ cables */

/* The part of a key before `|`, and what is behind it. */
static piece before_bar(piece *key) {
  const char *bar = memchr(key->at, '|', piece_length(*key));
  const piece first = {key->at, bar ? bar : key->end};
  key->at = bar ? bar + 1 : key->end;
  return first;
}

static int add_neighbor(cabling *c, const jt_doc *doc, uint32_t node, piece local, uint32_t value, ripstop_error *err) {
  ripstop_arena *scratch = ripstop_arena_new();
  const piece name = jt_piece(doc, jt_member(doc, value, "name")), port = jt_piece(doc, jt_member(doc, value, "port"));
  const uint32_t there = cabling_add_node(c, piece_of(jt_string_of(doc, scratch, name)));
  const uint32_t a = cabling_add_port(c, node, piece_of(jt_string_of(doc, scratch, local)));
  const uint32_t b = cabling_add_port(c, there, piece_of(jt_string_of(doc, scratch, port)));
  ripstop_arena_free(scratch);
  if (a == RIPSTOP_NONE || b == RIPSTOP_NONE)
    return ripstop_fail(err, "%s:%u: DEVICE_NEIGHBOR: '%.*s' has no \"name\" and \"port\" of 1 to %u bytes", doc->name,
                        jt_line(doc, value), shown(local), local.at, CABLING_NAME_MOST);
  return cabling_join(c, a, b, false, err) ? ripstop_fail_at(err, "%s:%u", doc->name, jt_line(doc, value)) : 0;
}

/* "PortChannel1|Ethernet0": the port is a member. */
static void add_member(cabling *c, const jt_doc *doc, uint32_t node, piece key) {
  const piece bundle = before_bar(&key);
  const uint32_t port = cabling_add_port(c, node, key);
  if (port != RIPSTOP_NONE && bundle.at < bundle.end) c->port[port].bundle = jt_string_of(doc, c->arena, bundle);
}

int sonic_config_cables(cabling *c, const jt_doc *doc, const char *switch_name, ripstop_error *err) {
  const uint32_t node = cabling_add_node(c, piece_of(switch_name));
  if (node == RIPSTOP_NONE)
    return ripstop_fail(err, "%s: its name is the name of a switch, of 1 to %u bytes", doc->name, CABLING_NAME_MOST);
  c->node[node].own = true;
  for (jt_walk w = jt_walk_of(doc, jt_member(doc, 0, "DEVICE_NEIGHBOR")); w.keys && jt_next(&w);)
    if (add_neighbor(c, doc, node, w.key, w.value, err)) return -1;
  for (jt_walk w = jt_walk_of(doc, jt_member(doc, 0, "PORTCHANNEL_MEMBER")); w.keys && jt_next(&w);)
    add_member(c, doc, node, w.key);
  return 0;
}

/* ------------------------------------------------------------------ maps */

void sonic_classes_open(sonic_classes *s, ripstop_arena *arena, ripstop_text *notes) {
  *s = (sonic_classes){.arena = arena, .by_qos = {.arena = arena}, .notes = notes};
}

sonic_qos sonic_qos_none(void) {
  sonic_qos q;
  memset(&q, 0, sizeof q);
  for (unsigned i = 0; i < SONIC_TCS; i++) q.group_of_tc[i] = q.queue_of_tc[i] = (uint8_t)i;
  for (unsigned i = 0; i < SONIC_PRIORITIES; i++) q.queue_of_priority[i] = q.group_of_priority[i] = (uint8_t)i;
  return q;
}

/* A kind of map: what a port calls it, the table that has it, and the numbers on both sides. */
typedef struct kind {
  const char *key, *table;
  size_t at; /* in sonic_qos */
  uint32_t from, to;
} kind;

enum { DSCP_TO_TC, TC_TO_GROUP, TC_TO_QUEUE, TC_TO_DSCP, PRIORITY_TO_QUEUE, PRIORITY_TO_GROUP, KINDS };
static const kind kinds[KINDS] = {
    {"dscp_to_tc_map", "DSCP_TO_TC_MAP", offsetof(sonic_qos, tc_of_dscp), SONIC_DSCPS, SONIC_TCS},
    {"tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP", offsetof(sonic_qos, group_of_tc), SONIC_TCS, SONIC_PRIORITIES},
    {"tc_to_queue_map", "TC_TO_QUEUE_MAP", offsetof(sonic_qos, queue_of_tc), SONIC_TCS, QUEUES},
    {"tc_to_dscp_map", "TC_TO_DSCP_MAP", offsetof(sonic_qos, dscp_of_tc), SONIC_TCS, SONIC_DSCPS},
    {"pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE", offsetof(sonic_qos, queue_of_priority), SONIC_PRIORITIES, QUEUES},
    {"pfc_to_pg_map", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", offsetof(sonic_qos, group_of_priority), SONIC_PRIORITIES,
     SONIC_PRIORITIES},
};

/* "AZURE", or as older versions write it "[DSCP_TO_TC_MAP|AZURE]". */
static piece map_name(piece text) {
  const char *bar;
  if (text.at < text.end && *text.at == '[' && text.end[-1] == ']' && (bar = memchr(text.at, '|', piece_length(text))))
    return (piece){bar + 1, text.end - 1};
  return text;
}

static uint32_t find_member(const jt_doc *doc, uint32_t object, piece key) {
  for (jt_walk w = jt_walk_of(doc, object); w.keys && jt_next(&w);)
    if (piece_length(w.key) == piece_length(key) && memcmp(w.key.at, key.at, piece_length(key)) == 0) return w.value;
  return RIPSTOP_NONE;
}

/* Takes the map that `value` names into `qos`. */
static int take_map(const jt_doc *doc, const kind *k, uint32_t value, sonic_qos *qos, ripstop_error *err) {
  uint8_t *out = (uint8_t *)qos + k->at;
  const piece name = map_name(jt_piece(doc, value));
  const uint32_t map = find_member(doc, jt_member(doc, 0, k->table), name);
  if (jt_kind_of(doc, map) != JT_OBJECT)
    return ripstop_fail(err, "%s:%u: %s: there is no map '%.*s' in %s", doc->name, jt_line(doc, value), k->key,
                        shown(name), name.at, k->table);
  memset(out, 0, k->from);
  for (jt_walk w = jt_walk_of(doc, map); jt_next(&w);) {
    uint32_t from, to;
    const piece number = jt_piece(doc, w.value);
    if (!piece_is_count(w.key, k->from - 1, &from) || !piece_is_count(number, k->to - 1, &to))
      return ripstop_fail(err, "%s:%u: %s: '%.*s' to '%.*s' is not from 0 .. %u to 0 .. %u", doc->name,
                          jt_line(doc, w.value), k->table, shown(w.key), w.key.at, shown(number), number.at,
                          k->from - 1, k->to - 1);
    out[from] = (uint8_t)to;
  }
  return 0;
}

/* "3,4"; empty: none. */
static int take_pauses(const jt_doc *doc, uint32_t value, uint8_t *out, ripstop_error *err) {
  piece rest = jt_piece(doc, value);
  while (rest.at < rest.end) {
    uint32_t priority;
    piece_skip_blanks(&rest);
    if (!piece_count(&rest, SONIC_PRIORITIES - 1, &priority) || priority >= SONIC_PRIORITIES)
      return ripstop_fail(err, "%s:%u: pfc_enable: priorities are numbers from 0 to %u, separated by commas", doc->name,
                          jt_line(doc, value), SONIC_PRIORITIES - 1);
    *out |= (uint8_t)(1U << priority);
    piece_skip_blanks(&rest);
    if (rest.at < rest.end && !piece_take_char(&rest, ','))
      return ripstop_fail(err, "%s:%u: pfc_enable: priorities are separated by commas", doc->name, jt_line(doc, value));
  }
  return 0;
}

/* Replaces in `qos` and `has` what the object says. */
static int take_qos(const jt_doc *doc, uint32_t value, sonic_qos *qos, bool *has, ripstop_error *err) {
  for (jt_walk w = jt_walk_of(doc, value); w.keys && jt_next(&w);) {
    if (piece_is(w.key, "pfc_enable") && take_pauses(doc, w.value, &qos->pauses, err)) return -1;
    for (unsigned i = 0; i < KINDS; i++)
      if (piece_is(w.key, kinds[i].key)) {
        if (take_map(doc, &kinds[i], w.value, qos, err)) return -1;
        has[i] = true;
      }
  }
  qos->rewrites = has[TC_TO_DSCP];
  return 0;
}

/* ------------------------------------------------------------------ ports */

static bool same_qos(const void *owner, uint32_t i, const char *text, size_t length) {
  return memcmp(&((const sonic_classes *)owner)->qos[i], text, length) == 0;
}

static uint32_t keep_qos(sonic_classes *s, const sonic_qos *qos) {
  uint32_t at = ripstop_text_table_find(&s->by_qos, (const char *)qos, sizeof *qos, same_qos, s);
  if (at != RIPSTOP_NONE) return at;
  RIPSTOP_GROW_IN(s->arena, s->qos, s->qoses, s->qos_room);
  s->qos[at = s->qoses++] = *qos;
  ripstop_text_table_add(&s->by_qos, (const char *)qos, sizeof *qos, at);
  return at;
}

static void add_port(sonic_classes *s, uint32_t node, uint32_t port, uint32_t qos) {
  RIPSTOP_GROW_IN(s->arena, s->port, s->ports, s->port_room);
  s->port[s->ports++] = (sonic_port){port, qos, node};
}

/* The key of PORT_QOS_MAP names one port or several, or all by `global`. */
static void add_ports(sonic_classes *s, cabling *c, uint32_t node, piece key, uint32_t qos) {
  if (piece_is(key, "global")) {
    add_port(s, node, RIPSTOP_NONE, qos);
    return;
  }
  while (key.at < key.end) {
    const char *comma = memchr(key.at, ',', piece_length(key));
    const uint32_t port = cabling_add_port(c, node, piece_trimmed((piece){key.at, comma ? comma : key.end}));
    if (port != RIPSTOP_NONE) add_port(s, node, port, qos);
    key.at = comma ? comma + 1 : key.end;
  }
}

/* A port that pauses needs lossless buffers for just those priority groups. */
static bool agrees_with_buffers(const jt_doc *doc, uint32_t buffers, piece port, const sonic_qos *qos) {
  uint32_t lossless = 0, paused = 0;
  bool any = false;
  for (jt_walk w = jt_walk_of(doc, buffers); w.keys && jt_next(&w);) {
    uint32_t first, last;
    piece groups = w.key;
    const piece name = before_bar(&groups);
    if (piece_length(name) != piece_length(port) || memcmp(name.at, port.at, piece_length(port)) != 0) continue;
    any = true;
    if (!piece_find(jt_piece(doc, jt_member(doc, w.value, "profile")), "lossless")) continue;
    if (!piece_count(&groups, SONIC_PRIORITIES - 1, &first)) continue;
    last = first;
    if (piece_take_char(&groups, '-') && !piece_count(&groups, SONIC_PRIORITIES - 1, &last)) continue;
    for (; first <= last && first < SONIC_PRIORITIES; first++) lossless |= 1U << first;
  }
  for (unsigned p = 0; p < SONIC_PRIORITIES; p++)
    if (qos->pauses >> p & 1) paused |= 1U << (qos->group_of_priority[p] % SONIC_PRIORITIES);
  return !any || lossless == paused;
}

static void note_port(sonic_classes *s, const jt_doc *doc, piece key, const sonic_qos *qos, const bool *has,
                      uint32_t *missing) {
  const uint32_t buffers = jt_member(doc, 0, "BUFFER_PG");
  if (!agrees_with_buffers(doc, buffers, key, qos))
    ripstop_text_add(s->notes,
                     "%s: %.*s: pfc_enable and the lossless profiles of BUFFER_PG name different priority groups\n",
                     doc->name, shown(key), key.at);
  for (unsigned i = 0; i < KINDS; i++) {
    if (has[i] || i == TC_TO_DSCP || i == PRIORITY_TO_GROUP || missing[i]++) continue;
    ripstop_text_add(s->notes, "%s: %.*s has no %s: %s\n", doc->name, shown(key), key.at, kinds[i].key,
                     i == DSCP_TO_TC ? "all packets are of TC 0" : "numbers stay as they are");
  }
}

int sonic_config_classes(sonic_classes *s, cabling *c, const jt_doc *doc, uint32_t node, ripstop_error *err) {
  const uint32_t list = jt_member(doc, 0, "PORT_QOS_MAP");
  uint32_t missing[KINDS] = {0};
  if (jt_kind_of(doc, list) != JT_OBJECT) {
    ripstop_text_add(s->notes, "%s: has no PORT_QOS_MAP: no port pauses\n", doc->name);
    return 0;
  }
  sonic_qos all = sonic_qos_none();
  bool all_has[KINDS] = {false};
  for (unsigned pass = 0; pass < 2; pass++) /* first `global`, whose maps ports have unless they name others */
    for (jt_walk w = jt_walk_of(doc, list); jt_next(&w);) {
      sonic_qos qos = all;
      bool has[KINDS];
      memcpy(has, all_has, sizeof has);
      if (piece_is(w.key, "global") != (pass == 0)) continue;
      if (take_qos(doc, w.value, &qos, has, err)) return -1;
      add_ports(s, c, node, w.key, keep_qos(s, &qos));
      if (pass) note_port(s, doc, w.key, &qos, has, missing);
      if (pass) continue;
      all = qos;
      memcpy(all_has, has, sizeof has);
    }
  return 0;
}

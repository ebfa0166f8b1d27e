/* dump_history.c - see dump_history.h. Cost: O(n) for n cables in all dumps, and O(n log n) for those that went down.
 */
#include "formats/infiniband/dump_history.h"

#include <stdlib.h>
#include <string.h>

#include "base/growing.h"
#include "base/piece.h"

/* ------------------------------------------------------------------ dates */

/* Digits at a place of a text; false: fewer. */
static bool digits(const char **at, unsigned count, unsigned *out) {
  unsigned value = 0;
  for (unsigned i = 0; i < count; i++) {
    const unsigned digit = piece_digit((*at)[i]);
    if (digit > 9) return false;
    value = 10 * value + digit;
  }
  *at += count;
  *out = value;
  return true;
}

static void skip_one(const char **at, const char *any) {
  if (**at != '\0' && strchr(any, **at)) ++*at;
}

static bool is_leap(unsigned year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

static bool write_date(const unsigned date[6], char out[IB_HISTORY_DATE]) {
  static const unsigned days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (date[0] < 1970 || date[0] > 9999 || date[1] < 1 || date[1] > 12 || date[2] < 1 || date[2] > 31) return false;
  if (date[2] > days[date[1] - 1] + (date[1] == 2 && is_leap(date[0]))) return false;
  if (date[3] > 23 || date[4] > 59 || date[5] > 60) return false;
  snprintf(out, IB_HISTORY_DATE, "%04u-%02u-%02u %02u:%02u:%02u", date[0], date[1], date[2], date[3], date[4], date[5]);
  return true;
}

/* "06", "06:00", "060010"; false: not a time. */
static bool time_at(const char **at, unsigned date[6]) {
  unsigned parts = 0;
  for (; parts < 3 && digits(at, 2, &date[3 + parts]); parts++) skip_one(at, ":-.");
  return parts > 1 && piece_digit(**at) > 9 && date[3] < 24 && date[4] < 60 && date[5] <= 60;
}

/* 2026-01-31, 20260131, 2026-01-31T06:00, 2026-01-31_060000, 20260131060000 */
static bool date_at(const char *at, char out[IB_HISTORY_DATE]) {
  unsigned date[6] = {0};
  if (!digits(&at, 4, &date[0])) return false;
  skip_one(&at, "-_.");
  if (!digits(&at, 2, &date[1])) return false;
  skip_one(&at, "-_.");
  if (!digits(&at, 2, &date[2])) return false;
  const char *time = at;
  const bool joined = piece_digit(*at) < 10;
  skip_one(&time, "T_-. ");
  if ((joined || time > at) && !time_at(&time, date)) {
    if (joined) return false;
    date[3] = date[4] = date[5] = 0;
  }
  return write_date(date, out);
}

/* "generated on Thu Jan  1 00:00:00 2026" */
static bool date_of_line(piece line, char out[IB_HISTORY_DATE]) {
  static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const char *found = piece_find(line, "generated on ");
  unsigned date[6] = {0};
  uint32_t day, year, hour, minute, second;
  if (!found) return false;
  piece p = {found + strlen("generated on "), line.end};
  (void)piece_next_word(&p);
  const piece month = piece_next_word(&p);
  for (unsigned i = 0; i < 12; i++)
    if (piece_length(month) == 3 && memcmp(month.at, months + 3 * (size_t)i, 3) == 0) date[1] = i + 1;
  piece_skip_blanks(&p);
  if (!piece_count(&p, 99, &day)) return false;
  piece_skip_blanks(&p);
  if (!piece_count(&p, 99, &hour) || !piece_take_char(&p, ':') || !piece_count(&p, 99, &minute) ||
      !piece_take_char(&p, ':') || !piece_count(&p, 99, &second))
    return false;
  piece_skip_blanks(&p);
  if (!piece_count(&p, 9999, &year)) return false;
  date[0] = year;
  date[2] = day;
  date[3] = hour;
  date[4] = minute;
  date[5] = second;
  return write_date(date, out);
}

bool ib_history_date(const char *name, const char *text, size_t length, char out[IB_HISTORY_DATE]) {
  enum { HEAD_LINES = 10 };
  for (const char *at = name; *at; at++)
    if ((at == name || piece_digit(at[-1]) > 9) && date_at(at, out)) return true;
  piece rest = piece_of_file(text, length), line;
  for (unsigned i = 0; i < HEAD_LINES && piece_next_line(&rest, &line); i++)
    if (date_of_line(line, out)) return true;
  return false;
}

/* Hours since the first day of the year 0 of the Gregorian calendar. */
static double hours_of(const char *date) {
  static const unsigned before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
  unsigned part[6] = {0};
  const char *at = date;
  for (unsigned i = 0; i < 6 && digits(&at, i ? 2 : 4, &part[i]); i++) skip_one(&at, "- :");
  const unsigned year = part[0], month = part[1] ? part[1] : 1;
  const unsigned last = year ? year - 1 : 0; /* leap days of whole years */
  const unsigned days =
      365 * year + last / 4 - last / 100 + last / 400 + before[month - 1] + part[2] + (is_leap(year) && month > 2);
  return 24. * days + part[3] + part[4] / 60. + part[5] / 3600.;
}

double ib_history_hours(const char *from, const char *to) { return hours_of(to) - hours_of(from); }

/* ------------------------------------------------------------------ parts */

static void note(ib_history *h, ib_history_times *times, uint32_t dump) {
  RIPSTOP_GROW_IN(h->arena, times->list, times->count, times->room);
  times->list[times->count++] = dump;
}

static bool has_name(const ib_history_part *part, const char *text, size_t length) {
  return strlen(part->name) == length && memcmp(part->name, text, length) == 0;
}

static bool same_node(const void *h, uint32_t i, const char *text, size_t length) {
  return has_name(&((const ib_history *)h)->node[i], text, length);
}

static bool same_cable(const void *h, uint32_t i, const char *text, size_t length) {
  return has_name(&((const ib_history *)h)->cable[i], text, length);
}

/* The present dump has the part. */
static void see(ib_history *h, ib_history_part *part) {
  if (part->last == h->dumps) return;
  if (part->last + 1 < h->dumps) note(h, &part->up, h->dumps);
  part->last = h->dumps;
}

static uint32_t see_node(ib_history *h, const ripstop_ib_node *node) {
  const size_t length = strlen(node->id);
  uint32_t at = ripstop_text_table_find(&h->node_ids, node->id, length, same_node, h);
  if (at == RIPSTOP_NONE) {
    RIPSTOP_GROW_IN(h->arena, h->node, h->nodes, h->nodes_room);
    at = h->nodes++;
    h->node[at] = (ib_history_part){.name = ripstop_arena_text(h->arena, node->id),
                                    .text = {ripstop_arena_text(h->arena, node->text), ""},
                                    .node = {RIPSTOP_NONE, RIPSTOP_NONE},
                                    .kind = node->kind,
                                    .first = h->dumps,
                                    .last = h->dumps};
    ripstop_text_table_add(&h->node_ids, h->node[at].name, length, at);
  }
  see(h, &h->node[at]);
  return at;
}

static void see_cable(ib_history *h, const ripstop_ib_dump *dump, uint32_t port, const uint32_t *node_of) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_ib_cable_name(dump, port, name);
  const size_t length = strlen(name);
  uint32_t at = ripstop_text_table_find(&h->cable_names, name, length, same_cable, h);
  if (at == RIPSTOP_NONE) {
    RIPSTOP_GROW_IN(h->arena, h->cable, h->cables, h->cables_room);
    at = h->cables++;
    ib_history_part *c = &h->cable[at];
    *c = (ib_history_part){.name = ripstop_arena_text(h->arena, name), .first = h->dumps, .last = h->dumps};
    for (unsigned side = 0; side < 2; side++) {
      const ripstop_ib_port *p = &dump->port[side ? dump->port[port].mate : port];
      c->node[side] = node_of[p->node];
      c->port[side] = p->number;
      c->text[side] = h->node[c->node[side]].text[0];
    }
    ripstop_text_table_add(&h->cable_names, c->name, length, at);
  }
  see(h, &h->cable[at]);
}

/* True if a port of the cable has another one in the present dump. `there` has the nodes of the dump by those of the
 * history. */
static bool is_moved(const ib_history_part *c, const ripstop_ib_dump *dump, const uint32_t *there) {
  for (unsigned side = 0; side < 2; side++) {
    const uint32_t port = ripstop_ib_port_of(dump, there[c->node[side]], c->port[side]);
    if (port != RIPSTOP_NONE && dump->port[port].mate != RIPSTOP_NONE) return true;
  }
  return false;
}

/* Parts that the dump before had, and this one has not. */
static void note_lost(ib_history *h, const ripstop_ib_dump *dump, const uint32_t *there) {
  for (uint32_t i = 0; i < h->nodes; i++)
    if (h->node[i].last + 1 == h->dumps) note(h, &h->node[i].down, h->dumps);
  for (uint32_t i = 0; i < h->cables; i++) {
    ib_history_part *c = &h->cable[i];
    if (c->last + 1 != h->dumps) continue;
    const bool both = h->node[c->node[0]].last == h->dumps && h->node[c->node[1]].last == h->dumps;
    note(h, !both ? &c->with : is_moved(c, dump, there) ? &c->moved : &c->down, h->dumps);
  }
}

void ib_history_add(ib_history *h, const ripstop_ib_dump *dump) {
  uint32_t *node_of = ripstop_realloc(NULL, (size_t)dump->nodes + 1, sizeof *node_of);
  h->node_ids.arena = h->cable_names.arena = h->arena;
  for (uint32_t i = 0; i < dump->nodes; i++) node_of[i] = see_node(h, &dump->node[i]);
  for (uint32_t p = 0; p < dump->ports; p++)
    if (dump->port[p].mate != RIPSTOP_NONE && ripstop_ib_is_first(dump, p, dump->port[p].mate))
      see_cable(h, dump, p, node_of);
  uint32_t *there = ripstop_realloc(NULL, (size_t)h->nodes + 1, sizeof *there);
  for (uint32_t i = 0; i < dump->nodes; i++) there[node_of[i]] = i;
  note_lost(h, dump, there);
  h->dumps++;
  ripstop_free(there);
  ripstop_free(node_of);
}

/* ------------------------------------------------------------------ parts that go together */

static int by_times(const ib_history_times *a, const ib_history_times *b) {
  for (uint32_t i = 0; i < a->count && i < b->count; i++)
    if (a->list[i] != b->list[i]) return a->list[i] < b->list[i] ? -1 : 1;
  return (a->count > b->count) - (a->count < b->count);
}

static int by_part(const void *a_, const void *b_) {
  const ib_history_part *a = *(const ib_history_part *const *)a_, *b = *(const ib_history_part *const *)b_;
  const int order = by_times(&a->down, &b->down);
  return order ? order : strcmp(a->name, b->name);
}

/* The switch at which all cables are. */
static uint32_t common_switch(const ib_history *h, const ib_history_part *const *list, uint32_t count) {
  for (unsigned side = 0; side < 2; side++) {
    const uint32_t node = list[0]->node[side];
    bool all = h->node[node].kind == RIPSTOP_IB_SWITCH;
    for (uint32_t i = 1; i < count; i++) all = all && (list[i]->node[0] == node || list[i]->node[1] == node);
    if (all) return node;
  }
  return RIPSTOP_NONE;
}

/* One common time proves little: it is enough for switches, and for three cables of a switch. */
static void add_group(ib_history *h, const ib_history_part *const *list, uint32_t count, bool nodes) {
  enum { CABLES_ONCE = 3 };
  const uint32_t at = nodes ? RIPSTOP_NONE : common_switch(h, list, count);
  const bool once = list[0]->down.count == 1;
  if (count < 2 || (once && !nodes && (at == RIPSTOP_NONE || count < CABLES_ONCE))) return;
  RIPSTOP_GROW_IN(h->arena, h->group, h->groups, h->groups_room);
  ib_history_group *g = &h->group[h->groups++];
  *g = (ib_history_group){.nodes = nodes, .parts = count, .at = at, .down = &list[0]->down};
  g->part = RIPSTOP_ARRAY(h->arena, count, uint32_t);
  for (uint32_t i = 0; i < count; i++) g->part[i] = (uint32_t)(list[i] - (nodes ? h->node : h->cable));
}

static void find_groups(ib_history *h, const ib_history_part *part, uint32_t parts, bool nodes) {
  const ib_history_part **list = RIPSTOP_ARRAY(h->arena, (size_t)parts + 1, const ib_history_part *);
  uint32_t count = 0;
  for (uint32_t i = 0; i < parts; i++)
    if (part[i].down.count && (!nodes || part[i].kind == RIPSTOP_IB_SWITCH)) list[count++] = &part[i];
  qsort(list, count, sizeof(void *), by_part);
  for (uint32_t i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && by_times(&list[i]->down, &list[end]->down) == 0;) end++;
    add_group(h, list + i, end - i, nodes);
  }
}

/* Most times first, then most parts, then switches. */
static int by_weight(const void *a_, const void *b_) {
  const ib_history_group *a = a_, *b = b_;
  if (a->down->count != b->down->count) return a->down->count > b->down->count ? -1 : 1;
  if (a->parts != b->parts) return a->parts > b->parts ? -1 : 1;
  if (a->nodes != b->nodes) return a->nodes ? -1 : 1;
  return by_times(a->down, b->down);
}

void ib_history_end(ib_history *h) {
  find_groups(h, h->node, h->nodes, true);
  find_groups(h, h->cable, h->cables, false);
  if (h->groups) qsort(h->group, h->groups, sizeof *h->group, by_weight);
}

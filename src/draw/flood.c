/* flood.c - how the messages of one change spread over the fabric, as SVG.
 *
 * Trees stand in levels, their ports along the edges of the switches, as in the papers; anything else in a ring. An
 * arrow is one direction of a link, coloured by the cycle in which its first message arrives, counted from the change:
 * what happens at one time has one colour. All elements are plain and without ids, so that a picture can
 * stand in a page beside others. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "draw/colour.h"
#include "draw/escape.h"
#include "draw/layout.h"
#include "fabric/tree.h"
#include "ripstop/kit/picture.h"

/* ------------------------------------------------------------------ places */

typedef draw_point point;

typedef struct layout { /* in pixels */
  const ripstop_update_flood *flood;
  ripstop_arena *arena;
  ripstop_tree tree;
  bool is_tree;
  double width, height, box_width;
  point *centre; /* [nodes] */
  size_t times;  /* different cycles of arrival, ascending */
  uint64_t *time;
} layout;

enum { MARGIN = 28, HEAD = 84, FOOT = 84, BOX_HEIGHT = 24, GAP = 22, LEVELS_APART = 124, LABELS = 58 };
enum { PARALLEL = 11 }; /* between parallel links */
enum { RADIUS_LEAST = 170 };
enum { WIDTH_LEAST = 640, LETTER = 7 }; /* width of a character of 12 pixels, rounded up */

static double widest_name(const ripstop_fabric *f) {
  char name[RIPSTOP_NAME_MAX];
  size_t widest = 3;
  for (uint32_t v = f->ends; v < f->nodes; v++) {
    ripstop_node_name(f, v, name);
    if (strlen(name) > widest) widest = strlen(name);
  }
  return (double)widest * LETTER;
}

static void place_levels(layout *l) {
  const ripstop_fabric *f = l->flood->fabric;
  const uint32_t count = ripstop_fabric_switches(f);
  draw_deadlocked *list = RIPSTOP_ARRAY(l->arena, count, draw_deadlocked);
  uint32_t *slot = RIPSTOP_ARRAY(l->arena, count, uint32_t);
  for (uint32_t s = 0; s < count; s++) list[s] = (draw_deadlocked){ripstop_tree_level(&l->tree, f->ends + s), 0, s};
  const uint32_t most = draw_sort_levels(list, count, slot);
  const double room = fmax(most * (l->box_width + GAP), WIDTH_LEAST - 2 * MARGIN - LABELS);
  const double apart = fmax(room / 6, LEVELS_APART), height = (l->tree.levels - 1) * apart;
  l->width = room + 2 * MARGIN + LABELS;
  l->height = HEAD + FOOT + height + BOX_HEIGHT;
  draw_levels(l->arena, l->centre + f->ends, list, count, slot, room, apart);
  for (uint32_t v = f->ends; v < f->nodes; v++)
    l->centre[v] = (point){MARGIN + LABELS + l->centre[v].x, HEAD + BOX_HEIGHT / 2.0 + height + l->centre[v].y};
}

static void place_ring(layout *l) {
  const ripstop_fabric *f = l->flood->fabric;
  const uint32_t count = ripstop_fabric_switches(f);
  const double radius = fmax(RADIUS_LEAST, count * (l->box_width + GAP) / (2 * M_PI));
  l->width = fmax(WIDTH_LEAST, 2 * (radius + MARGIN) + l->box_width);
  l->height = HEAD + FOOT + 2 * radius + BOX_HEIGHT;
  draw_ring(l->centre + f->ends, count, (point){l->width / 2, HEAD + BOX_HEIGHT / 2.0 + radius}, radius);
}

/* The distance of a link from the straight line between its switches, so that parallel links do not overlap; the
 * same, seen from either end. */
static double stand_aside(const ripstop_fabric *f, uint32_t port) {
  uint32_t node = f->port_node[port], other = f->port_node[f->peer[port]], before = 0, all = 0;
  for (uint32_t p = f->port_base[node]; p < f->port_base[node + 1]; p++) {
    if (f->peer[p] == RIPSTOP_NONE || f->port_node[f->peer[p]] != other) continue;
    before += f->port_link[p] < f->port_link[port];
    all++;
  }
  double aside = (before - (all - 1) / 2.0) * PARALLEL;
  return node < other ? aside : -aside;
}

/* The point at which a link leaves its switch: in a tree by its port, else on the straight line to the other end. */
static point attach(const layout *l, uint32_t port) {
  const ripstop_fabric *f = l->flood->fabric;
  uint32_t node = f->port_node[port], local = port - f->port_base[node];
  point at = l->centre[node], to = l->centre[f->port_node[f->peer[port]]];
  if (l->is_tree) {
    bool up = ripstop_tree_is_up(&l->tree, node, local);
    uint32_t ups = ripstop_tree_ups(&l->tree, node), side = up ? ups : ripstop_node_ports(f, node) - ups;
    double share = ((up ? local - l->tree.half : local) + 0.5) / side - 0.5;
    return (point){at.x + 0.8 * share * l->box_width, at.y + (up ? -BOX_HEIGHT : BOX_HEIGHT) / 2.0};
  }
  double dx = to.x - at.x, dy = to.y - at.y;
  double by_x = fabs(dx) > 0 ? l->box_width / 2 / fabs(dx) : INFINITY;
  double by_y = fabs(dy) > 0 ? BOX_HEIGHT / 2.0 / fabs(dy) : INFINITY;
  double share = fmin(fmin(by_x, by_y), 0.5);
  double length = sqrt(dx * dx + dy * dy), aside = length > 0 ? stand_aside(f, port) / length : 0;
  return (point){at.x + share * dx - aside * dy, at.y + share * dy + aside * dx};
}

/* ------------------------------------------------------------------ time as colour */

static void find_times(layout *l) {
  const ripstop_update_flood *w = l->flood;
  l->time = RIPSTOP_ARRAY(l->arena, w->fabric->ports, uint64_t);
  size_t count = 0;
  for (uint32_t port = 0; port < w->fabric->ports; port++)
    if (w->port[port].messages && w->port[port].arrives != RIPSTOP_NEVER) l->time[count++] = w->port[port].arrives;
  if (count) qsort(l->time, count, sizeof *l->time, ripstop_by_u64);
  for (size_t i = 0; i < count; i++)
    if (!l->times || l->time[l->times - 1] != l->time[i]) l->time[l->times++] = l->time[i];
}

/* From early to late: brightness falls off evenly for any colour vision (after "inferno" of van der Walt and Smith,
 * 2015, without its faint end), so that the fire starts hot. */
static const draw_scale heat = {6,
                                {{0xe3, 0x59, 0x33},
                                 {0xbb, 0x37, 0x54},
                                 {0x8a, 0x22, 0x6a},
                                 {0x56, 0x3f, 0x93},
                                 {0x2f, 0x6b, 0x9e},
                                 {0x2a, 0x9d, 0x8f}}};

/* By the rank of the time among all, so that colours differ even when one message arrives very late. */
static double share_of(const layout *l, uint64_t time) {
  size_t rank = 0;
  while (rank + 1 < l->times && l->time[rank] < time) rank++;
  return l->times > 1 ? (double)rank / (double)(l->times - 1) : 0;
}

/* ------------------------------------------------------------------ drawing */

static void add_name(ripstop_text *out, const ripstop_fabric *f, uint32_t node) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(f, node, name);
  draw_escape(out, name);
}

static void add_change(ripstop_text *out, const ripstop_update_flood *w) {
  char name[RIPSTOP_NAME_MAX];
  if (w->change.is_switch)
    ripstop_node_name(w->fabric, w->change.id, name);
  else
    ripstop_link_name(w->fabric, w->change.id, name);
  ripstop_text_add(out, w->change.is_switch ? "switch " : "link ");
  draw_escape(out, name);
  ripstop_text_add(out, w->change.rate ? " slows down" : w->change.up ? " returns" : " fails");
}

static bool is_subject(const ripstop_update_flood *w, uint32_t link) {
  if (w->change.id == RIPSTOP_NONE) return false;
  if (!w->change.is_switch) return w->change.id == link;
  return ripstop_link_node(w->fabric, link, 0) == w->change.id || ripstop_link_node(w->fabric, link, 1) == w->change.id;
}

static bool between_switches(const ripstop_fabric *f, uint32_t link) {
  return !ripstop_is_end(f, ripstop_link_node(f, link, 0)) && !ripstop_is_end(f, ripstop_link_node(f, link, 1));
}

static void draw_line(ripstop_text *out, point a, point b, const char *style) {
  ripstop_text_add(out, "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' %s/>\n", a.x, a.y, b.x, b.y, style);
}

#define STYLE_LINK     "stroke='#d9dee3' stroke-width='1.2'"
#define STYLE_DEAD     "stroke='#9aa4ad' stroke-width='1.4' stroke-dasharray='2 4'"
#define STYLE_FAILED   "stroke='#c1121f' stroke-width='2' stroke-dasharray='6 4'"
#define STYLE_RETURNED "stroke='#1a7f37' stroke-width='3.5' stroke-opacity='0.45'"

static void draw_cross(ripstop_text *out, point at) {
  ripstop_text_add(
      out,
      "<path d='M%.1f %.1fl12 12m0 -12l-12 12' stroke='#fff' stroke-width='6' stroke-linecap='round'/>"
      "<path d='M%.1f %.1fl12 12m0 -12l-12 12' stroke='#c1121f' stroke-width='2.6' stroke-linecap='round'/>\n",
      at.x - 6, at.y - 6, at.x - 6, at.y - 6);
}

static void draw_links(const layout *l, ripstop_text *out, bool subject) {
  const ripstop_update_flood *w = l->flood;
  for (uint32_t link = w->fabric->link_ends; link < w->fabric->links; link++) {
    if (!between_switches(w->fabric, link) || is_subject(w, link) != subject) continue;
    point a = attach(l, w->fabric->link_port[2 * (size_t)link]);
    point b = attach(l, w->fabric->link_port[2 * (size_t)link + 1]);
    if (!subject) {
      draw_line(out, a, b, w->failed_link[link] ? STYLE_DEAD : STYLE_LINK);
      continue;
    }
    draw_line(out, a, b, w->change.up ? STYLE_RETURNED : STYLE_FAILED);
    if (!w->change.up) draw_cross(out, (point){(a.x + b.x) / 2, (a.y + b.y) / 2});
  }
}

/* A little to the left of its link, seen in its own direction, so that the answer has room beside it. */
static void draw_arrow(const layout *l, uint32_t port, ripstop_text *out) {
  const ripstop_update_flood *w = l->flood;
  const ripstop_update_flood_port *a = &w->port[port];
  uint32_t peer = w->fabric->peer[port];
  point from = attach(l, port), to = attach(l, peer);
  double dx = to.x - from.x, dy = to.y - from.y, length = sqrt(dx * dx + dy * dy);
  if (length < 1) return;
  dx /= length, dy /= length;
  double aside = w->port[peer].messages ? 2.6 : 0, head = 9, half = 3.8;
  point tail = {from.x + aside * dy + 3 * dx, from.y - aside * dx + 3 * dy};
  point tip = {to.x + aside * dy - 2 * dx, to.y - aside * dx - 2 * dy};
  point neck = {tip.x - head * dx, tip.y - head * dy};
  bool lost = a->arrives == RIPSTOP_NEVER;
  ripstop_text_add(out, "<g fill='");
  draw_colour(out, &heat, lost ? 0 : share_of(l, a->arrives));
  ripstop_text_add(out, "' stroke='");
  draw_colour(out, &heat, lost ? 0 : share_of(l, a->arrives));
  ripstop_text_add(out, lost ? "' opacity='0.35'><title>" : "'><title>");
  add_name(out, w->fabric, w->fabric->port_node[port]);
  ripstop_text_add(out, " &gt; ");
  add_name(out, w->fabric, w->fabric->port_node[peer]);
  ripstop_text_add(out, ": %u message%s", a->messages, a->messages == 1 ? "" : "s");
  if (lost)
    ripstop_text_add(out, ", lost</title>");
  else
    ripstop_text_add(out, ", the first arrives after %" PRIu64 " cycles</title>", a->arrives - w->began);
  ripstop_text_add(out,
                   "<path d='M%.1f %.1fL%.1f %.1f' stroke-width='%s'/>"
                   "<path d='M%.1f %.1fL%.1f %.1fL%.1f %.1fz' stroke='none'/></g>\n",
                   tail.x, tail.y, neck.x, neck.y, a->messages > 1 ? "3" : "1.8", tip.x, tip.y, neck.x + half * dy,
                   neck.y - half * dx, neck.x - half * dy, neck.y + half * dx);
}

/* Late ones first, so that the beginning lies on top. */
static void draw_arrows(const layout *l, ripstop_text *out) {
  const ripstop_fabric *f = l->flood->fabric;
  const ripstop_update_flood_port *of = l->flood->port;
  for (uint32_t port = 0; port < f->ports; port++)
    if (of[port].messages && of[port].arrives == RIPSTOP_NEVER) draw_arrow(l, port, out);
  for (size_t i = l->times; i-- > 0;)
    for (uint32_t port = 0; port < f->ports; port++)
      if (of[port].messages && of[port].arrives == l->time[i]) draw_arrow(l, port, out);
}

#define BOX_PLAIN   "fill='#fff' stroke='#8a949e' stroke-width='1.2'"
#define BOX_CHANGED "fill='#ffe8b8' stroke='#c98a00' stroke-width='1.8'"
#define BOX_FAILED  "fill='#fff' stroke='#c1121f' stroke-width='1.8' stroke-dasharray='6 4'"

static void draw_box(ripstop_text *out, point at, double width, double height, const char *style) {
  ripstop_text_add(out, "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' rx='6' %s/>", at.x - width / 2,
                   at.y - height / 2, width, height, style);
}

static void draw_switches(const layout *l, ripstop_text *out) {
  const ripstop_update_flood *w = l->flood;
  const ripstop_fabric *f = w->fabric;
  for (uint32_t v = f->ends; v < f->nodes; v++) {
    bool failed = w->change.is_switch && w->change.id == v && !w->change.up;
    draw_box(out, l->centre[v], l->box_width, BOX_HEIGHT,
             failed          ? BOX_FAILED
             : w->changed[v] ? BOX_CHANGED
                             : BOX_PLAIN);
    ripstop_text_add(out, "<text x='%.1f' y='%.1f' text-anchor='middle'>", l->centre[v].x, l->centre[v].y + 4);
    add_name(out, f, v);
    ripstop_text_add(out, "</text>\n");
  }
  for (uint32_t v = f->ends; l->is_tree && v < f->nodes; v++) { /* the first of each level */
    uint32_t level = ripstop_tree_level(&l->tree, v);
    if (v > f->ends && ripstop_tree_level(&l->tree, v - 1) == level) continue;
    ripstop_text_add(out, "<text x='%d' y='%.1f' fill='#66717b'>level %u</text>\n", MARGIN, l->centre[v].y + 4, level);
  }
}

static void draw_head(const layout *l, ripstop_text *out) {
  const ripstop_update_flood *w = l->flood;
  uint32_t changed = 0;
  for (uint32_t v = 0; v < w->fabric->nodes; v++) changed += w->changed[v];
  ripstop_text_add(out, "<text x='%d' y='38' font-size='18' font-weight='600'>", MARGIN);
  if (w->change.id == RIPSTOP_NONE)
    ripstop_text_add(out, "The start");
  else
    add_change(out, w);
  ripstop_text_add(out, "</text>\n<text x='%d' y='60' fill='#4a545e'>", MARGIN);
  draw_escape(out, w->fabric->spec);
  ripstop_text_add(out, " · %" PRIu64 " message%s in %" PRIu64 " cycle%s · %u switch%s new routes</text>\n",
                   w->messages, w->messages == 1 ? "" : "s", w->ended - w->began, w->ended - w->began == 1 ? "" : "s",
                   changed, changed == 1 ? " has" : "es have");
}

enum { CHIPS = 6, CHIP = 40 }; /* more times than that become a band */

static void draw_times(const layout *l, double x, double y, ripstop_text *out) {
  size_t chips = l->times < CHIPS ? l->times : CHIPS;
  ripstop_text_add(out, "<text x='%.1f' y='%.1f' fill='#4a545e'>arrives after</text>\n", x, y + 4);
  x += 84;
  for (size_t i = 0; i < chips; i++) {
    size_t rank = chips > 1 ? i * (l->times - 1) / (chips - 1) : 0;
    ripstop_text_add(out, "<rect x='%.1f' y='%.1f' width='%d' height='8' fill='", x, y - 9, CHIP - 3);
    draw_colour(out, &heat, share_of(l, l->time[rank]));
    ripstop_text_add(out, "'/><text x='%.1f' y='%.1f' text-anchor='middle'>%" PRIu64 "</text>\n", x + CHIP / 2.0,
                     y + 14, l->time[rank] - l->flood->began);
    x += CHIP;
  }
  ripstop_text_add(out, "<text x='%.1f' y='%.1f' fill='#4a545e'>cycles</text>\n", x + 6, y + 4);
}

static bool has_several(const ripstop_update_flood *w) {
  for (uint32_t port = 0; port < w->fabric->ports; port++)
    if (w->port[port].messages > 1) return true;
  return false;
}

static void draw_legend(const layout *l, ripstop_text *out) {
  double y = l->height - 34;
  if (l->times) draw_times(l, MARGIN, y, out);
  double x = l->width - MARGIN - 94;
  draw_box(out, (point){x, y}, 24, 14, BOX_CHANGED);
  ripstop_text_add(out, "<text x='%.1f' y='%.1f' fill='#4a545e'>new routes</text>\n", x + 20, y + 4);
  if (!has_several(l->flood)) return;
  ripstop_text_add(out, "<text x='%.1f' y='%.1f' fill='#4a545e' text-anchor='end'>thick: several messages</text>\n",
                   x - 24, y + 4);
}

void ripstop_update_flood_svg(const ripstop_update_flood *w, ripstop_text *out) {
  layout l = {.flood = w, .arena = ripstop_arena_new(), .box_width = widest_name(w->fabric) + 16};
  l.is_tree = ripstop_tree_from(w->fabric, &l.tree);
  l.centre = RIPSTOP_ARRAY(l.arena, w->fabric->nodes, point);
  if (l.is_tree)
    place_levels(&l);
  else
    place_ring(&l);
  find_times(&l);
  ripstop_text_add(out,
                   "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %.0f %.0f' width='%.0f' height='%.0f' "
                   "font-family='system-ui,Helvetica,Arial,sans-serif' font-size='12' fill='none'>\n"
                   "<rect width='100%%' height='100%%' fill='#fff'/>\n",
                   l.width, l.height, l.width, l.height);
  draw_links(&l, out, false);
  draw_links(&l, out, true);
  draw_arrows(&l, out);
  ripstop_text_add(out, "<g fill='#1f2328'>\n");
  draw_switches(&l, out);
  draw_head(&l, out);
  draw_legend(&l, out);
  ripstop_text_add(out, "</g>\n</svg>\n");
  ripstop_arena_free(l.arena);
}

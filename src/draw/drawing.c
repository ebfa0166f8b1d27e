/* drawing.c - one line for all cables between two places where switches stand (placing.c). A cable that would
 * hide behind switches of its row is bowed.
 *
 * A deadlock is a row of arrows with numbers, each a queue that waits for the next. Marks come last, on top
 * (odd_marks.c). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "draw/drawing.h"
#include "draw/escape.h"

typedef draw_point point;

/* ------------------------------------------------------------------ marks */

const char *draw_node_text(const drawing *d, uint32_t node, char name[RIPSTOP_NAME_MAX]) {
  if (*d->o->text[node]) return d->o->text[node];
  ripstop_node_name(d->o->fabric, node, name);
  return name;
}

static void add_node(const drawing *d, uint32_t node) {
  char name[RIPSTOP_NAME_MAX];
  draw_escape(d->out, draw_node_text(d, node, name));
}

void draw_candidate(const drawing *d, point from, point to, double bow) {
  ripstop_text_add(d->out, "<path d='M%.1f %.1f", from.x, from.y);
  if (bow != 0)
    ripstop_text_add(d->out, "Q%.1f %.1f", (from.x + to.x) / 2 + bow * (to.y - from.y),
                     (from.y + to.y) / 2 - bow * (to.x - from.x));
  ripstop_text_add(d->out, "%s%.1f %.1f'", bow != 0 ? " " : "L", to.x, to.y);
}

double draw_bow(const drawing *d, point from, point to) {
  const double unit = d->layout.unit, across = fmin(fabs(from.x - to.x), fabs(from.y - to.y)),
               along = fmax(fabs(from.x - to.x), fabs(from.y - to.y));
  if (unit == 0 || along <= 1.5 * unit || across >= 0.1 * unit) return 0;
  return d->layout.sheet ? fmin(0.14, 0.8 * unit / along) : 0.14; /* flatter among many rows */
}

void draw_line(const drawing *d, uint32_t a, uint32_t b) {
  const point from = d->layout.at[a - d->o->fabric->ends], to = d->layout.at[b - d->o->fabric->ends];
  draw_candidate(d, from, to, draw_bow(d, from, to));
}

void draw_text(const drawing *d, double x, double y, const char *attributes, const char *text) {
  ripstop_text_add(d->out, "<text x='%.1f' y='%.1f' font-family='system-ui,Helvetica,Arial,sans-serif' %s>", x, y,
                   attributes);
  draw_escape(d->out, text);
  ripstop_text_add(d->out, "</text>\n");
}

void draw_number(const drawing *d, point at, const char *colour, uint32_t number, point *before, uint32_t *count) {
  enum { APART = 20 };
  char text[12], attributes[64];
  for (uint32_t k = 0; k < *count; k++) {
    if (hypot(at.x - before[k].x, at.y - before[k].y) >= APART - 1) continue;
    at.x = before[k].x + APART;
    k = UINT32_MAX; /* from the first again: it goes to the right alone */
  }
  before[(*count)++] = at;
  ripstop_text_add(d->out, "<circle cx='%.1f' cy='%.1f' r='9' fill='#fff' stroke='%s' stroke-width='1.5'/>\n", at.x,
                   at.y, colour);
  snprintf(text, sizeof text, "%u", number);
  snprintf(attributes, sizeof attributes, "font-size='11' fill='%s' text-anchor='middle'", colour);
  draw_text(d, at.x, at.y + 4, attributes, text);
}

double draw_thick(uint32_t lines) { return fmax(0.4, fmin(3.5, 280.0 / (lines + 1))); }

/* The thicker the more cables they are. */
static void draw_cables(const drawing *d, const bundle *list, uint32_t count) {
  double faint = fmax(d->layout.sheet ? 0.6 : d->o->gather ? 0.3 : 0.15, fmin(1, 400.0 / (count + 1)));
  uint32_t most = 1;
  for (uint32_t i = 0; i < count; i++)
    if (list[i].cables > most && list[i].a != list[i].b) most = list[i].cables;
  ripstop_text_add(d->out, "<g stroke='#8a949e' stroke-width='0.8' opacity='%.2f'>\n", faint);
  for (uint32_t i = 0; i < count; i++) {
    if (list[i].a == list[i].b) continue;
    draw_candidate(d, list[i].from, list[i].to, list[i].bow);
    if (d->o->gather && list[i].cables > 1)
      ripstop_text_add(d->out, " stroke-width='%.2g'><title>%u cables</title></path>\n",
                       0.5 + draw_thick(count) * list[i].cables / most, list[i].cables);
    else
      ripstop_text_add(d->out, "/>\n");
  }
  ripstop_text_add(d->out, "</g>\n");
}

/* Each line as thick as its share of cables in the safe set. */
static void draw_safe(const drawing *d, const bundle *list, uint32_t count) {
  uint32_t most = 1;
  for (uint32_t i = 0; i < count; i++)
    if (list[i].cables > most) most = list[i].cables;
  ripstop_text_add(d->out, "<g stroke='#00684a' opacity='0.6'>\n");
  for (uint32_t i = 0; i < count; i++) {
    if (list[i].a == list[i].b || !list[i].safe) continue;
    draw_candidate(d, list[i].from, list[i].to, list[i].bow);
    ripstop_text_add(d->out, " stroke-width='%.2g'",
                     d->gathered || list[i].cables > 1 ? 0.4 + draw_thick(count) * list[i].safe / most : 1.2);
    if (list[i].cables > 1)
      ripstop_text_add(d->out, "><title>%u of %u cables are in the safe set</title></path>\n", list[i].safe,
                       list[i].cables);
    else
      ripstop_text_add(d->out, "/>\n");
  }
  ripstop_text_add(d->out, "</g>\n");
}

enum { BOX = 7, LABELLED = DRAW_LABELLED, LETTER = 7 };

static const char *label_of(const drawing *d, uint32_t s, char name[RIPSTOP_NAME_MAX]) {
  ripstop_node_name(d->o->fabric, d->o->fabric->ends + s, name);
  return name;
}

static bool is_of_groups(const drawing *d) { return d->layout.each > 0; }

/* Names, or how many switches they are, where there is room for them. */
static double box_width(const drawing *d) {
  char name[RIPSTOP_NAME_MAX];
  size_t longest = !d->gathered ? 0 : d->layout.each > 1 ? 10 : is_of_groups(d) ? 7 : 4;
  if (!d->o->gather) return BOX;
  for (uint32_t s = 0; s < d->switches && !d->gathered; s++)
    if (strlen(label_of(d, s, name)) > longest) longest = strlen(name);
  const double wanted = (double)longest * LETTER + 8;
  if (wanted + 6 <= d->layout.apart) return wanted;
  return fmax(3, fmin(BOX, 0.6 * d->layout.apart));
}

static void draw_label(const drawing *d, uint32_t s, uint32_t members) {
  char name[RIPSTOP_NAME_MAX];
  const uint32_t spot = d->layout.spot[s], each = d->layout.each;
  if (d->gathered && each > 1)
    snprintf(name, sizeof name, "g%u\u2026 \u00d7%u", spot * each, members);
  else if (d->gathered && is_of_groups(d))
    snprintf(name, sizeof name, "g%u \u00d7%u", spot, members);
  else if (d->gathered)
    snprintf(name, sizeof name, "\u00d7%u", members);
  else
    label_of(d, s, name);
  draw_text(d, d->layout.at[s].x, d->layout.at[s].y + 4,
            "font-size='11' fill='#fff' text-anchor='middle' pointer-events='none'", name);
}

bool picture_is_weak(const picture *o, uint32_t i) {
  const ripstop_leaf *own = &o->leaf[i], *usual = &o->leaf[o->leaves / 2];
  return own->have * usual->need < usual->have * own->need;
}

static void draw_box(const drawing *d, uint32_t s, const char *fill) {
  ripstop_text_add(d->out, "<rect x='%.1f' y='%.1f' width='%.3g' height='%.3g' fill='%s'%s",
                   d->layout.at[s].x - d->width / 2, d->layout.at[s].y - d->height / 2, d->width, d->height,
                   fill ? fill : "#5b6773", d->width > BOX ? " rx='3'" : "");
}

/* The bundle of each spot's own cables; NULL: it has none. */
static const bundle **cables_within(const drawing *d, ripstop_arena *arena, const bundle *list, uint32_t count) {
  const bundle **within = RIPSTOP_ARRAY(arena, d->layout.spots, const bundle *);
  for (uint32_t i = 0; i < count; i++)
    if (list[i].a == list[i].b) within[d->layout.spot[list[i].a]] = &list[i];
  return within;
}

static const char ORANGE[] = "#e69f00", BLUE[] = "#0072b2";

/* Grey: without hosts; blue: with; orange: with less to send on than other leaves; a box that has one of them where
 * weak ones are `told`, else the colour of its first switch. */
static void colour_boxes(const drawing *d, const char **fill, bool told) {
  const picture *o = d->o;
  for (uint32_t i = 0; i < o->leaves; i++) {
    const uint32_t spot = d->layout.spot[o->leaf[i].node - o->fabric->ends];
    if (told && picture_is_weak(o, i))
      fill[spot] = ORANGE;
    else if (!fill[spot])
      fill[spot] = BLUE;
  }
}

/* Weak leaves of a box. */
static void add_weak(const drawing *d, uint32_t spot) {
  enum { NAMED = 12 };
  uint32_t found = 0;
  for (uint32_t i = 0; i < d->o->leaves; i++) {
    const uint32_t node = d->o->leaf[i].node;
    if (d->layout.spot[node - d->o->fabric->ends] != spot || !picture_is_weak(d->o, i)) continue;
    if (++found > NAMED) continue;
    ripstop_text_add(d->out, found == 1 ? "; can send on less than others: " : ", ");
    add_node(d, node);
  }
  if (found > NAMED) ripstop_text_add(d->out, " and %u more", found - NAMED);
}

static void draw_switches(const drawing *d, ripstop_arena *arena, const bundle *list, uint32_t count) {
  const picture *o = d->o;
  const char **fill = RIPSTOP_ARRAY(arena, d->layout.spots, const char *);
  const bundle **within = cables_within(d, arena, list, count);
  const bool weak_told = !d->gathered || !o->alone;
  uint32_t *members = RIPSTOP_ARRAY(arena, d->layout.spots, uint32_t),
           *drawn = RIPSTOP_ARRAY(arena, d->layout.spots, uint32_t);
  colour_boxes(d, fill, weak_told);
  for (uint32_t s = 0; s < d->switches; s++) members[d->layout.spot[s]]++;
  for (uint32_t s = 0; s < d->switches; s++) {
    const uint32_t spot = d->layout.spot[s];
    if (drawn[spot]++) continue;
    draw_box(d, s, fill[spot]);
    if (within[spot] && o->use) heat_frame(d, list, count, within[spot]);
    ripstop_text_add(d->out, "><title>");
    if (members[spot] > 1) ripstop_text_add(d->out, "%u switches, from ", members[spot]);
    add_node(d, o->fabric->ends + s);
    if (within[spot]) ripstop_text_add(d->out, "; %u cables within", within[spot]->cables);
    if (within[spot] && !isnan(within[spot]->use))
      ripstop_text_add(d->out, ", the busiest %.3g flits/cycle", within[spot]->use);
    if (members[spot] > 1 && weak_told) add_weak(d, spot);
    ripstop_text_add(d->out, "</title></rect>\n");
    if (d->width > BOX) draw_label(d, s, members[spot]);
  }
}

/* Sheets of rows and columns. */
static void draw_frames(const drawing *d) {
  for (uint32_t i = 0; i < d->layout.frames; i++) {
    const draw_frame *frame = &d->layout.frame[i];
    ripstop_text_add(d->out,
                     "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' rx='6' fill='#f4f6f8' stroke='#c3cad1'/>\n",
                     frame->x, frame->y, frame->width, frame->height);
  }
}

/* Each by its first switch. */
static void name_frames(const drawing *d) {
  char name[RIPSTOP_NAME_MAX];
  for (uint32_t i = 0; i < d->layout.frames; i++) {
    uint32_t first = 0;
    while (d->layout.sheet[first] != i) first++;
    draw_text(d, d->layout.frame[i].x + 4, d->layout.frame[i].y - 4,
              "font-size='11' fill='#5b6773' stroke='#fff' stroke-width='3' paint-order='stroke'",
              label_of(d, first, name));
  }
}

/* ------------------------------------------------------------------ waiting queues */

/* An arrow into the switch where the packet waits, aside so that the one the other way does not hide it; what comes
 * from an end node is a ring. Those of the cycle have numbers. */
static void draw_wait(const drawing *d, const picture_wait *w, uint32_t number) {
  const ripstop_fabric *f = d->o->fabric;
  const point to = d->layout.at[w->to - f->ends];
  const char *colour = number ? "#c1121f" : "#e59aa0";
  if (w->from < f->ends) {
    ripstop_text_add(d->out, "<circle cx='%.1f' cy='%.1f' r='9' stroke='%s' stroke-width='2'><title>", to.x, to.y,
                     colour);
    draw_escape(d->out, w->text);
    ripstop_text_add(d->out, "</title></circle>\n");
    return;
  }
  const point from = d->layout.at[w->from - f->ends];
  const double bow = draw_bow(d, from, to) != 0 ? 0.2 : 0.12, dx = to.x - from.x, dy = to.y - from.y;
  const double length = fmax(1, hypot(dx, dy)), x = (from.x + to.x + bow * dy) / 2, y = (from.y + to.y - bow * dx) / 2;
  draw_candidate(d, from, to, bow);
  ripstop_text_add(d->out, " stroke='%s' stroke-width='%s'><title>", colour, number ? "2.4" : "1.2");
  draw_escape(d->out, w->text);
  ripstop_text_add(d->out, "</title></path>\n<path d='M%.1f %.1fl%.1f %.1fl%.1f %.1fz' fill='%s'/>\n",
                   x + 7 * dx / length, y + 7 * dy / length, -10 * dx / length - 4 * dy / length,
                   -10 * dy / length + 4 * dx / length, 8 * dy / length, -8 * dx / length, colour);
  if (number)
    ripstop_text_add(d->out,
                     "<text x='%.1f' y='%.1f' fill='%s' font-size='14' font-weight='600' stroke='#fff' "
                     "stroke-width='3' paint-order='stroke' font-family='sans-serif'>%u</text>\n",
                     x + 12 * dy / length - 4, y - 12 * dx / length + 5, colour, number);
}

static void draw_waits(const drawing *d) {
  if (!d->o->waits) return;
  ripstop_text_add(d->out, "<g opacity='0.45'>\n");
  for (uint32_t i = d->o->cycle; i < d->o->waits; i++) draw_wait(d, &d->o->wait[i], 0);
  ripstop_text_add(d->out, "</g>\n");
  for (uint32_t i = 0; i < d->o->cycle; i++) draw_wait(d, &d->o->wait[i], i + 1);
}

/* Room for the bows of rows. */
double draw_margin(const drawing *d) {
  const draw_layout *l = &d->layout;
  if (l->unit == 0) return 0;
  return l->sheet ? 0.5 * l->unit : (d->o->waits ? 0.11 : 0.08) * fmax(l->width, l->height);
}

int picture_draw(const picture *o, ripstop_text *out, ripstop_error *err) {
  RIPSTOP_LOCAL_ARENA(arena);
  drawing d = {.o = o, .out = out, .switches = ripstop_fabric_switches(o->fabric)};
  d.names = ripstop_names_new(o->fabric);
  const int status = draw_place(o, arena, &d.layout, err);
  const draw_layout *l = &d.layout;
  bundle *list;
  d.gathered = l->spots < d.switches;
  d.width = box_width(&d), d.height = d.width > BOX ? LABELLED : d.width;
  const uint32_t count = drawing_lines(&d, arena, &list);
  const double bows = draw_margin(&d), above = heat_head_room(&d), below = heat_foot_room(o);
  ripstop_text_add(out,
                   "<svg xmlns='http://www.w3.org/2000/svg' viewBox='%.0f %.0f %.0f %.0f' fill='none' role='img' "
                   "aria-label='%s'>\n",
                   0 - bows, 0 - bows - above, l->width + 2 * bows, l->height + 2 * bows + above + below,
                   o->waits ? "a deadlock in the fabric" : "the fabric");
  heat_words(&d, list, count);
  draw_frames(&d);
  (o->use ? heat_draw : draw_cables)(&d, list, count);
  name_frames(&d);
  draw_safe(&d, list, count);
  draw_failed(&d, arena, false);
  draw_switches(&d, arena, list, count);
  draw_failed(&d, arena, true);
  heat_pairs(&d);
  draw_waits(&d);
  draw_marks(&d, arena);
  ripstop_text_add(out, "</svg>\n");
  ripstop_names_free(d.names);
  return status;
}

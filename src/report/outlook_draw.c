/* outlook_draw.c - one line for all cables between two places where switches stand (outlook_place.c). Cables that go
 * round or over switches of their row are bowed.
 *
 * A deadlock is a row of arrows with numbers, each a queue that waits for the next. Oddities come last, on top: a cable
 * that is there in red, one that is missing in red dashes, a switch in a red ring; each has a title that says what it
 * is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/escape.h"
#include "report/outlook_draw.h"

typedef outlook_point point;

/* ------------------------------------------------------------------ marks */

static void add_node(const drawing *d, uint32_t node) {
  char name[RIPSTOP_NAME_MAX];
  const char *text = d->o->text[node];
  ripstop_node_name(d->o->fabric, node, name);
  report_escape(d->out, *text ? text : name);
}

/* A way from one to the other, with its middle aside by a share of its length. */
void draw_way(const drawing *d, point from, point to, double bow) {
  ripstop_text_add(d->out, "<path d='M%.1f %.1f", from.x, from.y);
  if (bow != 0)
    ripstop_text_add(d->out, "Q%.1f %.1f", (from.x + to.x) / 2 + bow * (to.y - from.y),
                     (from.y + to.y) / 2 - bow * (to.x - from.x));
  ripstop_text_add(d->out, "%s%.1f %.1f'", bow != 0 ? " " : "L", to.x, to.y);
}

/* Cables of a row that are longer than from neighbour to neighbour would hide behind others. */
static bool passes_others(const drawing *d, point from, point to) {
  double along = fmax(fabs(from.x - to.x), fabs(from.y - to.y)),
         across = fmin(fabs(from.x - to.x), fabs(from.y - to.y));
  return d->layout.unit > 0 && along > 1.5 * d->layout.unit && across < 0.1 * d->layout.unit;
}

void draw_line(const drawing *d, uint32_t a, uint32_t b) {
  const point from = d->layout.at[a - d->o->fabric->ends], to = d->layout.at[b - d->o->fabric->ends];
  draw_way(d, from, to, passes_others(d, from, to) ? 0.14 : 0);
}

void draw_text(const drawing *d, double x, double y, const char *attributes, const char *text) {
  ripstop_text_add(d->out, "<text x='%.1f' y='%.1f' font-family='system-ui,Helvetica,Arial,sans-serif' %s>", x, y,
                   attributes);
  report_escape(d->out, text);
  ripstop_text_add(d->out, "</text>\n");
}

/* Every two spots with a live cable between them, once; the thicker the more cables they are. */
static void draw_cables(const drawing *d, const bundle *list, uint32_t count) {
  double faint = fmax(d->o->alone ? 0.3 : 0.15, fmin(1, 400.0 / (count + 1)));
  uint32_t most = 1;
  for (uint32_t i = 0; i < count; i++)
    if (list[i].cables > most) most = list[i].cables;
  ripstop_text_add(d->out, "<g stroke='#8a949e' stroke-width='0.8' opacity='%.2f'>\n", faint);
  for (uint32_t i = 0; i < count; i++) {
    draw_line(d, list[i].a, list[i].b);
    if (d->o->alone && list[i].cables > 1)
      ripstop_text_add(d->out, " stroke-width='%.2g'><title>%u cables</title></path>\n",
                       0.5 + 3.5 * list[i].cables / most, list[i].cables);
    else
      ripstop_text_add(d->out, "/>\n");
  }
  ripstop_text_add(d->out, "</g>\n");
}

static void draw_safe(const drawing *d) {
  const ripstop_fabric *f = d->o->fabric;
  ripstop_text_add(d->out, "<g stroke='#00684a' stroke-width='1.2' opacity='0.6'>\n");
  for (uint32_t i = 0; d->o->safe && i < d->o->safe->links; i++) {
    draw_line(d, ripstop_link_node(f, d->o->safe->link[i], 0), ripstop_link_node(f, d->o->safe->link[i], 1));
    ripstop_text_add(d->out, "/>\n");
  }
  ripstop_text_add(d->out, "</g>\n");
}

enum { BOX = 7, LABELLED = 18, LETTER = 7 };

static const char *label_of(const drawing *d, uint32_t s, char name[RIPSTOP_NAME_MAX]) {
  ripstop_node_name(d->o->fabric, d->o->fabric->ends + s, name);
  return name;
}

static bool is_of_groups(const drawing *d) { return !strcmp(d->o->recognised->family, "dragonfly"); }

/* Names, or how many switches they are, where there is room for them: of a picture that stands alone. */
static double box_width(const drawing *d, bool gathered) {
  char name[RIPSTOP_NAME_MAX];
  size_t longest = !gathered ? 0 : is_of_groups(d) ? 7 : 4;
  if (!d->o->alone) return BOX;
  for (uint32_t s = 0; s < d->switches && !gathered; s++)
    if (strlen(label_of(d, s, name)) > longest) longest = strlen(name);
  const double wanted = (double)longest * LETTER + 8;
  if (wanted + 6 <= d->layout.apart) return wanted;
  return fmax(3, fmin(BOX, 0.6 * d->layout.apart));
}

static void draw_label(const drawing *d, uint32_t s, uint32_t members, bool gathered) {
  char name[RIPSTOP_NAME_MAX];
  if (gathered && is_of_groups(d))
    snprintf(name, sizeof name, "g%u \u00d7%u", d->layout.spot[s], members);
  else if (gathered)
    snprintf(name, sizeof name, "\u00d7%u", members);
  else
    label_of(d, s, name);
  draw_text(d, d->layout.at[s].x, d->layout.at[s].y + 4,
            "font-size='11' fill='#fff' text-anchor='middle' pointer-events='none'", name);
}

bool outlook_is_weak(const outlook *o, uint32_t i) {
  const ripstop_leaf *own = &o->leaf[i], *usual = &o->leaf[o->leaves / 2];
  return own->have * usual->need < usual->have * own->need;
}

/* Grey: without hosts; blue: with; orange: with less to send on than other leaves. */
static void draw_switches(const drawing *d, ripstop_arena *arena) {
  const outlook *o = d->o;
  const char **fill = RIPSTOP_ARRAY(arena, d->switches, const char *);
  for (uint32_t i = 0; i < o->leaves; i++)
    fill[o->leaf[i].node - o->fabric->ends] = outlook_is_weak(o, i) ? "#e69f00" : "#0072b2";
  uint32_t *members = RIPSTOP_ARRAY(arena, d->layout.spots, uint32_t),
           *drawn = RIPSTOP_ARRAY(arena, d->switches, uint32_t);
  for (uint32_t s = 0; s < d->switches; s++) members[d->layout.spot[s]]++;
  const bool gathered = d->layout.spots < d->switches;
  const double width = box_width(d, gathered), height = width > BOX ? LABELLED : width;
  for (uint32_t s = 0; s < d->switches; s++) {
    const uint32_t spot = d->layout.spot[s];
    if (drawn[spot]++) continue;
    ripstop_text_add(d->out, "<rect x='%.1f' y='%.1f' width='%.3g' height='%.3g' fill='%s'%s><title>",
                     d->layout.at[s].x - width / 2, d->layout.at[s].y - height / 2, width, height,
                     fill[s] ? fill[s] : "#5b6773", width > BOX ? " rx='3'" : "");
    if (members[spot] > 1) ripstop_text_add(d->out, "%u switches, from ", members[spot]);
    add_node(d, o->fabric->ends + s);
    ripstop_text_add(d->out, "</title></rect>\n");
    if (width > BOX) draw_label(d, s, members[spot], gathered);
  }
}

/* What is dead: cables in dashes, switches crossed out; red in a picture that stands alone. */
static void draw_dead(const drawing *d) {
  const ripstop_fabric *f = d->o->fabric;
  char name[RIPSTOP_NAME_MAX];
  const char *colour = d->o->alone ? "#c1121f" : "#555";
  for (uint32_t link = 0; link < f->links; link++) {
    uint32_t a = ripstop_link_node(f, link, 0), b = ripstop_link_node(f, link, 1);
    if (d->o->view->link_up[link] || a < f->ends || b < f->ends) continue;
    if (d->o->alone) draw_line(d, a, b), ripstop_text_add(d->out, " stroke='#fff' stroke-width='5'/>\n");
    draw_line(d, a, b);
    ripstop_link_name(f, link, name);
    ripstop_text_add(d->out, " stroke='%s' stroke-width='2' stroke-dasharray='3 3'><title>dead: ", colour);
    report_escape(d->out, name);
    ripstop_text_add(d->out, "</title></path>\n");
  }
}

static void draw_dead_switches(const drawing *d) {
  const ripstop_fabric *f = d->o->fabric;
  for (uint32_t s = 0; s < d->switches; s++) {
    const point at = d->layout.at[s];
    if (d->o->view->node_up[f->ends + s]) continue;
    ripstop_text_add(d->out, "<path d='M%.1f %.1fl12 12m0 -12l-12 12' stroke='%s' stroke-width='1.8'/>\n", at.x - 6,
                     at.y - 6, d->o->alone ? "#c1121f" : "#555");
  }
}

/* An arrow into the switch where the packet waits, aside so that the one the other way does not hide it; what comes
 * from an end node is a ring. Those of the cycle have numbers. */
static void draw_wait(const drawing *d, const outlook_wait *w, uint32_t number) {
  const ripstop_fabric *f = d->o->fabric;
  const point to = d->layout.at[w->to - f->ends];
  const char *colour = number ? "#c1121f" : "#e59aa0";
  if (w->from < f->ends) {
    ripstop_text_add(d->out, "<circle cx='%.1f' cy='%.1f' r='9' stroke='%s' stroke-width='2'><title>", to.x, to.y,
                     colour);
    report_escape(d->out, w->text);
    ripstop_text_add(d->out, "</title></circle>\n");
    return;
  }
  const point from = d->layout.at[w->from - f->ends];
  const double bow = passes_others(d, from, to) ? 0.2 : 0.12, dx = to.x - from.x, dy = to.y - from.y;
  const double length = fmax(1, hypot(dx, dy)), x = (from.x + to.x + bow * dy) / 2, y = (from.y + to.y - bow * dx) / 2;
  draw_way(d, from, to, bow);
  ripstop_text_add(d->out, " stroke='%s' stroke-width='%s'><title>", colour, number ? "2.4" : "1.2");
  report_escape(d->out, w->text);
  ripstop_text_add(d->out, "</title></path>\n<path d='M%.1f %.1fl%.1f %.1fl%.1f %.1fz' fill='%s'/>\n",
                   x + 7 * dx / length, y + 7 * dy / length, -10 * dx / length - 4 * dy / length,
                   -10 * dy / length + 4 * dx / length, 8 * dy / length, -8 * dx / length, colour);
  if (number)
    ripstop_text_add(d->out, "<text x='%.1f' y='%.1f' fill='%s' font-size='11' font-family='sans-serif'>%u</text>\n",
                     x + 10 * dy / length - 3, y - 10 * dx / length + 4, colour, number);
}

static void draw_waits(const drawing *d) {
  if (!d->o->waits) return;
  ripstop_text_add(d->out, "<g opacity='0.45'>\n");
  for (uint32_t i = d->o->cycle; i < d->o->waits; i++) draw_wait(d, &d->o->wait[i], 0);
  ripstop_text_add(d->out, "</g>\n");
  for (uint32_t i = 0; i < d->o->cycle; i++) draw_wait(d, &d->o->wait[i], i + 1);
}

static void draw_place(const drawing *d, const ripstop_odd *odd, const char *place) {
  uint32_t node[2];
  unsigned count = outlook_switches(d->names, place, node);
  bool gone = !strncmp(odd->what, "missing", 7) || !strcmp(odd->what, "unequal planes");
  if (count == 2) {
    draw_line(d, node[0], node[1]);
    ripstop_text_add(d->out, " stroke='#c1121f' stroke-width='1.8'%s", gone ? " stroke-dasharray='5 4'" : "");
  } else if (count == 1) {
    const point at = d->layout.at[node[0] - d->o->fabric->ends];
    ripstop_text_add(d->out, "<circle cx='%.1f' cy='%.1f' r='8' stroke='#c1121f' stroke-width='1.8'", at.x, at.y);
  } else {
    return;
  }
  ripstop_text_add(d->out, "><title>");
  report_escape(d->out, odd->what);
  ripstop_text_add(d->out, " ");
  report_escape(d->out, place);
  ripstop_text_add(d->out, count == 2 ? "</title></path>\n" : "</title></circle>\n");
}

static void draw_odds(const drawing *d, const ripstop_odds *odds) {
  for (uint32_t i = 0; odds && i < odds->count; i++)
    for (uint32_t k = 0; k < odds->list[i].places; k++) draw_place(d, &odds->list[i], odds->list[i].where[k]);
}

int outlook_draw(const outlook *o, ripstop_text *out, ripstop_error *err) {
  ripstop_arena *arena = ripstop_arena_new();
  drawing d = {.o = o, .out = out, .switches = ripstop_fabric_switches(o->fabric)};
  d.names = ripstop_names_new(o->fabric);
  const int status = outlook_place(o, arena, &d.layout, err);
  const outlook_layout *l = &d.layout;
  const double share = o->waits ? 0.11 : 0.08, bows = l->unit > 0 ? share * fmax(l->width, l->height) : 0;
  const double above = heat_head_room(o), below = heat_foot_room(o);
  bundle *list;
  const uint32_t count = heat_bundles(&d, arena, &list);
  ripstop_text_add(out,
                   "<svg xmlns='http://www.w3.org/2000/svg' viewBox='%.0f %.0f %.0f %.0f' fill='none' role='img' "
                   "aria-label='%s'>\n",
                   0 - bows, 0 - bows - above, l->width + 2 * bows, l->height + 2 * bows + above + below,
                   o->waits ? "a deadlock in the fabric" : "the fabric");
  if (o->alone) heat_words(&d, list, count);
  (o->use ? heat_draw : draw_cables)(&d, list, count);
  draw_safe(&d);
  draw_dead(&d);
  draw_switches(&d, arena);
  draw_dead_switches(&d);
  heat_pairs(&d);
  draw_waits(&d);
  draw_odds(&d, o->told);
  draw_odds(&d, &o->recognised->odd);
  ripstop_text_add(out, "</svg>\n");
  ripstop_names_free(d.names);
  ripstop_arena_free(arena);
  return status;
}

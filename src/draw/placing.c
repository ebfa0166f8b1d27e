/* placing.c - where the switches of a fabric's picture stand: trees by level, tori, KNS and their like by coordinates,
 * dragonflies by group; all others where Graphviz puts them, or in a ring where there is no Graphviz. Where there are
 * too many to be told apart, and the picture is to be readable, spots.c gathers them. */
#include "draw/placing.h"

#include <math.h>
#include <string.h>

typedef draw_point point;
typedef draw_placing drawing;

enum { MARGIN = DRAW_MARGIN, ROOM = DRAW_ROOM, LEAST_APART = DRAW_LEAST_APART, LEVELS_APART = 190 };

static void shift(drawing *d, double x, double y) {
  for (uint32_t s = 0; s < d->switches; s++) d->l.at[s] = (point){d->l.at[s].x + x, d->l.at[s].y + y};
}

static void place_in_ring(drawing *d) {
  const double radius = fmax(d->switches * LEAST_APART / (2 * M_PI), ROOM / 2.6);
  d->l.width = d->l.height = 2 * (radius + MARGIN);
  draw_ring(d->l.at, d->switches, (point){radius + MARGIN, radius + MARGIN}, radius);
}

static void place_levels(drawing *d) {
  const bool gathers = draw_gathers(d);
  draw_deadlocked *list = RIPSTOP_ARRAY(d->arena, d->switches, draw_deadlocked);
  uint32_t *slot = RIPSTOP_ARRAY(d->arena, d->switches, uint32_t);
  for (uint32_t s = 0; s < d->switches; s++)
    list[s] = (draw_deadlocked){draw_place_of(d, s)[0], draw_place_of(d, s)[1], s};
  const uint32_t most = draw_sort_levels(list, d->switches, slot), top = list[d->switches - 1].level;
  if (gathers) d->l.spots = 0;
  for (uint32_t i = 0, k; gathers && i < d->switches; i = k) {
    for (k = i; k < d->switches && list[k].level == list[i].level;) k++;
    draw_gather_level(d, list + i, k - i, slot);
  }
  const double room = gathers ? ROOM : fmax(ROOM, most * LEAST_APART), gap = room * LEVELS_APART / ROOM;
  draw_levels(d->arena, d->l.at, list, d->switches, slot, room, gap);
  d->l.width = room + 2 * MARGIN;
  d->l.height = 2 * MARGIN + top * gap;
  shift(d, MARGIN, d->l.height - MARGIN);
}

/* Behind the ends of rows and columns, where the picture grows for them. */
static void place_lines(drawing *d) {
  const double unit = d->l.unit;
  draw_line_switches(d->arena, d->l.at, d->o->fabric, &d->places, 0.6 * unit, 0.25 * unit);
  point least = {MARGIN, MARGIN};
  for (uint32_t s = 0; s < d->switches; s++) least = (point){fmin(least.x, d->l.at[s].x), fmin(least.y, d->l.at[s].y)};
  if (least.x < MARGIN || least.y < MARGIN) shift(d, MARGIN - least.x, MARGIN - least.y);
  for (uint32_t s = 0; s < d->switches; s++) {
    d->l.width = fmax(d->l.width, d->l.at[s].x + MARGIN);
    d->l.height = fmax(d->l.height, d->l.at[s].y + MARGIN);
  }
}

static void place_sheets(drawing *d) {
  const bool lines = !strcmp(d->o->recognised->family, "kns");
  point most = {1, 1};
  draw_sheets(d->l.at, &d->places, !lines);
  for (uint32_t s = 0; s < d->switches; s++) most = (point){fmax(most.x, d->l.at[s].x), fmax(most.y, d->l.at[s].y)};
  d->l.unit = fmax(LEAST_APART * 1.6, fmin(90, ROOM / most.x));
  for (uint32_t s = 0; s < d->switches; s++)
    d->l.at[s] = (point){MARGIN + d->l.unit * d->l.at[s].x, MARGIN + d->l.unit * d->l.at[s].y};
  d->l.width = fmax(ROOM / 2.0, d->l.unit * most.x) + 2 * MARGIN;
  d->l.height = d->l.unit * most.y + 2 * MARGIN;
  if (lines) place_lines(d);
}

static void place_groups(drawing *d) {
  draw_groups g = draw_count_groups(&d->places);
  g.small = fmax(14, g.most * LEAST_APART / (2 * M_PI));
  g.large = fmax(ROOM / 2.6, g.groups * g.small * 2.6 / (2 * M_PI));
  draw_place_groups(d->l.at, &d->places, &g);
  d->l.width = d->l.height = 2 * (g.large + g.small + MARGIN);
  shift(d, d->l.width / 2, d->l.height / 2);
}

/* Each switch of a large dragonfly in its group's spot. */
static void gather_groups(drawing *d) {
  uint32_t *group = RIPSTOP_ARRAY(d->arena, d->switches, uint32_t);
  for (uint32_t s = 0; s < d->switches; s++) group[s] = draw_place_of(d, s)[0];
  draw_gather_groups(d, group, draw_count_groups(&d->places).groups);
}

static int place_switches(drawing *d, ripstop_error *err) {
  const char *family = d->o->recognised->family;
  const bool gathered = draw_gathers(d), placed = d->places.dims >= 2;
  if (placed && !strcmp(family, "fat tree"))
    place_levels(d);
  else if (placed && !strncmp(family, "dragonfly", strlen("dragonfly")))
    (gathered ? gather_groups : place_groups)(d);
  else if (placed)
    (gathered ? draw_gather_sheets : place_sheets)(d);
  else if (gathered)
    return draw_gather_clusters(d, err);
  else if (draw_by_graphviz(d, err))
    return place_in_ring(d), -1;
  return 0;
}

int draw_place(const picture *o, ripstop_arena *arena, draw_layout *out, ripstop_error *err) {
  const uint32_t switches = ripstop_fabric_switches(o->fabric);
  drawing d = {.o = o, .switches = switches, .arena = arena};
  d.places = (draw_places){switches, o->recognised->dims, o->recognised->place};
  d.l.at = RIPSTOP_ARRAY(arena, switches, point);
  d.l.spot = RIPSTOP_ARRAY(arena, switches, uint32_t);
  for (uint32_t s = 0; s < switches; s++) d.l.spot[s] = s;
  d.l.spots = switches;
  const int status = place_switches(&d, err);
  d.l.apart = draw_least_apart(&d);
  *out = d.l;
  return status;
}

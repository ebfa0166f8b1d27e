/* spots.c - switches that are too many to be told apart, gathered: groups of them, each in a spot of a ring,
 * or rows and columns, whose cables the drawing takes together (cable_lines.c).
 *
 * A group is what the fabric's kind calls one; slim flies have pairs of columns and PolarFly the neighbourhoods of one
 * switch's neighbours, so that any two groups are joined alike. Others are divided into clusters that have many cables
 * within: each grows by the switch that has most cables into it, then switches move to where they have more. */
#include <math.h>
#include <string.h>

#include "draw/placing.h"

typedef draw_placing drawing;
typedef draw_point point;

enum { MARGIN = DRAW_MARGIN, ROOM = DRAW_ROOM };
enum { MANY_SWITCHES = 120, MANY_CABLES = 600, RING_MOST = 33, CLUSTERS = 20 };

bool draw_gathers(const drawing *d) {
  const uint32_t cables = d->o->fabric->links - d->o->fabric->link_ends;
  return d->o->gather && (d->switches > MANY_SWITCHES || cables > MANY_CABLES);
}

/* The switch behind a switch's port; RIPSTOP_NONE: there is none. */
static uint32_t neighbour(const ripstop_fabric *f, uint32_t port) {
  const uint32_t peer = f->peer[port];
  return peer == RIPSTOP_NONE || f->port_node[peer] < f->ends ? RIPSTOP_NONE : f->port_node[peer] - f->ends;
}

static uint32_t first_port(const ripstop_fabric *f, uint32_t s) { return f->port_base[f->ends + s]; }

/* ------------------------------------------------------------------ levels of trees */

enum { LEVEL_MOST = 20 }; /* spots of a level */

/* The smallest share that leaves few, or of up to twice that size one that leaves no smaller rest. */
static uint32_t share_of_level(uint32_t count) {
  const uint32_t least = (count + LEVEL_MOST - 1) / LEVEL_MOST;
  for (uint32_t each = least; each <= 2 * least; each++)
    if (count % each == 0) return each;
  return least;
}

void draw_gather_level(drawing *d, const draw_deadlocked *list, uint32_t count, uint32_t *slot) {
  uint32_t blocks = 1, before = d->l.spots, block = 0;
  for (uint32_t n = 1; n < count; n++) blocks += list[n].order != list[n - 1].order;
  const bool by_block = blocks >= 4 && blocks < count;
  const uint32_t each = share_of_level(count <= LEVEL_MOST || !by_block ? count : blocks);
  for (uint32_t n = 0; n < count; n++) {
    const bool fresh = n > 0 && list[n].order != list[n - 1].order;
    block += fresh;
    d->l.spots += n == 0 || (count <= LEVEL_MOST || !by_block ? n % each == 0 : fresh && block % each == 0);
    d->l.spot[list[n].node] = d->l.spots - 1;
    slot[list[n].node] = d->l.spots - 1 - before;
  }
}

/* ------------------------------------------------------------------ a ring of groups */

static void place_spots_in_ring(drawing *d) {
  const double radius = ROOM / 2.0 - 2 * MARGIN;
  d->l.width = d->l.height = ROOM;
  for (uint32_t s = 0; s < d->switches; s++) {
    const double turn = 2 * M_PI * d->l.spot[s] / d->l.spots - M_PI / 2;
    d->l.at[s] = draw_on_ring((point){ROOM / 2.0, ROOM / 2.0}, radius, turn);
  }
}

/* Groups that share a spot: one, or so many that few spots are left. */
static uint32_t share_of(uint32_t groups) { return groups <= RING_MOST ? 1 : (groups + CLUSTERS - 1) / CLUSTERS; }

static void fill_spots(drawing *d, const uint32_t *group, uint32_t groups) {
  const uint32_t each = share_of(groups);
  d->l.spots = (groups + each - 1) / each;
  for (uint32_t s = 0; s < d->switches; s++) d->l.spot[s] = group[s] / each;
}

void draw_gather_groups(drawing *d, const uint32_t *group, uint32_t groups) {
  fill_spots(d, group, groups);
  d->l.each = share_of(groups);
  place_spots_in_ring(d);
}

/* ------------------------------------------------------------------ clusters */

typedef struct clusters {
  drawing *d;
  uint32_t *of;    /* [switches]: RIPSTOP_NONE: none yet */
  uint32_t *inner; /* [switches]: cables into the cluster that grows */
  uint32_t *edge;  /* switches of no cluster that have one */
  uint32_t edges, count, most;
  uint32_t *size; /* [count] */
} clusters;

static void take(clusters *c, uint32_t s) {
  const ripstop_fabric *f = c->d->o->fabric;
  c->of[s] = c->count;
  c->size[c->count]++;
  for (uint32_t port = first_port(f, s); port < first_port(f, s + 1); port++) {
    const uint32_t to = neighbour(f, port);
    if (to == RIPSTOP_NONE || c->of[to] != RIPSTOP_NONE) continue;
    if (!c->inner[to]++) c->edge[c->edges++] = to;
  }
}

/* The switch on the edge with most cables into the cluster; in large fabrics the first, because to search takes long.
 */
static uint32_t next_of_edge(clusters *c) {
  enum { LARGE = 4096 };
  uint32_t best = 0;
  for (uint32_t i = 1; i < c->edges && c->d->switches <= LARGE; i++) {
    const uint32_t a = c->edge[i], b = c->edge[best];
    if (c->inner[a] > c->inner[b] || (c->inner[a] == c->inner[b] && a < b)) best = i;
  }
  const uint32_t s = c->edge[best];
  c->edge[best] = c->edge[--c->edges];
  return s;
}

static void grow(clusters *c, uint32_t seed) {
  c->edges = 0;
  memset(c->inner, 0, c->d->switches * sizeof *c->inner);
  take(c, seed);
  while (c->edges && c->size[c->count] < c->most) take(c, next_of_edge(c));
  c->count++;
}

/* Counts the cables of a switch into each cluster. */
static void count_into(const clusters *c, uint32_t s, uint32_t *into) {
  const ripstop_fabric *f = c->d->o->fabric;
  memset(into, 0, c->count * sizeof *into);
  for (uint32_t port = first_port(f, s); port < first_port(f, s + 1); port++) {
    const uint32_t to = neighbour(f, port);
    if (to != RIPSTOP_NONE) into[c->of[to]]++;
  }
}

/* A switch of a small cluster moves to the large one into which it has most cables, unless it has none. */
static void dissolve(clusters *c, uint32_t *into) {
  uint32_t *number = RIPSTOP_ARRAY(c->d->arena, c->count, uint32_t), kept = 0;
  for (uint32_t s = 0; s < c->d->switches; s++) {
    uint32_t best = RIPSTOP_NONE;
    if (c->size[c->of[s]] > c->most / 2) continue;
    count_into(c, s, into);
    for (uint32_t i = 0; i < c->count; i++)
      if (into[i] && c->size[i] > c->most / 2 && (best == RIPSTOP_NONE || into[i] > into[best])) best = i;
    if (best == RIPSTOP_NONE) continue;
    c->size[c->of[s]]--, c->size[best]++;
    c->of[s] = best;
  }
  for (uint32_t i = 0; i < c->count; i++) {
    number[i] = kept;
    if (c->size[i]) c->size[kept++] = c->size[i];
  }
  for (uint32_t s = 0; s < c->d->switches; s++) c->of[s] = number[c->of[s]];
  c->count = kept;
}

/* To where a switch has most cables, while sizes stay alike. */
static bool move(clusters *c, uint32_t s, uint32_t *into) {
  const uint32_t own = c->of[s];
  uint32_t best = own;
  count_into(c, s, into);
  for (uint32_t i = 0; i < c->count; i++)
    if (into[i] > into[best] && c->size[i] < c->most + c->most / 4) best = i;
  if (best == own || c->size[own] <= c->most / 2) return false;
  c->size[own]--, c->size[best]++;
  c->of[s] = best;
  return true;
}

static uint32_t find_clusters(drawing *d, uint32_t *of) {
  enum { ROUNDS = 8 };
  clusters c = {.d = d, .of = of, .most = (d->switches + CLUSTERS - 1) / CLUSTERS};
  c.inner = RIPSTOP_ARRAY(d->arena, d->switches, uint32_t), c.edge = RIPSTOP_ARRAY(d->arena, d->switches, uint32_t);
  c.size = RIPSTOP_ARRAY(d->arena, d->switches, uint32_t);
  memset(of, 0xff, d->switches * sizeof *of);
  for (uint32_t s = 0; s < d->switches; s++)
    if (of[s] == RIPSTOP_NONE) grow(&c, s);
  uint32_t *into = RIPSTOP_ARRAY(d->arena, c.count, uint32_t);
  dissolve(&c, into);
  bool moved = true;
  for (unsigned round = 0; round < ROUNDS && moved; round++) {
    moved = false;
    for (uint32_t s = 0; s < d->switches; s++) moved = move(&c, s, into) || moved;
  }
  return c.count;
}

/* ------------------------------------------------------------------ flies */

/* The columns of both halves by their number, where the program made the fabric and so knows them. */
static uint32_t columns_of_slimfly(const drawing *d, uint32_t *group) {
  const ripstop_fabric *f = d->o->fabric;
  uint32_t most = 0;
  for (uint32_t s = 0; s < d->switches; s++) {
    group[s] = f->coord[(size_t)(f->ends + s) * f->coords + 1];
    if (group[s] > most) most = group[s];
  }
  return most + 1;
}

static uint32_t cables_of(const ripstop_fabric *f, uint32_t s) {
  uint32_t count = 0;
  for (uint32_t port = first_port(f, s); port < first_port(f, s + 1); port++)
    count += neighbour(f, port) != RIPSTOP_NONE;
  return count;
}

/* A switch with the fewest neighbours is a quadric: the quadrics are group 0, and each of its neighbours has a group
 * with its own neighbours that are none. */
static uint32_t fans_of_polarfly(const drawing *d, uint32_t *group) {
  const ripstop_fabric *f = d->o->fabric;
  uint32_t quadric = 0, groups = 1;
  for (uint32_t s = 1; s < d->switches; s++)
    if (cables_of(f, s) < cables_of(f, quadric)) quadric = s;
  const uint32_t least = cables_of(f, quadric);
  for (uint32_t port = first_port(f, quadric); port < first_port(f, quadric + 1); port++) {
    const uint32_t centre = neighbour(f, port);
    if (centre == RIPSTOP_NONE) continue;
    group[centre] = groups;
    for (uint32_t next = first_port(f, centre); next < first_port(f, centre + 1); next++) {
      const uint32_t to = neighbour(f, next);
      if (to != RIPSTOP_NONE && !group[to] && cables_of(f, to) > least) group[to] = groups;
    }
    groups++;
  }
  return groups;
}

/* ------------------------------------------------------------------ others */

/* True if more than half of all pairs of spots have a cable: then a ring shows them best. */
static bool joins_most(const drawing *d) {
  const ripstop_fabric *f = d->o->fabric;
  const uint32_t spots = d->l.spots;
  bool *seen = RIPSTOP_ARRAY(d->arena, (size_t)spots * spots, bool);
  uint32_t joined = 0;
  for (uint32_t s = 0; s < d->switches; s++)
    for (uint32_t port = first_port(f, s); port < first_port(f, s + 1); port++) {
      const uint32_t to = neighbour(f, port);
      if (to == RIPSTOP_NONE || d->l.spot[to] <= d->l.spot[s]) continue;
      bool *cell = &seen[(size_t)d->l.spot[s] * spots + d->l.spot[to]];
      joined += !*cell;
      *cell = true;
    }
  return joined > spots * (spots - 1) / 4;
}

int draw_gather_clusters(drawing *d, ripstop_error *err) {
  uint32_t *group = RIPSTOP_ARRAY(d->arena, d->switches, uint32_t), groups;
  if (!strncmp(d->o->fabric->spec, "slimfly:", strlen("slimfly:")))
    groups = columns_of_slimfly(d, group);
  else if (!strcmp(d->o->recognised->family, "polarfly"))
    groups = fans_of_polarfly(d, group);
  else
    groups = find_clusters(d, group);
  fill_spots(d, group, groups);
  if (!joins_most(d)) {
    if (!draw_by_graphviz(d, err)) return 0;
    return place_spots_in_ring(d), -1;
  }
  return place_spots_in_ring(d), 0;
}

/* ------------------------------------------------------------------ rows and columns */

typedef struct sheets {
  uint32_t count, rows, columns;
  double width, height; /* a sheet's, in units */
} sheets;

static uint32_t sheet_of(const drawing *d, uint32_t s, const uint32_t *size) {
  uint32_t at = 0;
  for (uint32_t i = 0; i + 2 < d->places.dims; i++) at = at * size[i] + draw_place_of(d, s)[i];
  return at;
}

static sheets measure(const drawing *d, const bool *placed, bool lines, uint32_t size[RIPSTOP_PLACE_DIMS]) {
  const uint32_t dims = d->places.dims;
  sheets all = {.count = 1};
  for (uint32_t i = 0; i < dims; i++) size[i] = 1;
  for (uint32_t s = 0; s < d->switches; s++)
    for (uint32_t i = 0; placed[s] && i < dims; i++)
      if (draw_place_of(d, s)[i] >= size[i]) size[i] = draw_place_of(d, s)[i] + 1u;
  for (uint32_t i = 0; i + 2 < dims; i++) all.count *= size[i];
  all.rows = size[dims - 2], all.columns = size[dims - 1];
  all.width = fmax(1, all.columns - 1 + (lines ? 0.6 : 0)), all.height = fmax(1, all.rows - 1 + (lines ? 0.6 : 0));
  return all;
}

static void add_frame(drawing *d, uint32_t sheet, const sheets *all, point middle) {
  const double w = all->width + 1.2, h = all->height + 1.2, unit = d->l.unit;
  d->l.frame[sheet] = (draw_frame){middle.x - unit * w / 2, middle.y - unit * h / 2, unit * w, unit * h};
}

/* One sheet fills the drawing; several stand in a ring round the one of a KNS's further lines. */
static void place_frames(drawing *d, const sheets *all, bool middle) {
  const double across = hypot(all->width + 1.6, all->height + 1.6);
  double ring = 0, wide = all->width + 1.2, high = all->height + 1.2;
  if (all->count > 1) {
    ring = fmax(all->count * 1.06 * across / (2 * M_PI), across * (middle ? 1.1 : 0.65));
    wide = high = 2 * ring + across;
  }
  d->l.unit = fmax(DRAW_LEAST_APART * 1.2, fmin(90, ROOM / fmax(wide, high)));
  d->l.width = fmax(ROOM / 2.0, d->l.unit * wide) + 2 * MARGIN, d->l.height = d->l.unit * high + 2 * MARGIN;
  const point centre = {d->l.width / 2, d->l.height / 2};
  for (uint32_t i = 0; i < all->count; i++) {
    const double turn = 2 * M_PI * i / all->count - M_PI / 2, far = d->l.unit * ring;
    add_frame(d, i, all, (point){centre.x + far * cos(turn), centre.y + far * sin(turn)});
  }
  add_frame(d, all->count, all, centre);
}

/* In the order of their numbers, by rows, in the middle of the ring. */
static void place_middle(drawing *d, const bool *placed, const sheets *all, uint32_t count) {
  const draw_frame *frame = &d->l.frame[all->count];
  const uint32_t columns = (uint32_t)ceil(sqrt(count)), rows = (count + columns - 1) / columns;
  uint32_t n = 0;
  for (uint32_t s = 0; s < d->switches; s++) {
    if (placed[s]) continue;
    d->l.at[s] = (point){frame->x + frame->width * (n % columns + 0.5) / columns,
                         frame->y + frame->height * ((double)(n / columns) + 0.5) / rows}; /* NOLINT: whole rows */
    d->l.sheet[s] = all->count;
    n++;
  }
}

/* The sheet that all neighbours with a place stand in; RIPSTOP_NONE: not one. */
static uint32_t sheet_of_neighbours(const drawing *d, uint32_t s, const bool *placed) {
  const ripstop_fabric *f = d->o->fabric;
  uint32_t sheet = RIPSTOP_NONE;
  for (uint32_t port = first_port(f, s); port < first_port(f, s + 1); port++) {
    const uint32_t to = neighbour(f, port);
    if (to == RIPSTOP_NONE || !placed[to]) continue;
    if (sheet != RIPSTOP_NONE && d->l.sheet[to] != sheet) return RIPSTOP_NONE;
    sheet = d->l.sheet[to];
  }
  return sheet;
}

/* The lines of a KNS that lie in a sheet. Returns how many others there are. */
static uint32_t place_lines(drawing *d, bool *placed) {
  uint32_t left = 0;
  for (bool more = true; more;) {
    more = false, left = 0;
    for (uint32_t s = 0; s < d->switches; s++) {
      if (placed[s]) continue;
      const uint32_t sheet = sheet_of_neighbours(d, s, placed);
      left++;
      if (sheet == RIPSTOP_NONE || !draw_line_switch(d->l.at, d->o->fabric, &d->places, s, placed, 0.6 * d->l.unit, 0))
        continue;
      d->l.sheet[s] = sheet;
      placed[s] = more = true;
    }
  }
  return left;
}

void draw_gather_sheets(drawing *d) {
  const bool lines = !strcmp(d->o->recognised->family, "kns");
  uint32_t size[RIPSTOP_PLACE_DIMS] = {0};
  bool *placed = RIPSTOP_ARRAY(d->arena, d->switches, bool);
  for (uint32_t s = 0; s < d->switches; s++) placed[s] = !lines || draw_has_hosts(d->o->fabric, d->o->fabric->ends + s);
  const sheets all = measure(d, placed, lines, size);
  const uint32_t dims = d->places.dims;
  d->l.frame = RIPSTOP_ARRAY(d->arena, all.count + 1, draw_frame);
  d->l.sheet = RIPSTOP_ARRAY(d->arena, d->switches, uint32_t);
  place_frames(d, &all, lines && dims > 2);
  for (uint32_t s = 0; s < d->switches; s++) {
    if (!placed[s]) continue;
    const draw_frame *frame = &d->l.frame[d->l.sheet[s] = sheet_of(d, s, size)];
    const uint16_t *place = draw_place_of(d, s);
    d->l.at[s] =
        (point){frame->x + d->l.unit * (0.6 + place[dims - 1]), frame->y + d->l.unit * (0.6 + place[dims - 2])};
  }
  const uint32_t left = place_lines(d, placed);
  if (left) place_middle(d, placed, &all, left);
  d->l.frames = all.count == 1 ? 0 : all.count + (left > 0);
}

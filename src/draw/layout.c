/* layout.c - where switches stand in a drawing: trees by level, tori, KNS and their like by coordinates,
 * dragonflies by group; what is none of these where Graphviz puts it, or in a ring where there is no Graphviz.
 *
 * Where there are too many to be told apart, and the drawing asks for it, the blocks of a tree's level stand in one
 * spot; others are gathered by spots.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"
#include "draw/layout.h"
#include "draw/tool.h"

typedef outlook_point point;

typedef outlook_placing drawing;

enum { MARGIN = OUTLOOK_MARGIN, ROOM = OUTLOOK_ROOM, LEAST_APART = OUTLOOK_LEAST_APART, LEVELS_APART = 190 };

const uint16_t *outlook_place_of(const drawing *d, uint32_t s) {
  return d->o->recognised->place + (size_t)s * d->o->recognised->dims;
}

static void place_ring(drawing *d, uint32_t first, uint32_t count, point centre, double radius) {
  for (uint32_t i = 0; i < count; i++) {
    double angle = 2 * M_PI * i / count - M_PI / 2;
    d->l.at[first + i] = (point){centre.x + radius * cos(angle), centre.y + radius * sin(angle)};
  }
}

static void place_all_in_a_ring(drawing *d) {
  double radius = d->switches * LEAST_APART / (2 * M_PI);
  if (radius < ROOM / 2.6) radius = ROOM / 2.6;
  d->l.width = d->l.height = 2 * (radius + MARGIN);
  place_ring(d, 0, d->switches, (point){radius + MARGIN, radius + MARGIN}, radius);
}

/* ------------------------------------------------------------------ spots */

enum { LEVEL_MOST = 20 }; /* spots of a level */

typedef struct standing {
  uint32_t level, block, s;
} standing;

static int by_level(const void *a, const void *b) {
  const standing *x = a, *y = b;
  if (x->level != y->level) return x->level < y->level ? -1 : 1;
  if (x->block != y->block) return x->block < y->block ? -1 : 1;
  return x->s < y->s ? -1 : x->s > y->s;
}

/* The smallest share that leaves few, or of up to twice that size one that leaves no smaller rest. */
static uint32_t share_of(uint32_t count) {
  const uint32_t least = (count + LEVEL_MOST - 1) / LEVEL_MOST;
  for (uint32_t each = least; each <= 2 * least; each++)
    if (count % each == 0) return each;
  return least;
}

/* Those of a level, by block: each has a spot where they are few, else each block, or as many of equal size; of more
 * blocks as many in a spot as leave few of them. */
static uint32_t spots_of_level(drawing *d, const standing *list, uint32_t count) {
  uint32_t blocks = 1, before = d->l.spots, block = 0;
  for (uint32_t n = 1; n < count; n++) blocks += list[n].block != list[n - 1].block;
  const bool by_block = blocks >= 4 && blocks < count;
  const uint32_t each = share_of(count <= LEVEL_MOST || !by_block ? count : blocks);
  for (uint32_t n = 0; n < count; n++) {
    const bool fresh = n > 0 && list[n].block != list[n - 1].block;
    block += fresh;
    d->l.spots += n == 0 || (count <= LEVEL_MOST || !by_block ? n % each == 0 : fresh && block % each == 0);
    d->l.spot[list[n].s] = d->l.spots - 1;
  }
  return d->l.spots - before;
}

static void place_levels(drawing *d) {
  standing *list = RIPSTOP_ARRAY(d->arena, d->switches, standing);
  uint32_t most = 0, top = 0;
  for (uint32_t s = 0; s < d->switches; s++)
    list[s] = (standing){outlook_place_of(d, s)[0], outlook_place_of(d, s)[1], s};
  qsort(list, d->switches, sizeof *list, by_level);
  for (uint32_t i = 0, k; i < d->switches; i = k) {
    for (k = i; k < d->switches && list[k].level == list[i].level;) k++;
    if (k - i > most) most = k - i;
    if (list[i].level > top) top = list[i].level;
  }
  double room = most * LEAST_APART > ROOM ? most * LEAST_APART : ROOM;
  if (outlook_gathers(d)) room = ROOM;
  d->l.width = room + 2 * MARGIN;
  d->l.height = 2 * MARGIN + top * room * LEVELS_APART / ROOM;
  for (uint32_t i = 0, k; i < d->switches; i = k) {
    for (k = i; k < d->switches && list[k].level == list[i].level;) k++;
    const uint32_t first = d->l.spots, spots = outlook_gathers(d) ? spots_of_level(d, list + i, k - i) : k - i;
    if (!outlook_gathers(d)) d->l.spots += spots;
    for (uint32_t n = i; n < k; n++)
      d->l.at[list[n].s] =
          (point){MARGIN + room * ((outlook_gathers(d) ? d->l.spot[list[n].s] - first : n - i) + 0.5) / spots,
                  d->l.height - MARGIN - list[i].level * room * LEVELS_APART / ROOM};
  }
}

/* The last coordinates are columns and rows of a sheet; those before them go by sheets, to the right and down: the
 * sheets of three dimensions in rows, so that the whole is about square. */
static void place_sheets(drawing *d) {
  uint32_t dims = d->o->recognised->dims, size[RIPSTOP_PLACE_DIMS] = {0};
  double most[2] = {1, 1};
  for (uint32_t s = 0; s < d->switches; s++)
    for (uint32_t i = 0; i < dims; i++)
      if (outlook_place_of(d, s)[i] >= size[i]) size[i] = outlook_place_of(d, s)[i] + 1u;
  for (uint32_t s = 0; s < d->switches; s++) {
    double at[2] = {0, 0}, stride[2] = {1, 1};
    for (uint32_t i = dims; i-- > 0;) {
      unsigned axis = (dims - 1 - i) % 2;
      if (dims == 3 && i == 0) {
        const uint32_t columns = (uint32_t)ceil(sqrt(size[0] * (size[1] + 1.0) / (size[2] + 1.0)));
        const uint32_t sheet = outlook_place_of(d, s)[0], row = sheet / columns;
        at[0] += (sheet - row * columns) * stride[0];
        at[1] += row * stride[1];
        break;
      }
      at[axis] += outlook_place_of(d, s)[i] * stride[axis];
      stride[axis] *= size[i] + 1;
    }
    for (unsigned axis = 0; axis < 2; axis++) most[axis] = fmax(most[axis], at[axis]);
    d->l.at[s] = (point){at[0], at[1]};
  }
  double unit = fmax(LEAST_APART * 1.6, fmin(90, ROOM / most[0]));
  d->l.unit = unit;
  for (uint32_t s = 0; s < d->switches; s++)
    d->l.at[s] = (point){MARGIN + unit * d->l.at[s].x, MARGIN + unit * d->l.at[s].y};
  d->l.width = fmax(ROOM / 2.0, unit * most[0]) + 2 * MARGIN;
  d->l.height = unit * most[1] + 2 * MARGIN;
}

/* The reach of the neighbours that have a place. */
typedef struct span {
  double left, right, top, bottom, x, y;
  uint32_t count;
} span;

static span span_of(const drawing *d, uint32_t node, const bool *placed) {
  const ripstop_fabric *f = d->o->fabric;
  span s = {.left = INFINITY, .right = -INFINITY, .top = INFINITY, .bottom = -INFINITY};
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
    if (f->peer[port] == RIPSTOP_NONE || f->port_node[f->peer[port]] < f->ends) continue;
    uint32_t other = f->port_node[f->peer[port]] - f->ends;
    if (!placed[other]) continue;
    const point at = d->l.at[other];
    s.left = fmin(s.left, at.x), s.right = fmax(s.right, at.x);
    s.top = fmin(s.top, at.y), s.bottom = fmax(s.bottom, at.y);
    s.x += at.x, s.y += at.y, s.count++;
  }
  return s;
}

bool outlook_has_hosts(const ripstop_fabric *f, uint32_t node) {
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
    if (f->peer[port] != RIPSTOP_NONE && f->port_node[f->peer[port]] < f->ends) return true;
  return false;
}

/* The switches of a KNS's lines stand behind the end of their row or column; those of further dimensions, and of lines
 * that are trees themselves, beside the middle of their neighbours. */
bool outlook_place_line(drawing *d, uint32_t s, const bool *placed) {
  const span to = span_of(d, d->o->fabric->ends + s, placed);
  const double beside = 0.6 * d->l.unit;
  if (!to.count) return false;
  if (to.top == to.bottom && to.left < to.right)
    d->l.at[s] = (point){to.right + beside, to.top};
  else if (to.left == to.right && to.top < to.bottom)
    d->l.at[s] = (point){to.left, to.bottom + beside};
  else
    d->l.at[s] = (point){to.x / to.count + beside / 2, to.y / to.count + beside / 2};
  return true;
}

static void place_kns(drawing *d) {
  const ripstop_fabric *f = d->o->fabric;
  bool *placed = RIPSTOP_ARRAY(d->arena, d->switches, bool);
  place_sheets(d);
  for (uint32_t s = 0; s < d->switches; s++) placed[s] = outlook_has_hosts(f, f->ends + s);
  for (bool more = true; more;) {
    more = false;
    for (uint32_t s = 0; s < d->switches; s++) {
      if (placed[s] || !outlook_place_line(d, s, placed)) continue;
      placed[s] = more = true;
    }
  }
  for (uint32_t s = 0; s < d->switches; s++) {
    d->l.width = fmax(d->l.width, d->l.at[s].x + MARGIN);
    d->l.height = fmax(d->l.height, d->l.at[s].y + MARGIN);
  }
}

static void place_groups(drawing *d) {
  uint32_t groups = 0, most = 0;
  for (uint32_t s = 0; s < d->switches; s++) {
    if (outlook_place_of(d, s)[0] >= groups) groups = outlook_place_of(d, s)[0] + 1u;
    if (outlook_place_of(d, s)[1] >= most) most = outlook_place_of(d, s)[1] + 1u;
  }
  double small = fmax(14, most * LEAST_APART / (2 * M_PI)), large = fmax(ROOM / 2.6, groups * small * 2.6 / (2 * M_PI));
  d->l.width = d->l.height = 2 * (large + small + MARGIN);
  for (uint32_t s = 0; s < d->switches; s++) {
    double turn = 2 * M_PI * outlook_place_of(d, s)[0] / groups,
           own = turn + 2 * M_PI * outlook_place_of(d, s)[1] / most;
    d->l.at[s] = (point){d->l.width / 2 + large * cos(turn) + small * cos(own),
                         d->l.height / 2 + large * sin(turn) + small * sin(own)};
  }
}

/* Of a dragonfly as large as that, each in its group's spot. */
static void gather_groups(drawing *d) {
  uint32_t *group = RIPSTOP_ARRAY(d->arena, d->switches, uint32_t), groups = 0;
  for (uint32_t s = 0; s < d->switches; s++) {
    group[s] = outlook_place_of(d, s)[0];
    if (group[s] >= groups) groups = group[s] + 1;
  }
  outlook_gather_groups(d, group, groups);
}

/* ------------------------------------------------------------------ Graphviz */

static void write_graph(const drawing *d, ripstop_text *out) {
  const ripstop_fabric *f = d->o->fabric;
  ripstop_text_add(out, "%sgraph g {\n  start=1; overlap=prism; node [shape=point, width=0.3, fixedsize=true];\n",
                   d->l.spots < d->switches ? "strict " : "");
  for (uint32_t spot = 0; spot < d->l.spots; spot++) ripstop_text_add(out, "  n%u;\n", spot);
  for (uint32_t link = f->link_ends; link < f->links; link++) {
    const uint32_t a = d->l.spot[ripstop_link_node(f, link, 0) - f->ends],
                   b = d->l.spot[ripstop_link_node(f, link, 1) - f->ends];
    if (a != b) ripstop_text_add(out, "  n%u -- n%u;\n", a, b);
  }
  ripstop_text_add(out, "}\n");
}

/* Lines "node n12 3.4 5.6 ..." say where each stands, with y upwards. */
static bool read_graph(drawing *d, const char *line) {
  uint32_t count = 0;
  point *at = RIPSTOP_ARRAY(d->arena, d->l.spots, point);
  for (; line && *line; line = strchr(line, '\n'), line += line != NULL) {
    char *end;
    if (strncmp(line, "node n", strlen("node n")) != 0) continue;
    const unsigned long spot = strtoul(line + strlen("node n"), &end, 10);
    if (spot >= d->l.spots) return false;
    at[spot].x = ripstop_read_real(end, &end);
    at[spot].y = -ripstop_read_real(end, &end);
    count++;
  }
  for (uint32_t s = 0; s < d->switches; s++) d->l.at[s] = at[d->l.spot[s]];
  return count == d->l.spots;
}

/* Into the room, upright, so large that no two stand on each other. */
static void scale_graph(drawing *d, double apart) {
  span all = {.left = INFINITY, .right = -INFINITY, .top = INFINITY, .bottom = -INFINITY};
  for (uint32_t s = 0; s < d->switches; s++) {
    all.left = fmin(all.left, d->l.at[s].x), all.right = fmax(all.right, d->l.at[s].x);
    all.top = fmin(all.top, d->l.at[s].y), all.bottom = fmax(all.bottom, d->l.at[s].y);
  }
  const double wide = fmax(1e-9, fmax(all.right - all.left, all.bottom - all.top));
  const double scale = fmin(2.0 * ROOM / wide, fmax(ROOM / wide, LEAST_APART / fmax(1e-9, apart)));
  for (uint32_t s = 0; s < d->switches; s++)
    d->l.at[s] = (point){MARGIN + scale * (d->l.at[s].x - all.left), MARGIN + scale * (d->l.at[s].y - all.top)};
  d->l.width = scale * (all.right - all.left) + 2 * MARGIN;
  d->l.height = scale * (all.bottom - all.top) + 2 * MARGIN;
}

typedef struct placed {
  point at;
  uint32_t spot;
} placed;

static int from_left(const void *a, const void *b) {
  const double x = ((const placed *)a)->at.x, y = ((const placed *)b)->at.x;
  return (x > y) - (x < y);
}

/* Of two spots. From left to right, each is compared with those that are less to the left of it than the least so far:
 * in a grid those of its own column. */
static double least_apart(const drawing *d) {
  placed *all = RIPSTOP_ARRAY(d->arena, d->switches, placed);
  double least = INFINITY;
  for (uint32_t s = 0; s < d->switches; s++) all[s] = (placed){d->l.at[s], d->l.spot[s]};
  qsort(all, d->switches, sizeof *all, from_left);
  for (uint32_t a = 1; a < d->switches; a++)
    for (uint32_t b = a; b > 0 && all[a].at.x - all[b - 1].at.x < least; b--)
      if (all[a].spot != all[b - 1].spot)
        least = fmin(least, hypot(all[a].at.x - all[b - 1].at.x, all[a].at.y - all[b - 1].at.y));
  return least;
}

int outlook_place_by_graphviz(drawing *d, ripstop_error *err) {
  enum { FEW = 150 }; /* beyond, neato takes long */
  static char neato[] = "neato", sfdp[] = "sfdp", plain[] = "-Tplain";
  char *const argument[] = {d->l.spots > FEW ? sfdp : neato, plain, NULL};
  ripstop_text graph = {0}, drawn = {0};
  write_graph(d, &graph);
  int status = tool_run(argument, "graphviz", &graph, &drawn, err) ? -1 : 0;
  if (!status && !read_graph(d, drawn.data))
    status = ripstop_fail(err, "%s does not say where all switches stand", argument[0]);
  if (!status) scale_graph(d, least_apart(d));
  ripstop_text_free(&graph);
  ripstop_text_free(&drawn);
  return status;
}

/* ------------------------------------------------------------------ all of them */

static int place_switches(drawing *d, ripstop_error *err) {
  const ripstop_recognised *r = d->o->recognised;
  const bool groups = !strncmp(r->family, "dragonfly", strlen("dragonfly")) && r->dims >= 2;
  const bool gathered = outlook_gathers(d);
  if (!strcmp(r->family, "fat tree") && r->dims >= 2)
    place_levels(d);
  else if (groups)
    (gathered ? gather_groups : place_groups)(d);
  else if (r->dims >= 2 && gathered)
    outlook_gather_sheets(d);
  else if (r->dims >= 2)
    (!strcmp(r->family, "kns") ? place_kns : place_sheets)(d);
  else if (gathered)
    return outlook_gather_clusters(d, err);
  else if (outlook_place_by_graphviz(d, err))
    return place_all_in_a_ring(d), -1;
  return 0;
}

int outlook_place(const outlook *o, ripstop_arena *arena, outlook_layout *out, ripstop_error *err) {
  drawing d = {.o = o, .switches = ripstop_fabric_switches(o->fabric), .arena = arena};
  const bool levels = !strcmp(o->recognised->family, "fat tree") && o->recognised->dims >= 2;
  d.l.at = RIPSTOP_ARRAY(arena, d.switches, point);
  d.l.spot = RIPSTOP_ARRAY(arena, d.switches, uint32_t);
  for (uint32_t s = 0; s < d.switches; s++) d.l.spot[s] = s;
  d.l.spots = levels ? 0 : d.switches;
  const int status = place_switches(&d, err);
  d.l.apart = least_apart(&d);
  *out = d.l;
  return status;
}

/* graphviz.c - spots that no coordinates place stand where Graphviz puts them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"
#include "draw/placing.h"
#include "draw/tool.h"

typedef draw_placing drawing;
typedef draw_point point;

enum { MARGIN = DRAW_MARGIN, ROOM = DRAW_ROOM, LEAST_APART = DRAW_LEAST_APART };

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

/* Scales the places to the picture's size, or so much larger that no two overlap. */
static void scale_graph(drawing *d, double apart) {
  point least = {INFINITY, INFINITY}, most = {-INFINITY, -INFINITY};
  for (uint32_t s = 0; s < d->switches; s++) {
    least = (point){fmin(least.x, d->l.at[s].x), fmin(least.y, d->l.at[s].y)};
    most = (point){fmax(most.x, d->l.at[s].x), fmax(most.y, d->l.at[s].y)};
  }
  const double wide = fmax(1e-9, fmax(most.x - least.x, most.y - least.y));
  const double scale = fmin(2.0 * ROOM / wide, fmax(ROOM / wide, LEAST_APART / fmax(1e-9, apart)));
  for (uint32_t s = 0; s < d->switches; s++)
    d->l.at[s] = (point){MARGIN + scale * (d->l.at[s].x - least.x), MARGIN + scale * (d->l.at[s].y - least.y)};
  d->l.width = scale * (most.x - least.x) + 2 * MARGIN;
  d->l.height = scale * (most.y - least.y) + 2 * MARGIN;
}

typedef struct placed {
  point at;
  uint32_t spot;
} placed;

static int from_left(const void *a, const void *b) {
  const double x = ((const placed *)a)->at.x, y = ((const placed *)b)->at.x;
  return (x > y) - (x < y);
}

/* From left to right, each spot is compared with those that are less to the left of it than the least so far:
 * in a grid those of its own column. */
double draw_least_apart(const drawing *d) {
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

int draw_by_graphviz(drawing *d, ripstop_error *err) {
  enum { FEW = 150 }; /* beyond, neato takes long */
  static char neato[] = "neato", sfdp[] = "sfdp", plain[] = "-Tplain";
  char *const argument[] = {d->l.spots > FEW ? sfdp : neato, plain, NULL};
  ripstop_text graph = {0}, drawn = {0};
  write_graph(d, &graph);
  int status = tool_run(argument, "graphviz", &graph, &drawn, err) ? -1 : 0;
  if (!status && !read_graph(d, drawn.data))
    status = ripstop_fail(err, "%s does not say where all switches stand", argument[0]);
  if (!status) scale_graph(d, draw_least_apart(d));
  ripstop_text_free(&graph);
  ripstop_text_free(&drawn);
  return status;
}

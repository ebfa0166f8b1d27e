/* failed.c - failed switches and cables in a drawing. In a drawing whose boxes stand for several switches a box has the
 * number of failed parts in it; elsewhere each part is marked. Titles name them. */
#include <stdlib.h>

#include "draw/drawing.h"
#include "draw/escape.h"

typedef struct dead {
  uint32_t a, b; /* spots; the same: within it */
  bool node;     /* a switch */
  uint32_t part; /* switch or link */
} dead;

static int by_spots(const void *a, const void *b) {
  const dead *x = a, *y = b;
  if (x->a != y->a) return x->a < y->a ? -1 : 1;
  if (x->b != y->b) return x->b < y->b ? -1 : 1;
  if (x->node != y->node) return x->node ? -1 : 1;
  return (x->part > y->part) - (x->part < y->part);
}

/* In a drawing with boxes a failed switch stands for its cables too. */
static uint32_t find_dead(const drawing *d, ripstop_arena *arena, dead **out) {
  const ripstop_fabric *f = d->o->fabric;
  const ripstop_view *view = d->o->view;
  dead *list = RIPSTOP_ARRAY(arena, f->links + d->switches, dead);
  uint32_t count = 0;
  for (uint32_t link = 0; link < f->links; link++) {
    const uint32_t a = ripstop_link_node(f, link, 0), b = ripstop_link_node(f, link, 1);
    if (view->link_up[link] || a < f->ends || b < f->ends) continue;
    if (d->gathered && (!view->node_up[a] || !view->node_up[b])) continue;
    const uint32_t from = d->layout.spot[a - f->ends], to = d->layout.spot[b - f->ends];
    list[count++] = (dead){from < to ? from : to, from < to ? to : from, false, link};
  }
  for (uint32_t s = 0; s < d->switches; s++)
    if (!view->node_up[f->ends + s]) list[count++] = (dead){d->layout.spot[s], d->layout.spot[s], true, s};
  qsort(list, count, sizeof *list, by_spots);
  *out = list;
  return count;
}

static void add_dead_names(const drawing *d, const dead *list, uint32_t count) {
  enum { NAMED = 12 };
  char name[RIPSTOP_NAME_MAX];
  ripstop_text_add(d->out, "<title>dead:");
  for (uint32_t i = 0; i < count && i < NAMED; i++) {
    if (list[i].node)
      ripstop_node_name(d->o->fabric, d->o->fabric->ends + list[i].part, name);
    else
      ripstop_link_name(d->o->fabric, list[i].part, name);
    ripstop_text_add(d->out, " ");
    draw_escape(d->out, name);
  }
  if (count > NAMED) ripstop_text_add(d->out, " and %u more", count - NAMED);
  ripstop_text_add(d->out, "</title>");
}

/* Cables in dashes; red in a picture that stands alone. */
static void draw_dead_cables(const drawing *d, const dead *list, uint32_t count) {
  const uint32_t a = ripstop_link_node(d->o->fabric, list->part, 0), b = ripstop_link_node(d->o->fabric, list->part, 1);
  if (d->o->alone) draw_line(d, a, b), ripstop_text_add(d->out, " stroke='#fff' stroke-width='5'/>\n");
  draw_line(d, a, b);
  ripstop_text_add(d->out, " stroke='%s' stroke-width='2' stroke-dasharray='3 3'>", d->o->alone ? "#c1121f" : "#555");
  add_dead_names(d, list, count);
  ripstop_text_add(d->out, "</path>\n");
}

/* A failed switch is crossed out; a box of several switches has the number of failed parts in it. */
static void draw_dead_within(const drawing *d, const dead *list, uint32_t count) {
  char number[24];
  uint32_t s = 0;
  while (d->layout.spot[s] != list->a) s++;
  const draw_point at = d->layout.at[s];
  if (!d->gathered) {
    ripstop_text_add(d->out, "<path d='M%.1f %.1fl12 12m0 -12l-12 12' stroke='%s' stroke-width='1.8'>", at.x - 6,
                     at.y - 6, d->o->alone ? "#c1121f" : "#555");
    add_dead_names(d, list, count);
    ripstop_text_add(d->out, "</path>\n");
    return;
  }
  snprintf(number, sizeof number, "%u failed", count);
  ripstop_text_add(d->out, "<g>");
  add_dead_names(d, list, count);
  draw_text(d, at.x, at.y + DRAW_LABELLED + 4,
            "font-size='12' font-weight='600' fill='#c1121f' stroke='#fff' stroke-width='3' paint-order='stroke' "
            "text-anchor='middle'",
            number);
  ripstop_text_add(d->out, "</g>\n");
}

void draw_failed(const drawing *d, ripstop_arena *arena, bool within) {
  dead *list;
  const uint32_t count = find_dead(d, arena, &list);
  for (uint32_t i = 0, k; i < count; i = k) {
    for (k = i; k < count && list[k].a == list[i].a && list[k].b == list[i].b;) k++;
    if (within && list[i].a == list[i].b)
      draw_dead_within(d, list + i, k - i);
    else if (!within && list[i].a != list[i].b)
      draw_dead_cables(d, list + i, k - i);
  }
}

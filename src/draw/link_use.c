/* link_use.c - how much links are used, as colour; the pairs of switches that faults and load hurt most; and the
 * words round a drawing that stands alone.
 *
 * The colours' brightness falls with use, so that they say the same in black and white. A line stands for both
 * directions of all its cables, and is as hot as the busiest of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "draw/colour.h"
#include "draw/drawing.h"
#include "draw/escape.h"

enum { HEAD = 64, FOOT = 56, LINE = 20, BAR = 240 };

/* ------------------------------------------------------------------ colours */

static const draw_scale heat = {
    5, {{0xc9, 0xd6, 0xdf}, {0xf3, 0xcf, 0x5b}, {0xee, 0x8a, 0x2c}, {0xc8, 0x2a, 0x2a}, {0x5a, 0x06, 0x28}}};

/* The upper end of the scale: 1, 2, 5 or 10 times a power of ten, the next above the largest use, but 1 at most. */
static double scale_end(const bundle *list, uint32_t count) {
  const double most = count && !isnan(list[count - 1].use) ? list[count - 1].use : 1;
  static const double steps[] = {1, 2, 5, 10};
  const double ten = pow(10, floor(log10(fmax(most, 1e-6))));
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    if (most <= steps[i] * ten * (1 + 1e-9)) return fmin(1, steps[i] * ten);
  return 1;
}

void heat_draw(const drawing *d, const bundle *list, uint32_t count) {
  const double end = scale_end(list, count);
  uint32_t most = 1;
  for (uint32_t i = 0; i < count; i++)
    if (list[i].cables > most && list[i].a != list[i].b) most = list[i].cables;
  const double thin = count > 1500 ? 0.7 : count > 200 ? 1.2 : 2;
  for (uint32_t i = 0; i < count; i++) {
    const double share = list[i].use / end;
    if (list[i].a == list[i].b) continue;
    draw_candidate(d, list[i].from, list[i].to, list[i].bow);
    ripstop_text_add(d->out, " stroke='");
    if (isnan(share))
      ripstop_text_add(d->out, "#c9d6df' stroke-dasharray='1 3");
    else
      draw_colour(d->out, &heat, share);
    ripstop_text_add(d->out, "' stroke-width='%.2g'><title>",
                     thin * (0.6 + (isnan(share) ? 0 : share)) +
                         fmin(2.5, draw_thick(count)) * (list[i].cables - 1) / most);
    if (list[i].cables > 1) ripstop_text_add(d->out, "%u cables, the busiest ", list[i].cables);
    ripstop_text_add(d->out, isnan(share) ? "not known" : "%.3g flits/cycle", list[i].use);
    ripstop_text_add(d->out, "</title></path>\n");
  }
}

void heat_frame(const drawing *d, const bundle *list, uint32_t count, const bundle *within) {
  if (isnan(within->use)) return;
  ripstop_text_add(d->out, " stroke-width='4' stroke='");
  draw_colour(d->out, &heat, within->use / scale_end(list, count));
  ripstop_text_add(d->out, "'");
}

/* ------------------------------------------------------------------ worst pairs */

#define PAIR_COLOUR WORST_COLOUR

/* Towards the middle of the drawing, where there is room for it. */
static double bow_of(const drawing *d, draw_point from, draw_point to) {
  const double x = d->layout.width / 2 - (from.x + to.x) / 2, y = d->layout.height / 2 - (from.y + to.y) / 2;
  return x * (to.y - from.y) - y * (to.x - from.x) < 0 ? -0.18 : 0.18;
}

/* The place of a pair's number: above the box if one box has both. */
static draw_point number_at(const drawing *d, uint32_t i) {
  const uint32_t ends = d->o->fabric->ends, a = d->o->pair[i].a - ends, b = d->o->pair[i].b - ends;
  const draw_point from = d->layout.at[a], to = d->layout.at[b];
  const double bow = bow_of(d, from, to), above = d->layout.spot[a] == d->layout.spot[b] ? 24 : 0;
  return (draw_point){(from.x + to.x + bow * (to.y - from.y)) / 2, (from.y + to.y - bow * (to.x - from.x)) / 2 - above};
}

void heat_pairs(const drawing *d) {
  const uint32_t ends = d->o->fabric->ends;
  draw_point at[PICTURE_PAIRS_MOST];
  uint32_t numbers = 0;
  for (uint32_t i = 0; i < d->o->pairs && i < PICTURE_PAIRS_MOST; i++) {
    const draw_point from = d->layout.at[d->o->pair[i].a - ends], to = d->layout.at[d->o->pair[i].b - ends];
    draw_candidate(d, from, to, bow_of(d, from, to));
    ripstop_text_add(d->out, " stroke='" PAIR_COLOUR "' stroke-width='2' stroke-dasharray='7 3'/>\n");
  }
  for (uint32_t i = 0; i < d->o->pairs && i < PICTURE_PAIRS_MOST; i++)
    draw_number(d, number_at(d, i), PAIR_COLOUR, i + 1, at, &numbers);
}

static void write_pair(const drawing *d, uint32_t i, double x, double y) {
  const picture_pair *p = &d->o->pair[i];
  char a[RIPSTOP_NAME_MAX], b[RIPSTOP_NAME_MAX];
  RIPSTOP_LOCAL_TEXT(text);
  ripstop_text_add(&text, "%u  %s \u2013 %s", i + 1, draw_node_text(d, p->a, a), draw_node_text(d, p->b, b));
  if (p->longer == RIPSTOP_NONE)
    ripstop_text_add(&text, ": disconnected");
  else if (p->longer)
    ripstop_text_add(&text, ": %u link%s longer", p->longer, p->longer == 1 ? "" : "s");
  if (p->longer != RIPSTOP_NONE && p->use > 0)
    ripstop_text_add(&text, "%s a link with %.2g flits/cycle that no shortest path avoids", p->longer ? "," : ":",
                     p->use);
  draw_text(d, x, y, "font-size='13' fill='" PAIR_COLOUR "'", text.data);
}

/* ------------------------------------------------------------------ words */

static bool has_notes(const drawing *d) { return d->gathered || d->rows || d->layout.frames; }

double heat_head_room(const drawing *d) { return (d->o->alone ? HEAD : 0) + (has_notes(d) ? LINE : 0); }
double heat_foot_room(const picture *o) {
  if (!o->alone) return 0; /* the words are beside it */
  return (o->use ? FOOT : LINE) + (o->pairs ? LINE * (o->pairs + 1.0) : 0);
}

/* Explains boxes and lines that stand for several switches or cables. */
static void write_notes(const drawing *d, double left, double y) {
  RIPSTOP_LOCAL_TEXT(text);
  if (d->gathered) ripstop_text_add(&text, "A box stands for so many switches");
  if (d->within && d->o->use) ripstop_text_add(&text, ", its border for the busiest cable within");
  if (d->rows) ripstop_text_add(&text, "A line along a row or column stands for all its cables");
  if (d->layout.frames)
    ripstop_text_add(&text, "%s line between boxes for all cables from box to box", d->rows ? ", a" : "A");
  draw_text(d, left, y, "font-size='13' fill='#5b6773'", text.data);
}

static void write_head(const drawing *d, double left, double top) {
  const ripstop_fabric *f = d->o->fabric;
  RIPSTOP_LOCAL_TEXT(text);
  draw_text(d, left, top + 24, "font-size='20' font-weight='600' fill='#1c2530'", f->spec);
  ripstop_text_add(&text, "%u end nodes, %u switches, %u cables between them", f->ends, d->switches,
                   f->links - f->link_ends);
  if (d->o->dead) ripstop_text_add(&text, "; failed: %u part%s", d->o->dead, d->o->dead == 1 ? "" : "s");
  bool weak = false;
  for (uint32_t i = 0; i < d->o->leaves && !d->gathered; i++) weak = weak || picture_is_weak(d->o, i);
  if (weak) ripstop_text_add(&text, "; orange: fewer cables onward than most");
  draw_text(d, left, top + 46, "font-size='13' fill='#5b6773'", text.data);
}

static void write_scale(const drawing *d, const bundle *list, uint32_t count, double left, double y) {
  enum { STEPS = 24 };
  const double end = scale_end(list, count);
  char number[16];
  for (int i = 0; i < STEPS; i++) {
    ripstop_text_add(d->out, "<path d='M%.1f %.1fh%.1f' stroke-width='12' stroke='", left + BAR * i / (double)STEPS, y,
                     BAR / (double)STEPS + 0.4);
    draw_colour(d->out, &heat, (i + 0.5) / STEPS);
    ripstop_text_add(d->out, "'/>\n");
  }
  for (int i = 0; i <= 2; i++) {
    snprintf(number, sizeof number, "%g", end * i / 2);
    draw_text(d, left + BAR * i / 2.0, y + 22, "font-size='12' fill='#5b6773' text-anchor='middle'", number);
  }
  RIPSTOP_LOCAL_TEXT(text);
  ripstop_text_add(&text, "flits/cycle of the busier direction%s%s", *d->o->use_told ? ", " : "", d->o->use_told);
  draw_text(d, left + BAR + 24, y + 4, "font-size='13' fill='#1c2530'", text.data);
}

void heat_words(const drawing *d, const bundle *list, uint32_t count) {
  const draw_layout *l = &d->layout;
  const double bows = draw_margin(d), left = 20 - bows;
  double y = l->height + bows + LINE / 2.0;
  if (has_notes(d)) write_notes(d, left, -bows - LINE / 2.0);
  if (!d->o->alone) return;
  write_head(d, left, -bows - heat_head_room(d));
  if (d->o->use) write_scale(d, list, count, left + 10, y), y += FOOT;
  if (!d->o->pairs) return;
  draw_text(d, left, y, "font-size='13' font-weight='600' fill='#1c2530'", "Worst pairs of switches with hosts");
  for (uint32_t i = 0; i < d->o->pairs; i++) write_pair(d, i, left, y += LINE);
}

/* losses.c - lists lost packets one by one, up to the number that the scenario requests.
 *
 * Each part notes the losses at its nodes, in ascending cycles. Once it has the requested number it can omit losses of
 * later cycles, because none of these is among the first of all. The result is sorted by cycle and packet, which does
 * not depend on parts and threads. */
#include "simulate/losses.h"

#include <stdlib.h>

#include "base/growing.h"
#include "ripstop/plugin/method.h"
#include "simulate/run_result.h"

typedef struct note {
  uint64_t packet; /* its number among all packets */
  ripstop_loss loss;
} note;

struct losses {
  struct notes {
    note *at;
    size_t count, room;
  } * of; /* [parts] */
};

void losses_open(run *r) {
  if (!r->config->losses) return;
  r->losses = RIPSTOP_NEW(r->arena, struct losses);
  r->losses->of = RIPSTOP_ARRAY(r->arena, r->shape->parts, struct notes);
}

static bool is_late(const run *r, const struct notes *n, uint32_t cycle) {
  return n->count >= r->config->losses && n->at[r->config->losses - 1].loss.cycle < cycle;
}

void losses_note(part *t, uint32_t stream, uint32_t number, uint32_t destination, uint32_t node, uint32_t cause) {
  const shape *s = &t->shape;
  struct notes *own = &t->run->losses->of[t->number];
  if (is_late(t->run, own, t->now)) return;
  RIPSTOP_GROW_IN(t->more, own->at, own->count, own->room);
  own->at[own->count++] = (note){.packet = (uint64_t)number * s->streams + stream,
                                 .loss = {.cycle = t->now,
                                          .source = stream / s->classes,
                                          .destination = destination,
                                          .node = node,
                                          .cause = losses_word(t->run, cause)}};
}

const char *losses_word(const run *r, uint32_t cause) {
  static const char *const parts[RIPSTOP_LOST_METHOD] = {
      [RIPSTOP_LOST_LINK] = "link died", [RIPSTOP_LOST_SWITCH] = "switch died",
      [RIPSTOP_LOST_DRAIN] = "drained",  [RIPSTOP_LOST_ERRORS] = "errors",

      [RIPSTOP_LOST_BUFFER] = "buffer",  [RIPSTOP_LOST_TRIMMED] = "trimmed"};
  return cause < RIPSTOP_LOST_METHOD ? parts[cause] : r->plan->method->losses[cause - RIPSTOP_LOST_METHOD];
}

static int by_time(const void *a, const void *b) {
  const note *x = a, *y = b;
  if (x->loss.cycle != y->loss.cycle) return x->loss.cycle < y->loss.cycle ? -1 : 1;
  return (x->packet > y->packet) - (x->packet < y->packet);
}

void losses_result(const run *r, ripstop_run_result *out) {
  size_t count = 0;
  if (!r->losses) return;
  for (uint32_t i = 0; i < r->shape->parts; i++) count += r->losses->of[i].count;
  note *all = RIPSTOP_ARRAY(out->arena, count, note), *next = all;
  for (uint32_t i = 0; i < r->shape->parts; i++)
    for (size_t k = 0; k < r->losses->of[i].count; k++) *next++ = r->losses->of[i].at[k];
  if (count) qsort(all, count, sizeof *all, by_time);
  out->losses = count < r->config->losses ? count : r->config->losses;
  ripstop_loss *loss = RIPSTOP_ARRAY(out->arena, out->losses, ripstop_loss);
  for (size_t i = 0; i < out->losses; i++) loss[i] = all[i].loss;
  out->loss = loss;
}

/* deadlock.c - a deadlock drawn: the fabric with what is dead, the queues that wait in a circle, and the packets at
 * their heads.
 *
 * Two know of one: a simulation, whose witness is the words of an outcome, "6.4 in-port 0 channel 0 holds 4.6->6.3,
 * waits for ...;
 * ...", each waiting for the next; and a proof, which has the queues that can only wait for each other, among which a
 * circle is looked for. */
#include "report/deadlock.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "draw/escape.h"
#include "draw/picture.h"
#include "report/page.h"
#include "ripstop/kit/picture.h"
#include "ripstop/plugin/method.h"

enum { SWITCHES_MAX = 2000 }; /* of which a picture can be read */

static const char *name_of(ripstop_arena *arena, const ripstop_fabric *f, uint32_t node) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(f, node, name);
  return ripstop_arena_text(arena, name);
}

/* The queue that a port sends into. */
static outlook_wait wait_at(ripstop_arena *arena, const ripstop_fabric *f, uint32_t port, unsigned channel,
                            const char *packet) {
  outlook_wait w = {.from = f->port_node[port], .to = f->port_node[f->peer[port]]};
  w.text = ripstop_arena_printf(arena, "%s > %s, channel %u: packet %s", name_of(arena, f, w.from),
                                name_of(arena, f, w.to), channel, packet);
  return w;
}

/* Its list below the picture tells the same for those who do not see it. */
static void draw(ripstop_arena *arena, const ripstop_view *view, const outlook_wait *wait, uint32_t waits,
                 uint32_t cycle, ripstop_text *out) {
  ripstop_recognised recognised;
  outlook o = {.fabric = view->fabric, .view = view, .recognised = &recognised};
  const char **text = RIPSTOP_ARRAY(arena, view->fabric->nodes, const char *);
  for (uint32_t i = 0; i < view->fabric->nodes; i++) text[i] = "";
  o.text = text, o.wait = wait, o.waits = waits, o.cycle = cycle;
  ripstop_recognise(view->fabric, arena, &recognised);
  recognised.odd.count = 0; /* what is dead is drawn anyway */
  ripstop_error no_layout;  /* then they stand in a ring */
  (void)outlook_draw(&o, out, &no_layout);
}

/* ------------------------------------------------------------------ of a simulation */

/* "6.4 in-port 0 channel 0 holds 4.6->6.3, ...": 1, or 0 where it is something else. */
static int read_queue(ripstop_arena *arena, const ripstop_names *names, const char *text, outlook_wait *out) {
  static const char in_port[] = " in-port ", channel[] = " channel ", holds[] = " holds ";
  const ripstop_fabric *f = ripstop_names_fabric(names);
  const char *at = strstr(text, in_port), *lane = at ? strstr(at, channel) : NULL,
             *packet = lane ? strstr(lane, holds) : NULL;
  if (!packet) return 0;
  uint32_t node = ripstop_names_switch(names, text, (size_t)(at - text));
  unsigned long port = strtoul(at + strlen(in_port), NULL, 10);
  if (node == RIPSTOP_NONE || port >= f->port_base[node + 1] - f->port_base[node]) return 0;
  packet += strlen(holds);
  const char *what = ripstop_arena_printf(arena, "%.*s", (int)strcspn(packet, ","), packet);
  const uint32_t sender = f->peer[f->port_base[node] + port];
  if (sender == RIPSTOP_NONE) return 0;
  *out = wait_at(arena, f, sender, (unsigned)strtoul(lane + strlen(channel), NULL, 10), what);
  return 1;
}

static uint32_t read_witness(ripstop_arena *arena, const ripstop_fabric *f, const char *reason, outlook_wait **out) {
  ripstop_names *names = ripstop_names_new(f);
  uint32_t most = 1, count = 0;
  for (const char *c = reason; *c; c++) most += *c == ';';
  *out = RIPSTOP_ARRAY(arena, most, outlook_wait);
  for (const char *at = reason; at; at = strstr(at, "; ")) {
    at += at == reason ? 0 : 2;
    count += (uint32_t)read_queue(arena, names, at, &(*out)[count]);
  }
  ripstop_names_free(names);
  return count;
}

/* As it was in the end: what was dead from the start, and what has changed since. */
static ripstop_view *view_of(ripstop_arena *arena, const ripstop_run *run) {
  const ripstop_schedule *schedule = NULL;
  ripstop_error err;
  const ripstop_faults *faults = ripstop_run_faults(run, arena, &err);
  if (!faults && run->fault_count) return NULL;
  if (ripstop_run_schedule(run, faults, arena, &schedule, &err)) return NULL;
  ripstop_view *view = ripstop_view_new(run->fabric, faults);
  for (size_t i = 0; schedule && i < schedule->count; i++) ripstop_view_apply(view, &schedule->change[i]);
  return view;
}

void report_deadlock(ripstop_text *out, const ripstop_run *run, const char *reason) {
  if (ripstop_fabric_switches(run->fabric) > SWITCHES_MAX) return;
  ripstop_arena *arena = ripstop_arena_new();
  outlook_wait *wait;
  uint32_t waits = read_witness(arena, run->fabric, reason, &wait);
  ripstop_view *view = waits ? view_of(arena, run) : NULL;
  if (view) {
    page_put(out, "<figure><div class=\"still\" role=\"region\" tabindex=\"0\" aria-label=\"The deadlock\">");
    draw(arena, view, wait, waits, waits, out);
    page_put(out, "</div><figcaption class=\"facts\">Red: queues, an arrow into the switch where each is, whose first "
                  "packet waits for "
                  "the queue with the next number, and the last for the first; dashes: dead "
                  "links.</figcaption></figure>\n<ol>\n");
    for (uint32_t i = 0; i < waits; i++) page_element(out, "<li>", wait[i].text, "</li>\n");
    page_put(out, "</ol>\n");
    ripstop_view_free(view);
  }
  ripstop_arena_free(arena);
}

/* ------------------------------------------------------------------ of a proof */

static int by_port(const void *a, const void *b) {
  const ripstop_standing *x = a, *y = b;
  if (x->port != y->port) return x->port < y->port ? -1 : 1;
  return (x->channel > y->channel) - (x->channel < y->channel);
}

/* A queue of the set that the packet in this one waits for; `queues`: none. `queue` by port and channel. */
static uint32_t next_of(ripstop_arena *arena, const ripstop_plan *plan, const ripstop_standing *queue, uint32_t queues,
                        uint32_t at) {
  const ripstop_fabric *f = plan->fabric;
  const ripstop_standing *q = &queue[at];
  const uint32_t node = f->port_node[f->peer[q->port]];
  ripstop_head head = {.node = node,
                       .in_port = f->peer[q->port] - f->port_base[node],
                       .source = q->source,
                       .destination = q->destination,
                       .header = q->header,
                       .channel = q->channel,
                       .class_ = q->class_};
  ripstop_way *ways = RIPSTOP_ARRAY(arena, plan->ways_max, ripstop_way);
  int count = ripstop_route(plan, &head, ways);
  for (int i = 0; i < count; i++) {
    const ripstop_standing key = {.port = f->port_base[node] + ways[i].port, .channel = ways[i].channel};
    const ripstop_standing *found = bsearch(&key, queue, queues, sizeof key, by_port);
    if (found) return (uint32_t)(found - queue);
  }
  return queues;
}

/* Queues of which each waits for the next and the last for the first, to `cycle` ([queues]); how many. */
static uint32_t find_cycle(ripstop_arena *arena, const ripstop_plan *plan, const ripstop_standing *queue,
                           uint32_t queues, uint32_t *cycle) {
  uint32_t *seen = RIPSTOP_ARRAY(arena, queues, uint32_t); /* 0: not yet; else 1 + its place on the way from `start` */
  for (uint32_t start = 0, base = 0; start < queues; start++) {
    uint32_t at = start, length = 0;
    for (; at < queues && !seen[at]; at = next_of(arena, plan, queue, queues, at)) {
      seen[at] = base + length + 1;
      cycle[length++] = at;
    }
    if (at < queues && seen[at] > base) {
      uint32_t first = seen[at] - base - 1;
      memmove(cycle, cycle + first, (length - first) * sizeof *cycle);
      return length - first;
    }
    base += length;
  }
  return 0;
}

static const char *packet_of(ripstop_arena *arena, const ripstop_fabric *f, const ripstop_standing *q) {
  return ripstop_arena_printf(arena, "%s > %s", name_of(arena, f, q->source), name_of(arena, f, q->destination));
}

void ripstop_deadlock_svg(const ripstop_plan *plan, const ripstop_standing *queue, uint32_t queues, ripstop_text *out) {
  const ripstop_fabric *f = plan->fabric;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_standing *sorted = RIPSTOP_ARRAY(arena, queues, ripstop_standing);
  uint32_t *cycle = RIPSTOP_ARRAY(arena, queues, uint32_t), waits = 0;
  outlook_wait *wait = RIPSTOP_ARRAY(arena, 2 * (size_t)queues, outlook_wait);
  if (queues) memcpy(sorted, queue, queues * sizeof *queue);
  qsort(sorted, queues, sizeof *sorted, by_port);
  uint32_t length = find_cycle(arena, plan, sorted, queues, cycle);
  for (uint32_t i = 0; i < length + queues; i++) {
    const ripstop_standing *q = &sorted[i < length ? cycle[i] : i - length];
    wait[waits++] = wait_at(arena, f, q->port, q->channel, packet_of(arena, f, q));
  }
  draw(arena, plan->view, wait, waits, length, out);
  ripstop_arena_free(arena);
}

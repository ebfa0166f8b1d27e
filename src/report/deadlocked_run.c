/* deadlocked_run.c - the deadlock of a simulated run on a page: its picture, and the queues as a list for those who do
 * not see it. A run's reason has them as words, "6.4 in-port 0 channel 0 holds 4.6->6.3, waits for ...; ...", each
 * waiting for the next. */
#include "report/deadlocked_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "base/memory.h"
#include "draw/waiting.h"
#include "experiment/inner_runs.h"
#include "fabric/inner.h"
#include "report/page.h"

enum { SWITCHES_MAX = 2000 }; /* with more, a picture is not readable */

/* "6.4 in-port 0 channel 0 holds 4.6->6.3, ...": 1, or 0 where it is something else. */
static int read_queue(ripstop_arena *arena, const ripstop_names *names, const char *text, picture_wait *out) {
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
  *out = draw_queue(arena, f, sender, (unsigned)strtoul(lane + strlen(channel), NULL, 10), what);
  return 1;
}

static uint32_t read_witness(ripstop_arena *arena, const ripstop_fabric *f, const char *reason, picture_wait **out) {
  ripstop_names *names = ripstop_names_new(f);
  uint32_t most = 1, count = 0;
  for (const char *c = reason; *c; c++) most += *c == ';';
  *out = RIPSTOP_ARRAY(arena, most, picture_wait);
  for (const char *at = reason; at; at = strstr(at, "; ")) {
    at += at == reason ? 0 : 2;
    count += (uint32_t)read_queue(arena, names, at, &(*out)[count]);
  }
  ripstop_names_free(names);
  return count;
}

/* The view at the end: the faults from the start, and all changes since. */
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
  RIPSTOP_LOCAL_ARENA(arena);
  picture_wait *wait;
  uint32_t waits = read_witness(arena, run->fabric, reason, &wait);
  ripstop_view *view = waits ? view_of(arena, run) : NULL;
  if (view) {
    page_put(out, "<figure><div class=\"still\" role=\"region\" tabindex=\"0\" aria-label=\"The deadlock\">");
    draw_deadlock(arena, view, wait, waits, waits, out);
    page_put(out, "</div><figcaption class=\"facts\">Red: queues, an arrow into the switch where each is, whose first "
                  "packet waits for "
                  "the queue with the next number, and the last for the first; dashes: failed "
                  "links.</figcaption></figure>\n<ol>\n");
    for (uint32_t i = 0; i < waits; i++) page_element(out, "<li>", wait[i].text, "</li>\n");
    page_put(out, "</ol>\n");
    ripstop_view_free(view);
  }
}

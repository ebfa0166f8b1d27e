/* what_if_changed.c - the section of what changed: the step from earlier tables to the present ones. */
#include <inttypes.h>

#include "report/what_if_section.h"
#include "ripstop/kit/proofs.h"

static void put_danger(const what_if_sheet *p, const ripstop_transient *m) {
  what_if_element(p, "<p>While the new tables are written, deadlock is ",
                  ripstop_deadlock_words[ripstop_deadlock_of_tables(m->credit_loop)], "");
  if (m->credit_loop)
    what_if_element(p, ": <code>", ripstop_judge_cycle(p->arena, p->o->fabric, m->lanes, m->loop, m->loop_length, true),
                    "</code>");
  ripstop_text_add(p->out, ". Packets for %" PRIu64 " addresses can loop forever", m->looping);
  if (m->looping_groups)
    ripstop_text_add(p->out, ", and packets of %u multicast groups can be copied forever", m->looping_groups);
  what_if_put(p, ".</p>\n");
  if (m->old_levels_loop)
    what_if_element(
        p, "<p>Connections that use the service levels that they had before can deadlock: <code>",
        ripstop_judge_cycle(p->arena, p->o->fabric, m->lanes, m->old_levels_cycle, m->old_levels_length, true),
        "</code>.</p>\n");
}

void what_if_put_changed(const what_if_sheet *p) {
  const ripstop_transient *m = p->w->changed;
  if (!m) return;
  ripstop_text_add(p->out, "<h2 id=\"changed\">What changed: %" PRIu64 " of %" PRIu64 " entries</h2>\n", m->changed,
                   m->entries);
  what_if_element(p, "<p>Old tables: ", p->w->before, "; new tables: ");
  what_if_element(p, "", p->w->tables, ".");
  if (m->levels)
    ripstop_text_add(p->out, " %" PRIu64 " of %" PRIu64 " service levels differ.", m->levels_changed, m->levels);
  what_if_put(p, "</p>\n");
  put_danger(p, m);
}

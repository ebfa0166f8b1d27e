/* what_if_errors.c - the section of cables whose ports count errors, the one to replace first before others. */
#include "report/what_if_section.h"

static void put_cable(const what_if_sheet *p, const ib_counted_cable *cable) {
  const ib_cable_errors *e = cable->errors;
  what_if_element(p, "<tr><td><code>", cable->ends, "</code></td>");
  what_if_number(p, e->downed);
  what_if_number(p, e->recovered);
  what_if_number(p, e->bits);
  if (p->w->counters->hours > 0) ripstop_text_add(p->out, "<td>%.3g</td>", (double)e->bits / p->w->counters->hours);
  if (cable->between)
    what_if_number(p, cable->paths);
  else
    what_if_put(p, "<td>its adapter&#39;s</td>");
  what_if_put(p, "<td class=\"words\">");
  if (cable->leaf) {
    what_if_element(p, "", cable->leaf_name, " keeps ");
    ripstop_text_add(p->out, "%u of %u uplinks", cable->leaf->uplinks - 1, cable->leaf->uplinks);
  }
  if (e->at_least) what_if_put(p, cable->leaf ? "; a counter is full" : "a counter is full");
  what_if_put(p, "</td></tr>\n");
}

static void put_table(const what_if_sheet *p, const ib_cable_counters *c) {
  const char *columns[] = {"cable",
                           "went down",
                           "recovered",
                           "bit errors",
                           c->hours > 0 ? "an hour" : "paths on it",
                           c->hours > 0 ? "paths on it" : "without it",
                           c->hours > 0 ? "without it" : NULL,
                           NULL};
  what_if_open_table(p, columns, 1);
  for (uint32_t i = 0; i < c->found.count; i++) put_cable(p, &c->cable[i]);
  page_close_table(p->out);
}

void what_if_put_errors(const what_if_sheet *p) {
  const ib_cable_counters *c = p->w->counters;
  if (!c) return;
  ripstop_text_add(p->out,
                   "<h2 id=\"errors\">Cables with errors: %u</h2>\n<p>The counters are of %u ports%s. Replace the "
                   "first cable first: it went down, or recovered, or miscounted bits most.</p>\n",
                   c->found.count, c->found.ports, c->differences ? ", added since the earlier files" : "");
  if (c->found.unknown)
    ripstop_text_add(p->out, "<p>%u places in the files name a port that the fabric does not have.</p>\n",
                     c->found.unknown);
  if (c->found.count) put_table(p, c);
}

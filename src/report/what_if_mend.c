/* what_if_mend.c - the section of cables to mend first (to_mend.c finds them). */
#include <math.h>

#include "report/what_if_section.h"

static void put_share(const what_if_sheet *p, double share) {
  if (isfinite(share))
    ripstop_text_add(p->out, "<td>%.3g</td>", share);
  else
    what_if_put(p, "<td>no hosts</td>");
}

void what_if_put_mends(const what_if_sheet *p) {
  static const char *const columns[] = {"cable",
                                        "why",
                                        "its part",
                                        "pairs that the next fault disconnects",
                                        "capacity for its hosts",
                                        "of its like",
                                        "after the next fault",
                                        "worst link of its role then",
                                        NULL};
  if (!p->w->mends) return;
  what_if_put(p, "<h2 id=\"mend\">Mend first</h2>\n<p>In the order of what changes when a cable is mended: pairs that "
                 "the next failed "
                 "cable of the same leaf or pod does not disconnect then, else the capacity that this failure leaves "
                 "there for each "
                 "unit that the hosts can send.</p>\n");
  what_if_open_table(p, columns, 3);
  for (uint32_t i = 0; i < p->w->mends; i++) {
    const what_if_mend *m = &p->w->mend[i];
    what_if_element(p, "<tr><td><code>", m->where, "</code></td><td class=\"plain\">");
    what_if_element(p, "", m->what, "</td>");
    what_if_element(p, "<td class=\"words\">", m->words, "</td>");
    what_if_number(p, m->disconnected);
    put_share(p, m->share);
    put_share(p, m->part->like_share);
    put_share(p, m->share_next);
    ripstop_text_add(p->out, "<td>%.4g</td></tr>\n", m->worst);
  }
  page_close_table(p->out);
}

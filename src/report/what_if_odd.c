/* what_if_odd.c - the section of what is odd: rows in the order of `ripstop fabric`, and the parts and absent switches
 * that explain many of them. */
#include "recognise/odd_rows.h"
#include "report/what_if_section.h"

static void put_row(const what_if_sheet *p, const ripstop_odd *odd) {
  what_if_element(p, "<tr><td>", odd->what, "</td><td class=\"words\">");
  for (uint32_t k = 0; k < odd->places; k++) what_if_element(p, k ? "<br><code>" : "<code>", odd->where[k], "</code>");
  what_if_element(p, "</td><td class=\"words\">", odd->text, "</td></tr>\n");
}

static void put_rows(const what_if_sheet *p) {
  static const char *const columns[] = {"what", "where", "", NULL};
  ripstop_odds rows;
  ripstop_odd_gather(p->arena, p->o->fabric, &p->odd, &rows);
  what_if_open_table(p, columns, 3);
  for (uint32_t i = 0; i < rows.count; i++) put_row(p, &rows.list[i]);
  page_close_table(p->out);
}

void what_if_put_odd(const what_if_sheet *p) {
  const ripstop_recognised *r = p->o->recognised;
  ripstop_text_add(p->out, "<h2 id=\"odd\">What is odd: %u</h2>\n", p->odd.count);
  for (uint32_t i = 0; i < r->small_parts; i++) what_if_element(p, "<p>Small part: ", r->small_part[i].text, "</p>\n");
  for (uint32_t i = 0; i < r->absents; i++) what_if_element(p, "<p>Absent: ", r->absent[i].text, "</p>\n");
  for (uint32_t i = 0; i < r->notes; i++) {
    what_if_element(p, "<p>Note: ", r->note[i].what, ": ");
    what_if_element(p, "", r->note[i].text, "</p>\n");
  }
  if (p->odd.count) put_rows(p);
}

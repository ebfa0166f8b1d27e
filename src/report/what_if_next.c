/* what_if_next.c - the sections about the next fault: what each part takes with it, and the leaves by what they have to
 * spare. */
#include <inttypes.h>

#include "report/what_if_section.h"

enum { PARTS_SHOWN = 400 };

/* True if parts have more than their names. */
static bool are_told(const what_if_sheet *p) {
  uint32_t i = 0;
  while (i < p->o->parts && !*p->o->name_told[i]) i++;
  return i < p->o->parts;
}

static void safe_cell(const what_if_sheet *p, const char *why_not, const char *beside) {
  const char *open = why_not  ? "<td class=\"words\">no: "
                     : beside ? "<td class=\"words\">yes; with the set no: "
                              : "<td class=\"words\">";
  what_if_element(p, open, why_not ? why_not : beside ? beside : "yes, and in the set", "</td>");
}

static const char *loop_words(const ripstop_what_if *e) {
  if (e->credit_loop) return "yes";
  return e->no_order ? "mixed, in any order" : e->transient_loop ? "mixed" : "no";
}

static void part_row(const what_if_sheet *p, uint32_t part, bool told) {
  const ripstop_what_if *e = &p->o->effect[part];
  what_if_element(p, "<tr><td><code>", p->o->name[part], "</code></td>");
  if (told) what_if_element(p, "<td class=\"words\">", p->o->name_told[part], "</td>");
  what_if_number(p, e->disconnected);
  what_if_number(p, e->on_it);
  what_if_number(p, e->worst);
  what_if_number(p, e->changed);
  ripstop_text_add(p->out, "<td>%s</td>", loop_words(e));
  if (p->w->groups) what_if_number(p, e->members_cut);
  if (p->w->safe_why) safe_cell(p, p->w->safe_why[part], p->w->beside_why[part]);
  if (p->w->reroute)
    what_if_element(p, "<td class=\"words\">", e->why_not ? e->why_not : "new",
                    e->why_not ? ": so repaired</td>" : "</td>");
  what_if_put(p, "</tr>\n");
}

static void parts(const what_if_sheet *p) {
  const bool told = are_told(p);
  const char *columns[] = {told ? p->w->part : NULL,
                           told ? "between" : p->w->part,
                           "disconnected pairs",
                           "paths on it",
                           "worst link after",
                           "entries to write",
                           "loop",
                           NULL,
                           NULL,
                           NULL,
                           NULL};
  unsigned count = 7;
  if (p->w->groups) columns[count++] = "group members cut off";
  if (p->w->safe_why) columns[count++] = "may be taken out alone";
  if (p->w->reroute) columns[count++] = "new tables";
  uint32_t shown = 0, left = 0;
  what_if_put(p,
              "<h2 id=\"parts\">What breaks next</h2>\n<p>Paths on it are lost until new tables are written; "
              "then the worst link carries so many. Loop: the repaired tables have a credit loop (yes), so deadlock is "
              "possible with credits or PFC; or only packets that meet old and new entries can wait for each other "
              "forever (mixed): then two writes are safe, first without the "
              "entries that change, then with the new ones, as <code>ripstop route --after</code> makes them. After "
              "<i>mixed, in any order</i> no order of writes is safe, since packets on old service levels can "
              "deadlock under the new tables.</p>\n");
  what_if_open_table(p, told ? columns : columns + 1, told ? 2 : 1);
  for (uint32_t i = 0; i < p->o->parts; i++) {
    if (picture_is_host_cable(p->o, p->o->order[i])) continue;
    if (shown == PARTS_SHOWN)
      left++;
    else
      part_row(p, p->o->order[i], told), shown++;
  }
  page_close_table(p->out);
  if (left)
    ripstop_text_add(p->out, "<p class=\"facts\">And %u more, which do less: <code>--json</code> has all.</p>\n", left);
}

static void leaves(const what_if_sheet *p) {
  static const char *const columns[] = {"switch", "", "hosts", "cables to switches", "for each that hosts need", NULL};
  char name[RIPSTOP_NAME_MAX];
  what_if_put(
      p,
      "<h2 id=\"leaves\">Leaves, the weakest first</h2>\n<p>What a switch can send on beside what its hosts can send "
      "it, slow cables counted by their rate; less than its like have: mend here first.</p>\n");
  what_if_open_table(p, columns, 2);
  for (uint32_t i = 0; i < p->o->leaves; i++) {
    const ripstop_leaf *l = &p->o->leaf[i];
    ripstop_node_name(p->o->fabric, l->node, name);
    what_if_element(p, "<tr><td><code>", name, "</code></td><td class=\"plain\">");
    what_if_element(p, "", p->o->text[l->node], "</td>");
    what_if_number(p, l->hosts);
    what_if_number(p, l->uplinks);
    ripstop_text_add(p->out, "<td>%.3f</td></tr>\n", (double)l->have / (double)l->need);
  }
  page_close_table(p->out);
}

void what_if_put_next(const what_if_sheet *p) {
  parts(p);
  leaves(p);
}

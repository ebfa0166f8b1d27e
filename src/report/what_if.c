/* what_if.c - one file without outside resources: a drawing, then tables, which are whole without scripts and can be
 * sorted with them. */
#include <inttypes.h>
#include <string.h>

#include "base/local.h"
#include "draw/escape.h"
#include "report/page.h"
#include "report/sort.js.h"
#include "report/what_if.h"

enum { PARTS_SHOWN = 400 };

typedef struct page {
  const what_if *w;
  const picture *o; /* its drawing */
  ripstop_text *out;
} page;

static void put(const page *p, const char *text) { page_put(p->out, text); }

static void element(const page *p, const char *open, const char *text, const char *close) {
  page_element(p->out, open, text, close);
}

/* The first `words` columns have words, the others numbers. */
static void begin_table(const page *p, const char *const *head, unsigned words) {
  page_open_table(p->out, *head);
  put(p, "<thead><tr>");
  for (unsigned i = 0; head[i]; i++) element(p, i < words ? "<th class=\"words\">" : "<th>", head[i], "</th>");
  put(p, "</tr></thead><tbody>\n");
}

static void end_table(const page *p) { page_close_table(p->out); }

static void number(const page *p, uint64_t value) { ripstop_text_add(p->out, "<td>%" PRIu64 "</td>", value); }

/* ------------------------------------------------------------------ head */

static void head(const page *p) {
  const picture *o = p->o;
  page_open(p->out, "What the next fault does", NULL);
  element(p, "<p>", o->fabric->spec, "</p>\n");
  ripstop_text_add(p->out, "<p class=\"facts\">%u end nodes, %u switches, %u cables, %u of them between switches",
                   o->fabric->ends, ripstop_fabric_switches(o->fabric), o->fabric->links,
                   o->fabric->links - o->fabric->link_ends);
  element(p, " · recognised: ", o->recognised->family, " ");
  element(p, "", o->recognised->shape, "");
  if (o->recognised->expected)
    ripstop_text_add(p->out, ", of whose %u cables %u are not there", o->recognised->expected,
                     o->recognised->expected - o->recognised->there);
  element(p, " · tables: ", p->w->tables, "</p>\n</header>\n");
}

static void verdict(const page *p) {
  const ripstop_table_verdict *v = p->o->before;
  uint32_t parting = 0, looping = 0, looked = 0;
  for (uint32_t i = 0; i < p->o->parts; i++) {
    if (picture_is_host_cable(p->o, i)) continue;
    looked++;
    parting += p->o->effect[i].disconnected > p->o->effect[i].own;
    looping += p->o->effect[i].credit_loop && !v->credit_loop;
  }
  ripstop_text_add(p->out,
                   "<p>Now %" PRIu64 " of %" PRIu64 " ordered pairs are reached, the worst link carries %" PRIu64
                   " paths. Deadlock: %s. Of %u %s %u would part adapters that live on, and after %u the repaired "
                   "tables would have a credit loop.</p>\n",
                   v->pairs - v->unreached, v->pairs, v->worst, ripstop_deadlock_words[p->w->deadlock], looked,
                   p->w->parts, parting, looping);
}

/* The list of the numbers in the drawing. */
static void numbered(const page *p) {
  put(p, "<ol id=\"marks\" class=\"facts\">\n");
  for (uint32_t i = 0; i < p->o->marks; i++) {
    RIPSTOP_LOCAL_TEXT(text);
    if (!p->o->mark[i].number) continue;
    picture_mark_text(p->o, &p->o->mark[i], &text);
    element(p, "<li>", text.data, "</li>\n");
  }
  put(p, "</ol>\n");
}

static void drawing(const page *p) {
  put(p, "<figure id=\"fabric\" tabindex=\"0\">");
  ripstop_error no_layout; /* then they stand in a ring */
  (void)picture_draw(p->o, p->out, &no_layout);
  put(p, "</figure>\n<p class=\"facts\">Blue: switches with hosts; orange: those that can send on less than others; "
         "grey: without hosts. Red: what is odd, in dashes where a cable is missing; without colour: parts whose death "
         "parts adapters that live on, violet: the worst of the others; green: cables of the safe set. ");
  element(p, "Names appear under the pointer", p->o->marks ? "; the numbers are:" : ".", "</p>\n");
  if (p->o->marks) numbered(p);
}

/* ------------------------------------------------------------------ oddities */

static void odd_rows(const page *p, const ripstop_odds *odds) {
  for (uint32_t i = 0; odds && i < odds->count; i++) {
    const ripstop_odd *odd = &odds->list[i];
    element(p, "<tr><td>", odd->what, "</td><td class=\"words\">");
    for (uint32_t k = 0; k < odd->places; k++) element(p, k ? "<br><code>" : "<code>", odd->where[k], "</code>");
    element(p, "</td><td class=\"words\">", odd->text, "</td></tr>\n");
  }
}

static void oddities(const page *p) {
  static const char *const columns[] = {"what", "where", "", NULL};
  uint32_t count = p->o->recognised->odd.count + (p->o->told ? p->o->told->count : 0);
  ripstop_text_add(p->out, "<h2 id=\"odd\">What is odd: %u</h2>\n", count);
  if (!count) return;
  begin_table(p, columns, 3);
  odd_rows(p, p->o->told);
  odd_rows(p, &p->o->recognised->odd);
  end_table(p);
}

static void mends(const page *p) {
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
  put(p,
      "<h2 id=\"mend\">Which cables to mend first</h2>\n<p>In the order of what the next failed cable of the same "
      "leaf or pod would do: pairs disconnected, then the capacity that it leaves there for each unit that the hosts "
      "can send.</p>\n");
  begin_table(p, columns, 3);
  for (uint32_t i = 0; i < p->w->mends; i++) {
    const what_if_mend *m = &p->w->mend[i];
    element(p, "<tr><td><code>", m->where, "</code></td><td class=\"plain\">");
    element(p, "", m->what, "</td>");
    element(p, "<td class=\"words\">", m->words, "</td>");
    number(p, m->disconnected);
    ripstop_text_add(p->out, "<td>%.3g</td><td>%.3g</td><td>%.3g</td><td>%.4g</td></tr>\n", m->share,
                     m->part->like_share, m->share_next, m->worst);
  }
  end_table(p);
}

/* ------------------------------------------------------------------ parts, safe set, leaves */

/* True if parts have more than their names. */
static bool are_told(const page *p) {
  uint32_t i = 0;
  while (i < p->o->parts && !*p->o->name_told[i]) i++;
  return i < p->o->parts;
}

static void safe_cell(const page *p, const char *why_not) {
  element(p, why_not ? "<td class=\"words\">no: " : "<td class=\"words\">", why_not ? why_not : "yes", "</td>");
}

static void part_row(const page *p, uint32_t part, bool told) {
  const ripstop_what_if *e = &p->o->effect[part];
  element(p, "<tr><td><code>", p->o->name[part], "</code></td>");
  if (told) element(p, "<td class=\"words\">", p->o->name_told[part], "</td>");
  number(p, e->disconnected);
  number(p, e->on_it);
  number(p, e->worst);
  number(p, e->changed);
  ripstop_text_add(p->out, "<td>%s</td>", e->credit_loop ? "yes" : e->transient_loop ? "mixed" : "no");
  if (p->w->safe_why) safe_cell(p, p->w->safe_why[part]);
  if (p->w->reroute)
    element(p, "<td class=\"words\">", e->why_not ? e->why_not : "new", e->why_not ? ": so repaired</td>" : "</td>");
  put(p, "</tr>\n");
}

static void parts(const page *p) {
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
                           NULL};
  unsigned count = 7;
  if (p->w->safe_why) columns[count++] = "may be taken out";
  if (p->w->reroute) columns[count++] = "new tables";
  uint32_t shown = 0, left = 0;
  put(p,
      "<h2 id=\"parts\">What each part takes with it</h2>\n<p>Paths on it are lost until new tables are written; "
      "then the worst link carries so many. Loop: the repaired tables have a credit loop (yes), so deadlock is "
      "possible "
      "with credits or PFC; or only packets that "
      "meet old and new entries can wait for each other forever (mixed): then two writes are safe, first without the "
      "entries that change, then with the new ones, as <code>ripstop route --after</code> makes them.</p>\n");
  begin_table(p, told ? columns : columns + 1, told ? 2 : 1);
  for (uint32_t i = 0; i < p->o->parts; i++) {
    if (picture_is_host_cable(p->o, p->o->order[i])) continue;
    if (shown == PARTS_SHOWN)
      left++;
    else
      part_row(p, p->o->order[i], told), shown++;
  }
  end_table(p);
  if (left)
    ripstop_text_add(p->out, "<p class=\"facts\">And %u more, which do less: <code>--json</code> has all.</p>\n", left);
}

/* The risk while old and new tables are both in use. */
static const char *together_words(const ripstop_transient *m) {
  return m->credit_loop ? "; old and new ones together could deadlock with credits or PFC"
                        : "; packets could loop between old and new entries";
}

/* For which tables, and who is out of reach then. */
static void safe_more(const page *p, const ripstop_safe_set *s) {
  char name[RIPSTOP_NAME_MAX];
  element(p, s->fresh ? "<p>Proved for new tables, better than " : "<p>Proved for these tables: ", p->w->tables,
          ", repaired by the fewest changes.");
  if (s->rerouted) {
    element(p, " Proved also for the tables that ", p->w->reroute, " makes for what is left");
    ripstop_text_add(p->out, ": the worst link carries %" PRIu64 " paths (its tables now: %" PRIu64 "), %s%s.",
                     s->rerouted_after.worst, s->worst_now,
                     s->rerouted_after.credit_loop ? "with a credit loop, as now" : "without a credit loop",
                     s->rerouted_transient.credit_loop || s->rerouted_transient.looping
                         ? together_words(&s->rerouted_transient)
                         : "");
  } else if (p->w->reroute) {
    element(p, " None can be: the tables that ", p->w->reroute,
            " makes now leave pairs with a path without a route, or load some link more than the present ones.");
  }
  for (uint32_t i = 0; i < p->w->safe_offs; i++) {
    uint32_t node = p->w->safe_off[i];
    ripstop_node_name(p->o->fabric, node, name);
    element(p, i ? ", <code>" : " Without them the subnet manager does not reach <code>", name, "</code> ");
    element(p, "", p->o->text[node], "");
  }
  put(p, "</p>\n");
}

static void safe_cable(const page *p, uint32_t i) {
  const uint32_t link = p->o->safe->link[i];
  const char *one = p->o->text[ripstop_link_node(p->o->fabric, link, 0)],
             *other = p->o->text[ripstop_link_node(p->o->fabric, link, 1)];
  element(p, "", p->w->safe_name[i], "");
  if (*one || *other) element(p, "  ", one, " - ");
  element(p, "", other, "\n");
}

/* Says what remains without the set. */
static void safe_proof(const page *p, const ripstop_safe_set *s) {
  ripstop_text_add(
      p->out,
      "<p>First write the tables of the proof, then pull: they use none of these cables, so no packet is "
      "lost. Without them %" PRIu64 " of %" PRIu64
      " ordered pairs are connected, as before. Each leaf and each pod keeps what its hosts need, or all "
      "that it has if that is less. No link carries more paths for its rate than links of its role do now; "
      "%s%s%s. %u more carry no path: they may go while the tables stay as they are.</p>\n",
      s->connected_then, s->connected_now,
      s->after.credit_loop ? "the credit loop that is there stays" : "there is no credit loop",
      s->transient.credit_loop || s->transient.looping
          ? "; write the tables in two steps or while no traffic runs"
          : ", nor under any transient state of old and new entries, so these can be written in any order "
            "under traffic",
      s->transient.credit_loop || s->transient.looping ? together_words(&s->transient) : "", s->idle);
}

static void safe(const page *p) {
  const ripstop_safe_set *s = p->o->safe;
  if (!s) return;
  ripstop_text_add(p->out, "<h2 id=\"safe\">May be taken out now, together: %u of %u cables", s->links,
                   s->links + s->refused);
  s->links == s->at_most ? put(p, ", the maximum") : ripstop_text_add(p->out, ", at most %u", s->at_most);
  put(p, "</h2>\n");
  safe_proof(p, s);
  safe_more(p, s);
  put(p, "<details><summary>the cables</summary><pre>");
  for (uint32_t i = 0; i < s->links; i++) safe_cable(p, i);
  put(p, "</pre></details>\n");
}

static void leaves(const page *p) {
  static const char *const columns[] = {"switch", "", "hosts", "cables to switches", "for each that hosts need", NULL};
  char name[RIPSTOP_NAME_MAX];
  put(p,
      "<h2 id=\"leaves\">Leaves, the weakest first</h2>\n<p>What a switch can send on beside what its hosts can send "
      "it, slow cables counted by their rate; less than its like have: mend here first.</p>\n");
  begin_table(p, columns, 2);
  for (uint32_t i = 0; i < p->o->leaves; i++) {
    const ripstop_leaf *l = &p->o->leaf[i];
    ripstop_node_name(p->o->fabric, l->node, name);
    element(p, "<tr><td><code>", name, "</code></td><td class=\"plain\">");
    element(p, "", p->o->text[l->node], "</td>");
    number(p, l->hosts);
    number(p, l->uplinks);
    ripstop_text_add(p->out, "<td>%.3f</td></tr>\n", (double)l->have / (double)l->need);
  }
  end_table(p);
}

void what_if_page(const what_if *w, ripstop_text *out) {
  page p = {.w = w, .o = &w->drawn, .out = out};
  head(&p);
  verdict(&p);
  drawing(&p);
  oddities(&p);
  mends(&p);
  safe(&p);
  parts(&p);
  leaves(&p);
  put(&p, "</main>\n<script>\n");
  put(&p, ripstop_embedded_sort_js);
  put(&p, "</script>\n</body></html>\n");
}

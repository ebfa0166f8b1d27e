/* what_if.c - one file without outside resources: contents, a drawing, then sections, whose tables are whole without
 * scripts and can be sorted with them. */
#include <inttypes.h>

#include "base/local.h"
#include "recognise/odd_rows.h"
#include "report/sort.js.h"
#include "report/what_if_section.h"

/* ------------------------------------------------------------------ shared by the sections */

void what_if_put(const what_if_sheet *p, const char *text) { page_put(p->out, text); }

void what_if_element(const what_if_sheet *p, const char *open, const char *text, const char *close) {
  page_element(p->out, open, text, close);
}

void what_if_open_table(const what_if_sheet *p, const char *const *head, unsigned words) {
  page_open_table(p->out, *head);
  what_if_put(p, "<thead><tr>");
  for (unsigned i = 0; head[i]; i++) what_if_element(p, i < words ? "<th class=\"words\">" : "<th>", head[i], "</th>");
  what_if_put(p, "</tr></thead><tbody>\n");
}

void what_if_number(const what_if_sheet *p, uint64_t value) { ripstop_text_add(p->out, "<td>%" PRIu64 "</td>", value); }

/* ------------------------------------------------------------------ head */

static void head(const what_if_sheet *p) {
  const picture *o = p->o;
  page_open(p->out, "Fabric report", NULL);
  what_if_element(p, "<p>", o->fabric->spec, "</p>\n");
  ripstop_text_add(p->out, "<p class=\"facts\">%u end nodes, %u switches, %u cables, %u of them between switches",
                   o->fabric->ends, ripstop_fabric_switches(o->fabric), o->fabric->links,
                   o->fabric->links - o->fabric->link_ends);
  what_if_element(p, " · recognised: ", o->recognised->family, " ");
  what_if_element(p, "", o->recognised->shape, "");
  if (o->recognised->expected)
    ripstop_text_add(p->out, ", of whose %u cables %u are not there", o->recognised->expected,
                     o->recognised->expected - o->recognised->there);
  what_if_element(p, " · tables: ", p->w->tables, "</p>\n</header>\n");
}

static void verdict(const what_if_sheet *p) {
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

/* ------------------------------------------------------------------ contents */

static void link_to(const what_if_sheet *p, const char *id, const char *words) {
  what_if_element(p, "<li><a href=\"#", id, "\">");
  what_if_element(p, "", words, "</a>");
}

/* A section that is not there, and what to give for it. */
static void missing(const what_if_sheet *p, const char *words, const char *give, const char *which) {
  what_if_element(p, "<li>", words, ": not here; give <code>");
  what_if_element(p, "", give, "</code>, ");
  what_if_element(p, "", which, ".</li>\n");
}

static void list_files(const what_if_sheet *p) {
  const what_if *w = p->w;
  if (w->counters) {
    link_to(p, "errors", "Cables with errors");
    ripstop_text_add(p->out, ": %u</li>\n", w->counters->found.count);
  } else {
    missing(p, "Cables with errors", "--counters FILE", "counters as ibqueryerrors prints them");
  }
}

static void list_safe(const what_if_sheet *p) {
  const ripstop_safe_set *s = p->o->safe;
  if (s) {
    link_to(p, "safe", "What may be pulled now");
    ripstop_text_add(p->out, ": %u of %u cables between switches</li>\n", s->links, s->links + s->refused);
  } else {
    missing(p, "What may be pulled now", "--of cables", "which is the default");
  }
}

static void contents(const what_if_sheet *p) {
  const what_if *w = p->w;
  what_if_put(p, "<nav aria-label=\"Contents\"><ul>\n");
  link_to(p, "odd", "What is odd");
  ripstop_text_add(p->out, ": %u</li>\n", p->odd.count);
  list_files(p);
  link_to(p, "parts", "What breaks next");
  what_if_put(p, w->given ? "</li>\n"
                          : ": for shortest paths, because no tables are given; <code>--tables FILE</code> has those "
                            "of your switches.</li>\n");
  list_safe(p);
  if (w->mends) {
    link_to(p, "mend", "What to mend first");
    ripstop_text_add(p->out, ": %u cables</li>\n", w->mends);
  }
  if (w->changed) {
    link_to(p, "changed", "What changed");
    ripstop_text_add(p->out, ": %" PRIu64 " entries</li>\n", w->changed->changed);
  } else {
    missing(p, "What changed", "--before TABLES", "the tables that the switches had before");
  }
  what_if_put(p, "</ul></nav>\n");
}

/* ------------------------------------------------------------------ drawing */

/* The list of the numbers in the drawing. */
static void numbered(const what_if_sheet *p) {
  what_if_put(p, "<ol id=\"marks\" class=\"facts\">\n");
  for (uint32_t i = 0; i < p->o->marks; i++) {
    RIPSTOP_LOCAL_TEXT(text);
    if (!p->o->mark[i].number) continue;
    picture_mark_text(p->o, &p->o->mark[i], &text);
    what_if_element(p, "<li>", text.data, "</li>\n");
  }
  what_if_put(p, "</ol>\n");
}

static void drawing(const what_if_sheet *p) {
  what_if_put(p, "<figure id=\"fabric\" tabindex=\"0\">");
  ripstop_error no_layout; /* then they stand in a ring */
  (void)picture_draw(p->o, p->out, &no_layout);
  what_if_put(
      p, "</figure>\n<p class=\"facts\">Blue: switches with hosts; orange: those that can send on less than others; "
         "grey: without hosts. Red: what is odd, in dashes where a cable is missing; without colour: parts whose death "
         "parts adapters that live on, violet: the worst of the others; green: cables of the safe set. ");
  what_if_element(p, "Names appear under the pointer", p->o->marks ? "; the numbers are:" : ".", "</p>\n");
  if (p->o->marks) numbered(p);
}

/* ------------------------------------------------------------------ the page */

void what_if_page(const what_if *w, ripstop_text *out) {
  RIPSTOP_LOCAL_ARENA(arena);
  what_if_sheet p = {.w = w, .o = &w->drawn, .arena = arena, .out = out};
  ripstop_odd_rank(arena, p.o->fabric, p.o->told, &p.o->recognised->odd, &p.odd);
  head(&p);
  verdict(&p);
  contents(&p);
  drawing(&p);
  what_if_put_odd(&p);
  what_if_put_errors(&p);
  what_if_put_next(&p);
  what_if_put_safe(&p);
  what_if_put_mends(&p);
  what_if_put_changed(&p);
  what_if_put(&p, "</main>\n<script>\n");
  what_if_put(&p, ripstop_embedded_sort_js);
  what_if_put(&p, "</script>\n</body></html>\n");
}

/* what_if_safe.c - the section of cables that may be pulled, with its proof in words: what each part of the fabric
 * needs and keeps, and what links of each role carry. */
#include <inttypes.h>

#include "base/local.h"
#include "report/what_if_section.h"

/* The order in which the tables may be written over the present ones, by ripstop_update.steps. */
static const char *order_words(uint32_t steps) {
  if (steps == RIPSTOP_NONE)
    return "; write the tables while no traffic runs: old and new ones together could deadlock with credits or PFC";
  if (steps == 2)
    return "; write the tables in two steps, first without the entries that change: old and new ones together could "
           "deadlock with credits or PFC, or packets loop";
  return "; these tables can be written in any order under traffic";
}

/* For which tables, and who is out of reach then. */
static void safe_more(const what_if_sheet *p, const ripstop_safe_set *s) {
  char name[RIPSTOP_NAME_MAX];
  if (s->from_scratch)
    what_if_put(p,
                "<p>Proved for shortest paths made for the rest of the fabric, which spare more cables than repairs.");
  else
    what_if_element(p,
                    s->fresh ? "<p>Proved for new tables, better than " : "<p>Proved for these tables: ", p->w->tables,
                    ", repaired by the fewest changes.");
  if (s->rerouted) {
    what_if_element(p, " Proved also for the tables that ", p->w->reroute, " makes for what is left");
    ripstop_text_add(p->out, ": the worst link carries %" PRIu64 " paths (its tables now: %" PRIu64 "), %s%s.",
                     s->rerouted_after.worst, s->worst_now,
                     s->rerouted_after.credit_loop ? "with a credit loop, as now" : "without a credit loop",
                     order_words(s->rerouted_steps));
  } else if (p->w->why_none) {
    what_if_element(p, " None can be: ", p->w->why_none, ".");
  }
  for (uint32_t i = 0; i < p->w->safe_offs; i++) {
    uint32_t node = p->w->safe_off[i];
    ripstop_node_name(p->o->fabric, node, name);
    what_if_element(p, i ? ", <code>" : " Without them the subnet manager does not reach <code>", name, "</code> ");
    what_if_element(p, "", p->o->text[node], "");
  }
  what_if_put(p, "</p>\n");
}

/* ------------------------------------------------------------------ the proof in numbers */

/* Gb/s where a dump has speeds, else cables at full rate. */
static void put_rate(const what_if_sheet *p, uint64_t rate) {
  ripstop_text_add(p->out, "<td>%.6g</td>", (double)rate / 1000);
}

/* The parts that the set leaves with fewer cables. */
static void put_parts(const what_if_sheet *p, const ripstop_safe_set *s) {
  static const char *const columns[] = {"part", "its hosts need", "it has", "it keeps", NULL};
  what_if_put(p,
              "<p>What each part that loses cables needs and keeps, in Gb/s where the dump has speeds, else in cables:"
              "</p>\n");
  what_if_open_table(p, columns, 1);
  for (uint32_t i = 0; i < p->w->capacity->parts; i++) {
    const ripstop_capacity_part *part = &p->w->capacity->part[i];
    if (s->capacity_after[i] == part->capacity) continue;
    what_if_element(p, "<tr><td><code>", what_if_part_name(p->arena, p->o->fabric, part), "</code></td>");
    put_rate(p, part->need);
    put_rate(p, part->capacity);
    put_rate(p, s->capacity_after[i]);
    what_if_put(p, "</tr>\n");
  }
  page_close_table(p->out);
}

static void put_roles(const what_if_sheet *p, const ripstop_safe_set *s) {
  static const char *const columns[] = {"levels", "worst link now", "then", "bar", NULL};
  what_if_put(p, "<p>Paths on the worst link of each role, for each unit of its rate:</p>\n");
  what_if_open_table(p, columns, 1);
  for (uint32_t i = 0; i < p->w->capacity->roles; i++) {
    const ripstop_role_use *use = &s->role[i];
    RIPSTOP_LOCAL_TEXT(name);
    if (use->before == 0 && use->bar == 0) continue;
    ripstop_capacity_print_role(p->w->capacity, i, &name);
    what_if_element(p, "<tr><td>", name.data, "</td>");
    ripstop_text_add(p->out, "<td>%.4g</td><td>%.4g</td><td>%.4g</td></tr>\n", use->before,
                     s->rerouted ? use->rerouted : use->after, use->bar);
  }
  page_close_table(p->out);
}

/* The cables that may not go, by what they would break. */
static void put_refused(const what_if_sheet *p, const ripstop_safe_set *s) {
  static const char *const harm[RIPSTOP_HARMS] = {
      [RIPSTOP_HARM_PAIRS] = "hosts have no other path",
      [RIPSTOP_HARM_CAPACITY] = "a leaf or pod would have less than its hosts need",
      [RIPSTOP_HARM_FLOW] = "less would fit between two leaves than their hosts need",
      [RIPSTOP_HARM_GROUPS] = "the trees of multicast groups use them",
      [RIPSTOP_HARM_LOAD] = "a link would carry more than links of its role",
      [RIPSTOP_HARM_ORDER] = "the tables could not be written without a danger of deadlock",
      [RIPSTOP_HARM_INCOMPLETE] = "the dump is incomplete"};
  what_if_put(p, "<p>May not go, each alone: ");
  uint32_t put = 0;
  for (unsigned why = RIPSTOP_HARM_NONE + 1; why < RIPSTOP_HARMS; why++)
    if (s->unsafe[why]) ripstop_text_add(p->out, "%s%u cables: %s", put++ ? "; " : "", s->unsafe[why], harm[why]);
  what_if_put(p, put ? ".</p>\n" : "none.</p>\n");
}

/* ------------------------------------------------------------------ the section */

static void put_cable(const what_if_sheet *p, uint32_t i) {
  const uint32_t link = p->o->safe->link[i];
  const char *one = p->o->text[ripstop_link_node(p->o->fabric, link, 0)],
             *other = p->o->text[ripstop_link_node(p->o->fabric, link, 1)];
  what_if_element(p, "", p->w->safe_name[i], "");
  if (*one || *other) what_if_element(p, "  ", one, " - ");
  what_if_element(p, "", other, "\n");
}

/* Says what remains without the set. */
static void safe_proof(const what_if_sheet *p, const ripstop_safe_set *s) {
  ripstop_text_add(
      p->out,
      "<p>First write the tables of the proof (<code>--safe-tables FOLDER</code>), then pull: they use none "
      "of these cables, so no packet is lost. Without them %" PRIu64 " of %" PRIu64
      " ordered pairs are connected, as before. Each leaf and each pod keeps what its hosts need, or all "
      "that it has if that is less. %sNo link carries more paths for its rate than links of its role may; ",
      s->connected_then, s->connected_now,
      s->flow ? "Between any two leaves all paths together keep what their hosts need, too. " : "");
  what_if_put(p, s->after.credit_loop ? "the credit loop that is there stays" : "there is no credit loop");
  ripstop_text_add(p->out, "%s.</p>\n", order_words(s->steps));
}

void what_if_put_safe(const what_if_sheet *p) {
  const ripstop_safe_set *s = p->o->safe;
  if (!s) return;
  ripstop_text_add(p->out, "<h2 id=\"safe\">May be taken out now, together: %u of %u cables", s->links,
                   s->links + s->refused);
  if (!p->w->incomplete)
    s->links == s->at_most ? what_if_put(p, ", the maximum") : ripstop_text_add(p->out, ", at most %u", s->at_most);
  what_if_put(p, "</h2>\n");
  if (p->w->incomplete)
    what_if_element(p, "<p><strong>The dump is incomplete: ", p->w->incomplete,
                    ". No cable is known to be safe: hosts and cables that are not listed may need it. Make a complete "
                    "dump.</strong></p>\n");
  put_refused(p, s);
  if (s->idle)
    ripstop_text_add(p->out, "<p>%u cables carry no path%s: they may go while the tables stay as they are.</p>\n",
                     s->idle, p->w->groups ? " and no multicast packets" : "");
  if (s->links == 0 && !p->w->reroute) return;
  if (s->links > 0) safe_proof(p, s);
  safe_more(p, s);
  if (s->links == 0) return;
  put_parts(p, s);
  put_roles(p, s);
  what_if_put(p, "<details><summary>the cables</summary><pre>");
  for (uint32_t i = 0; i < s->links; i++) put_cable(p, i);
  what_if_put(p, "</pre></details>\n");
}

/* dump_gaps.c - counts parts that a dump names but does not have: then no cable is known to be safe to take out. */
#include "base/local.h"
#include "fabric/ib.h"
#include "report/what_if_study.h"

bool what_if_find_gaps(const ripstop_fabric *fabric, what_if_gaps *out) {
  const ripstop_ib_fabric *ib = ripstop_ib_of(fabric);
  *out = (what_if_gaps){0};
  if (!ib) return false;
  const ripstop_ib_dump *d = ib->dump;
  *out = (what_if_gaps){
      .half_links = d->half_links, .timeouts = d->timeouts, .truncated = d->truncated, .unlisted = d->unlisted};
  for (uint32_t port = 0; port < d->ports; port++) out->hosts += ripstop_ib_names_host(d, port);
  return out->half_links || out->timeouts || out->truncated || out->unlisted;
}

const char *what_if_incomplete_words(ripstop_arena *arena, const ripstop_fabric *fabric) {
  what_if_gaps g;
  RIPSTOP_LOCAL_TEXT(text);
  if (!what_if_find_gaps(fabric, &g)) return NULL;
  const char *comma = "";
  if (g.half_links) {
    ripstop_text_add(&text, "%u half link%s", g.half_links, g.half_links == 1 ? "" : "s");
    if (g.hosts) ripstop_text_add(&text, " (%u to hosts that are not listed)", g.hosts);
    comma = ", ";
  }
  if (g.timeouts) {
    ripstop_text_add(&text, "%s%u time-out%s", comma, g.timeouts, g.timeouts == 1 ? "" : "s");
    comma = ", ";
  }
  if (g.truncated) ripstop_text_add(&text, "%sthe file stops in the middle of a line", comma);
  if (g.unlisted && !g.truncated) ripstop_text_add(&text, "%snodes that the file names are not listed", comma);
  return ripstop_arena_text(arena, text.data);
}

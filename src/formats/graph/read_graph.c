/* read_graph.c - reads a graph in whichever format the text has: GraphML, BookSim's anynet, a file of another simulator
 * (formats/traces), a plan of Ethernet cables (formats/ethernet) or an edge list. A text of another format is refused
 * by its name, for many of them have two words a line and would be edge lists. */
#include "formats/graph/named_graph.h"
#include "formats/traces/trace_format.h"
#include "ripstop/plugin/base.h"

static int read_edge_list(ripstop_graph *g, const char *text, size_t length, ripstop_error *err) {
  uint32_t line;
  const char *looks = ripstop_graph_looks(text, length, &line);
  if (!looks) return ripstop_graph_read_text(g, text, length, err);
  return ripstop_fail(
      err, "%s:%u: this looks like %s, not like an edge list: two router names a line, '@end NAME ROUTER' for a host",
      g->file, line, looks);
}

void ripstop_graph_open(ripstop_graph *g, ripstop_arena *arena, const char *file) {
  *g = (ripstop_graph){.arena = arena, .file = file};
  g->router_names.arena = g->end_names.arena = g->link_names.arena = arena;
}

int ripstop_graph_read(ripstop_graph *g, ripstop_arena *arena, const char *file, const char *text, size_t length,
                       ripstop_error *err) {
  if (length > 1 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
    return ripstop_fail(err, "%s: is a text in UTF-16; save it as UTF-8", file);
  ripstop_graph_open(g, arena, file);
  const trace_format *other = trace_format_of(text, length);
  if (other) return trace_read_graph(other, g, text, length, err) != 0 ? -1 : ripstop_graph_finish(g, err);
  if (memchr(text, '\0', length) != NULL)
    return ripstop_fail(err, "%s: is no text: neither a dump of a fabric, nor an edge list, nor GraphML", file);
  if (piece_begins((piece){text, text + length}, "Unicast lids")) /* dump_lfts and OpenSM begin theirs so */
    return ripstop_fail(err, "%s: forwarding tables, not a fabric: that is what ibnetdiscover prints", file);
  int (*reader)(ripstop_graph *, const char *, size_t, ripstop_error *) =
      ripstop_graph_is_xml(text, length)      ? ripstop_graph_read_xml
      : ripstop_graph_is_anynet(text, length) ? ripstop_graph_read_anynet
      : ripstop_graph_is_plan(text, length)   ? ripstop_graph_read_plan
                                              : read_edge_list;
  return reader(g, text, length, err) != 0 ? -1 : ripstop_graph_finish(g, err);
}

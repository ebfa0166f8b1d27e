/* cable_plan.c - reads a plan of Ethernet cables (formats/ethernet) as a graph: its edge list is what is read. */
#include "base/local.h"
#include "formats/ethernet/cabling_diff.h"
#include "formats/ethernet/clab_links.h"
#include "formats/ethernet/ptm_topology.h"
#include "formats/graph/named_graph.h"
#include "ripstop/plugin/base.h"

bool ripstop_graph_is_plan(const char *text, size_t length) {
  const piece all = piece_of_file(text, length);
  return (ptm_topology_is(all) && memchr(text, ':', length)) || clab_links_is(all);
}

int ripstop_graph_read_plan(ripstop_graph *g, const char *text, size_t length, ripstop_error *err) {
  RIPSTOP_LOCAL_TEXT(edges);
  const piece all = piece_of_file(text, length);
  cabling c;
  ripstop_text_begin(&edges);
  cabling_open(&c, g->arena);
  int status = ptm_topology_is(all) ? ptm_topology_read(&c, g->file, all, err) : clab_links_read(&c, g->file, all, err);
  if (!status && c.cables == 0) status = ripstop_fail(err, "%s: the plan has no cables", g->file);
  if (!status && !cabling_edges(&c, NULL, &edges))
    status = ripstop_fail(err, "%s: a name has a blank or another character that edge lists use", g->file);
  cabling_close(&c);
  if (status) return -1;
  g->file = ripstop_arena_printf(g->arena, "%s as an edge list", g->file);
  return ripstop_graph_read_text(g, ripstop_arena_text(g->arena, edges.data), edges.length, err);
}

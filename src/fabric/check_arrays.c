/* check_arrays.c - checks the invariants of a fabric's arrays, for fabrics of all families. Cost: O(ports), and one
 * index of names. */
#include <inttypes.h>

#include "base/memory.h"
#include "fabric/names.h"
#include "ripstop/kit/fabrics.h"
#include "ripstop/plugin/family.h"

static int check_nodes(const ripstop_fabric *f, ripstop_error *err) {
  if (f->ends == 0 || f->ends >= f->nodes) return ripstop_fail(err, "%u end nodes among %u nodes", f->ends, f->nodes);
  if (f->port_base[0] != 0 || f->port_base[f->nodes] != f->ports)
    return ripstop_fail(err, "the nodes' ports do not make up all %u ports", f->ports);
  for (uint32_t node = 0; node < f->nodes; node++) {
    uint32_t first = f->port_base[node], last = f->port_base[node + 1];
    if (last < first) return ripstop_fail(err, "node %u: its ports end before they start", node);
    if (ripstop_is_end(f, node) && last != first + 1)
      return ripstop_fail(err, "end node %u has %u ports", node, last - first);
    for (uint32_t port = first; port < last; port++)
      if (f->port_node[port] != node)
        return ripstop_fail(err, "port %u does not know that it is node %u's", port, node);
  }
  return 0;
}

static int check_ports(const ripstop_fabric *f, ripstop_error *err) {
  for (uint32_t port = 0; port < f->ports; port++) {
    uint32_t peer = f->peer[port], link = f->port_link[port];
    if ((peer == RIPSTOP_NONE) != (link == RIPSTOP_NONE)) return ripstop_fail(err, "port %u has half a cable", port);
    if (peer == RIPSTOP_NONE && ripstop_is_end(f, f->port_node[port]))
      return ripstop_fail(err, "end node %u has no cable", port);
    if (peer == RIPSTOP_NONE) continue;
    if (peer >= f->ports || f->peer[peer] != port) return ripstop_fail(err, "port %u: the peer leads elsewhere", port);
    if (f->port_node[peer] == f->port_node[port])
      return ripstop_fail(err, "port %u: a cable back to its own node %u", port, f->port_node[port]);
    if (link >= f->links || f->port_link[peer] != link)
      return ripstop_fail(err, "port %u: link %u is not its peer's", port, link);
    if (f->link_port[2 * (size_t)link] != port && f->link_port[2 * (size_t)link + 1] != port)
      return ripstop_fail(err, "link %u does not know port %u", link, port);
  }
  return 0;
}

static int check_links(const ripstop_fabric *f, ripstop_error *err) {
  if (f->link_ends != f->ends) return ripstop_fail(err, "%u links to %u end nodes", f->link_ends, f->ends);
  for (uint32_t link = 0; link < f->links; link++) {
    for (unsigned side = 0; side < 2; side++) {
      uint32_t port = f->link_port[2 * (size_t)link + side];
      if (port >= f->ports || f->port_link[port] != link)
        return ripstop_fail(err, "link %u: not its port %u", link, port);
    }
    if (f->peer[f->link_port[2 * (size_t)link]] != f->link_port[2 * (size_t)link + 1])
      return ripstop_fail(err, "link %u joins ports that are not peers", link);
    uint32_t a = ripstop_link_node(f, link, 0), b = ripstop_link_node(f, link, 1);
    if (link < f->link_ends ? a != link || ripstop_is_end(f, b) : ripstop_is_end(f, a) || ripstop_is_end(f, b))
      return ripstop_fail(err, "link %u between nodes %u and %u is out of order", link, a, b);
  }
  return 0;
}

static int check_counts(const ripstop_fabric *f, ripstop_error *err) {
  ripstop_counts counts = {0};
  if (f->family->count(f->config, &counts, err) != 0) return -1;
  if (counts.ends == f->ends && counts.switches == ripstop_fabric_switches(f) && counts.links == f->links) return 0;
  return ripstop_fail(err,
                      "%u end nodes, %u switches, %u links; by the closed forms %" PRIu64 ", %" PRIu64 ", %" PRIu64,
                      f->ends, ripstop_fabric_switches(f), f->links, counts.ends, counts.switches, counts.links);
}

int ripstop_fabric_check(const ripstop_fabric *f, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  if (check_nodes(f, err) == 0 && check_ports(f, err) == 0 && check_links(f, err) == 0 && check_counts(f, err) == 0 &&
      ripstop_names_check(f, err) == 0)
    return 0;
  return ripstop_fail_at(err, "fabric %s", f->spec);
}

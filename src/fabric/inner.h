/* inner.h - distances in a fabric, and names: what the library's modules need of fabrics beside fabric.h. */
#ifndef FABRIC_INNER_H
#define FABRIC_INNER_H

#include "ripstop/fabric.h"

RIPSTOP_BEGIN

/* The same for a spec that stands in the file `beside`: a relative path in it starts at that file's folder, and the
 * canonical spec names the file without folders (and by its content). NULL: as ripstop_fabric_open. */
ripstop_fabric *ripstop_fabric_open_beside(const char *spec, const char *beside, ripstop_error *err);

/* True if a port has a cable that it may send into. */
static inline bool ripstop_port_sends(const ripstop_fabric *f, uint32_t port) {
  uint32_t link = f->port_link[port];
  return link != RIPSTOP_NONE && (f->one_way == NULL || !f->one_way[link] || f->link_port[2 * (size_t)link] == port);
}

/* Links from `node` to every node (RIPSTOP_NONE: cannot be reached) over the whole fabric, one-way links in their
 * direction alone; `distance` has [nodes]. As
 * with all functions without ripstop_error, -1: no memory. */
int ripstop_fabric_distances(const ripstop_fabric *fabric, uint32_t node, uint32_t *distance);

const ripstop_fabric *ripstop_names_fabric(const ripstop_names *names);
/* The most similar name of the same kind, for error messages; NULL when there is none near. It belongs to `names` and
 * lives until the next such question. */
const char *ripstop_names_nearest_link(const ripstop_names *names, const char *name, size_t length);
const char *ripstop_names_nearest_switch(const ripstop_names *names, const char *name, size_t length);
const char *ripstop_names_nearest_end(const ripstop_names *names, const char *name, size_t length);

RIPSTOP_END

#endif

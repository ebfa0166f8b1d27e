/* ib.h - maps a fabric of the family `ib` to the dump that it was made of (formats/infiniband/dump.h).
 *
 * End nodes are the cabled ports of adapters and routers, and switches the switches, both in the order of the dump. The
 * local port of a switch is the port number of the dump; port 0 has no cable. */
#ifndef RIPSTOP_FABRIC_IB_H
#define RIPSTOP_FABRIC_IB_H

#include "formats/infiniband/dump.h"
#include "ripstop/plugin/family.h"

extern const ripstop_family ripstop_family_ib;

typedef struct ripstop_ib_fabric {
  const ripstop_ib_dump *dump;
  const uint32_t *end_port;    /* [ends]: the port of the dump */
  const uint32_t *switch_node; /* [switches]: the node of the dump */
  const uint32_t *node_of;     /* [nodes of the dump]: the switch's node of the fabric; RIPSTOP_NONE for others */
  const uint32_t *end_of;      /* [ports of the dump]: the end node; RIPSTOP_NONE for others */
} ripstop_ib_fabric;

RIPSTOP_BEGIN
/* NULL for fabrics of other families. */
const ripstop_ib_fabric *ripstop_ib_of(const ripstop_fabric *fabric);
/* The node's own description; empty: it has none. */
const char *ripstop_ib_description(const ripstop_fabric *fabric, uint32_t node);
RIPSTOP_END
/* The dump's port behind a port of the fabric; RIPSTOP_NONE where the dump has no line of it. */
uint32_t ripstop_ib_dump_port(const ripstop_fabric *fabric, uint32_t port);
/* The end node or switch that has a LID; RIPSTOP_NONE: none, or an adapter's port without cable. */
uint32_t ripstop_ib_lid_owner(const ripstop_fabric *fabric, uint32_t lid);
/* The switch with a GUID; RIPSTOP_NONE: there is none. */
uint32_t ripstop_ib_switch_of(const ripstop_fabric *fabric, uint64_t guid);
/* True if a text, with a port or without, is the description of several nodes; `out` ([RIPSTOP_NAME_MAX]) gets their
 * ids: "S-.., S-..". */
bool ripstop_ib_shared(const ripstop_fabric *fabric, const char *text, size_t length, char *out);
/* The first description that begins with the text and a blank behind it, as the first word of one without its quotes
 * does; NULL: there is none. */
const char *ripstop_ib_begun(const ripstop_fabric *fabric, const char *text, size_t length);
/* A dump that is in memory already; `name` stands for the file. NULL on error. */
ripstop_fabric *ripstop_ib_from_text(const char *name, const char *text, size_t length, ripstop_error *err);

#endif

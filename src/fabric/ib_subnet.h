/* ib_subnet.h - any fabric as a subnet of InfiniBand: the identities, GUIDs, LIDs and port numbers by which tables name
 * its nodes, and the net file that ibsim simulates.
 *
 * A fabric of the family `ib` has those of its dump. Other fabrics get them by the numbers of their nodes alone:
 * switches count from S-0002c90200000000, adapters by sixteen from H-0002c90300000000, each with one port. LIDs are
 * node numbers plus 1; ports count from 1, since port 0 is the switch itself. */
#ifndef RIPSTOP_FABRIC_IB_SUBNET_H
#define RIPSTOP_FABRIC_IB_SUBNET_H

#include "formats/infiniband/net_file.h"
#include "ripstop/fabric.h"

/* An end node is a port of an adapter. */
void ib_subnet_node_of(const ripstop_fabric *fabric, uint32_t node, ib_subnet_node *out);
/* For a fabric without a dump: the node whose port has the GUID; RIPSTOP_NONE: none. */
uint32_t ib_subnet_made_node(const ripstop_fabric *fabric, uint64_t port_guid);
/* The number of a switch's first local port: 0, or 1 where the fabric knows no port 0. */
uint32_t ib_subnet_first_port(const ripstop_fabric *fabric);
/* Fills `lid` ([nodes]) with the first LID of each node, and `room` ([nodes]) with how many it has in a row, at least
 * `wanted` ([nodes]). These are the dump's LIDs if every node has enough of its own. Else each node gets 2^lmc, end
 * nodes first, then switches, and `*misfit` is the first node with too few LIDs, or with another's; else RIPSTOP_NONE.
 * -1: there are not so many LIDs. */
int ib_subnet_lids(const ripstop_fabric *fabric, const uint32_t *wanted, uint32_t *lid, uint32_t *room,
                   uint32_t *misfit, ripstop_error *err);
/* The net file of what is up: `port_up` [ports], as in ripstop_view. */
void ib_subnet_print(const ripstop_fabric *fabric, const uint8_t *port_up, const uint8_t *node_up, FILE *file);

#endif

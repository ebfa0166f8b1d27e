/* ib_subnet.h - any fabric as a subnet of InfiniBand: identities, GUIDs, LIDs and port numbers, by which tables name
 * it, and the net file that ibsim simulates.
 *
 * A fabric of the family `ib` has those of its dump. Others are given some: switches count on from S-0002c90200000000,
 * adapters by sixteen from H-0002c90300000000, each with one port; LIDs from 1 as nodes do, ports from 1, since port 0
 * is the switch itself. They depend on the number of the node alone. */
#ifndef RIPSTOP_FABRIC_IB_SUBNET_H
#define RIPSTOP_FABRIC_IB_SUBNET_H

#include "formats/infiniband/dump.h"
#include "ripstop/fabric.h"

/* An end node is a port of an adapter. */
typedef struct ib_subnet_node {
  char id[RIPSTOP_IB_ID_LIMIT + 1]; /* of the switch or the adapter */
  char text[RIPSTOP_NAME_MAX];      /* description; empty: none */
  uint64_t guid, port_guid;         /* of a switch the same */
  uint32_t ports;                   /* of the switch or adapter */
  uint32_t port;                    /* of the adapter; 0: a switch */
  uint32_t lid, lmc;                /* the first of 2^lmc LIDs in a row; 0: not told */
} ib_subnet_node;

void ib_subnet_node_of(const ripstop_fabric *fabric, uint32_t node, ib_subnet_node *out);
/* Of a fabric whose names are given: the node whose port has the GUID; RIPSTOP_NONE: none. */
uint32_t ib_subnet_made_node(const ripstop_fabric *fabric, uint64_t port_guid);
/* The number of a switch's first local port: 0, or 1 where the fabric knows no port 0. */
uint32_t ib_subnet_first_port(const ripstop_fabric *fabric);
/* The first of the LIDs of each node to `lid` ([nodes]), and how many it has in a row to `room` ([nodes]), at least
 * `wanted` ([nodes]): the dump's where all nodes tell enough of their own; else 2^lmc each, end nodes first, then
 * switches, and `*misfit` is the first node that tells too few, or one of another's (RIPSTOP_NONE: none does).
 * -1: there are not so many LIDs. */
int ib_subnet_lids(const ripstop_fabric *fabric, const uint32_t *wanted, uint32_t *lid, uint32_t *room,
                   uint32_t *misfit, ripstop_error *err);
/* The net file of what is up: `port_up` [ports], as in ripstop_view. */
void ib_subnet_print(const ripstop_fabric *fabric, const uint8_t *port_up, const uint8_t *node_up, FILE *file);

#endif

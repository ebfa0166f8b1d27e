/* net_file.h - writes a subnet as ibnetdiscover prints it, which ibsim simulates and dump.h reads. */
#ifndef RIPSTOP_FORMATS_INFINIBAND_NET_FILE_H
#define RIPSTOP_FORMATS_INFINIBAND_NET_FILE_H

#include "formats/infiniband/dump.h"

/* A switch, or one port of an adapter. */
typedef struct ib_subnet_node {
  char id[RIPSTOP_IB_ID_LIMIT + 1]; /* the switch's or the adapter's */
  char text[RIPSTOP_NAME_MAX];      /* description; empty: none */
  uint64_t guid, port_guid;         /* the same for a switch */
  uint32_t ports;                   /* how many the switch or adapter has */
  uint32_t port;                    /* the number of the adapter's port; 0: a switch */
  uint32_t lid, lmc;                /* the first of 2^lmc LIDs in a row; 0: unknown */
} ib_subnet_node;

/* The lines above the ports of a switch or adapter. */
void ib_print_node(const ib_subnet_node *node, FILE *file);
/* The line of a cable at port `number` of a node; `width` and `speed` (0 and empty: unknown) as 4xEDR. The number of an
 * adapter's port is its own. */
void ib_print_cable(const ib_subnet_node *node, uint32_t number, const ib_subnet_node *peer, uint32_t peer_number,
                    uint32_t width, const char *speed, FILE *file);

#endif

/* net_file.c - see net_file.h. */
#include "formats/infiniband/net_file.h"

#include <inttypes.h>

void ib_print_node(const ib_subnet_node *n, FILE *file) {
  fprintf(file, "\nvendid=0x2c9\ndevid=%s\nsysimgguid=0x%" PRIx64 "\n", n->port ? "0x1013" : "0xcf08", n->guid);
  if (n->port)
    fprintf(file, "caguid=0x%" PRIx64 "\nCa\t%u \"%s\"\t\t# \"%s\"\n", n->guid, n->ports, n->id, n->text);
  else
    fprintf(file,
            "switchguid=0x%" PRIx64 "(%" PRIx64 ")\nSwitch\t%u \"%s\"\t\t# \"%s\" enhanced port 0 lid %u lmc %u\n",
            n->guid, n->guid, n->ports, n->id, n->text, n->lid, n->lmc);
}

void ib_print_cable(const ib_subnet_node *n, uint32_t number, const ib_subnet_node *peer, uint32_t peer_number,
                    uint32_t width, const char *speed, FILE *file) {
  if (n->port) {
    fprintf(file, "[%u](%" PRIx64 ") \t\"%s\"[%u]\t\t# lid %u lmc %u ", n->port, n->port_guid, peer->id, peer_number,
            n->lid, n->lmc);
  } else {
    fprintf(file, "[%u]\t\"%s\"[%u]", number, peer->id, peer->port ? peer->port : peer_number);
    if (peer->port) fprintf(file, "(%" PRIx64 ")", peer->port_guid);
    fputs(" \t\t# ", file);
  }
  fprintf(file, "\"%s\" lid %u %ux%s\n", peer->text, peer->lid, width ? width : 4, speed[0] ? speed : "EDR");
}

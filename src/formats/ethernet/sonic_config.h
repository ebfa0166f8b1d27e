/* sonic_config.h - config_db.json of a switch that runs SONiC: its neighbours, its link aggregates, and its classes of
 * packets. */
#ifndef RIPSTOP_FORMATS_ETHERNET_SONIC_CONFIG_H
#define RIPSTOP_FORMATS_ETHERNET_SONIC_CONFIG_H

#include "formats/ethernet/cabling.h"
#include "formats/ethernet/json_tokens.h"

enum { SONIC_DSCPS = 64, SONIC_TCS = 16, SONIC_PRIORITIES = 8 };

/* The maps of a port. A packet comes with a DSCP; the port by which it comes makes a traffic class (TC) of it. The TC
 * gives the priority group that accounts for it, and at the port by which it leaves the queue and, perhaps, another
 * DSCP. A priority is paused for a priority group, and stops a queue. */
typedef struct sonic_qos {
  uint8_t tc_of_dscp[SONIC_DSCPS];
  uint8_t group_of_tc[SONIC_TCS], queue_of_tc[SONIC_TCS], dscp_of_tc[SONIC_TCS];
  uint8_t queue_of_priority[SONIC_PRIORITIES], group_of_priority[SONIC_PRIORITIES];
  uint8_t pauses; /* a bit for each priority that PFC is enabled for */
  bool rewrites;  /* packets leave with dscp_of_tc; else their DSCP stays */
} sonic_qos;

/* A port, or by `global` all ports of a node. */
typedef struct sonic_port {
  uint32_t port, qos; /* port: RIPSTOP_NONE: those of `node` */
  uint32_t node;
} sonic_port;

/* The classes of all switches that were read. */
typedef struct sonic_classes {
  ripstop_arena *arena;
  sonic_qos *qos;   /* each once */
  sonic_port *port; /* later ones replace earlier ones */
  uint32_t qoses, ports;
  size_t qos_room, port_room;
  ripstop_text_table by_qos;
  ripstop_text *notes; /* lines: missing maps, buffers that contradict PFC */
} sonic_classes;

void sonic_classes_open(sonic_classes *s, ripstop_arena *arena, ripstop_text *notes);
/* True if the text is one. */
bool sonic_config_is(const jt_doc *doc);
/* Adds the switch, DEVICE_NEIGHBOR and PORTCHANNEL_MEMBER. Errors name the file and the line. */
int sonic_config_cables(cabling *c, const jt_doc *doc, const char *switch_name, ripstop_error *err);
/* Adds the maps of its ports, which become ports of the cabling. */
int sonic_config_classes(sonic_classes *s, cabling *c, const jt_doc *doc, uint32_t node, ripstop_error *err);
/* The maps of a port without any: all packets are of TC 0, and nothing pauses. */
sonic_qos sonic_qos_none(void);

#endif

/* qos.h - the service levels that the operator's configuration uses: partitions, the QoS policy, qos_sl2vl. */
#ifndef OPENSM_QOS_H
#define OPENSM_QOS_H

#include <opensm/osm_config.h> /* first: the layout of OpenSM's structs depends on it */

#include <opensm/osm_subnet.h>

#include "ripstop/plugin/base.h"

/* A class of traffic has one of the used service levels, and as many VLs of its own as the tables have. */
typedef struct qos_classes {
  uint16_t used; /* a bit for each service level in use; 0 always is */
  unsigned count;
} qos_classes;

qos_classes qos_find(osm_subn_t *subnet);
/* The service level of a path: of its class, and the level of the tables. With one VL the class's own. */
uint8_t qos_level(const qos_classes *classes, unsigned lanes, uint8_t hint, unsigned level);
/* The VL of a service level, if the tables have several. */
uint8_t qos_lane(const qos_classes *classes, unsigned lanes, uint8_t level);
/* -1 with the reason, and the lines of both files, if tables of `lanes` VLs do not fit beside these classes. */
int qos_check(const qos_classes *classes, osm_subn_t *subnet, unsigned lanes, ripstop_error *err);

#endif

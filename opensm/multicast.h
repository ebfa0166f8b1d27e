/* multicast.h - multicast groups of OpenSM on one tree, which the planner chooses so that no packets of groups and of
 * unicast can wait for each other forever. */
#ifndef OPENSM_MULTICAST_H
#define OPENSM_MULTICAST_H

#include <opensm/osm_config.h> /* first: the layout of OpenSM's structs depends on it */

#include <opensm/osm_multicast.h>
#include <opensm/osm_opensm.h>

#include "qos.h"
#include "ripstop/kit/planner.h"

typedef struct group_masks group_masks;

/* Zeroed, but for the first three. */
typedef struct multicast {
  osm_opensm_t *osm;
  const ripstop_planner *planner;
  const qos_classes *classes;
  ripstop_sweep sweep; /* the last good one */
  bool clear;          /* old and new trees together have a cycle: masks are cleared now, and set by the next sweep */
  bool built;          /* masks have been made since the last report */
  unsigned lost;       /* groups that could not be routed since then */
  group_masks *masks;  /* each MLID has some, as they were made last */
} multicast;

/* After each good sweep of the planner. True: another one is needed soon. */
bool multicast_follow(multicast *m, const ripstop_sweep *done);
/* Sets the masks of one MLID, which OpenSM has cleared. */
ib_api_status_t multicast_build(multicast *m, osm_mgrp_box_t *box);
/* Logs what has been made since the last report. */
void multicast_report(multicast *m);
void multicast_free(multicast *m);

#endif

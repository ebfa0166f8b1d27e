/* opensm-join.c - an event plug-in of OpenSM 3.3 for tests: in the first sweep, before multicast is routed, every port
 * of an adapter joins every multicast group of partitions.conf. tests/cli/opensm_groups.sh builds and loads it. */
#include <opensm/osm_config.h> /* first: the layout of OpenSM's structs depends on it */

#include <opensm/osm_event_plugin.h>
#include <opensm/osm_multicast.h>
#include <opensm/osm_opensm.h>
#include <opensm/osm_version.h>

typedef struct joining {
  osm_opensm_t *osm;
  int done;
} joining;

static void join_ports(const joining *j, osm_mgrp_t *group) {
  cl_qmap_t *ports = &j->osm->subn.port_guid_tbl;
  for (cl_map_item_t *item = cl_qmap_head(ports); item != cl_qmap_end(ports); item = cl_qmap_next(item)) {
    osm_port_t *port = (osm_port_t *)item;
    ib_member_rec_t record = group->mcmember_rec;
    if (osm_node_get_type(port->p_node) != IB_NODE_TYPE_CA) continue;
    record.scope_state = (uint8_t)((record.scope_state & 0xf0) | IB_JOIN_STATE_FULL);
    record.port_gid.unicast.prefix = j->osm->subn.opt.subnet_prefix;
    record.port_gid.unicast.interface_id = osm_port_get_guid(port);
    osm_mgrp_add_port(&j->osm->subn, &j->osm->log, group, port, &record, FALSE);
  }
}

static void join_all(const joining *j) {
  const int last = j->osm->subn.max_mcast_lid_ho - IB_LID_MCAST_START_HO;
  for (int i = 0; i <= last; i++) {
    osm_mgrp_box_t *box = j->osm->subn.mboxes[i];
    if (!box) continue;
    for (cl_list_item_t *k = cl_qlist_head(&box->mgrp_list); k != cl_qlist_end(&box->mgrp_list); k = cl_qlist_next(k))
      join_ports(j, cl_item_obj(k, ((osm_mgrp_t *)NULL), list_item));
  }
}

static void report(void *data, osm_epi_event_id_t event, void *details) {
  joining *j = data;
  (void)details;
  if (event != OSM_EVENT_ID_UCAST_ROUTING_DONE || j->done++) return;
  join_all(j);
}

static void *create(struct osm_opensm *osm) {
  static joining one;
  one.osm = osm;
  return &one;
}

extern osm_event_plugin_t osm_event_plugin;
osm_event_plugin_t osm_event_plugin = {.osm_version = OSM_VERSION, .create = create, .report = report};

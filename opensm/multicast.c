/* multicast.c - OpenSM calls multicast_build for each MLID of a sweep, and when members join or leave between sweeps,
 * under its exclusive lock. The masks are the part of the common tree that joins the members' switches, and the
 * members' ports. A branch of it is needed if some member, but not every member, is below it. */
#include "multicast.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "ripstop/kit/deadlock.h"

#define ENGINE "ripstop"

enum { PORT_WORDS = 4, VLS = 16 };

typedef struct switch_mask {
  ib_net64_t guid;
  uint64_t port[PORT_WORDS];
} switch_mask;

struct group_masks {
  group_masks *next;
  uint16_t mlid;
  unsigned count, changed; /* switches with a mask; those with another one than before */
  switch_mask *mask;       /* [count]: in OpenSM's order of switches */
};

/* ------------------------------------------------------------------ the tree */

/* The parent of a switch; NULL: it has none. *port: how it is reached; *gone: the cable is no longer there. */
static osm_switch_t *parent_of(const multicast *m, const osm_switch_t *s, uint8_t *port, uint8_t *back, bool *gone) {
  uint64_t parent = 0;
  *port = ripstop_planner_group_port(m->planner, cl_ntoh64(osm_node_get_node_guid(s->p_node)), &parent);
  if (!*port) return NULL;
  osm_physp_t *own = osm_node_get_physp_ptr(s->p_node, *port), *peer = own ? osm_physp_get_remote(own) : NULL;
  osm_node_t *node = peer ? osm_physp_get_node_ptr(peer) : NULL;
  *gone = !node || !node->sw || cl_ntoh64(osm_node_get_node_guid(node)) != parent;
  if (*gone) return NULL;
  *back = osm_physp_get_port_num(peer);
  return node->sw;
}

static void forget_members(const multicast *m) {
  cl_qmap_t *switches = &m->osm->subn.sw_guid_tbl;
  for (cl_map_item_t *item = cl_qmap_head(switches); item != cl_qmap_end(switches); item = cl_qmap_next(item)) {
    osm_switch_t *s = (osm_switch_t *)item;
    s->num_of_mcm = 0;
    s->is_mc_member = 0;
  }
}

/* Counts a member's switch at itself and all switches above it. false: a cable of the tree is gone. */
static bool count_member(const multicast *m, osm_switch_t *s) {
  uint8_t port, back;
  bool gone = false;
  s->is_mc_member = 1;
  for (uint32_t left = cl_qmap_count(&m->osm->subn.sw_guid_tbl); s && left > 0; left--) {
    s->num_of_mcm++;
    s = parent_of(m, s, &port, &back, &gone);
  }
  return !gone;
}

static void set_port(osm_switch_t *s, uint16_t mlid, uint8_t port) {
  osm_mcast_tbl_set(osm_switch_get_mcast_tbl_ptr(s), mlid, port);
}

/* The switch at which a port gets its copies, and the port of its mask. */
static osm_switch_t *switch_of(const osm_port_t *port, uint8_t *number) {
  if (port->p_node->sw) {
    *number = 0;
    return port->p_node->sw;
  }
  osm_physp_t *peer = port->p_physp ? osm_physp_get_remote(port->p_physp) : NULL;
  osm_node_t *node = peer ? osm_physp_get_node_ptr(peer) : NULL;
  if (!node) return NULL;
  *number = osm_physp_get_port_num(peer);
  return node->sw;
}

/* The group of an item in a box's list. */
static osm_mgrp_t *group_of(cl_list_item_t *item) {
  return (osm_mgrp_t *)(void *)((char *)item - offsetof(osm_mgrp_t, list_item));
}

/* Sets the ports of all members. Returns the number of their switches; *gone: a cable of the tree is gone. */
static uint32_t set_members(const multicast *m, osm_mgrp_box_t *box, bool *gone) {
  uint32_t switches = 0;
  for (cl_list_item_t *i = cl_qlist_head(&box->mgrp_list); i != cl_qlist_end(&box->mgrp_list); i = cl_qlist_next(i)) {
    osm_mgrp_t *group = group_of(i);
    cl_qmap_t *members = &group->mcm_port_tbl;
    for (cl_map_item_t *k = cl_qmap_head(members); k != cl_qmap_end(members); k = cl_qmap_next(k)) {
      uint8_t number;
      osm_switch_t *s = switch_of(((osm_mcm_port_t *)k)->port, &number);
      if (!s) continue;
      set_port(s, box->mlid, number);
      if (s->is_mc_member) continue;
      switches++;
      *gone |= !count_member(m, s);
    }
  }
  return switches;
}

static void set_branches(const multicast *m, uint16_t mlid, uint32_t members) {
  cl_qmap_t *switches = &m->osm->subn.sw_guid_tbl;
  for (cl_map_item_t *item = cl_qmap_head(switches); item != cl_qmap_end(switches); item = cl_qmap_next(item)) {
    osm_switch_t *s = (osm_switch_t *)item;
    uint8_t port, back;
    bool gone;
    if (s->num_of_mcm == 0 || s->num_of_mcm == members) continue;
    osm_switch_t *parent = parent_of(m, s, &port, &back, &gone);
    if (!parent) continue;
    set_port(s, mlid, port);
    set_port(parent, mlid, back);
  }
}

/* ------------------------------------------------------------------ masks that have changed */

static group_masks *masks_of(multicast *m, uint16_t mlid) {
  for (group_masks *g = m->masks; g; g = g->next)
    if (g->mlid == mlid) return g;
  group_masks *g = calloc(1, sizeof *g);
  if (!g) return NULL;
  g->mlid = mlid;
  g->next = m->masks;
  return m->masks = g;
}

/* The mask of a switch. false: it is empty. */
static bool read_mask(osm_switch_t *s, uint16_t mlid, switch_mask *out) {
  bool any = false;
  *out = (switch_mask){.guid = osm_node_get_node_guid(s->p_node)};
  for (unsigned port = 0; port < osm_node_get_num_physp(s->p_node); port++)
    if (osm_mcast_tbl_is_port(osm_switch_get_mcast_tbl_ptr(s), mlid, (uint8_t)port)) {
      out->port[port / 64] |= UINT64_C(1) << port % 64;
      any = true;
    }
  return any;
}

static bool had(const group_masks *g, const switch_mask *mask) {
  for (unsigned i = 0; i < g->count; i++)
    if (g->mask[i].guid == mask->guid) return memcmp(&g->mask[i], mask, sizeof *mask) == 0;
  return false;
}

/* Compares the masks with those that were made last, and keeps them. */
static void keep_masks(multicast *m, uint16_t mlid) {
  cl_qmap_t *switches = &m->osm->subn.sw_guid_tbl;
  group_masks *g = masks_of(m, mlid);
  switch_mask *now = calloc(cl_qmap_count(switches) + 1, sizeof *now);
  unsigned count = 0;
  if (!g || !now) {
    free(now);
    return;
  }
  for (cl_map_item_t *item = cl_qmap_head(switches); item != cl_qmap_end(switches); item = cl_qmap_next(item))
    if (read_mask((osm_switch_t *)item, mlid, &now[count])) g->changed += !had(g, &now[count++]);
  free(g->mask);
  g->mask = now;
  g->count = count;
}

/* ------------------------------------------------------------------ calls of the plug-in */

ib_api_status_t multicast_build(multicast *m, osm_mgrp_box_t *box) {
  bool gone = false;
  osm_purge_mtree(&m->osm->sm, box);
  m->built = true;
  if (m->clear) return IB_SUCCESS;
  forget_members(m);
  const uint32_t members = set_members(m, box, &gone);
  if (!gone) set_branches(m, box->mlid, members);
  forget_members(m);
  keep_masks(m, box->mlid);
  if (!gone) return IB_SUCCESS;
  m->lost++;
  m->osm->subn.force_heavy_sweep = TRUE;
  return IB_ERROR;
}

/* True in the first sweep as master, if switches have been written before: their masks are not known. */
static bool has_taken_over(const multicast *m) {
  cl_qmap_t *switches = &m->osm->subn.sw_guid_tbl;
  bool written = false;
  for (cl_map_item_t *item = cl_qmap_head(switches); item != cl_qmap_end(switches); item = cl_qmap_next(item))
    written |= ((osm_switch_t *)item)->switch_info.lin_top > 0;
  return written && m->osm->subn.first_time_master_sweep;
}

bool multicast_follow(multicast *m, const ripstop_sweep *done) {
  m->sweep = *done;
  m->clear = done->group_clash || has_taken_over(m);
  return m->clear;
}

/* A bit for each service level of the groups of an MLID. */
static unsigned levels_of(const osm_mgrp_box_t *box) {
  unsigned levels = 0;
  for (cl_list_item_t *i = cl_qlist_head(&box->mgrp_list); i != cl_qlist_end(&box->mgrp_list); i = cl_qlist_next(i)) {
    osm_mgrp_t *group = group_of(i);
    uint8_t level;
    ib_member_get_sl_flow_hop(group->mcmember_rec.sl_flow_hop, &level, NULL, NULL);
    levels |= 1u << level;
  }
  return levels;
}

/* True if the tree fits on the VLs of all service levels of an MLID. Each class has the VLs of the tables once. */
static bool is_safe(const multicast *m, const osm_mgrp_box_t *box) {
  const ripstop_sweep *done = &m->sweep;
  bool safe = true;
  for (unsigned levels = levels_of(box), level = 0; level < VLS; level++) {
    const unsigned vl = done->lanes > 1 ? qos_lane(m->classes, done->lanes, (uint8_t)level) % done->lanes : 0;
    if (levels >> level & 1) safe &= done->group_lanes >> vl & 1;
  }
  return safe;
}

void multicast_report(multicast *m) {
  const ripstop_sweep *done = &m->sweep;
  unsigned groups = 0, masks = 0, changed = 0, unsafe = 0, first = 0;
  if (!m->built) return;
  for (group_masks *g = m->masks; g; g = g->next) {
    const osm_mgrp_box_t *box = osm_get_mbox_by_mlid(&m->osm->subn, cl_hton16(g->mlid));
    if (!box) g->count = 0;
    groups += g->count > 0;
    masks += g->count;
    changed += g->changed;
    g->changed = 0;
    if (g->count == 0 || is_safe(m, box)) continue;
    if (unsafe++ == 0) first = g->mlid;
  }
  osm_log(
      &m->osm->log, OSM_LOG_INFO, ENGINE ": %u groups, %u of %u masks changed%s%s\n", groups, changed, masks,
      m->clear
          ? "; all masks are cleared first, because old and new ones, or unicast entries with them, could have a cycle"
          : "",
      groups && done->lanes == 1 && done->worst > done->bound + done->bound / 4
          ? "; their tree takes a part of the only VL: lanes=2 or more balances better"
          : "");
  if (unsafe)
    osm_log(&m->osm->log, OSM_LOG_ERROR,
            ENGINE ": ERR R010: %u multicast groups, the first 0x%04x, are NOT SAFE: deadlock with unicast packets on "
                   "their VL is %s; %s\n",
            unsafe, first, ripstop_deadlock_words[RIPSTOP_DEADLOCK_POSSIBLE],
            done->group_lanes & 1 ? "give them SL 0"
                                  : "no tree fits the repaired tables: have all tables planned again");
  if (m->lost)
    osm_log(&m->osm->log, OSM_LOG_ERROR,
            ENGINE ": ERR R011: %u multicast groups wait for a sweep: a cable of their tree is gone\n", m->lost);
  m->built = false;
  m->lost = 0;
}

void multicast_free(multicast *m) {
  for (group_masks *g = m->masks, *next; g; g = next) {
    next = g->next;
    free(g->mask);
    free(g);
  }
}

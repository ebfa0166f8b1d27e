/* opensm-sls.c - an event plug-in of OpenSM 3.3: once routing is done it writes opensm-path-records.dump, the service
 * level of each path between adapters, which stock OpenSM keeps to itself. Built and loaded by
 * tools/opensm-tables.sh and tools/opensm-live.sh. The file is whole whenever it is there. */
#include <opensm/osm_config.h> /* first: the layout of OpenSM's structs depends on it */

#include <inttypes.h>
#include <stdio.h>

#include <opensm/osm_opensm.h>
#include <opensm/osm_version.h>

static uint8_t level_of(osm_opensm_t *osm, uint16_t source, uint16_t target) {
  struct osm_routing_engine *engine = osm->routing_engine_used;
  if (!engine || !engine->path_sl) return OSM_DEFAULT_SL;
  return engine->path_sl(engine->context, OSM_DEFAULT_SL, cl_hton16(source), cl_hton16(target));
}

static int is_adapter(const osm_port_t *port) {
  return port && port->p_node && osm_node_get_type(port->p_node) == IB_NODE_TYPE_CA;
}

static void write_source(FILE *out, osm_opensm_t *osm, osm_port_t *source) {
  uint16_t lid = cl_ntoh16(osm_port_get_base_lid(source));
  fprintf(out, "Channel Adapter 0x%016" PRIx64 ", base LID %u, \"%s\", port %u\n# LID  : SL : MTU : RATE\n",
          cl_ntoh64(osm_port_get_guid(source)), lid, source->p_node->print_desc, source->p_physp->port_num);
  for (uint16_t other = 1; other < cl_ptr_vector_get_size(&osm->subn.port_lid_tbl); other++) {
    const osm_port_t *target = cl_ptr_vector_get(&osm->subn.port_lid_tbl, other);
    if (is_adapter(target) && target != source)
      fprintf(out, "0x%04X : %-2u : %-3u : %-4u\n", other, level_of(osm, lid, other), 5u, 7u);
  }
  fprintf(out, "\n");
}

static void write_levels(osm_opensm_t *osm) {
  char path[1024], unfinished[1024];
  snprintf(path, sizeof path, "%s/opensm-path-records.dump", osm->subn.opt.dump_files_dir);
  snprintf(unfinished, sizeof unfinished, "%s/opensm-path-records.part", osm->subn.opt.dump_files_dir);
  FILE *out = fopen(unfinished, "w");
  if (!out) return;
  for (cl_map_item_t *i = cl_qmap_head(&osm->subn.port_guid_tbl); i != cl_qmap_end(&osm->subn.port_guid_tbl);
       i = cl_qmap_next(i))
    if (is_adapter((osm_port_t *)i)) write_source(out, osm, (osm_port_t *)i);
  if (fclose(out) == 0) rename(unfinished, path);
}

static void *create(osm_opensm_t *osm) { return osm; }
static void destroy(void *osm) { (void)osm; }
static void report(void *osm, osm_epi_event_id_t id, void *data) {
  (void)data;
  if (id == OSM_EVENT_ID_UCAST_ROUTING_DONE) write_levels(osm);
}

osm_event_plugin_t osm_event_plugin = {OSM_VERSION, create, destroy, report};

/* plugin.c - the plug-in libripstop-opensm.so: routing engine `ripstop` for a stock OpenSM, which loads it by
 *
 *   event_plugin_name    ripstop-opensm
 *   event_plugin_options lanes=4 sl=destination
 *   routing_engine       ripstop
 *   qos                  TRUE
 *
 * It is glue: it prints OpenSM's picture of the fabric as ibnetdiscover would, gives it to a subnet planner
 * (ripstop/planner.h), and copies the resulting tables into OpenSM's. It never ends the process. If a sweep fails,
 * switches keep their tables, and the log says so. Only if there were none, OpenSM uses another engine.
 *
 * OpenSM holds its lock during each call, so calls come one at a time, except path_sl: many threads may call it
 * between sweeps, and it changes nothing. */
#include <opensm/osm_config.h> /* first: the layout of OpenSM's structs depends on it */

#include <opensm/osm_event_plugin.h>
#include <opensm/osm_opensm.h>
#include <opensm/osm_version.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "multicast.h"
#include "ripstop/kit/deadlock.h"
#include "ripstop/kit/planner.h"

#include "qos.h"

#if OSM_EVENT_PLUGIN_INTERFACE_VER != 2
#error "another interface of OpenSM's plug-ins"
#endif

#define ENGINE "ripstop"

typedef struct glue {
  osm_opensm_t *osm;
  ripstop_planner *planner;
  unsigned lanes; /* VLs of the last sweep; 0: there was none */
  qos_classes classes;
  bool again;     /* intermediate tables are being written; the others follow */
  bool between;   /* the last good sweep gave intermediate tables: some entries are missing */
  bool more;      /* a later sweep can improve the busiest links */
  unsigned tries; /* refused sweeps since then */
  bool reading;   /* at a take-over: the switches' tables were requested */
  bool unknown;   /* the planner does not know their tables */
  multicast multicast;
} glue;

enum { TRIES = 5 }; /* refused sweeps that request another one, while entries are missing */

/* ------------------------------------------------------------------ the fabric, as ibnetdiscover prints it */

static char kind_of(const osm_node_t *node) {
  return osm_node_get_type(node) == IB_NODE_TYPE_SWITCH ? 'S' : osm_node_get_type(node) == IB_NODE_TYPE_CA ? 'H' : 'R';
}

/* The port at the other end of a link that is up; NULL: there is none. */
static osm_physp_t *peer_of(const osm_physp_t *port) {
  osm_physp_t *peer = port ? osm_physp_get_remote(port) : NULL;
  if (!peer || !osm_physp_is_valid(peer) || !osm_physp_get_node_ptr(peer)) return NULL;
  if (!osm_link_is_healthy(port) || osm_physp_get_port_state(port) == IB_LINK_DOWN) return NULL;
  return peer;
}

static void tell_port(ripstop_text *out, const osm_physp_t *port, const osm_physp_t *peer, bool is_switch) {
  const osm_node_t *other = osm_physp_get_node_ptr(peer);
  ripstop_text_add(out, "[%u]", osm_physp_get_port_num(port));
  if (!is_switch) ripstop_text_add(out, "(%" PRIx64 ")", cl_ntoh64(osm_physp_get_port_guid(port)));
  ripstop_text_add(out, " \"%c-%016" PRIx64 "\"[%u]", kind_of(other), cl_ntoh64(osm_node_get_node_guid(other)),
                   osm_physp_get_port_num(peer));
  if (!is_switch)
    ripstop_text_add(out, " # lid %u lmc %u", cl_ntoh16(osm_physp_get_base_lid(port)), osm_physp_get_lmc(port));
  ripstop_text_add(out, "\n");
}

static void tell_node(ripstop_text *out, osm_node_t *node) {
  static const char *const words[] = {['S'] = "Switch", ['H'] = "Ca", ['R'] = "Rt"};
  char kind = kind_of(node);
  bool is_switch = kind == 'S';
  ripstop_text_add(out, "%s %u \"%c-%016" PRIx64 "\"", words[(unsigned char)kind], osm_node_get_num_physp(node) - 1u,
                   kind, cl_ntoh64(osm_node_get_node_guid(node)));
  osm_physp_t *own = is_switch ? osm_node_get_physp_ptr(node, 0) : NULL;
  if (own)
    ripstop_text_add(out, " # \"\" base port 0 lid %u lmc %u", cl_ntoh16(osm_physp_get_base_lid(own)),
                     osm_physp_get_lmc(own));
  ripstop_text_add(out, "\n");
  for (unsigned number = 1; number < osm_node_get_num_physp(node); number++) {
    osm_physp_t *port = osm_node_get_physp_ptr(node, number), *peer = peer_of(port);
    if (peer) tell_port(out, port, peer, is_switch);
  }
  ripstop_text_add(out, "\n");
}

static void tell_fabric(ripstop_text *out, osm_subn_t *subnet) {
  cl_qmap_t *nodes = &subnet->node_guid_tbl;
  for (cl_map_item_t *item = cl_qmap_head(nodes); item != cl_qmap_end(nodes); item = cl_qmap_next(item))
    tell_node(out, (osm_node_t *)item);
}

/* ------------------------------------------------------------------ tables */

/* The table that OpenSM may write to a switch; NULL: none. */
static uint8_t *new_table(osm_switch_t *switch_, size_t *lids) {
  *lids = (size_t)switch_->max_lid_ho + 1;
  if (*lids > switch_->lft_size) *lids = switch_->lft_size;
  return switch_->new_lft;
}

/* Gives the planner what the switches hold. */
static int tell_tables(const glue *g, ripstop_error *err) {
  cl_qmap_t *switches = &g->osm->subn.sw_guid_tbl;
  int status = 0;
  for (cl_map_item_t *item = cl_qmap_head(switches); item != cl_qmap_end(switches); item = cl_qmap_next(item)) {
    osm_switch_t *switch_ = (osm_switch_t *)item;
    size_t lids;
    uint8_t *table = new_table(switch_, &lids);
    if (table && switch_->lft && switch_->p_node && !g->unknown && !status)
      status = ripstop_planner_holds(g->planner, cl_ntoh64(osm_node_get_node_guid(switch_->p_node)), switch_->lft, lids,
                                     err);
  }
  return status;
}

static void write_tables(const glue *g) {
  cl_qmap_t *switches = &g->osm->subn.sw_guid_tbl;
  for (cl_map_item_t *item = cl_qmap_head(switches); item != cl_qmap_end(switches); item = cl_qmap_next(item)) {
    osm_switch_t *switch_ = (osm_switch_t *)item;
    size_t lids;
    uint8_t *table = new_table(switch_, &lids);
    if (table && switch_->p_node)
      ripstop_planner_table(g->planner, cl_ntoh64(osm_node_get_node_guid(switch_->p_node)), table, lids);
  }
}

/* Every switch keeps its table. */
static void keep_tables(const glue *g) {
  cl_qmap_t *switches = &g->osm->subn.sw_guid_tbl;
  for (cl_map_item_t *item = cl_qmap_head(switches); item != cl_qmap_end(switches); item = cl_qmap_next(item)) {
    osm_switch_t *switch_ = (osm_switch_t *)item;
    size_t lids;
    uint8_t *table = new_table(switch_, &lids);
    if (table && switch_->lft) memcpy(table, switch_->lft, lids);
  }
}

/* The tables are not those that were planned for the whole fabric, although its cables are there. */
static void tell_plan(ripstop_text *out, const ripstop_sweep *s) {
  if (s->away == 0) return;
  ripstop_text_add(out, "; %" PRIu64 " when planned for the whole fabric; ", s->whole);
  if (s->stuck)
    ripstop_text_add(out, "%" PRIu64 " entries to go, and no safe step is known within the budget", s->away);
  if (s->stuck && s->enough > 0) ripstop_text_add(out, "; budget=%" PRIu64 " gets there", s->enough);
  if (s->stuck) return;
  if (s->more)
    ripstop_text_add(out, "%" PRIu64 " entries to go", s->away);
  else
    ripstop_text_add(out, "budget=%" PRIu64 " gets there", s->away);
}

/* Describes the switches and the file that this manager found when it became master. */
static void tell_take_over(ripstop_text *out, const glue *g, const ripstop_sweep *s) {
  if (!s->taken.over) return;
  if (g->unknown)
    ripstop_text_add(out, "became master; what the switches hold is not known; ");
  else if (s->taken.held == 0)
    ripstop_text_add(out, "became master; switches hold no entries; ");
  else
    ripstop_text_add(out, "became master; switches hold %" PRIu64 " entries%s; ", s->taken.held,
                     s->taken.differs > 0 ? " of another manager" : "");
  if (s->taken.generation == 0)
    ripstop_text_add(out, "no file of tables; ");
  else if (g->unknown || s->taken.held == 0)
    ripstop_text_add(out, "ripstop.tables (generation %" PRIu64 " by %s); ", s->taken.generation, s->taken.writer);
  else
    ripstop_text_add(out, "ripstop.tables (generation %" PRIu64 " by %s) differs in %" PRIu64 " of them; ",
                     s->taken.generation, s->taken.writer, s->taken.differs);
}

/* The loud part of the line: traffic may suffer while the switches are written. */
static const char *danger_of(const glue *g, const ripstop_sweep *s) {
  if (s->taken.over && g->unknown) return "; no order of writes is known to be safe";
  if (!s->unsafe) return "";
  return s->taken.levels_unknown
             ? "; no order of writes is known to be safe, since the service levels in use are not known"
             : "; no order of writes is safe: while old and new tables are both in use, deadlock is possible";
}

/* A number of changes, if what they are counted against is known. */
static void tell_count(char out[24], uint64_t count, bool known) {
  if (known)
    snprintf(out, 24, "%" PRIu64, count);
  else
    snprintf(out, 24, "unknown");
}

static void tell_sweep(const glue *g, const ripstop_sweep *s) {
  ripstop_text plan = {0}, before = {0};
  char planned[32] = "", entries[24], levels[24];
  const char *danger = danger_of(g, s);
  tell_plan(&plan, s);
  tell_take_over(&before, g, s);
  tell_count(entries, s->changed, !g->unknown);
  tell_count(levels, s->levels_changed, !g->unknown && !s->taken.levels_unknown);
  if (s->planned) snprintf(planned, sizeof planned, ", planned %" PRIu64, s->planned);
  osm_log(&g->osm->log, danger[0] != '\0' ? OSM_LOG_ERROR : OSM_LOG_INFO,
          ENGINE
          ": %s%s, %" PRIu64 " pairs, %" PRIu64 " lost, worst link %" PRIu64 " (at least %" PRIu64
          "%s), %s entries and %s service levels changed, %u VLs, %.1f ms (%.1f with reading and judging)%s%s%s\n",
          before.data ? before.data : "", ripstop_sweep_words[s->kind], s->pairs, s->lost, s->worst, s->bound, planned,
          entries, levels, s->lanes, 1e3 * s->table_seconds, 1e3 * s->seconds, s->first ? ", first of two writes" : "",
          danger, plan.data ? plan.data : "");
  ripstop_text_free(&before);
  ripstop_text_free(&plan);
  if (s->notice) osm_log(&g->osm->log, OSM_LOG_ERROR, ENGINE ": %s\n", s->notice);
}

/* Checks that the fabric has so many VLs, and that OpenSM is allowed to configure them. */
static int check_lanes(const glue *g, unsigned wanted, ripstop_error *err) {
  unsigned there = g->osm->subn.min_data_vls;
  if (wanted > 1 && !g->osm->subn.opt.qos)
    return ripstop_fail(err, "lanes=%u needs 'qos TRUE' in opensm.conf (or -Q); without it give lanes=1", wanted);
  if (wanted > there && there > 0)
    return ripstop_fail(err, "lanes=%u, but some port has only %u data VLs: give lanes=%u", wanted, there, there);
  return 0;
}

static int sweep(glue *g, ripstop_sweep *done, ripstop_error *err) {
  ripstop_text text = {0};
  if ((!g->lanes && check_lanes(g, ripstop_planner_lanes(g->planner), err)) || tell_tables(g, err)) return -1;
  tell_fabric(&text, &g->osm->subn);
  int status = text.cut || !text.data ? ripstop_fail(err, "no memory, or no node in the subnet")
                                      : ripstop_planner_sweep(g->planner, text.data, text.length, done, err);
  ripstop_text_free(&text);
  return status;
}

/* The second of two writes has failed: entries that the first removed are missing until one succeeds. */
static void try_again(glue *g) {
  g->again = g->tries++ < TRIES;
  osm_log(&g->osm->log, OSM_LOG_ERROR | OSM_LOG_SYS, ENGINE ": ERR R003: some entries are still missing; %s\n",
          g->again ? "the fabric is swept again at once" : "the next sweep tries again");
}

static int refuse(glue *g, const char *code, const ripstop_error *err) {
  osm_log(&g->osm->log, OSM_LOG_ERROR | OSM_LOG_SYS, ENGINE ": ERR %s: %s; %s\n", code, err->text,
          g->lanes ? "all switches keep the tables that they have" : "NO TABLES by this engine");
  if (!g->lanes) return -1;
  keep_tables(g);
  if (g->between) try_again(g);
  return 0;
}

/* ------------------------------------------------------------------ taking over from another subnet manager
 * OpenSM does not read the tables of switches when it becomes master, although they hold all. So the first sweep
 * requests them and fails on purpose: nothing is written, and the next sweep, which begins when the answers are there,
 * knows them. */

enum { LFT_BLOCK = 64 };

/* Also forgets what OpenSM knows of the table, possibly from an earlier time as master. */
static bool requests_table(const glue *g, osm_switch_t *switch_) {
  osm_physp_t *port = osm_node_get_physp_ptr(switch_->p_node, 0);
  unsigned top = cl_ntoh16(switch_->switch_info.lin_top);
  osm_madw_context_t context = {0};
  context.lft_context.node_guid = osm_node_get_node_guid(switch_->p_node);
  context.lft_context.set_method = FALSE;
  if (switch_->lft) memset(switch_->lft, OSM_NO_PATH, switch_->lft_size);
  for (unsigned block = 0; port && top > 0 && block <= top / LFT_BLOCK; block++)
    if (osm_req_get(&g->osm->sm, osm_physp_get_dr_path_ptr(port), IB_MAD_ATTR_LIN_FWD_TBL, cl_hton32(block), FALSE,
                    port->port_info.m_key, 0, CL_DISP_MSGID_NONE, &context) != IB_SUCCESS)
      return false;
  return port && top > 0;
}

/* The number of switches that have tables and were requested to send them. */
static unsigned request_tables(const glue *g) {
  cl_qmap_t *switches = &g->osm->subn.sw_guid_tbl;
  unsigned count = 0;
  for (cl_map_item_t *item = cl_qmap_head(switches); item != cl_qmap_end(switches); item = cl_qmap_next(item)) {
    osm_switch_t *switch_ = (osm_switch_t *)item;
    count += switch_->p_node && requests_table(g, switch_);
  }
  return count;
}

/* True if some port has a LID of the block. */
static bool is_used(osm_subn_t *subnet, size_t block) {
  size_t lid = block * LFT_BLOCK, end = lid + LFT_BLOCK, size = cl_ptr_vector_get_size(&subnet->port_lid_tbl);
  while (lid < end && lid < size && !cl_ptr_vector_get(&subnet->port_lid_tbl, lid)) lid++;
  return lid < end && lid < size;
}

static bool is_empty(const uint8_t *block) {
  size_t lid = 0;
  while (lid < LFT_BLOCK && block[lid] == OSM_NO_PATH) lid++;
  return lid == LFT_BLOCK;
}

/* True if the switch has a table, and a block of it with LIDs in use is not known: an answer did not come. */
static bool is_silent(const glue *g, const osm_switch_t *switch_) {
  size_t top = cl_ntoh16(switch_->switch_info.lin_top);
  if (top == 0) return false;
  if (!g->osm->no_fallback_routing_engine || !switch_->lft) return true;
  for (size_t block = 0; block <= top / LFT_BLOCK && (block + 1) * LFT_BLOCK <= switch_->lft_size; block++)
    if (is_used(&g->osm->subn, block) && is_empty(switch_->lft + block * LFT_BLOCK)) return true;
  return false;
}

static unsigned count_silent(const glue *g) {
  cl_qmap_t *switches = &g->osm->subn.sw_guid_tbl;
  unsigned count = 0;
  for (cl_map_item_t *item = cl_qmap_head(switches); item != cl_qmap_end(switches); item = cl_qmap_next(item))
    count += is_silent(g, (const osm_switch_t *)item);
  return count;
}

static void forget(glue *g) {
  char writer[48], host[24] = "?";
  gethostname(host, sizeof host);
  host[sizeof host - 1] = '\0';
  snprintf(writer, sizeof writer, "%s 0x%016" PRIx64, host, cl_ntoh64(g->osm->subn.sm_port_guid));
  ripstop_planner_take_over(g->planner, writer);
}

/* True: this sweep only reads the switches. */
static bool take_over(glue *g) {
  if (!g->osm->subn.first_time_master_sweep) return false;
  if (!g->reading) {
    forget(g);
    g->reading = g->osm->no_fallback_routing_engine && request_tables(g) > 0;
    if (g->reading) {
      osm_log(&g->osm->log, OSM_LOG_INFO,
              ENGINE ": became master; reads the switches' tables first, and writes none in this sweep, as intended\n");
      g->osm->subn.force_heavy_sweep = TRUE;
      osm_sm_signal(&g->osm->sm, OSM_SIGNAL_SWEEP);
      return true;
    }
  }
  unsigned silent = count_silent(g);
  g->reading = false;
  g->unknown = silent > 0;
  if (silent > 0)
    osm_log(&g->osm->log, OSM_LOG_ERROR, ENGINE ": %u switches hold tables that are not known%s\n", silent,
            g->osm->no_fallback_routing_engine ? "" : ": 'routing_engine ripstop,no_fallback' lets ripstop read them");
  return false;
}

/* ------------------------------------------------------------------ callbacks of OpenSM */

/* The operator's classes of traffic. Once there are tables, neither a class nor a port with few VLs stops a repair: if
 * a class does not fit beside them, the earlier classes stay, and tables that have to be planned again get no more VLs
 * than these classes and all ports leave. */
static qos_classes find_classes(const glue *g) {
  qos_classes classes = qos_find(&g->osm->subn);
  unsigned most = ripstop_planner_lanes(g->planner);
  ripstop_error err = {0};
  if (g->lanes > 1 && qos_check(&classes, &g->osm->subn, g->lanes, &err)) {
    osm_log(&g->osm->log, OSM_LOG_ERROR | OSM_LOG_SYS,
            ENGINE ": ERR R004: %s; repairs go on with the classes and VLs of before\n", err.text);
    classes = g->classes;
  }
  if (g->lanes > 1 && check_lanes(g, g->lanes, &err))
    osm_log(&g->osm->log, OSM_LOG_ERROR | OSM_LOG_SYS, ENGINE ": ERR R005: %s; repairs go on with the VLs of before\n",
            err.text);
  while (g->lanes > 0 && most > g->lanes &&
         (qos_check(&classes, &g->osm->subn, most, &err) || check_lanes(g, most, &err)))
    most--;
  ripstop_planner_allow(g->planner, most);
  return classes;
}

static int build_lid_matrices(void *context) {
  (void)context;
  return 1; /* OpenSM's own engine, which multicast needs */
}

static int build_tables(void *context) {
  glue *g = context;
  ripstop_error err = {0};
  ripstop_sweep done;
  if (take_over(g)) return -1;
  const qos_classes classes = find_classes(g);
  if (sweep(g, &done, &err)) return refuse(g, "R001", &err);
  if (!g->lanes && qos_check(&classes, &g->osm->subn, done.lanes, &err)) {
    forget(g); /* no switch has its tables */
    return refuse(g, "R004", &err);
  }
  g->lanes = done.lanes;
  g->classes = classes;
  g->again = g->between = done.first;
  g->more = done.more;
  g->tries = 0;
  g->again |= multicast_follow(&g->multicast, &done);
  tell_sweep(g, &done);
  g->unknown = false;
  write_tables(g);
  return 0;
}

static uint8_t path_level(void *context, uint8_t hint, ib_net16_t source, ib_net16_t destination) {
  const glue *g = context;
  if (g->lanes <= 1) return hint;
  return qos_level(&g->classes, g->lanes, hint,
                   ripstop_planner_level(g->planner, cl_ntoh16(source), cl_ntoh16(destination)));
}

static void update_lanes(void *context, osm_physp_t *port, uint8_t in, uint8_t out, ib_slvl_table_t *table) {
  const glue *g = context;
  (void)port;
  (void)in;
  (void)out;
  for (uint8_t level = 0; level < IB_MAX_NUM_VLS && g->lanes > 1; level++) /* with one VL it stays as configured */
    ib_slvl_table_set(table, level, qos_lane(&g->classes, g->lanes, level));
}

static ib_api_status_t build_groups(void *context, osm_mgrp_box_t *box) {
  return multicast_build(&((glue *)context)->multicast, box);
}

static int set_up(osm_routing_engine_t *engine, osm_opensm_t *osm) {
  (void)osm;
  engine->build_lid_matrices = build_lid_matrices;
  engine->ucast_build_fwd_tables = build_tables;
  engine->path_sl = path_level;
  engine->update_sl2vl = update_lanes;
  engine->mcast_build_stree = build_groups;
  return 0;
}

/* Requests the second of two writes when the first is complete at all switches. OpenSM's next sweep would otherwise
 * be a light one, which requests no tables. */
static void report(void *data, osm_epi_event_id_t event, void *details) {
  glue *g = data;
  (void)details;
  if (event == OSM_EVENT_ID_SUBNET_UP || event == OSM_EVENT_ID_HEAVY_SWEEP_DONE) multicast_report(&g->multicast);
  if (event != OSM_EVENT_ID_UCAST_ROUTING_DONE) return;
  if (g->more) g->osm->subn.force_heavy_sweep = TRUE; /* the next one at its regular time */
  if (!g->again) return;
  g->again = false;
  g->osm->subn.force_heavy_sweep = TRUE; /* a re-route would send every block of every table again */
  osm_sm_signal(&g->osm->sm, OSM_SIGNAL_SWEEP);
}

/* ------------------------------------------------------------------ loading and unloading */

/* Reads the operator's options, separated by blanks or commas, and adds the default file if none is given. */
static void read_options(ripstop_text *out, const char *words) {
  const char *folder = getenv("OSM_CACHE_DIR");
  for (const char *c = words ? words : ""; *c; c++) {
    bool between = *c == ' ' || *c == '\t' || *c == ',';
    bool last = out->length == 0 || out->data[out->length - 1] == ',';
    if (!between)
      ripstop_text_add_bytes(out, c, 1);
    else if (!last)
      ripstop_text_add(out, ",");
  }
  if (words && strstr(words, "file=")) return;
  bool last = out->length == 0 || out->data[out->length - 1] == ',';
  ripstop_text_add(out, "%sfile=%s/ripstop.tables", last ? "" : ",", folder ? folder : "/var/cache/opensm");
}

static void destroy(void *data) {
  glue *g = data;
  multicast_free(&g->multicast);
  ripstop_planner_free(g->planner);
  free(g);
}

static void *create(struct osm_opensm *osm) {
  ripstop_error err = {0};
  ripstop_text options = {0};
  glue *g = calloc(1, sizeof *g);
  if (!g) return NULL;
  g->osm = osm;
  read_options(&options, osm->subn.opt.event_plugin_options);
  g->planner = ripstop_planner_open(options.data, &err);
  g->multicast = (multicast){.osm = osm, .planner = g->planner, .classes = &g->classes};
  ripstop_text_free(&options);
  const external_routing_engine_module_t engine = {ENGINE, set_up, g};
  if (g->planner && osm_register_external_routing_engine(osm, &engine, g) == CL_SUCCESS) return g;
  osm_log(&osm->log, OSM_LOG_ERROR | OSM_LOG_SYS, ENGINE ": ERR R002: event_plugin_options: %s; NO routing engine\n",
          g->planner ? "the engine's name is taken" : err.text);
  destroy(g);
  return NULL;
}

extern osm_event_plugin_t osm_event_plugin;
osm_event_plugin_t osm_event_plugin = {
    .osm_version = OSM_VERSION, .create = create, .delete = destroy, .report = report};

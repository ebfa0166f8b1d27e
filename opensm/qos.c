/* qos.c - service levels of the operator beside those of the tables.
 *
 * Tables with one VL need no service level: their order has no cycle under any map of service levels to VLs, so
 * OpenSM's levels and SL2VL tables stay as they are configured. Tables with several VLs need as many for each class of
 * traffic: service level = class * VLs + level of the tables, and each such level is its own VL. Service levels of
 * multicast groups make no class: any host can create a group. */
#define _GNU_SOURCE /* strcasestr */
#include "qos.h"

#include <stdlib.h>
#include <string.h>

#include <opensm/osm_base.h>
#include <opensm/osm_partition.h>
#include <opensm/osm_qos_policy.h>

enum { LEVELS = 16, REMAPPED = 15 }; /* REMAPPED: the first service level without a VL of its own */

static uint16_t used_by_policy(const osm_qos_policy_t *policy) {
  uint16_t used = 0;
  if (!policy) return 0;
  for (cl_list_iterator_t i = cl_list_head(&policy->qos_levels); i != cl_list_end(&policy->qos_levels);
       i = cl_list_next(i)) {
    const osm_qos_level_t *level = cl_list_obj(i);
    if (level && level->sl_set) used |= (uint16_t)(1u << (level->sl % LEVELS));
  }
  return used;
}

qos_classes qos_find(osm_subn_t *subnet) {
  qos_classes c = {.used = 1};
  cl_qmap_t *partitions = &subnet->prtn_pkey_tbl;
  for (cl_map_item_t *i = cl_qmap_head(partitions); i != cl_qmap_end(partitions); i = cl_qmap_next(i))
    c.used |= (uint16_t)(1u << (((const osm_prtn_t *)i)->sl % LEVELS));
  c.used |= used_by_policy(subnet->p_qos_policy);
  for (unsigned level = 0; level < LEVELS; level++) c.count += c.used >> level & 1;
  return c;
}

/* The class of a service level: its rank among those in use. Levels that paths got from here keep their class. */
static unsigned class_of(const qos_classes *c, unsigned lanes, uint8_t level) {
  unsigned rank = 0;
  for (unsigned lower = 0; lower < level; lower++) rank += c->used >> lower & 1;
  if (c->used >> level & 1) return rank;
  return level / lanes < c->count ? level / lanes : 0;
}

uint8_t qos_level(const qos_classes *c, unsigned lanes, uint8_t hint, unsigned level) {
  if (lanes <= 1) return hint;
  return (uint8_t)(class_of(c, lanes, hint % LEVELS) * lanes + level);
}

uint8_t qos_lane(const qos_classes *c, unsigned lanes, uint8_t level) {
  return (uint8_t)(level < c->count * lanes ? level : class_of(c, lanes, level) * lanes);
}

/* ------------------------------------------------------------------ reasons for a refusal, with their lines */

enum { PLACE = 160 };

static bool has_any(const char *line, const char *const *words) {
  bool has = false;
  for (unsigned i = 0; words[i] && !has; i++) has = words[i][0] != '\0' && strcasestr(line, words[i]) != NULL;
  return has;
}

/* "FILE:LINE" of the first line, without a comment, that has `word` and one of `words`; otherwise the file. */
static void find_line(const char *path, const char *word, const char *const *words, char *out) {
  char line[1024];
  unsigned number = 0, found = 0;
  FILE *file = path ? fopen(path, "r") : NULL;
  while (file && !found && fgets(line, sizeof line, file)) {
    number++;
    line[strcspn(line, "#")] = '\0';
    if (strcasestr(line, word) && (!words || has_any(line, words))) found = number;
  }
  if (file) fclose(file);
  if (found)
    snprintf(out, PLACE, "%.140s:%u", path, found);
  else
    snprintf(out, PLACE, "%.140s", path ? path : "its default");
}

/* Describes a used service level beside 0, and its line. */
static void tell_level(osm_subn_t *subnet, char *what, size_t room, char *place) {
  cl_qmap_t *partitions = &subnet->prtn_pkey_tbl;
  for (cl_map_item_t *i = cl_qmap_head(partitions); i != cl_qmap_end(partitions); i = cl_qmap_next(i)) {
    const osm_prtn_t *p = (const osm_prtn_t *)i;
    char full[8], limited[8];
    const char *const names[] = {full, limited, p->name, NULL};
    if (p->sl == 0) continue;
    snprintf(full, sizeof full, "0x%04x", cl_ntoh16(p->pkey) | 0x8000);
    snprintf(limited, sizeof limited, "0x%x", cl_ntoh16(p->pkey) & 0x7FFF);
    snprintf(what, room, "partition %s has SL %u", full, p->sl);
    find_line(subnet->opt.partition_config_file, "sl=", names, place);
    return;
  }
  snprintf(what, room, "a level of the QoS policy has an SL");
  find_line(subnet->opt.qos_policy_file, "sl:", NULL, place);
}

/* The first service level that such a map sends to another VL than its own; LEVELS: none. */
static unsigned first_remapped(const char *map) {
  unsigned level = 0;
  for (const char *at = map; at && level < REMAPPED; level++) {
    char *end;
    if (strtoul(at, &end, 10) != level || end == at) return level;
    at = *end == ',' ? end + 1 : NULL;
  }
  return LEVELS;
}

static int refuse_map(osm_subn_t *subnet, const char *name, const char *map, unsigned lanes, const char *options,
                      ripstop_error *err) {
  char place[PLACE];
  unsigned level = map ? first_remapped(map) : LEVELS;
  if (level == LEVELS) return 0;
  find_line(subnet->opt.config_file, name, NULL, place);
  return ripstop_fail(err,
                      "%s maps SL %u to another VL (%s); the tables need %u VLs and set the map (%s): "
                      "set lanes=1, or remove %s",
                      name, level, place, lanes, options, name);
}

/* Maps of the configuration, which several VLs would override. */
static int check_maps(osm_subn_t *subnet, unsigned lanes, const char *options, ripstop_error *err) {
  const struct {
    const char *name, *map;
  } list[] = {{"qos_sl2vl", subnet->opt.qos_options.sl2vl},
              {"qos_ca_sl2vl", subnet->opt.qos_ca_options.sl2vl},
              {"qos_sw0_sl2vl", subnet->opt.qos_sw0_options.sl2vl},
              {"qos_swe_sl2vl", subnet->opt.qos_swe_options.sl2vl},
              {"qos_rtr_sl2vl", subnet->opt.qos_rtr_options.sl2vl}};
  int status = 0;
  for (unsigned i = 0; i < sizeof list / sizeof *list && !status; i++)
    status = refuse_map(subnet, list[i].name, list[i].map, lanes, options, err);
  return status;
}

int qos_check(const qos_classes *c, osm_subn_t *subnet, unsigned lanes, ripstop_error *err) {
  char what[80] = "", place[PLACE], options[PLACE];
  unsigned vls = subnet->min_data_vls;
  if (lanes <= 1) return 0;
  find_line(subnet->opt.config_file, "event_plugin_options", NULL, options);
  if (check_maps(subnet, lanes, options, err)) return -1;
  if (c->count <= 1 || vls == 0 || c->count * lanes <= vls) return 0;
  tell_level(subnet, what, sizeof what, place);
  return ripstop_fail(err,
                      "%s (%s); this fabric needs %u of %u VLs for each of %u classes (%s): "
                      "set lanes=%u or fewer, or remove sl=",
                      what, place, lanes, vls, c->count, options, vls / c->count > 0 ? vls / c->count : 1);
}

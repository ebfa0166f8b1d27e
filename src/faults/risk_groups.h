/* risk_groups.h - shared risk groups: parts that fail together, such as a line card, a chassis or a bundle of cables.
 */
#ifndef RIPSTOP_FAULTS_RISK_GROUPS_H
#define RIPSTOP_FAULTS_RISK_GROUPS_H

#include "ripstop/plugin/faults.h"

RIPSTOP_BEGIN

typedef struct ripstop_risk_group {
  const char *name, *kind; /* "line card", "chassis", "cables side by side", "group" */
  ripstop_faults parts;
} ripstop_risk_group;

/* The groups of the parts that are up: switches whose descriptions differ only in the chip ("director/L03/U1"),
 * switches with one system GUID, all cables between two switches that have several, and the groups of a graph's file.
 * By kind, then by name. `out` gets *count groups in the arena. */
void ripstop_risk_groups_find(ripstop_arena *arena, const ripstop_view *view, ripstop_risk_group **out,
                              uint32_t *count);
/* One group for each text, which names parts like a fault set, patterns included. `out` gets [count] in the arena; the
 * groups keep the texts. -1: a text names no part of the fabric. */
int ripstop_risk_groups_parse(ripstop_arena *arena, const ripstop_fabric *fabric, const char *const *text,
                              uint32_t count, ripstop_risk_group **out, ripstop_error *err);

RIPSTOP_END

#endif

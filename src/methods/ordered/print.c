/* print.c - prints ordered's messages and routers as text and as JSON. */
#include "methods/ordered/ordered.h"
#include "methods/shared/router_text.h"

/* "3:12.5": 12 steps below its numbering's root, in the numbering of epoch 3, as the fifth there. */
static void add_place(ripstop_text *out, const place *of) {
  ripstop_text_add(out, "%u:%llu.%llu", of->numbering.epoch, (unsigned long long)(of->value / PLACE_STEP),
                   (unsigned long long)(of->value % PLACE_STEP));
}

static void add_distance(ripstop_text *out, const entry *e) {
  if (e->distance == FAR)
    ripstop_text_add(out, "null");
  else
    ripstop_text_add(out, "%u", e->distance);
}

void ripstop_ordered_print(const ripstop_plan *p, const void *message_, ripstop_text *out) {
  const message *m = message_;
  if (m->kind == RANK) {
    ripstop_text_add(out, "rank ");
    add_place(out, &m->place);
    ripstop_text_add(out, ", epoch %u", m->claim.epoch);
    if (m->claim.root) ripstop_text_add(out, ", root "), ripstop_add_router(out, p, m->claim.root - 1);
    ripstop_text_add(out, "%s%s", m->flags & IS_SAFE ? ", safe" : "", m->flags & IS_DEPUTY ? ", deputy" : "");
    return;
  }
  ripstop_text_add(out, "entry ");
  if (m->destination < ripstop_fabric_switches(p->fabric))
    ripstop_add_router(out, p, m->destination);
  else
    ripstop_text_add(out, "any NIC");
  if (m->entry.distance == FAR)
    ripstop_text_add(out, " is gone");
  else
    ripstop_text_add(out, " is %u away%s", m->entry.distance, m->entry.reach ? ", below" : "");
}

/* {"place":"0:3.0","epoch":0,"root":"0.0","up":[1],"down":[0,2],"distances":[0,1,...],"reach":[0,1,...]}: for every
 * router in order the distance (null: none), and whether it is below. */
void ripstop_ordered_json(const ripstop_plan *p, const void *state, ripstop_text *out) {
  const memory *m = state;
  uint32_t routers = ((const tables *)p->data)->routers;
  arrays a = ripstop_ordered_open_memory(p, m->node, state);
  ripstop_text_add(out, "{\"place\":\"");
  add_place(out, &m->own);
  ripstop_text_add(out, "\",\"epoch\":%u,\"root\":", m->claim.epoch);
  if (m->claim.root) {
    ripstop_text_add(out, "\"");
    ripstop_add_router(out, p, m->claim.root - 1);
    ripstop_text_add(out, "\"");
  } else {
    ripstop_text_add(out, "null");
  }
  ripstop_text_add(out, ",\"up\":");
  ripstop_add_ports(out, m->up);
  ripstop_text_add(out, ",\"down\":");
  ripstop_add_ports(out, m->known & ~m->up);
  for (uint32_t to = 0; to < routers; to++) {
    ripstop_text_add(out, to ? "," : ",\"distances\":[");
    add_distance(out, &a.row[to].own);
  }
  for (uint32_t to = 0; to < routers; to++)
    ripstop_text_add(out, "%s%u", to ? "," : "],\"reach\":[", a.row[to].own.reach);
  ripstop_text_add(out, "]}");
}

/* The number of routers with this root. A router without neighbours is its own root. */
static uint32_t count_below(const ripstop_plan *p, const void *const *state, uint32_t root) {
  uint32_t count = 0;
  for (uint32_t v = p->fabric->ends; v < p->fabric->nodes; v++) {
    const memory *m = state[v];
    count += m && m->claim.root == root + 1;
  }
  return count;
}

void ripstop_ordered_report(const ripstop_plan *p, const void *const *state, bool as_json, ripstop_text *out) {
  const char *before = "\"components\":[";
  if (as_json) ripstop_text_add(out, "{");
  for (uint32_t router = 0; router < ripstop_fabric_switches(p->fabric); router++) {
    const memory *m = state[p->fabric->ends + router];
    if (!m || (!is_root(m, router) && m->known)) continue;
    uint32_t count = is_root(m, router) ? count_below(p, state, router) : 1;
    ripstop_text_add(out, as_json ? "%s{\"root\":\"" : "%sroot ", as_json ? before : "");
    ripstop_add_router(out, p, router);
    ripstop_text_add(out, as_json ? "\",\"epoch\":%u,\"routers\":%u}" : ", epoch %u: %u router%s\n", m->claim.epoch,
                     count, count == 1 ? "" : "s");
    before = ",";
  }
  if (as_json) ripstop_text_add(out, "%s]}", *before == '"' ? before : "");
}

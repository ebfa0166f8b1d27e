/* print.c - prints valleys' messages and switches as text and as JSON. */
#include "methods/shared/router_text.h"
#include "methods/valleys/valleys.h"

static const char *const kind_words[] = {[FIXED] = "fixed", [LEVELS_AND_MORE] = "levels", [TREE_AND_MORE] = "tree"};

void ripstop_valleys_print(const ripstop_plan *p, const void *message_, ripstop_text *out) {
  const message *m = message_;
  ripstop_text_add(out, "%s", ripstop_valleys_kinds[m->kind]);
  if (m->kind != LINKS) return;
  ripstop_text_add(out, " ");
  ripstop_add_router(out, p, m->switch_);
  ripstop_text_add(out, " ");
  ripstop_add_ports(out, m->ports);
}

/* {"`frame`":"fixed","agreed":true,"up":[2,3],"turns":[[2,3],[],...],"connected":[1,1,0,...]}: the ports to switches
 * whose links are up; for each input port the ports by which a packet may go on; and the leaves in its component. */
void ripstop_valleys_json(const ripstop_plan *p, const void *state, ripstop_text *out) {
  const memory *m = state;
  const chart *c = chart_of(p);
  arrays a = ripstop_valleys_open_memory(p, m->node, state);
  ripstop_text_add(out, "{\"frame\":\"%s\",\"agreed\":%s,\"up\":", kind_words[m->kind], m->agreed ? "true" : "false");
  ripstop_add_ports(out, m->live);
  for (uint32_t port = 0; port < ports_of(c, m->node - c->fabric->ends); port++) {
    ripstop_text_add(out, port ? "," : ",\"turns\":[");
    ripstop_add_ports(out, a.permitted[port]);
  }
  for (uint32_t leaf = 0; leaf < c->leaves; leaf++)
    ripstop_text_add(out, "%s%u", leaf ? "," : "],\"connected\":[", a.connected[leaf]);
  ripstop_text_add(out, "]}");
}

/* fuzz_sonic.c - any bytes as config_db.json: an error in one line, or cables with two ends and maps that stay in
 * range. */
#include "ethernet.h"
#include "formats/ethernet/sonic_config.h"

static void check(const sonic_classes *s, const cabling *c) {
  for (uint32_t i = 0; i < s->ports; i++) {
    demand(s->port[i].port < c->ports || s->port[i].port == RIPSTOP_NONE);
    demand(s->port[i].node < c->nodes && s->port[i].qos < s->qoses);
  }
  for (uint32_t i = 0; i < s->qoses; i++) {
    for (unsigned d = 0; d < SONIC_DSCPS; d++) demand(s->qos[i].tc_of_dscp[d] < SONIC_TCS);
    for (unsigned t = 0; t < SONIC_TCS; t++) demand(s->qos[i].dscp_of_tc[t] < SONIC_DSCPS);
    for (unsigned p = 0; p < SONIC_PRIORITIES; p++) demand(s->qos[i].group_of_priority[p] < SONIC_PRIORITIES);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  RIPSTOP_LOCAL_ARENA(arena);
  RIPSTOP_LOCAL_TEXT(notes);
  ripstop_error err = {0};
  jt_doc doc = {0};
  cabling c;
  sonic_classes classes;
  ripstop_text_begin(&notes);
  cabling_open(&c, arena);
  sonic_classes_open(&classes, arena, &notes);
  char *text = memcpy(RIPSTOP_ARRAY(arena, size + 1, char), data, size);
  if (jt_read(&doc, arena, "config", text, size, &err) || sonic_config_cables(&c, &doc, "leaf1", &err) ||
      sonic_config_classes(&classes, &c, &doc, 0, &err)) {
    demand_line(&err);
  } else {
    demand_cabling(&c);
    check(&classes, &c);
  }
  cabling_close(&c);
  return 0;
}

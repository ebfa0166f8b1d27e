/* print.c - prints the messages and switches of link-fault-messages as text and as JSON. */

#include "methods/link-fault-messages/link-fault-messages.h"

void ripstop_lfm_print(const ripstop_plan *p, const void *message_, ripstop_text *out) {
  const message *m = message_;
  char name[RIPSTOP_NAME_MAX];
  switch ((message_kind)m->kind) {
  case FACT:
    ripstop_link_name(p->fabric, p->fabric->link_ends + m->fact, name);
    ripstop_text_add(out, "%sULFM %s", m->on ? "" : "withdraw ", name);
    break;
  case LEVEL:
    if (m->level == NO_LEVEL)
      ripstop_text_add(out, "withdraw DLFM");
    else
      ripstop_text_add(out, "DLFM %u", m->level);
    break;
  case SYNC:
    ripstop_text_add(out, "sync");
    break;
  case PROBE:
    ripstop_text_add(out, "probe");
    break;
  case ANSWER:
    ripstop_text_add(out, m->on ? "answer" : "answer: resend");
    break;
  }
}

/* {"table":{"0/2.1":"10"},"ports":{"3":1}}: bits with the highest up port first, as the paper writes entries; the
 * levels of flagged up ports. */
void ripstop_lfm_json(const ripstop_plan *p, const void *state, ripstop_text *out) {
  const shape *s = shape_of(p);
  const memory *m = state;
  uint32_t level = ripstop_tree_level(&s->tree, m->node);
  arrays a = ripstop_lfm_open_memory(s, p->config, level, ripstop_node_ports(p->fabric, m->node), state);
  ripstop_text_add(out, "{\"table\":{");
  for (uint32_t position = 0, printed = 0; position < s->positions[level]; position++) {
    const table_entry *e = ripstop_lfm_find_entry(&a, position);
    char name[RIPSTOP_NAME_MAX];
    if (!e) continue;
    ripstop_node_name(
        p->fabric, s->first[level] + position * s->twins[level] + number_of(s, level, m->node) % s->twins[level], name);
    ripstop_text_add(out, "%s\"%s\":\"", printed++ ? "," : "", name);
    for (uint32_t k = s->half; k-- > 0;) ripstop_text_add(out, "%c", e->bits >> k & 1 ? '1' : '0');
    ripstop_text_add(out, "\"");
  }
  ripstop_text_add(out, "},\"ports\":{");
  for (uint32_t k = 0, printed = 0; k < s->half; k++)
    if (m->flagged >> k & 1) ripstop_text_add(out, "%s\"%u\":%u", printed++ ? "," : "", s->half + k, a.level[k]);
  ripstop_text_add(out, "}}");
}

/* describe.c - descriptions of nodes in quotes. */
#include "faults/describe.h"

#include "base/local.h"
#include "fabric/ib.h"

const char *const *ripstop_describe_nodes(ripstop_arena *arena, const ripstop_fabric *f) {
  const char **text = RIPSTOP_ARRAY(arena, f->nodes, const char *);
  for (uint32_t node = 0; node < f->nodes; node++) text[node] = ripstop_ib_of(f) ? ripstop_ib_description(f, node) : "";
  return text;
}

const char *ripstop_describe_parts(ripstop_arena *arena, const ripstop_fabric *f, const ripstop_faults *parts) {
  RIPSTOP_LOCAL_TEXT(text);
  for (uint32_t i = 0; ripstop_ib_of(f) && i < parts->links; i++) {
    uint32_t a = ripstop_link_node(f, parts->link[i], 0), b = ripstop_link_node(f, parts->link[i], 1);
    ripstop_text_add(&text, "%s'%s' - '%s'", i ? ", " : "", ripstop_ib_description(f, a), ripstop_ib_description(f, b));
  }
  for (uint32_t i = 0; ripstop_ib_of(f) && i < parts->switches; i++)
    ripstop_text_add(&text, "%s'%s'", text.length ? ", " : "", ripstop_ib_description(f, parts->switch_[i]));
  const char *words = ripstop_arena_text(arena, text.data ? text.data : "");
  return words;
}

const char *ripstop_describe_node(ripstop_arena *arena, const ripstop_fabric *f, uint32_t node) {
  return ripstop_describe_parts(arena, f, &(ripstop_faults){.switches = 1, .switch_ = &node});
}

const char *ripstop_describe_link(ripstop_arena *arena, const ripstop_fabric *f, uint32_t link) {
  return ripstop_describe_parts(arena, f, &(ripstop_faults){.links = 1, .link = &link});
}

/* fuzz_routes.c - any bytes as the routes of a switch, twice in one table: an error in one line, or sets that exist. */
#include "ethernet.h"
#include "formats/ethernet/route_table.h"

static void check(const route_table *t) {
  for (uint32_t i = 0; i < t->routes; i++) {
    const route *r = &t->route[i];
    demand(r->kind <= ROUTE_DROPS && (r->set == RIPSTOP_NONE || r->set < t->sets));
    demand(r->kind != ROUTE_FORWARDS || r->set != RIPSTOP_NONE);
    demand(route_table_find(t, &r->prefix) == r && ip_prefix_covers(&r->prefix, &r->prefix));
    demand(i == 0 || ip_prefix_order(&t->route[i - 1].prefix, &r->prefix) < 0);
    demand(i == 0 || !ip_prefix_covers(&r->prefix, &t->route[i - 1].prefix));
  }
  for (uint32_t s = 0; s < t->sets; s++)
    for (uint32_t i = t->set[s].first; i < t->set[s].first + t->set[s].count; i++) {
      demand(i < t->hops && t->hop[i].weight > 0);
      demand(t->hop[i].interface == RIPSTOP_NONE || t->hop[i].interface < t->interfaces);
      demand(t->hop[i].gateway == RIPSTOP_NONE || t->hop[i].gateway < t->gateways);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_error err = {0};
  jt_doc doc = {0};
  route_table table;
  route_table_open(&table, arena);
  char *text = memcpy(RIPSTOP_ARRAY(arena, size + 1, char), data, size);
  if (jt_read(&doc, arena, "routes", text, size, &err)) return demand_line(&err), 0;
  (void)route_table_is(&doc);
  if (route_table_read(&table, &doc, &err) || route_table_sort(&table, "routes", &err)) return demand_line(&err), 0;
  check(&table);
  const uint32_t routes = table.routes, sets = table.sets;
  demand(route_table_read(&table, &doc, &err) == 0 && table.routes == 2 * routes && table.sets == sets);
  demand(!routes == !route_table_sort(&table, "routes", &err));
  return 0;
}

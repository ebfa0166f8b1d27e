/* repairer.c - tables that a method makes in place of older ones: once, or repeatedly while parts fail and return.
 * Methods without state are called again each time. */
#include "tables/repairer.h"

#include <string.h>

#include "base/memory.h"
#include "base/team.h"
#include "ripstop/plugin/method.h"
#include "route/load.h"
#include "tables/addresses.h"

struct ripstop_repairer {
  const ripstop_method *method;
  void *config;
  const ripstop_view *view;
  ripstop_forwarding *old; /* with addresses for all nodes */
  void *repairs;           /* the method's; NULL: it has no state, and */
  ripstop_forwarding *tables;
  uint32_t *address; /* [old->addresses] */
  ripstop_arena *arena;
};

static bool can_repair(const ripstop_method *method, const ripstop_forwarding *old, ripstop_error *err) {
  if (method->repair && forwarding_check_simple(old, "repair", err)) return false;
  if (method->repair && ripstop_forwarding_plain(old)) return true;
  ripstop_fail(err,
               method->repair ? "method %s: the old tables give service levels other VLs than it does (SL2VL)"
                              : "method %s does not repair tables",
               method->name);
  return false;
}

/* For methods without state. */
static ripstop_repairer *open_repairer(const ripstop_view *view, const char *spec, const ripstop_forwarding *old,
                                       ripstop_answer *answer, ripstop_error *err) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_repairer *r = RIPSTOP_NEW(arena, ripstop_repairer);
  *r = (ripstop_repairer){.view = view, .arena = arena};
  r->method = ripstop_method_load(arena, view->fabric, spec, &r->config, answer, err);
  if (r->method && can_repair(r->method, old, err)) {
    r->old = ripstop_forwarding_cover(old);
    return r;
  }
  if (r->method) *answer = RIPSTOP_DOES_NOT_APPLY;
  ripstop_repairer_free(r);
  return NULL;
}

ripstop_repairer *ripstop_repairer_open(const ripstop_view *view, const char *spec, const ripstop_forwarding *old,
                                        ripstop_answer *answer, ripstop_error *err) {
  *answer = RIPSTOP_ERROR;
  RIPSTOP_GUARD(err, NULL);
  ripstop_repairer *r = open_repairer(view, spec, old, answer, err);
  if (!r) return NULL;
  r->address = RIPSTOP_ARRAY(r->arena, r->old->addresses, uint32_t);
  if (r->method->repairs) r->repairs = r->method->repairs->open(r->config, view, r->old, answer, err);
  if (r->repairs || !r->method->repairs) return r;
  ripstop_repairer_free(r);
  return NULL;
}

void ripstop_repairer_free(ripstop_repairer *r) {
  if (!r) return;
  if (r->method && r->repairs) r->method->repairs->close(r->repairs);
  ripstop_forwarding_free(r->tables);
  ripstop_forwarding_free(r->old);
  ripstop_arena_free(r->arena);
}

uint32_t ripstop_forwarding_differ(const ripstop_forwarding *one, const ripstop_forwarding *other, uint32_t *address) {
  const size_t switches = ripstop_fabric_switches(one->fabric);
  uint32_t count = 0;
  for (uint32_t a = 0; a < one->addresses; a++)
    if (memcmp(one->port + a * switches, other->port + a * switches, switches * sizeof *one->port) != 0)
      address[count++] = a;
  return count;
}

ripstop_answer ripstop_repairer_follow(ripstop_repairer *r, ripstop_repaired *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, RIPSTOP_ERROR);
  ripstop_answer answer;
  if (r->repairs) return r->method->repairs->follow(r->repairs, out, err);
  ripstop_forwarding_free(r->tables);
  r->tables = NULL; /* stays NULL when memory runs out */
  ripstop_forwarding *made = r->method->repair(r->config, r->view, r->old, NULL, &answer, err);
  r->tables = made;
  if (made && made->addresses != r->old->addresses) { /* it has no addresses of switches */
    r->tables = ripstop_forwarding_cover(made);
    ripstop_forwarding_free(made);
    if (!r->tables) return ripstop_fail(err, "out of memory"), RIPSTOP_ERROR;
  }
  if (r->tables)
    *out = (ripstop_repaired){.tables = r->tables,
                              .address = r->address,
                              .addresses = ripstop_forwarding_differ(r->old, r->tables, r->address)};
  return answer;
}

ripstop_forwarding *ripstop_plan_repair(const ripstop_view *view, const char *spec, const ripstop_forwarding *old,
                                        double *seconds, ripstop_answer *answer, ripstop_error *err) {
  *answer = RIPSTOP_ERROR;
  RIPSTOP_GUARD(err, NULL);
  ripstop_forwarding *tables = NULL;
  ripstop_repairer *r = open_repairer(view, spec, old, answer, err);
  double begin = ripstop_thread_seconds();
  if (seconds) *seconds = -1;
  if (r) tables = r->method->repair(r->config, view, r->old, seconds, answer, err);
  if (seconds && *seconds < 0) *seconds = ripstop_thread_seconds() - begin;
  ripstop_repairer_free(r);
  return tables;
}

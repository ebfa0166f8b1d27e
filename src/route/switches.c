/* switches.c - finds an organisation of a switch's queues by name, for simulations and for proofs. */
#include "base/registry.h"
#include "ripstop/plugin/switch.h"

static ripstop_plugin switch_at(size_t i) { return RIPSTOP_PLUGIN(ripstop_switches[i]); }
static const ripstop_registry switches = {"switch.queues", RIPSTOP_SWITCH_ABI, switch_at};

const ripstop_switch *ripstop_switch_open(ripstop_arena *arena, const char *spec, void **config, ripstop_error *err) {
  return ripstop_registry_open(&switches, arena, spec, config, err);
}

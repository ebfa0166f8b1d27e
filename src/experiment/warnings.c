/* warnings.c - sentences about settings of a run that are likely to surprise (ripstop_run_warning). They go to standard
 * error or to a campaign's user before the run begins, and change nothing. */
#include <string.h>

#include "base/local.h"
#include "base/memory.h"
#include "experiment/inner_runs.h"
#include "experiment/odometer.h"
#include "experiment/presets.h"
#include "ripstop/plugin/method.h"
#include "ripstop/plugin/selection.h"
#include "ripstop/plugin/switch.h"

static bool is_value(const ripstop_run *run, const char *key, const char *value) {
  const char *own = ripstop_run_key(run, key);
  return own && !strcmp(own, value);
}

static bool warn_of_slow_links(const ripstop_run *run, ripstop_text *out) {
  if (!ripstop_run_has_slow_links(run) || !is_value(run, "switch.slow_queue", "0") ||
      !is_value(run, "switch.out_queue", "0"))
    return false;
  ripstop_text_add(out,
                   "switch.slow_queue = 0: a packet for a slow link holds its input for the link's time, and other "
                   "outputs starve");
  return true;
}

/* Options of the selection function do not make it another one. */
static bool warn_of_selection(const ripstop_run *run, ripstop_text *out) {
  ripstop_error never;
  const ripstop_method *method = ripstop_method_find(run->method, strcspn(run->method, ":"), &never);
  const char *used = ripstop_run_key(run, "switch.selection");
  if (!method || !method->selection || !used) return false;
  const size_t length = strcspn(method->selection, ":");
  if (strcspn(used, ":") == length && !strncmp(used, method->selection, length)) return false;
  ripstop_text_add(out, "switch.selection = %s: %s is made for %s, and without it is another method", used,
                   method->name, method->selection);
  return true;
}

/* The method's preset does not go with what the file says. */
static bool warn_of_preset(const ripstop_run *run, ripstop_text *out) {
  const ripstop_spec *spec = run->product->spec;
  const char *asked = ripstop_run_key_written(run, "switch.preset");
  const ripstop_setting *clash = NULL;
  ripstop_error never;
  if (!asked) return false;
  preset_in_use(spec, run->method, asked, &clash);
  if (!clash) return false;
  const ripstop_method *method = ripstop_method_find(run->method, strcspn(run->method, ":"), &never);
  ripstop_text_add(
      out,
      "switch.queues = %s has no crossbar, so the preset of %s (%s) does not go with it: the other keys of "
      "the switch are those of switch.preset = " RIPSTOP_PRESET,
      clash->text, method->name, ripstop_method_preset(method, run->method));
  return true;
}

/* Methods of one experiment have the switches that they name for themselves, and these differ. */
static bool warn_of_two_presets(const ripstop_run *run, ripstop_text *out) {
  const ripstop_spec *spec = run->product->spec;
  const ripstop_axis *method = ripstop_spec_axis(spec, "method");
  const char *asked = ripstop_run_key_written(run, "switch.preset");
  bool differ = false;
  if (!method || !asked || strcmp(asked, RIPSTOP_OF_METHOD) != 0) return false;
  const char *own = preset_in_use(spec, run->method, asked, NULL);
  for (size_t i = 0; i < method->count && !differ; i++)
    differ = strcmp(own, preset_in_use(spec, method->setting[i].text, asked, NULL)) != 0;
  if (!differ) return false;
  RIPSTOP_LOCAL_TEXT(presets);
  ripstop_spec_own(spec, "switch.preset", &presets);
  ripstop_text_add(out,
                   "the methods of this experiment have different switches: %s; with switch.preset they have the same",
                   presets.data);
  return true;
}

/* No packet waits for space: queues have no bound, or packets without space are lost. */
static bool never_waits(const ripstop_run *run, const ripstop_switch *used) {
  if (!used->memory) return is_value(run, "switch.in_queue", "unlimited");
  return is_value(run, "switch.lossless", "off") || is_value(run, "switch.buffer", "unlimited");
}

static const ripstop_switch *switch_of(ripstop_arena *scratch, const ripstop_run *run) {
  ripstop_error never;
  void *config;
  const char *queues = ripstop_run_key(run, "switch.queues");
  return queues ? ripstop_switch_open(scratch, queues, &config, &never) : NULL;
}

static bool binds(ripstop_arena *scratch, const char *spec) {
  ripstop_error never;
  void *config;
  const ripstop_selection *selection = spec ? ripstop_selection_open(scratch, spec, &config, &never) : NULL;
  return selection && selection->traits && (selection->traits(config) & RIPSTOP_SELECTION_BINDS);
}

/* Methods are proved for switches in which packets wait for any candidate, unless their own selection function binds.
 */
static bool warn_of_binding(const ripstop_run *run, ripstop_text *out) {
  RIPSTOP_LOCAL_ARENA(scratch);
  ripstop_error never;
  const ripstop_method *method = ripstop_method_find(run->method, strcspn(run->method, ":"), &never);
  const ripstop_switch *used = switch_of(scratch, run);
  const char *selection = ripstop_run_key(run, "switch.selection");
  if (!method || !used || used->waits == RIPSTOP_SWITCH_WAITS_ONE || never_waits(run, used)) return false;
  if (!binds(scratch, selection) || binds(scratch, method->selection)) return false;
  ripstop_text_add(out,
                   "switch.selection = %s: a packet waits for one of its candidates of the lowest rank, or those of "
                   "higher ranks; 'ripstop prove %s --method %s --switch selection=%s' says whether packets can wait "
                   "for each other then",
                   selection, run->fabric->spec, run->method, selection);
  return true;
}

/* Switches bind packets when they enter. */
static bool warn_of_waiting(const ripstop_run *run, ripstop_text *out) {
  RIPSTOP_LOCAL_ARENA(scratch);
  const ripstop_switch *used = switch_of(scratch, run);
  if (!used || used->waits != RIPSTOP_SWITCH_WAITS_ONE || never_waits(run, used)) return false;
  ripstop_text_add(out,
                   "switch.queues = %s: a packet waits for one candidate alone; 'ripstop prove %s --method %s --switch "
                   "queues=%s' says whether packets can wait for each other then",
                   used->name, run->fabric->spec, run->method, used->name);
  return true;
}

static bool is_flow(const ripstop_run *run) { return is_value(run, "flow.model", "flow"); }

/* Flows finish where packets may wait for each other. The method's promise is known without a proof. */
static bool warn_of_deadlock(const ripstop_run *run, ripstop_text *out) {
  RIPSTOP_LOCAL_ARENA(scratch);
  ripstop_error never;
  ripstop_guarantees promised = {0};
  void *config;
  const ripstop_method *method = ripstop_method_find(run->method, strcspn(run->method, ":"), &never);
  const char *options = strchr(run->method, ':');
  if (!method || !method->guarantees) return false;
  config = ripstop_arena_array(scratch, 1, method->config_size + 1);
  if (ripstop_options_parse(scratch, "method", method->options, config, options ? options + 1 : "", &never))
    return false;
  method->guarantees(run->fabric, config, &promised);
  if (promised.deadlock_free) return false;
  ripstop_text_add(out,
                   "model: flow: method %s does not promise freedom from deadlock here, and flows finish where packets "
                   "deadlock; 'ripstop prove %s --method %s' decides",
                   method->name, run->fabric->spec, run->method);
  return true;
}

static bool warn_of_paths(const ripstop_run *run, ripstop_text *out) {
  if (is_value(run, "flow.paths", "adaptive"))
    ripstop_text_add(out, "flow.paths = adaptive: shares follow the capacity of links, not the load of other flows");
  else if (is_value(run, "flow.paths", "spray") && ripstop_run_has_slow_links(run))
    ripstop_text_add(
        out, "flow.paths = spray: shares do not avoid slow links, as packets partly do; flow.paths = adaptive is "
             "the bound on the other side");
  return out->length > 0;
}

/* The warning with this number. The flow model has no queues to warn of. */
static bool find_warning(const ripstop_run *run, uint32_t number, ripstop_text *out) {
  static bool (*const of_flow[])(const ripstop_run *run, ripstop_text *out) = {warn_of_deadlock, warn_of_paths};
  static bool (*const warnings[])(const ripstop_run *run, ripstop_text *out) = {
      warn_of_selection, warn_of_slow_links, warn_of_preset, warn_of_two_presets, warn_of_waiting, warn_of_binding};
  const bool flow = is_flow(run);
  for (size_t i = 0; i < (flow ? sizeof of_flow / sizeof *of_flow : sizeof warnings / sizeof *warnings); i++) {
    if ((flow ? of_flow : warnings)[i](run, out) && number-- == 0) return true;
    out->length = 0;
  }
  return false;
}

bool ripstop_run_warning(const ripstop_run *run, uint32_t number, ripstop_text *out) {
  out->length = 0;
  ripstop_text_begin(out); /* it is the caller's */
  RIPSTOP_GUARD(NULL, false);
  return find_warning(run, number, out);
}

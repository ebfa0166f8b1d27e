/* axes.c - the keys of an experiment's file as axes: which values each takes, in a form that equal values share.
 *
 * Nothing about switches, traffic or measuring is written here: names, ranges and defaults are those of the option
 * arrays. Values that need an open fabric have no canonical text yet. */
#include "experiment/axes.h"
#include "experiment/presets.h"

#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "experiment/units.h"
#include "ripstop/plugin/plan.h"
#include "workload/workload_run.h"

typedef union any_config {
  ripstop_faults_config faults;
  ripstop_program_config program;
  ripstop_workload_config workload;
  ripstop_prove_config prove;
  ripstop_switch_config switch_;
  ripstop_traffic_config traffic;
  ripstop_measure_config measure;
  ripstop_reconfiguration_config reconfiguration;
  ripstop_fluid_config fluid;
} any_config;

static units units_of(const reader *r) { return (units){r->spec->arena, &r->spec->scale, &r->spec->notes}; }

static int canonical_option(const reader *r, const axis_kind *kind, const char *text, ripstop_setting *out,
                            ripstop_error *err) {
  any_config config;
  memset(&config, 0, sizeof config);
  const units u = units_of(r);
  const char *plain = units_option(&u, kind->owner, kind->option->name, text, err);
  if (!plain) return -1;
  if (ripstop_options_set(r->spec->arena, kind->owner, kind->options, &config, kind->option->name, plain, err))
    return strcmp(plain, text) ? ripstop_fail_at(err, "%s is %s", text, plain) : -1;
  RIPSTOP_LOCAL_TEXT(printed);
  ripstop_options_print_value(&printed, kind->option, &config);
  out->text = ripstop_arena_text(r->spec->arena, printed.data ? printed.data : "");
  return 0;
}

int axis_method(const reader *r, const axis_kind *kind, const char *text, ripstop_setting *out, ripstop_error *err) {
  (void)kind;
  const units u = units_of(r);
  if (!(text = units_spec(&u, "method", text, err))) return -1;
  return ripstop_method_beside(r->spec->arena, text, r->spec->file, &out->text, &out->opens, err);
}

static int canonical_kernel(const reader *r, const axis_kind *kind, const char *text, ripstop_setting *out,
                            ripstop_error *err) {
  (void)kind;
  return ripstop_kernel_canonical(r->spec->arena, text, &out->text, err);
}

static int canonical_jobs(const reader *r, const axis_kind *kind, const char *text, ripstop_setting *out,
                          ripstop_error *err) {
  (void)kind;
  const units u = units_of(r);
  if (!(text = units_jobs(&u, text, err))) return -1;
  return ripstop_workload_beside(r->spec->arena, text, r->spec->file, &out->text, &out->opens, err);
}

static int canonical_load(const reader *r, const axis_kind *kind, const char *text, ripstop_setting *out,
                          ripstop_error *err) {
  static const char *const words[] = {AXIS_SATURATION, NULL};
  bool word = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z');
  out->text = AXIS_SATURATION;
  if (!strcmp(text, AXIS_SATURATION)) return 0;
  const char *near = word ? ripstop_nearest_word(text, words) : NULL;
  if (near) return ripstop_fail(err, "traffic.load '%s' is unknown; did you mean '%s'?", text, near);
  return canonical_option(r, kind, text, out, err);
}

int axis_number(const reader *r, const axis_kind *kind, const char *text, ripstop_setting *out, ripstop_error *err) {
  (void)kind;
  uint64_t number;
  if (ripstop_parse_u64(text, UINT64_MAX, &number, err)) return -1;
  out->text = ripstop_arena_printf(r->spec->arena, "%llu", (unsigned long long)number);
  return 0;
}

int axis_later(const reader *r, const axis_kind *kind, const char *text, ripstop_setting *out, ripstop_error *err) {
  (void)r, (void)kind, (void)text, (void)err;
  out->text = NULL;
  return 0;
}

static int read_setting(const reader *r, const char *key, const axis_kind *kind, const yaml_node *node,
                        ripstop_setting *out) {
  ripstop_error why;
  if (reader_value(r, node, key)) return -1;
  *out = (ripstop_setting){.written = node->text, .line = node->line};
  if (kind->canonical(r, kind, node->text, out, &why)) {
    bool names_itself = kind->option || kind->canonical == axis_method;
    return reader_pass(r, node->line, &why, names_itself ? "" : key);
  }
  return 0;
}

/* By what tells them apart, then by place. */
static int by_known(const void *a, const void *b) {
  const ripstop_setting *one = *(const ripstop_setting *const *)a, *two = *(const ripstop_setting *const *)b;
  int order = strcmp(reader_known(one), reader_known(two));
  return order ? order : (one > two) - (one < two);
}

/* Two that are written differently may turn out to be the same fabric: the expansion looks again. */
static int check_different(const reader *r, const char *key, const ripstop_setting *setting, size_t count) {
  const ripstop_setting **sorted = RIPSTOP_ARRAY(r->spec->arena, count, const ripstop_setting *), *first = NULL;
  for (size_t i = 0; i < count; i++) sorted[i] = &setting[i];
  qsort(sorted, count, sizeof(void *), by_known);
  for (size_t i = 1; i < count; i++)
    if (!strcmp(reader_known(sorted[i - 1]), reader_known(sorted[i])) && (!first || sorted[i] < first))
      first = sorted[i];
  return first ? reader_fail(r, first->line, "%s: '%s' stands in the list twice", key, first->written) : 0;
}

static int by_written(const void *a, const void *b) {
  return strcmp((*(const ripstop_setting *const *)a)->written, (*(const ripstop_setting *const *)b)->written);
}

static const ripstop_setting **sort_written(const reader *r, const ripstop_setting *setting, size_t count) {
  const ripstop_setting **sorted = RIPSTOP_ARRAY(r->spec->arena, count, const ripstop_setting *);
  for (size_t i = 0; i < count; i++) sorted[i] = &setting[i];
  qsort(sorted, count, sizeof(void *), by_written);
  return sorted;
}

const ripstop_setting *axis_find(const ripstop_setting *const *sorted, size_t count, const char *written) {
  const ripstop_setting wanted = {.written = written}, *key = &wanted;
  const ripstop_setting *const *found = sorted ? bsearch(&key, sorted, count, sizeof(void *), by_written) : NULL;
  return found ? *found : NULL;
}

static bool takes_numbers(const axis_kind *kind) {
  if (!kind->option) return kind->canonical == axis_number;
  return kind->option->type == RIPSTOP_OPTION_INTEGER || kind->option->type == RIPSTOP_OPTION_REAL;
}

static int read_settings(const reader *r, const char *key, const axis_kind *kind, const yaml_node *node,
                         ripstop_setting **out, size_t *count) {
  const yaml_node *item;
  if (reader_items(r, node, key, takes_numbers(kind), &item, count)) return -1;
  *out = RIPSTOP_ARRAY(r->spec->arena, *count, ripstop_setting);
  for (size_t i = 0; i < *count; i++)
    if (read_setting(r, key, kind, &item[i], &(*out)[i])) return -1;
  return check_different(r, key, *out, *count);
}

/* The value of `quick:` or --set that replaces the file's, if any; read even where it does not apply. */
static int replace(const reader *r, const axis_kind *kind, const yaml_node *node, bool applies, ripstop_axis *axis) {
  ripstop_setting *setting = NULL;
  size_t count = 0;
  if (!node) return 0;
  if (read_settings(r, axis->key, kind, node, &setting, &count)) return -1;
  if (!applies) return 0;
  axis->setting = setting, axis->count = count;
  axis->by_written = sort_written(r, setting, count);
  return 0;
}

/* NULL: the file has none of that name; "measure.precision" is one in another. */
static const yaml_node *find_section(const yaml_node *root, const char *section) {
  const char *dot = strchr(section, '.');
  char outer[32];
  if (!dot) return yaml_get(root, section);
  snprintf(outer, sizeof outer, "%.*s", (int)(dot - section), section);
  return yaml_get(yaml_get(root, outer), dot + 1);
}

/* One key: what the file says, its default otherwise; and what is said in its place. */
int axis_add(const reader *r, const yaml_node *root, const char *section, const char *name, const axis_kind *kind) {
  const yaml_node *map = section ? find_section(root, section) : root;
  const yaml_node *node = yaml_get(map, name);
  ripstop_axis *axis = &r->spec->axis[r->spec->axes++];
  axis->key = section ? ripstop_arena_printf(r->spec->arena, "%s.%s", section, name) : name;
  axis->of_fabric = kind->of_fabric;
  if (node) {
    if (read_settings(r, axis->key, kind, node, &axis->full, &axis->full_count)) return -1;
  } else if (kind->fallback) {
    ripstop_error why;
    axis->full = RIPSTOP_NEW(r->spec->arena, ripstop_setting), axis->full_count = 1;
    axis->full->written = kind->fallback;
    if (kind->canonical(r, kind, kind->fallback, axis->full, &why)) return reader_pass(r, 1, &why, "");
  } else {
    return reader_fail(r, map ? map->line : 1, "%s must be given", axis->key);
  }
  axis->full_by_written = sort_written(r, axis->full, axis->full_count);
  axis->setting = axis->full, axis->count = axis->full_count, axis->by_written = axis->full_by_written;
  return replace(r, kind, yaml_get(yaml_get(root, "quick"), axis->key), r->variant->quick, axis) ||
                 replace(r, kind, yaml_get(r->set, axis->key), true, axis)
             ? -1
             : 0;
}

size_t axis_options(const ripstop_option *options) {
  size_t count = 0;
  while (options[count].name) count++;
  return count;
}

static const char *default_of(const reader *r, const axis_kind *kind) {
  ripstop_setting setting = {0};
  ripstop_error never;
  return kind->canonical(r, kind, kind->option->fallback, &setting, &never) ? NULL : setting.text;
}

axis_kind axis_of_option(const char *section, const ripstop_option *options, const ripstop_option *option) {
  axis_kind kind = {.canonical = canonical_option,
                    .owner = section,
                    .options = options,
                    .option = option,
                    .fallback = option->fallback};
  if (options == ripstop_traffic_options && !strcmp(option->name, "load")) kind.canonical = canonical_load;
  if (options == ripstop_program_options && !strcmp(option->name, "kernel")) kind.canonical = canonical_kernel;
  if (options == ripstop_workload_options && !strcmp(option->name, "jobs")) kind.canonical = canonical_jobs;
  return kind;
}

static bool is_preset(const axis_kind *kind) {
  return kind->options == ripstop_switch_options && !strcmp(kind->option->name, "preset");
}

/* The file, --quick or --set gives the axis a value. Defaults have no line. */
static bool is_given(const ripstop_axis *axis) { return axis->setting->line != 0; }

/* Names of runs leave out the option's own default, whatever a preset says. */
int axis_add_option(const reader *r, const yaml_node *root, const axis_kind *kind) {
  if (axis_add(r, root, kind->owner, kind->option->name, kind)) return -1;
  ripstop_axis *axis = &r->spec->axis[r->spec->axes - 1];
  if (kind->option->later) axis->silent = default_of(r, kind);
  if (kind->options != ripstop_switch_options) return 0;
  if (is_preset(kind)) return preset_check(r, kind->options, axis);
  if (!is_given(axis)) preset_fill(r, kind, axis);
  return 0;
}

/* Beside jobs random packets have no transport: those keys are for other experiments. */
static bool is_known(const reader *r, const ripstop_option *options, const ripstop_option *option) {
  return r->spec->kind != RIPSTOP_RUN_WORKLOAD || options != ripstop_traffic_options ||
         option->offset < offsetof(ripstop_traffic_config, transport);
}

int axis_check_section(const reader *r, const yaml_node *map, const char *section, const ripstop_option *options) {
  size_t count = 0;
  const char **words = RIPSTOP_ARRAY(r->spec->arena, axis_options(options) + 2, const char *);
  for (const ripstop_option *option = options; option->name; option++)
    if (is_known(r, options, option)) words[count++] = option->name;
  if (options == ripstop_measure_options && r->spec->kind == RIPSTOP_RUN_SIMULATE) words[count] = "precision";
  return map ? reader_map(r, map, section, words) : 0;
}

int axis_add_section(const reader *r, const yaml_node *root, const char *section, const ripstop_option *options) {
  if (axis_check_section(r, find_section(root, section), section, options)) return -1;
  for (const ripstop_option *option = options; option->name; option++) {
    if (!is_known(r, options, option)) continue;
    axis_kind kind = axis_of_option(section, options, option);
    if (r->spec->kind == RIPSTOP_RUN_WORKLOAD && kind.canonical == canonical_load) /* beside jobs it may be none */
      kind.canonical = canonical_option, kind.fallback = "0";
    if (axis_add_option(r, root, &kind)) return -1;
  }
  return 0;
}

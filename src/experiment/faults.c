/* faults.c - the section `faults:`: its keys, and what may stand beside what.
 *
 * The keys are an option array like those of `switch:` and `measure:`. All but `file` and `samples` are axes. Names of
 * parts mean something in one fabric only, so sets and schedules are read when it is open (cases.c). */
#include <string.h>

#include "base/registry_names.h"
#include "experiment/axes.h"

const ripstop_option ripstop_faults_options[] = {
    RIPSTOP_INTEGER(ripstop_faults_config, count, 0, UINT32_MAX - 1, "0",
                    "parts that have failed from the start, picked at random"),
    RIPSTOP_TEXT(ripstop_faults_config, set, "", "given parts instead: links and switch:NAME, blank-separated"),
    RIPSTOP_TEXT(ripstop_faults_config, file, "",
                 "given sets from a file beside the experiment, a set a line, or from a list of files"),
    RIPSTOP_TEXT(ripstop_faults_config, scope, "switch-links",
                 "what may fail, of a count: switch-links, all-links, switches, a group of the fabric ('ripstop fabric "
                 "SPEC' lists them) or a pattern of names"),
    RIPSTOP_TEXT(ripstop_faults_config, schedule, "",
                 "what fails and is repaired while it runs: words, a file of them, or a process that draws them "
                 "(" RIPSTOP_PROCESS_NAMES ")"),
    RIPSTOP_WORD(ripstop_faults_config, keep, ripstop_keep_words, "all",
                 "which random sets are kept; new ones replace the others", .later = true),
    RIPSTOP_TEXT(ripstop_faults_config, samples, "1", "fault sets for each count: N, 'all', or 'all up to N'"),
    {0}};

static const ripstop_option *option_of(const char *name) {
  const ripstop_option *option = ripstop_faults_options;
  while (strcmp(option->name, name)) option++;
  return option;
}

/* ------------------------------------------------------------------ samples */

typedef struct samples {
  int64_t number;
  bool all_up_to;
} samples;

static int read_samples(const reader *r, const yaml_node *node, samples *out) {
  static const char up_to[] = "all up to ";
  ripstop_error why;
  uint64_t number;
  if (reader_value(r, node, FAULTS_SAMPLES)) return -1;
  *out = (samples){.number = RIPSTOP_SAMPLES_ALL, .all_up_to = !strncmp(node->text, up_to, sizeof up_to - 1)};
  if (!strcmp(node->text, "all")) return 0;
  const char *digits = node->text + (out->all_up_to ? sizeof up_to - 1 : 0);
  if (ripstop_parse_u64(digits, RIPSTOP_RUNS_MAX, &number, &why) || number == 0)
    return reader_fail(r, node->line, "%s must be N, 'all up to N' or 'all', N from 1 to %u, not '%s'", FAULTS_SAMPLES,
                       RIPSTOP_RUNS_MAX, node->text);
  out->number = (int64_t)number;
  return 0;
}

static int add_samples(const reader *r, const yaml_node *map, const yaml_node *quick, bool given) {
  const yaml_node fallback = {.kind = YAML_VALUE, .line = 1, .text = option_of("samples")->fallback};
  const yaml_node *node = yaml_get(map, "samples"), *fewer = yaml_get(quick, FAULTS_SAMPLES);
  const yaml_node *set = yaml_get(r->set, FAULTS_SAMPLES);
  samples chosen, small;
  if (read_samples(r, node ? node : &fallback, &chosen)) return -1;
  if (fewer && read_samples(r, fewer, &small)) return -1;
  if (fewer && r->variant->quick) chosen = small;
  if (set && read_samples(r, set, &chosen)) return -1;
  bool all = chosen.number == RIPSTOP_SAMPLES_ALL || chosen.all_up_to;
  if (map && given && all) return reader_fail(r, map->line, "%s: 'all' goes with faults.count only", FAULTS_SAMPLES);
  const ripstop_axis *keep = ripstop_spec_axis(r->spec, "faults.keep");
  for (size_t i = 0; i < keep->count; i++)
    if (strcmp(keep->setting[i].text, keep->silent) && all)
      return reader_fail(r, keep->setting[i].line, "faults.keep goes with a number of samples, as sets are drawn");
  r->spec->samples = chosen.number, r->spec->all_up_to = chosen.all_up_to;
  return 0;
}

/* ------------------------------------------------------------------ --set */

/* The keys that name failed parts, and those that need a count. */
static const char *const sources[] = {"faults.count", "faults.set", "faults.file"};
static const char *const of_count[] = {"faults.scope", "faults.keep"};
enum { SOURCES = sizeof sources / sizeof *sources, OF_COUNT = sizeof of_count / sizeof *of_count };

/* "count" of "faults.count" */
static const char *own_name(const char *key) { return key + strlen("faults."); }

static bool is_one_of(const char *const *keys, size_t count, const char *prefix, const char *name) {
  const size_t skip = strlen("faults.") - strlen(prefix);
  for (size_t i = 0; i < count; i++)
    if (!strcmp(keys[i] + skip, name)) return true;
  return false;
}

/* The map without the keys of a source and of a count, which have this prefix there, and with room for more. */
static yaml_node without_sources(const reader *r, const yaml_node *map, const char *prefix) {
  yaml_node out = map ? *map : (yaml_node){.kind = YAML_MAP, .line = -1};
  yaml_node *key = RIPSTOP_ARRAY(r->spec->arena, out.count + SOURCES, yaml_node);
  yaml_node *item = RIPSTOP_ARRAY(r->spec->arena, out.count + SOURCES, yaml_node);
  out.count = 0, out.key = key, out.item = item;
  for (size_t i = 0; map && i < map->count; i++) {
    const char *name = map->key[i].text;
    if (is_one_of(sources, SOURCES, prefix, name) || is_one_of(of_count, OF_COUNT, prefix, name)) continue;
    key[out.count] = map->key[i], item[out.count++] = map->item[i];
  }
  return out;
}

/* True if --set names other sources than the file, of which nothing can stay then. */
static bool has_other_source(const reader *r, const yaml_node *map) {
  const bool given = yaml_get(map, "set") || yaml_get(map, "file");
  return yaml_get(r->set, "faults.file") || (yaml_get(r->set, "faults.set") && !yaml_get(map, "set")) ||
         (yaml_get(r->set, "faults.count") && given);
}

/* `faults:` with the sources of --set in place of its own. */
static yaml_node with_sources(const reader *r, const yaml_node *map) {
  yaml_node out = without_sources(r, map, "");
  for (size_t i = 0; i < r->set->count; i++) {
    const char *name = r->set->key[i].text;
    if (!is_one_of(sources, SOURCES, "faults.", name)) continue;
    yaml_node *key = (yaml_node *)&out.key[out.count], *item = (yaml_node *)&out.item[out.count++];
    *key = r->set->key[i], *item = r->set->item[i];
    key->text = own_name(name);
  }
  return out;
}

/* The experiment as if the file had named the sources of --set. */
static const yaml_node *replaced(const reader *r, const yaml_node *root) {
  const yaml_node *map = yaml_get(root, "faults"), *quick = yaml_get(root, "quick");
  if ((map && map->kind != YAML_MAP) || !has_other_source(r, map)) return root;
  yaml_node *out = RIPSTOP_NEW(r->spec->arena, yaml_node);
  yaml_node *key = RIPSTOP_ARRAY(r->spec->arena, root->count + 1, yaml_node);
  yaml_node *item = RIPSTOP_ARRAY(r->spec->arena, root->count + 1, yaml_node);
  *out = *root, out->key = key, out->item = item;
  for (size_t i = 0; i < root->count; i++) {
    const yaml_node *old = &root->item[i];
    key[i] = root->key[i];
    item[i] = old == map                                ? with_sources(r, map)
              : old == quick && quick->kind == YAML_MAP ? without_sources(r, quick, "faults.")
                                                        : *old;
  }
  if (map) return out;
  key[out->count] = (yaml_node){.line = -1, .text = "faults"};
  item[out->count++] = with_sources(r, NULL);
  return out;
}

/* ------------------------------------------------------------------ the section */

/* `quick:` or --set must replace `faults:` by the same sort. */
static int check_replaced(const reader *r, const yaml_node *map, const yaml_node *instead, const char *who) {
  const yaml_node *count = yaml_get(instead, "faults.count"), *set = yaml_get(instead, "faults.set");
  bool given = yaml_get(map, "set") || yaml_get(map, "file");
  if (count && given)
    return reader_fail(r, count->line, "%sfaults.count does not go with the sets that 'faults' gives", who);
  if (set && !yaml_get(map, "set")) return reader_fail(r, set->line, "%sfaults.set needs a faults.set to replace", who);
  for (size_t i = 0; given && i < OF_COUNT; i++)
    if (yaml_get(instead, of_count[i]))
      return reader_fail(r, yaml_get(instead, of_count[i])->line, "%s%s goes with faults.count only", who, of_count[i]);
  return 0;
}

/* Failed parts come from counts (random sets), from sets or from a file of sets: one of the three. */
static int check_sources(const reader *r, const yaml_node *map, const yaml_node *quick) {
  int line = map ? map->line : 1;
  const yaml_node *count = yaml_get(map, "count"), *set = yaml_get(map, "set"), *file = yaml_get(map, "file");
  if (!!count + !!set + !!file > 1)
    return reader_fail(r, line, "faults: only one of count, set and file can name the failed parts");
  for (size_t i = 0; (set || file) && i < OF_COUNT; i++)
    if (yaml_get(map, own_name(of_count[i])))
      return reader_fail(r, line, "faults: %s goes with count only", own_name(of_count[i]));
  return check_replaced(r, map, quick, "quick: ") || check_replaced(r, map, r->set, "") ? -1 : 0;
}

static int canonical_scope(const reader *r, const axis_kind *kind, const char *text, ripstop_setting *out,
                           ripstop_error *err) {
  (void)r, (void)kind, (void)err;
  out->text = ripstop_scope_canonical(text);
  return 0;
}

/* Given sets determine the count, and random ones have no set yet. */
static int add_key(const reader *r, const yaml_node *root, const char *name, bool known) {
  axis_kind kind = axis_of_option("faults", ripstop_faults_options, option_of(name));
  kind.of_fabric = true;
  if (kind.option->type == RIPSTOP_OPTION_TEXT) kind.canonical = strcmp(name, "scope") ? axis_later : canonical_scope;
  if (known) return axis_add_option(r, root, &kind);
  r->spec->axis[r->spec->axes++] =
      (ripstop_axis){.key = ripstop_arena_printf(r->spec->arena, "faults.%s", name), .of_fabric = true};
  return 0;
}

/* One file, or a list of them. */
static int read_files(const reader *r, const yaml_node *node) {
  const yaml_node *item;
  size_t count;
  if (reader_items(r, node, "faults.file", false, &item, &count)) return -1;
  struct ripstop_faults_file *file = RIPSTOP_ARRAY(r->spec->arena, count, struct ripstop_faults_file);
  for (size_t i = 0; i < count; i++) {
    if (reader_value(r, &item[i], "faults.file")) return -1;
    file[i] = (struct ripstop_faults_file){.path = item[i].text, .line = item[i].line};
    for (size_t k = 0; k < i; k++)
      if (!strcmp(file[k].path, file[i].path))
        return reader_fail(r, item[i].line, "faults.file: '%s' is in the list twice", file[i].path);
  }
  r->spec->faults_file = file, r->spec->faults_files = count;
  return 0;
}

int reader_faults(const reader *r, const yaml_node *file_root) {
  const yaml_node *root = replaced(r, file_root);
  const yaml_node *map = yaml_get(root, "faults"), *quick = yaml_get(root, "quick");
  if (axis_check_section(r, map, "faults", ripstop_faults_options) || check_sources(r, map, quick)) return -1;
  const yaml_node *set = yaml_get(map, "set"), *file = yaml_get(map, "file");
  if (add_key(r, root, "count", !set && !file) || add_key(r, root, "set", set) || add_key(r, root, "scope", true) ||
      add_key(r, root, "schedule", true) || add_key(r, root, "keep", true))
    return -1;
  if (file && read_files(r, file)) return -1;
  return add_samples(r, map, quick, set || file);
}

int reader_faults_of_proof(const reader *r, const yaml_node *root) {
  static const char *const strange[] = {"faults.set", "faults.file", "faults.schedule", "faults.samples",
                                        "faults.keep"};
  for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
    const yaml_node *node = yaml_get(yaml_get(root, "faults"), strange[i] + strlen("faults."));
    if (!node) node = yaml_get(yaml_get(root, "quick"), strange[i]);
    if (!node) node = yaml_get(r->set, strange[i]);
    if (node)
      return reader_fail(r, node->line, "%s does not go with prove, which draws prove.sets sets of each count",
                         strange[i]);
  }
  return 0;
}

/* spec.c - an experiment's file as axes, figures and claims.
 *
 * Nothing about switches, traffic or measuring is written here: the keys, ranges and defaults are those of the
 * simulator's own option arrays. Fabrics are opened later (expand.c), so reading a file costs next to nothing.
 *
 * Invariant: every axis has its canonical texts, but for the fabrics'; equal values never stand twice. */
#include <stdlib.h>
#include <string.h>

#include "experiment/reader.h"
#include "ripstop/plan.h"

/* ------------------------------------------------------------------ axes */

/* A key that becomes an axis, and how its values are made canonical. */
typedef struct axis_kind axis_kind;
struct axis_kind {
  int (*canonical)(const reader *r, const axis_kind *kind, const char *text, const char **out, ripstop_error *err);
  const char *owner;             /* options: "traffic" */
  const ripstop_option *options; /* options: the array, and the one of it */
  const ripstop_option *option;
  const char *const *words; /* canonical_word */
  const char *fallback;     /* NULL: must be given */
};

typedef union any_config {
  ripstop_program_config program;
  ripstop_prove_config prove;
  ripstop_switch_config switch_;
  ripstop_traffic_config traffic;
  ripstop_measure_config measure;
  ripstop_reaction_config reaction;
} any_config;

static int canonical_option(const reader *r, const axis_kind *kind, const char *text, const char **out,
                            ripstop_error *err) {
  any_config config;
  memset(&config, 0, sizeof config);
  if (ripstop_options_set(r->spec->arena, kind->owner, kind->options, &config, kind->option->name, text, err))
    return -1;
  ripstop_text printed = {0};
  ripstop_options_print_value(&printed, kind->option, &config);
  *out = ripstop_arena_text(r->spec->arena, printed.data ? printed.data : "");
  ripstop_text_free(&printed);
  return 0;
}

static int canonical_method(const reader *r, const axis_kind *kind, const char *text, const char **out,
                            ripstop_error *err) {
  (void)kind;
  return ripstop_method_canonical(r->spec->arena, text, out, err);
}

static int canonical_kernel(const reader *r, const axis_kind *kind, const char *text, const char **out,
                            ripstop_error *err) {
  (void)kind;
  return ripstop_kernel_canonical(r->spec->arena, text, out, err);
}

static int canonical_number(const reader *r, const axis_kind *kind, const char *text, const char **out,
                            ripstop_error *err) {
  uint64_t number, max = kind->owner ? UINT32_MAX - 1 : UINT64_MAX; /* a count of parts, or a seed */
  if (ripstop_parse_u64(text, max, &number, err)) return -1;
  *out = ripstop_arena_printf(r->spec->arena, "%llu", (unsigned long long)number);
  return 0;
}

/* One of kind->words; the first is the default. */
static int canonical_word(const reader *r, const axis_kind *kind, const char *text, const char **out,
                          ripstop_error *err) {
  (void)r;
  for (size_t i = 0; kind->words[i]; i++)
    if (!strcmp(text, kind->words[i])) {
      *out = kind->words[i];
      return 0;
    }
  const char *near = ripstop_nearest_word(text, kind->words);
  return ripstop_fail(err, "'%s' is unknown; %s'%s'%s", text, near ? "did you mean " : "the default is ",
                      near ? near : kind->words[0], near ? "?" : "");
}

/* Names of links need a fabric: as written until then. */
static int canonical_later(const reader *r, const axis_kind *kind, const char *text, const char **out,
                           ripstop_error *err) {
  (void)r, (void)kind, (void)err;
  *out = text;
  return 0;
}

static int read_setting(const reader *r, const char *key, const axis_kind *kind, const yaml_node *node,
                        ripstop_setting *out) {
  ripstop_error why;
  if (reader_value(r, node, key)) return -1;
  *out = (ripstop_setting){.written = node->text, .line = node->line};
  if (kind->canonical(r, kind, node->text, &out->text, &why)) {
    bool names_itself = kind->option || kind->canonical == canonical_method;
    return reader_fail(r, node->line, "%s%s%s", names_itself ? "" : key, names_itself ? "" : ": ", why.text);
  }
  return 0;
}

static int check_different(const reader *r, const char *key, const ripstop_setting *setting, size_t count) {
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < i; j++)
      if (!strcmp(setting[i].text, setting[j].text))
        return reader_fail(r, setting[i].line, "%s: '%s' stands in the list twice", key, setting[i].written);
  return 0;
}

static int read_settings(const reader *r, const char *key, const axis_kind *kind, const yaml_node *node,
                         ripstop_setting **out, size_t *count) {
  *count = node->kind == YAML_LIST ? node->count : 1;
  if (!*count) return reader_fail(r, node->line, "%s: the list is empty", key);
  if (*count > READER_LIST_MAX)
    return reader_fail(r, node->line, "%s: the list has more than %d values", key, READER_LIST_MAX);
  *out = RIPSTOP_ARRAY(r->spec->arena, *count, ripstop_setting);
  for (size_t i = 0; i < *count; i++)
    if (read_setting(r, key, kind, node->kind == YAML_LIST ? &node->item[i] : node, &(*out)[i])) return -1;
  return check_different(r, key, *out, *count);
}

/* One key: what the file says, its default otherwise; and what `quick:` says in its place. */
static int add_axis(const reader *r, const yaml_node *root, const char *section, const char *name,
                    const axis_kind *kind) {
  const yaml_node *map = section ? yaml_get(root, section) : root;
  const yaml_node *node = yaml_get(map, name);
  ripstop_axis *axis = &r->spec->axis[r->spec->axes++];
  axis->key = section ? ripstop_arena_printf(r->spec->arena, "%s.%s", section, name) : name;
  if (node) {
    if (read_settings(r, axis->key, kind, node, &axis->full, &axis->full_count)) return -1;
  } else if (kind->fallback) {
    ripstop_error why;
    axis->full = RIPSTOP_NEW(r->spec->arena, ripstop_setting), axis->full_count = 1;
    axis->full->written = kind->fallback;
    if (kind->canonical(r, kind, kind->fallback, &axis->full->text, &why)) return reader_fail(r, 1, "%s", why.text);
  } else {
    return reader_fail(r, map ? map->line : 1, "%s must be given", axis->key);
  }
  axis->setting = axis->full, axis->count = axis->full_count;
  const yaml_node *quick = yaml_get(yaml_get(root, "quick"), axis->key);
  if (!quick) return 0;
  ripstop_setting *setting = NULL;
  size_t count = 0;
  if (read_settings(r, axis->key, kind, quick, &setting, &count)) return -1;
  if (r->spec->quick) axis->setting = setting, axis->count = count;
  return 0;
}

/* An axis whose values only the fault sets can tell. */
static void add_unknown_axis(const reader *r, const char *key) { r->spec->axis[r->spec->axes++].key = key; }

static size_t option_count(const ripstop_option *options) {
  size_t count = 0;
  while (options[count].name) count++;
  return count;
}

static const char *default_of(const reader *r, const axis_kind *kind) {
  const char *text = NULL;
  ripstop_error never;
  return kind->canonical(r, kind, kind->fallback, &text, &never) ? NULL : text;
}

static int add_options(const reader *r, const yaml_node *root, const char *section, const ripstop_option *options) {
  size_t count = option_count(options);
  const char **words = RIPSTOP_ARRAY(r->spec->arena, count + 1, const char *);
  for (size_t i = 0; i < count; i++) words[i] = options[i].name;
  const yaml_node *map = yaml_get(root, section);
  if (map && reader_map(r, map, section, words)) return -1;
  for (size_t i = 0; i < count; i++) {
    axis_kind kind = {.canonical = canonical_option,
                      .owner = section,
                      .options = options,
                      .option = &options[i],
                      .fallback = options[i].fallback};
    if (options == ripstop_program_options && !strcmp(options[i].name, "kernel")) kind.canonical = canonical_kernel;
    if (add_axis(r, root, section, options[i].name, &kind)) return -1;
    if (options[i].later) r->spec->axis[r->spec->axes - 1].silent = default_of(r, &kind);
  }
  return 0;
}

/* ------------------------------------------------------------------ faults */

static const char *const fault_words[] = {"count", "set", "file", "scope", "keep", "samples", "schedule", NULL};

typedef struct samples {
  int64_t number;
  bool all_up_to;
} samples;

static int read_samples(const reader *r, const yaml_node *node, samples *out) {
  static const char up_to[] = "all up to ";
  ripstop_error why;
  uint64_t number;
  if (reader_value(r, node, "faults.samples")) return -1;
  *out = (samples){.number = RIPSTOP_SAMPLES_ALL, .all_up_to = !strncmp(node->text, up_to, sizeof up_to - 1)};
  if (!strcmp(node->text, "all")) return 0;
  const char *digits = node->text + (out->all_up_to ? sizeof up_to - 1 : 0);
  if (ripstop_parse_u64(digits, RIPSTOP_RUNS_MAX, &number, &why) || number == 0)
    return reader_fail(r, node->line, "faults.samples must be N, 'all up to N' or 'all', N from 1 to %u, not '%s'",
                       RIPSTOP_RUNS_MAX, node->text);
  out->number = (int64_t)number;
  return 0;
}

static int add_samples(const reader *r, const yaml_node *map, const yaml_node *quick, bool given) {
  const yaml_node *node = yaml_get(map, "samples"), *fewer = yaml_get(quick, "faults.samples");
  samples full = {.number = r->spec->samples}, small = full;
  if (node && read_samples(r, node, &full)) return -1;
  if (fewer && read_samples(r, fewer, &small)) return -1;
  samples chosen = fewer && r->spec->quick ? small : full;
  if (map && given && (chosen.number == RIPSTOP_SAMPLES_ALL || chosen.all_up_to))
    return reader_fail(r, map->line, "faults.samples: 'all' goes with faults.count only");
  const ripstop_axis *keep = ripstop_spec_axis(r->spec, "faults.keep");
  for (size_t i = 0; i < keep->count; i++)
    if (strcmp(keep->setting[i].text, keep->silent) && (chosen.number == RIPSTOP_SAMPLES_ALL || chosen.all_up_to))
      return reader_fail(r, keep->setting[i].line, "faults.keep goes with a number of samples, as sets are drawn");
  r->spec->samples = chosen.number, r->spec->all_up_to = chosen.all_up_to;
  return 0;
}

/* The dead parts come from counts (drawn), from sets or from a file of sets: one of the three. */
static int add_faults(const reader *r, const yaml_node *root) {
  const yaml_node *map = yaml_get(root, "faults"), *quick = yaml_get(root, "quick");
  if (map && reader_map(r, map, "faults", fault_words)) return -1;
  int line = map ? map->line : 1;
  const yaml_node *count = yaml_get(map, "count"), *set = yaml_get(map, "set"), *file = yaml_get(map, "file");
  if (!!count + !!set + !!file > 1)
    return reader_fail(r, line, "faults: only one of count, set and file can say what is dead");
  const yaml_node *quick_count = yaml_get(quick, "faults.count"), *quick_set = yaml_get(quick, "faults.set");
  if (quick_count && (set || file))
    return reader_fail(r, quick_count->line, "quick: faults.count does not go with the sets that 'faults' gives");
  static const char *const of_count[] = {"scope", "keep"};
  for (size_t i = 0; (set || file) && i < sizeof of_count / sizeof *of_count; i++)
    if (yaml_get(map, of_count[i]) || yaml_get(quick, ripstop_arena_printf(r->spec->arena, "faults.%s", of_count[i])))
      return reader_fail(r, line, "faults: %s goes with count only", of_count[i]);
  if (quick_set && !set) return reader_fail(r, quick_set->line, "quick: faults.set needs a faults.set to replace");

  axis_kind number = {.canonical = canonical_number, .owner = "count", .fallback = "0"};
  axis_kind names = {.canonical = canonical_later, .fallback = ""};
  axis_kind scope = {
      .canonical = canonical_word, .words = ripstop_fault_scope_words, .fallback = ripstop_fault_scope_words[0]};
  axis_kind keep = {
      .canonical = canonical_word, .words = ripstop_keep_words, .fallback = ripstop_keep_words[RIPSTOP_KEEP_ALL]};
  if (set || file)
    add_unknown_axis(r, "faults.count");
  else if (add_axis(r, root, "faults", "count", &number))
    return -1;
  if (!set)
    add_unknown_axis(r, "faults.set");
  else if (add_axis(r, root, "faults", "set", &names))
    return -1;
  if (add_axis(r, root, "faults", "scope", &scope) || add_axis(r, root, "faults", "schedule", &names)) return -1;
  if (add_axis(r, root, "faults", "keep", &keep)) return -1;
  r->spec->axis[r->spec->axes - 1].silent = keep.fallback;

  if (file) {
    if (reader_value(r, file, "faults.file")) return -1;
    r->spec->faults_file = file->text, r->spec->faults_line = file->line;
  }
  return add_samples(r, map, quick, set || file);
}

/* ------------------------------------------------------------------ the file */

static const char *const root_words[] = {"title",  "about",  "fabric",  "method",     "faults", "traffic", "program",
                                         "prove",  "switch", "measure", "reaction",   "seed",   "quick",   "figures",
                                         "tables", "claims", "only",    "agreements", NULL};

static int check_quick(const reader *r, const yaml_node *quick) {
  if (!quick) return 0;
  const char **words = RIPSTOP_ARRAY(r->spec->arena, r->spec->axes + 2, const char *);
  for (size_t i = 0; i < r->spec->axes; i++) words[i] = r->spec->axis[i].key;
  words[r->spec->axes] = "faults.samples";
  return reader_map(r, quick, "quick", words);
}

typedef struct section {
  const char *name;
  const ripstop_option *options;
} section;

/* What runs of a kind have options of. */
static const section sections[][5] = {[RIPSTOP_RUN_SIMULATE] = {{"traffic", ripstop_traffic_options},
                                                                {"switch", ripstop_switch_options},
                                                                {"measure", ripstop_measure_options},
                                                                {"reaction", ripstop_reaction_options}},
                                      [RIPSTOP_RUN_PROGRAM] = {{"program", ripstop_program_options},
                                                               {"switch", ripstop_switch_options},
                                                               {"measure", ripstop_measure_options},
                                                               {"reaction", ripstop_reaction_options}},
                                      [RIPSTOP_RUN_PROVE] = {{"prove", ripstop_prove_options}}};

/* A proof draws its own sets, and nothing moves in it. */
static int check_proof(const reader *r, const yaml_node *root) {
  static const char *const strange[] = {"traffic", "program", "switch", "measure", "reaction"};
  static const char *const strange_faults[] = {"set", "file", "schedule", "samples", "keep"};
  for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
    const yaml_node *node = yaml_get(root, strange[i]);
    if (node) return reader_fail(r, node->line, "%s says nothing of a proof; leave it out or prove", strange[i]);
  }
  const yaml_node *faults = yaml_get(root, "faults");
  for (size_t i = 0; i < sizeof strange_faults / sizeof *strange_faults; i++) {
    const yaml_node *node = yaml_get(faults, strange_faults[i]);
    if (node)
      return reader_fail(r, node->line, "faults.%s does not go with prove, which draws prove.sets sets of each count",
                         strange_faults[i]);
  }
  return 0;
}

static int find_kind(const reader *r, const yaml_node *root) {
  const yaml_node *program = yaml_get(root, "program");
  if (yaml_get(root, "prove")) {
    r->spec->kind = RIPSTOP_RUN_PROVE;
    return check_proof(r, root);
  }
  if (program && yaml_get(root, "traffic"))
    return reader_fail(r, program->line, "either traffic or a program: end nodes play one of the two");
  r->spec->kind = program ? RIPSTOP_RUN_PROGRAM : RIPSTOP_RUN_SIMULATE;
  return 0;
}

static int read_axes(const reader *r, const yaml_node *root) {
  if (find_kind(r, root)) return -1;
  const section *own = sections[r->spec->kind];
  size_t most = 8; /* fabric, method, five of faults, seed */
  for (size_t i = 0; own[i].name; i++) most += option_count(own[i].options);
  r->spec->axis = RIPSTOP_ARRAY(r->spec->arena, most, ripstop_axis);

  axis_kind fabric = {.canonical = canonical_later}, method = {.canonical = canonical_method};
  axis_kind seed = {.canonical = canonical_number, .fallback = "1"};
  if (add_axis(r, root, NULL, "fabric", &fabric) || add_axis(r, root, NULL, "method", &method)) return -1;
  if (add_faults(r, root)) return -1;
  for (size_t i = 0; own[i].name; i++)
    if (add_options(r, root, own[i].name, own[i].options)) return -1;
  if (add_axis(r, root, NULL, "seed", &seed)) return -1;
  return check_quick(r, yaml_get(root, "quick"));
}

/* Which of the product's runs are done. Fabrics and faults are no part of it: their values are known later. */
static int read_only(const reader *r, const yaml_node *list) {
  if (!list) return 0;
  if (list->kind != YAML_LIST) return reader_fail(r, list->line, "only must be a list, each item starting with '- '");
  ripstop_part *part = RIPSTOP_ARRAY(r->spec->arena, list->count + 1, ripstop_part);
  r->spec->part = part;
  for (size_t i = 0; i < list->count; i++, r->spec->parts++) {
    if (reader_filters(r, &list->item[i], "only", false, &part[i].filter, &part[i].filters)) return -1;
    for (size_t f = 0; f < part[i].filters; f++)
      if (!reader_is_free(part[i].filter[f].key))
        return reader_fail(r, list->item[i].line, "only: %s cannot be fixed here", part[i].filter[f].key);
  }
  return 0;
}

static int read_root(reader *r, const yaml_node *root) {
  if (reader_map(r, root, "an experiment", root_words)) return -1;
  if (reader_text(r, root, "title", &r->spec->title) || reader_text(r, root, "about", &r->spec->about)) return -1;
  if (read_axes(r, root) || read_only(r, yaml_get(root, "only"))) return -1;
  if (reader_figures(r, yaml_get(root, "figures"), yaml_get(root, "tables"))) return -1;
  if (reader_claims(r, yaml_get(root, "claims"))) return -1;
  return reader_agreements(r, yaml_get(root, "agreements"));
}

ripstop_spec *ripstop_spec_read_memory(const char *name, const char *bytes, size_t length, bool quick,
                                       ripstop_error *err) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_spec *spec = RIPSTOP_NEW(arena, ripstop_spec);
  spec->arena = arena;
  spec->file = spec->title = ripstop_arena_text(arena, name);
  spec->about = "";
  spec->quick = quick;
  spec->samples = 1;
  char *source = RIPSTOP_ARRAY(arena, length + 1, char);
  if (length) memcpy(source, bytes, length);
  spec->source = source;
  reader r = {.spec = spec, .err = err};
  yaml_node root;
  if (yaml_read(arena, name, bytes, length, &root, err) || read_root(&r, &root)) {
    ripstop_spec_free(spec);
    return NULL;
  }
  return spec;
}

ripstop_spec *ripstop_spec_read(const char *path, bool quick, ripstop_error *err) {
  ripstop_arena *arena = ripstop_arena_new();
  char *bytes;
  size_t length;
  ripstop_spec *spec = NULL;
  if (!ripstop_read_file(arena, path, YAML_BYTES_MAX, &bytes, &length, err))
    spec = ripstop_spec_read_memory(path, bytes, length, quick, err);
  ripstop_arena_free(arena);
  return spec;
}

void ripstop_spec_free(ripstop_spec *spec) {
  if (spec) ripstop_arena_free(spec->arena);
}

const ripstop_axis *ripstop_spec_axis(const ripstop_spec *spec, const char *key) {
  for (size_t i = 0; i < spec->axes; i++)
    if (!strcmp(spec->axis[i].key, key)) return &spec->axis[i];
  return NULL;
}

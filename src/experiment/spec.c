/* spec.c - an experiment's file as axes, figures and claims.
 *
 * Fabrics are opened later (expand.c), so reading a file costs next to nothing.
 *
 * Invariant: every axis has its canonical texts, except those that need an open fabric; equal values never stand
 * twice. A spec does not change once it is read. */
#include <string.h>

#include "base/memory.h"
#include "experiment/axes.h"
#include "experiment/units.h"

static const char *const root_words[] = {
    "title",      "about",   "fabric",   "method", "faults",  "traffic", "program", "workload", "prove",  "link",
    "switch",     "measure", "reaction", "seed",   "quick",   "figures", "panels",  "tables",   "claims", "only",
    "agreements", "papers",  "paper",    "place",  "reading", "store",   "flow",    "model",    NULL};

/* `workload: JOBS` is short for `workload: {jobs: JOBS}`. */
static yaml_node unfold(ripstop_arena *arena, yaml_node root) {
  yaml_node *item = RIPSTOP_ARRAY(arena, root.count + 1, yaml_node);
  for (size_t i = 0; i < root.count; i++) {
    item[i] = root.item[i];
    if (strcmp(root.key[i].text, "workload") != 0 || item[i].kind == YAML_MAP) continue;
    yaml_node *key = RIPSTOP_NEW(arena, yaml_node), *jobs = RIPSTOP_NEW(arena, yaml_node);
    *key = (yaml_node){.line = item[i].line, .text = "jobs"};
    *jobs = item[i];
    item[i] = (yaml_node){.kind = YAML_MAP, .line = jobs->line, .count = 1, .item = jobs, .key = key};
  }
  root.item = item;
  return root;
}

/* A map with room for one item more than `like` has, and as yet without items. */
typedef struct new_map {
  yaml_node *key, *item;
  size_t count;
} new_map;

static new_map map_like(ripstop_arena *arena, const yaml_node *like) {
  const size_t room = (like ? like->count : 0) + 1;
  return (new_map){RIPSTOP_ARRAY(arena, room, yaml_node), RIPSTOP_ARRAY(arena, room, yaml_node), 0};
}

static void put(new_map *map, yaml_node key, const yaml_node *item) {
  map->key[map->count] = key;
  map->item[map->count++] = *item;
}

/* `model: flow` is short for `flow: {model: flow}`: the name `model` is that of a key of stored runs already. */
static yaml_node unfold_model(ripstop_arena *arena, yaml_node root) {
  const yaml_node *model = yaml_get(&root, "model"), *flow = yaml_get(&root, "flow");
  if (!model || (flow && flow->kind != YAML_MAP)) return root;
  new_map inner = map_like(arena, flow), outer = map_like(arena, &root);
  for (size_t i = 0; flow && i < flow->count; i++) put(&inner, flow->key[i], &flow->item[i]);
  put(&inner, (yaml_node){.line = model->line, .text = "model"}, model);
  const yaml_node whole = {
      .kind = YAML_MAP, .line = model->line, .count = inner.count, .item = inner.item, .key = inner.key};
  for (size_t i = 0; i < root.count; i++)
    if (&root.item[i] != model && &root.item[i] != flow) put(&outer, root.key[i], &root.item[i]);
  put(&outer, (yaml_node){.line = model->line, .text = "flow"}, &whole);
  root.item = outer.item, root.key = outer.key, root.count = outer.count;
  return root;
}

static int check_quick(const reader *r, const yaml_node *quick) {
  return quick ? reader_map(r, quick, "quick", reader_replaceable(r)) : 0;
}

typedef struct section {
  const char *name;
  const ripstop_option *options;
} section;

/* The sections with options of each kind of run. */
static const section sections[][7] = {[RIPSTOP_RUN_SIMULATE] = {{"traffic", ripstop_traffic_options},
                                                                {"switch", ripstop_switch_options},
                                                                {"measure", ripstop_measure_options},
                                                                {"measure.precision", ripstop_precision_options},
                                                                {"reaction", ripstop_reconfiguration_options}},
                                      [RIPSTOP_RUN_PROGRAM] = {{"program", ripstop_program_options},
                                                               {"switch", ripstop_switch_options},
                                                               {"measure", ripstop_measure_options},
                                                               {"reaction", ripstop_reconfiguration_options}},
                                      [RIPSTOP_RUN_PROVE] = {{"prove", ripstop_prove_options}},
                                      [RIPSTOP_RUN_WORKLOAD] = {{"workload", ripstop_workload_options},
                                                                {"flow", ripstop_fluid_options},
                                                                {"traffic", ripstop_traffic_options},
                                                                {"switch", ripstop_switch_options},
                                                                {"measure", ripstop_measure_options},
                                                                {"reaction", ripstop_reconfiguration_options}}};

/* The length of the section's name if the section has the key; 0: it has not. */
static size_t home_in(const section *own, const char *key) {
  const char *inner = strchr(own->name, '.');
  if (inner && !strcmp(inner + 1, key)) return (size_t)(inner - own->name);
  for (const ripstop_option *o = own->options; o->name; o++)
    if (!strcmp(o->name, key)) return strlen(own->name);
  return 0;
}

/* Which section the file has says what runs it is of. */
static ripstop_run_kind kind_of(const yaml_node *root) {
  return yaml_get(root, "prove")      ? RIPSTOP_RUN_PROVE
         : yaml_get(root, "program")  ? RIPSTOP_RUN_PROGRAM
         : yaml_get(root, "workload") ? RIPSTOP_RUN_WORKLOAD
                                      : RIPSTOP_RUN_SIMULATE;
}

static bool has_key(const section *own, const char *key) {
  const size_t length = strlen(own->name);
  if (strncmp(key, own->name, length) != 0 || key[length] != '.') return false;
  for (const ripstop_option *o = own->options; o->name; o++)
    if (!strcmp(o->name, key + length + 1)) return true;
  return false;
}

/* The first kind of runs that have the key. */
static bool find_kind_with(const char *key, size_t *kind) {
  for (*kind = 0; *kind < sizeof sections / sizeof *sections; ++*kind)
    for (const section *own = sections[*kind]; own->name; own++)
      if (has_key(own, key)) return true;
  return false;
}

int reader_no_key(const reader *r, const yaml_node *key, const char *const *words) {
  static const char *const says[] = {[RIPSTOP_RUN_SIMULATE] = "traffic",
                                     [RIPSTOP_RUN_PROGRAM] = "program",
                                     [RIPSTOP_RUN_PROVE] = "prove",
                                     [RIPSTOP_RUN_WORKLOAD] = "workload"};
  size_t kind;
  if (!find_kind_with(key->text, &kind)) return reader_unknown(r, key->line, "key", key->text, words);
  return reader_fail(r, key->line, "key '%s' goes with '%s:', and this experiment has '%s:' instead", key->text,
                     says[kind], says[r->spec->kind]);
}

static int check_home(const reader *r, const yaml_node *key, const section *own) {
  for (; own->name; own++) {
    size_t home = home_in(own, key->text);
    if (home)
      return reader_fail(r, key->line, "key '%s' is unknown here; it belongs into '%.*s'", key->text, (int)home,
                         own->name);
  }
  return 0;
}

/* A key that stands beside the sections and belongs into one: of the file's own kind of runs if it can. */
static int check_loose_key(const reader *r, const yaml_node *root, const yaml_node *key) {
  const size_t kinds = sizeof sections / sizeof *sections, first = kind_of(root);
  static const section link[] = {{"link", ripstop_link_options}, {0}};
  for (size_t i = 0; i < kinds; i++)
    if (check_home(r, key, sections[(first + i) % kinds])) return -1;
  if (check_home(r, key, link)) return -1;
  return reader_unknown(r, key->line, "key", key->text, root_words);
}

static int check_root_keys(const reader *r, const yaml_node *root) {
  for (size_t i = 0; root->kind == YAML_MAP && i < root->count; i++)
    if (!reader_is_word(root->key[i].text, root_words)) return check_loose_key(r, root, &root->key[i]);
  return reader_map(r, root, "an experiment", root_words);
}

static const yaml_node *find_of_proof(const reader *r, const yaml_node *root, const char *key) {
  const yaml_node *node = yaml_get(yaml_get(root, "prove"), key + strlen("prove."));
  if (!node) node = yaml_get(yaml_get(root, "quick"), key);
  return node ? node : yaml_get(r->set, key);
}

static bool some_run_has_other(const reader *r, const char *key, const char *than) {
  const ripstop_axis *axis = ripstop_spec_axis(r->spec, key);
  for (size_t i = 0; axis && i < axis->count; i++)
    if (strcmp(axis->setting[i].text, than) != 0) return true;
  return false;
}

/* Rare sets are sampled by delivery; transient states decide something else. */
static int check_decisions(const reader *r, const yaml_node *root) {
  static const struct {
    const char *key, *usual, *other, *other_usual;
  } pairs[] = {{"prove.mixtures", "off", "prove.rare", "0"},
               {"prove.decide", "delivery", "prove.rare", "0"},
               {"prove.decide", "delivery", "prove.mixtures", "off"}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (some_run_has_other(r, pairs[i].key, pairs[i].usual) &&
        some_run_has_other(r, pairs[i].other, pairs[i].other_usual))
      return reader_fail(r, find_of_proof(r, root, pairs[i].key)->line, "%s and %s exclude each other", pairs[i].key,
                         pairs[i].other);
  return 0;
}

/* A proof draws its own sets, and nothing moves in it. */
static int check_proof(const reader *r, const yaml_node *root) {
  static const char *const strange[] = {"traffic", "program", "workload", "link", "switch", "measure", "reaction"};
  for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
    const yaml_node *node = yaml_get(root, strange[i]);
    if (node) return reader_fail(r, node->line, "%s says nothing of a proof; leave it out or prove", strange[i]);
  }
  return reader_faults_of_proof(r, root);
}

/* End nodes do one of these; those without a job may send packets. */
static int find_kind(const reader *r, const yaml_node *root) {
  r->spec->kind = kind_of(root);
  if (r->spec->kind == RIPSTOP_RUN_PROVE) return check_proof(r, root);
  if (r->spec->kind == RIPSTOP_RUN_PROGRAM && (yaml_get(root, "traffic") || yaml_get(root, "workload")))
    return reader_fail(r, yaml_get(root, "program")->line,
                       "either traffic, a workload or a program: end nodes do one of them");
  return 0;
}

/* Costs of a static reconfiguration would mean nothing without it. */
static int check_stops(const reader *r, const yaml_node *root) {
  static const char *const of_stops[] = {"drain", "detect", "recompute", "resume"};
  const ripstop_axis *model = ripstop_spec_axis(r->spec, "reaction.model");
  for (size_t i = 0; model && i < model->full_count; i++)
    if (!strcmp(model->full[i].text, "static")) return 0;
  for (size_t i = 0; model && i < model->count; i++)
    if (!strcmp(model->setting[i].text, "static")) return 0;
  for (size_t i = 0; model && i < sizeof of_stops / sizeof *of_stops; i++) {
    char key[32];
    snprintf(key, sizeof key, "reaction.%s", of_stops[i]);
    const yaml_node *own = yaml_get(yaml_get(root, "reaction"), of_stops[i]), *set = yaml_get(r->set, key);
    if (own || set)
      return reader_fail(r, own ? own->line : set->line, "%s says nothing without reaction.model=static", key);
  }
  return 0;
}

/* Keys of `flow:` would mean nothing if all runs have packets. */
static int check_flow(const reader *r, const yaml_node *root) {
  const yaml_node *own = yaml_get(root, "flow");
  if (r->spec->kind != RIPSTOP_RUN_WORKLOAD)
    return own ? reader_fail(r, own->line, "model and flow need 'workload:': other runs have packets") : 0;
  if (some_run_has_other(r, "flow.model", ripstop_model_words[RIPSTOP_MODEL_PACKET])) return 0;
  for (const ripstop_option *o = ripstop_fluid_options; o->name; o++) {
    const char *key = ripstop_arena_printf(r->spec->arena, "flow.%s", o->name);
    const yaml_node *given = yaml_get(own, o->name), *set = yaml_get(r->set, key);
    if (strcmp(o->name, "model") != 0 && (given || set))
      return reader_fail(r, (set ? set : given)->line, "%s says nothing without model: flow", key);
  }
  return 0;
}

static int check_messages(const reader *r, const yaml_node *root) {
  static const char key[] = "measure.messages";
  if (!some_run_has_other(r, key, "off") ||
      some_run_has_other(r, "flow.model", ripstop_model_words[RIPSTOP_MODEL_PACKET]))
    return 0;
  const yaml_node *given = yaml_get(r->set, key);
  if (!given) given = yaml_get(yaml_get(root, "quick"), key);
  if (!given) given = yaml_get(yaml_get(root, "measure"), "messages");
  return reader_fail(r, given->line, "%s says nothing without model: flow", key);
}

static int read_axes(const reader *r, const yaml_node *root) {
  if (find_kind(r, root)) return -1;
  const section *own = sections[r->spec->kind];
  size_t most = 3 + axis_options(ripstop_faults_options); /* fabric, method, seed */
  for (size_t i = 0; own[i].name; i++) most += axis_options(own[i].options);
  r->spec->axis = RIPSTOP_ARRAY(r->spec->arena, most, ripstop_axis);

  axis_kind fabric = {.canonical = axis_later, .of_fabric = true}, method = {.canonical = axis_method};
  axis_kind seed = {.canonical = axis_number, .fallback = "1"};
  if (axis_add(r, root, NULL, "fabric", &fabric) || axis_add(r, root, NULL, "method", &method)) return -1;
  if (reader_faults(r, root)) return -1;
  for (size_t i = 0; own[i].name; i++)
    if (axis_add_section(r, root, own[i].name, own[i].options)) return -1;
  if (check_decisions(r, root) || check_stops(r, root) || check_flow(r, root) || check_messages(r, root) ||
      units_queues(r))
    return -1;
  if (axis_add(r, root, NULL, "seed", &seed) || reader_precision(r)) return -1;
  return check_quick(r, yaml_get(root, "quick")) || reader_check_variant(r) ? -1 : 0;
}

/* Which of the product's runs are done. Fabrics and faults are no part of it: their values are known later. */
static int read_only(const reader *r, const yaml_node *list) {
  if (!list) return 0;
  if (reader_list(r, list, "only")) return -1;
  ripstop_part *part = RIPSTOP_ARRAY(r->spec->arena, list->count + 1, ripstop_part);
  r->spec->part = part;
  for (size_t i = 0; i < list->count; i++, r->spec->parts++) {
    if (reader_filters(r, &list->item[i], "only", false, &part[i].filter, &part[i].filters)) return -1;
    for (size_t f = 0; f < part[i].filters; f++)
      if (ripstop_spec_axis(r->spec, part[i].filter[f].key)->of_fabric)
        return reader_fail(r, list->item[i].line, "only: %s cannot be fixed here", part[i].filter[f].key);
  }
  return 0;
}

static const char *name_of(ripstop_arena *arena, const char *file) {
  static const char folder[] = "experiments/";
  const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
  for (const char *at = file; (at = strstr(at, folder)); at += sizeof folder - 1)
    if (at == file || at[-1] == '/') name = at + sizeof folder - 1;
  const char *last = slash && slash > name ? slash + 1 : name, *dot = strrchr(last, '.');
  return ripstop_arena_printf(arena, "%.*s", (int)(dot && dot > last ? dot - name : (ptrdiff_t)strlen(name)), name);
}

/* The store of an experiment beside this one. */
static int read_store(const reader *r, const yaml_node *root) {
  const yaml_node *node = yaml_get(root, "store");
  const char *name = r->spec->name, *slash = strrchr(name, '/');
  r->spec->store = name;
  if (!node) return 0;
  if (reader_value(r, node, "store")) return -1;
  r->spec->store_line = node->line;
  if (!*node->text || *node->text == '.' || strchr(node->text, '/'))
    return reader_fail(r, node->line, "store must be the name of an experiment beside this one, as 'fig-3', not '%s'",
                       node->text);
  r->spec->store =
      ripstop_arena_printf(r->spec->arena, "%.*s%s", slash ? (int)(slash - name) + 1 : 0, name, node->text);
  return 0;
}

static int read_root(reader *r, yaml_node *root) {
  if (check_root_keys(r, root)) return -1;
  if (reader_text(r, root, "title", &r->spec->title) || reader_text(r, root, "about", &r->spec->about)) return -1;
  if (read_store(r, root) || reader_variant(r) || units_link(r, root) || read_axes(r, root) ||
      read_only(r, yaml_get(root, "only")))
    return -1;
  if (reader_figures(r, yaml_get(root, "figures"), yaml_get(root, "tables"))) return -1;
  if (reader_panels(r, yaml_get(root, "panels"))) return -1;
  if (reader_claims(r, yaml_get(root, "claims"))) return -1;
  return reader_agreements(r, yaml_get(root, "agreements"));
}

static void copy_variant(ripstop_spec *spec, const ripstop_variant *variant) {
  const char **set = RIPSTOP_ARRAY(spec->arena, variant->sets, const char *);
  for (size_t i = 0; i < variant->sets; i++) set[i] = ripstop_arena_text(spec->arena, variant->set[i]);
  spec->variant = *variant;
  spec->variant.set = set;
}

ripstop_spec *ripstop_spec_read_memory(const char *name, const char *bytes, size_t length,
                                       const ripstop_variant *variant, ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_spec *spec = RIPSTOP_NEW(arena, ripstop_spec);
  spec->arena = arena;
  char *title = ripstop_arena_text(arena, name);
  ripstop_clean(title);
  spec->title = title;
  spec->file = ripstop_arena_text(arena, name);
  spec->about = spec->notes = "";
  spec->name = name_of(arena, name);
  if (variant) copy_variant(spec, variant);
  char *source = RIPSTOP_ARRAY(arena, length + 1, char);
  if (length) memcpy(source, bytes, length);
  spec->source = source;
  yaml_node root;
  reader r = {.file = spec->file, .spec = spec, .root = &root, .variant = &spec->variant, .err = err};
  int status = yaml_read(arena, name, bytes, length, &root, err);
  if (!status && root.kind == YAML_MAP) root = unfold_model(arena, unfold(arena, root));
  if (!status && !read_root(&r, &root)) return spec;
  ripstop_spec_free(spec);
  return NULL;
}

ripstop_spec *ripstop_spec_read(const char *path, const ripstop_variant *variant, ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  ripstop_arena *arena = ripstop_arena_new();
  char *bytes;
  size_t length;
  ripstop_spec *spec = NULL;
  const bool standard = !strcmp(path, "-");
  if (!ripstop_read_file(arena, standard ? "/dev/stdin" : path, YAML_BYTES_MAX, &bytes, &length, err))
    spec = ripstop_spec_read_memory(standard ? "stdin" : path, bytes, length, variant, err);
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

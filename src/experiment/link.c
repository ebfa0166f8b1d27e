/* link.c - the section `link:`: the rate of the fastest links, the flit, the delay of a cable, and its bit-error rate.
 *
 * Rate and flit are no keys of runs: they only say how long cycles and flits are. The delay is switch.link by another
 * name, the flit is that of a workload, and a bit-error rate is switch.flit_errors for the bits of a flit. So these are
 * moved to where the sections are read. */
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "experiment/presets.h"
#include "experiment/units.h"

const ripstop_option ripstop_link_options[] = {
    RIPSTOP_TEXT(ripstop_link_config, rate, "",
                 "rate of the fastest links, such as 400Gb/s: a cycle is the time of a flit; without it times with "
                 "units are refused"),
    RIPSTOP_TEXT(ripstop_link_config, delay, "", "time that a flit needs for a link: switch.link by another name"),
    RIPSTOP_TEXT(ripstop_link_config, flit, "", "size of a flit; default: workload.flit where that is given, else 64B"),
    RIPSTOP_TEXT(ripstop_link_config, ber, "",
                 "rate of wrong bits, and behind it LINK~RATE for some links: switch.flit_errors by another name"),
    {0}};
static const char *const link_words[] = {"rate", "delay", "flit", "ber", NULL};
enum { USUAL_FLIT = 64 }; /* bytes */

/* An empty value, which is the default of the keys, says nothing. */
static const yaml_node *not_empty(const yaml_node *node) {
  return node && node->kind == YAML_VALUE && !*node->text ? NULL : node;
}

/* The node that counts for a key: of --set, of `quick:` where it applies, or of the file. NULL: none. */
static const yaml_node *given(const reader *r, const yaml_node *root, const char *section, const char *name) {
  const char *key = ripstop_arena_printf(r->spec->arena, "%s.%s", section, name);
  const yaml_node *node = yaml_get(r->set, key);
  if (!node && r->variant->quick) node = yaml_get(yaml_get(root, "quick"), key);
  return not_empty(node ? node : yaml_get(yaml_get(root, section), name));
}

/* ------------------------------------------------------------------ keys that move */

/* The map with one more entry; NULL: it has only that. */
static yaml_node with_entry(ripstop_arena *arena, const yaml_node *map, const char *name, const yaml_node *item) {
  yaml_node out = map ? *map : (yaml_node){.kind = YAML_MAP, .line = item->line};
  yaml_node *keys = RIPSTOP_ARRAY(arena, out.count + 1, yaml_node);
  yaml_node *items = RIPSTOP_ARRAY(arena, out.count + 1, yaml_node);
  for (size_t i = 0; i < out.count; i++) keys[i] = map->key[i], items[i] = map->item[i];
  keys[out.count] = (yaml_node){.line = item->line, .text = name};
  items[out.count++] = *item;
  out.key = keys, out.item = items;
  return out;
}

/* Adds a key to a section of the file. */
static void add_to_section(ripstop_arena *arena, yaml_node *root, const char *section, const char *name,
                           const yaml_node *item) {
  yaml_node *items = RIPSTOP_ARRAY(arena, root->count + 1, yaml_node);
  for (size_t i = 0; i < root->count; i++) items[i] = root->item[i];
  for (size_t i = 0; i < root->count; i++)
    if (!strcmp(root->key[i].text, section)) {
      items[i] = with_entry(arena, &root->item[i], name, item);
      root->item = items;
      return;
    }
  const yaml_node fresh = with_entry(arena, NULL, name, item);
  *root = with_entry(arena, root, section, &fresh);
}

/* A key of `link:` that is a key of `switch:` by another name. `convert`: its values, in place; NULL: they stay. */
typedef struct moved_key {
  const char *name, *key, *own, *other;
  int (*convert)(reader *r, yaml_node *node);
} moved_key;

static int both(const reader *r, const moved_key *m, int line) {
  return reader_fail(r, line, "%s and %s are the same; give one of them", m->own, m->other);
}

static int convert(reader *r, const moved_key *m, yaml_node *node) { return m->convert ? m->convert(r, node) : 0; }

/* `quick:` or --set with the key under the engine's name, or without it if it is empty. */
static int rename_key(reader *r, const moved_key *m, const yaml_node *map, yaml_node *out) {
  const yaml_node *given = not_empty(yaml_get(map, m->own));
  if (given && yaml_get(map, m->other)) return both(r, m, given->line);
  yaml_node *keys = RIPSTOP_ARRAY(r->spec->arena, map->count, yaml_node);
  yaml_node *items = RIPSTOP_ARRAY(r->spec->arena, map->count, yaml_node);
  *out = *map;
  out->count = 0, out->key = keys, out->item = items;
  for (size_t i = 0; i < map->count; i++) {
    const bool is_own = !strcmp(map->key[i].text, m->own);
    if (is_own && !given) continue;
    keys[out->count] = map->key[i], items[out->count] = map->item[i];
    if (is_own) keys[out->count].text = m->other;
    if (is_own && convert(r, m, &items[out->count])) return -1;
    out->count++;
  }
  return 0;
}

static int move_key(reader *r, const moved_key *m, yaml_node *root) {
  ripstop_arena *arena = r->spec->arena;
  const yaml_node *own = not_empty(yaml_get(yaml_get(root, "link"), m->name)), *quick = yaml_get(root, "quick");
  if (own && yaml_get(yaml_get(root, "switch"), m->key)) return both(r, m, own->line);
  if (own) {
    yaml_node converted = *own;
    if (convert(r, m, &converted)) return -1;
    add_to_section(arena, root, "switch", m->key, &converted);
  }
  if (yaml_get(quick, m->own)) {
    yaml_node moved, *items = RIPSTOP_ARRAY(arena, root->count, yaml_node);
    if (rename_key(r, m, quick, &moved)) return -1;
    for (size_t i = 0; i < root->count; i++) items[i] = strcmp(root->key[i].text, "quick") != 0 ? root->item[i] : moved;
    root->item = items;
  }
  if (!yaml_get(r->set, m->own)) return 0;
  yaml_node *set = RIPSTOP_NEW(arena, yaml_node);
  if (rename_key(r, m, r->set, set)) return -1;
  r->set = set;
  return 0;
}

static const moved_key delay_key = {"delay", "link", "link.delay", "switch.link", NULL};

/* ------------------------------------------------------------------ bit-error rates */

/* The probability that one of the bits of a flit is wrong. */
static int add_flit_errors(const reader *r, const char *text, ripstop_text *out, ripstop_error *err) {
  double bits;
  if (ripstop_parse_real(text, &bits, err)) return -1;
  if (!(bits >= 0 && bits <= 1)) return ripstop_fail(err, "%s is no bit-error rate from 0 to 1", text);
  ripstop_text_add(out, "%.15g", bits < 1 ? -expm1(8 * r->spec->scale.flit * log1p(-bits)) : 1);
  return 0;
}

/* Bytes of the word at `text`; blanks between quotes belong to it, as in fault sets. */
static size_t word_length(const char *text) {
  size_t length = 0;
  for (bool quoted = false; text[length] && (quoted || text[length] != ' '); length++) quoted ^= text[length] == '"';
  return length;
}

/* A rate, or LINK~RATE. */
static int add_word(const reader *r, const char *word, size_t length, ripstop_text *out, ripstop_error *err) {
  size_t name = length;
  while (name && word[name - 1] != '~' && word[name - 1] != '"') name--;
  if (name && word[name - 1] == '"') name = 0;
  ripstop_text_add(out, "%s%.*s", out->length ? " " : "", (int)name, word);
  return add_flit_errors(r, ripstop_arena_printf(r->spec->arena, "%.*s", (int)(length - name), word + name), out, err);
}

static int convert_ber(reader *r, yaml_node *node) {
  RIPSTOP_LOCAL_TEXT(text);
  ripstop_error why;
  if (node->kind == YAML_LIST) {
    yaml_node *items = RIPSTOP_ARRAY(r->spec->arena, node->count, yaml_node);
    for (size_t i = 0; i < node->count; i++) {
      items[i] = node->item[i];
      if (convert_ber(r, &items[i])) return -1;
    }
    node->item = items;
    return 0;
  }
  if (reader_value(r, node, "link.ber")) return -1;
  if (!(r->spec->scale.flit > 0))
    return reader_fail(r, node->line,
                       "link.ber is the rate of wrong bits, and workload.flit has several values: give "
                       "switch.flit_errors, the rate of wrong flits");
  for (const char *word = node->text + strspn(node->text, " "); *word; word += strspn(word, " ")) {
    const size_t length = word_length(word);
    if (add_word(r, word, length, &text, &why)) return reader_fail(r, node->line, "link.ber: %s", why.text);
    word += length;
  }
  node->text = ripstop_arena_text(r->spec->arena, text.length ? text.data : "0");
  return 0;
}

static const moved_key ber_key = {"ber", "flit_errors", "link.ber", "switch.flit_errors", convert_ber};

/* ------------------------------------------------------------------ rate and flit */

static int read_rate(reader *r, const yaml_node *node) {
  ripstop_error why;
  if (!node) return 0;
  if (node->kind == YAML_LIST) return reader_fail(r, node->line, "link.rate is one rate, the fastest link's, no list");
  if (reader_value(r, node, "link.rate")) return -1;
  if (ripstop_scale_rate(node->text, &r->spec->scale.rate, &why))
    return reader_fail(r, node->line, "link.rate: %s", why.text);
  return 0;
}

/* The rate that a preset of the file brings; NULL: none does. A program has a clock of its own. */
static const char *rate_of_preset(const reader *r, const yaml_node *root) {
  const yaml_node *node = given(r, root, "switch", "preset");
  const char *rate = NULL;
  if (!node || yaml_get(root, "program")) return NULL;
  if (node->kind == YAML_VALUE) return preset_rate(node->text);
  for (size_t i = 0; node->kind == YAML_LIST && i < node->count && !rate; i++)
    if (node->item[i].kind == YAML_VALUE) rate = preset_rate(node->item[i].text);
  return rate;
}

static int read_flit(const reader *r, const yaml_node *node, const char *key, double *out) {
  ripstop_error why;
  if (node->kind == YAML_LIST && node->count == 1) node = node->item;
  if (reader_value(r, node, key)) return -1;
  if (ripstop_scale_size(node->text, out, &why)) return reader_fail(r, node->line, "%s: %s", key, why.text);
  return 0;
}

/* Jobs have flits of their own, 1 byte unless they say more or links have a rate. */
static int read_flits(reader *r, yaml_node *root) {
  double *flit = &r->spec->scale.flit;
  const yaml_node *own = given(r, root, "link", "flit"), *jobs = given(r, root, "workload", "flit");
  const bool workload = yaml_get(root, "workload") != NULL;
  double other = 0;
  *flit = workload && r->spec->scale.rate <= 0 ? 1 : USUAL_FLIT;
  if (own && read_flit(r, own, "link.flit", flit)) return -1;
  if (!workload) return 0;
  if (jobs && jobs->kind == YAML_LIST && jobs->count > 1) {
    *flit = 0;
    return own ? reader_fail(r, own->line, "link.flit: workload.flit has several values beside it") : 0;
  }
  if (jobs && read_flit(r, jobs, "workload.flit", &other)) return -1;
  if (own && jobs && other != *flit)
    return reader_fail(r, own->line, "link.flit is %g bytes and workload.flit %g; give one of them", *flit, other);
  if (jobs) *flit = other;
  if (jobs || (!own && r->spec->scale.rate <= 0)) return 0;
  const yaml_node added = {
      .kind = YAML_VALUE, .line = own ? own->line : 1, .text = ripstop_arena_printf(r->spec->arena, "%.0f", *flit)};
  add_to_section(r->spec->arena, root, "workload", "flit", &added);
  return 0;
}

static bool has_trace(const yaml_node *jobs) {
  static const char *const kinds[] = {"goal:", "cm:", "flows:", "chakra:", "simai:", NULL};
  bool any = false;
  for (size_t i = 0; jobs && jobs->text && kinds[i]; i++) any |= strstr(jobs->text, kinds[i]) != NULL;
  for (size_t i = 0; jobs && i < jobs->count; i++) any |= has_trace(&jobs->item[i]);
  return any;
}

/* Traces have times in nanoseconds: the length of a cycle is a key of such runs. */
static void add_tick(const reader *r, yaml_node *root, int line) {
  static const double nanoseconds = 1e9;
  const double cycle = ripstop_scale_cycle(&r->spec->scale);
  if (!(cycle > 0) || !has_trace(given(r, root, "workload", "jobs")) || given(r, root, "workload", "tick")) return;
  const yaml_node added = {
      .kind = YAML_VALUE, .line = line, .text = ripstop_arena_printf(r->spec->arena, "%.15g", cycle * nanoseconds)};
  add_to_section(r->spec->arena, root, "workload", "tick", &added);
}

/* The file's one preset brings the lengths of queues at which packets are marked, if jobs respond to marks. */
static void add_marks(const reader *r, yaml_node *root) {
  static const char *const keys[] = {"kmin", "kmax"};
  const yaml_node *preset = given(r, root, "switch", "preset"), *response = given(r, root, "workload", "congestion");
  const char *value[2];
  if (preset && preset->kind == YAML_LIST && preset->count == 1) preset = preset->item;
  if (!preset || preset->kind != YAML_VALUE || !preset_marks(r->spec, preset->text, &value[0], &value[1])) return;
  if (!response || (response->kind == YAML_VALUE && !strcmp(response->text, "none"))) return;
  if (given(r, root, "workload", keys[0]) || given(r, root, "workload", keys[1])) return;
  for (int i = 0; i < 2; i++) {
    const yaml_node added = {.kind = YAML_VALUE, .line = response->line, .text = value[i]};
    add_to_section(r->spec->arena, root, "workload", keys[i], &added);
  }
}

int units_link(reader *r, yaml_node *root) {
  const yaml_node *map = yaml_get(root, "link"), *rate;
  if (map && reader_map(r, map, "link", link_words)) return -1;
  rate = given(r, root, "link", "rate");
  const yaml_node usual = {.kind = YAML_VALUE, .line = 1, .text = rate_of_preset(r, root)};
  if (!rate && usual.text) rate = &usual;
  if (rate && yaml_get(root, "program"))
    return reader_fail(r, rate->line, "link.rate does not go with a program, whose program.router is its clock");
  if (move_key(r, &delay_key, root) || read_rate(r, rate) || read_flits(r, root) || move_key(r, &ber_key, root))
    return -1;
  if (rate) add_tick(r, root, rate->line);
  add_marks(r, root);
  return 0;
}

/* ------------------------------------------------------------------ queues in bytes */

static const char *const queue_keys[] = {"switch.in_queue", "switch.out_queue", "switch.xoff",
                                         "switch.xon",      "workload.kmin",    "workload.kmax"};
enum { QUEUE_KEYS = sizeof queue_keys / sizeof *queue_keys };

/* The first value with a unit; NULL: none has. */
static const ripstop_setting *with_unit(const ripstop_axis *axis) {
  for (size_t i = 0; axis && i < axis->count; i++)
    if (ripstop_scale_has_unit(axis->setting[i].written)) return &axis->setting[i];
  return NULL;
}

/* A value that counts packets, in an axis that matters; NULL: none. */
static const ripstop_setting *in_packets(const reader *r, const ripstop_axis *axis) {
  const ripstop_axis *congestion = ripstop_spec_axis(r->spec, "workload.congestion");
  bool marks = false;
  for (size_t i = 0; congestion && i < congestion->count; i++)
    marks |= strcmp(congestion->setting[i].text, "none") != 0;
  if (!axis || (!strncmp(axis->key, "workload.", strlen("workload.")) && !marks)) return NULL;
  for (size_t i = 0; i < axis->count; i++) {
    const char *text = axis->setting[i].written;
    if (*text >= '1' && *text <= '9' && !ripstop_scale_has_unit(text)) return &axis->setting[i];
  }
  return NULL;
}

int units_queues(const reader *r) {
  const ripstop_setting *bytes = NULL;
  const char *key = "";
  for (int i = 0; i < QUEUE_KEYS && !bytes; i++)
    if ((bytes = with_unit(ripstop_spec_axis(r->spec, queue_keys[i])))) key = queue_keys[i];
  const ripstop_axis *unit = ripstop_spec_axis(r->spec, "switch.unit");
  if (!bytes || !unit) return 0;
  for (size_t i = 0; i < unit->count; i++)
    if (unit->setting[i].line && strcmp(unit->setting[i].text, "flits") != 0)
      return reader_fail(r, bytes->line,
                         "%s = %s is a size, and switch.unit = %s: only queues that count flits have one", key,
                         bytes->written, unit->setting[i].text);
  if (unit->setting[0].line) return 0;
  for (int i = 0; i < QUEUE_KEYS; i++) {
    const ripstop_setting *other = in_packets(r, ripstop_spec_axis(r->spec, queue_keys[i]));
    if (other)
      return reader_fail(r, bytes->line, "%s = %s is a size, and %s = %s counts packets: give it as a size, too", key,
                         bytes->written, queue_keys[i], other->written);
  }
  unit->setting[0].written = unit->setting[0].text = "flits";
  return 0;
}

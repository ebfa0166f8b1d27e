/* test_recognise.c - recognition of regular fabrics, whole and damaged: the families of the program, fabrics made here
 * with cables left out, and nets and dumps whose answers another program computed. */
#include <dirent.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "fabric/graph.h"
#include "fabric/ib.h"
#include "opened.h"
#include "recognise/recognise.h"

/* ------------------------------------------------------------------ families */

static void families_are_recognised(void **state) {
  (void)state;
  static const struct {
    const char *spec, *family, *is;
  } cases[] = {{"torus:8", "torus", "torus:8"},
               {"torus:3", "torus", "torus:3"},
               {"torus:4", "torus", "torus:4"},
               {"torus:8x8", "torus", "torus:8x8"},
               {"torus:4x4", "torus", "torus:4x4"},
               {"torus:4x8", "torus", "torus:4x8"},
               {"torus:8x4", "torus", "torus:8x4"},
               {"torus:5x3", "torus", "torus:5x3"},
               {"torus:2x3", "torus", "torus:2x3"},
               {"torus:2x2x2x2", "torus", "torus:2x2x2x2"},
               {"torus:3x3x3", "torus", "torus:3x3x3"},
               {"torus:4x5x6", "torus", "torus:4x5x6"},
               {"kary-ntree:k=2,n=2", "fat tree", "kary-ntree:k=2,n=2"},
               {"kary-ntree:k=4,n=3", "fat tree", "kary-ntree:k=4,n=3"},
               {"kary-ntree:k=2,n=5", "fat tree", "kary-ntree:k=2,n=5"},
               {"mport-ntree:m=4,n=2", "fat tree", "mport-ntree:m=4,n=2"},
               {"mport-ntree:m=8,n=3", "fat tree", "mport-ntree:m=8,n=3"},
               {"kns:k=3,n=2", "kns", "kns:k=3,n=2"},
               {"kns:k=4,n=3", "kns", "kns:k=4,n=3"},
               {"kns:k=3,n=3,c=2", "kns", "kns:k=3,n=3,c=2"},
               {"kns:k=4,n=2,s=2", "kns", NULL},
               {"kns:k=16,n=4", "irregular", NULL}, /* too many squares, and in time and memory */
               {"mesh:8x8,p=2", "mesh", "mesh:8x8,p=2"},
               {"mesh:4x4x4", "mesh", "mesh:4x4x4,p=1"},
               {"hyperx:4x5,p=3", "hyperx", "hyperx:4x5,p=3"},
               {"xgft:m=4.4,w=1.2", "fat tree", "xgft:m=4.4,w=1.2"},
               {"xgft:m=2.3.2,w=1.2.2", "fat tree", "xgft:m=2.3.2,w=1.2.2"},
               {"dragonfly:a=4,p=2,h=2", "dragonfly", NULL},
               {"dragonfly:a=4,p=2,h=2,arrangement=absolute", "dragonfly", NULL},
               {"dragonfly:a=4,p=2,h=3,arrangement=absolute", "dragonfly", NULL},
               {"dragonfly:a=4,p=1,h=6,arrangement=absolute", "dragonfly", NULL},
               {"dragonfly:a=8,p=1,h=4,arrangement=absolute", "dragonfly", NULL},
               {"dragonfly+:leaves=4,spines=4,h=4,p=4", "dragonfly+", NULL},
               {"dragonfly+:leaves=2,spines=2,h=1,g=3,p=2", "dragonfly+", NULL},
               {"slimfly:q=5,p=4", "slimfly", "slimfly:q=5,p=4"},
               {"slimfly:q=7,p=2", "slimfly", "slimfly:q=7,p=2"},
               {"polarfly:q=7,p=4", "polarfly", "polarfly:q=7,p=4"},
               {"jellyfish:n=50,r=7", "irregular", NULL},
               {"graph:tests/data/petersen.edges", "irregular", NULL}};
  ripstop_arena *arena = ripstop_arena_new();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ripstop_fabric *f = open_fabric(cases[i].spec);
    ripstop_recognised r;
    ripstop_recognise(f, arena, &r);
    if (strcmp(r.family, cases[i].family) != 0) fail_msg("%s is a %s %s", cases[i].spec, r.family, r.shape);
    if (cases[i].is != NULL && (r.spec == NULL || strcmp(r.spec, cases[i].is) != 0))
      fail_msg("%s is %s", cases[i].spec, r.spec == NULL ? "none" : r.spec);
    if (r.odd.count > 0) fail_msg("%s: %s: %s", cases[i].spec, r.odd.list[0].what, r.odd.list[0].text);
    assert_true(r.expected == 0 || (r.sure == 1 && r.complete == 1));
    ripstop_fabric_free(f);
  }
  ripstop_arena_free(arena);
}

static uint64_t power(uint64_t base, unsigned exponent) {
  uint64_t value = 1;
  while (exponent-- > 0 && value <= UINT16_MAX) value *= base;
  return value;
}

/* KNS of one size whose lines are RUFTs, by the spec that is recognised. */
static void check_ruft(unsigned k, unsigned n, unsigned s, ripstop_arena *arena) {
  char spec[80];
  ripstop_recognised r;
  snprintf(spec, sizeof spec, "kns:k=%u,n=%u,s=%u,c=%u,line=ruft", k, n, s, 1 + k % 2);
  ripstop_fabric *f = open_fabric(spec);
  ripstop_recognise(f, arena, &r);
  if (strcmp(r.family, "kns") != 0 || r.spec == NULL || strcmp(r.spec, spec) != 0)
    fail_msg("%s: %s %s", spec, r.family, r.shape);
  assert_true(r.sure == 1 && r.complete == 1 && r.explanations == 1 && r.expected == f->links - f->link_ends);
  ripstop_fabric_free(f);
}

/* All sizes up to some hundred switches; lines had half of the cables that their routers have. */
static void lines_that_are_rufts_are_recognised(void **state) {
  (void)state;
  enum { SWITCHES = 700, ARITY = 16, STAGES = 6, DIMENSIONS = 4 };
  ripstop_arena *arena = ripstop_arena_new();
  unsigned sizes = 0;
  for (unsigned a = 2; a <= ARITY; a++)
    for (unsigned s = 2; s <= STAGES; s++)
      for (unsigned n = 1; n <= DIMENSIONS; n++) {
        const uint64_t k = power(a, s), switches = power(k, n) + n * s * power(k, n) / a;
        if (switches <= SWITCHES) check_ruft((unsigned)k, n, s, arena), sizes++;
      }
  assert_true(sizes > 20);
  ripstop_arena_free(arena);
}

static void places_are_coordinates(void **state) {
  (void)state;
  ripstop_fabric *f = open_fabric("torus:5x6");
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_recognised r;
  ripstop_recognise(f, arena, &r);
  assert_int_equal(r.dims, 2);
  for (uint32_t v = 0; v < 30; v++) {
    assert_int_equal(r.place[2 * v], v / 6);
    assert_int_equal(r.place[2 * v + 1], v % 6);
  }
  ripstop_arena_free(arena);
  ripstop_fabric_free(f);
}

/* Switches that are all joined have one coordinate, and each its own. */
static void cliques_have_places(void **state) {
  (void)state;
  ripstop_fabric *f = open_fabric("hyperx:9,p=2");
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_recognised r;
  bool seen[9] = {false};
  ripstop_recognise(f, arena, &r);
  assert_int_equal(r.dims, 1);
  for (uint32_t v = 0; v < 9; v++) {
    assert_in_range(r.place[v], 0, 8);
    assert_false(seen[r.place[v]]);
    seen[r.place[v]] = true;
  }
  ripstop_fabric_free(f);
  f = open_fabric("slimfly:q=5,p=4"); /* no places */
  ripstop_recognise(f, arena, &r);
  assert_int_equal(r.dims, 0);
  ripstop_arena_free(arena);
  ripstop_fabric_free(f);
}

/* ------------------------------------------------------------------ damage */

/* A fabric as a dump, without some of its links between switches. Port numbers are those of the fabric and one. */
static void write_dump(const ripstop_fabric *f, const bool *dead, ripstop_text *text) {
  for (uint32_t node = 0; node < f->nodes; node++) {
    bool end = ripstop_is_end(f, node);
    ripstop_text_add(text, "%s %u \"%c-%016x\"\n", end ? "Ca" : "Switch", ripstop_node_ports(f, node), end ? 'H' : 'S',
                     node);
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
      uint32_t peer = f->peer[port];
      if (peer == RIPSTOP_NONE || dead[f->port_link[port]]) continue;
      uint32_t other = f->port_node[peer];
      ripstop_text_add(text, "[%u] \"%c-%016x\"[%u]\n", port - f->port_base[node] + 1,
                       ripstop_is_end(f, other) ? 'H' : 'S', other, peer - f->port_base[other] + 1);
    }
    ripstop_text_add(text, "\n");
  }
}

/* `S-a[p]-S-b[q]` of a link, as the dump names it. */
static void name_of(const ripstop_fabric *f, uint32_t link, char *out) {
  uint32_t a = f->link_port[2 * link], b = f->link_port[2 * link + 1];
  if (f->port_node[a] > f->port_node[b]) a = f->link_port[2 * link + 1], b = f->link_port[2 * link];
  snprintf(out, RIPSTOP_NAME_MAX, "S-%016x[%u]-S-%016x[%u]", f->port_node[a], a - f->port_base[f->port_node[a]] + 1,
           f->port_node[b], b - f->port_base[f->port_node[b]] + 1);
}

/* Edge lists have no habits of ports: their reports name switches only. */
static bool is_reported(const ripstop_recognised *r, const char *name, bool ports) {
  char first[100], second[100];
  sscanf(name, "%99[^[]%*[^]]]-%99[^[]", first, second);
  for (uint32_t i = 0; i < r->odd.count; i++) {
    const char *where = r->odd.list[i].where[0];
    if (ports ? strcmp(where, name) == 0 : strstr(where, first) != NULL && strstr(where, second) != NULL) return true;
  }
  return false;
}

/* Every missing link is reported with its ports, and nothing else is. */
static void compare_damage(const ripstop_fabric *whole, const char *family, const char *shape, const bool *dead,
                           uint32_t gone) {
  ripstop_text text = {0};
  ripstop_error err = {0};
  write_dump(whole, dead, &text);
  ripstop_fabric *f = ripstop_ib_from_text("damaged", text.data, text.length, &err);
  if (f == NULL) fail_msg("%s", err.text);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_recognised r;
  ripstop_recognise(f, arena, &r);
  if (strcmp(r.family, family) != 0 || strncmp(r.shape, shape, strlen(shape)) != 0)
    fail_msg("a damaged %s %s is a %s %s", family, shape, r.family, r.shape);
  for (uint32_t link = whole->link_ends; link < whole->links; link++) {
    char name[RIPSTOP_NAME_MAX];
    name_of(whole, link, name);
    bool ports = strcmp(whole->family->name, "graph") != 0 && strstr(family, "rfly") == NULL &&
                 strstr(family, "mfly") == NULL; /* these have no habits */
    if (dead[link] && !is_reported(&r, name, ports)) fail_msg("%s %s: %s is not reported", family, shape, name);
  }
  if (r.odd.count != gone) fail_msg("%s %s: %u oddities of %u lost cables", family, shape, r.odd.count, gone);
  assert_true(r.sure == 1 && r.expected - r.there == gone);
  ripstop_arena_free(arena);
  ripstop_text_free(&text);
  ripstop_fabric_free(f);
}

static void damage(const ripstop_fabric *whole, const char *family, const char *shape, uint32_t percent,
                   uint64_t seed) {
  bool *dead = calloc(whole->links, sizeof *dead);
  ripstop_stream stream = ripstop_stream_open(seed, RIPSTOP_RANDOM_TEST, 0);
  uint32_t gone = 0, between = whole->links - whole->link_ends;
  while (gone < between * percent / 100) {
    uint32_t link = whole->link_ends + ripstop_stream_below(&stream, between);
    gone += !dead[link];
    dead[link] = true;
  }
  compare_damage(whole, family, shape, dead, gone);
  free(dead);
}

/* Neighbours in a grid; all pairs that differ in one digit: a HyperX of A x B; groups of switches with one cable
 * between each two: a dragonfly. */
static ripstop_fabric *make_hyperx(uint32_t a, uint32_t b) {
  ripstop_text text = {0};
  ripstop_error err = {0};
  for (uint32_t v = 0; v < a * b; v++)
    for (uint32_t w = v + 1; w < a * b; w++)
      if (v / b == w / b || v % b == w % b) ripstop_text_add(&text, "x%u x%u\n", v, w);
  ripstop_fabric *f = ripstop_graph_from_text("hyperx", text.data, text.length, &err);
  ripstop_text_free(&text);
  return f;
}

static ripstop_fabric *make_mesh(uint32_t a, uint32_t b) {
  ripstop_text text = {0};
  ripstop_error err = {0};
  for (uint32_t v = 0; v < a * b; v++) {
    if (v % b + 1 < b) ripstop_text_add(&text, "x%u x%u\n", v, v + 1);
    if (v / b + 1 < a) ripstop_text_add(&text, "x%u x%u\n", v, v + b);
  }
  ripstop_fabric *f = ripstop_graph_from_text("mesh", text.data, text.length, &err);
  ripstop_text_free(&text);
  return f;
}

static ripstop_fabric *make_dragonfly(uint32_t size, uint32_t global) {
  ripstop_text text = {0};
  ripstop_error err = {0};
  uint32_t groups = size * global + 1;
  for (uint32_t g = 0; g < groups; g++)
    for (uint32_t i = 0; i < size; i++)
      for (uint32_t j = i + 1; j < size; j++) ripstop_text_add(&text, "g%us%u g%us%u\n", g, i, g, j);
  for (uint32_t g = 0; g < groups; g++)
    for (uint32_t k = 0; k < groups - 1; k++) {
      uint32_t h = (g + k + 1) % groups, back = groups - 2 - k;
      if (g < h) ripstop_text_add(&text, "g%us%u g%us%u\n", g, k / global, h, back / global);
    }
  ripstop_fabric *f = ripstop_graph_from_text("dragonfly", text.data, text.length, &err);
  ripstop_text_free(&text);
  return f;
}

static void damaged_fabrics_are_recognised(void **state) {
  (void)state;
  static const struct {
    const char *spec, *family, *shape;
  } cases[] = {{"torus:8x8", "torus", "8x8"},
               {"torus:6x7", "torus", "6x7"},
               {"torus:5x5x5", "torus", "5x5x5"},
               {"kary-ntree:k=4,n=3", "fat tree", "3 levels: 16 (4 by 4) 16 (4 by 4) 16"},
               {"kary-ntree:k=6,n=2", "fat tree", "2 levels: 6 (6 by 6) 6"},
               {"mport-ntree:m=8,n=3", "fat tree", "3 levels: 32 (4 by 4) 32 (8 by 4) 16"},
               {"kns:k=5,n=3", "kns", "5x5x5"}},
    worse[] = {{"torus:8x8", "torus", "8x8"},
               {"torus:6x6x6", "torus", "6x6x6"},
               {"dragonfly+:leaves=4,spines=4,h=4,p=4", "dragonfly+", "17 groups of 4 leaves and 4 spines"},
               {"slimfly:q=5,p=2", "slimfly", "q = 5"},
               {"polarfly:q=7,p=2", "polarfly", "q = 7"}};
  for (size_t i = 0; i < sizeof worse / sizeof *worse; i++) {
    ripstop_fabric *whole = open_fabric(worse[i].spec);
    for (uint64_t seed = 1; seed <= 3; seed++) damage(whole, worse[i].family, worse[i].shape, 9, seed);
    ripstop_fabric_free(whole);
  }
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ripstop_fabric *whole = open_fabric(cases[i].spec);
    for (uint64_t seed = 1; seed <= 10; seed++) damage(whole, cases[i].family, cases[i].shape, 4, seed);
    ripstop_fabric_free(whole);
  }
  ripstop_fabric *mesh = make_mesh(8, 8), *hyperx = make_hyperx(6, 9), *dragonfly = make_dragonfly(6, 3);
  for (uint64_t seed = 1; seed <= 10; seed++)
    damage(hyperx, "hyperx", "9x6", 5, seed); /* the list of edges names its switches like this */
  damage(mesh, "mesh", "8x8", 0, 1);
  for (uint64_t seed = 1; seed <= 10; seed++) damage(mesh, "mesh", "8x8", 3, seed);
  for (uint64_t seed = 1; seed <= 5; seed++) damage(mesh, "mesh", "8x8", 9, seed);
  damage(dragonfly, "dragonfly", "19 groups of 6 switches; 1 cables between two groups, 3 of a switch", 0, 1);
  ripstop_fabric_free(mesh);
  ripstop_fabric_free(hyperx);
  ripstop_fabric_free(dragonfly);
}

/* ------------------------------------------------------------------ known answers */

static json_t *load(const char *path) {
  json_t *value = json_load_file(path, 0, NULL);
  if (value == NULL) fail_msg("%s cannot be read", path);
  return value;
}

/* True if all texts in a value, at any depth, that name an id or an end are in a text. */
static bool holds_names(json_t *value, const char *in) {
  size_t i;
  json_t *one;
  const char *key;
  if (json_is_string(value)) {
    const char *text = json_string_value(value);
    return strchr(text, ' ') != NULL || strncmp(text + 1, "-00", 3) != 0 || strstr(in, text) != NULL;
  }
  if (json_is_array(value)) json_array_foreach(value, i, one) if (!holds_names(one, in)) return false;
  if (json_is_object(value)) json_object_foreach(value, key, one) if (!holds_names(one, in)) return false;
  return true;
}

static bool is_in(const ripstop_odds *odds, json_t *want, const char *kind) {
  for (uint32_t i = 0; i < odds->count; i++) {
    const ripstop_odd *odd = &odds->list[i];
    ripstop_text all = {0};
    ripstop_text_add(&all, "%s", odd->text);
    for (uint32_t k = 0; k < odd->places; k++) ripstop_text_add(&all, " %s", odd->where[k]);
    bool found = strcmp(odd->what, kind) == 0 && holds_names(want, all.data);
    ripstop_text_free(&all);
    if (found) return true;
  }
  return false;
}

static void the_odd_fabric_has_its_oddities(void **state) {
  (void)state;
  json_t *answer = load("tests/data/ib/clos-odd.expected.json"), *one;
  ripstop_fabric *f = open_fabric("tests/data/ib/clos-odd.ibnetdiscover");
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_recognised r;
  size_t i;
  ripstop_recognise(f, arena, &r);
  json_array_foreach(json_object_get(answer, "oddities"), i, one) {
    const char *kind = json_string_value(json_object_get(one, "kind"));
    if (!is_in(&r.odd, one, kind) && !is_in(&ripstop_ib_of(f)->dump->odd, one, kind))
      fail_msg("'%s' is not reported", kind);
  }
  assert_int_equal(r.odd.count + ripstop_ib_of(f)->dump->odd.count,
                   json_integer_value(json_object_get(answer, "number_of_oddities")));
  assert_int_equal(r.rails, 8);
  ripstop_arena_free(arena);
  ripstop_fabric_free(f);
  json_decref(answer);
}

static void regular_dumps_have_none(void **state) {
  (void)state;
  static const char *const names[] = {"clos-regular",    "small-clean",        "small-prompt-crlf",
                                      "small-ibdiagnet", "small-chassis-guid", NULL};
  for (const char *const *name = names; *name != NULL; name++) {
    char path[200];
    snprintf(path, sizeof path, "tests/data/ib/%s.ibnetdiscover", *name);
    ripstop_fabric *f = open_fabric(path);
    ripstop_arena *arena = ripstop_arena_new();
    ripstop_recognised r;
    ripstop_recognise(f, arena, &r);
    assert_string_equal(r.family, "fat tree");
    assert_int_equal(r.rails, 8);
    if (r.odd.count > 0) fail_msg("%s: %s: %s", *name, r.odd.list[0].what, r.odd.list[0].text);
    ripstop_arena_free(arena);
    ripstop_fabric_free(f);
  }
}

/* Two switches, as the report of a missing cable between them names them: their ids without ports. */
static bool is_missing(const ripstop_recognised *r, const char *a, const char *b) {
  for (uint32_t i = 0; i < r->odd.count; i++) {
    const char *where = r->odd.list[i].where[0];
    if (strncmp(r->odd.list[i].what, "missing", 7) == 0 && strstr(where, a) != NULL && strstr(where, b) != NULL)
      return true;
  }
  return false;
}

static void check_net(const char *net, const char *answers) {
  static const struct {
    const char *made_as, *family;
  } names[] = {{"k-ary n-tree", "fat tree"},   {"fat tree", "fat tree"},   {"torus", "torus"},
               {"hyperx", "hyperx"},           {"dragonfly", "dragonfly"}, {"KNS (k-ary n-direct s-indirect)", "kns"},
               {"random regular", "irregular"}};
  json_t *answer = load(answers), *pair, *missing = json_object_get(answer, "missing");
  const char *made_as = json_string_value(json_object_get(answer, "made_as"));
  ripstop_fabric *f = open_fabric(net);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_recognised r;
  size_t i;
  ripstop_recognise(f, arena, &r);
  assert_int_equal(f->ends, json_integer_value(json_object_get(answer, "hosts")));
  assert_int_equal(ripstop_fabric_switches(f), json_integer_value(json_object_get(answer, "switches")));
  assert_int_equal(f->links - f->link_ends, json_integer_value(json_object_get(answer, "switch_cables")));
  for (i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i].made_as, made_as) == 0 && strcmp(names[i].family, r.family) != 0)
      fail_msg("%s: %s", net, r.family);
  if (strcmp(r.family, "irregular") != 0) {
    json_array_foreach(missing, i, pair) {
      const char *a = json_string_value(json_array_get(pair, 0)), *b = json_string_value(json_array_get(pair, 1));
      if (!is_missing(&r, a, b)) fail_msg("%s: %s - %s is not reported", net, a, b);
    }
    assert_int_equal(r.odd.count, json_array_size(missing));
    assert_int_equal(r.expected, json_integer_value(json_object_get(answer, "whole_fabric_would_have")));
  }
  ripstop_arena_free(arena);
  ripstop_fabric_free(f);
  json_decref(answer);
}

static unsigned check_nets(const char *nets, const char *answers) {
  DIR *folder = opendir(nets);
  unsigned count = 0;
  if (folder == NULL) fail_msg("%s cannot be opened", nets);
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    const char *dot = strstr(entry->d_name, ".net.gz");
    char net[1000], answer[1000];
    if (dot == NULL) continue;
    snprintf(net, sizeof net, "%s/%s", nets, entry->d_name);
    snprintf(answer, sizeof answer, "%s/%.*s.json", answers, (int)(dot - entry->d_name), entry->d_name);
    check_net(net, answer);
    count++;
  }
  closedir(folder);
  return count;
}

/* Nets of this tree, and of a folder RIPSTOP_NETS with answers in RIPSTOP_NET_ANSWERS, if that is set. */
static void nets_are_what_they_were_made_as(void **state) {
  (void)state;
  assert_int_equal(check_nets("tests/data/ib/nets", "tests/data/ib/nets"), 3);
  const char *nets = getenv("RIPSTOP_NETS"), *answers = getenv("RIPSTOP_NET_ANSWERS");
  if (nets != NULL && answers != NULL) print_message("%u nets in %s\n", check_nets(nets, answers), nets);
}

/* ------------------------------------------------------------------ groups and planes */

enum { GROUPS = 3, HOSTS = 5, RAILS = 4, SPINES = 4 };

/* The place of a rail's adapter of a host of a group; the tests cross some. */
typedef struct seat {
  uint32_t group, host;
} seat;

static void write_node(ripstop_text *text, char kind, uint32_t id, const char *name) {
  ripstop_text_add(text, "\n%s 40 \"%c-%016x\" # \"%s\"\n", kind == 'S' ? "Switch" : "Ca", kind, id, name);
}

/* Groups of hosts with a leaf for each rail. Rails 0 and 1 have spines of their own, as rails 2 and 3 have: two planes.
 */
static ripstop_fabric *make_groups(const seat *seats, uint32_t spines_of_second) {
  ripstop_text text = {0};
  ripstop_error err = {0};
  char name[64];
  for (uint32_t g = 0; g < GROUPS; g++)
    for (uint32_t r = 0; r < RAILS; r++) {
      snprintf(name, sizeof name, "leaf-%u-%u", g, r);
      write_node(&text, 'S', 100 + g * RAILS + r, name);
      for (uint32_t h = 0; h < 2 * HOSTS; h++)
        for (uint32_t i = 0; i < GROUPS * HOSTS; i++)
          if (seats[i * RAILS + r].group == g && seats[i * RAILS + r].host == h)
            ripstop_text_add(&text, "[%u] \"H-%016x\"[1]\n", h + 1, 1000 + i * RAILS + r);
      for (uint32_t s = 0; s < (r < 2 ? SPINES : spines_of_second); s++)
        ripstop_text_add(&text, "[%u] \"S-%016x\"[%u]\n", 20 + s, 200 + r / 2 * SPINES + s, 1 + g * 2 + r % 2);
    }
  for (uint32_t s = 0; s < SPINES + spines_of_second; s++) {
    snprintf(name, sizeof name, "spine-%u", s);
    write_node(&text, 'S', 200 + s, name);
    for (uint32_t g = 0; g < GROUPS; g++)
      for (uint32_t r = 0; r < 2; r++)
        ripstop_text_add(&text, "[%u] \"S-%016x\"[%u]\n", 1 + g * 2 + r, 100 + g * RAILS + s / SPINES * 2 + r,
                         20 + s % SPINES);
  }
  for (uint32_t i = 0; i < GROUPS * HOSTS * RAILS; i++) {
    snprintf(name, sizeof name, "node%02u mlx5_%u", i / RAILS, i % RAILS);
    write_node(&text, 'H', 1000 + i, name);
    ripstop_text_add(&text, "[1] \"S-%016x\"[%u]\n", 100 + seats[i].group * RAILS + i % RAILS, seats[i].host + 1);
  }
  ripstop_fabric *f = ripstop_ib_from_text("groups", text.data, text.length, &err);
  if (f == NULL) fail_msg("%s", err.text);
  ripstop_text_free(&text);
  return f;
}

static void expect_odd(const seat *seats, uint32_t spines_of_second, const char *what, const char *place) {
  ripstop_fabric *f = make_groups(seats, spines_of_second);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_recognised r;
  ripstop_recognise(f, arena, &r);
  assert_string_equal(r.family, "fat tree");
  assert_int_equal(r.rails, RAILS);
  assert_int_equal(r.planes, 2);
  assert_int_equal(r.odd.count, what != NULL);
  if (what != NULL) assert_string_equal(r.odd.list[0].what, what);
  bool there = what == NULL;
  for (uint32_t i = 0; what != NULL && i < r.odd.list[0].places; i++)
    there |= strcmp(r.odd.list[0].where[i], place) == 0;
  assert_true(there);
  ripstop_arena_free(arena);
  ripstop_fabric_free(f);
}

static void cables_among_strangers_are_reported(void **state) {
  (void)state;
  seat seats[GROUPS * HOSTS * RAILS];
  for (uint32_t i = 0; i < GROUPS * HOSTS * RAILS; i++) seats[i] = (seat){i / RAILS / HOSTS, i / RAILS % HOSTS};
  expect_odd(seats, SPINES, NULL, NULL);
  expect_odd(seats, SPINES - 1, "unequal planes", "S-0000000000000066"); /* leaf-0-2, the first of the second plane */
  const seat one = seats[2 * RAILS + 1], two = seats[(HOSTS + 3) * RAILS + 1];
  seats[2 * RAILS + 1] = two;
  seats[(HOSTS + 3) * RAILS + 1] = one;
  expect_odd(seats, SPINES, "swapped host cables", "H-00000000000003f1[1]"); /* node02 mlx5_1 */
  seats[(HOSTS + 3) * RAILS + 1] = two;
  seats[2 * RAILS + 1] = (seat){1, HOSTS + 2};
  expect_odd(seats, SPINES, "wrong leaf", "S-0000000000000065[3]"); /* the right end: leaf-0-1, at its host's port */
}

/* Two planes; each host has a port at the same leaf of each, but for one whose ports are crossed. A management host on
 * a spine, though it is a quarter of what a leaf has, and a router, which is no adapter of a host. */
static void crossed_ports_of_an_adapter_are_reported(void **state) {
  (void)state;
  enum { LEAVES = 4, PORTS = 2, FEW = 4, MANAGEMENT = 2000, ROUTER = 2001 };
  ripstop_text text = {0};
  ripstop_error err = {0};
  char name[64];
  for (uint32_t plane = 0; plane < PORTS; plane++) {
    for (uint32_t l = 0; l < LEAVES; l++) {
      snprintf(name, sizeof name, "plane-%u-leaf-%u", plane, l);
      write_node(&text, 'S', 100 + plane * LEAVES + l, name);
      for (uint32_t h = 0; h < FEW; h++)
        ripstop_text_add(&text, "[%u] \"H-%016x\"[%u]\n", h + 1, 1000 + l * FEW + h,
                         1 + (l + h == 0 ? PORTS - 1 - plane : plane));
      for (uint32_t s = 0; s < SPINES; s++)
        ripstop_text_add(&text, "[%u] \"S-%016x\"[%u]\n", 20 + s, 200 + plane * SPINES + s, 1 + l);
      if (plane + l == 0) ripstop_text_add(&text, "[36] \"R-%016x\"[1]\n", ROUTER);
    }
    for (uint32_t s = 0; s < SPINES; s++) {
      snprintf(name, sizeof name, "plane-%u-spine-%u", plane, s);
      write_node(&text, 'S', 200 + plane * SPINES + s, name);
      for (uint32_t l = 0; l < LEAVES; l++)
        ripstop_text_add(&text, "[%u] \"S-%016x\"[%u]\n", 1 + l, 100 + plane * LEAVES + l, 20 + s);
      if (plane + s == 0) ripstop_text_add(&text, "[36] \"H-%016x\"[1]\n", MANAGEMENT);
    }
  }
  for (uint32_t i = 0; i < LEAVES * FEW; i++) {
    snprintf(name, sizeof name, "node%02u mlx5_0", i);
    write_node(&text, 'H', 1000 + i, name);
    for (uint32_t plane = 0; plane < PORTS; plane++)
      ripstop_text_add(&text, "[%u] \"S-%016x\"[%u]\n", plane + 1,
                       100 + (i == 0 ? PORTS - 1 - plane : plane) * LEAVES + i / FEW, i % FEW + 1);
  }
  write_node(&text, 'H', MANAGEMENT, "mgmt01 mlx5_0");
  ripstop_text_add(&text, "[1] \"S-%016x\"[36]\nRt 2 \"R-%016x\" # \"ib router\"\n[1] \"S-%016x\"[36]\n", 200, ROUTER,
                   100);
  ripstop_fabric *f = ripstop_ib_from_text("planes", text.data, text.length, &err);
  if (f == NULL) fail_msg("%s", err.text);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_recognised r;
  ripstop_recognise(f, arena, &r);
  assert_int_equal(r.rails, PORTS);
  assert_int_equal(r.planes, PORTS);
  assert_int_equal(r.odd.count, 2);
  assert_string_equal(r.odd.list[0].what, "host on a spine");
  assert_string_equal(r.odd.list[1].what, "swapped host cables");
  assert_string_equal(r.odd.list[1].where[0], "H-00000000000003e8[1]");
  ripstop_text_free(&text);
  ripstop_arena_free(arena);
  ripstop_fabric_free(f);
}

/* Four leaves, one for each adapter of eight hosts, under two spines, as an edge list; `slow`: one adapter and one
 * uplink run at a quarter, `crossed`: two adapters of one host are. */
static ripstop_fabric *make_list_of(const char *adapter, bool slow, bool crossed) {
  enum { LEAVES = 4, LIST_HOSTS = 8, LIST_SPINES = 2 };
  ripstop_text text = {0};
  ripstop_error err = {0};
  for (uint32_t h = 0; h < LIST_HOSTS; h++)
    for (uint32_t r = 0; r < LEAVES; r++)
      ripstop_text_add(&text, "@end gpu-%u:%s%u leaf%u %s port=Ethernet%u\n", h, adapter, r,
                       crossed && h == 5 && r < 2 ? 1 - r : r, slow && h == 3 && r == 2 ? "100G" : "400G", h);
  for (uint32_t r = 0; r < LEAVES; r++)
    for (uint32_t i = 0; i < 2 * LIST_SPINES; i++)
      ripstop_text_add(&text, "leaf%u spine%u %s\n", r, i / 2, slow && r == 1 && i == 3 ? "100G" : "400G");
  ripstop_fabric *f = ripstop_graph_from_text("list", text.data, text.length, &err);
  if (f == NULL) fail_msg("%s", err.text);
  ripstop_text_free(&text);
  return f;
}

static ripstop_fabric *make_list(bool slow, bool crossed) { return make_list_of("mlx5_", slow, crossed); }

static void edge_lists_have_slow_cables_and_rails(void **state) {
  (void)state;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_recognised r;
  ripstop_fabric *f = make_list(false, false);
  ripstop_recognise(f, arena, &r);
  assert_int_equal(r.rails, 4);
  assert_int_equal(r.odd.count, 0);
  ripstop_fabric_free(f);

  f = make_list(true, false);
  ripstop_recognise(f, arena, &r);
  assert_int_equal(r.odd.count, 2);
  assert_string_equal(r.odd.list[0].what, "slow cable");
  assert_string_equal(r.odd.list[1].where[0], "end:gpu-3:mlx5_2");
  assert_string_equal(r.odd.list[0].where[0], "leaf1--spine1#2");
  assert_string_equal(r.odd.list[0].text, "'leaf1' - 'spine1' runs at 0.25 of the full rate; most run at 1");
  ripstop_fabric_free(f);

  f = make_list(false, true);
  ripstop_recognise(f, arena, &r);
  assert_int_equal(r.odd.count, 1);
  assert_string_equal(r.odd.list[0].what, "swapped host cables");
  assert_string_equal(r.odd.list[0].text, "'gpu-5:mlx5_0' and 'gpu-5:mlx5_1' are crossed between 'leaf0' and 'leaf1'");
  ripstop_fabric_free(f);

  f = make_list_of("", false, true); /* adapters of one digit */
  ripstop_recognise(f, arena, &r);
  assert_int_equal(r.rails, 4);
  assert_int_equal(r.odd.count, 1);
  assert_string_equal(r.odd.list[0].text, "'gpu-5:0' and 'gpu-5:1' are crossed between 'leaf0' and 'leaf1'");
  ripstop_fabric_free(f);
  ripstop_arena_free(arena);
}

/* Counts the oddities of a kind in an edge list, and gives the place and sentence of the first. */
static uint32_t count_odd(const char *list, const char *what, ripstop_arena *arena, const char *first[2]) {
  ripstop_error err = {0};
  ripstop_fabric *f = ripstop_graph_from_text("list", list, strlen(list), &err);
  if (f == NULL) fail_msg("%s", err.text);
  ripstop_recognised r;
  uint32_t count = 0;
  ripstop_recognise(f, arena, &r);
  first[0] = first[1] = "";
  for (uint32_t i = 0; i < r.odd.count; i++)
    if (strcmp(r.odd.list[i].what, what) == 0 && count++ == 0)
      first[0] = r.odd.list[i].where[0], first[1] = r.odd.list[i].text;
  ripstop_fabric_free(f);
  return count;
}

/* Hosts are slower than uplinks, and levels than each other; what is slow is so among its like. */
static void cables_are_slow_among_their_like(void **state) {
  (void)state;
  static const char docs[] = "@router leaf1 group=rack1 ports=32\n"
                             "@end host1 leaf1 25G port=Ethernet0\n"
                             "@end host2 leaf2 rate=0.25\n"
                             "leaf1 spine 100G port=Ethernet48,7 group=power-a\n"
                             "leaf2 spine n=2 group=power-b\n";
  static const char wan[] = "a b 100G\nb c 10G\nc d 40G\nd e 100G\ne a 10G\na c 40G\nb d 400G\nc e 10G\n";
  ripstop_arena *arena = ripstop_arena_new();
  const char *odd[2];
  assert_int_equal(count_odd(docs, "slow cable", arena, odd), 0);
  assert_int_equal(count_odd(wan, "slow cable", arena, odd), 0);
  for (unsigned slow = 0; slow < 3; slow++) { /* four hosts on two leaves; 1: a slow uplink, 2: a slow host */
    ripstop_text text = {0};
    for (unsigned h = 0; h < 4; h++)
      ripstop_text_add(&text, "@end h%u leaf%u %s\n", h, h / 2, slow == 2 && h == 3 ? "10G" : "25G");
    for (unsigned i = 0; i < 4; i++)
      ripstop_text_add(&text, "leaf%u spine%u %s\n", i / 2, i % 2, slow == 1 && i == 2 ? "50G" : "100G");
    assert_int_equal(count_odd(text.data, "slow cable", arena, odd), slow > 0);
    ripstop_text_free(&text);
    if (slow == 0) continue;
    assert_string_equal(odd[0], slow == 1 ? "leaf1--spine0" : "end:h3");
    assert_string_equal(odd[1], slow == 1 ? "'leaf1' - 'spine0' runs at 0.5 of the full rate; most run at 1"
                                          : "'h3' - 'leaf1' runs at 0.1 of the full rate; most run at 0.25");
  }
  ripstop_text tree = {0}; /* three levels: 4 leaves, 4 spines in two pods, 4 cores */
  for (unsigned leaf = 0; leaf < 4; leaf++) {
    ripstop_text_add(&tree, "@end h%u leaf%u 25G\n@end g%u leaf%u 25G\n", leaf, leaf, leaf, leaf);
    for (unsigned i = 0; i < 2; i++) ripstop_text_add(&tree, "leaf%u spine%u 100G\n", leaf, leaf / 2 * 2 + i);
    for (unsigned core = 0; core < 4; core++) ripstop_text_add(&tree, "spine%u core%u 400G\n", leaf, core);
  }
  assert_int_equal(count_odd(tree.data, "slow cable", arena, odd), 0);
  ripstop_text_free(&tree);
  ripstop_arena_free(arena);
}

/* Twelve hosts whose names give their racks, a rack to each of four leaves. */
static void racks_in_names_are_no_rails(void **state) {
  (void)state;
  static const char *const marks[] = {".rack", "-rack", ":eth"};
  ripstop_arena *arena = ripstop_arena_new();
  for (unsigned i = 0; i < 3; i++) {
    ripstop_text text = {0};
    ripstop_error err = {0};
    ripstop_recognised r;
    for (unsigned h = 0; h < 12; h++)
      ripstop_text_add(&text, "@end node%u%s%u leaf%u\n", h + 1, marks[i], h / 3 + 1, h / 3);
    for (unsigned k = 0; k < 8; k++) ripstop_text_add(&text, "leaf%u spine%u\n", k / 2, k % 2);
    ripstop_fabric *f = ripstop_graph_from_text("racks", text.data, text.length, &err);
    if (f == NULL) fail_msg("%s", err.text);
    ripstop_recognise(f, arena, &r);
    assert_int_equal(r.rails, marks[i][0] == ':' ? 4 : 0);
    assert_int_equal(r.odd.count, 0);
    ripstop_fabric_free(f);
    ripstop_text_free(&text);
  }
  ripstop_arena_free(arena);
}

/* Cables at a port of one name are odd once, but not where numbers or the whole names tell them apart. */
static void cables_at_one_port_are_reported(void **state) {
  (void)state;
  static const char kind[] = "two cables at a port";
  ripstop_arena *arena = ripstop_arena_new();
  const char *odd[2];
  assert_int_equal(
      count_odd("@end h1 a port=swp1\n@end h2 a port=swp1\n@end h3 b\na b port=swp1,swp1\n", kind, arena, odd), 1);
  assert_string_equal(odd[0], "a/swp1");
  assert_string_equal(odd[1], "port 'swp1' of 'a' has 3 cables");
  assert_int_equal(count_odd("a b port=E1,E2\nb a port=E2,E1\n", kind, arena, odd), 2); /* reported from both sides */
  assert_int_equal(count_odd("@end h1 a port=1:E1\n@end h2 a port=2:E1\na b\n", kind, arena, odd), 0);
  assert_int_equal(count_odd("a/b c port=c,1\na d port=b/c,2\n", kind, arena, odd), 0);
  assert_int_equal(count_odd("<graphml><graph><node id='a'/><node id='b'/><node id='c'/>"
                             "<edge source='a' target='b' sourceport='E1'/>"
                             "<edge source='a' target='c' sourceport='E1'/></graph></graphml>",
                             kind, arena, odd),
                   0);
  ripstop_arena_free(arena);
}

/* Cables that the fabric's own rule has wired are not odd, though no model knows NVLink's switches. */
static void families_have_nothing_odd(void **state) {
  (void)state;
  ripstop_fabric *fabric = open_fabric("rail:units=2,servers=16,rails=8,spines=16,nvswitch=1");
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_recognised r;
  ripstop_recognise(fabric, arena, &r);
  assert_int_equal(r.odd.count, 0);
  ripstop_arena_free(arena);
  ripstop_fabric_free(fabric);
}

int main(void) {
  if (chdir(RIPSTOP_SOURCE_DIR) != 0) return RIPSTOP_EXIT_FAILED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(families_are_recognised),
      cmocka_unit_test(lines_that_are_rufts_are_recognised),
      cmocka_unit_test(places_are_coordinates),
      cmocka_unit_test(cliques_have_places),
      cmocka_unit_test(damaged_fabrics_are_recognised),
      cmocka_unit_test(the_odd_fabric_has_its_oddities),
      cmocka_unit_test(regular_dumps_have_none),
      cmocka_unit_test(nets_are_what_they_were_made_as),
      cmocka_unit_test(cables_among_strangers_are_reported),
      cmocka_unit_test(crossed_ports_of_an_adapter_are_reported),
      cmocka_unit_test(families_have_nothing_odd),
      cmocka_unit_test(edge_lists_have_slow_cables_and_rails),
      cmocka_unit_test(cables_are_slow_among_their_like),
      cmocka_unit_test(racks_in_names_are_no_rails),
      cmocka_unit_test(cables_at_one_port_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_slurm_topology.c - topology.conf of made trees, whatever the order of their dump; names in brackets; leaves that
 * share nodes; fabrics that no cable joins. */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "check.h"
#include "fabric/ib.h"
#include "recognise/slurm_topology.h"

/* A tree: pods of leaves and spines; with several pods, cores above them. Two storage switches hang on all spines. */
enum { NODES_MAX = 4000, CABLES_MAX = 8000 };

typedef struct made {
  uint32_t nodes, cables;
  char text[NODES_MAX][40]; /* descriptions */
  bool adapter[NODES_MAX];
  uint32_t cable[CABLES_MAX][4]; /* node, port, node, port */
  uint32_t used[NODES_MAX];      /* ports */
} made;

static uint32_t add_node(made *m, bool adapter, const char *format, uint32_t a, uint32_t b, uint32_t c) {
  snprintf(m->text[m->nodes], sizeof *m->text, format, a, b, c);
  m->adapter[m->nodes] = adapter;
  m->used[m->nodes] = 0;
  return m->nodes++;
}

static void add_cable(made *m, uint32_t a, uint32_t b) {
  const uint32_t cable[4] = {a, ++m->used[a], b, ++m->used[b]};
  memcpy(m->cable[m->cables++], cable, sizeof cable);
}

/* Lists the nodes in a random order, and their ports. */
static void print_made(const made *m, ripstop_text *out, ripstop_stream *s) {
  uint32_t *order = malloc(m->nodes * sizeof *order);
  for (uint32_t i = 0; i < m->nodes; i++) {
    const uint32_t j = ripstop_stream_below(s, i + 1);
    order[i] = order[j];
    order[j] = i;
  }
  for (uint32_t k = 0; k < m->nodes; k++) {
    const uint32_t i = order[k];
    ripstop_text_add(out, "%s %u \"%c-%016x\" # \"%s\"%s\n", m->adapter[i] ? "Ca" : "Switch", m->adapter[i] ? 1 : 100,
                     m->adapter[i] ? 'H' : 'S', i + 1, m->text[i], m->adapter[i] ? "" : " base port 0 lid 1 lmc 0");
    for (uint32_t c = 0; c < m->cables; c++)
      for (unsigned side = 0; side < 4; side += 2) {
        const uint32_t *near = &m->cable[c][side], *far = &m->cable[c][2 - side];
        if (near[0] == i)
          ripstop_text_add(out, "[%u] \"%c-%016x\"[%u] # lid 1 4xHDR\n", near[1], m->adapter[far[0]] ? 'H' : 'S',
                           far[0] + 1, far[1]);
      }
  }
  free(order);
}

/* ------------------------------------------------------------------ made trees and what they should become */

typedef struct sizes {
  uint32_t pods, leaves, spines, cores, hosts;
} sizes;

/* Numbers of present hosts in brackets. */
static void want_hosts(ripstop_text *out, const bool *there, uint32_t hosts, uint32_t pod, uint32_t leaf) {
  uint32_t count = 0, runs = 0;
  RIPSTOP_LOCAL_TEXT(list);
  for (uint32_t h = 0; h < hosts; h++) {
    if (!there[h]) continue;
    uint32_t end = h;
    while (end + 1 < hosts && there[end + 1]) end++;
    ripstop_text_add(&list, "%s%02u%02u%02u", runs++ ? "," : "", pod, leaf, h);
    if (end > h) ripstop_text_add(&list, "-%02u%02u%02u", pod, leaf, end);
    count += end - h + 1;
    h = end;
  }
  ripstop_text_add(out, "SwitchName=leaf-%02u%02u Nodes=n%s%s%s\n", pod, leaf, count > 1 ? "[" : "", list.data,
                   count > 1 ? "]" : "");
}

static void make_leaf(made *m, ripstop_text *want, ripstop_stream *s, const sizes *z, uint32_t pod, uint32_t leaf,
                      const uint32_t *spine, const uint32_t storage[2]) {
  bool there[40] = {false};
  const uint32_t node = add_node(m, false, leaf % 2 ? "MF0;leaf-%02u%02u:MQM8700/U1" : "leaf-%02u%02u", pod, leaf, 0);
  for (uint32_t i = 0; i < z->spines; i++) add_cable(m, node, spine[i]);
  for (uint32_t h = 0; h < z->hosts; h++) {
    there[h] = h == 0 || ripstop_stream_below(s, 8) > 0;
    if (!there[h]) continue;
    add_cable(m, node, add_node(m, true, "n%02u%02u%02u mlx5_0", pod, leaf, h));
    add_cable(m, storage[h % 2], add_node(m, true, "n%02u%02u%02u mlx5_1", pod, leaf, h));
  }
  want_hosts(want, there, z->hosts, pod, leaf);
}

static void want_range(ripstop_text *out, const char *head, const char *format, uint32_t first, uint32_t count) {
  ripstop_text_add(out, "%s", head);
  if (count > 1) ripstop_text_add(out, "[");
  ripstop_text_add(out, format, first);
  if (count > 1) ripstop_text_add(out, "-");
  if (count > 1) ripstop_text_add(out, format, first + count - 1);
  ripstop_text_add(out, count > 1 ? "]\n" : "\n");
}

/* The dump to `m`, its topology.conf to `want`. */
static void make_tree(made *m, ripstop_text *want, ripstop_stream *s, const sizes *z) {
  uint32_t spine[8], core[8];
  m->nodes = m->cables = 0;
  const uint32_t storage[2] = {add_node(m, false, "stor-%u", 0, 0, 0), add_node(m, false, "stor-%u", 1, 0, 0)};
  for (uint32_t c = 0; z->pods > 1 && c < z->cores; c++) core[c] = add_node(m, false, "core-%u", c, 0, 0);
  for (uint32_t pod = 0; pod < z->pods; pod++) {
    for (uint32_t i = 0; i < z->spines; i++) {
      spine[i] = add_node(m, false, "spine-%02u%02u", pod, i, 0);
      for (uint32_t c = i; z->pods > 1 && c < z->cores; c += z->spines) add_cable(m, core[c], spine[i]);
      if (pod == 0) add_cable(m, storage[0], spine[i]);
      if (pod == 0) add_cable(m, storage[1], spine[i]);
    }
    for (uint32_t leaf = 0; leaf < z->leaves; leaf++) make_leaf(m, want, s, z, pod, leaf, spine, storage);
  }
  for (uint32_t pod = 0; z->pods > 1 && pod < z->pods; pod++) {
    ripstop_text_add(want, "SwitchName=pod-%u Switches=leaf-", pod);
    want_range(want, "", "%04u", 100 * pod, z->leaves);
  }
  if (z->pods > 1)
    want_range(want, "SwitchName=top Switches=pod-", "%u", 0, z->pods);
  else
    want_range(want, "SwitchName=top Switches=leaf-", "%04u", 0, z->leaves);
}

static void topology_of(const char *dump, size_t length, const char *adapters, bool block, ripstop_text *out) {
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_error err = {0};
  ripstop_fabric *fabric = ripstop_ib_from_text("made", dump, length, &err);
  if (!fabric) fail_msg("%s", err.text);
  ripstop_recognised recognised;
  slurm_topology topology;
  ripstop_recognise(fabric, arena, &recognised);
  if (ripstop_slurm_topology(&topology, arena, fabric, &recognised, adapters, &err))
    ripstop_text_add(out, "error: %s", err.text);
  else
    ripstop_slurm_add_file(out, &topology, block);
  ripstop_fabric_free(fabric);
}

static void trees_become_their_leaves_and_pods(void **state) {
  (void)state;
  made *m = malloc(sizeof *m);
  assert_non_null(m);
  for (uint64_t seed = 0; seed < 40; seed++) {
    ripstop_stream s = ripstop_stream_open(seed, RIPSTOP_RANDOM_TEST, 0);
    const uint32_t spines = 2 + ripstop_stream_below(&s, 2);
    const sizes z = {.pods = seed % 2 ? 1 : 2 + ripstop_stream_below(&s, 4),
                     .leaves = 2 + ripstop_stream_below(&s, 5),
                     .spines = spines,
                     .cores = spines * (1 + ripstop_stream_below(&s, 2)),
                     .hosts = 2 + ripstop_stream_below(&s, 12)};
    RIPSTOP_LOCAL_TEXT(want);
    make_tree(m, &want, &s, &z);
    for (unsigned time = 0; time < 2; time++) {
      RIPSTOP_LOCAL_TEXT(dump);
      RIPSTOP_LOCAL_TEXT(is);
      print_made(m, &dump, &s);
      topology_of(dump.data, dump.length, "^mlx5_0$", false, &is);
      assert_string_equal(is.data, want.data);
    }
  }
  free(m);
}

/* ------------------------------------------------------------------ names */

static void check_names(const char *names, const char *want) {
  RIPSTOP_LOCAL_ARENA(arena);
  RIPSTOP_LOCAL_TEXT(out);
  const char *list[32];
  uint32_t count = 0;
  char *copy = ripstop_arena_text(arena, names);
  for (char *at = copy; at && *at; count++) {
    list[count] = at;
    at = strchr(at, ' ');
    if (at) *at++ = '\0';
  }
  ripstop_slurm_add_names(&out, list, count);
  assert_string_equal(out.data, want);
}

static void names_share_brackets(void **state) {
  (void)state;
  check_names("n001", "n001");
  check_names("n018 n002 n001 n003 n020", "n[001-003,018,020]");
  check_names("n8 n9 n10 n11", "n[8-9],n[10-11]");
  check_names("b1 a01 a1 login a02 b", "a1,a[01-02],b,b1,login");
  check_names("r1-n2 r2-n1 r1-n1", "r1-n[1-2],r2-n1");
  check_names("7 8 9", "[7-9]");
}

/* ------------------------------------------------------------------ leaves that share nodes, and separate fabrics */

#define LEAF(id, name, lines)      "Switch 9 \"S-" id "\" # \"" name "\" base port 0 lid 1 lmc 0\n" lines
#define HOST(id, name, leaf, port) "Ca 1 \"H-" id "\" # \"" name "\"\n[1] \"S-" leaf "\"[" port "] # lid 1 4xHDR\n"

static const char two_rails[] = LEAF("a", "r0", "[1] \"H-1\"[1] # 4xHDR\n[9] \"S-c\"[1] # 4xHDR\n")
    LEAF("b", "r1", "[1] \"H-2\"[1] # 4xHDR\n[9] \"S-c\"[2] # 4xHDR\n")
        LEAF("c", "spine", "[1] \"S-a\"[9] # 4xHDR\n[2] \"S-b\"[9] # 4xHDR\n") HOST("1", "gpu1 mlx5_0", "a", "1")
            HOST("2", "gpu1:mlx5_1", "b", "1");
static const char two_fabrics[] = LEAF("a", "x", "[1] \"H-1\"[1] # 4xHDR\n[2] \"H-3\"[1] # 4xHDR\n")
    LEAF("b", "y", "[1] \"H-2\"[1] # 4xHDR\n") HOST("1", "n1 mlx5_0", "a", "1") HOST("2", "n2 mlx5_0", "b", "1")
        HOST("3", "MT4129 ConnectX7   Mellanox Technologies", "a", "2");
static const char one_host[] = LEAF("a", "x", "[1] \"H-1\"[1] # 4xHDR\n") LEAF("b", "y", "[1] \"H-2\"[1] # 4xHDR\n")
    HOST("1", "n1 mlx5_0", "a", "1") HOST("2", "n1 mlx5_1", "b", "1");

static const char odd_names[] = LEAF("a", "x", "[1] \"H-1\"[1] # 4xHDR\n[2] \"H-2\"[1] # 4xHDR\n")
    HOST("1", "a=b mlx5_0", "a", "1") HOST("2", "n_2.site mlx5_0", "a", "2");

static void check_text(const char *dump, const char *adapters, bool block, const char *want) {
  RIPSTOP_LOCAL_TEXT(is);
  topology_of(dump, strlen(dump), adapters, block, &is);
  if (!strstr(is.data, want)) fail_msg("no '%s' in '%s'", want, is.data);
}

static void shared_and_separate(void **state) {
  (void)state;
  check_text(two_rails, NULL, true,
             "# r0 stands for 2 switches that share nodes: r0, r1\nBlockName=r0 Nodes=gpu1\nBlockSizes=1\n");
  check_text(two_rails, "mlx5_1", false, "SwitchName=r1 Nodes=gpu1\nSwitchName=top Switches=r1\n");
  check_text(
      two_fabrics, NULL, false,
      "# 1 adapters are left out: their descriptions name no host\nSwitchName=x Nodes=n1\nSwitchName=y Nodes=n2\n"
      "SwitchName=top-0 Switches=x\nSwitchName=top-1 Switches=y\n");
  check_text(
      odd_names, NULL, true,
      "# 1 adapters have hosts whose names are written otherwise, with - for all but letters, digits, dot, - and _: "
      "'a=b' is a-b\nBlockName=x Nodes=a-b,n_2.site\n");
  check_text(one_host, NULL, false, "error: 'n1' has adapters in two fabrics");
  check_text(one_host, "_0$", false, "SwitchName=top Switches=x\n");
  check_text(one_host, "mlx4", false, "error: no adapter whose second word matches 'mlx4'");
  check_text(one_host, "(", false, "error: '(' is no extended regular expression");
}

/* So many leaves of one name that a search through all of them for each number takes longer than a test may. */
static void leaves_of_one_name_are_numbered(void **state) {
  (void)state;
  enum { LEAVES = 16000 };
  RIPSTOP_LOCAL_TEXT(dump);
  RIPSTOP_LOCAL_TEXT(is);
  for (uint32_t i = 1; i <= LEAVES; i++)
    ripstop_text_add(&dump,
                     "Switch 2 \"S-%016x\" # \"leaf\" base port 0 lid 1 lmc 0\n[1] \"H-%016x\"[1] # lid 1 4xHDR\n"
                     "Ca 1 \"H-%016x\" # \"n%u mlx5_0\"\n[1] \"S-%016x\"[1] # lid 1 4xHDR\n",
                     i, LEAVES + i, LEAVES + i, i, i);
  topology_of(dump.data, dump.length, NULL, false, &is);
  assert_true(strstr(is.data, "SwitchName=leaf Nodes=n1\nSwitchName=leaf-2 Nodes=n2\n") != NULL);
  assert_true(strstr(is.data, "SwitchName=leaf-16000 Nodes=n16000\n") != NULL);
}

/* A name that is another with a number gets a number of its own. */
static void numbered_names_stay_apart(void **state) {
  (void)state;
  RIPSTOP_LOCAL_TEXT(dump);
  static const char *const names[] = {"leaf", "leaf-2", "leaf-2", "leaf"};
  for (uint32_t i = 1; i <= 4; i++)
    ripstop_text_add(&dump,
                     "Switch 2 \"S-%u\" # \"%s\" base port 0 lid 1 lmc 0\n[1] \"H-%u\"[1] # lid 1 4xHDR\n"
                     "Ca 1 \"H-%u\" # \"n%u mlx5_0\"\n[1] \"S-%u\"[1] # lid 1 4xHDR\n",
                     i, names[i - 1], 4 + i, 4 + i, i, i);
  check_text(dump.data, NULL, false,
             "SwitchName=leaf Nodes=n1\nSwitchName=leaf-2 Nodes=n4\nSwitchName=leaf-2-2 Nodes=n2\n"
             "SwitchName=leaf-2-3 Nodes=n3\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees_become_their_leaves_and_pods),
      cmocka_unit_test(names_share_brackets),
      cmocka_unit_test(shared_and_separate),
      cmocka_unit_test(numbered_names_stay_apart),
      cmocka_unit_test(leaves_of_one_name_are_numbered),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

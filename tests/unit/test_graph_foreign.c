/* test_graph_foreign.c - what is no edge list is refused by name: the files of tests/data/foreign, and lists near them
 * that are edge lists. What is one does not depend on what routers are called: fabrics in many styles of names are
 * accepted, generated settings and sentences and lists with hosts are refused. */
#include <string.h>

#include "check.h"
#include "fabric/graph.h"

static const char *path_of(ripstop_arena *arena, const char *name, int length) {
  return ripstop_arena_printf(arena, RIPSTOP_SOURCE_DIR "/tests/data/foreign/%.*s", length, name);
}

static void refuse(const char *path, const char *part) {
  ripstop_error err = {0};
  ripstop_fabric *f = ripstop_fabric_open(path, &err);
  if (f) fail_msg("%s is a fabric of %u end nodes", path, f->ends);
  if (!strstr(err.text, part)) fail_msg("'%s' does not contain '%s'", err.text, part);
  if (strchr(err.text, '\n') || !strstr(err.text, path)) fail_msg("'%s' is no line with the file", err.text);
}

static void files_of_others_are_refused_by_name(void **state) {
  (void)state;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_error err = {0};
  char *list;
  size_t length;
  unsigned files = 0;
  if (ripstop_read_file(arena, path_of(arena, "expected.txt", 12), 1 << 20, &list, &length, &err))
    fail_msg("%s", err.text);
  for (char *line = list, *next; line && *line; line = next, files++) {
    if ((next = strchr(line, '\n'))) *next++ = '\0';
    const char *tab = strchr(line, '\t');
    assert_non_null(tab);
    refuse(path_of(arena, line, (int)(tab - line)), tab + 1);
  }
  assert_true(files >= 50);
  ripstop_arena_free(arena);
}

static void take(const char *text, uint32_t ends, uint32_t links) {
  ripstop_error err = {0};
  ripstop_fabric *f = ripstop_graph_from_text("net", text, strlen(text), &err);
  if (!f) fail_msg("%s", err.text);
  if (f->ends != ends || f->links != links) fail_msg("%u end nodes, %u links: %s", f->ends, f->links, text);
  ripstop_fabric_free(f);
}

static void edge_lists_near_them_are_taken(void **state) {
  (void)state;
  take("1 2\n", 2, 3);
  take("r0 r1\nr0 r2\nr0 r3\n", 4, 7); /* a star of one kind of names */
  take("r0 r1\nr2 r3\nr3 r4\n", 5, 8); /* and several parts */
  take("3.0 3.1\n3.0 3.2\n", 3, 5);
  take("a b\nb c\n", 3, 5);
  take("a b\na b\nc d\nc d\n", 4, 8); /* two planes */
  take("0 1\n1 2\n2 0\n", 3, 6);
  take("4 1\n1 2\n2 3\n3 4\n", 4, 8);  /* no counts: the first line says one edge */
  take("n0 n1\nn1 n2\nn2 n3\n", 4, 7); /* a chain, whatever its routers are called */
  take("n0 n1\nn0 n2\nn1 n3\nn1 n4\n", 5, 9);
  take("h1 h2\nh2 h3\nh3 h1\n", 3, 6);
  take("gpu0 gpu1\ngpu1 gpu2\ngpu2 gpu0\ngpu0 nvswitch0\n", 4, 8);
  take("@router host1\ns1 s2\nhost1 s1\n", 3, 5); /* it is said that it is a router */
  take("@router n1\nn1 s1\nn2 s1\n", 3, 5);
  take("@end host1 s1\ns1 s2\n", 1, 2);
  take("tier 0 100G\n0 1\n", 3, 5);
  take("set a 100G\nclass a\n", 3, 5);
  take("@router spine1\nleaf1 spine1\nleaf2 spine1\n", 3, 5);
  take("leaf1 spine1\nleaf1 spine2\nleaf2 spine1\n", 4, 7); /* one cable is missing */
  take("RACK_1 RACK_2\nRACK_2 RACK_3\nRACK_3 RACK_1\n", 3, 6);
  take("TOR_A SPINE_1\nTOR_B SPINE_1\nTOR_A SPINE_2\nTOR_B SPINE_2\n", 4, 8);
  take("10:20:30:40:50:60 10:20:30:40:50:61\n10:20:30:40:50:61 10:20:30:40:50:62\n", 3, 5);
  take("10.20.30.40 10.20.30.41 100G\n10.20.30.41 10.20.30.42\n", 3, 5);
  take("a -- b\nb--c\nc - a\na -> d\nd <-> c\n", 4, 9);
  take("a,b\nb, c\nc ,a 100G\n", 3, 6);
  take("a--b 100G\nb--c rate=0.5\nc,a delay=2\n", 3, 6);
  take("class room\nroom hall\nhall class\n", 3, 6);
  take("left right # a, b; c -> d\nright from\nfrom left\n", 3, 6);
}

/* One text of texts.txt: refused with `what`, or "ok ENDS LINKS". */
static void judge_text(const char *name, const char *what, const char *text, size_t length) {
  ripstop_error err = {0};
  ripstop_fabric *f = ripstop_graph_from_text("net", text, length, &err);
  unsigned ends, links;
  if (sscanf(what, "ok %u %u", &ends, &links) == 2) {
    if (!f) fail_msg("%s", err.text);
    if (f->ends != ends || f->links != links) fail_msg("%s: %u end nodes, %u links", name, f->ends, f->links);
  } else if (f)
    fail_msg("%s is a fabric of %u end nodes", name, f->ends);
  else if (!strstr(err.text, what) || strchr(err.text, '\n'))
    fail_msg("%s: '%s' does not contain '%s'", name, err.text, what);
  ripstop_fabric_free(f);
}

static void texts_of_all_kinds_are_told_apart(void **state) {
  (void)state;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_error err = {0};
  char *all;
  size_t length;
  unsigned refused = 0, accepted = 0;
  if (ripstop_read_file(arena, path_of(arena, "texts.txt", 9), 1 << 20, &all, &length, &err)) fail_msg("%s", err.text);
  for (char *at = all, *next; at && *at; at = next) {
    char *tab = strchr(at, '\t'), *text = strchr(at, '\n');
    assert_true(!strncmp(at, "==> ", 4) && tab && text && tab < text);
    *tab = *text++ = '\0';
    next = !strncmp(text, "==> ", 4) ? text : strstr(text, "\n==> ");
    if (next && next != text) next++;
    judge_text(at + 4, tab + 1, text, next ? (size_t)(next - text) : strlen(text));
    ++*(strncmp(tab + 1, "ok ", 3) ? &refused : &accepted);
  }
  assert_true(refused >= 150 && accepted >= 50);
  ripstop_arena_free(arena);
}

static void refuse_text(const char *text, const char *part) {
  ripstop_error err = {0};
  ripstop_fabric *f = ripstop_graph_from_text("net", text, strlen(text), &err);
  if (f) fail_msg("%u end nodes: %s", f->ends, text);
  if (!strstr(err.text, part) || !strstr(err.text, "'@end ")) fail_msg("'%s' does not contain '%s'", err.text, part);
}

static void hosts_and_settings_are_refused(void **state) {
  (void)state;
  refuse_text("a b\nc d\n", "net:1: 'a b' is probably no cable");
  refuse_text("1 100\n2 200\n3 300\n", "net:1: '1 100' is probably no cable");
  refuse_text("hello world\n", "net:1: 'hello world' is probably no cable");
  refuse_text("hub a\nhub b\nhub c\n", "net:1: 'hub a' is probably no cable between routers: each name of the second");
  refuse_text("use_ecn true\nuse_pfc true\ndebug false\ntrace false\nfast_retx true\n", "net:1: 'use_ecn true' ");
  refuse_text("a b\nb c\nc k\nk 31\n31 a\n", "'31' is a bare number beside names that are words");
  refuse_text("a b\nb c\nc k\nk 0x1f\n0x1f a\n", "'0x1f' begins with a number beside names that are words");
  refuse_text("a b\nb c\nc k\nk 80/tcp\n80/tcp a\n", "'80/tcp' begins with a number beside names that are words");
  refuse_text("listen 80\nroot www\nlog www\n", "net:1: 'listen 80' ");
  refuse_text("the quick\nbrown fox\njumps over\nthe lazy\ndog and\n", "net:1: 'the quick' ");
  refuse_text("a b\nb c\nc a\nd e\ne f\n",
              "net:4: 'd e' is probably no cable between routers: the list falls into 2 parts");
  refuse_text("source target\na b\nb c\nc a\n", "(or are these the titles of columns?)");
  refuse_text("n1 sw1\n", "net:1: 'n1 sw1' ");
  refuse_text("pc1 sw1\npc2 sw1\npc3 sw2\nsw1 sw2\n", "'@end pc1 sw1' makes it an end node, '@router pc1' says");
  refuse_text("sw1 sw2 100G\nsw1 n-1 25G\nsw2 n-2 25G\n", "net:2: 'n-1' is probably a host");
  refuse_text("host-a leafA\nhost-b leafB\nleafA leafB\n", "'@end host-a leafA' ");
  refuse_text("host1 sw1\nhost1 sw2\nhost2 sw1\nhost2 sw2\n", "'@end host1:1 sw1' ");
  refuse_text("@router host1\nhost1 sw1\nhost2 sw1\n", "net:3: 'host2' is probably a host");
}

static const char *const styles[][2] = {{"%u", "1%03u"},
                                        {"leaf%u", "spine%u"},
                                        {"RACK_%u", "TOR_%u"},
                                        {"MAX_RATE_%u", "IS_ON_%u"},
                                        {"class%u", "import%u"},
                                        {"node%u", "node1%03u"},
                                        {"0x0002c903000%05u", "0x0002c904000%05u"},
                                        {"10:20:30:40:%02u:60", "10:20:30:40:%02u:61"},
                                        {"10.20.30.%u", "10.20.31.%u"},
                                        {"2026-01-%02u", "2027-01-%02u"},
                                        {"pod1/tor-%u.dc", "pod1/agg-%u.dc"},
                                        {"START_%u", "END_%u"},
                                        {"HYBRID_%u", "DATA_%u"},
                                        {"Switch-%u[A]", "CA-%u[B]"}};

/* A line of two names; a style has one "%u", perhaps with zeros before it. */
static void add(ripstop_text *text, const char *const style[2], unsigned a, unsigned a_kind, unsigned b,
                unsigned b_kind) {
  for (unsigned side = 0; side < 2; side++) {
    const char *form = style[side ? b_kind : a_kind], *number = strchr(form, '%');
    const size_t mark = strcspn(number, "u") + 1;
    const int digits = mark > 2 ? number[mark - 2] - '0' : 0;
    ripstop_text_add(text, "%.*s%0*u%s%s", (int)(number - form), form, digits, side ? b : a, number + mark,
                     side ? "\n" : " ");
  }
}

/* A ring, a mesh of two rows, leaves and spines, and two planes of leaves and spines. */
static void names_are_free(void **state) {
  (void)state;
  for (size_t s = 0; s < sizeof styles / sizeof *styles; s++) {
    ripstop_text ring = {0}, mesh = {0}, tree = {0}, planes = {0};
    for (unsigned i = 0; i < 7; i++) add(&ring, styles[s], i, 0, (i + 1) % 7, 0);
    for (unsigned i = 0; i < 6; i++) {
      add(&mesh, styles[s], i, 0, i, 1);
      if (i < 5) add(&mesh, styles[s], i, 0, i + 1, 0), add(&mesh, styles[s], i, 1, i + 1, 1);
    }
    for (unsigned i = 0; i < 12; i++) add(&tree, styles[s], i / 3, 0, i % 3, 1);
    for (unsigned i = 0; i < 24; i++) add(&planes, styles[s], i / 3, 0, i % 3 + i / 12 * 3, 1);
    take(ring.data, 7, 14);
    take(mesh.data, 12, 28);
    take(tree.data, 7, 19);
    take(planes.data, 14, 38);
    ripstop_text_free(&ring), ripstop_text_free(&mesh), ripstop_text_free(&tree), ripstop_text_free(&planes);
  }
}

/* Settings: each key once, a value out of few or of many. Hosts: two or more on each of some switches in a ring. */
static void generated_settings_and_hosts_are_refused(void **state) {
  (void)state;
  static const char *const key[] = {"ENABLE_%u", "use.%u", "key%u-on", "KEY_%u_MAX", "%u"};
  for (unsigned seed = 0; seed < 200; seed++) {
    const char *const style[] = {key[seed % 5], "value%u"};
    const unsigned values = 1 + seed % 9, keys = 2 + seed % 17;
    ripstop_text settings = {0}, hosts = {0};
    for (unsigned i = 0; i < keys; i++) add(&settings, style, i, 0, i * (seed + 7) / 3 % values, 1);
    refuse_text(settings.data, "is probably ");
    const char *const *names = styles[1 + seed % 3];
    const unsigned switches = 3 + seed % 5;
    for (unsigned i = 0; i < switches; i++) add(&hosts, names, i, 1, (i + 1) % switches, 1);
    for (unsigned i = 0; i < 2 * switches; i++) {
      const unsigned host = 100 + i, at = i * (seed + 1) % switches;
      add(&hosts, names, seed % 2 ? host : at, seed % 2 ? 0 : 1, seed % 2 ? at : host, seed % 2 ? 1 : 0);
    }
    refuse_text(hosts.data, "is probably a host");
    ripstop_text_free(&settings), ripstop_text_free(&hosts);
  }
}

static void delays_of_booksim_are_of_one_candidate(void **state) {
  (void)state;
  ripstop_error err = {0};
  static const char text[] = "router 0 node 0 router 1 12\nrouter 1 node 1 router 0 7\n";
  assert_null(ripstop_graph_from_text("net", text, sizeof text - 1, &err));
  assert_non_null(strstr(err.text, "net:1: router 0 to router 1 takes 12 cycles and back 7"));
  take("router 0 node 0 router 1 6\nrouter 1 node 1 router 0 6\n", 2, 3);
  take("Router 0 Node 0 Router 1\nRouter 1 Node 1\n", 2, 3);
  take("node 0 router 0\nnode 1 router 1\nrouter 0 router 1\n", 2, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_of_all_kinds_are_told_apart),
      cmocka_unit_test(files_of_others_are_refused_by_name),
      cmocka_unit_test(edge_lists_near_them_are_taken),
      cmocka_unit_test(hosts_and_settings_are_refused),
      cmocka_unit_test(names_are_free),
      cmocka_unit_test(generated_settings_and_hosts_are_refused),
      cmocka_unit_test(delays_of_booksim_are_of_one_candidate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

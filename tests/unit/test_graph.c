/* test_graph.c - graphs from files: what edge lists and GraphML may contain, what is refused, and that every fabric
 * comes back as it was from the edge list that is written of it. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fabric/graph.h"
#include "opened.h"
#include "ripstop/kit/fabrics.h"
#include "ripstop/plugin/faults.h"
#include "scene.h"

static ripstop_fabric *graph_of(const char *text) {
  ripstop_error err = {0};
  ripstop_fabric *f = ripstop_graph_from_text("net", text, strlen(text), &err);
  if (f == NULL || ripstop_fabric_check(f, &err) != 0) fail_msg("%s", err.text);
  return f;
}

/* ------------------------------------------------------------------ there and back */

static const char *node_called(const ripstop_fabric *f, uint32_t node) {
  static char name[2][RIPSTOP_NAME_MAX];
  static unsigned turn;
  turn ^= 1;
  ripstop_node_name(f, node, name[turn]);
  return name[turn];
}

static const char *link_called(const ripstop_fabric *f, uint32_t link) {
  static char name[2][RIPSTOP_NAME_MAX];
  static unsigned turn;
  turn ^= 1;
  ripstop_link_name(f, link, name[turn]);
  return name[turn];
}

static void assert_same(const ripstop_fabric *a, const ripstop_fabric *b) {
  assert_int_equal(a->ends, b->ends);
  assert_int_equal(a->nodes, b->nodes);
  assert_int_equal(a->links, b->links);
  assert_int_equal(a->ports, b->ports);
  for (uint32_t node = 0; node < a->nodes; node++) {
    assert_string_equal(node_called(a, node), node_called(b, node));
    assert_int_equal(a->port_base[node], b->port_base[node]);
  }
  for (uint32_t port = 0; port < a->ports; port++) {
    assert_int_equal(a->peer[port], b->peer[port]);
    assert_int_equal(a->port_link[port], b->port_link[port]);
  }
  for (uint32_t link = 0; link < a->links; link++) {
    assert_string_equal(link_called(a, link), link_called(b, link));
    assert_int_equal(ripstop_fabric_rate(a, link), ripstop_fabric_rate(b, link));
    assert_int_equal(a->delay ? a->delay[link] : 0, b->delay ? b->delay[link] : 0);
  }
}

static char *written(const ripstop_fabric *f) {
  char *text;
  size_t length;
  ripstop_error err = {0};
  FILE *file = open_memstream(&text, &length);
  if (ripstop_graph_print(f, file, &err) != 0) fail_msg("%s", err.text);
  fclose(file);
  return text;
}

static void comes_back(const ripstop_fabric *f) {
  char *text = written(f);
  ripstop_fabric *back = graph_of(text);
  char *again = written(back);
  assert_same(f, back);
  assert_string_equal(strchr(text, '\n'), strchr(again, '\n')); /* the first line has the spec */
  ripstop_fabric_free(back);
  free(again);
  free(text);
}

static void every_fabric_comes_back(void **state) {
  (void)state;
  static const char *const more[] = {"torus:2x3",
                                     "kns:k=4,n=2,s=2,c=2",
                                     "rail:units=2,servers=2,rails=2,spines=2,nvswitch=1",
                                     "hyperx:3x2,k=2,p=3",
                                     "xgft:m=4.4,w=1.2",
                                     "tests/data/ib/clos-odd.ibnetdiscover",
                                     NULL};
  for (size_t i = 0; ripstop_families[i] != NULL; i++) {
    ripstop_fabric *f = open_fabric(ripstop_families[i]->example);
    comes_back(f);
    ripstop_fabric_free(f);
  }
  for (size_t i = 0; more[i] != NULL; i++) {
    ripstop_fabric *f = open_fabric(more[i]);
    comes_back(f);
    ripstop_fabric_free(f);
  }
}

/* The lists that hold the families to the papers are graphs themselves, with the same nodes and as many cables. */
static void known_wirings_are_graphs(void **state) {
  (void)state;
  glob_t files;
  char line[256];
  assert_int_equal(glob("tests/data/topologies/*.graph", 0, NULL, &files), 0);
  for (size_t i = 0; i < files.gl_pathc; i++) {
    FILE *in = fopen(files.gl_pathv[i], "r");
    assert_non_null(fgets(line, sizeof line, in));
    fclose(in);
    line[strcspn(line, "\n")] = '\0';
    ripstop_fabric *graph = open_fabric(files.gl_pathv[i]), *family = open_fabric(line + 2);
    assert_int_equal(graph->links, family->links);
    assert_int_equal(graph->nodes, family->nodes);
    for (uint32_t end = 0; end < graph->ends; end++) {
      assert_string_equal(node_called(graph, end), node_called(family, end));
      assert_string_equal(node_called(graph, ripstop_end_switch(graph, end)),
                          node_called(family, ripstop_end_switch(family, end)));
    }
    comes_back(graph);
    ripstop_fabric_free(graph);
    ripstop_fabric_free(family);
  }
  globfree(&files);
}

/* ------------------------------------------------------------------ allowed contents of files */

static const char everything[] = "# a spine without end nodes, three kinds of links\n"
                                 "@router leaf1 group=rack1 role=leaf ports=8\n"
                                 "@router dark\n"
                                 "@end host1 leaf1 25G port=Ethernet0\n"
                                 "@end host2 leaf2 rate=0.25 delay=3\n"
                                 "@end host3 leaf1\n"
                                 "leaf1 spine 100G port=Ethernet48,7 group=power-a class=up\n"
                                 "leaf2 spine n=2 group=power-b # two of them\n"
                                 "spine leaf1 delay=12 name=the-long-one port=2:Eth2,4\n";

static void check_everything(const ripstop_fabric *f) {
  static const char *const links[] = {"end:host1",    "end:host2",      "end:host3",   "leaf1--spine",
                                      "leaf2--spine", "leaf2--spine#2", "the-long-one"};
  static const uint16_t rates[] = {250, 250, 1000, 1000, 1000, 1000, 1000}, delays[] = {0, 3, 0, 0, 0, 0, 12};
  assert_int_equal(f->ends, 3);
  assert_int_equal(f->links, 7);
  assert_int_equal(ripstop_fabric_switches(f), 4);
  for (uint32_t link = 0; link < 7; link++) {
    assert_string_equal(link_called(f, link), links[link]);
    assert_int_equal(ripstop_fabric_rate(f, link), rates[link]);
    assert_int_equal(f->delay[link], delays[link]);
  }
  assert_string_equal(node_called(f, f->ends + 1), "dark");
  assert_int_equal(ripstop_node_ports(f, f->ends), 8);
  assert_int_equal(ripstop_node_ports(f, f->ends + 1), 0);
  assert_int_equal(ripstop_node_ports(f, f->ends + 3), 8); /* the spine: ports 0, 1, 2 and 7 */
  assert_int_equal(f->peer[f->port_base[f->ends + 3] + 2], f->port_base[f->ends] + 4);
}

static void graphs_report_everything(void **state) {
  (void)state;
  ripstop_fabric *f = graph_of(everything);
  check_everything(f);
  comes_back(f);
  ripstop_names *names = ripstop_names_new(f);
  assert_int_equal(ripstop_names_link(names, "leaf1/Ethernet48", 16), 3);
  assert_int_equal(ripstop_names_link(names, "leaf1/Ethernet0", 15), 0);
  assert_int_equal(ripstop_names_link(names, "spine/Eth2", 10), 6);
  assert_int_equal(ripstop_names_link(names, "leaf1/Eth2", 10), RIPSTOP_NONE);
  ripstop_names_free(names);
  ripstop_fabric_free(f);
}

static void groups_fail_together(void **state) {
  (void)state;
  ripstop_fabric *f = graph_of(everything);
  ripstop_names *names = ripstop_names_new(f);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_faults faults;
  ripstop_error err = {0};
  const char words[] = "group:power-b group:rack1", wrong[] = "group:power-c";
  assert_int_equal(ripstop_faults_parse(arena, names, words, strlen(words), &faults, &err), 0);
  assert_int_equal(faults.links, 2);
  assert_int_equal(faults.link[0], 4);
  assert_int_equal(faults.switches, 1);
  assert_int_equal(faults.switch_[0], f->ends);
  assert_int_equal(ripstop_faults_parse(arena, names, wrong, strlen(wrong), &faults, &err), -1);
  assert_non_null(strstr(err.text, "no part of graph:net,hash="));
  assert_non_null(strstr(err.text, "is in the group 'power-c'; did you mean 'power-a'?"));
  const char slow[] = "group:power-b~0.25 group:rack1",
             when[] = "group:rack1+@90 group:power-b@20 group:rack1@20 group:power-b~0.5@60";
  assert_int_equal(ripstop_faults_parse(arena, names, slow, strlen(slow), &faults, &err), 0);
  assert_true(faults.links == 0 && faults.slows == 2 && faults.switches == 1);
  assert_true(faults.slow[0].link == 4 && faults.slow[0].rate == 250);
  ripstop_schedule schedule;
  ripstop_text text = {0};
  if (ripstop_schedule_parse(arena, names, when, strlen(when), &schedule, &err)) fail_msg("%s", err.text);
  ripstop_schedule_print(&text, f, &schedule);
  char b[2][RIPSTOP_NAME_MAX], leaf[RIPSTOP_NAME_MAX], *expected;
  ripstop_link_name(f, 4, b[0]), ripstop_link_name(f, faults.slow[1].link, b[1]), ripstop_node_name(f, f->ends, leaf);
  expected = ripstop_arena_printf(arena, "%s@20 %s@20 switch:%s@20 %s~0.5@60 %s~0.5@60 switch:%s+@90", b[0], b[1], leaf,
                                  b[0], b[1], leaf);
  assert_string_equal(text.data, expected);
  ripstop_text_free(&text);
  ripstop_arena_free(arena);
  ripstop_names_free(names);
  ripstop_fabric_free(f);
}

/* A packet of 4 flits from a to b, by hand: 1 cycle to its router, 1 in the pipeline, 3 on the long cable where others
 * take 1, 1 in the pipeline, 1 to the end node, and 3 more until its tail is there. */
static void delays_are_simulated(void **state) {
  (void)state;
  static const char *const options[] = {"flow=credits", "flow=xonxoff"};
  for (unsigned i = 0; i < 2; i++) {
    scene *s = scene_open("tests/data/long-cable.edges", "mend", "packet=4 load=0.01 cycles=20000 in_queue=32");
    uint64_t least = UINT64_MAX;
    scene_set(s, options[i]);
    ripstop_run_result result = scene_run(s);
    for (size_t k = 0; k < s->deliveries; k++)
      if (s->delivered[k].at - s->delivered[k].generated_at < least)
        least = s->delivered[k].at - s->delivered[k].generated_at;
    assert_int_equal(least, 10);
    ripstop_run_result_free(&result);
    scene_close(s);
  }
}

/* ------------------------------------------------------------------ GraphML */

#define HEAD                                                                                                           \
  "<?xml version='1.0' encoding='utf-8'?>\n<graphml xmlns='http://graphml.graphdrawing.org/xmlns'>\n"                  \
  "<key id='d0' for='edge' attr.name='delay' attr.type='int'/><key id='d1' for='edge' attr.name='speed'/>\n"           \
  "<key id='d2' for='all' attr.name='group'/><key id='d3' for='node' attr.name='type'><default>host</default></key>\n" \
  "<key id='d4' for='edge' attr.name='name'/><key id='d5' for='edge' attr.name='rate'/>"                               \
  "<key id='d6' for='edge' attr.name='n'/><key id='d7' for='node' attr.name='ports'/>\n"                               \
  "<key id='d8' for='node' attr.name='Latitude'/><key id='d9' for='edge' attr.name='LinkSpeedRaw'/>\n"
#define GRAPH      HEAD "<graph edgedefault='undirected'>\n"
#define TAIL       "</graph></graphml>\n"
#define ROUTER(id) "<node id='" id "'><data key='d3'>router</data></node>"

static void graphml_reports_the_same(void **state) {
  (void)state;
  static const char text[] = GRAPH
      "<node id='leaf1'><data key='d3'> router </data><data key='d2'>rack1</data><data key='d7'>8</data>"
      "<data key='d8'>47.5</data></node>" ROUTER("dark") "<node id='host1'/>" ROUTER(
          "leaf2") "<edge source='host1' target='leaf1' targetport='Ethernet0'><data key='d1'>25G</data></edge>"
                   "<edge source='leaf2' target='host2'><data key='d5'>0.25</data><data key='d0'>3</data></edge>"
                   "<edge source='host3' target='leaf1'/>"
                   "<edge source='leaf1' target='spine' sourceport='Ethernet48' targetport='7'>"
                   "<data key='d9'>100000000000</data><data key='d2'>power-a</data></edge>"
                   "<edge source='leaf2' target='spine'><data key='d6'>2</data><data key='d2'>power-b</data></edge>"
                   "<edge source='spine' target='leaf1' sourceport='2:Eth2' targetport='4'><data key='d0'>12</data>"
                   "<data key='d4'>the-long-one</data></edge>" ROUTER(
                       "spine") "<node id='host2'/><node id='host3'/>" TAIL;
  ripstop_fabric *f = graph_of(text);
  check_everything(f);
  ripstop_fabric_free(f);
}

/* Ids of one length differ only in their characters. A speed of a million bits a second, the least, is accepted. */
static void graphml_has_many_nodes(void **state) {
  (void)state;
  enum { NODES = 900 };
  ripstop_text text = {0};
  char cable[40];
  ripstop_text_add(&text, "%s", GRAPH);
  for (unsigned i = 0; i < NODES; i++)
    ripstop_text_add(&text, "<node id='r%03u'><data key='d3'>router</data></node>", i);
  for (unsigned i = 0; i < NODES; i++)
    ripstop_text_add(&text, "<edge source='r%03u' target='r%03u'><data key='d9'>%s</data></edge>", i, (i + 1) % NODES,
                     i ? "2000000" : "1000000");
  ripstop_text_add(&text, "%s", TAIL);
  ripstop_fabric *f = graph_of(text.data);
  assert_int_equal(f->links, 2 * NODES); /* each router has an end node */
  for (uint32_t link = 0; link < NODES; link++) {
    snprintf(cable, sizeof cable, "r%03u--r%03u", link + 1 < NODES ? link : 0, link + 1 < NODES ? link + 1 : link);
    assert_string_equal(link_called(f, NODES + link), cable);
    assert_int_equal(ripstop_fabric_rate(f, NODES + link), link ? RIPSTOP_RATE_FULL : RIPSTOP_RATE_FULL / 2);
  }
  ripstop_fabric_free(f);
  ripstop_text_free(&text);
}

/* Cables broken out of one port, a name beside numbers, an edge at a port of GraphML that another has too: all are
 * read, as are names with slashes that are one only when joined. A name of two cables is a name of neither. */
static void ports_of_one_name_are_read(void **state) {
  (void)state;
  static const char *const texts[] = {
      "@end h1 a port=swp1\n@end h2 a port=swp1\na b port=swp2,1\n",
      "@end h1 a port=1:swp1\n@end h2 a port=2:swp1\na b port=swp2,1\n",
      "a/b c port=c,1\na d port=b/c,2\na e port=swp2,1\n",
      GRAPH ROUTER("a") ROUTER("b") ROUTER(
          "c") "<edge source='a' target='b' sourceport='swp1'/>"
               "<edge source='a' target='c' sourceport='swp1'/><edge source='b' target='a' targetport='swp2'/>" TAIL};
  for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
    ripstop_fabric *f = graph_of(texts[i]);
    ripstop_names *names = ripstop_names_new(f);
    assert_int_equal(ripstop_names_link(names, "a/swp1", 6), RIPSTOP_NONE);
    assert_int_equal(ripstop_names_link(names, "a/swp2", 6), f->links - 1);
    ripstop_names_free(names);
    ripstop_fabric_free(f);
  }
}

/* ------------------------------------------------------------------ BookSim */

/* A cable that both of its routers list is one cable; a delay of 1 is the default. */
static void booksim_files_are_graphs(void **state) {
  (void)state;
  ripstop_fabric *f =
      graph_of("router 0 node 0 node 1 router 1 router 2 15\r\nrouter 1 node 2 router 0 1\nrouter 2 router 0 15\n");
  assert_int_equal(f->ends, 3);
  assert_int_equal(f->links, 5);
  assert_string_equal(link_called(f, 3), "0--1");
  assert_string_equal(link_called(f, 4), "0--2");
  assert_int_equal(f->delay[3], 0);
  assert_int_equal(f->delay[4], 15);
  assert_string_equal(node_called(f, ripstop_end_switch(f, 2)), "1");
  ripstop_fabric_free(f);
}

/* ------------------------------------------------------------------ refused files */

static void refuse(const char *text, const char *message) {
  ripstop_error err = {0};
  ripstop_fabric *f = ripstop_graph_from_text("net", text, strlen(text), &err);
  if (f != NULL) fail_msg("accepted: %s", text);
  if (strstr(err.text, message) == NULL) fail_msg("'%s' does not contain '%s'", err.text, message);
}

static void bad_words_are_refused(void **state) {
  (void)state;
  refuse("a b\n@rooter c\n", "net:2: '@rooter' is unknown; there are @router and @end");
  refuse("a b\n@foo c d\n", "net:2: '@foo' is unknown; there are @router and @end"); /* as long as @end */
  refuse("@router\n", "net:1: @router needs a name");
  refuse("@router a b\n", "net:1: 'b' after a router's name; only KEY=VALUE may follow");
  refuse("@end a\n", "net:1: @end needs a name and a router");
  refuse("@end a r\n@end a s\n", "net:2: a second line for the end node 'a'");
  refuse("@end a r\nr s\ns a\n",
         "net:3: 'a' is an end node by @end, which has one cable, and a router by a cable's line; "
         "where both are meant, '@router a' comes first");
  refuse("s a\n@end a r\nr s\n",
         "net:2: 'a' is an end node by @end, which has one cable, and a router by a cable's line; "
         "where both are meant, '@router a' comes first");
  refuse("@end a r\n@end b a\n",
         "net:2: 'a' is an end node by @end, which has one cable, and a router by a cable's line; "
         "where both are meant, '@router a' comes first");
  refuse("a b speed=1\n", "net:1: 'speed=' is unknown");
  refuse("a b rat=1\n", "net:1: 'rat=' is unknown; did you mean 'rate='?");
  refuse("a b rate=2\n", "net:1: rate=2: a number from 0.01 to 1");
  refuse("a b rate=0.0005\n", "net:1: rate=0.0005: ");
  refuse("a b rate=0.009\n", "net:1: rate=0.009: a number from 0.01 to 1");
  refuse("a b rate=nan\n", "net:1: rate=nan: ");
  refuse("a b delay=0\n", "net:1: delay=0: a number of cycles from 1 to 1000");
  refuse("a b n=5000\n", "net:1: n=5000: a number of parallel cables from 1 to 4096");
  refuse("a b n=2 name=x\n", "net:1: 2 cables cannot have one name or port");
  refuse("a b name=x\nb c name=x\n", "net:2: two links have the name 'x'");
  refuse("a b name=\n", "net:1: name=: a word of 1 to 100 bytes");
  refuse("a b port=3\n", "net:1: port=3: both ends have one, as port=3,7");
  refuse("a b port=3,70000\n", "net:1: port=70000: a number below 65535");
  refuse("a b port=3,7\na c port=3,7\n", "net: port 3 of 'a' has two cables");
  refuse("@router a ports=70000\na b\n", "net:1: ports=70000: a number up to 65535");
  refuse("@router a\n", "net: 1 switch and no link between switches: no line that joins two of them");
  refuse("router 0 node 0\nrouter x\n", "net:2: 'x' where a router's number is expected");
  refuse("router 0 node 0\nswitch 1\n", "net:2: 'switch' where 'router' is expected");
  refuse("router 0 node 0 host 1\n", "net:1: 'host' where 'node' or 'router' is expected");
  refuse("router 0 node x\n", "net:1: 'x' where a number is expected");
  refuse("router 0 node 0 router 0\n", "net:1: a link from '0' to itself");
  refuse("router 0 node 0 node 0\n", "net:1: a second line for the end node '0'");
  refuse("a b x@y=1\n", "'x@y=' is unknown");
}

static void bad_graphml_is_refused(void **state) {
  (void)state;
  refuse("<graphml><graph><node id='a'>\n</graph>", "net:2: as XML: mismatched tag");
  refuse("<graphml>", "net:1: as XML: ");
  refuse("<graphml></graphml>", "net: no switch and no link in it");
  refuse(GRAPH ROUTER("a") ROUTER("b") TAIL,
         "net: 2 switches and no link between switches: no <edge source=... target=...>");
  refuse(HEAD "<graph><node/>" TAIL, "a node has no id");
  refuse(HEAD "<graph><edge source='a'/>" TAIL, "an edge needs a source and a target");
  refuse(GRAPH ROUTER("a") "<edge source='a' target='b'/>" TAIL, "there is no node 'b'");
  refuse(GRAPH ROUTER("a") ROUTER("a") TAIL, "the node 'a' is there twice");
  refuse(GRAPH ROUTER("a b") TAIL, "name 'a b': only letters");
  refuse(GRAPH "<node id='a'/>" ROUTER("r") TAIL, "the end node 'a' has no cable");
  refuse(GRAPH "<node id='a'/><node id='b'/><edge source='a' target='b'/>" TAIL,
         "the end nodes 'a' and 'b' are joined");
  refuse(GRAPH "<node id='a'/>" ROUTER("r") "<edge source='a' target='r'/>\n<edge source='r' target='a'/>" TAIL,
         "a second cable of the end node 'a'");
  refuse(GRAPH "<hyperedge/>" TAIL, "a hyperedge is no cable");
  refuse(GRAPH "<node id='a'><graph><node id='b'/></graph></node>" TAIL, "a graph in a node is not read: b");
  refuse(GRAPH ROUTER("a") ROUTER("b") "<edge source='a' target='b'><data key='d1'>fast</data></edge>" TAIL,
         "speed fast: it is a number of M, G or T");
  refuse("<!DOCTYPE g [<!ENTITY x 'y'>]><graphml/>", "net:1: entities are not read: x");
}

int main(void) {
  if (chdir(RIPSTOP_SOURCE_DIR) != 0) return EXIT_FAILURE; /* for the files of examples */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_fabric_comes_back),  cmocka_unit_test(known_wirings_are_graphs),
      cmocka_unit_test(graphs_report_everything), cmocka_unit_test(groups_fail_together),
      cmocka_unit_test(delays_are_simulated),     cmocka_unit_test(booksim_files_are_graphs),
      cmocka_unit_test(graphml_reports_the_same), cmocka_unit_test(bad_words_are_refused),
      cmocka_unit_test(bad_graphml_is_refused),   cmocka_unit_test(ports_of_one_name_are_read),
      cmocka_unit_test(graphml_has_many_nodes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

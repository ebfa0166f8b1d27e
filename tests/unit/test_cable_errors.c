/* test_cable_errors.c - counters of ports, joined to cables: random counters of a fabric, printed as each program
 * prints them, give the same rows, and these are the rows that the rules give. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "check.h"
#include "fabric/ib.h"
#include "formats/infiniband/cable_errors.h"
#include "ripstop/kit/fabrics.h"

static const char monday[] = RIPSTOP_SOURCE_DIR "/examples/operators/monday.txt";
static const char *const title[IB_COUNTERS] = {"LinkDownedCounter",        "LinkErrorRecoveryCounter",
                                               "SymbolErrorCounter",       "PortRcvErrors",
                                               "LocalLinkIntegrityErrors", "ExcessiveBufferOverrunErrors"};
static const char *const old_title[IB_COUNTERS] = {"LinkDowned", "LinkRecovers",        "SymbolErrors",
                                                   "RcvErrors",  "LinkIntegrityErrors", "ExcBufOverrunErrors"};
static const char *const metric[IB_COUNTERS] = {
    "link_downed",    "link_error_recovery",         "symbol_error",
    "receive_errors", "local_link_integrity_errors", "excessive_buffer_overrun_errors"};
static const uint64_t largest[IB_COUNTERS] = {255, 255, 65535, 65535, 15, 15};

typedef struct scene {
  ripstop_arena *arena;
  ripstop_fabric *fabric;
  const ripstop_ib_dump *dump;
  uint64_t (*value)[IB_COUNTERS]; /* [ports of the dump] */
} scene;

static scene open_scene(void) {
  ripstop_error err = {0};
  scene s = {.arena = ripstop_arena_new(), .fabric = ripstop_fabric_open(monday, &err)};
  if (!s.fabric) fail_msg("%s", err.text);
  s.dump = ripstop_ib_of(s.fabric)->dump;
  s.value = ripstop_arena_array(s.arena, s.dump->ports, sizeof *s.value);
  return s;
}

static void close_scene(scene *s) {
  ripstop_fabric_free(s->fabric);
  ripstop_arena_free(s->arena);
}

/* A few ports have errors; one counter in eight of these is full. */
static void draw_values(scene *s, uint64_t seed) {
  ripstop_stream stream = ripstop_stream_open(seed, RIPSTOP_RANDOM_TEST, 0);
  for (uint32_t p = 0; p < s->dump->ports; p++)
    for (unsigned k = 0; k < IB_COUNTERS; k++) {
      const bool quiet = ripstop_stream_below(&stream, 16) > 0, full = ripstop_stream_below(&stream, 8) == 0;
      const uint64_t some = 1 + ripstop_stream_below(&stream, (uint32_t)largest[k] - 1);
      s->value[p][k] = quiet ? 0 : full ? largest[k] : some;
    }
}

/* ------------------------------------------------------------------ texts as the programs print them */

static uint64_t guid_of(const scene *s, uint32_t p) { return s->dump->node[s->dump->port[p].node].guid; }

static void print_errors(const scene *s, ripstop_text *out, uint32_t p, bool old) {
  const ripstop_ib_port *port = &s->dump->port[p];
  if (p == 0 || s->dump->port[p - 1].node != port->node) {
    ripstop_text_add(out, "Errors for 0x%016" PRIx64 " \"%s\"\r\n", guid_of(s, p), s->dump->node[port->node].text);
    ripstop_text_add(out, "   GUID 0x%016" PRIx64 " port ALL: [SymbolErrorCounter == 60000]\n", guid_of(s, p));
  }
  ripstop_text_add(out, "   GUID 0x%" PRIx64 " port %u: [PortXmitWait == 9]", guid_of(s, p), port->number);
  for (unsigned k = 0; k < IB_COUNTERS; k++)
    if (s->value[p][k]) ripstop_text_add(out, " [%s == %" PRIu64 "]", (old ? old_title : title)[k], s->value[p][k]);
  ripstop_text_add(out, " [PortXmitData == 6 (1.2KB)]\n         Link info:      1   5[  ] ==( 4X 25.78125 Gbps )==>\n");
}

static void print_query(const scene *s, ripstop_text *out, uint32_t p) {
  const ripstop_ib_port *port = &s->dump->port[p];
  const ripstop_ib_node *node = &s->dump->node[port->node];
  const uint32_t lid = node->kind == RIPSTOP_IB_SWITCH ? node->lid : port->lid;
  ripstop_text_add(out, "# Port counters: Lid %u port 255 (CapMask: 0x5A00)\nSymbolErrorCounter:......60000\n", lid);
  ripstop_text_add(out, "# Port counters: Lid %u port %u (CapMask: 0x5A00)\nPortSelect:....%u\n", lid, port->number,
                   port->number);
  ripstop_text_add(out, "CounterSelect:...................0x0000\nPortRcvRemotePhysicalErrors:.....77\n");
  for (unsigned k = 0; k < IB_COUNTERS; k++)
    ripstop_text_add(out, "%s:...............%" PRIu64 "\n", title[k], s->value[p][k]);
}

static void print_csv(const scene *s, ripstop_text *out) {
  ripstop_text_add(out, "START_PORTS\nNodeGuid,PortNum,SymbolErrorCounter\n0x1,1,9\nEND_PORTS\nSTART_PM_INFO\n");
  ripstop_text_add(out, "PortNum,symbolerrorcounterext,NODEGUID");
  for (unsigned k = IB_COUNTERS; k-- > 0;) ripstop_text_add(out, ",%s", title[k]);
  ripstop_text_add(out, ",PortXmitWaitExt,LinkDownedCounterExtended\n");
  for (uint32_t p = 0; p < s->dump->ports; p++) {
    ripstop_text_add(out, "%u,N/A,0x%016" PRIx64, s->dump->port[p].number, guid_of(s, p));
    for (unsigned k = IB_COUNTERS; k-- > 0;) ripstop_text_add(out, ",%" PRIu64, s->value[p][k]);
    ripstop_text_add(out, ",123456,-1\n");
  }
  ripstop_text_add(out, "END_PM_INFO\n");
}

static void print_metrics(const scene *s, ripstop_text *out) {
  for (unsigned k = 0; k < IB_COUNTERS; k++) {
    ripstop_text_add(out, "# TYPE infiniband_switch_port_%s_total counter\n", metric[k]);
    for (uint32_t p = 0; p < s->dump->ports; p++) {
      const bool is_switch = s->dump->node[s->dump->port[p].node].kind == RIPSTOP_IB_SWITCH;
      ripstop_text_add(out, "infiniband_%s_port_%s_total{guid=\"0x%016" PRIx64 "\",%s=\"a \\\"b\",port=\"%u\"} %.17g\n",
                       is_switch ? "switch" : "hca", metric[k], guid_of(s, p), is_switch ? "switch" : "hca",
                       s->dump->port[p].number, (double)s->value[p][k]);
    }
  }
}

enum { FORMS = 5 };

static void print_form(const scene *s, ripstop_text *out, unsigned form) {
  if (form == 3) print_csv(s, out);
  if (form == 4) print_metrics(s, out);
  for (uint32_t p = 0; form < 3 && p < s->dump->ports; p++)
    form == 2 ? print_query(s, out, p) : print_errors(s, out, p, form);
}

static ib_counters read_form(const scene *s, unsigned form) {
  RIPSTOP_LOCAL_TEXT(text);
  ripstop_error err = {0};
  ib_counters out = {.arena = s->arena};
  print_form(s, &text, form);
  const char *kept = ripstop_arena_text(s->arena, text.data);
  if (ib_counters_read(&out, "made", kept, strlen(kept), &err)) fail_msg("form %u: %s", form, err.text);
  return out;
}

/* ------------------------------------------------------------------ the rules, once more */

static uint64_t bits_of(const uint64_t *v) { return v[2] + v[3] + v[4] + v[5]; }

static uint64_t most(uint64_t a, uint64_t b) { return a > b ? a : b; }

static void check_rows(const scene *s, const ib_replace_first *found, bool exact_limits) {
  uint32_t rows = 0;
  for (uint32_t p = 0; p < s->dump->ports; p++) {
    const uint32_t mate = s->dump->port[p].mate;
    if (mate == RIPSTOP_NONE || !ripstop_ib_is_first(s->dump, p, mate)) continue;
    const uint64_t *a = s->value[p], *b = s->value[mate];
    bool full = false, any = false;
    for (unsigned k = 0; k < IB_COUNTERS; k++) full = full || a[k] == largest[k] || b[k] == largest[k];
    for (unsigned k = 0; k < IB_COUNTERS; k++) any = any || a[k] || b[k];
    const ib_cable_errors *row = NULL;
    for (uint32_t i = 0; i < found->count && !row; i++) row = found->list[i].port == p ? &found->list[i] : NULL;
    rows += any;
    assert_int_equal(row != NULL, any);
    if (!row) continue;
    assert_int_equal(row->downed, most(a[0], b[0]));
    assert_int_equal(row->recovered, most(a[1], b[1]));
    assert_int_equal(row->bits, bits_of(a) + bits_of(b));
    if (exact_limits) assert_int_equal(row->at_least, full);
  }
  assert_int_equal(found->count, rows);
  for (uint32_t i = 1; i < found->count; i++) {
    const ib_cable_errors *a = &found->list[i - 1], *b = &found->list[i];
    assert_true(a->downed > b->downed || (a->downed == b->downed && a->recovered > b->recovered) ||
                (a->downed == b->downed && a->recovered == b->recovered && a->bits >= b->bits));
  }
}

static void every_program_says_the_same(void **state) {
  (void)state;
  scene s = open_scene();
  for (uint64_t seed = 1; seed <= 20; seed++) {
    draw_values(&s, seed);
    for (unsigned form = 0; form < FORMS; form++) {
      const ib_counters now = read_form(&s, form);
      ib_replace_first found;
      ib_join_counters(&found, s.arena, s.dump, &now, NULL);
      check_rows(&s, &found, true);
      assert_int_equal(found.unknown, 0);
    }
  }
  close_scene(&s);
}

/* Counters that fell were reset and count as they are. */
static void differences_count(void **state) {
  (void)state;
  scene s = open_scene();
  for (uint64_t seed = 1; seed <= 20; seed++) {
    draw_values(&s, 2 * seed);
    uint64_t(*old)[IB_COUNTERS] = s.value;
    const ib_counters before = read_form(&s, seed % FORMS);
    s.value = ripstop_arena_array(s.arena, s.dump->ports, sizeof *s.value);
    draw_values(&s, 2 * seed + 1);
    const ib_counters now = read_form(&s, (seed + 1) % FORMS);
    for (uint32_t p = 0; p < s.dump->ports; p++)
      for (unsigned k = 0; k < IB_COUNTERS; k++)
        if (s.value[p][k] >= old[p][k]) s.value[p][k] -= old[p][k];
    ib_replace_first found;
    ib_join_counters(&found, s.arena, s.dump, &now, &before);
    check_rows(&s, &found, false);
  }
  close_scene(&s);
}

static ib_replace_first join_text(scene *s, const char *text) {
  ripstop_error err = {0};
  ib_counters now = {.arena = s->arena};
  ib_replace_first found;
  if (ib_counters_read(&now, "made", text, strlen(text), &err)) fail_msg("%s", err.text);
  ib_join_counters(&found, s->arena, s->dump, &now, NULL);
  return found;
}

/* A counter of 64 bits beside the one of 16: the larger counts, and 70000 is not "at least". */
static void wide_counters_are_exact(void **state) {
  (void)state;
  scene s = open_scene();
  ib_replace_first found = join_text(&s, "START_PM_INFO\nNodeGuid,PortNumber,SymbolErrorCounter,SymbolErrorCounterExt\n"
                                         "0x506b4b0300a10000,1,65535,70000\nEND_PM_INFO\n");
  assert_true(found.count == 1 && found.list[0].bits == 70000 && !found.list[0].at_least);
  found = join_text(&s, "# Port extended counters: Lid 1 port 1 (CapMask: 0x5200)\nSymbolErrorCounter:....65535\n");
  assert_true(found.count == 1 && found.list[0].bits == 65535 && !found.list[0].at_least);
  found = join_text(&s, "# Port counters: Lid 1 port 1\nLinkDownedCounter: 3\n");
  assert_true(found.count == 1 && found.list[0].downed == 3);
  close_scene(&s);
}

/* Names stand for GUIDs: of redacted ids, of old programs, and of the hosts that node_exporter knows. */
static void names_find_ports(void **state) {
  (void)state;
  static const char *const texts[] = {
      "Errors for \"leaf-01\"\n   GUID 0x506b4b0300xxxxxx port 29: [SymbolErrors == 5]\n",
      "Errors for \"leaf-01\"\n   port 29:[SymbolErrors == 5]\n",
      "node_infiniband_symbol_error_total{device=\"mlx5_0\",instance=\"node001.site:9100\",port=\"1\"} 5e0 "
      "1700000000000\n",
      "infiniband_symbolerrorcounter_total{local_guid=\"0x506b4b0300a20000\",local_name=\"x\",local_port=\"29\"} "
      "5.0\n"};
  scene s = open_scene();
  for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
    const ib_replace_first found = join_text(&s, texts[i]);
    assert_true(found.count == 1 && found.list[0].bits == 5 && found.unknown == 0);
    assert_int_equal(found.list[0].by, i == 3 ? IB_MATCH_GUID : IB_MATCH_NAME);
  }
  const ib_replace_first none = join_text(&s, "Errors for 0x9 \"?\"\n   GUID 0x9 port 1: [SymbolErrorCounter == 1]\n");
  assert_true(none.count == 0 && none.unknown == 1 && none.nameds == 0);
  const ib_replace_first other =
      join_text(&s, "Errors for 0x9 \"leaf-01\"\n   GUID 0x9 port 29: [SymbolErrorCounter == 1]\n");
  assert_true(other.count == 0 && other.unknown == 1 && other.nameds == 1);
  assert_string_equal(ripstop_ib_end(s.dump, other.named[0].port), "S-506b4b0300a20000[29]");
  assert_int_equal(other.named[0].place->guid, 9);
  ripstop_error err = {0};
  static const char *const wrong[] = {"a b\n", "# Port counters: Lid 1 port 1\nLinkDownedCounter: -\n"};
  for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ib_counters empty = {.arena = s.arena};
    assert_int_equal(ib_counters_read(&empty, "other", wrong[i], strlen(wrong[i]), &err), -1);
    assert_non_null(strstr(err.text, "no counters"));
  }
  close_scene(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_program_says_the_same),
      cmocka_unit_test(differences_count),
      cmocka_unit_test(wide_counters_are_exact),
      cmocka_unit_test(names_find_ports),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

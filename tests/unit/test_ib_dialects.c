/* test_ib_dialects.c - one fabric in every form in which files have it is one fabric.
 *
 * Made fabrics are written by this test as ibnetdiscover, OpenSM, ibdiagnet and iblinkinfo write them, and then changed
 * as terminals, logs, e-mails and web pages change a text. What is read must be the cables that the test made: their
 * ends by name, speeds, descriptions and LIDs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "fabric/ib.h"
#include "formats/infiniband/lines.h"
#include "formats/plain_lines.h"
#include "ripstop/kit/fabrics.h"
#include "share.h"
#include "tables/infiniband/lfts.h"

enum { NODES = 64, CABLES = 128, NAME = 64, SEEDS = 12 };

typedef struct made_node {
  bool is_switch;
  uint64_t guid;
  char text[NAME];
  uint32_t lid, ports;
} made_node;

typedef struct made_cable {
  uint32_t node[2], port[2], width;
  unsigned speed; /* index of `speeds` */
} made_cable;

typedef struct world {
  made_node node[NODES];
  made_cable cable[CABLES];
  uint32_t nodes, cables;
} world;

static const struct {
  const char *name, *gigabits, *list; /* iblinkinfo and opensm-subnet.lst write these */
  uint32_t code;                      /* and ibdiagnet this */
} speeds[] = {{"EDR", "25.78125", "25", 512}, {"HDR", "53.125", "50", 1024}, {"NDR", "106.25", "100", 2048}};

static unsigned draw(uint64_t *state, unsigned below) {
  *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (unsigned)(*state >> 33) % below;
}

static uint32_t add_node(world *w, bool is_switch, uint32_t ports) {
  const uint32_t i = w->nodes++;
  assert_true(i < NODES);
  w->node[i] = (made_node){.is_switch = is_switch, .lid = i + 1, .ports = ports};
  w->node[i].guid = UINT64_C(0xfa0b1e0000000000) + (uint64_t)(i + 1) * 0x1000;
  return i;
}

static void add_cable(world *w, uint32_t a, uint32_t pa, uint32_t b, uint32_t pb, uint32_t width, unsigned speed) {
  assert_true(w->cables < CABLES);
  w->cable[w->cables++] = (made_cable){{a, b}, {pa, pb}, width, speed};
}

/* A tree of two levels with gaps, slow and narrow cables, and names that hold commas and angles. */
static void make_world(world *w, uint64_t seed) {
  uint64_t state = seed;
  const uint32_t spines = 2 + draw(&state, 2), leaves = 3 + draw(&state, 2), twins = 1 + draw(&state, 2);
  *w = (world){0};
  for (uint32_t i = 0; i < spines; i++) {
    add_node(w, true, 40);
    snprintf(w->node[i].text, NAME, i == 1 ? "spine, %u <b> & co" : "MF0;spine-%u:MQM8700/U1", i);
  }
  for (uint32_t l = 0; l < leaves; l++) {
    const uint32_t leaf = add_node(w, true, 40), hosts = 2 + draw(&state, 3);
    snprintf(w->node[leaf].text, NAME, "leaf-%02u", l);
    for (uint32_t s = 0; s < spines; s++)
      for (uint32_t t = 0; t < twins; t++)
        if (draw(&state, 8) || (s == 0 && t == 0))
          add_cable(w, s, 1 + l * twins + t, leaf, 30 + s * twins + t, draw(&state, 9) ? 4 : 1,
                    draw(&state, 7) ? 1 : 0);
    for (uint32_t h = 0; h < hosts; h++) {
      const uint32_t host = add_node(w, false, 1);
      snprintf(w->node[host].text, NAME, "n%02u%02u mlx5_0", l, h);
      add_cable(w, leaf, 1 + h, host, 1, 4, 1);
    }
  }
}

/* Two spines, two leaves, three hosts, and several rates of cables. */
static void make_small_world(world *w) {
  static const char *const text[] = {"spine-0",      "spine, 1 <b> & co", "leaf-00",     "leaf-01",
                                     "n0000 mlx5_0", "n0001 mlx5_0",      "n0100 mlx5_0"};
  *w = (world){0};
  for (uint32_t i = 0; i < 7; i++) {
    add_node(w, i < 4, i < 4 ? 40 : 1);
    snprintf(w->node[i].text, NAME, "%s", text[i]);
  }
  add_cable(w, 0, 1, 2, 30, 4, 1);
  add_cable(w, 0, 2, 3, 30, 1, 0);
  add_cable(w, 1, 1, 2, 31, 4, 2);
  add_cable(w, 1, 2, 3, 31, 4, 1);
  add_cable(w, 2, 1, 4, 1, 4, 1);
  add_cable(w, 2, 2, 5, 1, 4, 2);
  add_cable(w, 3, 1, 6, 1, 4, 1);
}

/* ------------------------------------------------------------------ forms */

static char letter(const made_node *n) { return n->is_switch ? 'S' : 'H'; }

static uint64_t port_guid(const made_node *n) { return n->guid + !n->is_switch; }

/* The cables of a node in the order of its ports; side[i] is its own side. */
static uint32_t ends_of(const world *w, uint32_t node, const made_cable **cable, unsigned *side) {
  uint32_t count = 0;
  for (uint32_t port = 1; port <= w->node[node].ports; port++)
    for (uint32_t i = 0; i < w->cables; i++)
      for (unsigned s = 0; s < 2; s++)
        if (w->cable[i].node[s] == node && w->cable[i].port[s] == port) cable[count] = &w->cable[i], side[count++] = s;
  return count;
}

static void write_dump_port(const world *w, const made_cable *c, unsigned s, ripstop_text *out) {
  const made_node *own = &w->node[c->node[s]], *far = &w->node[c->node[1 - s]];
  ripstop_text_add(out, "[%u]", c->port[s]);
  if (!own->is_switch) ripstop_text_add(out, "(%" PRIx64 ") ", port_guid(own));
  ripstop_text_add(out, "\t\"%c-%016" PRIx64 "\"[%u]", letter(far), far->guid, c->port[1 - s]);
  if (!far->is_switch) ripstop_text_add(out, "(%" PRIx64 ") ", port_guid(far));
  ripstop_text_add(out, "\t\t# ");
  if (!own->is_switch) ripstop_text_add(out, "lid %u lmc 0 ", own->lid);
  ripstop_text_add(out, "\"%s\" lid %u %ux%s\n", far->text, far->lid, c->width, speeds[c->speed].name);
}

static void write_dump(const world *w, ripstop_text *out) {
  ripstop_text_add(out, "#\n# Topology file: generated on Thu Jan  1 00:00:00 2026\n#\n");
  for (uint32_t i = 0; i < w->nodes; i++) {
    const made_node *n = &w->node[i];
    const made_cable *cable[NODES];
    unsigned side[NODES];
    const uint32_t count = ends_of(w, i, cable, side);
    ripstop_text_add(out, "\nvendid=0x2c9\ndevid=0xd2f0\nsysimgguid=0x%" PRIx64 "\n", n->guid);
    if (n->is_switch)
      ripstop_text_add(out,
                       "switchguid=0x%" PRIx64 "(%" PRIx64 ")\nSwitch\t%u \"S-%016" PRIx64
                       "\"\t\t# \"%s\" enhanced port 0 lid %u lmc 0\n",
                       n->guid, n->guid, n->ports, n->guid, n->text, n->lid);
    else
      ripstop_text_add(out, "caguid=0x%" PRIx64 "\nCa\t%u \"H-%016" PRIx64 "\"\t\t# \"%s\"\n", n->guid, n->ports,
                       n->guid, n->text);
    for (uint32_t k = 0; k < count; k++) write_dump_port(w, cable[k], side[k], out);
  }
}

static void write_list_end(const made_node *n, uint32_t port, ripstop_text *out) {
  ripstop_text_add(out,
                   "{ %s Ports:%02X SystemGUID:%016" PRIX64 " NodeGUID:%016" PRIX64 " PortGUID:%016" PRIX64
                   " VenID:0002C9 DevID:D2F0 Rev:000000A1 {%s} LID:%04X PN:%02X } ",
                   n->is_switch ? "SW"
                   : n->lid % 5 ? "CA"
                                : "CA-SM",
                   n->ports, n->guid, n->guid, port_guid(n), n->text, n->lid, port);
}

static void write_list_of(const world *w, uint32_t node, ripstop_text *out) {
  const made_cable *cable[NODES];
  unsigned side[NODES];
  const uint32_t count = ends_of(w, node, cable, side);
  for (uint32_t k = 0; k < count; k++) {
    const made_cable *c = cable[k];
    write_list_end(&w->node[node], c->port[side[k]], out);
    write_list_end(&w->node[c->node[1 - side[k]]], c->port[1 - side[k]], out);
    ripstop_text_add(out, "PHY=%ux LOG=ACT SPD=%s\n", c->width, speeds[c->speed].list);
  }
}

static void write_list(const world *w, ripstop_text *out) {
  for (uint32_t i = 0; i < w->nodes; i++) write_list_of(w, i, out);
}

static void write_csv_ports(const world *w, bool other, ripstop_text *out) {
  ripstop_text_add(out, other ? "START_PORTS\nLINKSPEEDACTV,lid,Extra,LinkWidthActv,PORTNUMBER,NODEGUID,PortGuid\n"
                              : "START_PORTS\nNodeGuid,PortGuid,PortNum,LID,LMC,LinkWidthActv,LinkSpeedActv\n");
  for (uint32_t i = 0; i < w->cables; i++)
    for (unsigned s = 0; s < 2; s++) {
      const made_cable *c = &w->cable[i];
      const made_node *n = &w->node[c->node[s]];
      const unsigned width = c->width == 4 ? 2 : 1, code = speeds[c->speed].code;
      if (other)
        ripstop_text_add(out, "%u,%u,N/A,%u,%u,0x%" PRIx64 ",0x%" PRIx64 "\n", code, n->lid, width, c->port[s], n->guid,
                         port_guid(n));
      else
        ripstop_text_add(out, "0x%016" PRIx64 ",0x%016" PRIx64 ",%u,%u,0,%u,%u\n", n->guid, port_guid(n), c->port[s],
                         n->lid, width, code);
    }
  ripstop_text_add(out, "END_PORTS\n\n");
}

static void write_csv_links(const world *w, bool other, ripstop_text *out) {
  ripstop_text_add(out, other ? "START_LINKS\nPORTNUM2,NODEGUID2,PORTNUM1,NODEGUID1\n"
                              : "START_LINKS\nNodeGuid1,PortNum1,NodeGuid2,PortNum2\n");
  for (uint32_t i = 0; i < w->cables; i++) {
    const made_cable *c = &w->cable[i];
    const uint64_t a = w->node[c->node[0]].guid, b = w->node[c->node[1]].guid;
    if (other)
      ripstop_text_add(out, "%u,0x%" PRIx64 ",%u,0x%" PRIx64 "\n", c->port[0], a, c->port[1], b);
    else
      ripstop_text_add(out, "0x%016" PRIx64 ",%u,0x%016" PRIx64 ",%u\n", a, c->port[0], b, c->port[1]);
  }
  ripstop_text_add(out, "END_LINKS\n\n");
}

static void write_csv_nodes(const world *w, bool other, ripstop_text *out) {
  ripstop_text_add(out, other ? "START_NODES\nNODEGUID,Unknown,NODETYPE,numports,NODEDESC\n"
                              : "START_NODES\nNodeDesc,NumPorts,NodeType,SystemImageGUID,NodeGUID\n");
  for (uint32_t i = 0; i < w->nodes; i++) {
    const made_node *n = &w->node[i];
    if (other)
      ripstop_text_add(out, "0x%" PRIx64 ",N/A,%u,%u,\"%s\"\n", n->guid, n->is_switch ? 2 : 1, n->ports, n->text);
    else
      ripstop_text_add(out, "\"%s\",%u,%u,0x%016" PRIx64 ",0x%016" PRIx64 "\n", n->text, n->ports, n->is_switch ? 2 : 1,
                       n->guid, n->guid);
  }
  ripstop_text_add(out, "END_NODES\n\n");
}

static void write_csv(const world *w, ripstop_text *out) {
  write_csv_nodes(w, false, out);
  write_csv_ports(w, false, out);
  ripstop_text_add(out, "START_PM_INFO\nNodeGUID,PortNumber\n0x1,2\nEND_PM_INFO\n");
  write_csv_links(w, false, out);
}

/* Other versions of ibdiagnet: sections and columns in another order, other capitals. */
static void write_other_csv(const world *w, ripstop_text *out) {
  ripstop_text_add(out, "# This database file was automatically generated by IBDIAG\n");
  write_csv_links(w, true, out);
  write_csv_ports(w, true, out);
  write_csv_nodes(w, true, out);
}

static const char *kind_of(const made_node *n) { return n->is_switch ? "SW" : "CA"; }

static void write_ports_of(const world *w, uint32_t node, ripstop_text *out) {
  const made_node *own = &w->node[node];
  const made_cable *cable[NODES];
  unsigned side[NODES];
  const uint32_t count = ends_of(w, node, cable, side);
  for (uint32_t k = 0; k < count; k++) {
    const made_cable *c = cable[k];
    const unsigned s = side[k];
    const made_node *far = &w->node[c->node[1 - s]];
    ripstop_text_add(out, "%s %5u %2u 0x%016" PRIx64 " %ux %s - %s %5u %2u 0x%016" PRIx64 " ( '%s' - '%s' )\n",
                     kind_of(own), own->lid, c->port[s], port_guid(own), c->width, speeds[c->speed].name, kind_of(far),
                     far->lid, c->port[1 - s], port_guid(far), own->text, far->text);
  }
}

/* ibnetdiscover -p */
static void write_ports(const world *w, ripstop_text *out) {
  for (uint32_t i = 0; i < w->nodes; i++) write_ports_of(w, i, out);
}

static void write_link(const world *w, const made_cable *c, unsigned s, bool guids, ripstop_text *out) {
  const made_node *own = &w->node[c->node[s]], *far = &w->node[c->node[1 - s]];
  if (guids || !own->is_switch) ripstop_text_add(out, "      0x%016" PRIx64 " ", port_guid(own));
  if (guids) ripstop_text_add(out, "\"%20s\" ", own->text);
  ripstop_text_add(out, "%6u %4u[  ] ==( %uX %13s Gbps Active/  LinkUp)==>  ", own->lid, c->port[s], c->width,
                   speeds[c->speed].gigabits);
  if (guids) ripstop_text_add(out, "0x%016" PRIx64 " ", port_guid(far));
  ripstop_text_add(out, "%6u %4u[  ] \"%s\" ( )\n", far->lid, c->port[1 - s], far->text);
}

/* The node's part of a report of iblinkinfo, -l or not. */
static void write_links_of(const world *w, uint32_t node, bool guids, ripstop_text *out) {
  const made_node *n = &w->node[node];
  const made_cable *cable[NODES];
  unsigned side[NODES];
  const uint32_t count = ends_of(w, node, cable, side);
  if (!guids && n->is_switch) ripstop_text_add(out, "Switch: 0x%016" PRIx64 " %s:\n", n->guid, n->text);
  if (!guids && !n->is_switch) ripstop_text_add(out, "CA: %s:\n", n->text);
  for (uint32_t k = 0; k < count; k++) write_link(w, cable[k], side[k], guids, out);
  if (n->is_switch && !guids)
    ripstop_text_add(out, "%6u %4u[  ] ==(                Down/ Polling)==>             [  ] \"\" ( )\n", n->lid,
                     n->ports);
}

static void write_links(const world *w, ripstop_text *out) {
  for (uint32_t i = 0; i < w->nodes; i++) write_links_of(w, i, false, out);
}

static void write_long_links(const world *w, ripstop_text *out) {
  for (uint32_t i = 0; i < w->nodes; i++) write_links_of(w, i, true, out);
}

typedef struct form {
  const char *name;
  void (*write)(const world *w, ripstop_text *out);
  bool report; /* it knows adapters by the GUIDs of their ports, and no number of ports */
} form;

static const form forms[] = {{"ibnetdiscover", write_dump, false},
                             {"opensm-subnet.lst", write_list, false},
                             {"db_csv", write_csv, false},
                             {"another db_csv", write_other_csv, false},
                             {"ibnetdiscover -p", write_ports, true},
                             {"iblinkinfo", write_links, true},
                             {"iblinkinfo -l", write_long_links, true}};
enum { FORMS = sizeof forms / sizeof *forms };

/* ------------------------------------------------------------------ dialects */

typedef void each_line(piece line, unsigned number, ripstop_text *out);

static int shown(piece line) { return (int)piece_length(line); }

static void to_crlf(piece line, unsigned n, ripstop_text *out) {
  (void)n;
  ripstop_text_add(out, "%.*s\r\n", shown(line), line.at);
}

static void to_syslog(piece line, unsigned n, ripstop_text *out) {
  ripstop_text_add(out, "Jan %2u 08:%02u:%02u head01 topo[4711]: %.*s\n", 1 + n % 28, n / 60 % 60, n % 60, shown(line),
                   line.at);
}

static void to_iso_log(piece line, unsigned n, ripstop_text *out) {
  ripstop_text_add(out, "2026-01-05T08:00:%02u.%06u+01:00 head01.example.org ib-dump: %.*s\n", n % 60, n, shown(line),
                   line.at);
}

static void to_times(piece line, unsigned n, ripstop_text *out) {
  ripstop_text_add(out, "2026-01-05 08:00:%02u,%03u %.*s\n", n % 60, n % 1000, shown(line), line.at);
}

static void to_new_syslog(piece line, unsigned n, ripstop_text *out) {
  ripstop_text_add(out, "<13>1 2026-01-05T08:00:%02uZ head01 topo 4711 - - %.*s\n", n % 60, shown(line), line.at);
}

static void to_mail(piece line, unsigned n, ripstop_text *out) {
  (void)n;
  ripstop_text_add(out, "> %.*s\n", shown(line), line.at);
}

static void to_colours(piece line, unsigned n, ripstop_text *out) {
  const int half = shown(line) / 2;
  if (n == 1) ripstop_text_add(out, "\x1b[?2004l\x1b]0;head01: ~\a");
  ripstop_text_add(out, "%.*s\x1b[01;31m\x1b[K%.*s\x1b[m\x1b[K\x1b(B\n", half, line.at, shown(line) - half,
                   line.at + half);
}

static void to_comments(piece line, unsigned n, ripstop_text *out) {
  ripstop_text_add(out, "%.*s\n", shown(line), line.at);
  if (n % 3 == 0) ripstop_text_add(out, "# moved in January\n");
}

static void to_timeouts(piece line, unsigned n, ripstop_text *out) {
  ripstop_text_add(out, "%.*s\n", shown(line), line.at);
  if (n % 9 == 0)
    ripstop_text_add(
        out,
        "src/query_smp.c:196; umad (DR path slid 0; dlid 0; 0,1,%u Attr 0x15:1) bad status 110; Connection timed out\n",
        n);
}

static void put_escaped(piece line, ripstop_text *out) {
  for (const char *c = line.at; c < line.end; c++) {
    const char *name = *c == '"' ? "&quot;" : *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : *c == '&' ? "&amp;" : NULL;
    name ? ripstop_text_add(out, "%s", name) : ripstop_text_add(out, "%c", *c);
  }
}

static void to_page(piece line, unsigned n, ripstop_text *out) {
  if (n == 1) ripstop_text_add(out, "<html><body><pre>\n");
  put_escaped(line, out);
  ripstop_text_add(out, n % 2 ? "<br>\n" : "<br />\n");
}

static void to_page_with_prose(piece line, unsigned n, ripstop_text *out) {
  if (n == 1) ripstop_text_add(out, "<html><body class=\"a\nb\"><p>Here it is:</p><!-- <pre>\n --><pre>\n");
  put_escaped(line, out);
  ripstop_text_add(out, "\n");
}

static void to_one_line_page(piece line, unsigned n, ripstop_text *out) {
  if (n == 1) ripstop_text_add(out, "<!DOCTYPE html><p>Here it is:</p><div>");
  ripstop_text_add(out, "<span style=\"color:red\">");
  put_escaped(line, out);
  ripstop_text_add(out, "</span><br>");
}

static void to_indented(piece line, unsigned n, ripstop_text *out) {
  ripstop_text_add(out, "%*s%.*s\xc2\xa0 \n", (int)(n % 5), "", shown(line), line.at);
}

static void lose_tabs(piece line, unsigned n, ripstop_text *out) {
  (void)n;
  for (const char *c = line.at; c < line.end; c++)
    if (*c != '\t') ripstop_text_add(out, "%c", *c);
  ripstop_text_add(out, "\n");
}

static void to_blanks(piece line, unsigned n, ripstop_text *out) {
  (void)n;
  for (const char *c = line.at; c < line.end; c++) ripstop_text_add(out, *c == '\t' ? "        " : "%c", *c);
  ripstop_text_add(out, "\n");
}

typedef struct dialect {
  const char *name;
  each_line *step[4];
} dialect;

static const dialect dialects[] = {
    {"as it is", {NULL}},
    {"CR LF", {to_crlf}},
    {"tabs lost", {lose_tabs}},
    {"tabs to blanks", {to_blanks}},
    {"syslog", {to_syslog}},
    {"syslog with ISO time", {to_iso_log}},
    {"only times", {to_times}},
    {"RFC 5424", {to_new_syslog}},
    {"e-mail", {to_mail}},
    {"quoted twice", {to_mail, to_mail}},
    {"colours", {to_colours}},
    {"colours and CR LF", {to_colours, to_crlf}},
    {"page", {to_page}},
    {"page of an e-mail", {to_mail, to_page}},
    {"page in one line", {to_one_line_page}},
    {"page with prose", {to_page_with_prose}},
    {"a log in an e-mail with CR LF", {to_syslog, to_mail, to_crlf}},
    {"an e-mail in a log in colours", {to_mail, to_iso_log, to_colours}},
    {"lost tabs in a quoted log on a page", {lose_tabs, to_syslog, to_mail, to_page}},
    {"indented", {to_indented}},
    {"comments", {to_comments}},
    {"time-outs", {to_timeouts}},
};
enum { DIALECTS = sizeof dialects / sizeof *dialects };

/* Belongs to the caller. */
static ripstop_text apply(each_line *step, const ripstop_text *from) {
  ripstop_text out = {0};
  piece text = piece_of(from->data), line;
  for (unsigned n = 1; piece_next_line(&text, &line); n++) step(line, n, &out);
  return out;
}

static ripstop_text write_in(const world *w, const form *f, const dialect *d) {
  ripstop_text text = {0};
  f->write(w, &text);
  for (unsigned i = 0; i < 4 && d->step[i]; i++) {
    ripstop_text next = apply(d->step[i], &text);
    ripstop_text_free(&text);
    text = next;
  }
  return text;
}

/* ------------------------------------------------------------------ the same fabric */

static uint32_t speed_of(const made_cable *c) { return ripstop_ib_speed(c->width, speeds[c->speed].name); }

static uint32_t find_node(const ripstop_ib_dump *d, const made_node *n, bool report) {
  char id[NAME];
  snprintf(id, sizeof id, "%c-%016" PRIx64, letter(n), report ? port_guid(n) : n->guid);
  return ripstop_ib_node_of(d, id, strlen(id));
}

static void check_node(const char *where, const ripstop_ib_dump *d, uint32_t at, const made_node *n, bool report) {
  const ripstop_ib_node *is = &d->node[at];
  const uint32_t lid = n->is_switch ? is->lid : d->port[is->first].lid;
  if (strcmp(is->text, n->text) != 0) fail_msg("%s: '%s', not '%s'", where, is->text, n->text);
  if (lid != n->lid) fail_msg("%s: '%s' has LID %u, not %u", where, n->text, lid, n->lid);
  if (!report && (is->guid != n->guid || is->wide != n->ports))
    fail_msg("%s: '%s' has %u ports", where, n->text, is->wide);
}

static void check_cable(const char *where, const ripstop_ib_dump *d, const world *w, const made_cable *c, bool report) {
  uint32_t port[2];
  for (unsigned s = 0; s < 2; s++) {
    const made_node *n = &w->node[c->node[s]];
    const uint32_t node = find_node(d, n, report);
    port[s] = node == RIPSTOP_NONE ? RIPSTOP_NONE : ripstop_ib_port_of(d, node, c->port[s]);
    if (port[s] == RIPSTOP_NONE) fail_msg("%s: '%s' has no port %u", where, n->text, c->port[s]);
    check_node(where, d, node, n, report);
  }
  if (d->port[port[0]].mate != port[1]) fail_msg("%s: a cable of '%s' is not there", where, w->node[c->node[1]].text);
  if (ripstop_ib_cable_speed(d, port[0]) != speed_of(c))
    fail_msg("%s: %u Mb/s", where, ripstop_ib_cable_speed(d, port[0]));
}

static void check_world(const char *where, const world *w, const char *text, bool report) {
  ripstop_error err = {0};
  ripstop_fabric *f = ripstop_ib_from_text("made", text, strlen(text), &err);
  if (f == NULL) fail_msg("%s: %s\n%.600s", where, err.text, text);
  const ripstop_ib_dump *d = ripstop_ib_of(f)->dump;
  if (d->nodes != w->nodes || d->cables != w->cables || d->half_links + d->conflicts != 0)
    fail_msg("%s: %u of %u nodes, %u of %u cables, %u half links", where, d->nodes, w->nodes, d->cables, w->cables,
             d->half_links);
  for (uint32_t i = 0; i < w->cables; i++) check_cable(where, d, w, &w->cable[i], report);
  for (uint32_t i = 0; i < d->odd.count; i++)
    if (strcmp(d->odd.list[i].what, "stray line") != 0) fail_msg("%s: %s", where, d->odd.list[i].text);
  assert_int_equal(ripstop_fabric_check(f, &err), 0);
  assert_true((strstr(where, "time-outs") != NULL) == (d->timeouts > 0));
  ripstop_fabric_free(f);
}

static void every_dialect_of_every_form_is_one_fabric(void **state) {
  (void)state;
  for (uint64_t seed = 1 + share_first(share_of_cases()); seed <= SEEDS; seed += share_of_cases()) {
    world w;
    make_world(&w, seed);
    for (unsigned f = 0; f < FORMS; f++)
      for (unsigned d = 0; d < DIALECTS; d++) {
        if (dialects[d].step[0] == to_timeouts && (f == 2 || f == 3)) continue; /* ibdiagnet writes its file itself */
        char where[3 * NAME];
        snprintf(where, sizeof where, "%s, %s, seed %u", forms[f].name, dialects[d].name, (unsigned)seed);
        ripstop_text text = write_in(&w, &forms[f], &dialects[d]);
        check_world(where, &w, text.data, forms[f].report);
        ripstop_text_free(&text);
      }
  }
}

/* ------------------------------------------------------------------ files that were cut off */

static bool same_words(const char *a, const char *b) { return strcmp(a ? a : "", b ? b : "") == 0; }

static bool same_port(const ripstop_ib_port *a, const ripstop_ib_port *b) {
  return a->node == b->node && a->number == b->number && a->mate == b->mate && a->guid == b->guid && a->lid == b->lid &&
         a->lmc == b->lmc && a->width == b->width && same_words(a->speed, b->speed) &&
         same_words(a->peer_text, b->peer_text) && a->could_width == b->could_width &&
         same_words(a->could_speed, b->could_speed);
}

static bool same_dump(const ripstop_ib_dump *a, const ripstop_ib_dump *b) {
  bool same = a->nodes == b->nodes && a->ports == b->ports && a->cables == b->cables;
  for (uint32_t i = 0; same && i < a->nodes; i++) {
    const ripstop_ib_node *x = &a->node[i], *y = &b->node[i];
    same = same_words(x->id, y->id) && same_words(x->text, y->text) && x->kind == y->kind && x->guid == y->guid &&
           x->wide == y->wide && x->lid == y->lid && x->lmc == y->lmc;
  }
  for (uint32_t i = 0; same && i < a->ports; i++) same = same_port(&a->port[i], &b->port[i]);
  return same;
}

/* The first line of an adapter in a report of iblinkinfo. A file that ends before it may be one of a switch alone (-S),
 * or of all switches. */
static size_t switches_alone(const char *text) {
  const char *at = strstr(text, "CA: "), *other = strstr(text, "mlx5_0\"  ");
  return at || other ? (size_t)((at ? at : other) - text) : strlen(text);
}

/* With RIPSTOP_SHARE=N every N-th cut, or a little fewer: an odd step cuts lines at all of their places. */
static size_t step_of_share(size_t step) {
  const size_t share = share_of_cases();
  return share == 1 ? step : step * share | 1;
}

/* Reads the first bytes of a file: it is refused, or known to be incomplete, or whole. Returns what is not so. */
static const char *read_cut(const ripstop_ib_dump *whole, const char *text, size_t length) {
  ripstop_error err = {0};
  ripstop_fabric *f = ripstop_ib_from_text("cut", text, length, &err);
  if (!f) return strncmp(err.text, "cut:", 4) == 0 && strlen(err.text) > 16 ? NULL : "refused without a reason";
  const ripstop_ib_dump *d = ripstop_ib_of(f)->dump;
  const bool known = d->half_links || d->truncated || d->unlisted || d->timeouts, same = same_dump(d, whole);
  ripstop_fabric_free(f);
  return known || same ? NULL : "read as whole, and is another fabric";
}

static void check_cuts(const char *where, const char *text, size_t step, size_t from) {
  ripstop_error err = {0};
  const size_t length = strlen(text);
  ripstop_fabric *f = ripstop_ib_from_text("whole", text, length, &err);
  if (!f) fail_msg("%s: %s", where, err.text);
  for (size_t cut = from + share_first((uint32_t)step); cut < length; cut += step) {
    char *copy = memcpy(malloc(cut + 1), text, cut); /* a block of its size: reading beyond it is an error */
    copy[cut] = '\0';
    const char *wrong = read_cut(ripstop_ib_of(f)->dump, copy, cut);
    if (wrong)
      printf("CUT %s: %zu of %zu bytes: %s: ...'%s'", where, cut, length, wrong, copy + (cut > 60 ? cut - 60 : 0));
    free(copy);
  }
  ripstop_fabric_free(f);
}

static void every_cut_is_noticed(void **state) {
  (void)state;
  world w;
  make_small_world(&w);
  for (unsigned f = 0; f < FORMS; f++)
    for (unsigned d = 0; d < DIALECTS; d++) {
      if (dialects[d].step[0] == to_timeouts) continue; /* incomplete in any case */
      char where[3 * NAME];
      snprintf(where, sizeof where, "%s, %s", forms[f].name, dialects[d].name);
      ripstop_text text = write_in(&w, &forms[f], &dialects[d]);
      check_cuts(where, text.data, step_of_share(d == 0 ? 1 : 37), f >= 5 ? switches_alone(text.data) : 0);
      ripstop_text_free(&text);
    }
}

static void cuts_of_files_are_noticed(void **state) {
  (void)state;
  static const char *const names[] = {"tests/data/ib/small-clean.ibnetdiscover",
                                      "tests/data/ib/small-clean.ports",
                                      "tests/data/ib/small-clean.linkinfo",
                                      "tests/data/ib/small-clean.linkinfo-l",
                                      "tests/data/ib/small-ibdiagnet.ibnetdiscover",
                                      "tests/data/ib/small-prompt-crlf.ibnetdiscover",
                                      "tests/data/ib/clos-regular.ibnetdiscover",
                                      "examples/operators/monday.txt",
                                      "examples/operators/site.txt"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", RIPSTOP_SOURCE_DIR, names[i]);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    enum { ROOM = 1 << 20 };
    char *text = malloc(ROOM);
    const size_t length = fread(text, 1, ROOM - 1, file);
    fclose(file);
    text[length] = '\0';
    check_cuts(names[i], text, step_of_share(length / 150 + 1),
               strstr(names[i], "linkinfo") ? switches_alone(text) : 0);
    free(text);
  }
}

/* ------------------------------------------------------------------ tables */

enum { NO_PATH = 255 };

/* The port of a switch for a LID, by no rule; some LIDs are unreachable. */
static uint32_t port_of(const world *w, uint32_t node, uint32_t lid) {
  if (w->node[node].lid == lid) return 0;
  const uint32_t at = (node * 31 + lid * 17) % 43;
  return at == 0 || at > w->node[node].ports ? NO_PATH : at;
}

/* opensm-lfts.dump */
static void write_tables(const world *w, ripstop_text *out) {
  for (uint32_t i = 0; i < w->nodes; i++) {
    if (!w->node[i].is_switch) continue;
    ripstop_text_add(out, "Unicast lids [0x0-0x%x] of switch Lid %u guid 0x%016" PRIx64 " ('%s'):\n", w->nodes,
                     w->node[i].lid, w->node[i].guid, w->node[i].text);
    for (uint32_t k = 0; k < w->nodes; k++)
      ripstop_text_add(out, "0x%04x %03u : (%s portguid 0x%016" PRIx64 ": '%s')\n", w->node[k].lid,
                       port_of(w, i, w->node[k].lid), w->node[k].is_switch ? "Switch" : "Channel Adapter",
                       port_guid(&w->node[k]), w->node[k].text);
    ripstop_text_add(out, "%u lids dumped\n", w->nodes);
  }
}

/* opensm.fdbs */
static void write_routes(const world *w, ripstop_text *out) {
  for (uint32_t i = 0; i < w->nodes; i++) {
    if (!w->node[i].is_switch) continue;
    ripstop_text_add(out, "\ndump_ucast_routes: Switch 0x%016" PRIx64 "\nLID    : Port : Hops : Optimal\n",
                     w->node[i].guid);
    for (uint32_t k = 0; k < w->nodes; k++) {
      const uint32_t port = port_of(w, i, w->node[k].lid);
      ripstop_text_add(out, port == NO_PATH ? "0x%04X : UNREACHABLE\n" : "0x%04X : %03u  : 01   : yes\n",
                       w->node[k].lid, port);
    }
  }
}

static ripstop_forwarding *read_tables(const char *where, const ripstop_fabric *f, ripstop_arena *arena,
                                       const char *text) {
  ripstop_error err = {0};
  ripstop_lfts_notes notes;
  ripstop_address_book book;
  ripstop_address_book_of(f, &book);
  ripstop_lfts *lfts = ripstop_lfts_open(f, &book, &err);
  piece rest = piece_of(text), line;
  ripstop_lfts_file(lfts, "tables");
  while (piece_next_line(&rest, &line))
    if (ripstop_lfts_line(lfts, line.at, piece_length(line), &err) != 0) fail_msg("%s: %s", where, err.text);
  ripstop_forwarding *out = ripstop_lfts_finish(lfts, arena, &notes, &err);
  if (out == NULL) fail_msg("%s: %s", where, err.text);
  assert_int_equal(notes.tables, ripstop_fabric_switches(f));
  assert_int_equal(notes.truncated + notes.unknown_addresses + notes.unknown_switches, 0);
  ripstop_lfts_free(lfts);
  return out;
}

static void check_tables(const char *where, const world *w, const ripstop_fabric *f, const char *text) {
  ripstop_arena *arena = ripstop_arena_new();
  const ripstop_forwarding *t = read_tables(where, f, arena, text);
  const ripstop_ib_dump *d = ripstop_ib_of(f)->dump;
  assert_int_equal(t->addresses, w->nodes);
  for (uint32_t a = 0; a < t->addresses; a++)
    for (uint32_t i = 0; i < w->nodes; i++) {
      if (!w->node[i].is_switch) continue;
      const uint32_t at = ripstop_ib_of(f)->node_of[find_node(d, &w->node[i], false)];
      const uint32_t node = ripstop_ib_lid_owner(f, w->node[i].lid);
      assert_int_equal(at, node);
      for (uint32_t k = 0; k < w->nodes; k++) {
        if (ripstop_ib_lid_owner(f, w->node[k].lid) != t->node[a]) continue;
        const uint32_t port = port_of(w, i, w->node[k].lid), is = ripstop_forwarding_port(t, a, at);
        if (is != (port == NO_PATH ? RIPSTOP_NO_PORT : port)) fail_msg("%s: port %u, not %u", where, is, port);
      }
    }
  ripstop_arena_free(arena);
}

static void every_dialect_of_tables_is_one_table(void **state) {
  (void)state;
  static const form tables[] = {{"opensm-lfts.dump", write_tables, false}, {"opensm.fdbs", write_routes, false}};
  ripstop_error err = {0};
  world w;
  make_world(&w, 5);
  ripstop_text dump = {0};
  write_dump(&w, &dump);
  ripstop_fabric *f = ripstop_ib_from_text("made", dump.data, strlen(dump.data), &err);
  if (f == NULL) fail_msg("%s", err.text);
  for (unsigned k = 0; k < 2; k++)
    for (unsigned d = 0; d < DIALECTS; d++) {
      each_line *first = dialects[d].step[0]; /* tables have no other lines */
      if (first == to_one_line_page || first == to_page_with_prose || first == to_timeouts) continue;
      char where[3 * NAME];
      snprintf(where, sizeof where, "%s, %s", tables[k].name, dialects[d].name);
      ripstop_text text = write_in(&w, &tables[k], &dialects[d]);
      check_tables(where, &w, f, text.data);
      ripstop_text_free(&text);
    }
  ripstop_fabric_free(f);
  ripstop_text_free(&dump);
}

/* ------------------------------------------------------------------ one switch alone */

/* iblinkinfo -S lists one switch; "Could be" says which of its cables are slow. */
static void one_switch_names_its_cables(void **state) {
  (void)state;
  static const char *const could[] = {" ", "Could be 106.25 Gbps", "Could be 4X", "Could be 4X Could be 106.25 Gbps",
                                      "Could be 12X "};
  for (uint64_t seed = 1; seed <= 40; seed++) {
    uint64_t random = seed;
    const unsigned cables = 3 + draw(&random, 20);
    unsigned slow = 0;
    ripstop_text text = {0};
    ripstop_text_add(&text, "Switch: 0xfa0b000000001000 edge-305:\n");
    for (unsigned i = 1; i <= cables; i++) {
      const unsigned which = draw(&random, 5);
      slow += which >= 1 && which <= 3;
      ripstop_text_add(&text,
                       "   2 %4u[  ] ==( %s %10s Gbps Active/  LinkUp)==> %5u    1[  ] \"stor%02u mlx5_0\" (%s)\n", i,
                       which == 2 || which == 3 ? "1X" : "4X", which == 0 || which == 4 ? "106.25" : "53.125", 9 + i, i,
                       could[which]);
    }
    ripstop_error err = {0};
    ripstop_fabric *f = ripstop_ib_from_text("links", text.data, strlen(text.data), &err);
    if (f == NULL) fail_msg("%s", err.text);
    const ripstop_ib_dump *d = ripstop_ib_of(f)->dump;
    unsigned odd = 0;
    for (uint32_t i = 0; i < d->odd.count; i++) odd += strstr(d->odd.list[i].what, " cable") != NULL;
    assert_int_equal(d->kinds[RIPSTOP_IB_SWITCH], 1);
    assert_int_equal(d->kinds[RIPSTOP_IB_ADAPTER], cables);
    assert_int_equal(d->cables, cables);
    assert_int_equal(odd, slow);
    assert_true(d->slow_cables >= slow); /* or slower than most */
    ripstop_fabric_free(f);
    ripstop_text_free(&text);
  }
}

/* A leaf alone: its spines have several ports there. */
static void a_leaf_alone_has_spines(void **state) {
  (void)state;
  static const char text[] = "Switch: 0x1 leaf-01:\n"
                             " 5 30[  ] ==( 4X 53.125 Gbps Active/ LinkUp)==> 1 1[  ] \"spine-01\" ( )\n"
                             " 5 31[  ] ==( 4X 53.125 Gbps Active/ LinkUp)==> 1 2[  ] \"spine-01\" ( )\n"
                             " 5 32[  ] ==( 4X 53.125 Gbps Active/ LinkUp)==> 2 7[  ] \"spine-02\" ( )\n"
                             " 5 1[  ] ==( 4X 53.125 Gbps Active/ LinkUp)==> 9 1[  ] \"n01 mlx5_0\" ( )\n";
  ripstop_error err = {0};
  ripstop_fabric *f = ripstop_ib_from_text("links", text, sizeof text - 1, &err);
  if (f == NULL) fail_msg("%s", err.text);
  assert_int_equal(ripstop_fabric_switches(f), 3);
  assert_int_equal(ripstop_ib_of(f)->dump->cables, 4);
  ripstop_fabric_free(f);
}

/* ------------------------------------------------------------------ refusals */

static void damage_is_named(void **state) {
  (void)state;
  static const char *const texts[][2] = {
      {"SW 305 22 0xfa0b000000000131 4x QDR   Infiniscale-IV Mellanox\n",
       "t:1: port line of ibnetdiscover -p without a quoted description"},
      {"Jan  1 08:00:00 sm01 x: SW 305 22 0xfa0b000000000131 4x QDR  - SW 4\n",
       "t:1: port line of ibnetdiscover -p without kind, LID, port and GUID of the other end"},
      {"# a\n\nSwitch 40 S-1\n[1] S-2[3]\n", "t:3: node line of ibnetdiscover without the quoted id"},
      {"vendid=0x1\n", "t:1: this looks like a dump of ibnetdiscover, but no node of a fabric is in it"},
      {"Switch: 0x1 a:\n 1 2[ ] ==( 4X 53.125 Gbps Active/ LinkUp)==> 3 4[ ] b ( )\n",
       "t:2: line of iblinkinfo without the quoted description of the other end"},
      {"Switch: 0x1 a\n 1 2[ ] ==( 4X 53.125 Gbps Active/ LinkUp)==> 3 4[ ] \"b\" ( )\n",
       "t:1: node line of iblinkinfo without GUID, or a colon at its end"},
      {"START_NODES\nNodeGUID,NodeType\nEND_NODES\nSTART_LINKS\nNodeGuid1,NodeGuid2,PortNum2\nEND_LINKS\n",
       "t:5: section LINKS of ibdiagnet's tables without the column PortNum1"},
      {"{ SW Ports:28 NodeGUID:1 }\n", "t:1: line of opensm-subnet.lst without SystemGUID:"},
      {"START_PORTS\nNodeGuid,PortNum\n1,2\nEND_PORTS\n", "without the section NODES"},
      {"START_NODES\nNodeDesc,NumPorts\n\"a\",1\nEND_NODES\n",
       "t:2: section NODES of ibdiagnet's tables without the column NodeGUID"},
      {"dump_ucast_routes: Switch 0x1\nLID    : Port : Hops : Optimal\n",
       "t:1: this looks like OpenSM's forwarding tables (opensm.fdbs), which is no fabric"},
      {"LID    : Out Port(s)\n", "multicast"},
      {"> Errors for 0x1 \"a\"\n>   GUID 0x1 port 17: [SymbolErrorCounter == 5]\n", "error counters of ibqueryerrors"},
      {"# Port counters: Lid 4 port 17 (CapMask: 0x5A00)\n", "port counters of perfquery"},
      {"Sat\n", "no node of a fabric"}};
  for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
    ripstop_error err = {0};
    ripstop_fabric *f = ripstop_ib_from_text("t", texts[i][0], strlen(texts[i][0]), &err);
    if (f != NULL || strstr(err.text, texts[i][1]) == NULL) fail_msg("'%s' has no '%s'", err.text, texts[i][1]);
  }
}

/* Lines within lines of a page have the number of their line. */
static void lines_keep_their_numbers(void **state) {
  (void)state;
  ripstop_arena *arena = ripstop_arena_new();
  plain_lines lines = plain_lines_of(arena, piece_of("<p>a</p>b<br>\r\n<i\nx>&gt; &#99;<br/> \n\n&nbsp;d"));
  static const struct {
    const char *text;
    uint32_t number;
  } expected[] = {{"a", 1}, {"b", 1}, {"", 2}, {"c", 3}, {"", 4}, {"d", 5}};
  piece line;
  for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++) {
    assert_true(plain_next(&lines, &line));
    if (!piece_is(line, expected[i].text) || lines.number != expected[i].number)
      fail_msg("line %u is '%.*s'", lines.number, (int)piece_length(line), line.at);
  }
  assert_true(lines.last && !plain_next(&lines, &line));
  const piece same = piece_of("[1]\t\"S-1\"[2] # \"a > b\"\n");
  assert_ptr_equal(plain_lines_of(arena, same).rest.at, same.at); /* not copied */
  ripstop_arena_free(arena);
}

/* Reads `count` copies of a text as a page: its lines. */
static uint32_t count_lines(const char *text, size_t count) {
  static const char head[] = "<pre>";
  const size_t length = strlen(text);
  char *page = malloc(sizeof head + count * length);
  assert_non_null(page);
  memcpy(page, head, sizeof head - 1);
  for (size_t i = 0; i < count; i++) memcpy(page + sizeof head - 1 + i * length, text, length);
  ripstop_arena *arena = ripstop_arena_new();
  plain_lines lines = plain_lines_of(arena, (piece){page, page + sizeof head - 1 + count * length});
  uint32_t found = 0;
  for (piece line; plain_next(&lines, &line);) found++;
  ripstop_arena_free(arena);
  free(page);
  return found;
}

/* Pages so large that a second look at each byte for each tag takes longer than a test may. */
static void large_pages_are_read_once(void **state) {
  (void)state;
  enum { BREAKS = 8000000, TAGS = 24000000 };
  const uint32_t breaks = BREAKS / share_of_cases(), tags = TAGS / share_of_cases();
  assert_int_equal(count_lines(" <br>", breaks), 0); /* breaks of lines without text */
  assert_int_equal(count_lines("a<br>", breaks), breaks);
  assert_int_equal(count_lines("<!--", tags), 1); /* comments and tags without an end */
  assert_int_equal(count_lines("<!", tags), 1);
}

/* Comments end at most 4000 bytes behind their begin; the others are text. */
static void comments_that_end_too_far_away_are_text(void **state) {
  (void)state;
  enum { BLANKS = 2500 };
  ripstop_arena *arena = ripstop_arena_new();
  const char *blanks = ripstop_arena_printf(arena, "%*s", BLANKS, "");
  const char *page = ripstop_arena_printf(arena, "<p>a<!--%s<!--%s-->b<i c <!-- d -->e<!-->f-->g", blanks, blanks);
  plain_lines lines = plain_lines_of(arena, piece_of(page));
  piece line;
  assert_true(plain_next(&lines, &line));
  assert_true(piece_is(line, ripstop_arena_printf(arena, "a<!--%sbef-->g", blanks)));
  ripstop_arena_free(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_dialect_of_every_form_is_one_fabric),
                                     cmocka_unit_test(every_cut_is_noticed),
                                     cmocka_unit_test(cuts_of_files_are_noticed),
                                     cmocka_unit_test(every_dialect_of_tables_is_one_table),
                                     cmocka_unit_test(one_switch_names_its_cables),
                                     cmocka_unit_test(a_leaf_alone_has_spines),
                                     cmocka_unit_test(damage_is_named),
                                     cmocka_unit_test(lines_keep_their_numbers),
                                     cmocka_unit_test(comments_that_end_too_far_away_are_text),
                                     cmocka_unit_test(large_pages_are_read_once)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

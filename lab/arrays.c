/* arrays.c - fills the arrays that the page reads with the state between two cycles: what each port sends, how full its
 * queues are, and which parts are down, slow or part of a deadlock. It changes nothing in the simulation. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "lab/scene.h"
#include "ripstop/plugin/method.h"
#include "simulate/run_result.h"
#include "workload/workload_run.h"

const void *lab_array(lab_array_kind kind) { return lab.array[kind]; }
uint32_t lab_nodes(void) { return lab.fabric->nodes; }
uint32_t lab_ends(void) { return lab.fabric->ends; }
uint32_t lab_links(void) { return lab.fabric->links; }
uint32_t lab_ports(void) { return lab.fabric->ports; }
double lab_width(void) { return lab.width; }

/* ------------------------------------------------------------------ packets and messages on links */

static uint32_t far_from(const lab_scene *s, uint32_t node, uint32_t end) {
  return s->distance[(size_t)node * s->fabric->ends + end];
}

/* The port by which the next node already sends the front of the packet that `port` sends; RIPSTOP_NONE: the front is
 * on this port's link, or waits at its end. */
static uint32_t onward(const lab_scene *s, uint32_t port) {
  const ripstop_fabric *f = s->fabric;
  const lab_flight *flight = &s->flight[port];
  const uint8_t *moving = s->array[LAB_MOVING];
  uint32_t next = f->port_node[f->peer[port]];
  for (uint32_t q = f->port_base[next]; q < f->port_base[next + 1]; q++)
    if (moving[q] != LAB_NOTHING && s->flight[q].source == flight->source && s->flight[q].number == flight->number &&
        s->flight[q].class_ == flight->class_)
      return q;
  return RIPSTOP_NONE;
}

/* True if the packet that a port sends takes more hops than its distance without faults. Hops are counted at the
 * packet's front. */
static bool is_detour(const lab_scene *s, uint32_t port) {
  enum { LONGEST = 64 }; /* more links than one packet is ever on at once */
  const lab_flight *flight = &s->flight[port];
  for (uint32_t i = 0, q = port; i < LONGEST && q != RIPSTOP_NONE; i++, q = onward(s, q)) port = q;
  uint32_t next = s->fabric->port_node[s->fabric->peer[port]];
  return flight->hops + far_from(s, next, flight->destination) > far_from(s, flight->source, flight->destination);
}

/* Shows which share of `flits` the port has sent; it needs `busy` more cycles for the rest. */
static void show_progress(const lab_scene *s, uint32_t port, uint32_t flits, uint64_t busy) {
  const uint16_t rate = ripstop_view_rate(ripstop_simulate_view(s->simulation), s->fabric->port_link[port]);
  const float cycles = (float)ripstop_cycles_at(rate, flits);
  ((float *)s->array[LAB_STEP])[port] = 1 / cycles;
  ((float *)s->array[LAB_FROM])[port] = fmaxf(0, 1 - (float)busy / cycles);
}

static void show_leaving(const lab_scene *s, ripstop_side side, uint32_t port, uint32_t channel) {
  ripstop_packet_look p;
  ripstop_link_look link;
  if (!ripstop_simulate_packets(s->simulation, side, port, channel, &p, 1) || p.port == RIPSTOP_NONE) return;
  if (ripstop_simulate_link(s->simulation, p.port, &link) || !link.busy) return;
  ((uint8_t *)s->array[LAB_MOVING])[p.port] = LAB_PACKET;
  ((uint32_t *)s->array[LAB_TARGET])[p.port] = p.destination;
  s->flight[p.port] = (lab_flight){p.source, p.destination, p.number, p.hops, p.class_};
  show_progress(s, p.port, p.flits, link.busy);
}

static size_t list_messages(lab_scene *s) {
  RIPSTOP_GUARD(NULL, 0);
  size_t count = ripstop_simulate_messages(s->simulation, s->message, s->messages);
  if (count <= s->messages) return count;
  s->messages = 2 * count;
  s->message = ripstop_arena_realloc(s->arena, s->message, s->messages, sizeof *s->message);
  return ripstop_simulate_messages(s->simulation, s->message, s->messages);
}

/* Messages take no link bandwidth. A port that sends a packet and a message at once shows the message. */
static void show_messages(lab_scene *s) {
  const size_t count = list_messages(s);
  for (size_t i = 0; i < count; i++) {
    const ripstop_message_look *m = &s->message[i];
    const float cycles = (float)(m->arrives - m->sent);
    ((uint8_t *)s->array[LAB_MOVING])[m->port] = LAB_MESSAGE;
    ((float *)s->array[LAB_FROM])[m->port] = (float)(ripstop_simulate_now(s->simulation) - m->sent) / cycles;
    ((float *)s->array[LAB_STEP])[m->port] = 1 / cycles;
  }
}

static void show_link(const lab_scene *s, uint32_t port) {
  ripstop_link_look link;
  uint8_t *moving = s->array[LAB_MOVING];
  if (ripstop_simulate_link(s->simulation, port, &link)) return;
  ((float *)s->array[LAB_FLITS])[port] = (float)(link.flits - s->sent[port]);
  s->sent[port] = link.flits;
  if (moving[port] == LAB_PACKET && s->distance && is_detour(s, port)) moving[port] = LAB_DETOUR;
}

/* ------------------------------------------------------------------ queues, links and switches */

typedef struct filling {
  double units, capacity;
  bool held, stuck;
} filling;

static void add_queue(const lab_scene *s, ripstop_side side, uint32_t port, uint32_t channel, filling *f) {
  ripstop_queue_look q;
  if (ripstop_simulate_queue(s->simulation, side, port, channel, &q)) return;
  f->units += (double)q.units, f->capacity += (double)q.capacity;
  f->held |= q.state == RIPSTOP_QUEUE_STALLED;
  f->stuck |= q.stuck;
}

/* The queues of a switch's port. A stuck input queue marks the port that sends into it. */
static void show_switch_port(const lab_scene *s, uint32_t port) {
  const ripstop_fabric *f = s->fabric;
  const ripstop_side leaves = s->settings.scenario.switch_.out_queue ? RIPSTOP_SIDE_OUT : RIPSTOP_SIDE_IN;
  filling in = {0}, out = {0};
  for (uint32_t c = 0; c < RIPSTOP_CHANNELS_MAX; c++) { /* a link may not have all of them */
    add_queue(s, RIPSTOP_SIDE_IN, port, c, &in);
    if (leaves == RIPSTOP_SIDE_OUT) add_queue(s, RIPSTOP_SIDE_OUT, port, c, &out);
    show_leaving(s, leaves, port, c);
  }
  uint8_t *stuck = s->array[LAB_STUCK];
  ((float *)s->array[LAB_FILL])[port] = (float)(in.units / in.capacity);
  if (f->peer[port] != RIPSTOP_NONE && in.stuck) stuck[f->peer[port]] = true;
  if (out.stuck) stuck[port] = true;
  if (in.held) ((uint8_t *)s->array[LAB_NODE_STATE])[f->port_node[port]] = 2;
}

/* An interface's queues are unlimited: the page shows them full when a packet waits. */
static void show_interface(const lab_scene *s, uint32_t port) {
  ripstop_packet_look p;
  float *fill = s->array[LAB_FILL];
  fill[port] = 0;
  for (uint32_t c = 0; c < RIPSTOP_CLASSES_MAX; c++) {
    if (!ripstop_simulate_packets(s->simulation, RIPSTOP_SIDE_IN, port, c, &p, 1)) continue;
    if (!p.leaving) fill[port] = 1;
    show_leaving(s, RIPSTOP_SIDE_IN, port, c);
  }
}

static void show_parts(const lab_scene *s) {
  const ripstop_view *view = ripstop_simulate_view(s->simulation);
  uint8_t *link = s->array[LAB_LINK_STATE], *node = s->array[LAB_NODE_STATE];
  for (uint32_t i = 0; i < s->fabric->links; i++)
    link[i] = !view->link_up[i] ? 1 : ripstop_view_rate(view, i) < ripstop_fabric_rate(s->fabric, i) ? 2 : 0;
  float *age = s->array[LAB_AGE];
  for (uint32_t v = 0; v < s->fabric->nodes; v++) {
    const uint64_t renewed = ripstop_simulate_renewed(s->simulation, v);
    node[v] = !view->node_up[v];
    age[v] = renewed == UINT64_MAX ? INFINITY : (float)(ripstop_simulate_now(s->simulation) - renewed);
  }
}

void lab_look(void) {
  lab_scene *s = &lab;
  const uint32_t ports = s->fabric->ports, ends = s->fabric->ends;
  memset(s->array[LAB_MOVING], LAB_NOTHING, ports);
  memset(s->array[LAB_STUCK], 0, ports);
  show_parts(s);
  for (uint32_t port = 0; port < ports; port++) port < ends ? show_interface(s, port) : show_switch_port(s, port);
  for (uint32_t port = 0; port < ports; port++) show_link(s, port);
  show_messages(s);
}

/* ------------------------------------------------------------------ results */

double lab_account(uint32_t which) {
  ripstop_look look;
  ripstop_simulate_look(lab.simulation, &look);
  const uint64_t packets[] = {look.account.generated, look.account.delivered, look.account.in_flight,
                              look.account.waiting, look.account.lost};
  return which < sizeof packets / sizeof *packets ? (double)packets[which] : NAN;
}

bool lab_deadlocked(void) {
  ripstop_look look;
  ripstop_simulate_look(lab.simulation, &look);
  return look.deadlocked;
}

double lab_series_window(void) { return (double)lab.settings.scenario.measure.window; }

static uint32_t fill_series(lab_scene *s) {
  RIPSTOP_GUARD(NULL, 0);
  const double cells = lab_series_window() * s->fabric->ends;
  size_t count = ripstop_simulate_windows(s->simulation, NULL, 0);
  ripstop_window *window = ripstop_realloc(NULL, count + 1, sizeof *window);
  if (count > s->series_room) {
    s->series_room = 2 * count;
    s->series = ripstop_arena_realloc(s->arena, s->series, s->series_room * LAB_SERIES, sizeof *s->series);
  }
  ripstop_simulate_windows(s->simulation, window, count);
  for (size_t i = 0; i < count; i++) {
    const ripstop_window *w = &window[i];
    const double point[LAB_SERIES] = {(double)w->cycle, (double)w->delivered_flits / cells, w->latency,
                                      (double)w->lost};
    memcpy(&s->series[i * LAB_SERIES], point, sizeof point);
  }
  ripstop_free(window);
  return (uint32_t)count;
}

uint32_t lab_series(void) { return fill_series(&lab); }
const double *lab_series_data(void) { return lab.series; }

/* A JSON string. Names and messages contain no control characters (ripstop_clean). */
static void add_quoted(ripstop_text *out, const char *text) {
  ripstop_text_add(out, "\"");
  for (; *text; text++) ripstop_text_add(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
  ripstop_text_add(out, "\"");
}

static void add_member(ripstop_text *out, const char *name, double value) {
  ripstop_text_add(out, ",");
  add_quoted(out, name);
  if (isfinite(value))
    ripstop_text_add(out, ":%.17g", value);
  else
    ripstop_text_add(out, ":null");
}

static void add_text(ripstop_text *out, const char *name, const char *text) {
  ripstop_text_add(out, ",");
  add_quoted(out, name);
  ripstop_text_add(out, ":");
  add_quoted(out, text);
}

static void add_numbers(ripstop_text *out, const ripstop_run_result *r) {
  const ripstop_account *a = &r->account;
  const ripstop_value more[] = {
      {"account.generated", "packets", (double)a->generated, NAN},
      {"account.delivered", "packets", (double)a->delivered, NAN},
      {"account.in-flight", "packets", (double)a->in_flight, NAN},
      {"account.waiting", "packets", (double)a->waiting, NAN},
      {"account.lost", "packets", (double)a->lost, NAN},
      {"run.cycles", "cycles", (double)r->cycles, NAN},
      {"run.hops", "links", (double)r->hops, NAN},
  };
  for (size_t i = 0; i < r->values; i++) add_member(out, r->value[i].name, r->value[i].value);
  for (size_t i = 0; i < sizeof more / sizeof *more; i++) add_member(out, more[i].name, more[i].value);
  ripstop_text_add(out, ",\"half-widths\":{\"\":null");
  for (size_t i = 0; i < r->values; i++)
    if (!isnan(r->value[i].half)) add_member(out, r->value[i].name, r->value[i].half);
  ripstop_text_add(out, "},\"no-interval\":{\"\":\"\"");
  for (size_t i = 0; i < r->values; i++)
    if (isinf(r->value[i].half))
      add_text(out, r->value[i].name, ripstop_value_without_interval(&r->value[i], ripstop_verdict_words[r->verdict]));
  ripstop_text_add(out, "},\"units\":{\"\":\"\"");
  for (size_t i = 0; i < r->values; i++) add_text(out, r->value[i].name, r->value[i].unit);
  ripstop_text_add(out, "}");
}

int lab_numbers(void) {
  ripstop_error err = {0};
  ripstop_run_result result;
  int status = lab.jobs ? ripstop_jobs_result(lab.jobs, &result, &err)
                        : ripstop_simulate_result_into(lab.simulation, &result, &err);
  if (status) return lab_fail(&err);
  ripstop_text *out = lab_say();
  ripstop_text_add(out, "{\"verdict\":");
  add_quoted(out, ripstop_verdict_words[result.verdict]);
  ripstop_text_add(out, ",\"switch.selection\":");
  add_quoted(out, ripstop_method_selection(lab.plan->method, lab.settings.scenario.switch_.selection));
  ripstop_text_add(out, ",\"switch.escape\":");
  add_quoted(out, ripstop_method_escape(lab.plan->method, ripstop_escape_words[lab.settings.scenario.switch_.escape]));
  ripstop_text_add(out, ",\"reason\":");
  add_quoted(out, result.witness ? result.witness : "");
  add_numbers(out, &result);
  ripstop_text_add(out, "}");
  ripstop_run_result_free(&result);
  return 0;
}

/* judge_hosts.c - see judge_hosts.h. */
#include "cli/judge_hosts.h"

#include <inttypes.h>
#include <string.h>

#include "cli/fabric_files.h"
#include "fabric/ib.h"
#include "report/json_values.h"

enum { STEPS_SHOWN = 6, SPEEDS_SHOWN = 200, HOSTS_SHOWN = 24 };

static const double MEGA_IN_GIGA = 1000;

/* The list is the text, or with @FILE what is in the file. */
static int read_list(judge_hosts *h, const ripstop_table_case *c, ripstop_error *err) {
  enum { BYTES_MAX = 1 << 24 };
  char *data;
  size_t length;
  if (h->text[0] != '@') return hostlist_read(&h->list, c->arena, h->text, err);
  const char *path = h->text + 1;
  if (ripstop_read_file(c->arena, path, BYTES_MAX, &data, &length, err)) return -1;
  if (memchr(data, '\0', length)) return ripstop_fail(err, "%s: is no text", path);
  return hostlist_read(&h->list, c->arena, data, err) ? ripstop_fail_at(err, "%s", path) : 0;
}

int judge_hosts_open(judge_hosts *h, const ripstop_table_case *c, ripstop_error *err) {
  if (!h->text) return 0;
  h->c = c;
  if (read_list(h, c, err) || host_job_make(&h->job, c->arena, c->view, c->tables, &h->list, h->adapters, err))
    return ripstop_fail_at(err, "judge: --hosts");
  if (h->speed && !h->job.speeds)
    return ripstop_fail(err, "judge: --speed: %s does not say how fast its cables are", c->fabric->spec);
  return 0;
}

/* ------------------------------------------------------------------ names */

/* "leaf-01/P29 > spine-1/P1": the direction in which a port sends. */
static const char *direction(const judge_hosts *h, uint32_t port) {
  const ripstop_ib_dump *dump = ripstop_ib_of(h->c->fabric)->dump;
  const uint32_t at = ripstop_ib_dump_port(h->c->fabric, port);
  return ripstop_arena_printf(h->c->arena, "%s > %s", fabric_files_end(h->c->arena, dump, at),
                              fabric_files_end(h->c->arena, dump, dump->port[at].mate));
}

static const char *cable(const judge_hosts *h, uint32_t port) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_ib_cable_name(ripstop_ib_of(h->c->fabric)->dump, ripstop_ib_dump_port(h->c->fabric, port), name);
  return ripstop_arena_text(h->c->arena, name);
}

static const char *adapter(const judge_hosts *h, uint32_t i) {
  const job_adapter *a = &h->job.adapter[i];
  return ripstop_arena_printf(h->c->arena, "%s%s%s", h->list.name[a->host], a->word[0] ? " " : "", a->word);
}

static const char *step_name(const judge_hosts *h, const job_step *s) {
  return ripstop_arena_printf(h->c->arena, "%s > %s", adapter(h, s->from), adapter(h, s->to));
}

static bool uses(const job_ring *ring, const job_step *step, uint32_t port) {
  for (uint32_t i = 0; i < step->ports; i++)
    if (ring->port[step->first + i] == port) return true;
  return false;
}

static bool is_as_listed(const host_job *job) {
  return memcmp(job->ring.host, job->by_leaf.host, job->list->names * sizeof *job->ring.host) == 0;
}

/* ------------------------------------------------------------------ for people */

/* The text of a set; a long list of hosts is cut. */
static const char *set_name(const judge_hosts *h, uint32_t set) {
  enum { BYTES_SHOWN = 60 };
  const hostlist_set *s = &h->list.set[set];
  if (strlen(s->text) <= BYTES_SHOWN) return s->text;
  return ripstop_arena_printf(h->c->arena, "%s to %s (%u hosts)", h->list.name[s->first],
                              h->list.name[s->first + s->count - 1], s->count);
}

static void print_blocking(const judge_hosts *h, const job_blocking *b) {
  const char *from = set_name(h, b->from), *to = set_name(h, b->to);
  printf("  blocking   %.3g ", b->factor);
  if (b->from == b->to)
    printf("within %s", from);
  else
    printf("from %s to %s", from, to);
  if (b->port != RIPSTOP_NONE) printf("; busiest %s, for %" PRIu64 " pairs", direction(h, b->port), b->pairs);
  if (b->lost) printf("; %" PRIu64 " pairs are lost", b->lost);
  printf("\n");
}

static void print_sharing(const judge_hosts *h, const job_ring *ring) {
  uint32_t shown = 0;
  printf("    busiest  %s, shared by %u %s: ", direction(h, ring->busiest), ring->sharing,
         ring->sharing == 1 ? "step" : "steps");
  for (uint32_t s = 0; s < ring->steps && shown < STEPS_SHOWN; s++)
    if (uses(ring, &ring->step[s], ring->busiest)) printf("%s%s", shown++ ? ", " : "", step_name(h, &ring->step[s]));
  if (ring->sharing > shown) printf(", and %u more", ring->sharing - shown);
  printf("\n");
}

static void print_ring(const judge_hosts *h, const job_ring *ring, const char *word, const char *order) {
  printf("  %-10s %u hosts %s, %u steps: %u leave their leaf, %u cross rails, %u are lost\n", word, h->list.names,
         order, ring->steps, ring->between, ring->crossing, ring->lost);
  if (ring->busiest != RIPSTOP_NONE) print_sharing(h, ring);
  if (ring->slowest == RIPSTOP_NONE || !h->job.speeds) return;
  const job_step *s = &ring->step[ring->slowest];
  printf("    slowest  %s: %.4g of %.4g Gb/s\n", step_name(h, s), s->rate / MEGA_IN_GIGA,
         h->job.adapter[s->from].rate / MEGA_IN_GIGA);
}

static void print_order(const judge_hosts *h) {
  printf("    order    ");
  for (uint32_t i = 0; i < h->list.names && i < HOSTS_SHOWN; i++)
    printf("%s%s", i ? "," : "", h->list.name[h->job.by_leaf.host[i]]);
  if (h->list.names > HOSTS_SHOWN) printf(", and %u more (--json)", h->list.names - HOSTS_SHOWN);
  printf("\n");
}

static void print_speeds(const judge_hosts *h) {
  const job_ring *ring = &h->job.ring;
  for (uint32_t s = 0; s < ring->steps && s < SPEEDS_SHOWN; s++)
    printf("    %9.4g Gb/s  %s%s\n", ring->step[s].rate / MEGA_IN_GIGA, step_name(h, &ring->step[s]),
           ring->step[s].lost           ? " (lost)"
           : ring->step[s].crosses_rail ? " (crosses rails)"
                                        : "");
  if (ring->steps > SPEEDS_SHOWN) printf("    and %u more, all of them by --json\n", ring->steps - SPEEDS_SHOWN);
}

void judge_hosts_print(const judge_hosts *h) {
  if (!h->text) return;
  printf("  hosts      %u on %u leaves, with %u adapters\n", h->list.names, h->job.leaves, h->job.adapters);
  for (uint32_t i = 0; i < h->job.blockings; i++) print_blocking(h, &h->job.blocking[i]);
  print_ring(h, &h->job.ring, "ring", is_as_listed(&h->job) ? "as listed, which is leaf by leaf" : "as listed");
  if (h->speed) print_speeds(h);
  if (is_as_listed(&h->job)) return;
  print_ring(h, &h->job.by_leaf, "by leaf", "leaf by leaf");
  print_order(h);
}

/* ------------------------------------------------------------------ for scripts */

static json_t *gigabits(const judge_hosts *h, double rate) {
  return h->job.speeds ? ripstop_json_number(rate / MEGA_IN_GIGA) : json_null();
}

static json_t *json_step(const judge_hosts *h, const job_ring *ring, const job_step *s) {
  json_t *cables = json_array();
  for (uint32_t i = 0; i < s->ports; i++)
    json_array_append_new(cables, ripstop_json_text(cable(h, ring->port[s->first + i])));
  return json_pack("{s:o, s:o, s:o, s:b, s:b, s:o}", "from", ripstop_json_text(adapter(h, s->from)), "to",
                   ripstop_json_text(adapter(h, s->to)), "gbps", gigabits(h, s->rate), "lost", s->lost, "crosses_rail",
                   s->crosses_rail, "cables", cables);
}

static json_t *json_busiest(const judge_hosts *h, const job_ring *ring) {
  json_t *pairs = json_array();
  for (uint32_t s = 0; s < ring->steps; s++)
    if (uses(ring, &ring->step[s], ring->busiest))
      json_array_append_new(pairs, json_pack("[o, o]", ripstop_json_text(adapter(h, ring->step[s].from)),
                                             ripstop_json_text(adapter(h, ring->step[s].to))));
  return json_pack("{s:o, s:o, s:o}", "cable", ripstop_json_text(cable(h, ring->busiest)), "direction",
                   ripstop_json_text(direction(h, ring->busiest)), "pairs", pairs);
}

static json_t *json_ring(const judge_hosts *h, const job_ring *ring) {
  json_t *order = json_array();
  for (uint32_t i = 0; i < h->list.names; i++)
    json_array_append_new(order, ripstop_json_text(h->list.name[ring->host[i]]));
  json_t *out = json_pack("{s:o, s:i, s:i, s:i, s:i}", "order", order, "steps", (int)ring->steps, "between_leaves",
                          (int)ring->between, "cross_rails", (int)ring->crossing, "lost", (int)ring->lost);
  json_object_set_new(out, "busiest", ring->busiest == RIPSTOP_NONE ? json_null() : json_busiest(h, ring));
  json_object_set_new(out, "slowest",
                      ring->slowest == RIPSTOP_NONE ? json_null() : json_step(h, ring, &ring->step[ring->slowest]));
  return out;
}

static json_t *json_blocking(const judge_hosts *h, const job_blocking *b) {
  json_t *out = json_pack("{s:o, s:o, s:o, s:I, s:I}", "from", ripstop_json_text(h->list.set[b->from].text), "to",
                          ripstop_json_text(h->list.set[b->to].text), "factor", ripstop_json_number(b->factor), "pairs",
                          (json_int_t)b->pairs, "lost", (json_int_t)b->lost);
  json_object_set_new(out, "cable", b->port == RIPSTOP_NONE ? json_null() : ripstop_json_text(cable(h, b->port)));
  return out;
}

void judge_hosts_json(const judge_hosts *h, json_t *all) {
  if (!h->text) return;
  json_t *blocking = json_array(), *steps = json_array();
  for (uint32_t i = 0; i < h->job.blockings; i++)
    json_array_append_new(blocking, json_blocking(h, &h->job.blocking[i]));
  json_t *out = json_pack("{s:i, s:i, s:i, s:o, s:o, s:o}", "hosts", (int)h->list.names, "adapters",
                          (int)h->job.adapters, "leaves", (int)h->job.leaves, "blocking", blocking, "ring",
                          json_ring(h, &h->job.ring), "ring_by_leaf", json_ring(h, &h->job.by_leaf));
  for (uint32_t s = 0; h->speed && s < h->job.ring.steps; s++)
    json_array_append_new(steps, json_step(h, &h->job.ring, &h->job.ring.step[s]));
  json_object_set_new(out, "steps", steps);
  json_object_set_new(all, "hosts", out);
}

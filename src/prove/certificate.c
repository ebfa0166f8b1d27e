/* certificate.c - certificates as text: the prover's result on deadlock, written for a checker and read back.
 *
 *   certificate 1
 *   fabric torus:4x4
 *   method dor:dateline=off,bubble=off
 *   switch output                          how packets wait in switches, if not as in `input`
 *   faults 0.1/0 switch:2.2
 *   before 3.3/0                           transient states: the parts that failed before, and the order of
 *   `mixture` 2 in-order                   messages, or the write; then for-ever, two-writes, repaired; and
 *   inject 0.0 0 1 ...                     queues that end nodes feed, by name
 *   deadlock 8                             or   free 40
 *   queue 0.0 0 0 0.0 0.2 0x0                   queue 0.0 0 0
 *   ...                                         ring 1 0.1 0 0
 *                                               ...
 * A queue is named by the switch that sends into it, the local port there and the channel; the packet in it by
 * source, destination and header word, and by its class if the plan has several (else 0, and not written). The queues
 * that are free of deadlock come in the order in which they empty. Those of a ring that empties as a whole have the
 * ring's number and are adjacent, each entered from the one before, the first from the last. Lines that start with
 * '#' and blank lines are ignored.
 *
 * Invariant: a certificate that was read names queues between switches of its fabric, and end nodes of it. Whether
 * its claims are true is another question. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/growing.h"
#include "base/local.h"
#include "base/memory.h"
#include "base/piece.h"
#include "fabric/inner.h"
#include "faults/fault_syntax.h"
#include "prove/proof.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/plugin/method.h"
#include "ripstop/plugin/selection.h"
#include "ripstop/plugin/switch.h"

static const char transient_key[] = "mixture"; /* part of the file format */
enum { CERTIFICATE_VERSION = 1, CERTIFICATE_LIMIT = 256 << 20 /* bytes */, WORDS_MAX = 9 };

/* ------------------------------------------------------------------ writing */

static void add_faults(ripstop_text *out, const ripstop_view *view) {
  const ripstop_fabric *f = view->fabric;
  RIPSTOP_LOCAL_ARENA(scratch);
  uint32_t *link = RIPSTOP_ARRAY(scratch, view->failed_links + 1, uint32_t);
  uint32_t *switch_ = RIPSTOP_ARRAY(scratch, view->failed_switches + 1, uint32_t);
  ripstop_slow_link *slow = RIPSTOP_ARRAY(scratch, f->links, ripstop_slow_link);
  ripstop_faults faults = {.link = link, .switch_ = switch_, .slow = slow};
  for (uint32_t i = 0; i < f->links; i++)
    if (!view->link_up[i]) link[faults.links++] = i;
  for (uint32_t v = f->ends; v < f->nodes; v++)
    if (!view->node_up[v]) switch_[faults.switches++] = v;
  for (uint32_t i = 0; i < f->links; i++)
    if (view->link_up[i] && ripstop_view_rate(view, i) != ripstop_fabric_rate(view->fabric, i))
      slow[faults.slows++] = (ripstop_slow_link){.link = i, .rate = ripstop_view_rate(view, i)};
  if (faults.links + faults.switches + faults.slows) ripstop_text_add(out, " ");
  ripstop_faults_print(out, f, &faults);
}

static void add_queue(ripstop_text *out, const ripstop_fabric *f, const ripstop_deadlocked_packet *queue) {
  char name[RIPSTOP_NAME_MAX];
  uint32_t node = f->port_node[queue->port];
  ripstop_node_name(f, node, name);
  ripstop_text_add(out, "%s %u %u", name, queue->port - f->port_base[node], queue->channel);
}

static void add_packet(ripstop_text *out, const ripstop_plan *plan, const ripstop_deadlocked_packet *packet) {
  const ripstop_fabric *f = plan->fabric;
  char source[RIPSTOP_NAME_MAX], destination[RIPSTOP_NAME_MAX];
  ripstop_node_name(f, packet->source, source);
  ripstop_node_name(f, packet->destination, destination);
  ripstop_text_add(out, " %s %s 0x%" PRIx64, source, destination, packet->header);
  if (plan->classes > 1) ripstop_text_add(out, " %u", packet->class_);
}

static void add_transient(ripstop_text *out, const ripstop_fabric *f, const ripstop_mixed *mixed, uint32_t number) {
  ripstop_text_add(out, "\nbefore ");
  if (mixed->before) ripstop_faults_print(out, f, mixed->before);
  ripstop_text_add(out, "\n%s %u%s%s%s%s", transient_key, number, mixed->in_order ? " in-order" : "",
                   mixed->for_ever ? " for-ever" : "", mixed->two_writes ? " two-writes" : "",
                   mixed->repaired ? " repaired" : "");
}

/* "channels vcs=N buffers=port": each where it is not the default. */
static void add_channels(ripstop_text *out, const ripstop_switch_channels *channels) {
  if (channels->vcs <= 1 && !channels->pooled) return;
  ripstop_text_add(out, "channels");
  if (channels->vcs > 1) ripstop_text_add(out, " vcs=%u", channels->vcs);
  ripstop_text_add(out, "%s\n", channels->pooled ? " buffers=port" : "");
}

static void add_head(ripstop_text *out, const ripstop_plan *plan) {
  RIPSTOP_LOCAL_TEXT(options);
  ripstop_options_print(&options, plan->method->options, plan->config);
  ripstop_text_add(
      out, "# ripstop check-witness FILE checks whether this is true.\ncertificate %d\nfabric %s\nmethod %s%s%s\n",
      CERTIFICATE_VERSION, plan->fabric->spec, plan->method->name, options.length ? ":" : "",
      options.length ? options.data : "");
  if (plan->switch_) ripstop_text_add(out, "switch %s\n", plan->switch_->name);
  if (plan->binding) ripstop_text_add(out, "binding %s\n", plan->binding);
  add_channels(out, &plan->switch_channels);
  ripstop_text_add(out, "faults");
  add_faults(out, plan->view);
}

/* Only certificates of transient states have such queues; switches and end nodes may have the same names. */
static bool is_fed_by_end(const ripstop_fabric *f, const ripstop_deadlocked_packet *queue) {
  return ripstop_is_end(f, f->port_node[queue->port]);
}

/* `mixed`: NULL: for the plan alone. */
static int write_certificate(FILE *file, const ripstop_plan *plan, const ripstop_mixed *mixed, uint32_t number,
                             const ripstop_proof *proof) {
  RIPSTOP_LOCAL_TEXT(text);
  add_head(&text, plan);
  if (mixed) add_transient(&text, plan->fabric, mixed, number);
  if (proof->deadlock_free)
    ripstop_text_add(&text, "\n# queue SWITCH PORT CHANNEL: can wait for earlier ones only\nfree %u\n", proof->queues);
  else
    ripstop_text_add(&text, "\n# queue SWITCH PORT CHANNEL SOURCE DESTINATION HEADER%s\ndeadlock %u\n",
                     plan->classes > 1 ? " CLASS" : "", proof->queues);
  for (uint32_t i = 0; i < proof->queues; i++) {
    bool ring = proof->deadlock_free && proof->ring[i];
    if (ring) ripstop_text_add(&text, "ring %u ", proof->ring[i]);
    if (!ring) ripstop_text_add(&text, is_fed_by_end(plan->fabric, &proof->queue[i]) ? "inject " : "queue ");
    add_queue(&text, plan->fabric, &proof->queue[i]);
    if (!proof->deadlock_free) add_packet(&text, plan, &proof->queue[i]);
    ripstop_text_add(&text, "\n");
  }
  bool whole = fwrite(text.data, 1, text.length, file) == text.length && fflush(file) == 0;
  return whole ? 0 : -1;
}

int ripstop_certificate_write(FILE *file, const ripstop_plan *plan, const ripstop_proof *proof) {
  RIPSTOP_GUARD(NULL, -1);
  return write_certificate(file, plan, NULL, 0, proof);
}

int ripstop_certificate_write_transient(FILE *file, const ripstop_plan *plan, const ripstop_mixed *mixed,
                                        uint32_t number, const ripstop_proof *proof) {
  RIPSTOP_GUARD(NULL, -1);
  return write_certificate(file, plan, mixed, number, proof);
}

/* ------------------------------------------------------------------ reading */

typedef struct reader {
  piece text; /* the lines that are left */
  uint32_t line;
  piece rest;            /* the present line after its first word */
  piece word[WORDS_MAX]; /* words of the present line */
  uint32_t words;        /* WORDS_MAX: this many or more */
  ripstop_certificate *certificate;
  ripstop_names *names;
  ripstop_deadlocked_packet *queue; /* on the heap */
  uint32_t *ring, queues, room;
  ripstop_error *err;
} reader;

/* The next line that is not ignored; false at the end. */
static bool next_line(reader *r) {
  for (piece line; piece_next_line(&r->text, &line);) {
    r->line++;
    line = piece_trimmed(line);
    r->words = 0;
    while (r->words < WORDS_MAX && line.at < line.end) {
      r->word[r->words++] = piece_next_word(&line);
      if (r->words == 1) r->rest = piece_trimmed(line);
    }
    if (r->words && r->word[0].at[0] != '#') return true;
  }
  return false;
}

static int shown(const piece *w) { return ripstop_word_shown(piece_length(*w)); }

/* The present line must start with `key`. */
static int check_key(const reader *r, const char *key) {
  if (piece_is(r->word[0], key)) return 0;
  return ripstop_fail(r->err, "'%s ...' should be here, not '%.*s'", key, shown(&r->word[0]), r->word[0].at);
}

/* So must the next. */
static int expect(reader *r, const char *key) {
  if (!next_line(r)) return ripstop_fail(r->err, "the file ends where a line '%s ...' should be", key);
  return check_key(r, key);
}

static int read_number(const reader *r, const piece *w, uint64_t most, uint64_t *out) {
  char digits[24];
  if (!piece_copy(*w, digits, sizeof digits)) return ripstop_fail(r->err, "'%.*s' is no number", shown(w), w->at);
  return ripstop_parse_u64(digits, most, out, r->err);
}

static int read_header(const reader *r, const piece *w, uint64_t *out) {
  enum { DIGITS = 16 };
  piece p = *w;
  const bool fits = piece_take(&p, "0x") && piece_length(p) <= DIGITS && piece_number(&p, 16, out) && p.at == p.end;
  return fits ? 0 : ripstop_fail(r->err, "'%.*s' is no header word; one looks like 0x2f", shown(w), w->at);
}

static int read_switch(const reader *r, const piece *w, uint32_t *node) {
  *node = ripstop_names_switch(r->names, w->at, piece_length(*w));
  if (*node != RIPSTOP_NONE) return 0;
  const char *near = ripstop_names_nearest_switch(r->names, w->at, piece_length(*w));
  return ripstop_fail(r->err, "there is no switch '%.*s'%s%s%s", shown(w), w->at, near ? "; did you mean '" : "",
                      near ? near : "", near ? "'?" : "");
}

static int read_end(const reader *r, const piece *w, uint32_t *end) {
  *end = ripstop_names_end(r->names, w->at, piece_length(*w));
  return *end != RIPSTOP_NONE ? 0 : ripstop_fail(r->err, "there is no end node '%.*s'", shown(w), w->at);
}

/* SWITCH PORT CHANNEL, three words from `w` on; or END PORT CHANNEL. */
static int read_place(const reader *r, const piece *w, bool by_end, ripstop_deadlocked_packet *out) {
  const ripstop_fabric *f = r->certificate->fabric;
  uint32_t node;
  uint64_t port, channel;
  if ((by_end ? read_end : read_switch)(r, &w[0], &node) || read_number(r, &w[1], UINT32_MAX, &port) ||
      read_number(r, &w[2], RIPSTOP_CHANNELS_MAX - 1, &channel))
    return -1;
  uint32_t peer = port < ripstop_node_ports(f, node) ? f->peer[f->port_base[node] + port] : RIPSTOP_NONE;
  bool to_end = peer != RIPSTOP_NONE && ripstop_is_end(f, f->port_node[peer]); /* in-transit packets at a NIC */
  if (peer == RIPSTOP_NONE || (to_end && !r->certificate->transient))
    return ripstop_fail(r->err, "port %" PRIu64 " of '%.*s' leads to no switch", port, shown(&w[0]), w[0].at);
  out->port = f->port_base[node] + (uint32_t)port;
  out->channel = (uint8_t)channel;
  return 0;
}

/* SOURCE DESTINATION HEADER [CLASS]. */
static int read_packet(const reader *r, const piece *w, bool has_class, ripstop_deadlocked_packet *out) {
  uint64_t class_ = 0;
  if (has_class && read_number(r, &w[3], RIPSTOP_CLASSES_MAX - 1, &class_)) return -1;
  out->class_ = (uint8_t)class_;
  if (read_end(r, &w[0], &out->source) || read_end(r, &w[1], &out->destination) || read_header(r, &w[2], &out->header))
    return -1;
  return out->source != out->destination ? 0 : ripstop_fail(r->err, "source and destination are the same end node");
}

static void keep_queue(reader *r, const ripstop_deadlocked_packet *queue, uint32_t ring) {
  if (r->queues == r->room) {
    r->room = RIPSTOP_MORE_ROOM(r->room);
    r->queue = ripstop_realloc(r->queue, r->room, sizeof *r->queue);
    r->ring = ripstop_realloc(r->ring, r->room, sizeof *r->ring);
  }
  r->queue[r->queues] = *queue;
  r->ring[r->queues++] = ring;
}

static int read_queue(reader *r) {
  bool deadlock = r->certificate->deadlock, ring = piece_is(r->word[0], "ring");
  bool inject = r->certificate->transient && piece_is(r->word[0], "inject");
  uint32_t first = ring ? 2 : 1, words = first + (deadlock ? 6 : 3);
  bool has_class = deadlock && r->words == words + 1;
  ripstop_deadlocked_packet queue = {0};
  uint64_t number = 0;
  if ((ring && deadlock) || (!ring && !inject && !piece_is(r->word[0], "queue")))
    return ripstop_fail(r->err, "'queue ...'%s should be here, not '%.*s'", deadlock ? "" : " or 'ring ...'",
                        shown(&r->word[0]), r->word[0].at);
  if (r->words != words && !has_class)
    return ripstop_fail(r->err, "%s: %u words should follow",
                        deadlock ? "queue SWITCH PORT CHANNEL SOURCE DESTINATION HEADER"
                        : ring   ? "ring NUMBER SWITCH PORT CHANNEL"
                                 : "queue SWITCH PORT CHANNEL",
                        words - 1);
  if (ring && read_number(r, &r->word[1], UINT32_MAX, &number)) return -1;
  if (ring && number == 0) return ripstop_fail(r->err, "rings are numbered from 1 on");
  if (read_place(r, &r->word[first], inject, &queue)) return -1;
  if (deadlock && read_packet(r, &r->word[first + 3], has_class, &queue)) return -1;
  keep_queue(r, &queue, (uint32_t)number);
  return 0;
}

static const char *keep_rest(const reader *r) {
  return ripstop_arena_printf(r->certificate->arena, "%.*s", (int)piece_length(r->rest), r->rest.at);
}

/* "switch NAME": how packets wait in switches. The default is not written. */
static int read_organisation(reader *r) {
  ripstop_certificate *c = r->certificate;
  void *config;
  c->switch_ = ripstop_switch_open(c->arena, keep_rest(r), &config, r->err);
  if (!c->switch_) return -1;
  return strcmp(c->switch_->name, RIPSTOP_SWITCH_QUEUES)
             ? 0
             : ripstop_fail(r->err, "'switch %s' is not written", c->switch_->name);
}

/* "binding NAME": a selection function that binds packets, with its options. */
static int read_binding(reader *r) {
  ripstop_certificate *c = r->certificate;
  void *config;
  const ripstop_selection *selection = ripstop_selection_open(c->arena, keep_rest(r), &config, r->err);
  c->binding = keep_rest(r);
  if (!selection) return -1;
  if (selection->traits && (selection->traits(config) & RIPSTOP_SELECTION_BINDS)) return 0;
  return ripstop_fail(r->err, "'binding %s': this selection function does not bind packets", c->binding);
}

/* "channels vcs=N buffers=port": at least one of them; defaults are not written. */
static int read_channels(reader *r) {
  static const char each[] = "vcs=";
  ripstop_switch_channels *c = &r->certificate->switch_channels;
  for (uint32_t i = 1; i < r->words; i++) {
    piece word = r->word[i];
    uint64_t vcs = 0;
    if (piece_is(word, "buffers=port") && !c->pooled) {
      c->pooled = true;
    } else if (piece_take(&word, each) && !c->vcs && !read_number(r, &word, RIPSTOP_CHANNELS_MAX, &vcs) && vcs > 1) {
      c->vcs = (uint32_t)vcs;
    } else {
      return ripstop_fail(r->err, "'%.*s' is neither vcs=2 to vcs=%d nor buffers=port", shown(&r->word[i]),
                          r->word[i].at, RIPSTOP_CHANNELS_MAX);
    }
  }
  return c->vcs || c->pooled ? 0 : ripstop_fail(r->err, "'channels': vcs=2 or buffers=port should follow");
}

/* Moves to the line "faults ...", or to one of those that may come before it. */
static int go_on_to_faults(reader *r) {
  return next_line(r) ? 0 : ripstop_fail(r->err, "the file ends where a line 'faults ...' should be");
}

static int read_head(reader *r) {
  ripstop_certificate *c = r->certificate;
  uint64_t version;
  if (expect(r, "certificate")) return -1;
  if (r->words != 2 || read_number(r, &r->word[1], UINT32_MAX, &version) || version != CERTIFICATE_VERSION)
    return ripstop_fail(r->err, "this program reads 'certificate %d'", CERTIFICATE_VERSION);
  if (expect(r, "fabric") || !(c->fabric = ripstop_fabric_open(keep_rest(r), r->err))) return -1;
  r->names = ripstop_names_new(c->fabric);
  if (expect(r, "method")) return -1;
  c->method = keep_rest(r);
  if (go_on_to_faults(r)) return -1;
  if (piece_is(r->word[0], "switch") && (read_organisation(r) || go_on_to_faults(r))) return -1;
  if (piece_is(r->word[0], "binding") && (read_binding(r) || go_on_to_faults(r))) return -1;
  if (piece_is(r->word[0], "channels") && (read_channels(r) || go_on_to_faults(r))) return -1;
  if (check_key(r, "faults") ||
      ripstop_faults_parse(c->arena, r->names, r->rest.at, piece_length(r->rest), &c->faults, r->err))
    return -1;
  return 0;
}

/* Reads "`mixture` NUMBER WORD..." after "before ...". */
static int read_transient(reader *r) {
  ripstop_certificate *c = r->certificate;
  ripstop_faults *before = RIPSTOP_NEW(c->arena, ripstop_faults);
  uint64_t number = 0;
  struct {
    const char *word;
    bool *flag;
  } known[] = {{"in-order", &c->mixed.in_order},
               {"for-ever", &c->mixed.for_ever},
               {"two-writes", &c->mixed.two_writes},
               {"repaired", &c->mixed.repaired}};
  c->transient = true;
  c->mixed.before = before;
  c->mixed.orders = 1;
  if (ripstop_faults_parse(c->arena, r->names, r->rest.at, piece_length(r->rest), before, r->err) ||
      expect(r, transient_key))
    return -1;
  if (r->words < 2 || read_number(r, &r->word[1], UINT32_MAX, &number))
    return r->words < 2
               ? ripstop_fail(r->err, "'%s' needs the number of an order of messages, or of a write", transient_key)
               : -1;
  c->number = (uint32_t)number;
  for (uint32_t i = 2; i < r->words; i++) {
    size_t k = 0;
    while (k < sizeof known / sizeof *known && !piece_is(r->word[i], known[k].word)) k++;
    if (k == sizeof known / sizeof *known)
      return ripstop_fail(r->err, "'%.*s' is none of in-order, for-ever, two-writes, repaired", shown(&r->word[i]),
                          r->word[i].at);
    *known[k].flag = true;
  }
  return 0;
}

static int read_all(reader *r) {
  ripstop_certificate *c = r->certificate;
  uint64_t announced;
  if (read_head(r)) return -1;
  bool more = next_line(r);
  if (more && piece_is(r->word[0], "before")) {
    if (read_transient(r)) return -1;
    more = next_line(r);
  }
  if (!more) return ripstop_fail(r->err, "the file ends where 'deadlock ...' or 'free ...' should be");
  c->deadlock = piece_is(r->word[0], "deadlock");
  if (!c->deadlock && !piece_is(r->word[0], "free"))
    return ripstop_fail(r->err, "'deadlock ...' or 'free ...' should be here, not '%.*s'", shown(&r->word[0]),
                        r->word[0].at);
  if (c->transient && !c->deadlock)
    return ripstop_fail(r->err, "certificates of transient states are for deadlocks only");
  if (r->words != 2 || read_number(r, &r->word[1], UINT32_MAX, &announced))
    return ripstop_fail(r->err, "'%.*s' needs the number of queues", shown(&r->word[0]), r->word[0].at);
  while (next_line(r))
    if (read_queue(r)) return -1;
  if (announced != r->queues)
    return ripstop_fail(r->err, "%" PRIu64 " queues are announced, %u are there", announced, r->queues);
  c->queues = r->queues;
  ripstop_deadlocked_packet *queue = RIPSTOP_ARRAY(c->arena, r->queues + 1, ripstop_deadlocked_packet);
  uint32_t *ring = RIPSTOP_ARRAY(c->arena, r->queues + 1, uint32_t);
  if (r->queues) memcpy(queue, r->queue, r->queues * sizeof *queue);
  if (r->queues) memcpy(ring, r->ring, r->queues * sizeof *ring);
  c->queue = queue;
  c->ring = ring;
  return 0;
}

ripstop_certificate *ripstop_certificate_parse(const char *name, const char *text, size_t length, ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_certificate *c = RIPSTOP_NEW(arena, ripstop_certificate);
  *c = (ripstop_certificate){.arena = arena};
  reader r = {.text = {text, text + length}, .certificate = c, .err = err};
  int status = length && memchr(text, '\0', length) ? ripstop_fail(err, "this is not text") : read_all(&r);
  ripstop_names_free(r.names);
  ripstop_free(r.queue);
  ripstop_free(r.ring);
  if (status == 0) return c;
  ripstop_fail_at(err, "%s:%u", name, r.line ? r.line : 1);
  ripstop_certificate_free(c);
  return NULL;
}

ripstop_certificate *ripstop_certificate_read(const char *path, ripstop_error *err) {
  RIPSTOP_LOCAL_ARENA(scratch);
  char *text;
  size_t length;
  ripstop_certificate *c = NULL;
  if (ripstop_read_file(scratch, path, CERTIFICATE_LIMIT, &text, &length, err) == 0)
    c = ripstop_certificate_parse(path, text, length, err);
  return c;
}

void ripstop_certificate_free(ripstop_certificate *certificate) {
  if (!certificate) return;
  ripstop_fabric_free(certificate->fabric);
  ripstop_arena_free(certificate->arena);
}

/* flit-router.c - a simulator of routers flit by flit, independent of ripstop, for docs/validation.md: which rule of
 * another simulator's router makes it accept more, or less, than this project's model? It is no part of the program:
 *
 *   cc -std=c11 -O2 -o out/flit-router tools/flit-router.c
 *   out/flit-router hyperx k=4 c=4 flits=4 vcs=4 room=32 steps=2 load=1 warmup=2000 cycles=10000 seed=1
 *
 * Fabrics of k x k routers with c end nodes each and dimension order: mesh, torus (shorter direction, random at a tie),
 * hyperx. Every router has input queues, `vcs` per port with `room` flits each, and round robin everywhere. Rules:
 *   whole=1  a packet gets an output when the next queue has room for all of it, and occupies input port and output
 *            until its tail has left: the rule of docs/model.md
 *   whole=0  a packet gets a queue behind an output that no packet has; its flits then wait for one place each. In each
 *            of `steps` turns per cycle an input port sends one flit and an output accepts one; an output sends one
 *            flit per cycle to its link, and stores any number: BookSim2's rule, whose internal_speedup is `steps`
 * A link takes a cycle, and so does a credit. On a torus `vcs` is halved: packets use the upper half after the dateline
 * of a ring, or with ahead=1 on the whole ring that they will cross it in. Prints the accepted flits per cycle and end
 * node, and the mean latency. Destinations are uniform over all other end nodes, with self=1 over all; generation is
 * Bernoulli. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESH, TORUS, HYPERX, PORTS = 32, VCS = 8, ROOM = 512, ENDS = 1024, ROUTERS = 256, LINKED = 4096 };

static int fabric = HYPERX, k = 4, c = 4, flits = 4, vcs = 4, room = 32, steps = 2, whole, ahead, self, warmup = 2000,
           cycles = 10000;
static double load = 1;
static uint64_t seed = 1;

static uint64_t draw(void) { /* splitmix64 */
  uint64_t x = seed += UINT64_C(0x9E3779B97F4A7C15);
  x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
  return x ^ x >> 31;
}
static double draw_share(void) { return (double)(draw() >> 11) * 0x1p-53; }

typedef struct packet {
  int to, born, tie[2], upper; /* end node; direction where both are as short; whether it is behind the dateline */
} packet;

typedef struct flit {
  packet *of;
  int tail, head;
} flit;

typedef struct queue { /* one VC of an input port */
  flit flit[ROOM];
  int first, count;
  int out, vc; /* the packet at the head has been granted these; out -1: none yet */
} queue;

typedef struct output {
  flit sent[LINKED]; /* behind the crossbar, and which queue each is for */
  int to_vc[LINKED], first, count;
  int owner[VCS];        /* the input queue that has the queue behind, -1 */
  int space[VCS];        /* credits for that queue */
  int back[VCS];         /* credits that arrive in the next cycle */
  int turn, grant, busy; /* round robin; whole: the queue that has it, -1 */
} output;

typedef struct router {
  queue in[PORTS][VCS];
  int turn[PORTS], grant[PORTS]; /* whole: the queue of the port that sends, -1 */
  output out[PORTS];
} router;

static router *all;
static int routers, ports;

typedef struct source {
  packet *waiting[1 << 16];
  int first, count, left, vc; /* flits of the first that have not gone */
  int space[VCS], turn;
} source;
static source *sources;

static int next_router(int r, int port, int *back) {
  const int x = r % k, y = r / k, n = port - c;
  if (fabric == HYPERX) { /* k - 1 in x, then in y */
    const int in_y = n >= k - 1, own = in_y ? y : x, place = in_y ? n - (k - 1) : n, to = place + (place >= own);
    *back = c + in_y * (k - 1) + own - (own > to);
    return in_y ? to * k + x : y * k + to;
  }
  const int d = n / 2, up = n % 2 == 0, at = d ? y : x;
  int to = at + (up ? 1 : -1);
  if (fabric == MESH && (to < 0 || to >= k)) return -1;
  to = (to + k) % k;
  *back = c + 2 * d + up;
  return d ? to * k + x : y * k + to;
}

/* The port of dimension order, and which queues behind it may be taken: *low .. *high - 1. */
static int route(int r, packet *p, int in, int *low, int *high) {
  const int to = p->to / c;
  *low = 0, *high = vcs;
  if (to == r) return p->to % c;
  const int d = to % k == r % k, from = d ? r / k : r % k, goal = d ? to / k : to % k;
  if (fabric == HYPERX) return c + d * (k - 1) + goal - (goal > from);
  int up = goal > from;
  if (fabric == TORUS) {
    const int far = (goal - from + k) % k;
    up = 2 * far == k ? p->tie[d] : 2 * far < k;
    if (in < c || (in - c) / 2 != d) p->upper = 0;
    const int crosses_now = up ? from == k - 1 : from == 0, will_cross = up ? goal < from : goal > from;
    int upper = ahead ? p->upper || will_cross : p->upper || crosses_now;
    if (crosses_now || (ahead && will_cross)) p->upper = 1;
    *low = upper ? vcs / 2 : 0;
    *high = upper ? vcs : vcs / 2;
  }
  return c + 2 * d + !up;
}

static long accepted, packets;
static double latency;
static int now;

static void arrive(queue *q, flit f) { q->flit[(q->first + q->count++) % ROOM] = f; }

static void deliver(flit f) {
  if (now >= warmup) accepted++;
  if (!f.tail) return;
  if (now >= warmup) packets++, latency += now - f.of->born + 1;
  free(f.of);
}

/* A place of an input queue is free again: the sender receives a credit in the next cycle. */
static void give_back(int r, int in, int vc) {
  int back;
  if (in < c) {
    sources[r * c + in].space[vc]++;
    return;
  }
  const int from = next_router(r, in, &back);
  all[from].out[back].back[vc]++;
}

static void send(int r, int in, int vc) {
  router *n = &all[r];
  queue *q = &n->in[in][vc];
  output *o = &n->out[q->out];
  const flit f = q->flit[q->first];
  q->first = (q->first + 1) % ROOM, q->count--;
  const int at = (o->first + o->count++) % LINKED;
  o->sent[at] = f, o->to_vc[at] = q->vc;
  if (!whole && q->out >= c) o->space[q->vc]--;
  give_back(r, in, vc);
  if (f.tail) {
    o->owner[q->vc] = -1;
    if (whole) o->grant = -1, n->grant[in] = -1;
    q->out = -1;
  }
}

/* A queue behind its output for the packet at a queue's head, if there is one. */
static void find_queue(int r, int in, int vc) {
  router *n = &all[r];
  queue *q = &n->in[in][vc];
  int low, high;
  if (!q->count || q->out >= 0) return;
  packet *p = q->flit[q->first].of;
  const packet before = *p;
  const int out = route(r, p, in, &low, &high);
  output *o = &n->out[out];
  for (int i = 0; i < high - low; i++) {
    const int to = low + (i + (int)(draw() % (uint64_t)(high - low))) % (high - low);
    const int enough = out < c || o->space[to] >= (whole ? flits : 1);
    if (o->owner[to] >= 0 || !enough || (whole && (o->grant >= 0 || n->grant[in] >= 0))) continue;
    q->out = out, q->vc = to, o->owner[to] = in * VCS + vc;
    if (whole) {
      o->grant = in * VCS + vc, n->grant[in] = vc;
      if (out >= c) o->space[to] -= flits;
    }
    return;
  }
  *p = before;
}

static void decide(int r) {
  router *n = &all[r];
  const int from = (int)(draw() % (uint64_t)(ports * vcs)); /* a random start: no queue is always first */
  for (int i = 0; i < ports * vcs; i++) find_queue(r, (from + i) % (ports * vcs) / vcs, (from + i) % vcs);
  if (whole) {
    for (int in = 0; in < ports; in++)
      if (n->grant[in] >= 0 && n->in[in][n->grant[in]].count) send(r, in, n->grant[in]);
    return;
  }
  for (int step = 0; step < steps; step++) { /* each input port nominates a queue, each output takes one: three times */
    int sent_in[PORTS] = {0}, sent_out[PORTS] = {0};
    for (int again = 0; again < 3; again++) {
      int wish[PORTS];
      for (int in = 0; in < ports; in++) {
        wish[in] = -1;
        for (int i = 0; i < vcs && !sent_in[in] && wish[in] < 0; i++) {
          const int vc = (n->turn[in] + i) % vcs;
          const queue *q = &n->in[in][vc];
          if (!q->count || q->out < 0 || sent_out[q->out]) continue;
          if (q->out >= c && !n->out[q->out].space[q->vc]) continue;
          wish[in] = vc;
        }
      }
      for (int out = 0; out < ports; out++) {
        if (sent_out[out]) continue;
        for (int i = 0; i < ports; i++) {
          const int in = (n->out[out].turn + i) % ports;
          if (wish[in] < 0 || n->in[in][wish[in]].out != out) continue;
          sent_in[in] = sent_out[out] = 1;
          n->turn[in] = (wish[in] + 1) % vcs, n->out[out].turn = (in + 1) % ports;
          send(r, in, wish[in]);
          break;
        }
      }
    }
    for (int i = 0; i < ports * vcs; i++) find_queue(r, i / vcs, i % vcs);
  }
}

static void bear(int end) {
  source *s = &sources[end];
  if (draw_share() < load / flits && s->count < 1 << 16) {
    packet *p = calloc(1, sizeof *p);
    do p->to = (int)(draw() % (uint64_t)(routers * c));
    while (p->to == end && !self);
    p->born = now, p->tie[0] = (int)(draw() & 1), p->tie[1] = (int)(draw() & 1);
    s->waiting[(s->first + s->count++) % (1 << 16)] = p;
  }
  if (!s->count) return;
  packet *p = s->waiting[s->first];
  if (!s->left) {
    int low = 0, high = fabric == TORUS && !ahead ? vcs / 2 : vcs;
    for (int i = 0; i < high - low && !s->left; i++) {
      s->vc = low + (s->turn + i) % (high - low);
      if (s->space[s->vc] >= (whole ? flits : 1)) s->left = flits, s->turn++;
    }
    if (!s->left) return;
  }
  if (!s->space[s->vc]) return;
  s->space[s->vc]--;
  arrive(&all[end / c].in[end % c][s->vc], (flit){p, s->left == 1, s->left == flits});
  if (--s->left == 0) s->first = (s->first + 1) % (1 << 16), s->count--;
}

/* Outputs send one flit each over their links. */
static void cross_links(int r) {
  for (int out = 0; out < ports; out++) {
    output *o = &all[r].out[out];
    int back;
    if (!o->count) continue;
    const flit f = o->sent[o->first];
    const int vc = o->to_vc[o->first];
    o->first = (o->first + 1) % LINKED, o->count--;
    if (out < c)
      deliver(f);
    else {
      const int to = next_router(r, out, &back);
      arrive(&all[to].in[back][vc], f);
    }
  }
}

static void open_all(void) {
  routers = k * k, ports = c + (fabric == HYPERX ? 2 * (k - 1) : 4);
  all = calloc((size_t)routers, sizeof *all), sources = calloc((size_t)routers * (size_t)c, sizeof *sources);
  if (!all || !sources || ports > PORTS || vcs > VCS || room > ROOM)
    fprintf(stderr, "flit-router: too large\n"), exit(2);
  for (int r = 0; r < routers; r++)
    for (int port = 0; port < ports; port++) {
      all[r].grant[port] = all[r].out[port].grant = -1;
      for (int vc = 0; vc < vcs; vc++)
        all[r].out[port].owner[vc] = all[r].in[port][vc].out = -1, all[r].out[port].space[vc] = room;
    }
  for (int end = 0; end < routers * c; end++)
    for (int vc = 0; vc < vcs; vc++) sources[end].space[vc] = room;
}

static void read_word(const char *word) {
  static const char *const names[] = {"mesh", "torus", "hyperx"};
  static const struct {
    const char *name;
    int *value;
  } keys[] = {{"k", &k},       {"c", &c},           {"flits", &flits},  {"vcs", &vcs},
              {"room", &room}, {"steps", &steps},   {"whole", &whole},  {"ahead", &ahead},
              {"self", &self}, {"warmup", &warmup}, {"cycles", &cycles}};
  for (int i = 0; i < 3; i++)
    if (!strcmp(word, names[i])) {
      fabric = i;
      return;
    }
  const char *is = strchr(word, '=');
  const size_t length = is ? (size_t)(is - word) : 0;
  if (is && !strncmp(word, "load=", 5))
    load = atof(is + 1);
  else if (is && !strncmp(word, "seed=", 5))
    seed = (uint64_t)atoll(is + 1);
  else {
    size_t i = 0;
    while (i < sizeof keys / sizeof *keys && (strlen(keys[i].name) != length || strncmp(word, keys[i].name, length)))
      i++;
    if (!is || i == sizeof keys / sizeof *keys) fprintf(stderr, "flit-router: what is '%s'?\n", word), exit(2);
    *keys[i].value = atoi(is + 1);
  }
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) read_word(argv[i]);
  open_all();
  for (now = 0; now < warmup + cycles; now++) {
    for (int r = 0; r < routers; r++) cross_links(r);
    for (int end = 0; end < routers * c; end++) bear(end);
    for (int r = 0; r < routers; r++)
      for (int out = c; out < ports; out++)
        for (int vc = 0; vc < vcs; vc++)
          all[r].out[out].space[vc] += all[r].out[out].back[vc], all[r].out[out].back[vc] = 0;
    for (int r = 0; r < routers; r++) decide(r);
  }
  printf("accepted %.4f  latency %.1f\n", (double)accepted / cycles / (routers * c), latency / (double)packets);
  return 0;
}

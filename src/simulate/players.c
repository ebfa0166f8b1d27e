/* players.c - end nodes that are played: docs/model.md, "End nodes that answer".
 *
 * Deliveries and losses are only noted while the engine works; the calls follow at the end of the arrivals, sorted, so
 * that nobody can tell in what order the engine worked. What is lost by what a call does, or by a decision, is told in
 * the next cycle: a player that sends a lost letter again at once does not hold up time.
 *
 * Invariants: e->source[stream] shows the first letter of the stream's box, or is born never when the box is empty, and
 * has the number of the stream's next letter; letter i of the box has a number higher by i. The boxes of a dead
 * switch's end nodes are empty. */
#include "simulate/players.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_LETTER = 4096 }; /* flits, as of random sources */

typedef struct letter { /* that waits in its interface */
  uint64_t tag;
  uint32_t destination, born;
  uint16_t flits;
} letter;

typedef struct box { /* of a stream's letters: a ring */
  letter *at;
  uint32_t first, count, room; /* room: 0 or a power of two */
} box;

typedef struct note { /* of a letter that came or was lost */
  rs_letter letter;
  uint32_t number; /* in its stream */
} note;

typedef struct notes {
  note *at;
  size_t count, room;
} notes;

typedef struct alarm {
  uint64_t cycle, order, number;
} alarm;

struct rs_io {
  engine *e;
  const rs_players *players;
  box *box;      /* [streams] */
  uint64_t *tag; /* [packets] */
  notes delivered, lost, told;
  alarm *alarm; /* a heap by (cycle, order) */
  size_t alarms, room;
  uint64_t order;
  rs_change *change; /* the engine's list of changes, once one has been asked for */
  uint64_t ahead;    /* first cycle for which an alarm can be set */
};

/* ------------------------------------------------------------------ boxes */

static letter *letter_at(const box *b, uint32_t i) { return &b->at[(b->first + i) & (b->room - 1)]; }

static void put_letter(box *b, letter l) {
  if (b->count == b->room) {
    uint32_t room = b->room ? 2 * b->room : 4;
    letter *more = rs_realloc(NULL, room, sizeof *more);
    for (uint32_t i = 0; i < b->count; i++) more[i] = *letter_at(b, i);
    free(b->at);
    *b = (box){.at = more, .count = b->count, .room = room};
  }
  *letter_at(b, b->count++) = l;
}

static void show(rs_source *source, const letter *l) {
  source->born = l ? l->born : RS_NEVER;
  if (!l) return;
  source->destination = l->destination;
  source->flits = l->flits;
}

void players_next(const engine *e, uint32_t stream, rs_source *source) {
  const box *b = &e->io->box[stream];
  uint32_t i = ++source->number - e->source[stream].number;
  show(source, i < b->count ? letter_at(b, i) : NULL);
}

void players_take(engine *e, uint32_t stream, uint32_t packet_index) {
  box *b = &e->io->box[stream];
  rs_source *source = &e->source[stream];
  e->io->tag[packet_index] = letter_at(b, 0)->tag;
  b->first++;
  b->count--;
  source->number++;
  show(source, b->count ? letter_at(b, 0) : NULL);
}

/* ------------------------------------------------------------------ what happened */

static void add_note(notes *n, note one) {
  if (n->count == n->room) {
    n->room = n->room ? 2 * n->room : 64;
    n->at = rs_realloc(n->at, n->room, sizeof *n->at);
  }
  n->at[n->count++] = one;
}

static note note_of(const engine *e, const packet *p) {
  return (note){.letter = {.source = p->source,
                           .destination = p->destination,
                           .class_ = p->class_,
                           .flits = p->flits,
                           .tag = e->io->tag[p - e->packet]},
                .number = p->number};
}

void players_delivered(engine *e, const packet *p) { add_note(&e->io->delivered, note_of(e, p)); }

void players_lost(engine *e, const packet *p) { add_note(&e->io->lost, note_of(e, p)); }

/* A letter is lost before it is a packet. */
static void lose_letter(engine *e, uint32_t stream, const letter *l) {
  measure_born(&e->measure, l->born, l->flits);
  measure_lost(&e->measure, e->now, RS_LOST_SWITCH);
  add_note(&e->io->lost, (note){.letter = {.source = stream / e->classes,
                                           .destination = l->destination,
                                           .class_ = stream % e->classes,
                                           .flits = l->flits,
                                           .tag = l->tag},
                                .number = e->source[stream].number++});
}

void players_silence(engine *e, uint32_t stream) {
  box *b = &e->io->box[stream];
  for (uint32_t i = 0; i < b->count; i++) lose_letter(e, stream, letter_at(b, i));
  b->count = 0;
  show(&e->source[stream], NULL);
}

/* ------------------------------------------------------------------ calls */

static int by_receiver(const void *a, const void *b) {
  const note *x = a, *y = b;
  return (x->letter.destination > y->letter.destination) - (x->letter.destination < y->letter.destination);
}

static int by_sender(const void *a, const void *b) {
  const note *x = a, *y = b;
  if (x->letter.source != y->letter.source) return x->letter.source < y->letter.source ? -1 : 1;
  if (x->letter.class_ != y->letter.class_) return x->letter.class_ < y->letter.class_ ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

static void call_all(rs_io *io, notes *n, int (*order)(const void *, const void *),
                     void (*call)(void *context, rs_io *io, const rs_letter *letter)) {
  if (n->count > 1) qsort(n->at, n->count, sizeof *n->at, order);
  for (size_t i = 0; call && i < n->count && !io->e->failed; i++) call(io->players->context, io, &n->at[i].letter);
  n->count = 0;
}

static bool rings_before(const alarm *a, const alarm *b) {
  return a->cycle != b->cycle ? a->cycle < b->cycle : a->order < b->order;
}

static alarm take_alarm(rs_io *io) {
  alarm top = io->alarm[0], last = io->alarm[--io->alarms];
  size_t i = 0;
  for (size_t child; (child = 2 * i + 1) < io->alarms; i = child) {
    if (child + 1 < io->alarms && rings_before(&io->alarm[child + 1], &io->alarm[child])) child++;
    if (!rings_before(&io->alarm[child], &last)) break;
    io->alarm[i] = io->alarm[child];
  }
  if (io->alarms) io->alarm[i] = last;
  return top;
}

void players_start(engine *e) {
  rs_io *io = e->io;
  if (io->players->start) io->players->start(io->players->context, io);
  io->ahead = 1;
}

void players_turn(engine *e) {
  rs_io *io = e->io;
  notes lost = io->lost;
  io->lost = io->told; /* empty: what the calls lose */
  io->told = lost;
  io->ahead = (uint64_t)e->now + 1;
  if (io->delivered.count) call_all(io, &io->delivered, by_receiver, io->players->delivered);
  if (io->told.count) call_all(io, &io->told, by_sender, io->players->lost);
  while (io->alarms && io->alarm[0].cycle <= e->now && !e->failed)
    io->players->alarm(io->players->context, io, take_alarm(io).number);
}

/* ------------------------------------------------------------------ what players do */

uint64_t rs_io_now(const rs_io *io) { return io->e->now; }

static void refuse(engine *e, const char *what, uint64_t number) {
  if (!e->failed) rs_fail(e->err, "players: in cycle %u %s %llu", e->now, what, (unsigned long long)number);
  e->failed = true;
}

static bool is_proper(engine *e, const rs_letter *l) {
  const rs_players *p = e->io->players;
  if (l->source >= e->fabric->ends) return refuse(e, "a letter from end node", l->source), false;
  if (l->destination >= e->fabric->ends) return refuse(e, "a letter to end node", l->destination), false;
  if (l->source == l->destination) return refuse(e, "a letter to its own sender, end node", l->source), false;
  if (l->class_ >= p->classes) return refuse(e, "a letter of class", l->class_), false;
  if (l->flits < p->shortest || l->flits > p->longest)
    return refuse(e, "a letter shorter or longer than announced, flits:", l->flits), false;
  return true;
}

void rs_io_send(rs_io *io, const rs_letter *sent) {
  engine *e = io->e;
  if (e->failed || !is_proper(e, sent)) return;
  uint32_t stream = sent->source * e->classes + sent->class_;
  rs_source *source = &e->source[stream];
  letter l = {.tag = sent->tag, .destination = sent->destination, .born = e->now, .flits = (uint16_t)sent->flits};
  if (!e->view->node_up[rs_end_switch(e->fabric, sent->source)]) {
    lose_letter(e, stream, &l);
    return;
  }
  put_letter(&io->box[stream], l);
  if (io->box[stream].count == 1) show(source, &l);
  if (e->queue[stream].state == EMPTY) take_next(e, stream);
}

void rs_io_alarm(rs_io *io, uint64_t cycle, uint64_t number) {
  if (cycle < io->ahead || !io->players->alarm) {
    refuse(io->e, "an alarm that nobody can hear, for cycle", cycle);
    return;
  }
  if (io->alarms == io->room) {
    io->room = io->room ? 2 * io->room : 64;
    io->alarm = rs_realloc(io->alarm, io->room, sizeof *io->alarm);
  }
  alarm it = {.cycle = cycle, .order = io->order++, .number = number};
  size_t i = io->alarms++;
  for (; i > 0 && rings_before(&it, &io->alarm[(i - 1) / 2]); i = (i - 1) / 2) io->alarm[i] = io->alarm[(i - 1) / 2];
  io->alarm[i] = it;
}

/* The changes that are still to come, this one among them, in a list of the players' own. */
void rs_io_change(rs_io *io, const rs_change *asked) {
  engine *e = io->e;
  const rs_fabric *f = e->fabric;
  bool known = asked->is_switch ? asked->id >= f->ends && asked->id < f->nodes : asked->id < f->links;
  if (!known || asked->up == (asked->is_switch ? e->view->node_up[asked->id] : e->view->link_up[asked->id])) {
    refuse(e, "a change of a part that is not there, or is as it should be already:", asked->id);
    return;
  }
  size_t left = e->changes - e->next_change, at = 0;
  rs_change *change = rs_realloc(NULL, left + 1, sizeof *change);
  if (left) memcpy(change, &e->change[e->next_change], left * sizeof *change);
  while (at < left && change[at].cycle <= (uint64_t)e->now + 1) at++;
  memmove(&change[at + 1], &change[at], (left - at) * sizeof *change);
  change[at] = *asked;
  change[at].cycle = (uint64_t)e->now + 1;
  free(io->change);
  e->change = io->change = change;
  e->changes = left + 1, e->next_change = 0;
}

void rs_io_finish(rs_io *io) { io->e->end = io->e->now + 1; }

/* ------------------------------------------------------------------ opening */

int players_check(engine *e, rs_error *err) {
  const rs_players *p = e->config->players;
  if (p->classes == 0 || p->classes > RS_CLASSES_MAX)
    return rs_fail(err, "players: %u classes; there are 1 to %d", p->classes, RS_CLASSES_MAX);
  if (p->shortest == 0 || p->shortest > p->longest || p->longest > LONGEST_LETTER)
    return rs_fail(err, "players: letters of %u to %u flits; they have 1 to %d", p->shortest, p->longest,
                   LONGEST_LETTER);
  e->classes = p->classes;
  e->shortest = p->shortest;
  e->longest = p->longest;
  return 0;
}

void players_open(engine *e) {
  rs_io *io = e->io = RS_NEW(e->arena, rs_io);
  io->e = e;
  io->players = e->config->players;
  io->box = RS_ARRAY(e->arena, e->streams, box);
  io->tag = RS_ARRAY(e->arena, e->packets, uint64_t);
  for (uint32_t stream = 0; stream < e->streams; stream++) e->source[stream].born = RS_NEVER;
}

void players_close(engine *e) {
  rs_io *io = e->io;
  if (!io) return;
  for (uint32_t stream = 0; stream < e->streams; stream++) free(io->box[stream].at);
  free(io->delivered.at);
  free(io->lost.at);
  free(io->told.at);
  free(io->alarm);
  free(io->change);
}

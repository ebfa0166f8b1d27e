/* players.c - end nodes that are played: docs/model.md, "End nodes that answer".
 *
 * Deliveries and losses are only noted while the engine works; the calls follow at the end of the arrivals, sorted, so
 * that nobody can tell in what order the engine worked. What is lost by what a call does, or by a decision, is told in
 * the next cycle: a player that sends a lost letter again at once does not hold up time.
 *
 * Invariants: a source shows the first letter of the stream's box, or is born never when the box is empty, and
 * has the number of the stream's next letter; letter i of the box has a number higher by i. The boxes of a dead
 * switch's end nodes are empty. */
#include "simulate/players.h"

#include <stdlib.h>
#include <string.h>

#include "simulate/change.h"
#include "simulate/core.h"

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
  ripstop_letter letter;
  uint32_t number; /* in its stream */
} note;

typedef struct notes {
  note *at;
  size_t count, room;
} notes;

typedef struct alarm {
  uint64_t cycle, order, number;
} alarm;

struct ripstop_play {
  run *r;
  const ripstop_players *players;
  box *box;      /* [streams] */
  uint64_t *tag; /* [packets] */
  notes delivered, lost, told;
  alarm *alarm; /* a heap by (cycle, order) */
  size_t alarms, room;
  uint64_t order;
  uint64_t ahead; /* first cycle for which an alarm can be set */
};

/* ------------------------------------------------------------------ boxes */

static letter *letter_at(const box *b, uint32_t i) { return &b->at[(b->first + i) & (b->room - 1)]; }

static void put_letter(box *b, letter l) {
  if (b->count == b->room) {
    uint32_t room = b->room ? 2 * b->room : 4;
    letter *more = ripstop_realloc(NULL, room, sizeof *more);
    for (uint32_t i = 0; i < b->count; i++) more[i] = *letter_at(b, i);
    ripstop_free(b->at);
    *b = (box){.at = more, .count = b->count, .room = room};
  }
  *letter_at(b, b->count++) = l;
}

static void show(ripstop_source *source, const letter *l) {
  source->born = l ? l->born : RIPSTOP_NEVER;
  if (!l) return;
  source->destination = l->destination;
  source->flits = l->flits;
}

/* As ripstop_source_next, for a copy of a stream's position or for itself. */
static void next_letter(const part *t, uint32_t stream, ripstop_source *source) {
  const box *b = &t->run->play->box[stream];
  source->number++;
  uint32_t i = source->number - t->source[stream].number;
  show(source, i < b->count ? letter_at(b, i) : NULL);
}

/* The stream's first letter becomes this packet. */
static void take_letter(part *t, uint32_t stream, uint32_t packet_index) {
  box *b = &t->run->play->box[stream];
  t->run->play->tag[packet_index] = letter_at(b, 0)->tag;
  b->first++;
  b->count--;
}

/* ------------------------------------------------------------------ what happened */

static void add_note(notes *n, note one) {
  if (n->count == n->room) {
    n->room = n->room ? 2 * n->room : 64;
    n->at = ripstop_realloc(n->at, n->room, sizeof *n->at);
  }
  n->at[n->count++] = one;
}

static note note_of(const run *r, const packet *p) {
  return (note){.letter = {.source = p->source,
                           .destination = p->destination,
                           .class_ = p->class_,
                           .flits = p->flits,
                           .tag = r->play->tag[p - r->part->packet]},
                .number = p->number};
}

static void note_delivery(part *t, const packet *p) { add_note(&t->run->play->delivered, note_of(t->run, p)); }

static void note_loss(part *t, const packet *p) { add_note(&t->run->play->lost, note_of(t->run, p)); }

/* A letter is lost before it is a packet. */
static void lose_letter(run *r, uint32_t stream, const letter *l) {
  measure_born(&r->part->measure, l->born, l->flits);
  measure_lost(&r->part->measure, r->part->now, RIPSTOP_LOST_SWITCH);
  add_note(&r->play->lost, (note){.letter = {.source = stream / r->shape->classes,
                                             .destination = l->destination,
                                             .class_ = stream % r->shape->classes,
                                             .flits = l->flits,
                                             .tag = l->tag},
                                  .number = r->part->source[stream].number++});
}

bool players_silence(part *t, uint32_t stream) {
  if (!t->run->play) return false;
  box *b = &t->run->play->box[stream];
  for (uint32_t i = 0; i < b->count; i++) lose_letter(t->run, stream, letter_at(b, i));
  b->count = 0;
  show(&t->source[stream], NULL);
  return true;
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

static void call_all(ripstop_play *play, notes *n, int (*order)(const void *, const void *),
                     void (*call)(void *context, ripstop_play *play, const ripstop_letter *letter)) {
  if (n->count > 1) qsort(n->at, n->count, sizeof *n->at, order);
  for (size_t i = 0; call && i < n->count && !run_failed(play->r); i++)
    call(play->players->context, play, &n->at[i].letter);
  n->count = 0;
}

static bool rings_before(const alarm *a, const alarm *b) {
  return a->cycle != b->cycle ? a->cycle < b->cycle : a->order < b->order;
}

static alarm take_alarm(ripstop_play *play) {
  alarm top = play->alarm[0], last = play->alarm[--play->alarms];
  size_t i = 0;
  for (size_t child; (child = 2 * i + 1) < play->alarms; i = child) {
    if (child + 1 < play->alarms && rings_before(&play->alarm[child + 1], &play->alarm[child])) child++;
    if (!rings_before(&play->alarm[child], &last)) break;
    play->alarm[i] = play->alarm[child];
  }
  if (play->alarms) play->alarm[i] = last;
  return top;
}

static void start(run *r) {
  ripstop_play *play = r->play;
  if (play->players->start) play->players->start(play->players->context, play);
  play->ahead = 1;
}

static void take_turn(run *r) {
  ripstop_play *play = r->play;
  notes lost = play->lost;
  play->lost = play->told; /* empty: what the calls lose */
  play->told = lost;
  play->ahead = (uint64_t)r->part->now + 1;
  if (play->delivered.count) call_all(play, &play->delivered, by_receiver, play->players->delivered);
  if (play->told.count) call_all(play, &play->told, by_sender, play->players->lost);
  while (play->alarms && play->alarm[0].cycle <= r->part->now && !run_failed(r))
    play->players->alarm(play->players->context, play, take_alarm(play).number);
}

/* ------------------------------------------------------------------ what players do */

uint64_t ripstop_play_now(const ripstop_play *play) { return play->r->part->now; }

static void refuse(run *r, const char *what, uint64_t number) {
  ripstop_error err;
  ripstop_fail(&err, "players: in cycle %u %s %llu", r->part->now, what, (unsigned long long)number);
  run_give_up(r, &err);
}

static bool is_proper(run *r, const ripstop_letter *l) {
  const ripstop_players *p = r->play->players;
  if (l->source >= r->fabric->ends) return refuse(r, "a letter from end node", l->source), false;
  if (l->destination >= r->fabric->ends) return refuse(r, "a letter to end node", l->destination), false;
  if (l->source == l->destination) return refuse(r, "a letter to its own sender, end node", l->source), false;
  if (l->class_ >= p->classes) return refuse(r, "a letter of class", l->class_), false;
  if (l->flits < p->shortest || l->flits > p->longest)
    return refuse(r, "a letter shorter or longer than announced, flits:", l->flits), false;
  return true;
}

void ripstop_play_send(ripstop_play *play, const ripstop_letter *sent) {
  run *r = play->r;
  if (run_failed(r) || !is_proper(r, sent)) return;
  uint32_t stream = sent->source * r->shape->classes + sent->class_;
  ripstop_source *source = &r->part->source[stream];
  letter l = {.tag = sent->tag, .destination = sent->destination, .born = r->part->now, .flits = (uint16_t)sent->flits};
  if (!r->view->node_up[ripstop_end_switch(r->fabric, sent->source)]) {
    lose_letter(r, stream, &l);
    return;
  }
  put_letter(&play->box[stream], l);
  if (play->box[stream].count == 1) show(source, &l);
  if (r->shape->queue[stream].state == EMPTY) take_next(r->part, stream);
}

void ripstop_play_alarm(ripstop_play *play, uint64_t cycle, uint64_t number) {
  if (cycle < play->ahead || !play->players->alarm) {
    refuse(play->r, "an alarm that nobody can hear, for cycle", cycle);
    return;
  }
  if (play->alarms == play->room) {
    play->room = play->room ? 2 * play->room : 64;
    play->alarm = ripstop_realloc(play->alarm, play->room, sizeof *play->alarm);
  }
  alarm it = {.cycle = cycle, .order = play->order++, .number = number};
  size_t i = play->alarms++;
  for (; i > 0 && rings_before(&it, &play->alarm[(i - 1) / 2]); i = (i - 1) / 2)
    play->alarm[i] = play->alarm[(i - 1) / 2];
  play->alarm[i] = it;
}

void ripstop_play_change(ripstop_play *play, const ripstop_change *asked) {
  if (change_next(play->r, asked))
    refuse(play->r, "a change of a part that is not there, or is as it should be already:", asked->id);
}

void ripstop_play_finish(ripstop_play *play) { play->r->end = play->r->part->now + 1; }

/* ------------------------------------------------------------------ opening */

int players_check(const run *r, shape *s, ripstop_error *err) {
  const ripstop_players *p = r->config->players;
  if (p->classes == 0 || p->classes > RIPSTOP_CLASSES_MAX)
    return ripstop_fail(err, "players: %u classes; there are 1 to %d", p->classes, RIPSTOP_CLASSES_MAX);
  if (p->shortest == 0 || p->shortest > p->longest || p->longest > LONGEST_LETTER)
    return ripstop_fail(err, "players: letters of %u to %u flits; they have 1 to %d", p->shortest, p->longest,
                        LONGEST_LETTER);
  s->classes = p->classes;
  s->shortest = p->shortest;
  s->longest = p->longest;
  return 0;
}

static void take_hooks(hooks *hook) {
  hook->next_birth = next_letter;
  hook->taken = take_letter;
  hook->delivered[0] = note_delivery;
  hook->lost = note_loss;
  hook_cycle(hook->started, start);
  hook_cycle(hook->arrived, take_turn);
}

void players_open(run *r) {
  ripstop_play *play = r->play = RIPSTOP_NEW(r->arena, ripstop_play);
  play->r = r;
  play->players = r->config->players;
  play->box = RIPSTOP_ARRAY(r->arena, r->shape->streams, box);
  play->tag = RIPSTOP_ARRAY(r->arena, r->part->packets, uint64_t);
  for (uint32_t stream = 0; stream < r->shape->streams; stream++) r->part->source[stream].born = RIPSTOP_NEVER;
  take_hooks(&r->part->hook);
}

void players_close(run *r) {
  ripstop_play *play = r->play;
  for (uint32_t stream = 0; stream < r->shape->streams; stream++) ripstop_free(play->box[stream].at);
  ripstop_free(play->delivered.at);
  ripstop_free(play->lost.at);
  ripstop_free(play->told.at);
  ripstop_free(play->alarm);
}

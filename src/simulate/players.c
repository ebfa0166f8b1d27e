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
  engine *e;
  const ripstop_players *players;
  box *box;      /* [streams] */
  uint64_t *tag; /* [packets] */
  notes delivered, lost, told;
  alarm *alarm; /* a heap by (cycle, order) */
  size_t alarms, room;
  uint64_t order;
  ripstop_change *change; /* the engine's list of changes, once one has been asked for */
  uint64_t ahead;         /* first cycle for which an alarm can be set */
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

void players_next(const engine *e, uint32_t stream, ripstop_source *source) {
  const box *b = &e->play->box[stream];
  uint32_t i = ++source->number - e->source[stream].number;
  show(source, i < b->count ? letter_at(b, i) : NULL);
}

void players_take(engine *e, uint32_t stream, uint32_t packet_index) {
  box *b = &e->play->box[stream];
  ripstop_source *source = &e->source[stream];
  e->play->tag[packet_index] = letter_at(b, 0)->tag;
  b->first++;
  b->count--;
  source->number++;
  show(source, b->count ? letter_at(b, 0) : NULL);
}

/* ------------------------------------------------------------------ what happened */

static void add_note(notes *n, note one) {
  if (n->count == n->room) {
    n->room = n->room ? 2 * n->room : 64;
    n->at = ripstop_realloc(n->at, n->room, sizeof *n->at);
  }
  n->at[n->count++] = one;
}

static note note_of(const engine *e, const packet *p) {
  return (note){.letter = {.source = p->source,
                           .destination = p->destination,
                           .class_ = p->class_,
                           .flits = p->flits,
                           .tag = e->play->tag[p - e->packet]},
                .number = p->number};
}

void players_delivered(engine *e, const packet *p) { add_note(&e->play->delivered, note_of(e, p)); }

void players_lost(engine *e, const packet *p) { add_note(&e->play->lost, note_of(e, p)); }

/* A letter is lost before it is a packet. */
static void lose_letter(engine *e, uint32_t stream, const letter *l) {
  measure_born(&e->measure, l->born, l->flits);
  measure_lost(&e->measure, e->now, RIPSTOP_LOST_SWITCH);
  add_note(&e->play->lost, (note){.letter = {.source = stream / e->classes,
                                             .destination = l->destination,
                                             .class_ = stream % e->classes,
                                             .flits = l->flits,
                                             .tag = l->tag},
                                  .number = e->source[stream].number++});
}

void players_silence(engine *e, uint32_t stream) {
  box *b = &e->play->box[stream];
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

static void call_all(ripstop_play *play, notes *n, int (*order)(const void *, const void *),
                     void (*call)(void *context, ripstop_play *play, const ripstop_letter *letter)) {
  if (n->count > 1) qsort(n->at, n->count, sizeof *n->at, order);
  for (size_t i = 0; call && i < n->count && !play->e->failed; i++)
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

void players_start(engine *e) {
  ripstop_play *play = e->play;
  if (play->players->start) play->players->start(play->players->context, play);
  play->ahead = 1;
}

void players_turn(engine *e) {
  ripstop_play *play = e->play;
  notes lost = play->lost;
  play->lost = play->told; /* empty: what the calls lose */
  play->told = lost;
  play->ahead = (uint64_t)e->now + 1;
  if (play->delivered.count) call_all(play, &play->delivered, by_receiver, play->players->delivered);
  if (play->told.count) call_all(play, &play->told, by_sender, play->players->lost);
  while (play->alarms && play->alarm[0].cycle <= e->now && !e->failed)
    play->players->alarm(play->players->context, play, take_alarm(play).number);
}

/* ------------------------------------------------------------------ what players do */

uint64_t ripstop_play_now(const ripstop_play *play) { return play->e->now; }

static void refuse(engine *e, const char *what, uint64_t number) {
  if (!e->failed) ripstop_fail(e->err, "players: in cycle %u %s %llu", e->now, what, (unsigned long long)number);
  e->failed = true;
}

static bool is_proper(engine *e, const ripstop_letter *l) {
  const ripstop_players *p = e->play->players;
  if (l->source >= e->fabric->ends) return refuse(e, "a letter from end node", l->source), false;
  if (l->destination >= e->fabric->ends) return refuse(e, "a letter to end node", l->destination), false;
  if (l->source == l->destination) return refuse(e, "a letter to its own sender, end node", l->source), false;
  if (l->class_ >= p->classes) return refuse(e, "a letter of class", l->class_), false;
  if (l->flits < p->shortest || l->flits > p->longest)
    return refuse(e, "a letter shorter or longer than announced, flits:", l->flits), false;
  return true;
}

void ripstop_play_send(ripstop_play *play, const ripstop_letter *sent) {
  engine *e = play->e;
  if (e->failed || !is_proper(e, sent)) return;
  uint32_t stream = sent->source * e->classes + sent->class_;
  ripstop_source *source = &e->source[stream];
  letter l = {.tag = sent->tag, .destination = sent->destination, .born = e->now, .flits = (uint16_t)sent->flits};
  if (!e->view->node_up[ripstop_end_switch(e->fabric, sent->source)]) {
    lose_letter(e, stream, &l);
    return;
  }
  put_letter(&play->box[stream], l);
  if (play->box[stream].count == 1) show(source, &l);
  if (e->queue[stream].state == EMPTY) take_next(e, stream);
}

void ripstop_play_alarm(ripstop_play *play, uint64_t cycle, uint64_t number) {
  if (cycle < play->ahead || !play->players->alarm) {
    refuse(play->e, "an alarm that nobody can hear, for cycle", cycle);
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

/* The changes that are still to come, this one among them, in a list of the players' own. */
void ripstop_play_change(ripstop_play *play, const ripstop_change *asked) {
  engine *e = play->e;
  const ripstop_fabric *f = e->fabric;
  bool known = asked->is_switch ? asked->id >= f->ends && asked->id < f->nodes : asked->id < f->links;
  if (!known || asked->up == (asked->is_switch ? e->view->node_up[asked->id] : e->view->link_up[asked->id])) {
    refuse(e, "a change of a part that is not there, or is as it should be already:", asked->id);
    return;
  }
  size_t left = e->changes - e->next_change, at = 0;
  ripstop_change *change = ripstop_realloc(NULL, left + 1, sizeof *change);
  if (left) memcpy(change, &e->change[e->next_change], left * sizeof *change);
  while (at < left && change[at].cycle <= (uint64_t)e->now + 1) at++;
  memmove(&change[at + 1], &change[at], (left - at) * sizeof *change);
  change[at] = *asked;
  change[at].cycle = (uint64_t)e->now + 1;
  ripstop_free(play->change);
  e->change = play->change = change;
  e->changes = left + 1, e->next_change = 0;
}

void ripstop_play_finish(ripstop_play *play) { play->e->end = play->e->now + 1; }

/* ------------------------------------------------------------------ opening */

int players_check(engine *e, ripstop_error *err) {
  const ripstop_players *p = e->config->players;
  if (p->classes == 0 || p->classes > RIPSTOP_CLASSES_MAX)
    return ripstop_fail(err, "players: %u classes; there are 1 to %d", p->classes, RIPSTOP_CLASSES_MAX);
  if (p->shortest == 0 || p->shortest > p->longest || p->longest > LONGEST_LETTER)
    return ripstop_fail(err, "players: letters of %u to %u flits; they have 1 to %d", p->shortest, p->longest,
                        LONGEST_LETTER);
  e->classes = p->classes;
  e->shortest = p->shortest;
  e->longest = p->longest;
  return 0;
}

void players_open(engine *e) {
  ripstop_play *play = e->play = RIPSTOP_NEW(e->arena, ripstop_play);
  play->e = e;
  play->players = e->config->players;
  play->box = RIPSTOP_ARRAY(e->arena, e->streams, box);
  play->tag = RIPSTOP_ARRAY(e->arena, e->packets, uint64_t);
  for (uint32_t stream = 0; stream < e->streams; stream++) e->source[stream].born = RIPSTOP_NEVER;
}

void players_close(engine *e) {
  ripstop_play *play = e->play;
  if (!play) return;
  for (uint32_t stream = 0; stream < e->streams; stream++) ripstop_free(play->box[stream].at);
  ripstop_free(play->delivered.at);
  ripstop_free(play->lost.at);
  ripstop_free(play->told.at);
  ripstop_free(play->alarm);
  ripstop_free(play->change);
}

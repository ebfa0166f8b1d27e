/* things.h - what the model is made of, and what its parts have of each other: one file for each step of a cycle, and
 * one for each feature that not every network has (talk.c: control messages, game.c: end nodes that answer, in-transit
 * packets.c, stops.c). */
#ifndef DIFFERENTIAL_THINGS_H
#define DIFFERENTIAL_THINGS_H

#include "model.h"
#include "ripstop/plugin/arbiter.h"
#include "ripstop/plugin/method.h"
#include "simulate/source.h"

typedef struct flit {
  uint32_t packet; /* index into the packets; RIPSTOP_NONE: no flit here */
  uint16_t number; /* 0: the head; the packet's flits - 1: the tail */
  uint8_t channel; /* virtual channel that it travels on */
  uint16_t pace;   /* rate of the link that it came over */
  bool alone;      /* the whole of a packet that was cut */
  uint64_t came;   /* cycle in which it came into its present queue */
} flit;

static const flit no_flit = {.packet = RIPSTOP_NONE};

typedef struct line { /* a queue of flits, first come first served */
  flit *at;
  size_t first, count, room;
} line;

typedef struct row { /* a row of places; a flit put in at cycle c comes out at cycle c + places */
  flit *place;
  uint32_t places;
  flit last; /* that was put in */
} row;

typedef struct input { /* an input queue */
  line line;
  uint32_t port;      /* input port */
  uint32_t side;      /* crossbar input: its port's, or its own */
  uint32_t stalled;   /* units of the packets that have entered and not left */
  uint32_t last_port; /* that it was granted last; RIPSTOP_NONE: none */
  uint64_t left;      /* cycle in which a packet left last: the one after its tail was sent */
  bool last_word_xon; /* the last word sent was XON */
  int64_t headroom;   /* shared memory: flits in the headroom */
  bool shrank;        /* a packet has left the memory since XON was last considered */
} input;

/* The place to which a crossbar input sends its packet. */
typedef enum goal { TO_LINK, TO_SLOW_QUEUE, TO_OUTPUT_QUEUE, TO_NOWHERE } goal;

/* The transmission of one packet on a link: begun in a cycle at a rate. At rate r it has done n flits' work after
 * ceil(n / r) cycles. */
typedef struct task {
  uint64_t since;
  uint16_t rate;
} task;

typedef struct side { /* a crossbar input: of a port, or of one of its queues */
  bool busy;
  task task;            /* TO_LINK, TO_SLOW_QUEUE */
  uint32_t packet;      /* that was granted */
  uint32_t queue, port; /* from which queue to which output port */
  uint8_t channel;
  goal to;
  /* with a speedup, TO_OUTPUT_QUEUE */
  uint64_t step;  /* crossbar step in which the packet was granted */
  bool over;      /* its tail is in the output queue */
  uint64_t whole; /* then the cycle in which the tail came to the input queue */
} side;

typedef struct server { /* an arbiter's memory */
  void *arbiter;        /* state of the plug-in */
  uint32_t served;      /* round-robin: the queue served last; RIPSTOP_NONE: none */
  uint32_t let_in;      /* transit-first: the one that a network interface sends into and that was served last */
} server;

typedef struct output { /* an output port */
  bool link_busy;
  task task;        /* with output queues or a slow queue */
  uint64_t talking; /* a message holds the link until then; 0: none does */
  row wire;
  /* the sender's knowledge of the next input queue, by channel */
  bool endless;    /* the next node is an end node */
  int64_t *free;   /* units */
  int64_t *credit; /* [channel x (K + 2) + cycle % (K + 2)]: units to be free again from that cycle on */
  bool *xon;       /* the word in force */
  uint8_t *word;   /* [channel x (K + 2) + cycle % (K + 2)]: the word that takes effect then; see words */
  int64_t room;    /* to an end node: for so many in-transit packets more */
  int64_t *leave;  /* [cycle % (K + 2)]: in-transit packets whose leaving is known from that cycle on */
  server link;     /* server of the link */
  /* with output queues */
  bool crossbar_busy;   /* with a slow queue too */
  server crossbar;      /* server of the crossbar's output */
  line *queue;          /* [channel] */
  int64_t *used;        /* [channel]: units of the packets in the queue */
  uint8_t sending;      /* channel that has the link */
  bool sending_nowhere; /* the packet on the link is a remnant that goes nowhere */
  /* with a slow queue */
  line slow;             /* its flits, each with the rate at which it is to be sent */
  uint32_t slow_stalled; /* packets: granted, and their tails not sent yet */
} output;

enum { NO_WORD, WORD_XON, WORD_XOFF };

/* A packet in a switch whose packets are bound to an output when they enter. */
typedef enum occupant_state { OCCUPANT_ENTERS, OCCUPANT_WAITS, OCCUPANT_GOES, OCCUPANT_VANISHES } occupant_state;
typedef struct occupant {
  uint32_t packet, queue; /* whose space it takes */
  uint16_t came, went;    /* flits */
  occupant_state state;
  ripstop_candidate way; /* that it is bound to */
  uint64_t turn;         /* lower: it was bound earlier */
  bool stored;           /* in a shared memory */
  bool header;           /* in the header queue of its port, or its link sends it from there */
  bool alone;            /* it came as one flit, since a switch before this one cut it */
} occupant;

typedef struct node {
  uint32_t sides, queues, outputs;
  side *side;
  input *queue;
  output *output;
  bool module_busy;   /* with a control packet */
  row *pipeline;      /* switches: [input port] */
  line *waiting;      /* switches: [input port]: flits off a slow link that would come too slowly one by one */
  uint64_t *let;      /* [input port]: cycle from which the first packet there goes on, a flit a cycle */
  occupant *occupant; /* in the order in which they came; heap memory */
  size_t occupants, occupant_room;
  int64_t *stored; /* [input queue]: scratch of shared memories */
  flit last_taken; /* end nodes: the flit that came last */
} node;

typedef struct errors { /* one direction of a link, by its sending port */
  double share;         /* probability that a flit is corrupted */
  uint64_t good;        /* flits until the next corrupted one */
  uint32_t count;       /* corrupted flits so far */
} errors;

typedef struct model {
  const ripstop_simulate_settings *sim;
  const ripstop_switch_config *sw;
  bool output, shared; /* switch.queues: compared as words once, since each flit needs them */
  const ripstop_fabric *fabric;
  ripstop_view *view;
  ripstop_plan *plan;
  ripstop_arena *arena;
  ripstop_sources *sources;
  ripstop_source *source; /* [stream] */
  uint32_t classes, longest, shortest, channels, streams;
  uint32_t stride; /* queues of a switch's port: channels, and the FIFO of control packets where there are any */
  int64_t xoff, xon;
  uint32_t places, places_on; /* places of a slow queue to an end node and to a switch */
  const ripstop_arbiter *arbiter;
  const void *arbiter_config;
  node *node;
  model_packet *packet;
  size_t packets, packet_room;
  size_t change; /* next of the schedule */
  uint64_t now;
  uint64_t step;     /* the present one of crossbars with a speedup, counted from cycle 0 */
  uint64_t moved;    /* the last cycle in which a flit moved */
  uint64_t messages; /* sent by the protocol */
  bool silent;       /* no generations any more */
  uint64_t turns;    /* packets that were bound */
  uint64_t lost[MODEL_CAUSES];
  uint64_t end; /* the run is over before this cycle */
  FILE *trace;
  uint64_t traced;
  errors *errors;    /* [port]; NULL: no link has errors */
  struct talk *talk; /* NULL: the method has no protocol */
  struct game *game; /* NULL: packets come from the sources */
  struct stop *stop; /* NULL: nothing stops when the fabric changes */
  ripstop_error *err;
  bool broken;
} model;

/* ------------------------------------------------------------------ places.c */

void slow_must(model *m, bool holds, const char *truth);
void slow_story(const model *m, uint32_t packet, const char *what, uint32_t at, uint32_t port, uint32_t channel);
uint32_t slow_units(const model *m, uint32_t packet);
bool slow_is_tail(const model *m, flit f);
uint32_t slow_length(const model *m, flit f); /* flits of its packet on the link that brought it */
/* Behind the head of a packet that was cut: no part of the packet any more. */
bool slow_is_cut_off(const model *m, flit f);
bool slow_is_lost(const model *m, uint32_t packet);
bool slow_has_output_queues(const model *m, uint32_t v);
bool slow_has_slow_queues(const model *m, uint32_t v);
void slow_check_sequence(model *m, flit before, flit next);
void slow_line_add(line *l, flit f);
flit slow_line_front(const line *l);
flit slow_line_back(const line *l);
flit slow_line_take(line *l);
/* Brings the flits of a packet to the front. A flit that comes later follows the others of its packet, or if they have
 * all gone, is first. */
void slow_line_bring_forward(line *l, uint32_t packet);
void slow_line_follow(model *m, line *l, flit f);
bool slow_has_lines(const model *m, uint32_t v); /* queues=voq, at a switch */
row slow_row_new(ripstop_arena *arena, uint32_t places);
void slow_row_put(model *m, row *r, flit f);
flit slow_row_take(model *m, row *r);
/* The longest that a flit is on any link, where those without a delay of their own have this one. */
uint64_t slow_longest_delay(const ripstop_fabric *fabric, uint64_t delay);
uint64_t slow_cycles_for(uint16_t rate, uint64_t flits); /* that a link of this rate needs for so many flits */
task slow_task_of(const model *m, uint32_t v, uint32_t port);
bool slow_is_done(const model *m, task t, flit f);     /* the link has done the work for this flit, and not more */
output *slow_output_of(const model *m, uint32_t port); /* by port of the fabric */
uint64_t slow_ring_places(const model *m);             /* cycles for which credits and words travel, and 2 */
uint64_t slow_ring_place(const model *m, uint32_t channel, uint64_t cycle);
uint64_t slow_delay(const model *m, uint32_t port); /* cycles on the link of a port: its own, or the run's */

/* ------------------------------------------------------------------ the steps */

int slow_set_up(model *m, const ripstop_plan *given, const model_agent *agent);
void slow_tear_down(model *m);
/* The plan for what is up now; -1: there is none. */
int slow_compile(model *m);
void slow_lose(model *m, uint32_t packet, uint32_t cause);
void slow_header_arrives(model *m, uint32_t packet); /* a packet that was cut is at its end node */
int slow_changes(model *m);
void slow_enter(model *m, uint32_t v, uint32_t queue, flit f);
/* A packet of a stream, generated now; its number in the list of packets. */
uint32_t slow_bear(model *m, uint32_t stream, uint32_t number, uint32_t destination, uint16_t flits);
void slow_enter_interface(model *m, uint32_t packet);
void slow_arrivals(model *m);
void slow_decisions(model *m);

/* A packet has left its queue from a cycle on, as far as senders are concerned. */
void slow_leave_queue(model *m, uint32_t v, uint32_t queue, uint32_t packet, uint64_t from);
/* Crossbars with a speedup: the first step that begins in a cycle or later; and what has crossed before a step. */
bool slow_has_speedup(const model *m, uint32_t v);
uint64_t slow_first_step(const model *m, uint64_t cycle);
bool slow_step_begins(const model *m, uint64_t step); /* with the present cycle */
void slow_crossings_end(model *m, uint32_t v, uint64_t step);
/* For bound_to_outputs.c: the rule for candidates of higher ranks, the tie rule, the candidates of a packet, and an
 * arbiter. */
bool slow_is_exhausted(const model *m);
uint32_t slow_tie(const model *m, uint32_t packet, uint32_t n);
int slow_ask_candidates(model *m, uint32_t v, uint32_t queue, uint32_t packet, ripstop_candidate *candidates);
uint32_t slow_arbitrate(const model *m, server *s, const bool *asks, const bool *enters, const uint8_t *channel,
                        const uint16_t *flits, uint32_t queues);

/* ------------------------------------------------------------------ channels.c */

uint32_t slow_plan_channel(const model *m, uint32_t channel); /* the plan's channel for which one of a link stands */
uint32_t slow_hashed(const model *m, uint32_t packet);
/* The channels of a link that a packet may take with a candidate of the plan: a candidate for each, at most
 * RIPSTOP_CHANNELS_MAX. Returns how many. */
uint32_t slow_channels_of(const model *m, uint32_t packet, const ripstop_candidate *candidate, ripstop_candidate *each);
/* Which of `count` channels with so many free units each the packet takes. */
uint32_t slow_take_channel(const model *m, uint32_t v, uint32_t queue, uint32_t packet, const int64_t *units,
                           uint32_t count);
/* Free units of the next input queue, as the sender knows; with a pool, those that the channel can have. And those of
 * an empty port. */
int64_t slow_free(const model *m, const output *o, uint32_t channel);
int64_t slow_most_free(const model *m);
/* A packet has entered an input queue of a switch, which has space for it. */
void slow_check_space(model *m, const node *n, uint32_t queue);

/* ------------------------------------------------------------------ bound_to_outputs.c */

bool slow_is_bound(const model *m, uint32_t v);
/* Senders know how many units are free: with credits, unless queues have no bound. */
bool slow_knows_space(const model *m);
bool slow_has_words(const model *m); /* senders heed XON and XOFF */
bool slow_is_shared(const model *m); /* the packets of a switch share a memory */
void slow_occupant_comes(model *m, uint32_t v, uint32_t queue, flit f);
void slow_occupants_decide(model *m, uint32_t v);
void slow_occupants_send(model *m, uint32_t v);
/* The packet that a link was sending when this cycle began; RIPSTOP_NONE: none. */
uint32_t slow_occupant_on(const model *m, uint32_t v, uint32_t port);
void slow_occupants_lost(model *m, uint32_t v); /* with the switch */

/* ------------------------------------------------------------------ talk.c */

void slow_talk_open(model *m);
void slow_talk_close(model *m);
void slow_talk_change(model *m, const ripstop_change *change, const uint8_t *port_was_up);
void slow_talk_steps(model *m); /* after the arrivals */
void slow_talk_links(model *m); /* before the decisions: messages take free links */
/* Control packets: whether a queue is a FIFO of those that are to be sent; the candidate of its head, how many; the
 * module of a switch has taken in all of a packet. */
bool slow_is_fifo(const model *m, uint32_t v, uint32_t queue);
int slow_control_candidates(const model *m, uint32_t v, uint32_t queue, ripstop_candidate *candidates);
void slow_control_is_in(model *m, uint32_t v, uint32_t packet);
bool slow_talk_waits(const model *m, uint32_t port);
bool slow_talk_is_over(const model *m); /* true: no message is in transit, no timer runs */
/* Like ripstop_route; at a switch, or at a network interface if the protocol decides there. */
bool slow_talk_decides(const model *m, uint32_t v);
int slow_talk_candidates(const model *m, const ripstop_head *head, ripstop_candidate *candidates);

/* ------------------------------------------------------------------ game.c */

void slow_game_open(model *m, const model_agent *agent);
void slow_game_close(model *m);
void slow_game_start(model *m);
void slow_game_delivered(model *m, uint32_t packet);
void slow_game_lost(model *m, uint32_t packet);
void slow_game_turn(model *m); /* after the arrivals */
/* The next change requested in the last cycle, each once; false: no more. */
bool slow_game_change(model *m, ripstop_change *out);

/* ------------------------------------------------------------------ errors.c */

void slow_errors_open(model *m);
void slow_corrupt(model *m, uint32_t port, uint32_t packet); /* a packet takes the link of this port of the fabric */

/* ------------------------------------------------------------------ in-transit packets.c */

bool slow_is_transit_packet_candidate(const model *m, const output *o, uint32_t port, uint32_t packet);
void slow_transit_packet_arrives(model *m, uint32_t end, flit f);
void slow_transit_packet_is_gone(model *m, uint32_t end,
                                 uint64_t cycle); /* whose room is known to be free K cycles after `cycle` */
void slow_transit_packets_leave(model *m, output *o);

/* ------------------------------------------------------------------ stops.c */

void slow_stop_open(model *m);
enum { STOP_LINK_FAILED = -1000 };          /* in place of candidates: they all lead through failed ports */
int slow_stop_step(model *m, bool changed); /* after the changes of a cycle */
bool slow_is_stopped(const model *m);
bool slow_stop_holds(const model *m, uint32_t v);
/* Keeps the candidates by an old plan that lead somewhere; returns their number. */
int slow_stop_candidates(const model *m, uint32_t v, ripstop_candidate *candidates, int n);

#endif

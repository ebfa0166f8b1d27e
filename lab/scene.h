/* scene.h - the lab's page as C: one simulation, opened from a text of settings, run in pieces, changed by clicks and
 * shown as flat arrays, which the page reads where they lie.
 *
 * There is one scene at a time. Numbers cross the border as doubles and texts as pointers to UTF-8, since JavaScript
 * has no 64-bit integers at hand. What fails returns -1 and leaves one line in lab_text(). Nothing here knows a method,
 * a fabric's family or a workload by name, but for where nodes are drawn (positions.c).
 *
 * Invariant: after every call the scene is as `ripstop simulate` would have it at this cycle, were it given the same
 * settings and lab_changes(). */
#ifndef LAB_SCENE_H
#define LAB_SCENE_H

#include "ripstop/kit/workload.h"
#include "ripstop/prove.h"
#include "ripstop/simulate.h"

/* ------------------------------------------------------------------ what the page calls (exports.txt) */

/* The last text that was asked for, or the last error. */
const char *lab_text(void);

/* Settings are lines "KEY=VALUE": fabric, method, load, pattern, workload, faults and seed as the flags of `ripstop
 * simulate` have them, `changes`, a schedule beside `faults`, and any "section.key" that --set takes there. The scene
 * before is closed; after an error there is none. */
int lab_open(const char *settings);
void lab_close(void);
bool lab_is_open(void);
/* Runs the cycles before `until`, or to the end of the run. */
int lab_run(double until);
double lab_now(void);
bool lab_ended(void);

/* What becomes of a part at the start of the next cycle. A part that is so already stays so. A change that the schedule
 * had in store for the part is forgotten. Where it fails and the run cannot go on, the scene is closed. */
typedef enum lab_change_kind { LAB_BREAK, LAB_SLOW, LAB_REPAIR } lab_change_kind;
int lab_change_link(uint32_t link, lab_change_kind kind);
int lab_change_switch(uint32_t node, lab_change_kind kind); /* not LAB_SLOW */
/* To lab_text(): all that changes while it runs, as a schedule: "0/2.1/3@5000 0/2.1/3+@9000". */
void lab_changes(void);
/* Whether the settings' faults were a schedule or a rule: then lab_changes() has them too, and takes their place. */
bool lab_scheduled(void);

/* To lab_text(): a JSON object with verdict, witness, account, values and units, by the names of `ripstop simulate
 * --json`. */
int lab_numbers(void);
/* To lab_text(): names; the spec of the fabric with all of its options. */
void lab_link_name(uint32_t link);
void lab_node_name(uint32_t node);
void lab_fabric_name(void);
/* A link's number by its name; of "switch:NAME" the node's number behind those of all links. */
int lab_find_part(const char *name);
/* To lab_text(): lines "name<TAB>summary<TAB>example" of the families, methods, patterns or workloads that there are.
 */
void lab_words(const char *kind);
/* To lab_text(): lines "name<TAB>" of the methods that serve the scene's fabric without faults, and
 * "name<TAB>why not" of the others. */
int lab_methods(void);

/* What is decided without a simulation, of the parts that are alive at a cycle. To lab_text(): what comes of it, for
 * people. What it is about is lit (lab_array). */
int lab_prove(double cycle);
int lab_defeat(double sets); /* so many sets are looked at */

/* ------------------------------------------------------------------ arrays
 * The page asks for their places after lab_open and looks again after lab_look: memory may have moved. */

typedef enum lab_array_kind {
  /* for a fabric */
  LAB_PLACE,     /* float [2 * nodes]: x, y; of a drawing whose sides are lab_width() and 1 */
  LAB_LINK_NODE, /* uint32 [2 * links] */
  LAB_LINK_PORT, /* uint32 [2 * links]: which sends from each of these nodes */
  LAB_BEND,      /* float [links]: how far a link's middle lies off the straight line, in its length; to the left */
  /* as of the last lab_look */
  LAB_LINK_STATE, /* uint8 [links]: 0 up, 1 dead, 2 slow */
  LAB_NODE_STATE, /* uint8 [nodes]: 0 up, 1 dead, 2 a packet waits in it for the protocol */
  LAB_AGE,        /* float [nodes]: cycles since the protocol last gave a switch new ways; infinite: never */
  LAB_MOVING,     /* uint8 [ports]: lab_moving, what the port sends */
  LAB_FROM,       /* float [ports]: the share of it that had been sent, */
  LAB_STEP,       /* float [ports]: and what a cycle adds */
  LAB_TARGET,     /* uint32 [ports]: the end node that a packet is for */
  LAB_FILL,       /* float [ports]: of the queues that the port receives into, or of an interface, the share in use */
  LAB_FLITS,      /* float [ports]: sent since the look before */
  LAB_STUCK,      /* uint8 [ports]: a queue of the port belongs to a deadlock */
  /* as of the last lab_prove or lab_defeat */
  LAB_LIT_PORT, /* uint8 [ports]: queues, by the port that sends into them */
  LAB_LIT_LINK, /* uint8 [links] */
  LAB_ARRAYS
} lab_array_kind;

typedef enum lab_moving {
  LAB_NOTHING,
  LAB_PACKET,
  LAB_DETOUR, /* a packet that has gone, or is going, farther than it must without faults */
  LAB_MESSAGE /* of the protocol */
} lab_moving;

const void *lab_array(lab_array_kind kind);
uint32_t lab_nodes(void), lab_ends(void), lab_links(void), lab_ports(void);
double lab_width(void); /* of the drawing, whose height is 1 */
/* Fills the arrays. */
void lab_look(void);

/* The time series: doubles [LAB_SERIES * lab_series()], of each point its first cycle, the flits delivered in it for
 * each end node and cycle, the mean latency in cycles (NAN: nothing came), and the packets lost. */
enum { LAB_SERIES = 4 };
uint32_t lab_series(void);
const double *lab_series_data(void);
double lab_series_window(void);     /* cycles of a point */
double lab_account(uint32_t which); /* packets: 0 generated, 1 delivered, 2 in flight, 3 waiting, 4 lost */
bool lab_deadlocked(void);

/* ------------------------------------------------------------------ between the files of the lab */

typedef struct lab_settings {
  const char *fabric, *method, *workload, *faults, *changes;
  const char *load, *pattern; /* NULL: not given */
  uint64_t seed;
  ripstop_workload_config jobs;
  ripstop_scenario scenario;
} lab_settings;

/* Reads the lines. Texts are the arena's. */
int lab_settings_read(ripstop_arena *arena, const char *text, lab_settings *out, ripstop_error *err);

/* A packet on a link. */
typedef struct lab_flight {
  uint32_t source, destination, number, hops;
  uint8_t class_;
} lab_flight;

typedef struct lab_scene {
  ripstop_arena *arena; /* of all of this but what has a call of its own to be freed by */
  lab_settings settings;
  ripstop_fabric *fabric;
  ripstop_names *names;
  ripstop_faults faults;  /* from the start */
  bool scheduled;         /* the settings' faults are not from the start */
  ripstop_change *change; /* [changes], sorted; [room] */
  size_t changes, room;
  ripstop_view *view;
  ripstop_plan *plan;
  ripstop_jobs *jobs; /* of a workload, to which the simulation belongs; else NULL */
  ripstop_simulation *simulation;
  void *array[LAB_ARRAYS];
  double width;
  uint8_t *distance;             /* [nodes * ends]: links from a node to an end node; NULL: too many */
  uint64_t *sent;                /* [ports]: flits, at the last look */
  lab_flight *flight;            /* [ports]: of those that send a packet */
  ripstop_message_look *message; /* [messages]: room for them */
  size_t messages;
  double *series;
  size_t series_room;
} lab_scene;

extern lab_scene lab;
int lab_fail(const ripstop_error *err); /* to lab_text(); -1 */
ripstop_text *lab_say(void);            /* the text to be filled, emptied */

/* A number from the page as a count: what is none is 0, and what no count can be the most that one can. */
uint64_t lab_count(double value);

/* Fills `place` and `bend`; returns the width. */
double lab_layout(const ripstop_fabric *fabric, float *place, float *bend);

#endif

/* scene.h - the interface between the lab's page and C: one simulation, opened from a text of settings, run in pieces,
 * changed by clicks and shown as flat arrays, which the page reads in place.
 *
 * There is one scene at a time. Numbers are passed as doubles and texts as pointers to UTF-8, since JavaScript numbers
 * are doubles. A call that fails returns -1 and leaves one line in lab_text(). No code here depends on the name of a
 * method, family or workload, except that positions.c has one layout per family.
 *
 * Invariant: after every call the state is that of `ripstop simulate` at this cycle, given the same settings and the
 * schedule of lab_changes(). */
#ifndef LAB_SCENE_H
#define LAB_SCENE_H

#include "ripstop/kit/proofs.h"
#include "ripstop/kit/simulation.h"
#include "workload/workload_run.h"

/* ------------------------------------------------------------------ called by the page (exports.txt) */

/* The text of the last call that fills it, or the last error. */
const char *lab_text(void);

/* Settings are lines "KEY=VALUE": fabric, method, load, pattern, workload, faults and seed with the values of the
 * options of `ripstop simulate`; `changes`, a schedule in addition to static `faults`; and any "section.key" of --set.
 * Closes the previous scene; after an error there is none. */
int lab_open(const char *settings);
void lab_close(void);
bool lab_is_open(void);
/* Runs the cycles before `until`, or to the end of the run. */
int lab_run(double until);
double lab_now(void);
bool lab_ended(void);

/* Sets the state of a part from the start of the next cycle. A part that has this state already keeps it. Removes later
 * changes of the part from the schedule. If the simulation cannot be opened again, the scene is closed. */
typedef enum lab_change_kind { LAB_BREAK, LAB_SLOW, LAB_REPAIR } lab_change_kind;
int lab_change_link(uint32_t link, lab_change_kind kind);
int lab_change_switch(uint32_t node, lab_change_kind kind); /* not LAB_SLOW */
/* To lab_text(): all failures and repairs of the run, as a schedule: "0/2.1/3@5000 0/2.1/3+@9000". */
void lab_changes(void);
/* True if the setting `faults` was a schedule or a rule: then lab_changes() contains it, and replaces it. */
bool lab_scheduled(void);

/* To lab_text(): a JSON object with verdict, witness, account, values and units, by the names of `ripstop simulate
 * --json`. */
int lab_numbers(void);
/* To lab_text(): names, and the specification of the fabric with all of its options. */
void lab_link_name(uint32_t link);
void lab_node_name(uint32_t node);
void lab_fabric_name(void);
/* The number of a link by its name; for "switch:NAME", the node's number plus the number of links. */
int lab_find_part(const char *name);
/* To lab_text(): lines "name<TAB>summary<TAB>example" of the families, methods, patterns or workloads. */
void lab_words(const char *kind);
/* To lab_text(): lines "name<TAB>" of the methods that serve the scene's fabric without faults, and "name<TAB>reason"
 * of the others. */
int lab_methods(void);

/* Proofs over the parts that are up at a cycle, without a simulation. To lab_text(): the result as prose. The arrays
 * LAB_LIT_* mark its queues and links. */
int lab_prove(double cycle);
int lab_defeat(double sets); /* visits at most `sets` fault sets */

/* ------------------------------------------------------------------ arrays
 *
 * The page reads their addresses after lab_open and again after every lab_look: memory may have moved. */

typedef enum lab_array_kind {
  /* fixed for a fabric */
  LAB_PLACE,     /* float [2 * nodes]: x, y in a drawing of width lab_width() and height 1 */
  LAB_LINK_NODE, /* uint32 [2 * links] */
  LAB_LINK_PORT, /* uint32 [2 * links]: the sending ports at these nodes */
  LAB_BEND,      /* float [links]: offset of the middle from the straight line to the left, as a share of the link's
                  * length */
  /* as of the last lab_look */
  LAB_LINK_STATE, /* uint8 [links]: 0 up, 1 down, 2 slow */
  LAB_NODE_STATE, /* uint8 [nodes]: 0 up, 1 down, 2 a packet waits for the protocol */
  LAB_AGE,        /* float [nodes]: cycles since the protocol last changed a switch's candidates; infinite: never */
  LAB_MOVING,     /* uint8 [ports]: lab_moving, what the port sends */
  LAB_FROM,       /* float [ports]: the share of it that has been sent */
  LAB_STEP,       /* float [ports]: the share that one cycle adds */
  LAB_TARGET,     /* uint32 [ports]: the destination of the packet */
  LAB_FILL,       /* float [ports]: share in use of the queues that the port receives into; of a NIC 0 or 1 */
  LAB_FLITS,      /* float [ports]: flits sent since the previous lab_look */
  LAB_STUCK,      /* uint8 [ports]: a queue of the port is part of a deadlock */
  /* as of the last lab_prove or lab_defeat */
  LAB_LIT_PORT, /* uint8 [ports]: queues, by the port that sends into them */
  LAB_LIT_LINK, /* uint8 [links] */
  LAB_ARRAYS
} lab_array_kind;

typedef enum lab_moving {
  LAB_NOTHING,
  LAB_PACKET,
  LAB_DETOUR, /* a packet that takes more hops than its distance without faults */
  LAB_MESSAGE /* a message of the protocol */
} lab_moving;

const void *lab_array(lab_array_kind kind);
uint32_t lab_nodes(void), lab_ends(void), lab_links(void), lab_ports(void);
double lab_width(void); /* width of the drawing, whose height is 1 */
void lab_look(void);

/* The time series: doubles [LAB_SERIES * lab_series()]; for each window its first cycle, the flits delivered per end
 * node and cycle, the mean latency in cycles (NAN: no packet arrived), and the packets lost. */
enum { LAB_SERIES = 4 };
uint32_t lab_series(void);
const double *lab_series_data(void);
double lab_series_window(void);     /* length of a window in cycles */
double lab_account(uint32_t which); /* packets: 0 generated, 1 delivered, 2 in flight, 3 waiting, 4 lost */
bool lab_deadlocked(void);

/* ------------------------------------------------------------------ shared by the files of the lab */

typedef struct lab_settings {
  const char *fabric, *method, *workload, *faults, *changes;
  const char *load, *pattern; /* NULL: not given */
  uint64_t seed;
  ripstop_workload_config jobs;
  ripstop_simulate_settings scenario;
} lab_settings;

/* Reads the lines. Texts belong to the arena. */
int lab_settings_read(ripstop_arena *arena, const char *text, lab_settings *out, ripstop_error *err);

/* The packet on a link. */
typedef struct lab_flight {
  uint32_t source, destination, number, hops;
  uint8_t class_;
} lab_flight;

typedef struct lab_scene {
  ripstop_arena *arena; /* owns all of this except what has a free or close function */
  lab_settings settings;
  ripstop_fabric *fabric;
  ripstop_names *names;
  ripstop_faults faults;  /* static faults */
  bool scheduled;         /* `faults` is a schedule or a rule */
  ripstop_change *change; /* [changes], sorted by cycle; `room` allocated */
  size_t changes, room;
  ripstop_view *view;
  ripstop_plan *plan;
  ripstop_jobs *jobs; /* owns the simulation of a workload; else NULL */
  ripstop_simulation *simulation;
  void *array[LAB_ARRAYS];
  double width;
  uint8_t *distance;             /* [nodes * ends]: links from a node to an end node; NULL: too many pairs */
  uint64_t *sent;                /* [ports]: flits sent at the last lab_look */
  lab_flight *flight;            /* [ports]: valid for ports that send a packet */
  ripstop_message_look *message; /* [messages]: a buffer */
  size_t messages;
  double *series;
  size_t series_room;
} lab_scene;

extern lab_scene lab;
int lab_fail(const ripstop_error *err); /* to lab_text(); -1 */
ripstop_text *lab_say(void);            /* an empty text to fill */

/* Converts a number of the page to a count: values above 2^53 become 2^53; NAN and values below 0 become 0. */
uint64_t lab_count(double value);

/* Fills `place` and `bend`; returns the width. */
double lab_layout(const ripstop_fabric *fabric, float *place, float *bend);

#endif

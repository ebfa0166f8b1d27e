/* dump.h - a subnet of InfiniBand as files have it: nodes, their ports, and which port names which.
 *
 * The readers understand the dialects of ibnetdiscover (its own, ibdiagnet's, with CR LF, a byte-order mark, shell
 * prompts and other lines around it), the net files of ibsim, and reports of ports (report.h). A dump keeps what the
 * file says; the family `ib` makes a fabric of it (src/fabric/families/ib.c). Every contradiction becomes an oddity;
 * none is dropped in silence.
 *
 * Identity. A node is its quoted id (`S-0002c90200000000`), whose digits are its GUID. `switchguid=` is not: it may be
 * the GUID of a chassis that sixty chips share.
 * Cables. A cable is there when both ends name each other. A port whose peer does not list it is a half link; one whose
 * peer names another port is a conflicting end. Neither is a cable.
 * Numbers. Nodes are in the order of the file. The ports of a node lie side by side by their number, which is the
 * port number of the dump; only ports that a line speaks of are there. Port 0 of a switch is the switch itself. */
#ifndef RIPSTOP_FORMATS_INFINIBAND_DUMP_H
#define RIPSTOP_FORMATS_INFINIBAND_DUMP_H

#include "base/text_table.h"
#include "formats/odd.h"
#include "ripstop/plugin/base.h"

enum {
  RIPSTOP_IB_ID_LIMIT = 100,     /* bytes of an id: two ends of a cable fit RIPSTOP_NAME_MAX */
  RIPSTOP_IB_PORT_LIMIT = 254,   /* the highest number of a port */
  RIPSTOP_IB_LID_LIMIT = 0xbfff, /* the highest unicast LID */
  RIPSTOP_IB_LID_WRONG = 0xc000, /* stands for any that cannot be */
  RIPSTOP_IB_LID_UNSET = 0xffff, /* a port that no subnet manager has configured; kept as 0, which means the same */
  RIPSTOP_IB_END_NAME_MAX = 112  /* bytes of `id[port]`, terminator included */
};

typedef enum ripstop_ib_kind { RIPSTOP_IB_SWITCH, RIPSTOP_IB_ADAPTER, RIPSTOP_IB_ROUTER } ripstop_ib_kind;

typedef struct ripstop_ib_node {
  const char *id;   /* the quoted text */
  const char *text; /* its description of itself; empty: none */
  ripstop_ib_kind kind;
  bool aggregates; /* an adapter that is an aggregation node inside a switch: an adapter for OpenSM, not for people */
  uint64_t guid;   /* the digits of the id; else the one in brackets; else the one of the *guid= line; 0: none */
  uint64_t system; /* GUID of the chassis, which its chips share; 0: unknown */
  uint32_t wide;   /* how many ports the node says it has, or its highest one that a line speaks of */
  uint32_t lid;    /* a switch's (port 0); RIPSTOP_NONE: unknown. Adapters: see their ports */
  uint32_t lmc;
  uint32_t first, ports; /* its ports are ports[first .. first + ports - 1] of the dump */
  uint32_t line;
  uint32_t again;         /* line of its second listing; 0: there is none */
  const char *again_text; /* the description there */
  bool shares_text;       /* another node has the same description */
  bool shares_id;         /* its id was redacted: another node had the same one */
  bool again_said;        /* an oddity says that the listings contradict each other */
} ripstop_ib_node;

typedef struct ripstop_ib_port {
  uint32_t node, number;
  const char *peer_id;
  uint32_t peer_number;
  uint32_t mate;         /* the port at the other end of its cable; RIPSTOP_NONE: no cable */
  uint64_t guid;         /* this port's; 0: unknown */
  uint32_t lid, lmc;     /* this port's, if the line has them (adapters and routers); else RIPSTOP_NONE */
  const char *peer_text; /* how the line describes the peer; empty: not at all */
  uint32_t peer_lid;     /* RIPSTOP_NONE: unknown */
  uint64_t peer_guid;    /* the peer port's, if the line has it; else 0 */
  uint32_t width;        /* serial lanes: 1, 2, 4, 8, 12; 0: unknown */
  const char *speed;     /* "EDR"; empty: unknown */
  uint32_t could_width;  /* both ends are able to this, if the file says that it is more; 0 and NULL: it does not */
  const char *could_speed;
  uint32_t line;
  bool open; /* the line is the last one of the file and has no end */
} ripstop_ib_port;

typedef struct ripstop_ib_dump {
  ripstop_arena *arena;
  const char *file; /* for messages */
  ripstop_ib_node *node;
  ripstop_ib_port *port;
  uint32_t nodes, ports;
  uint32_t nodes_room, ports_room;
  uint32_t kinds[3]; /* nodes of each kind */
  uint32_t aggregates;
  uint32_t cables;                       /* full ones: with those of a switch to itself, and between adapters */
  uint32_t half_links, conflicts, again; /* ports without answer, with a wrong one; nodes listed more than once */
  uint32_t noise;                        /* lines that are not part of the format */
  uint32_t timeouts;                     /* lines that say that a node did not answer in time */
  bool truncated;                        /* the file stops in the middle of a line */
  bool unlisted;                         /* it lacks nodes that it names, while it lists others of their kind */
  uint32_t broken_line;                  /* the first line that begins as one of the format; 0: there is none */
  const char *broken;                    /* the sentence about it */
  uint32_t usual;                        /* Mb/s of most cables; 0: unknown */
  uint32_t usual_port;                   /* one that runs so */
  uint32_t fastest;                      /* Mb/s: the fastest at which a tenth of the cables run */
  uint32_t slow_cables;                  /* below the usual speed, or below what both their ends are able to */
  ripstop_odds odd;
  ripstop_text_table ids, guids, texts;
  uint32_t lids;                 /* the highest LID of all, and one */
  uint32_t *lid_node, *lid_port; /* [lids]: see ripstop_ib_lid */
} ripstop_ib_dump;

/* Reads a text that stays where it is as long as the dump; everything else is the arena's. -1: it is no dump. */
int ripstop_ib_read(ripstop_ib_dump *dump, ripstop_arena *arena, const char *file, const char *text, size_t length,
                    ripstop_error *err);
/* True if the text is of a kind that programs of InfiniBand write, a fabric or not (kinds.h). Cost: O(length). */
bool ripstop_ib_is_dump(const char *text, size_t length);

/* ------------------------------------------------------------------ look-ups; RIPSTOP_NONE: there is none */

uint32_t ripstop_ib_node_of(const ripstop_ib_dump *dump, const char *id, size_t length);
uint32_t ripstop_ib_port_of(const ripstop_ib_dump *dump, uint32_t node, uint32_t number);
/* The node with this GUID, or with a port that has it. */
uint32_t ripstop_ib_guid(const ripstop_ib_dump *dump, uint64_t guid);
/* The node with this description, when just one has it. */
uint32_t ripstop_ib_described(const ripstop_ib_dump *dump, const char *text, size_t length);
/* Whose LID it is: a node, and of an adapter or router its port (RIPSTOP_NONE for a switch, whose LID is port 0's).
 * With an LMC a port has 2^LMC LIDs in a row. Of several that say to have it, it is the first's. */
uint32_t ripstop_ib_lid(const ripstop_ib_dump *dump, uint32_t lid, uint32_t *port);
/* `id[port]`; RIPSTOP_IB_END_NAME_MAX bytes. */
void ripstop_ib_end_name(const ripstop_ib_dump *dump, uint32_t port, char *out);
/* The same in memory of the dump. */
const char *ripstop_ib_end(const ripstop_ib_dump *dump, uint32_t port);
/* "leaf-02/P21", as people name an end; its id where no node, or several, have the description. In the arena. */
const char *ripstop_ib_end_words(ripstop_arena *arena, const ripstop_ib_dump *dump, uint32_t node, uint32_t number);
/* `end-end`, the smaller end first; RIPSTOP_NAME_MAX bytes. */
void ripstop_ib_cable_name(const ripstop_ib_dump *dump, uint32_t port, char *out);
/* True if the first of two ends stands first in the name of their cable. */
bool ripstop_ib_is_first(const ripstop_ib_dump *dump, uint32_t port, uint32_t other);
RIPSTOP_BEGIN
/* True if a switch's port leads to a host, and the host's own lines are missing: the cable is a half link. */
bool ripstop_ib_names_host(const ripstop_ib_dump *dump, uint32_t port);
RIPSTOP_END
/* Mb/s by what the line of a port says; 0: nothing. */
uint32_t ripstop_ib_port_speed(const ripstop_ib_port *port);
/* The end of a port's cable that says that both ends are able to more; RIPSTOP_NONE: neither says so. */
uint32_t ripstop_ib_could(const ripstop_ib_dump *dump, uint32_t port);
/* Mb/s that the cable of a port carries: the smaller of what both ends say; 0: neither says. */
uint32_t ripstop_ib_cable_speed(const ripstop_ib_dump *dump, uint32_t port);

#endif

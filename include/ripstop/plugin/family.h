/* family.h - what a family of fabrics is: the struct that every file in src/fabric/families/ ends with, and the builder
 * that it wires its fabrics with. */
#ifndef RIPSTOP_PLUGIN_FAMILY_H
#define RIPSTOP_PLUGIN_FAMILY_H

#include "ripstop/fabric.h"
#include "ripstop/plugin/base.h"

RIPSTOP_BEGIN

typedef struct ripstop_builder ripstop_builder;

typedef struct ripstop_counts {
  uint64_t ends, switches, links; /* links to end nodes included */
} ripstop_counts;

/* One of the symbols that a link is a tuple of. The values of an alphabet may be permuted, independently of all other
 * alphabets, and the wiring comes out as it was; those of RIPSTOP_FIXED_ALPHABET stay. */
enum { RIPSTOP_FIXED_ALPHABET = 0, RIPSTOP_SYMBOLS_MAX = 66, RIPSTOP_ALPHABETS_MAX = 2 * RIPSTOP_SYMBOLS_MAX };
typedef struct ripstop_symbol {
  uint32_t alphabet, value;
} ripstop_symbol;

/* Kinds of parts that have names. */
typedef enum ripstop_part_kind {
  RIPSTOP_PART_LINK,
  RIPSTOP_PART_SWITCH,
  RIPSTOP_PART_END,
  RIPSTOP_PARTS
} ripstop_part_kind;

/* A group of links between switches that scopes and fault sets name by a word. Of a numbered group there are several:
 * "level-0", "level-1". */
typedef struct ripstop_link_group {
  const char *name; /* letters only; NULL ends a list */
  bool numbered;
  const char *help; /* which links these are; N stands for the number */
} ripstop_link_group;

#define RIPSTOP_FAMILY_ABI 4

struct ripstop_family {
  uint32_t abi;        /* RIPSTOP_FAMILY_ABI */
  const char *name;    /* as in "name:parameters" */
  const char *summary; /* one line */
  const char *source;  /* paper and definition that the wiring follows */
  const ripstop_option *options;
  size_t config_size;
  const char *example; /* a small spec, used by the tests and the manual */
  bool symmetric;      /* every end node sees the same number of end nodes at each distance */
  /* The closed forms; also the guard against impossible sizes, called before anything is built. */
  int (*count)(const void *config, ripstop_counts *out, ripstop_error *err);
  /* Adds the nodes and wires them. */
  int (*build)(ripstop_builder *builder, const void *config, ripstop_error *err);
  void (*node_name)(const ripstop_fabric *fabric, uint32_t node, char *out);
  void (*link_name)(const ripstop_fabric *fabric, uint32_t link, char *out);
  bool names_end_links; /* link_name knows links to end nodes too; false: they are "end:NAME", and it is not called */
  /* NULL: parts have no names but those above. The part with another name (a description, a GUID), a link's number or a
   * node; RIPSTOP_NONE: there is none, or several have it. */
  uint32_t (*alias)(const ripstop_fabric *fabric, ripstop_part_kind what, const char *text, size_t length);
  /* NULL exactly when `alias` is. The part's other names, numbered from 0, as people write them; false: no such number.
   * For suggestions and patterns; `out` has RIPSTOP_NAME_MAX bytes. */
  bool (*other_name)(const ripstop_fabric *fabric, ripstop_part_kind what, uint32_t part, unsigned number, char *out);
  /* NULL: no symmetry is known. The tuple that a switch-switch link is, the fixed symbols for its kind first;
   * returns how many symbols (at most RIPSTOP_SYMBOLS_MAX; alphabets are below RIPSTOP_ALPHABETS_MAX, each but the
   * fixed one once in a tuple). Links of one kind have the same alphabets in the same order, and are all tuples of
   * their values. */
  uint32_t (*symbols)(const ripstop_fabric *fabric, uint32_t link, ripstop_symbol *out);
  /* NULL both: links between switches are all alike. The groups of links between switches, and which of them such a
   * link is in: an index of `groups`; `*number` is the link's number in a numbered group. */
  const ripstop_link_group *groups;
  uint32_t (*group_of)(const ripstop_fabric *fabric, uint32_t link, uint32_t *number);
};

extern RIPSTOP_INTERNAL const ripstop_family
    *const ripstop_families[]; /* generated from the folder, sorted by name, NULL-terminated */

/* For families: all end nodes first, then all switches, then the cables. */
void ripstop_builder_coords(ripstop_builder *builder, uint32_t coords);        /* once, before any node */
uint32_t ripstop_builder_end(ripstop_builder *builder, const uint16_t *coord); /* returns the node */
uint32_t ripstop_builder_switch(ripstop_builder *builder, uint32_t ports, const uint16_t *coord);
/* A cable between two local ports; the first side names the link. Both ports must be free. */
void ripstop_builder_cable(ripstop_builder *builder, uint32_t node_a, uint32_t port_a, uint32_t node_b,
                           uint32_t port_b);
/* The rate of the cable that was added last; without this call RIPSTOP_RATE_FULL. */
void ripstop_builder_rate(ripstop_builder *builder, uint16_t rate);
/* The same by its speed, in any unit, beside that of a link at full rate; 0: not known, full rate. */
void ripstop_builder_speed(ripstop_builder *builder, uint32_t speed, uint32_t fastest);
/* Its delay, when it has one of its own. */
void ripstop_builder_delay(ripstop_builder *builder, uint16_t cycles);
/* It carries packets in one direction, from the node that was given first. Not for cables of end nodes. */
void ripstop_builder_one_way(ripstop_builder *builder);
ripstop_arena *ripstop_builder_arena(ripstop_builder *builder);
void ripstop_builder_detail(ripstop_builder *builder, const void *detail);
void ripstop_builder_spec(ripstop_builder *builder,
                          const char *spec); /* replaces the canonical spec (graphs: adds a content hash) */

RIPSTOP_END

#endif

/* lfts.h - reads linear forwarding tables as OpenSM and infiniband-diags print them (opensm-lfts.dump, dump_lfts,
 * ibroute), and the service levels, VLs and multicast groups that belong to them (service_levels.h, group_tables.h).
 * They use GUIDs and LIDs, which an address book turns into nodes of a fabric. */
#ifndef TABLES_INFINIBAND_LFTS_H
#define TABLES_INFINIBAND_LFTS_H

#include "ripstop/plugin/faults.h"
#include "ripstop/plugin/forwarding.h"

/* RIPSTOP_NONE: not found. Simulators count the GUIDs of an adapter's ports on from its own, whatever the dump says;
 * `counted` selects that reading. */
typedef struct ripstop_address_book {
  const void *owner;
  uint32_t (*switch_of)(const void *owner, uint64_t guid);                  /* a switch's node, by its GUID */
  uint32_t (*node_of_port)(const void *owner, uint64_t guid, bool counted); /* end node or switch, by its port's */
  uint32_t (*node_of_lid)(const void *owner, uint32_t lid);                 /* by LID, for lines without a GUID */
  bool (*has_lid)(const void *owner, uint32_t end);                         /* true if an end node has any LID */
  /* The nth end node of an adapter, by its own GUID, and the number of its port. */
  uint32_t (*end_of_node)(const void *owner, uint64_t guid, uint32_t nth, uint32_t *port);
  const char *(*description)(const void *owner, uint32_t node); /* empty: it has none */
  uint32_t first_port; /* the number of every switch's first local port, 0 or 1 */
  bool counted_guids;  /* GUIDs only count nodes, as without a dump: the name of a node also identifies it */
} ripstop_address_book;

/* The address book of a fabric, which must outlive it. */
void ripstop_address_book_of(const ripstop_fabric *fabric, ripstop_address_book *out);

/* The first place of something; line 0: none. */
typedef struct ripstop_lfts_place {
  const char *path;
  uint32_t line;
} ripstop_lfts_place;

/* Parts of the files that were left out. */
typedef struct ripstop_lfts_notes {
  uint32_t tables;                              /* switches that have a table */
  uint32_t unknown_switches, unknown_addresses; /* tables, and addresses, that the fabric does not have */
  ripstop_lfts_place unknown_switch, unknown_address;
  uint64_t unknown_guid; /* GUID of the first such switch */
  uint32_t truncated;    /* tables without the last line that others have: cut off */
  ripstop_lfts_place first_truncated;
  uint32_t without_entry, first_without_entry; /* end nodes with a LID that no table has: unreachable */
  uint32_t unknown_sources; /* lines of service levels and VLs about ports that the fabric, or the tables, do not
                             * have */
  uint32_t silent;          /* files without a recognised line; the first */
  const char *silent_path;
  uint64_t without_level; /* sources and addresses without a level, if others have one; 0: all have, or none has */
  uint32_t unknown_group_tables; /* multicast tables for switches that the fabric does not have */
  bool groups_without_tables;    /* records of multicast groups, and no switch's table of them */
  bool levels_agree;             /* ... they got the level of the others, which agree for each address; else 0 */
} ripstop_lfts_notes;

/* Tables that are being read, line by line: those of a large fabric are gigabytes of text. */
typedef struct ripstop_lfts ripstop_lfts;
/* NULL: no memory. */
ripstop_lfts *ripstop_lfts_open(const ripstop_fabric *fabric, const ripstop_address_book *book, ripstop_error *err);
/* Before the lines of each file; `path` is for messages and must stay. */
void ripstop_lfts_file(ripstop_lfts *lfts, const char *path);
/* The next line, without its end. -1: it contradicts itself, an earlier one or the fabric, or is of no kind that
 * files of tables, service levels or VLs have. */
int ripstop_lfts_line(ripstop_lfts *lfts, const char *text, size_t length, ripstop_error *err);
/* Call it after a file's last line if that has no line end. Refused if the line ends after a port number, which may
 * lack digits, while earlier lines continue. */
int ripstop_lfts_cut(const ripstop_lfts *lfts, ripstop_error *err);
/* Live end nodes of the view, which must stay, with a LID become addresses whether or not a table has them. */
void ripstop_lfts_expect(ripstop_lfts *lfts, const ripstop_view *view);
/* The tables of all lines, in memory of the arena. NULL: there was no table for this fabric. */
ripstop_forwarding *ripstop_lfts_finish(ripstop_lfts *lfts, ripstop_arena *arena, ripstop_lfts_notes *notes,
                                        ripstop_error *err);
void ripstop_lfts_free(ripstop_lfts *lfts); /* NULL is fine */

/* Reads files that form one set; gzip may have packed any. `view`: as above; NULL: nothing is expected. `hash` (NULL:
 * not requested) is that of their contents, one after the other: XXH3, hexadecimal. NULL on error. */
#define RIPSTOP_LFTS_HASH 17
ripstop_forwarding *ripstop_lfts_read(ripstop_arena *arena, const ripstop_fabric *fabric, const ripstop_view *view,
                                      const char *const *path, unsigned count, ripstop_lfts_notes *notes, char *hash,
                                      ripstop_error *err);
/* The hash alone. */
int ripstop_lfts_hash(const char *const *path, unsigned count, char *hash, ripstop_error *err);

#endif

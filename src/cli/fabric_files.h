/* fabric_files.h - what other files say about the parts of a fabric, for `ripstop fabric`: counters of its ports, and
 * the design of its cables.
 *
 * Each answer is opened once, and then printed as text or added to the command's JSON object. */
#ifndef RIPSTOP_CLI_FABRIC_FILES_H
#define RIPSTOP_CLI_FABRIC_FILES_H

#include <jansson.h>

#include "cli/cli.h"
#include "formats/infiniband/design_check.h"
#include "recognise/slurm_topology.h"
#include "tables/infiniband/cable_counters.h"

/* ------------------------------------------------------------------ shared by all answers */

/* The dump that a fabric was made of. NULL: it is of another family, and the error says that the option needs one. */
const ripstop_ib_dump *fabric_files_dump(const ripstop_fabric *fabric, const char *option, ripstop_error *err);
/* Reads a file, and unpacks it if gzip packed it. */
int fabric_files_read(ripstop_arena *arena, const char *path, const char **text, size_t *length, ripstop_error *err);
/* "leaf-02/P21": how people name an end of a cable; its id where it has no description. In the arena. */
const char *fabric_files_end(ripstop_arena *arena, const ripstop_ib_dump *dump, uint32_t port);
const char *fabric_files_place(ripstop_arena *arena, const ripstop_ib_dump *dump, ib_place place);

/* ------------------------------------------------------------------ --counters: which cable to replace first */

int fabric_counters_open(ib_cable_counters *c, ripstop_arena *arena, const ripstop_fabric *fabric,
                         const ripstop_cli_values *now, const ripstop_cli_values *before, ripstop_error *err);
void fabric_counters_print(const ib_cable_counters *c);
void fabric_counters_json(const ib_cable_counters *c, json_t *all);

/* ------------------------------------------------------------------ --design: what differs from it */

typedef struct fabric_design {
  ripstop_arena *arena;
  const char *path;
  const ripstop_ib_dump *dump;
  ib_design rows;
  ib_design_result found;
  const ripstop_recognised *regular; /* the design is a regular fabric, and these are the differences; NULL: rows */
} fabric_design;

/* The design is a table of cables, a dump, or the spec of a regular fabric. */
int fabric_design_open(fabric_design *d, ripstop_arena *arena, const ripstop_fabric *fabric,
                       const ripstop_recognised *recognised, const char *path, ripstop_error *err);
void fabric_design_print(const fabric_design *d);
void fabric_design_json(const fabric_design *d, json_t *all);

/* ------------------------------------------------------------------ --slurm: topology.conf */

typedef struct fabric_slurm {
  slurm_topology topology;
  bool block;
} fabric_slurm;

int fabric_slurm_open(fabric_slurm *s, ripstop_arena *arena, const ripstop_fabric *fabric,
                      const ripstop_recognised *recognised, const char *adapters, ripstop_error *err);
void fabric_slurm_print(const fabric_slurm *s);
void fabric_slurm_json(const fabric_slurm *s, json_t *all);

/* ------------------------------------------------------------------ all of them */

extern const char *const fabric_slurm_kinds[]; /* tree, block */

/* The files of the command line, and what they say about the fabric. Zero-initialise. */
typedef struct fabric_files {
  ripstop_cli_values counter_files, earlier_files;
  const char *design_file;
  bool is_slurm;       /* --slurm was given: the topology alone is printed, unless as JSON */
  unsigned slurm_kind; /* a place in fabric_slurm_kinds */
  const char *adapters;
  ib_cable_counters counters; /* only with counter_files */
  fabric_design design;       /* only with design_file */
  fabric_slurm slurm;         /* only with is_slurm */
} fabric_files;

#define FABRIC_FILES_FLAGS(files)                                                                                \
  CLI_TEXTS("counters", "FILE", &(files).counter_files,                                                          \
            "Error counters that ibqueryerrors, perfquery, ibdiagnet or Prometheus printed: list the cables to " \
            "replace first; more files may follow.",                                                             \
            .excludes = "links dot svg edges net"),                                                              \
      CLI_TEXTS("counters-before", "FILE", &(files).earlier_files,                                               \
                "Counters of an earlier time: only what was added since counts; may be given again.",            \
                .needs = "counters"),                                                                            \
      CLI_TEXT("design", "FILE", &(files).design_file,                                                           \
               "The design of the cables, as a CSV table, a dump, or the SPEC of a regular fabric: list cables " \
               "that are missing, miswired or extra.",                                                           \
               .excludes = "links dot svg edges net"),                                                           \
      CLI_WORD("slurm", "KIND", &(files).slurm_kind, fabric_slurm_kinds,                                         \
               "Print the hosts by leaf and pod as Slurm's topology.conf has them: tree or block.",              \
               .given = &(files).is_slurm, .excludes = "links dot svg edges net counters design"),               \
      CLI_TEXT("adapters", "REGEX", &(files).adapters,                                                           \
               "Of --slurm: only adapters count whose description's second word matches, such as '^mlx5_0$'.",   \
               .needs = "slurm")

/* The command's arguments: the fabric, and behind it more files of --counters. */
int fabric_files_take(fabric_files *files, const char *const *argument, unsigned count, ripstop_error *err);
int fabric_files_open(fabric_files *files, ripstop_arena *arena, const ripstop_fabric *fabric,
                      const ripstop_recognised *recognised, ripstop_error *err);
/* True if it printed all that the command prints. */
bool fabric_files_print_alone(const fabric_files *files);
void fabric_files_print(const fabric_files *files);
void fabric_files_json(const fabric_files *files, json_t *all);

#endif

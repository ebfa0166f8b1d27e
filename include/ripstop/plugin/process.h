/* process.h - what fails and is repaired while it runs: the struct that every file in src/faults/processes/ ends with,
 * and what the processes share.
 *
 * A process says which part is down, or which link is slow, from when to when (an outage). Whatever it says, in any
 * order and overlapping, is made a schedule by its caller: a part is down as long as some outage has it down, and as
 * slow as the worst of those that have it slow. So a process has no state to keep, and two causes of one failure need
 * not know each other. */
#ifndef RIPSTOP_PLUGIN_PROCESS_H
#define RIPSTOP_PLUGIN_PROCESS_H

#include "ripstop/plugin/faults.h"

RIPSTOP_BEGIN

#define RIPSTOP_FOREVER UINT64_MAX
enum { RIPSTOP_OUTAGES_MAX = 1 << 22 };            /* most outages of one schedule, with those of no cycle */
#define RIPSTOP_OUTAGE_LAST ((uint64_t)2000000000) /* cycle; what would be repaired later is not */

/* The outages depend on these alone. */
typedef struct ripstop_process_case {
  const ripstop_fabric *fabric;
  const ripstop_faults *faults; /* down from the start; NULL: nothing */
  uint64_t seed, index;         /* index: the sample, below 2^32 */
} ripstop_process_case;

typedef struct ripstop_outages ripstop_outages;
/* A part is down in the cycles from .. until-1; times of a fraction of a cycle belong to the cycle in which they fall.
 * What begins after RIPSTOP_OUTAGE_LAST does not happen. False: there are too many, and the caller may stop. */
bool ripstop_outages_add(ripstop_outages *outages, uint32_t id, bool is_switch, double from, double until);
/* The same of a link that goes on at a rate (thousandths, RIPSTOP_RATE_LEAST or more; 0: it is down). */
bool ripstop_outages_add_slow(ripstop_outages *outages, uint32_t link, uint16_t rate, double from, double until);

typedef struct ripstop_process {
  uint32_t abi;
  const char *name, *summary;
  const ripstop_option *options;
  size_t config_size;
  const char *example; /* options with which it does something on any fabric, for tests; NULL: it needs a file */
  /* Reads what the options name; may leave a table for `sample`, and write into the config what a run is to be named
   * by. NULL: nothing to do. A path starts at the folder of the file `beside` (NULL: at the present one). */
  int (*prepare)(ripstop_arena *arena, const ripstop_names *names, const char *beside, void *config, const void **table,
                 ripstop_error *err);
  bool given; /* nothing is drawn: every sample is the same */
  int (*sample)(const ripstop_process_case *at, const void *config, const void *table, ripstop_outages *out,
                ripstop_error *err);
} ripstop_process;
#define RIPSTOP_PROCESS_ABI 2
extern RIPSTOP_INTERNAL const ripstop_process *const ripstop_processes[]; /* generated */
/* The process of this name, of which `length` characters count; NULL: there is none. */
const ripstop_process *ripstop_process_find(const char *name, size_t length, ripstop_error *err);
/* "name:a=1,b=2" with every option, defaults included; files that they name are not opened. NULL on error. */
const char *ripstop_process_canonical(ripstop_arena *arena, const char *spec, ripstop_error *err);

/* ------------------------------------------------------------------ shared by processes */

/* The option `scope` of a config whose first member is `const char *scope`. A process with this option has
 * ripstop_process_open_scope as its `prepare`. */
#define RIPSTOP_PROCESS_SCOPE(config, what)                                                                      \
  {                                                                                                              \
    .name = "scope", .type = RIPSTOP_OPTION_TEXT, .offset = offsetof(config, scope), .fallback = "switch-links", \
    .help = what ": switch-links, all-links, switches, a group of the fabric or a pattern"                       \
  }
/* Options of several processes: members `until`; `cut`, which ripstop_process_each takes; `from` and `every`. */
#define RIPSTOP_PROCESS_UNTIL(config) \
  RIPSTOP_INTEGER(config, until, 0, 1e9, NULL, "no failure in this cycle or later; repairs still come")
#define RIPSTOP_PROCESS_CUT(config) \
  RIPSTOP_FLAG(config, cut, "off",  \
               "off: parts are picked at random so that the rest stays connected while all of them are down")
#define RIPSTOP_PROCESS_TIMES(config)                                       \
  RIPSTOP_INTEGER(config, from, 0, 1e9, "0", "cycle of the first failure"), \
      RIPSTOP_INTEGER(config, every, 0, 1e9, "0", "cycles from each failure to the next; 0: all at once")
/* Leaves the scope, a `const ripstop_fault_scope *`, as the table for `sample`, and its name (ripstop_scope_name) in
 * the config. -1 with an error: the fabric has no such scope. */
int ripstop_process_open_scope(ripstop_arena *arena, const ripstop_names *names, const char *beside, void *config,
                               const void **table, ripstop_error *err);
/* Chooses `count` random parts of a scope. Unless `cut`, end nodes that are connected stay so while their switches
 * live, even when all these parts are down. A larger count begins with the parts of a smaller one. `id` has [count];
 * -1: there are too few parts. */
int ripstop_process_parts(const ripstop_process_case *at, const ripstop_fault_scope *scope, uint32_t count, bool cut,
                          uint32_t *id, ripstop_error *err);
/* Chooses parts as ripstop_process_parts does, and adds the outages of each by `part`. */
typedef void ripstop_process_part(const ripstop_process_case *at, const void *config, uint32_t id, bool is_switch,
                                  ripstop_outages *out);
int ripstop_process_each(const ripstop_process_case *at, const ripstop_fault_scope *scope, uint32_t count, bool cut,
                         ripstop_process_part *part, const void *config, ripstop_outages *out, ripstop_error *err);
/* The random numbers of one part of a case. */
ripstop_stream ripstop_process_stream(const ripstop_process_case *at, uint32_t id, bool is_switch);
/* Exponential, with this mean. */
double ripstop_process_exponential(ripstop_stream *stream, double mean);

/* The bytes of a file that an option names, terminated. `file` becomes the name without folders; `hash`, when it is
 * empty, what the content hashes to, and otherwise the content is held to it: so a run is named by what it has read. */
int ripstop_process_file(ripstop_arena *arena, const char *beside, const char **file, const char **hash,
                         const char **path, char **text, size_t *length, ripstop_error *err);

RIPSTOP_END

#endif

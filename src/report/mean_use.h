/* mean_use.h - the mean use of each link of a fabric over runs that measured it (measure.links). */
#ifndef REPORT_MEAN_USE_H
#define REPORT_MEAN_USE_H

#include "ripstop/fabric.h"

typedef struct ripstop_link_use_settings {
  const ripstop_fabric *fabric;
  /* [files] what `simulate --json` prints, and experiments (.yaml): their stored runs on this fabric count. */
  const char *const *file;
  unsigned files;
  const char *const *where; /* [wheres] "KEY=VALUE": only an experiment's runs that have all of them */
  unsigned wheres;
  const char *store; /* for experiments; NULL: out/NAME.db */
} ripstop_link_use_settings;

typedef struct ripstop_link_use {
  double *use; /* [ports], flits/cycle, the mean of the runs; NAN for ports that no run measured */
  uint32_t runs;
  const char *faults; /* failed parts in the only run; NULL: nothing, or there are several runs */
} ripstop_link_use;

/* Memory from the arena. -1: a file cannot be read, or has no run that measured links of this fabric. */
int ripstop_link_use_read(ripstop_arena *arena, const ripstop_link_use_settings *settings, ripstop_link_use *out,
                          ripstop_error *err);

#endif

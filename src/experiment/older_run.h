/* older_run.h - what a run that an earlier version stored means today. */
#ifndef EXPERIMENT_OLDER_RUN_H
#define EXPERIMENT_OLDER_RUN_H

#include "ripstop/error.h"
#include "ripstop/plugin/base.h"

RIPSTOP_BEGIN

typedef enum older_answer {
  OLDER_CURRENT, /* it is a run of this version */
  OLDER_RENAMED, /* a run of this version with another name means the same */
  OLDER_AGAIN    /* it has to be done again */
} older_answer;

/* canonical: the run's. RENAMED: *now is the canonical text of this version; AGAIN: *why is the reason. Memory from the
 * arena. */
older_answer ripstop_older_run(ripstop_arena *arena, const char *canonical, const char **now, const char **why);

RIPSTOP_END

#endif

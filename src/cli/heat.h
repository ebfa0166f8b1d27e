/* heat.h - how much the links of a fabric were used, for `ripstop fabric --svg --heat`. */
#ifndef CLI_HEAT_H
#define CLI_HEAT_H

#include "cli/cli.h"
#include "ripstop/fabric.h"

typedef struct cli_heat {
  double *use; /* [ports], flits/cycle, the mean of the runs; NAN of ports that are not known */
  uint32_t runs;
  const char *faults; /* of a lone run: what was dead; NULL: nothing, or runs differ */
} cli_heat;

/* Files are what `simulate --json` printed, and experiments (.yaml), of whose runs those of this fabric count that are
 * stored, in `store` (NULL: in out/NAME.db), and have all of the keys `where` ("KEY=VALUE"). Memory from the arena. */
int cli_heat_read(ripstop_arena *arena, const ripstop_fabric *fabric, const ripstop_cli_values *files,
                  const ripstop_cli_values *where, const char *store, cli_heat *out, ripstop_error *err);

#endif

/* flags.h - what ripstop_cli_parse has its table of flags checked by. */
#ifndef RIPSTOP_CLI_FLAGS_H
#define RIPSTOP_CLI_FLAGS_H

#include "cli/cli.h"

enum { CLI_FLAGS_MOST = 64 };

/* The flags of a command line, by their places in the table. */
typedef struct cli_given {
  bool is[CLI_FLAGS_MOST];
  const char *value[CLI_FLAGS_MOST]; /* NULL: a flag without a value */
} cli_given;

/* Checks the value by the flag's range or words, and stores it. Errors begin with the flag, "--NAME". */
int cli_read_flag(const ripstop_flag *flag, const char *text, ripstop_error *err);
/* Checks what the flags require, need and exclude. */
int cli_check_flags(const ripstop_flag *flags, const cli_given *given, ripstop_error *err);

#endif

/* cli.h - what the commands share: their table, and one way to read a command line.
 *
 * Adding a command:
 *   1. src/cli/NAME.c with `int ripstop_cmd_NAME(int argc, char **argv)`: argv[0] is the command's name, the result is
 *      the exit code (RIPSTOP_EXIT_*). Describe flags and arguments by a ripstop_usage and read them with
 *      ripstop_cli_parse: then --help, unknown flags and missing arguments are taken care of.
 *   2. Its declaration below, and its line in the table of main.c.
 *   3. tests/cli/NAME.sh. */
#ifndef RIPSTOP_CLI_CLI_H
#define RIPSTOP_CLI_CLI_H

#include <stdio.h>

#include "ripstop/fabric.h"

int ripstop_cmd_book(int argc, char **argv);
int ripstop_cmd_check_witness(int argc, char **argv);
int ripstop_cmd_claims(int argc, char **argv);
int ripstop_cmd_diff(int argc, char **argv);
int ripstop_cmd_fabric(int argc, char **argv);
int ripstop_cmd_faults(int argc, char **argv);
int ripstop_cmd_history(int argc, char **argv);
int ripstop_cmd_judge(int argc, char **argv);
int ripstop_cmd_lab(int argc, char **argv);
int ripstop_cmd_methods(int argc, char **argv);
int ripstop_cmd_patterns(int argc, char **argv);
int ripstop_cmd_programs(int argc, char **argv);
int ripstop_cmd_protocol(int argc, char **argv);
int ripstop_cmd_prove(int argc, char **argv);
int ripstop_cmd_report(int argc, char **argv);
int ripstop_cmd_route(int argc, char **argv);
int ripstop_cmd_run(int argc, char **argv);
int ripstop_cmd_simulate(int argc, char **argv);
int ripstop_cmd_store(int argc, char **argv);
int ripstop_cmd_what_if(int argc, char **argv);
int ripstop_cmd_workloads(int argc, char **argv);

/* ------------------------------------------------------------------ command lines are data */

enum { RIPSTOP_CLI_VALUES = 64 };

/* The values of a flag that may be given several times, in order. */
typedef struct ripstop_cli_values {
  unsigned count;
  const char *value[RIPSTOP_CLI_VALUES];
} ripstop_cli_values;

/* A flag may name a file that the command writes. ripstop_cli_parse checks the file (base/output.h). */
typedef enum ripstop_flag_output {
  RIPSTOP_FLAG_NO_OUTPUT,
  RIPSTOP_FLAG_OUTPUT,
  RIPSTOP_FLAG_OUTPUT_OR_DASH, /* - is standard output */
  RIPSTOP_FLAG_UPDATE          /* the command reads the file, if it is there, and writes it again */
} ripstop_flag_output;

typedef struct ripstop_flag {
  const char *name;                  /* "links" for --links; a list of flags ends with an entry without name */
  char letter;                       /* 'o' for -o as well; 0: none */
  const char *value;                 /* how the help calls the value, e.g. "FILE"; NULL: the flag takes none */
  const char *help;                  /* one sentence */
  bool *given;                       /* set when the flag is there; NULL: not needed */
  const char **text;                 /* the value goes here; a flag with one value is refused when it is given twice */
  struct ripstop_cli_values *values; /* or all values go here */
  uint64_t *integer;                 /* or a whole number from `least` to `most` goes here */
  unsigned *count;                   /* or a smaller one goes here, from `least` to `most`, which is not 0 */
  uint64_t least, most;              /* most 0: no limit */
  struct ripstop_shard *shard;       /* or PART/PARTS goes here */
  double *share;                     /* or a number from 0 to 1 goes here, */
  bool open;                         /* which is neither 0 nor 1 */
  unsigned *word;                    /* or the place of the value among `words` goes here */
  const char *const *words;          /* NULL-terminated */
  ripstop_flag_output output;        /* only with `text` */
  /* Names of other flags, separated by blanks. "of=pairs" stands for --of with this value. */
  const char *needs;    /* one of these must be given too */
  const char *excludes; /* none of these may be given; it is enough that one of two flags excludes the other */
  const char *because;  /* the reason for `excludes`, which ends the message; NULL: none */
  const char *required; /* the flag must be given; this ends the message and says where its values are listed */
} ripstop_flag;

/* A flag that an earlier version had. */
typedef struct ripstop_old_flag {
  const char *name;    /* "port" for --port; a list ends with an entry without name */
  const char *instead; /* its replacement: the end of the message that refuses it */
} ripstop_old_flag;
/* A line of a table of flags by what it stores, e.g.
 *   CLI_INTEGER("samples", "N", &w->samples, "Take N random sets.", .least = 1, .needs = "count"), */
#define CLI_SWITCH(name_, at, ...) \
  { .name = name_, .given = at, .help = __VA_ARGS__ }
#define CLI_TEXT(name_, value_, at, ...) \
  { .name = name_, .value = value_, .text = at, .help = __VA_ARGS__ }
#define CLI_TEXTS(name_, value_, at, ...) \
  { .name = name_, .value = value_, .values = at, .help = __VA_ARGS__ }
#define CLI_INTEGER(name_, value_, at, ...) \
  { .name = name_, .value = value_, .integer = at, .help = __VA_ARGS__ }
#define CLI_THREADS(name_, at, ...) \
  { .name = name_, .value = "N", .count = at, .least = 1, .most = CLI_THREADS_MOST, .help = __VA_ARGS__ }
#define CLI_SHARD(at, ...) \
  { .name = "shard", .value = "I/N", .shard = at, .help = __VA_ARGS__ }
#define CLI_SHARE(name_, value_, at, ...) \
  { .name = name_, .value = value_, .share = at, .help = __VA_ARGS__ }
#define CLI_WORD(name_, value_, at, list, ...) \
  { .name = name_, .value = value_, .word = at, .words = list, .help = __VA_ARGS__ }

typedef struct ripstop_usage {
  const char *command;        /* "fabric" */
  const char *arguments;      /* how the help calls them, e.g. "SPEC" */
  const char *summary;        /* one sentence */
  unsigned at_least, at_most; /* how many arguments */
  const ripstop_flag *flags;
  const ripstop_old_flag *old; /* NULL: none */
  void (*more)(FILE *file);    /* --help prints this after the flags; NULL: nothing */
} ripstop_usage;

enum { RIPSTOP_CLI_GO_ON = -1, CLI_THREADS_MOST = 4096 };

/* An output file is checked here. Folders, files whose kind depends on other flags, and default names are checked by
 * the command, as soon as it knows them and before it works: without a check base/output.h opens none.
 *
 * Flags may stand before, between and after arguments, as "--name value" or "--name=value"; "--" ends them. Arguments
 * go to `arguments` ([at_most]), their number to *given (may be NULL). Returns RIPSTOP_CLI_GO_ON, or the exit
 * code with which to leave: after --help, or after a mistake, which has been printed. */
int ripstop_cli_parse(const ripstop_usage *usage, int argc, char **argv, const char **arguments, unsigned *given);

/* While a `visit` is set, ripstop_cli_parse reads nothing: it passes the usage of the command to it, and returns
 * RIPSTOP_EXIT_OK. NULL ends it. */
typedef void ripstop_usage_visit(void *context, const ripstop_usage *usage);
void ripstop_cli_ask_usages(ripstop_usage_visit *visit, void *context);
bool ripstop_cli_is_asked(void);

/* Prints "ripstop: MESSAGE" to standard error and returns RIPSTOP_EXIT_INPUT, or RIPSTOP_EXIT_MACHINE when it was the
 * machine that failed. */
int ripstop_cli_fail(const ripstop_error *err);
/* The same where what was given is right, but what came of it is not: RIPSTOP_EXIT_FAILED, or RIPSTOP_EXIT_MACHINE. */
int ripstop_cli_fail_work(const ripstop_error *err);
/* Like fprintf, but control characters of names become question marks; those of the format stay. */
void ripstop_cli_say(FILE *file, const char *fmt, ...) RIPSTOP_PRINTF(2, 3);
/* Sends the output printed so far. 0, or the errno of the first failure, which main reports. */
int ripstop_cli_flush(void);

/* ripstop_fabric_open; prints on standard error the parts of a dump that are left out: half links, conflicting ends,
 * and that the file was cut off. */
ripstop_fabric *ripstop_cli_open_fabric(const char *spec, ripstop_error *err);

/* For long work: from now on SIGINT and SIGTERM set this, and the second of them ends the process. One that is ignored,
 * as by nohup or for a shell's background jobs, stays so. */
extern atomic_int ripstop_cli_stop;
void ripstop_cli_catch_signals(void);

#endif

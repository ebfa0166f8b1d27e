/* main.c - the program: finds the command and hands over. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/inputs.h"
#include "base/memory.h"
#include "base/renamed.h"
#include "cli/cli.h"
#include "cli/help_words.h"
#include "cli/json.h"
#include "cli/meter.h"
#include "ripstop/kit/experiment.h"

static const double STEP_SECONDS = 4; /* between two lines about a long step */

typedef struct command {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *summary;
} command;

static int help(int argc, char **argv);

/* cli.h says how to add one. */
static const command commands[] = {
    {"book", ripstop_cmd_book, "write the pages of many experiments, with an index of what papers claim"},
    {"check-witness", ripstop_cmd_check_witness, "check a certificate of deadlock, or of freedom from it"},
    {"claims", ripstop_cmd_claims, "list what papers claim, what was measured and what comes of it"},
    {"diff", ripstop_cmd_diff, "report what changed between two dumps of a fabric"},
    {"fabric", ripstop_cmd_fabric, "show what a fabric is made of"},
    {"faults", ripstop_cmd_faults, "list the processes by which parts fail, or draw a schedule"},
    {"history", ripstop_cmd_history, "report which cables flap, and since when, from dated dumps"},
    {"judge", ripstop_cmd_judge, "judge forwarding tables: lost pairs, loads, credit loops, changes"},
    {"lab", ripstop_cmd_lab, "write a page in which packets move and links break by clicking"},
    {"methods", ripstop_cmd_methods, "list the routing methods, or explain one"},
    {"patterns", ripstop_cmd_patterns, "list the patterns of traffic, or explain one"},
    {"programs", ripstop_cmd_programs, "list the programs that end nodes can run, or explain one"},
    {"protocol", ripstop_cmd_protocol, "run a method's protocol alone, and show its messages"},
    {"prove", ripstop_cmd_prove, "decide delivery, livelock and deadlock, for fault sets"},
    {"report", ripstop_cmd_report, "write an experiment's figures and claims as a page"},
    {"route", ripstop_cmd_route, "print the tables by which the switches route"},
    {"run", ripstop_cmd_run, "do the runs of an experiment"},
    {"simulate", ripstop_cmd_simulate, "do one run, and print all of its numbers"},
    {"store", ripstop_cmd_store, "check, merge or export stores of runs"},
    {"what-if", ripstop_cmd_what_if, "report what the next failed cable, switch or pair of cables does"},
    {"workloads", ripstop_cmd_workloads, "list what the ranks of a job can do, or explain one kind"},
    {"help", help, "list the commands, or explain one"},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

/* Sections of an experiment, and keys for --set. */
static const struct section {
  const char *name;
  const ripstop_option *options;
} sections[] = {{"faults", ripstop_faults_options},
                {"flow", ripstop_fluid_options},
                {"link", ripstop_link_options},
                {"measure", ripstop_measure_options},
                {"measure.precision", ripstop_precision_options},
                {"program", ripstop_program_options},
                {"prove", ripstop_prove_options},
                {"reaction", ripstop_reconfiguration_options},
                {"switch", ripstop_switch_options},
                {"traffic", ripstop_traffic_options},
                {"workload", ripstop_workload_options}};
enum { SECTIONS = sizeof sections / sizeof *sections };

static const struct section *find_section(const char *name) {
  for (size_t i = 0; i < SECTIONS; i++)
    if (strcmp(sections[i].name, name) == 0) return &sections[i];
  return NULL;
}

static const command *find_command(const char *name) {
  for (size_t i = 0; i < COMMANDS; i++)
    if (strcmp(commands[i].name, name) == 0) return &commands[i];
  return NULL;
}

/* ------------------------------------------------------------------ flags of all commands */

static void each_usage(ripstop_usage_visit *visit, void *context) {
  ripstop_cli_ask_usages(visit, context);
  for (size_t i = 0; i < COMMANDS; i++) {
    char name[] = "ripstop", *arguments[] = {name, NULL};
    if (commands[i].run != help) commands[i].run(1, arguments);
  }
  ripstop_cli_ask_usages(NULL, NULL);
}

typedef struct flag_word {
  const char *word;
  bool found;
} flag_word;

static void report_flag(void *context, const ripstop_usage *usage) {
  flag_word *asked = context;
  for (const ripstop_flag *flag = usage->flags; flag->name; flag++) {
    if (strcmp(flag->name, asked->word) != 0) continue;
    printf("flag of 'ripstop %s':\n  --%s%s%s\n      %s\n", usage->command, flag->name, flag->value ? " " : "",
           flag->value ? flag->value : "", flag->help);
    asked->found = true;
  }
}

/* Whatever the word is: a flag of commands, or one that cli_report_word knows. */
static bool report_word(const char *word) {
  flag_word asked = {.word = word};
  each_usage(report_flag, &asked);
  return cli_report_word(word) || asked.found;
}

typedef struct near_flag {
  const char *word;
  char nearest[64]; /* "": none is near enough */
} near_flag;

static void find_near_flag(void *context, const ripstop_usage *usage) {
  near_flag *near = context;
  for (const ripstop_flag *flag = usage->flags; flag->name; flag++) {
    const char *const words[] = {*near->nearest ? near->nearest : flag->name, flag->name, NULL};
    const char *nearest = ripstop_nearest_word(near->word, words);
    if (nearest && nearest != near->nearest) snprintf(near->nearest, sizeof near->nearest, "%s", nearest);
  }
}

/* ------------------------------------------------------------------ unknown words */

/* Picks one of two words or NULL; the first if both are as near. */
static const char *nearer_word(const char *name, const char *first, const char *second) {
  const char *const words[] = {first ? first : second, second, NULL};
  return ripstop_nearest_word(name, words);
}

/* The section within another that is called without it, 'precision' for measure.precision; NULL: there is none. */
static const char *whole_section(const char *name) {
  for (size_t i = 0; i < SECTIONS; i++) {
    const char *inner = strchr(sections[i].name, '.');
    if (inner && !strcmp(inner + 1, name)) return sections[i].name;
  }
  return NULL;
}

/* A word of the version before, of whatever kind. */
static bool was_renamed(const char *word, ripstop_error *err) {
  for (const ripstop_renamed *n = ripstop_renamed_names; n->kind; n++)
    if (!strcmp(n->old, word)) return ripstop_renamed_fails(n->kind, word, strlen(word), err);
  return false;
}

/* The nearest of the commands, and for help of all words. */
static int unknown_word(const char *name, bool any) {
  static const char *const flags[] = {"--help", "--version", NULL};
  const char *words[COMMANDS + SECTIONS + 1] = {NULL}, **all = any ? cli_words() : NULL;
  near_flag of_flags = {.word = name};
  for (size_t i = 0; i < COMMANDS; i++) words[i] = commands[i].name;
  for (size_t i = 0; i < SECTIONS && any; i++) words[COMMANDS + i] = sections[i].name;
  const char *nearest = ripstop_nearest_word(name, *name == '-' ? flags : words);
  if (any) {
    each_usage(find_near_flag, &of_flags);
    nearest = nearer_word(name, nearest, ripstop_nearest_word(name, all));
    nearest = nearer_word(name, nearest, *of_flags.nearest ? of_flags.nearest : NULL);
    if (whole_section(name)) nearest = whole_section(name);
  }
  ripstop_error err = {0};
  const char *what = any ? "word" : "command";
  if (any && was_renamed(name, &err)) return ripstop_free(all), ripstop_cli_fail(&err);
  if (!*name)
    ripstop_fail(&err, "the name of the %s is empty; 'ripstop help' lists the commands", what);
  else if (nearest)
    ripstop_fail(&err, "unknown %s '%.100s'; did you mean '%s'?", what, name, nearest);
  else
    ripstop_fail(&err, "unknown %s '%.100s'; 'ripstop help' lists %s", what, name,
                 any ? "commands and sections" : "them");
  ripstop_free(all);
  return ripstop_cli_fail(&err);
}

static void print_commands(FILE *file) {
  fprintf(file,
          "ripstop %s: interconnect fabrics with broken parts\n\n"
          "usage: ripstop COMMAND [flags] [arguments]\n\n",
          RIPSTOP_VERSION);
  for (size_t i = 0; i < COMMANDS; i++) fprintf(file, "  %-15s%s\n", commands[i].name, commands[i].summary);
  fprintf(file, "\n'ripstop COMMAND --help' explains a command, 'ripstop --version' prints the version,\n"
                "'ripstop help WORD' what any word means: a flag, an option, a method, a fabric, a verdict, a value,\n"
                "'ripstop help SECTION' the keys of an experiment's section:");
  for (size_t i = 0; i < SECTIONS; i++) fprintf(file, "%s %s", i ? "," : "", sections[i].name);
  fprintf(file, ".\n");
}

/* Every key with its type, its range, its default and what it is. A command of the same name is mentioned. */
static void print_section(const struct section *s, const command *same) {
  printf("Keys of '%s:' in an experiment, '%s.KEY' for --set:\n", s->name, s->name);
  ripstop_options_help(stdout, s->options);
  if (same) printf("\n'ripstop %s --help' explains the command of that name.\n", same->name);
}

static int list_json(void) {
  json_t *list = json_array();
  for (size_t i = 0; i < COMMANDS; i++)
    json_array_append_new(list, json_pack("{s:s, s:s}", "name", commands[i].name, "summary", commands[i].summary));
  ripstop_cli_json_print(list);
  return RIPSTOP_EXIT_OK;
}

/* Refuses an argument behind the last one that has a meaning. */
static int one_too_many(const char *of, const char *argument) {
  ripstop_error err = {0};
  ripstop_fail(&err, "%s: one argument too many, '%.100s'", of, argument);
  return ripstop_cli_fail(&err);
}

static int help(int argc, char **argv) {
  if (argc > 2) return one_too_many("help", argv[2]);
  if (argc == 2 && !strcmp(argv[1], "--json")) return list_json();
  if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
    print_commands(stdout);
    return RIPSTOP_EXIT_OK;
  }
  const char *word = argv[1] + (argv[1][1] ? strspn(argv[1], "-") : 0); /* a flag without its dashes */
  const bool old_flag = word != argv[1] && ripstop_renamed_find("flag", word, strlen(word));
  if (word != argv[1]) return !old_flag && report_word(word) ? RIPSTOP_EXIT_OK : unknown_word(word, true);
  const command *about = find_command(argv[1]);
  const struct section *section = find_section(argv[1]);
  if (section != NULL) {
    print_section(section, about);
    return RIPSTOP_EXIT_OK;
  }
  if (about == NULL) return report_word(argv[1]) ? RIPSTOP_EXIT_OK : unknown_word(argv[1], true);
  char flag[] = "--help";
  char *arguments[] = {argv[1], flag, NULL};
  if (about->run == help) return help(1, argv);
  return about->run(2, arguments);
}

static int run(int argc, char **argv) {
  if (argc < 2) {
    print_commands(stderr);
    return RIPSTOP_EXIT_INPUT;
  }
  if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
    if (argc > 2) return one_too_many(argv[1], argv[2]);
    printf("ripstop %s\n", RIPSTOP_VERSION);
    return RIPSTOP_EXIT_OK;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) return help(1, argv);
  const command *wanted = find_command(argv[1]);
  return wanted != NULL ? wanted->run(argc - 1, argv + 1) : unknown_word(argv[1], false);
}

/* A step that takes long (ripstop_task_progress). */
typedef struct long_step {
  const char *what;
  uint64_t done;
  cli_meter meter;
} long_step;

static void print_step(void *context, const char *what, uint64_t done, uint64_t of) {
  long_step *l = context;
  if (l->what != what || done < l->done) *l = (long_step){what, done, cli_meter_begin(STEP_SECONDS, INFINITY)};
  l->done = done;
  if (cli_meter_is_due(&l->meter, false))
    fprintf(stderr, "ripstop: %s: %.0f %%\n", what, 100.0 * (double)done / (double)of);
}

typedef struct call {
  int argc;
  char **argv;
  long_step step;
  ripstop_noted noted;
  int status;
} call;

static void run_it(void *argument) {
  call *c = argument;
  const bool watched = isatty(STDERR_FILENO);
  ripstop_guard_course(&(ripstop_course){.tell = watched ? print_step : NULL, .context = &c->step, .noted = &c->noted});
  c->status = run(c->argc, c->argv);
}

/* So that JSON runs out of memory as everything else does. */
static void *json_memory(size_t bytes) { return ripstop_realloc(NULL, bytes, 1); }

/* The reason of a write that failed long ago is lost. */
static int close_output(int status) {
  ripstop_error err;
  int failed = ripstop_cli_flush();
  if (!failed && !ferror(stdout)) return status;
  ripstop_fail_system(&err, failed, "the output could not be written");
  err.machine = true; /* whatever the reason, nothing that was given is wrong */
  ripstop_cli_fail(&err);
  return status != RIPSTOP_EXIT_OK ? status : RIPSTOP_EXIT_MACHINE;
}

int main(int argc, char **argv) {
  call c = {.argc = argc, .argv = argv};
  ripstop_error err;
  json_set_alloc_funcs(json_memory, ripstop_free);
  const int failed = ripstop_try(run_it, &c, &err);
  ripstop_noted_free(&c.noted);
  return failed ? ripstop_cli_fail(&err) : close_output(c.status);
}

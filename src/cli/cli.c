/* cli.c - reads the command line of any command from its ripstop_usage. */
#include "cli/cli.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"
#include "base/output.h"
#include "base/renamed.h"
#include "cli/flags.h"
#include "fabric/ib.h"

static const ripstop_flag help_flag = {.name = "help", .letter = 'h', .help = "Show this text."};

int ripstop_cli_fail(const ripstop_error *err) {
  fprintf(stderr, "ripstop: %s\n", err->text);
  return err->machine ? RIPSTOP_EXIT_MACHINE : RIPSTOP_EXIT_INPUT;
}

int ripstop_cli_fail_work(const ripstop_error *err) {
  int code = ripstop_cli_fail(err);
  return code == RIPSTOP_EXIT_MACHINE ? code : RIPSTOP_EXIT_FAILED;
}

void ripstop_cli_say(FILE *file, const char *fmt, ...) {
  char text[2048];
  va_list args;
  va_start(args, fmt);
  ripstop_format_list(text, sizeof text, fmt, args);
  va_end(args);
  const size_t length = strlen(text), end = length && text[length - 1] == '\n' ? length - 1 : length;
  text[end] = 0;
  ripstop_clean(text);
  fprintf(file, end < length ? "%s\n" : "%s", text);
}

int ripstop_cli_flush(void) {
  static int failed;
  if (fflush(stdout) && !failed) failed = errno;
  return failed;
}

static void report_dump(const ripstop_ib_dump *d) {
  uint32_t damaged = 0, first = 0;
  for (uint32_t i = 0; i < d->odd.count; i++) {
    const ripstop_odd *odd = &d->odd.list[i];
    const bool broken = strcmp(odd->what, "broken line") == 0 || strcmp(odd->what, "stray line") == 0;
    if (broken && damaged++ == 0) first = odd->line;
    if (strcmp(odd->what, "truncated") == 0) fprintf(stderr, "ripstop: %s:%u: %s\n", d->file, odd->line, odd->text);
  }
  if (damaged)
    fprintf(stderr, "ripstop: %s:%u: damaged, %u such %s; 'ripstop fabric' lists them\n", d->file, first, damaged,
            damaged == 1 ? "line" : "lines");
  if (d->half_links + d->conflicts > 0)
    fprintf(stderr, "ripstop: %s: %u half links and %u conflicting ends are no cables; 'ripstop fabric' lists them\n",
            d->file, d->half_links, d->conflicts);
  if (d->timeouts > 0)
    fprintf(stderr, "ripstop: %s: incomplete: ibnetdiscover got no answer %u %s (Connection timed out)\n", d->file,
            d->timeouts, d->timeouts == 1 ? "time" : "times");
}

ripstop_fabric *ripstop_cli_open_fabric(const char *spec, ripstop_error *err) {
  ripstop_fabric *fabric = ripstop_fabric_open(spec, err);
  if (fabric && ripstop_ib_of(fabric)) report_dump(ripstop_ib_of(fabric)->dump);
  return fabric;
}

atomic_int ripstop_cli_stop;

static void on_signal(int number) {
  (void)number;
  atomic_store_explicit(&ripstop_cli_stop, 1, memory_order_relaxed);
}

static void catch_signal(int number) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESETHAND}, before;
  sigemptyset(&action.sa_mask);
  if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(number, &action, NULL);
}

void ripstop_cli_catch_signals(void) {
  catch_signal(SIGINT);
  catch_signal(SIGTERM);
}

static void print_flag(const ripstop_flag *flag) {
  char left[64];
  int length = snprintf(left, sizeof left, "%s--%s%s%s", flag->letter != 0 ? "-?, " : "    ", flag->name,
                        flag->value != NULL ? " " : "", flag->value != NULL ? flag->value : "");
  if (flag->letter != 0) left[1] = flag->letter;
  enum { COLUMN = 22 }; /* the sentences start here */
  printf("  %s%*s%s\n", left, length < COLUMN - 1 ? COLUMN - length : 2, "", flag->help);
}

static void print_help(const ripstop_usage *usage) {
  printf("usage: ripstop %s [flags] %s\n\n%s\n\n", usage->command, usage->arguments, usage->summary);
  for (const ripstop_flag *flag = usage->flags; flag->name != NULL; flag++) print_flag(flag);
  print_flag(&help_flag);
  if (usage->more != NULL) usage->more(stdout);
}

static const ripstop_flag *find_name(const ripstop_usage *usage, const char *name, size_t length) {
  for (const ripstop_flag *flag = usage->flags; flag->name != NULL; flag++)
    if (strlen(flag->name) == length && memcmp(flag->name, name, length) == 0) return flag;
  return strlen(help_flag.name) == length && memcmp(help_flag.name, name, length) == 0 ? &help_flag : NULL;
}

static const ripstop_flag *find_letter(const ripstop_usage *usage, char letter) {
  for (const ripstop_flag *flag = usage->flags; flag->name != NULL; flag++)
    if (flag->letter == letter) return flag;
  return letter == help_flag.letter ? &help_flag : NULL;
}

/* NULL: no earlier version had the flag. */
static const ripstop_old_flag *find_old(const ripstop_usage *usage, const char *argument, size_t length) {
  for (const ripstop_old_flag *old = usage->old; old && old->name; old++)
    if (strlen(old->name) + 2 == length && !strncmp(argument, "--", 2) && !memcmp(old->name, argument + 2, length - 2))
      return old;
  return NULL;
}

static int unknown_flag(const ripstop_usage *usage, const char *argument, size_t length, ripstop_error *err) {
  const ripstop_old_flag *old = find_old(usage, argument, length);
  if (old) return ripstop_fail(err, "%s: there is no --%s any more: %s", usage->command, old->name, old->instead);
  if (length > 2 && ripstop_renamed_fails("flag", argument + 2, length - 2, err))
    return ripstop_fail_at(err, "%s", usage->command);
  size_t count = 0;
  while (usage->flags[count].name != NULL) count++;
  const char **words = ripstop_realloc(NULL, count + 2, sizeof *words);
  for (size_t i = 0; i < count; i++) words[i] = usage->flags[i].name;
  words[count] = help_flag.name;
  words[count + 1] = NULL;
  char name[100]; /* a message shows no more of it */
  snprintf(name, sizeof name, "%.*s", length > sizeof name ? (int)sizeof name : (int)length, argument);
  const char *nearest = ripstop_nearest_word(name + strspn(name, "-"), words);
  if (!strcmp(name, "--seed") && nearest && !strcmp(nearest, "set")) /* a key, which others take for a flag */
    ripstop_fail(err, "%s: unknown flag '%s'; did you mean '--set seed=N'?", usage->command, name);
  else if (nearest != NULL)
    ripstop_fail(err, "%s: unknown flag '%s'; did you mean '--%s'?", usage->command, name, nearest);
  else
    ripstop_fail(err, "%s: unknown flag '%s'; 'ripstop %s --help' lists them", usage->command, name, usage->command);
  ripstop_free(words);
  return -1;
}

static int add_value(const ripstop_usage *usage, const ripstop_flag *flag, const char *value, ripstop_error *err) {
  if (flag->values->count == RIPSTOP_CLI_VALUES)
    return ripstop_fail(err, "%s: --%s more than %d times", usage->command, flag->name, RIPSTOP_CLI_VALUES);
  flag->values->value[flag->values->count++] = value;
  return 0;
}

/* "-h", "--json", but no "-", which is standard input, and no number. */
static bool looks_like_flag(const char *argument) {
  return argument[0] == '-' && argument[1] != '\0' && !strchr("0123456789.", argument[1]);
}

static bool is_known(const ripstop_usage *usage, const char *flag) {
  return flag[1] == '-' ? find_name(usage, flag + 2, strcspn(flag + 2, "=")) : find_letter(usage, flag[1]);
}

/* The argument behind a flag that needs one; what looks like a flag is none. */
static int next_value(const ripstop_usage *usage, const ripstop_flag *flag, const char *next, const char **value,
                      ripstop_error *err) {
  const bool is_flag = next && looks_like_flag(next);
  *value = is_flag ? NULL : next;
  if (*value) return 0;
  ripstop_fail(err, "%s: --%s needs a value, %s%s%.100s%s", usage->command, flag->name, flag->value,
               is_flag ? ", before '" : "", is_flag ? next : "", is_flag ? "'" : "");
  return is_flag && !is_known(usage, next)
             ? ripstop_fail(err, "%s; if it is the value, --%s=%.100s", err->text, flag->name, next)
             : -1;
}

/* A flag that has one value is given once: a user who gives several values means all of them. */
static int set_value(const ripstop_usage *usage, const ripstop_flag *flag, const char *value, cli_given *given,
                     ripstop_error *err) {
  if (flag == &help_flag) return 0;
  const ptrdiff_t number = flag - usage->flags;
  assert(number < CLI_FLAGS_MOST);
  if (given->is[number] && flag->value && !flag->values)
    return ripstop_fail(err, "%s: --%s is given twice", usage->command, flag->name);
  given->is[number] = true;
  given->value[number] = value;
  if (flag->given) *flag->given = true;
  if (flag->text) *flag->text = value;
  if (flag->values) return add_value(usage, flag, value, err);
  return flag->value && cli_read_flag(flag, value, err) ? ripstop_fail_at(err, "%s", usage->command) : 0;
}

/* One flag at argv[*at], which moves on when the value is the next argument. */
static int parse_flag(const ripstop_usage *usage, int argc, char **argv, int *at, cli_given *given,
                      const ripstop_flag **found, ripstop_error *err) {
  const char *argument = argv[*at], *value = NULL;
  size_t length = strlen(argument);
  const ripstop_flag *flag;
  if (argument[1] == '-') {
    length = strcspn(argument, "=");
    value = argument[length] == '=' ? argument + length + 1 : NULL;
    flag = find_name(usage, argument + 2, length - 2);
  } else {
    flag = length == 2 ? find_letter(usage, argument[1]) : NULL;
  }
  if (flag == NULL) return unknown_flag(usage, argument, length, err);
  if (flag->value == NULL && value != NULL)
    return ripstop_fail(err, "%s: --%s takes no value", usage->command, flag->name);
  if (flag->value != NULL && value == NULL && next_value(usage, flag, *at + 1 < argc ? argv[++*at] : NULL, &value, err))
    return -1;
  if (value != NULL && !*value && !strcmp(flag->name, "output"))
    return ripstop_fail(err, "%s: --output: the name is empty", usage->command);
  *found = flag;
  return set_value(usage, flag, value, given, err);
}

static int check_output(const ripstop_usage *usage, const ripstop_flag *flag, ripstop_error *err) {
  const char *path = flag->output != RIPSTOP_FLAG_NO_OUTPUT ? *flag->text : NULL;
  if (!path || (flag->output == RIPSTOP_FLAG_OUTPUT_OR_DASH && !strcmp(path, "-"))) return 0;
  const ripstop_output_kind kind = flag->output == RIPSTOP_FLAG_UPDATE ? RIPSTOP_OUTPUT_UPDATE : RIPSTOP_OUTPUT_NEW;
  return ripstop_output_check(path, kind, err) ? ripstop_fail_at(err, "%s: --%s", usage->command, flag->name) : 0;
}

/* Before the command works, and before it reads its inputs. */
static int check_flags(const ripstop_usage *usage, const cli_given *given, ripstop_error *err) {
  if (cli_check_flags(usage->flags, given, err)) return ripstop_fail_at(err, "%s", usage->command);
  for (const ripstop_flag *flag = usage->flags; flag->name != NULL; flag++)
    if (check_output(usage, flag, err)) return -1;
  return 0;
}

static ripstop_usage_visit *asking;
static void *asking_context;

void ripstop_cli_ask_usages(ripstop_usage_visit *visit, void *context) { asking = visit, asking_context = context; }

bool ripstop_cli_is_asked(void) { return asking != NULL; }

int ripstop_cli_parse(const ripstop_usage *usage, int argc, char **argv, const char **arguments, unsigned *given) {
  ripstop_error err = {0};
  bool flags = true;
  unsigned count = 0;
  cli_given seen = {0};
  if (asking) {
    asking(asking_context, usage);
    return RIPSTOP_EXIT_OK;
  }
  for (int at = 1; at < argc; at++) {
    const ripstop_flag *flag = NULL;
    if (flags && strcmp(argv[at], "--") == 0) {
      flags = false;
    } else if (flags && argv[at][0] == '-' && argv[at][1] != '\0') {
      if (parse_flag(usage, argc, argv, &at, &seen, &flag, &err) != 0) return ripstop_cli_fail(&err);
      if (flag == &help_flag) {
        print_help(usage);
        return RIPSTOP_EXIT_OK;
      }
    } else if (count == usage->at_most) {
      ripstop_fail(&err, "%s: one argument too many, '%.100s'; usage: ripstop %s [flags] %s", usage->command, argv[at],
                   usage->command, usage->arguments);
      return ripstop_cli_fail(&err);
    } else {
      arguments[count++] = argv[at];
    }
  }
  if (given) *given = count;
  if (count >= usage->at_least) return check_flags(usage, &seen, &err) ? ripstop_cli_fail(&err) : RIPSTOP_CLI_GO_ON;
  ripstop_fail(&err, "%s: an argument is missing; usage: ripstop %s [flags] %s", usage->command, usage->command,
               usage->arguments);
  return ripstop_cli_fail(&err);
}

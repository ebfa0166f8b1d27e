/* lab.c - `ripstop lab`: writes the lab's page, which is installed beside the program, to a file of the user's and
 * opens it on request (docs/lab.md). The page needs no server: it contains the simulator. */
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/local.h"
#include "base/output.h"
#include "cli/cli.h"
#include "cli/experiment.h"
#include "cli/json.h"

extern char **environ;

/* The page's path where a build leaves it or where it is installed, relative to the program's folder, so that both can
 * be moved together. NULL: there is none. */
static char *find_page(ripstop_arena *arena) {
  static const char *const places[] = {"lab/lab.html", "../share/ripstop/lab.html"};
  char program[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length < 0) return NULL;
  program[length] = '\0';
  *strrchr(program, '/') = '\0';
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    char *path = ripstop_arena_printf(arena, "%s/%s", program, places[i]);
    if (!access(path, R_OK)) return path;
  }
  return NULL;
}

static int copy_page(ripstop_arena *arena, const char *path, ripstop_error *err) {
  enum { PAGE_BYTES = 1 << 26 };
  const char *page = find_page(arena);
  ripstop_text text = {0};
  if (!page)
    return ripstop_fail(err, "lab: there is no page beside this program; 'make lab' makes it (docs/lab.md), "
                             "and tools/install-deps.sh --lab installs what that needs");
  if (ripstop_read_file(arena, page, PAGE_BYTES, &text.data, &text.length, err)) return -1;
  return cli_write_file(path, &text, err);
}

/* By the desktop's program for it. Waits for that program, because its exit code says whether there was a browser. */
static int open_page(const char *path, ripstop_error *err) {
  char program[] = "xdg-open", absolute[PATH_MAX], *arguments[] = {program, absolute, NULL};
  pid_t child;
  int status = 0, reason = realpath(path, absolute) ? 0 : errno;
  if (!reason) reason = posix_spawnp(&child, program, NULL, NULL, arguments, environ);
  while (!reason && waitpid(child, &status, 0) < 0) reason = errno == EINTR ? 0 : errno;
  if (reason == ENOENT)
    return ripstop_fail(err, "lab: --open: there is no xdg-open here (Debian: xdg-utils); open %s in a browser", path);
  if (reason) return ripstop_fail_system(err, reason, "lab: --open: xdg-open; open %s in a browser", path);
  return status ? ripstop_fail(err, "lab: --open: xdg-open opened no browser; open %s in one", path) : 0;
}

static void print_path(const char *path, bool json) {
  if (json)
    ripstop_cli_json_print(json_pack("{s:o}", "page", ripstop_json_text(path)));
  else
    ripstop_cli_say(stdout, "%s\n", path);
  fflush(stdout);
}

/* `path` NULL: the usual place. */
static int write_lab(ripstop_arena *arena, const char *path, bool opens, bool json, ripstop_error *err) {
  if (!path) {
    path = "out/lab.html";
    if (ripstop_make_folders(path, err) || ripstop_output_check(path, RIPSTOP_OUTPUT_NEW, err)) return -1;
  }
  if (copy_page(arena, path, err)) return -1;
  print_path(path, json);
  return opens ? open_page(path, err) : 0;
}

int ripstop_cmd_lab(int argc, char **argv) {
  const char *path = NULL;
  bool opens = false, json = false;
  const ripstop_flag flags[] = {
      CLI_TEXT("output", "PAGE", &path, "Write the page here instead of out/lab.html.", .letter = 'o',
               .output = RIPSTOP_FLAG_OUTPUT),
      CLI_SWITCH("open", &opens, "Open the page in the desktop's browser."),
      CLI_SWITCH("json", &json, "Print the page's path as JSON."),
      {0},
  };
  static const ripstop_old_flag old[] = {
      {"port", "the page is a file that needs no server: -o PAGE writes it"},
      {"no-open", "no browser is opened without --open"},
      {0},
  };
  const ripstop_usage usage = {
      .command = "lab",
      .arguments = "",
      .summary = "Writes a page in which packets move and you break links by clicking, and prints its path.",
      .flags = flags,
      .old = old};
  int status = ripstop_cli_parse(&usage, argc, argv, NULL, NULL);
  if (status != RIPSTOP_CLI_GO_ON) return status;
  ripstop_error err = {0};
  RIPSTOP_LOCAL_ARENA(arena);
  status = write_lab(arena, path, opens, json, &err) ? ripstop_cli_fail(&err) : RIPSTOP_EXIT_OK;
  return status;
}

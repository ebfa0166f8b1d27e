/* lab.c - `ripstop lab`: hands the lab's page, which lies beside the program, to the browser on this machine
 * (docs/lab.md). The simulation runs in the page. */
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "web/serve.h"

extern char **environ;

enum { PORT = 8642, PORT_MAX = 65535 };

/* Where there is a desktop, by what it opens addresses with. That it fails is no harm: the address has been told. */
static void open_browser(char *address) {
  char program[] = "xdg-open", *arguments[] = {program, address, NULL};
  pid_t child;
  if (getenv("DISPLAY") || getenv("WAYLAND_DISPLAY")) posix_spawnp(&child, program, NULL, NULL, arguments, environ);
}

/* Where a build leaves the page, and where it is installed; from the program's folder, so that the whole may be moved.
 * NULL: nowhere. */
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

static int read_page(ripstop_arena *arena, ripstop_web_page *page, ripstop_error *err) {
  enum { PAGE_BYTES = 1 << 26 };
  char *path = find_page(arena), *bytes;
  if (!path)
    return ripstop_fail(err, "lab: there is no page beside this program; 'make lab' makes it (docs/lab.md), "
                             "and tools/install-deps.sh --lab installs what that needs");
  if (ripstop_read_file(arena, path, PAGE_BYTES, &bytes, &page->length, err)) return -1;
  page->bytes = bytes;
  return 0;
}

static void tell(const char *address, bool json) {
  if (json)
    ripstop_cli_json_print(json_pack("{s:s}", "address", address));
  else
    printf("The lab: %s (Ctrl-C ends it)\n", address);
  fflush(stdout);
}

static int serve(ripstop_arena *arena, uint64_t wanted, bool opens, bool json, ripstop_error *err) {
  ripstop_web_page page;
  uint16_t port = (uint16_t)wanted;
  if (read_page(arena, &page, err)) return -1;
  int listener = ripstop_web_listen(&port, err);
  if (listener < 0) return -1;
  char *address = ripstop_arena_printf(arena, "http://127.0.0.1:%u/", port);
  ripstop_cli_catch_signals();
  tell(address, json);
  if (opens) open_browser(address);
  return ripstop_web_serve(listener, port, &page, &ripstop_cli_stop, err);
}

int ripstop_cmd_lab(int argc, char **argv) {
  const char *port_text = NULL;
  bool no_open = false, json = false;
  const ripstop_flag flags[] = {
      {.name = "port",
       .value = "N",
       .help = "Port of 127.0.0.1; 0: any that is free. Default: 8642.",
       .text = &port_text},
      {.name = "no-open", .help = "Do not open a browser.", .given = &no_open},
      {.name = "json", .help = "Print the address as JSON.", .given = &json},
      {0},
  };
  const ripstop_usage usage = {
      .command = "lab",
      .arguments = "",
      .summary = "Serves a page, to this machine alone, in which packets move and you break links by clicking.",
      .flags = flags};
  int status = ripstop_cli_parse(&usage, argc, argv, NULL, NULL);
  if (status != RIPSTOP_CLI_GO_ON) return status;
  ripstop_error err = {0};
  uint64_t port = PORT;
  if (port_text && ripstop_parse_u64(port_text, PORT_MAX, &port, &err)) ripstop_fail_at(&err, "lab: --port");
  ripstop_arena *arena = ripstop_arena_new();
  if (!err.text[0]) serve(arena, port, !no_open, json, &err);
  ripstop_arena_free(arena);
  return err.text[0] ? ripstop_cli_fail(&err) : RIPSTOP_EXIT_OK;
}

/* lab.c - `ripstop lab`: hands the lab's page, which the program carries, to the browser on this machine (docs/lab.md).
 * The simulation runs in the page. */
#include <spawn.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "web/page.h"
#include "web/serve.h"

extern char **environ;

enum { PORT = 8642, PORT_MAX = 65535 };

/* Where there is a desktop, by what it opens addresses with. That it fails is no harm: the address has been told. */
static void open_browser(char *address) {
  char program[] = "xdg-open", *arguments[] = {program, address, NULL};
  pid_t child;
  if (getenv("DISPLAY") || getenv("WAYLAND_DISPLAY")) posix_spawnp(&child, program, NULL, NULL, arguments, environ);
}

static int serve(uint64_t wanted, bool opens, ripstop_error *err) {
  ripstop_web_page page = {0};
  uint16_t port = (uint16_t)wanted;
  page.bytes = ripstop_lab_page(&page.length);
  if (!page.bytes)
    return ripstop_fail(err, "lab: this program was built without the page; install emscripten and build again "
                             "(tools/install-deps.sh --lab), or 'make lab'");
  int listener = ripstop_web_listen(&port, err);
  if (listener < 0) return -1;
  ripstop_arena *arena = ripstop_arena_new();
  char *address = ripstop_arena_printf(arena, "http://127.0.0.1:%u/", port);
  ripstop_cli_catch_signals();
  printf("The lab: %s (Ctrl-C ends it)\n", address);
  fflush(stdout);
  if (opens) open_browser(address);
  ripstop_arena_free(arena);
  return ripstop_web_serve(listener, port, &page, &ripstop_cli_stop, err);
}

int ripstop_cmd_lab(int argc, char **argv) {
  const char *port_text = NULL;
  bool no_open = false;
  const ripstop_flag flags[] = {
      {.name = "port",
       .value = "N",
       .help = "Port of 127.0.0.1; 0: any that is free. Default: 8642.",
       .text = &port_text},
      {.name = "no-open", .help = "Do not open a browser.", .given = &no_open},
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
  if (!err.text[0]) serve(port, !no_open, &err);
  return err.text[0] ? ripstop_cli_fail(&err) : RIPSTOP_EXIT_OK;
}

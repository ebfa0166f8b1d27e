/* tool.c - a program is run on a script of our making. Script and answer go through temporary files, so that neither
 * side ever waits for the other. */
#include "draw/tool.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Each step takes memory: 0, or the number of the error. */
static int prepare(posix_spawn_file_actions_t *actions, int in, int out) {
  int code = posix_spawn_file_actions_adddup2(actions, in, STDIN_FILENO);
  if (!code) code = posix_spawn_file_actions_adddup2(actions, out, STDOUT_FILENO);
  if (!code) code = posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", 1, 0); /* O_WRONLY */
  return code;
}

static int spawn(char *const *argument, int in, int out, pid_t *child) {
  posix_spawn_file_actions_t actions;
  int code = posix_spawn_file_actions_init(&actions);
  if (code) return code;
  code = prepare(&actions, in, out);
  if (!code) code = posix_spawnp(child, argument[0], &actions, NULL, argument, environ);
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

static int run(char *const *argument, const char *package, const ripstop_text *script, FILE *in, FILE *out,
               ripstop_error *err) {
  pid_t child;
  int status = 0;
  fwrite(script->data, 1, script->length, in);
  if (fflush(in) || lseek(fileno(in), 0, SEEK_SET)) return ripstop_fail_system(err, errno, "temporary file");
  int code = spawn(argument, fileno(in), fileno(out), &child);
  if (!code)
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (code == ENOENT || (WIFEXITED(status) && WEXITSTATUS(status) == 127))
    return ripstop_fail(err, "the program %s is missing; Debian has it in the package %s", argument[0], package),
           TOOL_MISSING;
  if (code) return ripstop_fail_system(err, code, "%s does not start", argument[0]);
  return status ? ripstop_fail(err, "%s failed", argument[0]) : 0;
}

static void read_all(FILE *file, ripstop_text *out) {
  char bytes[4096];
  rewind(file);
  for (size_t n; (n = fread(bytes, 1, sizeof bytes, file)) > 0;) ripstop_text_add_bytes(out, bytes, n);
}

int tool_run(char *const *argument, const char *package, const ripstop_text *script, ripstop_text *out,
             ripstop_error *err) {
  FILE *in = tmpfile(), *answer = tmpfile();
  int status = -1;
  if (!in || !answer)
    ripstop_fail_system(err, errno, "temporary file");
  else
    status = run(argument, package, script, in, answer, err);
  if (!status) read_all(answer, out);
  if (in) fclose(in);
  if (answer) fclose(answer);
  return status;
}

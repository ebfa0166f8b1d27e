# lib.sh - what every shell test begins with: . "$RIPSTOP_SOURCE/tests/cli/lib.sh"; it ends with `finish`.
#
# A test complains of whatever is wrong and goes on; it fails if it ever complained, or did not come to its end. Nothing
# in it depends on time: it waits until what it started is in some state.
set -u
failed=0
ended=no
trap '[ $ended = yes ] || { echo "the script did not come to its end"; exit 1; }' EXIT

finish() {
  ended=yes
  exit $failed
}

# skip WHY: ctest reports that the test was skipped. With RIPSTOP_NO_SKIP, when all must be checked, it fails instead.
skip() {
  echo "skipped: $*"
  ended=yes
  [ -z "${RIPSTOP_NO_SKIP:-}" ] || exit 1
  exit 77
}

complain() {
  echo "$*"
  failed=1
}

# says CODE TEXT ARGUMENTS...: ripstop prints TEXT and nothing else, with this exit code.
says() {
  local code=$1 want=$2 got is
  shift 2
  got=$("$RIPSTOP" "$@" 2>&1)
  is=$?
  [ "$got" = "$want" ] && [ $is -eq "$code" ] && return
  complain "ripstop $*: exit code $is, not $code"$'\n'"$(diff <(echo "$want") <(echo "$got"))"
}

# prints ARGUMENTS... <<TEXT: the same with exit code 0.
prints() { says 0 "$(cat)" "$@"; }

# refused MESSAGE ARGUMENTS...: exit code 2, nothing on standard output, one line with the message on standard error.
refused() {
  local message=$1 out code
  shift
  out=$("$RIPSTOP" "$@" 2>error)
  code=$?
  [ $code -eq 2 ] && [ -z "$out" ] && [ "$(wc -l <error)" -eq 1 ] && grep -qF -- "$message" error && return
  complain "ripstop $*: exit code $code, not refused with '$message': $(cat error)"
}

# needs PROGRAM: one that tools/install-deps.sh installs; nothing is left unchecked for want of it.
needs() { command -v "$1" >/dev/null || complain "$1 is missing: tools/install-deps.sh"; }

# interrupt PID: as Ctrl-C does, as soon as ripstop runs there and would catch it. What a script starts in the background ignores
# interrupts, and ripstop leaves that so: start it by `env --default-signal=INT`.
interrupt() {
  local caught=0
  until ((16#$caught >> (2 - 1) & 1)); do # SIGINT is 2
    kill -0 "$1" || { complain "process $1 ended before it could be interrupted"; return; }
    [ "/proc/$1/exe" -ef "$RIPSTOP" ] && caught=$(sed -n 's/^SigCgt:[[:space:]]*\([0-9a-f]*\)/0\1/p' "/proc/$1/status")
  done
  kill -INT "$1"
}

# within KILOBYTES COMMAND...: runs the command with this much address space. Sanitizers reserve terabytes: a program
# that does not even print its version with the limit runs without it.
within() (
  if (ulimit -v "$1" && "$RIPSTOP" --version) >/dev/null 2>&1; then ulimit -v "$1"; fi
  shift
  "$@"
)

# libdocs.sh - runs the commands of a page of the manual and compares what the page shows with what they print. For
# inclusion by tests/cli/docs_*.sh.
#
# In a page, fenced blocks mean:
#   ```LANGUAGE NAME.EXT   a file, written under that name before the commands that follow
#   ```sh                  commands, run one block at a time in the same empty folder; lines that start with make, git,
#                          cmake or cd are for people and left out
#   ```text                directly after commands: their standard output. A line "..." stands for any lines
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
PATH="$(dirname "$RIPSTOP"):$PATH"

# matches GOT WANTED: two files.
matches() {
  local pattern
  pattern=$(sed -e 's/^\.\.\.$/\x01/' -e 's/[][*?\\()|+@!]/\\&/g' "$2" | sed -z -e 's/\x01\n/*/g')
  # shellcheck disable=SC2053 # a pattern is meant
  [[ "$(cat "$1")" == ${pattern%$'\n'} ]]
}

# run_page PAGE: PAGE is relative to the source tree. Leaves the number of blocks with commands in $blocks_run.
run_page() {
  local page=$RIPSTOP_SOURCE/$1 header number previous=""
  blocks_run=0
  rm -rf .blocks && mkdir .blocks
  awk '/^```/ { if (open) { open = 0; next } open = 1; n++; h = sprintf(".blocks/%03d.header", n)
                b = sprintf(".blocks/%03d.body", n); print substr($0, 4) > h; printf "" > b; close(h); next }
       open { print > b }' "$page" || complain "$1: cannot be read"
  for header in .blocks/*.header; do
    number=${header%.header}
    case $(cat "$header") in
      sh)
        grep -vE '^(make|git|cmake|cd)( |$)' "$number.body" >"$number.commands"
        if [ -s "$number.commands" ]; then
          bash -eu "$number.commands" >"$number.got" 2>"$number.errors" ||
            complain "$1: these commands fail: $(cat "$number.commands" "$number.errors")"
          blocks_run=$((blocks_run + 1))
        fi
        ;;
      text)
        if [ -s "$previous.got" ]; then
          matches "$previous.got" "$number.body" ||
            complain "$1: other output of $(cat "$previous.commands")"$'\n'"$(diff "$number.body" "$previous.got")"
        fi
        ;;
      *' '*.*)
        mkdir -p "$(dirname "$(cut -d' ' -f2 "$header")")"
        cp "$number.body" "$(cut -d' ' -f2 "$header")"
        ;;
    esac
    previous=$number
  done
}

#!/bin/bash
# Makes the manual pages of all commands, and completion for bash and zsh, from what the program says of itself: every flag is in
# them with its value and sentence, since 'ripstop COMMAND --help' prints the arrays that command lines are read by.
#
# usage: tools/make-manual.sh RIPSTOP FOLDER      writes ripstop.1, ripstop-COMMAND.1, ripstop.bash and _ripstop there
set -eu -o pipefail
export LC_ALL=C.UTF-8
[ $# -eq 2 ] || { sed -n 's/^# usage: //p' "$0"; exit 2; }
ripstop=$1 to=$2 source=$(cd "$(dirname "$0")/.." && pwd)
version=$("$ripstop" --version | cut -d' ' -f2)
# Made apart and then moved, file by file: several installs of one build may run at once.
mkdir -p "$to"
folder=$(mktemp -d "$to.XXXXXX")
trap 'rm -rf "$folder"' EXIT

# commands: NAME, a tab, the summary. verbs: the same of `store`.
commands() { "$ripstop" help | sed -nE 's/^  ([a-z-]+)  +(.*)/\1\t\2/p'; }
verbs() { "$ripstop" store --help | sed -nE 's/^  ([a-z-]+)  +(.*)/\1\t\2/p'; }
names() { cut -f1 | tr '\n' ' ' | sed 's/ $//'; }

# flags COMMAND...: letter or -, name, value or -, sentence; by tabs.
flags() { "$ripstop" "$@" --help | sed -nE 's/^  (    |-(.), )--([a-z-]+)( ([^ ]+))?  +([^ ].*)/\2\t\3\t\5\t\6/p' | sed -E 's/^\t/-\t/; s/\t\t/\t-\t/'; }

# Puts the possible values, or arguments, of a name into REPLY: a list of words, or nothing, which means files.
declare -A words=()
words_of() {
  REPLY=
  case $1 in --method | METHOD | --pattern | PATTERN | KERNEL | PROGRAM | --workload | KIND | FABRIC | SPEC) ;; *) return 0 ;; esac
  [ -n "${words[$1]+known}" ] || words[$1]=$(case $1 in
    --method | METHOD) "$ripstop" methods ;;
    --pattern | PATTERN) "$ripstop" patterns ;;
    KERNEL | PROGRAM) "$ripstop" programs ;;
    --workload | KIND) "$ripstop" workloads ;;
    FABRIC | SPEC) "$ripstop" fabric --help | sed -nE 's/^([a-z+-]+), e\.g\. .*/\1:/p' ;;
  esac | cut -d' ' -f1 | tr '\n' ' ' | sed 's/ $//')
  REPLY=${words[$1]}
}
argument_of() { "$ripstop" "$@" --help | sed -nE '1s/^usage: ripstop [a-z -]+ \[flags\] \[?([A-Z-]+).*/\1/p'; }

# ---------------------------------------------------------------- manual pages

# A page's text: nothing of it is an order to troff.
plain() { sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^\\([.']\\)/\\\\\&\\1/"; }
plain_line() { # the same of one line, into REPLY
  REPLY=${1//\\/\\e}
  REPLY=${REPLY//-/\\-}
  [[ $REPLY != [.\']* ]] || REPLY="\\&$REPLY"
}

page() {
  local name=ripstop-${1// /-}
  # shellcheck disable=SC2086 # a command and its verb
  "$ripstop" $1 --help >"$folder/help"
  {
    printf '.TH %s 1 "" "ripstop %s"\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B ripstop %s\n' "${name^^}" "$version" "${name//-/\\-}" "$(plain <<<"$2")" "$1"
    sed -n "1s/^usage: ripstop $1 //p" "$folder/help" | plain
    printf '.SH DESCRIPTION\n'
    sed -n '3p' "$folder/help" | plain
    printf '.SH OPTIONS\n'
    # shellcheck disable=SC2086
    flags $1 | while IFS=$'\t' read -r letter flag value help; do
      [ "$letter" = - ] && letter="" || letter="\\-$letter, "
      plain_line "$value"
      [ "$value" = - ] && value="" || value=" \\fI$REPLY\\fR"
      plain_line "$help"
      printf '.TP\n\\fB%s\\-\\-%s\\fR%s\n%s\n' "$letter" "${flag//-/\\-}" "$value" "$REPLY"
    done
    sed '1,/^  -h, --help /d; /./,$!d' "$folder/help" >"$folder/more"
    [ ! -s "$folder/more" ] || { printf '.SH MORE\n.nf\n'; plain <"$folder/more"; printf '.fi\n'; }
    printf '.SH SEE ALSO\n.BR ripstop (1)\n'
  } >"$folder/$name.1"
  rm -f "$folder/help" "$folder/more"
}

manual() {
  {
    sed "s/VERSION/$version/; /^\\.SH EXIT STATUS/,\$d" "$source/docs/ripstop.1"
    printf '.SH COMMANDS\n'
    commands | while IFS=$'\t' read -r name summary; do printf '.TP\n.B %s\n%s\n' "${name//-/\\-}" "$(plain <<<"$summary")"; done
    sed -n '/^\.SH EXIT STATUS/,$p' "$source/docs/ripstop.1"
  } >"$folder/ripstop.1"
  commands | while IFS=$'\t' read -r name summary; do
    case $name in
      help) ;;
      store) verbs | while IFS=$'\t' read -r verb what; do page "store $verb" "$what" </dev/null; done ;;
      *) page "$name" "$summary" </dev/null ;;
    esac
  done
}

# ---------------------------------------------------------------- bash

bash_case() {
  local list="" values="" letter flag value help
  while IFS=$'\t' read -r letter flag value help; do
    list+=" --$flag"
    [ "$letter" = - ] || list+=" -$letter"
    [ "$value" != - ] || continue
    words_of "--$flag"
    [ "$letter" = - ] || values+="-$letter|"
    values+="--$flag) words='$REPLY' ;; "
  done < <(flags "$@")
  words_of "$(argument_of "$@")"
  printf '    "%s") flags="%s"; arguments="%s"; case $previous in %s esac ;;\n' "$*" "${list# }" "$REPLY" "$values"
}

bash_completion() {
  cat <<END
# Completion of ripstop $version for bash, made by tools/make-manual.sh.
_ripstop() {
  local word=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} command=\${COMP_WORDS[1]} flags="" arguments="" words=-
  COMPREPLY=()
  if [ "\$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=(\$(compgen -W "$(commands | names) --help --version" -- "\$word"))
    return
  fi
  if [ "\$command" = store ]; then
    [ "\$COMP_CWORD" -gt 2 ] || { COMPREPLY=(\$(compgen -W "$(verbs | names)" -- "\$word")); return; }
    command="store \${COMP_WORDS[2]}"
  fi
  case \$command in
END
  commands | cut -f1 | while read -r name; do
    case $name in
      help) printf '    help) arguments="%s %s" ;;\n' "$(commands | names)" "$("$ripstop" help | sed -nE "s/^'ripstop help SECTION' .*: (.*)\.$/\1/p" | tr -d ',')" ;;
      store) verbs | cut -f1 | while read -r verb; do bash_case store "$verb" </dev/null; done ;;
      *) bash_case "$name" </dev/null ;;
    esac
  done
  cat <<'END'
  esac
  if [ "$words" != - ]; then
    [ -n "$words" ] || compopt -o default 2>/dev/null
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  elif [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$word"))
  else
    compopt -o default 2>/dev/null
    COMPREPLY=($(compgen -W "$arguments" -- "$word"))
  fi
}
complete -F _ripstop ripstop
END
}

# ---------------------------------------------------------------- zsh

quoted() { # a line, into REPLY
  REPLY=${1//\\/\\\\}
  REPLY=${REPLY//:/\\:}
  REPLY=${REPLY//[/\\[}
  REPLY=${REPLY//]/\\]}
  REPLY=${REPLY//\'/\'\\\'\'}
}

zsh_case() {
  local letter flag value help takes first argument
  printf "    '%s')\n      _arguments -s" "$*"
  while IFS=$'\t' read -r letter flag value help; do
    takes=""
    if [ "$value" != - ]; then
      quoted "$value"
      takes=":$REPLY:"
      words_of "--$flag"
      takes+=${REPLY:+($REPLY)}
      [ -n "$REPLY" ] || takes+=_files
    fi
    first="--$flag"
    [ "$letter" = - ] || first="(-$letter --$flag)'{-$letter,--$flag}'"
    quoted "$help"
    printf " \\\\\n        '%s[%s]%s'" "$first" "$REPLY" "$takes"
  done < <(flags "$@")
  argument=$(argument_of "$@")
  words_of "$argument"
  printf " \\\\\n        '*:%s:%s'\n      ;;\n" "${argument,,}" "$([ -n "$REPLY" ] && echo "{ compadd -- $REPLY; _files }" || echo _files)"
}

zsh_list() { while IFS=$'\t' read -r name summary; do quoted "$summary" && printf "'%s:%s' " "$name" "$REPLY"; done; }

zsh_completion() {
  cat <<END
#compdef ripstop
# Completion of ripstop $version for zsh, made by tools/make-manual.sh.
_ripstop() {
  local -a commands=($(commands | zsh_list))
  local -a verbs=($(verbs | zsh_list))
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=\$words[2]
  if [[ \$command == store ]]; then
    if (( CURRENT == 3 )); then
      _describe verb verbs
      return
    fi
    command="store \$words[3]"
    shift words
    (( CURRENT-- ))
  fi
  shift words
  (( CURRENT-- ))
  case \$command in
    help) _describe command commands ;;
END
  commands | cut -f1 | while read -r name; do
    case $name in
      help) ;;
      store) verbs | cut -f1 | while read -r verb; do zsh_case store "$verb" </dev/null; done ;;
      *) zsh_case "$name" </dev/null ;;
    esac
  done
  printf '  esac\n}\n_ripstop "$@"\n'
}

manual
bash_completion >"$folder/ripstop.bash"
zsh_completion >"$folder/_ripstop"
mv -f "$folder"/* "$to"

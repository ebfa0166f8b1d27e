# libelf.sh - what programs and libraries request of the loader, read with readelf; after tests/cli/lib.sh. For inclusion.

# binaries FOLDER: the programs and shared libraries in it.
binaries() {
  find "$1" -name CMakeFiles -prune -o -type f \( -perm -u+x -o -name '*.so*' \) -print | LC_ALL=C sort | while read -r file; do
    [ "$(head -c 4 "$file" | tr -d '\0')" != $'\x7fELF' ] || echo "$file"
  done
}

# search_path FILE: where its libraries are looked for, as it says so.
search_path() { readelf -dW "$1" | sed -nE 's/.*\((RUNPATH|RPATH)\).*\[(.*)\].*/\2/p'; }

# check_search_path FILE: no entry is empty, or depends on the current folder in another way.
check_search_path() {
  local path entries entry
  path=$(search_path "$1")
  [ -n "$path" ] || return 0
  IFS=: read -ra entries <<<"$path:end"
  unset 'entries[-1]'
  for entry in "${entries[@]}"; do
    case $entry in
      /* | '$ORIGIN' | '$ORIGIN/'*) ;;
      *) complain "$1 looks for libraries in the current folder: its search path is [$path]" ;;
    esac
  done
}

# check_hardened FILE: a random address, tables that are read-only before main, no stack that can be executed.
check_hardened() {
  readelf -hldW "$1" >elf
  grep -qE '^ *Type: +DYN' elf || complain "$1 is loaded at a fixed address"
  grep -q GNU_RELRO elf || complain "$1 has no RELRO"
  grep -qE '\(FLAGS\).*BIND_NOW|Flags:.* NOW' elf || complain "$1 has partial RELRO: it is bound lazily"
  grep -qE 'GNU_STACK .* RW +0x' elf || complain "$1 has a stack that can be executed"
}

# check_checked FILE: its stack and buffers are checked (-fstack-protector-strong, _FORTIFY_SOURCE).
check_checked() {
  readelf --dyn-syms -W "$1" >elf
  grep -q __stack_chk_fail elf || complain "$1 has no stack protector"
  grep -qE ' __(v?snprintf|memcpy|strcpy|fprintf|printf|memset|read|fread|realpath)_chk' elf || complain "$1 has no _FORTIFY_SOURCE"
}

# for_use: whether the build is one that people are given, and so hardened (cmake/flags.cmake).
for_use() { [ -z "$RIPSTOP_CFLAGS" ] && ! grep -q '^CMAKE_BUILD_TYPE:[A-Z]*=Debug$' "$RIPSTOP_BUILD/CMakeCache.txt"; }

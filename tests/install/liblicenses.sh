# liblicenses.sh - whether a file has the licenses of ripstop and of all that is compiled in, whole. For inclusion.

# says_licenses FILE WHAT: every line of them, in their order.
says_licenses() {
  local license
  for license in "$RIPSTOP_SOURCE"/LICENSE "$RIPSTOP_SOURCE"/licenses/*.txt; do
    awk 'NR == FNR { want[++n] = $0; next } at < n && $0 == want[at + 1] { at++; next } at < n { at = $0 == want[1] } END { exit at != n }' \
      "$license" "$1" || complain "$2 has not the license $(basename "$license")"
  done
}

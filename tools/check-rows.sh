#!/bin/bash
# Rows of tables that report claims say what the record says.
#
# A row names the claims that it reports in a comment, `<!-- fig-08.throughput-1-percent fig-08.base-latency -->`: the
# experiment's file and the claim's id, in docs/ with the folder before them. Of each the row must have the measured
# number as `mean ± half` or `mean [low, high]`, where it has no interval as `mean`, in as many digits as one likes and
# per cent if one likes, and the word of its finding. Of many claims at once, `table-1.*-one`, it must have how many have
# which finding: `26 reproduced`, `4 differs`. What no claim is about says how else it is known: `<!-- by ripstop
# prove -->`. In the tables of claims (`| claim |`) of experiments every row has one of these. What does not fit is printed as
#
#   FILE:LINE: CLAIM: the record says MEASURED, FINDING; the row: ROW
#
# usage: tools/check-rows.sh [PAGE...]      without PAGE: all pages of experiments/ and docs/
set -eu -o pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- experiments/*/README.md docs/*.md docs/methods/*.md
LC_ALL=C awk '
  # ---------------------------------------------------------------- the record: a line for each key
  FILENAME ~ /claims\.json$/ {
    if (match($0, /^ +"[a-z_]+": /)) {
      key = substr($0, 1, RLENGTH)
      gsub(/[ ":]/, "", key)
      value = substr($0, RLENGTH + 1)
      gsub(/^"|"?,?$/, "", value)
      if (key == "experiment") experiment = value
      if (key == "id") name = experiment "." value
      if (key ~ /^(measured|low|high|finding)$/) record[name, key] = value
      if (key == "finding") known[name] = 1
    }
    next
  }

  # ---------------------------------------------------------------- numbers
  function decimals(text) { return index(text, ".") ? length(text) - index(text, ".") : 0 }

  # Whether a printed number is this one, rounded to its digits; per cent: or a hundred times this one.
  function is(text, number, percent) {
    return text + 0 == sprintf("%.*f", decimals(text), number) + 0 ||
           (percent && text + 0 == sprintf("%.*f", decimals(text), 100 * number) + 0)
  }

  # A number that stands alone must have two digits of its own.
  function is_exactly(text, number, percent,   digits) {
    digits = text
    gsub(/^[-0.]+|\./, "", digits)
    if (!is(text, number, percent)) return 0
    return length(digits) >= 2 || text + 0 == number + 0 || (percent && text / 100 == number + 0)
  }

  # Takes the row apart: number[1..numbers], and what stands before each in gap[].
  function numbers_of(row,   rest) {
    while (match(row, /[0-9],[0-9][0-9][0-9]/)) row = substr(row, 1, RSTART) substr(row, RSTART + 2)
    numbers = 0
    rest = row
    while (match(rest, /-?[0-9]+(\.[0-9]+)?/)) {
      gap[++numbers] = substr(rest, 1, RSTART - 1)
      number[numbers] = substr(rest, RSTART, RLENGTH)
      rest = substr(rest, RSTART + RLENGTH)
    }
    gap[numbers + 1] = rest
  }

  function is_percent(i) { return gap[i + 1] ~ /^ ?%/ }

  function is_even(mean, low, high,   off) {
    off = high - mean - (mean - low)
    return (off < 0 ? -off : off) <= 1e-3 * (high - low)
  }

  function has_number(name,   mean, low, high, half, even, i, percent) {
    mean = record[name, "measured"] + 0
    low = record[name, "low"]
    high = record[name, "high"]
    if (low == "null" || high == "null" || high - low <= 1e-9 * (mean < 0 ? -mean : mean)) {
      for (i = 1; i <= numbers; i++)
        if (is_exactly(number[i], mean, is_percent(i))) return 1
      return 0
    }
    half = (high - low) / 2
    even = is_even(mean, low, high)
    for (i = 1; i < numbers; i++) {
      percent = is_percent(i + 1)
      if (even && gap[i + 1] ~ /^ ± $/ && is(number[i], mean, percent) && is(number[i + 1], half, percent)) return 1
      percent = i + 2 <= numbers && gap[i + 3] ~ /^\] ?%/
      if (gap[i + 1] == " [" && gap[i + 2] == ", " && is(number[i], mean, percent) &&
          is(number[i + 1], low, percent) && is(number[i + 2], high, percent)) return 1
    }
    return 0
  }

  # ---------------------------------------------------------------- rows
  function measured_text(name,   mean, low, high, half, digits) {
    mean = record[name, "measured"]
    low = record[name, "low"]
    high = record[name, "high"]
    if (low == "null" || high == "null" || high - low <= 1e-9 * (mean < 0 ? -mean : mean)) return sprintf("%.5g", mean)
    half = (high - low) / 2
    digits = 1 - int(log(half) / log(10) - (half < 1 ? 1 : 0))
    if (digits < 0) digits = 0
    if (is_even(mean, low, high))
      return sprintf("%.*f ± %.*f", digits, mean, digits, half)
    return sprintf("%.*f [%.*f, %.*f]", digits, mean, digits, low, digits, high)
  }

  function complain(name, what) {
    printf "%s:%d: %s: %s\n", FILENAME, FNR, name, what
    bad = 1
  }

  # `name` has a star: all claims that it stands for.
  function check_many(name, row,   pattern, each, count, finding, all) {
    pattern = name
    gsub(/\./, "[.]", pattern)
    gsub(/\*/, ".*", pattern)
    for (each in known)
      if (each ~ "^" pattern "$") {
        all++
        count[record[each, "finding"]]++
      }
    rows += all
    if (!all) return complain(name, "the record has no such claims")
    waiting += count["no data"]
    for (finding in count)
      if (finding != "no data" && !index(row, count[finding] " " finding))
        complain(name, "the record says " count[finding] " " finding "; the row: " row)
  }

  function check(name, row) {
    if (name ~ /\*/) return check_many(name, row)
    rows++
    if (!known[name]) return complain(name, "the record has no such claim")
    if (record[name, "finding"] == "no data") { waiting++; return }
    said = row
    gsub(/not reproduced/, "", said)
    if (!has_number(name) || !index(said, record[name, "finding"]))
      complain(name, "the record says " measured_text(name) ", " record[name, "finding"] "; the row: " row)
  }

  # Tables of claims, in the pages of experiments: every row says where it comes from.
  !/^\|/ { of_claims = 0 }
  of_claims && !/^\|-/ && !/<!-- / { complain("?", "no claim is named, nor how else it is known; the row: " $0) }
  /^\| claim/ && FILENAME ~ /^experiments\// { of_claims = 1 }

  /^\|.*<!-- / {
    row = $0
    names = row
    sub(/.*<!-- /, "", names)
    sub(/ -->.*/, "", names)
    sub(/<!-- .* -->/, "", row)
    numbers_of(row)
    folder = FILENAME ~ /^experiments\// ? FILENAME : ""
    sub(/^experiments\//, "", folder)
    sub(/[^\/]*$/, "", folder)
    if (names ~ /^by /) next
    count = split(names, list, " ")
    for (n = 1; n <= count; n++) check(folder list[n], row)
  }

  END {
    printf "%d claims in rows, %d of them without data\n", rows, waiting
    exit bad
  }
' experiments/claims.json "$@"

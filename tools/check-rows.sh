#!/bin/bash
# Rows of tables that report claims say what the record says.
#
# A row names the claims that it reports in a comment, `<!-- fig-08.throughput-1-percent fig-08.base-latency -->`: the
# experiment's file and the claim's id, in docs/ with the folder before them. Of each the row must have the measured
# number as `mean ± half` or `mean [low, high]`, where it has no interval as `mean`, in as many digits as one likes and
# per cent if one likes, and the word of its finding. Of many claims at once, `table-1.*-one`, it must have how many have
# which finding: `26 reproduced`, `4 differs`. What no claim is about says how else it is known: `<!-- by ripstop
# prove -->`. In the tables of claims (`| claim |`) of experiments every row has one of these. In README.md the row of a claim that was
# chosen after results were seen also has `*after*`. What does not fit is printed as
#
#   FILE:LINE: CLAIM: the record says MEASURED, FINDING; the row: ROW
#
# Paragraphs: one that names claims, `<!-- claims ordered/kns.gain-0 ordered/kns.gain-65 -->`, must have the number of each, whose
# sign may be in words ("less"). In README.md and the pages of experiments every paragraph with an interval (±) has such a comment.
# Intervals that are of no claim stand in it with their source: `<!-- claims ordered/around.worst-16-1, 2.4 ± 0.2 by
# experiments/ordered/around.yaml -->`. A page all of whose other intervals are of figures says `<!-- intervals by FILE -->`.
#
# Reasons (`why:`) of claims, in the record: "the bound lies inside the interval over N samples" must be so, N being that of the
# experiment; one that begins with "7.9 % is lost" says what was measured; so does a number right before a claim of the same file in
# brackets, as "30 % where all take the lowest (throughput-5-percent-first)"; and "mean place X" is the place that was measured.
#
# usage: tools/check-rows.sh [PAGE...]      without PAGE: README.md, all pages of experiments/ and docs/
set -eu -o pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- README.md experiments/*/README.md docs/*.md docs/methods/*.md
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
      if (key ~ /^(measured|low|high|finding|why|published|chosen)$/) record[name, key] = value
      if (key == "finding") known[name] = 1
    }
    next
  }

  # ---------------------------------------------------------------- numbers
  function decimals(text) { return index(text, ".") ? length(text) - index(text, ".") : 0 }

  # True if the printed number is `number` rounded to the printed digits; percent: 100 times `number`.
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

  # ---------------------------------------------------------------- reasons
  function draws_of(name,   file, line, draws) {
    file = name
    sub(/\.[^.]*$/, "", file)
    file = "experiments/" file ".yaml"
    while ((getline line < file) > 0)
      if (match(line, /samples: [0-9]+/) && !draws) draws = substr(line, RSTART + 9, RLENGTH - 9)
    close(file)
    return draws
  }

  # True if the printed number is the measured one, or 1 minus it, also as a percentage; its sign may be in words.
  function is_of(text, mean) {
    return is(text, mean, 1) || is(text, -mean, 1) || is(text, 1 - mean, 1) || is(text, mean - 1, 1)
  }

  function wrong_why(name, what) { complain(name, "why: " what "; it says: " record[name, "why"]) }

  function check_bound(name, why,   bound, draws) {
    bound = record[name, "published"] + 0
    if (record[name, "low"] + 0 > bound || record[name, "high"] + 0 < bound)
      wrong_why(name, "the bound " bound " is outside of [" record[name, "low"] ", " record[name, "high"] "]")
    draws = why
    sub(/.*the bound lies inside the interval over /, "", draws)
    if (draws + 0 != draws_of(name) + 0) wrong_why(name, "the experiment has " draws_of(name) " samples")
  }

  function check_why(name,   why, rest, other, text) {
    why = record[name, "why"]
    while (match(why, /[0-9],[0-9][0-9][0-9]/)) why = substr(why, 1, RSTART) substr(why, RSTART + 2)
    reasons++
    if (why ~ /the bound lies inside the interval/) check_bound(name, why)
    if (why ~ /^[0-9][0-9.]* % is lost/ && !is_of(substr(why, 1, index(why, " ") - 1), record[name, "measured"]))
      wrong_why(name, "measured is " record[name, "measured"])
    if (match(why, /mean place [0-9.]+[0-9]/) && !is(substr(why, RSTART + 11, RLENGTH - 11), record[name, "measured"], 0))
      wrong_why(name, "the place is " record[name, "measured"])
    rest = why
    while (match(rest, /[0-9][0-9.]* %[^%;:.]*\([a-z0-9-]+\)/)) {
      text = substr(rest, RSTART, RLENGTH)
      rest = substr(rest, RSTART + RLENGTH)
      other = text
      gsub(/.*\(|\)$/, "", other)
      sub(/ .*/, "", text)
      other = substr(name, 1, length(name) - length(id_of(name))) other
      if (known[other] && !is_of(text, record[other, "measured"])) wrong_why(name, other " is " record[other, "measured"])
    }
  }

  function id_of(name) { sub(/.*\./, "", name); return name }

  # ---------------------------------------------------------------- paragraphs
  function is_interval_of(i, name,   mean, half) {
    mean = record[name, "measured"] + 0
    half = (record[name, "high"] - record[name, "low"]) / 2
    if (mean < 0 && number[i] > 0) mean = -mean
    return is(number[i], mean, 1) && is(number[i + 1], half, 1)
  }

  function check_paragraph(line, text,   names, list, count, n, i, found, all) {
    names = ""
    if (match(text, /<!-- claims[ ,][^>]*-->/)) names = substr(text, RSTART + 11, RLENGTH - 15)
    gsub(/<!-- [^>]*-->/, "", text)
    numbers_of(text)
    all = names
    sub(/,.*/, "", names)
    count = split(names, list, " ")
    for (n = 1; n <= count; n++) {
      list[n] = page_folder list[n]
      rows++
      found = 0
      for (i = 1; i < numbers; i++) if (gap[i + 1] ~ /^ ± $/ && is_interval_of(i, list[n])) found = of_claim[i] = 1
      if (!known[list[n]]) complain(list[n], "the record has no such claim", line)
      else if (!found) complain(list[n], "the record says " measured_text(list[n]) "; the paragraph: " text, line)
    }
    for (i = 1; i < numbers; i++) {
      if (gap[i + 1] ~ /^ ± $/ && !of_claim[i] && !by_figures && !index(all, number[i] " ± " number[i + 1]))
        complain("?", "no claim is named that " number[i] " ± " number[i + 1] " is of; the paragraph: " text, line)
      delete of_claim[i]
    }
  }

  function end_paragraph() {
    if (paragraph ~ /±/ || paragraph ~ /<!-- claims[ ,]/) check_paragraph(paragraph_line, paragraph)
    paragraph = ""
  }

  function complain(name, what, line) {
    printf "%s:%d: %s: %s\n", page, line ? line : FNR, name, what
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
    if (page == "README.md" && record[name, "chosen"] == "after" && row !~ /[*]after[*]/)
      complain(name, "it was chosen after results were seen, and the row has no *after*: " row)
    said = row
    gsub(/not reproduced/, "", said)
    if (!has_number(name) || !index(said, record[name, "finding"]))
      complain(name, "the record says " measured_text(name) ", " record[name, "finding"] "; the row: " row)
  }

  FNR == 1 {
    end_paragraph()
    page = FILENAME
    by_figures = 0
    page_folder = FILENAME ~ /^experiments\/.*\// ? FILENAME : ""
    sub(/^experiments\//, "", page_folder)
    sub(/[^\/]*$/, "", page_folder)
  }
  /<!-- intervals by / { by_figures = 1 }
  page !~ /^docs\// && !/^\|/ && !/^ *$/ {
    if (paragraph == "") paragraph_line = FNR
    paragraph = paragraph " " $0
  }
  /^ *$/ || /^\|/ { end_paragraph() }

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
    if (names ~ /^by /) next
    count = split(names, list, " ")
    for (n = 1; n <= count; n++) check(page_folder list[n], row)
  }

  END {
    end_paragraph()
    page = "experiments/claims.json"
    for (name in known) if (record[name, "why"] != "") check_why(name)
    printf "%d claims in rows, %d of them without data\n", rows, waiting
    exit bad
  }
' experiments/claims.json "$@"

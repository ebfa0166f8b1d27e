#!/usr/bin/python3
"""Finds ripstop's private words in comments, messages and documents, and names the term of the field for each.

usage: tools/check-words.py [FILE...]   prints findings and ends with 1 if there are any: of these files, or of the whole tree
       tools/check-words.py --rows      prints the table's rows, name and term with a tab between them, for the test

A finding is `file:line: 'word' -> use 'term'`, or a sentence of a document with more than 30 words. make check and CI demand
that the tree has none.

What is read: comments and string literals with a blank in C, comments in other programs, comments and texts in YAML, and the
prose of Markdown without code. Identifiers, file names, option names and keys are not read.

RULES has a row for each term of docs/glossary.md that replaces an older word: the term, the patterns that find the
word, and its exceptions. An exception is ordinary English: a finding that lies within a match of one is dropped. A word
that is mostly ordinary English (level, held, stop) has patterns for its private uses alone.
"""
import bisect
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LONGEST = 30  # words in a sentence of a document

# Files whose text is written elsewhere (generated), is not ours, or names the old words on purpose.
UNREAD = re.compile(r"docs/(reference|papers|glossary)\.md|docs/ripstop\.1|licenses/.*|tests/(data|fuzz/corpus)/.*|tools/check-words\.py")
DRAWING = r"(?:picture|figure|page|plot|curve|axis|axes|screen|canvas|svg|image|diagram|label|outline|pixel|box|boxes|bar|bars|legend|gnuplot|graphviz)s?"

# One row a term: its name in the table, the term to use, patterns, exceptions. A blank in a pattern stands for any white space.
RULES = [
    ("way", "candidate (one next hop), route or path (a whole one)", [r"ways?"], [
        r"(?:in|of) (?:the|this|that|a|an|any|no|some|every|each|what|which|another|one|its own|their own|other|both|two|several|\w+er|the same|such a|a like|much the same|the usual|the other)(?: \w+)? ways?\b",
        r"in (?:\w+ )?ways", r"(?:either|any|half|part|by|this) way", r"in (?:the|its|their|whose|each other's) way", r"half-?way", r"(?:one|two|four|eight)-way", r"\d+-way", r"the other way(?: round| around)?",
        r"(?:only|one|two|three|a|no|another|best|easiest|shortest|quickest|simplest|second|other) ways? (?:to (?!(?:the|a|an|its|their|each|every|that|this|and|or)\b)|of \w+ing|for a)", r"ways of \w+ing", r"all the way",
        r"(?:gives?|gave|giving|give) way", r"ways? to (?:do|say|write|get|use|make|ask|read|see|find|stop|count|compute|measure|tell|run|think)", r"option 'way'", r"the way (?:it|they|that it) (?:is|are|does|do|was|were)"]),
    ("choice", "selection function", [r"switch\.choice", r"choices? (?:among|between|of|for) (?:the |open |permitted |its |their )*(?:ways?|lanes?|candidates?|outputs?)", r"(?:adaptive|every|any|some|all|under|by) choices?(?= (?:among|of ways|function|asks|may|prefers|takes|delivers|loses))", r"each choice"], [r"by choice"]),
    ("wish", "request", [r"wish(?:es|ed|ing)?"], [r"(?:you|they|we|users?) wish"]),
    ("lane", "output VC (virtual lane, VL, in InfiniBand)", [r"lanes?"], [r"virtual lanes?(?: \(VLs?\))?", r"(?:PCIe|serial|SerDes|physical) lanes?"]),
    ("channel", "virtual channel (VC)", [r"(?:on|with|needs?|has|have|of|by|to) (?:one|1|only one|a single|three|3|four|4|eight|8) channels?"], []),
    ("level", "service level (SL)", [r"levels? of services?", r"levels? files?", r"levels' files?", r"files? of levels", r"a level's lanes?", r"asks? for (?:the|a|another) level", r"(?:table|tables|lanes?|connections?|paths?)(?:,| and| or|') levels(?! of)", r"levels (?:and|or|of) (?:lanes|virtual lanes|paths|connections|pairs)", r"(?:no|whatever the|old|new|its|their) (?:packet's |old |new )?levels? (?:is|are) (?:known|told|used|unknown)"], [r"service levels?(?: (?:of|and|or) \w+)?"]),
    ("side", "crossbar input", [r"crossbar(?:'s)? sides?", r"sides? of (?:the|a|its|each) crossbar", r"(?:input|queue)s?'s? sides?", r"mates?"], []),
    ("drawn", "random, sampled", [r"(?:to be |is |are |was |were |be |been )?drawn (?:by|from|at|anew|afresh|again|in turn|round|within|out of|with)", r"drawn (?:ones?|faults?|fault sets?|sets?|links?|switch(?:es)?|cases?|schedules?|samples?|part|group|node|end|destination|port|number|word|state|value|times?|cycle|header|parts?|names?|at random|uniformly|order|intermediate|histor(?:y|ies)|fabrics?|seeds?|runs?)", r"draws? (?:a|an|the|each|every|one|its|their|no|so many|as many|more|other|another|them|it|from|again|anew|of|sets?|faults?|links?|schedules?|samples?|within|round|numbers?|headers?|histor(?:y|ies)) ?", r"(?:the|a|each|every|one|no|first|next|last|same|more|all|whose|of|its|\d[\d,]*|these|plain|of \d+) draws?", r"draw:", r"--draws?"], [
        r"draws? [^.;]{0,60}\b" + DRAWING + r"\b", r"\b" + DRAWING + r"\b[^.;]{0,60}\bdr(?:aws?|awn)\b[^.;]{0,20}", r"(?:in|on|as) (?:which|it is|they are) drawn", r"draws? (?:it|them|the (?:fabric|links?|cables?|node|nodes|network|switch(?:es)?|packets?|lines?|grid|tree|trees|lab|rooms|key|name|names|ticks|arrow|arrows|scene|map|whole)|a (?:line|fabric|tree|map|node|cable|point|mark)|trees|tori|fabrics|each (?:node|cable|line))\b"]),
    ("told", "report, print, return, notify", [r"told", r"tells?", r"telling"], [r"(?:told|tells?|telling)(?: \w+){0,3} apart", r"told from each other", r"tells? (?:you|us|your|me)", r"(?:to|can|cannot|could) tell (?:\w+ ){1,4}from", r"cannot be told"]),
    ("asks", "request, query, call", [r"asks?", r"asked", r"asking"], [r"(?:asks?|asked|asking) (?:you|us|your|the maintainers?|the vendor|a person|people|for help)", r"(?:you|we|people|readers?|reviewers?|operators?|they) (?:may |can |will |often )?ask(?:ed)?", r"asked about"]),
    ("hears", "receive, be notified, update", [r"hears?", r"heard", r"hearing", r"news", r"learns?", r"learnt", r"learned"], [r"(?:machine|deep|reinforcement) learning", r"(?:you|we|readers?) (?:can |will |may )?(?:learn|hear)", r"learn (?:more|how)", r"lessons? learn(?:t|ed)"]),
    ("anew", "again, recomputed, from scratch", [r"anew"], []),
    ("circle", "cycle", [r"circles?"], [r"(?:filled|open|hollow|coloured|small|big|red|grey|half) circles?", r"<circle", r"circles? (?:and|or) (?:squares?|lines?|boxes|dots?|crosses)"]),
    ("goes round", "detour around, reroute", [r"(?:go|goes|going|gone|went|lead|leads|led|leading|sent|send|sends|sending|way|ways|path|paths|routed|routes?) (?:\w+ )?round"], [r"(?:half|all|other) (?:the )?way round", r"(?:the )?other way round"]),
    ("parted", "disconnected; separate", [r"parted", r"(?:stand|stands|stood|keep|keeps|kept|fall|falls|fell|cut|cuts|counted|written|cabled|asked for|stay|stays|stayed) (?:\w+ )?apart", r"(?:is|are|be|was|were|them) apart"], [r"(?:far|cycles?|hops?|apart from|\d) apart", r"(?:tell|tells|told|telling|know) (?:\w+ ){1,3}apart"]),
    ("disconnected", "lossy (packets lost for want of a route)", [r"verdict:? (?:is |of |\")?disconnected"], []),
    ("mixture", "transient state (old and new tables together)", [r"mixtures?"], [r"prove\.mixtures", r"mixtures(?=:)", r"option 'mixtures'"]),
    ("frame", "channel order (mend), allowed turns (valleys)", [r"frames?"], [r"(?:time|stack|ethernet|jumbo|pause|pfc|animation|video|key|lldp|bpdu|data|ethernet's) frames?", r"frames? (?:per|a|each) second", r"frames? (?:of|round|around) (?:a|the|its|each)? ?(?:box|boxes|plot|picture|page|animation)", r"(?:box's|boxes') frames?", r"frames of the boxes", r"draws? (?:\w+ )?frames?", r"(?:pause|priority flow control) frames?"]),
    ("hard turn", "required dependency", [r"hard (?:turns?|ones)", r"made hard", r"becomes? hard", r"hard in (?:the|its|a|one) "], []),
    ("wave", "update flood", [r"waves?"], [r"wave(?:form|length)s?"]),
    ("agenda", "event queue", [r"agendas?"], []),
    ("sight", "trace event, tracing", [r"(?:the|a|each|every|what|of|no) sights?(?! of)", r"sights"], [r"at first sight", r"in sight of", r"out of sight"]),
    ("books", "packet accounting, conservation", [r"(?:the|its|of|keeps?|kept|in|no|own|their|whose|all|these|both|whole) books", r"books (?:that )?(?:balance|are never|must|agree)", r"no book", r"the book of (?:a|the) (?:fabric|network|run)", r"books? has to be"], [r"(?:their|both|the|these) books (?:by|of Dally)"]),
    ("births", "generation, not yet generated, generated", [r"births?", r"unborn", r"born"], [r"birth-relative"]),
    ("interface", "network interface (NIC)", [r"(?:end )?nodes?'s? interfaces?", r"interfaces? of (?:an|the|each|its|every|all|end|that) (?:end )?nodes?", r"(?:leaves?|left|in|at|into|to|from|of|by|for) (?:its|their|his|an|all|no|another|that|each|every|most|many|some) interfaces?", r"(?:guests|packets|messages|queues|heads) (?:in|of|at|from) (?:the |all |their )?interfaces?", r"(?:that|what|which|where|and|without|because|when) interfaces"], [r"network interfaces?", r"interfaces? of (?:this|the) (?:file|module|library|header|layer|method)", r"made for another interface"]),
    ("pace", "progress", [r"under way", r"(?:the|its|their|of|a|same|own) pace", r"(?:a|its|their|own) course", r"pace\.[ch]"], [r"in (?:its|their) course"]),
    ("ground", "run context", [r"(?:the|a|run's|its|one|own|same|this|no|each) grounds?(?! (?:that|truth|floor|rules?))"], []),
    ("guest", "in-transit packet", [r"guests?"], [r"guest (?:account|wi-?fi|system)s?"]),
    ("stranger", "misdelivered packet", [r"strangers?"], []),
    ("held", "stalled", [r"held (?:packets?|heads?|back|until|there|by (?:its|the|a|their) (?:switch|router|protocol)|while|for)", r"(?:packets?|heads?|guests?|which|that|it|they|them) (?:is|are|was|were|be|been|stays?) held", r"(?:is|are) \*?held\*?(?=[.,;:])"], [r"(?:\w+ ){1,2}held (?:against|to|in memory|by a test)"]),
    ("standing", "deadlocked configuration", [r"standing (?:packets?|deadlocks?)", r"(?:a|the|this|that|each|no) standing(?! (?:on|in|order|still))", r"standing\.[ch]", r"standing\*\* packets"], [r"long standing"]),
    ("reaction", "static reconfiguration", [r"reactions?", r"(?:the|a|each|every|static|one|first|last|next|of) stops?(?= (?:begins?|ends?|costs?|does|that|is|has|takes?|with|without|in which|may|will|lasts?|empties|loses|of the network))", r"stops? (?:the |a )?network", r"a stop", r"static stops?"], [r"reaction(?:\.\w+|(?=:))", r"measure, reaction, seed",r"a stop (?:sign|word|codon|button)"]),
    ("player", "endpoint agent, its context", [r"players?", r"plays? (?:of|all|the|them|it|an?|each|end|no|every|some|one|that|for|its)", r"(?:is|are|be|not|nodes?|nobody|whoever|end nodes) play(?:s|ed)", r"played (?:by|end nodes?|nodes?|in|or)", r"(?:a|the|each|every|one|no) play"], [r"play(?:s|ed|ing)? (?:a|the|its|no|any|an important) (?:part|role)s?", r"play (?:button|pause|key|speed)", r"press(?:es)? play", r"plays? (?:it|the (?:animation|simulation|recording))"]),
    ("letter", "packet, packet record, message, NIC", [r"letters? (?:to|from|of|is|are|has|have|that|which|for|goes|go|waits?|arrives?|may|in|on|by|by number|with|who|at|sends?|sent|as|into)", r"(?:quiet|lost|next|waiting|its|their|own|player's|players'|sent|new|more|such|many|those|acknowledged|no|all|most|last|fewer) letters?", r"(?:a|the|each|one|two) letter(?=[,.;: ]*(?:$|\*/|that|is|which|and so|it|to))", r"letter's", r"parcels?", r"mails?", r"(?:the|a|its|each|at|in|of|one|no|first) gates?"], [r"(?:capital|lower-?case|upper-?case|small|first|last|single|drive|greek|latin|other|these|of|between|two|own) letters?(?: of (?:the|its|a|each) (?:name|word|alphabet|line|family))?", r"letters? (?:of|in|stand) (?:the|a|its|his|each|this|any|all|in) ?(?:name|names|word|alphabet|family|text|titles?|lines?)?(?! (?:rank|node|end|class|player|flow|kind))", r"so many letters(?: at most)?", r"letters are read", r"letters? (?:wide|high|long|beside|stand)", r"letters?(?: and|,| or) (?:digits?|numbers?|dots?|dashes)", r"to the letter", r"(?:e-?mail|mailing)\w*", r"letters? (?:is|are) typed", r"(?:logic|logical|clock) gates?"]),
    ("stage", "job runner, step", [r"(?:the|a|its|this|each|one|of|whole) stage(?: of all jobs|'s| knows| asks| sends| plays)", r"stage\.[ch]", r"(?:each|every|an|the|one|no|first|next|last) acts?(?! (?:as|on|for|like))", r"acts (?:of|that|are)"], []),
    ("outlook", "fabric drawing, what-if page", [r"outlooks?"], []),
    ("keeper", "subnet planner; sweep, replan, publish", [r"keepers?", r"(?:the|a|an|each|every|first|second|last|next|one|two|no|every|both|per|of|between|all|that|this|fifth|\d+|further|later|earlier|many|K) looks?(?!-| (?:at|like|for|up|alike|as|so|into|the same|right|back|ahead))", r"work(?:s|ed|ing)? out(?! of)"], [r"(?:have|has|take|takes|taking|having) a (?:closer |second |first )?look", r"look(?:s|ed|ing)? (?:at|for|like|up|alike|into)", r"(?:that|it|which|this|who|each|what|one) looks (?:at|for|like|up|into|alike|the|right|as|so)"]),
    ("words", "onoff, tokens, fault_syntax, shared_flags", [r"\bwords\.[ch]\b"], []),
    ("ripstop_net", "ib_subnet_..., switch_graph_...", [r"ripstop_net_\w+"], []),
    ("room", "module, layer, interface", [r"(?:a|the|one|own|which|each|other|two|these|lower|whose|beside|methods'|another|into|in|same) rooms?(?! (?:a|the|its|what|other|he|she|they|and links|for|of|to|in|there|behind|again|at|is|left|freed|than|it|that|on|before|enough|within|,|\.))", r"rooms (?:below|above|it|with|in|of src|around)", r"an own room", r"a room of (?:its|their) own", r"houses?", r"doors?"], [r"(?:machine|server|computer) rooms?", r"in-house", r"indoors?", r"(?:no|more|less|the|what|whose|free|leaves?|other|of) room (?:left|for|of)"]),
    ("lives", "incarnations", [r"(?:two|three|many|both|earlier|past|former|of|other|different|several|old|older|link's|links'|its|their) lives", r"lives of (?:a|the|one|its|their|this) (?:link|switch|port|cable|part)s?", r"(?:earlier|former|last|old|next|new|own|this|that|one|another|present|link's) life"], []),
    ("for ever", "forever, permanently, indefinitely", [r"for ever"], []),
    ("dead", "failed or down", [r"dead"], [r"dead[- ]?ends?", r"dead[- ]?(?:code|weight|time|band|reckoning)"]),
    ("nobody", "name the subject (rule 3)", [r"nobody", r"whoever", r"somebody", r"everybody", r"those of which", r"what of it", r"of these then", r"and so on for what"], []),
]

STARTS = re.compile(r"\W*\b(Of|Those|Such|Who|What|Whether|Where|That which|As)\b", re.I)
# How a comment may start all the same: a constant's or a function's own name follows ("of" in a formula), or it is a heading.
STARTS_WELL = re.compile(r"\W*(?:As (?:in|of|with|for|defined|described|stated|required|long|soon)\b|what-if|of_\w|Such(?:\.| as)|Where\.)", re.I)
START_TERM = "a subject (who does what)"


def compiled(patterns):
    return re.compile("|".join(r"(?<![\w-])(?:%s)(?![\w])" % p.replace(" ", r"\s+") if p[0] not in r"\-<" else p.replace(" ", r"\s+")
                               for p in patterns), re.I) if patterns else None


ROWS = [(name, term, compiled(patterns), compiled(exceptions)) for name, term, patterns, exceptions in RULES]

C_TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
HASH_COMMENT = re.compile(r"(?:^|(?<=\s))#(?!\!).*")


def blank(text):
    """The same text with every character but newlines blank: places stay."""
    return re.sub(r"[^\n]", " ", text)


# Code in comments and messages: spans in backticks, options with their `=`, sizes in brackets, identifiers with _, members, and files but those whose names are in the table themselves.
CODE = re.compile(r"`[^`]*`|\b[\w.]+=|\[[\w *+|/.,()-]*\]|\b(?!ripstop_net_)\w+_\w+(?:\.\w+)*|\b\w+->\w+(?:\[\w+\])?|\b(?!(?:words|stage|pace|standing)\.)[\w-]+\.(?:c|h|sh|py|mjs|js|md|sql|yaml)\b")


# Causes of loss are names of values (`lost.no way is left`): keys of stored rows, which scripts use, so they stay as they are.
LOSSES = re.compile(r"the one (?:down )?link is dead|no way is left|no room for guests|no lane for the service level|the entry's port is dead")


def without_code(text):
    for pattern in (CODE, LOSSES):
        text = pattern.sub(lambda m: re.sub(r"[^\n]", "X", m.group(0)), text)
    return text


def comment_text(comment):
    """A comment without its marks, of the same length."""
    text = re.sub(r"\n[ \t]*\*(?!/)", lambda m: "\n" + " " * (len(m.group(0)) - 1), comment)
    return re.sub(r"^(?:/\*+<?|//+)", lambda m: " " * len(m.group(0)), text).replace("*/", "  ")


def is_message(text):
    """True if a literal has words for people: it has a blank, and is no statement of SQL."""
    return " " in text.strip() and not re.match(r"\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|WITH)\s", text)


def c_units(text):
    """(kind, offset, text) of each comment and each message; literals with only white space between them are one."""
    message, start, end = "", 0, 0
    for token in C_TOKEN.finditer(text):
        found = token.group(0)
        if found[0] == '"':
            inner = " " + re.sub(r"\\[nt]", "  ", found[1:-1]) + " "
            between = text[end:token.start()]
            if message and not between.strip():
                message += between + inner
            else:
                if is_message(message):
                    yield "message", start, message
                message, start = inner, token.start()
            end = token.end()
        elif found[0] == "/":
            yield "comment", token.start(), comment_text(found)
    if is_message(message):
        yield "message", start, message


def hash_units(text):
    """Comments that # begins; lines of comment that follow each other are one."""
    unit, start, last = "", 0, -2
    at = 0
    for number, line in enumerate(text.split("\n")):
        found = HASH_COMMENT.search(line)
        whole = found and not line[:found.start()].strip()
        if found:
            piece = re.sub("^#+", lambda m: " " * len(m.group(0)), found.group(0))
            if whole and last == number - 1 and unit:
                unit += "\n" + " " * found.start() + piece
            else:
                if unit:
                    yield "comment", start, unit
                unit, start = piece, at + found.start()
            last = number if whole else -2
        at += len(line) + 1
    if unit:
        yield "comment", start, unit


def yaml_units(text):
    """Comments, texts in quotes, texts of several lines behind `>` or `|`, and plain values of more than three words."""
    yield from hash_units(text)
    rest = HASH_COMMENT.sub(lambda m: blank(m.group(0)), text)
    for found in re.finditer(r'"[^"]*"', rest):
        if " " in found.group(0).strip():
            yield "message", found.start(), found.group(0)
    rest = re.sub(r'"[^"]*"', lambda m: blank(m.group(0)), rest)
    for found in re.finditer(r"^([ \t]*)(?:- )?[\w.]+:[ \t]+[>|][^\n]*\n((?:(?:\1[ \t]+[^\n]*)?\n)*)", rest, re.M):
        yield "message", found.start(2), found.group(2)
    for found in re.finditer(r"[\w.]+:[ \t]+([^#\n\[{}\]&|>,:]+)", rest):
        if len(found.group(1).split()) > 3:
            yield "message", found.start(1), found.group(1)


def prose(text):
    """Markdown without code and addresses, of the same length."""
    text = re.sub(r"^(```|~~~).*?^\1[ \t]*$", lambda m: blank(m.group(0)), text, flags=re.S | re.M)
    text = re.sub(r"\A---\n.*?^---$", lambda m: blank(m.group(0)), text, flags=re.S | re.M)
    text = re.sub(r"<!--.*?-->", lambda m: blank(m.group(0)), text, flags=re.S)
    text = re.sub(r"(?:(?<=\n\n)|^)(?:(?: {4}|\t)[^\n]*\n(?:[ \t]*\n(?=(?: {4}|\t)))?)+", lambda m: blank(m.group(0)), text)
    text = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", lambda m: re.sub(r"[^\n]", "X", m.group(0)), text, flags=re.S)
    text = re.sub(r"(?<=\])\([^()\s]*(?:\([^()]*\)[^()\s]*)?\)", lambda m: " " * len(m.group(0)), text)
    return re.sub(r"<[^<>\n]+>", lambda m: " " * len(m.group(0)), text)


def paragraphs(text):
    """(offset, text) of paragraphs, items of lists, headings and cells of tables."""
    unit, start, at = "", 0, 0
    for line in text.split("\n"):
        table = line.lstrip().startswith("|")
        if table or not line.strip() or re.match(r"\s*(?:[-*+]|\d+[.)])\s|#|>", line):
            if unit.strip():
                yield start, unit
            unit = ""
        if table:
            for cell in re.finditer(r"[^|]+", line):
                if cell.group(0).strip(" -:"):
                    yield at + cell.start(), cell.group(0)
        elif line.strip():
            if not unit:
                start = at
            unit += line + "\n"
            if line.startswith("#"):
                yield start, unit
                unit = ""
        at += len(line) + 1
    if unit.strip():
        yield start, unit


def markdown_units(text):
    for start, unit in paragraphs(prose(text)):
        yield "prose", start, unit


READERS = [
    (".c .h .js .mjs .css .pml", c_units),
    (".md", markdown_units),
    (".yaml .yml", yaml_units),
    (".sh .py .cmake CMakeLists.txt Makefile .ci/run", hash_units),
]


def reader(name):
    """What yields (kind, offset, text) of a file's comments, messages or prose; None: nothing of such a file is read."""
    return next((read_units for ends, read_units in READERS if str(name).endswith(tuple(ends.split()))), None)


class Lines:
    """Line numbers of offsets."""
    def __init__(self, text):
        self.starts = [0] + [m.end() for m in re.finditer("\n", text)]

    def __call__(self, offset):
        return bisect.bisect_right(self.starts, offset)


def said(text):
    return re.sub(r"\s+", " ", text).strip()


def row_findings(text, pattern, exceptions):
    """Matches that lie in no exception."""
    found = list(pattern.finditer(text))
    if not found or not exceptions:
        return found
    spared = [(m.start(), m.end()) for m in exceptions.finditer(text)]
    return [m for m in found if not any(a <= m.start() and m.end() <= b or m.start() <= a and b <= m.end() for a, b in spared)]


def findings(path, text):
    """(line, word, term) of a file, by place."""
    line = Lines(text)
    found = []
    for kind, start, unit in reader(path)(text):
        unit = unit if kind == "prose" else without_code(unit)
        for _, term, pattern, exceptions in ROWS:
            for match in row_findings(unit, pattern, exceptions):
                if kind != "message" or said(match.group(0)):
                    found.append((start + match.start(), said(match.group(0)), term))
        begins = kind == "comment" and STARTS.match(unit)
        if begins and not STARTS_WELL.match(unit):
            found.append((start + begins.start(1), begins.group(1), START_TERM))
    return sorted({(line(offset), word, term) for offset, word, term in found})


ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|al|Fig|fig|No|pp|Sec|sec|Eq)\.$")


def long_sentences(path, text):
    """(line, count of words, beginning) of the sentences of a document that have more than LONGEST words."""
    if not str(path).endswith(".md"):
        return []
    line = Lines(text)
    found = []
    for _, start, unit in markdown_units(text):
        begin = 0
        for stop in list(re.finditer(r"[.!?][)*_\"]*(?=\s|$)", unit)) + [None]:
            if stop and ABBREVIATION.search(unit[:stop.start() + 1]):
                continue
            sentence = unit[begin:stop.end() if stop else len(unit)]
            words = [w for w in sentence.split() if re.search(r"\w", w)]
            if len(words) > LONGEST:
                found.append((line(start + begin + len(sentence) - len(sentence.lstrip())), len(words), " ".join(words[:8])))
            begin = stop.end() if stop else len(unit)
    return found


def tree_files():
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            stdout=subprocess.PIPE, check=True)
    return sorted(name for name in listed.stdout.decode().split("\0") if name and not UNREAD.fullmatch(name) and (ROOT / name).is_file())


def read(path):
    try:
        return Path(path).read_text(encoding="utf-8")
    except (UnicodeDecodeError, OSError) as error:
        sys.exit("%s: cannot be read: %s" % (path, error))


def main(arguments):
    if arguments == ["--rows"]:
        print("\n".join("%s\t%s" % (name, term) for name, term, *_ in RULES))
        return False
    for name in arguments:
        if name.startswith("--"):
            sys.exit("%s: not an option of tools/check-words.py; its one option is --rows" % name)
    any_found = False
    for name in arguments or tree_files():
        if not reader(name) or UNREAD.fullmatch(name):
            continue
        text = read(name if arguments else ROOT / name)
        rows = [(line, "'%s' -> use '%s'" % (word, term)) for line, word, term in findings(name, text)]
        rows += [(line, "a sentence of %d words: %s ..." % (count, begin)) for line, count, begin in long_sentences(name, text)]
        for line, what in sorted(rows):
            any_found = True
            print("%s:%d: %s" % (name, line, what))
    return any_found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

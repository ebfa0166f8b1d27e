# The library keeps no state between calls but what this list allows, with the reason. docs/api.md promises it.
set -eu
library=$(find "$RIPSTOP_BUILD" -name libripstop.a)
[ -s "$library" ] || { echo "libripstop.a is not there"; exit 1; }

# OBJECT SYMBOL: what may change and is not on a stack or in an arena. Thread-local symbols are of a call, or a cache.
cat >allowed <<'END'
beside.c.o serial
memory.c.o present
stats.c.o table
END
# beside.c: numbers names of new files.
# memory.c: the guards of the calls of a thread, which end with them. stats.c: quantiles that were computed before.

# Data that the linker relocates and then protects is no state. Sanitizers and coverage add symbols with two underscores.
objdump -t "$library" | awk '
  /file format/ { sub(/:.*/, ""); object = $0; next }
  {
    section = ""
    for (i = 2; i < NF; i++) if ($i ~ /^(\.data|\.bss|\.tdata|\.tbss)/ || $i == "*COM*") section = $i
    name = $NF
    if (section == "" || section ~ /^\.data\.rel\.(ro|local\.DW)/ || name ~ /^([._]|DW\.ref\.)/) next
    sub(/\.[0-9]+$/, "", name) # gcc: NAME.3 for a variable of a function
    sub(/^.*\./, "", name)     # clang: FUNCTION.NAME
    print object, name
  }' | LC_ALL=C sort -u >found
diff allowed found || { echo "the library has other variables than tests/install/globals.sh allows: move them into a context"; exit 1; }

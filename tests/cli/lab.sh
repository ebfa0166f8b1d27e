# `ripstop lab` writes the page that lies beside the program, prints its path and opens it on request. The page is a
# stand-in here, beside a copy of the program; tests/browser/lab.sh opens the real one.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
mkdir -p here/lab there/bin there/share/ripstop bare desktop
for folder in here there/bin bare; do cp "$RIPSTOP" $folder/ripstop || complain "no copy of the program"; done
echo '<title>built</title>' >here/lab/lab.html
echo '<title>installed</title>' >there/share/ripstop/lab.html

RIPSTOP=there/bin/ripstop
says 0 out/lab.html lab
cmp -s out/lab.html there/share/ripstop/lab.html || complain "the page is another: $(cat out/lab.html)"
RIPSTOP=here/ripstop
says 0 out/lab.html lab # a page that is there is replaced
cmp -s out/lab.html here/lab/lab.html || complain "the page is another: $(cat out/lab.html)"
says 0 my.html lab -o my.html
says 0 '{"page":"my.html"}' lab --json --output=my.html
cmp -s my.html here/lab/lab.html || complain "-o: the page is another: $(cat my.html)"

# The page beside the program is never written, whatever the path to it.
ln -s here/lab/lab.html link.html
refused "lab.html" lab -o here/lab/lab.html
refused "link.html" lab -o link.html
[ "$(cat here/lab/lab.html)" = '<title>built</title>' ] || complain "the page beside the program is another"
refused "lab: --output: nowhere/lab.html: No such file or directory" lab -o nowhere/lab.html
refused "one argument too many, 'torus:4x4'" lab torus:4x4
RIPSTOP=bare/ripstop refused "lab: there is no page beside this program; 'make lab' makes it" lab -o none.html
[ ! -e none.html ] || complain "a file without a page"

# Flags of the server that there was.
refused "lab: there is no --port any more: the page is a file that needs no server: -o PAGE writes it" lab --port 8642
refused "lab: there is no --port any more" lab --port=0
refused "lab: there is no --no-open any more: no browser is opened without --open" lab --no-open
refused "lab: unknown flag '--por'" lab --por 1

# --open: by xdg-open, with a path that is no flag and that another folder leaves as it is.
printf '#!/bin/sh\necho "$#" "$1" >opened\nexit ${DESKTOP_FAILS:-0}\n' >desktop/xdg-open
chmod +x desktop/xdg-open
PATH=$PWD/desktop:$PATH says 0 "-my page.html" lab --open --output="-my page.html"
[ "$(cat opened)" = "1 $PWD/-my page.html" ] || complain "opened: $(cat opened)"
rm opened
says 0 my.html lab -o my.html
[ ! -e opened ] || complain "opened without --open"

# opens_none CODE TEXT: no browser, but the page, its path and why.
opens_none() {
  rm -f my.html
  "$RIPSTOP" lab --open -o my.html >told 2>error
  local is=$?
  [ $is = "$1" ] && [ "$(cat told)" = my.html ] && [ "$(cat error)" = "ripstop: $2" ] && [ -s my.html ] ||
    complain "--open: exit code $is: $(cat told error)"
}
DESKTOP_FAILS=3 PATH=$PWD/desktop:$PATH opens_none 2 "lab: --open: xdg-open opened no browser; open my.html in one"
mkdir empty
ln -s "$(command -v rm)" "$(command -v cat)" empty
PATH=$PWD/empty opens_none 2 "lab: --open: there is no xdg-open here (Debian: xdg-utils); open my.html in a browser"
finish

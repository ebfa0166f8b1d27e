#!/bin/bash
# Debian packages of a build: the program, its libraries, what is needed to build with them, the plug-in for OpenSM, the
# module for mpirun; those that were built. `make package` makes both.
#
# usage: tools/package.sh BUILD_DIR [FOLDER]     FOLDER for the packages: by default the build's. For use the build is to
#   be configured with -DCMAKE_INSTALL_PREFIX=/usr: others have a search path in the plug-in
#   environment: DEBFULLNAME and DEBEMAIL, who makes them; SOURCE_DATE_EPOCH, when: the same again gives the same bytes
#   (the time of the commit; without git, that of CHANGELOG.md)
# Exit code 77: a program is missing (Debian: dpkg-dev).
set -eu -o pipefail
[ $# -ge 1 ] || { sed -n 's/^# usage: //p' "$0"; exit 2; }
for program in dpkg-deb dpkg-shlibdeps; do
  command -v $program >/dev/null || { echo "$program is missing"; exit 77; }
done
source=$(realpath "$(dirname "$0")/..")
build=$(realpath "$1")
folder=$(realpath "${2:-$1}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
version=$(sed -n 's/^#define RIPSTOP_VERSION  *"\(.*\)"/\1/p' "$source/include/ripstop/error.h")
maintainer="${DEBFULLNAME:-The ripstop authors} <${DEBEMAIL:-ripstop@users.noreply.github.com}>"
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$source" log -1 --format=%ct 2>/dev/null || stat -c %Y "$source/CHANGELOG.md")}
soversion=${version%.*}
library=libripstop$soversion
architecture=$(dpkg --print-architecture)
mkdir -p package/debian
printf 'Source: ripstop\n\nPackage: ripstop\nArchitecture: any\n' >package/debian/control # dpkg-shlibdeps wants one

# gzipped FILE < TEXT
gzipped() {
  mkdir -p "$(dirname "$1")"
  gzip -9n >"$1"
}

# The licenses of ripstop and of what is compiled in: headers of two libraries and, in the lab's page, emscripten's runtime.
write_copyright() {
  local file
  cat "$source/LICENSE"
  for file in "$source"/licenses/*.txt; do
    printf '\n----------------------------------------------------------------------\nContains parts of %s:\n\n' "$(basename "$file" .txt)"
    cat "$file"
  done
}

write_documents() {
  local folder=package/$1/usr/share/doc/$1
  mkdir -p "$folder"
  write_copyright >"$folder/copyright"
  gzipped "$folder/changelog.gz" <<TEXT
ripstop ($version) unstable; urgency=medium

  * This version; CHANGELOG.md of the sources tells what is new.

 -- $maintainer  $(LC_ALL=C date -uR -d "@$SOURCE_DATE_EPOCH")
TEXT
}

# depends_of PACKAGE: on the libraries that its binaries need.
depends_of() {
  local files
  mapfile -t files < <(find "package/$1" -type f \( -name '*.so*' -o -path '*/bin/*' \))
  [ ${#files[@]} -gt 0 ] || return 0
  files=("${files[@]/#package\//}")
  (cd package && dpkg-shlibdeps -O "-x$1" "-l$(find $library -name "libripstop.so.*" -printf '%h\n' | head -1)" "${files[@]}") | sed -n 's/^shlibs:Depends=//p'
}

# Notices for programs that are linked with it, and the trigger that updates the linker's list.
write_library_words() {
  local name
  for name in libripstop libripstop-kit; do echo "$name $soversion $library (= $version)"; done >package/$library/DEBIAN/shlibs
  cp package/$library/DEBIAN/shlibs package/debian/shlibs.local
  echo 'activate-noawait ldconfig' >package/$library/DEBIAN/triggers
}

# OpenSM loads the plug-in by its name alone, so it must be in the library path, though no program is linked with it.
write_overrides() {
  local folder=package/$1/usr/share/lintian/overrides
  mkdir -p "$folder"
  echo "$1: sharedobject-in-library-directory-missing-soname [usr/lib/*/libripstop-opensm.so]" >"$folder/$1"
}

# Puts it where Debian requires it.
place_manual() {
  local share=package/$1/usr/share
  [ -d "$share/man" ] || return 0
  find "$share/man" -name '*.1' -exec gzip -9n {} +
  mkdir -p "$share/zsh/vendor-completions"
  mv "$share/zsh/site-functions/_ripstop" "$share/zsh/vendor-completions"
  rmdir "$share/zsh/site-functions"
}

# package NAME COMPONENT SECTION DEPENDS SUMMARY < TEXT
package() {
  local root=package/$1 depends text
  DESTDIR=$PWD/$root cmake --install "$build" --prefix /usr --component "$2" --strip >package/install.log
  [ -d "$root" ] || return 0 # it was not built
  mkdir -p "$root/DEBIAN"
  find "$root" -name '*.a' -exec strip --strip-debug --remove-section=.comment --remove-section=.note {} +
  find "$root" -type f \( -name '*.so*' -o -path '*/bin/*' \) -exec strip --strip-unneeded --remove-section=.comment --remove-section=.note {} +
  find "$root" -type f -name '*.so*' -exec chmod 644 {} +
  write_documents "$1"
  place_manual "$1"
  [ "$1" != "$library" ] || write_library_words
  [ "$1" != ripstop-opensm ] || write_overrides "$1"
  depends=$(depends_of "$1")
  depends=${4}${4:+${depends:+, }}$depends
  text=$(sed 's/^/ /')
  {
    echo "Package: $1"
    [ "$1" = ripstop ] || echo "Source: ripstop"
    echo "Version: $version"
    echo "Section: $3"
    echo "Priority: optional"
    echo "Architecture: $architecture"
    echo "Maintainer: $maintainer"
    echo "Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f1)"
    [ -z "$depends" ] || echo "Depends: $depends"
    [ "$1" != ripstop ] || echo "Recommends: gnuplot-nox" # draws the figures of reports
    echo "Description: $5"
    echo "$text"
  } >"$root/DEBIAN/control"
  (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
  find "$root" -newermt "@$SOURCE_DATE_EPOCH" -print0 | xargs -0 touch --no-dereference --date="@$SOURCE_DATE_EPOCH"
  dpkg-deb --root-owner-group --build "$root" . >package/build.log
}

package "$library" library libs '' 'routing of interconnect fabrics with broken parts - libraries' <<TEXT
ripstop proves, simulates and compiles routing methods for networks of
switches of which links and switches fail. These are its shared libraries.
TEXT
package ripstop program net '' 'prove, simulate and route interconnect fabrics with broken parts' <<TEXT
ripstop proves, simulates and compiles routing methods for networks of
switches of which links and switches fail. This is the program.
TEXT
package libripstop-dev development libdevel "$library (= $version)" 'routing of interconnect fabrics with broken parts - headers' <<TEXT
ripstop proves, simulates and compiles routing methods for networks of
switches of which links and switches fail. Programs that use its libraries
are built with this.
TEXT
package ripstop-opensm opensm net opensm 'routing engine for OpenSM, balanced and free of deadlock' <<TEXT
This plug-in gives OpenSM the engine ripstop: forwarding tables for any
fabric with anything dead, which cannot deadlock, share the links evenly and
change little when something fails.
TEXT
package ripstop-mpi mpi net "ripstop (= $version)" 'experiments of ripstop on many machines' <<TEXT
ripstop proves, simulates and compiles routing methods for networks of
switches of which links and switches fail. This module lets it divide
experiments among the processes of mpirun.
TEXT
for made in *.deb; do
  mv "$made" "$folder"
  echo "$folder/$made"
done

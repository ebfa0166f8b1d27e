# lib.sh - installs the built libraries into ./usr, for the tests of tests/install. For inclusion.
#
# What the build was made with (a sanitizer, say) is in $RIPSTOP_CFLAGS; $strict are the project's own warnings.
strict="-std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wwrite-strings -Werror"

install_here() {
  unset DESTDIR
  cmake --install "$RIPSTOP_BUILD" --prefix "$PWD/usr" >install.log || { cat install.log; exit 1; }
  PKG_CONFIG_PATH=$(dirname "$(find "$PWD/usr" -name ripstop.pc)")
  export PKG_CONFIG_PATH
  libraries=$(dirname "$(find "$PWD/usr" -name libripstop.so)")
  [ -d "$PKG_CONFIG_PATH" ] && [ -d "$libraries" ] || { echo "nothing was installed"; cat install.log; exit 1; }
}

# cxx: the C++ compiler that belongs to the C compiler of the build.
cxx() {
  case $(basename "$RIPSTOP_CC") in
    clang*) command clang++ "$@" ;;
    *) command g++ "$@" ;;
  esac
}

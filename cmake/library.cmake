# A library twice, static and shared, from objects that are compiled once.
#
#   ripstop_library(NAME OUTPUT SOURCES... [USES libraries of ripstop] [NEEDS other libraries])
#
# NAME is the static library, for the programs and tests of this tree; NAME_shared the shared one, for others. Installed
# they are ripstop::EXPORTED (shared) and ripstop::EXPORTED_static, whose other names are made local (localize.cmake).
#
# Names are hidden but for those of the public headers (RIPSTOP_BEGIN in base.h), and calls within a shared library stay
# within it, so its speed is that of the static one. Projects that have this one as a subdirectory use the installed names
# too.
#
# -fexceptions: callbacks must not throw, but if one does, guards are removed while the stack is unwound. It adds unwind tables
# only, no instructions in the engine's loop.

# ripstop_search_path(TARGET [FOLDERS]): where the loader looks for libraries that the target, which is installed, needs: the
# same in the build and installed. What CMake would change while it installs, it builds with a colon at the end, to have room, and
# an empty entry is the current folder, from which whatever lies there would be loaded. Libraries outside of the system's folders
# are found where they were linked. Below /usr none is needed, and packages have none.
function(ripstop_search_path target)
  set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
  if(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "${ARGN}" INSTALL_RPATH_USE_LINK_PATH ON)
  endif()
endfunction()

function(ripstop_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OUTPUT;EXPORTED" "SOURCES;USES;NEEDS")
  set(uses_shared ${arg_USES})
  list(TRANSFORM uses_shared APPEND _shared)

  add_library(${name}_objects OBJECT ${arg_SOURCES})
  set_target_properties(${name}_objects PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
  target_compile_options(
    ${name}_objects PRIVATE "SHELL:-include ${PROJECT_SOURCE_DIR}/src/base/banned.h" -fno-semantic-interposition -fexceptions
                                          ${RIPSTOP_FUZZED})
  target_include_directories(${name}_objects PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src
                                                     ${PROJECT_BINARY_DIR}/generated)
  target_include_directories(${name}_objects SYSTEM PRIVATE ${RANDOM123_INCLUDE} ${XXHASH_INCLUDE} ${JSMN_INCLUDE})
  target_link_libraries(${name}_objects PRIVATE ripstop_flags ${arg_NEEDS})

  add_library(${name} STATIC $<TARGET_OBJECTS:${name}_objects>)
  target_link_libraries(${name} PUBLIC ${arg_USES} PRIVATE ${arg_NEEDS})
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${arg_EXPORTED}_static)

  add_library(${name}_shared SHARED $<TARGET_OBJECTS:${name}_objects>)
  target_link_libraries(${name}_shared PUBLIC ${uses_shared} PRIVATE ${arg_NEEDS} $<BUILD_INTERFACE:ripstop_flags>)
  target_link_options(${name}_shared PRIVATE -Wl,-Bsymbolic-functions)
  if(NOT RIPSTOP_SANITIZE) # whose own names are in the program
    target_link_options(${name}_shared PRIVATE -Wl,--no-undefined)
  endif()
  set_target_properties(
    ${name}_shared PROPERTIES EXPORT_NAME ${arg_EXPORTED} VERSION ${PROJECT_VERSION}
                              SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

  ripstop_search_path(${name}_shared "$ORIGIN") # the library that it needs lies beside it

  foreach(target IN ITEMS ${name} ${name}_shared)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${arg_OUTPUT} LINKER_LANGUAGE C)
    target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  endforeach()
  add_library(ripstop::${arg_EXPORTED} ALIAS ${name}_shared)
  add_library(ripstop::${arg_EXPORTED}_static ALIAS ${name})
  install(TARGETS ${name} EXPORT ripstop ARCHIVE COMPONENT development)
  install(TARGETS ${name}_shared EXPORT ripstop LIBRARY COMPONENT library NAMELINK_COMPONENT development)
  install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\"
    \"-DARCHIVE=\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/lib${arg_OUTPUT}.a\"
    \"-DLD=${CMAKE_LINKER}\" \"-DOBJCOPY=${CMAKE_OBJCOPY}\" \"-DAR=${CMAKE_AR}\"
    -P \"${PROJECT_SOURCE_DIR}/cmake/localize.cmake\" COMMAND_ERROR_IS_FATAL ANY)" COMPONENT development)
endfunction()

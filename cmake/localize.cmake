# cmake -DARCHIVE=lib.a -DLD=ld -DOBJCOPY=objcopy -DAR=ar -P localize.cmake
#
# Makes of a static library one object in which names that are not of the public headers are local. A shared library
# hides them; in a static one they would meet the names of the program that is linked with it (`lose`, `send_packet`).
set(object "${ARCHIVE}.o")
foreach(command IN ITEMS "${LD};-r;-o;${object};--whole-archive;${ARCHIVE}" "${OBJCOPY};--localize-hidden;${object}"
                         "${CMAKE_COMMAND};-E;rm;${ARCHIVE}" "${AR};rcs;${ARCHIVE};${object}"
                         "${CMAKE_COMMAND};-E;rm;${object}")
  execute_process(COMMAND ${command} RESULT_VARIABLE status ERROR_VARIABLE said)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "localize: ${command}: ${said}")
  endif()
endforeach()

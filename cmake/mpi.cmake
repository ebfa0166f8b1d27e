# The module by which the processes of `mpirun ripstop run` talk (src/campaign/mpi/mpi.c): built where MPI is found. Program
# and libraries do not need it and do not know MPI; they look for it beside themselves, and installed in the folder ripstop
# beside the libraries, when they were started as several processes.
option(RIPSTOP_MPI "Build the module for mpirun where MPI is found" ON)
if(RIPSTOP_MPI)
  find_package(MPI COMPONENTS C)
endif()
if(RIPSTOP_MPI AND MPI_C_FOUND)
  add_library(ripstop_mpi MODULE "${PROJECT_SOURCE_DIR}/src/campaign/mpi/mpi.c")
  set_target_properties(ripstop_mpi PROPERTIES PREFIX "" OUTPUT_NAME ripstop-mpi)
  target_compile_options(ripstop_mpi PRIVATE "SHELL:-include ${PROJECT_SOURCE_DIR}/src/base/banned.h")
  target_compile_definitions(ripstop_mpi PRIVATE _GNU_SOURCE)
  target_include_directories(ripstop_mpi PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(ripstop_mpi PRIVATE ripstop_flags MPI::MPI_C)
  ripstop_search_path(ripstop_mpi)
  install(TARGETS ripstop_mpi LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/ripstop" COMPONENT mpi)

  # The program and the shared library of the kit search it in their own folder, and from there in the installed one. No path is
  # absolute, so the installation can be moved. dlopen replaces $ORIGIN by the folder of the program or library.
  file(RELATIVE_PATH from_program "/prefix/${CMAKE_INSTALL_BINDIR}" "/prefix/${CMAKE_INSTALL_LIBDIR}/ripstop")
  set_property(SOURCE "${PROJECT_SOURCE_DIR}/src/campaign/ranks.c" APPEND PROPERTY COMPILE_DEFINITIONS
    "RIPSTOP_NET_FOLDERS=\"$ORIGIN/\",\"$ORIGIN/${from_program}/\",\"$ORIGIN/ripstop/\",")
endif()

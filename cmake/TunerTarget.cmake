if(TARGET fmt_static)
  set(TUNER_FMT fmt_static)
else()
  set(TUNER_FMT fmt::fmt-header-only)
endif()

# tuner_library(NAME SOURCES a.cpp ... APART b.cpp ... LINKS public libs ... PRIVATE private libs ... [HOT|COLD])
# One library a room. Headers are included from the root of the repository ("db/result_store.hpp"); what a room may
# include is what it links.
# The presets compile SOURCES together (unity builds): names in anonymous namespaces differ in a room, or a file is
# compiled APART. HOT is where a sweep spends its own time; nobody waits for what is COLD.
function(tuner_library NAME)
  cmake_parse_arguments(ARG "HOT;COLD" "" "SOURCES;APART;LINKS;PRIVATE" ${ARGN})
  if(NOT ARG_SOURCES)  # a room of interfaces alone
    add_library(${NAME} INTERFACE)
    target_include_directories(${NAME} INTERFACE "${CMAKE_SOURCE_DIR}")
    target_link_libraries(${NAME} INTERFACE ${TUNER_FMT} ${ARG_LINKS})
    set_property(GLOBAL APPEND PROPERTY TUNER_ROOMS ${NAME})
    return()
  endif()
  add_library(${NAME} STATIC ${ARG_SOURCES} ${ARG_APART})
  set_source_files_properties(${ARG_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_include_directories(${NAME} PUBLIC "${CMAKE_SOURCE_DIR}" "${CMAKE_BINARY_DIR}/generated")
  target_link_libraries(${NAME} PUBLIC ${TUNER_FMT} ${ARG_LINKS} PRIVATE ${ARG_PRIVATE})
  if(ARG_HOT)
    tuner_settings(${NAME} hot)
  elseif(ARG_COLD)
    tuner_settings(${NAME} cold)
  else()
    tuner_settings(${NAME})
  endif()
  set_property(GLOBAL APPEND PROPERTY TUNER_ROOMS ${NAME})
endfunction()

# tuner_test(NAME SOURCES ... LINKS ... LABEL unit|e2e|gpu|slurm|browser COST seconds [BY_FILE]): one doctest program a
# room. A gpu test exits 77 where there is no GPU and is reported as skipped; so does one of slurm or browser where there
# is none. COST of those that take longest: ctest begins with them. BY_FILE: x_test.cpp is a test of its own, NAME_x.
# Compiled together, too: a file's own names stand inside its TEST_SUITE.
function(tuner_test NAME)
  cmake_parse_arguments(ARG "BY_FILE" "LABEL;COST" "SOURCES;LINKS" ${ARGN})
  if(NOT ARG_LABEL)
    set(ARG_LABEL unit)
  endif()
  add_executable(${NAME} ${ARG_SOURCES})
  target_link_libraries(${NAME} PRIVATE test_support ${ARG_LINKS})
  target_compile_definitions(${NAME} PRIVATE TUNER_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  tuner_settings(${NAME} test)
  set(tests ${NAME})
  if(ARG_BY_FILE)
    set(tests "")
    foreach(file IN LISTS ARG_SOURCES)
      if(file MATCHES "^([a-z_]+)_test\\.cpp$")
        list(APPEND tests ${NAME}_${CMAKE_MATCH_1})
        add_test(NAME ${NAME}_${CMAKE_MATCH_1} COMMAND ${NAME} "--source-file=*/${file}")
      endif()
    endforeach()
  else()
    add_test(NAME ${NAME} COMMAND ${NAME})
  endif()
  set_tests_properties(${tests} PROPERTIES LABELS ${ARG_LABEL} SKIP_RETURN_CODE 77 TIMEOUT 600)
  tuner_share_binaries(${tests})
  if(ARG_BY_FILE)  # a filter that selects no case is a mistake, and doctest calls it a success
    set_tests_properties(${tests} PROPERTIES FAIL_REGULAR_EXPRESSION "test cases: *0 ")
  endif()
  if(ARG_COST)
    set_tests_properties(${tests} PROPERTIES COST ${ARG_COST})
  endif()
endfunction()

# What one test has compiled, the next finds in a cache, which tests/CMakeLists.txt has emptied when ctest begins.
function(tuner_share_binaries)
  set_tests_properties(${ARGN} PROPERTIES
    ENVIRONMENT "XDG_CACHE_HOME=${CMAKE_BINARY_DIR}/tests/cache" FIXTURES_REQUIRED shared_binaries)
endfunction()

# tuner_settings(NAME [hot|cold|test]): what each of our targets has. Presets that are no release have one level.
set(tuner_level_plain -O1)  # two thirds of the time that -O3 takes to compile
set(tuner_level_hot -O3)
set(tuner_level_cold -Og)  # half of it
set(tuner_level_test -Og)  # quick to compile; an inline function of what is tested may run in this form
function(tuner_settings NAME)
  set(kind plain)
  if(ARGC GREATER 1)
    set(kind ${ARGV1})
  endif()
  tuner_warnings(${NAME})
  tuner_optimised(${NAME} ${kind})
  if(NOT kind STREQUAL "test" AND NOT CMAKE_BUILD_TYPE STREQUAL "Release")
    set(kind plain)
  endif()
  if(TARGET precompiled_${kind})
    target_precompile_headers(${NAME} REUSE_FROM precompiled_${kind})
  endif()
endfunction()

function(tuner_optimised NAME KIND)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${NAME} PRIVATE ${tuner_level_${KIND}})
  endif()
endfunction()

function(tuner_warnings NAME)
  target_compile_options(${NAME} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion
    -Wnon-virtual-dtor -Woverloaded-virtual)
  if(CMAKE_UNITY_BUILD)
    # Files compiled together see each other's names: a local one hides nothing that its file knows, and a type in an
    # anonymous namespace is in no header.
    target_compile_options(${NAME} PRIVATE -Wshadow=local -Wno-subobject-linkage)
  else()
    target_compile_options(${NAME} PRIVATE -Wshadow)
  endif()
  # With all inlined, GCC 12 takes the strings of a temporary for uninitialised when it is destroyed (bug 80635), and
  # "a" + std::string for a copy onto itself (bug 105329). The other presets optimise less and keep both warnings.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${NAME} PRIVATE -Wno-maybe-uninitialized -Wno-restrict)
  endif()
  if(TUNER_WERROR)
    target_compile_options(${NAME} PRIVATE -Werror)
  endif()
endfunction()

# Compiles each header of each room alone, so that including one never depends on what was included before it: not
# together with others (no unity build), but with the standard library and fmt precompiled, which takes half the
# time. That a header includes what it uses of those is seen by tests/headers.
function(tuner_finish_header_check)
  if(NOT TUNER_HEADER_CHECK)
    return()
  endif()
  get_property(rooms GLOBAL PROPERTY TUNER_ROOMS)
  list(REVERSE rooms)  # where two libraries share a folder, the later one links the other
  set(seen "")
  foreach(room IN LISTS rooms)
    get_target_property(dir ${room} SOURCE_DIR)
    if(dir IN_LIST seen)
      continue()
    endif()
    list(APPEND seen "${dir}")
    file(GLOB headers CONFIGURE_DEPENDS "${dir}/*.hpp")
    set(units "")
    foreach(header IN LISTS headers)
      file(RELATIVE_PATH relative "${CMAKE_SOURCE_DIR}" "${header}")
      string(REPLACE "/" "__" unit "${relative}")
      set(unit "${CMAKE_BINARY_DIR}/header_check/${unit}.cpp")
      file(CONFIGURE OUTPUT "${unit}" CONTENT "#include \"${relative}\"\n" @ONLY)
      list(APPEND units "${unit}")
    endforeach()
    if(units)
      add_library(header_check_${room} OBJECT ${units})
      target_link_libraries(header_check_${room} PRIVATE ${room})
      set_target_properties(header_check_${room} PROPERTIES UNITY_BUILD OFF)
      tuner_settings(header_check_${room})
    endif()
  endforeach()
endfunction()

# tuner_precompiled(KIND HEADER links...): a precompiled header for the targets that tuner_settings makes of that kind. GCC
# takes one that was made with another level of optimisation, and crashes. CMAKE_DISABLE_PRECOMPILE_HEADERS does without.
function(tuner_precompiled KIND HEADER)
  if(CMAKE_DISABLE_PRECOMPILE_HEADERS)
    return()
  endif()
  set(name precompiled_${KIND})
  set(source "${CMAKE_BINARY_DIR}/precompiled/${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "// Belongs to a precompiled header.\n" @ONLY)
  add_library(${name} OBJECT "${source}")
  target_link_libraries(${name} PRIVATE ${TUNER_FMT} ${ARGN})
  target_precompile_headers(${name} PRIVATE "${HEADER}")
  tuner_warnings(${name})
  tuner_optimised(${name} ${KIND})
endfunction()

# In the order in which they are needed.
set(kinds plain)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(kinds cold plain hot)
endif()
foreach(kind IN LISTS kinds)
  tuner_precompiled(${kind} "${CMAKE_SOURCE_DIR}/cmake/precompiled.hpp")
endforeach()

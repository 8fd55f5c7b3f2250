# tuner::tuner and tuner::tuner_static, the library for programs; tuner_embed() puts packs into them.
include("${CMAKE_CURRENT_LIST_DIR}/tunerTargets.cmake")

# tuner_embed(TARGET matmul.tuned): the target may include "matmul.tuned.h", which declares
#   const unsigned char matmul_tuned[]; const size_t matmul_tuned_bytes;
# for tuner_pack_view(). A changed pack is built in again.
function(tuner_embed TARGET FILE)
  cmake_path(ABSOLUTE_PATH FILE BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  cmake_path(GET FILE FILENAME file_name)
  string(MAKE_C_IDENTIFIER "${file_name}" name)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/tuner_embed/${TARGET}")
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if("C" IN_LIST languages)
    set(source "${folder}/${name}.c")
  elseif("CXX" IN_LIST languages)
    set(source "${folder}/${name}.cpp")
  else()
    message(FATAL_ERROR "tuner_embed(${TARGET} ${FILE}): enable C or C++ beside CUDA: project(... LANGUAGES CXX CUDA)")
  endif()
  file(CONFIGURE OUTPUT "${folder}/${file_name}.h" @ONLY CONTENT "#pragma once
#include <stddef.h>
#ifdef __cplusplus
extern \"C\" {
#endif
extern const unsigned char @name@[];
extern const size_t @name@_bytes;
#ifdef __cplusplus
}
#endif
")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT "#include \"@file_name@.h\"
__asm__(
    \".pushsection .rodata\\n\"
    \".balign 64\\n\"
    \".globl @name@\\n\"
    \"@name@:\\n\"
    \".incbin \\\"@FILE@\\\"\\n\"
    \"@name@_end:\\n\"
    \".balign 8\\n\"
    \".globl @name@_bytes\\n\"
    \"@name@_bytes: .quad @name@_end - @name@\\n\"
    \".popsection\\n\");
")
  set_source_files_properties("${source}" TARGET_DIRECTORY "${TARGET}" PROPERTIES OBJECT_DEPENDS "${FILE}")
  target_sources("${TARGET}" PRIVATE "${source}")
  target_include_directories("${TARGET}" PRIVATE "${folder}")
endfunction()

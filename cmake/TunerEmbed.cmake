# tuner_embed(TARGET NAMESPACE ns ROOT dir FILES a b ...)
# Puts text files into the binary: generates a source that defines
#   std::span<const tuner::model::EmbeddedFile> NAMESPACE::embedded_files();
# with paths relative to ROOT. Regenerated when a file changes.
function(tuner_embed TARGET)
  cmake_parse_arguments(ARG "" "NAMESPACE;ROOT" "FILES" ${ARGN})
  string(REPLACE "::" "_" stem "${ARG_NAMESPACE}")
  set(output "${CMAKE_BINARY_DIR}/generated/embedded_${stem}.cpp")
  set(inputs "")
  foreach(file IN LISTS ARG_FILES)
    list(APPEND inputs "${ARG_ROOT}/${file}")
  endforeach()
  list(JOIN ARG_FILES "|" joined)
  add_custom_command(OUTPUT "${output}"
    COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${output}" "-DNAMESPACE=${ARG_NAMESPACE}" "-DROOT=${ARG_ROOT}"
            "-DFILES=${joined}" -P "${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake"
    DEPENDS ${inputs} "${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake"
    COMMENT "Embedding ${ARG_NAMESPACE}"
    VERBATIM)
  target_sources(${TARGET} PRIVATE "${output}")
endfunction()

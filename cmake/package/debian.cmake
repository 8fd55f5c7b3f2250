# Run by CPack on what was installed: what Debian wants beside it, and where.
set(root "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr")
set(documents "${root}/share/doc/tuner")
set(folder "${CPACK_TUNER_SOURCE}/cmake/package")

file(MAKE_DIRECTORY "${documents}" "${root}/share/lintian/overrides" "${root}/share/zsh")
file(COPY_FILE "${folder}/copyright" "${documents}/copyright")
file(COPY_FILE "${folder}/lintian-overrides" "${root}/share/lintian/overrides/tuner")
file(RENAME "${root}/share/zsh/site-functions" "${root}/share/zsh/vendor-completions")

execute_process(COMMAND git -C "${CPACK_TUNER_SOURCE}" log -1 "--format=%aD" OUTPUT_VARIABLE date
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT date)
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
endif()
file(WRITE "${documents}/changelog" "tuner (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * CHANGELOG.md of the sources tells what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
execute_process(COMMAND gzip -9nf "${documents}/changelog" "${root}/share/man/man1/tuner.1" COMMAND_ERROR_IS_FATAL ANY)
# Whatever the umask of who built it was.
execute_process(COMMAND chmod -R u=rwX,go=rX "${CPACK_TEMPORARY_INSTALL_DIRECTORY}" COMMAND_ERROR_IS_FATAL ANY)

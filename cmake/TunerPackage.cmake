# The Debian package that `cpack -G DEB` makes; ./package calls it.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "tuner")
set(CPACK_PACKAGE_CONTACT "tuner developers <tuner@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "nvidia-cuda-toolkit")
set(CPACK_PACKAGE_DESCRIPTION "It compiles every configuration of a CUDA kernel, verifies and times it, and
keeps the results in SQLite. It answers which configuration is the fastest,
how sure that is, and why. libtuner launches the winners from programs.

The CPU device and libraries need g++. A GPU needs NVIDIA's driver and NVRTC.")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${CMAKE_SOURCE_DIR}/cmake/package/triggers")
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_SOURCE_DIR}/cmake/package/debian.cmake")
set(CPACK_TUNER_SOURCE "${CMAKE_SOURCE_DIR}")
include(CPack)

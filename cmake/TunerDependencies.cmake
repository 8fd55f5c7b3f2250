# Every third-party library the tuner uses, found once. All are Debian 12 packages.
find_package(Threads REQUIRED)

find_package(fmt 9 REQUIRED)  # used header-only: Debian ships no static libfmt
find_package(CLI11 2.1 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(SQLite3 3.40 REQUIRED)

find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h REQUIRED)
add_library(tomlplusplus INTERFACE)
target_include_directories(tomlplusplus SYSTEM INTERFACE "${TOMLPLUSPLUS_INCLUDE_DIR}")

# Static archives where they exist, so that the stripped binary starts on another machine.
function(tuner_static_library NAME HEADER ARCHIVE)
  find_path(${NAME}_INCLUDE_DIR ${HEADER} REQUIRED)
  find_library(${NAME}_ARCHIVE NAMES ${ARCHIVE} REQUIRED)
  add_library(${NAME} INTERFACE)
  target_include_directories(${NAME} SYSTEM INTERFACE "${${NAME}_INCLUDE_DIR}")
  target_link_libraries(${NAME} INTERFACE "${${NAME}_ARCHIVE}" ${ARGN})
endfunction()
tuner_static_library(sqlite_static sqlite3.h libsqlite3.a Threads::Threads ${CMAKE_DL_LIBS} m)
tuner_static_library(libmd_static sha2.h libmd.a)
tuner_static_library(zstd_static zstd.h libzstd.a)
tuner_static_library(zlib_static zlib.h libz.a)
tuner_static_library(boost_context_static boost/context/fiber.hpp libboost_context.a)

# The toolkit gives headers only: the driver and NVRTC are loaded at run time, so nothing of it is linked.
# TUNER_CUDA_INCLUDE_DIR may also point at the include folder of NVIDIA's Python wheels.
find_path(TUNER_CUDA_INCLUDE_DIR cuda_occupancy.h
  HINTS ENV CUDA_PATH ENV CUDA_HOME
  PATHS /usr/local/cuda /opt/cuda
  PATH_SUFFIXES include targets/x86_64-linux/include)
if(TUNER_CUDA_INCLUDE_DIR)
  set(TUNER_HAVE_CUDA TRUE)
  message(STATUS "CUDA headers: ${TUNER_CUDA_INCLUDE_DIR}")
  add_library(cuda_headers INTERFACE)
  target_include_directories(cuda_headers SYSTEM INTERFACE "${TUNER_CUDA_INCLUDE_DIR}")
else()
  set(TUNER_HAVE_CUDA FALSE)
  message(STATUS "CUDA headers: none found; building without the CUDA device and NVRTC")
endif()

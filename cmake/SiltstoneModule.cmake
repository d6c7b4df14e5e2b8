# siltstone_module(<name> <folder> [RECURSE] [LINKS <module>...])
#
# Makes siltstone_<name>, an archive of the sources of <folder>, that may use the named modules and what they may use.
# A module is an archive of its own, so that its tests build and link without the modules above it. A folder without
# sources becomes an interface library. Sources are collected in SILTSTONE_MODULE_OBJECTS for the library itself.

set(SILTSTONE_MODULE_OBJECTS "")
set(SILTSTONE_COMMON_HEADERS
  <algorithm> <array> <atomic> <memory> <mutex> <optional> <span> <string> <string_view> <utility> <vector>
  <absl/status/status.h> <absl/status/statusor.h> <absl/strings/str_cat.h>)

function(siltstone_module name folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "RECURSE" "" "LINKS")
  set(glob GLOB)
  if(arg_RECURSE)
    set(glob GLOB_RECURSE)
  endif()
  file(${glob} sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/*.cc")
  list(TRANSFORM arg_LINKS PREPEND siltstone_)

  set(target siltstone_${name})
  if(sources)
    add_library(${target} STATIC ${sources})
    siltstone_compile_options(${target})
    if(name STREQUAL "base")
      siltstone_precompile_headers(${target} HEADERS ${SILTSTONE_COMMON_HEADERS})
    else()
      siltstone_precompile_headers(${target} FROM siltstone_base)
    endif()
    set(scope PUBLIC)
    set(SILTSTONE_MODULE_OBJECTS ${SILTSTONE_MODULE_OBJECTS} $<TARGET_OBJECTS:${target}> PARENT_SCOPE)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_link_libraries(${target} ${scope} ${arg_LINKS})
  if(name STREQUAL "base")
    target_include_directories(${target} ${scope} "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/include")
    target_include_directories(${target} SYSTEM ${scope} "${SILTSTONE_XXHASH_INCLUDE_DIR}")
    target_compile_definitions(${target} ${scope} XXH_INLINE_ALL)
    target_link_libraries(${target} ${scope} ${SILTSTONE_PUBLIC_LIBRARIES} absl::core_headers Siltstone::lz4)
  endif()
endfunction()

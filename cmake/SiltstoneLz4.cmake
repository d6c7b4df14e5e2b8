# Defines Siltstone::lz4. Used by the build and, installed, by the package configuration.

if(NOT TARGET Siltstone::lz4)
  find_path(SILTSTONE_LZ4_INCLUDE_DIR lz4.h)
  find_library(SILTSTONE_LZ4_LIBRARY lz4)
  mark_as_advanced(SILTSTONE_LZ4_INCLUDE_DIR SILTSTONE_LZ4_LIBRARY)
  if(SILTSTONE_LZ4_INCLUDE_DIR AND SILTSTONE_LZ4_LIBRARY)
    add_library(Siltstone::lz4 UNKNOWN IMPORTED)
    set_target_properties(Siltstone::lz4 PROPERTIES
      IMPORTED_LOCATION "${SILTSTONE_LZ4_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${SILTSTONE_LZ4_INCLUDE_DIR}")
  elseif(CMAKE_FIND_PACKAGE_NAME STREQUAL "Siltstone")
    set(Siltstone_FOUND FALSE)
    set(Siltstone_NOT_FOUND_MESSAGE "Siltstone needs LZ4 (lz4.h and liblz4), which was not found.")
  else()
    message(FATAL_ERROR "LZ4 (lz4.h and liblz4) was not found; on Debian: apt-get install liblz4-dev")
  endif()
endif()

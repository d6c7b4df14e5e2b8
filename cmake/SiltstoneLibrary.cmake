# The two libraries, static and shared, made of the objects of all modules.

if(NOT SILTSTONE_MODULE_OBJECTS)
  file(CONFIGURE OUTPUT empty.cc CONTENT "// No module has sources yet.\n")
  set(SILTSTONE_MODULE_OBJECTS "${CMAKE_CURRENT_BINARY_DIR}/empty.cc")
endif()

add_library(siltstone STATIC ${SILTSTONE_MODULE_OBJECTS})
add_library(siltstone_shared SHARED ${SILTSTONE_MODULE_OBJECTS})
add_library(Siltstone::siltstone ALIAS siltstone)
add_library(Siltstone::siltstone_shared ALIAS siltstone_shared)

foreach(target siltstone siltstone_shared)
  siltstone_compile_options(${target})
  target_compile_features(${target} INTERFACE cxx_std_20)
  target_include_directories(${target} INTERFACE
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_link_libraries(${target} PUBLIC ${SILTSTONE_PUBLIC_LIBRARIES} PRIVATE Siltstone::lz4)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
endforeach()

set_target_properties(siltstone_shared PROPERTIES
  OUTPUT_NAME siltstone
  VERSION ${PROJECT_VERSION}
  SOVERSION 0)
if(NOT SILTSTONE_SANITIZE AND NOT APPLE)
  target_link_options(siltstone_shared PRIVATE LINKER:--no-undefined)
endif()

# For our own programs: the static library with the internal headers, as "base/coding.h".
add_library(siltstone_internal INTERFACE)
target_include_directories(siltstone_internal INTERFACE "${PROJECT_SOURCE_DIR}")
target_include_directories(siltstone_internal SYSTEM INTERFACE "${SILTSTONE_XXHASH_INCLUDE_DIR}")
target_compile_definitions(siltstone_internal INTERFACE XXH_INLINE_ALL)
target_link_libraries(siltstone_internal INTERFACE siltstone absl::core_headers)

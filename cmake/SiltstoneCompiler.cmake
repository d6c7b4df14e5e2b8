# Language level, warnings, sanitizers. Applied by siltstone_compile_options(<target>) to our own targets only, so that
# a project which embeds this one keeps its own settings.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_BUILD_TYPE Release)
endif()

if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(SILTSTONE_CCACHE ccache)
  mark_as_advanced(SILTSTONE_CCACHE)
  if(SILTSTONE_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${SILTSTONE_CCACHE}")
  endif()
endif()

set(SILTSTONE_WARNINGS -Wall -Wextra)
if(SILTSTONE_WERROR)
  list(APPEND SILTSTONE_WARNINGS -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  list(APPEND SILTSTONE_WARNINGS -Wthread-safety)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND SILTSTONE_WARNINGS -Wno-restrict)  # False reports on std::string's operator+ at -O2.
endif()

set(SILTSTONE_SANITIZE_FLAGS "")
if(SILTSTONE_SANITIZE)
  set(SILTSTONE_SANITIZE_FLAGS -fsanitize=${SILTSTONE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Instrumented code confuses the flow analysis behind this warning.
    list(APPEND SILTSTONE_WARNINGS -Wno-maybe-uninitialized)
  endif()
endif()

if(SILTSTONE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "SILTSTONE_FUZZ needs clang")
  endif()
  list(APPEND SILTSTONE_SANITIZE_FLAGS -fsanitize=fuzzer-no-link)
endif()

function(siltstone_compile_options target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_compile_options(${target} PRIVATE ${SILTSTONE_WARNINGS} ${SILTSTONE_SANITIZE_FLAGS})
  target_link_options(${target} PRIVATE ${SILTSTONE_SANITIZE_FLAGS})
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# siltstone_precompile_headers(<target> HEADERS <header>... | FROM <target>)
#
# The headers that nearly every source of a target includes, parsed once: three quarters of a small file's compile time
# are theirs. FROM takes what another target of the same compile options has made. The clang preset goes without, so
# that a source which forgets an include of its own is found.
function(siltstone_precompile_headers target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FROM" "HEADERS")
  if(NOT SILTSTONE_PRECOMPILED_HEADERS)
    return()
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)  # Without it ccache does not cache the sources.
  endif()
  if(arg_FROM)
    target_precompile_headers(${target} REUSE_FROM ${arg_FROM})
  else()
    target_precompile_headers(${target} PRIVATE ${arg_HEADERS})
  endif()
endfunction()

# kvtool. Everything but the file with main() is siltstone_tools, so that tests can link it.

file(GLOB_RECURSE tool_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/*.cc")
set(tool_main ${tool_sources})
list(FILTER tool_main INCLUDE REGEX "/tools/(main|kvtool|kvtool_main)\\.cc$")

if(tool_main)
  find_package(PkgConfig REQUIRED)
  find_package(CLI11 REQUIRED)
  find_package(nlohmann_json REQUIRED)
  pkg_check_modules(LIBEDIT REQUIRED IMPORTED_TARGET libedit)

  list(REMOVE_ITEM tool_sources ${tool_main})
  if(tool_sources)
    add_library(siltstone_tools STATIC ${tool_sources})
    siltstone_compile_options(siltstone_tools)
    set(scope PUBLIC)
  else()
    add_library(siltstone_tools INTERFACE)
    set(scope INTERFACE)
  endif()
  target_link_libraries(siltstone_tools ${scope}
    siltstone_internal CLI11::CLI11 nlohmann_json::nlohmann_json PkgConfig::LIBEDIT)

  add_executable(kvtool ${tool_main})
  siltstone_compile_options(kvtool)
  target_link_libraries(kvtool PRIVATE siltstone_tools)
  install(TARGETS kvtool RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

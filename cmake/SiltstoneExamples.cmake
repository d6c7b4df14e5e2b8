# One program a file of examples/, linked like a user's program. Each is run as a test, with the path of a database
# that does not exist yet as its only argument.

file(GLOB example_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/*.cc")
foreach(source IN LISTS example_sources)
  cmake_path(GET source STEM name)
  set(target example_${name})
  add_executable(${target} "${source}")
  siltstone_compile_options(${target})
  target_link_libraries(${target} PRIVATE Siltstone::siltstone)
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/examples")
  add_test(NAME examples.${name}
    COMMAND sh -c "rm -rf \"$2\" && exec \"$1\" \"$2\"" sh
      $<TARGET_FILE:${target}> "${PROJECT_BINARY_DIR}/examples/${name}.db")
  set_tests_properties(examples.${name} PROPERTIES LABELS fast TIMEOUT 120)
endforeach()

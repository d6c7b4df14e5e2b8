# siltstone_microbench, one Google Benchmark program of bench/micro/*_bench.cc; siltstone_filter_table; and siltbench of
# bench/macro/.

file(GLOB micro_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/micro/*_bench.cc")
if(micro_sources)
  find_package(benchmark REQUIRED)
  add_executable(siltstone_microbench ${micro_sources})
  siltstone_compile_options(siltstone_microbench)
  target_link_libraries(siltstone_microbench PRIVATE siltstone_internal benchmark::benchmark benchmark::benchmark_main)
endif()

# The filters side by side, as a table.
if(micro_sources)
  add_executable(siltstone_filter_table "${PROJECT_SOURCE_DIR}/bench/micro/filter_table.cc")
  siltstone_compile_options(siltstone_filter_table)
  target_link_libraries(siltstone_filter_table PRIVATE siltstone_internal)
endif()

file(GLOB_RECURSE macro_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/macro/*.cc")
if(macro_sources)
  add_executable(siltbench ${macro_sources})
  siltstone_compile_options(siltbench)
  target_link_libraries(siltbench PRIVATE siltstone_internal)
endif()

# siltstone_microbench, one Google Benchmark program of bench/micro/*_bench.cc, and siltbench of bench/macro/.

file(GLOB micro_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/micro/*_bench.cc")
if(micro_sources)
  find_package(benchmark REQUIRED)
  add_executable(siltstone_microbench ${micro_sources})
  siltstone_compile_options(siltstone_microbench)
  target_link_libraries(siltstone_microbench PRIVATE siltstone_internal benchmark::benchmark benchmark::benchmark_main)
endif()

file(GLOB_RECURSE macro_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/macro/*.cc")
if(macro_sources)
  add_executable(siltbench ${macro_sources})
  siltstone_compile_options(siltbench)
  target_link_libraries(siltbench PRIVATE siltstone_internal)
endif()

# Run by ctest as `cmake -P`: installs BUILD_DIR into a fresh prefix, then builds and runs each consumer.

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE "${WORK_DIR}")
file(MAKE_DIRECTORY "${WORK_DIR}")

# The tree is moved after the installation: what is installed must not remember where.
run("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${WORK_DIR}/first")
file(RENAME "${WORK_DIR}/first" "${WORK_DIR}/prefix")
set(prefix "${WORK_DIR}/prefix")

foreach(library siltstone siltstone_shared)
  set(build "${WORK_DIR}/${library}")
  run("${CMAKE_COMMAND}" -G "${GENERATOR}" -S "${CONSUMER_DIR}" -B "${build}" -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_COMPILER=${CXX}"
    "-DCMAKE_PREFIX_PATH=${prefix}" -DCONSUMED_LIBRARY=Siltstone::${library})
  run("${CMAKE_COMMAND}" --build "${build}")
  run("${build}/consumer" "${build}/db")
endforeach()

find_program(pkg_config NAMES pkg-config pkgconf REQUIRED)
set(ENV{PKG_CONFIG_PATH} "${prefix}/${LIBDIR}/pkgconfig")
execute_process(COMMAND "${pkg_config}" --cflags --libs siltstone
  OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
run("${CXX}" -std=c++20 -O2 "${CONSUMER_DIR}/main.cc" -o "${WORK_DIR}/by_pkg_config" ${flags})
set(ENV{LD_LIBRARY_PATH} "${prefix}/${LIBDIR}")
run("${WORK_DIR}/by_pkg_config" "${WORK_DIR}/by_pkg_config.db")

execute_process(COMMAND "${pkg_config}" --static --cflags --libs siltstone
  OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "-lsiltstone" "-l:libsiltstone.a" flags "${flags}")
separate_arguments(flags UNIX_COMMAND "${flags}")
run("${CXX}" -std=c++20 -O2 "${CONSUMER_DIR}/main.cc" -o "${WORK_DIR}/by_pkg_config_static" ${flags})
unset(ENV{LD_LIBRARY_PATH})
run("${WORK_DIR}/by_pkg_config_static" "${WORK_DIR}/by_pkg_config_static.db")

if(EXISTS "${BUILD_DIR}/kvtool")
  run("${prefix}/bin/kvtool" --help)
endif()

# Headers, both libraries, the CMake package Siltstone and the pkg-config module siltstone.

include(CMakePackageConfigHelpers)

set(SILTSTONE_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/Siltstone")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/siltstone"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(TARGETS siltstone siltstone_shared EXPORT SiltstoneTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT SiltstoneTargets NAMESPACE Siltstone:: DESTINATION "${SILTSTONE_CMAKE_DIR}")

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/SiltstoneConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/SiltstoneConfig.cmake" INSTALL_DESTINATION "${SILTSTONE_CMAKE_DIR}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/SiltstoneConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/SiltstoneConfig.cmake"
  "${PROJECT_BINARY_DIR}/SiltstoneConfigVersion.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/SiltstoneLz4.cmake"
  DESTINATION "${SILTSTONE_CMAKE_DIR}")

# The module finds its prefix from its own place, so that an installed tree can be moved.
file(RELATIVE_PATH SILTSTONE_PC_PREFIX
  "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
configure_file("${PROJECT_SOURCE_DIR}/cmake/siltstone.pc.in" "${PROJECT_BINARY_DIR}/siltstone.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/siltstone.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

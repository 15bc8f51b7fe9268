# cmake --install: the program, the headers under include/lanewise, and a package that gives lanewise::lanewise.
include(CMakePackageConfigHelpers)

get_property(layers GLOBAL PROPERTY LANEWISE_LAYERS)
add_library(lanewise_all INTERFACE)
add_library(lanewise::lanewise ALIAS lanewise_all)
set_target_properties(lanewise_all PROPERTIES EXPORT_NAME lanewise)
target_link_libraries(lanewise_all INTERFACE ${layers})
target_compile_features(lanewise_all INTERFACE cxx_std_20)
# Users write <lanewise/data/column.h>; the headers among themselves "data/column.h".
target_include_directories(lanewise_all INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/lanewise)
install(TARGETS lanewise_all ${layers} EXPORT lanewise)
install(EXPORT lanewise NAMESPACE lanewise:: FILE lanewiseTargets.cmake DESTINATION ${package})
install(DIRECTORY engine/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lanewise FILES_MATCHING PATTERN "*.h")

configure_package_config_file(cmake/lanewiseConfig.cmake.in lanewiseConfig.cmake
  INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(lanewiseConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/lanewiseConfig.cmake ${PROJECT_BINARY_DIR}/lanewiseConfigVersion.cmake
  DESTINATION ${package})

if(TARGET duckdb)
  install(FILES ${LANEWISE_DUCKDB_DIR}/lib/libduckdb.so DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TARGET lanewise_engine)
  set_target_properties(lanewise_engine PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  install(TARGETS lanewise_launcher lanewise_engine)
  set(manual ${PROJECT_BINARY_DIR}/manual)
  install(DIRECTORY ${manual}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${manual}/bash/lanewise DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${manual}/zsh/_lanewise DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${manual}/fish/lanewise.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

# cmake --install: the program, the headers under include/lanewise, and a package that gives lanewise::lanewise.
# Components: `runtime` (the program), `dev` (library and headers), `bundle` (copies of the system's libraries, for a machine
# that does not have them; not part of a plain install).
include(CMakePackageConfigHelpers)

get_property(layers GLOBAL PROPERTY LANEWISE_LAYERS)
add_library(lanewise_all INTERFACE)
add_library(lanewise::lanewise ALIAS lanewise_all)
set_target_properties(lanewise_all PROPERTIES EXPORT_NAME lanewise)
target_link_libraries(lanewise_all INTERFACE ${layers})
# Users write <lanewise/data/column.h>; the headers among themselves "data/column.h".
target_include_directories(lanewise_all INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/lanewise)
install(TARGETS lanewise_all ${layers} EXPORT lanewise COMPONENT dev)
install(EXPORT lanewise NAMESPACE lanewise:: FILE lanewiseTargets.cmake DESTINATION ${package} COMPONENT dev)
install(DIRECTORY engine/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lanewise COMPONENT dev
  FILES_MATCHING PATTERN "*.h" PATTERN testing EXCLUDE)

configure_package_config_file(cmake/lanewiseConfig.cmake.in lanewiseConfig.cmake
  INSTALL_DESTINATION ${package} PATH_VARS LANEWISE_PRIVATE_LIBDIR)
write_basic_package_version_file(lanewiseConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/lanewiseConfig.cmake ${PROJECT_BINARY_DIR}/lanewiseConfigVersion.cmake
  DESTINATION ${package} COMPONENT dev)

if(TARGET duckdb)
  install(FILES ${LANEWISE_DUCKDB_DIR}/lib/libduckdb.so DESTINATION ${LANEWISE_PRIVATE_LIBDIR} COMPONENT runtime)
endif()
if(TARGET lanewise_engine)
  # RPATH, not RUNPATH: it also serves the libraries that bundled libraries need.
  set(programs lanewise_launcher lanewise_engine lanewise_lab_server)
  foreach(program ${programs})
    target_link_options(${program} PRIVATE -Wl,--disable-new-dtags)
  endforeach()
  # The same path in the build folder, where libduckdb.so is next to the program: CMake would pad one of its own with
  # empty entries, which stand for the current folder.
  set_target_properties(${programs} PROPERTIES
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH
    "$ORIGIN;$ORIGIN/../${LANEWISE_PRIVATE_LIBDIR};$ORIGIN/../${LANEWISE_PRIVATE_LIBDIR}/bundled")
  # The launcher needs no libduckdb, and the loader looks for each library in a dozen subfolders of each folder.
  set_target_properties(lanewise_launcher PROPERTIES INSTALL_RPATH "$ORIGIN/../${LANEWISE_PRIVATE_LIBDIR}/bundled")
  file(CREATE_LINK ${LANEWISE_DUCKDB_DIR}/lib/libduckdb.so ${PROJECT_BINARY_DIR}/libduckdb.so SYMBOLIC)
  install(TARGETS ${programs} RUNTIME_DEPENDENCY_SET lanewise_libraries COMPONENT runtime)
  install(RUNTIME_DEPENDENCY_SET lanewise_libraries
    PRE_EXCLUDE_REGEXES "^lib(c|m|dl|pthread|rt|stdc\\+\\+|gcc_s|duckdb)\\.so" "^ld-linux"
    DESTINATION ${LANEWISE_PRIVATE_LIBDIR}/bundled COMPONENT bundle EXCLUDE_FROM_ALL)
  set(manual ${PROJECT_BINARY_DIR}/manual)
  install(DIRECTORY ${manual}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime)
  install(FILES ${manual}/bash/lanewise DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT runtime)
  foreach(folder site-functions vendor-completions)  # Debian's zsh looks in the second one
    install(FILES ${manual}/zsh/_lanewise DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${folder} COMPONENT runtime)
  endforeach()
  install(FILES ${manual}/fish/lanewise.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT runtime)
  install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
  foreach(folder use understand plots)
    install(DIRECTORY docs/${folder} DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs COMPONENT runtime)
  endforeach()
  # The lab's page, which `./dev lab-site` builds.
  install(DIRECTORY ${PROJECT_BINARY_DIR}/lab-site/ DESTINATION ${CMAKE_INSTALL_DATADIR}/lanewise/lab COMPONENT runtime OPTIONAL)
  # Licences and the bill of materials, which `./dev package` writes.
  install(DIRECTORY ${PROJECT_BINARY_DIR}/notices/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime OPTIONAL)
endif()

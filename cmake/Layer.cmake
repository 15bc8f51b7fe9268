# One folder of engine/:
#
#   lanewise_layer(name [DEPENDS ...] [PRIVATE ...] [TEST_DEPENDS ...] [PRECOMPILE header ...])
#
# Every *.cc outside of testing/ is compiled into the layer's library, *_test.cc into lanewise_<name>_test
# (GoogleTest), *_bench.cc into lanewise_<name>_bench (Google Benchmark, built by the target `benches`). DEPENDS is
# seen by users of the layer, PRIVATE only by its own sources, TEST_DEPENDS only by its tests and benchmarks.
include_guard(GLOBAL)

set(LANEWISE_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wno-sign-compare)
# Warnings of gcc 12, which everyone has, are errors; those of other compilers are not ours to foresee, and
# sanitizers make it see ghosts.
if(LANEWISE_STRICT AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND LANEWISE_WARNINGS -Werror -Wno-restrict)  # -Wrestrict errs on std::string (GCC bug 105329).
endif()

if(CMAKE_UNITY_BUILD)
  list(APPEND LANEWISE_WARNINGS -Wno-shadow)  # of names in another file
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # gcc collects its garbage every 128 MB, which takes a tenth of its time; a unit needs 1 GB at most.
    add_compile_options(--param=ggc-min-heapsize=524288)
  endif()
endif()

set(LANEWISE_TEST_OPTIONS ${LANEWISE_WARNINGS})
if(CMAKE_UNITY_BUILD AND CMAKE_BUILD_TYPE STREQUAL Release)
  list(APPEND LANEWISE_TEST_OPTIONS -Og)  # a test runs once; it compiles in half the time
elseif(CMAKE_BUILD_TYPE STREQUAL None)
  list(APPEND LANEWISE_TEST_OPTIONS -fno-sanitize=alignment)  # takes a fifth longer to compile; layers read raw bytes, tests do not
endif()

if(LANEWISE_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
  enable_testing()
endif()
if(LANEWISE_BENCH)
  find_package(benchmark REQUIRED)
  add_custom_target(benches)
endif()

# clang does not know `#pragma GCC target("avx2,...")`: such a file gets the instructions as options.
function(lanewise_target_pragmas)
  foreach(file ${ARGN})
    file(STRINGS ${file} pragma REGEX "^#pragma GCC target" LIMIT_COUNT 1)
    if(pragma MATCHES "\"(.*)\"")
      string(REPLACE "," ";-m" options "-m${CMAKE_MATCH_1}")
      set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${options}")
    endif()
  endforeach()
endfunction()

# Units of a unity build hold several files. Those of one target (by pragma or by name) stay apart, as its instructions and
# names are not for the others, and so do explicit instantiations, of which a unit may hold one.
function(lanewise_keep_apart)
  foreach(file ${ARGN})
    file(STRINGS ${file} pragma REGEX "^(#pragma GCC (target|optimize)| *template (class|void) )" LIMIT_COUNT 1)
    if(pragma OR file MATCHES "[/_](plain|scalar|branching|auto|core|emulated|neon|avx2|avx512)(_test)?\\.cc$")
      set_source_files_properties(${file} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
endfunction()

# Where LANEWISE_SANITIZED lacks the layer, its library is that of build/, and its tests are not built.
function(lanewise_reuse layer target)
  if(NOT LANEWISE_SANITIZED OR layer IN_LIST LANEWISE_SANITIZED)
    return()
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  else()
    file(RELATIVE_PATH folder ${CMAKE_BINARY_DIR} ${CMAKE_CURRENT_BINARY_DIR})
    set_target_properties(${target} PROPERTIES SOURCES ${PROJECT_SOURCE_DIR}/cmake/empty.cc)
    add_custom_command(TARGET ${target} POST_BUILD VERBATIM
      COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/build/${folder}/lib${target}.a $<TARGET_FILE:${target}>)
  endif()
endfunction()

function(lanewise_layer name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;PRIVATE;TEST_DEPENDS;PRECOMPILE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    lanewise_target_pragmas(${sources})
  endif()
  lanewise_keep_apart(${sources})
  set(tests ${sources})
  set(benches ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|bench)\\.cc$|/testing/")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER benches INCLUDE REGEX "_bench\\.cc$")

  foreach(layer ${ARG_DEPENDS})
    if(layer MATCHES "^lanewise::" AND NOT TARGET ${layer})
      message(WARNING "${name} depends on ${layer}, which is not a layer above it.")
      list(REMOVE_ITEM ARG_DEPENDS ${layer})
    endif()
  endforeach()

  set(target lanewise_${name})
  if(sources)
    add_library(${target} STATIC ${sources})
    lanewise_reuse(${name} ${target})
    set(scope PUBLIC)
    target_compile_options(${target} PRIVATE ${LANEWISE_WARNINGS})
    target_link_libraries(${target} PRIVATE ${ARG_PRIVATE})
    if(ARG_PRECOMPILE AND NOT CMAKE_UNITY_BUILD)  # two units read them as soon as one precompiles them
      target_precompile_headers(${target} PRIVATE ${ARG_PRECOMPILE})
    endif()
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(lanewise::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(${target} ${scope}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/engine> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/lanewise>)
  target_link_libraries(${target} ${scope} ${ARG_DEPENDS})
  target_compile_features(${target} ${scope} cxx_std_20)
  set_property(GLOBAL APPEND PROPERTY LANEWISE_LAYERS ${target})

  if(LANEWISE_TESTS AND tests)
    add_executable(${target}_test ${tests})
    lanewise_reuse(${name} ${target}_test)
    target_compile_options(${target}_test PRIVATE ${LANEWISE_TEST_OPTIONS})
    target_link_libraries(${target}_test PRIVATE ${target} ${ARG_PRIVATE} ${ARG_TEST_DEPENDS} GTest::gmock GTest::gtest_main)
    if(ARG_PRECOMPILE AND NOT CMAKE_UNITY_BUILD)
      target_precompile_headers(${target}_test PRIVATE ${ARG_PRECOMPILE})
    endif()
    gtest_discover_tests(${target}_test DISCOVERY_TIMEOUT 60)
  endif()
  if(LANEWISE_BENCH AND benches)
    add_executable(${target}_bench EXCLUDE_FROM_ALL ${benches})
    set_target_properties(${target}_bench PROPERTIES UNITY_BUILD OFF)  # each file has its own kRows, sum, …
    target_compile_options(${target}_bench PRIVATE ${LANEWISE_WARNINGS})
    target_link_libraries(${target}_bench PRIVATE ${target} ${ARG_PRIVATE} ${ARG_TEST_DEPENDS} benchmark::benchmark
      benchmark::benchmark_main)
    add_dependencies(benches ${target}_bench)
  endif()
endfunction()

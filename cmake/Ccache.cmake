# Compiles through ccache where it is installed. Precompiled headers need the sloppiness.
if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(LANEWISE_CCACHE ccache)
  if(LANEWISE_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros ${LANEWISE_CCACHE})
  endif()
endif()

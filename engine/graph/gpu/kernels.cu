// The kernels of algorithms on graphs as they are compiled at run time (steps.cc).

#include "graph/gpu/kernels-inl.h"
#include "graph/gpu/tile_kernels-inl.h"

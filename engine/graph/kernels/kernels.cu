// The kernels of algorithms on graphs as they are compiled at run time (steps.cc).

#include "graph/kernels/kernels-inl.h"
#include "graph/kernels/tile_kernels-inl.h"

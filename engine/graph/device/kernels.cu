// The kernels of algorithms on graphs as they are compiled at run time (steps.cc).

#include "graph/device/kernels-inl.h"
#include "graph/device/tile_kernels-inl.h"

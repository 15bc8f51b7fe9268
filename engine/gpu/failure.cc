#include "gpu/failure.h"

#include "gpu/error.h"

namespace lanewise::gpu {

namespace {

using Kind = Failure::Kind;

struct Known {
  cuda::Result result;
  Failure failure;
};

constexpr Known kKnown[] = {
    {2, {Kind::memory, "out of memory"}},
    {3, {Kind::outside, "the driver did not start; a process cannot go on using a GPU after fork()"}},
    {4, {Kind::outside, "the driver has been shut down, since the process is ending"}},
    {34,
     {Kind::outside,
      "libcuda.so is the toolkit's stub; the driver's own must come first in the search path"}},
    {35, {Kind::outside, "the driver is older than the plug-in needs; update it"}},
    {46, {Kind::outside, "the GPU is not available; another process may use it exclusively"}},
    {98, {Kind::outside, "the plug-in has no code for this GPU"}},
    {100, {Kind::outside, "the driver finds no GPU; CUDA_VISIBLE_DEVICES may hide it"}},
    {101, {Kind::outside, "there is no such GPU"}},
    {102, {Kind::outside, "the GPU is not licensed for computing"}},
    {200, {Kind::outside, "the compiled kernel does not fit this driver; update the driver"}},
    {209, {Kind::outside, "the compiled kernel does not fit this GPU"}},
    {214, {Kind::broken, "an error in the GPU's memory could not be corrected"}},
    {218, {Kind::outside, "the driver cannot read the compiled kernel; update the driver"}},
    {220, {Kind::broken, "an error on NVLink could not be corrected"}},
    {222, {Kind::outside, "the kernel compiler is newer than the driver; update the driver"}},
    {304, {Kind::outside, "the operating system rejected the request"}},
    {700, {Kind::fault, "a kernel touched memory that is not its own"}},
    {701, {Kind::bug, "the kernel needs more registers or shared memory than a block can have"}},
    {702, {Kind::broken, "a kernel ran longer than the GPU allows while it drives a display"}},
    {709, {Kind::broken, "the GPU's context was destroyed"}},
    {710, {Kind::fault, "an assertion in a kernel failed"}},
    {714, {Kind::fault, "a kernel broke its stack"}},
    {715, {Kind::fault, "a kernel met an illegal instruction"}},
    {716, {Kind::fault, "a kernel used a misaligned address"}},
    {717, {Kind::fault, "a kernel used an address of the wrong memory"}},
    {718, {Kind::fault, "a kernel jumped out of its code"}},
    {719, {Kind::fault, "a kernel failed"}},
    {720, {Kind::bug, "more blocks than the GPU can run at once were to wait for each other"}},
    {800, {Kind::outside, "not permitted"}},
    {801, {Kind::outside, "this GPU or driver does not support it"}},
    {802,
     {Kind::outside, "the GPU's services are not running yet (nvidia-persistenced, nvidia-fabricmanager)"}},
    {803, {Kind::outside, "parts of the driver have different versions; restart the machine"}},
    {804, {Kind::outside, "the compatibility package is not made for this GPU"}},
    {999, {Kind::broken, "the driver failed for a reason that it does not know"}},
};

}  // namespace

Failure failure_of(cuda::Result result) {
  for (const Known& known : kKnown) {
    if (known.result == result) return known.failure;
  }
  return {Kind::bug, "the driver was called wrongly"};
}

void throw_failure(const Failure& failure, const std::string& message) {
  switch (failure.kind) {
    case Kind::memory:
      throw MemoryError(message);
    case Kind::outside:
    case Kind::broken:
      throw DeviceError(message);
    case Kind::bug:
    case Kind::fault:
      break;
  }
  throw InternalError(message);
}

}  // namespace lanewise::gpu

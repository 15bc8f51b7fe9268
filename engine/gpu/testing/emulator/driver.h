#pragma once

#include <cstddef>
#include <functional>

/// What the stand-in for the driver (testing/fake_cuda.cc) and the emulator call in each other.

/// The result of the next call that can fail, or 0.
int fake_failure();

/// Device memory; null: none.
void* fake_allocate(size_t bytes);
void fake_release(void* memory, size_t bytes);

/// Whether `work` was put aside, for a graph.
bool fake_records(std::function<void()> work);

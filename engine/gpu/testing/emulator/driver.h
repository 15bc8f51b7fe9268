#pragma once

#include <cstddef>
#include <functional>

/// Calls between the fake driver (testing/fake_cuda.cc) and the emulator.

/// The result of the next call that can fail, or 0.
int fake_failure();

/// Device memory; null: none.
void* fake_allocate(size_t bytes);
void fake_release(void* memory, size_t bytes);

/// Whether `work` was recorded into a graph.
bool fake_records(std::function<void()> work);

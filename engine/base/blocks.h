#pragma once

#include <cstddef>
#include <cstdint>

namespace lanewise {

/// Memory of large buffers, from the system. A page's first access is a fault in which the system clears it,
/// which takes longer than copying it; so released blocks are kept for the next ones, up to a sixteenth of
/// the machine's memory and 1 GiB. Pages of the older half are lent back (MADV_FREE): the system takes those
/// that it needs. The latest half is not, since lending and a new first access take time. Thread-safe.
namespace blocks {

/// Smaller buffers are malloc()'s.
#if defined(__SANITIZE_ADDRESS__)
constexpr size_t kSmallest = SIZE_MAX;  // so that it sees errors
#else
constexpr size_t kSmallest = size_t{256} << 10;
#endif
constexpr size_t kHugePage = size_t{2} << 20;

/// At least `bytes` bytes, aligned to a page, or for `huge` pages to kHugePage; contents are unspecified.
/// Null if the system has no more.
void* take(size_t bytes, bool huge);

/// Memory of `bytes` bytes with the contents of what take(before, false) returned, which is no longer valid:
/// its pages are moved, not copied, unless a released block has room. Null: nothing has changed.
void* grow(void* memory, size_t before, size_t bytes);

/// Takes back what take(bytes, huge) returned.
void give_back(void* memory, size_t bytes, bool huge);

/// Returns to the system what take(bytes, …) returned, or what was mapped in its place.
void unmap(void* memory, size_t bytes);

/// Bytes that are kept.
size_t kept();

}  // namespace blocks
}  // namespace lanewise

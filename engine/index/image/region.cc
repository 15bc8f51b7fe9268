#include "index/image/region.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>

#include "base/error.h"
#include "base/size.h"

namespace lanewise::index {

namespace {
constexpr size_t kMostBytes = size_t{1} << 38;  // range of a Ref
constexpr size_t kLeastBytes = size_t{1} << 30;
constexpr size_t kHugePage = size_t{1} << 21;
constexpr size_t kStep = 16 * kHugePage;
}  // namespace

Region::Region() {
  for (reserved_ = kMostBytes; reserved_ >= kLeastBytes; reserved_ /= 2) {
    void* data = ::mmap(nullptr, reserved_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED) continue;
    data_ = static_cast<uint8_t*>(data);
    ::madvise(data, reserved_,
              MADV_HUGEPAGE);  // Fewer TLB misses in look-ups. If not available: no harm.
    return;
  }
  throw MemoryError(fmt::format("index: no {} of addresses are free", format_size(kLeastBytes)));
}

Region::~Region() { ::munmap(data_, reserved_); }

void Region::grow(size_t bytes) {
  if (bytes <= usable_) return;
  if (bytes > reserved_) throw MemoryError(fmt::format("index: larger than {}", format_size(reserved_)));
  const size_t step = std::max(bytes, usable_ + std::max(kStep, usable_ / 8));
  const size_t end = std::min((step + kHugePage - 1) / kHugePage * kHugePage, reserved_);
  if (::mprotect(data_ + usable_, end - usable_, PROT_READ | PROT_WRITE) != 0) {
    throw MemoryError(fmt::format("index: the system allows no more than {}", format_size(usable_)));
  }
  usable_ = end;
}

}  // namespace lanewise::index

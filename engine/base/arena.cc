#include "base/arena.h"

#include <algorithm>
#include <cstring>

namespace lanewise {

namespace {
constexpr size_t kBlock = size_t{256} << 10;
constexpr size_t kLargestKept = size_t{16} << 20;
constexpr size_t kLargestValue = size_t{64} << 20;  // that may be in a temporary file above the limit
}  // namespace

void* Arena::raw(size_t bytes) {
  const size_t size = (bytes + kPadding + 63) / 64 * 64;
  if (blocks_.empty() || blocks_.back().size() - used_ < size) {
    const size_t block = std::max({size, kBlock, blocks_.empty() ? next_ : 0});
    // A value larger than all memory is an error: writing it to disk would only take long.
    if (budget_ != nullptr && size > std::max(budget_->limit(), kLargestValue)) budget_->reserve(size, what_);
    blocks_.push_back(Buffer::allocate(block, budget_, what_));
    used_ = 0;
  }
  void* result = blocks_.back().mutable_data() + used_;
  used_ += size;
  return result;
}

std::string_view Arena::copy(std::string_view text) {
  char* to = allocate<char>(text.size());
  std::memcpy(to, text.data(), text.size());
  return {to, text.size()};
}

std::string_view Arena::copy_packed(std::string_view text) {
  if (text.empty()) return "";
  if (text.size() > packed_left_) {
    packed_left_ = std::max(text.size(), kBlock / 4);
    packed_ = allocate<char>(packed_left_);
  }
  char* to = packed_;
  std::memcpy(to, text.data(), text.size());
  packed_ += text.size();
  packed_left_ -= text.size();
  return {to, text.size()};
}

void Arena::reset() {
  if (blocks_.size() > 1) {
    size_t held = 0;
    for (const Buffer& block : blocks_) held += block.size();
    next_ = std::min(held, kLargestKept);
    blocks_.clear();
  }
  used_ = 0;
  packed_left_ = 0;
}

}  // namespace lanewise

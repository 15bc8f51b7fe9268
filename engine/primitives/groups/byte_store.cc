#include "primitives/groups/byte_store.h"

#include <algorithm>
#include <cstring>

namespace lanewise {

namespace {
constexpr size_t kFirstBlock = size_t{4} << 10;
constexpr size_t kLargestBlock = size_t{4} << 20;
}  // namespace

void ByteStore::grow(size_t size) {
  const size_t doubled = blocks_.empty() ? kFirstBlock : blocks_.back().size() * 2;
  const size_t block = std::max(size, std::min(doubled, kLargestBlock));
  blocks_.push_back(Buffer::allocate(block, budget_, what_));
  next_ = blocks_.back().mutable_data();
  left_ = block;
}

std::string_view ByteStore::copy(std::string_view text) {
  auto* to = reinterpret_cast<char*>(allocate(text.size()));
  if (!text.empty()) std::memcpy(to, text.data(), text.size());
  return {to, text.size()};
}

}  // namespace lanewise

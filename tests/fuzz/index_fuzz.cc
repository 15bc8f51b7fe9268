// Index files with changed bytes and right checksums: opened and queried, or rejected with a UserError.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.h"
#include "index/image/image.h"
#include "index/testing/recorded_storage.h"
#include "index/tree/tree.h"

using namespace lanewise;
using namespace lanewise::index;

namespace {

/// A small image: numbers or strings as keys.
std::string image_of(bool texts) {
  const KeyField field{texts ? TypeId::kVarchar : TypeId::kUInt32};
  Pool pool(make_header({field}, 4, 16, 7, 100, false), nullptr);
  const auto tree = make_tree(pool);
  tree->start();
  for (u32 i = 0; i < 400; ++i) {
    const u32 narrow = i * 7919;
    const u64 wide = u64{i} << 56;
    const std::string text(i % 90, static_cast<char>(i));
    const Probe key = texts ? Probe{&wide, text} : Probe{&narrow, {}};
    tree->insert(key, reinterpret_cast<const u8*>(&i), Existing::kAdd);
  }
  RecordedStorage storage;
  write_image(pool, storage);
  return storage.bytes();
}

void ask(RecordedStorage& storage) {
  const std::unique_ptr<Pool> pool = open_image(storage, nullptr);
  const std::unique_ptr<Tree> tree = make_tree(*pool);
  const Root root = pool->header().root;
  const u64 words[kMaxPlanes] = {0x4141414141414141};
  const Probe key{words, "AAAAAAAAA"};
  Path path;
  tree->seek(root, key, false, path);
  if (!tree->at_end(path)) tree->is_at(path, key);
  tree->rank(path);
  tree->seek_rank(root, 100, path);
  tree->next_leaf(path);
  tree->previous_leaf(path);
  const u32 value = 5;
  for (int i = 0; i < 20; ++i) tree->insert(key, reinterpret_cast<const u8*>(&value), Existing::kAdd);
  tree->seek(pool->header().root, key, false, path);
  if (!tree->at_end(path)) tree->erase(path);
  tree->verify(pool->header().root);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string kImages[] = {image_of(false), image_of(true)};
  if (size < 2) return 0;
  std::string bytes = kImages[data[0] % 2];
  const bool sealed = data[1] % 4 != 0;
  // A position of 3 bytes, then 2 bytes to write there.
  for (data += 2, size -= 2; size >= 5; data += 5, size -= 5) {
    const size_t at = (data[0] | data[1] << 8 | data[2] << 16) % (bytes.size() - 2);
    std::memcpy(bytes.data() + at, data + 3, 2);
  }
  for (size_t group = 0; sealed && group + kMinGroupBytes <= bytes.size(); group += kMinGroupBytes) {
    const u64 sum = checksum(reinterpret_cast<const u64*>(bytes.data() + group), kMinGroupBytes / 8 - 1);
    std::memcpy(bytes.data() + group + kMinGroupBytes - 8, &sum, 8);
  }
  try {
    RecordedStorage storage(bytes);
    ask(storage);
  } catch (const UserError&) {
  }
  return 0;
}

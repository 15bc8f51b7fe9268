#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace lanewise::gpu {

/// FNV-1a, 64 bits. Distinguishes sources that were not made to collide.
uint64_t digest(std::string_view bytes, uint64_t hash = 0xcbf29ce484222325);

/// Compiled kernels on disk, one file for each key. Threads and processes share it: an entry is written aside
/// and then renamed, and a broken one counts as none. Where the folder cannot be used there is nothing in it,
/// and nothing fails.
class KernelCache {
 public:
  /// lanewise/kernels in XDG_CACHE_HOME or ~/.cache.
  static KernelCache& system();
  /// What was compiled ahead with this program and is only read: LANEWISE_KERNELS if that is set, else
  /// lanewise_kernels next to the program or in the lib next to its folder. Often there is none.
  static const KernelCache& ahead();
  /// An empty `folder` caches nothing. Over `limit` bytes the entries that were not used for longest go.
  explicit KernelCache(std::filesystem::path folder, size_t limit = size_t{256} << 20);

  const std::filesystem::path& folder() const { return folder_; }
  /// What was stored under the very same key.
  std::optional<std::string> find(const std::string& key) const;
  /// Whether find() is likely to give something: only the entry's key is read, and no use of it is noted.
  bool holds(const std::string& key) const;
  void store(const std::string& key, const std::string& image) const;

 private:
  std::filesystem::path path_of(const std::string& key) const;
  void make_room() const;

  const std::filesystem::path folder_;
  const size_t limit_;
};

}  // namespace lanewise::gpu

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace lanewise::gpu {

/// FNV-1a, 64 bits. Not safe against deliberate collisions.
uint64_t digest(std::string_view bytes, uint64_t hash = 0xcbf29ce484222325);

/// Compiled kernels on disk, one file for each key. Threads and processes share it: an entry is written to
/// another name and then renamed, and a damaged one counts as missing. A folder that cannot be used counts as
/// empty; nothing fails.
class KernelCache {
 public:
  /// lanewise/kernels in XDG_CACHE_HOME or ~/.cache.
  static KernelCache& system();
  /// Read-only kernels that were compiled with this program: LANEWISE_KERNELS if set, else
  /// lanewise_kernels next to the program or in ../lib. Often there is none.
  static const KernelCache& ahead();
  /// An empty `folder` caches nothing. Above `limit` bytes the least recently used entries are removed.
  explicit KernelCache(std::filesystem::path folder, size_t limit = size_t{256} << 20);

  const std::filesystem::path& folder() const { return folder_; }
  /// The entry stored under exactly this key.
  std::optional<std::string> find(const std::string& key) const;
  /// Whether find() is likely to succeed: reads only the entry's key, and does not count as a use.
  bool holds(const std::string& key) const;
  void store(const std::string& key, const std::string& image) const;

 private:
  std::filesystem::path path_of(const std::string& key) const;
  void make_room() const;

  const std::filesystem::path folder_;
  const size_t limit_;
};

}  // namespace lanewise::gpu

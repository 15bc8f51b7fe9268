#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace lanewise {

/// Memory that lies in temporary files, for what a MemoryBudget has no room for: the system keeps it in its
/// page cache and writes it to disk where it needs the memory. The files have no names, so nothing of them is
/// left, however the process ends. Thread-safe.
class SpillFile {
 public:
  /// Opens nothing yet. `folder`: where the files are; empty: $TMPDIR, else /var/tmp, which is on disk where
  /// /tmp is in memory. `limit`: bytes at most, 0: nine tenths of what is free there when the first is
  /// wanted.
  explicit SpillFile(std::string folder = {}, size_t limit = 0);

  /// `bytes` of unspecified content, aligned to pages; they are given back when the last pointer to them
  /// goes, which may be after the SpillFile. Room on the disk is reserved: a full disk is a MemoryError here
  /// that names the folder and `what`, a string literal, the operator that asked.
  std::shared_ptr<uint8_t> allocate(size_t bytes, std::string_view what);

  const std::string& folder() const;
  size_t used() const;
  /// The most bytes that were in use since the last call.
  size_t take_peak();

 private:
  class Files;
  std::shared_ptr<Files> files_;
};

}  // namespace lanewise

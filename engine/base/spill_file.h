#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace lanewise {

/// A new file without a name, which is gone as soon as it is closed, even by a crash; or -1 and errno.
int open_unnamed(const std::string& folder);
/// Writes all of it, or returns false and errno.
bool write_at(int file, const uint8_t* from, size_t bytes, size_t offset);
/// The text of an error: `what` (an operator) exceeds the memory limit by `bytes`, for which `folder` has no
/// room.
std::string no_room_in(const std::string& folder, std::string_view what, size_t bytes, std::string_view why);

/// Memory in mapped temporary files, for data that exceeds a MemoryBudget. The system keeps it in its page
/// cache, and writes it to disk when it needs the memory. The files have no names, so nothing is left,
/// even after a crash. Thread-safe.
class SpillFile {
 public:
  /// Opens nothing yet. `folder`: where the files are; empty: $TMPDIR, else /var/tmp, which is on disk even
  /// if /tmp is in memory. `limit`: maximum bytes; 0: 90 % of the free space at the first allocation.
  explicit SpillFile(std::string folder = {}, size_t limit = 0);

  /// `bytes` of unspecified content, aligned to pages. They are freed with the last pointer to them, which
  /// may outlive the SpillFile. Disk space is reserved: a full disk is a MemoryError that names the folder
  /// and the operator (`what`, a string literal).
  std::shared_ptr<uint8_t> allocate(size_t bytes, std::string_view what);

  /// Moves `bytes` bytes from memory mapped at `memory` (a page's start) to a file, which is mapped in their
  /// place: reads and writes go on. The file's space is freed with the last pointer returned; the memory must
  /// not be used afterwards. Null, and nothing has changed, if the disk has no room.
  std::shared_ptr<const void> move(void* memory, size_t bytes, std::string_view what);

  const std::string& folder() const;
  size_t used() const;
  /// The peak number of bytes in use since the last call.
  size_t take_peak();

 private:
  class Files;
  std::shared_ptr<Files> files_;
};

}  // namespace lanewise

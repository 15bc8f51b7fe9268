#include "sql/duckdb/temporary_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/spill_file.h"

namespace lanewise::sql {

namespace {

size_t whole_pages(size_t bytes) { return (bytes + 4095) / 4096 * 4096; }

}  // namespace

/// A file without a name. Ranges of it are used again, and free ones at its end are cut off.
class TemporaryFiles::Disk {
 public:
  explicit Disk(std::string folder) : folder_(std::move(folder)), file_(open_unnamed(folder_)) {
    if (file_ < 0)
      throw duckdb::IOException(
          fmt::format("cannot open a temporary file in '{}': {}; name another folder by --temp-directory",
                      folder_, std::strerror(errno)));
  }
  Disk(const Disk&) = delete;
  ~Disk() { ::close(file_); }

  /// Returns the range's offset.
  size_t allocate(size_t bytes) {
    const std::lock_guard lock(mutex_);
    bytes = whole_pages(bytes);
    const auto fits = by_size_.lower_bound({bytes, 0});
    if (fits == by_size_.end()) return std::exchange(end_, end_ + bytes);
    const auto [size, offset] = *fits;
    remove(free_.find(offset));
    if (size > bytes) add(offset + bytes, size - bytes);
    return offset;
  }
  void release(size_t offset, size_t bytes) {
    const std::lock_guard lock(mutex_);
    bytes = whole_pages(bytes);
    if (const auto next = free_.find(offset + bytes); next != free_.end()) {
      bytes += next->second;
      remove(next);
    }
    if (const auto next = free_.lower_bound(offset); next != free_.begin()) {
      const auto [before, size] = *std::prev(next);
      if (before + size == offset) {
        remove(std::prev(next));
        offset = before;
        bytes += size;
      }
    }
    if (offset + bytes < end_) return add(offset, bytes);
    end_ = offset;
    // A forked process shares the file. If it cannot be cut, its end is used again.
    if (::getpid() == process_) std::ignore = ::ftruncate(file_, static_cast<off_t>(end_));
  }

  void write(size_t offset, const void* from, size_t bytes) const {
    // DuckDB keeps the text of its own exceptions only.
    if (!write_at(file_, static_cast<const uint8_t*>(from), bytes, offset))
      throw duckdb::IOException(no_room_in(folder_, "DuckDB", bytes, std::strerror(errno)));
  }
  void read(size_t offset, void* to, size_t bytes) const {
    for (size_t done = 0; done < bytes;) {
      const ssize_t count =
          ::pread(file_, static_cast<uint8_t*>(to) + done, bytes - done, static_cast<off_t>(offset + done));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0)
        throw duckdb::IOException(fmt::format("cannot read a temporary file in '{}': {}", folder_,
                                              count == 0 ? "it ends early" : std::strerror(errno)));
      done += static_cast<size_t>(count);
    }
  }

 private:
  using Free = std::map<size_t, size_t>;  // offset -> bytes; adjacent ranges are merged

  void add(size_t offset, size_t bytes) {
    free_.emplace(offset, bytes);
    by_size_.emplace(bytes, offset);
  }
  void remove(Free::iterator range) {
    by_size_.erase({range->second, range->first});
    free_.erase(range);
  }

  const std::string folder_;
  const int file_;
  const pid_t process_ = ::getpid();
  std::mutex mutex_;
  size_t end_ = 0;
  Free free_;
  std::set<std::pair<size_t, size_t>> by_size_;  // of free_: bytes, offset
};

class TemporaryFiles::Content {
 public:
  explicit Content(std::shared_ptr<Disk> disk) : disk_(std::move(disk)) {}
  Content(const Content&) = delete;
  ~Content() { truncate(0); }

  /// False if no single write has written these bytes.
  bool read(size_t at, void* to, size_t bytes) {
    const std::optional<size_t> offset = find(at, bytes);
    if (offset) disk_->read(*offset, to, bytes);
    return offset.has_value();
  }
  void write(size_t at, const void* from, size_t bytes) {
    if (const std::optional<size_t> offset = find(at, bytes)) return disk_->write(*offset, from, bytes);
    const size_t offset = disk_->allocate(bytes);
    try {
      disk_->write(offset, from, bytes);
    } catch (...) {
      disk_->release(offset, bytes);
      throw;
    }
    const std::lock_guard lock(mutex_);
    const auto [range, is_new] = written_.try_emplace(at, Range{offset, bytes});
    if (is_new) return;
    disk_->release(range->second.offset, range->second.bytes);  // of fewer bytes
    range->second = {offset, bytes};
  }
  void truncate(size_t size) {
    const std::lock_guard lock(mutex_);
    const auto first = written_.lower_bound(size);
    for (auto range = first; range != written_.end(); ++range)
      disk_->release(range->second.offset, range->second.bytes);
    written_.erase(first, written_.end());
  }
  size_t size() {
    const std::lock_guard lock(mutex_);
    return written_.empty() ? 0 : written_.rbegin()->first + written_.rbegin()->second.bytes;
  }

 private:
  struct Range {
    size_t offset;
    size_t bytes;
  };
  std::optional<size_t> find(size_t at, size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto next = written_.upper_bound(at);
    if (next == written_.begin()) return std::nullopt;
    const auto& [start, range] = *std::prev(next);
    return at + bytes <= start + range.bytes ? std::optional(range.offset + (at - start)) : std::nullopt;
  }

  const std::shared_ptr<Disk> disk_;
  std::mutex mutex_;
  std::map<size_t, Range> written_;  // by the offset in this file
};

struct TemporaryFiles::Handle : duckdb::FileHandle {
  Handle(TemporaryFiles& files, const std::string& name, duckdb::FileOpenFlags how,
         std::shared_ptr<Content> opened)
      : FileHandle(files, name, how), content(std::move(opened)) {}
  void Close() override {}

  static Content& content_of(duckdb::FileHandle& file) { return *file.Cast<Handle>().content; }

  const std::shared_ptr<Content> content;
};

bool TemporaryFiles::CanHandleFile(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string_view name = std::string_view(path).substr(slash + 1);
  const bool is_temporary = (name.starts_with("duckdb_temp_storage_") && name.ends_with(".tmp")) ||
                            (name.starts_with("duckdb_temp_block-") && name.ends_with(".block"));
  if (!is_temporary || slash == std::string::npos || budget_.spill_file() == nullptr) return false;
  std::string_view folder = budget_.spill_file()->folder();
  if (folder.ends_with('/')) folder.remove_suffix(1);
  return std::string_view(path).substr(0, slash) == folder;
}

duckdb::unique_ptr<duckdb::FileHandle> TemporaryFiles::OpenFile(const std::string& path,
                                                                duckdb::FileOpenFlags flags,
                                                                duckdb::optional_ptr<duckdb::FileOpener>) {
  const std::lock_guard lock(mutex_);
  auto file = files_.find(path);
  if (file == files_.end()) {
    if (flags.ReturnNullIfNotExists()) return nullptr;
    if (!flags.CreateFileIfNotExists())
      throw duckdb::IOException(fmt::format("the temporary file '{}' does not exist", path));
    // DuckDB does not change the folder after its first file.
    if (disk_ == nullptr) disk_ = std::make_shared<Disk>(budget_.spill_file()->folder());
    file = files_.emplace(path, std::make_shared<Content>(disk_)).first;
  }
  return duckdb::make_uniq<Handle>(*this, path, flags, file->second);
}

bool TemporaryFiles::FileExists(const std::string& path, duckdb::optional_ptr<duckdb::FileOpener>) {
  const std::lock_guard lock(mutex_);
  return files_.contains(path);
}

void TemporaryFiles::RemoveFile(const std::string& path, duckdb::optional_ptr<duckdb::FileOpener>) {
  const std::lock_guard lock(mutex_);
  files_.erase(path);
}

void TemporaryFiles::Read(duckdb::FileHandle& file, void* buffer, int64_t bytes, duckdb::idx_t at) {
  if (!Handle::content_of(file).read(at, buffer, static_cast<size_t>(bytes)))
    throw duckdb::IOException(fmt::format("the temporary file '{}' ends early", file.GetPath()));
}

void TemporaryFiles::Write(duckdb::FileHandle& file, void* buffer, int64_t bytes, duckdb::idx_t at) {
  Handle::content_of(file).write(at, buffer, static_cast<size_t>(bytes));
}

void TemporaryFiles::Truncate(duckdb::FileHandle& file, int64_t size) {
  Handle::content_of(file).truncate(static_cast<size_t>(size));
}

int64_t TemporaryFiles::GetFileSize(duckdb::FileHandle& file) {
  return static_cast<int64_t>(Handle::content_of(file).size());
}

duckdb::FileType TemporaryFiles::GetFileType(duckdb::FileHandle&) {
  return duckdb::FileType::FILE_TYPE_REGULAR;
}

}  // namespace lanewise::sql

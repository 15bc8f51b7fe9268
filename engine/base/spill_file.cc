#include "base/spill_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "base/size.h"

namespace lanewise {

namespace {

constexpr size_t kFileSize = size_t{256} << 20;  // or the size of a larger allocation
constexpr size_t kMostMoved = size_t{1} << 15;   // the system has a limit of mappings, 65,530 by default
constexpr size_t kKept = size_t{16} << 20;       // unused ranges that keep their disk space

/// Ranges begin and end at multiples of it.
size_t page_size() {
  static const auto size = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

std::string system_folder() {
  const char* const named = std::getenv("TMPDIR");
  if (named != nullptr && *named != '\0') return named;
  return ::access("/var/tmp", W_OK | X_OK) == 0 ? "/var/tmp" : "/tmp";
}

}  // namespace

int open_unnamed(const std::string& folder) {
  const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return file;
  std::string path = folder + "/lanewise-XXXXXX";  // for file systems without unnamed files
  const int named = ::mkostemp(path.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(path.c_str());
  return named;
}

bool write_at(int file, const uint8_t* from, size_t bytes, size_t offset) {
  while (bytes != 0) {
    const ssize_t written = ::pwrite(file, from, bytes, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    from += written;
    offset += static_cast<size_t>(written);
    bytes -= static_cast<size_t>(written);
  }
  return true;
}

std::string no_room_in(const std::string& folder, std::string_view what, size_t bytes, std::string_view why) {
  return fmt::format(
      "{} needs {} more than the memory limit allows, and the temporary folder '{}' cannot hold it: {}; "
      "raise --memory-limit, or name another folder by --temp-directory",
      what, format_size(bytes), folder, why);
}

/// Shared with the allocations, so that it may outlive its SpillFile.
class SpillFile::Files : public std::enable_shared_from_this<Files> {
 public:
  Files(std::string folder, size_t limit)
      : folder_(folder.empty() ? system_folder() : std::move(folder)), limit_(limit) {}

  Files(const Files&) = delete;
  ~Files() {
    for (const File& file : files_) close(file);
  }

  std::shared_ptr<uint8_t> allocate(size_t bytes, std::string_view what) {
    const size_t size = pages(bytes);
    const Range range = reserved(size, what);
    return {range.file->data + range.offset,
            [files = shared_from_this(), range, size](uint8_t*) { files->release_own(range, size); }};
  }

  std::shared_ptr<const void> move(void* memory, size_t bytes, std::string_view what) {
    const size_t size = pages(bytes);
    if (moved_ >= kMostMoved) return nullptr;
    Range range;
    try {
      range = reserved(size, what);
    } catch (const MemoryError&) {
      return nullptr;
    }
    const int file = range.file->descriptor;
    // write() fills the system's page cache without a page fault for each page.
    if (!write_at(file, static_cast<const uint8_t*>(memory), size, range.offset) ||
        ::mmap(memory, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
               static_cast<off_t>(range.offset)) == MAP_FAILED) {
      release(range, size);
      return nullptr;
    }
    ::madvise(memory, size, MADV_DONTDUMP);
    ++moved_;
    return {memory, [files = shared_from_this(), range, size](const void*) {
              --files->moved_;
              files->release_own(range, size);
            }};
  }

  const std::string& folder() const { return folder_; }
  size_t used() const {
    const std::lock_guard lock(mutex_);
    return used_;
  }
  size_t take_peak() {
    const std::lock_guard lock(mutex_);
    return std::exchange(peak_, used_);
  }

 private:
  struct File {
    int descriptor = -1;
    uint8_t* data = nullptr;
    size_t size = 0;
    std::map<size_t, size_t> free = {};  // offset -> bytes; adjacent ranges are merged
  };
  using FileAt = std::list<File>::iterator;
  struct Range {
    FileAt file;
    size_t offset;
  };

  [[noreturn]] void fail(std::string_view what, size_t bytes, std::string_view why) const {
    throw MemoryError(no_room_in(folder_, what, bytes, why));
  }

  static size_t pages(size_t bytes) {
    return (std::max(bytes, size_t{1}) + page_size() - 1) / page_size() * page_size();
  }

  Range reserved(size_t size, std::string_view what) {
    const auto [range, on_disk] = take(size, what);
    if (!on_disk) reserve(range, size, what);
    return range;
  }

  /// Not in a forked process: the range is still its parent's.
  void release_own(Range range, size_t size) {
    if (::getpid() == process_) release(range, size);
  }

  /// A range, and whether disk space is reserved for it.
  std::pair<Range, bool> take(size_t size, std::string_view what) {
    const std::lock_guard lock(mutex_);
    if (limit_ == 0) limit_ = free_space(what) / 10 * 9;
    if (used_ + size > limit_)
      fail(what, size, fmt::format("{} of {} are in use", format_size(used_), format_size(limit_)));
    used_ += size;
    peak_ = std::max(peak_, used_);
    if (const auto kept = kept_.find(size); kept != kept_.end()) {
      const Range range = kept->second;
      kept_.erase(kept);
      kept_bytes_ -= size;
      return {range, true};
    }
    try {
      return {take_free(size, what), false};
    } catch (...) {
      used_ -= size;
      throw;
    }
  }

  Range take_free(size_t size, std::string_view what) {
    for (auto file = files_.begin(); file != files_.end(); ++file) {
      const auto range = std::find_if(file->free.begin(), file->free.end(),
                                      [&](const auto& free) { return free.second >= size; });
      if (range != file->free.end()) return take_part(file, range, size);
    }
    const auto file = add_file(std::max(size, kFileSize), what);
    return take_part(file, file->free.begin(), size);
  }

  static Range take_part(FileAt file, std::map<size_t, size_t>::iterator free, size_t size) {
    const auto [offset, bytes] = *free;
    file->free.erase(free);
    if (bytes > size) file->free[offset + size] = bytes - size;
    return {file, offset};
  }

  void reserve(Range range, size_t size, std::string_view what) {
    const int file = range.file->descriptor;
    const auto offset = static_cast<off_t>(range.offset);
    const auto bytes = static_cast<off_t>(size);
    int failed = ::fallocate(file, 0, offset, bytes) == 0 ? 0 : errno;
    if ((failed == ENOSPC || failed == EDQUOT) && free_kept())
      failed = ::fallocate(file, 0, offset, bytes) == 0 ? 0 : errno;
    if (failed == EOPNOTSUPP || failed == EINTR) failed = ::posix_fallocate(file, offset, bytes);
    if (failed == 0) return;
    const std::lock_guard lock(mutex_);
    used_ -= size;
    give_back(range, size);
    fail(what, size, std::strerror(failed));
  }

  /// Keeps the range for the next allocation of its size: freeing and reserving it again would cost more than
  /// most work on it.
  void release(Range range, size_t size) {
    {
      const std::lock_guard lock(mutex_);
      used_ -= size;
      kept_.emplace(size, range);
      kept_bytes_ += size;
      if (kept_bytes_ <= kKept) return;
    }
    free_kept();
  }

  /// Whether there was any.
  bool free_kept() {
    std::multimap<size_t, Range> removed;
    {
      const std::lock_guard lock(mutex_);
      removed.swap(kept_);
      kept_bytes_ = 0;
    }
    for (const auto& [bytes, unused] : removed)  // if the disk space cannot be freed, the range is reused
      ::madvise(unused.file->data + unused.offset, bytes, MADV_REMOVE);
    const std::lock_guard lock(mutex_);
    for (const auto& [bytes, unused] : removed) give_back(unused, bytes);
    return !removed.empty();
  }

  FileAt add_file(size_t size, std::string_view what) {
    const int descriptor = open_unnamed(folder_);
    if (descriptor < 0) fail(what, size, std::strerror(errno));
    void* data = MAP_FAILED;
    if (::ftruncate(descriptor, static_cast<off_t>(size)) == 0)
      data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (data == MAP_FAILED) {
      const int failed = errno;
      ::close(descriptor);
      fail(what, size, std::strerror(failed));
    }
    ::madvise(data, size, MADV_DONTDUMP);
    return files_.insert(files_.end(), {descriptor, static_cast<uint8_t*>(data), size, {{0, size}}});
  }

  void give_back(Range unused, size_t size) {
    const auto [file, offset] = unused;
    auto range = file->free.emplace(offset, size).first;
    if (const auto next = std::next(range); next != file->free.end() && next->first == offset + size) {
      range->second += next->second;
      file->free.erase(next);
    }
    if (range != file->free.begin()) {
      const auto before = std::prev(range);
      if (before->first + before->second == offset) {
        before->second += range->second;
        file->free.erase(range);
        range = before;
      }
    }
    // One stays open: making and removing a file takes a millisecond; most queries that spill need no
    // more.
    if (range->second != file->size || (files_.size() == 1 && file->size == kFileSize)) return;
    close(*file);
    files_.erase(file);
  }

  static void close(const File& file) {
    ::munmap(file.data, file.size);
    ::close(file.descriptor);
  }

  size_t free_space(std::string_view what) const {
    struct statvfs system{};
    if (::statvfs(folder_.c_str(), &system) != 0) fail(what, 0, std::strerror(errno));
    return static_cast<size_t>(system.f_bavail) * system.f_frsize;
  }

  const std::string folder_;
  const pid_t process_ = ::getpid();
  mutable std::mutex mutex_;
  size_t limit_;  // 0: not yet known
  size_t used_ = 0;
  size_t peak_ = 0;
  std::list<File> files_;
  std::atomic<size_t> moved_{0};
  std::multimap<size_t, Range> kept_;  // by size
  size_t kept_bytes_ = 0;
};

SpillFile::SpillFile(std::string folder, size_t limit)
    : files_(std::make_shared<Files>(std::move(folder), limit)) {}

std::shared_ptr<uint8_t> SpillFile::allocate(size_t bytes, std::string_view what) {
  return files_->allocate(bytes, what);
}

std::shared_ptr<const void> SpillFile::move(void* memory, size_t bytes, std::string_view what) {
  return files_->move(memory, bytes, what);
}

const std::string& SpillFile::folder() const { return files_->folder(); }
size_t SpillFile::used() const { return files_->used(); }
size_t SpillFile::take_peak() { return files_->take_peak(); }

}  // namespace lanewise

#include "index/storage.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace lanewise::index {

void FileStorage::fail(const char* verb) const {
  throw UserError(fmt::format("cannot {} '{}': {}", verb, path_, std::strerror(errno)));
}

FileStorage::FileStorage(std::string path, Mode mode) : path_(std::move(path)), mode_(mode) {
  const int flags = mode == Mode::kRead ? O_RDONLY : mode == Mode::kWrite ? O_RDWR : O_RDWR | O_CREAT;
  file_ = ::open(path_.c_str(), flags | O_CLOEXEC, 0666);
  if (file_ < 0) fail("open");
  try {
    if (::flock(file_, (writable() ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) {
        throw UserError(fmt::format("'{}' is in use: an index is open for one writer or for readers", path_));
      }
      fail("lock");
    }
    struct stat status{};
    if (::fstat(file_, &status) != 0) fail("read");
    if (!S_ISREG(status.st_mode)) throw UserError(fmt::format("'{}' is no file", path_));
    if (mode == Mode::kCreate) truncate(0);
  } catch (...) {
    ::close(file_);
    throw;
  }
}

FileStorage::~FileStorage() { ::close(file_); }

void FileStorage::rename(const std::string& path) {
  if (std::rename(path_.c_str(), path.c_str()) != 0) fail("rename");
  path_ = path;
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) fail("sync the folder of");
  const int synced = ::fsync(opened);
  ::close(opened);
  if (synced != 0) fail("sync the folder of");
}

uint64_t FileStorage::size() const {
  struct stat status{};
  if (::fstat(file_, &status) != 0) fail("read");
  return static_cast<uint64_t>(status.st_size);
}

void FileStorage::read(uint64_t at, void* to, size_t bytes) const {
  for (auto* next = static_cast<char*>(to); bytes != 0;) {
    const ssize_t taken = ::pread(file_, next, bytes, static_cast<off_t>(at));
    if (taken < 0 && errno == EINTR) continue;
    if (taken < 0) fail("read");
    if (taken == 0) throw UserError(fmt::format("'{}' ends at byte {}, too early", path_, at));
    next += taken;
    at += static_cast<uint64_t>(taken);
    bytes -= static_cast<size_t>(taken);
  }
}

void FileStorage::write(uint64_t at, const void* from, size_t bytes) {
  for (auto* next = static_cast<const char*>(from); bytes != 0;) {
    const ssize_t taken = ::pwrite(file_, next, bytes, static_cast<off_t>(at));
    if (taken < 0 && errno == EINTR) continue;
    if (taken < 0) fail("write");
    next += taken;
    at += static_cast<uint64_t>(taken);
    bytes -= static_cast<size_t>(taken);
  }
}

void FileStorage::sync() {
  if (::fsync(file_) != 0) fail("sync");
}

void FileStorage::truncate(uint64_t size) {
  if (::ftruncate(file_, static_cast<off_t>(size)) != 0) fail("truncate");
}

void FileStorage::map(uint8_t* to, size_t bytes) const {
  if (::mmap(to, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file_, 0) == MAP_FAILED) fail("map");
}

}  // namespace lanewise::index

#include "index/image/storage.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

#include "base/error.h"

namespace lanewise::index {

namespace {

/// " by process 123": the process that has locked the file, if the system reports it.
std::string holder_of(int file) {
  struct stat status{};
  if (::fstat(file, &status) != 0) return "";
  const std::string inode = fmt::format(":{} ", status.st_ino);
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {  // 1: FLOCK ADVISORY WRITE 123 08:01:4711 0 EOF
    std::istringstream words(line);
    std::string number, kind, how, access, process;
    words >> number >> kind >> how >> access >> process;
    if (kind == "FLOCK" && line.find(inode) != std::string::npos) return " by process " + process;
  }
  return "";
}

}  // namespace

void FileStorage::fail(const char* verb) const {
  throw UserError(fmt::format("cannot {} '{}': {}", verb, name_, std::strerror(errno)));
}

FileStorage::FileStorage(const std::string& path, Mode mode, double wait) : name_(path), mode_(mode) {
  file_ = ::open(path.c_str(), (writable() ? O_RDWR : O_RDONLY) | O_CLOEXEC);
  if (file_ < 0) fail("open");
  try {
    check_regular();
    lock(wait);
  } catch (...) {
    ::close(file_);
    throw;
  }
}

FileStorage::FileStorage(const std::string& path, std::string name)
    : name_(std::move(name)), mode_(Mode::kWrite) {
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file_ < 0) fail("write");
  ::flock(file_, LOCK_EX | LOCK_NB);  // no other process knows its name
}

FileStorage::~FileStorage() { ::close(file_); }

void FileStorage::check_regular() const {
  struct stat status{};
  if (::fstat(file_, &status) != 0) fail("read");
  if (!S_ISREG(status.st_mode)) throw UserError(fmt::format("'{}' is not a file", name_));
}

void FileStorage::lock(double wait) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(wait);
  while (::flock(file_, (writable() ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) fail("lock");
    if (Clock::now() >= end) {
      const std::string holder = holder_of(file_);
      throw UserError(wait > 0 ? fmt::format("'{}' is still in use{} after {} seconds", name_, holder, wait)
                               : fmt::format("'{}' is in use{}; --wait SECONDS waits", name_, holder));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
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
    if (taken == 0) throw UserError(fmt::format("'{}' is truncated at byte {}", name_, at));
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

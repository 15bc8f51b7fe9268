#include "base/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>

#include "base/error.h"

namespace lanewise {

namespace {

struct Unfinished {
  std::mutex mutex;
  std::set<std::string> paths;
};
Unfinished& unfinished() {
  static Unfinished all;
  return all;
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

/// ".csv.gz" of "a b.csv.gz": it selects readers and writers.
std::string extensions_of(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  size_t first = name.size();
  for (size_t at = name.size(); at-- > 0;) {
    if (name[at] == '.') first = at;
    const bool plain = name[at] == '.' || (name[at] >= '0' && name[at] <= '9') ||
                       (name[at] >= 'a' && name[at] <= 'z') || (name[at] >= 'A' && name[at] <= 'Z');
    if (!plain || name.size() - at > 16) break;
  }
  return name.substr(first);
}

/// The target of a link, so that the file is replaced and not the link.
std::string resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> found(::realpath(path.c_str(), nullptr), std::free);
  return found == nullptr ? path : found.get();
}

struct Descriptor {
  Descriptor(const std::string& path, int flags) : number(::open(path.c_str(), flags | O_CLOEXEC)) {}
  Descriptor(Descriptor&&) = delete;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
  const int number;
};

[[noreturn]] void fail(const std::string& path) {
  throw UserError("cannot write '" + path + "': " + std::strerror(errno));
}

}  // namespace

NewFile::NewFile(std::string path) : path_(std::move(path)), target_(path_), temporary_(path_) {
  struct stat status{};
  const bool exists = ::stat(path_.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) fail(path_);
  if (exists && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    fail(path_);
  }
  if (exists && !S_ISREG(status.st_mode)) return;
  if (exists && ::access(path_.c_str(), W_OK) != 0) fail(path_);
  if (exists) target_ = resolved(path_);
  if (path_.ends_with('/')) {
    errno = ENOTDIR;
    fail(path_);
  }
  static std::atomic<unsigned> number = 0;
  temporary_ = folder_of(target_) + ".lanewise-" + std::to_string(::getpid()) + "-" +
               std::to_string(++number) + extensions_of(target_);
  const std::lock_guard lock(unfinished().mutex);
  unfinished().paths.insert(temporary_);
}

NewFile::~NewFile() {
  if (in_place()) return;
  const std::lock_guard lock(unfinished().mutex);
  if (unfinished().paths.erase(temporary_) != 0) ::unlink(temporary_.c_str());
}

void NewFile::commit() {
  if (in_place()) return;
  const std::lock_guard lock(unfinished().mutex);
  // Sync first: otherwise a crash of the machine may leave the new name without the bytes.
  const Descriptor file(temporary_, O_RDONLY);
  struct stat old{};
  if (file.number < 0 || ::fsync(file.number) != 0) fail(path_);
  if (::stat(target_.c_str(), &old) == 0) ::fchmod(file.number, old.st_mode & 07777);
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(path_);
  unfinished().paths.erase(temporary_);
  const std::string folder = folder_of(target_);
  const Descriptor opened(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
  if (opened.number >= 0) ::fsync(opened.number);  // a file system without fsync is not an error
}

void exit_without_new_files(int code) noexcept {
  const std::lock_guard lock(unfinished().mutex);  // until the end: no file may be renamed after this
  for (const std::string& path : unfinished().paths) ::unlink(path.c_str());
  ::_exit(code);
}

bool is_same_file(const std::string& a, const std::string& b) {
  struct stat one{}, other{};
  return ::stat(a.c_str(), &one) == 0 && ::stat(b.c_str(), &other) == 0 && one.st_dev == other.st_dev &&
         one.st_ino == other.st_ino;
}

void refuse_overwriting(const std::string& output, std::span<const std::string> inputs) {
  struct stat status{};
  if (::stat(output.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  for (const std::string& input : inputs) {
    if (is_same_file(output, input)) {
      throw UserError("'" + output + "' is also an input; choose another output");
    }
  }
}

}  // namespace lanewise

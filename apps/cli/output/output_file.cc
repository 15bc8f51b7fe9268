#include "output/output_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace lanewise::cli {

namespace {
constexpr size_t kFlushAt = size_t{1} << 16;
}

OutputFile::OutputFile() : file_(stdout) {}

OutputFile::OutputFile(const std::string& path) : path_(path) {
  struct stat status{};
  const bool in_place = ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
  if (!in_place) temporary_ = fmt::format("{}.{}.tmp", path, ::getpid());
  file_ = std::fopen((in_place ? path_ : temporary_).c_str(), "wb");
  if (file_ == nullptr) {
    temporary_.clear();
    fail();
  }
}

OutputFile::~OutputFile() {
  if (path_.empty()) return;
  if (file_ != nullptr) std::fclose(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::fail() const {
  if (path_.empty() && errno == EPIPE) throw ClosedPipe();
  throw UserError(fmt::format("cannot write {}: {}", path_.empty() ? "standard output" : "'" + path_ + "'",
                              std::strerror(errno)));
}

void OutputFile::flush() {
  if (std::fwrite(pending_.data(), 1, pending_.size(), file_) != pending_.size()) fail();
  pending_.clear();
}

void OutputFile::write(std::string_view text) {
  pending_.append(text);
  if (pending_.size() >= kFlushAt) flush();
}

void OutputFile::close() {
  flush();
  if (std::fflush(file_) != 0) fail();
  if (path_.empty()) return;
  std::FILE* file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0) fail();
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail();
  temporary_.clear();
}

}  // namespace lanewise::cli

#include "process/output_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "process/interrupt.h"

namespace lanewise::cli {

namespace {
constexpr size_t kFlushAt = size_t{1} << 16;
}

OutputFile::OutputFile() : file_(stdout) {}

OutputFile::OutputFile(const std::string& path) : path_(path), renamed_(path) {
  file_ = std::fopen(renamed_->temporary().c_str(), "wb");
  if (file_ == nullptr) fail();
}

OutputFile::~OutputFile() {
  if (!path_.empty() && file_ != nullptr) std::fclose(file_);
}

void OutputFile::fail() const {
  if (path_.empty() && errno == EPIPE) throw ClosedPipe();
  throw UserError(fmt::format("cannot write {}: {}", path_.empty() ? "standard output" : "'" + path_ + "'",
                              std::strerror(errno)));
}

void OutputFile::flush() {
  stop_if_interrupted();
  if (pages_ && !pager_ && Pager::helps(pending_)) pager_.emplace();
  if (send()) return pending_.clear();
  if (!pager_) fail();
  pending_.clear();
  pager_.reset();
  throw ClosedPipe();
}

bool OutputFile::send() {
  std::FILE* const to = pager_ ? pager_->file() : file_;
  return to != nullptr && std::fwrite(pending_.data(), 1, pending_.size(), to) == pending_.size();
}

void OutputFile::write(std::string_view text) {
  pending_.append(text);
  if (pending_.size() >= kFlushAt) flush();
}

void OutputFile::close() {
  flush();
  pager_.reset();  // if the user leaves the pager, the rest of the output is dropped
  if (std::fflush(file_) != 0) fail();
  if (path_.empty()) return;
  std::FILE* file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0) fail();
  renamed_->commit();
}

}  // namespace lanewise::cli

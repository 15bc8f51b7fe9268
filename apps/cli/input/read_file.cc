#include "input/read_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>

#include "base/error.h"

namespace lanewise::cli {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

[[noreturn]] void fail(const std::string& path) {
  throw UserError(fmt::format("cannot read {}: {}", path == "-" ? "standard input" : "'" + path + "'",
                              std::strerror(errno)));
}

std::string read_all(std::FILE* file, const std::string& path) {
  std::string text;
  char part[1 << 16];
  for (size_t size; (size = std::fread(part, 1, sizeof(part), file)) > 0;) text.append(part, size);
  if (std::ferror(file) != 0) fail(path);  // or a folder, which can be opened
  return text;
}

}  // namespace

std::string read_file(const std::string& path) {
  std::string text;
  if (path == "-") {
    text = read_all(stdin, path);
  } else {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
    if (file == nullptr) fail(path);
    text = read_all(file.get(), path);
  }
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return text;
}

void require_file(const std::string& path) {
  if (::access(path.c_str(), R_OK) != 0) fail(path);
  if (std::filesystem::is_directory(path)) {
    errno = EISDIR;
    fail(path);
  }
}

}  // namespace lanewise::cli

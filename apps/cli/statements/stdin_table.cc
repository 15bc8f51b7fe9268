#include "statements/stdin_table.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/error.h"
#include "process/interrupt.h"
#include "process/terminal.h"

namespace lanewise::cli {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Whether the text ends with this word, in any case, as a word of its own.
bool ends_with_word(std::string_view text, std::string_view word) {
  if (text.size() < word.size()) return false;
  const size_t at = text.size() - word.size();
  if (::strncasecmp(text.data() + at, word.data(), word.size()) != 0) return false;
  return at == 0 || (std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0 && text[at - 1] != '_');
}

[[noreturn]] void fail(const char* what) {
  throw UserError(fmt::format("standard input: {}: {}", what, std::strerror(errno)));
}

/// Copies the rest of standard input to a file that vanishes when it is closed.
int copy_of_input() {
  const char* folder = std::getenv("TMPDIR");
  std::string path =
      fmt::format("{}/lanewise-XXXXXX", folder != nullptr && *folder != '\0' ? folder : "/tmp");
  const int file = ::mkostemp(path.data(), O_CLOEXEC);
  if (file < 0) fail("cannot create a temporary file");
  ::unlink(path.c_str());
  std::array<char, 1 << 16> block;
  for (;;) {
    stop_if_interrupted();
    const ssize_t size = ::read(STDIN_FILENO, block.data(), block.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) fail("cannot be read");
    if (size == 0) return file;
    for (ssize_t done = 0; done < size;) {
      const ssize_t written = ::write(file, block.data() + done, static_cast<size_t>(size - done));
      if (written < 0 && errno != EINTR) fail("its copy cannot be written");
      done += std::max<ssize_t>(written, 0);
    }
  }
}

/// The table function that reads such a file.
std::string reader_of(int file, const std::string& path) {
  std::array<char, 4096> head{};
  const ssize_t size = ::pread(file, head.data(), head.size(), 0);
  if (size < 0) fail("cannot be read");
  std::string_view text(head.data(), static_cast<size_t>(size));
  if (text.empty()) throw UserError("standard input is empty, so FROM '-' has no columns");
  if (text.starts_with("ARROW1") || text.starts_with("\xFF\xFF\xFF\xFF"))
    return fmt::format("read_arrow('{}')", path);
  if (text.starts_with("PAR1")) return fmt::format("read_parquet('{}')", path);
  if (text.starts_with("\x1F\x8B")) return fmt::format("read_csv('{}', compression = 'gzip')", path);
  if (text.starts_with("\x28\xB5\x2F\xFD")) return fmt::format("read_csv('{}', compression = 'zstd')", path);
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  if (text.starts_with('{') || text.starts_with('[')) return fmt::format("read_json('{}')", path);
  return fmt::format("read_csv('{}')", path);
}

}  // namespace

bool StdinTable::named_in(const std::string& sql) {
  for (const std::string_view name : {"'-'", "\"-\""}) {
    for (size_t at = sql.find(name); at != std::string::npos; at = sql.find(name, at + 1)) {
      std::string_view before = std::string_view(sql).substr(0, at);
      while (!before.empty() && is_space(before.back())) before.remove_suffix(1);
      if (ends_with_word(before, "from") || ends_with_word(before, "join")) return true;
    }
  }
  return false;
}

StdinTable::StdinTable(Session& session) {
  if (stdin_is_terminal()) throw UserError("FROM '-' reads standard input, which is a terminal here");
  struct stat status{};
  const bool regular = ::fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode) &&
                       ::lseek(STDIN_FILENO, 0, SEEK_CUR) == 0;
  if (!regular) file_ = copy_of_input();
  const int file = regular ? STDIN_FILENO : file_;
  session.run(fmt::format("CREATE TEMP VIEW \"-\" AS FROM {}",
                          reader_of(file, fmt::format("/proc/self/fd/{}", file))));
}

StdinTable::~StdinTable() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace lanewise::cli

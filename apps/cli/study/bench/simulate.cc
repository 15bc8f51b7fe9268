#include "study/bench/simulate.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/error.h"

namespace lanewise::cli::bench {

namespace {

/// A file that is removed by the destructor.
class TemporaryFile {
 public:
  TemporaryFile() : path_((std::filesystem::temp_directory_path() / "lanewise-XXXXXX").string()) {
    const int file = ::mkstemp(path_.data());
    if (file < 0) throw UserError(fmt::format("cannot create '{}': {}", path_, std::strerror(errno)));
    ::close(file);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { ::unlink(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The number after `name:` in a report, which writes 1,234.
double number_behind(const std::string& report, const std::string& name) {
  const size_t at = report.find(name + ":");
  if (at == std::string::npos) throw InternalError("cachegrind's report has no line '" + name + "'");
  std::string digits;
  for (size_t i = report.find_first_not_of(' ', at + name.size() + 1); i < report.size(); ++i) {
    if (report[i] == ',') continue;
    if (report[i] < '0' || report[i] > '9') break;
    digits += report[i];
  }
  if (digits.empty()) throw InternalError("cachegrind's report has no number after '" + name + "'");
  return std::stod(digits);
}

}  // namespace

Events parse_cachegrind(const std::string& report) {
  return {number_behind(report, "Branches"), number_behind(report, "Mispredicts"),
          number_behind(report, "LL misses")};
}

Events simulate(const std::vector<std::string>& arguments, const Cancellation& cancellation) {
  const TemporaryFile log;
  std::vector<std::string> words = {"valgrind",
                                    "--tool=cachegrind",
                                    "--cache-sim=yes",
                                    "--branch-sim=yes",
                                    "--cachegrind-out-file=/dev/null",
                                    "--log-file=" + log.path(),
                                    std::filesystem::read_symlink("/proc/self/exe").string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, "valgrind", nullptr, nullptr, pointers.data(), environ);
  if (error != 0) throw UserError(fmt::format("cannot run valgrind: {}", std::strerror(error)));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  cancellation.check();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw UserError(fmt::format("valgrind failed; run {}", fmt::join(words, " ")));
  }
  std::ifstream in(log.path());
  return parse_cachegrind({std::istreambuf_iterator<char>(in), {}});
}

}  // namespace lanewise::cli::bench

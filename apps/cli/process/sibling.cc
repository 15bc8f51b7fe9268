#include "process/sibling.h"

#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <string>

#include "process/print.h"

namespace lanewise::cli {

ExitCode run_sibling(const std::string& name, std::vector<std::string> words) {
  char path[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  std::string program(path, length > 0 ? static_cast<size_t>(length) : 0);
  program.resize(program.rfind('/') + 1);
  program += name;
  words.insert(words.begin(), name);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  print_error("error: cannot start {}: {}\n", program, std::strerror(errno));
  return kUserError;
}

}  // namespace lanewise::cli

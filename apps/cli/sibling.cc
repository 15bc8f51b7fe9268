#include "sibling.h"

#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <string>

#include "exit_code.h"
#include "output/print.h"

namespace lanewise::cli {

int run_sibling(const char* name, char** argv) {
  char path[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  std::string program(path, length > 0 ? static_cast<size_t>(length) : 0);
  program.resize(program.rfind('/') + 1);
  program += name;
  ::execv(program.c_str(), argv);
  print_error("error: cannot start {}: {}\n", program, std::strerror(errno));
  return kUserError;
}

}  // namespace lanewise::cli

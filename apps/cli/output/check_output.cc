#include <fmt/format.h>
#include <sys/stat.h>

#include "base/error.h"
#include "index/index.h"
#include "output/output_file.h"

namespace lanewise::cli {

void check_output(const std::string& path, const std::vector<std::string>& inputs) {
  if (path.empty()) return;
  refuse_overwriting(path, inputs);
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && Index::is_in(path))
    throw UserError(fmt::format("'{}' is an index; choose another output", path));
  const NewFile writable(path);
}

}  // namespace lanewise::cli

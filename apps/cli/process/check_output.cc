#include <fmt/format.h>
#include <sys/stat.h>

#include "base/error.h"
#include "index/index.h"
#include "process/output_file.h"

namespace lanewise::cli {

void check_output(const std::string& path, const std::vector<std::string>& inputs) {
  if (path.empty()) return;
  if (path.starts_with("s3://"))
    throw UserError(
        fmt::format("cannot write '{0}': -o writes local files; use COPY (...) TO '{0}' after "
                    "INSTALL httpfs and LOAD httpfs",
                    path));
  if (path.find("://") != std::string::npos)
    throw UserError(fmt::format("cannot write '{}': it is not a local file", path));
  refuse_overwriting(path, inputs);
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && Index::is_in(path))
    throw UserError(fmt::format("'{}' is an index; choose another output", path));
  const NewFile writable(path);
}

}  // namespace lanewise::cli

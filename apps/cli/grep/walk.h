#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grep/ignore.h"
#include "grep/options.h"
#include "grep/types.h"

namespace lanewise::cli::grep {

/// A file to search, or why it cannot be.
struct Found {
  std::string path;
  std::string error;   ///< empty where it can
  bool named = false;  ///< by the user
};

/// The files that the options name, in order: folders below them by name, files and folders mixed. What
/// ignore rules exclude, hidden files, links, devices and pipes are passed over below folders; what the user
/// names is not.
class Walk {
 public:
  explicit Walk(const Options& options);
  bool next(Found& found);
  /// What was wrong in ignore files.
  std::vector<std::string>& warnings() { return ignore_.warnings; }

 private:
  struct Pending {
    std::string path;      // as it is shown
    std::string absolute;  // empty where no ignore file counts
    size_t name;           // where the last part of the path begins
    uint64_t depth;
    unsigned char type;  // as the folder says; DT_UNKNOWN where it does not
    dev_t device = 0;    // of its root
    std::shared_ptr<const IgnoreFolder> folder = {};
    std::vector<std::pair<dev_t, ino_t>> above = {};  // folders around it, where links are followed
    std::pair<int64_t, int64_t> time = {};
  };
  bool visit(Pending& pending, Found& found);
  bool visit_named(Pending& pending, Found& found);
  bool is_wanted(const Pending& pending, bool is_folder) const;
  bool enter(const Pending& pending, Found& found);
  RuleFiles read_folder(const Pending& pending, void* entries);
  void sort_from(size_t first);

  const Options& options_;
  Ignore ignore_;
  std::optional<FileTypes> types_;  // where some are chosen
  IgnoreRules include_, exclude_, exclude_folders_;
  bool judges_;                   // ignore files count
  std::vector<Pending> pending_;  // the next one last
};

}  // namespace lanewise::cli::grep

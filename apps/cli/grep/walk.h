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

/// A file to search, or the reason why it cannot be.
struct Found {
  std::string path;
  std::string error;   ///< empty if it can
  bool named = false;  ///< by the user
};

/// The files to search, in order. Folders are walked by name, files and folders mixed. Within them ignored
/// and hidden files, links, devices and pipes are skipped; what the user names is not.
class Walk {
 public:
  explicit Walk(const Options& options);
  bool next(Found& found);
  /// Faults found in ignore files.
  std::vector<std::string>& warnings() { return ignore_.warnings; }

 private:
  struct Pending {
    std::string path;      // as printed
    std::string absolute;  // empty if no ignore file counts
    size_t name;           // start of the last part of the path
    uint64_t depth;
    unsigned char type;  // from the folder's entry; DT_UNKNOWN if that does not have it
    dev_t device = 0;    // of its root
    std::shared_ptr<const IgnoreFolder> folder = {};
    std::vector<std::pair<dev_t, ino_t>> above = {};  // folders that contain it, if links are followed
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
  std::optional<FileTypes> types_;  // if some were chosen
  IgnoreRules include_, exclude_, exclude_folders_;
  bool judges_;                   // ignore files count
  std::vector<Pending> pending_;  // the next one is the last
};

}  // namespace lanewise::cli::grep

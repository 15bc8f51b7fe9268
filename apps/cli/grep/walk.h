#pragma once

#include <string>
#include <vector>

#include "grep/options.h"

namespace lanewise::cli::grep {

/// A file to search, or why it cannot be.
struct Found {
  std::string path;
  std::string error;  ///< empty where it can
};

/// The files that the options name, in order: folders below them by name, files and folders mixed. Links that
/// are met on the way, devices and pipes are passed over; those named by the user are not.
class Walk {
 public:
  explicit Walk(const Options& options);
  bool next(Found& found);

 private:
  struct Pending {
    std::string path;
    bool named;          // by the user
    unsigned char type;  // as the folder says; DT_UNKNOWN where it does not
  };
  bool visit(const Pending& pending, Found& found);
  bool enter(const std::string& folder, Found& found);
  bool is_wanted(const std::string& path) const;

  const Options& options_;
  std::vector<Pending> pending_;  // the next one last
};

}  // namespace lanewise::cli::grep

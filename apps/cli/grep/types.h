#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "grep/glob.h"
#include "grep/ignore.h"
#include "grep/options.h"

namespace lanewise::cli::grep {

/// A file type and its globs, separated by spaces.
struct TypeEntry {
  const char* name;
  const char* globs;
};
extern const TypeEntry kTypes[];
extern const size_t kTypesCount;

/// The files that -t and -T select, by name.
class FileTypes {
 public:
  /// Throws UserError for an unknown type.
  explicit FileTypes(const FileRules& rules);

  /// For files, not for folders.
  Verdict judge(std::string_view name) const;
  /// As in --type-list: "c: *.[chH], *.cats".
  std::string list() const;

 private:
  void change(const std::string& spec);
  const std::vector<std::string>& globs_of(const std::string& type) const;

  struct Chosen {
    Glob glob;
    bool keep;
  };
  std::map<std::string, std::vector<std::string>> types_;
  std::vector<Chosen> chosen_;
  bool only_chosen_ = false;
};

}  // namespace lanewise::cli::grep

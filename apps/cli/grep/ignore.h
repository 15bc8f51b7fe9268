#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grep/glob.h"
#include "grep/options.h"

namespace lanewise::cli::grep {

/// The verdict of rules on a file.
enum class Verdict : unsigned char { kNone, kIgnore, kKeep };

/// The rules of one ignore file, or of -g. The last rule that matches decides.
class IgnoreRules {
 public:
  /// Adds a line of an ignore file. Throws UserError.
  void add(std::string_view line, bool ignore_case);
  /// Adds the lines of a file, if it exists. Faults become warnings.
  void read(const std::string& path, bool ignore_case, std::vector<std::string>& warnings);
  /// `path` is relative to the folder of the rules.
  Verdict judge(std::string_view path, bool is_folder) const;
  bool empty() const { return rules_.empty(); }
  size_t size() const { return rules_.size(); }
  size_t kept_rules() const { return kept_; }  ///< with a leading !

 private:
  struct Rule {
    Glob glob;
    bool keep;
    bool folders_only;
    bool by_name;  ///< only the last part of the path is matched
  };
  std::vector<Rule> rules_;
  size_t kept_ = 0;
};

/// Globs of the command line: each selects files, or excludes them if it begins with !.
class GlobChoice {
 public:
  /// Throws UserError for a bad glob.
  void add(std::string_view glob, bool ignore_case) { globs_.add(glob, ignore_case); }
  /// `shown` is the path relative to the current folder. kKeep: selected by its name.
  Verdict judge(std::string_view shown, bool is_folder) const;

 private:
  IgnoreRules globs_;
};

/// The kinds of ignore files in a folder.
struct RuleFiles {
  bool rg = true, dot = true, git = true, repository = true;

  bool any() const { return rg || dot || git || repository; }
};

/// The ignore files of a folder and of its ancestors.
struct IgnoreFolder {
  std::shared_ptr<const IgnoreFolder> parent;
  std::string path;  ///< absolute, with a trailing /
  bool has_git = false;
  IgnoreRules rg, dot, git, git_exclude;
};

/// Decides which files below a folder are searched: -g, ignore files, hidden files.
class Ignore {
 public:
  /// Throws UserError for a bad glob.
  explicit Ignore(const FileRules& rules);

  /// The ignore files of a folder and of its ancestors; null if there are none. `path` is absolute.
  std::shared_ptr<const IgnoreFolder> enter(std::string path, std::shared_ptr<const IgnoreFolder> parent,
                                            const RuleFiles& files);
  std::shared_ptr<const IgnoreFolder> enter_root(const std::string& path, const RuleFiles& files);

  /// For a file or folder in `folder`: `shown` is its path relative to the current folder, `path` is
  /// absolute. The caller checks hidden files and types.
  Verdict judge_globs(std::string_view shown, bool is_folder) const { return globs_.judge(shown, is_folder); }
  Verdict judge_files(const IgnoreFolder* folder, std::string_view path, std::string_view shown,
                      bool is_folder) const;

  /// Faults found in ignore files.
  std::vector<std::string> warnings;

 private:
  const FileRules& rules_;
  GlobChoice globs_;
  IgnoreRules explicit_, global_;
};

}  // namespace lanewise::cli::grep

#include "grep/ignore.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/error.h"

namespace lanewise::cli::grep {

namespace {

bool exists(const std::string& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0;
}

/// The contents of a file; empty if it does not exist.
std::string text_of(const std::string& path) {
  std::string text;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return text;
  char bytes[1 << 14];
  for (ssize_t got; (got = ::read(file, bytes, sizeof bytes)) > 0;)
    text.append(bytes, static_cast<size_t>(got));
  ::close(file);
  return text;
}

std::string home() {
  const char* folder = std::getenv("HOME");
  return folder == nullptr ? "" : folder;
}

std::string config_folder() {
  const char* folder = std::getenv("XDG_CONFIG_HOME");
  if (folder != nullptr && *folder != '\0') return folder;
  return home() + "/.config";
}

/// The value of "excludesfile =" in git's configuration.
std::optional<std::string> excludes_in(const std::string& text) {
  std::string lower = text;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::string_view kKey = "excludesfile";
  for (size_t at = lower.find(kKey); at != std::string::npos; at = lower.find(kKey, at + 1)) {
    const size_t line = lower.rfind('\n', at) + 1;  // npos + 1 is 0
    if (lower.find_first_not_of(" \t", line) != at) continue;
    const size_t equals = lower.find_first_not_of(" \t", at + kKey.size());
    if (equals == std::string::npos || lower[equals] != '=') continue;
    const size_t end = std::min(text.find('\n', equals), text.size());
    const size_t first = text.find_first_not_of(" \t", equals + 1);
    if (first == std::string::npos || first >= end) continue;
    std::string value = text.substr(first, text.find_last_not_of(" \t\r", end - 1) - first + 1);
    if (value.size() > 1 && value.front() == '"' && value.back() == '"')
      value = value.substr(1, value.size() - 2);
    if (value.starts_with("~/")) value = home() + value.substr(1);
    return value;
  }
  return std::nullopt;
}

/// git's ignore file for all repositories.
std::string global_rules_file() {
  for (const std::string& config : {home() + "/.gitconfig", config_folder() + "/git/config"}) {
    if (const auto excludes = excludes_in(text_of(config))) return *excludes;
  }
  return config_folder() + "/git/ignore";
}

bool has_slash(std::string_view glob) { return glob.find('/') != std::string_view::npos; }

}  // namespace

void IgnoreRules::add(std::string_view line, bool ignore_case) {
  if (line.starts_with('#')) return;
  if (!line.ends_with("\\ ")) {
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.remove_suffix(1);
  }
  if (line.empty()) return;
  bool keep = false, absolute = false, folders_only = false;
  if (line.starts_with("\\!") || line.starts_with("\\#")) {
    line.remove_prefix(1);
  } else {
    keep = line.starts_with('!');
    if (keep) line.remove_prefix(1);
    absolute = line.starts_with('/');
    if (absolute) line.remove_prefix(1);
  }
  if (line.ends_with('/')) {
    folders_only = true;
    line.remove_suffix(1);
    if (line.ends_with('\\')) line.remove_suffix(1);
  }
  const bool by_name = !absolute && !has_slash(line) && !line.starts_with("**");
  std::string glob(line);
  if (!absolute && !has_slash(line) && !by_name && glob != "**") glob = "**/" + glob;
  if (glob.ends_with("/**")) glob += "/*";  // the contents of a folder, not the folder itself
  rules_.push_back({Glob(glob, ignore_case), keep, folders_only, by_name});
  kept_ += keep;
}

void IgnoreRules::read(const std::string& path, bool ignore_case, std::vector<std::string>& warnings) {
  const std::string text = text_of(path);
  int number = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    ++number;
    std::string_view line(text.data() + at, end - at);
    if (number == 1 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
    try {
      add(line, ignore_case);
    } catch (const UserError& error) {
      warnings.push_back(fmt::format("{}: line {}: {}", path, number, error.what()));
    }
    at = end + 1;
  }
}

Verdict IgnoreRules::judge(std::string_view path, bool is_folder) const {
  const size_t slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  for (auto rule = rules_.rbegin(); rule != rules_.rend(); ++rule) {
    if (rule->folders_only && !is_folder) continue;
    if (rule->glob.matches(rule->by_name ? name : path))
      return rule->keep ? Verdict::kKeep : Verdict::kIgnore;
  }
  return Verdict::kNone;
}

Ignore::Ignore(const FileRules& rules) : rules_(rules) {
  for (const bool of_iglob : {false, true}) {  // --iglob overrides -g, as in ripgrep
    for (const auto& [glob, ignore_case] : rules.globs) {
      if (ignore_case == of_iglob) globs_.add(glob, ignore_case || rules.glob_ignore_case);
    }
  }
  if (rules.ignore_files) {
    for (const std::string& path : rules.files) {
      if (!exists(path)) warnings.push_back(path + ": No such file or directory");
      explicit_.read(path, rules.ignore_case, warnings);
    }
  }
  if (rules.ignore_global && rules.ignore_vcs) global_.read(global_rules_file(), rules.ignore_case, warnings);
}

std::shared_ptr<const IgnoreFolder> Ignore::enter(std::string path,
                                                  std::shared_ptr<const IgnoreFolder> parent,
                                                  const RuleFiles& files) {
  if (!files.any()) return parent;
  auto folder = std::make_shared<IgnoreFolder>();
  folder->parent = std::move(parent);
  if (!path.ends_with('/')) path += '/';
  if (rules_.ignore_rg && files.rg) folder->rg.read(path + ".rgignore", rules_.ignore_case, warnings);
  if (rules_.ignore_dot && files.dot) folder->dot.read(path + ".ignore", rules_.ignore_case, warnings);
  if (rules_.ignore_vcs && files.git) folder->git.read(path + ".gitignore", rules_.ignore_case, warnings);
  folder->has_git = files.repository && exists(path + ".git");
  if (rules_.ignore_exclude && rules_.ignore_vcs && folder->has_git)
    folder->git_exclude.read(path + ".git/info/exclude", rules_.ignore_case, warnings);
  folder->path = std::move(path);
  return folder;
}

std::shared_ptr<const IgnoreFolder> Ignore::enter_root(const std::string& path, const RuleFiles& files) {
  std::shared_ptr<const IgnoreFolder> folder;
  for (size_t slash = path.find('/'); slash != std::string::npos && slash + 1 < path.size();
       slash = path.find('/', slash + 1)) {
    const std::string above = path.substr(0, slash + 1);
    if (rules_.ignore_parent) {
      folder = enter(above, folder, {});
    } else if (exists(above + ".git")) {  // its rules do not count, but folders below it may be repositories
      auto repository = std::make_shared<IgnoreFolder>();
      repository->has_git = true;
      folder = std::move(repository);
    }
  }
  return enter(path, folder, files);
}

Verdict GlobChoice::judge(std::string_view shown, bool is_folder) const {
  if (globs_.empty()) return Verdict::kNone;
  if (shown.starts_with("./")) shown.remove_prefix(2);
  switch (globs_.judge(shown, is_folder)) {
    case Verdict::kIgnore:
      return Verdict::kKeep;
    case Verdict::kKeep:
      return Verdict::kIgnore;
    case Verdict::kNone:
      break;
  }
  const bool only_chosen = globs_.size() > globs_.kept_rules();
  return only_chosen && !is_folder ? Verdict::kIgnore : Verdict::kNone;
}

Verdict Ignore::judge_files(const IgnoreFolder* folder, std::string_view path, std::string_view shown,
                            bool is_folder) const {
  Verdict rg = Verdict::kNone, dot = rg, git = rg, exclude = rg;
  bool any_git = !rules_.require_git;
  for (const IgnoreFolder* at = folder; at != nullptr && !any_git; at = at->parent.get())
    any_git = at->has_git;
  bool in_repository = any_git;
  for (const IgnoreFolder* at = folder; at != nullptr; at = at->parent.get()) {
    const std::string_view below = path.substr(std::min(at->path.size(), path.size()));
    if (rg == Verdict::kNone) rg = at->rg.judge(below, is_folder);
    if (dot == Verdict::kNone) dot = at->dot.judge(below, is_folder);
    if (in_repository && git == Verdict::kNone) git = at->git.judge(below, is_folder);
    if (in_repository && exclude == Verdict::kNone) exclude = at->git_exclude.judge(below, is_folder);
    in_repository = in_repository && !at->has_git;
  }
  if (shown.starts_with("./")) shown.remove_prefix(2);
  for (const Verdict verdict : {rg, dot, git, exclude}) {
    if (verdict != Verdict::kNone) return verdict;
  }
  if (any_git && !global_.empty()) {
    if (const Verdict verdict = global_.judge(shown, is_folder); verdict != Verdict::kNone) return verdict;
  }
  return explicit_.judge(shown, is_folder);
}

}  // namespace lanewise::cli::grep

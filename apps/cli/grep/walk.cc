#include "grep/walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/error.h"

namespace lanewise::cli::grep {

namespace {

std::string absolute_path(const std::string& path) {
  char real[PATH_MAX];
  return ::realpath(path.c_str(), real) == nullptr ? path : real;
}

/// The time by which files are sorted.
std::pair<int64_t, int64_t> time_of(const std::string& path, Sort sort) {
  struct statx status{};
  if (::statx(AT_FDCWD, path.c_str(), 0, STATX_BASIC_STATS | STATX_BTIME, &status) != 0) return {};
  const statx_timestamp& time = sort == Sort::kModified   ? status.stx_mtime
                                : sort == Sort::kAccessed ? status.stx_atime
                                                          : status.stx_btime;
  return {time.tv_sec, time.tv_nsec};
}

bool any_matches(const IgnoreRules& rules, std::string_view name, bool is_folder) {
  return rules.judge(name, is_folder) == Verdict::kIgnore;
}

}  // namespace

Walk::Walk(const Options& options) : options_(options), ignore_(options.files) {
  const FileRules& rules = options.files;
  if (!rules.types.empty() || !rules.type_changes.empty()) types_.emplace(rules);
  for (const std::string& glob : rules.include) include_.add(glob, false);
  for (const std::string& glob : rules.exclude) exclude_.add(glob, false);
  for (const std::string& glob : rules.exclude_folders) exclude_folders_.add(glob, false);
  judges_ = rules.ignore_rg || rules.ignore_dot || rules.ignore_exclude || rules.ignore_global ||
            rules.ignore_vcs || !rules.files.empty();
  for (auto path = options.paths.rbegin(); path != options.paths.rend(); ++path)
    pending_.push_back({*path, "", 0, 0, DT_UNKNOWN});
}

bool Walk::next(Found& found) {
  while (!pending_.empty()) {
    Pending pending = std::move(pending_.back());
    pending_.pop_back();
    if (pending.depth == 0 ? visit_named(pending, found) : visit(pending, found)) return true;
  }
  return false;
}

/// Returns false if there is nothing to search.
bool Walk::visit_named(Pending& pending, Found& found) {
  found = {pending.path, "", true};
  if (pending.path == "-") return true;
  struct stat status{};
  if (::stat(pending.path.c_str(), &status) != 0) {
    found.error = std::strerror(errno);
    return true;
  }
  if (!S_ISDIR(status.st_mode)) return true;
  pending.device = status.st_dev;
  if (judges_) {
    pending.absolute = absolute_path(pending.path);
    if (!pending.absolute.ends_with('/')) pending.absolute += '/';
  }
  return enter(pending, found);
}

bool Walk::visit(Pending& pending, Found& found) {
  found = {pending.path, "", false};
  unsigned char type = pending.type;
  struct stat status{};
  const bool follows = type == DT_LNK && options_.files.follow;
  if (type == DT_UNKNOWN || follows || options_.files.max_size != kNoLimit ||
      options_.files.one_file_system) {
    const auto look = follows ? ::stat : ::lstat;
    if (look(pending.path.c_str(), &status) != 0) {
      found.error = std::strerror(errno);
      return true;
    }
    type = S_ISDIR(status.st_mode) ? DT_DIR : S_ISREG(status.st_mode) ? DT_REG : DT_UNKNOWN;
  }
  const bool is_folder = type == DT_DIR;
  if (!is_wanted(pending, is_folder)) return false;
  if (is_folder) {
    if (options_.files.one_file_system && status.st_dev != pending.device) return false;
    if (!judges_) return enter(pending, found);
    pending.absolute += '/';
    return enter(pending, found);
  }
  if (type != DT_REG) return false;
  return options_.files.max_size == kNoLimit ||
         static_cast<uint64_t>(status.st_size) <= options_.files.max_size;
}

/// Tests -g, then ignore files, types and hidden names, as ripgrep does.
bool Walk::is_wanted(const Pending& pending, bool is_folder) const {
  const std::string_view path = pending.path, name = path.substr(pending.name);
  if (is_folder) {
    if (any_matches(exclude_folders_, name, true)) return false;
  } else {
    if (any_matches(exclude_, name, false)) return false;
    if (!include_.empty() && !any_matches(include_, name, false)) return false;
  }
  const Verdict chosen = ignore_.judge_globs(path, is_folder);
  if (chosen != Verdict::kNone) return chosen == Verdict::kKeep;
  bool kept = false;
  if (judges_) {
    const Verdict verdict = ignore_.judge_files(pending.folder.get(), pending.absolute, path, is_folder);
    if (verdict == Verdict::kIgnore) return false;
    kept = verdict == Verdict::kKeep;
  }
  if (types_ && !is_folder) {
    const Verdict verdict = types_->judge(name);
    if (verdict == Verdict::kIgnore) return false;
    kept = kept || verdict == Verdict::kKeep;
  }
  return kept || options_.files.hidden || !name.starts_with('.');
}

/// Returns true if the folder cannot be read.
bool Walk::enter(const Pending& pending, Found& found) {
  if (pending.depth >= options_.files.max_depth) return false;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(pending.path.c_str()), ::closedir);
  if (entries == nullptr) {
    found.error = std::strerror(errno);
    return true;
  }
  std::pair<dev_t, ino_t> self{};
  if (options_.files.follow) {
    struct stat status{};
    if (::fstat(::dirfd(entries.get()), &status) == 0) self = {status.st_dev, status.st_ino};
    if (std::ranges::find(pending.above, self) != pending.above.end()) {
      found.error = "a link leads back to a folder that contains it";
      return true;
    }
  }
  const size_t first = pending_.size();
  const RuleFiles rules = read_folder(pending, entries.get());
  if (judges_) {
    const std::shared_ptr<const IgnoreFolder> folder =
        pending.depth == 0 ? ignore_.enter_root(pending.absolute, rules)
                           : ignore_.enter(pending.absolute, pending.folder, rules);
    for (size_t i = first; i < pending_.size(); ++i) pending_[i].folder = folder;
  }
  if (options_.files.follow) {
    for (size_t i = first; i < pending_.size(); ++i) {
      pending_[i].above = pending.above;
      pending_[i].above.push_back(self);
    }
  }
  sort_from(first);
  return false;
}

RuleFiles Walk::read_folder(const Pending& pending, void* entries) {
  RuleFiles rules{false, false, false, false};
  const std::string base = pending.path.ends_with('/') ? pending.path : pending.path + "/";
  while (const dirent* entry = ::readdir(static_cast<DIR*>(entries))) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    rules.rg = rules.rg || name == ".rgignore";
    rules.dot = rules.dot || name == ".ignore";
    rules.git = rules.git || name == ".gitignore";
    rules.repository = rules.repository || name == ".git";
    Pending next{base + entry->d_name, judges_ ? pending.absolute + entry->d_name : std::string(),
                 base.size(),          pending.depth + 1,
                 entry->d_type,        pending.device};
    if (options_.files.sort > Sort::kPath) next.time = time_of(next.path, options_.files.sort);
    pending_.push_back(std::move(next));
  }
  return rules;
}

/// In reverse order.
void Walk::sort_from(size_t first) {
  const auto begin = pending_.begin() + static_cast<ptrdiff_t>(first);
  const bool by_time = options_.files.sort > Sort::kPath;
  const auto before = [&](const Pending& a, const Pending& b) {
    if (by_time && a.time != b.time) return a.time < b.time;
    return a.path.compare(a.name, std::string::npos, b.path, b.name, std::string::npos) < 0;
  };
  std::sort(begin, pending_.end(), [&](const Pending& a, const Pending& b) {
    return options_.files.reverse ? before(a, b) : before(b, a);
  });
}

}  // namespace lanewise::cli::grep

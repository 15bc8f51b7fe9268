#include "grep/walk.h"

#include <dirent.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace lanewise::cli::grep {

namespace {

/// Whether the glob matches the path or what follows one of its slashes.
bool matches(const std::string& glob, const std::string& path) {
  for (const char* at = path.c_str(); at != nullptr; at = std::strchr(at, '/')) {
    while (at != path.c_str() && *at == '/') ++at;
    if (::fnmatch(glob.c_str(), at, 0) == 0) return true;
  }
  return false;
}

bool any_matches(const std::vector<std::string>& globs, const std::string& path) {
  return std::ranges::any_of(globs, [&](const std::string& glob) { return matches(glob, path); });
}

std::string below(const std::string& folder, const char* name) {
  if (folder.empty()) return name;
  return folder.back() == '/' ? folder + name : folder + "/" + name;
}

}  // namespace

Walk::Walk(const Options& options) : options_(options) {
  for (auto file = options.files.rbegin(); file != options.files.rend(); ++file)
    pending_.push_back({*file, true, DT_UNKNOWN});
  if (options.files.empty()) pending_.push_back({"", false, DT_DIR});
}

bool Walk::next(Found& found) {
  while (!pending_.empty()) {
    const Pending pending = std::move(pending_.back());
    pending_.pop_back();
    if (visit(pending, found)) return true;
  }
  return false;
}

/// False where there is nothing to search.
bool Walk::visit(const Pending& pending, Found& found) {
  found = {pending.path, ""};
  if (pending.path == "-" && pending.named) return true;
  if (!pending.named && pending.path.empty()) return enter("", found);  // the current folder, without a name
  bool folder = pending.type == DT_DIR, regular = pending.type == DT_REG;
  if (pending.type == DT_UNKNOWN) {
    struct stat status{};
    const char* path = pending.path.c_str();
    if ((pending.named ? ::stat(path, &status) : ::lstat(path, &status)) != 0) {
      found.error = std::strerror(errno);
      return true;
    }
    folder = S_ISDIR(status.st_mode);
    regular = S_ISREG(status.st_mode);
  }
  if (folder) {
    if (!options_.recursive) {
      found.error = "is a directory; -r searches what is in it";
      return true;
    }
    return !any_matches(options_.exclude_folders, pending.path) && enter(pending.path, found);
  }
  return (pending.named || regular) && is_wanted(pending.path);
}

bool Walk::is_wanted(const std::string& path) const {
  return !any_matches(options_.exclude, path) &&
         (options_.include.empty() || any_matches(options_.include, path));
}

/// True where the folder cannot be read.
bool Walk::enter(const std::string& folder, Found& found) {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(folder.empty() ? "." : folder.c_str()),
                                                    ::closedir);
  if (entries == nullptr) {
    found.error = std::strerror(errno);
    return true;
  }
  const size_t first = pending_.size();
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") pending_.push_back({below(folder, entry->d_name), false, entry->d_type});
  }
  std::sort(pending_.begin() + static_cast<ptrdiff_t>(first), pending_.end(),
            [](const Pending& a, const Pending& b) { return a.path > b.path; });
  return false;
}

}  // namespace lanewise::cli::grep

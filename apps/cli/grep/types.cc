#include "grep/types.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "base/error.h"

namespace lanewise::cli::grep {

FileTypes::FileTypes(const FileRules& rules) {
  for (size_t i = 0; i < kTypesCount; ++i) {
    std::istringstream globs(kTypes[i].globs);
    std::vector<std::string>& of_type = types_[kTypes[i].name];
    for (std::string glob; globs >> glob;) of_type.push_back(glob);
  }
  for (const auto& [spec, added] : rules.type_changes) {
    if (added) {
      change(spec);
    } else {
      types_.erase(spec);
    }
  }
  auto types = rules.types;  // -T overrides -t, as in ripgrep
  std::ranges::stable_partition(types, [](const auto& type) { return type.second; });
  for (const auto& [type, keep] : types) {
    only_chosen_ = only_chosen_ || keep;
    if (type == "all") {
      for (const auto& [name, globs] : types_) {
        for (const std::string& glob : globs) chosen_.push_back({Glob(glob), keep});
      }
      continue;
    }
    for (const std::string& glob : globs_of(type)) chosen_.push_back({Glob(glob), keep});
  }
}

const std::vector<std::string>& FileTypes::globs_of(const std::string& type) const {
  const auto found = types_.find(type);
  if (found == types_.end())
    throw UserError(fmt::format("unrecognized file type: {}; --type-list shows all types", type));
  return found->second;
}

/// NAME:GLOB or NAME:include:TYPE,TYPE.
void FileTypes::change(const std::string& spec) {
  const size_t colon = spec.find(':');
  const std::string name = spec.substr(0, colon);
  const bool named = !name.empty() && name != "all" &&
                     std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c >= 0x80; });
  if (colon == std::string::npos || !named || colon + 1 == spec.size())
    throw UserError(fmt::format("--type-add: '{}' is not NAME:GLOB or NAME:include:TYPE,TYPE", spec));
  const std::string rest = spec.substr(colon + 1);
  std::vector<std::string>& globs = types_[name];
  if (!rest.starts_with("include:")) {
    const Glob valid(rest);
    globs.push_back(rest);
    return;
  }
  std::istringstream others(rest.substr(8));
  std::vector<std::string> added;
  for (std::string other; std::getline(others, other, ',');) {
    const std::vector<std::string>& its = globs_of(other);
    added.insert(added.end(), its.begin(), its.end());
  }
  globs.insert(globs.end(), added.begin(), added.end());
}

Verdict FileTypes::judge(std::string_view name) const {
  for (auto chosen = chosen_.rbegin(); chosen != chosen_.rend(); ++chosen) {
    if (chosen->glob.matches(name)) return chosen->keep ? Verdict::kKeep : Verdict::kIgnore;
  }
  return only_chosen_ ? Verdict::kIgnore : Verdict::kNone;
}

std::string FileTypes::list() const {
  std::string out;
  for (const auto& [name, globs] : types_) {
    std::vector<std::string> sorted = globs;
    std::ranges::sort(sorted);
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    out += fmt::format("{}: {}\n", name, fmt::join(sorted, ", "));
  }
  return out;
}

}  // namespace lanewise::cli::grep

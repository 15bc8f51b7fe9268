#include "grep/matches.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

namespace lanewise::cli::grep {

/// Calls found() for each match, whose groups are in groups_.
template <class Found>
void Matches::each(std::string_view text, size_t limit, size_t groups, const Found& found) {
  const text::Pattern& pattern = matcher_.pattern_for(text);
  groups_.assign(groups, {});
  text::MatchFinder finder(pattern, text, context_);
  std::optional<size_t> last_end;
  for (size_t from = 0; from <= text.size();) {
    // ripgrep's -w includes the character before the word.
    const bool reads_one = options_.around == Around::kWord && from > 0 && text[from - 1] != '\n';
    if (reads_one && last_end && ++from > text.size()) return;
    std::ranges::fill(groups_, text::Capture());
    if (!finder.next(from, groups_)) return;
    const auto [begin, end] = groups_[0];
    if (begin > limit || (begin == limit && (begin != end || limit != text.size()))) return;
    if (begin == end) {
      from = end + 1;
      if (last_end == end) continue;
    } else {
      from = end;
    }
    last_end = end;
    found();
  }
}

void Matches::list(std::string_view text, size_t limit, std::vector<Span>& found) {
  found.clear();
  each(text, limit, 1, [&] { found.push_back({groups_[0].begin, groups_[0].end}); });
  if (!found.empty() && found.back().empty() && found.back().begin >= limit) found.pop_back();
}

void Matches::replace(std::string_view text, size_t limit, std::string_view by, std::string& out,
                      std::vector<Span>& replaced) {
  const text::Pattern& pattern = matcher_.pattern_for(text);
  replaced.clear();
  size_t copied = 0;
  each(text, limit, static_cast<size_t>(pattern.groups()) + 1, [&] {
    const text::Capture match = groups_[0];
    out.append(text.substr(copied, match.begin - copied));
    copied = match.end;
    const size_t begin = out.size();
    interpolate(by, text, pattern, out);
    replaced.push_back({begin, out.size()});
  });
  if (copied < limit) out.append(text.substr(copied, limit - copied));
}

/// Appends `by`, with $1, ${1}, $name, ${name} and $$ replaced.
void Matches::interpolate(std::string_view by, std::string_view text, const text::Pattern& pattern,
                          std::string& out) {
  const auto in_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  while (!by.empty()) {
    const size_t dollar = std::min(by.find('$'), by.size());
    out.append(by.substr(0, dollar));
    by.remove_prefix(dollar);
    if (by.empty()) return;
    if (by.starts_with("$$")) {
      out += '$';
      by.remove_prefix(2);
      continue;
    }
    std::string_view name;
    size_t used = 0;
    if (by.size() > 1 && by[1] == '{') {
      const size_t close = by.find('}');
      if (close != std::string_view::npos) name = by.substr(2, close - 2), used = close + 1;
    } else {
      size_t end = 1;
      while (end < by.size() && in_name(by[end])) ++end;
      name = by.substr(1, end - 1), used = end;
    }
    if (name.empty()) {
      out += '$';
      by.remove_prefix(1);
      continue;
    }
    by.remove_prefix(used);
    size_t group = groups_.size();
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), group);
    if (error != std::errc() || end != name.data() + name.size()) {
      const auto& names = pattern.group_names();
      group = static_cast<size_t>(std::ranges::find(names, name) - names.begin()) + 1;
    }
    if (group < groups_.size()) out.append(groups_[group].of(text));
  }
}

}  // namespace lanewise::cli::grep

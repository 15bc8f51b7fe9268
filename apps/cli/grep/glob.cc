#include "grep/glob.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/error.h"

namespace lanewise::cli::grep {

namespace {

constexpr size_t kMostAlternatives = 1000;

/// The position of the brace that closes the one at `open`; npos if there is none. Braces nest.
size_t closing(std::string_view glob, size_t open) {
  int depth = 0;
  for (size_t i = open; i < glob.size(); ++i) {
    if (glob[i] == '\\')
      ++i;
    else if (glob[i] == '{')
      ++depth;
    else if (glob[i] == '}' && --depth == 0)
      return i;
  }
  return std::string_view::npos;
}

/// Appends all expansions of the braces in `glob`.
void expand(const std::string& done, std::string_view glob, std::vector<std::string>& out) {
  size_t at = 0;
  bool in_class = false;
  for (; at < glob.size(); ++at) {
    if (glob[at] == '\\') {
      ++at;
    } else if (glob[at] == '[') {
      in_class = true;
    } else if (glob[at] == ']') {
      in_class = false;
    } else if (!in_class && glob[at] == '{') {
      break;
    } else if (!in_class && glob[at] == '}') {
      throw UserError("'}' without '{'");
    }
  }
  if (at >= glob.size()) {
    if (out.size() >= kMostAlternatives) throw UserError("too many alternatives");
    out.push_back(done + std::string(glob));
    return;
  }
  const size_t end = closing(glob, at);
  if (end == std::string_view::npos) throw UserError("unclosed '{'");
  size_t first = at + 1;
  int depth = 0;
  for (size_t i = first; i <= end; ++i) {
    if (glob[i] == '\\') {
      ++i;
      continue;
    }
    if ((glob[i] == ',' && depth == 0) || i == end) {
      const std::string one(glob.substr(first, i - first));
      expand(done + std::string(glob.substr(0, at)), one + std::string(glob.substr(end + 1)), out);
      first = i + 1;
    }
    if (glob[i] == '{') ++depth;
    if (glob[i] == '}') --depth;
  }
}

/// A class; `at` is after the [, and is moved after the ].
std::bitset<256> read_class(std::string_view glob, size_t& at) {
  std::bitset<256> set;
  const bool negated = at < glob.size() && (glob[at] == '!' || glob[at] == '^');
  if (negated) ++at;
  for (bool first = true;; first = false) {
    if (at >= glob.size()) throw UserError("unclosed '['");
    if (glob[at] == ']' && !first) break;
    const auto lo = static_cast<unsigned char>(glob[at++]);
    unsigned char hi = lo;
    if (at + 1 < glob.size() && glob[at] == '-' && glob[at + 1] != ']') {
      hi = static_cast<unsigned char>(glob[at + 1]);
      at += 2;
      if (hi < lo) throw UserError("a range runs backwards");
    }
    for (unsigned b = lo; b <= hi; ++b) set.set(b);
  }
  ++at;
  if (negated) set.flip();
  set.reset('/');
  return set;
}

}  // namespace

Glob::Glob(std::string_view glob, bool ignore_case) : glob_(glob), ignore_case_(ignore_case) {
  try {
    std::vector<std::string> alternatives;
    expand("", glob, alternatives);
    for (const std::string& alternative : alternatives) parse(alternative);
  } catch (const UserError& error) {
    throw UserError(fmt::format("error parsing glob '{}': {}", glob, error.what()));
  }
  if (alternatives_.size() != 1 || ignore_case) return;
  for (const Token& token : alternatives_[0]) {
    if (token.kind != Kind::kByte || token.bytes.count() != 1) {
      suffix_.clear();
      continue;
    }
    for (unsigned b = 0; b < 256; ++b) {
      if (token.bytes[b]) suffix_ += static_cast<char>(b);
    }
  }
}

void Glob::add(std::bitset<256> bytes, Tokens& tokens) const {
  if (ignore_case_) {
    for (unsigned b = 'a'; b <= 'z'; ++b) {
      const bool any = bytes[b] || bytes[b - 32];
      bytes[b] = bytes[b - 32] = any;
    }
  }
  tokens.push_back({bytes.count() == 1 ? Kind::kByte : Kind::kClass, bytes});
}

/// One star or several, within a name or, if they are a whole part, of the path.
void Glob::stars(std::string_view glob, size_t& at, Tokens& tokens) const {
  const size_t begin = at++;
  const auto single = [&] { tokens.push_back({Kind::kStar}); };
  if (at >= glob.size() || glob[at] != '*') return single();
  ++at;
  const bool starts = begin == 0 || glob[begin - 1] == '/';
  const bool ends = at == glob.size() || glob[at] == '/';
  if (!starts || !ends) return single();
  if (begin == 0) {
    if (at < glob.size()) ++at;
    tokens.push_back({Kind::kPrefix});
    return;
  }
  const bool suffix = at == glob.size();
  if (!suffix) ++at;
  const Kind before = tokens.back().kind;
  if (before == Kind::kPrefix || before == Kind::kMiddle) return;  // **/** is **
  tokens.pop_back();                                               // the slash
  tokens.push_back({suffix ? Kind::kSuffix : Kind::kMiddle});
}

void Glob::parse(std::string_view glob) {
  Tokens tokens;
  for (size_t at = 0; at < glob.size();) {
    std::bitset<256> bytes;
    const char c = glob[at];
    if (c == '*') {
      stars(glob, at, tokens);
      continue;
    }
    ++at;
    if (c == '?') {
      bytes.set();
      bytes.reset('/');
    } else if (c == '[') {
      bytes = read_class(glob, at);
    } else {
      if (c == '\\' && at == glob.size()) throw UserError("a backslash at the end");
      bytes.set(static_cast<unsigned char>(c == '\\' ? glob[at++] : c));
    }
    add(bytes, tokens);
  }
  alternatives_.push_back(std::move(tokens));
}

bool Glob::matches(std::string_view path) const {
  if (!suffix_.empty() && !path.ends_with(suffix_)) return false;
  return std::ranges::any_of(alternatives_, [&](const Tokens& tokens) { return match(tokens, 0, path); });
}

bool Glob::match(const Tokens& tokens, size_t token, std::string_view path) {
  for (; token < tokens.size(); ++token) {
    switch (tokens[token].kind) {
      case Kind::kByte:
      case Kind::kClass:
        if (path.empty() || !tokens[token].bytes[static_cast<unsigned char>(path[0])]) return false;
        path.remove_prefix(1);
        break;
      case Kind::kStar:
        for (;;) {
          if (match(tokens, token + 1, path)) return true;
          if (path.empty() || path[0] == '/') return false;
          path.remove_prefix(1);
        }
      case Kind::kSuffix:
        return !path.empty() && path[0] == '/';
      case Kind::kMiddle:
        if (path.empty() || path[0] != '/') return false;
        path.remove_prefix(1);
        [[fallthrough]];
      case Kind::kPrefix:
        if (token + 1 == tokens.size()) return true;
        for (;;) {
          if (match(tokens, token + 1, path)) return true;
          const size_t slash = path.find('/');
          if (slash == std::string_view::npos) return false;
          path.remove_prefix(slash + 1);
        }
    }
  }
  return path.empty();
}

}  // namespace lanewise::cli::grep

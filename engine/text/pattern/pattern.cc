#include "text/pattern/pattern.h"

#include <algorithm>
#include <iterator>

#include "text/pattern/compiled_pattern.h"
#include "text/syntax/like_parser.h"
#include "text/syntax/pattern_error.h"
#include "text/syntax/regex_parser.h"

namespace lanewise::text {
namespace detail {

CompiledPattern::CompiledPattern(std::string pattern_source, syntax::Ast parsed, bool whole,
                                 const Limits& bounds)
    : source(std::move(pattern_source)),
      ast(std::move(parsed)),
      full_match(whole),
      limits(bounds),
      pieces(literals::find_pieces(ast, whole)),
      required(literals::find_required(ast)),
      prefix(literals::find_prefix(ast, whole)),
      lengths(literals::find_lengths(ast, whole)) {
  if (auto set = literals::find_words(ast, whole)) words_.emplace(std::move(*set));
}

const automaton::Program& CompiledPattern::program() const {
  std::call_once(program_once_, [this] {
    program_ = automaton::compile_program(ast, limits);
    byte_classes_ = automaton::byte_classes(program_);
    start_condition_.emplace(program_);
  });
  return program_;
}

const automaton::ByteClasses& CompiledPattern::byte_classes() const {
  program();
  return byte_classes_;
}

const captures::StartCondition& CompiledPattern::start_condition() const {
  program();
  return *start_condition_;
}

const automaton::CompleteAutomaton* CompiledPattern::automaton() const {
  std::call_once(automaton_once_,
                 [this] { automaton_ = automaton::complete(program(), question(), limits); });
  return automaton_ ? &*automaton_ : nullptr;
}

const literals::Sequences& CompiledPattern::sequences() const {
  std::call_once(sequences_once_, [this] { sequences_ = literals::find_sequences(ast, full_match); });
  return sequences_;
}

const captures::MatchStarts* CompiledPattern::match_starts() const {
  std::call_once(match_starts_once_, [this] { match_starts_ = captures::MatchStarts::make(ast, limits); });
  return match_starts_ ? &*match_starts_ : nullptr;
}

const captures::OnePass* CompiledPattern::one_pass() const {
  std::call_once(one_pass_once_,
                 [this] { one_pass_ = captures::OnePass::make(program(), byte_classes(), limits); });
  return one_pass_ ? &*one_pass_ : nullptr;
}

}  // namespace detail

namespace {

void check_size(std::string_view pattern, const Limits& limits) {
  if (pattern.size() <= limits.pattern_bytes) return;
  throw PatternError("pattern too large: it has " + std::to_string(pattern.size()) + " bytes, the limit is " +
                     std::to_string(limits.pattern_bytes));
}

Pattern make(std::string_view source, syntax::Ast ast, bool full_match, const Limits& limits) {
  auto compiled =
      std::make_shared<detail::CompiledPattern>(std::string(source), std::move(ast), full_match, limits);
  // Patterns of literal pieces or words are matched without a program, however long they are; others are
  // checked against the limits now.
  if (!compiled->pieces && compiled->words() == nullptr) compiled->program();
  return Pattern(std::move(compiled));
}

syntax::Ast parse(std::string_view pattern, const RegexOptions& options) {
  check_size(pattern, options.limits);
  syntax::RegexFlags flags;
  flags.fold_case = !options.case_sensitive;
  flags.dot_newline = options.dot_newline;
  flags.rust = options.dialect == Dialect::kRust;
  flags.multi_line = options.multi_line;
  flags.unicode = options.unicode;
  flags.crlf = options.crlf;
  flags.ascii_text = options.ascii_text;
  return options.literal ? syntax::parse_literal(pattern, flags) : syntax::parse_regex(pattern, flags);
}

/// Adds `groups`, the number of preceding groups, to the numbers of the node's groups.
void number_on(syntax::Node& node, int groups) {
  if (node.op == syntax::Op::kCapture) node.capture += groups;
  for (auto& child : node.children) number_on(*child, groups);
}

Pattern finish(std::string_view source, syntax::Ast ast, const RegexOptions& options) {
  if (options.whole_words) {
    std::vector<syntax::NodePtr> parts;
    const bool unicode = options.dialect == Dialect::kRust && options.unicode && !options.ascii_text;
    ast.beyond_ascii = ast.beyond_ascii || options.dialect == Dialect::kRust;
    parts.push_back(syntax::make_assert(unicode ? syntax::kNoUnicodeWordBefore : syntax::kNoWordBefore));
    parts.push_back(std::move(ast.root));
    parts.push_back(syntax::make_assert(unicode ? syntax::kNoUnicodeWordAfter : syntax::kNoWordAfter));
    ast.root = syntax::make_concat(std::move(parts));
  }
  return make(source, std::move(ast), options.full_match, options.limits);
}

}  // namespace

RegexOptions parse_regex_options(std::string_view letters, bool* global) {
  RegexOptions options;
  for (char letter : letters) {
    switch (letter) {
      case 'c':
        options.case_sensitive = true;
        break;
      case 'i':
        options.case_sensitive = false;
        break;
      case 'l':
        options.literal = true;
        break;
      case 'm':
      case 'n':
      case 'p':
        options.dot_newline = false;
        break;
      case 's':
        options.dot_newline = true;
        break;
      case 'g':
        if (global == nullptr) throw PatternError("option 'g' (replace all) is only for regexp_replace");
        *global = true;
        break;
      case ' ':
      case '\t':
      case '\n':
        break;
      default:
        throw PatternError("unknown regex option '" + std::string(1, letter) +
                           "'; known are c, i, l, m, n, p, s, g");
    }
  }
  return options;
}

char parse_escape(std::string_view escape) {
  if (escape.size() > 1) throw PatternError("invalid ESCAPE: it must be empty or one byte");
  return escape.empty() ? '\0' : escape[0];
}

Pattern compile_regex(std::string_view pattern, const RegexOptions& options) {
  syntax::Ast ast = parse(pattern, options);
  return finish(pattern, std::move(ast), options);
}

bool is_lower_case(std::string_view pattern, const RegexOptions& options) {
  const syntax::Ast ast = parse(pattern, options);
  return ast.has_literal && !ast.has_capital;
}

Pattern compile_any(std::span<const std::string> patterns, const RegexOptions& options) {
  if (patterns.size() == 1) return compile_regex(patterns[0], options);
  syntax::Ast all;
  std::string source;
  std::vector<syntax::NodePtr> roots;
  for (const std::string& pattern : patterns) {
    syntax::Ast one = parse(pattern, options);
    number_on(*one.root, static_cast<int>(all.group_names.size()));
    roots.push_back(std::move(one.root));
    std::ranges::move(one.group_names, std::back_inserter(all.group_names));
    all.beyond_ascii = all.beyond_ascii || one.beyond_ascii;
    source.append(source.empty() ? "" : "|").append(pattern);
  }
  all.root = roots.empty() ? syntax::make_nothing() : syntax::make_alternate(std::move(roots));
  return finish(source, std::move(all), options);
}

Pattern unite(std::span<const Pattern> patterns, const Limits& limits) {
  std::string source;
  std::vector<syntax::NodePtr> roots;
  for (const Pattern& pattern : patterns) {
    roots.push_back(syntax::searchable(*pattern.compiled().ast.root, pattern.full_match()));
    source.append(source.empty() ? "" : "|").append(pattern.source());
  }
  check_size(source, limits);
  syntax::Ast all{roots.empty() ? syntax::make_nothing() : syntax::make_alternate(std::move(roots)), {}};
  return make(source, std::move(all), false, limits);
}

Pattern compile_like(std::string_view pattern, const LikeOptions& options) {
  check_size(pattern, options.limits);
  return make(pattern, syntax::parse_like(pattern, options.escape, options.ignore_case), true,
              options.limits);
}

Pattern compile_glob(std::string_view pattern, const Limits& limits) {
  check_size(pattern, limits);
  return make(pattern, syntax::parse_glob(pattern), true, limits);
}

const std::string& Pattern::source() const { return compiled_->source; }
const std::string& Pattern::prefix() const { return compiled_->prefix; }

bool Pattern::full_match() const { return compiled_->full_match; }
int Pattern::groups() const { return static_cast<int>(compiled_->ast.group_names.size()); }
bool Pattern::beyond_ascii() const { return compiled_->ast.beyond_ascii; }
bool Pattern::is_word_list() const { return compiled_->words() != nullptr; }
bool Pattern::approximate() const {
  return compiled_->ast.beyond_ascii && compiled_->words() == nullptr &&
         (compiled_->program().assertions & syntax::kUnicodeAssertions) != 0;
}

namespace {

bool has_literal(const syntax::Node& node, uint8_t byte) {
  if (node.op == syntax::Op::kText) return node.text.find(static_cast<char>(byte)) != std::string::npos;
  return std::ranges::any_of(node.children, [&](const auto& child) { return has_literal(*child, byte); });
}

bool may_match(const syntax::Node& node, uint8_t byte) {
  switch (node.op) {
    case syntax::Op::kText:
      return node.text.find(static_cast<char>(byte)) != std::string::npos;
    case syntax::Op::kChars:
      return byte < 0x80 ? node.chars->contains(byte) : !node.chars->ranges().empty();
    case syntax::Op::kBytes:
      return node.bytes->test(byte);
    case syntax::Op::kAnything:
      return true;
    case syntax::Op::kAssert:
      return byte == '\n' && (node.assertion & (syntax::kBeginLine | syntax::kEndLine | syntax::kBeginText |
                                                syntax::kEndText)) != 0;
    default:
      return std::ranges::any_of(node.children, [&](const auto& child) { return may_match(*child, byte); });
  }
}

}  // namespace

bool Pattern::has_literal_byte(uint8_t byte) const { return has_literal(*compiled_->ast.root, byte); }
bool Pattern::may_match_byte(uint8_t byte) const { return may_match(*compiled_->ast.root, byte); }
const std::vector<std::string>& Pattern::group_names() const { return compiled_->ast.group_names; }

std::string Pattern::describe() const {
  std::string out;
  if (compiled_->pieces) {
    const literals::Pieces& literal = *compiled_->pieces;
    out += "literal pieces: " + std::to_string(literal.pieces.size());
    if (literal.at_begin) out += ", from the beginning";
    if (literal.at_end) out += ", to the end";
    out += '\n';
  }
  if (const literals::WordFinder* words = compiled_->words())
    return out + "words: " + std::to_string(words->words()) + '\n';
  if (!compiled_->required.empty()) out += "required text: " + compiled_->required + '\n';
  const automaton::Program& program = compiled_->program();
  out += "program: " + std::to_string(program.instructions.size()) + " instructions, " +
         std::to_string(program.transitions.size()) + " transitions\n";
  if (const auto* automaton = compiled_->automaton()) {
    out += "automaton: " + std::to_string(automaton->states) + " states x " +
           std::to_string(automaton->classes) + " byte classes\n";
  } else {
    out += "automaton: too large to complete, made while matching\n";
  }
  return out;
}

}  // namespace lanewise::text

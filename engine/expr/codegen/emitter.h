#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "expr/codegen/traits.h"
#include "expr/gpu/literals.h"

namespace lanewise::expr {

/// Emits expressions as C++ for one row: a subset that NVRTC and host compilers accept, with the headers of
/// this folder as its library. Conditions are three-valued; what an expression does not evaluate for a row is
/// skipped by a branch, so that it cannot fail. If a function fails, the variable `failed` becomes true.
class Emitter {
 public:
  /// Reads a column, or the result of an is_match() call.
  using Leaf = std::function<Emitted(const Expr&)>;
  /// Emits lines indented by `depth` levels. `literal` may replace a literal by another expression.
  Emitter(
      Leaf leaf, int depth, Leaf literal = [](const Expr& expr) { return device_literal(expr.literal); })
      : leaf_(std::move(leaf)), literal_(std::move(literal)), depth_(depth) {}

  /// Emits the code of `expr`; throws NotOnDevice.
  Emitted emit(const Expr& expr);
  /// An emitted condition as one expression: true if it is true, not if it is NULL.
  static std::string is_true(const Emitted& condition);

  void line(std::string_view text);
  /// Begins a block: "if (x) {"; close() ends it.
  void open(std::string_view head);
  void close(std::string_view tail = "}");
  /// Emits a line that is kept only if strings are made before take(): the heap that makes them is
  /// `heap`.
  void line_if_texts(std::string_view text);
  /// Whether the emitted code makes strings.
  bool makes_texts() const { return makes_texts_; }
  /// Returns the code emitted so far.
  std::string take();
  /// Lines that include the headers needed in addition to those of all kernels.
  std::string includes() const;

 private:
  Emitted call(const Expr& expr);
  Emitted function(const DeviceFunction& device, std::string_view result, const std::vector<Emitted>& args,
                   bool fails, bool fails_to_null);
  Emitted walk(const Expr& match, const PreparedPattern& pattern);
  Emitted cast(const Expr& expr);
  Emitted connect(const Expr& expr, bool decisive);
  Emitted case_when(const Expr& expr);
  Emitted coalesce(const Expr& expr);
  Emitted in_list(const Expr& expr);
  Emitted between(const Expr& expr);
  Emitted distinct(const Expr& expr, bool negated);
  Emitted raise(const Expr& expr);
  Emitted extreme(const Expr& expr, bool greatest);
  Emitted concat(const Expr& expr);
  Emitted concat_ws(const Expr& expr);
  /// A new name: a word and a number. Names of one letter belong to the kernel, except for v.
  std::string fresh(const char* word) { return word + std::to_string(names_++); }

  const Leaf leaf_, literal_;
  int depth_;
  int names_ = 0;
  std::string text_;
  std::vector<std::pair<size_t, std::string>> lines_if_texts_;  // and where they belong
  bool makes_texts_ = false;
  std::set<std::string_view> headers_;
};

}  // namespace lanewise::expr

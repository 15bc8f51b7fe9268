#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pram/gpu/emit/emit.h"
#include "pram/language/tree.h"

namespace lanewise::pram {

/// Writes one kernel: expressions and statements of the tree as C, and the parameters that they need.
class KernelWriter {
 public:
  /// `block`: whose processors run it; none: one alone, for the host.
  KernelWriter(const Tree& tree, std::optional<uint32_t> block, const std::vector<bool>& in_register,
               const EmitOptions& options);

  /// The value as an expression of C: a word, a double of reals, 0 or 1 of bools.
  std::string value(const Expr& expr);
  /// The same as a word, reals by their bits.
  std::string word(const Expr& expr);
  /// A cell of a shared variable, row by row; 0 where an index is out of range, which fails.
  std::string cell(uint32_t variable, const std::vector<ExprPtr>& indexes);

  /// Statements that each processor does on its own, `depth` deep.
  void statements(const std::vector<Statement>& list, size_t depth);
  /// An assignment to shared cells that are written later: cells_0[position], values_0[position],
  /// cells_1[position], ...; in a group cells_0, values_0, ...
  void buffered(const Statement& statement, size_t depth);
  /// An assignment by one alone; what target t of the host's private variables gets goes to
  /// status[kResults + t].
  void once(const Statement& statement);
  /// The same by all members of a group, of which one writes shared cells. All have waited where any are
  /// used.
  void once_in_group(const Statement& statement, size_t depth);
  void line(size_t depth, const std::string& text) { body_ += std::string(2 * depth, ' ') + text + "\n"; }

  /// The kernel: `first` parameters, lines that stand before the processor is known, what was written so far.
  /// Lines of `last` run for all members of a group.
  std::string finish(EmittedKernel& kernel, const std::string& first, const std::string& before,
                     const std::string& last);
  /// What was written so far as a step of a batch: for each `who` of those that go on with it. Takes what may
  /// differ from step to step from the batch's `row`; what stays the same is added to `constant`. After
  /// finish().
  std::string step(EmittedStep& step, std::vector<KernelArgument>& constant);
  /// The beginning and end of a kernel around the steps of a batch, with its parameters.
  std::string batch(EmittedKernel& kernel, const std::vector<KernelArgument>& constant,
                    const std::string& steps);
  /// From now on cells of the window's are those of its group (window_step()); `held`: by variable.
  void within(const WindowStep& window, const std::vector<bool>& held) {
    window_ = &window;
    held_ = &held;
  }
  /// What was written so far, within windows, as `step`, whose rows are as they were written before.
  std::string window_step(const EmittedStep& step, std::vector<KernelArgument>& constant);
  /// The beginning and end of a kernel around such steps.
  std::string windows(EmittedWindows& windows, const std::vector<KernelArgument>& constant,
                      const std::string& steps);
  /// From now on all shared cells are the group's, and what is written is for the processors of `block`, or
  /// for all members at once. Between kernels, values stay in C variables.
  void in_group(const std::vector<bool>& held, std::optional<uint32_t> block) {
    held_ = &held;
    block_ = block;
    is_group_ = true;
  }
  /// Declares the processor's numbers.
  std::string numbers();
  /// The name of a parameter.
  std::string argument(KernelArgument::Role role, uint32_t index = 0, uint32_t dimension = 0);
  /// The name of a private variable, held by the kernel from now on.
  std::string local(uint32_t index, bool written);
  /// What was written so far as the whole kernel of a program; `scratch`: words of the group that it needs in
  /// addition to shared cells.
  std::string group(EmittedGroup& group, uint64_t scratch);
  /// Private variables that the kernel loads at its start; without this call, all that it uses.
  void needs(const std::vector<bool>& before) { loaded_ = before; }

 private:
  using Role = KernelArgument::Role;

  /// The number of a cell of the window's; none: it is not such a cell.
  std::optional<size_t> own(uint32_t variable, const std::vector<ExprPtr>& indexes) const;
  /// Where the cells of a shared variable are.
  std::string cells_of(uint32_t variable);
  std::string converted(const Expr& expr);
  std::string call(const Expr& expr);
  void assign(const Statement& statement, size_t depth);
  void cells(const Statement& statement, size_t depth);
  void loop(const Statement& statement, size_t depth);
  std::string parameters();
  std::string declarations() const;
  std::string stores() const;

  const Tree& tree_;
  std::optional<uint32_t> block_;
  const std::vector<bool>& in_register_;
  const EmitOptions& options_;
  std::vector<bool> let_;     // by private: an argument of a function
  std::vector<bool> loaded_;  // empty: all
  std::vector<KernelArgument> arguments_;
  std::map<uint32_t, bool> locals_;  // privates that are used, and whether they are written
  std::string body_;
  bool is_group_ = false;  ///< what is written is a whole program for one group
  uint32_t loops_ = 0;     ///< those that stand in no other one
  uint32_t nesting_ = 0;   ///< loops around the current place
  const WindowStep* window_ = nullptr;
  const std::vector<bool>* held_ = nullptr;
};

/// A value's type in C.
inline const char* type_of(Type type) { return type == Type::kReal ? "double" : "word"; }

/// What a name of the program is in C, where it meets no other name: "k.last" with suffix "x3" is k_last_x3.
std::string c_name(const std::string& name, const std::string& suffix);

}  // namespace lanewise::pram

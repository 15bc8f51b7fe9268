#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pram/gpu/emit/emit.h"
#include "pram/tree/tree.h"

namespace lanewise::pram {

/// Writes one kernel: expressions and statements of the tree as C, and the parameters that they need.
class KernelWriter {
 public:
  /// `block`: whose processors run it; absent: a single thread for the host.
  KernelWriter(const Tree& tree, std::optional<uint32_t> block, const std::vector<bool>& in_register,
               const EmitOptions& options);

  /// The value as a C expression: a word, a double for reals, 0 or 1 for bools.
  std::string value(const Expr& expr);
  /// The same as a word, with the bits of reals.
  std::string word(const Expr& expr);
  /// A cell of a shared variable, row-major; 0 if an index is out of range, which is a failure.
  std::string cell(uint32_t variable, const std::vector<ExprPtr>& indexes);

  /// Statements that each processor runs on its own, at nesting level `depth`.
  void statements(const std::vector<Statement>& list, size_t depth);
  /// An assignment to shared cells that is performed later: cells_0[position], values_0[position],
  /// cells_1[position], ...; in a group cells_0, values_0, ...
  void buffered(const Statement& statement, size_t depth);
  /// An assignment by a single thread; the value of target t, if it is a private variable of the host, goes
  /// to status[kResults + t].
  void once(const Statement& statement);
  /// The same by all members of a group, of which one writes shared cells. A barrier precedes any use of
  /// them.
  void once_in_group(const Statement& statement, size_t depth);
  void line(size_t depth, const std::string& text) { body_ += std::string(2 * depth, ' ') + text + "\n"; }

  /// The kernel: `first` parameters, lines before the processor is known, then the code written so far.
  /// Lines of `last` run for all members of a group.
  std::string finish(EmittedKernel& kernel, const std::string& first, const std::string& before,
                     const std::string& last);
  /// Returns the code written so far as a step of a batch: a loop over `who`, the group's processors.
  /// Arguments that differ from step to step are read from the batch's `row`; the others are added to
  /// `constant`. Call it after finish().
  std::string step(EmittedStep& step, std::vector<KernelArgument>& constant);
  /// The beginning and end of a kernel around the steps of a batch, with its parameters.
  std::string batch(EmittedKernel& kernel, const std::vector<KernelArgument>& constant,
                    const std::string& steps);
  /// From now on the window's cells are held by the group (window_step()); `held`: by variable.
  void within(const WindowStep& window, const std::vector<bool>& held) {
    window_ = &window;
    held_ = &held;
  }
  /// The code written so far, within windows, as `step`, with the rows of the earlier version.
  std::string window_step(const EmittedStep& step, std::vector<KernelArgument>& constant);
  /// The beginning and end of a kernel around such steps.
  std::string windows(EmittedWindows& windows, const std::vector<KernelArgument>& constant,
                      const std::string& steps);
  /// From now on all shared cells are held by the group, and code is for the processors of `block`, or
  /// for all members. Between kernels, values stay in C variables.
  void in_group(const std::vector<bool>& held, std::optional<uint32_t> block) {
    held_ = &held;
    block_ = block;
    is_group_ = true;
  }
  /// Declares the processor's numbers.
  std::string numbers();
  /// The name of a parameter.
  std::string argument(KernelArgument::Role role, uint32_t index = 0, uint32_t dimension = 0);
  /// The name of a private variable, kept by the kernel from now on.
  std::string local(uint32_t index, bool written);
  /// The code written so far as the only kernel of a program; `scratch`: words of group memory that it needs
  /// in addition to shared cells.
  std::string group(EmittedGroup& group, uint64_t scratch);
  /// Private variables that the kernel loads at its start; without this call, all that it uses.
  void needs(const std::vector<bool>& before) { loaded_ = before; }

 private:
  using Role = KernelArgument::Role;

  /// The number of a cell of the window; nothing for other cells.
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
  std::vector<bool> let_;     // by private variable: a function parameter
  std::vector<bool> loaded_;  // empty: all
  std::vector<KernelArgument> arguments_;
  std::map<uint32_t, bool> locals_;  // private variables in use, and whether they are written
  std::string body_;
  bool is_group_ = false;  ///< the code is a whole program for one group
  uint32_t loops_ = 0;     ///< loops that are not nested in another
  uint32_t nesting_ = 0;   ///< loops around the current place
  const WindowStep* window_ = nullptr;
  const std::vector<bool>* held_ = nullptr;
};

/// A value's type in C.
inline const char* type_of(Type type) { return type == Type::kReal ? "double" : "word"; }

/// The C name of a name of the program, unique by its suffix: "k.last" with suffix "x3" is k_last_x3.
std::string c_name(const std::string& name, const std::string& suffix);

}  // namespace lanewise::pram

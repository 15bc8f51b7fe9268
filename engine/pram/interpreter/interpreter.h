#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "pram/interpreter/code.h"
#include "pram/interpreter/conflicts.h"
#include "pram/language/program.h"
#include "pram/machine/evaluator.h"
#include "pram/machine/memory.h"
#include "pram/machine/options.h"

namespace lanewise::pram {

/// The active processors of a block: all, or those of an ascending list.
struct Active {
  uint32_t count = 0;
  std::shared_ptr<const std::vector<uint32_t>> list;

  Lanes lanes() const { return {0, list ? list->data() : nullptr, count}; }
};

/// A value that a step changed.
struct Change {
  bool shared = false;
  uint32_t index = 0;  ///< of the tree's variables or privates
  uint64_t cell = 0;   ///< of the variable, or the processor
  Word before = 0;
  Word after = 0;
};

/// The oracle: runs a program step by step, exactly as a PRAM does. All right-hand sides and indexes of an
/// assignment are evaluated on all active processors before anything is written; conflicts are detected;
/// costs are counted. With a history it can also step back.
class Interpreter {
 public:
  /// Takes the inputs; no step is run. Throws UserError for invalid inputs.
  Interpreter(Program program, const Arrays& inputs, const Options& options = {});

  /// Runs one step; false if there is none left. Throws RunError without any change.
  bool step();
  /// Runs to the end.
  void run();
  /// From now on records the changes of the last `steps` steps.
  void keep_history(size_t steps = SIZE_MAX) { history_ = steps; }
  size_t remembered() const { return undo_.size(); }
  /// Undoes the last recorded step; false if there is none.
  bool back();

  bool done() const { return code_[control_.at].kind == Instruction::Kind::kStop; }
  /// The statement of the next step; null at the end.
  const Statement* next() const { return code_[control_.at].statement; }
  /// The statement that the last step ran, and the number of processors; null before the first.
  const Statement* last() const { return last_; }
  uint32_t last_active() const { return last_active_; }
  /// The recorded changes of the last step.
  std::span<const Change> changes() const;

  const Program& program() const { return program_; }
  const Memory& memory() const { return memory_; }
  /// A column for each private variable of the tree, empty while its block does not run.
  const Columns& columns() const { return columns_; }
  const Active& active() const { return control_.active.back(); }
  const Cost& cost() const { return cost_; }
  const Survey& survey() const { return survey_; }
  Arrays outputs() const { return outputs_of(program_, memory_); }

 private:
  /// The depth of an if: before its parts, and of the first.
  struct Depth {
    uint64_t before;
    uint64_t first;
  };
  /// The position of the run, apart from its values; small enough to be copied for each step.
  struct Control {
    uint32_t at = 0;
    std::optional<uint32_t> block;
    std::vector<int64_t> extents;
    uint32_t processors = 1;
    std::vector<Active> active;  // nested; the last is the current one
    std::vector<Depth> depths;
  };
  /// What is needed to undo a step.
  struct Undo {
    Control control;
    const Statement* last = nullptr;
    uint32_t last_active = 0;
    uint64_t work = 0, depth = 0;
    uint32_t peak = 0, line = 0;
    std::optional<LineCost> line_cost;  // previous cost of `line`; absent: it had not run before
    Survey survey;
    std::vector<Change> changes;
    std::vector<std::pair<uint32_t, std::vector<Word>>> ended;  // columns of a block that ended
  };

  class ReadCheck;
  class ReadLog;

  Frame frame() { return {control_.extents, control_.processors, &columns_}; }
  Lanes lanes() const { return control_.active.back().lanes(); }
  uint64_t step_number() const { return cost_.steps + 1; }
  void remember(const Statement& statement);
  /// Runs what does not count as a step: ends of branches and loops, starts and ends of blocks.
  void settle();
  void begin_block(const Instruction& instruction);
  void end_block();
  void count(const Statement& statement);
  void assign(const Statement& statement);
  void test(const Instruction& instruction);
  void split(const Expr& condition, Active& chosen, Active& rest);
  /// Calls f(part, begin) for pieces of the active set, with reads watched as the mode requires; after a
  /// failure repeats it, one processor at a time, to report the error of the smallest processor.
  template <class F>
  void in_parts(F f);
  Writes shared_writes(const Statement& statement);
  /// Determines the winners of conflicting writes; throws if the mode forbids them. True if there were any.
  bool resolve(const Writes& writes);
  /// Whether a processor writes one cell twice.
  static bool meets_itself(const Writes& writes);
  void meet(const std::optional<Conflict>& conflict);
  void write(const Writes& writes);
  /// Combines the values written to each cell into its winner's, if any order will do; else returns false.
  bool combine_into_winners(const Writes& writes);
  void write_combined(const Writes& writes);
  void write_private(const Target& target, const std::vector<Word>& values);
  void set(bool shared, uint32_t index, uint64_t cell, Word& word, Word value);
  [[noreturn]] void fail(const Place& place, const std::string& message, uint32_t processor) const;

  Program program_;
  Options options_;
  Mode mode_;
  Memory memory_;
  Columns columns_;
  Reservation reservation_;  // for the columns, and for the values of an assignment until they are written
  Reservation stamps_reservation_;
  std::vector<Instruction> code_;
  size_t most_targets_ = 1;  // maximum of one assignment
  Evaluator evaluator_;
  Stamps read_stamps_;
  Stamps write_stamps_;
  Control control_;
  Cost cost_;
  Survey survey_;
  size_t history_ = 0;
  std::deque<Undo> undo_;
  const Statement* last_ = nullptr;
  uint32_t last_active_ = 0;
  std::vector<std::vector<Word>> cells_, values_;  // of the current assignment, by target
};

}  // namespace lanewise::pram

#include "pram/trace.h"

#include <fmt/format.h>

#include <cmath>

#include "base/json.h"
#include "pram/executor/observer.h"
#include "pram/interpreter/kernel_steps.h"
#include "pram/run.h"

namespace lanewise::pram {

namespace {

/// JSON has no infinity and no NaN: they are strings.
std::string value_of(Type type, Word word) {
  const std::string text = to_text(type, word);
  return type == Type::kReal && !std::isfinite(real_of(word)) ? json_quoted(text) : text;
}

std::string start_of(const Program& program, const Memory& memory, std::string_view by) {
  const Tree& tree = program.tree();
  std::string parameters;
  for (size_t i = 0; i < tree.parameters.size(); ++i) {
    parameters += fmt::format("{}{}:{}", i == 0 ? "" : ",", json_quoted(tree.parameters[i].name),
                              value_of(tree.parameters[i].type, memory.parameters[i]));
  }
  std::string variables;
  for (size_t i = 0; i < tree.variables.size(); ++i) {
    const Array& array = memory.variables[i];
    std::string values;
    for (const Word word : array.words) values += (values.empty() ? "" : ",") + value_of(array.type, word);
    variables += fmt::format(R"({}{{"name":{},"type":"{}","extents":[{}],"values":[{}]}})", i == 0 ? "" : ",",
                             json_quoted(tree.variables[i].name), name(array.type),
                             fmt::join(array.extents, ","), values);
  }
  return fmt::format(R"({{"program":{},"mode":"{}","by":"{}","parameters":{{{}}},"variables":[{}]}})"
                     "\n",
                     json_quoted(program.file()), to_text(tree.mode, tree.combine), by, parameters,
                     variables);
}

/// `host`: a private variable with one value, held by the host.
std::string change_of(const Tree& tree, const Memory& memory, const Change& change, bool host) {
  const Type type = change.shared ? tree.variables[change.index].type : tree.privates[change.index].type;
  std::string where;
  if (change.shared) {
    const std::vector<int64_t>& extents = memory.variables[change.index].extents;
    std::string cell;
    if (extents.size() == 1) cell = fmt::format("{}", change.cell);
    if (extents.size() == 2) {
      const auto columns = static_cast<uint64_t>(extents[1]);
      cell = fmt::format("{},{}", change.cell / columns, change.cell % columns);
    }
    where = fmt::format(R"("variable":{},"cell":[{}])", json_quoted(tree.variables[change.index].name), cell);
  } else {
    where = fmt::format(R"("private":{})", json_quoted(tree.privates[change.index].name));
    if (!host) where += fmt::format(R"(,"processor":{})", change.cell);
  }
  return fmt::format(R"({{{},"before":{},"after":{}}})", where, value_of(type, change.before),
                     value_of(type, change.after));
}

/// `hosted`: by private variable, whether the host holds its value.
std::string changes_of(const Tree& tree, const Memory& memory, std::span<const Change> changes,
                       const std::vector<bool>& hosted) {
  std::string result;
  for (const Change& change : changes) {
    const bool host = !change.shared && change.index < hosted.size() && hosted[change.index];
    result += (result.empty() ? "" : ",") + change_of(tree, memory, change, host);
  }
  return result;
}

std::string step_of(const Interpreter& interpreter) {
  const Statement& statement = *interpreter.last();
  return fmt::format(
      R"({{"step":{},"line":{},"column":{},"kind":"{}","active":{},"work":{},"depth":{},"changes":[{}]}})"
      "\n",
      interpreter.cost().steps, statement.place.line, statement.place.column,
      statement.kind == Statement::Kind::kAssign ? "assign" : "test", interpreter.last_active(),
      interpreter.cost().work, interpreter.cost().depth,
      changes_of(interpreter.program().tree(), interpreter.memory(), interpreter.changes(), {}));
}

std::string kernel_of(uint64_t number, const Unit& unit, uint32_t active, const std::string& changes) {
  const std::string_view kind = unit.kind == Unit::Kind::kHost     ? "host"
                                : unit.kind == Unit::Kind::kKernel ? "kernel"
                                                                   : "test";
  return fmt::format(R"({{"kernel":{},"lines":[{}],"kind":"{}",{}"active":{},"changes":[{}]}})"
                     "\n",
                     number, fmt::join(unit.lines, ","), kind,
                     unit.set ? fmt::format(R"("set":{},)", *unit.set) : std::string(), active, changes);
}

std::string end_of(const Cost& cost) {
  return fmt::format(R"({{"end":true,"steps":{},"work":{},"depth":{},"peak":{}}})"
                     "\n",
                     cost.steps, cost.work, cost.depth, cost.peak);
}

/// Calls run(); if it fails, the last line reports the error.
template <class F>
void with_errors(const WriteLine& write, F run) {
  try {
    run();
  } catch (const RunError& error) {
    write(fmt::format(R"({{"error":{},"step":{},"processor":{}}})"
                      "\n",
                      json_quoted(error.what()), error.step(), error.processor()));
    throw;
  }
}

/// Compares memory after each kernel with its previous state.
class Comparer : public KernelObserver {
 public:
  Comparer(const Program& program, const WriteLine& write) : program_(program), write_(write) {}

  void begin(const Memory& memory) override {
    write_(start_of(program_, memory, "kernel"));
    for (const Array& array : memory.variables) shared_.push_back(array.words);
    privates_.resize(program_.tree().privates.size());
    for (size_t i = 0; i < privates_.size(); ++i) {
      if (!program_.tree().privates[i].block) privates_[i].resize(1);
    }
    hosted_.resize(privates_.size());
  }

  void begin_block(uint32_t block, uint32_t processors, const MetaProgram& meta) override {
    hosted_ = meta.hosted;
    for (size_t i = 0; i < privates_.size(); ++i) {
      if (program_.tree().privates[i].block == block) privates_[i].assign(hosted_[i] ? 1 : processors, 0);
    }
  }

  void ran(const Unit& unit, uint32_t active, const Memory& memory, const Columns& columns) override {
    changes_.clear();
    for (size_t i = 0; i < shared_.size(); ++i) compare(true, i, memory.variables[i].words, shared_[i]);
    for (size_t i = 0; i < privates_.size(); ++i) compare(false, i, columns[i], privates_[i]);
    write_(kernel_of(++kernels_, unit, active, changes_of(program_.tree(), memory, changes_, hosted_)));
  }

  uint64_t kernels() const { return kernels_; }

 private:
  void compare(bool shared, size_t index, const std::vector<Word>& now, std::vector<Word>& known) {
    if (now.size() != known.size()) return;  // of a block that is not running, or within kernels only
    for (size_t cell = 0; cell < now.size(); ++cell) {
      if (now[cell] == known[cell]) continue;
      changes_.push_back({shared, static_cast<uint32_t>(index), cell, known[cell], now[cell]});
      known[cell] = now[cell];
    }
  }

  const Program& program_;
  const WriteLine& write_;
  std::vector<std::vector<Word>> shared_, privates_;
  std::vector<bool> hosted_;
  std::vector<Change> changes_;
  uint64_t kernels_ = 0;
};

}  // namespace

void trace_steps(Interpreter& interpreter, const WriteLine& write) {
  interpreter.keep_history(1);
  write(start_of(interpreter.program(), interpreter.memory(), "statement"));
  with_errors(write, [&] {
    while (interpreter.step()) write(step_of(interpreter));
  });
  write(end_of(interpreter.cost()));
}

void trace_kernels(Interpreter& interpreter, const Passes& passes, const WriteLine& write) {
  interpreter.keep_history(1);
  write(start_of(interpreter.program(), interpreter.memory(), "kernel"));
  KernelSteps kernels(interpreter, passes);
  with_errors(write, [&] {
    for (uint64_t number = 1; kernels.step(); ++number) {
      write(kernel_of(number, kernels.last(), kernels.active(),
                      changes_of(interpreter.program().tree(), interpreter.memory(), kernels.changes(), {})));
    }
  });
  write(end_of(interpreter.cost()));
}

void trace_kernels(const Program& program, const Arrays& inputs, const Options& options,
                   const WriteLine& write) {
  Comparer comparer(program, write);
  Options observed = options;
  observed.observer = &comparer;
  with_errors(write, [&] { run(program, inputs, observed); });
  write(fmt::format(R"({{"end":true,"kernels":{}}})"
                    "\n",
                    comparer.kernels()));
}

}  // namespace lanewise::pram

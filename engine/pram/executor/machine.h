#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "pram/executor/processors.h"
#include "pram/executor/team.h"
#include "pram/executor/writes.h"
#include "pram/machine/evaluator.h"
#include "pram/machine/memory.h"
#include "pram/meta/meta.h"
#include "pram/options.h"
#include "pram/program.h"

namespace lanewise::pram {

/// Runs a meta-program: a kernel's processors in parts of up to kLanes, the parts on several threads.
class CpuMachine {
 public:
  /// Takes the inputs. Throws UserError for bad ones.
  CpuMachine(const Program& program, const MetaProgram& meta, const Arrays& inputs, const Options& options,
             size_t threads);

  /// Throws Failed, Fault or Trap where the program goes wrong, CancelledError, MemoryError.
  void run();

  const Memory& memory() const { return memory_; }
  /// One for each kernel and test that ran.
  std::vector<KernelCost> costs() const;

 private:
  /// Sees that a cell is read by two processors in one step.
  class ReadCheck;
  class Launch;

  /// What a thread needs for itself.
  struct Worker {
    Worker(const Tree& tree, const Memory& memory) : evaluator(tree, memory) {}
    Evaluator evaluator;
    Pool<Word> words;
    Pool<uint32_t> numbers;
    std::vector<std::vector<Word>> cells, values;  // of an assignment, by target
  };

  Frame frame() { return {extents_, processors_, &columns_}; }
  void step();
  void nodes(const std::vector<Meta>& list);
  void node(const Meta& meta);
  void host(const Statement& statement);
  bool holds(const Expr& condition);
  void block(const Meta& meta);
  void kernel(const Meta& meta);
  void split(const Meta& meta);
  void repeat(const Meta& meta);

  /// f(worker, part, lanes) for each part of the set that has active processors.
  template <class F>
  void parts(const Processors& set, F f);
  /// Runs statements for some processors, each on its own.
  void go(Worker& worker, const std::vector<Statement>& statements, const Lanes& lanes);
  void loop(Worker& worker, const Statement& statement, const Lanes& lanes);
  /// Evaluates an assignment: cells and values of target t to cells(t) and values(t). Private variables are
  /// written.
  template <class C, class V>
  void evaluate(Worker& worker, const Statement& statement, const Lanes& lanes, C cells, V values);
  void assign(Worker& worker, const Statement& statement, const Lanes& lanes);
  void buffer(const Meta& meta, const Processors& set);
  /// Those of `lanes` for which the condition is `wanted`, into `list`, which may be that of `lanes`.
  static Lanes choose(const Word* holds, Word wanted, const Lanes& lanes, uint32_t* list);

  void test(const Meta& meta, const Processors& set);
  /// Those of `from`, last tested, whose condition is `wanted`. `to` may be `from`.
  void take(const Processors& from, bool wanted, Processors& to);
  bool prefers_list(uint32_t count, uint32_t total) const;
  /// `to` becomes the list of the `count` processors whose positions in `from` have a bit: keeps(i) holds
  /// those of positions 64 i to 64 i + 63.
  template <class F>
  void list(const Processors& from, F keeps, uint32_t count, Processors& to);

  const Tree& tree_;
  const MetaProgram& meta_;
  Options options_;
  Memory memory_;
  Team team_;
  Writer writer_;
  Columns columns_;
  Reservation reservation_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<ReadObserver> read_check_;    // null: reads are not checked
  std::vector<std::vector<uint64_t>> readers_;  // by variable and cell: step and last reader
  std::vector<int64_t> extents_;
  uint32_t processors_ = 1;
  std::vector<Processors> sets_;
  std::vector<uint64_t> mask_;    // of the last test, a bit for each position
  std::vector<uint32_t> chosen_;  // by part
  std::vector<uint32_t> offsets_, spare_;
  Pending pending_;
  uint64_t steps_ = 0;
  std::unordered_map<const Meta*, KernelCost> costs_;
};

}  // namespace lanewise::pram

#pragma once

#include <memory>
#include <vector>

#include "pram/executor/meta_machine.h"
#include "pram/executor/processors.h"
#include "pram/executor/team.h"
#include "pram/executor/writes.h"

namespace lanewise::pram {

/// Runs a meta-program: a kernel's processors are split into parts of up to kLanes, run by several threads.
class CpuMachine : public MetaMachine {
 public:
  /// Takes the inputs. Throws UserError for invalid ones.
  CpuMachine(const Program& program, const MetaProgram& meta, const Arrays& inputs, const Options& options,
             size_t threads);

 private:
  /// Detects a cell that is read by two processors in one step.
  class ReadCheck;

  /// The state of one thread.
  struct Worker {
    Worker(const Tree& tree, const Memory& memory) : evaluator(tree, memory) {}
    Evaluator evaluator;
    Pool<Word> words;
    Pool<uint32_t> numbers;
    std::vector<std::vector<Word>> cells, values;  // of an assignment, by target
    uint64_t rounds = 0;  // of all loops within the current kernel, and the launches before it
  };

  void host(const Statement& statement) override;
  bool holds(const Expr& condition) override;
  void begin_block(const Meta& meta) override;
  void end_block() override;
  void kernel(const Meta& meta) override;
  uint32_t active(uint32_t set) const override { return sets_[set].count; }
  void test(const Meta& meta, uint32_t set) override;
  void take(uint32_t from, bool wanted, uint32_t to) override;
  void copy_set(uint32_t from, uint32_t to) override { sets_[to] = sets_[from]; }

  /// Calls f(worker, part, lanes) for each part of the set that has active processors.
  template <class F>
  void parts(const Processors& set, F f);
  /// Runs statements for some processors, without synchronisation.
  void go(Worker& worker, const std::vector<Statement>& statements, const Lanes& lanes);
  void loop(Worker& worker, const Statement& statement, const Lanes& lanes);
  /// Evaluates an assignment: writes cells and values of target t to cells(t) and values(t), but private
  /// variables at once.
  template <class C, class V>
  void evaluate(Worker& worker, const Statement& statement, const Lanes& lanes, C cells, V values);
  void assign(Worker& worker, const Statement& statement, const Lanes& lanes);
  void buffer(const Meta& meta, const Processors& set);
  /// Writes the lanes for which the condition is `wanted` to `list`, which may be that of `lanes`.
  static Lanes choose(const Word* holds, Word wanted, const Lanes& lanes, uint32_t* list);

  /// `to` becomes the list of the `count` processors whose positions in `from` have a bit: keeps(i) returns
  /// the bits of positions 64 i to 64 i + 63.
  template <class F>
  void list(const Processors& from, F keeps, uint32_t count, Processors& to);

  Team team_;
  Writer writer_;
  Reservation reservation_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<ReadObserver> read_check_;    // null: reads are not checked
  std::vector<std::vector<uint64_t>> readers_;  // for each variable and cell: step and last reader
  std::vector<Processors> sets_;
  std::vector<uint64_t> mask_;    // result of the last test, a bit for each position
  std::vector<uint32_t> chosen_;  // by part
  std::vector<uint32_t> offsets_, spare_;
  Pending pending_;
};

}  // namespace lanewise::pram

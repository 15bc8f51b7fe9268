#pragma once

#include <chrono>
#include <unordered_map>
#include <vector>

#include "pram/executor/observer.h"
#include "pram/language/program.h"
#include "pram/machine/evaluator.h"
#include "pram/machine/memory.h"
#include "pram/machine/options.h"
#include "pram/meta/meta.h"

namespace lanewise::pram {

/// A run failed. The interpreter finds out the error and the processor.
struct Failed {};

/// Executes a meta-program; a subclass runs its kernels and holds its sets.
class MetaMachine {
 public:
  virtual ~MetaMachine() = default;
  MetaMachine(const MetaMachine&) = delete;
  MetaMachine& operator=(const MetaMachine&) = delete;

  /// Throws Failed, Fault or Trap if the program fails, CancelledError, MemoryError.
  void run();

  const Memory& memory() const { return memory_; }
  /// The costs of kernels and tests, by line.
  std::vector<KernelCost> costs() const;

 protected:
  /// Takes the inputs. Throws UserError for invalid ones.
  MetaMachine(const Program& program, const MetaProgram& meta, const Arrays& inputs, const Options& options);

  Frame frame() { return {extents_, processors_, &columns_}; }
  /// Counts a step; throws if there were too many, or the run was cancelled.
  void step();

  virtual void host(const Statement& statement) = 0;
  virtual bool holds(const Expr& condition) = 0;
  /// Begins a block with all its processors in T[0].
  virtual void begin_block(const Meta& meta) = 0;
  virtual void end_block() {}
  /// Between begin and end, the machine may defer kernels and launch several together.
  virtual void begin_batch(const Meta& /*meta*/) {}
  virtual void end_batch() {}
  virtual void kernel(const Meta& meta) = 0;
  virtual uint32_t active(uint32_t set) const = 0;
  /// Tests a condition on T[set].
  virtual void test(const Meta& meta, uint32_t set) = 0;
  /// T[to] = those of T[from] for which the last test was `wanted`; `to` may be `from`.
  virtual void take(uint32_t from, bool wanted, uint32_t to) = 0;
  virtual void copy_set(uint32_t from, uint32_t to) = 0;
  /// For the observer: updates memory_, and returns the private variables that are stored.
  virtual Columns look() { return columns_; }
  /// Whether a private variable has a word of memory for each processor.
  virtual bool has_column(uint32_t index) const { return !meta_.hosted[index]; }

  /// Adds the costs until its destruction to those of a node. Counts as a step.
  class Launch {
   public:
    Launch(MetaMachine& machine, const Meta& meta, uint32_t active, uint64_t lanes, bool list)
        : cost_(machine.costs_[&meta]) {
      machine.step();
      cost_ += {.launches = 1,
                .processors = active,
                .lanes = lanes,
                .lists = list ? 1u : 0u,
                .bytes = machine.words_of(meta) * sizeof(Word) * active};
      cost_.line = meta.place.line;
    }
    Launch(const Launch&) = delete;
    Launch& operator=(const Launch&) = delete;
    ~Launch() {
      cost_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

   private:
    KernelCost& cost_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  };
  /// Whether a set of `count` of `total` processors is stored better as a list.
  bool prefers_list(uint32_t count, uint32_t total) const;

  const Tree& tree_;
  const MetaProgram& meta_;
  Options options_;
  Memory memory_;
  /// For each private variable: one word if the host holds it, else the machine's own.
  Columns columns_;
  std::vector<int64_t> extents_;  // extents of the block
  uint32_t processors_ = 1;
  uint64_t steps_ = 0;
  Evaluator evaluator_;  // for the host's expressions

 private:
  void nodes(const std::vector<Meta>& list);
  void node(const Meta& meta);
  void block(const Meta& meta);
  /// Evaluates the node's condition on the host.
  bool decides(const Meta& meta);
  void split(const Meta& meta);
  void repeat(const Meta& meta);
  void ran(const Unit& unit, uint32_t active);
  /// pram::words_of, cached.
  uint64_t words_of(const Meta& meta);

  std::unordered_map<const Meta*, KernelCost> costs_;
  std::unordered_map<const Meta*, uint64_t> words_;
};

/// The single lane of statements that the host runs.
inline constexpr Lanes kHost{0, nullptr, 1};

}  // namespace lanewise::pram

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pram/machine/memory.h"
#include "pram/machine/scratch.h"
#include "pram/tree/tree.h"

namespace lanewise::pram {

/// Some processors: the numbers in `list`, ascending, or without a list `first`, `first` + 1, ...
struct Lanes {
  uint32_t first = 0;
  const uint32_t* list = nullptr;
  uint32_t count = 0;

  uint32_t operator[](uint32_t i) const { return list != nullptr ? list[i] : first + i; }
  /// `size` of them, starting at `begin`.
  Lanes part(uint32_t begin, uint32_t size) const {
    return list != nullptr ? Lanes{0, list + begin, size} : Lanes{first + begin, nullptr, size};
  }
};

/// Private variables: for each one in the tree a column with a value for each processor of its block.
using Columns = std::vector<std::vector<Word>>;

/// What a block's expressions read in addition to shared memory.
struct Frame {
  std::span<const int64_t> extents;  ///< of the block's dimensions; empty outside of blocks
  uint32_t processors = 1;           ///< their product
  Columns* columns = nullptr;
};

/// An expression failed for one of several processors; evaluate them one by one to find out which, and why.
struct Trap {};

/// An expression failed for the only processor, or for the only one remaining in `and`, `or` or `?`. If there
/// were several, a smaller one may fail too: evaluate them one by one.
struct Fault {
  Place place;
  std::string message;
};

/// Receives each read of shared cells.
class ReadObserver {
 public:
  virtual ~ReadObserver() = default;
  virtual void read(const Expr& expr, const Word* cells, const Lanes& lanes) = 0;
};

/// Evaluates typed expressions for up to kLanes processors at once, column by column. It writes only
/// the private variables of kLet.
class Evaluator {
 public:
  Evaluator(const Tree& tree, const Memory& memory) : tree_(tree), memory_(memory) {}

  ReadObserver* observer = nullptr;

  /// Writes the values for `lanes` to `out`. Throws Fault or Trap; Fault for a single processor.
  void evaluate(const Expr& expr, const Frame& frame, const Lanes& lanes, Word* out);
  /// The cells selected by `indexes`, in row-major order.
  void cells(uint32_t variable, const std::vector<ExprPtr>& indexes, const Place& place, const Frame& frame,
             const Lanes& lanes, Word* out);

 private:
  void processor(const Expr& expr, const Frame& frame, const Lanes& lanes, Word* out) const;
  void cell(const Expr& expr, const Frame& frame, const Lanes& lanes, Word* out);
  void let(const Expr& expr, const Frame& frame, const Lanes& lanes, Word* out);
  void choose(const Expr& expr, const Frame& frame, const Lanes& lanes, Word* out);
  void call(const Expr& expr, const Frame& frame, const Lanes& lanes, Word* out);
  /// The values, in place or else in `scratch`.
  const Word* operand(const Expr& expr, const Frame& frame, const Lanes& lanes, Word* scratch);
  /// If condition[i] is `wanted`, out[i] = the value of `expr`.
  void where(const Word* condition, Word wanted, const Expr& expr, const Frame& frame, const Lanes& lanes,
             Word* out);
  [[noreturn]] void out_of_range(uint32_t variable, const std::vector<ExprPtr>& indexes, const Place& place,
                                 const Frame& frame, const Lanes& lanes);

  const Tree& tree_;
  const Memory& memory_;
  Pool<Word> words_;
  Pool<uint32_t> numbers_;
};

}  // namespace lanewise::pram

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "pram/gpu/window_step.h"
#include "pram/machine/memory.h"
#include "pram/meta/meta.h"

/// The kernels of a meta-program as source, in the part of C that CUDA and OpenCL share.
namespace lanewise::pram {

/// The C of devices: the words that differ (preludes/), and how a source is compiled.
enum class Dialect : uint8_t { kCuda, kOpenCl };

/// A parameter of a kernel that a program adds to those which every kernel of its kind has. All are 8 bytes:
/// words or addresses.
struct KernelArgument {
  enum class Role : uint8_t {
    kVariable,   ///< the cells of variables[index]
    kExtent,     ///< of variables[index], in `dimension`
    kParameter,  ///< parameters[index]
    kControl,    ///< privates[index], held by the host
    kColumn,     ///< privates[index], a word for each processor
    kDimension,  ///< the extent of the block in `dimension`
    kReaders,    ///< for each cell of variables[index], its last reader; with `check`
    kLimit,      ///< steps that a loop may take
    kStep,       ///< the step's number; with `check`
  };
  Role role;
  uint32_t index = 0;
  uint32_t dimension = 0;

  bool operator==(const KernelArgument&) const = default;
};

/// What a kernel is for, and with which parameters it begins.
enum class KernelKind : uint8_t {
  kInPlace,   ///< positions, form, set, status; then its own
  kBuffered,  ///< the same; then for each shared target its cells and values; then its own
  kTest,      ///< positions, form, set, status, kept bits; then its own
  kOnce,      ///< status; then its own. Done by one; results go to the status from kResults on
  kBatch,     ///< from, to, table, arrived, arrived before, status; then its own (batch.h)
  kWindows,  ///< from, to, table, window, stride, offset, status; for each held variable what BatchHeld says;
             ///< then its own (batch.h)
  kGroup,    ///< status, limit of steps, seed; then its own. Done by one group
};

/// Words of the status: whether something failed, how many processors all tests together kept, results.
inline constexpr uint32_t kFailed = 0, kKept = 1, kResults = 2;
/// The status of a whole program in one group: whether it failed, steps, most processors of a block, and, if
/// these are too many, the block's line.
inline constexpr uint32_t kSteps = 1, kPeak = 2, kCrowded = 3, kGroupStatus = 4;

struct EmittedKernel {
  std::string name;
  KernelKind kind = KernelKind::kInPlace;
  std::vector<KernelArgument> arguments;
  size_t row = 0;  ///< of a batch's table: words for each step
};

/// A kernel as a step of its batch. In the batch's table its row is: number, processors, how many of them
/// each group has, from one's cells to the next one's among those that are held, and among all; `given`; each
/// of the window's cells of processor 0.
struct EmittedStep {
  uint32_t number = 0;                     ///< in the batch
  std::vector<KernelArgument> given = {};  ///< what may differ from step to step
  std::optional<WindowStep> window = {};
};
inline constexpr size_t kStepHead = 5;  ///< words of a row before what is given

/// The kernel that does the steps of a batch in windows.
struct EmittedWindows {
  /// A variable of which each group holds its cells as long as it goes on, nearby.
  struct Held {
    uint32_t variable;
    bool ends;  ///< it is not used after the batch
  };
  EmittedKernel kernel;
  std::vector<Held> held = {};
  uint64_t most = 0;  ///< cells of a window
};

/// The kernel that does a whole program in one group, whose memory holds all shared cells.
struct EmittedGroup {
  EmittedKernel kernel;
  uint64_t most = 0;  ///< cells of all variables together, each of which has at least one
};

struct EmittedProgram {
  std::string text;  ///< without preludes
  /// By their node or, of what one does alone, their statement or condition.
  std::unordered_map<const void*, EmittedKernel> kernels;
  std::unordered_map<const void*, EmittedStep> steps;       ///< of batches, by the same
  std::unordered_map<const void*, EmittedWindows> windows;  ///< of batches
  std::optional<EmittedGroup> group;                        ///< the only kernel (emit_group())
  std::vector<bool> in_register;  ///< by private: it lives within one kernel and needs no column
  std::vector<bool> assigned;     ///< by private: all processors write it before it is read; it need not be 0
};

struct EmitOptions {
  std::string prefix = "kernel_";  ///< of names: several programs can share a module
  bool race = false;               ///< in CRCW arbitrary whoever comes last may win, in emit_group()
  bool check = false;              ///< reads of one cell by two processors in a step fail
  const Memory* sizes = nullptr;   ///< parameters and extents that kernels are made for; null: for all
};

/// The kernels of `meta`, whose nodes stay where they are.
EmittedProgram emit(const Tree& tree, const MetaProgram& meta, const EmitOptions& options = {});

/// The whole of `meta` as one kernel for one group, which waits where emit() has another launch.
EmittedProgram emit_group(const Tree& tree, const MetaProgram& meta, const EmitOptions& options = {});

/// A whole source for a compiler: prelude, common operators, `text`.
std::string source_of(Dialect dialect, const std::string& text);
/// Functions that emit_group()'s kernels call; once in a source.
std::string group_text();
/// The kernels that serve every program.
std::string tools_text();

}  // namespace lanewise::pram

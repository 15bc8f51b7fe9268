#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "pram/gpu/emit/window_step.h"
#include "pram/machine/memory.h"
#include "pram/meta/meta.h"

/// The kernels of a meta-program as source, in the common subset of CUDA C and OpenCL C.
namespace lanewise::pram {

/// The dialect of C: its keywords (preludes/), and how a source is compiled.
enum class Dialect : uint8_t { kCuda, kOpenCl };

/// A parameter of a kernel beyond those common to its kind. All have 8 bytes:
/// words or addresses.
struct KernelArgument {
  enum class Role : uint8_t {
    kVariable,   ///< the cells of variables[index]
    kExtent,     ///< of variables[index], in `dimension`
    kParameter,  ///< parameters[index]
    kControl,    ///< privates[index], if the host holds it
    kColumn,     ///< privates[index], with a word for each processor
    kDimension,  ///< extent of the block in `dimension`
    kReaders,    ///< for each cell of variables[index], its last reader; with `check`
    kLimit,      ///< maximum steps of a loop
    kStep,       ///< the step's number; with `check`
  };
  Role role;
  uint32_t index = 0;
  uint32_t dimension = 0;

  bool operator==(const KernelArgument&) const = default;
};

/// The purpose of a kernel, and its first parameters.
enum class KernelKind : uint8_t {
  kInPlace,   ///< positions, form, set, status; then others
  kBuffered,  ///< the same; then for each shared target its cells and values; then others
  kTest,      ///< positions, form, set, status, kept bits; then others
  kOnce,      ///< status; then others. Run by one thread; results go to the status from kResults on
  kBatch,     ///< from, to, table, arrived, arrived before, status; then others (batch.h)
  kWindows,  ///< from, to, table, window, stride, offset, status; for each held variable what BatchHeld says;
             ///< then others (batch.h)
  kGroup,    ///< status, limit of steps, seed; then others. Run by one group
};

/// Words of the status: whether something failed, the number of processors kept by all tests, results.
inline constexpr uint32_t kFailed = 0, kKept = 1, kResults = 2;
/// The status of a whole program in one group: whether it failed, steps, maximum processors of a block, and,
/// if these are too many, the block's line.
inline constexpr uint32_t kSteps = 1, kPeak = 2, kCrowded = 3, kGroupStatus = 4;

inline constexpr uint64_t kGroup = 256;  ///< members of a group

struct EmittedKernel {
  std::string name;
  KernelKind kind = KernelKind::kInPlace;
  std::vector<KernelArgument> arguments;
  size_t row = 0;  ///< in a batch's table: words for each step
};

/// A kernel as a step of its batch. Its row in the batch's table: number; processors; processors per
/// group; distance between the cells of consecutive processors, among those held and among all; `given`; the
/// window's cells of processor 0.
struct EmittedStep {
  uint32_t number = 0;                     ///< in the batch
  std::vector<KernelArgument> given = {};  ///< arguments that may differ from step to step
  std::optional<WindowStep> window = {};
};
inline constexpr size_t kStepHead = 5;  ///< words of a row before `given`

/// The kernel that runs the steps of a batch in windows.
struct EmittedWindows {
  /// A variable whose cells each group keeps in fast memory.
  struct Held {
    uint32_t variable;
    bool ends;  ///< it is not used after the batch
  };
  EmittedKernel kernel;
  std::vector<Held> held = {};
  uint64_t most = 0;  ///< maximum cells of a window
};

/// The kernel that runs a whole program in one group, whose memory holds all shared cells.
struct EmittedGroup {
  EmittedKernel kernel;
  uint64_t most = 0;  ///< maximum cells of all variables together, each of which has at least one
};

struct EmittedProgram {
  std::string text;  ///< without preludes
  /// By node; for code of a single processor, by statement or condition.
  std::unordered_map<const void*, EmittedKernel> kernels;
  std::unordered_map<const void*, EmittedStep> steps;       ///< of batches, by the same keys
  std::unordered_map<const void*, EmittedWindows> windows;  ///< of batches
  std::optional<EmittedGroup> group;                        ///< the only kernel (emit_group())
  std::vector<bool> in_register;  ///< by private variable: it exists within one kernel and needs no column
  std::vector<bool> assigned;     ///< by private variable: all processors write it before reading it
};

struct EmitOptions {
  std::string prefix = "kernel_";  ///< of kernel names: several programs can share a module
  bool race = false;               ///< CRCW arbitrary: the last writer may win, in emit_group()
  bool check = false;              ///< fail if two processors read one cell in a step
  const Memory* sizes = nullptr;   ///< parameters and extents for which kernels are specialised; null: any
};

/// The kernels of `meta`, whose nodes must not move.
EmittedProgram emit(const Tree& tree, const MetaProgram& meta, const EmitOptions& options = {});

/// The whole of `meta` as one kernel for one group, with a barrier where emit() has another launch.
EmittedProgram emit_group(const Tree& tree, const MetaProgram& meta, const EmitOptions& options = {});

/// A complete source for a compiler: prelude, common operators, `text`.
std::string source_of(Dialect dialect, const std::string& text);
/// Functions called by emit_group()'s kernels; once in a source.
std::string group_text();
/// The kernels shared by all programs.
std::string tools_text();

}  // namespace lanewise::pram

#pragma once

#include <string>

#include "pram/gpu/backends/backend.h"
#include "pram/language/program.h"
#include "pram/machine/result.h"

namespace lanewise::pram {

/// A program compiled for devices, to the source of its kernels. Must not move.
struct DeviceProgram {
  /// `prefix`: of kernel names, for several programs in one source. `inputs`: those for which the kernels
  /// are specialised, if the options require that; throws UserError for invalid ones.
  DeviceProgram(const Program& program, const Options& options, const std::string& prefix = "kernel_",
                const Arrays* inputs = nullptr);
  DeviceProgram(const DeviceProgram&) = delete;
  DeviceProgram& operator=(const DeviceProgram&) = delete;

  /// The complete source for a compiler.
  std::string source(Dialect dialect) const;

  const Program program;
  const Options options;
  const MetaProgram meta;
  const EmittedProgram emitted;
};

/// Compiles its kernels; long ones with less optimisation, to save time.
std::unique_ptr<Code> build(const DeviceProgram& program, Backend& backend);

/// Runs it; `code` has its kernels, and perhaps others. Outputs are those of the interpreter, except for NaN
/// bits; so are errors, because after a failure the interpreter runs the program again and reports.
/// Throws like run(), and DeviceError. One run at a time on all devices.
Result run_on_device(const DeviceProgram& program, const Code& code, const Arrays& inputs, Backend& backend);

/// Compiles and runs.
Result run_on_device(const Program& program, const Arrays& inputs, const Options& options, Backend& backend);

}  // namespace lanewise::pram

#pragma once

#include <string>

#include "pram/gpu/backends/backend.h"
#include "pram/run.h"

namespace lanewise::pram {

/// A program that was compiled for devices, down to the source of its kernels. Stays where it is.
struct DeviceProgram {
  /// `prefix`: of the kernels' names, for several programs in one source. `inputs`: those that the kernels
  /// are made for, if the options require that; throws UserError for bad ones.
  DeviceProgram(const Program& program, const Options& options, const std::string& prefix = "kernel_",
                const Arrays* inputs = nullptr);
  DeviceProgram(const DeviceProgram&) = delete;
  DeviceProgram& operator=(const DeviceProgram&) = delete;

  /// The whole source for a compiler.
  std::string source(Dialect dialect) const;

  const Program program;
  const Options options;
  const MetaProgram meta;
  const EmittedProgram emitted;
};

/// Compiles its kernels; long ones in less time than would make them fastest.
std::unique_ptr<Code> build(const DeviceProgram& program, Backend& backend);

/// Runs it; `code` has its kernels, and perhaps others. Outputs are those of the interpreter, but which NaN a
/// real is; so are errors, because where something fails the interpreter runs the program again and reports.
/// Throws as run() does, and DeviceError. One run at a time on all devices.
Result run_on_device(const DeviceProgram& program, const Code& code, const Arrays& inputs, Backend& backend);

/// Compiles and runs.
Result run_on_device(const Program& program, const Arrays& inputs, const Options& options, Backend& backend);

}  // namespace lanewise::pram

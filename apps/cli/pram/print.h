#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pram/language/program.h"
#include "pram/run.h"

namespace lanewise::cli::pram_command {

/// "sum = 10": a line for each output, or for each row of a matrix.
std::string result_text(const pram::Result& result);

/// One object with the outputs. With `costs` it also has "cost" with "steps", "work", "depth", "peak" and
/// "lines", or "kernels" with the costs of an executor's kernels.
std::string result_json(const pram::Result& result, bool costs);

/// The program with the costs of each line, and their sums.
std::string cost_text(const pram::Program& program, const pram::Cost& cost);

/// The program with the kernels of each line: launches, active processors and their share of the
/// lanes, launches on a list, megabytes read and written, milliseconds.
std::string kernel_text(const pram::Program& program, const std::vector<pram::KernelCost>& kernels);

/// The first cell that differs between two outputs of the same name: {"A[3] = 5", "A[3] = 7"}.
std::optional<std::pair<std::string, std::string>> first_difference(std::string_view name,
                                                                    const pram::Array& a,
                                                                    const pram::Array& b);

/// Prints each kind of conflict that was found, with its place.
std::string survey_text(const pram::Program& program, const pram::Survey& survey);

}  // namespace lanewise::cli::pram_command

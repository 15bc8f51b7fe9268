#pragma once

#include <string>

#include "exec/pipeline/options.h"
#include "plan/node.h"

namespace lanewise::exec {

/// One line for each pipeline of a plan: whether a GPU supports it; with Options::device_view, also where it
/// would run and both estimates. With `kernels`, the sources of the supported ones.
std::string explain_device(const plan::NodePtr& root, bool kernels, const Options& options);

}  // namespace lanewise::exec

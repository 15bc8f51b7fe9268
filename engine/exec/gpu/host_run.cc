#include "exec/gpu/host_run.h"

#include "exec/execute.h"

namespace lanewise::exec {

Table run_on_host(const plan::NodePtr& plan, const Options& options) {
  Options host = options;
  host.accelerator = nullptr;
  host.store = nullptr;
  host.progress = nullptr;
  return execute(plan, host).table;
}

}  // namespace lanewise::exec

#pragma once

#include "ops/sink.h"

namespace lanewise::ops {

class SinkOperator;

/// Keeps all rows, in the order of the input. `what`, a string literal, names the operator in memory errors.
class Collect : public Sink {
 public:
  Collect(Schema schema, std::string_view what) : schema_(std::move(schema)), what_(what) {}
  std::unique_ptr<Local> local() const override;
  void consume(Local& local, const Chunk& chunk, EvalContext& context) const override;
  Table finish(std::vector<std::unique_ptr<Local>> locals, EvalContext& context) override;

 private:
  Schema schema_;
  std::string_view what_;
};

/// The end of a pipeline without a node.
const SinkOperator& collect_operator();

}  // namespace lanewise::ops

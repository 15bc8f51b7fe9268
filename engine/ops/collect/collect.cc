#include "ops/collect/collect.h"

#include "ops/ordered_rows.h"

namespace lanewise::ops {

std::unique_ptr<Sink::Local> Collect::local() const { return std::make_unique<OrderedRows>(schema_, what_); }

void Collect::consume(Local& local, const Chunk& chunk, EvalContext& context) const {
  static_cast<OrderedRows&>(local).append(chunk, context.budget);
}

Table Collect::finish(std::vector<std::unique_ptr<Local>> locals, EvalContext& context) {
  return OrderedRows::merge(schema_, locals, 0, -1, context.budget, what_);
}

}  // namespace lanewise::ops

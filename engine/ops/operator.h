#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "ops/sink.h"
#include "ops/step.h"
#include "plan/pipeline/pipeline.h"

namespace lanewise::codegen {
class ProgramMaker;
}  // namespace lanewise::codegen

/// What a kind of node is: on cores, on GPUs, and what its work is. Each operator implements one of these in
/// its folder; operators/operators.cc lists them.
namespace lanewise::ops {

class BranchWork;
class DeviceSink;
class JoinTable;
struct Build;
struct Work;

/// What a step reads of an earlier pipeline. `rows` are none until they are known; `build` and `on_device`
/// are null if the build side is elsewhere, or not known yet. All are null if no result is read.
struct StepInput {
  const Table* rows = nullptr;
  std::shared_ptr<const Build> build = nullptr;
  const JoinTable* on_device = nullptr;
};

/// A step on cores: one of the two.
struct OpenStep {
  std::unique_ptr<Step> step = nullptr;
  std::unique_ptr<Expander> expander = nullptr;
};

/// Not a column of the input.
inline constexpr auto kComputed = static_cast<size_t>(-1);

/// The columns of a step's rows, and their order.
struct StepColumns {
  std::vector<size_t> below = {};  ///< for each: the column of the step's input that it is, or kComputed
  bool in_order = true;            ///< the rows are in the order of the input's rows
  bool has_named = false;          ///< errors name computed columns
};
/// All columns of the input, then computed ones.
StepColumns input_columns(const plan::Node& step);

/// What a row needs to matter to a step. Other rows may be dropped earlier: see scan/early_filters.h.
struct RowNeeds {
  std::vector<ExprPtr> predicates = {};  ///< all hold
  bool match = false;                    ///< the result that the step reads has a row with equal `keys`
  std::vector<plan::JoinKey> keys = {};  ///< none: any row is a match
  bool sees_all = false;                 ///< rows that later steps drop matter, too
};

/// The time of a lookup in an array that lies in a cache, in the unit of expr::cost().
inline constexpr double kLookupTime = 10;

/// A kind of node that rows pass: see plan::StepNode.
class StepOperator {
 public:
  virtual ~StepOperator() = default;
  virtual StepColumns columns(const plan::StepSpec& step) const = 0;
  /// By default nothing.
  virtual RowNeeds needs(const plan::StepSpec& step) const;
  /// A rough time per row on cores, in the unit of expr::cost(). By default kLookupTime.
  virtual double time(const plan::StepSpec& step, const StepInput& input) const;
  /// The node outlives the step. Throws InternalError if the cores lack what it reads.
  virtual OpenStep open(const plan::StepSpec& step, const StepInput& input) const = 0;
  /// Adds the step to a program for GPUs. Throws expr::NotOnDevice.
  virtual void add_to(codegen::ProgramMaker& program, const plan::StepSpec& step,
                      const StepInput& input) const = 0;
  /// Which of its columns depend only on columns of the branch's input, given the same of those that it
  /// reads. By default those that it passes on.
  virtual std::vector<bool> of_input(const plan::StepSpec& step, const std::vector<bool>& before) const;
  /// Adds its work; `input_rows` are those of the result that it reads. By default it has none.
  virtual void add_work(BranchWork& work, const plan::StepSpec& step, double input_rows) const;
};

/// The operator of a StepNode, from the list in operators/. Throws InternalError for others.
const StepOperator& step_operator(const plan::Node& node);

/// A kind of node that ends a pipeline: see plan::SinkNode.
class SinkOperator {
 public:
  virtual ~SinkOperator() = default;
  /// The pipeline outlives the sink.
  virtual std::unique_ptr<Sink> open(const plan::Pipeline& pipeline) const = 0;
  /// The pipeline outlives the sink. Throws expr::NotOnDevice, by default.
  virtual std::unique_ptr<DeviceSink> open_on_device(const plan::Pipeline& pipeline) const;
  /// The expressions that it evaluates for each row; null ones are none.
  virtual std::vector<ExprPtr> expressions(const plan::Pipeline& pipeline) const;
  /// Adds the work for `rows`, without that of its expressions. Returns how many rows it gives, by default
  /// all.
  virtual double add_work(Work& work, const plan::Pipeline& pipeline, double rows) const;
};

}  // namespace lanewise::ops

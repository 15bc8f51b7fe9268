#pragma once

#include <memory>
#include <vector>

#include "ops/sink.h"
#include "ops/step.h"
#include "plan/pipeline/pipeline.h"

namespace lanewise::codegen {
class ProgramMaker;
}  // namespace lanewise::codegen

/// What a kind of node is: on cores, on GPUs, and what its work is. Each operator implements one of these in
/// its folder; operators/operators.h lists them.
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

/// A kind of node that rows pass: see plan::StepNode.
class StepOperator {
 public:
  virtual ~StepOperator() = default;
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

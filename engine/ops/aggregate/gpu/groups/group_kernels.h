#pragma once

#include <string>
#include <vector>

#include "ops/aggregate/gpu/groups/group_plan.h"
#include "ops/aggregate/gpu/groups/slot_layout.h"
#include "ops/gpu/branch/device_sink.h"

namespace lanewise::ops {

/// The kernels of GROUP BY and DISTINCT. The program's outputs are pairs: each key and null, then the
/// argument and the filter of each input.
///
///   group        runs the last stage and puts its rows into the table of Slots at kOut
///   mark_groups  writes a bitmap of the table's used slots to kActive
///   project      computes the groups' columns from a list of slots
///   spread       writes the parts of a list's rows (or of all rows) to kOut, and Records to kRecords
///   group_parts  puts the Records in kRecords, sorted by parts, into the table of Slots at kOut
///   make_slots   writes the Slots of a list's rows (or of all rows) to kRecords
class GroupKernels : public SinkKernels {
 public:
  /// Both arguments must outlive it.
  GroupKernels(const codegen::KernelBuilder& builder, const GroupPlan& plan);

  /// The layout of groups in memory.
  const SlotLayout& slots() const { return slots_; }
  /// The first three kernels, and the filters that run before them.
  std::vector<codegen::KernelText> texts() const override;
  /// `group` takes longest to compile. Until it is ready, the kernels of slot_texts() replace it.
  ForNow texts_for_now(Accelerator& gpu) const override;
  std::vector<codegen::KernelText> other_texts(const codegen::Strategy& strategy, bool rare) const override;
  /// Kernels that group rows by parts, and the last stage's filter, if any. Needs record_bytes() > 0.
  std::vector<codegen::KernelText> parts() const;
  /// The size of a row's Record: 4, 8 or 16. 0 if it would need more, point at strings or identify the row:
  /// then rows are not grouped by parts.
  size_t record_bytes() const;
  /// A kernel that compiles quickly and replaces `group` together with put_slots_kernel(), and the last
  /// stage's filter, if any. Empty if slots() has no shape.
  std::vector<codegen::KernelText> slot_texts() const;

 private:
  /// A value of a Record: a key or an input.
  struct RecordField {
    bool is_key;
    size_t number;      // among keys or inputs
    const Expr* value;  // null: only whether the value is present
    bool may_be_null;
    std::string name() const;
    size_t bytes() const;
  };

  const ExprPtr& key(size_t key) const { return builder_.program().outputs[GroupPlan::key_pair(key)]; }
  const ExprPtr& input(size_t input) const { return builder_.program().outputs[plan_.input_pair(input)]; }
  const ExprPtr& filter(size_t input) const {
    return builder_.program().outputs[plan_.input_pair(input) + 1];
  }

  bool is_computed(size_t input) const;
  SlotLayout make_layout() const;
  std::string head() const;
  void add_last_filter(std::vector<codegen::KernelText>& texts) const;
  void put_row(expr::Emitter& out) const;
  void set_slot(expr::Emitter& out) const;
  void set_cells(expr::Emitter& out, const std::vector<expr::Emitted>& inputs) const;
  expr::Emitted input_value(expr::Emitter& out, size_t input) const;

  // read_groups.cc
  void add_readers(codegen::KernelText& text) const;
  expr::Emitted in_row(expr::Emitter& out, size_t output, size_t cell, const Expr& expr) const;
  expr::Emitted cell_value(expr::Emitter& out, size_t output, size_t cell) const;

  // part_kernels.cc
  std::vector<RecordField> record_fields() const;
  std::string record_text() const;
  void spread_row(expr::Emitter& out) const;
  void put_record(expr::Emitter& out) const;

  const codegen::KernelBuilder& builder_;
  const GroupPlan& plan_;
  const SlotLayout slots_;
};

/// The kernels of a branch whose sink is a GroupSink.
const GroupKernels& group_kernels(const BranchRun& run);

/// The text of the kernel that puts Slots of any query into a table.
std::string put_slots_kernel();
/// Code that defines `table`, the job's table, in a kernel that puts slots into it.
std::string define_table();
/// Writes code that sets a key of the slot `one` to this value.
void set_key(expr::Emitter& out, size_t key, const expr::Emitted& value);

}  // namespace lanewise::ops

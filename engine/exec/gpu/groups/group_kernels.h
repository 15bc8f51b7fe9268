#pragma once

#include <string>
#include <vector>

#include "exec/gpu/branch/device_sink.h"
#include "exec/gpu/groups/group_plan.h"
#include "exec/gpu/groups/slot_layout.h"

namespace lanewise::exec {

/// The kernels of GROUP BY and DISTINCT. The program's outputs are each key and null, then the argument and
/// the filter of each input.
///
///   group        the last stage, its rows into the table of Slots at kOut
///   mark_groups  the table's slots that are used -> kActive, a bitmap
///   project      the groups of a list of slots
///   spread       rows of a list, or all: their parts of that table -> kOut, Records -> kRecords
///   group_parts  kRecords, sorted by parts, into the table of Slots at kOut
///   make_slots   rows of a list, or all: their Slots -> kRecords
class GroupKernels : public SinkKernels {
 public:
  /// Both outlive it.
  GroupKernels(const KernelBuilder& builder, const GroupPlan& plan);

  /// How groups lie in memory.
  const SlotLayout& slots() const { return slots_; }
  /// The first three, and what narrows rows before them.
  std::vector<KernelText> texts() const override;
  /// `group` takes longest to compile. Where it is not there yet, slot_texts() replace it.
  ForNow texts_for_now(Accelerator& gpu) const override;
  std::vector<KernelText> other_texts(const Strategy& strategy, bool rare) const override;
  /// What groups rows by parts, and the last stage's filter if it has one; where record_bytes() is not 0.
  std::vector<KernelText> parts() const;
  /// The bytes that a row brings to its group, if that is no more than 16 bytes in which nothing points at
  /// strings or identifies the row itself: 4, 8 or 16. Else 0: rows are not grouped by parts.
  size_t record_bytes() const;
  /// What is soon compiled and does, with put_slots_kernel(), what `group` does, and the last stage's filter
  /// if it has one. Empty where slots() has no shape.
  std::vector<KernelText> slot_texts() const;

 private:
  /// A value of a Record: a key's, or an input's.
  struct RecordField {
    bool is_key;
    size_t number;      // among keys, or inputs
    const Expr* value;  // null: only whether it is there
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
  void add_last_filter(std::vector<KernelText>& texts) const;
  void put_row(expr::Emitter& out) const;
  void set_slot(expr::Emitter& out) const;
  void set_cells(expr::Emitter& out, const std::vector<expr::Emitted>& inputs) const;
  expr::Emitted input_value(expr::Emitter& out, size_t input) const;

  // read_groups.cc
  void add_readers(KernelText& text) const;
  expr::Emitted in_row(expr::Emitter& out, size_t output, size_t cell, const Expr& expr) const;
  expr::Emitted cell_value(expr::Emitter& out, size_t output, size_t cell) const;

  // part_kernels.cc
  std::vector<RecordField> record_fields() const;
  std::string record_text() const;
  void spread_row(expr::Emitter& out) const;
  void put_record(expr::Emitter& out) const;

  const KernelBuilder& builder_;
  const GroupPlan& plan_;
  const SlotLayout slots_;
};

/// Those of a branch whose sink is a GroupSink.
const GroupKernels& group_kernels(const BranchRun& run);

/// The text of the kernel that puts Slots of any query into a table.
std::string put_slots_kernel();
/// Defines `table`, that of the job, in a kernel that puts slots into it.
std::string define_table();
/// Makes the key of the slot `one` this value.
void set_key(expr::Emitter& out, size_t key, const expr::Emitted& value);

}  // namespace lanewise::exec

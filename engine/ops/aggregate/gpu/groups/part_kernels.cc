#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "ops/aggregate/gpu/groups/group_kernels.h"
#include "ops/gpu/rows/row_kernels.h"

/// The kernels of GROUP BY for rows that are sorted by parts of the table.
namespace lanewise::ops {

using expr::Emitted;
using expr::Emitter;
using Word = codegen::JobLayout::Word;

namespace {

constexpr size_t kMostBytes = 16, kBitsBytes = 4, kMostFields = 8 * kBitsBytes;

}  // namespace

std::string GroupKernels::RecordField::name() const {
  return fmt::format("{}{}", is_key ? "key" : "input", number);
}

size_t GroupKernels::RecordField::bytes() const {
  return value == nullptr ? 0 : value->type.is_string() ? kMostBytes + 1 : width(value->type.physical());
}

/// The keys, then the inputs. Inputs that are only checked for errors have no value.
std::vector<GroupKernels::RecordField> GroupKernels::record_fields() const {
  std::vector<RecordField> fields;
  for (size_t i = 0; i < plan_.keys().size(); ++i)
    fields.push_back({true, i, key(i).get(), builder_.may_be_null(key(i))});
  for (size_t number = 0; number < plan_.inputs().size(); ++number) {
    if (!is_computed(number)) continue;
    bool needs_value = false;
    for (size_t i = 0; i < plan_.cells().size(); ++i) {
      const GroupCell& cell = plan_.cells()[i];
      if (!slots_.stores(i) || cell.input != number) continue;
      needs_value |= !is_count(cell.reduction) || cell.reduction == Reduction::kCountTrue;
    }
    const ExprPtr& value = input(number);
    fields.push_back({false, number, needs_value ? value.get() : nullptr,
                      builder_.may_be_null(value) || filter(number) != nullptr});
  }
  return fields;
}

size_t GroupKernels::record_bytes() const {
  const std::vector<GroupCell>& cells = plan_.cells();
  const auto picks = [](const GroupCell& cell) { return cell.kind == GroupCell::Kind::kRow; };
  if (std::any_of(cells.begin(), cells.end(), picks)) return 0;
  const std::vector<RecordField> fields = record_fields();
  if (fields.size() > kMostFields) return 0;
  size_t bytes = 0;
  bool says_null = false;
  for (const RecordField& field : fields) {
    bytes += field.bytes();
    says_null |= field.may_be_null;
  }
  bytes = std::max(std::bit_ceil(bytes + (says_null ? kBitsBytes : 0)), sizeof(uint32_t));
  return bytes <= kMostBytes ? bytes : 0;
}

/// Leaves the record of the row and its part.
void GroupKernels::spread_row(Emitter& out) const {
  out.line("Slot one{};");
  out.line("Record record{};");
  const std::vector<RecordField> fields = record_fields();
  for (size_t i = 0; i < fields.size(); ++i) {
    const RecordField& field = fields[i];
    const Emitted value = field.is_key ? out.emit(*key(field.number)) : input_value(out, field.number);
    if (field.is_key) set_key(out, field.number, value);
    if (field.may_be_null) out.open(fmt::format("if ({}) {{", value.valid));
    if (field.value != nullptr) out.line(fmt::format("record.{} = {};", field.name(), value.value));
    if (field.may_be_null) out.line(fmt::format("record.there |= {}u;", 1u << i));
    if (field.may_be_null) out.close();
  }
  out.line(fmt::format("job.at<Record>({})[i] = record;", size_t{Word::kRecords}));
  out.line(fmt::format("job.at<u32>({})[i] = part_of(hash_of(one), job.words[{}]);", size_t{Word::kOut},
                       size_t{Word::kShift}));
}

/// Puts the row of `record` into its group.
void GroupKernels::put_record(Emitter& out) const {
  out.line("Slot one{};");
  std::vector<Emitted> inputs(plan_.inputs().size());
  const std::vector<RecordField> fields = record_fields();
  for (size_t i = 0; i < fields.size(); ++i) {
    const RecordField& field = fields[i];
    const Emitted value{field.value == nullptr ? "" : "record." + field.name(),
                        field.may_be_null ? fmt::format("bool(record.there >> {} & 1)", i) : ""};
    if (field.is_key) {
      set_key(out, field.number, value);
    } else {
      inputs[field.number] = value;
    }
  }
  set_cells(out, inputs);
  out.line("table.add(kept, one);");
}

/// `struct Record`: wide fields first, so that nothing lies between them.
std::string GroupKernels::record_text() const {
  std::vector<std::pair<size_t, std::string>> members;  // by size
  bool says_null = false;
  for (const RecordField& field : record_fields()) {
    if (field.value != nullptr)
      members.emplace_back(field.bytes(), expr::device_type(field.value->type) + (" " + field.name()));
    says_null |= field.may_be_null;
  }
  if (says_null) members.emplace_back(kBitsBytes, "u32 there");
  std::stable_sort(members.begin(), members.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text = fmt::format("struct alignas({}) Record {{\n", record_bytes());
  size_t unused = record_bytes();
  for (const auto& [bytes, member] : members) {
    text += "  " + member + ";\n";
    unused -= bytes;
  }
  if (unused != 0) text += fmt::format("  u8 unused[{}];\n", unused);
  return text + fmt::format("}};\nstatic_assert(sizeof(Record) == {});\n", record_bytes());
}

std::vector<codegen::KernelText> GroupKernels::parts() const {
  std::vector<codegen::KernelText> texts;
  add_last_filter(texts);
  const std::string head = this->head() + record_text();

  texts.push_back({head, {}, ""});
  add_list_kernel(texts.back(), builder_,
                  {.name = "spread",
                   .read = builder_.program().outputs,
                   .each = [&](Emitter& out) { spread_row(out); },
                   .row = "list ? list[i] : i"});

  // A block's pieces lie side by side, so that its groups are in few parts at a time.
  Emitter out = builder_.emitter(codegen::KernelBuilder::Access::kRow);
  out.line("");
  out.open("extern \"C\" __global__ void __launch_bounds__(kGroupThreads, 2) group_parts(const Job job) {");
  out.line("constexpr u64 kPiece = kGroupThreads * kRecordWords;");
  out.line(fmt::format("const u64 rows = job.words[{}];", size_t{Word::kRows}));
  out.line(fmt::format("const Record* const records = job.at<const Record>({});", size_t{Word::kRecords}));
  out.line(define_table());
  out.line("const u64 pieces = (rows + kPiece - 1) / kPiece, each = (pieces + gridDim.x - 1) / gridDim.x;");
  out.line("u64 end = (blockIdx.x + 1) * each;");
  out.line("if (end > pieces) end = pieces;");
  out.open("for (u64 piece = blockIdx.x * each; piece < end && table.next_piece(); piece++) {");
  out.line("u64 i = piece * kPiece + threadIdx.x / 32 * (kRecordWords * 32) + lane();");
  out.line("Record held[kRecordWords];");
  out.line("#pragma unroll");
  out.line(
      "for (u32 j = 0; j < kRecordWords; j++) held[j] = i + j * 32 < rows ? records[i + j * 32] : Record{};");
  out.line("#pragma unroll 1");
  out.open("for (u32 word = 0; word < kRecordWords; word++) {");
  out.line("const u32 kept = __ballot_sync(~0u, i < rows);");
  out.open("if (i < rows) {");
  out.line("const Record& record = held[0];");
  put_record(out);
  out.close();
  out.line("i += 32;");
  out.line("shift(held);");
  out.close();
  out.close();
  out.line("table.finish();");
  out.close();
  texts.push_back({head, {}, ""});
  codegen::KernelBuilder::add(texts.back(), "group_parts", out);
  return texts;
}

}  // namespace lanewise::ops

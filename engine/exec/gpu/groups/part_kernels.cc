#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "exec/gpu/codegen/kernel_writer.h"

/// The kernels of GROUP BY for rows that are sorted by parts of the table.
namespace lanewise::exec {

using expr::Emitted;
using expr::Emitter;
using Takes = DeviceAggregate::Takes;
using Keeps = DeviceAggregate::Keeps;

namespace {

constexpr size_t kMostBytes = 16, kBitsBytes = 4, kMostFields = 8 * kBitsBytes;

}  // namespace

std::string KernelWriter::RecordField::name() const {
  return fmt::format("{}{}", is_key ? "key" : "input", number);
}

size_t KernelWriter::RecordField::bytes() const {
  return value == nullptr ? 0 : value->type.is_string() ? kMostBytes + 1 : width(value->type.physical());
}

/// The keys, then the inputs. Inputs that are only checked for errors have no value.
std::vector<KernelWriter::RecordField> KernelWriter::record_fields() const {
  const GroupPlan& plan = *sink_.groups;
  std::vector<RecordField> fields;
  for (size_t key = 0; key < plan.keys().size(); ++key) {
    const ExprPtr& value = program_.outputs[DeviceSink::key_pair(key)];
    fields.push_back({true, key, value.get(), may_be_null(value)});
  }
  for (size_t input = 0; input < plan.inputs().size(); ++input) {
    if (!plan.inputs()[input].is_computed) continue;
    bool needs_value = false;
    for (size_t i = 0; i < plan.cells().size(); ++i) {
      const GroupCell& cell = plan.cells()[i];
      if (!slots_->stores(i) || cell.input != input) continue;
      needs_value |= cell.keeps != Keeps::kCount || cell.takes == Takes::kTrue;
    }
    const size_t pair = sink_.input_pair(input);
    const ExprPtr& value = program_.outputs[pair];
    fields.push_back({false, input, needs_value ? value.get() : nullptr,
                      may_be_null(value) || program_.outputs[pair + 1] != nullptr});
  }
  return fields;
}

size_t KernelWriter::record_bytes() const {
  const std::vector<GroupCell>& cells = sink_.groups->cells();
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
void KernelWriter::spread_row(Emitter& out) const {
  out.line("Slot one{};");
  out.line("Record record{};");
  const std::vector<RecordField> fields = record_fields();
  for (size_t i = 0; i < fields.size(); ++i) {
    const RecordField& field = fields[i];
    const Emitted value = field.is_key ? out.emit(*program_.outputs[DeviceSink::key_pair(field.number)])
                                       : input_value(out, field.number);
    if (field.is_key) set_key(out, field.number, value);
    if (field.may_be_null) out.open(fmt::format("if ({}) {{", value.valid));
    if (field.value != nullptr) out.line(fmt::format("record.{} = {};", field.name(), value.value));
    if (field.may_be_null) out.line(fmt::format("record.there |= {}u;", 1u << i));
    if (field.may_be_null) out.close();
  }
  out.line(fmt::format("job.at<Record>({})[i] = record;", size_t{kRecords}));
  out.line(fmt::format("job.at<u32>({})[i] = part_of(hash_of(one), job.words[{}]);", size_t{kOut},
                       size_t{kShift}));
}

/// Puts the row of `record` into its group.
void KernelWriter::put_record(Emitter& out) const {
  out.line("Slot one{};");
  std::vector<Emitted> inputs(sink_.groups->inputs().size());
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
std::string KernelWriter::record_text() const {
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

std::vector<KernelText> KernelWriter::parts() const {
  std::vector<KernelText> texts;
  const size_t last = program_.stages.size() - 1;
  if (!program_.stages[last].predicates.empty()) filter(texts, last);

  const std::string head = group_head() + record_text();

  texts.push_back({head, {}, ""});
  list_kernel(
      texts.back(), "spread", program_.outputs, "", [&](Emitter& out) { spread_row(out); }, "",
      "list ? list[i] : i");

  // A block's pieces lie side by side, so that its groups are in few parts at a time.
  Emitter out = emitter(Access::kRow);
  out.line("");
  out.open("extern \"C\" __global__ void __launch_bounds__(kGroupThreads, 2) group_parts(const Job job) {");
  out.line("constexpr u64 kPiece = kGroupThreads * kRecordWords;");
  out.line(fmt::format("const u64 rows = job.words[{}];", size_t{kRows}));
  out.line(fmt::format("const Record* const records = job.at<const Record>({});", size_t{kRecords}));
  out.line(make_table());
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
  add(texts.back(), "group_parts", out);
  return texts;
}

}  // namespace lanewise::exec

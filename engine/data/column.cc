#include "data/column.h"

#include <cstring>
#include <limits>

#include "base/error.h"
#include "data/physical_value.h"

namespace lanewise {

Value Column::value(int64_t row) const {
  if (is_null(row)) return Value(type);
  if (type.is_string()) return to_value(type, text(row));
  const auto at = static_cast<size_t>(row);
  return visit(type.physical(), [&](auto zero) {
    using T = decltype(zero);
    if (dictionary) return dictionary->value(values.as<uint32_t>()[at]);
    return to_value(type, values.as<T>()[at]);
  });
}

size_t Column::bytes() const {
  return validity.size() + values.size() + offsets.size() + (dictionary ? dictionary->bytes() : 0);
}

bool Column::spilled() const {
  return validity.spilled() || values.spilled() || offsets.spilled() || (dictionary && dictionary->spilled());
}

void Column::spill(MemoryBudget* budget, std::string_view what) const {
  for (const Buffer* buffer : {&validity, &values, &offsets}) buffer->spill(budget, what);
}

void Batch::spill(MemoryBudget* budget, std::string_view what) const {
  for (const ColumnPtr& column : columns) column->spill(budget, what);
}

size_t Batch::bytes() const {
  size_t sum = 0;
  for (const ColumnPtr& column : columns) sum += column->bytes();
  return sum;
}

int64_t Table::rows() const {
  int64_t sum = 0;
  for (const Batch& batch : batches) sum += batch.rows;
  return sum;
}

Value Table::value(int64_t row, size_t column) const {
  for (const Batch& batch : batches) {
    if (row < batch.rows) return batch.columns[column]->value(row);
    row -= batch.rows;
  }
  throw InternalError("row number past the table's end");
}

ColumnBuilder::ColumnBuilder(Type type, MemoryBudget* budget, std::string_view what)
    : type_(type),
      budget_(budget),
      what_(what),
      validity_(budget, what),
      values_(budget, what),
      offsets_(budget, what),
      wide_offsets_(budget, what) {}

void ColumnBuilder::mark(bool valid) {
  const auto row = static_cast<size_t>(rows_++);
  if (valid && nulls_ == 0) return;
  if (nulls_ == 0) {  // the first NULL: all rows before it were valid
    validity_.resize(bits::words(row + 1));
    std::memset(validity_.data(), 0, validity_.size() * sizeof(uint64_t));
    bits::fill(validity_.data(), row);
  } else if (bits::words(row + 1) > validity_.size()) {
    validity_.push_back(0);
  }
  if (valid) {
    bits::set(validity_.data(), row);
  } else {
    ++nulls_;
  }
}

void ColumnBuilder::push_offset() {
  const size_t end = values_.size();
  if (wide_offsets_.size() == 0 && end > std::numeric_limits<uint32_t>::max()) {
    wide_offsets_.reserve(offsets_.size() + 1);
    for (size_t i = 0; i < offsets_.size(); ++i) wide_offsets_.push_back(offsets_[i]);
  }
  if (wide_offsets_.size() != 0) {
    wide_offsets_.push_back(end);
  } else {
    offsets_.push_back(static_cast<uint32_t>(end));
  }
}

void ColumnBuilder::append_null() {
  if (type_.is_string()) {
    if (rows_ == 0) push_offset();
    push_offset();
  } else {
    const size_t size = values_.size();
    values_.resize(size + width(type_.physical()));
    std::memset(values_.data() + size, 0, values_.size() - size);
  }
  mark(false);
}

void ColumnBuilder::append_text(std::string_view text) {
  if (rows_ == 0) push_offset();
  values_.append(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  push_offset();
  mark(true);
}

void ColumnBuilder::append(const Value& value) {
  if (value.is_null()) return append_null();
  visit(type_.physical(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, std::string_view>) {
      append_text(value.text());
    } else {
      append_physical(from_value<T>(value));
    }
  });
}

std::shared_ptr<Column> ColumnBuilder::finish() {
  if (type_.is_string() && rows_ == 0) push_offset();
  auto column = std::make_shared<Column>();
  column->type = type_;
  column->rows = rows_;
  column->nulls = nulls_;
  if (nulls_ != 0) column->validity = validity_.finish();
  column->values = values_.finish();
  column->wide_offsets = wide_offsets_.size() != 0;
  if (type_.is_string()) column->offsets = column->wide_offsets ? wide_offsets_.finish() : offsets_.finish();
  *this = ColumnBuilder(type_, budget_, what_);
  return column;
}

ColumnPtr make_column(Type type, const std::vector<Value>& values) {
  ColumnBuilder builder(type);
  for (const Value& value : values) builder.append(value);
  return builder.finish();
}

}  // namespace lanewise

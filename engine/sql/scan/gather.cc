#include "sql/scan/gather.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bits.h"
#include "base/error.h"
#include "sql/duckdb/duckdb_headers.h"
#include "sql/values/nested.h"
#include "sql/values/types.h"
#include "sql/values/unaligned.h"

namespace lanewise::sql {

namespace {

constexpr uint32_t kNull = std::numeric_limits<uint32_t>::max();
constexpr uint32_t kUnknown = kNull - 1;
constexpr const char* kWhat = "scan";
/// An inlined string is copied with this many bytes, for any length.
constexpr size_t kInlined = 12;

std::string_view text_of(const duckdb::string_t& string) { return {string.GetData(), string.GetSize()}; }

/// The builder's elements; unused reserved memory is released.
template <class T>
Buffer exact(BufferBuilder<T>& builder, MemoryBudget* budget) {
  const size_t bytes = builder.size() * sizeof(T), unused = builder.capacity() * sizeof(T) - bytes;
  if (unused <= bytes / 8 + 4096) return builder.finish();
  Buffer copy = Buffer::allocate(bytes, budget, kWhat);
  if (bytes != 0) std::memcpy(copy.mutable_data(), builder.data(), bytes);
  builder = BufferBuilder<T>(budget, kWhat);
  return copy;
}

/// Calls f(row, index of its value) for each row.
template <class F>
void for_each_row(const duckdb::UnifiedVectorFormat& format, int64_t rows, F f) {
  if (const auto* selection = format.sel->data()) {
    for (int64_t row = 0; row < rows; ++row) f(row, selection[row]);
  } else {
    for (int64_t row = 0; row < rows; ++row) f(row, static_cast<duckdb::idx_t>(row));
  }
}

template <class From, class To>
void copy_values(const duckdb::UnifiedVectorFormat& format, int64_t rows, BufferBuilder<uint8_t>& out) {
  const size_t start = out.size();
  out.resize(start + static_cast<size_t>(rows) * sizeof(To));
  To* to = reinterpret_cast<To*>(out.data() + start);
  if constexpr (std::is_same_v<From, To>) {
    if (format.sel->data() == nullptr) {
      std::memcpy(to, format.data, static_cast<size_t>(rows) * sizeof(To));
      return;
    }
  }
  for_each_row(format, rows, [&](int64_t row, duckdb::idx_t index) {
    to[row] = static_cast<To>(load<From>(format.data + index * sizeof(From)));
  });
}

std::shared_ptr<Column> text_column(Type type, const std::vector<std::string_view>& entries,
                                    MemoryBudget* budget) {
  ColumnBuilder builder(type, budget, kWhat);
  for (std::string_view entry : entries) builder.append_text(entry);
  if (entries.empty()) builder.append_text({});  // NULL rows carry code 0
  return builder.finish();
}

}  // namespace

/// A dictionary of DuckDB and ours.
struct ColumnGather::Dictionary {
  std::string id;
  std::vector<uint32_t> codes;  // of DuckDB's entries; kNull: NULL
  std::shared_ptr<Column> column;
  std::unordered_map<std::string_view, uint32_t> lookup;  // filled on first use

  uint32_t find(std::string_view text) {
    if (lookup.empty()) {
      for (int64_t row = 0; row < column->rows; ++row)
        lookup.emplace(column->text(row), static_cast<uint32_t>(row));
    }
    const auto found = lookup.find(text);
    return found == lookup.end() ? kUnknown : found->second;
  }

  static std::shared_ptr<Dictionary> make(Type type, std::string id,
                                          const duckdb::UnifiedVectorFormat& format, int64_t rows,
                                          MemoryBudget* budget) {
    auto result = std::make_shared<Dictionary>();
    result->id = std::move(id);
    std::vector<std::string_view> entries;
    const auto* strings = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(format);
    for_each_row(format, rows, [&](int64_t, duckdb::idx_t index) {
      const bool valid = format.validity.RowIsValid(index);
      result->codes.push_back(valid ? static_cast<uint32_t>(entries.size()) : kNull);
      if (valid) entries.push_back(text_of(strings[index]));
    });
    result->column = text_column(type, entries, budget);
    return result;
  }
};

ColumnGather::ColumnGather(const duckdb::LogicalType& from, Type type, int64_t expected_rows,
                           MemoryBudget* budget)
    : from_(std::make_unique<duckdb::LogicalType>(from)),
      type_(type),
      budget_(budget),
      expected_rows_(expected_rows),
      validity_(budget, kWhat),
      values_(budget, kWhat),
      codes_(budget, kWhat),
      bytes_(budget, kWhat),
      offsets_(budget, kWhat),
      wide_offsets_(budget, kWhat) {}

ColumnGather::~ColumnGather() = default;
ColumnGather::ColumnGather(ColumnGather&&) noexcept = default;

void ColumnGather::append(duckdb::Vector& vector, int64_t rows) {
  if (rows == 0) return;
  if (is_held_as_text(vector.GetType()) && from_->id() != duckdb::LogicalTypeId::ENUM) {
    const auto count = static_cast<duckdb::idx_t>(rows);
    duckdb::Vector texts(duckdb::LogicalType::VARCHAR, count);
    duckdb::VectorOperations::DefaultCast(vector, texts, count, true);
    return append(texts, rows);
  }
  extend_validity(rows);
  if (type_.is_nested()) {
    duckdb::Vector packed = packed_vector(vector, type_, rows);
    Format format;
    packed.ToUnifiedFormat(static_cast<duckdb::idx_t>(rows), format);
    append_nulls(format, rows);
    append_text(format, rows);
  } else if (!append_codes(vector, rows)) {
    Format format;
    vector.ToUnifiedFormat(static_cast<duckdb::idx_t>(rows), format);
    if (from_->id() == duckdb::LogicalTypeId::ENUM) {
      append_enum(format, rows);
    } else if (!append_known(format, rows)) {
      write_out_dictionary();
      append_nulls(format, rows);
      if (type_.is_string()) {
        append_text(format, rows);
      } else {
        append_values(format, rows);
      }
    }
  }
  rows_ += rows;
}

/// Appends only the codes of a dictionary vector, if it is the first one or shares the dictionary of the rows
/// so far.
bool ColumnGather::append_codes(duckdb::Vector& vector, int64_t rows) {
  if (vector.GetVectorType() != duckdb::VectorType::DICTIONARY_VECTOR) return false;
  if (from_->InternalType() != duckdb::PhysicalType::VARCHAR) return false;
  if (rows_ != 0 && dictionary_ == nullptr) return false;
  const auto size = duckdb::DictionaryVector::DictionarySize(vector);
  const std::string& id = duckdb::DictionaryVector::DictionaryId(vector);
  if (!size.IsValid() || id.empty()) return false;
  if (rows_ == 0 && (last_ == nullptr || last_->id != id)) {
    Format entries;
    duckdb::DictionaryVector::Child(vector).ToUnifiedFormat(size.GetIndex(), entries);
    last_ = Dictionary::make(type_, id, entries, static_cast<int64_t>(size.GetIndex()), budget_);
  }
  if (rows_ == 0) dictionary_ = last_;
  if (dictionary_->id != id) return false;
  const auto& selection = duckdb::DictionaryVector::SelVector(vector);
  const uint32_t* codes = dictionary_->codes.data();
  if (const auto* entries = selection.data()) {
    push_codes(rows, [&](int64_t row) { return codes[entries[row]]; });
  } else {
    push_codes(rows, [&](int64_t row) { return codes[row]; });
  }
  return true;
}

/// Appends plain strings that are all entries of the dictionary so far.
bool ColumnGather::append_known(const Format& format, int64_t rows) {
  if (dictionary_ == nullptr) return false;
  const auto* strings = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(format);
  std::vector<uint32_t> codes;
  codes.reserve(static_cast<size_t>(rows));
  bool known = true;
  for_each_row(format, rows, [&](int64_t, duckdb::idx_t index) {
    if (!known) return;
    const bool valid = format.validity.RowIsValid(index);
    codes.push_back(valid ? dictionary_->find(text_of(strings[index])) : kNull);
    known = codes.back() != kUnknown;
  });
  if (known) push_codes(rows, [&](int64_t row) { return codes[static_cast<size_t>(row)]; });
  return known;
}

void ColumnGather::append_enum(const Format& format, int64_t rows) {
  if (last_ == nullptr) {
    duckdb::Vector entries(duckdb::LogicalType::VARCHAR, nullptr);
    entries.Reference(duckdb::EnumType::GetValuesInsertOrder(*from_));
    const duckdb::idx_t size = duckdb::EnumType::GetSize(*from_);
    Format all;
    entries.ToUnifiedFormat(size, all);
    last_ = Dictionary::make(type_, {}, all, static_cast<int64_t>(size), budget_);
  }
  dictionary_ = last_;
  const auto push = [&]<class Code>(Code) {
    const Code* codes = duckdb::UnifiedVectorFormat::GetData<Code>(format);
    push_codes(rows, [&](int64_t row) {
      const auto index = format.sel->get_index(static_cast<duckdb::idx_t>(row));
      return format.validity.RowIsValid(index) ? static_cast<uint32_t>(codes[index]) : kNull;
    });
  };
  switch (from_->InternalType()) {
    case duckdb::PhysicalType::UINT8:
      return push(uint8_t{});
    case duckdb::PhysicalType::UINT16:
      return push(uint16_t{});
    default:
      return push(uint32_t{});
  }
}

template <class CodeOf>
void ColumnGather::push_codes(int64_t rows, CodeOf code_of) {
  if (rows_ == 0) codes_.reserve(static_cast<size_t>(std::max(expected_rows_, rows)));
  const size_t start = codes_.size();
  codes_.resize(start + static_cast<size_t>(rows));
  uint32_t* codes = codes_.data() + start;
  uint32_t largest = 0;
  for (int64_t row = 0; row < rows; ++row) {
    codes[row] = code_of(row);
    largest = std::max(largest, codes[row]);
  }
  if (largest != kNull) return;
  for (int64_t row = 0; row < rows; ++row) {
    if (codes[row] != kNull) continue;
    set_null(rows_ + row, rows_ + rows);
    codes[row] = 0;
  }
}

void ColumnGather::append_values(const Format& format, int64_t rows) {
  if (rows_ == 0)
    values_.reserve(static_cast<size_t>(std::max(expected_rows_, rows)) * width(type_.physical()));
  const bool decimal = type_.id == TypeId::kDecimal;
  if (type_.id == TypeId::kNull) {
    values_.resize(values_.size() + static_cast<size_t>(rows));
  } else if (decimal && from_->InternalType() == duckdb::PhysicalType::INT16) {
    copy_values<int16_t, int64_t>(format, rows, values_);
  } else if (decimal && from_->InternalType() == duckdb::PhysicalType::INT32) {
    copy_values<int32_t, int64_t>(format, rows, values_);
  } else {
    visit(type_.physical(), [&]<class T>(T) {
      if constexpr (!std::is_same_v<T, std::string_view>) copy_values<T, T>(format, rows, values_);
    });
  }
}

void ColumnGather::append_text(const Format& format, int64_t rows) {
  if (rows_ == 0) {
    offsets_.reserve(static_cast<size_t>(std::max(expected_rows_, rows)) + 1);
    offsets_.push_back(0);
    bytes_.reserve(expected_bytes_);
  }
  const auto* strings = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(format);
  const bool all_valid = format.validity.AllValid();
  const auto is_valid = [&](duckdb::idx_t index) {
    return all_valid || format.validity.RowIsValidUnsafe(index);
  };
  const size_t start = bytes_.size();
  const size_t end = append_offsets(rows, [&](auto* offsets) {
    size_t offset = start;
    for_each_row(format, rows, [&](int64_t row, duckdb::idx_t index) {
      offset += is_valid(index) ? strings[index].GetSize() : 0;
      offsets[row] = static_cast<std::remove_pointer_t<decltype(offsets)>>(offset);
    });
    return offset;
  });
  bytes_.reserve(end + kInlined);
  bytes_.resize(end);
  uint8_t* to = bytes_.data() + start;
  for_each_row(format, rows, [&](int64_t, duckdb::idx_t index) {
    if (!is_valid(index)) return;
    const duckdb::string_t& string = strings[index];
    const uint32_t size = string.GetSize();
    if (size <= kInlined) {
      std::memcpy(to, string.GetPrefix(), kInlined);
    } else {
      std::memcpy(to, string.GetPointer(), size);
    }
    to += size;
  });
}

/// Makes room for the offsets of more rows, written by write(offsets), which returns the last one. Once they
/// need more than 32 bits, all are rewritten as 64-bit offsets.
template <class Write>
size_t ColumnGather::append_offsets(int64_t rows, Write write) {
  const auto added = static_cast<size_t>(rows);
  if (!wide_) {
    offsets_.resize(offsets_.size() + added);
    const size_t end = write(offsets_.data() + offsets_.size() - added);
    if (end <= std::numeric_limits<uint32_t>::max()) return end;
    wide_ = true;
    for (size_t i = 0; i + added < offsets_.size(); ++i) wide_offsets_.push_back(offsets_[i]);
    offsets_ = BufferBuilder<uint32_t>(budget_, kWhat);
  }
  wide_offsets_.resize(wide_offsets_.size() + added);
  return write(wide_offsets_.data() + wide_offsets_.size() - added);
}

/// Converts the codes so far to text: the next rows do not use this dictionary.
void ColumnGather::write_out_dictionary() {
  if (dictionary_ == nullptr) return;
  offsets_.push_back(0);
  append_offsets(rows_, [&](auto* offsets) {
    bytes_.resize(0);
    for (int64_t row = 0; row < rows_; ++row) {
      if (nulls_ == 0 || bits::test(validity_.data(), static_cast<size_t>(row))) {
        const std::string_view text = dictionary_->column->text(codes_[static_cast<size_t>(row)]);
        bytes_.append(reinterpret_cast<const uint8_t*>(text.data()), text.size());
      }
      offsets[row] = static_cast<std::remove_pointer_t<decltype(offsets)>>(bytes_.size());
    }
    return bytes_.size();
  });
  codes_ = BufferBuilder<uint32_t>(budget_, kWhat);
  dictionary_ = nullptr;
}

void ColumnGather::append_nulls(const Format& format, int64_t rows) {
  if (type_.id == TypeId::kNull) {
    for (int64_t row = 0; row < rows; ++row) set_null(rows_ + row, rows_ + rows);
  } else if (!format.validity.AllValid()) {
    for_each_row(format, rows, [&](int64_t row, duckdb::idx_t index) {
      if (!format.validity.RowIsValidUnsafe(index)) set_null(rows_ + row, rows_ + rows);
    });
  }
}

/// The next rows are valid until set_null() says otherwise.
void ColumnGather::extend_validity(int64_t rows) {
  if (nulls_ == 0) return;
  const auto end = static_cast<size_t>(rows_ + rows);
  const size_t words = validity_.size();
  validity_.resize(bits::words(end));
  std::fill(validity_.data() + words, validity_.data() + validity_.size(), 0);
  for (auto row = static_cast<size_t>(rows_); row < end;) {
    const size_t count = std::min(64 - row % 64, end - row);
    validity_[row / 64] |= bits::low_mask(count) << (row % 64);
    row += count;
  }
}

void ColumnGather::set_null(int64_t row, int64_t rows) {
  if (nulls_ == 0) {
    validity_.resize(bits::words(static_cast<size_t>(rows)));
    bits::fill(validity_.data(), static_cast<size_t>(rows));
  }
  bits::clear(validity_.data(), static_cast<size_t>(row));
  ++nulls_;
}

std::shared_ptr<Column> ColumnGather::finish() {
  auto column = std::make_shared<Column>();
  column->type = type_;
  column->rows = rows_;
  column->nulls = nulls_;
  if (nulls_ != 0) column->validity = exact(validity_, budget_);
  if (dictionary_ != nullptr) {
    column->values = exact(codes_, budget_);
    column->dictionary = dictionary_->column;
  } else if (type_.is_string()) {
    if (rows_ == 0) offsets_.push_back(0);
    expected_bytes_ = bytes_.size() + bytes_.size() / 32 + kInlined;
    column->values = exact(bytes_, budget_);
    column->offsets = wide_ ? exact(wide_offsets_, budget_) : exact(offsets_, budget_);
    column->wide_offsets = wide_;
  } else {
    column->values = exact(values_, budget_);
  }
  if (rows_ != 0) expected_rows_ = rows_;
  rows_ = nulls_ = 0;
  wide_ = false;
  dictionary_ = nullptr;
  validity_ = BufferBuilder<uint64_t>(budget_, kWhat);
  return column;
}

}  // namespace lanewise::sql

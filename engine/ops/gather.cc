#include "ops/gather.h"

#include <cstring>
#include <limits>

#include "data/visit_width.h"

namespace lanewise::ops {

Gather::Gather(Type type, MemoryBudget* budget, std::string_view what)
    : type_(type),
      budget_(budget),
      what_(what),
      width_(width(type.physical())),
      validity_(budget, what),
      values_(budget, what),
      offsets_(budget, what),
      wide_offsets_(budget, what) {
  if (type_.is_string()) offsets_.push_back(0);
}

size_t Gather::bytes() const {
  return values_.size() + offsets_.size() * sizeof(uint32_t) + wide_offsets_.size() * sizeof(uint64_t);
}

void Gather::append(const Vector& vector, const ActiveSet& rows) {
  if (rows.none()) return;
  if (rows_ == 0 && last_bytes_ != 0) {  // growing by doubling would use twice the memory
    const auto and_some = [](size_t size) { return size + size / 8; };  // a batch may be a chunk longer
    values_.reserve(and_some(last_bytes_));
    if (type_.is_string()) offsets_.reserve(and_some(last_rows_ + 1));
  }
  append_validity(vector, rows);
  type_.is_string() ? append_texts(vector, rows) : append_values(vector, rows);
  rows_ += rows.count();
}

void Gather::append_validity(const Vector& vector, const ActiveSet& rows) {
  if (vector.validity == nullptr && nulls_ == 0) return;
  const auto now = static_cast<size_t>(rows_);
  const size_t old_words = nulls_ == 0 ? 0 : bits::words(now);
  validity_.resize(bits::words(now + rows.count()));
  uint64_t* words = validity_.data();
  std::memset(words + old_words, 0, (validity_.size() - old_words) * sizeof(uint64_t));
  if (nulls_ == 0) bits::fill(words, now);
  size_t to = now;
  rows.for_each([&](uint32_t row) {
    const bool valid = !vector.is_null(row);
    words[to / 64] |= static_cast<uint64_t>(valid) << (to % 64);
    nulls_ += !valid;
    ++to;
  });
  if (nulls_ == 0) validity_.resize(0);
}

void Gather::append_values(const Vector& vector, const ActiveSet& rows) {
  visit_width(width_, [&](auto zero) {
    using T = decltype(zero);
    const size_t size = values_.size();
    values_.resize(size + rows.count() * sizeof(T));
    T* to = reinterpret_cast<T*>(values_.data() + size);
    if (vector.constant) {
      const T value = vector.as<T>()[0];
      for (uint32_t i = 0; i < rows.count(); ++i) *to++ = value;
    } else if (vector.form == Vector::Form::kDictionary) {
      const T* entries = vector.dictionary->values.as<T>();
      const uint32_t* codes = vector.as<uint32_t>();
      rows.for_each([&](uint32_t row) { *to++ = vector.is_null(row) ? T{} : entries[codes[row]]; });
    } else if (rows.all()) {
      std::memcpy(to, vector.values, rows.count() * sizeof(T));
    } else {
      const T* from = vector.as<T>();
      rows.for_each([&](uint32_t row) { *to++ = from[row]; });
    }
  });
}

void Gather::expect_text(size_t more) {
  const size_t need = values_.size() + more;
  if (!wide_ && need > std::numeric_limits<uint32_t>::max()) {
    wide_offsets_.reserve(offsets_.size());
    for (size_t i = 0; i < offsets_.size(); ++i) wide_offsets_.push_back(offsets_[i]);
    offsets_.finish();
    wide_ = true;
  }
}

void Gather::append_texts(const Vector& vector, const ActiveSet& rows) {
  if (vector.form == Vector::Form::kText && !vector.constant && rows.all() && vector.validity == nullptr) {
    append_flat_text(vector, rows);
  } else {
    append_each_text(vector, rows);
  }
}

void Gather::append_each_text(const Vector& vector, const ActiveSet& rows) {
  const auto text = [&](uint32_t row) { return vector.is_null(row) ? std::string_view() : vector.text(row); };
  size_t bytes = 0;
  rows.for_each([&](uint32_t row) { bytes += text(row).size(); });
  expect_text(bytes);
  size_t end = values_.size();
  values_.resize(end + bytes);
  with_offsets([&](auto& offsets) {
    size_t at = offsets.size();
    offsets.resize(at + rows.count());
    rows.for_each([&](uint32_t row) {
      const std::string_view from = text(row);
      if (!from.empty()) std::memcpy(values_.data() + end, from.data(), from.size());
      end += from.size();
      offsets[at++] = end;
    });
  });
}

void Gather::append_flat_text(const Vector& vector, const ActiveSet& rows) {
  const uint64_t first = vector.offset(0);
  const size_t bytes = vector.offset(rows.count()) - first;
  expect_text(bytes);
  const uint64_t base = values_.size();
  values_.append(vector.bytes + first, bytes);
  with_offsets([&](auto& offsets) {
    const size_t size = offsets.size();
    offsets.resize(size + rows.count());
    for (uint32_t row = 0; row < rows.count(); ++row)
      offsets[size + row] = base + (vector.offset(row + 1) - first);
  });
}

ColumnPtr Gather::finish() {
  auto column = std::make_shared<Column>();
  column->type = type_;
  column->rows = rows_;
  column->nulls = nulls_;
  if (nulls_ != 0) column->validity = validity_.finish();
  column->values = values_.finish();
  column->wide_offsets = wide_;
  if (type_.is_string()) with_offsets([&](auto& offsets) { column->offsets = offsets.finish(); });
  const auto rows = static_cast<size_t>(rows_);
  *this = Gather(type_, budget_, what_);
  last_rows_ = rows;
  last_bytes_ = column->values.size();
  return column;
}

}  // namespace lanewise::ops

#include <cstring>
#include <type_traits>

#include "base/error.h"
#include "primitives/groups/grouping.h"
#include "primitives/groups/hash.h"

/// Conversion of a Grouping's keys to columns.
namespace lanewise {

bool Grouping::is_null(size_t key, uint32_t group) const {
  if (form_ == Form::kPacked) {
    const std::optional<uint32_t> null = null_number(group);
    return null && nulls_->is_null(key, *null);
  }
  if (form_ != Form::kRow) return group == null_group_;
  return layout_.is_null(reinterpret_cast<const uint8_t*>(words_[group]) + 8, key);
}

ColumnPtr Grouping::column(size_t key, std::span<const uint32_t> groups) const {
  std::shared_ptr<Column> column =
      types_[key].is_string() ? text_column(key, groups) : number_column(key, groups);
  if (form_ != Form::kRow && null_group_ == HashTable::kNone && nulls_ == nullptr) return column;
  for (const uint32_t group : groups) column->nulls += is_null(key, group);
  if (column->nulls == 0) return column;
  column->validity = Buffer::allocate(bits::words(groups.size()) * 8, budget_, what_);
  auto* validity = column->validity.mutable_as<uint64_t>();
  bits::fill(validity, groups.size());
  for (size_t i = 0; i < groups.size(); ++i) {
    if (is_null(key, groups[i])) bits::clear(validity, i);
  }
  return column;
}

std::shared_ptr<Column> Grouping::number_column(size_t key, std::span<const uint32_t> groups) const {
  const Type type = types_[key];
  const size_t size = width(type.physical());
  auto column = std::make_shared<Column>();
  column->type = type;
  column->rows = static_cast<int64_t>(groups.size());
  column->values = Buffer::allocate(groups.size() * size, budget_, what_);
  if (key_is_lossy(type)) {
    uint8_t* to = column->values.mutable_data();
    for (const uint32_t group : groups) {
      std::memcpy(to, first_values_[key].data() + group * size, size);
      to += size;
    }
    return column;
  }
  visit(type.physical(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T> || std::is_same_v<T, int128_t> || std::is_same_v<T, uint128_t>) {
      T* values = column->values.mutable_as<T>();
      if (form_ == Form::kRow) return row_values(key, groups, values);
      if (form_ == Form::kWord) {
        for (size_t i = 0; i < groups.size(); ++i) values[i] = static_cast<T>(words_[groups[i]]);
        return;
      }
      const uint64_t* words = packed_->word_of(key) == 0 ? words_.data() : high_.data();
      for (size_t i = 0; i < groups.size(); ++i) {
        values[i] = static_cast<T>(packed_->value(words[groups[i]], key));
      }
      for (size_t i = 0; nulls_ != nullptr && i < groups.size(); ++i) {
        const std::optional<uint32_t> null = null_number(groups[i]);
        if (null) nulls_->row_values(key, {&*null, 1}, values + i);
      }
    }
  });
  return column;
}

template <class T>
void Grouping::row_values(size_t key, std::span<const uint32_t> groups, T* values) const {
  for (size_t i = 0; i < groups.size(); ++i) {
    uint64_t words[2] = {0, 0};
    layout_.words(reinterpret_cast<const uint8_t*>(words_[groups[i]]) + 8, key, words);
    values[i] = static_cast<T>(static_cast<uint128_t>(words[1]) << 64 | words[0]);
  }
}

std::string_view Grouping::kept_text(size_t key, uint64_t word) const {
  const auto* kept = reinterpret_cast<const uint8_t*>(word);
  if (form_ == Form::kRow) return layout_.text(kept + 8, key);
  return {reinterpret_cast<const char*>(kept) + 8, hash::load8(kept)};
}

std::shared_ptr<Column> Grouping::text_column(size_t key, std::span<const uint32_t> groups) const {
  const bool lossy = key_is_lossy(types_[key]);
  const auto text_of = [&](uint32_t group) -> std::string_view {
    if (form_ == Form::kText && group == null_group_) return {};
    if (lossy) {
      FirstText first;
      std::memcpy(&first, first_values_[key].data() + group * sizeof(FirstText), sizeof(FirstText));
      if (first.data() != nullptr) return first;
    }
    return kept_text(key, words_[group]);
  };
  uint64_t total = 0;
  for (size_t i = 0; i < groups.size(); ++i) total += text_of(groups[i]).size();
  auto column = std::make_shared<Column>();
  column->type = types_[key];
  column->rows = static_cast<int64_t>(groups.size());
  column->wide_offsets = total > UINT32_MAX;
  column->values = Buffer::allocate(total, budget_, what_);
  column->offsets = Buffer::allocate((groups.size() + 1) * (column->wide_offsets ? 8 : 4), budget_, what_);
  uint8_t* bytes = column->values.mutable_data();
  const auto write = [&](auto* offsets) {
    uint64_t end = 0;
    for (size_t i = 0; i < groups.size(); ++i) {
      offsets[i] = static_cast<std::remove_pointer_t<decltype(offsets)>>(end);
      const std::string_view text = text_of(groups[i]);
      if (!text.empty()) std::memcpy(bytes + end, text.data(), text.size());
      end += text.size();
    }
    offsets[groups.size()] = static_cast<std::remove_pointer_t<decltype(offsets)>>(end);
  };
  column->wide_offsets ? write(column->offsets.mutable_as<uint64_t>())
                       : write(column->offsets.mutable_as<uint32_t>());
  return column;
}

}  // namespace lanewise

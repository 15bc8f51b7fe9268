#include "data/arrow/arrow_buffers.h"

#include <string_view>
#include <vector>

namespace lanewise::arrow {

size_t row_bytes(const Form& form) {
  switch (form.layout) {
    case Layout::kSame:
      return width(form.type.physical());
    case Layout::kViews:
    case Layout::kMonthDayNano:
      return 16;
    case Layout::kDayMillis:
      return 8;
    case Layout::kMonths:
      return 4;
    default:
      return static_cast<size_t>(form.size);
  }
}

namespace {

/// The memory owned by a copied array.
struct Held {
  std::shared_ptr<const void> owner;
  std::vector<const void*> buffers;
  std::vector<ArrowArray> children;  // the last one is the dictionary, if any
  std::vector<ArrowArray*> pointers;
};

void release_copy(ArrowArray* array) {
  auto* held = static_cast<Held*>(array->private_data);
  for (ArrowArray& child : held->children) {
    if (child.release != nullptr) child.release(&child);
  }
  delete held;
  array->release = nullptr;
}

class Copier {
 public:
  Copier(const ArrowSchema& field, const ArrowArray& from, Readable readable, const TakeBuffer& take)
      : field_(field), from_(from), readable_(readable), take_(take) {}

  std::vector<const void*> run() {
    const auto count = static_cast<size_t>(from_.n_buffers);
    buffers_.assign(count, nullptr);
    const auto rows = static_cast<size_t>(from_.offset + from_.length);
    const bool is_struct = field_.format != nullptr && std::string_view(field_.format) == "+s";
    if (from_.length == 0 || (!is_struct && form_of(field_).layout == Layout::kNull))
      return std::move(buffers_);
    if (!is_struct && form_of(field_).layout == Layout::kUnion) {
      if (count < (form_of(field_).size == 0 ? 1 : 2)) refuse(field_, "a buffer is missing");
      copy(0, rows);
      if (form_of(field_).size != 0) copy(1, rows * sizeof(int32_t));
      return std::move(buffers_);
    }
    if (count > 0 && from_.null_count != 0 && from_.buffers[0] != nullptr) copy(0, (rows + 7) / 8);
    if (is_struct) return std::move(buffers_);  // fields are children
    const Form form = form_of(field_);
    if (form.layout == Layout::kNested) {
      if (form.size > 0) copy_offsets(rows, static_cast<size_t>(form.size));
      return std::move(buffers_);
    }
    if (count < 2) refuse(field_, "a buffer is missing");
    switch (form.layout) {
      case Layout::kBits:
        copy(1, (rows + 7) / 8);
        break;
      case Layout::kText32:
        copy_texts<uint32_t>(rows);
        break;
      case Layout::kText64:
        copy_texts<uint64_t>(rows);
        break;
      case Layout::kViews:
        copy_views(rows);
        break;
      default:
        copy(1, rows * row_bytes(form));
    }
    return std::move(buffers_);
  }

 private:
  void copy(size_t index, size_t bytes) {
    if (bytes == 0) return;
    if (from_.buffers[index] == nullptr) refuse(field_, "a buffer is null");
    buffers_[index] = take_(field_, static_cast<int64_t>(index), from_.buffers[index], bytes);
  }
  template <class T>
  const T* read(size_t index) const {
    return static_cast<const T*>(readable_ == Readable::kFrom ? from_.buffers[index] : buffers_[index]);
  }

  void copy_offsets(size_t rows, size_t size) {
    if (from_.n_buffers < 2) refuse(field_, "a buffer is missing");
    copy(1, (rows + 1) * size);
  }
  template <class Offset>
  void copy_texts(size_t rows) {
    if (from_.n_buffers < 3) refuse(field_, "a buffer is missing");
    copy(1, (rows + 1) * sizeof(Offset));
    copy(2, read<Offset>(1)[rows]);
  }

  /// The last buffer holds the lengths of the data buffers.
  void copy_views(size_t rows) {
    const auto last = static_cast<size_t>(from_.n_buffers) - 1;
    copy(1, rows * 16);
    if (last < 2) refuse(field_, "a buffer is missing");
    copy(last, (last - 2) * sizeof(int64_t));
    for (size_t i = 2; i < last; ++i) {
      const int64_t bytes = read<int64_t>(last)[i - 2];
      if (bytes < 0) refuse(field_, "a buffer has a negative length");
      copy(i, static_cast<size_t>(bytes));
    }
  }

  const ArrowSchema& field_;
  const ArrowArray& from_;
  const Readable readable_;
  const TakeBuffer& take_;
  std::vector<const void*> buffers_;
};

}  // namespace

ArrowArray copy_array(const ArrowSchema& field, const ArrowArray& from, Readable readable,
                      const TakeBuffer& take, const std::shared_ptr<const void>& owner) {
  auto held = std::make_unique<Held>();
  held->owner = owner;
  held->buffers = Copier(field, from, readable, take).run();
  const bool coded = field.dictionary != nullptr;
  if (coded && from.dictionary == nullptr) refuse(field, "the dictionary is missing");
  held->children.resize(static_cast<size_t>(from.n_children) + (coded ? 1 : 0));
  for (ArrowArray& child : held->children) held->pointers.push_back(&child);

  ArrowArray copy = from;
  copy.buffers = held->buffers.data();
  copy.children = held->pointers.data();
  copy.dictionary = coded ? held->pointers.back() : nullptr;
  copy.private_data = held.get();
  copy.release = release_copy;
  const std::unique_ptr<ArrowArray, void (*)(ArrowArray*)> undo(&copy, [](ArrowArray* array) {
    if (array->private_data != nullptr) release_copy(array);
  });
  Held& parts = *held.release();
  for (int64_t i = 0; i < from.n_children; ++i) {
    parts.children[static_cast<size_t>(i)] =
        copy_array(*field.children[i], *from.children[i], readable, take, owner);
  }
  if (coded) parts.children.back() = copy_array(*field.dictionary, *from.dictionary, readable, take, owner);
  const ArrowArray result = copy;
  copy.private_data = nullptr;
  return result;
}

}  // namespace lanewise::arrow

#include "data/packed.h"

#include <algorithm>

#include "base/error.h"
#include "data/interval.h"
#include "data/physical_value.h"
#include "data/union_type.h"

namespace lanewise::packed {

namespace {

/// The byte after a zero that is part of a string.
constexpr char kInside = '\xff';

bool is_list(Type type) { return type.id == TypeId::kList || type.id == TypeId::kMap; }

/// The end of a string that starts at `at`: its last zero.
const char* end_of_text(const char* at, const char* end) {
  for (;; at += 2) {
    at = static_cast<const char*>(std::memchr(at, 0, static_cast<size_t>(end - at)));
    if (at + 1 == end || at[1] != kInside) return at;
  }
}

/// Calls f(type, mark) for each slot; f reads what follows the mark.
template <class F>
void for_each_slot(Type type, Reader& reader, F f) {
  if (type.id == TypeId::kStruct) {
    for (const Member& member : type.members()) f(member.type, reader.next());
  } else if (type.id == TypeId::kArray) {
    for (uint32_t i = 0; i < type.nested->size; ++i) f(type.element(), reader.next());
  } else {
    for (Mark mark = reader.next(); mark != Mark::kEnd; mark = reader.next()) f(type.element(), mark);
  }
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Whether DuckDB's CAST quotes an element, which could otherwise not be read back.
bool needs_quotes(std::string_view text) {
  if (text.empty() || is_space(text.front()) || is_space(text.back())) return true;
  const auto same = [](char a, char b) { return (a | 0x20) == b; };
  if (std::ranges::equal(text, std::string_view("null"), same)) return true;
  return text.find_first_of("\"'(),:=[]{}") != std::string_view::npos;
}

void print_quoted(std::string_view text, std::string& out) {
  out += '\'';
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  out += '\'';
}

void print_text(std::string_view text, std::string& out) {
  if (needs_quotes(text)) {
    print_quoted(text, out);
  } else {
    out += text;
  }
}

void print_slot(Type type, Mark mark, Reader& reader, std::string& out, bool quotes = true) {
  if (mark == Mark::kNull) {
    reader.null(type);
    out += "NULL";
  } else if (type.is_nested()) {
    print(type, reader.nested(type), out);
  } else if (quotes) {
    print_text(reader.value(type).to_string(), out);
  } else {
    out += reader.value(type).to_string();
  }
}

/// The member that has the value, as a cast prints it outside nested values.
void print_union(Type type, Reader& reader, std::string& out) {
  reader.next();
  const auto tag = static_cast<size_t>(reader.number<uint8_t>()) + 1;
  for (size_t i = 1; i < type.members().size(); ++i) {
    const Type member = type.members()[i].type;
    const Mark mark = reader.next();
    if (mark == Mark::kNull) {
      reader.null(member);
      if (i == tag) out += "NULL";
    } else if (i != tag) {
      reader.payload(member);
    } else if (member.is_nested()) {
      print(member, reader.nested(member), out);
    } else {
      out += reader.value(member).to_string();
    }
  }
}

/// Walks over nested values and normalizes their numbers.
class Normalizer {
 public:
  explicit Normalizer(std::span<char> packed) : at_(packed.data()), end_(at_ + packed.size()) {}

  void nested(Type type) {
    if (type.id == TypeId::kStruct) {
      for (const Member& member : type.members()) slot(member.type);
    } else if (type.id == TypeId::kArray) {
      for (uint32_t i = 0; i < type.nested->size; ++i) slot(type.element());
    } else {
      while (static_cast<Mark>(*at_) != Mark::kEnd) slot(type.element());
      ++at_;
    }
  }

 private:
  void slot(Type type) {
    const size_t bytes = width(type.physical());
    const auto mark = static_cast<Mark>(*at_++);
    if (mark != Mark::kNull) value(type, bytes);
    if (bytes != 0) at_ += bytes;
  }
  void value(Type type, size_t bytes) {
    if (type.id == TypeId::kFloat32) {
      if (unordered<float>(at_) == 0) put(0.0F);
    } else if (type.id == TypeId::kFloat64) {
      if (unordered<double>(at_) == 0) put(0.0);
    } else if (type.id == TypeId::kInterval) {
      put(normal_form(unordered<Interval>(at_)));
    } else if (type.is_nested()) {
      nested(type);
    } else if (bytes == 0) {
      at_ = const_cast<char*>(end_of_text(at_, end_)) + 1;
    }
  }
  template <class T>
  void put(const T& number) {
    slot_.clear();
    Writer(slot_).number(number);
    std::memcpy(at_, slot_.data() + 1, sizeof(T));
  }

  char* at_;
  char* end_;
  std::string slot_;
};

}  // namespace

bool has_equal_forms(Type type) {
  if (type.is_float() || type.id == TypeId::kInterval) return true;
  if (!type.is_nested()) return false;
  return std::ranges::any_of(type.nested->members,
                             [](const Member& member) { return has_equal_forms(member.type); });
}

void normalize(Type type, std::span<char> packed) { Normalizer(packed).nested(type); }

void Writer::text(std::string_view text) {
  mark(Mark::kValue);
  for (size_t at = 0;;) {
    const size_t zero = text.find('\0', at);
    out_ += text.substr(at, zero - at);
    out_ += '\0';
    if (zero == std::string_view::npos) return;
    out_ += kInside;
    at = zero + 1;
  }
}

void Writer::value(Type type, const Value& value) {
  if (value.is_null()) return null(type);
  if (type.is_nested()) return nested(value.text());
  visit(type.physical(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, std::string_view>) {
      text(value.text());
    } else {
      number(from_value<T>(value));
    }
  });
}

std::string_view Reader::text(std::string& scratch) {
  const char* start = at_;
  const char* last = end_of_text(start, end_);
  at_ = last + 1;
  const std::string_view whole(start, static_cast<size_t>(last - start));
  if (whole.find('\0') == std::string_view::npos) return whole;
  scratch.clear();
  for (size_t i = 0; i < whole.size(); ++i) {
    scratch += whole[i];
    if (whole[i] == '\0') ++i;
  }
  return scratch;
}

void Reader::skip(Type type) {
  if (const size_t bytes = width(type.physical())) {
    at_ += bytes;
  } else if (!type.is_nested()) {
    at_ = end_of_text(at_, end_) + 1;
  } else {
    for_each_slot(type, *this,
                  [&](Type member, Mark mark) { mark == Mark::kNull ? null(member) : skip(member); });
  }
}

Value Reader::value(Type type) {
  return visit(type.physical(), [&](auto zero) -> Value {
    using T = decltype(zero);
    if constexpr (!std::is_same_v<T, std::string_view>) {
      return to_value(type, number<T>());
    } else {
      std::string scratch;
      return to_value(type, type.is_nested() ? nested(type) : text(scratch));
    }
  });
}

size_t size(Type type, std::string_view packed) {
  if (type.id == TypeId::kArray) return type.nested->size;
  if (const size_t slot = slot_width(type.element())) return packed.size() / slot;
  size_t count = 0;
  Reader reader(packed);
  for_each_slot(type, reader, [&](Type element, Mark mark) {
    mark == Mark::kNull ? reader.null(element) : static_cast<void>(reader.payload(element));
    ++count;
  });
  return count;
}

std::vector<Value> unpack(const Value& value) {
  std::vector<Value> values;
  Reader reader(value.text());
  for_each_slot(value.type(), reader, [&](Type type, Mark mark) {
    if (mark == Mark::kNull) reader.null(type);
    values.push_back(mark == Mark::kNull ? Value(type) : reader.value(type));
  });
  return values;
}

Value pack(Type type, const std::vector<Value>& values) {
  std::string bytes;
  Writer writer(bytes);
  for (size_t i = 0; i < values.size(); ++i)
    writer.value(type.id == TypeId::kStruct ? type.members()[i].type : type.element(), values[i]);
  if (is_list(type)) writer.end();
  return {type, std::move(bytes)};
}

void print(Type type, std::string_view packed, std::string& out) {
  Reader reader(packed);
  if (is_union(type)) return print_union(type, reader, out);
  const bool named = type.id == TypeId::kStruct && !type.members().empty() && !type.members()[0].name.empty();
  const bool unnamed = type.id == TypeId::kStruct && !named;
  const bool braces = named || type.id == TypeId::kMap;
  out += unnamed ? '(' : braces ? '{' : '[';
  size_t i = 0;
  for_each_slot(type, reader, [&](Type slot, Mark mark) {
    if (i != 0) out += ", ";
    if (named) {
      print_quoted(type.members()[i].name, out);
      out += ": ";
    }
    if (type.id == TypeId::kMap) {
      Reader entry(reader.nested(slot));
      print_slot(type.members()[0].type, entry.next(), entry, out);
      out += '=';
      print_slot(type.members()[1].type, entry.next(), entry, out);
    } else {
      print_slot(slot, mark, reader, out, type.id != TypeId::kArray);  // DuckDB quotes no elements of arrays
    }
    ++i;
  });
  out += unnamed ? ')' : braces ? '}' : ']';
}

}  // namespace lanewise::packed

#include "expr/gpu/testing/compiled.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <set>

#include "base/testing/temporary_folder.h"
#include "data/physical_value.h"
#include "expr/codegen/emitter.h"
#include "expr/function.h"

namespace lanewise::expr::compiled {

namespace {

/// The answer of a compiled expression for a row.
struct CompiledAnswer {
  alignas(16) uint8_t value[16];
  bool valid;
  bool failed;
};
using Compiled = void (*)(const void* const* values, const uint32_t* const* validity, uint64_t row,
                          CompiledAnswer* answer);

/// Expressions as functions of a library. Those that are not supported on GPUs have none.
class Library {
 public:
  Library(const std::vector<ExprPtr>& exprs, const std::vector<Type>& types) {
    std::ofstream out(folder_.path() / "exprs.cc");
    for (const char* header :
         {"arithmetic", "strings/captures", "casts", "compare", "math", "intervals", "strings/graphemes",
          "strings/ilike", "strings/rewrites", "strings/texts", "strings/walk", "casts/parse_times",
          "casts/parse_interval", "casts/parse_reals", "casts/real_to_text", "casts/strftime"})
      out << "#include \"expr/gpu/" << header << "-inl.h\"\n";
    out << "using namespace lanewise::kernel;\n"
           "struct Answer { alignas(16) u8 value[16]; bool valid, failed; };\n";
    for (size_t i = 0; i < exprs.size(); ++i) {
      if (const std::optional<std::string> text = write(*exprs[i], types, i)) {
        out << *text;
        written_.insert(i);
      }
    }
    out.close();
    const std::string library = folder_.path() / "exprs.so";
    // The kernels' compiler wraps around, too, and rounds products before it adds them.
    const std::string command =
        fmt::format("{} -std=c++20 -w -O1 -fwrapv -ffp-contract=off -shared -fPIC -I{}/engine {} -o {} 2>&1",
                    LANEWISE_CXX, LANEWISE_SOURCE_DIR, (folder_.path() / "exprs.cc").string(), library);
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    handle_ = dlopen(library.c_str(), RTLD_NOW);
    EXPECT_NE(handle_, nullptr) << dlerror();
  }
  ~Library() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  size_t size() const { return written_.size(); }
  Compiled find(size_t i) const {
    if (handle_ == nullptr || !written_.contains(i)) return nullptr;
    return reinterpret_cast<Compiled>(dlsym(handle_, fmt::format("run_{}", i).c_str()));
  }

 private:
  static std::optional<std::string> write(const Expr& expr, const std::vector<Type>& types, size_t i) {
    try {
      Emitter out(
          [&](const Expr& leaf) -> Emitted {
            if (leaf.kind != Expr::Kind::kColumn) throw NotOnDevice("no automata here");
            const std::string type = device_type(types.at(leaf.column));
            return {fmt::format("static_cast<const {}*>(values[{}])[row]", type, leaf.column),
                    fmt::format("bit(validity[{}], row)", leaf.column)};
          },
          0);
      out.open(fmt::format(
          "extern \"C\" void run_{}(const void* const* values, const u32* const* validity, u64 row, "
          "Answer* answer) {{",
          i));
      out.line("bool failed = false;");
      out.line_if_texts("alignas(8) static u8 block[1 << 20];");
      out.line_if_texts("*reinterpret_cast<u64*>(block) = 0;");
      out.line_if_texts("Heap heap(block, sizeof(block) - kHeapHead);");
      const Emitted result = out.emit(expr);
      out.line(
          fmt::format("*reinterpret_cast<{}*>(answer->value) = {};", device_type(expr.type), result.value));
      out.line(fmt::format("answer->valid = {};", result.is_valid()));
      out.line("answer->failed = failed;");
      out.close();
      return out.take();
    } catch (const NotOnDevice&) {
      return std::nullopt;
    }
  }

  TemporaryFolder folder_;
  std::set<size_t> written_;
  void* handle_ = nullptr;
};

/// For a type with a fixed width.
template <class T>
Value fixed_value(Type type, const CompiledAnswer& answer) {
  T value;
  std::memcpy(&value, answer.value, sizeof(value));
  return to_value(type, value);
}

Value value_of(Type type, const CompiledAnswer& answer) {
  if (!answer.valid) return Value(type);
  if (type.is_string()) {
    kernel::Text text{};
    std::memcpy(&text, answer.value, sizeof(text));
    return {type, std::string(reinterpret_cast<const char*>(text.at), text.size)};
  }
  return visit(type.physical(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, std::string_view>)
      return Value();
    else
      return fixed_value<T>(type, answer);
  });
}

}  // namespace

size_t check(const std::vector<ExprPtr>& exprs, const TestColumns& columns) {
  const Library library(exprs, columns.types);
  for (size_t i = 0; i < exprs.size(); ++i) {
    const Compiled run = library.find(i);
    if (run == nullptr) continue;
    for (uint32_t row = 0; row < columns.rows && !::testing::Test::HasFailure(); ++row) {
      Value expected;
      bool raises = false;
      try {
        expected = evaluate_reference(*exprs[i], columns.row(row));
      } catch (const UserError&) {
        raises = true;
      }
      CompiledAnswer answer{};
      run(columns.values.data(), columns.validity.data(), row, &answer);
      EXPECT_EQ(answer.failed, raises) << exprs[i]->to_string() << " in row " << row;
      if (answer.failed || raises) continue;
      const Value got = value_of(exprs[i]->type, answer);
      EXPECT_TRUE(got == expected) << exprs[i]->to_string() << " in row " << row << " is " << got.to_string()
                                   << ", not " << expected.to_string();
    }
  }
  return library.size();
}

}  // namespace lanewise::expr::compiled

#include "ops/join/gpu/probe_kernels.h"

#include <fmt/format.h>

#include <cstring>

namespace lanewise::ops {

using expr::Emitted;
using expr::Emitter;
using plan::JoinKind;
using ProbeWord = codegen::JobLayout::ProbeWord;

bool finds_numbers(const codegen::Program& program, size_t number) {
  const codegen::Probe& probe = program.probes[number];
  if (probe.keys.size() != 1 || probe.join->keys[0].null_is_equal) return false;
  const Type type = program.types[probe.key_column(0)];
  return !type.is_string() && !type.is_float() && width(type.physical()) <= sizeof(uint64_t);
}

bool has_exact_keys(const codegen::Program& program, size_t number) {
  return finds_numbers(program, number) &&
         width(program.types[program.probes[number].key_column(0)].physical()) <= sizeof(uint32_t);
}

bool needs_match(const codegen::Probe& probe) {
  const JoinKind kind = probe.join->kind;
  return kind == JoinKind::kInner || kind == JoinKind::kSemi || kind == JoinKind::kRight;
}

void set_table(kernel::Job& job, const codegen::JobLayout& layout, size_t probe, const JoinTable& table) {
  kernel::u64* words = &job.words[layout.probe(probe)];
  const kernel::Lookup lookup = table.lookup();
  std::memcpy(&words[ProbeWord::kLookupOf], &lookup, sizeof(lookup));
  words[ProbeWord::kRunsOf] = table.runs();
  words[ProbeWord::kOrderOf] = table.order();
  words[ProbeWord::kMarksOf] = table.marks().values.address();
  words[ProbeWord::kMissOf] = table.has_null_keys() ? kernel::kUnknownRow : kernel::kNoRow;
  words[ProbeWord::kRowsOf] = table.rows();
}

std::string keys_text(const codegen::Program& program, size_t number) {
  const codegen::Probe& probe = program.probes[number];
  std::string members, hash, same;
  for (size_t key = 0; key < probe.keys.size(); ++key) {
    const Type type = program.types[probe.key_column(key)];
    members += fmt::format("  Key<{}> k{};\n", expr::device_type(type), key);
    hash += fmt::format("    hash = k{}.hash(hash);\n", key);
    same += fmt::format(" && k{0}.same<false>(other.k{0}.first(), other.k{0})", key);
    if (type.is_string()) {
      hash += fmt::format("    hash = k{}.hash_bytes(hash);\n", key);
      same += fmt::format(" && (!k{0}.is_long() || k{0}.same_bytes(other.k{0}.rest))", key);
    }
  }
  const bool numbers = finds_numbers(program, number), exact = has_exact_keys(program, number);
  std::string text = fmt::format(
      "struct Keys{} {{\n{}  u32 nulls;\n"
      "  static constexpr bool kExact = {}, kNumber = {};\n"
      "  LANES_FN u64 hash() const {{\n    u64 hash = nulls;\n{}    return hash;\n  }}\n"
      "  LANES_FN bool same(const Keys{}& other) const {{ return nulls == other.nulls{}; }}\n"
      "  LANES_FN u32 word(u64 hash) const {{ return {}; }}\n",
      number, members, exact, numbers, hash, number, same, exact ? "u32(k0.bits)" : "u32(hash)");
  if (numbers)
    text += fmt::format("  LANES_FN u64 number() const {{ return number_of<{}>(k0.bits); }}\n",
                        expr::device_type(program.types[probe.key_column(0)]));
  return text + "};\n";
}

std::string set_keys(Emitter& out, const codegen::Probe& probe, const std::vector<Emitted>& values) {
  std::string can_match;
  for (size_t key = 0; key < values.size(); ++key) {
    const std::string& valid = values[key].valid;
    if (valid.empty()) continue;
    if (probe.join->keys[key].null_is_equal) {
      out.line(fmt::format("if (!({})) keys.nulls |= {}u;", valid, 1u << key));
    } else {
      can_match += (can_match.empty() ? "" : " && ") + valid;
    }
  }
  for (size_t key = 0; key < values.size(); ++key) {
    const std::string& valid = values[key].valid;
    out.line(fmt::format("{}keys.k{}.set({});", valid.empty() ? "" : fmt::format("if ({}) ", valid), key,
                         values[key].value));
  }
  return can_match;
}

std::vector<Emitted> build_keys(const codegen::KernelBuilder& builder, size_t number) {
  const codegen::Probe& probe = builder.program().probes[number];
  std::vector<Emitted> values;
  for (size_t key = 0; key < probe.keys.size(); ++key)
    values.push_back(
        builder.column(builder.place_of(probe.key_column(key)), codegen::KernelBuilder::Access::kBuild));
  return values;
}

void define_held(Emitter& out, const codegen::KernelBuilder& builder, size_t probe) {
  out.open("const auto held = [&](u64 row) {");
  out.line(fmt::format("Keys{} keys{{}};", probe));
  set_keys(out, builder.program().probes[probe], build_keys(builder, probe));
  out.line("return keys;");
  out.close("};");
}

void define_lookup(Emitter& out, const codegen::JobLayout& layout, size_t probe) {
  const size_t word = layout.probe(probe) + ProbeWord::kLookupOf;
  out.line(
      fmt::format("const Lookup lookup = {{LookupKind(job.words[{}]), job.words[{}], job.words[{}], "
                  "job.words[{}]}};",
                  word, word + 1, word + 2, word + 3));
}

namespace {

/// Looks at the rows of the run that was found: for the first one that fulfils the condition, which becomes
/// the one that is found, or, where rows are marked or a second one is an error, for all.
void look_at_run(Emitter& out, const codegen::KernelBuilder& builder, size_t number) {
  const codegen::Probe& probe = builder.program().probes[number];
  const auto word = [&](ProbeWord which) { return builder.layout().probe(number) + which; };
  const bool marks = probe.marks_rows();
  out.line(fmt::format("u8* const marks = job.at<u8>({});", word(ProbeWord::kMarksOf)));
  // Without a condition who marks a run's first row marks all of it.
  const std::string found = fmt::format("found{}", number);
  const std::string unmarked =
      marks && probe.condition == nullptr ? fmt::format(" && !marks[{}]", found) : "";
  out.open(fmt::format("if ({} != kNoRow{}) {{", found, unmarked));
  out.line(fmt::format("const Matches* const runs = job.at<const Matches>({});", word(ProbeWord::kRunsOf)));
  out.line(fmt::format("const u32* const order = job.at<const u32>({});", word(ProbeWord::kOrderOf)));
  out.line(fmt::format("const Matches run = runs ? runs[{0}] : Matches{{{0}, 1}};", found));
  const bool chooses = probe.condition != nullptr || probe.takes_one;
  const bool is_error = probe.takes_one && !probe.join->message.empty();
  if (chooses) out.line("u32 hit = kNoRow;");
  out.open(
      fmt::format("for (u32 i = 0; i < run.count{}; i++) {{", marks || is_error ? "" : " && hit == kNoRow"));
  out.line("const u32 match = order ? order[run.first + i] : run.first + i;");
  if (probe.condition != nullptr) {
    const Emitted holds = builder.look_at(number, [&] { return out.emit(*probe.condition); });
    if (probe.unknown != nullptr && !holds.valid.empty())
      out.line(fmt::format("unknown |= !({});", holds.valid));
    out.open(fmt::format("if ({}) {{", Emitter::is_true(holds)));
  }
  if (is_error) out.line("failed |= hit != kNoRow;");
  if (chooses) out.line("hit = match;");
  if (marks) out.line("marks[match] = 1;");
  if (probe.condition != nullptr) out.close();
  out.close();
  if (chooses) out.line(found + " = hit;");
  out.close();
}

/// A mark that is not true: NULLs in the keys of the row, or in those of the build side, may make it NULL.
void judge_unknown(Emitter& out, const codegen::KernelBuilder& builder, size_t number,
                   const std::string& can_match) {
  const codegen::Probe& probe = builder.program().probes[number];
  const auto word = [&](ProbeWord which) { return builder.layout().probe(number) + which; };
  const std::string found = fmt::format("found{}", number);
  out.open(fmt::format("if ({} == kNoRow) {{", found));
  const std::string has_null = can_match.empty() ? "" : fmt::format(" || !({})", can_match);
  out.line(fmt::format("const u32 judged = job.words[{}] == kUnknownRow{} ? u32(job.words[{}]) : 0;",
                       word(ProbeWord::kMissOf), has_null, word(ProbeWord::kRowsOf)));
  out.open("for (u32 match = 0; match < judged && !unknown; match++) {");
  const Emitted all = builder.look_at(number, [&] { return out.emit(*probe.unknown); });
  if (!all.valid.empty()) out.line(fmt::format("unknown |= !({});", all.valid));
  out.close();
  out.line(fmt::format("if (unknown) {} = kUnknownRow;", found));
  out.close();
}

void find_row(Emitter& out, const codegen::KernelBuilder& builder, size_t number) {
  const codegen::Probe& probe = builder.program().probes[number];
  const auto word = [&](ProbeWord which) { return builder.layout().probe(number) + which; };
  const JoinKind kind = probe.join->kind;
  const std::string found = fmt::format("found{}", number);
  const codegen::Section& section = builder.section();
  const bool takes_runs = section.pairs == codegen::Section::Pairs::kFound && section.probe == number;
  out.line((takes_runs ? "Matches " : "u32 ") + found + (takes_runs ? " = {0, 0};" : " = kNoRow;"));
  out.open("if (keep) {");
  define_held(out, builder, number);
  std::vector<Emitted> values;
  for (const ExprPtr& key : probe.keys) values.push_back(out.emit(*key));
  out.line(fmt::format("Keys{} keys{{}};", number));
  const std::string can_match = set_keys(out, probe, values);
  define_lookup(out, builder.layout(), number);
  const std::string if_can = can_match.empty() ? "" : fmt::format("if ({}) ", can_match);
  if (takes_runs) {
    out.line(fmt::format("{}{} = find_run(lookup, job.at<const Matches>({}), keys, held);", if_can, found,
                         word(ProbeWord::kRunsOf)));
    return out.close();
  }
  if (probe.finds_value) {
    out.line("u64 slot = kFreeSlot;");
    out.line(if_can + "slot = find_slot(lookup, keys, held);");
    out.line(found + " = u32(slot);");
  } else {
    out.line(fmt::format("{}{} = find_row(lookup, keys, held);", if_can, found));
  }
  if (probe.unknown != nullptr) out.line("bool unknown = false;");
  if (probe.condition != nullptr || probe.takes_one || probe.marks_rows()) look_at_run(out, builder, number);
  if (probe.unknown != nullptr) {
    judge_unknown(out, builder, number, can_match);
  } else if (probe.is_mark()) {
    const std::string missed = fmt::format("u32(job.words[{}])", word(ProbeWord::kMissOf));
    out.line(fmt::format("if ({0} == kNoRow) {0} = {1};", found,
                         can_match.empty() ? missed
                                           : fmt::format("{} ? {} : job.words[{}] ? kUnknownRow : kNoRow",
                                                         can_match, missed, word(ProbeWord::kRowsOf))));
  }
  if (needs_match(probe))
    out.line(probe.finds_value ? "keep = slot != kFreeSlot;" : fmt::format("keep = {} != kNoRow;", found));
  switch (kind) {
    case JoinKind::kAnti:
      out.line(fmt::format("keep = {} == kNoRow;", found));
      break;
    case JoinKind::kRightSemi:
    case JoinKind::kRightAnti:
      out.line("keep = false;");
      break;
    default:
      break;
  }
  if (probe.keeps_row() && !builder.stays_in_lane(number))
    out.line(fmt::format("if (keep) job.at<u32>({})[row] = {};", word(ProbeWord::kFound), found));
  out.close();
}

class ProbeEnd : public codegen::StageEnd {
 public:
  explicit ProbeEnd(size_t probe) : probe_(probe) {}
  std::vector<ExprPtr> reads(const codegen::Program& program) const override {
    const codegen::Probe& probe = program.probes[probe_];
    std::vector<ExprPtr> read;
    for (size_t key = 0; key < probe.keys.size(); ++key) {
      read.push_back(probe.keys[key]);
      read.push_back(column(probe.key_column(key), program.types[probe.key_column(key)]));
    }
    if (probe.condition != nullptr) read.push_back(probe.condition);
    if (probe.unknown != nullptr) read.push_back(probe.unknown);
    return read;
  }
  std::string head(const codegen::KernelBuilder& builder) const override {
    return "#include \"ops/join/gpu/join-inl.h\"\n" + keys_text(builder.program(), probe_);
  }
  void take_row(Emitter& out, const codegen::KernelBuilder& builder) const override {
    find_row(out, builder, probe_);
  }

 private:
  size_t probe_;
};

}  // namespace

std::shared_ptr<const codegen::StageEnd> probe_end(size_t probe) { return std::make_shared<ProbeEnd>(probe); }

}  // namespace lanewise::ops

#include <fmt/format.h>

#include "exec/gpu/codegen/kernel_writer.h"

/// The kernels of joins: what fills the table of a build side, and what finds rows in it.
namespace lanewise::exec {

using expr::Emitted;
using expr::Emitter;
using plan::JoinKind;

/// What sources begin with that find rows in the stages.
std::string KernelWriter::probe_head(Section stages) const {
  std::string head;
  for (size_t stage = stages.first; stage < stages.end; ++stage)
    if (const std::optional<size_t> probe = program_.stages[stage].probe)
      head += "#include \"exec/gpu/join/join-inl.h\"\n" + keys_text(*probe);
  return head;
}

bool KernelWriter::finds_numbers(size_t number) const {
  const Probe& probe = program_.probes[number];
  const Type type = program_.types[probe.key_column(0)];
  return probe.keys.size() == 1 && !probe.join->keys[0].null_is_equal && !type.is_string() &&
         !type.is_float() && width(type.physical()) <= sizeof(uint64_t);
}

bool KernelWriter::has_exact_keys(size_t number) const {
  const Type type = program_.types[program_.probes[number].key_column(0)];
  return finds_numbers(number) && width(type.physical()) <= sizeof(uint32_t);
}

/// `struct KeysN` of probe N, see join-inl.h.
std::string KernelWriter::keys_text(size_t number) const {
  const Probe& probe = program_.probes[number];
  std::string members, hash, same;
  for (size_t key = 0; key < probe.keys.size(); ++key) {
    const Type type = program_.types[probe.key_column(key)];
    members += fmt::format("  Key<{}> k{};\n", expr::device_type(type), key);
    hash += fmt::format("    hash = k{}.hash(hash);\n", key);
    same += fmt::format(" && k{0}.same<false>(other.k{0}.first(), other.k{0})", key);
    if (type.is_string()) {
      hash += fmt::format("    hash = k{}.hash_bytes(hash);\n", key);
      same += fmt::format(" && (!k{0}.is_long() || k{0}.same_bytes(other.k{0}.rest))", key);
    }
  }
  const Type first = program_.types[probe.key_column(0)];
  const bool numbers = finds_numbers(number), exact = has_exact_keys(number);
  std::string text = fmt::format(
      "struct Keys{} {{\n{}  u32 nulls;\n"
      "  static constexpr bool kExact = {}, kNumber = {};\n"
      "  LANES_FN u64 hash() const {{\n    u64 hash = nulls;\n{}    return hash;\n  }}\n"
      "  LANES_FN bool same(const Keys{}& other) const {{ return nulls == other.nulls{}; }}\n"
      "  LANES_FN u32 word(u64 hash) const {{ return {}; }}\n",
      number, members, exact, numbers, hash, number, same, exact ? "u32(k0.bits)" : "u32(hash)");
  if (numbers)
    text += fmt::format("  LANES_FN u64 number() const {{ return number_of<{}>(k0.bits); }}\n",
                        expr::device_type(first));
  return text + "};\n";
}

/// Makes the Keys `keys` those of the values. Returns the condition under which they can be equal to others;
/// empty: always.
std::string KernelWriter::set_keys(Emitter& out, size_t number, const std::vector<Emitted>& values) const {
  const Probe& probe = program_.probes[number];
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

/// The keys of a program that is a build side's.
std::vector<ExprPtr> KernelWriter::build_columns() const {
  const Probe& probe = program_.probes[0];
  std::vector<ExprPtr> columns;
  for (size_t key = 0; key < probe.keys.size(); ++key)
    columns.push_back(lanewise::column(probe.key_column(key), program_.types[probe.key_column(key)]));
  return columns;
}

/// The keys of the build side's row `row`.
std::vector<Emitted> KernelWriter::build_keys(size_t probe) const {
  std::vector<Emitted> values;
  for (size_t key = 0; key < program_.probes[probe].keys.size(); ++key)
    values.push_back(column(place_of(program_.probes[probe].key_column(key)), Access::kBuild));
  return values;
}

/// Defines `held`, which gives the keys of a row of the build side.
void KernelWriter::define_held(Emitter& out, size_t probe) const {
  out.open("const auto held = [&](u64 row) {");
  out.line(fmt::format("Keys{} keys{{}};", probe));
  set_keys(out, probe, build_keys(probe));
  out.line("return keys;");
  out.close("};");
}

/// Defines `lookup`, that of the probe's build side.
void KernelWriter::define_lookup(Emitter& out, size_t probe) const {
  const size_t word = probe_word(probe) + kLookupOf;
  out.line(
      fmt::format("const Lookup lookup = {{LookupKind(job.words[{}]), job.words[{}], job.words[{}], "
                  "job.words[{}]}};",
                  word, word + 1, word + 2, word + 3));
}

/// A kernel over the rows of a build side, of which some can match: `each` is written for `row`, `before` and
/// `after` around the loop.
void KernelWriter::build_kernel(KernelText& to, const std::string& name, const std::string& before,
                                const std::string& each, const std::string& after,
                                const std::string& parameters) const {
  const Probe& probe = program_.probes[0];
  Emitter out = emitter(Access::kBuild);
  out.line("");
  out.open(fmt::format("extern \"C\" __global__ void __launch_bounds__(kThreads) {}(const Job job{}) {{",
                       name, parameters));
  pointers(out, build_columns());
  define_held(out, 0);
  define_lookup(out, 0);
  out.line(fmt::format("const u64 rows = job.words[{}];", size_t{kRows}));
  out.line(before);
  out.open("for (u64 row = thread(); row < rows; row += threads()) {");
  std::string can_match = "true";
  const std::vector<Emitted> keys = build_keys(0);
  for (size_t key = 0; key < keys.size(); ++key) {
    if (!keys[key].valid.empty() && !probe.join->keys[key].null_is_equal)
      can_match += " && " + keys[key].valid;
  }
  out.line(fmt::format("const bool can_match = {};", can_match));
  out.line(each);
  out.close();
  out.line(after);
  out.close();
  add(to, name, out);
}

KernelText KernelWriter::lookup_text() const {
  KernelText text{begin("") + "#include \"exec/gpu/join/join-inl.h\"\n" + keys_text(0), {}, ""};
  const std::string noted = fmt::format("&job.at<KeyBounds>({})->noted", size_t{kOut});
  build_kernel(text, "fill", "",
               fmt::format("if (!can_match) note_keys({0}, kNullKeys);\n"
                           "    else if (put_row<Keys0>(lookup, rows, u32(row), held) != row) "
                           "note_keys({0}, kKeysRepeat);",
                           noted),
               "");
  if (has_exact_keys(0)) {
    build_kernel(
        text, "fill_values", "",
        fmt::format(
            "const u32 value = word_at(job.words[{0}], u32(job.words[{1}]), row);\n"
            "    const u32 seen = can_match ? put_value<Keys0>(lookup, u32(row), value, held) : kNullKeys;\n"
            "    if (seen) note_keys({2}, seen);",
            size_t{kRecords}, size_t{kDepth}, noted),
        "");
  }
  build_kernel(text, "count_runs", "",
               fmt::format("const u32 first = can_match ? find_row(lookup, held(row), held) : kNoRow;\n"
                           "    job.at<u32>({})[row] = first;\n"
                           "    if (first != kNoRow) atomicAdd(job.at<u32>({}) + first, 1);",
                           probe_word(0), size_t{kOut}),
               "");
  if (!finds_numbers(0)) return text;
  build_kernel(
      text, "place_rows", "",
      fmt::format("if (!can_match) note_keys({0}, kNullKeys);\n"
                  "    else if (!place_row(lookup, row, columns, held)) note_keys({0}, kKeysRepeat);",
                  noted),
      "", ", const __grid_constant__ MovedColumns columns");
  build_kernel(text, "bound", "KeyBounds bounds = {~u64(0), 0, 0};",
               "if (can_match) bounds.take(row, held);\n"
               "    else bounds.noted = kNullKeys | kNotAscending;",
               fmt::format("bounds.give(job.at<KeyBounds>({}));", size_t{kOut}));
  return text;
}

/// Whether a row is left out where the probe finds none.
bool KernelWriter::needs_match(size_t probe) const {
  const JoinKind kind = program_.probes[probe].join->kind;
  return kind == JoinKind::kInner || kind == JoinKind::kSemi || kind == JoinKind::kRight;
}

/// Finds the build side's row for a row that is kept, and keeps it if the join does.
void KernelWriter::find_row(Emitter& out, size_t number) const {
  const Probe& probe = program_.probes[number];
  const auto word = [&](ProbeWord which) { return probe_word(number) + which; };
  const JoinKind kind = probe.join->kind;
  const std::string found = fmt::format("found{}", number);
  out.line(fmt::format("u32 {} = kNoRow;", found));
  out.open("if (keep) {");
  define_held(out, number);
  std::vector<Emitted> values;
  for (const ExprPtr& key : probe.keys) values.push_back(out.emit(*key));
  out.line(fmt::format("Keys{} keys{{}};", number));
  const std::string can_match = set_keys(out, number, values);
  define_lookup(out, number);
  const std::string if_can = can_match.empty() ? "" : fmt::format("if ({}) ", can_match);
  if (probe.finds_value) {
    out.line("u64 slot = kFreeSlot;");
    out.line(if_can + "slot = find_slot(lookup, keys, held);");
    out.line(found + " = u32(slot);");
  } else {
    out.line(fmt::format("{}{} = find_row(lookup, keys, held);", if_can, found));
  }
  if (probe.condition != nullptr || probe.marks_rows()) look_at_run(out, number);
  if (probe.is_mark()) {
    const std::string missed = fmt::format("u32(job.words[{}])", word(kMissOf));
    out.line(fmt::format("if ({0} == kNoRow) {0} = {1};", found,
                         can_match.empty() ? missed
                                           : fmt::format("{} ? {} : u32(job.words[{}])", can_match, missed,
                                                         word(kNullKeyOf))));
  }
  if (needs_match(number))
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
  if (probe.keeps_row() && !stays_in_lane(number))
    out.line(fmt::format("if (keep) r{}[row] = {};", number, found));
  out.close();
}

/// Looks at the rows of the run that was found: for the first one that fulfils the condition, which becomes
/// the one that is found, or, where rows are marked, for all.
void KernelWriter::look_at_run(Emitter& out, size_t number) const {
  const Probe& probe = program_.probes[number];
  const auto word = [&](ProbeWord which) { return probe_word(number) + which; };
  const bool marks = probe.marks_rows();
  out.line(fmt::format("u8* const marks = job.at<u8>({});", word(kMarksOf)));
  // Without a condition who marks a run's first row marks all of it.
  const std::string found = fmt::format("found{}", number);
  const std::string unmarked = probe.condition == nullptr ? fmt::format(" && !marks[{}]", found) : "";
  out.open(fmt::format("if ({} != kNoRow{}) {{", found, unmarked));
  out.line(fmt::format("const Matches* const runs = job.at<const Matches>({});", word(kRunsOf)));
  out.line(fmt::format("const u32* const order = job.at<const u32>({});", word(kOrderOf)));
  out.line(fmt::format("const Matches run = runs ? runs[{0}] : Matches{{{0}, 1}};", found));
  if (probe.condition != nullptr) out.line("u32 hit = kNoRow;");
  out.open(fmt::format("for (u32 i = 0; i < run.count{}; i++) {{", marks ? "" : " && hit == kNoRow"));
  out.line("const u32 match = order ? order[run.first + i] : run.first + i;");
  if (probe.condition != nullptr) {
    looks_at_ = number;
    const Emitted holds = out.emit(*probe.condition);
    looks_at_.reset();
    out.open(fmt::format("if ({}) {{", Emitter::is_true(holds)));
    out.line("hit = match;");
  }
  if (marks) out.line("marks[match] = 1;");
  if (probe.condition != nullptr) out.close();
  out.close();
  if (probe.condition != nullptr) out.line(found + " = hit;");
  out.close();
}

}  // namespace lanewise::exec

#include "kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "pram/gpu/emit/emit.h"
#include "pram/interpreter/interpreter.h"
#include "pram/interpreter/json.h"
#include "pram/meta/meta.h"
#include "pram/meta/units.h"

namespace lanewise::lab {

namespace {

using pram::Meta;
using pram::Statement;
using pram::Unit;

/// The lines that print() writes for statements.
size_t lines_of(const std::vector<Statement>& list) {
  size_t lines = 0;
  for (const Statement& statement : list) {
    lines += 1 + lines_of(statement.body) + lines_of(statement.otherwise);
    lines += statement.otherwise.empty() ? 0 : 1;
  }
  return lines;
}

/// The program's lines that statements come from. Merged assignments come from several.
std::vector<uint32_t> source_lines(const std::vector<Statement>& list) {
  std::set<uint32_t> lines;
  walk(list, [&](const Statement& statement) {
    lines.insert(statement.place.line);
    for (const pram::ExprPtr& value : statement.values) lines.insert(value->place.line);
  });
  return {lines.begin(), lines.end()};
}

/// Units in the order of pram::Units, and the unit of each line in the order of print().
class Numbering {
 public:
  explicit Numbering(const pram::EmittedProgram& emitted) : emitted_(emitted) {}

  std::vector<int64_t> of_line;
  std::vector<Unit> units;
  std::vector<std::string> kernels;
  std::vector<std::vector<uint32_t>> sets;  ///< of each unit: T0 down to its own

  void nodes(const std::vector<Meta>& list) {
    for (const Meta& meta : list) node(meta);
  }

 private:
  void unit(Unit unit, const void* of, size_t lines) {
    of_line.insert(of_line.end(), lines, static_cast<int64_t>(units.size()));
    std::vector<uint32_t> chain;
    for (std::optional<uint32_t> set = unit.set; set;
         set = *set == 0 ? std::nullopt : std::optional(within_.at(*set))) {
      chain.insert(chain.begin(), *set);
    }
    sets.push_back(std::move(chain));
    units.push_back(std::move(unit));
    const auto kernel = emitted_.kernels.find(of);
    kernels.push_back(kernel == emitted_.kernels.end() ? "" : kernel->second.name);
  }

  void node(const Meta& meta) {
    switch (meta.kind) {
      case Meta::Kind::kHost:
        for (const Statement& statement : meta.statements) unit(pram::unit_of(statement), &statement, 1);
        return;
      case Meta::Kind::kKernel: {
        const bool one = meta.statements.size() == 1 && meta.statements[0].kind == Statement::Kind::kAssign;
        Unit made = pram::unit_of(meta);
        made.lines = source_lines(meta.statements);
        return unit(std::move(made), &meta, one ? 1 : 1 + lines_of(meta.statements));
      }
      case Meta::Kind::kSplit:
        within_[meta.to] = meta.from;
        if (meta.rest) within_[*meta.rest] = meta.from;
        unit(pram::unit_of(meta), &meta, meta.rest ? 2 : 1);
        break;
      case Meta::Kind::kRepeat:
        within_[meta.to] = meta.from;
        unit(pram::unit_of(meta), &meta, 2);
        break;
      case Meta::Kind::kHostIf:
      case Meta::Kind::kHostWhile:
        unit(pram::unit_of(meta), &*meta.condition, 1);
        break;
      case Meta::Kind::kAll:
      case Meta::Kind::kBatch:
        of_line.push_back(-1);
    }
    nodes(meta.body);
    if (meta.kind == Meta::Kind::kHostIf && !meta.otherwise.empty()) of_line.push_back(-1);
    nodes(meta.otherwise);
  }

  const pram::EmittedProgram& emitted_;
  std::map<uint32_t, uint32_t> within_;  // of a set, the one that it is a part of
};

std::string_view kind_of(Unit::Kind kind) {
  switch (kind) {
    case Unit::Kind::kHost:
      return "host";
    case Unit::Kind::kKernel:
      return "kernel";
    case Unit::Kind::kTest:
      return "test";
  }
  return "";
}

}  // namespace

std::string meta_program(const pram::Program& program, const pram::Passes& passes) {
  const pram::MetaProgram meta = pram::compile(program.tree(), passes);
  const pram::EmittedProgram emitted = pram::emit(program.tree(), meta);
  Numbering numbering(emitted);
  numbering.nodes(meta.body);
  const std::vector<pram::MetaLine> lines = print(meta, program.tree());
  if (lines.size() != numbering.of_line.size()) throw InternalError("lines of a meta-program without units");
  const auto info = [](pram::Pass pass) { return pram::passes()[static_cast<size_t>(pass)]; };
  size_t line = 0, unit = 0;
  const std::string lines_json = pram::json_list(lines, [&](const pram::MetaLine& printed) {
    return fmt::format(R"({{"line":{},"text":{},"unit":{}}})", printed.line, json_quoted(printed.text),
                       numbering.of_line[line++]);
  });
  const std::string units_json = pram::json_list(numbering.units, [&](const Unit& of) {
    const size_t i = unit++;
    return fmt::format(R"({{"kind":"{}","sets":[{}],"kernel":{},"lines":[{}]}})", kind_of(of.kind),
                       fmt::join(numbering.sets[i], ","), json_quoted(numbering.kernels[i]),
                       fmt::join(of.lines, ","));
  });
  return fmt::format(R"({{"lines":{},"units":{},"notes":{},"passes":{}}})", lines_json, units_json,
                     pram::json_list(meta.notes,
                                     [&](const pram::MetaNote& note) {
                                       return fmt::format(R"({{"pass":{},"line":{},"text":{}}})",
                                                          json_quoted(info(note.pass).name), note.line,
                                                          json_quoted(note.text));
                                     }),
                     pram::json_list(pram::passes(), [](const pram::PassInfo& pass) {
                       return fmt::format(R"({{"name":{},"summary":{}}})", json_quoted(pass.name),
                                          json_quoted(pass.summary));
                     }));
}

std::string kernel_steps(const pram::Program& program, const pram::TextInputs& inputs,
                         const pram::Passes& passes, uint64_t most_steps, pram::Recording& recording) {
  pram::Interpreter interpreter(program, inputs.arrays);
  const pram::Units units(pram::compile(program.tree(), passes));
  uint64_t launches = 0, tests = 0, host = 0;
  const auto end = [&](uint32_t unit) {
    recording.kernels.push_back(static_cast<uint32_t>(interpreter.cost().steps));
    recording.kernels.push_back(unit);
  };
  recording.kernels.clear();
  try {
    while (!interpreter.done() && interpreter.cost().steps < most_steps) {
      std::vector<uint32_t> candidates = units.of(*interpreter.next());
      uint32_t unit = 0;
      do {
        interpreter.step();
        unit = candidates.front();
        if (interpreter.done()) break;
        // A condition may be part of several kernels: the statements after it decide which one this is.
        const std::vector<uint32_t>& next = units.of(*interpreter.next());
        std::vector<uint32_t> both;
        std::set_intersection(candidates.begin(), candidates.end(), next.begin(), next.end(),
                              std::back_inserter(both));
        candidates = std::move(both);
      } while (!candidates.empty() && units[candidates.front()].kind == Unit::Kind::kKernel);
      end(unit);
      const Unit::Kind kind = units[unit].kind;
      ++(kind == Unit::Kind::kHost ? host : kind == Unit::Kind::kTest ? tests : launches);
    }
  } catch (const pram::RunError&) {
    end(pram::Recording::kNoUnit);
    ++recording.kernels.end()[-2];  // the step that failed is shown too
  }
  return fmt::format(R"({{"kernels":{},"tests":{},"host":{}}})", launches, tests, host);
}

}  // namespace lanewise::lab

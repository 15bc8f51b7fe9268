#include "recording.h"

#include <fmt/format.h>

#include <map>

#include "json.h"
#include "pram/machine/evaluator.h"

namespace lanewise::lab {

namespace {

using pram::Statement;
using pram::Word;

/// More arrows than this show nothing to anyone.
constexpr uint32_t kMostActive = 512;
constexpr size_t kMostProcessors = 1 << 14;
constexpr size_t kMostAccesses = 4'000'000;
constexpr uint64_t kMostSurveyed = 1'000'000;

/// Writes down who uses which cell in the step that comes next.
class AccessLog : public pram::ReadObserver {
 public:
  AccessLog(const pram::Interpreter& interpreter, Recording& recording)
      : interpreter_(interpreter),
        tree_(interpreter.program().tree()),
        evaluator_(tree_, interpreter.memory()),
        recording_(recording) {
    map_blocks(tree_.body, Recording::kNoBlock);
  }

  uint32_t block_of(const Statement& statement) const { return blocks_.at(&statement); }
  uint32_t processors() const { return processors_; }

  void before(const Statement& statement) {
    const pram::Active& active = interpreter_.active();
    const uint32_t block = block_of(statement);
    extents_.clear();
    processors_ = 1;
    // A copy, since functions write their arguments while they are evaluated.
    const bool few = active.count <= kMostActive && recording_.accesses.size() / 4 < kMostAccesses;
    if (block != Recording::kNoBlock) find_extents(block);
    if (!few || processors_ > kMostProcessors) return;
    columns_ = interpreter_.columns();
    const pram::Lanes lanes = active.lanes();
    for (uint32_t i = 0; i < lanes.count; ++i) recording_.active.push_back(lanes[i]);
    // Processors one by one: one that fails must not hide what the others do.
    for (uint32_t i = 0; i < lanes.count; ++i) {
      try {
        uses(statement, lanes.part(i, 1));
      } catch (const pram::Fault&) {
      } catch (const pram::Trap&) {
      }
    }
  }

  void read(const pram::Expr& expr, const Word* cells, const pram::Lanes& lanes) override {
    for (uint32_t i = 0; i < lanes.count; ++i) add(0, expr.index, cells[i], lanes[i]);
  }

 private:
  void map_blocks(const std::vector<Statement>& statements, uint32_t block) {
    for (const Statement& statement : statements) {
      const uint32_t inner = statement.kind == Statement::Kind::kBlock ? statement.block : block;
      blocks_[&statement] = block;
      map_blocks(statement.body, inner);
      map_blocks(statement.otherwise, inner);
    }
  }

  /// The block's own variables of the host do not change while it runs, so its sizes are still the same.
  void find_extents(uint32_t block) {
    control_ = interpreter_.columns();
    for (const pram::Block::Dimension& dimension : tree_.blocks[block].dimensions) {
      Word extent = 0;
      evaluator_.observer = nullptr;
      evaluator_.evaluate(*dimension.extent, {{}, 1, &control_}, {0, nullptr, 1}, &extent);
      extents_.push_back(extent);
      processors_ *= static_cast<uint32_t>(extent);
    }
  }

  void uses(const Statement& statement, const pram::Lanes& lanes) {
    const pram::Frame frame{extents_, processors_, &columns_};
    evaluator_.observer = this;
    Word word = 0;
    if (statement.condition) evaluator_.evaluate(*statement.condition, frame, lanes, &word);
    for (const pram::ExprPtr& value : statement.values) evaluator_.evaluate(*value, frame, lanes, &word);
    for (const pram::Target& target : statement.targets) {
      if (!target.shared) continue;
      evaluator_.cells(target.index, target.cell, target.place, frame, lanes, &word);
      add(1, target.index, word, lanes[0]);
    }
  }

  void add(uint32_t kind, uint32_t variable, Word cell, uint32_t processor) {
    recording_.accesses.insert(recording_.accesses.end(),
                               {kind, variable, static_cast<uint32_t>(cell), processor});
  }

  const pram::Interpreter& interpreter_;
  const pram::Tree& tree_;
  pram::Evaluator evaluator_;
  Recording& recording_;
  std::map<const Statement*, uint32_t> blocks_;
  pram::Columns columns_, control_;
  std::vector<int64_t> extents_;
  uint32_t processors_ = 1;
};

void add_step(const pram::Place& place, bool test, uint32_t block, uint32_t processors, uint32_t active,
              const pram::Cost& cost, Recording& to) {
  to.steps.insert(to.steps.end(),
                  {place.line, place.column, place.length, test ? 1u : 0u, block, processors, active,
                   static_cast<uint32_t>(to.before.size()), static_cast<uint32_t>(to.accesses.size() / 4),
                   static_cast<uint32_t>(to.active.size())});
  to.work.push_back(static_cast<double>(cost.work));
  to.depth.push_back(static_cast<double>(cost.depth));
}

void add_changes(std::span<const pram::Change> changes, Recording& to) {
  for (const pram::Change& change : changes) {
    to.changed.push_back(change.shared ? change.index : Recording::kPrivate | change.index);
    to.changed.push_back(static_cast<uint32_t>(change.cell));
    to.before.push_back(change.before);
    to.after.push_back(change.after);
  }
}

std::string_view kind_of(pram::Conflict::Kind kind) {
  switch (kind) {
    case pram::Conflict::Kind::kRead:
      return "read";
    case pram::Conflict::Kind::kWrite:
      return "write";
    case pram::Conflict::Kind::kUnequal:
      return "unequal";
    case pram::Conflict::Kind::kTwice:
      return "twice";
  }
  return "";
}

/// The weakest mode that allows the whole run, as far as it is found out.
std::string needed_mode(const pram::Program& program, const pram::Arrays& inputs) {
  try {
    pram::Interpreter interpreter(program, inputs, {.max_steps = kMostSurveyed, .survey = true});
    interpreter.run();
    return json_quoted(pram::to_text(interpreter.survey().needs()));
  } catch (const UserError&) {
    return "null";
  }
}

std::string conflict_of(const pram::ConflictError& error, const pram::Program& program,
                        const pram::Arrays& inputs) {
  const pram::Conflict& conflict = error.conflict();
  const pram::Type type = program.tree().variables[conflict.variable].type;
  return fmt::format(
      R"({{"kind":"{}","variable":{},"cell":{},"processors":[{},{}],"values":[{},{}],"needs":{}}})",
      kind_of(conflict.kind), conflict.variable, conflict.cell, conflict.processors[0],
      conflict.processors[1], json_quoted(pram::to_text(type, conflict.values[0])),
      json_quoted(pram::to_text(type, conflict.values[1])),
      conflict.kind == pram::Conflict::Kind::kTwice ? "null" : needed_mode(program, inputs));
}

std::string_view role_of(pram::Variable::Role role) {
  switch (role) {
    case pram::Variable::Role::kInput:
      return "input";
    case pram::Variable::Role::kOutput:
      return "output";
    case pram::Variable::Role::kInout:
      return "inout";
    case pram::Variable::Role::kShared:
      return "shared";
  }
  return "";
}

std::string declarations_of(const pram::Program& program, const pram::Memory& memory) {
  const pram::Tree& tree = program.tree();
  size_t i = 0;
  const std::string parameters = list(tree.parameters, [&](const pram::Parameter& parameter) {
    return fmt::format(R"({{"name":{},"value":{}}})", json_quoted(parameter.name),
                       json_quoted(pram::to_text(parameter.type, memory.parameters[i++])));
  });
  i = 0;
  const std::string variables = list(tree.variables, [&](const pram::Variable& variable) {
    const std::string sizes = list(
        variable.extents, [&](const pram::ExprPtr& extent) { return json_quoted(to_text(*extent, tree)); });
    return fmt::format(R"({{"name":{},"type":"{}","role":"{}","extents":[{}],"sizes":{}}})",
                       json_quoted(variable.name), name(variable.type), role_of(variable.role),
                       fmt::join(memory.variables[i++].extents, ","), sizes);
  });
  const std::string privates = list(tree.privates, [&](const pram::Private& own) {
    return fmt::format(R"({{"name":{},"type":"{}","block":{}}})", json_quoted(own.name), name(own.type),
                       own.block ? std::to_string(*own.block) : "null");
  });
  return fmt::format(R"("mode":{},"parameters":{},"variables":{},"privates":{})",
                     json_quoted(pram::to_text(tree.mode, tree.combine)), parameters, variables, privates);
}

std::string cost_of(const pram::Cost& cost) {
  return fmt::format(R"({{"steps":{},"work":{},"depth":{},"peak":{},"lines":{}}})", cost.steps, cost.work,
                     cost.depth, cost.peak, list(cost.lines, [](const auto& line) {
                       return fmt::format("[{},{},{},{}]", line.first, line.second.steps, line.second.work,
                                          line.second.peak);
                     }));
}

}  // namespace

std::string record(const pram::Program& program, const pram::TextInputs& given, const Limits& limits,
                   Recording& recording) {
  const pram::Arrays& inputs = given.arrays;
  pram::Interpreter interpreter(program, inputs);
  interpreter.keep_history(1);
  const std::string declarations = declarations_of(program, interpreter.memory());
  for (const pram::Array& array : interpreter.memory().variables) {
    recording.initial.insert(recording.initial.end(), array.words.begin(), array.words.end());
  }
  AccessLog log(interpreter, recording);
  std::string end = R"({"kind":"done"})";
  while (const Statement* statement = interpreter.next()) {
    const bool test = statement->kind != Statement::Kind::kAssign;
    const uint32_t block = log.block_of(*statement);
    const uint32_t active = interpreter.active().count;
    try {
      if (interpreter.cost().steps >= limits.steps || recording.before.size() >= limits.changes) {
        end = R"({"kind":"limit"})";
        break;
      }
      log.before(*statement);
      interpreter.step();
      add_changes(interpreter.changes(), recording);
      add_step(statement->place, test, block, log.processors(), active, interpreter.cost(), recording);
    } catch (const pram::RunError& error) {
      const auto* conflict = dynamic_cast<const pram::ConflictError*>(&error);
      add_step(error.place(), test, block, log.processors(), active, interpreter.cost(), recording);
      end = fmt::format(R"({{"kind":"error","message":{},{},"step":{},"processor":{},"conflict":{}}})",
                        json_quoted(error.what()), place_fields(error.place()), error.step(),
                        error.processor(), conflict ? conflict_of(*conflict, program, inputs) : "null");
      break;
    }
  }
  return fmt::format(R"({{{},"labels":[{}],"cost":{},"end":{}}})", declarations, fmt::join(given.labels, ","),
                     cost_of(interpreter.cost()), end);
}

}  // namespace lanewise::lab

#include "pram/interpreter/recording.h"

#include <fmt/format.h>

#include <map>

#include "pram/interpreter/json.h"
#include "pram/machine/evaluator.h"

namespace lanewise::pram {

namespace {

/// More arrows than this are unreadable.
constexpr uint32_t kMostActive = 512;
constexpr size_t kMostListed = 1 << 14;
constexpr size_t kMostAccesses = 4'000'000;
constexpr uint64_t kMostSurveyed = 1'000'000;

/// Records which processor uses which cell in the next step.
class AccessLog : public ReadObserver {
 public:
  AccessLog(const Interpreter& interpreter, Recording& recording)
      : interpreter_(interpreter),
        tree_(interpreter.program().tree()),
        evaluator_(tree_, interpreter.memory()),
        recording_(recording) {
    map_blocks(tree_.body, Recording::kNoBlock);
  }

  uint32_t block_of(const Statement& statement) const { return blocks_.at(&statement); }
  uint32_t processors() const { return processors_; }

  void before(const Statement& statement) {
    const Active& active = interpreter_.active();
    const uint32_t block = block_of(statement);
    extents_.clear();
    processors_ = 1;
    // A copy, since functions write their arguments during evaluation.
    const bool few = active.count <= kMostActive && recording_.accesses.size() / 4 < kMostAccesses;
    if (block != Recording::kNoBlock) find_extents(block);
    if (!few || processors_ > kMostListed) return;
    columns_ = interpreter_.columns();
    const Lanes lanes = active.lanes();
    for (uint32_t i = 0; i < lanes.count; ++i) recording_.active.push_back(lanes[i]);
    // Processors one by one: a failing one must not hide the others' accesses.
    for (uint32_t i = 0; i < lanes.count; ++i) {
      try {
        uses(statement, lanes.part(i, 1));
      } catch (const Fault&) {
      } catch (const Trap&) {
      }
    }
  }

  void read(const Expr& expr, const Word* cells, const Lanes& lanes) override {
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

  /// The block's host variables do not change while it runs, so its sizes are still the same.
  void find_extents(uint32_t block) {
    control_ = interpreter_.columns();
    for (const Block::Dimension& dimension : tree_.blocks[block].dimensions) {
      Word extent = 0;
      evaluator_.observer = nullptr;
      evaluator_.evaluate(*dimension.extent, {{}, 1, &control_}, {0, nullptr, 1}, &extent);
      extents_.push_back(extent);
      processors_ *= static_cast<uint32_t>(extent);
    }
  }

  void uses(const Statement& statement, const Lanes& lanes) {
    const Frame frame{extents_, processors_, &columns_};
    evaluator_.observer = this;
    Word word = 0;
    if (statement.condition) evaluator_.evaluate(*statement.condition, frame, lanes, &word);
    for (const ExprPtr& value : statement.values) evaluator_.evaluate(*value, frame, lanes, &word);
    for (const Target& target : statement.targets) {
      if (!target.shared) continue;
      evaluator_.cells(target.index, target.cell, target.place, frame, lanes, &word);
      add(1, target.index, word, lanes[0]);
    }
  }

  void add(uint32_t kind, uint32_t variable, Word cell, uint32_t processor) {
    recording_.accesses.insert(recording_.accesses.end(),
                               {kind, variable, static_cast<uint32_t>(cell), processor});
  }

  const Interpreter& interpreter_;
  const Tree& tree_;
  Evaluator evaluator_;
  Recording& recording_;
  std::map<const Statement*, uint32_t> blocks_;
  Columns columns_, control_;
  std::vector<int64_t> extents_;
  uint32_t processors_ = 1;
};

void add_step(const Place& place, bool test, uint32_t block, uint32_t processors, uint32_t active,
              const Cost& cost, Recording& to) {
  to.steps.insert(to.steps.end(),
                  {place.line, place.column, place.length, test ? 1u : 0u, block, processors, active,
                   static_cast<uint32_t>(to.before.size()), static_cast<uint32_t>(to.accesses.size() / 4),
                   static_cast<uint32_t>(to.active.size())});
  to.work.push_back(static_cast<double>(cost.work));
  to.depth.push_back(static_cast<double>(cost.depth));
}

void add_changes(std::span<const Change> changes, Recording& to) {
  for (const Change& change : changes) {
    to.changed.push_back(change.shared ? change.index : Recording::kPrivate | change.index);
    to.changed.push_back(static_cast<uint32_t>(change.cell));
    to.before.push_back(change.before);
    to.after.push_back(change.after);
  }
}

std::string_view kind_of(Conflict::Kind kind) {
  switch (kind) {
    case Conflict::Kind::kRead:
      return "read";
    case Conflict::Kind::kWrite:
      return "write";
    case Conflict::Kind::kUnequal:
      return "unequal";
    case Conflict::Kind::kTwice:
      return "twice";
  }
  return "";
}

/// The weakest mode that allows the whole run, as far as it can be determined.
std::string needed_mode(const Program& program, const Arrays& inputs) {
  try {
    Interpreter interpreter(program, inputs, {.max_steps = kMostSurveyed, .survey = true});
    interpreter.run();
    return json_quoted(to_text(interpreter.survey().needs()));
  } catch (const UserError&) {
    return "null";
  }
}

std::string conflict_of(const ConflictError& error, const Program& program, const Arrays& inputs) {
  const Conflict& conflict = error.conflict();
  const Type type = program.tree().variables[conflict.variable].type;
  return fmt::format(
      R"({{"kind":"{}","variable":{},"cell":{},"processors":[{},{}],"values":[{},{}],"needs":{}}})",
      kind_of(conflict.kind), conflict.variable, conflict.cell, conflict.processors[0],
      conflict.processors[1], json_quoted(to_text(type, conflict.values[0])),
      json_quoted(to_text(type, conflict.values[1])),
      conflict.kind == Conflict::Kind::kTwice ? "null" : needed_mode(program, inputs));
}

std::string_view role_of(Variable::Role role) {
  switch (role) {
    case Variable::Role::kInput:
      return "input";
    case Variable::Role::kOutput:
      return "output";
    case Variable::Role::kInout:
      return "inout";
    case Variable::Role::kShared:
      return "shared";
  }
  return "";
}

std::string declarations_of(const Program& program, const Memory& memory) {
  const Tree& tree = program.tree();
  size_t i = 0;
  const std::string parameters = json_list(tree.parameters, [&](const Parameter& parameter) {
    return fmt::format(R"({{"name":{},"value":{}}})", json_quoted(parameter.name),
                       json_quoted(to_text(parameter.type, memory.parameters[i++])));
  });
  i = 0;
  const std::string variables = json_list(tree.variables, [&](const Variable& variable) {
    const std::string sizes = json_list(
        variable.extents, [&](const ExprPtr& extent) { return json_quoted(to_text(*extent, tree)); });
    return fmt::format(R"({{"name":{},"type":"{}","role":"{}","extents":[{}],"sizes":{}}})",
                       json_quoted(variable.name), name(variable.type), role_of(variable.role),
                       fmt::join(memory.variables[i++].extents, ","), sizes);
  });
  const std::string privates = json_list(tree.privates, [&](const Private& own) {
    return fmt::format(R"({{"name":{},"type":"{}","block":{}}})", json_quoted(own.name), name(own.type),
                       own.block ? std::to_string(*own.block) : "null");
  });
  return fmt::format(R"("mode":{},"parameters":{},"variables":{},"privates":{})",
                     json_quoted(to_text(tree.mode, tree.combine)), parameters, variables, privates);
}

std::string cost_of(const Cost& cost) {
  return fmt::format(R"({{"steps":{},"work":{},"depth":{},"peak":{},"lines":{}}})", cost.steps, cost.work,
                     cost.depth, cost.peak, json_list(cost.lines, [](const auto& line) {
                       return fmt::format("[{},{},{},{}]", line.first, line.second.steps, line.second.work,
                                          line.second.peak);
                     }));
}

}  // namespace

std::string record(const Program& program, const TextInputs& given, const Limits& limits,
                   Recording& recording) {
  const Arrays& inputs = given.arrays;
  Interpreter interpreter(program, inputs);
  interpreter.keep_history(1);
  const std::string declarations = declarations_of(program, interpreter.memory());
  for (const Array& array : interpreter.memory().variables) {
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
    } catch (const RunError& error) {
      const auto* conflict = dynamic_cast<const ConflictError*>(&error);
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

}  // namespace lanewise::pram

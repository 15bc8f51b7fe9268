// The part of a device's machine that defers kernels, and launches several together.
#include <algorithm>

#include "pram/gpu/machine.h"

namespace lanewise::pram {

void DeviceMachine::put_off(const void* of, uint64_t processors, std::vector<uint64_t> first) {
  constexpr size_t kMost = 4'096;
  if (steps_put_off_.size() == kMost) launch_batch();
  const EmittedStep& step = emitted_.steps.at(of);
  BatchStep& made = steps_put_off_.emplace_back();
  made.kernel = &emitted_.kernels.at(of);
  made.step = &step;
  made.processors = processors;
  made.arguments = std::move(first);
  for (const KernelArgument& argument : made.kernel->arguments) made.arguments.push_back(value_of(argument));
  for (const KernelArgument& argument : step.given) made.given.push_back(value_of(argument));
  widest_ = std::max(widest_, processors);
  if (step.window && widest_ > kFewProcessors) find_cells(*step.window, made);
}

std::optional<Word> DeviceMachine::linear(const Expr& expr, Word processor) {
  const auto arg = [&](size_t i) { return linear(*expr.args[i], processor); };
  Word result = 0;
  switch (expr.op) {
    case Op::kLiteral:
      return expr.word;
    case Op::kParameter:
      return memory_.parameters[expr.index];
    case Op::kControl:
      return columns_[expr.index][0];
    case Op::kProcessor:
      return processor;
    case Op::kConvert:
    case Op::kNegate: {
      const std::optional<Word> a = arg(0);
      if (!a || (expr.op == Op::kNegate && __builtin_sub_overflow(Word{0}, *a, &result))) return std::nullopt;
      if (expr.op == Op::kConvert) result = *a;
      break;
    }
    case Op::kAdd:
    case Op::kSubtract:
    case Op::kMultiply: {
      const std::optional<Word> a = arg(0);
      const std::optional<Word> b = arg(1);
      if (!a || !b) return std::nullopt;
      if (expr.op == Op::kAdd        ? __builtin_add_overflow(*a, *b, &result)
          : expr.op == Op::kSubtract ? __builtin_sub_overflow(*a, *b, &result)
                                     : __builtin_mul_overflow(*a, *b, &result)) {
        return std::nullopt;
      }
      break;
    }
    default:  // the same for all
      try {
        evaluator_.evaluate(expr, frame(), kHost, &result);
      } catch (const Fault&) {
        return std::nullopt;
      } catch (const Trap&) {
        return std::nullopt;
      }
  }
  const bool fits = expr.type != Type::kInt32 || static_cast<int32_t>(result) == result;
  return fits ? std::optional(result) : std::nullopt;
}

void DeviceMachine::find_cells(const WindowStep& window, BatchStep& step) {
  // Linear expressions fail for none if they do not fail for the first and the last.
  const Word last = Word{processors_} - 1;
  constexpr Word kWidest = Word{1} << 32;
  Word width = window.columns ? 1 : 0;
  Word greatest = 0;  // of the first processor's cells
  for (const ExprPtr& expr : window.checked) {
    if (!linear(*expr, 0) || !linear(*expr, last)) return;
  }
  for (const OwnCell& cell : window.cells) {
    const std::optional<Word> begin = linear(*cell.index, 0);
    const std::optional<Word> end = linear(*cell.index, last);
    if (!begin || !end || *begin < 0 || *end < *begin) return;
    if (*end >= memory_.variables[cell.variable].extents[0]) return;
    if (last > 0) {
      const Word apart = (*end - *begin) / last;
      if (apart == 0 || apart > kWidest || (width != 0 && apart != width)) return;
      width = apart;
    }
    greatest = std::max(greatest, *begin);
    step.first.push_back(static_cast<uint64_t>(*begin));
  }
  step.apart = processors_ > 1 && (greatest < width || width == 0);
  step.width = static_cast<uint64_t>(std::max<Word>(width, 1));
}

void DeviceMachine::launch_windows(const BatchPart& part, const Buffer& rows,
                                   std::span<const BatchStep> steps, size_t done, bool last) {
  const EmittedWindows& windows = emitted_.windows.at(batch_);
  std::vector<uint64_t> arguments = {done,        done + part.steps, rows.handle,   part.window,
                                     part.stride, part.offset,       status_.handle};
  for (const EmittedWindows::Held& held : windows.held) {
    const BatchHeld does =
        held_of(held, steps.subspan(done, part.steps), steps.subspan(done + part.steps), last);
    arguments.insert(arguments.end(), {does.from, does.stride, does.offset});
  }
  for (const KernelArgument& argument : windows.kernel.arguments) arguments.push_back(value_of(argument));
  code_.launch(windows.kernel.name, part.groups * kGroup, arguments);
}

/// The row of a step in its batch's table.
void DeviceMachine::add_row(const BatchPart& part, const BatchStep& step,
                            std::vector<uint64_t>& table) const {
  const bool windows = part.shape == BatchPart::Shape::kWindows;
  const uint64_t width = step.width / part.stride;
  const uint64_t own = windows && part.groups > 1 ? part.window / width : step.processors;
  table.insert(table.end(), {step.step->number, step.processors, own, width, step.width});
  table.insert(table.end(), step.given.begin(), step.given.end());
  if (!windows) return;
  const std::vector<EmittedWindows::Held>& held = emitted_.windows.at(batch_).held;
  for (size_t i = 0; i < step.first.size(); ++i) {
    const bool holds = std::any_of(held.begin(), held.end(), [&](const EmittedWindows::Held& one) {
      return one.variable == step.step->window->cells[i].variable;
    });
    table.push_back(holds ? (step.first[i] - part.offset) / part.stride : step.first[i]);
  }
}

void DeviceMachine::launch_batch(bool last) {
  if (steps_put_off_.empty()) return;
  const std::vector<BatchStep> steps = std::move(steps_put_off_);
  steps_put_off_.clear();
  widest_ = 0;
  const EmittedKernel& kernel = emitted_.kernels.at(batch_);
  const auto windows = emitted_.windows.find(batch_);
  const uint64_t most = windows == emitted_.windows.end() ? 0 : windows->second.most;
  const std::vector<BatchPart> parts = parts_of(steps, code_.groups_together(kernel.name), most);
  std::vector<uint64_t> table;
  table.reserve(steps.size() * kernel.row);
  for (size_t done = 0; const BatchPart& part : parts) {
    for (const size_t end = done + part.steps; done < end; ++done) {
      add_row(part, steps[done], table);
      table.resize((done + 1) * kernel.row);
    }
  }
  const Buffer rows = tools_.backend().allocate(table.size() * sizeof(Word));
  tools_.backend().upload(rows, table.data(), table.size() * sizeof(Word));
  for (size_t done = 0; const BatchPart& part : parts) {
    const BatchStep& step = steps[done];
    if (part.shape == BatchPart::Shape::kAlone) {
      code_.launch(step.kernel->name, step.processors, step.arguments);
    } else if (part.shape == BatchPart::Shape::kWindows) {
      launch_windows(part, rows, steps, done, last);
    } else {
      std::vector<uint64_t> arguments = {done,      done + part.steps, rows.handle, arrived_.handle,
                                         arrivals_, status_.handle};
      for (const KernelArgument& argument : kernel.arguments) arguments.push_back(value_of(argument));
      if (part.shape == BatchPart::Shape::kTogether) {
        code_.launch_together(kernel.name, part.groups, arguments);
        arrivals_ += part.groups * part.steps;
      } else {
        code_.launch(kernel.name, part.groups * kGroup, arguments);
      }
    }
    done += part.steps;
  }
}

}  // namespace lanewise::pram

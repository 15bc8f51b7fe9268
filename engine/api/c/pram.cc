#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "api/c/arguments.h"
#include "api/c/cancellation.h"
#include "api/c/error.h"
#include "api/c/options.h"
#include "api/c/rows.h"
#include "base/size.h"
#include "pram/interpreter/recording.h"
#include "pram/library.h"
#include "pram/meta/meta.h"
#include "pram/run.h"
#include "pram/trace.h"

using namespace lanewise;  // C functions are outside of it
using lanewise::c::guarded, lanewise::c::need;

struct lw_program {
  pram::Program program;
  std::string mode, warnings;
};

struct lw_run {
  pram::Result result;
  std::vector<std::pair<const std::string*, const pram::Array*>> outputs;
  std::string needs, conflicts;
};

struct lw_recording {
  pram::Recording recording;
  std::string summary;
};

namespace {

constexpr const char* kOptions =
    "executor, seed, max_steps, threads, memory_limit, survey, check, race, specialise, one_group, without, "
    "by";

/// The options of a run.
struct Given {
  pram::Options options;
  MemoryBudget budget{parse_size("4GB"), "raise memory_limit"};
  bool by_kernel = false;
};

pram::Executor parse_executor(std::string_view name) {
  if (name == "interpreter") return pram::Executor::kInterpreter;
  if (name == "cpu") return pram::Executor::kCpu;
  if (name == "cuda") return pram::Executor::kCuda;
  if (name == "opencl") return pram::Executor::kOpenCl;
  throw UserError(
      fmt::format("the option 'executor' must be interpreter, cpu, cuda or opencl, not '{}'", name));
}

std::unique_ptr<Given> parse_options(std::span<const lw_option> options, lw_cancellation* cancellation) {
  auto given = std::make_unique<Given>();
  pram::Options& run = given->options;
  for (const lw_option& option : options) {
    const std::string_view name = option.name, value = option.value;
    if (name == "executor") {
      run.executor = parse_executor(value);
    } else if (name == "seed") {
      run.seed = c::parse_count(name, value, UINT64_MAX);
    } else if (name == "max_steps") {
      run.max_steps = c::parse_count(name, value, 0xFFFFFFFE);
    } else if (name == "threads") {
      run.threads = static_cast<int>(c::parse_count(name, value, 1024));
    } else if (name == "memory_limit") {
      given->budget.set_limit(c::parse_bytes(name, value));
    } else if (name == "survey") {
      run.survey = c::parse_flag(name, value);
    } else if (name == "check") {
      run.check = c::parse_flag(name, value);
    } else if (name == "race") {
      run.race = c::parse_flag(name, value);
    } else if (name == "specialise") {
      run.specialise = c::parse_flag(name, value);
    } else if (name == "one_group") {
      run.one_group = c::parse_flag(name, value);
    } else if (name == "without") {
      run.passes = pram::without(run.passes, value);
    } else if (name == "by") {
      if (value != "statement" && value != "kernel")
        throw UserError(fmt::format("the option 'by' must be statement or kernel, not '{}'", value));
      given->by_kernel = value == "kernel";
    } else {
      c::refuse_option(name, kOptions);
    }
  }
  run.budget = &given->budget;
  run.time_kernels = true;
  if (cancellation != nullptr) run.cancellation = &cancellation->cancellation;
  return given;
}

pram::Arrays parse_inputs(std::span<const lw_cells> inputs) {
  pram::Arrays arrays;
  for (const lw_cells& input : inputs) {
    need(input.name, "name");
    if (input.dimensions < 0 || input.dimensions > 2)
      throw UserError(
          fmt::format("the input '{}' has {} dimensions; there are 0 to 2", input.name, input.dimensions));
    pram::Array array;
    array.type = static_cast<pram::Type>(input.type);
    array.extents.assign(input.extents, input.extents + input.dimensions);
    int64_t cells = 1;
    for (const int64_t extent : array.extents) {
      if (extent < 0 || __builtin_mul_overflow(cells, extent, &cells))
        throw UserError(fmt::format("the input '{}' has a wrong extent: {}", input.name, extent));
    }
    if (cells > 0) need(input.words, "words");
    array.words.assign(input.words, input.words + cells);
    arrays.insert_or_assign(input.name, std::move(array));
  }
  return arrays;
}

Value int_value(uint64_t number) { return Value::int64(static_cast<int64_t>(number)); }

}  // namespace

lw_cancellation* lw_cancellation_new() { return new (std::nothrow) lw_cancellation; }
void lw_cancellation_cancel(lw_cancellation* cancellation) {
  if (cancellation != nullptr) cancellation->cancellation.cancel();
}
void lw_cancellation_free(lw_cancellation* cancellation) { delete cancellation; }

lw_code lw_programs(ArrowArrayStream* out, lw_error* error) {
  return guarded(error, [&] {
    need(out, "out");
    std::vector<std::vector<Value>> columns(3);
    for (const pram::LibraryProgram& program : pram::library()) {
      size_t column = 0;
      for (const std::string_view text : {program.name, program.summary(), program.text})
        columns[column++].push_back(Value::varchar(std::string(text)));
    }
    const Type text = TypeId::kVarchar;
    c::export_rows({{"name", text}, {"summary", text}, {"text", text}}, columns, out);
  });
}

lw_code lw_program_open(const char* text, const char* file, lw_program** out, lw_error* error) {
  return guarded(error, [&] {
    need(text, "text");
    need(file, "file");
    need(out, "out");
    auto opened = std::make_unique<lw_program>(lw_program{pram::Program::parse(text, file), {}, {}});
    const pram::Program& program = opened->program;
    opened->mode = pram::to_text(program.tree().mode, program.tree().combine);
    for (const pram::Diagnostic& warning : program.warnings())
      opened->warnings += program.render(warning) + "\n";
    *out = opened.release();
  });
}

void lw_program_close(lw_program* program) { delete program; }
const char* lw_program_mode(const lw_program* program) { return program->mode.c_str(); }
const char* lw_program_warnings(const lw_program* program) { return program->warnings.c_str(); }

lw_code lw_program_explain(const lw_program* program, const lw_option* options, size_t count, char** text,
                           lw_error* error) {
  return guarded(error, [&] {
    need(program, "program");
    need(text, "text");
    *text =
        c::copied(pram::explain(program->program, parse_options({options, count}, nullptr)->options.passes));
  });
}

lw_code lw_program_run(const lw_program* program, const lw_cells* inputs, size_t inputs_count,
                       const lw_option* options, size_t count, lw_cancellation* cancellation, lw_run** out,
                       lw_error* error) {
  return guarded(error, [&] {
    need(program, "program");
    need(out, "out");
    const std::unique_ptr<Given> given = parse_options({options, count}, cancellation);
    auto run = std::make_unique<lw_run>();
    run->result = pram::run(program->program, parse_inputs({inputs, inputs_count}), given->options);
    for (const auto& [name, array] : run->result.outputs) run->outputs.emplace_back(&name, &array);
    if (given->options.survey) {
      run->needs = pram::to_text(run->result.survey.needs());
      for (const pram::Diagnostic& conflict : pram::conflicts(program->program, run->result.survey))
        run->conflicts += program->program.render(conflict) + "\n";
    }
    *out = run.release();
  });
}

lw_code lw_program_trace(const lw_program* program, const lw_cells* inputs, size_t inputs_count,
                         const lw_option* options, size_t count, lw_cancellation* cancellation, char** lines,
                         lw_error* error) {
  return guarded(error, [&] {
    need(program, "program");
    need(lines, "lines");
    const std::unique_ptr<Given> given = parse_options({options, count}, cancellation);
    const pram::Arrays arrays = parse_inputs({inputs, inputs_count});
    std::string text;
    const auto write = [&](std::string_view line) { text += line; };
    try {
      if (given->options.executor != pram::Executor::kInterpreter) {
        pram::trace_kernels(program->program, arrays, given->options, write);
      } else {
        pram::Interpreter interpreter(program->program, arrays, given->options);
        if (given->by_kernel) {
          pram::trace_kernels(interpreter, given->options.passes, write);
        } else {
          pram::trace_steps(interpreter, write);
        }
      }
    } catch (const pram::RunError&) {
      *lines = c::copied(text);
      throw;
    }
    *lines = c::copied(text);
  });
}

lw_code lw_program_record(const lw_program* program, const lw_cells* inputs, size_t inputs_count,
                          lw_recording** out, lw_error* error) {
  return guarded(error, [&] {
    need(program, "program");
    need(out, "out");
    auto made = std::make_unique<lw_recording>();
    made->summary =
        pram::record(program->program, {parse_inputs({inputs, inputs_count}), {}}, {}, made->recording);
    *out = made.release();
  });
}

const char* lw_recording_summary(const lw_recording* recording) { return recording->summary.c_str(); }

int lw_recording_array(const lw_recording* recording, size_t place, const void** data, size_t* bytes) {
  const pram::Recording& of = recording->recording;
  const auto spans = std::to_array<std::span<const std::byte>>(
      {std::as_bytes(std::span(of.initial)), std::as_bytes(std::span(of.steps)),
       std::as_bytes(std::span(of.work)), std::as_bytes(std::span(of.depth)),
       std::as_bytes(std::span(of.changed)), std::as_bytes(std::span(of.before)),
       std::as_bytes(std::span(of.after)), std::as_bytes(std::span(of.accesses)),
       std::as_bytes(std::span(of.active))});
  if (place >= spans.size()) return 0;
  *data = spans[place].data();
  *bytes = spans[place].size();
  return 1;
}

void lw_recording_close(lw_recording* recording) { delete recording; }

int lw_run_output(const lw_run* run, size_t place, lw_cells* out) {
  if (place >= run->outputs.size()) return 0;
  const auto& [name, array] = run->outputs[place];
  *out = {name->c_str(),
          static_cast<lw_cell>(array->type),
          static_cast<int32_t>(array->extents.size()),
          {},
          array->words.data()};
  std::ranges::copy(array->extents, out->extents);
  return 1;
}

lw_cost lw_run_cost(const lw_run* run) {
  const pram::Cost& cost = run->result.cost;
  return {cost.steps, cost.work, cost.depth, cost.peak};
}

lw_code lw_run_lines(const lw_run* run, ArrowArrayStream* out, lw_error* error) {
  return guarded(error, [&] {
    need(run, "run");
    need(out, "out");
    const Type number = TypeId::kInt64, real = TypeId::kFloat64;
    if (run->result.kernels.empty()) {
      std::vector<std::vector<Value>> columns(4);
      for (const auto& [line, cost] : run->result.cost.lines) {
        size_t column = 0;
        for (const uint64_t value : {uint64_t{line}, cost.steps, cost.work, uint64_t{cost.peak}})
          columns[column++].push_back(int_value(value));
      }
      c::export_rows({{"line", number}, {"steps", number}, {"work", number}, {"peak", number}}, columns, out);
      return;
    }
    std::vector<std::vector<Value>> columns(7);
    for (const pram::KernelCost& cost : run->result.kernels) {
      size_t column = 0;
      for (const Value& value : {int_value(cost.line), int_value(cost.launches), int_value(cost.processors),
                                 Value::float64(cost.occupancy()), int_value(cost.lists),
                                 int_value(cost.bytes), Value::float64(cost.seconds)})
        columns[column++].push_back(value);
    }
    c::export_rows({{"line", number},
                    {"launches", number},
                    {"processors", number},
                    {"occupancy", real},
                    {"lists", number},
                    {"bytes", number},
                    {"seconds", real}},
                   columns, out);
  });
}

const char* lw_run_needs(const lw_run* run) { return run->needs.c_str(); }
const char* lw_run_conflicts(const lw_run* run) { return run->conflicts.c_str(); }
void lw_run_close(lw_run* run) { delete run; }

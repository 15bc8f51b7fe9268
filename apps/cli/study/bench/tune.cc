#include "study/bench/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "base/bits.h"
#include "base/error.h"
#include "base/machine.h"
#include "lanes/automata/rows.h"
#include "primitives/kernels.h"
#include "study/bench/read_rate.h"
#include "study/bench/text_pattern.h"
#include "study/bench/tune_device.h"
#include "study/data/numbers.h"
#include "text/matcher.h"
#include "text/pattern/compiled_pattern.h"

namespace lanewise::cli::bench {

namespace {

constexpr int kRounds = 7;
constexpr double kWorthIt = 1.02;  // a value replaces the default if it is this many times as fast
constexpr uint64_t kTextRows = 1 << 17;
constexpr uint64_t kNumbers = 1 << 24;

/// A task with a parameter that takes several values.
struct Parameter {
  std::string name;
  std::vector<uint32_t> values;  ///< the default first
  double bytes;                  ///< that one run reads
  std::function<void(uint32_t)> run;
};

/// Rounds over all values, so that other work on the machine slows all of them. The least time of each
/// counts.
Choice measure(const Parameter& parameter, const Cancellation& cancellation) {
  std::vector<double> least(parameter.values.size(), 1e9);
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < least.size(); ++i) {
      cancellation.check();
      const auto start = std::chrono::steady_clock::now();
      parameter.run(parameter.values[i]);
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
      least[i] = std::min(least[i], time.count());
    }
  }
  Choice choice{parameter.name, {}, parameter.values[0]};
  double to_beat = least[0] / kWorthIt;
  for (size_t i = 0; i < least.size(); ++i) {
    choice.tries.push_back({parameter.values[i], parameter.bytes / least[i]});
    if (i == 0 || least[i] >= to_beat) continue;
    to_beat = least[i];
    choice.best = parameter.values[i];
  }
  return choice;
}

/// Rows of unequal lengths, for which refill matters, and the automaton of a regular expression that few of
/// them match.
class Texts {
 public:
  explicit Texts(const Cancellation& cancellation) {
    for (const auto kind : {Lengths::uniform, Lengths::skewed}) {
      shape_.lengths.kind = kind;
      texts_.push_back(make_text_rows(shape_, [&] { cancellation.check(); }));
      bytes_ += static_cast<double>(texts_.back().size());
    }
  }

  /// Matches all rows; the tuned value is `width` or `refill_below`.
  Parameter parameter(std::string name, lanes::Target target, lanes::Form form, std::vector<uint32_t> values,
                      std::function<lanes::RowOptions(uint32_t)> options) const {
    return {std::move(name), std::move(values), bytes_,
            [=, this, options = std::move(options)](uint32_t value) {
              const lanes::RowMatcher matcher(target, form, pattern_.compiled().automaton()->view(),
                                              options(value));
              std::vector<uint64_t> hits(bits::words(kTextRows));
              for (const TextRows& text : texts_) {
                matcher.match({text.bytes.data(), text.offsets.data(), text.rows()}, nullptr, hits.data());
              }
            }};
  }

  /// Matches all rows with a strategy, with the parameters tuned so far.
  Parameter matcher(const std::string& form, const text::Pattern& pattern,
                    const lanes::Tuning& tuning) const {
    return {form, {0}, bytes_, [=, this](uint32_t) {
              const text::Matcher matcher(pattern, {.form = form, .lanes = {}, .tuning = tuning});
              text::MatchContext context;
              std::vector<uint64_t> hits(bits::words(kTextRows));
              for (const TextRows& text : texts_) matcher.match(view(text), nullptr, hits.data(), context);
            }};
  }
  const text::Pattern& pattern() const { return pattern_; }

 private:
  TextShape shape_{RowTest::regex, {}, 1, -1, kTextRows, 1};
  text::Pattern pattern_ = pattern_of(shape_);
  std::vector<TextRows> texts_;
  double bytes_ = 0;
};

/// Thresholds from "always" (the default) to naive.
std::vector<uint32_t> thresholds(uint32_t width) {
  std::vector<uint32_t> values = {width};
  for (uint32_t eighths = 7; eighths > 0; --eighths) {
    if (width * eighths % 8 == 0) values.push_back(width * eighths / 8);
  }
  return values;
}

/// A filter and a sum, slice by slice, as in queries.
Parameter slices(const Cancellation& cancellation) {
  const auto values = std::make_shared<const std::vector<int32_t>>(
      make_numbers<int32_t>(kNumbers, 20, 1, [&] { cancellation.check(); }));
  const auto& kernels = kernels::of<int32_t>(lanes::simd());
  return {"vector_rows",
          {8192, 2048, 4096, 16384, 32768, 65536},
          kNumbers * sizeof(int32_t),
          [=, &kernels](uint32_t slice) {
            std::vector<uint64_t> bitmap(bits::words(slice));
            volatile int64_t total = 0;
            for (size_t row = 0; row < kNumbers; row += slice) {
              kernels.compare_constant(kernels::Comparison::eq, values->data() + row, kTarget, slice,
                                       bitmap.data());
              total = total + static_cast<int64_t>(kernels.sum(values->data() + row, bitmap.data(), slice));
            }
          }};
}

}  // namespace

Tuned tune(const Cancellation& cancellation, const std::function<void(const std::string&, double)>& say) {
  using lanes::Form;
  using lanes::Target;
  Tuned tuned;
  double done = 0;
  const auto choose = [&](const Parameter& parameter) {
    say("measuring " + parameter.name, done / 10);
    ++done;
    tuned.choices.push_back(measure(parameter, cancellation));
    return tuned.choices.back().best;
  };

  try {
    tuned.profile.placement = tune_device(cancellation, say);
  } catch (const UserError& error) {  // DeviceError, MemoryError
    tuned.no_gpu = error.what();
  }
  say("measuring how fast one core reads memory", 0);
  tuned.profile.processor = machine_cpu();
  tuned.profile.read_rate = read_rate(cancellation);
  tuned.profile.vector_rows = choose(slices(cancellation));

  const Texts texts(cancellation);
  lanes::Tuning& best = tuned.profile.tuning;
  best.interleaved_width =
      choose(texts.parameter("interleaved_width", Target::interleaved, Form::rows, {8, 4},
                             [](uint32_t width) { return lanes::RowOptions{.width = width}; }));
  const uint32_t width = best.interleaved_width;
  best.refill_interleaved = choose(texts.parameter(
      "refill_interleaved", Target::interleaved, Form::rows, thresholds(width),
      [=](uint32_t below) { return lanes::RowOptions{.width = width, .refill_below = below}; }));
  const auto packed = [&](const char* name, Target target, uint32_t lanes) {
    return choose(texts.parameter(name, target, Form::packed, thresholds(lanes),
                                  [](uint32_t below) { return lanes::RowOptions{.refill_below = below}; }));
  };
  if (supported(Target::avx2)) best.refill_packed_avx2 = packed("refill_packed_avx2", Target::avx2, 32);
  if (supported(Target::avx512))
    best.refill_packed_avx512 = packed("refill_packed_avx512", Target::avx512, 64);

  const auto cost = [&](const char* form, const text::Pattern& pattern) {
    say(fmt::format("measuring the matcher {}", form), done++ / 10);
    const Choice measured = measure(texts.matcher(form, pattern, best), cancellation);
    tuned.costs.push_back({form, 1e9 / measured.tries[0].rate});
    return tuned.costs.back().ns;
  };
  best.literal_ns = cost("contains", text::compile_like("%#~#%"));
  if (lanes::simd() != Target::interleaved) best.packed_ns = cost("packed", texts.pattern());
  best.rows_ns = cost("rows", texts.pattern());
  best.lazy_ns = cost("lazy", texts.pattern());
  return tuned;
}

}  // namespace lanewise::cli::bench

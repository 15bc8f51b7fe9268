#include "codegen/strategy.h"

#include <fmt/format.h>

#include <charconv>
#include <map>

#include "base/error.h"

namespace lanewise::codegen {

namespace {

/// The number after "name=", if `text` is that.
std::optional<uint32_t> number_of(std::string_view text, std::string_view name) {
  if (!text.starts_with(name) || !text.substr(name.size()).starts_with('=')) return std::nullopt;
  text.remove_prefix(name.size() + 1);
  uint32_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failed == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

const std::map<std::string_view, void (*)(Strategy&)> kStrategies = {
    {"naive", [](Strategy& s) { s.refill_below = 1; }},
    {"automata", [](Strategy& s) { s.automata = true; }},
    {"lists", [](Strategy& s) { s.lists = true; }},
    {"occupancy", [](Strategy& s) { s.occupancy = true; }},
    {"split", [](Strategy& s) { s.split = true; }},
    {"groups=table", [](Strategy& s) { s.groups = Strategy::Groups::kTable; }},
    {"groups=parts", [](Strategy& s) { s.groups = Strategy::Groups::kParts; }},
    {"groups=slots", [](Strategy& s) { s.groups = Strategy::Groups::kSlots; }},
    {"join=hash", [](Strategy& s) { s.join = Strategy::Join::kHash; }},
    {"join=direct", [](Strategy& s) { s.join = Strategy::Join::kDirect; }},
    {"join=ranks", [](Strategy& s) { s.join = Strategy::Join::kRanks; }},
    {"join=bitmap", [](Strategy& s) { s.join = Strategy::Join::kBitmap; }},
    {"pairs=naive", [](Strategy& s) { s.pairs = Strategy::Pairs::kNaive; }},
    {"pairs=refill", [](Strategy& s) { s.pairs = Strategy::Pairs::kRefill; }},
    {"pairs=balanced", [](Strategy& s) { s.pairs = Strategy::Pairs::kBalanced; }},
    {"pairs=mixed", [](Strategy& s) { s.pairs = Strategy::Pairs::kMixed; }},
    {"pairs=queued", [](Strategy& s) { s.pairs = Strategy::Pairs::kQueued; }},
    {"pairs=written", [](Strategy& s) { s.pairs = Strategy::Pairs::kWritten; }},
};

void set(Strategy& strategy, std::string_view name) {
  const std::optional<uint32_t> refill = number_of(name, "refill"), threads = number_of(name, "threads");
  if (const auto named = kStrategies.find(name); named != kStrategies.end()) {
    named->second(strategy);
  } else if (refill && *refill >= 1 && *refill <= 32) {
    strategy.refill_below = refill;
  } else if (threads && *threads >= 32 && *threads <= 512 && *threads % 32 == 0) {
    strategy.threads = *threads;
  } else {
    throw UserError(fmt::format(
        "there is no strategy '{}' on devices. For patterns: naive, refill=1..32, threads=32..512 by 32, "
        "automata, lists, occupancy. For joins and groups: split, groups=table|parts|slots, "
        "join=hash|direct|ranks|bitmap or "
        "pairs=naive|refill|balanced|mixed|queued|written",
        name));
  }
}

}  // namespace

Strategy parse_strategy(std::string_view names) {
  Strategy strategy;
  while (!names.empty()) {
    const size_t end = names.find(',');
    set(strategy, names.substr(0, end));
    names.remove_prefix(end == std::string_view::npos ? names.size() : end + 1);
  }
  return strategy;
}

}  // namespace lanewise::codegen

#include "exec/pipeline/strategy.h"

#include <fmt/format.h>

#include <charconv>
#include <map>

#include "base/error.h"

namespace lanewise::exec {

namespace {

/// The number after "name=", if `text` is that.
std::optional<uint32_t> number_of(std::string_view text, std::string_view name) {
  if (!text.starts_with(name) || !text.substr(name.size()).starts_with('=')) return std::nullopt;
  text.remove_prefix(name.size() + 1);
  uint32_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failed == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

const std::map<std::string_view, Strategy::Join> kJoins = {{"join=hash", Strategy::Join::kHash},
                                                           {"join=direct", Strategy::Join::kDirect},
                                                           {"join=ranks", Strategy::Join::kRanks},
                                                           {"join=bitmap", Strategy::Join::kBitmap}};

const std::map<std::string_view, Strategy::Pairs> kPairs = {
    {"pairs=naive", Strategy::Pairs::kNaive},       {"pairs=refill", Strategy::Pairs::kRefill},
    {"pairs=balanced", Strategy::Pairs::kBalanced}, {"pairs=mixed", Strategy::Pairs::kMixed},
    {"pairs=queued", Strategy::Pairs::kQueued},     {"pairs=written", Strategy::Pairs::kWritten}};

void set(Strategy& strategy, std::string_view name) {
  const std::optional<uint32_t> refill = number_of(name, "refill"), threads = number_of(name, "threads");
  if (name == "naive") {
    strategy.refill_below = 1;
  } else if (name == "automata") {
    strategy.automata = true;
  } else if (name == "lists") {
    strategy.lists = true;
  } else if (name == "occupancy") {
    strategy.occupancy = true;
  } else if (name == "split") {
    strategy.split = true;
  } else if (name == "groups=table") {
    strategy.groups = Strategy::Groups::kTable;
  } else if (name == "groups=parts") {
    strategy.groups = Strategy::Groups::kParts;
  } else if (name == "groups=slots") {
    strategy.groups = Strategy::Groups::kSlots;
  } else if (const auto join = kJoins.find(name); join != kJoins.end()) {
    strategy.join = join->second;
  } else if (const auto pairs = kPairs.find(name); pairs != kPairs.end()) {
    strategy.pairs = pairs->second;
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

}  // namespace lanewise::exec

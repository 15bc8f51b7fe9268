#include "exec/placement/places.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

namespace lanewise::exec {
namespace places_test {

using testing::ElementsAre;
using enum Place;

std::vector<Place> runs(const std::vector<PipelineTimes>& pipelines, double open = 0) {
  return fastest_places(pipelines, open).runs;
}

TEST(Places, OfNothing) { EXPECT_TRUE(runs({}).empty()); }

TEST(Places, OfOneAreItsFasterSide) {
  EXPECT_THAT(runs({{.host = 2, .device = 1, .download = 0.5}}), ElementsAre(kDevice));
  EXPECT_THAT(runs({{.host = 2, .device = 1, .download = 1.5}}), ElementsAre(kHost));
}

TEST(Places, ASlowerPipelineRunsWhereItsRowsAreRead) {
  // Alone, the first one is faster on the host.
  const std::vector<PipelineTimes> chain{{.host = 3, .device = 4, .download = 5, .upload = 5},
                                         {.host = 20, .device = 1, .download = 0.1, .reads = {0}}};
  EXPECT_THAT(runs(chain), ElementsAre(kDevice, kDevice));
  EXPECT_DOUBLE_EQ(fastest_places(chain, 0).seconds, 5.1);
  EXPECT_THAT(fastest_places(chain, 0).results, ElementsAre(kDevice, kHost));
}

TEST(Places, AFasterPipelineStaysOnTheHostIfItsRowsWouldComeBack) {
  EXPECT_THAT(
      runs({{.host = 3, .device = 1, .download = 5, .upload = 5}, {.host = 1, .device = 9, .reads = {0}}}),
      ElementsAre(kHost, kHost));
  // Only the last one does not pay for the way in both directions.
  EXPECT_THAT(runs({{.host = 1, .device = kNever, .upload = 5}, {.host = 3, .device = 1, .reads = {0}}}),
              ElementsAre(kHost, kHost));
}

TEST(Places, OfWhatTheDeviceLacksInTheMiddle) {
  const std::vector<PipelineTimes> chain{
      {.host = 9, .device = 1, .download = 2, .upload = 2},
      {.host = 1, .device = kNever, .download = 2, .upload = 2, .reads = {0}},
      {.host = 9, .device = 1, .reads = {1}}};
  EXPECT_THAT(runs(chain), ElementsAre(kDevice, kHost, kDevice));
  EXPECT_DOUBLE_EQ(fastest_places(chain, 0).seconds, 1 + 2 + 1 + 2 + 1);
}

TEST(Places, OfTwoBuildSides) {
  // One would be faster on the host, but is looked up on the device; the host cannot read what the device
  // built.
  std::vector<PipelineTimes> tree{{.host = 1, .device = 2, .download = kNever, .upload = 3},
                                  {.host = 5, .device = 1, .download = kNever, .upload = 3},
                                  {.host = 50, .device = 2, .reads = {0, 1}}};
  EXPECT_THAT(runs(tree), ElementsAre(kDevice, kDevice, kDevice));
  tree[0].upload = 0.5;
  EXPECT_THAT(runs(tree), ElementsAre(kHost, kDevice, kDevice));
  tree[2].device = kNever;
  EXPECT_THAT(runs(tree), ElementsAre(kHost, kHost, kHost));
}

TEST(Places, SharedResultsCountOnce) {
  // Two readers share one download, which each of them alone would not be worth.
  std::vector<PipelineTimes> shared{{.host = 8, .device = 1, .download = 6, .upload = 6},
                                    {.host = 1, .device = kNever, .reads = {0}},
                                    {.host = 1, .device = kNever, .reads = {0}},
                                    {.host = 1, .device = kNever, .reads = {1, 2}}};
  EXPECT_THAT(runs(shared), ElementsAre(kDevice, kHost, kHost, kHost));
  EXPECT_DOUBLE_EQ(fastest_places(shared, 0).seconds, 1 + 6 + 3);
  shared[1].device = shared[2].device = 0.5;
  EXPECT_THAT(runs(shared), ElementsAre(kDevice, kDevice, kDevice, kHost));
  EXPECT_THAT(fastest_places(shared, 0).results, ElementsAre(kDevice, kHost, kHost, kHost));
  shared[2].device = kNever;  // then rows come to the host, and the other reader gets them there
  EXPECT_THAT(runs(shared), ElementsAre(kDevice, kHost, kHost, kHost));
}

TEST(Places, OfMoreSharedResultsThanAreTriedAreThoseOnTheHost) {
  std::vector<PipelineTimes> chain{{.host = 2, .device = 1, .download = 0.5, .upload = 5}};
  for (size_t i = 0; i < kTriedResults + 1; ++i) {
    const size_t last = chain.size() - 1;
    for (int copies = 0; copies < 2; ++copies)
      chain.push_back({.host = 2, .device = 1, .download = 0.5, .upload = 5, .reads = {last}});
    chain.push_back({.host = 2, .device = 1, .download = 0.5, .upload = 5, .reads = {last + 1, last + 2}});
  }
  const Places places = fastest_places(chain, 0);
  EXPECT_EQ(places.results[3 * (kTriedResults - 1)], kDevice);
  EXPECT_EQ(places.results[3 * kTriedResults], kHost);
}

TEST(Places, OfResultsThatExist) {
  const PipelineTimes left{.host = kNever, .device = 0, .download = 3},
      here{.host = 0, .device = kNever, .upload = 3}, both{.upload = 3},
      table{.host = 7, .device = 0, .download = kNever};
  const auto reader = [](const PipelineTimes& result, double host) {
    return runs({result, {.host = host, .device = 5, .reads = {0}}})[1];
  };
  EXPECT_EQ(reader(left, 3), kDevice);
  EXPECT_EQ(reader(left, 1), kHost);
  EXPECT_EQ(reader(here, 7), kHost);
  EXPECT_EQ(reader(here, 9), kDevice);
  EXPECT_EQ(reader(both, 6), kDevice);
  EXPECT_EQ(reader(both, 4), kHost);
  EXPECT_EQ(reader(table, 1), kDevice);
}

TEST(Places, CountTheFirstUseOfTheDeviceOnce) {
  const std::vector<PipelineTimes> two{{.host = 3, .device = 1}, {.host = 3, .device = 1, .reads = {0}}};
  EXPECT_THAT(runs(two, 3.9), ElementsAre(kDevice, kDevice));
  EXPECT_DOUBLE_EQ(fastest_places(two, 3.9).seconds, 5.9);
  EXPECT_THAT(runs(two, 4.1), ElementsAre(kHost, kHost));
  EXPECT_DOUBLE_EQ(fastest_places(two, 4.1).seconds, 6);
}

/// The time of given places.
double seconds_of(const std::vector<PipelineTimes>& pipelines, size_t set, double open) {
  const auto is_there = [&](size_t i) { return (set >> i & 1) != 0; };
  std::vector<bool> stays(pipelines.size()), is_read(pipelines.size());
  for (size_t i = 0; i < pipelines.size(); ++i) stays[i] = is_there(i);
  for (size_t i = 0; i < pipelines.size(); ++i) {
    for (const size_t read : pipelines[i].reads) {
      is_read[read] = true;
      if (!is_there(i)) stays[read] = false;
    }
  }
  double seconds = set == 0 ? 0 : open;
  for (size_t i = 0; i < pipelines.size(); ++i) {
    seconds += is_there(i) ? pipelines[i].device : pipelines[i].host;
    if (is_there(i) && !(stays[i] && is_read[i])) seconds += pipelines[i].download;
    for (const size_t read : pipelines[i].reads)
      if (is_there(i) && !stays[read]) seconds += pipelines[read].upload;
  }
  return seconds;
}

/// A tree, where each result has one reader, or one with several readers of some. So few that all are tried.
std::vector<PipelineTimes> random_plan(std::mt19937& random, bool is_tree) {
  const auto below = [&](unsigned limit) { return static_cast<double>(random() % limit); };
  std::vector<PipelineTimes> pipelines(1 + random() % (kTriedResults + 2));
  std::vector<bool> is_read(pipelines.size());
  for (size_t i = 0; i < pipelines.size(); ++i) {
    PipelineTimes& made = pipelines[i];
    made.host = below(20);
    made.device = below(5) == 0 ? kNever : below(20);
    made.upload = below(10);
    made.download = below(4) == 0 ? kNever : below(10);
    for (size_t read = 0; read < i; ++read) {
      if ((is_tree && is_read[read]) || below(3) != 0) continue;
      made.reads.push_back(read);
      is_read[read] = true;
    }
  }
  return pipelines;
}

TEST(Places, AreTheBestOfAll) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    const std::vector<PipelineTimes> pipelines = random_plan(random, round % 2 == 0);
    const double open = static_cast<double>(random() % 3) * 7;
    double least = kNever;
    for (size_t set = 0; set < size_t{1} << pipelines.size(); ++set)
      least = std::min(least, seconds_of(pipelines, set, open));
    const Places found = fastest_places(pipelines, open);
    size_t set = 0;
    for (size_t i = 0; i < pipelines.size(); ++i) set |= size_t{found.runs[i] == kDevice} << i;
    ASSERT_DOUBLE_EQ(found.seconds, least) << round;
    ASSERT_DOUBLE_EQ(seconds_of(pipelines, set, open), least) << round;
  }
}

}  // namespace places_test
}  // namespace lanewise::exec

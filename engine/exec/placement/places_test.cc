#include "exec/placement/places.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

namespace lanewise::exec {
namespace places_test {

using testing::ElementsAre;

constexpr Place kDevice{0}, kOther{1};

/// The times of a pipeline on the host and on one GPU.
struct Times {
  double host = 0, device = 0, download = 0, upload = 0;
  std::vector<size_t> reads = {};
};

Places places(const std::vector<Times>& plan, double open = 0) {
  std::vector<PipelineTimes> pipelines;
  for (const Times& times : plan)
    pipelines.push_back({{{times.host}, {times.device, times.download, times.upload}}, times.reads});
  return fastest_places({{kHost}, {kDevice, open}}, pipelines);
}
std::vector<Place> runs(const std::vector<Times>& plan, double open = 0) { return places(plan, open).runs; }

TEST(Places, OfNothing) { EXPECT_TRUE(runs({}).empty()); }

TEST(Places, OfOneAreItsFasterSide) {
  EXPECT_THAT(runs({{.host = 2, .device = 1, .download = 0.5}}), ElementsAre(kDevice));
  EXPECT_THAT(runs({{.host = 2, .device = 1, .download = 1.5}}), ElementsAre(kHost));
}

TEST(Places, ASlowerPipelineRunsWhereItsRowsAreRead) {
  // Alone, the first one is faster on the host.
  const std::vector<Times> chain{{.host = 3, .device = 4, .download = 5, .upload = 5},
                                 {.host = 20, .device = 1, .download = 0.1, .reads = {0}}};
  EXPECT_THAT(runs(chain), ElementsAre(kDevice, kDevice));
  EXPECT_DOUBLE_EQ(places(chain).seconds, 5.1);
  EXPECT_THAT(places(chain).results, ElementsAre(kDevice, kHost));
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
  const std::vector<Times> chain{{.host = 9, .device = 1, .download = 2, .upload = 2},
                                 {.host = 1, .device = kNever, .download = 2, .upload = 2, .reads = {0}},
                                 {.host = 9, .device = 1, .reads = {1}}};
  EXPECT_THAT(runs(chain), ElementsAre(kDevice, kHost, kDevice));
  EXPECT_DOUBLE_EQ(places(chain).seconds, 1 + 2 + 1 + 2 + 1);
}

TEST(Places, OfTwoBuildSides) {
  // One would be faster on the host, but is looked up on the device; the host cannot read what the device
  // built.
  std::vector<Times> tree{{.host = 1, .device = 2, .download = kNever, .upload = 3},
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
  std::vector<Times> shared{{.host = 8, .device = 1, .download = 6, .upload = 6},
                            {.host = 1, .device = kNever, .reads = {0}},
                            {.host = 1, .device = kNever, .reads = {0}},
                            {.host = 1, .device = kNever, .reads = {1, 2}}};
  EXPECT_THAT(runs(shared), ElementsAre(kDevice, kHost, kHost, kHost));
  EXPECT_DOUBLE_EQ(places(shared).seconds, 1 + 6 + 3);
  shared[1].device = shared[2].device = 0.5;
  EXPECT_THAT(runs(shared), ElementsAre(kDevice, kDevice, kDevice, kHost));
  EXPECT_THAT(places(shared).results, ElementsAre(kDevice, kHost, kHost, kHost));
  shared[2].device = kNever;  // then rows come to the host, and the other reader gets them there
  EXPECT_THAT(runs(shared), ElementsAre(kDevice, kHost, kHost, kHost));
}

TEST(Places, OfMoreSharedResultsThanAreTriedAreThoseOnTheHost) {
  std::vector<Times> chain{{.host = 2, .device = 1, .download = 0.5, .upload = 5}};
  for (size_t i = 0; i < kTriedResults + 1; ++i) {
    const size_t last = chain.size() - 1;
    for (int copies = 0; copies < 2; ++copies)
      chain.push_back({.host = 2, .device = 1, .download = 0.5, .upload = 5, .reads = {last}});
    chain.push_back({.host = 2, .device = 1, .download = 0.5, .upload = 5, .reads = {last + 1, last + 2}});
  }
  const Places found = places(chain);
  EXPECT_EQ(found.results[3 * (kTriedResults - 1)], kDevice);
  EXPECT_EQ(found.results[3 * kTriedResults], kHost);
}

TEST(Places, OfResultsThatExist) {
  const Times left{.host = kNever, .device = 0, .download = 3},
      here{.host = 0, .device = kNever, .upload = 3}, both{.upload = 3},
      table{.host = 7, .device = 0, .download = kNever};
  const auto reader = [](const Times& result, double host) {
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
  const std::vector<Times> two{{.host = 3, .device = 1}, {.host = 3, .device = 1, .reads = {0}}};
  EXPECT_THAT(runs(two, 3.9), ElementsAre(kDevice, kDevice));
  EXPECT_DOUBLE_EQ(places(two, 3.9).seconds, 5.9);
  EXPECT_THAT(runs(two, 4.1), ElementsAre(kHost, kHost));
  EXPECT_DOUBLE_EQ(places(two, 4.1).seconds, 6);
}

TEST(Places, BetweenTwoGpusAreTheHostsMemory) {
  // The first result is made on one GPU, and is read on the other, as each can do only its own pipeline.
  std::vector<PipelineTimes> chain{{{{50}, {1, 2, 9}, {kNever, 9, 3}}}, {{{50}, {kNever}, {1, 4}}, {0}}};
  const std::vector<Candidate> candidates{{kHost}, {kDevice}, {kOther}};
  const Places apart = fastest_places(candidates, chain);
  EXPECT_THAT(apart.runs, ElementsAre(kDevice, kOther));
  EXPECT_THAT(apart.results, ElementsAre(kHost, kHost));
  EXPECT_DOUBLE_EQ(apart.seconds, 1 + 2 + 3 + 1 + 4);
  chain[0].places[2].work = 6;
  const Places together = fastest_places(candidates, chain);
  EXPECT_THAT(together.runs, ElementsAre(kOther, kOther));
  EXPECT_THAT(together.results, ElementsAre(kOther, kHost));
  EXPECT_DOUBLE_EQ(together.seconds, 6 + 1 + 4);
}

TEST(Places, OpenASecondGpuOnlyIfThatIsWorthIt) {
  const std::vector<PipelineTimes> two{{{{9}, {1}, {4}}}, {{{9}, {4}, {1}}, {0}}};
  const auto with = [&](double open) { return fastest_places({{kHost}, {kDevice}, {kOther, open}}, two); };
  EXPECT_THAT(with(2.9).runs, ElementsAre(kDevice, kOther));
  EXPECT_THAT(with(3.1).runs, ElementsAre(kDevice, kDevice));
  EXPECT_DOUBLE_EQ(with(3.1).seconds, 5);
}

/// The places of pipelines, by number.
using Numbers = std::vector<size_t>;

/// The time of given places.
double seconds_of(const std::vector<PipelineTimes>& pipelines, const Numbers& runs,
                  const std::vector<Candidate>& candidates) {
  std::vector<bool> stays(pipelines.size()), is_read(pipelines.size()), is_used(candidates.size());
  for (size_t i = 0; i < pipelines.size(); ++i) stays[i] = runs[i] != 0;
  for (size_t i = 0; i < pipelines.size(); ++i) {
    for (const size_t read : pipelines[i].reads) {
      is_read[read] = true;
      if (runs[i] != runs[read]) stays[read] = false;
    }
  }
  double seconds = 0;
  for (size_t i = 0; i < pipelines.size(); ++i) {
    const PlaceTimes& times = pipelines[i].places[runs[i]];
    seconds += times.work;
    if (!(stays[i] && is_read[i])) seconds += times.download;
    for (const size_t read : pipelines[i].reads)
      if (!stays[read]) seconds += pipelines[read].places[runs[i]].upload;
    if (!is_used[runs[i]]) seconds += candidates[runs[i]].open;
    is_used[runs[i]] = true;
  }
  return seconds;
}

/// A tree, where each result has one reader, or one with several readers of some. So few that all are tried.
std::vector<PipelineTimes> random_plan(std::mt19937& random, bool is_tree, size_t places) {
  const auto below = [&](unsigned limit) { return static_cast<double>(random() % limit); };
  std::vector<PipelineTimes> pipelines(1 + random() % (kTriedResults + 4 - places));
  std::vector<bool> is_read(pipelines.size());
  for (size_t i = 0; i < pipelines.size(); ++i) {
    PipelineTimes& made = pipelines[i];
    made.places.push_back({below(20)});
    while (made.places.size() < places) {
      made.places.push_back({.work = below(5) == 0 ? kNever : below(20),
                             .download = below(4) == 0 ? kNever : below(10),
                             .upload = below(10)});
    }
    for (size_t read = 0; read < i; ++read) {
      if ((is_tree && is_read[read]) || below(3) != 0) continue;
      made.reads.push_back(read);
      is_read[read] = true;
    }
  }
  return pipelines;
}

double least_seconds(const std::vector<PipelineTimes>& pipelines, const std::vector<Candidate>& candidates) {
  double least = kNever;
  Numbers runs(pipelines.size());
  for (size_t changed = 0; changed < runs.size();) {
    least = std::min(least, seconds_of(pipelines, runs, candidates));
    for (changed = 0; changed < runs.size() && ++runs[changed] == candidates.size(); ++changed)
      runs[changed] = 0;
  }
  return least;
}

TEST(Places, AreTheBestOfAll) {
  std::mt19937 random(1);
  for (int round = 0; round < 4000; ++round) {
    std::vector<Candidate> candidates{{kHost}};
    while (candidates.size() < static_cast<size_t>(round % 4 < 2 ? 2 : 3)) {
      const int gpu = static_cast<int>(candidates.size()) - 1;
      candidates.push_back({{gpu}, static_cast<double>(random() % 3) * 7});
    }
    const std::vector<PipelineTimes> pipelines = random_plan(random, round % 2 == 0, candidates.size());
    const double least = least_seconds(pipelines, candidates);
    const Places found = fastest_places(candidates, pipelines);
    Numbers runs;
    for (const Place place : found.runs) runs.push_back(static_cast<size_t>(place.gpu + 1));
    ASSERT_DOUBLE_EQ(found.seconds, least) << round;
    ASSERT_DOUBLE_EQ(seconds_of(pipelines, runs, candidates), least) << round;
  }
}

}  // namespace places_test
}  // namespace lanewise::exec

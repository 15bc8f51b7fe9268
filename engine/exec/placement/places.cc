#include "exec/placement/places.h"

#include <algorithm>

namespace lanewise::exec {

namespace {

/// Numbers of candidates, of which 0 is the host.
using Numbers = std::vector<size_t>;

/// Numbers of the places that take the least time.
struct Found {
  double seconds = kNever;
  Numbers runs = {}, results = {};
};

/// One pass over the pipelines, with the places of results that have several readers given. A place takes
/// `barred` seconds more for each pipeline.
class PlaceSearch {
 public:
  PlaceSearch(const std::vector<PipelineTimes>& pipelines, const std::vector<size_t>& readers,
              const std::vector<double>& barred)
      : pipelines_(pipelines),
        readers_(readers),
        barred_(barred),
        places_(barred.size()),
        ready_(pipelines.size() * places_),
        runs_(pipelines.size() * places_) {}

  /// The least time. `shared[i]`: the place of result `i`, if it has several readers.
  double run(const Numbers& shared) {
    double total = 0;
    for (size_t i = 0; i < pipelines_.size(); ++i) {
      double* const ready = &ready_[i * places_];
      for (size_t place = 0; place < places_; ++place) {
        double run = pipelines_[i].places[place].work + barred_[place];
        for (const size_t read : pipelines_[i].reads)
          run += std::min(ready_[read * places_ + place], seconds_by_host(read, place));
        ready[place] = runs_[i * places_ + place] = run;
      }
      ready[0] = seconds_to_host(i, maker_for_host(i));
      if (readers_[i] == 0) total += ready[0];
      if (readers_[i] > 1) total += fix(ready, shared[i]);
    }
    return total;
  }

  /// The places that take this time.
  Found found(double seconds, const Numbers& shared) const {
    Found found{seconds, Numbers(pipelines_.size()), shared};
    for (size_t i = pipelines_.size(); i-- > 0;) {
      const size_t place = found.runs[i] = found.results[i] != 0 ? found.results[i] : maker_for_host(i);
      for (const size_t read : pipelines_[i].reads) {
        if (readers_[read] > 1) continue;
        const bool stays = ready_[read * places_ + place] <= seconds_by_host(read, place);
        found.results[read] = stays ? place : 0;
      }
    }
    return found;
  }

 private:
  /// Until result `i`, made in this place, is in host memory.
  double seconds_to_host(size_t i, size_t place) const {
    return runs_[i * places_ + place] + pipelines_[i].places[place].download;
  }
  /// Until a result is read in this place from host memory.
  double seconds_by_host(size_t result, size_t place) const {
    return ready_[result * places_] + pipelines_[result].places[place].upload;
  }
  /// The place that makes result `i` if it is for host memory.
  size_t maker_for_host(size_t i) const {
    size_t best = 0;
    for (size_t place = 1; place < places_; ++place)
      if (seconds_to_host(i, place) < seconds_to_host(i, best)) best = place;
    return best;
  }
  /// Its readers find it in this place only, and its time counts once.
  double fix(double* ready, size_t place) const {
    const double seconds = ready[place];
    std::fill_n(ready, places_, kNever);
    ready[place] = 0;
    return seconds;
  }

  const std::vector<PipelineTimes>& pipelines_;
  const std::vector<size_t>& readers_;
  const std::vector<double>& barred_;
  const size_t places_;
  std::vector<double> ready_;  // seconds until a result is in each place, with all that it is made of
  std::vector<double> runs_;   // the same where it is made
};

/// Whether a device may make the result.
bool is_movable(const PipelineTimes& pipeline, const std::vector<double>& barred) {
  for (size_t place = 1; place < barred.size(); ++place)
    if (pipeline.places[place].work + barred[place] < kNever) return true;
  return false;
}

/// The next combination of the places of these results. False after the last.
bool advance(Numbers& shared, const std::vector<size_t>& tried, size_t places) {
  for (const size_t result : tried) {
    if (++shared[result] < places) return true;
    shared[result] = 0;
  }
  return false;
}

/// The best places, of those that `barred` has 0 for instead of kNever.
Found search_places(const std::vector<PipelineTimes>& pipelines, const std::vector<double>& barred) {
  const size_t places = barred.size();
  std::vector<size_t> readers(pipelines.size());
  for (const PipelineTimes& pipeline : pipelines) {
    for (const size_t read : pipeline.reads) ++readers[read];
  }
  std::vector<size_t> tried;
  size_t combinations = 1;
  for (size_t i = 0; i < pipelines.size(); ++i) {
    if (readers[i] < 2 || !is_movable(pipelines[i], barred)) continue;
    if (tried.size() == kTriedResults || combinations * places > kTriedCombinations) break;
    tried.push_back(i);
    combinations *= places;
  }
  PlaceSearch search(pipelines, readers, barred);
  Numbers shared(pipelines.size());
  Found best = search.found(search.run(shared), shared);
  while (advance(shared, tried, places)) {
    if (const double seconds = search.run(shared); seconds < best.seconds)
      best = search.found(seconds, shared);
  }
  return best;
}

}  // namespace

Places fastest_places(const std::vector<Candidate>& candidates, const std::vector<PipelineTimes>& pipelines) {
  Numbers closed;
  for (size_t i = 0; i < candidates.size(); ++i)
    if (candidates[i].open > 0) closed.push_back(i);
  Found best;
  std::vector<double> barred(candidates.size());
  for (size_t set = 0; set < size_t{1} << closed.size(); ++set) {
    for (size_t c = 0; c < closed.size(); ++c) barred[closed[c]] = (set >> c & 1) == 0 ? kNever : 0;
    Found found = search_places(pipelines, barred);
    for (const size_t place : closed)
      if (std::ranges::find(found.runs, place) != found.runs.end()) found.seconds += candidates[place].open;
    if (set == 0 || found.seconds < best.seconds) best = std::move(found);
  }
  Places places{.seconds = best.seconds};
  for (const size_t place : best.runs) places.runs.push_back(candidates[place].place);
  for (const size_t place : best.results) places.results.push_back(candidates[place].place);
  return places;
}

}  // namespace lanewise::exec

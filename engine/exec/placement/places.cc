#include "exec/placement/places.h"

#include <algorithm>

namespace lanewise::exec {

namespace {

/// Seconds until a result is in either place, with all that it is made of.
struct Ready {
  double host = 0, device = 0;
};

/// One pass over the pipelines, with the places of results that have several readers given.
class PlaceSearch {
 public:
  PlaceSearch(const std::vector<PipelineTimes>& pipelines, const std::vector<size_t>& readers)
      : pipelines_(pipelines), readers_(readers), ready_(pipelines.size()), runs_(pipelines.size()) {}

  /// The least time. `shared[i]`: the place of result `i`, if it has several readers.
  double run(const std::vector<Place>& shared) {
    double total = 0;
    for (size_t i = 0; i < pipelines_.size(); ++i) {
      const PipelineTimes& pipeline = pipelines_[i];
      Ready run{pipeline.host, pipeline.device};
      for (const size_t read : pipeline.reads) {
        run.host += ready_[read].host;
        run.device += std::min(ready_[read].device, ready_[read].host + pipelines_[read].upload);
      }
      runs_[i] = run;
      ready_[i] = {std::min(run.host, run.device + pipeline.download), run.device};
      if (readers_[i] == 0) total += ready_[i].host;
      if (readers_[i] > 1) total += fix(ready_[i], shared[i]);
    }
    return total;
  }

  /// The places that take this time.
  Places places(double seconds, const std::vector<Place>& shared) const {
    const size_t count = pipelines_.size();
    Places places{std::vector(count, Place::kHost), shared, seconds};
    for (size_t i = count; i-- > 0;) {
      const PipelineTimes& pipeline = pipelines_[i];
      const bool is_there =
          places.results[i] == Place::kDevice || runs_[i].device + pipeline.download < runs_[i].host;
      places.runs[i] = is_there ? Place::kDevice : Place::kHost;
      for (const size_t read : pipeline.reads) {
        const bool stays = is_there && ready_[read].device <= ready_[read].host + pipelines_[read].upload;
        if (readers_[read] == 1) places.results[read] = stays ? Place::kDevice : Place::kHost;
      }
    }
    return places;
  }

 private:
  /// Its readers find it in this place only, and its time counts once.
  static double fix(Ready& ready, Place place) {
    const bool there = place == Place::kDevice;
    const double seconds = there ? ready.device : ready.host;
    ready = there ? Ready{kNever, 0} : Ready{0, kNever};
    return seconds;
  }

  const std::vector<PipelineTimes>& pipelines_;
  const std::vector<size_t>& readers_;
  std::vector<Ready> ready_, runs_;
};

Places fastest_places(const std::vector<PipelineTimes>& pipelines) {
  std::vector<size_t> readers(pipelines.size());
  for (const PipelineTimes& pipeline : pipelines) {
    for (const size_t read : pipeline.reads) ++readers[read];
  }
  std::vector<size_t> tried;
  for (size_t i = 0; i < pipelines.size(); ++i) {
    if (readers[i] > 1 && pipelines[i].device < kNever && tried.size() < kTriedResults) tried.push_back(i);
  }
  PlaceSearch search(pipelines, readers);
  std::vector<Place> shared(pipelines.size(), Place::kHost);
  Places best{.seconds = kNever};
  for (size_t set = 0; set < size_t{1} << tried.size(); ++set) {
    for (size_t t = 0; t < tried.size(); ++t)
      shared[tried[t]] = (set >> t & 1) == 0 ? Place::kHost : Place::kDevice;
    const double seconds = search.run(shared);
    if (set == 0 || seconds < best.seconds) best = search.places(seconds, shared);
  }
  return best;
}

}  // namespace

Places fastest_places(const std::vector<PipelineTimes>& pipelines, double open) {
  Places best = fastest_places(pipelines);
  if (open == 0 || std::ranges::find(best.runs, Place::kDevice) == best.runs.end()) return best;
  best.seconds += open;
  std::vector<PipelineTimes> on_host = pipelines;
  for (PipelineTimes& pipeline : on_host) pipeline.device = kNever;
  const Places without = fastest_places(on_host);
  return without.seconds <= best.seconds ? without : best;
}

}  // namespace lanewise::exec

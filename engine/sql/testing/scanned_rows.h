#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/testing/temporary_folder.h"
#include "data/testing/text_rows.h"
#include "sql/database.h"

/// For the tests of this folder.
namespace lanewise::sql {

inline const plan::Scan& scan_of(const plan::Node& node) {
  if (const auto* scan = std::get_if<plan::Scan>(&node.payload)) return *scan;
  return scan_of(*node.children.at(0));
}

/// All batches of a scan by `threads` threads, in their order.
inline std::vector<Batch> batches_of(const Source& source, const std::vector<size_t>& columns, int threads,
                                     BatchSize size = BatchSize::kKept) {
  const auto scan = source.scan(columns, size, nullptr, nullptr);
  std::vector<std::map<uint64_t, Batch>> of_thread(static_cast<size_t>(threads));
  std::vector<std::thread> workers;
  std::vector<std::exception_ptr> errors(of_thread.size());
  for (size_t i = 0; i < of_thread.size(); ++i) {
    workers.emplace_back([&, i] {
      try {
        const auto worker = scan->worker();
        while (auto next = worker->next()) of_thread[i].emplace(next->order, std::move(next->batch));
      } catch (...) {
        errors[i] = std::current_exception();
      }
    });
    if (workers.size() >= scan->max_workers()) break;
  }
  for (std::thread& worker : workers) worker.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  std::map<uint64_t, Batch> all;
  for (auto& found : of_thread) all.merge(found);
  std::vector<Batch> result;
  for (auto& [order, batch] : all) result.push_back(std::move(batch));
  return result;
}

/// The rows of `FROM from` as our scan reads them.
inline TextRows scanned(Database& database, const std::string& from, int threads = 2) {
  const Query query = database.plan("FROM " + from);
  const plan::Scan& scan = scan_of(*query.root);
  return text_of(batches_of(*scan.source, scan.columns, threads));
}

/// DuckDB's result, with each value cast to text by DuckDB.
inline TextRows expected(Database& database, const std::string& from) {
  return text_of(database.run("SELECT CAST(COLUMNS(*) AS VARCHAR) FROM " + from, nullptr)->batches);
}

}  // namespace lanewise::sql

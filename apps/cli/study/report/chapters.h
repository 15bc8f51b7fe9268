#pragma once

#include "study/report/results.h"

namespace lanewise::cli::study {

/// Each writes one chapter of the report.
void write_strings(Page& page, const Results& results);
void write_operators(Page& page, const Results& results);
void write_index(Page& page, const Results& results);
void write_pram(Page& page, const Results& results);
/// Every table and figure of the four studies, and its counterpart here.
void write_published(Page& page, const Results& results);
/// Those of the studies on B-trees and PRAM programs.
void write_published_indexes(Page& page, const Results& results);
void write_published_pram(Page& page, const Results& results);
void write_energy(Page& page, const Results& results);
/// The winners of each task, and a decision tree.
void write_winners(Page& page, const Results& results);

}  // namespace lanewise::cli::study

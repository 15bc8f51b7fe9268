#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "data/column.h"
#include "data/source.h"
#include "expr/expr.h"

namespace lanewise::ops {
struct HostAggregate;
}  // namespace lanewise::ops

namespace lanewise::plan {

struct Node;
using NodePtr = std::shared_ptr<const Node>;

struct SortKey {
  ExprPtr expr;
  bool descending = false;
  bool nulls_first = false;
};

/// One aggregate of an Aggregate node, e.g. sum(DISTINCT x) FILTER (WHERE y).
struct AggregateCall {
  std::string function;  ///< SQL's name, see ops/aggregate
  std::vector<ExprPtr> args;
  bool distinct = false;
  ExprPtr filter;              ///< may be null
  std::vector<SortKey> order;  ///< string_agg(x ORDER BY y), first(x ORDER BY y)
  Type type;                   ///< result type
  /// Computes it in place of a built-in function; `function` is then its text.
  std::shared_ptr<const ops::HostAggregate> host = {};
};

/// Rows of a source; the node's schema names the columns read. Predicates over these columns must
/// all hold. They may be used to skip chunks by their minimum and maximum, and are always evaluated.
struct Scan {
  std::shared_ptr<const Source> source;
  std::vector<size_t> columns;
  std::vector<ExprPtr> predicates;
};
/// Rows of a table in memory (VALUES, a constant row).
struct Values {
  std::shared_ptr<const Table> table;
};
struct Filter {
  ExprPtr predicate;
};
struct Project {
  std::vector<ExprPtr> exprs;
};
/// Output: keys, then aggregates. No keys: exactly one row.
struct Aggregate {
  std::vector<ExprPtr> keys;
  std::vector<AggregateCall> aggregates;
};
/// Stable. With a limit it keeps only the rows [offset, offset + limit) (top-n).
struct Sort {
  std::vector<SortKey> keys;
  int64_t limit = -1;  ///< negative: all
  int64_t offset = 0;
};
struct Limit {
  int64_t limit = -1;
  int64_t offset = 0;
};
/// One row per distinct row of the child.
struct Distinct {};

enum class FrameUnit : uint8_t { kRows, kRange, kGroups };
enum class FrameEnd : uint8_t { kUnbounded, kPreceding, kCurrentRow, kFollowing };
/// Rows that are excluded from the frame of the current row; kTies: its peers, but not itself.
enum class FrameExclusion : uint8_t { kNone, kCurrentRow, kGroup, kTies };

struct FrameBound {
  FrameEnd end = FrameEnd::kUnbounded;
  /// kPreceding and kFollowing: a number of rows or groups (BIGINT); with FrameUnit::kRange the value of the
  /// order's only key at which the frame ends.
  ExprPtr offset = nullptr;
};

/// The rows of a partition that a function reads for one row. Unbounded ends extend to the ends of the
/// partition.
struct Frame {
  FrameUnit unit = FrameUnit::kRange;
  FrameBound begin = {};
  FrameBound end = {FrameEnd::kCurrentRow, nullptr};
  FrameExclusion exclusion = FrameExclusion::kNone;
};

/// One function of a Window node: an aggregate over the row's frame, or a function of ops/window.
struct WindowCall {
  AggregateCall call;
  Frame frame = {};
  bool ignore_nulls = false;
};
/// The child's columns, then one for each call. Rows are sorted by partition, then by order.
struct Window {
  std::vector<ExprPtr> partition;
  std::vector<SortKey> order;
  std::vector<WindowCall> calls;
  /// Only this many of each partition's first rows are needed, and rows equal to the last of them: the calls
  /// depend on no others. 0: all rows are needed.
  uint32_t first_rows = 0;
};
/// The concatenated rows of all children.
struct UnionAll {};
/// An uncorrelated scalar subquery: the child's columns, then the columns of the second child's only row. If
/// it has no row, NULLs; more than one is an error with `message`.
struct ScalarJoin {
  std::string message;
};
enum class JoinKind : uint8_t {
  kInner,
  kLeft,       ///< also rows of the left child without a match, with NULLs
  kRight,      ///< also rows of the right child without one
  kFull,       ///< both
  kSemi,       ///< rows of the left child that have a match
  kAnti,       ///< those that have none
  kRightSemi,  ///< rows of the right child that have a match
  kRightAnti,
  kMark,    ///< each row of the left child, and whether it has a match: true, false or, as IN has it, NULL
  kSingle,  ///< like kLeft, but more than one match is an error
};

/// One equality of a join: left = right or, where NULLs are equal, left IS NOT DISTINCT FROM right.
struct JoinKey {
  ExprPtr left;   ///< over the left child's columns
  ExprPtr right;  ///< over the right child's columns
  bool null_is_equal = false;
};

enum class RangeOrder : uint8_t { kLess, kLessOrEqual, kGreater, kGreaterOrEqual };
/// One inequality of a join: left < right, ... The right child's rows are sorted by it, so that a row's
/// matches are found by a binary search.
struct JoinRange {
  RangeOrder order = RangeOrder::kLess;
  ExprPtr left;          ///< over the left child's columns
  ExprPtr right;         ///< over the right child's columns, of the same type
  bool nearest = false;  ///< only the match whose value is nearest (ASOF)
};

/// Pairs of a row of children[0] (left) and one of children[1] (right) for which all keys, the range and the
/// condition hold. Returns the chosen columns of the left child, then those of the right one (kMark: the
/// mark).
struct Join {
  JoinKind kind = JoinKind::kInner;
  std::vector<JoinKey> keys;
  std::optional<JoinRange> range;  ///< not for kMark and kSingle
  ExprPtr condition;               ///< over the left child's columns, then the right child's; may be null
  std::vector<size_t> left, right;
  std::string message = {};  ///< kSingle: the error's message; empty: the first match is used
};
/// For each row of the child, as many rows as its longest list has elements: columns of the child, then one
/// for each list, NULL after the end of a shorter list.
struct Unnest {
  std::vector<ExprPtr> lists;
  std::vector<size_t> kept;  ///< the child's columns that are repeated
};
/// children[0] is computed once and kept under `id`; children[1] reads it by CteRef nodes.
struct Cte {
  uint64_t id = 0;
};
struct CteRef {
  uint64_t id = 0;
};

/// WITH RECURSIVE: the rows of children[0], then those of children[1], repeated until it returns none. CteRef
/// nodes with `id` read the rows of the last round, those with `all_id` all rows so far.
struct Recursion {
  uint64_t id = 0;
  uint64_t all_id = 0;
  bool distinct = false;          ///< UNION: rows that have occurred before are dropped
  std::vector<size_t> keys = {};  ///< USING KEY: a row replaces an earlier one with equal values of these

  bool replaces() const { return !keys.empty(); }
};

using Payload = std::variant<Scan, Values, Filter, Project, Aggregate, Sort, Limit, Distinct, Window,
                             UnionAll, ScalarJoin, Join, Unnest, Cte, CteRef, Recursion>;

/// A node of the physical plan: immutable, typed. Front ends produce it, and `exec` runs it.
struct Node {
  Payload payload;
  std::vector<NodePtr> children;
  Schema schema;               ///< of the rows that it returns
  double estimated_rows = -1;  ///< negative: unknown
};

/// Whether a join of this kind returns columns of the left child, or of the right one.
bool gives_left(JoinKind kind);
bool gives_right(JoinKind kind);
/// Whether it returns rows of the right child depending on whether they have a match.
bool asks_right(JoinKind kind);
/// Whether only the existence of a key in the right child matters, not its rows.
bool asks_existence(const Join& join);
/// Whether it gives nothing for rows of the left child without a match.
bool needs_match(JoinKind kind);
/// "inner", "right semi", ...
const char* name(JoinKind kind);
/// "<", "<=", ...
const char* name(RangeOrder order);

/// "Filter", "Aggregate", ...
const char* name(const Payload& payload);

/// Builders: each checks types and throws InternalError that names the node if they do not fit.
NodePtr scan(std::shared_ptr<const Source> source, std::vector<size_t> columns,
             std::vector<ExprPtr> predicates = {});
NodePtr values(std::shared_ptr<const Table> table);
NodePtr filter(NodePtr child, ExprPtr predicate);
NodePtr project(NodePtr child, std::vector<ExprPtr> exprs, std::vector<std::string> names);
NodePtr aggregate(NodePtr child, std::vector<ExprPtr> keys, std::vector<AggregateCall> aggregates,
                  std::vector<std::string> names);
NodePtr sort(NodePtr child, std::vector<SortKey> keys, int64_t limit = -1, int64_t offset = 0);
NodePtr limit(NodePtr child, int64_t limit, int64_t offset = 0);
NodePtr distinct(NodePtr child);
NodePtr window(NodePtr child, Window window, std::vector<std::string> names);
NodePtr union_all(std::vector<NodePtr> children);
NodePtr scalar_join(NodePtr child, NodePtr one_row, std::string message);
NodePtr join(NodePtr left, NodePtr right, Join join);
/// Keeps all columns; project() and aggregate() drop those that they do not read.
NodePtr unnest(NodePtr child, std::vector<ExprPtr> lists, std::vector<std::string> names);
NodePtr cte(uint64_t id, NodePtr definition, NodePtr body);
NodePtr cte_ref(uint64_t id, Schema schema);
NodePtr recursion(NodePtr anchor, NodePtr step, Recursion recursion);

/// The same Window node with `first_rows`.
NodePtr with_first_rows(const NodePtr& node, uint32_t rows);
/// The same node with an estimate of its rows (negative: unknown). Builders derive estimates from the
/// children.
NodePtr with_estimate(const NodePtr& node, double rows);

/// A readable description of the node: predicates, keys, columns.
std::string details(const Node& node);
/// The matchers that the node's functions prepared for lanes of `target`, a line each: "s LIKE '%x%':
/// contains (why)".
std::vector<std::string> matchers(const Node& node, lanes::Target target, const lanes::Tuning& tuning = {});
/// The plan as an indented tree: a line for each node, its matchers below it.
std::string to_string(const Node& node, lanes::Target target = lanes::simd(),
                      const lanes::Tuning& tuning = {});
/// The plan as JSON text (nodes, expressions, types), for tools.
std::string to_json(const Node& node);

}  // namespace lanewise::plan

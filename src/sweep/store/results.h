// The results of a sweep: one SQLite file, one row for each case that is done.
//
// While cases are added the file is in WAL mode with synchronous=FULL: what was committed survives
// kill -9 and power loss, and a reader never sees half of a row. A clean end folds the log in, so
// that what is left is one file. One process writes a file at a time; others may read it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "loadfactor/result.h"

namespace loadfactor::sweep {

using CellValue = std::variant<std::monostate, std::int64_t, double, std::string>;

enum class ColumnKind : std::uint8_t { kAxis, kFigure };
struct ResultColumn {
  std::string name;
  ColumnKind kind = ColumnKind::kFigure;
  std::string unit;     // The unit of numbers; empty: none.
  std::string meaning;  // The key or path that it comes from.

  bool operator==(const ResultColumn&) const = default;
};

// In place of the SHA-256 of a file that could not be read.
inline constexpr const char* kMissingInput = "missing";

// Which sweep a file belongs to. Two files with the same digest hold parts of the same results.
struct Identity {
  std::string name;
  std::string digest;   // That of the sweep, its inputs, the catalogue and the program together.
  std::string version;  // The program's.
  std::int64_t cases = 0;
  std::vector<std::pair<std::string, std::string>> inputs;  // Name and SHA-256 of each.
  std::vector<ResultColumn> columns;
  std::vector<std::pair<std::string, std::string>> remarks;  // How to report it.

  // Whether it is the same sweep of the same inputs; how to report it may differ.
  bool is_same(const Identity& other) const {
    return digest == other.digest && columns == other.columns;
  }
  // Whether it is the earlier one with files that were missing then.
  bool completes(const Identity& earlier) const;
};

// How many of its cases count, after filters; nothing where that was not counted.
std::optional<std::int64_t> counting_cases(const Identity& identity);

// LF511: a file of results belongs to another sweep than the one that is asked for.
Error other_sweep(const std::string& path, const Identity& there, const Identity& asked);

enum class CaseStatus : std::uint8_t { kAnswer, kNo, kInfeasible, kError };
std::string_view name_of(CaseStatus status);

struct CaseRow {
  std::int64_t number = 0;
  CaseStatus status = CaseStatus::kAnswer;
  int code = 0;                  // The nnn of LFnnn where it is an error.
  std::string error;             // Its message, with its hint.
  std::string edits;             // What makes the case of the scenario, as --set and options do.
  std::vector<CellValue> cells;  // One for each column.
  std::string answer;            // The whole JSON; empty where it is not kept.

  bool operator==(const CaseRow&) const = default;
};

// What a case took, the longest where it ran more than once; it is no part of its content.
struct CaseTime {
  std::int64_t number = 0;
  double cpu_s = 0;
};

struct Tally {
  std::int64_t done = 0;
  std::int64_t answers = 0;
  std::int64_t no = 0;
  std::int64_t infeasible = 0;
  std::int64_t errors = 0;
  double cpu_s = 0;  // What all cases took that were timed,
  std::int64_t timed = 0;
};

// The cases of a file, each row checked against its checksum.
struct Census {
  std::vector<std::int64_t> done;  // Rows that are whole, errors among them.
  std::vector<std::int64_t> errors;
  std::vector<std::int64_t> damaged;
  Tally tally;  // The whole ones.
};

// A row and its time on their way from one process to another.
std::string packed(const CaseRow& row, double cpu_s);
std::optional<std::pair<CaseRow, double>> unpacked(const std::string& bytes);

// Bytes that a row takes in a file, about.
std::size_t stored_bytes(const CaseRow& row);

class Results {
 public:
  // Makes the file, or opens one of the same sweep; `may_complete`: also of the one that this
  // completes, whose cases without the missing files are errors. LF511 for results of another
  // sweep, LF602 where it cannot be written or another process is writing it, LF517 where it is
  // damaged.
  static Result<Results> write_to(const std::string& path, const Identity& identity,
                                  bool may_complete = false);
  // LF601, LF511 or LF517 where it is missing, no results, or damaged.
  static Result<Results> read_from(const std::string& path);

  Results(Results&&) noexcept;
  Results& operator=(Results&&) noexcept;
  ~Results();

  const Identity& identity() const;
  const std::string& path() const;

  // Adds rows in one transaction; a case that is there already stays as it is, unless it is an
  // error and `replaces_errors`.
  Result<bool> add(const std::vector<std::pair<CaseRow, double>>& rows, bool replaces_errors);
  // Folds the log into the file.
  Result<bool> finish();

  // Takes rows out, so that their cases are open again.
  Result<bool> remove(const std::vector<std::int64_t>& numbers);

  // LF517 where the pages of the file do not belong together.
  Result<bool> check_pages() const;
  // Pages are checked first: a row that is whole may stand where it is not found again.
  Result<Census> census() const;
  // As the rows say of themselves, unchecked.
  Result<Tally> tally() const;
  // Every row by its number, each checked against its checksum; LF517 where one is damaged.
  Result<bool> for_each(const std::function<Result<bool>(const CaseRow&)>& visit) const;
  // The case of the lowest number; there must be one.
  Result<CaseRow> first() const;
  // One case; nothing where it is not there.
  Result<std::optional<CaseRow>> row(std::int64_t number) const;
  Result<std::vector<CaseTime>> times() const;

 private:
  struct State;
  explicit Results(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// All rows of the parts, and of `path` where it exists, in one file that appears at once. Parts of
// different sweeps are refused by name (LF511), as are two different answers of one case (LF521).
// What comes out does not depend on the order of the parts.
Result<Tally> merge(const std::vector<std::string>& parts, const std::string& path);

enum class ExportFormat : std::uint8_t { kCsv, kJsonLines };
Result<bool> export_rows(const Results& results, ExportFormat format,
                         const std::function<bool(const std::string&)>& write);

}  // namespace loadfactor::sweep

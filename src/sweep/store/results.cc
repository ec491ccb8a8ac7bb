#include "sweep/store/results.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "sweep/store/database.h"
#include "sweep/store/lock_file.h"
#include "sweep/store/row_codec.h"

namespace loadfactor::sweep {
namespace {

constexpr std::int64_t kApplication = 0x4C464143;  // "LFAC", by which `file` and we know our own.
constexpr std::int64_t kLayout = 1;
constexpr std::size_t kMostColumns = 1500;
constexpr std::array<std::string_view, 4> kStatus{"answer", "no", "infeasible", "error"};

std::string as_comment(std::string text) {
  for (auto at = text.find("*/"); at != std::string::npos; at = text.find("*/")) text.erase(at, 2);
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return text;
}

std::string in_quotes(const std::string& name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string table_text(const Identity& identity) {
  std::string out = "CREATE TABLE cases(\n  case_number INTEGER PRIMARY KEY,\n";
  for (const ResultColumn& column : identity.columns)
    out += fmt::format("  {} /* {}{}{} */,\n", in_quotes(column.name),
                       column.unit.empty() ? "" : "[" + as_comment(column.unit) + "] ",
                       as_comment(column.meaning),
                       column.kind == ColumnKind::kAxis ? ", an axis" : "");
  return out +
         "  status TEXT NOT NULL,\n  code INTEGER NOT NULL,\n  error TEXT NOT NULL,\n"
         "  edits TEXT NOT NULL,\n  answer BLOB /* zlib */,\n"
         "  checksum TEXT NOT NULL)";
}

constexpr const char* kOtherTables =
    "CREATE TABLE sweep(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE inputs(place INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL);"
    "CREATE TABLE remarks(place INTEGER PRIMARY KEY, key TEXT NOT NULL, value TEXT NOT NULL);"
    "CREATE TABLE columns(place INTEGER PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL, "
    "unit TEXT NOT NULL, meaning TEXT NOT NULL);"
    "CREATE TABLE times(case_number INTEGER PRIMARY KEY, cpu_s REAL NOT NULL);";

Result<bool> insert(const Database& database, const std::string& sql,
                    const std::vector<CellValue>& values) {
  TRY(Statement statement, database.prepare(sql));
  for (std::size_t i = 0; i < values.size(); ++i)
    statement.bind(static_cast<int>(i + 1), values[i]);
  return statement.step();
}

Result<bool> add_remarks(const Database& database, const Identity& identity) {
  for (const auto& [key, value] : identity.remarks) {
    TRY([[maybe_unused]] const bool done,
        insert(database, "INSERT INTO remarks VALUES(NULL, ?, ?)", {key, value}));
  }
  return true;
}

// What is reported may change while cases and rows stay the same.
Result<bool> replace_remarks(const Database& database, const Identity& identity) {
  TRY(Transaction transaction, Transaction::begin(database));
  TRY([[maybe_unused]] const bool gone, database.run("DELETE FROM remarks"));
  TRY([[maybe_unused]] const bool added, add_remarks(database, identity));
  return transaction.commit();
}

Result<bool> add_facts(const Database& database, const Identity& identity) {
  const std::vector<std::pair<std::string, std::string>> facts{
      {"name", identity.name},
      {"digest", identity.digest},
      {"version", identity.version},
      {"cases", std::to_string(identity.cases)}};
  for (const auto& [key, value] : facts) {
    TRY([[maybe_unused]] const bool done,
        insert(database, "INSERT INTO sweep VALUES(?, ?)", {key, value}));
  }
  for (const auto& [name, digest] : identity.inputs) {
    TRY([[maybe_unused]] const bool done,
        insert(database, "INSERT INTO inputs VALUES(NULL, ?, ?)", {name, digest}));
  }
  return true;
}

// Files that were missing are there now.
Result<bool> replace_facts(const Database& database, const Identity& identity) {
  TRY(Transaction transaction, Transaction::begin(database));
  TRY([[maybe_unused]] const bool gone, database.run("DELETE FROM sweep; DELETE FROM inputs"));
  TRY([[maybe_unused]] const bool added, add_facts(database, identity));
  return transaction.commit();
}

Result<bool> create(const Database& database, const Identity& identity) {
  TRY(Transaction transaction, Transaction::begin(database));
  TRY([[maybe_unused]] const bool made, database.run(kOtherTables + table_text(identity)));
  TRY([[maybe_unused]] const bool told, add_facts(database, identity));
  TRY([[maybe_unused]] const bool remarked, add_remarks(database, identity));
  for (const ResultColumn& column : identity.columns) {
    const std::string kind = column.kind == ColumnKind::kAxis ? "axis" : "figure";
    TRY([[maybe_unused]] const bool done,
        insert(database, "INSERT INTO columns VALUES(NULL, ?, ?, ?, ?)",
               {column.name, kind, column.unit, column.meaning}));
  }
  TRY([[maybe_unused]] const bool marked,
      database.run(
          fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", kApplication, kLayout)));
  return transaction.commit();
}

Error no_results(const std::string& path) {
  return {.code = lf::kWrongSchema,
          .message = fmt::format("'{}' holds no results of a sweep", path),
          .hint = "`loadfactor sweep SWEEP.yaml -o results.sqlite` makes such a file"};
}

Result<std::vector<std::pair<std::string, std::string>>> pairs(const Database& database,
                                                               const char* sql) {
  std::vector<std::pair<std::string, std::string>> out;
  TRY(Statement statement, database.prepare(sql));
  while (true) {
    TRY(const bool has_row, statement.step());
    if (!has_row) return out;
    out.emplace_back(statement.text(0), statement.text(1));
  }
}

Result<Identity> identity_of(const Database& database) {
  TRY(const CellValue application, database.first("PRAGMA application_id"));
  TRY(const CellValue layout, database.first("PRAGMA user_version"));
  if (application != CellValue(kApplication) || layout != CellValue(kLayout))
    return no_results(database.path());
  Identity out;
  TRY(const auto facts, pairs(database, "SELECT key, value FROM sweep"));
  for (const auto& [key, value] : facts) {
    if (key == "name") out.name = value;
    if (key == "digest") out.digest = value;
    if (key == "version") out.version = value;
    if (key == "cases") out.cases = std::strtoll(value.c_str(), nullptr, 10);
  }
  TRY(out.inputs, pairs(database, "SELECT name, sha256 FROM inputs ORDER BY place"));
  TRY(out.remarks, pairs(database, "SELECT key, value FROM remarks ORDER BY place"));
  TRY(Statement columns, database.prepare("SELECT * FROM columns ORDER BY place"));
  while (true) {
    TRY(const bool has_row, columns.step());
    if (!has_row) break;
    out.columns.push_back({columns.text(1),
                           columns.text(2) == "axis" ? ColumnKind::kAxis : ColumnKind::kFigure,
                           columns.text(3), columns.text(4)});
    if (out.columns.size() > kMostColumns) return no_results(database.path());
  }
  // The table itself is exactly the one that these columns make.
  TRY(const CellValue table,
      database.first("SELECT sql FROM sqlite_schema WHERE type='table' AND name='cases'"));
  if (table != CellValue(table_text(out)))
    return Error{.code = lf::kChecksumMismatch,
                 .message = fmt::format("'{}' is damaged: its table differs from its columns",
                                        database.path())};
  return out;
}

Result<CaseRow> row_of(const Statement& statement, const Identity& identity,
                       const std::string& path) {
  const int columns = static_cast<int>(identity.columns.size());
  CaseRow row{.number = statement.integer(0)};
  for (int i = 1; i <= columns; ++i) row.cells.push_back(statement.cell(i));
  const auto* status = std::find(kStatus.begin(), kStatus.end(), statement.text(columns + 1));
  row.code = static_cast<int>(statement.integer(columns + 2));
  row.error = statement.text(columns + 3);
  row.edits = statement.text(columns + 4);
  bool is_sound = status != kStatus.end();
  if (!statement.is_null(columns + 5)) {
    auto answer = inflated(statement.text(columns + 5));
    is_sound = is_sound && answer.has_value();
    row.answer = std::move(answer).value_or("");
  }
  if (is_sound) row.status = static_cast<CaseStatus>(status - kStatus.begin());
  if (is_sound && checksum(row) == statement.text(columns + 6)) return row;
  return Error{.code = lf::kChecksumMismatch,
               .message = fmt::format("case {} of '{}' is damaged", row.number, path),
               .hint = "`loadfactor sweep` with the same -o runs the case again"};
}

// Counts a row that is whole.
void take_row(const CaseRow& row, Census& census) {
  census.done.push_back(row.number);
  ++census.tally.done;
  switch (row.status) {
    case CaseStatus::kAnswer:
      ++census.tally.answers;
      break;
    case CaseStatus::kNo:
      ++census.tally.no;
      break;
    case CaseStatus::kInfeasible:
      ++census.tally.infeasible;
      break;
    case CaseStatus::kError:
      ++census.tally.errors;
      census.errors.push_back(row.number);
      break;
  }
}

}  // namespace

std::string_view name_of(CaseStatus status) {
  return kStatus.at(static_cast<std::size_t>(status));
}

struct Results::State {
  std::optional<LockFile> lock;
  Database database;
  Identity identity;
};

Results::Results(std::unique_ptr<State> state) : state_(std::move(state)) {}
Results::Results(Results&&) noexcept = default;
Results& Results::operator=(Results&&) noexcept = default;
Results::~Results() = default;

const Identity& Results::identity() const {
  return state_->identity;
}
const std::string& Results::path() const {
  return state_->database.path();
}

Result<Results> Results::write_to(const std::string& path, const Identity& identity,
                                  bool may_complete) {
  TRY(LockFile lock, LockFile::take(real_path(path) + ".lock"));
  TRY(Database database, Database::open(path, Access::kWrite));
  TRY([[maybe_unused]] const bool safe,
      database.run(
          "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=4000"));
  TRY(const CellValue tables, database.first("SELECT count(*) FROM sqlite_schema"));
  if (tables == CellValue(std::int64_t{0})) {
    TRY([[maybe_unused]] const bool made, create(database, identity));
  }
  TRY(const Identity there, identity_of(database));
  if (!there.is_same(identity)) {
    if (!may_complete || !identity.completes(there)) return other_sweep(path, there, identity);
    TRY([[maybe_unused]] const bool completed, replace_facts(database, identity));
  }
  if (there.remarks != identity.remarks) {
    TRY([[maybe_unused]] const bool told, replace_remarks(database, identity));
  }
  return Results(std::make_unique<State>(
      State{std::optional(std::move(lock)), std::move(database), identity}));
}

Result<Results> Results::read_from(const std::string& path) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed))
    return Error{.code = lf::kCannotRead,
                 .message = fmt::format("there is no file '{}'", path),
                 .hint = "`loadfactor sweep SWEEP.yaml -o results.sqlite` makes one"};
  TRY(Database database, Database::open(path, Access::kRead));
  TRY(Identity identity, identity_of(database));
  return Results(
      std::make_unique<State>(State{std::nullopt, std::move(database), std::move(identity)}));
}

Result<bool> Results::add(const std::vector<std::pair<CaseRow, double>>& rows,
                          bool replaces_errors) {
  if (rows.empty()) return true;
  const Database& database = state_->database;
  const std::size_t columns = state_->identity.columns.size();
  std::string marks;
  for (std::size_t i = 0; i < columns + 7; ++i) marks += i == 0 ? "?" : ",?";
  TRY(Transaction transaction, Transaction::begin(database));
  TRY(Statement row_in, database.prepare("INSERT OR IGNORE INTO cases VALUES(" + marks + ")"));
  TRY(Statement time_in,
      database.prepare("INSERT INTO times VALUES(?, ?) ON CONFLICT(case_number) DO UPDATE "
                       "SET cpu_s=max(cpu_s, excluded.cpu_s)"));
  TRY(Statement error_out,
      database.prepare("DELETE FROM cases WHERE case_number=? AND status='error'"));
  for (const auto& [row, cpu_s] : rows) {
    if (replaces_errors) {
      error_out.bind(1, row.number);
      TRY([[maybe_unused]] const bool gone, error_out.step());
      error_out.reset();
    }
    int place = 1;
    row_in.bind(place++, row.number);
    for (const CellValue& cell : row.cells) row_in.bind(place++, cell);
    row_in.bind(place++, std::string(name_of(row.status)));
    row_in.bind(place++, std::int64_t{row.code});
    row_in.bind(place++, row.error);
    row_in.bind(place++, row.edits);
    if (row.answer.empty())
      row_in.bind(place++, std::monostate());
    else
      row_in.bind_bytes(place++, deflated(row.answer));
    row_in.bind(place++, checksum(row));
    TRY([[maybe_unused]] const bool added, row_in.step());
    row_in.reset();
    time_in.bind(1, row.number);
    time_in.bind(2, cpu_s);
    TRY([[maybe_unused]] const bool timed, time_in.step());
    time_in.reset();
  }
  return transaction.commit();
}

Result<bool> Results::finish() {
  const Database& database = state_->database;
  TRY([[maybe_unused]] const bool folded, database.run("PRAGMA wal_checkpoint(TRUNCATE)"));
  // While somebody reads, the log stays beside the file; all rows are there either way.
  const auto alone = database.run("PRAGMA journal_mode=DELETE");
  return alone.has_value() || database.is_busy() ? Result<bool>(true) : alone;
}

Result<bool> Results::remove(const std::vector<std::int64_t>& numbers) {
  const Database& database = state_->database;
  TRY(Transaction transaction, Transaction::begin(database));
  for (const char* table : {"cases", "times"}) {
    TRY(Statement out, database.prepare(fmt::format("DELETE FROM {} WHERE case_number=?", table)));
    for (const std::int64_t number : numbers) {
      out.bind(1, number);
      TRY([[maybe_unused]] const bool gone, out.step());
      out.reset();
    }
  }
  return transaction.commit();
}

Result<bool> Results::check_pages() const {
  TRY(const CellValue verdict, state_->database.first("PRAGMA quick_check(1)"));
  if (verdict == CellValue(std::string("ok"))) return true;
  return Error{.code = lf::kChecksumMismatch,
               .message = fmt::format("'{}' is damaged", path()),
               .hint = "run its shard again with another -o, and merge that"};
}

Result<Census> Results::census() const {
  Census census;
  TRY([[maybe_unused]] const bool sound, check_pages());
  TRY(Statement statement, state_->database.prepare("SELECT * FROM cases ORDER BY case_number"));
  while (true) {
    TRY(const bool has_row, statement.step());
    if (!has_row) break;
    if (const auto row = row_of(statement, state_->identity, path()))
      take_row(*row, census);
    else
      census.damaged.push_back(statement.integer(0));
  }
  TRY(const Tally told, tally());
  census.tally.timed = told.timed;
  census.tally.cpu_s = told.cpu_s;
  return census;
}

Result<Tally> Results::tally() const {
  Tally tally;
  TRY(Statement statement,
      state_->database.prepare("SELECT status, count(*) FROM cases GROUP BY 1"));
  while (true) {
    TRY(const bool has_row, statement.step());
    if (!has_row) break;
    const std::string status = statement.text(0);
    const std::int64_t count = statement.integer(1);
    tally.done += count;
    if (status == "answer") tally.answers = count;
    if (status == "no") tally.no = count;
    if (status == "infeasible") tally.infeasible = count;
    if (status == "error") tally.errors = count;
  }
  TRY(Statement times, state_->database.prepare("SELECT count(*), total(cpu_s) FROM times"));
  TRY([[maybe_unused]] const bool has_row, times.step());
  tally.timed = times.integer(0);
  tally.cpu_s = times.real(1);
  return tally;
}

Result<bool> Results::for_each(const std::function<Result<bool>(const CaseRow&)>& visit) const {
  TRY(Statement statement, state_->database.prepare("SELECT * FROM cases ORDER BY case_number"));
  while (true) {
    TRY(const bool has_row, statement.step());
    if (!has_row) return true;
    TRY(const CaseRow row, row_of(statement, state_->identity, path()));
    TRY([[maybe_unused]] const bool visited, visit(row));
  }
}

Result<CaseRow> Results::first() const {
  TRY(Statement statement,
      state_->database.prepare("SELECT * FROM cases ORDER BY case_number LIMIT 1"));
  TRY([[maybe_unused]] const bool has_row, statement.step());
  return row_of(statement, state_->identity, path());
}

Result<std::optional<CaseRow>> Results::row(std::int64_t number) const {
  TRY(Statement statement, state_->database.prepare("SELECT * FROM cases WHERE case_number=?"));
  statement.bind(1, number);
  TRY(const bool has_row, statement.step());
  if (!has_row) return std::optional<CaseRow>();
  TRY(CaseRow row, row_of(statement, state_->identity, path()));
  return std::optional(std::move(row));
}

Result<std::vector<CaseTime>> Results::times() const {
  std::vector<CaseTime> out;
  TRY(Statement statement,
      state_->database.prepare("SELECT case_number, cpu_s FROM times ORDER BY 1"));
  while (true) {
    TRY(const bool has_row, statement.step());
    if (!has_row) return out;
    out.push_back({statement.integer(0), statement.real(1)});
  }
}

}  // namespace loadfactor::sweep

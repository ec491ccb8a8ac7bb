#include "sweep/store/database.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/error_codes.h"

namespace loadfactor::sweep {
namespace {

constexpr int kPatience = 20'000;  // Milliseconds that a lock of another process is waited for.

// Where a file comes from somebody else, its schema runs nothing of its own.
void harden(sqlite3* raw) {
  sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_busy_timeout(raw, kPatience);
}

Error error_of(int code, const std::string& path, const char* said) {
  switch (code & 0xFF) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR:  // A table that is not as we made it.
    case SQLITE_SCHEMA:
      return {.code = lf::kChecksumMismatch,
              .message = fmt::format("'{}' is damaged, or no results of a sweep: {}", path, said),
              .hint = "run the sweep again with another -o; parts that are whole can be merged"};
    case SQLITE_FULL:
      return {.code = lf::kCannotWrite,
              .message = fmt::format("no space is left for '{}'", path),
              .hint = "make room and run the same command again: finished cases are kept"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {.code = lf::kCannotWrite,
              .message = fmt::format("another process holds '{}'", path),
              .hint = "wait for it, or give this shard a file of its own"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return {.code = lf::kCannotWrite,
              .message = fmt::format("'{}' cannot be written: {}", path, said),
              .hint = "choose a file in a folder that you may write, with -o"};
    case SQLITE_CANTOPEN:
      return {.code = lf::kCannotRead,
              .message = fmt::format("cannot open '{}': {}", path, said),
              .hint = "check the path and its folder"};
    default:
      return {.code = lf::kCannotWrite,
              .message = fmt::format("'{}': {}", path, said),
              .hint = "run the same command again: finished cases are kept"};
  }
}

}  // namespace

Statement::~Statement() {
  sqlite3_finalize(raw_);
}

void Statement::bind(int place, const CellValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value))
    sqlite3_bind_int64(raw_, place, *number);
  else if (const auto* real = std::get_if<double>(&value))
    sqlite3_bind_double(raw_, place, *real);
  else if (const auto* text = std::get_if<std::string>(&value))
    sqlite3_bind_text64(raw_, place, text->data(), text->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  else
    sqlite3_bind_null(raw_, place);
}

void Statement::bind_bytes(int place, std::string_view bytes) {
  sqlite3_bind_blob64(raw_, place, bytes.data(), bytes.size(), SQLITE_TRANSIENT);
}

Result<bool> Statement::step() {
  const int code = sqlite3_step(raw_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return database_->error();
}

void Statement::reset() {
  sqlite3_reset(raw_);
}

bool Statement::is_null(int place) const {
  return sqlite3_column_type(raw_, place) == SQLITE_NULL;
}
std::int64_t Statement::integer(int place) const {
  return sqlite3_column_int64(raw_, place);
}
double Statement::real(int place) const {
  return sqlite3_column_double(raw_, place);
}
std::string Statement::text(int place) const {
  const void* bytes = sqlite3_column_blob(raw_, place);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(raw_, place));
  return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), size);
}
CellValue Statement::cell(int place) const {
  switch (sqlite3_column_type(raw_, place)) {
    case SQLITE_INTEGER:
      return integer(place);
    case SQLITE_FLOAT:
      return real(place);
    case SQLITE_NULL:
      return std::monostate();
    default:
      return text(place);
  }
}

Result<Database> Database::open(const std::string& path, Access access) {
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored))
    return Error{.code = access == Access::kWrite ? lf::kCannotWrite : lf::kCannotRead,
                 .message = fmt::format("'{}' is a folder", path),
                 .hint = "name a file, such as results.sqlite in it"};
  sqlite3* raw = nullptr;
  const int flags =
      access == Access::kWrite ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READWRITE;
  int code = sqlite3_open_v2(path.c_str(), &raw, flags | SQLITE_OPEN_FULLMUTEX, nullptr);
  if (code != SQLITE_OK && access == Access::kRead) {
    sqlite3_close(raw);
    code =
        sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READONLY | SQLITE_OPEN_FULLMUTEX, nullptr);
  }
  if (code != SQLITE_OK) {
    Error error = error_of(code, path, raw == nullptr ? "no memory" : sqlite3_errmsg(raw));
    sqlite3_close(raw);
    if (access == Access::kWrite) error.code = lf::kCannotWrite;
    return error;
  }
  harden(raw);
  return Database(raw, path);
}

Database::Database(Database&& other) noexcept
    : raw_(std::exchange(other.raw_, nullptr)), path_(std::move(other.path_)) {}

Database::~Database() {
  sqlite3_close(raw_);
}

Result<bool> Database::run(const std::string& sql) const {
  if (sqlite3_exec(raw_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return error();
  return true;
}

Result<Statement> Database::prepare(const std::string& sql) const {
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v2(raw_, sql.c_str(), static_cast<int>(sql.size()), &raw, nullptr) !=
      SQLITE_OK)
    return error();
  return Statement(raw, *this);
}

Result<CellValue> Database::first(const std::string& sql) const {
  TRY(Statement statement, prepare(sql));
  TRY(const bool has_row, statement.step());
  return has_row ? statement.cell(0) : CellValue();
}

std::int64_t Database::changes() const {
  return sqlite3_changes64(raw_);
}

bool Database::is_busy() const {
  const int code = sqlite3_errcode(raw_);
  return code == SQLITE_BUSY || code == SQLITE_LOCKED;
}

Error Database::error() const {
  return error_of(sqlite3_extended_errcode(raw_), path_, sqlite3_errmsg(raw_));
}

Result<Transaction> Transaction::begin(const Database& database) {
  TRY([[maybe_unused]] const bool begun, database.run("BEGIN IMMEDIATE"));
  return Transaction(database);
}

Transaction::~Transaction() {
  // What failed is gone already; there is nothing to tell.
  if (database_ != nullptr) (void)database_->run("ROLLBACK");
}

Result<bool> Transaction::commit() {
  TRY([[maybe_unused]] const bool done, database_->run("COMMIT"));
  database_ = nullptr;
  return true;
}

}  // namespace loadfactor::sweep

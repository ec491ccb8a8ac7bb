// SQLite behind values and errors of ours. Nothing outside this folder sees it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "loadfactor/result.h"
#include "sweep/store/results.h"

struct sqlite3;
struct sqlite3_stmt;

namespace loadfactor::sweep {

enum class Access : std::uint8_t { kRead, kWrite };

class Database;

// A statement that is stepped through; bound values are copied.
class Statement {
 public:
  Statement(sqlite3_stmt* raw, const Database& database) : raw_(raw), database_(&database) {}
  ~Statement();
  Statement(Statement&& other) noexcept : raw_(other.raw_), database_(other.database_) {
    other.raw_ = nullptr;
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  Statement& operator=(Statement&&) = delete;

  void bind(int place, const CellValue& value);  // From 1.
  void bind_bytes(int place, std::string_view bytes);
  // True where there is a row, false at the end.
  Result<bool> step();
  void reset();

  CellValue cell(int place) const;  // From 0. Bytes come back as a text.
  std::int64_t integer(int place) const;
  double real(int place) const;
  std::string text(int place) const;
  bool is_null(int place) const;

 private:
  sqlite3_stmt* raw_;
  const Database* database_;
};

class Database {
 public:
  static Result<Database> open(const std::string& path, Access access);
  ~Database();
  Database(Database&& other) noexcept;
  Database& operator=(Database&&) = delete;
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  Result<bool> run(const std::string& sql) const;
  Result<Statement> prepare(const std::string& sql) const;
  // The first column of the first row.
  Result<CellValue> first(const std::string& sql) const;
  std::int64_t changes() const;
  // Whether that was a lock of another connection.
  bool is_busy() const;
  // What SQLite last complained about, as an error of ours.
  Error error() const;
  const std::string& path() const { return path_; }

 private:
  Database(sqlite3* raw, std::string path) : raw_(raw), path_(std::move(path)) {}
  sqlite3* raw_ = nullptr;
  std::string path_;
};

// Begun at once, rolled back unless it is committed.
class Transaction {
 public:
  static Result<Transaction> begin(const Database& database);
  ~Transaction();
  Transaction(Transaction&& other) noexcept : database_(other.database_) {
    other.database_ = nullptr;
  }
  Transaction& operator=(Transaction&&) = delete;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  Result<bool> commit();

 private:
  explicit Transaction(const Database& database) : database_(&database) {}
  const Database* database_;
};

}  // namespace loadfactor::sweep

#include "web/store.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/error_codes.h"
#include "web/wire/problem.h"

namespace loadfactor::web {
namespace {

constexpr const char* kTable =
    "CREATE TABLE IF NOT EXISTS answers(number INTEGER PRIMARY KEY, asked_at TEXT NOT NULL "
    "DEFAULT CURRENT_TIMESTAMP, verb TEXT NOT NULL, format TEXT NOT NULL, question TEXT NOT NULL, "
    "scenario TEXT, answer TEXT NOT NULL)";

// A prepared statement, its parameters bound from the left.
class Statement {
 public:
  Statement(sqlite3* database, const char* text) {
    sqlite3_prepare_v2(database, text, -1, &statement_, nullptr);
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(const std::string& text) {
    sqlite3_bind_text(statement_, ++bound_, text.data(), static_cast<int>(text.size()),
                      SQLITE_TRANSIENT);
    return *this;
  }
  Statement& bind(std::int64_t number) {
    sqlite3_bind_int64(statement_, ++bound_, number);
    return *this;
  }
  Statement& skip() {
    ++bound_;
    return *this;
  }
  bool step() { return statement_ != nullptr && sqlite3_step(statement_) == SQLITE_ROW; }
  std::string text(int column) const {
    const auto* bytes = sqlite3_column_blob(statement_, column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
    return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), size);
  }
  std::int64_t number(int column) const { return sqlite3_column_int64(statement_, column); }

 private:
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

}  // namespace

Result<std::unique_ptr<Store>> Store::open(const std::string& path) {
  sqlite3* database = nullptr;
  const bool is_open = sqlite3_open(path.c_str(), &database) == SQLITE_OK;
  auto store = std::unique_ptr<Store>(new Store(database));
  if (is_open && sqlite3_exec(database, kTable, nullptr, nullptr, nullptr) == SQLITE_OK)
    return store;
  return Error{.code = lf::kCannotWrite,
               .message = fmt::format("cannot keep answers in '{}': {}", path,
                                      database == nullptr ? "" : sqlite3_errmsg(database))};
}

Store::~Store() {
  sqlite3_close(database_);
}

void Store::add(const Work& work, const std::string& answer) {
  const std::lock_guard lock(mutex_);
  Statement insert(
      database_,
      "INSERT INTO answers(verb, format, question, scenario, answer) VALUES(?, ?, ?, ?, ?)");
  insert.bind(work.verb).bind(work.format).bind(work.json);
  if (work.scenario)
    insert.bind(*work.scenario);
  else
    insert.skip();
  insert.bind(answer);
  insert.step();
}

Value Store::list() {
  const std::lock_guard lock(mutex_);
  Statement select(database_,
                   "SELECT number, asked_at, verb, length(answer) FROM answers ORDER BY number "
                   "DESC LIMIT 100");
  Value::List rows;
  while (select.step())
    rows.push_back(Value::Object{{"number", select.number(0)},
                                 {"asked_at", select.text(1)},
                                 {"verb", select.text(2)},
                                 {"bytes", select.number(3)}});
  return Value::Object{{"answers", std::move(rows)}};
}

Reply Store::reply(const std::string& number) {
  std::int64_t wanted = 0;
  const auto [end, failed] = std::from_chars(number.data(), number.data() + number.size(), wanted);
  if (failed != std::errc() || end != number.data() + number.size())
    return problem(404, "no such answer");
  const std::lock_guard lock(mutex_);
  Statement select(database_, "SELECT answer, format FROM answers WHERE number = ?");
  if (!select.bind(wanted).step()) return problem(404, "no such answer");
  return {.type = select.text(1) == "json" ? "application/json" : "text/plain; charset=utf-8",
          .body = select.text(0)};
}

}  // namespace loadfactor::web

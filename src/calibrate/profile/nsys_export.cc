// Exports of Nsight Systems (`nsys export --type sqlite`).
//
// The file is somebody else's: it is opened from memory and only read, its own views and functions
// are not run, and the work of every question is bounded.
#include <limits>
#include <memory>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/error_codes.h"
#include "calibrate/profile/profile_readers.h"

namespace loadfactor::calibrate {

namespace {

constexpr auto kNanosecond = Seconds::from_base(1e-9);

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct CloseStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;
using Statement = std::unique_ptr<sqlite3_stmt, CloseStatement>;

// Instructions of SQLite's machine that all questions of one file may take together.
struct Budget {
  std::int64_t pieces = 20'000;
  static constexpr int kPiece = 100'000;
};
int spend(void* budget) {
  return --static_cast<Budget*>(budget)->pieces < 0 ? 1 : 0;
}

class NsysReader {
 public:
  NsysReader(const std::string& file, std::string_view bytes) : bytes_(bytes) {
    timeline_.file = file;
    timeline_.tool = "Nsight Systems";
  }

  Result<Timeline> read() {
    if (!open() || !for_each("SELECT count(*) FROM sqlite_master", [](sqlite3_stmt*) {}))
      return broken();
    if (!has_table("CUPTI_ACTIVITY_KIND_KERNEL") && !has_table("CUPTI_ACTIVITY_KIND_GRAPH_TRACE"))
      return nothing_error("the export holds no kernels of a device");
    const bool sound = read_kernels() && read_copies() && read_graphs() && read_launches() &&
                       read_ranges() && read_device();
    if (timeline_.is_full()) return too_many_events(timeline_.file);
    if (!sound) return broken();
    if (timeline_.spans.empty()) return nothing_error("the export shows no kernel of a device");
    return std::move(timeline_);
  }

 private:
  Error nothing_error(std::string message) const {
    return Error{.code = lf::kNoMeasurement,
                 .message = std::move(message),
                 .hint =
                     "profile with `nsys profile --trace=cuda,nvtx`, then `nsys export "
                     "--type sqlite`",
                 .where = {.file = timeline_.file}};
  }
  Error broken() const {
    const char* why = database_ ? sqlite3_errmsg(database_.get()) : "no database";
    return Error{.code = lf::kSyntax,
                 .message = fmt::format("this SQLite file cannot be read: {}", why),
                 .hint = "export it again: `nsys export --type sqlite report.nsys-rep`",
                 .where = {.file = timeline_.file}};
  }

  bool open() {
    sqlite3* opened = nullptr;
    const int status = sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE, nullptr);
    database_.reset(opened);
    if (status != SQLITE_OK) return false;
    sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(opened, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    sqlite3_db_config(opened, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, 1 << 20);
    sqlite3_progress_handler(opened, Budget::kPiece, spend, &budget_);
    // SQLite takes no const bytes, but does not write to those of a read-only database.
    auto* data = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes_.data()));
    const auto size = static_cast<sqlite3_int64>(bytes_.size());
    return sqlite3_deserialize(opened, "main", data, size, size, SQLITE_DESERIALIZE_READONLY) ==
           SQLITE_OK;
  }

  Statement prepare(const std::string& question) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(database_.get(), question.c_str(), -1, &statement, nullptr);
    return Statement(statement);
  }

  // Calls `take` for each row; false where the file is broken or too much work.
  template <class Take>
  bool for_each(const std::string& question, Take take) {
    const Statement rows = prepare(question);
    if (!rows) return false;
    int status = SQLITE_ROW;
    while ((status = sqlite3_step(rows.get())) == SQLITE_ROW) {
      take(rows.get());
      if (timeline_.is_full()) return true;
    }
    return status == SQLITE_DONE;
  }

  bool has_column(const char* table, const char* column) {
    bool found = false;
    for_each(fmt::format("SELECT 1 FROM pragma_table_info('{}') WHERE name = '{}'", table, column),
             [&](sqlite3_stmt*) { found = true; });
    return found;
  }
  bool has_table(const char* table) {
    bool found = false;
    for_each(fmt::format("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '{}'", table),
             [&](sqlite3_stmt*) { found = true; });
    return found;
  }

  static std::string text_in(sqlite3_stmt* row, int column) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row, column));
    constexpr std::size_t kMostText = 4096;
    return text == nullptr ? std::string() : std::string(text).substr(0, kMostText);
  }
  static Seconds moment_in(sqlite3_stmt* row, int column) {
    return kNanosecond * static_cast<double>(sqlite3_column_int64(row, column));
  }

  // start, end, device, correlation, name.
  void take_span(sqlite3_stmt* row) {
    DeviceSpan span{moment_in(row, 0), moment_in(row, 1)};
    if (span.end < span.start) return;
    constexpr std::int64_t kMostDevices = 4096;
    const std::int64_t device = sqlite3_column_int64(row, 2);
    span.device = device >= 0 && device < kMostDevices ? static_cast<std::uint32_t>(device) : 0;
    span.launch = static_cast<std::uint64_t>(sqlite3_column_int64(row, 3));
    span.name = timeline_.names.id_of(text_in(row, 4));
    timeline_.spans.push_back(span);
  }

  bool read_kernels() {
    if (!has_table("CUPTI_ACTIVITY_KIND_KERNEL")) return true;
    return for_each(
        "SELECT k.start, k.end, k.deviceId, k.correlationId, s.value "
        "FROM CUPTI_ACTIVITY_KIND_KERNEL k LEFT JOIN StringIds s ON s.id = k.demangledName",
        [&](sqlite3_stmt* row) { take_span(row); });
  }

  bool read_copies() {
    for (const auto& [table, word] : {std::pair{"CUPTI_ACTIVITY_KIND_MEMCPY", "Memcpy"},
                                      std::pair{"CUPTI_ACTIVITY_KIND_MEMSET", "Memset"}}) {
      if (has_table(table) &&
          !for_each(
              fmt::format("SELECT start, end, deviceId, correlationId, '{}' FROM {}", word, table),
              [&](sqlite3_stmt* row) { take_span(row); }))
        return false;
    }
    return true;
  }

  bool read_graphs() {
    if (!has_table("CUPTI_ACTIVITY_KIND_GRAPH_TRACE")) return true;
    const std::size_t before = timeline_.spans.size();
    const bool sound = for_each(
        "SELECT start, end, deviceId, correlationId, 'graph' FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
        [&](sqlite3_stmt* row) { take_span(row); });
    timeline_.whole_graphs = timeline_.spans.size() > before;
    return sound;
  }

  bool read_launches() {
    if (!has_table("CUPTI_ACTIVITY_KIND_RUNTIME")) return true;
    return for_each(
        "SELECT correlationId, start FROM CUPTI_ACTIVITY_KIND_RUNTIME", [&](sqlite3_stmt* row) {
          const auto launch = sqlite3_column_int64(row, 0);
          if (launch > 0)
            timeline_.launches.push_back({static_cast<std::uint64_t>(launch), moment_in(row, 1)});
        });
  }

  bool read_ranges() {
    if (!has_table("NVTX_EVENTS")) return true;
    const bool ids = has_column("NVTX_EVENTS", "textId");
    return for_each(
        ids ? "SELECT n.start, n.end, coalesce(n.text, s.value) FROM NVTX_EVENTS n "
              "LEFT JOIN StringIds s ON s.id = n.textId WHERE n.end IS NOT NULL"
            : "SELECT n.start, n.end, n.text FROM NVTX_EVENTS n WHERE n.end IS NOT NULL",
        [&](sqlite3_stmt* row) {
          timeline_.ranges.push_back({moment_in(row, 0), moment_in(row, 1),
                                      timeline_.names.id_of(text_in(row, 2)), false});
        });
  }

  bool read_device() {
    if (!has_table("TARGET_INFO_GPU")) return true;
    return for_each("SELECT name FROM TARGET_INFO_GPU LIMIT 1",
                    [&](sqlite3_stmt* row) { timeline_.device = text_in(row, 0); });
  }

  std::string_view bytes_;
  Budget budget_;
  Timeline timeline_;
  Database database_;  // Closed before what its questions speak of goes.
};

}  // namespace

Result<Timeline> read_nsys_export(const std::string& file, std::string_view bytes) {
  return NsysReader(file, bytes).read();
}

}  // namespace loadfactor::calibrate

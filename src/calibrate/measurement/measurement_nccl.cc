// Reads what nccl-tests print: the table of one program, or its JSON.
#include "calibrate/measurement/measurement_nccl.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <system_error>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "calibrate/measurement/measurement.h"
#include "calibrate/measurement/measurement_json.h"

namespace loadfactor::calibrate {
namespace {

// The count of `#  Rank …` lines, or `nThread 1 nGpus 8 …` where some were cut: a process has
// as many ranks as that, and several processes print more lines.
struct Head {
  std::string operation;
  std::string device;
  int listed = 0;
  int of_process = 0;

  int ranks() const { return std::max(listed, of_process); }
};

// What the columns of a row say of the operation that it timed.
struct Columns {
  std::string reduction;
  std::string root;
  double bus_factor = 0;  // busbw / algbw; 0 where either is missing.
};

struct OperationWord {
  std::string_view word;
  std::string_view operation;
};
// Names of the programs and of what they print of themselves.
constexpr std::array kOperations{
    OperationWord{"all_reduce_perf", "all_reduce"},
    OperationWord{"AllReduce", "all_reduce"},
    OperationWord{"all_gather_perf", "all_gather"},
    OperationWord{"AllGather", "all_gather"},
    OperationWord{"reduce_scatter_perf", "reduce_scatter"},
    OperationWord{"ReduceScatter", "reduce_scatter"},
    OperationWord{"broadcast_perf", "broadcast"},
    OperationWord{"Broadcast", "broadcast"},
    OperationWord{"alltoall_perf", "all_to_all"},
    OperationWord{"AlltoAll", "all_to_all"},
    OperationWord{"sendrecv_perf", "send_recv"},
    OperationWord{"SendRecv", "send_recv"},
};

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while (at < line.size()) {
    const std::size_t start = line.find_first_not_of(" \t\r", at);
    if (start == std::string_view::npos) break;
    std::size_t end = line.find_first_of(" \t\r", start);
    if (end == std::string_view::npos) end = line.size();
    words.push_back(line.substr(start, end - start));
    at = end;
  }
  return words;
}

std::optional<double> number_of(std::string_view word) {
  const std::string text(word);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(value)) return std::nullopt;
  return value;
}

// The whole number after a word, 0 where there is none.
int count_after(std::string_view line, std::string_view name) {
  constexpr int kMaxCount = 4096;
  const auto words = words_of(line);
  const auto found = std::find(words.begin(), words.end(), name);
  if (found == words.end() || std::next(found) == words.end()) return 0;
  const std::string_view text = *std::next(found);
  int count = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), count);
  return read.ec == std::errc() && count > 0 && count <= kMaxCount ? count : 0;
}

// "…  device  0 [0000:1b:00] NVIDIA H100 80GB HBM3": what follows the bracket.
std::string device_of(std::string_view line) {
  const std::size_t bracket = line.rfind(']');
  if (bracket == std::string_view::npos) return {};
  const std::size_t first = line.find_first_not_of(" \t", bracket + 1);
  if (first == std::string_view::npos) return {};
  const std::size_t last = line.find_last_not_of(" \t\r");
  return std::string(line.substr(first, last - first + 1));
}

void read_head(std::string_view line, Head& head) {
  if (const auto operation = nccl_operation(line); !operation.empty() && head.operation.empty())
    head.operation = operation;
  if (line.find("Rank ") != std::string_view::npos && line.find("Pid") != std::string_view::npos) {
    ++head.listed;
    if (head.device.empty()) head.device = device_of(line);
  }
  const int of_process = count_after(line, "nThread") * count_after(line, "nGpus");
  if (of_process > 0) head.of_process = of_process;
}

// size count type redop root time algbw busbw #wrong …: without a reduction the columns are the
// same, with `none` in their place. Times are microseconds.
constexpr std::size_t kTimeColumn = 5;
std::optional<CollectivePoint> read_table_row(std::string_view line, const Head& head) {
  const auto words = words_of(line);
  if (words.size() < kTimeColumn + 3) return std::nullopt;
  const auto bytes = number_of(words[0]);
  const auto time = number_of(words[kTimeColumn]);
  if (!bytes || !time || *bytes <= 0 || *time <= 0 || !number_of(words[1])) return std::nullopt;
  return CollectivePoint{head.operation, head.ranks(), Bytes::from_base(*bytes),
                         Seconds::from_base(*time * 1e-6)};
}

// Elements that the program found wrong, of either half of the row; it may not have looked.
double wrong_in(std::string_view line) {
  const auto words = words_of(line);
  double wrong = 0;
  for (const std::size_t column : {kTimeColumn + 3, kTimeColumn + 7}) {
    if (column < words.size()) wrong += std::max(0.0, number_of(words[column]).value_or(0));
  }
  return wrong;
}

Columns columns_of(std::string_view line) {
  const auto words = words_of(line);
  constexpr std::size_t kBus = 7;
  if (words.size() <= kBus) return {};
  const double data = number_of(words[kBus - 1]).value_or(0);
  const double bus = number_of(words[kBus]).value_or(0);
  return {std::string(words[3]), std::string(words[4]), data > 0 ? bus / data : 0};
}

// Many programs do not name themselves. The factor between the two bandwidths tells apart those
// that reduce over all ranks; those that do not reduce cannot be told apart.
std::string operation_of(const Columns& columns, int ranks) {
  if (columns.reduction == "none" || columns.root != "-1" || ranks < 2) return {};
  constexpr double kRounding = 0.02;  // Bandwidths are printed with two digits.
  const double share = (ranks - 1.0) / ranks;
  if (std::abs(columns.bus_factor / (2 * share) - 1) < kRounding) return "all_reduce";
  if (std::abs(columns.bus_factor / share - 1) < kRounding) return "reduce_scatter";
  return {};
}

// Rows whose results the program found wrong.
struct WrongRows {
  int count = 0;
  std::uint32_t first = 0;

  void add(std::uint32_t line) {
    if (count++ == 0) first = line;
  }
  // Adds a notice, or fails where nothing is left.
  Result<bool> tell(CollectiveFile& found) const {
    if (count == 0) return true;
    const std::string words =
        fmt::format("{} row{} of wrong results", count, count == 1 ? "" : "s");
    if (found.points.empty())
      return Error{.code = lf::kNoMeasurement,
                   .message = "nothing but " + words + ": a link or a library is broken",
                   .hint = "find the fault before you measure its speed",
                   .where = {.file = found.file, .line = first}};
    found.notices.push_back({"wrong-collectives", Severity::kCaution,
                             fmt::format("{}:{}: {} left out: a link or a library may be broken",
                                         found.file, first, words)});
    return true;
  }
};

Error missing_error(const std::string& file, const char* missing, const char* remedy,
                    std::uint32_t line) {
  return Error{.code = lf::kNoMeasurement,
               .message = std::string("no collective can be read without ") + missing,
               .hint = remedy,
               .where = {.file = file, .line = line}};
}

}  // namespace

std::string nccl_operation(std::string_view text) {
  for (const OperationWord& row : kOperations) {
    if (text.find(row.word) != std::string_view::npos) return std::string(row.operation);
  }
  return {};
}

Result<CollectiveFile> read_nccl_text(const std::string& file, std::string_view text) {
  Head head;
  CollectiveFile found;
  found.file = file;
  Columns columns;
  WrongRows wrong;
  std::size_t at = 0;
  std::uint32_t number = 0;
  std::uint32_t first_row = 0;
  while (at < text.size()) {
    ++number;
    std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) end = text.size();
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const auto words = words_of(line);
    if (words.empty()) continue;
    if (words[0].starts_with('#') || number_of(words[0]) == std::nullopt) {
      read_head(line, head);
    } else if (auto point = read_table_row(line, head)) {
      if (first_row == 0) first_row = number;
      columns = columns_of(line);  // The last row's bandwidths have the most digits.
      if (wrong_in(line) > 0) {
        wrong.add(number);
      } else {
        found.points.push_back(*std::move(point));
      }
    }
  }
  found.device = head.device;
  // A name and the ranks may come after the table, and the file's own name may be the only one.
  if (head.operation.empty()) head.operation = nccl_operation(file);
  if (head.operation.empty()) head.operation = operation_of(columns, head.ranks());
  for (CollectivePoint& point : found.points) {
    if (point.operation.empty()) point.operation = head.operation;
    if (point.ranks < 2) point.ranks = head.ranks();
  }
  if (first_row == 0)
    return missing_error(file, "a row of sizes and times",
                         "keep the lines that nccl-tests print before the table", 0);
  if (head.operation.empty())
    return missing_error(
        file, "its operation",
        "name the file after the program that printed it, such as all_gather_perf.txt", first_row);
  if (head.ranks() < 2)
    return missing_error(file, head.ranks() == 1 ? "a second rank" : "its ranks",
                         head.ranks() == 1
                             ? "run it over two devices and more: -g 8"
                             : "keep the lines that nccl-tests print before the table",
                         first_row);
  TRY([[maybe_unused]] const bool right, wrong.tell(found));
  return found;
}

namespace {

// The words of an argument list, however it was written down.
std::string joined(const config::Node* node) {
  if (node == nullptr) return {};
  std::string text = text_or_empty(node);
  for (const config::Node& item : node->items) text += " " + text_or_empty(&item);
  return text;
}

// The program, by the name of the test or in the command that ran it.
std::string json_operation(const config::Document& document) {
  const config::Node* root = &document.root;
  for (const auto* node : {member(root, "name"), member(root, "test"), member(root, "collective"),
                           member(root, "args"), member(root, "config", "args"),
                           member(root, "config", "name"), member(root, "command")}) {
    if (const auto operation = nccl_operation(joined(node)); !operation.empty()) return operation;
  }
  return nccl_operation(document.file);
}

const config::Node* first_of(const config::Node* node,
                             std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (const auto* found = member(node, key)) return found;
  }
  return nullptr;
}

// Stated, or as many as devices are listed, or threads times the devices of each.
int json_ranks(const config::Node& root) {
  constexpr double kMaxRanks = 1e6;
  const config::Node* config = member(&root, "config");
  double ranks = number_or_zero(first_of(config, {"nranks", "ranks", "total_ranks"}));
  if (ranks == 0) ranks = number_or_zero(first_of(&root, {"nranks", "ranks", "total_ranks"}));
  const config::Node* devices = member(&root, "devices");
  if (ranks == 0 && devices != nullptr) ranks = static_cast<double>(devices->items.size());
  if (ranks == 0) {
    const double threads = std::max(1.0, number_or_zero(first_of(config, {"nthreads", "threads"})));
    const double processes =
        std::max(1.0, number_or_zero(first_of(config, {"nprocs", "nprocesses"})));
    ranks = threads * processes * number_or_zero(first_of(config, {"ngpus", "gpus"}));
  }
  return static_cast<int>(std::min(ranks, kMaxRanks));
}

std::string json_device(const config::Node& root) {
  const config::Node* devices = member(&root, "devices");
  if (devices == nullptr || devices->items.empty()) return {};
  const config::Node* first = &devices->items.front();
  if (first->kind == config::NodeKind::kScalar) return first->scalar;
  return text_or_empty(first_of(first, {"device_name", "name", "model"}));
}

}  // namespace

bool is_nccl_json(const config::Node& root) {
  const config::Node* results = member(&root, "results");
  if (results == nullptr || results->items.empty()) return false;
  const config::Node& row = results->items.front();
  return member(&row, "size") != nullptr &&
         (member(&row, "out_of_place") != nullptr || member(&row, "time") != nullptr);
}

Result<CollectiveFile> read_nccl_json(const config::Document& document) {
  const config::Node& root = document.root;
  CollectiveFile found;
  found.file = document.file;
  found.device = json_device(root);
  const std::string operation = json_operation(document);
  const int ranks = json_ranks(root);
  WrongRows wrong;
  for (const config::Node& row : member(&root, "results")->items) {
    const double bytes = number_or_zero(member(&row, "size"));
    const config::Node* half = member(&row, "out_of_place");
    double micros = number_or_zero(member(half, "time"));
    if (micros == 0) micros = number_or_zero(member(&row, "time"));
    if (bytes <= 0 || micros <= 0) continue;
    if (number_or_zero(member(half, "nwrong")) > 0) {
      wrong.add(row.position.line);
      continue;
    }
    found.points.push_back(
        {operation, ranks, Bytes::from_base(bytes), Seconds::from_base(micros * 1e-6)});
  }
  if (operation.empty())
    return missing_error(
        document.file, "its operation",
        "name the file after the program that printed it, such as all_gather_perf.json", 1);
  if (ranks < 2)
    return missing_error(document.file, "two ranks", "run it over two devices and more: -g 8", 1);
  TRY([[maybe_unused]] const bool right, wrong.tell(found));
  if (found.points.empty())
    return missing_error(document.file, "a size and a time above 0", "measure again", 1);
  return found;
}

}  // namespace loadfactor::calibrate

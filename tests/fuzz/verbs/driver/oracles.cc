#include "oracles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include <fmt/format.h>

namespace loadfactor::fuzz {
namespace {

constexpr double kNear = 1e-9;
constexpr int kColumns = 80;
constexpr std::array kAtMostOne{"mfu", "hfu", "mbu", "goodput", "within_slo"};
constexpr std::array kPrinted{"read", "emit", "demand", "schema"};  // Files beside prose.

bool is_quantity(const Json& tree) {
  return tree.is_object() && tree.contains("value") && tree.contains("low") &&
         tree.contains("high");
}

bool is_close(double a, double b) {
  return std::abs(a - b) <= 1e-6 * std::max({std::abs(a), std::abs(b), 1e-6});
}

// Every object with its path and the key that it stands under.
using Visit = std::function<void(const Json&, const std::string&, const std::string&)>;
void walk(const Json& tree, const std::string& path, const std::string& key, const Visit& visit) {
  if (tree.is_object()) {
    visit(tree, path, key);
    for (const auto& [name, inner] : tree.items()) walk(inner, path + "." + name, name, visit);
  } else if (tree.is_array()) {
    for (std::size_t i = 0; i < tree.size(); ++i)
      walk(tree[i], fmt::format("{}.{}", path, i), key, visit);
  }
}

void check_quantity(const Json& tree, const std::string& path, const std::string& key,
                    Complaints& wrong) {
  if (!tree["value"].is_number() || !tree["low"].is_number() || !tree["high"].is_number()) {
    wrong.push_back(fmt::format("intervals_hold: {} has no number", path));
    return;
  }
  const double value = tree["value"], low = tree["low"], high = tree["high"];
  const double slack = kNear * std::max({std::abs(low), std::abs(value), std::abs(high)});
  if (!(low - slack <= value && value <= high + slack))
    wrong.push_back(
        fmt::format("intervals_hold: {} is {}, outside of [{}, {}]", path, value, low, high));
  const bool is_share = std::find(kAtMostOne.begin(), kAtMostOne.end(), key) != kAtMostOne.end();
  if (is_share && value > 1 + 1e-6)
    wrong.push_back(fmt::format("speed_of_light: {} is {}, above one", path, value));
  if (is_share && value < 0) wrong.push_back(fmt::format("negative: {} is {}", path, value));
}

double sum_of(const Json& parts) {
  double sum = 0;
  for (const auto& part : parts) {
    double value = 0;
    if (figure_of(part, value)) sum += value;
  }
  return sum;
}

// What is used and what is lost make the whole.
void check_losses(const Json& answer, const char* losses, const char* load, double whole,
                  Complaints& wrong) {
  double used = 0;
  if (!answer.contains(losses) || !answer[losses].is_object() || answer[losses].empty()) return;
  if (!answer.contains(load) || !figure_of(answer[load], used)) return;
  const double total = used + sum_of(answer[losses]);
  if (!is_close(total, whole))
    wrong.push_back(
        fmt::format("losses_sum: {} and {} make {}, not {}", load, losses, total, whole));
}

// Parts of the memory make its total, lines of a bill theirs.
void check_sums(const Json& answer, Complaints& wrong) {
  double total = 0, parts = 0, value = 0;
  if (answer.contains("memory_lines") && answer.contains("memory") &&
      figure_of(answer["memory"], total)) {
    for (const Json& line : answer["memory_lines"])
      if (line["name"] != "free" && figure_of(line["bytes"], value)) parts += value;
    if (!is_close(parts, total))
      wrong.push_back(fmt::format("memory_sums: memory is {}, its parts {}", total, parts));
  }
  if (!answer.contains("bill") || !answer["bill"].is_object()) return;
  const Json& bill = answer["bill"];
  if (!bill.contains("lines") || bill["lines"].empty() || !figure_of(bill["total"], total)) return;
  parts = 0;
  for (const Json& line : bill["lines"])
    if (line["depth"] == 0 && figure_of(line["per_month"], value)) parts += value;
  if (!is_close(parts, total))
    wrong.push_back(fmt::format("bill_sums: the bill is {}, its lines {}", total, parts));
}

// Parts of a step make the step; phases beside each other are none longer than it.
void check_step(const Json& document, Complaints& wrong) {
  const Json& answer = document["answer"];
  if (document["verb"] != "train" || !answer.contains("breakdown")) return;
  double total = 0;
  for (const Json& part : answer["breakdown"]) {
    if (!part.contains("percent")) return;
    total += part["percent"].get<double>();
  }
  if (!answer["breakdown"].empty() && !is_close(total, 100))
    wrong.push_back(fmt::format("shares_sum: parts of the step make {} %", total));
}

// Phases of a synchronous step make the step; beside each other, neither is longer than it.
void check_phases(const Json& tree, const std::string& path, Complaints& wrong) {
  double step = 0, sum = 0, hidden = 0;
  if (!tree.contains("phases") || !tree["phases"].is_array() || tree["phases"].empty()) return;
  if (!tree.contains("step_time") || !figure_of(tree["step_time"], step)) return;
  for (const Json& phase : tree["phases"]) {
    double time = 0;
    if (!figure_of(phase["time"], time)) return;
    if (time < 0) wrong.push_back(fmt::format("phases_sum: {} has a phase of {} s", path, time));
    sum += time;
    hidden += phase.value("beside", false) ? time : 0;
  }
  if (hidden == 0 && !is_close(sum, step))
    wrong.push_back(fmt::format("phases_sum: {}: the step is {}, its phases {}", path, step, sum));
  if (std::max(hidden, sum - hidden) > step * (1 + 1e-6))
    wrong.push_back(
        fmt::format("phases_sum: {}: the step of {} is shorter than what runs in it", path, step));
}

// Times, sizes and money of a method are none below zero.
void check_method(const Json& answer, Complaints& wrong) {
  if (!answer.contains("method")) return;
  walk(answer["method"], "", "", [&](const Json& tree, const std::string& path, const auto&) {
    double value = 0;
    if (is_quantity(tree) && figure_of(tree, value) && value < 0)
      wrong.push_back(fmt::format("negative: method{} is {}", path, value));
  });
}

bool is_combining(unsigned code) {
  return (code >= 0x300 && code < 0x370) || (code >= 0x20D0 && code < 0x2100);
}

// Characters of a line, the longest word among them.
struct Width {
  int all = 0;
  int word = 0;
};
Width width_of(const std::string& line) {
  Width width;
  int word = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto letter = static_cast<unsigned char>(line[i]);
    if ((letter & 0xC0) == 0x80) continue;
    unsigned code = letter;
    if (letter >= 0xC0 && i + 1 < line.size())
      code = letter < 0xE0 ? (letter & 0x1FU) << 6 | (line[i + 1] & 0x3F)
                           : 0x20D0 * (letter == 0xE2 && line[i + 1] == '\x83');
    width.all += is_combining(code) ? 0 : 1;
    word = letter == ' ' ? 0 : word + 1;
    width.word = std::max(width.word, word);
  }
  return width;
}

// Lines end as every reader of ours ends them.
std::vector<std::size_t> line_lengths(const std::string& text) {
  std::vector<std::size_t> lengths{0};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    if (text[i] == '\n' || text[i] == '\r')
      lengths.push_back(0);
    else if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80)
      ++lengths.back();
  }
  return lengths;
}

void check_place(const Json& error, const std::string& text, Complaints& wrong) {
  const auto line = error.value("line", std::size_t{0}),
             column = error.value("column", std::size_t{0});
  if (line == 0) return;
  const auto lengths = line_lengths(text);
  if (line > lengths.size())
    wrong.push_back(fmt::format("place: line {} of {}", line, lengths.size()));
  else if (column > lengths[line - 1] + 1)
    wrong.push_back(
        fmt::format("place: column {} of line {}, {} long", column, line, lengths[line - 1]));
}

}  // namespace

bool figure_of(const Json& tree, double& value) {
  const Json* found = tree.is_object() && tree.contains("value") ? &tree["value"] : &tree;
  if (!found->is_number()) return false;
  value = found->get<double>();
  return true;
}

Complaints wrong_with_answer(const Json& document) {
  Complaints wrong;
  if (!document.contains("answer") || !document["answer"].is_object()) return wrong;
  const Json& answer = document["answer"];
  walk(answer, "", "", [&](const Json& tree, const std::string& path, const std::string& key) {
    if (is_quantity(tree)) check_quantity(tree, path, key, wrong);
    check_phases(tree, path, wrong);
  });
  check_losses(answer, "losses", "load_factor", 1, wrong);
  check_losses(answer, "losses_pct", "fleet_load_pct", 100, wrong);
  check_sums(answer, wrong);
  check_step(document, wrong);
  check_method(answer, wrong);
  return wrong;
}

Complaints wrong_with_table(const std::string& verb, const std::string& text) {
  if (std::find(kPrinted.begin(), kPrinted.end(), verb) != kPrinted.end()) return {};
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t end = std::min(text.size(), text.find('\n', from));
    const std::string line = text.substr(from, end - from);
    const Width width = width_of(line);
    if (width.all > kColumns && width.word <= 30)
      return {fmt::format("columns: {}: {}", width.all, line.substr(0, 160))};
    from = end + 1;
  }
  return {};
}

Complaints wrong_with_refusal(const Json& document, const Json& files) {
  Complaints wrong;
  const Json& errors = document["errors"];
  if (errors.empty()) wrong.emplace_back("refusal: no error is named");
  for (const Json& error : errors) {
    const int status = error.value("exit_status", -1);
    if (status < 0 || status > 4)
      wrong.push_back(fmt::format("status: {}: {}", status, error.value("message", "")));
    if (error.value("code", "").empty()) wrong.emplace_back("refusal: no code");
    const std::string file =
        error.contains("file") && error["file"].is_string() ? error["file"] : "";
    if (files.contains(file)) check_place(error, files[file].get<std::string>(), wrong);
  }
  return wrong;
}

}  // namespace loadfactor::fuzz

// What was observed, for monitors and for planning.
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/plural.h"
#include "base/text/csv_text.h"
#include "report/observe/observe_report.h"

namespace loadfactor::report {
namespace {

using engine::GroupBy;
using engine::ObserveAnswer;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

class Exposition {
 public:
  void family(const char* name, const char* help) {
    text_ += fmt::format("# HELP {} {}\n# TYPE {} gauge\n", name, help, name);
    name_ = name;
  }
  void add(const std::string& labels, double value) {
    if (std::isfinite(value)) text_ += fmt::format("{}{{{}}} {:.9g}\n", name_, labels, value);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::string name_;
};

std::string workload_label(std::string_view name) {
  return fmt::format("cluster=\"all\",workload=\"{}\"", escaped(name));
}

// A name that YAML takes as it is.
std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    const bool is_upper = c >= 'A' && c <= 'Z';
    out += is_plain ? c : is_upper ? static_cast<char>(c - 'A' + 'a') : '-';
  }
  return out.empty() ? "observed" : out;
}

// A name of anybody's choice, as YAML and comments take it.
std::string yaml_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out + "\"";
}
std::string commented(std::string_view text) {
  std::string out;
  for (const char c : text) out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  return out;
}

std::string chip_of(const ObserveAnswer& answer, const std::string& accelerator) {
  for (const auto& price : answer.prices)
    if (price.accelerator == accelerator) return price.chip;
  return {};
}

// The hours that were found where a file holds them, else as many requests in every one.
std::string demand_yaml(const ObserveAnswer& answer, const std::string& traffic_file) {
  if (!traffic_file.empty() && !answer.traffic.empty())
    return fmt::format("  demand: {{trace: {}}}\n", yaml_text(traffic_file));
  const engine::ServiceRow& row = answer.services.front();
  return fmt::format(
      "  # They come evenly here; `observe --demand FILE` writes when they came.\n"
      "  demand: {{requests_per_month: {:.0f}, tokens_in: {:.0f}, tokens_out: {:.0f}}}\n",
      std::max(1.0, row.requests_rate * kMonth.base()), std::max(1.0, row.tokens_in),
      std::max(1.0, row.tokens_out));
}

std::string service_yaml(const ObserveAnswer& answer, const std::string& traffic_file) {
  const engine::ServiceRow& row = answer.services.front();
  std::string text = "serve:\n";
  if (row.model.empty())
    text += fmt::format("  # {} does not tell which model it serves: write its name here.\n",
                        row.engine);
  else if (row.known_model.empty())
    text += "  # The catalogue does not have it: `model: {config: FOLDER}` tells of it.\n";
  const std::string model = row.model.empty() ? "not-told" : row.model;
  text +=
      fmt::format("  model: {}\n", row.known_model.empty() ? yaml_text(model) : row.known_model);
  text += demand_yaml(answer, traffic_file);
  if (!row.is_known_engine)
    text += fmt::format("  # The catalogue has no engine `{}`: the usual one stands for it.\n",
                        row.engine);
  const std::string chip = chip_of(answer, row.accelerator);
  text += "  deployment: {";
  if (!chip.empty()) text += fmt::format("gpu: {}, ", chip);
  if (row.gpus_each > 0) text += fmt::format("tp: {}, ", row.gpus_each);
  text += fmt::format("replicas: {}", row.replicas);
  if (row.is_known_engine) text += fmt::format(", engine: {}", row.engine);
  return text + "}\n";
}

// Whether its traffic is known; one that does not name its model asks for it.
bool has_service(const ObserveAnswer& answer) {
  if (answer.services.empty()) return false;
  const engine::ServiceRow& row = answer.services.front();
  return row.requests_rate > 0 && row.tells_lengths();
}

// The kind of GPU that was paid for longest.
const engine::UseGroup* main_kind(const ObserveAnswer& answer) {
  const engine::UseGroup* most = nullptr;
  for (const auto& group : answer.groups)
    if (group.by == GroupBy::kAccelerator && (most == nullptr || group.gpu_hours > most->gpu_hours))
      most = &group;
  return most;
}

int gpus_of(const ObserveAnswer& answer, const std::string& accelerator) {
  for (const auto& price : answer.prices)
    if (price.accelerator == accelerator) return price.gpus;
  return 0;
}

// A scenario has one kind of GPU: the others are named, and left out.
std::string capacity_yaml(const ObserveAnswer& answer) {
  const engine::UseGroup* kind = main_kind(answer);
  const bool is_mixed = kind != nullptr && answer.prices.size() > 1;
  std::string text;
  for (const auto& group : answer.groups)
    if (is_mixed && group.by == GroupBy::kAccelerator && &group != kind)
      text += fmt::format("# Not in it: {} of {}, {:.1f} % full.\n",
                          counted(gpus_of(answer, group.name), "GPU"), commented(group_name(group)),
                          100 * group.load_factor);
  if (answer.load_factor.source() == "upper bound")
    text += "# The load factor is an upper bound: what was observed may have been emptier.\n";
  const int gpus = is_mixed ? gpus_of(answer, kind->name) : answer.gpus;
  const double load = is_mixed ? kind->load_factor : answer.load_factor.value();
  return text +
         fmt::format("capacity: {{gpus: {}, load_factor: {:.4f}}}\n", gpus, std::max(0.0001, load));
}

// A price that was stated is what is paid for GPUs that are kept.
std::string price_yaml(const ObserveAnswer& answer) {
  for (const auto& price : answer.prices)
    if (price.from == "stated")
      return fmt::format("money: {{rent: {{reserved_1y: {:.6g} USD/GPU-hour}}}}\n",
                         price.price.base() * kHour.base());
  return {};
}

}  // namespace

std::string observe_metrics(const ObserveAnswer& answer) {
  Exposition out;
  out.family("loadfactor_load_ratio", "Work delivered over what the paid capacity could deliver.");
  if (answer.is_load_known)
    out.add("basis=\"window\"," + workload_label("all"), answer.load_factor.value());
  for (const auto& group : answer.groups)
    if (group.by == GroupBy::kWorkload)
      out.add("basis=\"window\"," + workload_label(group.name), group.load_factor);
  if (answer.load_now) {
    out.family("loadfactor_load_now_ratio", "The same over the last hour.");
    out.add(workload_label("all"), answer.load_now->value());
  }
  if (answer.break_even) {
    out.family("loadfactor_breakeven_ratio", "Load factor from which the GPUs pay for themselves.");
    out.add(workload_label("all"), answer.break_even->value());
  }
  out.family("loadfactor_cost_usd_per_hour", "What the GPUs cost.");
  out.add(workload_label("all"), answer.per_hour.base());
  const double window_hours = std::max(1e-9, (answer.to - answer.from) / kHour.base());
  for (const auto& group : answer.groups)
    if (group.by == GroupBy::kWorkload)
      out.add(workload_label(group.name), group.cost.base() / window_hours);
  out.family("loadfactor_idle_usd_per_hour", "What of it pays for nothing.");
  out.add(workload_label("all"), answer.idle_per_hour.base());
  for (const auto& group : answer.groups)
    if (group.by == GroupBy::kWorkload)
      out.add(workload_label(group.name), group.empty.base() / window_hours);
  out.family("loadfactor_loss_ratio", "Shares of the bill that were lost, by loss.");
  for (std::size_t i = 1; i < observe::kLosses; ++i)
    out.add(fmt::format("loss=\"{}\"", loss_name(static_cast<observe::Loss>(i))), answer.losses[i]);
  out.family("loadfactor_stragglers", "GPUs that are slower than their peers.");
  out.add("cluster=\"all\"", static_cast<double>(answer.stragglers.size()));
  if (!answer.stragglers.empty()) {
    out.family("loadfactor_straggler", "Speed of a slow GPU over that of its peers.");
    for (const auto& row : answer.stragglers)
      out.add(fmt::format("gpu=\"{}\",node=\"{}\"", escaped(row.gpu), escaped(row.node)),
              row.ratio);
  }
  bool has_error = false;
  for (const auto& row : answer.services) {
    if (!row.error) continue;
    if (!std::exchange(has_error, true))
      out.family("loadfactor_prediction_error_ratio",
                 "Measured time per token over the predicted, less one.");
    out.add(workload_label(row.team + "/" + row.name), *row.error);
  }
  bool has_hour = false;
  for (std::size_t day = 0; day < answer.week.size(); ++day)
    for (std::size_t hour = 0; hour < answer.week[day].size(); ++hour) {
      if (!answer.week[day][hour]) continue;
      if (!std::exchange(has_hour, true))
        out.family("loadfactor_week_load_ratio", "Load factor by day and hour of the week, UTC.");
      constexpr std::array kDays{"1 Mon", "2 Tue", "3 Wed", "4 Thu", "5 Fri", "6 Sat", "7 Sun"};
      out.add(fmt::format("day=\"{}\",hour=\"{:02}\"", kDays.at(day), hour),
              *answer.week[day][hour]);
    }
  out.family("loadfactor_observed_ratio", "Share of the paid time that samples tell of.");
  out.add("cluster=\"all\"", answer.seen_share);
  return out.take();
}

bool has_scenario(const ObserveAnswer& answer) {
  return answer.gpus > 0 || has_service(answer);
}

std::string observe_scenario(const ObserveAnswer& answer, const std::string& traffic_file) {
  std::string text = fmt::format("# What was observed from {} to {}.\n", stamp_text(answer.from),
                                 stamp_text(answer.to));
  if (!has_service(answer))
    text +=
        "# No traffic of a service was seen: `loadfactor cost` weighs these GPUs as they are;\n"
        "# `loadfactor plan` asks what runs on them: add a `train` or a `serve` section.\n";
  text += "loadfactor: 1\n";
  std::string chip;
  if (const engine::UseGroup* kind = main_kind(answer)) chip = chip_of(answer, kind->name);
  if (has_service(answer)) {
    text += fmt::format("name: {}\n{}", plain(answer.services.front().name),
                        service_yaml(answer, traffic_file));
    const std::string own = chip_of(answer, answer.services.front().accelerator);
    if (!own.empty()) chip = own;
  } else {
    text += "name: observed-cluster\n" + capacity_yaml(answer);
  }
  if (!chip.empty()) text += fmt::format("hardware: [{}]\n", chip);
  return text + price_yaml(answer);
}

std::string observe_traffic_csv(const ObserveAnswer& answer) {
  std::string text = csv_line({"time", "requests_per_hour", "mean_tokens_in", "mean_tokens_out"});
  for (const auto& hour : answer.traffic) {
    const double each = std::max(1e-9, hour.requests);
    const double per_hour = hour.requests * kHour.base() / std::max(1.0, hour.seconds);
    text += csv_line({stamp_text(hour.time), fmt::format("{:.6g}", per_hour),
                      fmt::format("{:.6g}", hour.tokens_in / each),
                      fmt::format("{:.6g}", hour.tokens_out / each)});
  }
  return text;
}

}  // namespace loadfactor::report

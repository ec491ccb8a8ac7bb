#include "report/serve_search_report.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "base/table.h"
#include "base/wrap.h"
#include "report/json_answer.h"

namespace loadfactor::report {
namespace {

using engine::DeploymentRow;
using engine::SearchAnswer;

std::string wrapped(const std::string& text, int width, const std::string& first = "",
                    const std::string& rest = "") {
  std::string out;
  for (const auto& line : wrap(text, width - static_cast<int>(rest.size())))
    out += (out.empty() ? first : rest) + line + "\n";
  return out;
}

std::string layout_words(const DeploymentRow& row) {
  std::string text = fmt::format("tp {}", row.layout.tp);
  if (row.layout.pp > 1) text += fmt::format(" pp {}", row.layout.pp);
  if (row.layout.ep > 1) text += fmt::format(" ep {}", row.layout.ep);
  if (row.layout.dp > 1) text += fmt::format(" dp {}", row.layout.dp);
  return text;
}

// A dash where there is no price; its number is then not a number.
Cell money(const std::optional<Dollars>& price, const char* form) {
  if (!price) return Cell("–");
  return Cell(fmt::format(fmt::runtime(form), price->base()), price->base());
}

Table rows_table(const std::vector<DeploymentRow>& rows, bool has_prices) {
  Table table({{.name = "deployment", .wraps = true},
               {.name = "precision", .essential = false},
               {.name = "GPUs", .align = Align::kRight, .key = "gpus"},
               {.name = "USD/h", .align = Align::kRight, .key = "per_hour"},
               {.name = has_prices ? "USD/M tok" : "GPU-h/M tok",
                .align = Align::kRight,
                .key = has_prices ? "per_mtoken" : "gpu_hours_per_mtoken"},
               {.name = "load", .align = Align::kRight, .key = "load_factor"},
               {.name = "TPOT ms", .align = Align::kRight, .key = "tpot_ms"},
               {.name = "tok/s/GPU", .align = Align::kRight, .key = "tokens_per_gpu"},
               {.name = "seqs", .align = Align::kRight, .essential = false, .key = "max_seqs"},
               {.name = "chunk", .align = Align::kRight, .essential = false, .key = "chunk"},
               {.name = "GPUs scaled",
                .align = Align::kRight,
                .essential = false,
                .key = "autoscaled_gpus"},
               {.name = "", .key = "mark"}});
  for (const auto& r : rows) {
    const std::string mark = r.is_confirmed ? "✔" : r.is_calibrated ? "" : "~";
    table.add_row(
        {fmt::format("{} {} ×{}", r.accelerator, layout_words(r), r.replicas), r.precision,
         Cell(format_count(r.gpus), r.gpus), money(r.per_hour, "{:.2f}"),
         has_prices ? money(r.per_mtoken, "{:.3g}")
                    : Cell(fmt::format("{:.3g}", r.gpu_hours_per_mtoken), r.gpu_hours_per_mtoken),
         Cell(fmt::format("{:.1f} %", 100 * r.load_factor), r.load_factor),
         Cell(fmt::format("{:.1f}", 1e3 * r.tpot.base()), 1e3 * r.tpot.base()),
         Cell(fmt::format("{:.0f}", r.tokens_per_gpu), r.tokens_per_gpu),
         Cell(format_count(r.max_seqs), static_cast<double>(r.max_seqs)),
         Cell(format_count(r.chunk), static_cast<double>(r.chunk)),
         Cell(fmt::format("{:.1f}", r.autoscaled_gpus), r.autoscaled_gpus), mark});
  }
  return table;
}

Table relaxed_table(const SearchAnswer& answer) {
  Table table({{.name = "what giving way saves", .key = "change"},
               {.name = "USD/h", .align = Align::kRight, .key = "per_hour"},
               {.name = "saved", .align = Align::kRight}});
  for (const auto& r : answer.relaxed)
    table.add_row({r.change, money(r.per_hour, "{:.2f}"),
                   Cell(fmt::format("{:.1f} %", 100 * r.saving), r.saving)});
  return table;
}

// Points on a grid: x to the right, y upwards, both from the least to the most.
std::string chart(const std::vector<DeploymentRow>& rows, double (*x)(const DeploymentRow&),
                  double (*y)(const DeploymentRow&), const char* title) {
  constexpr int kWidth = 56;
  constexpr int kHeight = 8;
  double least_x = 1e300, most_x = -1e300, least_y = 1e300, most_y = -1e300;
  for (const auto& r : rows) {
    least_x = std::min(least_x, x(r));
    most_x = std::max(most_x, x(r));
    least_y = std::min(least_y, y(r));
    most_y = std::max(most_y, y(r));
  }
  if (rows.size() < 2 || most_x <= least_x || most_y <= least_y) return {};
  std::vector<std::string> grid(kHeight, std::string(kWidth, ' '));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto column =
        static_cast<std::size_t>((x(rows[i]) - least_x) / (most_x - least_x) * (kWidth - 1));
    const auto line =
        static_cast<std::size_t>((most_y - y(rows[i])) / (most_y - least_y) * (kHeight - 1));
    grid[line][column] = i < 9 ? static_cast<char>('1' + static_cast<int>(i)) : '*';
  }
  std::string text = fmt::format("{}\n", title);
  for (int line = 0; line < kHeight; ++line) {
    const std::string label = line == 0             ? fmt::format("{:>9.3g}", most_y)
                              : line == kHeight - 1 ? fmt::format("{:>9.3g}", least_y)
                                                    : std::string(9, ' ');
    text += fmt::format("{} |{}\n", label, grid[static_cast<std::size_t>(line)]);
  }
  return text + fmt::format("{} +{}\n{} {:<28.3g}{:>28.3g}\n", std::string(9, ' '),
                            std::string(kWidth, '-'), std::string(10, ' '), least_x, most_x);
}

std::string charts(const SearchAnswer& answer) {
  const auto tpot = [](const DeploymentRow& r) { return 1e3 * r.tpot.base(); };
  const auto cost = [](const DeploymentRow& r) {
    return r.per_mtoken ? r.per_mtoken->base() : r.gpu_hours_per_mtoken;
  };
  const auto speed = [](const DeploymentRow& r) {
    return r.tpot > Seconds() ? 1 / r.tpot.base() : 0.0;
  };
  const auto work = [](const DeploymentRow& r) { return r.tokens_per_gpu; };
  return chart(answer.pareto, tpot, cost,
               answer.has_prices ? "USD per M tokens against TPOT (ms)"
                                 : "GPU-hours per M tokens against TPOT (ms)") +
         chart(answer.pareto, speed, work, "tokens/s per GPU against tokens/s of a user");
}

std::string heading(const SearchAnswer& answer) {
  std::string slo = "no SLO";
  if (answer.ask.ttft > 0)
    slo = fmt::format("ttft p{:.4g} ≤ {:.3g} s", 100 * answer.ask.ttft_quantile, answer.ask.ttft);
  if (answer.ask.tpot > 0)
    slo = fmt::format("{}tpot p{:.4g} ≤ {:.3g} ms", answer.ask.ttft > 0 ? slo + ", " : "",
                      100 * answer.ask.tpot_quantile, 1e3 * answer.ask.tpot);
  return fmt::format("{} · {} · {:.0f} tokens in, {:.0f} out · {} · peak {:.3g} requests/s · {}",
                     answer.scenario, answer.model_title, answer.input, answer.output,
                     answer.demand_words, answer.peak.base(), slo);
}

}  // namespace

std::string search_verdict(const SearchAnswer& answer) {
  const DeploymentRow& r = answer.rows.front();
  std::string text = fmt::format("{} × {} ({} replicas of {}, {})", r.gpus, r.accelerator,
                                 r.replicas, layout_words(r), r.precision);
  if (answer.has_prices)
    text += fmt::format(" at {:.2f} USD/h, {:.3g} USD per M tokens", r.per_hour->base(),
                        r.per_mtoken->base());
  text += r.is_confirmed ? fmt::format("; a simulated week keeps ttft {:.3g} s and tpot {:.3g} ms",
                                       r.ttft.base(), 1e3 * r.tpot.base())
                         : std::string("; not confirmed by simulation");
  return text + ".";
}

std::string search_text(const SearchAnswer& answer, int width, bool colour) {
  const TextOptions as{.width = width, .colour = colour};
  std::string text =
      wrapped(search_verdict(answer), width) + wrapped(heading(answer), width) + "\n";
  text += render_text(rows_table(answer.rows, answer.has_prices), as);
  text +=
      wrapped(fmt::format("{} deployments tried, {} fit, {} keep the SLO; {} requests simulated.",
                          format_count(answer.enumerated), format_count(answer.fitting),
                          format_count(answer.meeting), format_count(answer.simulated_requests)),
              width);
  text += "\nNothing is both cheaper and quicker than these:\n" +
          render_text(rows_table(answer.pareto, answer.has_prices), as);
  text += "\n" + charts(answer);
  if (!answer.relaxed.empty()) text += "\n" + render_text(relaxed_table(answer), as);
  if (!answer.notices.empty()) text += "\n";
  for (const auto& notice : answer.notices)
    text += wrapped(notice.text, width, notice.severity == Severity::kCaution ? "! " : "· ", "  ");
  return text;
}

std::string search_markdown(const SearchAnswer& answer) {
  std::string text = fmt::format("**{}**\n\n{}\n\n", search_verdict(answer), heading(answer));
  text += render_markdown(rows_table(answer.rows, answer.has_prices)) + "\n";
  if (!answer.relaxed.empty()) text += render_markdown(relaxed_table(answer)) + "\n";
  for (const auto& notice : answer.notices) text += fmt::format("- {}\n", notice.text);
  return text;
}

std::string search_csv(const SearchAnswer& answer) {
  return render_csv(rows_table(answer.rows, answer.has_prices));
}

namespace {

template <typename Q>
Json modelled(Q value, const char* source) {
  return quantity(EstimateOf<Q>::exact(value, Basis::kModelled, source).erased());
}

Json price_json(const std::optional<Dollars>& price) {
  return price ? modelled(*price, "prices") : Json(nullptr);
}

Json row_json(const DeploymentRow& r) {
  return {{"accelerator", r.accelerator},
          {"precision", r.precision},
          {"tp", r.layout.tp},
          {"pp", r.layout.pp},
          {"ep", r.layout.ep},
          {"dp", r.layout.dp},
          {"max_seqs", r.max_seqs},
          {"chunk", r.chunk},
          {"replicas", r.replicas},
          {"gpus", r.gpus},
          {"per_hour", price_json(r.per_hour)},
          {"per_mtoken", price_json(r.per_mtoken)},
          {"gpu_hours_per_mtoken", r.gpu_hours_per_mtoken},
          {"load_factor", modelled(r.load_factor, "serving model")},
          {"rate_per_replica", modelled(r.rate_per_replica, "serving model")},
          {"ttft", modelled(r.ttft, "serving model")},
          {"tpot", modelled(r.tpot, "serving model")},
          {"autoscaled_gpus", r.autoscaled_gpus},
          {"calibrated", r.is_calibrated},
          {"confirmed", r.is_confirmed},
          {"weeks_kept", r.weeks_kept},
          {"weeks_kept_with_fewer", r.weeks_kept_with_fewer}};
}

}  // namespace

std::string search_json(const SearchAnswer& answer, const std::string& file, bool reproducible) {
  Json json;
  json["verdict"] = search_verdict(answer);
  json["enumerated"] = answer.enumerated;
  json["evaluated"] = answer.fitting;
  json["meeting"] = answer.meeting;
  json["simulated_requests"] = answer.simulated_requests;
  if (!reproducible) json["seconds"] = answer.seconds;
  json["deployments"] = Json::array();
  for (const auto& r : answer.rows) json["deployments"].push_back(row_json(r));
  json["pareto"] = Json::array();
  for (const auto& r : answer.pareto) json["pareto"].push_back(row_json(r));
  json["relaxed"] = Json::array();
  for (const auto& r : answer.relaxed)
    json["relaxed"].push_back({{"change", r.change},
                               {"per_hour", price_json(r.per_hour)},
                               {"saving", modelled(r.saving, "serving model")}});
  return envelope("serve", Json{{"name", answer.scenario}, {"file", file}}, std::move(json),
                  answer.notices, {});
}

}  // namespace loadfactor::report

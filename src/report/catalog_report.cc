// Lists of the catalogue for people.
#include "report/catalog_report.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "base/text/table.h"

namespace loadfactor::report {
namespace {

constexpr int kAsText = -1;
constexpr int kAsShortCount = -2;

// How a field is shown.
struct Shown {
  std::string_view field;
  std::string_view heading;
  int decimals = kAsText;
  bool essential = true;
  bool wraps = false;
};

constexpr Shown kGpus[] = {{"name", "name"},
                           {"memory_gb", "GB", 0},
                           {"bandwidth_tb_s", "TB/s", 2},
                           {"bf16_tflops", "bf16 TF", 0},
                           {"fp8_tflops", "fp8 TF", 0},
                           {"scale_up_gb_s", "link GB/s", 0, false},
                           {"domain", "domain", 0, false},
                           {"watts", "W", 0},
                           {"kind", "kind"},
                           {"title", "title", kAsText, false}};
constexpr Shown kModels[] = {{"name", "name"},
                             {"parameters", "parameters", kAsShortCount},
                             {"active", "active", kAsShortCount},
                             {"layers", "layers", 0, false},
                             {"hidden", "hidden", 0, false},
                             {"context", "context", 0},
                             {"stored", "stored"},
                             {"kind", "kind", kAsText, false}};
constexpr Shown kNodes[] = {{"name", "name"},
                            {"accelerator", "accelerator"},
                            {"gpus", "GPUs", 0},
                            {"nics", "NICs", 0},
                            {"nic_gb_s", "Gb/s each", 0},
                            {"max_kw", "max kW", 1},
                            {"title", "title", kAsText, false}};
constexpr Shown kLinks[] = {{"name", "name"},
                            {"gb_s", "GB/s per direction", 1},
                            {"achieved", "achieved", 2},
                            {"latency_us", "latency us", 2},
                            {"title", "title", kAsText, false}};
constexpr Shown kEngines[] = {{"name", "name"},
                              {"fraction", "memory fraction", 2},
                              {"block", "block", 0},
                              {"batched_tokens", "batched tokens", 0},
                              {"max_sequences", "sequences", 0},
                              {"title", "title", kAsText, false}};
constexpr Shown kRegions[] = {{"name", "name"},
                              {"usd_per_kwh", "USD/kWh", 3},
                              {"g_per_kwh", "g CO2/kWh", 0},
                              {"kind", "kind"},
                              {"date", "date"},
                              {"title", "title", kAsText, false}};
constexpr Shown kRent[] = {{"provider", "provider"}, {"accelerator", "accelerator"},
                           {"term", "term"},         {"usd_per_gpu_hour", "USD/GPU-h", 2},
                           {"low", "low", 2, false}, {"high", "high", 2, false},
                           {"as_of", "as of"},       {"note", "note", kAsText, false, true}};
constexpr Shown kInstances[] = {{"provider", "provider"},
                                {"accelerator", "accelerator"},
                                {"instance", "instance", kAsText, true, true},
                                {"gpus", "GPUs", 0},
                                {"kind", "kind"},
                                {"as_of", "as of"}};
constexpr Shown kCapex[] = {{"accelerator", "accelerator"},
                            {"usd_per_gpu", "USD/GPU", 2},
                            {"low", "low", 2},
                            {"high", "high", 2},
                            {"as_of", "as of"},
                            {"note", "note", kAsText, false, true}};
constexpr Shown kApi[] = {{"provider", "provider"},
                          {"model_id", "model id", kAsText, true, true},
                          {"usd_per_mtok_in", "in", 2},
                          {"usd_per_mtok_cached", "cached", 2},
                          {"usd_per_mtok_out", "out", 2},
                          {"as_of", "as of"},
                          {"our_name", "our name", kAsText, false}};
constexpr Shown kSources[] = {
    {"id", "id"}, {"document", "document", kAsText, true, true}, {"date", "date"}};

struct Layout {
  std::string_view noun;
  std::span<const Shown> columns;
  const char* footnote = "";
};
constexpr std::array kLayouts{
    Layout{"gpus", kGpus},       Layout{"models", kModels},
    Layout{"nodes", kNodes},     Layout{"links", kLinks},
    Layout{"engines", kEngines}, Layout{"regions", kRegions},
    Layout{"rent", kRent},       Layout{"instances", kInstances},
    Layout{"capex", kCapex},     Layout{"api", kApi, "USD per million tokens"},
    Layout{"sources", kSources},
};

// A dash where nothing is known.
Cell cell_of(const Value& value, const Shown& shown) {
  if (const std::string* text = value.text()) return *text;
  double number = 0;
  if (const auto* count = std::get_if<std::int64_t>(&value.data))
    number = static_cast<double>(*count);
  else if (const auto* exact = std::get_if<double>(&value.data))
    number = *exact;
  else
    return "–";
  if (shown.decimals == kAsShortCount) return format_short_count(number);
  return fmt::format("{:.{}f}", number, shown.decimals);
}

Table table_of(const CatalogAnswer& answer) {
  const Layout& layout = *std::find_if(kLayouts.begin(), kLayouts.end(),
                                       [&](const Layout& row) { return row.noun == answer.noun; });
  std::vector<Column> columns;
  for (const Shown& shown : layout.columns)
    columns.push_back({.name = std::string(shown.heading),
                       .align = shown.decimals == kAsText ? Align::kLeft : Align::kRight,
                       .essential = shown.essential,
                       .wraps = shown.wraps});
  Table table(std::move(columns));
  for (const Value& entry : answer.entries) {
    std::vector<Cell> row;
    for (const Shown& shown : layout.columns)
      row.push_back(cell_of(*entry.find(shown.field), shown));
    table.add_row(std::move(row));
  }
  if (*layout.footnote != '\0') table.add_footnote(layout.footnote);
  table.add_footnote(fmt::format("{} of {}", answer.entries.size(), answer.known));
  return table;
}

}  // namespace

std::string catalog_text(const CatalogAnswer& answer, int width, bool colour) {
  return render_text(table_of(answer), {.width = width, .colour = colour});
}

std::string catalog_markdown(const CatalogAnswer& answer) {
  return render_markdown(table_of(answer));
}

}  // namespace loadfactor::report

#include "catalog/import/prices/price_csv.h"

#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/calendar.h"
#include "catalog/load/entry_reader.h"

namespace loadfactor::catalog {
namespace {

std::string_view text_of(RentTerm term) {
  switch (term) {
    case RentTerm::kOnDemand:
      return "on-demand";
    case RentTerm::kSpot:
      return "spot";
    case RentTerm::kReserved1y:
      return "reserved-1y";
    case RentTerm::kReserved3y:
      return "reserved-3y";
  }
  return "on-demand";
}

// A cell, quoted where a comma, quote or line break would end it.
std::string cell(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string number(double value) {
  return fmt::format("{:.10g}", value);
}

std::string per_hour(std::optional<DollarsPerGpuSecond> price) {
  return price ? number(price->base() * kHour.base()) : std::string();
}

std::string per_megatoken(std::optional<DollarsPerToken> price) {
  return price ? number(price->base() * 1e6) : std::string();
}

std::string source_of(const Provenance& provenance) {
  return provenance.sources.empty() ? std::string() : provenance.sources.front();
}

std::string line_of(const std::vector<std::string>& cells) {
  std::vector<std::string> quoted;
  quoted.reserve(cells.size());
  for (const auto& text : cells) quoted.push_back(cell(text));
  return fmt::format("{}\n", fmt::join(quoted, ","));
}

}  // namespace

std::string rent_csv(std::span<const RentPrice> prices) {
  std::string out =
      "provider,accelerator,region,term,usd_per_gpu_hour,low,high,as_of,kind,source,note\n";
  for (const RentPrice& price : prices) {
    out += line_of(
        {price.provider, price.accelerator, price.region, std::string(text_of(price.term)),
         per_hour(price.price), per_hour(price.low), per_hour(price.high), price.provenance.date,
         std::string(text_of(price.provenance.kind)), source_of(price.provenance), price.note});
  }
  return out;
}

std::string api_csv(std::span<const ApiPrice> prices) {
  std::string out =
      "provider,model_id,model,usd_per_mtok_in,usd_per_mtok_cached,usd_per_mtok_out,"
      "usd_per_mtok_batch_in,context,deprecated,as_of,kind,source\n";
  for (const ApiPrice& price : prices) {
    out += line_of({price.provider, price.model_id, price.model, per_megatoken(price.input),
                    per_megatoken(price.cached), per_megatoken(price.output),
                    per_megatoken(price.batch_input),
                    price.context > 0 ? std::to_string(price.context) : std::string(),
                    price.deprecated, price.provenance.date,
                    std::string(text_of(price.provenance.kind)), source_of(price.provenance)});
  }
  return out;
}

}  // namespace loadfactor::catalog

#include "report/catalog_report.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "catalog/load/entry_reader.h"
#include "workload/parameters.h"

namespace loadfactor::report {
namespace {

using catalog::Catalog;
using catalog::Dtype;

constexpr double kHour = 3600.0;
constexpr double kMillion = 1e6;

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// Unknown is a dash, never a zero.
Cell number(double value, int decimals) {
  if (value <= 0) return Cell("–");
  return Cell(fmt::format("{:.{}f}", value, decimals), value);
}

template <typename Price>
Cell dollars(const std::optional<Price>& price, double per) {
  if (!price) return Cell("–");
  return Cell(fmt::format("{:.2f}", price->base() * per), price->base() * per);
}

Column right(std::string name, std::string key = {}, bool essential = true) {
  return {.name = std::move(name),
          .align = Align::kRight,
          .essential = essential,
          .key = std::move(key)};
}
Column left(std::string name, bool essential = true, bool wraps = false) {
  return {.name = std::move(name), .essential = essential, .wraps = wraps};
}

Table list_gpus(const Catalog& catalog) {
  Table table({left("name"), right("GB", "memory_gb"), right("TB/s", "bandwidth_tb_s"),
               right("bf16 TF", "bf16_tflops"), right("fp8 TF", "fp8_tflops"),
               right("link GB/s", "scale_up_gb_s", false), right("domain", "domain", false),
               right("W", "watts"), left("kind"), left("title", false)});
  for (const auto& chip : catalog.accelerators()) {
    const auto rate = [&chip](Dtype dtype) { return chip.arithmetic.rate(dtype).base() / 1e12; };
    const double half = std::max(rate(Dtype::kBf16), rate(Dtype::kFp16));
    table.add_row({chip.name, number(chip.memory.nominal.base() / 1e9, 0),
                   number(chip.memory.bandwidth.base() / 1e12, 2), number(half, 0),
                   number(rate(Dtype::kFp8), 0), number(chip.scale_up.bandwidth.base() / 1e9, 0),
                   number(chip.scale_up.domain, 0), number(chip.power.rated.base(), 0),
                   std::string(catalog::text_of(chip.memory.provenance.kind)), chip.title});
  }
  return table;
}

Table list_models(const Catalog& catalog) {
  Table table({left("name"), right("parameters", "parameters"), right("active", "active"),
               right("layers", "", false), right("hidden", "", false), right("context", "context"),
               left("stored"), left("kind", false)});
  for (const auto& model : catalog.models()) {
    const auto count = workload::count_parameters(model);
    const auto shown = [](std::int64_t n) {
      return Cell(format_short_count(static_cast<double>(n)), static_cast<double>(n));
    };
    table.add_row({model.name, shown(count.total()), shown(count.active()),
                   number(model.num_layers(), 0), number(model.hidden, 0),
                   number(static_cast<double>(model.context), 0),
                   std::string(catalog::name(model.dtype)),
                   std::string(catalog::text_of(model.provenance.kind))});
  }
  return table;
}

Table list_nodes(const Catalog& catalog) {
  Table table({left("name"), left("accelerator"), right("GPUs", "gpus"), right("NICs", "nics"),
               right("Gb/s each", "nic_gb_s"), right("max kW", "max_kw"), left("title", false)});
  for (const auto& node : catalog.nodes()) {
    table.add_row({node.name, node.accelerator, number(node.gpus, 0),
                   number(node.network ? node.network->nics : 0, 0),
                   number(node.network ? node.network->bandwidth.base() * 8 / 1e9 : 0, 0),
                   number(node.power ? node.power->max.base() / 1e3 : 0, 1), node.title});
  }
  return table;
}

Table list_links(const Catalog& catalog) {
  Table table({left("name"), right("GB/s per direction", "gb_s"), right("achieved", "achieved"),
               right("latency us", "latency_us"), left("title", false)});
  for (const auto& link : catalog.fabrics()) {
    table.add_row({link.name, number(link.bandwidth.base() / 1e9, 1),
                   number(link.achieved_fraction.value_or(0), 2),
                   number(link.latency ? link.latency->base() * 1e6 : 0, 2), link.title});
  }
  return table;
}

Table list_engines(const Catalog& catalog) {
  Table table({left("name"), right("memory fraction", "fraction"), right("block", "block"),
               right("batched tokens", "batched_tokens"), right("sequences", "max_sequences"),
               left("title", false)});
  for (const auto& engine : catalog.engines()) {
    table.add_row({engine.name, number(engine.memory.fraction, 2), number(engine.memory.block, 0),
                   number(static_cast<double>(engine.batching.batched_tokens), 0),
                   number(static_cast<double>(engine.batching.max_sequences), 0), engine.title});
  }
  return table;
}

Table list_regions(const Catalog& catalog) {
  Table table({left("name"), right("USD/kWh", "usd_per_kwh"), right("g CO2/kWh", "g_per_kwh"),
               left("kind"), left("date"), left("title", false)});
  for (const auto& region : catalog.regions()) {
    table.add_row({region.name, number(region.electricity.base() * 3.6e6, 3),
                   number(region.carbon_grams_per_kwh.value_or(0), 0),
                   std::string(catalog::text_of(region.electricity_provenance.kind)),
                   region.electricity_provenance.date, region.title});
  }
  return table;
}

Table list_rent(const Catalog& catalog) {
  static constexpr std::array<const char*, 4> kTerms{"on-demand", "spot", "reserved-1y",
                                                     "reserved-3y"};
  Table table({left("provider"), left("accelerator"), left("term"),
               right("USD/GPU-h", "usd_per_gpu_hour"), right("low", "", false),
               right("high", "", false), left("as of"), left("note", false, true)});
  for (const auto& row : catalog.prices().rent) {
    table.add_row({row.provider, row.accelerator, kTerms[static_cast<std::size_t>(row.term)],
                   dollars(std::optional(row.price), kHour), dollars(row.low, kHour),
                   dollars(row.high, kHour), row.provenance.date, row.note});
  }
  return table;
}

Table list_capex(const Catalog& catalog) {
  Table table({left("accelerator"), right("USD/GPU", "usd_per_gpu"), right("low"), right("high"),
               left("as of"), left("note", false, true)});
  for (const auto& row : catalog.prices().capex) {
    table.add_row({row.accelerator, dollars(std::optional(row.price), 1), dollars(row.low, 1),
                   dollars(row.high, 1), row.provenance.date, row.note});
  }
  return table;
}

Table list_api(const Catalog& catalog) {
  Table table({left("provider"), left("model id", true, true), right("in", "usd_per_mtok_in"),
               right("cached", "usd_per_mtok_cached"), right("out", "usd_per_mtok_out"),
               left("as of"), left("our name", false)});
  for (const auto& row : catalog.prices().api) {
    table.add_row({row.provider, row.model_id, dollars(row.input, kMillion),
                   dollars(row.cached, kMillion), dollars(row.output, kMillion),
                   row.provenance.date, row.model});
  }
  table.add_footnote("USD per million tokens");
  return table;
}

Table list_sources(const Catalog& catalog) {
  Table table({left("id"), left("document", true, true), left("date")});
  for (const auto& source : catalog.sources())
    table.add_row({source.id, source.document, source.date});
  return table;
}

struct NounRow {
  std::string_view noun;
  Table (*list)(const Catalog&);
};
constexpr std::array kNouns{
    NounRow{"gpus", list_gpus},       NounRow{"models", list_models},
    NounRow{"nodes", list_nodes},     NounRow{"links", list_links},
    NounRow{"engines", list_engines}, NounRow{"regions", list_regions},
    NounRow{"rent", list_rent},       NounRow{"capex", list_capex},
    NounRow{"api", list_api},         NounRow{"sources", list_sources},
};

bool contains(const Table::Row& row, const std::string& match) {
  return std::any_of(row.cells.begin(), row.cells.end(), [&match](const Cell& cell) {
    return lower(cell.text).find(match) != std::string::npos;
  });
}

}  // namespace

std::vector<std::string> catalog_nouns() {
  std::vector<std::string> nouns;
  for (const auto& row : kNouns) nouns.emplace_back(row.noun);
  return nouns;
}

std::optional<Table> list_catalog(const Catalog& catalog, std::string_view noun,
                                  std::string_view match) {
  for (const auto& row : kNouns) {
    if (row.noun != noun) continue;
    const Table all = row.list(catalog);
    Table table(all.columns());
    for (const auto& entry : all.rows()) {
      if (contains(entry, lower(match))) table.add_row(entry.cells);
    }
    for (const auto& note : all.footnotes()) table.add_footnote(note);
    table.add_footnote(fmt::format("{} of {}", table.rows().size(), all.rows().size()));
    return table;
  }
  return std::nullopt;
}

}  // namespace loadfactor::report

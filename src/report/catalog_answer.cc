// The descriptions of entries of the catalogue, in the units that people compare them in.
#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

#include "catalog/load/entry_reader.h"
#include "report/catalog_report.h"
#include "report/describe/csv.h"
#include "report/describe/describe.h"
#include "report/describe/tree.h"
#include "workload/parameters.h"

namespace loadfactor::report {
namespace {

using catalog::AcceleratorSpec;
using catalog::ApiPrice;
using catalog::CapexPrice;
using catalog::Catalog;
using catalog::Dtype;
using catalog::EngineSpec;
using catalog::FabricSpec;
using catalog::ModelSpec;
using catalog::NodeSpec;
using catalog::RegionSpec;
using catalog::RentedInstance;
using catalog::RentPrice;
using catalog::Source;

constexpr std::string_view kKinds[] = {"measured", "datasheet", "published", "assumed"};
constexpr std::string_view kTerms[] = {"on-demand", "spot", "reserved-1y", "reserved-3y"};

constexpr double kGiga = 1e9;
constexpr double kTera = 1e12;
constexpr double kHour = 3600;
constexpr double kMillion = 1e6;
constexpr double kKilowattHour = 3.6e6;

// Unknown is null, never a zero.
std::optional<double> known(double value) {
  return value > 0 ? std::optional(value) : std::nullopt;
}
template <typename Price>
std::optional<double> dollars(const std::optional<Price>& price, double per) {
  return price ? std::optional(price->base() * per) : std::nullopt;
}

std::optional<double> half_rate(const AcceleratorSpec& chip) {
  const auto& arithmetic = chip.arithmetic;
  return known(std::max(arithmetic.rate(Dtype::kBf16), arithmetic.rate(Dtype::kFp16)).base() /
               kTera);
}
std::optional<double> fp8_rate(const AcceleratorSpec& chip) {
  return known(chip.arithmetic.rate(Dtype::kFp8).base() / kTera);
}
std::optional<double> memory_of(const AcceleratorSpec& chip) {
  return known(chip.memory.nominal.base() / kGiga);
}
std::optional<double> bandwidth_of(const AcceleratorSpec& chip) {
  return known(chip.memory.bandwidth.base() / kTera);
}
std::optional<double> scale_up_of(const AcceleratorSpec& chip) {
  return known(chip.scale_up.bandwidth.base() / kGiga);
}
std::optional<std::int64_t> domain_of(const AcceleratorSpec& chip) {
  return chip.scale_up.domain > 0 ? std::optional<std::int64_t>(chip.scale_up.domain)
                                  : std::nullopt;
}
std::optional<double> watts_of(const AcceleratorSpec& chip) {
  return known(chip.power.rated.base());
}
std::string_view memory_kind(const AcceleratorSpec& chip) {
  return catalog::text_of(chip.memory.provenance.kind);
}

std::int64_t parameters_of(const ModelSpec& model) {
  return workload::count_parameters(model).total();
}
std::int64_t active_of(const ModelSpec& model) {
  return workload::count_parameters(model).active();
}
std::int64_t layers_of(const ModelSpec& model) {
  return model.num_layers();
}
std::string_view stored_of(const ModelSpec& model) {
  return catalog::name(model.dtype);
}
std::string_view model_kind(const ModelSpec& model) {
  return catalog::text_of(model.provenance.kind);
}

std::optional<std::int64_t> nics_of(const NodeSpec& node) {
  return node.network ? std::optional<std::int64_t>(node.network->nics) : std::nullopt;
}
std::optional<double> nic_rate(const NodeSpec& node) {
  return node.network ? known(node.network->bandwidth.base() * 8 / kGiga) : std::nullopt;
}
std::optional<double> kilowatts_of(const NodeSpec& node) {
  return node.power ? known(node.power->max.base() / 1e3) : std::nullopt;
}

double link_rate(const FabricSpec& link) {
  return link.bandwidth.base() / kGiga;
}
std::optional<double> latency_of(const FabricSpec& link) {
  return link.latency ? std::optional(link.latency->base() * kMillion) : std::nullopt;
}

double fraction_of(const EngineSpec& engine) {
  return engine.memory.fraction;
}
std::int64_t block_of(const EngineSpec& engine) {
  return engine.memory.block;
}
std::int64_t batched_of(const EngineSpec& engine) {
  return engine.batching.batched_tokens;
}
std::int64_t sequences_of(const EngineSpec& engine) {
  return engine.batching.max_sequences;
}

std::optional<double> electricity_of(const RegionSpec& region) {
  return known(region.electricity.base() * kKilowattHour);
}
std::string_view electricity_kind(const RegionSpec& region) {
  return catalog::text_of(region.electricity_provenance.kind);
}
std::string electricity_date(const RegionSpec& region) {
  return region.electricity_provenance.date;
}

std::string_view term_of(const RentPrice& row) {
  return kTerms[static_cast<std::size_t>(row.term)];
}
template <typename Row>
std::string date_of(const Row& row) {
  return row.provenance.date;
}
template <typename Row>
std::string_view kind_of(const Row& row) {
  return catalog::text_of(row.provenance.kind);
}
constexpr auto kHourly = [](const auto& price) { return dollars(std::optional(price), kHour); };
constexpr auto kMaybeHourly = [](const auto& price) { return dollars(price, kHour); };
constexpr auto kWhole = [](const auto& price) { return dollars(std::optional(price), 1); };
constexpr auto kMaybeWhole = [](const auto& price) { return dollars(price, 1); };
constexpr auto kPerMillion = [](const auto& price) { return dollars(price, kMillion); };

}  // namespace

template <>
constexpr auto kFields<AcceleratorSpec> = fields<AcceleratorSpec>(
    field<&AcceleratorSpec::name>("name", "Catalogue name"),
    field<memory_of>("memory_gb", "Nominal memory; null: not known").in("GB"),
    field<bandwidth_of>("bandwidth_tb_s", "Peak bandwidth of the memory; null: not known")
        .in("TB/s"),
    field<half_rate>("bf16_tflops", "Dense peak in bf16 or fp16; null: not known").in("TFLOP/s"),
    field<fp8_rate>("fp8_tflops", "Dense peak in fp8; null: none").in("TFLOP/s"),
    field<scale_up_of>("scale_up_gb_s", "Links to other GPUs, one direction; null: none")
        .in("GB/s"),
    field<domain_of>("domain", "GPUs that those links join; null: none"),
    field<watts_of>("watts", "Rated power; null: not known").in("W"),
    field<memory_kind>("kind", "Where the figures of the memory come from").one_of(kKinds),
    field<&AcceleratorSpec::title>("title", "The name as people write it"));

template <>
constexpr auto kFields<ModelSpec> = fields<ModelSpec>(
    field<&ModelSpec::name>("name", "Catalogue name"),
    field<parameters_of>("parameters", "All parameters"),
    field<active_of>("active", "Parameters that work for one token"),
    field<layers_of>("layers", "Layers"), field<&ModelSpec::hidden>("hidden", "Hidden size"),
    field<&ModelSpec::context>("context", "Longest context").in("tokens"),
    field<stored_of>("stored", "Format of the released weights"),
    field<model_kind>("kind", "Where its figures come from").one_of(kKinds));

template <>
constexpr auto kFields<NodeSpec> = fields<NodeSpec>(
    field<&NodeSpec::name>("name", "Catalogue name"),
    field<&NodeSpec::accelerator>("accelerator", "Catalogue name of its GPUs"),
    field<&NodeSpec::gpus>("gpus", "GPUs of the node"),
    field<nics_of>("nics", "Network cards; null: not known"),
    field<nic_rate>("nic_gb_s", "Rate of each card, one direction; null: not known").in("Gbit/s"),
    field<kilowatts_of>("max_kw", "Power that it draws at most; null: not known").in("kW"),
    field<&NodeSpec::title>("title", "The name as people write it"));

template <>
constexpr auto kFields<FabricSpec> = fields<FabricSpec>(
    field<&FabricSpec::name>("name", "Catalogue name"),
    field<link_rate>("gb_s", "Bandwidth, one direction").in("GB/s"),
    field<&FabricSpec::achieved_fraction>("achieved",
                                          "Share of it that is achieved; null: not known"),
    field<latency_of>("latency_us", "Time of the shortest message; null: not known").in("µs"),
    field<&FabricSpec::title>("title", "The name as people write it"));

template <>
constexpr auto kFields<EngineSpec> =
    fields<EngineSpec>(field<&EngineSpec::name>("name", "Catalogue name"),
                       field<fraction_of>("fraction", "Share of a GPU's memory that it takes"),
                       field<block_of>("block", "Tokens of a block of the KV cache"),
                       field<batched_of>("batched_tokens", "Tokens of the largest step"),
                       field<sequences_of>("max_sequences", "Sequences of the largest step"),
                       field<&EngineSpec::title>("title", "The name as people write it"));

template <>
constexpr auto kFields<RegionSpec> = fields<RegionSpec>(
    field<&RegionSpec::name>("name", "Catalogue name"),
    field<electricity_of>("usd_per_kwh", "Price of electricity; null: not known").in("USD/kWh"),
    field<&RegionSpec::carbon_grams_per_kwh>("g_per_kwh", "Carbon dioxide; null: not known")
        .in("g/kWh"),
    field<electricity_kind>("kind", "Where the price comes from").one_of(kKinds),
    field<electricity_date>("date", "When the source said so"),
    field<&RegionSpec::title>("title", "The name as people write it"));

template <>
constexpr auto kFields<RentPrice> = fields<RentPrice>(
    field<&RentPrice::provider>("provider", "Who rents it out"),
    field<&RentPrice::accelerator>("accelerator", "Catalogue name"),
    field<term_of>("term", "How long one is bound").one_of(kTerms),
    field<&RentPrice::price, kHourly>("usd_per_gpu_hour", "Price of a GPU").in("USD/GPU-h"),
    field<&RentPrice::low, kMaybeHourly>("low", "The lowest quote; null: one quote")
        .in("USD/GPU-h"),
    field<&RentPrice::high, kMaybeHourly>("high", "The highest quote; null: one quote")
        .in("USD/GPU-h"),
    field<date_of<RentPrice>>("as_of", "When the source said so"),
    field<&RentPrice::note>("note", "A remark"));

template <>
constexpr auto kFields<RentedInstance> = fields<RentedInstance>(
    field<&RentedInstance::provider>("provider", "Who rents it out"),
    field<&RentedInstance::accelerator>("accelerator", "Catalogue name"),
    field<&RentedInstance::name>("instance", "The provider's name of the machine"),
    field<&RentedInstance::gpus>("gpus", "GPUs of it"),
    field<kind_of<RentedInstance>>("kind", "Where the figure comes from").one_of(kKinds),
    field<date_of<RentedInstance>>("as_of", "When the source said so"));

template <>
constexpr auto kFields<CapexPrice> = fields<CapexPrice>(
    field<&CapexPrice::accelerator>("accelerator", "Catalogue name"),
    field<&CapexPrice::price, kWhole>("usd_per_gpu", "Price of a GPU in its node").in("USD"),
    field<&CapexPrice::low, kMaybeWhole>("low", "The lowest quote; null: one quote").in("USD"),
    field<&CapexPrice::high, kMaybeWhole>("high", "The highest quote; null: one quote").in("USD"),
    field<date_of<CapexPrice>>("as_of", "When the source said so"),
    field<&CapexPrice::note>("note", "A remark"));

template <>
constexpr auto kFields<ApiPrice> = fields<ApiPrice>(
    field<&ApiPrice::provider>("provider", "Who sells it"),
    field<&ApiPrice::model_id>("model_id", "The seller's name of the model"),
    field<&ApiPrice::input, kPerMillion>("usd_per_mtok_in", "Prompt tokens; null: not sold")
        .in("USD/Mtoken"),
    field<&ApiPrice::cached, kPerMillion>("usd_per_mtok_cached",
                                          "Prompt tokens found in the cache; null: not sold")
        .in("USD/Mtoken"),
    field<&ApiPrice::output, kPerMillion>("usd_per_mtok_out", "Output tokens; null: not sold")
        .in("USD/Mtoken"),
    field<date_of<ApiPrice>>("as_of", "When the source said so"),
    field<&ApiPrice::model>("our_name", "Catalogue name of the model; empty where it has none"));

template <>
constexpr auto kFields<Source> = fields<Source>(field<&Source::id>("id", "How entries name it"),
                                                field<&Source::document>("document", "What it is"),
                                                field<&Source::date>("date", "When it said so"));

namespace {

template <typename List>
Value::List described(const List& list) {
  Value::List out;
  for (const auto& entry : list) out.push_back(to_value(entry));
  return out;
}
template <typename T>
Value schema_of_list() {
  return schema_of(Type<std::vector<T>>());
}

struct NounRow {
  std::string_view noun;
  std::string_view meaning;
  Value::List (*entries)(const Catalog&);
  Value (*schema)();
};
constexpr std::array kNouns{
    NounRow{"gpus", "Accelerators", [](const Catalog& c) { return described(c.accelerators()); },
            schema_of_list<AcceleratorSpec>},
    NounRow{"models", "Models", [](const Catalog& c) { return described(c.models()); },
            schema_of_list<ModelSpec>},
    NounRow{"nodes", "Nodes", [](const Catalog& c) { return described(c.nodes()); },
            schema_of_list<NodeSpec>},
    NounRow{"links", "Links and networks", [](const Catalog& c) { return described(c.fabrics()); },
            schema_of_list<FabricSpec>},
    NounRow{"engines", "Serving engines", [](const Catalog& c) { return described(c.engines()); },
            schema_of_list<EngineSpec>},
    NounRow{"regions", "Places to run machines",
            [](const Catalog& c) { return described(c.regions()); }, schema_of_list<RegionSpec>},
    NounRow{"rent", "Quotes of rented GPUs",
            [](const Catalog& c) { return described(c.prices().rent); }, schema_of_list<RentPrice>},
    NounRow{"instances", "Machines that are rented out, by their GPUs",
            [](const Catalog& c) { return described(c.prices().instances); },
            schema_of_list<RentedInstance>},
    NounRow{"capex", "Prices of GPUs that are bought",
            [](const Catalog& c) { return described(c.prices().capex); },
            schema_of_list<CapexPrice>},
    NounRow{"api", "Prices of tokens", [](const Catalog& c) { return described(c.prices().api); },
            schema_of_list<ApiPrice>},
    NounRow{"sources", "Documents that entries rest on",
            [](const Catalog& c) { return described(c.sources()); }, schema_of_list<Source>},
};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool contains(const Value& entry, const std::string& match) {
  const auto& members = *entry.object();
  return match.empty() || std::any_of(members.begin(), members.end(), [&](const Member& member) {
           const std::string* text = member.value.text();
           return text != nullptr && lower(*text).find(match) != std::string::npos;
         });
}

// What was asked for.
struct Listed {
  std::string noun, match;
};
Value value_of(const CatalogAnswer& answer) {
  return Value::Object{{"known", answer.known}, {answer.noun, answer.entries}};
}
Value answer_schema() {
  std::vector<FieldText> rows{
      {"known", "All entries of the noun", [] { return count_schema(); }, Presence::kAlways}};
  for (const NounRow& row : kNouns)
    rows.push_back({row.noun, row.meaning, row.schema, Presence::kWhenKnown});
  return object_schema(rows);
}

}  // namespace

template <>
constexpr auto kFields<Listed> = fields<Listed>(
    field<&Listed::noun>("noun", "Which entries"),
    field<&Listed::match>("match", "What a text of theirs contains; empty: all were asked for"));

std::vector<std::string> catalog_nouns() {
  std::vector<std::string> nouns;
  for (const NounRow& row : kNouns) nouns.emplace_back(row.noun);
  return nouns;
}

std::vector<NounMeaning> noun_meanings() {
  std::vector<NounMeaning> rows;
  for (const NounRow& row : kNouns) rows.push_back({row.noun, row.meaning});
  return rows;
}

std::optional<CatalogAnswer> find_entries(const Catalog& catalog, std::string_view noun,
                                          std::string_view match) {
  for (const NounRow& row : kNouns) {
    if (row.noun != noun) continue;
    CatalogAnswer answer{std::string(noun), std::string(match), row.entries(catalog), 0};
    answer.known = answer.entries.size();
    std::erase_if(answer.entries,
                  [&](const Value& entry) { return !contains(entry, lower(match)); });
    return answer;
  }
  return std::nullopt;
}

std::string catalog_json(const CatalogAnswer& answer) {
  return print_json(
      envelope("catalog", to_value(Listed{answer.noun, answer.match}), value_of(answer), {}, {}));
}

std::string catalog_csv(const CatalogAnswer& answer) {
  return csv_list(answer_schema(), value_of(answer), answer.noun);
}

AnswerSchema catalog_schema() {
  return {"catalog",
          "catalog",
          "Answer of `loadfactor catalog NOUN`",
          "Entries of the catalogue, in a list by the name of the noun. All figures are plain "
          "numbers in the unit of their name.",
          schema_of(Type<Listed>()),
          answer_schema()};
}

}  // namespace loadfactor::report

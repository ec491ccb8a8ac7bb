#include "calibrate/site/site_file.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "catalog/load/entry_reader.h"

namespace loadfactor::calibrate {
namespace {

using training::Part;

constexpr std::string_view kSchema = "site/1";

std::vector<config::Word<Part>> part_words() {
  std::vector<config::Word<Part>> words;
  for (std::size_t i = 0; i < training::kNumParts; ++i)
    words.push_back({training::name(static_cast<Part>(i)), static_cast<Part>(i)});
  return words;
}

SiteTermEntry read_term(config::MapReader& entry) {
  SiteTermEntry read;
  read.term = read_term_figures(entry);
  const auto words = part_words();
  for (const config::Node* node : entry.items("parts", true)) {
    if (const auto part = entry.word_of<Part>(*node, "parts", words)) read.parts.push_back(*part);
  }
  entry.finish();
  return read;
}

std::optional<MemoryEnergy> read_memory_energy(config::MapReader& reader) {
  auto block = reader.map("memory_energy", false);
  if (!block) return std::nullopt;
  MemoryEnergy energy;
  constexpr double kPicojoule = 1e-12;
  energy.per_bit =
      Joules::from_base(kPicojoule * block->ratio("picojoules_per_bit", {0.01, 1000.0}));
  energy.provenance = catalog::read_provenance(*block);
  block->finish();
  return energy;
}

std::string memory_energy_yaml(const MemoryEnergy& energy) {
  return fmt::format(
      "memory_energy: {{picojoules_per_bit: {:.4g}, kind: {}, source: [{}], date: {}}}\n",
      energy.per_bit.base() * 1e12, catalog::text_of(energy.provenance.kind),
      fmt::join(energy.provenance.sources, ", "), energy.provenance.date);
}

}  // namespace

SiteTerm read_term_figures(config::MapReader& entry) {
  SiteTerm term;
  term.name = entry.text("name");
  term.factor = entry.ratio("factor", {0.01, 100.0});
  term.width = entry.ratio("width", {1e-4, 10.0});
  term.error = entry.ratio("error", {1e-6, 10.0});
  return term;
}

std::vector<TermPrior> SiteCalibration::priors() const {
  std::vector<TermPrior> priors;
  for (const SiteTermEntry& entry : terms) priors.push_back({entry.term.name, entry.term.width});
  return priors;
}

std::vector<double> SiteCalibration::terms_of(const training::StepTime& time) const {
  std::vector<double> sums;
  for (const SiteTermEntry& entry : terms) {
    double sum = 0;
    for (const Part part : entry.parts) sum += time[part].base();
    sums.push_back(sum);
  }
  return sums;
}

training::PartFactors SiteCalibration::factors() const {
  training::PartFactors all;
  all.reach = reach;
  for (const SiteTermEntry& entry : terms) {
    for (const Part part : entry.parts) all[part] = entry.term.factor;
  }
  return all;
}

double SiteCalibration::narrowing(const training::StepTime& time, bool beyond) const {
  double before = 0;
  double after = 0;
  for (const SiteTermEntry& entry : terms) {
    double measured = 0;
    double outside = 0;
    for (const Part part : entry.parts) {
      const auto& far = training::kOutside;
      const bool leaves = beyond && std::find(far.begin(), far.end(), part) != far.end();
      (leaves ? outside : measured) += time[part].base();
    }
    const double width = entry.term.width;
    const double error = entry.term.error;
    before += (measured + outside) * (measured + outside) * width * width;
    after += std::pow(measured * error + outside * width, 2);
  }
  return before > 0 ? std::sqrt(after / before) : 1.0;
}

void SiteCalibration::take(const SiteFit& fit) {
  for (std::size_t t = 0; t < terms.size() && t < fit.terms.size(); ++t)
    terms[t].term = fit.terms[t];
  steps = fit.observations;
}

std::optional<SiteCalibration> load_site(const catalog::DataFile& file, Diagnostics& diagnostics) {
  const auto document = catalog::open_entry(file, diagnostics);
  if (!document) return std::nullopt;
  config::MapReader reader(*document, document->root, "site", diagnostics);
  const std::string schema = reader.text("schema");
  if (!schema.empty() && schema != kSchema)
    reader.report("schema", lf::kWrongSchema,
                  "a site is '" + std::string(kSchema) + "', not '" + schema + "'",
                  "write 'schema: " + std::string(kSchema) + "'");
  SiteCalibration site;
  site.title = reader.maybe_text("title").value_or("");
  site.chip = reader.maybe_text("chip").value_or("");
  site.stack = reader.maybe_text("stack").value_or("");
  site.steps = static_cast<int>(reader.integer("steps", {0, 1e6}));
  if (reader.has("reach")) site.reach = static_cast<int>(reader.integer("reach", {0, 1e6}));
  for (config::MapReader& entry : reader.maps("terms")) site.terms.push_back(read_term(entry));
  site.memory_energy = read_memory_energy(reader);
  site.provenance = catalog::read_provenance(reader);
  reader.finish();
  return site;
}

std::string site_yaml(const SiteCalibration& site) {
  std::string text = fmt::format("schema: {}\ntitle: {}\n", kSchema, site.title);
  if (!site.chip.empty()) text += fmt::format("chip: {}\n", site.chip);
  if (!site.stack.empty()) text += fmt::format("stack: {}\n", site.stack);
  text += "terms:\n";
  for (const SiteTermEntry& entry : site.terms) {
    std::string parts;
    for (const Part part : entry.parts)
      parts += (parts.empty() ? "" : ", ") + std::string(training::name(part));
    text +=
        fmt::format("  - {{name: {}, parts: [{}], factor: {:.4f}, width: {:.4f}, error: {:.4f}}}\n",
                    entry.term.name, parts, entry.term.factor, entry.term.width, entry.term.error);
  }
  if (site.memory_energy) text += memory_energy_yaml(*site.memory_energy);
  if (site.reach > 0) text += fmt::format("reach: {}\n", site.reach);
  return text + fmt::format("steps: {}\nkind: {}\nsource: [{}]\ndate: {}\n", site.steps,
                            catalog::text_of(site.provenance.kind),
                            fmt::join(site.provenance.sources, ", "), site.provenance.date);
}

}  // namespace loadfactor::calibrate

#include "calibrate/site/site_serving.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error_codes.h"
#include "calibrate/site/site_file.h"
#include "catalog/load/entry_reader.h"

namespace loadfactor::calibrate {
namespace {

using serving::Constant;
using serving::Constants;
using serving::EngineConstant;
using serving::EngineTraits;

constexpr std::string_view kServingSchema = "site-serving/1";
// What no term decides stays as it is; a width of nought has no inverse.
constexpr double kHeldWidth = 1e-3;

// The value that a name stands for: one of all engines, or that of one generation.
double* find_constant(Constants& constants, const EngineTraits& traits, std::string_view name) {
  for (std::size_t i = 0; i < serving::kNumConstants; ++i) {
    const auto constant = static_cast<Constant>(i);
    if (serving::name(constant) == name) return &constants.values[Constants::place(constant)];
  }
  for (std::size_t i = 0; i < serving::kNumEngineConstants; ++i) {
    const auto constant = static_cast<EngineConstant>(i);
    if (serving::name(constant) == name)
      return &constants.values[Constants::place(traits.index, constant)];
  }
  return nullptr;
}

std::vector<config::Word<std::string_view>> constant_words() {
  std::vector<config::Word<std::string_view>> words;
  for (std::size_t i = 0; i < serving::kNumConstants; ++i) {
    const auto name = serving::name(static_cast<Constant>(i));
    words.push_back({name, name});
  }
  for (std::size_t i = 0; i < serving::kNumEngineConstants; ++i) {
    const auto name = serving::name(static_cast<EngineConstant>(i));
    words.push_back({name, name});
  }
  return words;
}

ServingTermEntry read_serving_term(config::MapReader& entry) {
  ServingTermEntry read;
  read.term = read_term_figures(entry);
  const auto words = constant_words();
  for (const config::Node* node : entry.items("constants", true)) {
    if (const auto name = entry.word_of<std::string_view>(*node, "constants", words))
      read.constants.emplace_back(*name);
  }
  entry.finish();
  return read;
}

void scale(const ServingTermEntry& entry, double factor, const EngineTraits& traits,
           Constants& constants) {
  for (const std::string& name : entry.constants) {
    if (double* value = find_constant(constants, traits, name)) *value *= factor;
  }
}

// The term of an engine's step that kernels of a class decide.
std::string_view term_of(cost::KernelClass kernel) {
  switch (kernel) {
    case cost::KernelClass::kGemm:
      return "products";
    case cost::KernelClass::kGroupedGemm:
      return "experts";
    case cost::KernelClass::kAttention:
      return "prompts";
    case cost::KernelClass::kDecodeAttention:
      return "cache";
    case cost::KernelClass::kAttentionBackward:
    case cost::KernelClass::kMemory:
      break;
  }
  return {};
}

}  // namespace

std::vector<TermPrior> ServingSite::priors() const {
  std::vector<TermPrior> priors;
  for (const ServingTermEntry& entry : terms) priors.push_back({entry.term.name, entry.term.width});
  priors.push_back({"other", kHeldWidth});
  return priors;
}

Constants ServingSite::apply(Constants constants, const EngineTraits& traits) const {
  for (const ServingTermEntry& entry : terms) scale(entry, entry.term.factor, traits, constants);
  return constants;
}

std::vector<double> ServingSite::terms_of(const ServingSeconds& seconds, const Constants& constants,
                                          const EngineTraits& traits) const {
  constexpr double kStep = 0.02;  // Change of the logarithm; closed forms have kinks, not cliffs.
  const double now = seconds(constants);
  std::vector<double> found;
  double left = now;
  for (const ServingTermEntry& entry : terms) {
    Constants longer = constants;
    scale(entry, std::exp(kStep), traits, longer);
    const double slope = now > 0 ? std::log(seconds(longer) / now) / kStep : 0.0;
    // A term can only lengthen what it is part of.
    found.push_back(std::isfinite(slope) ? std::max(0.0, slope) * now : 0.0);
    left -= found.back();
  }
  found.push_back(left);
  return found;
}

double ServingSite::narrowing(const std::vector<double>& seconds) const {
  double all = 0;
  for (const double term : seconds) all += term;
  if (!(all > 0)) return 1.0;
  double before = rest * rest;
  double after = before;
  for (std::size_t t = 0; t < terms.size() && t < seconds.size(); ++t) {
    const double square = seconds[t] * seconds[t] / (all * all);
    before += square * terms[t].term.width * terms[t].term.width;
    after += square * terms[t].term.error * terms[t].term.error;
  }
  return before > 0 ? std::sqrt(after / before) : 1.0;
}

void ServingSite::take(const SiteFit& fit, int measured_runs) {
  for (std::size_t t = 0; t < terms.size() && t < fit.terms.size(); ++t)
    terms[t].term = fit.terms[t];
  runs = measured_runs;
}

bool ServingSite::take_kernels(const SiteKernels& kernels) {
  // What an engine adds to and takes from its kernels, as the deviation of the logarithm; and
  // what makes a deviation of a median.
  constexpr double kEngine = 0.05;
  constexpr double kOfMedian = 1.48;
  bool taken = false;
  for (ServingTermEntry& entry : terms) {
    double noise = 0;
    for (const KernelRefit& group : kernels.groups) {
      if (term_of(group.key.kernel) != entry.term.name || group.points == 0) continue;
      const SiteErrors& off = group.helps() ? group.left_out : group.before;
      noise = std::max(noise, std::hypot(kEngine, kOfMedian * off.median));
    }
    if (noise == 0) continue;
    const double width = entry.term.width;
    entry.term.error = width * noise / std::hypot(width, noise);
    taken = true;
  }
  if (taken) runs = 1;
  return taken;
}

std::optional<ServingSite> load_serving_site(const catalog::DataFile& file,
                                             Diagnostics& diagnostics) {
  const auto document = catalog::open_entry(file, diagnostics);
  if (!document) return std::nullopt;
  config::MapReader reader(*document, document->root, "site", diagnostics);
  const std::string schema = reader.text("schema");
  if (!schema.empty() && schema != kServingSchema)
    reader.report("schema", lf::kWrongSchema,
                  fmt::format("a serving site is '{}', not '{}'", kServingSchema, schema),
                  fmt::format("write 'schema: {}'", kServingSchema));
  ServingSite site;
  site.title = reader.maybe_text("title").value_or("");
  site.chip = reader.maybe_text("chip").value_or("");
  site.engine = reader.maybe_text("engine").value_or("");
  site.rest = reader.ratio("rest", {0.0, 10.0});
  site.runs = static_cast<int>(reader.integer("runs", {0, 1e6}));
  for (config::MapReader& entry : reader.maps("terms"))
    site.terms.push_back(read_serving_term(entry));
  site.provenance = catalog::read_provenance(reader);
  reader.finish();
  return site;
}

std::string serving_site_yaml(const ServingSite& site) {
  std::string text = fmt::format("schema: {}\ntitle: {}\n", kServingSchema, site.title);
  if (!site.chip.empty()) text += fmt::format("chip: {}\n", site.chip);
  if (!site.engine.empty()) text += fmt::format("engine: {}\n", site.engine);
  text += "terms:\n";
  for (const ServingTermEntry& entry : site.terms)
    text += fmt::format(
        "  - {{name: {}, constants: [{}], factor: {:.4f}, width: {:.4f}, error: {:.4f}}}\n",
        entry.term.name, fmt::join(entry.constants, ", "), entry.term.factor, entry.term.width,
        entry.term.error);
  return text + fmt::format("rest: {:.4f}\nruns: {}\nkind: {}\nsource: [{}]\ndate: {}\n", site.rest,
                            site.runs, catalog::text_of(site.provenance.kind),
                            fmt::join(site.provenance.sources, ", "), site.provenance.date);
}

}  // namespace loadfactor::calibrate

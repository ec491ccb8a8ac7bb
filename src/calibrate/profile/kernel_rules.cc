#include "calibrate/profile/kernel_rules.h"

#include <algorithm>

#include "base/error_codes.h"
#include "catalog/load/entry_reader.h"

namespace loadfactor::calibrate {
namespace {

constexpr std::string_view kSchema = "kernels/1";

std::string small_letters(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return small;
}

std::vector<std::string> small_words(config::MapReader& reader, const char* key) {
  std::vector<std::string> words;
  for (const std::string& word : reader.texts(key)) words.push_back(small_letters(word));
  return words;
}

KernelRule read_rule(config::MapReader& entry) {
  constexpr std::array kWords{
      config::Word<WorkClass>{name(WorkClass::kProducts), WorkClass::kProducts},
      config::Word<WorkClass>{name(WorkClass::kAttention), WorkClass::kAttention},
      config::Word<WorkClass>{name(WorkClass::kPointwise), WorkClass::kPointwise},
      config::Word<WorkClass>{name(WorkClass::kOptimizer), WorkClass::kOptimizer},
      config::Word<WorkClass>{name(WorkClass::kCommunication), WorkClass::kCommunication},
      config::Word<WorkClass>{name(WorkClass::kCopies), WorkClass::kCopies}};
  KernelRule rule;
  rule.work = entry.word<WorkClass>("class", kWords, WorkClass::kUnclassed);
  rule.contains = small_words(entry, "contains");
  rule.starts = small_words(entry, "starts");
  entry.finish();
  return rule;
}

bool begins_with_any(std::string_view text, const std::vector<std::string>& words) {
  const std::string small = small_letters(text);
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return small.starts_with(word); });
}

}  // namespace

WorkClass KernelRules::class_of(std::string_view kernel) const {
  const std::string small = small_letters(kernel);
  for (const KernelRule& rule : rules) {
    const auto holds = [&](const std::string& word) { return small.find(word) != small.npos; };
    const auto begins = [&](const std::string& word) { return small.starts_with(word); };
    if (std::any_of(rule.starts.begin(), rule.starts.end(), begins) ||
        std::any_of(rule.contains.begin(), rule.contains.end(), holds))
      return rule.work;
  }
  return WorkClass::kUnclassed;
}

bool KernelRules::is_step(std::string_view range) const {
  return begins_with_any(range, steps);
}

bool KernelRules::is_optimizer(std::string_view range) const {
  return begins_with_any(range, optimizer_ranges);
}

std::optional<KernelRules> load_kernel_rules(const catalog::DataFile& file,
                                             Diagnostics& diagnostics) {
  const auto document = catalog::open_entry(file, diagnostics);
  if (!document) return std::nullopt;
  const std::size_t before = diagnostics.errors().size();
  config::MapReader reader(*document, document->root, "kernels", diagnostics);
  const std::string schema = reader.text("schema");
  if (!schema.empty() && schema != kSchema)
    reader.report("schema", lf::kWrongSchema,
                  "rules for kernels are '" + std::string(kSchema) + "', not '" + schema + "'",
                  "write 'schema: " + std::string(kSchema) + "'");
  reader.text("title");
  KernelRules rules;
  for (config::MapReader& entry : reader.maps("rules")) rules.rules.push_back(read_rule(entry));
  rules.steps = small_words(reader, "steps");
  rules.optimizer_ranges = small_words(reader, "optimizer_ranges");
  static_cast<void>(catalog::read_provenance(reader));
  reader.finish();
  if (diagnostics.errors().size() > before) return std::nullopt;
  return rules;
}

}  // namespace loadfactor::calibrate

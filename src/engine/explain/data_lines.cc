#include "engine/explain/data_lines.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "catalog/load/data_file.h"
#include "catalog/spec/dtype.h"

namespace loadfactor::engine {
namespace {

constexpr std::string_view kTrainingFile = "calibration/training.yaml";
constexpr std::string_view kServingFile = "calibration/serving.yaml";

// A file of the catalogue as lines.
class Lines {
 public:
  Lines(const catalog::Catalog& catalog, std::string_view path) : shown_as_(path) {
    const auto* file = catalog.find_file(std::string(path));
    if (file == nullptr) return;
    shown_as_ = file->shown_as;
    std::string_view rest = file->text;
    while (!rest.empty()) {
      const auto end = std::min(rest.find('\n'), rest.size() - 1);
      lines_.push_back(rest.substr(0, end + 1));
      rest.remove_prefix(end + 1);
    }
  }

  // The first line with these words from a line on, counted from 0.
  std::optional<std::size_t> find(std::string_view words, std::size_t from = 0) const {
    for (std::size_t i = from; i < lines_.size(); ++i)
      if (lines_[i].find(words) != std::string_view::npos) return i;
    return std::nullopt;
  }
  std::string place(std::size_t line) const { return fmt::format("{}:{}", shown_as_, line + 1); }
  std::size_t size() const { return lines_.size(); }

  // What stands behind `key: ` in the next line that has it.
  std::string_view value(std::string_view key, std::size_t from) const {
    const std::string wanted = fmt::format("{}: ", key);
    const auto line = find(wanted, from);
    if (!line) return {};
    std::string_view text = lines_[*line];
    text.remove_prefix(text.find(wanted) + wanted.size());
    if (text.starts_with('[')) text.remove_prefix(1);
    return text.substr(0, text.find_first_of(",}]\n"));
  }
  std::int64_t number(std::string_view key, std::size_t from) const {
    const std::string_view text = value(key, from);
    std::int64_t count = 0;
    std::from_chars(text.data(), text.data() + text.size(), count);
    return count;
  }

 private:
  std::string shown_as_;
  std::vector<std::string_view> lines_;
};

// All runs that the constants of training were fitted to.
std::int64_t all_runs(const Lines& lines) {
  std::int64_t runs = 0;
  for (auto line = lines.find(" runs: "); line; line = lines.find(" runs: ", *line + 1))
    runs += lines.number("runs", *line);
  return runs;
}

constexpr const char* kTrainingRows = "training-results";

}  // namespace

std::string DataLines::place(std::string_view file, std::string_view below,
                             std::string_view words) const {
  const Lines lines(*catalog_, file);
  const std::size_t from = below.empty() ? 0 : lines.find(below).value_or(0);
  return lines.place(lines.find(words, from).value_or(0));
}

std::string DataLines::term(std::string_view name) const {
  return place("glossary.yaml", {}, fmt::format("  {}: {{", name));
}

DataLine DataLines::training(std::string_view name) const {
  const Lines lines(*catalog_, kTrainingFile);
  const auto line = lines.find(fmt::format("  {}: ", name));
  if (!line) return {lines.place(0), {}};
  return {lines.place(*line), {all_runs(lines), kTrainingRows}};
}

DataLine DataLines::training_chip(std::string_view accelerator, std::string_view name) const {
  const Lines lines(*catalog_, kTrainingFile);
  const auto chip = lines.find(fmt::format("  {}:\n", accelerator));
  if (!chip) return {lines.place(0), {}};
  const auto line = lines.find(fmt::format("    {}: ", name), *chip).value_or(*chip);
  return {lines.place(line), {lines.number("runs", *chip), kTrainingRows}};
}

DataLine DataLines::serving(std::string_view name) const {
  const Lines lines(*catalog_, kServingFile);
  const auto line = lines.find(fmt::format("name: {},", name));
  const auto end = lines.find("kind: published");
  return {lines.place(line.value_or(0)),
          {0, std::string(end ? lines.value("source", *end) : std::string_view())}};
}

DataLine DataLines::kernel(std::string_view chip, const cost::KernelFit& fit) const {
  const Lines lines(*catalog_, fmt::format("calibration/{}/fit.yaml", chip));
  const auto kernel = cost::kKernelClasses[static_cast<std::size_t>(fit.key.kernel)];
  const auto variant = cost::kKernelVariants[static_cast<std::size_t>(fit.key.variant)];
  const std::string begins = fmt::format("kernel: {}\n", kernel);
  std::optional<std::size_t> best;
  for (auto line = lines.find(begins); line; line = lines.find(begins, *line + 1)) {
    if (!best) best = line;
    const bool same = lines.value("dtype", *line) == catalog::row(fit.key.dtype).name &&
                      lines.value("variant", *line) == variant;
    if (same) best = line;
    if (same) break;
  }
  if (!best) return {lines.place(0), {}};
  return {lines.place(*best),
          {lines.number("points", *best), std::string(lines.value("source", *best))}};
}

ExplainNode leaf(Term term, AnyQuantity value, DataLine from, std::string of) {
  ExplainNode node = leaf(term, value, std::move(from.place), std::move(of));
  node.evidence = std::move(from.evidence);
  return node;
}

}  // namespace loadfactor::engine

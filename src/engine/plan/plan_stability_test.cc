// Laws of the verdict over the shipped families: it does not turn on one per cent of anything, less
// work never asks for more machines, and cheaper machines never cost more.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "catalog/load/data_file.h"
#include "engine/testing/planned.h"

namespace loadfactor::engine {
namespace {

using testing::engine_with;
using testing::scenario;
using testing::verdict;

// The number at the start of a text times a factor, with what follows it; nothing for words.
std::optional<std::string> scaled(const std::string& text, double factor) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || number == 0) return std::nullopt;
  return fmt::format("{:.8g}{}", number * factor, end);
}

// Whole numbers that are a structure, not a measure: one per cent of them means nothing.
bool is_structure(const std::string& path) {
  return path == "train.sequence" || path == "train.global_batch" || path == "limits.gpus" ||
         path.starts_with("train.layout") || path.starts_with("train.model.") ||
         path.starts_with("hardware");
}

class Families : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Shipped, Families,
                         ::testing::Values("chatbot-spiky", "coding-assistant", "batch-inference",
                                           "finetune-8b", "pretrain-70b-512",
                                           "pretrain-500b-30-days"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Every number that the scenario gives, up or down in turn.
TEST_P(Families, OnePerCentOfAnInputDoesNotTurnAVerdictThatIsNoCloseCall) {
  const std::string text = scenario(GetParam());
  const auto base = verdict(text);
  int moved = 0;
  for (const auto& input : base.assumptions) {
    if (input.basis != "given" || is_structure(input.what)) continue;
    const auto value = scaled(input.value, moved % 2 == 0 ? 1.01 : 0.99);
    if (!value) continue;
    ++moved;
    const auto changed = verdict(text, {input.what + "=" + *value});
    EXPECT_TRUE(base.is_close || changed.decision == base.decision)
        << input.what << " " << *value << ": " << name_of(changed.decision) << "\nnot "
        << name_of(base.decision);
  }
  EXPECT_GE(moved, 2);
}

std::string builtin(std::string_view path) {
  for (const auto& file : catalog::builtin_files())
    if (file.path.ends_with(path)) return std::string(file.text);
  return {};
}

// The first number behind `key` after `section`, times a factor.
std::string with_figure(std::string text, const std::string& section, const std::string& key,
                        double factor) {
  const auto begin = text.find("\n" + section + ":");
  const auto at = begin == std::string::npos ? begin : text.find(key + ": ", begin);
  if (at == std::string::npos) return {};
  const auto from = at + key.size() + 2;
  const auto to = text.find_first_of(",}", from);
  const auto value = scaled(text.substr(from, to - from), factor);
  return value ? text.replace(from, to - from, *value) : std::string();
}

// Every rent of a chip times a factor.
std::string with_rents(const std::string& chip, double factor) {
  std::stringstream in(builtin("prices/rent.csv"));
  std::string out;
  for (std::string line; std::getline(in, line); out += line + "\n") {
    std::vector<std::string> cells;
    std::stringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    if (line.ends_with(',')) cells.emplace_back();
    if (cells.size() < 7 || cells[1] != chip) continue;
    for (std::size_t i = 4; i < 7; ++i) cells[i] = scaled(cells[i], factor).value_or(cells[i]);
    line = fmt::format("{}", fmt::join(cells, ","));
  }
  return out;
}

struct Figure {
  const char* section;
  const char* key;
};

// Figures of the catalogue that the answer rests on: of the chip it recommends, and its rents.
TEST_P(Families, OnePerCentOfAFigureOfTheCatalogueDoesNotTurnItEither) {
  const std::string text = scenario(GetParam());
  const auto base = verdict(text);
  ASSERT_TRUE(base.machine);
  const std::string& chip = base.machine->accelerator;
  const std::string path = fmt::format("hardware/accelerators/{}.yaml", chip);
  std::vector<OverlayFile> overlays{{"prices/rent.csv", "rents", with_rents(chip, 1.01)},
                                    {"prices/rent.csv", "rents", with_rents(chip, 0.99)}};
  double factor = 1.01;
  for (const Figure& figure :
       {Figure{"memory", "bandwidth"}, Figure{"memory", "usable"}, Figure{"arithmetic", "bf16"},
        Figure{"arithmetic", "fp8"}, Figure{"scale_up", "bandwidth"}, Figure{"power", "rated"}}) {
    const std::string changed = with_figure(builtin(path), figure.section, figure.key, factor);
    if (!changed.empty()) overlays.push_back({path, figure.section, changed});
    factor = 2 - factor;
  }
  ASSERT_GE(overlays.size(), 6U) << chip;
  for (const auto& overlay : overlays) {
    const auto engine = engine_with({overlay});
    ASSERT_TRUE(engine);
    const auto changed = verdict(text, {}, *engine);
    EXPECT_TRUE(base.is_close || changed.decision == base.decision)
        << overlay.shown_as << ": " << name_of(changed.decision) << "\nnot "
        << name_of(base.decision);
  }
}

// What is asked for, as a path of the scenario and its value.
std::string demand_path(const PlanAnswer& answer) {
  for (const auto& input : answer.assumptions)
    if (input.what.starts_with("serve.demand.requests_per") || input.what == "train.tokens")
      return input.what + "=" + input.value;
  return {};
}

TEST_P(Families, LessDemandNeverAsksForMoreGpus) {
  const std::string text = scenario(GetParam());
  auto before = verdict(text);
  const std::string demand = demand_path(before);
  ASSERT_FALSE(demand.empty());
  const auto equals = demand.find('=');
  for (const double factor : {0.7, 0.3, 0.05}) {
    const auto value = scaled(demand.substr(equals + 1), factor);
    auto less = verdict(text, {demand.substr(0, equals + 1) + *value});
    // GPUs of one kind can be counted; others are compared by what they cost.
    if (less.machine->accelerator == before.machine->accelerator) {
      EXPECT_LE(less.machine->layout.gpus, before.machine->layout.gpus)
          << factor << ": " << name_of(less.decision);
    }
    EXPECT_LE(less.options[0].amount, before.options[0].amount * 1.000001)
        << name_of(less.decision);
    before = std::move(less);
  }
}

TEST_P(Families, CheaperHardwareNeverCostsMore) {
  const std::string text = scenario(GetParam());
  const auto base = verdict(text);
  Dollars before = base.options[0].amount;
  const std::string& chip = base.machine->accelerator;
  for (const double factor : {0.9, 0.5, 0.2}) {
    const auto engine = engine_with({{"prices/rent.csv", "rents", with_rents(chip, factor)}});
    ASSERT_TRUE(engine);
    const auto cheaper = verdict(text, {}, *engine);
    EXPECT_LE(cheaper.options[0].amount, before * 1.000001)
        << factor << ": " << name_of(cheaper.decision);
    before = cheaper.options[0].amount;
  }
}

}  // namespace
}  // namespace loadfactor::engine

// A market of round figures: two chips of its own beside the shipped catalogue, and what a question
// of cost becomes on it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/calendar.h"
#include "catalog/catalog.h"
#include "config/reading/testing/sound.h"
#include "resolve/terms/cost_setup.h"

namespace loadfactor::engine::testing {

inline constexpr const char* kToday = "2026-11-15";

// A module on a board of four, and a card alone; both are shipped chips by another name.
inline std::string chip_like(const std::vector<catalog::DataFile>& files, const std::string& known,
                             const std::string& name, const std::string& node) {
  for (const auto& file : files) {
    if (file.path != "hardware/accelerators/" + known + ".yaml") continue;
    std::string text = file.text;
    const auto change_line = [&text](const std::string& key, const std::string& line) {
      const auto begin = text.find("\n" + key + ":") + 1;
      auto end = text.find('\n', begin);
      while (text[end + 1] == ' ') end = text.find('\n', end + 1);
      text.replace(begin, end + 1 - begin, line);
    };
    change_line("name", "name: " + name + "\n");
    change_line("title", "title: " + name + "\n");
    change_line("aliases", "");
    change_line("node", node.empty() ? "" : "node: " + node + "\n");
    return text;
  }
  ADD_FAILURE() << "no chip " << known;
  return {};
}

inline constexpr const char* kBox = R"(schema: node/1
name: plain-box
title: Plain box
accelerator: plain-module
gpus: 4
host: {cpus: 2x Xeon, memory: 1024 GB, nvme: 30 TB,
       kind: assumed, source: general-knowledge, date: 2026}
network: {nics: 4, bandwidth: 400 Gb/s, fabric: infiniband-ndr,
          kind: assumed, source: general-knowledge, date: 2026}
power: {max: 4 kW, typical: 3 kW, idle: 600 W, cooling: air,
        kind: assumed, source: general-knowledge, date: 2026}
price: {capex: 80000 USD, low: 80000 USD, high: 80000 USD,
        kind: assumed, source: general-knowledge, date: 2026-10}
)";

// The year's contract is quoted below the price on demand, and spot of `gamma` above it.
inline constexpr const char* kRents =
    R"(provider,accelerator,region,term,usd_per_gpu_hour,low,high,as_of,kind,source,note
alpha,plain-module,any,on-demand,3,2.7,3.3,2026-10-01,assumed,general-knowledge,
beta,plain-module,any,on-demand,4,4,4,2026-10-01,assumed,general-knowledge,
gamma,plain-module,any,on-demand,5,5,6,2026-10-01,assumed,general-knowledge,
alpha,plain-module,any,reserved-1y,2.4,,,2026-10-01,assumed,general-knowledge,
alpha,plain-module,any,spot,1.2,,,2026-10-01,assumed,general-knowledge,
gamma,plain-module,any,spot,6,,,2026-01-01,assumed,general-knowledge,
delta,plain-module,us-texas,on-demand,2,,,2026-10-01,assumed,general-knowledge,
alpha,plain-card,any,on-demand,1,,,2026-10-01,assumed,general-knowledge,
)";

inline constexpr const char* kPurchases = R"(accelerator,usd_per_gpu,low,high,as_of,kind,source,note
plain-module,15000,14000,16000,2026-10,assumed,general-knowledge,
plain-card,2000,,,2026-10,assumed,general-knowledge,
)";

inline constexpr const char* kInstances =
    R"(provider,accelerator,instance,gpus,as_of,kind,source
alpha,plain-module,pair,2,2026-11,assumed,general-knowledge
alpha,plain-module,four,4,2026-11,assumed,general-knowledge
beta,plain-module,one,1,2026-11,assumed,general-knowledge
gamma,plain-module,four,4,2026-11,assumed,general-knowledge
delta,plain-module,eight,8,2026-11,assumed,general-knowledge
)";

inline const catalog::Catalog& market() {
  static const catalog::Catalog catalog = [] {
    auto files = catalog::builtin_files();
    const auto own = [&files](const std::string& path, std::string text) {
      files.push_back({path, path, std::move(text), catalog::Origin::kOverlay});
    };
    const std::string module = chip_like(files, "h100-sxm", "plain-module", "plain-box");
    const std::string card = chip_like(files, "rtx-4090", "plain-card", "");
    own("hardware/accelerators/plain-module.yaml", module);
    own("hardware/accelerators/plain-card.yaml", card);
    own("hardware/nodes/plain-box.yaml", kBox);
    own("prices/rent.csv", kRents);
    own("prices/capex.csv", kPurchases);
    own("prices/instances.csv", kInstances);
    Diagnostics diagnostics;
    auto opened = catalog::Catalog::open(std::move(files), diagnostics);
    EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
    return opened;
  }();
  return catalog;
}

// A figure of the shipped facility table.
inline double fact(std::string_view name, std::string_view variant) {
  for (const auto& row : market().facility())
    if (row.name == name && row.variant == variant) return row.value;
  ADD_FAILURE() << name << " of " << variant;
  return 0;
}

inline constexpr const char* kQuestion = R"(
loadfactor: 1
name: market
capacity: {gpus: 8, rate: 1000 tokens/s/GPU, load_factor: 40 %}
hardware: [plain-module]
money: {as_of: 2026-11-01}
)";

struct Terms {
  std::unique_ptr<CostSetup> setup;  // Nothing where something is wrong.
  Diagnostics problems;

  const CostSetup& operator*() const { return *setup; }
  const CostSetup* operator->() const { return setup.get(); }
  int code() const { return problems.empty() ? 0 : problems.errors()[0].code; }
  bool notes(std::string_view id) const {
    for (const auto& notice : setup->notices)
      if (notice.id == id) return true;
    return false;
  }
  // An argument of a notice; empty where there is none.
  std::string told(std::string_view id, std::string_view name) const {
    for (const auto& notice : setup->notices) {
      if (notice.id != id) continue;
      for (const auto& argument : notice.arguments)
        if (argument.name == name) return argument.text;
    }
    return {};
  }
  // The reason why an option has no price; 0 where it has one.
  int unpriced(std::string_view option) const {
    for (const auto& row : setup->unpriced)
      if (row.name == option) return row.code;
    return 0;
  }
  const economics::RentTerms* rent(OptionKind kind) const {
    const auto& slot = setup->terms.rent.at(static_cast<std::size_t>(kind));
    return slot ? &*slot : nullptr;
  }
};

// The question with some keys set, as `read` is told it: a text of another scenario, or figures of
// whoever knows the capacity.
inline Terms terms_of(const std::vector<std::string>& set = {}, CostInputs known = {},
                      const char* question = kQuestion) {
  known.scenario = config::testing::sound(question, set, "market.yaml");
  if (known.today.empty()) known.today = kToday;
  Terms terms;
  terms.setup = make_cost_setup(known, market(), terms.problems);
  return terms;
}

constexpr double per_hour(DollarsPerSecond price) {
  return (price * kHour).base();
}

}  // namespace loadfactor::engine::testing

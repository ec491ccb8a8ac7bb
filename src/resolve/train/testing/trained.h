// Training jobs of tests on the shipped catalogue, as the verbs resolve them.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "catalog/load/data_file.h"
#include "config/reading/testing/sound.h"
#include "resolve/train/train_layout.h"
#include "resolve/train/train_setup.h"

namespace loadfactor::engine::testing {

inline const catalog::Catalog& shipped() {
  static const catalog::Catalog catalog = [] {
    Diagnostics diagnostics;
    auto opened = catalog::Catalog::open(catalog::builtin_files(), diagnostics);
    EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
    return opened;
  }();
  return catalog;
}

// What a test writes of a run; what is left empty is left out.
struct RunText {
  std::string layout;
  std::string keys;  // Other lines of the section, indented by two.
  std::string model = "llama-3.1-8b";
  std::string sequence = "4096";
  std::string hardware = "h100-sxm";
  std::string more;  // Other sections.

  std::string text() const {
    std::string text = "loadfactor: 1\nname: t\ntrain:\n  model: " + model + "\n";
    if (!sequence.empty()) text += "  sequence: " + sequence + "\n";
    text += keys;
    if (!layout.empty()) text += "  layout: {" + layout + "}\n";
    if (!hardware.empty()) text += "hardware: [" + hardware + "]\n";
    return text + more;
  }
};

struct Trained {
  std::unique_ptr<TrainSetup> setup;  // Nothing where something is wrong.
  Diagnostics problems;

  const TrainSetup* operator->() const { return setup.get(); }
  int code() const { return problems.empty() ? 0 : problems.errors()[0].code; }
  std::string hint() const { return problems.empty() ? "" : problems.errors()[0].hint; }
  std::string refusal() const { return render(problems); }
  bool notes(std::string_view id) const {
    return std::any_of(setup->notices.begin(), setup->notices.end(),
                       [&](const Notice& notice) { return notice.id == id; });
  }
  // An argument of a notice; "none" where there is none.
  std::string told(std::string_view id, std::string_view name) const {
    for (const Notice& notice : setup->notices) {
      if (notice.id != id) continue;
      for (const auto& argument : notice.arguments)
        if (argument.name == name) return argument.text;
    }
    return "none";
  }
};

// The run resolved, without a look at its layout.
inline Trained trained(const RunText& run, TrainInputs request = {}) {
  Trained result;
  request.scenario = config::testing::sound(run.text(), {}, "t.yaml");
  result.setup = make_train_setup(request, shipped(), result.problems);
  return result;
}

// The same with its layout checked.
inline Trained checked(const RunText& run) {
  Trained result = trained(run);
  if (result.setup) check_layout(*result.setup, result.problems);
  return result;
}

// The layout that is chosen where the run leaves it open.
inline std::optional<ChosenLayout> chosen(const Trained& run) {
  return choose_layout(*run.setup, run.setup->asked_layout());
}

}  // namespace loadfactor::engine::testing

// What tests of cases share: an engine, files that are held in memory and a folder for results.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error_codes.h"
#include "config/reading/scenario_reader.h"
#include "sweep/run/crew_runner.h"
#include "sweep/run/runner.h"

namespace loadfactor::sweep {

namespace fs = std::filesystem;

inline constexpr const char* kService = R"(loadfactor: 1
name: small
serve:
  model: llama-3.1-8b
  precision: bf16
  demand: {requests_per_month: 1 M, tokens_in: 1500, tokens_out: 500}
  deployment: {gpu: h100-sxm, tp: 1, engine: vllm}
hardware: [h100-sxm]
)";

// Files that are held in memory.
class HeldFiles final : public facade::FileSource {
 public:
  std::map<std::string, std::string> texts;

  Result<InputFile> open(const std::string& path) override {
    const auto found = texts.find(path);
    if (found != texts.end()) return InputFile::of(path, found->second);
    return Error{.code = lf::kCannotRead, .message = "there is no file '" + path + "'"};
  }
  Result<std::vector<InputFile>> open_model(const std::string& path) override {
    TRY(InputFile file, open(path));
    return std::vector<InputFile>{std::move(file)};
  }
  Result<InputFile> open_beside(const std::string& /*scenario*/, const std::string& path) override {
    return open(path);
  }
  Result<std::vector<InputFile>> open_model_beside(const std::string& /*scenario*/,
                                                   const std::string& path) override {
    return open_model(path);
  }
  bool has(const std::string& path) const override { return texts.contains(path); }
  std::string date_of(const std::string& /*path*/) const override { return ""; }
  std::optional<config::Scenario> parse(const std::string& name, const std::string& text,
                                        std::span<const std::string> assignments,
                                        Diagnostics& diagnostics) override {
    return config::parse_scenario(name, text, assignments, diagnostics);
  }
};

class SweepRunTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    Diagnostics diagnostics;
    engine_ = Engine::create({}, diagnostics).release();
    ASSERT_NE(engine_, nullptr) << render(diagnostics);
  }
  static void TearDownTestSuite() { delete engine_; }
  void SetUp() override {
    files_.texts["s.yaml"] = kService;
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::unique_ptr<CaseTable> table(const std::string& text) {
    return table_of_file("sweep: 1\nname: x\n" + text);
  }
  std::unique_ptr<CaseTable> table_of_file(const std::string& text) {
    auto file = read_sweep(
        "sweep.yaml", text,
        [this](const std::string& path) -> Result<std::string> {
          const auto found = files_.texts.find(path);
          if (found != files_.texts.end()) return found->second;
          return Error{.code = lf::kCannotRead, .message = path};
        },
        diagnostics_);
    if (!file) return nullptr;
    auto maker = CaseMaker::prepare(*std::move(file), "", files_, diagnostics_);
    return maker == nullptr ? nullptr : CaseTable::prepare(std::move(maker), "c", diagnostics_);
  }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  static std::vector<CaseRow> rows(const std::string& path) {
    std::vector<CaseRow> out;
    const auto results = Results::read_from(path);
    EXPECT_TRUE(results.has_value());
    if (!results) return out;
    EXPECT_TRUE(results
                    ->for_each([&](const CaseRow& row) -> Result<bool> {
                      out.push_back(row);
                      return true;
                    })
                    .has_value());
    return out;
  }
  std::vector<CaseRow> run(const CaseTable& table, const std::string& name, RunAsk ask,
                           Crew* crew = nullptr) const {
    auto results = Results::write_to(at(name), table.identity());
    EXPECT_TRUE(results.has_value());
    const auto done = crew == nullptr ? run_cases(table, *engine_, *results, ask)
                                      : run_with_crew(*crew, table, *engine_, *results, ask);
    EXPECT_TRUE(done.has_value());
    EXPECT_TRUE(results->finish().has_value());
    return rows(at(name));
  }

  static inline const Engine* engine_ = nullptr;
  HeldFiles files_;
  Diagnostics diagnostics_;
  fs::path folder_ = fs::temp_directory_path() / ("lf-run-test-" + std::to_string(getpid()));
};
inline constexpr const char* kFits =
    "verb: fit\noptions: {model: llama-3.1-8b}\naxes:\n"
    "  - {key: --gpu, values: [h100-sxm, l40s, no-such-chip]}\n"
    "  - {key: --context, from: 1000, to: 64000, steps: 6, scale: log, whole: true}\n";

}  // namespace loadfactor::sweep

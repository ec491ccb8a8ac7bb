// `calibrate`, of a site's measurements, of published results, and of measured tables.
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "facade/forms/makers.h"

namespace loadfactor::facade {
namespace {

// The two sides of `a=b`; the first is empty where there is no sign.
std::pair<std::string, std::string> sides(const std::string& text) {
  const auto sign = text.find('=');
  if (sign == std::string::npos) return {"", text};
  return {text.substr(0, sign), text.substr(sign + 1)};
}

Result<std::vector<MeasuredTable>> read_tables(const Reading& reading,
                                               const std::vector<std::string>& words) {
  std::vector<MeasuredTable> tables;
  for (const std::string& word : words) {
    const auto [source, path] = sides(word);
    TRY(auto file, reading.files.open(path));
    MeasuredTable& table = tables.emplace_back();
    table.file = std::move(file);
    if (!source.empty()) table.source = source;
  }
  return tables;
}

class SiteForm final : public Form {
 public:
  SiteForm() {
    saving.with_answer = saving.is_guarded = true;
    positional(
        words("files", files_, "what was measured: probe JSON, logs, profiles, results", "FILE"),
        false);
    words("for", scenarios_, "the scenario that a step, log or run was measured on", "SCENARIO")
        .takes_several = true;
    words("step-time", times_, "one measured training step, such as 12.3s", "TIME").takes_several =
        true;
    word("gpu", site_.gpu, "the catalogue's name of the device measured", "NAME");
    word("engine", site_.engine, "what served a measured load; vllm unless said", "NAME");
    word("precision", site_.precision, "of its weights and arithmetic; bf16 unless said", "NAME");
    number("tp", site_.tp, "GPUs that shared each layer of it", "INT", 1, 1024);
    word("folder", saving.folder, "writes the overlay here, for --catalog", "DIR").kind =
        Option::Kind::kOutput;
    add("replace", Option::Kind::kSwitch, "writes over what an earlier calibration left there", "")
        .take = [this](const std::string&) {
      saving.is_guarded = false;
      return std::string();
    };
    flag("where-did-it-go", site_.find_gap, "which term the missing time went to");
    flag("for-overlay", site_.for_overlay, "refuses what must not be laid over").is_json_only =
        true;
  }

  std::optional<Question> question(const Reading& reading) override {
    site_.for_overlay = site_.for_overlay || !saving.folder.empty();
    if (const auto read = read_files(reading); !read) return reading.refuse(read.error());
    for (const std::string& path : scenarios_) {
      auto about = read_scenario_from(reading, path, "calibrate");
      if (!about) return std::nullopt;
      site_.scenarios.push_back(*std::move(about));
    }
    return CalibrateQuestion{site_, reading.settings};
  }

 private:
  Result<bool> read_files(const Reading& reading) {
    for (const std::string& path : files_) {
      TRY(auto file, reading.files.open(path));
      site_.files.push_back(std::move(file));
    }
    for (const std::string& word : times_) {
      const auto time = parse_as<Dimension{.time = 1}>(word);
      if (!time || *time <= Seconds())
        return Error{.code = lf::kWrongUnit,
                     .message = fmt::format("'{}' is no time of a step", word),
                     .hint = "write `--step-time 12.3s`"};
      site_.step_times.push_back(*time);
    }
    return true;
  }

  SiteMeasurements site_;
  std::vector<std::string> files_, scenarios_, times_;
};

class TrainingRefitForm final : public Form {
 public:
  TrainingRefitForm() {
    saving = {.folder = "data/calibration", .with_answer = true};
    word("folder", saving.folder, "where to write", "DIR").kind = Option::Kind::kOutput;
  }
  std::optional<Question> question(const Reading& reading) override {
    return CalibrateQuestion{TrainingRefit(), reading.settings};
  }
};

class ServingRefitForm final : public Form {
 public:
  ServingRefitForm() {
    saving = {.folder = "data/calibration", .with_answer = true};
    word("data", data_, "published serving results", "FILE.csv").is_required = true;
    word("weights", weights_, "weights of its rows, by id", "FILE.csv");
    word("folder", saving.folder, "where to write", "DIR").kind = Option::Kind::kOutput;
    number("rows-per-cell", refit_.rows_per_cell, "rows of a cell that are fitted", "N", 1);
    number("scale", refit_.scale, "residuals beyond it count linearly", "X");
    number("spread", refit_.spread, "what a unit of weight is worth against a prior", "X");
    flag("rows", refit_.all_rows, "every group, and a table of all rows");
  }
  std::optional<Question> question(const Reading& reading) override {
    auto rows = reading.files.open(data_);
    if (!rows) return reading.refuse(rows.error());
    refit_.rows = *std::move(rows);
    if (!weights_.empty()) {
      auto weights = reading.files.open(weights_);
      if (!weights) return reading.refuse(weights.error());
      refit_.weights = *std::move(weights);
    }
    return CalibrateQuestion{refit_, reading.settings};
  }

 private:
  ServingRefit refit_;
  std::string data_, weights_;
};

class KernelTablesForm final : public Form {
 public:
  KernelTablesForm() {
    saving.with_answer = true;
    positional(words("files", files_, "tables, as FILE or SOURCE=FILE", "TEXT"));
    word("chip", kernels_.chip, "the chip of tables that do not name one", "TEXT");
    words("name", names_, "WORD=CHIP: what a table calls a chip", "TEXT");
    word("date", kernels_.date, "when it was measured, YYYY or YYYY-MM", "TEXT").shown_default =
        kernels_.date;
    word("folder", saving.folder, "writes <folder>/<chip>/fit.yaml", "TEXT").kind =
        Option::Kind::kOutput;
    number("worst", kernels_.worst,
           "leaves out fits that miss unseen shapes by more, median in percent", "FLOAT")
        .shown_default = "20";
  }
  std::optional<Question> question(const Reading& reading) override {
    auto tables = read_tables(reading, files_);
    if (!tables) return reading.refuse(tables.error());
    kernels_.tables = *std::move(tables);
    for (const std::string& word : names_) {
      const auto [said, chip] = sides(word);
      kernels_.names.push_back({said, chip});
    }
    return CalibrateQuestion{kernels_, reading.settings};
  }

 private:
  KernelTables kernels_;
  std::vector<std::string> files_, names_;
};

class CollectiveTablesForm final : public Form {
 public:
  CollectiveTablesForm() {
    saving.with_answer = true;
    positional(words("files", files_, "tables, as FILE or SOURCE=FILE", "TEXT"));
    word("date", collectives_.date, "when it was measured, YYYY or YYYY-MM", "TEXT").shown_default =
        collectives_.date;
    words("most", bounds_, "LINK=RANKS: larger groups leave that link", "LINK=RANKS");
    word("folder", saving.folder, "writes <folder>/collectives.yaml", "DIR").kind =
        Option::Kind::kOutput;
  }
  std::optional<Question> question(const Reading& reading) override {
    for (const std::string& word : bounds_) {
      const auto [link, ranks] = sides(word);
      collectives_.bounds.push_back({link, std::atoi(ranks.c_str())});
    }
    auto tables = read_tables(reading, files_);
    if (!tables) return reading.refuse(tables.error());
    collectives_.tables = *std::move(tables);
    return CalibrateQuestion{collectives_, reading.settings};
  }

 private:
  CollectiveTables collectives_;
  std::vector<std::string> files_, bounds_;
};

}  // namespace

std::unique_ptr<Form> calibrate_site_form() {
  return std::make_unique<SiteForm>();
}
std::unique_ptr<Form> calibrate_training_form() {
  return std::make_unique<TrainingRefitForm>();
}
std::unique_ptr<Form> calibrate_serving_form() {
  return std::make_unique<ServingRefitForm>();
}
std::unique_ptr<Form> calibrate_kernels_form() {
  return std::make_unique<KernelTablesForm>();
}
std::unique_ptr<Form> calibrate_collectives_form() {
  return std::make_unique<CollectiveTablesForm>();
}

}  // namespace loadfactor::facade

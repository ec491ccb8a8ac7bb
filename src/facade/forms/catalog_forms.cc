// `validate` and `catalog`.
#include <filesystem>

#include <fmt/format.h>

#include "catalog/import/hf_config.h"
#include "facade/forms/makers.h"
#include "facade/forms/words.h"

namespace loadfactor::facade {
namespace {

class ValidateForm final : public Form {
 public:
  ValidateForm() {
    word("training", training_, "published training results; ours if left out", "FILE.csv").kind =
        Option::Kind::kMaybeWord;
    word("inference", inference_, "published serving results; how ours did on theirs if left out",
         "FILE.csv")
        .kind = Option::Kind::kMaybeWord;
    word("steps", steps_, "whole measured steps, of training or of inference", "FILE.csv");
    word("runs", runs_, "whole pre-training runs and their hours; those we know of if left out",
         "FILE.csv")
        .kind = Option::Kind::kMaybeWord;
    word("gpu", question_.gpu, "where the steps were measured; h200-sxm if left out", "NAME");
    word("stack", question_.stack,
         "what ran the steps where their rows do not say; pytorch-compiled if left out", "NAME");
    word("weights", weights_, "how much each row counts: columns id, weight", "FILE.csv");
  }
  std::optional<Question> question(const Reading& reading) override {
    const bool has_steps = !steps_.empty();
    if (is_given("training") + is_given("inference") + is_given("runs") + has_steps > 1)
      return reading.refuse(
          usage("--training, --inference, --runs and --steps are different questions",
                "ask one at a time"));
    question_.kind = has_steps               ? ValidateKind::kSteps
                     : is_given("inference") ? ValidateKind::kInference
                     : is_given("runs")      ? ValidateKind::kRuns
                                             : ValidateKind::kTraining;
    if (!open(reading, has_steps ? steps_ : training_ + inference_ + runs_, question_.rows) ||
        !open(reading, weights_, question_.weights))
      return std::nullopt;
    return question_;
  }

 private:
  static bool open(const Reading& reading, const std::string& path, std::optional<InputFile>& to) {
    if (path.empty()) return true;
    auto file = reading.files.open(path);
    if (!file) return reading.diagnostics.add(file.error()), false;
    to = *std::move(file);
    return true;
  }
  ValidateQuestion question_;
  std::string training_, inference_, runs_, steps_, weights_;
};

class CatalogForm final : public Form {
 public:
  CatalogForm() {
    positional(words("words", words_, "gpus|models|… [WORD], show, import, check", "WHAT"), false);
    word("save", saving.folder, "import: the folder to save into", "DIR").kind =
        Option::Kind::kOutput;
    word("name", question_.name, "import: how to call the model", "NAME");
    word("as", kind_, "import: model, litellm or skypilot", "KIND");
    word("date", date_, "import: YYYY-MM-DD of the file", "DATE").is_json_only = true;
  }
  std::optional<Question> question(const Reading& reading) override {
    question_.settings = reading.settings;
    if (words_.empty()) return question_;
    const std::string& first = words_.front();
    const std::vector<std::string> rest(words_.begin() + 1, words_.end());
    if (first == "check") {
      question_.task = CatalogTask::kCheck;
      overlays = rest;
      return question_;
    }
    if (first == "show" || first == "import") {
      if (rest.size() != 1)
        return reading.refuse(usage(fmt::format("`catalog {}` takes one name", first),
                                    fmt::format("write `loadfactor catalog {} NAME`", first)));
      question_.match = rest.front();
      question_.task = first == "show" ? CatalogTask::kShow : CatalogTask::kImport;
      if (first == "import" && !read_import(reading, rest.front())) return std::nullopt;
      return question_;
    }
    if (rest.size() > 1)
      return reading.refuse(usage(fmt::format("`catalog {}` takes one word to look for", first),
                                  "put words with blanks into quotes"));
    question_.task = CatalogTask::kList;
    question_.noun = first;
    if (!rest.empty()) question_.match = rest.front();
    return question_;
  }

 private:
  bool read_import(const Reading& reading, const std::string& path) {
    question_.import = find_word(kImportKinds, kind_);
    if (!kind_.empty() && !question_.import)
      return reading.diagnostics.add(usage(fmt::format("no import as '{}'", kind_),
                                           "one of: model, litellm, skypilot")),
             false;
    auto files = reading.files.open_model(path);
    if (!files) return reading.diagnostics.add(files.error()), false;
    question_.files = *std::move(files);
    question_.date = date_.empty() ? reading.files.date_of(path) : date_;
    // A folder carries the model's name.
    if (question_.name.empty() && question_.files.front().shown() != path) {
      const auto clean = std::filesystem::path(path).lexically_normal();
      const auto last =
          clean.filename().empty() ? clean.parent_path().filename() : clean.filename();
      question_.name = catalog::catalogue_name(last.string());
    }
    return true;
  }

  CatalogQuestion question_;
  std::vector<std::string> words_;
  std::string kind_, date_;
};

}  // namespace

std::unique_ptr<Form> validate_form() {
  return std::make_unique<ValidateForm>();
}
std::unique_ptr<Form> catalog_form() {
  return std::make_unique<CatalogForm>();
}

}  // namespace loadfactor::facade

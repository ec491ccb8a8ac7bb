// `emit` and `read`.
#include <fmt/format.h>

#include "config/document.h"
#include "engine/explain/diff.h"
#include "facade/forms/makers.h"

namespace loadfactor::facade {
namespace {

// The scenario that a saved plan was made of, as it names it.
std::string scenario_of(const std::string& path, const std::string& text) {
  const auto document = config::parse_json(path, text);
  if (!document) return {};
  for (const auto& member : document->root.members)
    if (member.key == "scenario")
      for (const auto& inner : member.value.members)
        if (inner.key == "file") return inner.value.scalar;
  return {};
}

class EmitForm final : public Form {
 public:
  EmitForm() {
    takes_folder = true;
    positional(word("target", question_.target,
                    "megatron, deepspeed, torchtitan, accelerate, pytorch, vllm, sglang, slurm, "
                    "kubernetes, …; a wrong one lists all",
                    "TARGET"));
    scenario("a scenario, or a plan of one saved as JSON; - reads stdin");
  }
  std::optional<Question> question(const Reading& reading) override {
    auto file = reading.files.open(path_);
    if (!file) return reading.refuse(file.error());
    question_.settings = reading.settings;
    std::string text(file->bytes);
    std::string path = path_;
    if (engine::is_saved_plan(path_, text)) {
      path = scenario_of(path_, text);
      if (path.empty() || path == "-")
        return reading.refuse(usage(fmt::format("'{}' does not name its scenario", path_),
                                    "give the scenario itself, or plan a file"));
      question_.plan = *std::move(file);
      auto beside = reading.files.open(path);
      if (!beside) return reading.refuse(beside.error());
      text = std::string(beside->bytes);
    }
    auto about = read_scenario_at(reading, path, text, "plan");
    if (!about) return std::nullopt;
    question_.about = *std::move(about);
    return question_;
  }

 private:
  EmitQuestion question_;
};

class ReadForm final : public Form {
 public:
  ReadForm() {
    positional(words("files", names_,
                     "a launch script, configuration, manifest or list of hardware, and what "
                     "belongs to it; - reads stdin",
                     "FILE"));
  }
  std::optional<Question> question(const Reading& reading) override {
    ReadQuestion question;
    for (const auto& name : names_) {
      auto file = reading.files.open(name);
      if (!file) return reading.refuse(file.error());
      question.files.push_back(*std::move(file));
    }
    if (question.files.empty())
      return reading.refuse(usage("read needs a file", "loadfactor read train.sh, or - for stdin"));
    return question;
  }

 private:
  std::vector<std::string> names_;
};

}  // namespace

std::unique_ptr<Form> emit_form() {
  return std::make_unique<EmitForm>();
}
std::unique_ptr<Form> read_form() {
  return std::make_unique<ReadForm>();
}

}  // namespace loadfactor::facade

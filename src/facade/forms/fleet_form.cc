// `fleet`.
#include <algorithm>
#include <optional>

#include "config/reading/fleet_reader.h"
#include "config/reading/scenario_reader.h"
#include "facade/files.h"
#include "facade/forms/makers.h"

namespace loadfactor::facade {
namespace {

class FleetForm final : public Form {
 public:
  FleetForm() {
    has_page = true;
    set_help = "replace a value: pools.0.gpus=64";
    scenario_at("fleet", "pools and workloads, as YAML or JSON; - reads stdin", "FLEET");
  }
  std::optional<Question> question(const Reading& reading) override {
    auto file = reading.files.open(path_);
    if (!file) return reading.refuse(file.error());
    const auto fleet = config::parse_fleet(file->shown(), std::string(file->bytes), reading.set,
                                           reading.diagnostics);
    if (!fleet) return std::nullopt;
    FleetQuestion question{.fleet = *std::move(file), .set = reading.set};
    question.settings = reading.settings;
    for (const config::FleetFile& named : config::files_of(*fleet)) {
      if (const auto error = open(reading, named, question)) {
        const bool is_placed = error->where.line > 0;
        return reading.refuse(is_placed ? *error
                                        : fleet->error(error->code, named.name.position,
                                                       error->message, error->hint));
      }
    }
    return question;
  }

 private:
  // A file that the fleet names, and those that a scenario among them names in turn; all of them
  // lie beside the fleet. What is wrong, if anything is.
  std::optional<Error> open(const Reading& reading, const config::FleetFile& named,
                            FleetQuestion& question) const {
    const auto is_known = [&](const InputFile& file) { return file.name == named.name.value; };
    if (std::any_of(question.files.begin(), question.files.end(), is_known)) return std::nullopt;
    if (named.is_model) {
      auto files = reading.files.open_model_beside(path_, named.name.value);
      if (!files) return files.error();
      for (InputFile& file : *files) question.files.push_back(std::move(file));
      return std::nullopt;
    }
    auto file = reading.files.open_beside(path_, named.name.value);
    if (!file) return file.error();
    const std::string shown = file->shown();
    const std::string text(file->bytes);
    question.files.push_back(*std::move(file));
    if (!named.is_scenario) return std::nullopt;
    Diagnostics unread;  // Whoever answers says what is wrong with it.
    const auto scenario = config::parse_scenario(shown, text, {}, unread);
    if (!scenario) return std::nullopt;
    for (const NamedFile& inner : files_named_by(*scenario, "plan"))
      if (auto error = open(reading, {inner.name, inner.is_model, false}, question)) return error;
    return std::nullopt;
  }
};

}  // namespace

std::unique_ptr<Form> fleet_form() {
  return std::make_unique<FleetForm>();
}

}  // namespace loadfactor::facade

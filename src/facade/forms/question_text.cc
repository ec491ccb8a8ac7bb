// Questions as JSON, the way question_from_json reads them.
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/quantity_text.h"
#include "facade/anchor.h"
#include "facade/forms/given_file.h"
#include "facade/forms/words.h"
#include "loadfactor/engine.h"
#include "report/describe/tree.h"
#include "report/observe/observe_report.h"

namespace loadfactor::facade {
namespace {

std::string text_of(Seconds time) {
  return format_exact(any(time));
}

// A number that, divided by 100, is the share to the last bit.
double percent_of(double share) {
  const double near = share * 100;
  for (const double percent : {near, std::nextafter(near, 0.0), std::nextafter(near, 2 * near)})
    if (percent / 100 == share) return percent;
  return near;
}

Value list_of(const auto& items) {
  Value::List list;
  for (const auto& item : items) list.emplace_back(item);
  return list;
}

class QuestionWriter {
 public:
  std::string write(const Question& question, const Style& style) {
    verb_ = verb_of(question);
    std::visit([this](const auto& asked) { add(asked); }, question);
    add_style(style);
    Value::Object document{{"verb", verb_}};
    if (scenario_) document.push_back({"scenario", *scenario_});
    if (!files_.empty()) document.push_back({"files", files_});
    if (!set_.empty()) document.push_back({"set", set_});
    if (!options_.empty()) document.push_back({"options", options_});
    return report::print_json(document);
  }

 private:
  void option(std::string name, Value value) {
    options_.push_back({std::move(name), std::move(value)});
  }
  void option_if(bool is_said, const char* name, const Value& value) {
    if (is_said) option(name, value);
  }
  void word(const char* name, const std::string& text) { option_if(!text.empty(), name, text); }
  void flag(const char* name, bool is_set) { option_if(is_set, name, true); }
  template <typename T>
  void maybe(const char* name, const std::optional<T>& value) {
    if (value) option(name, *value);
  }
  void time(const char* name, const std::optional<Seconds>& value) {
    if (value) option(name, text_of(*value));
  }

  void add_style(const Style& style) {
    flag("quiet", style.quiet);
    flag("explain", style.explain);
    flag("reproducible", style.reproducible);
    if (verb_ != "cost") return;
    flag("tornado", style.tornado);
    flag("facility", style.facility);
  }

  void add(const Settings& settings) {
    option("seed", settings.seed);
    option("threads", settings.threads);
    word("today", settings.today);
  }

  // A file under its name or, where another one has it, under a name of its own.
  std::string file(const InputFile& given, const std::string& wanted,
                   const std::vector<std::string>& set = {}) {
    std::string name = wanted;
    for (int i = 2;; ++i) {
      const Value value = value_of(given, name, set);
      const Value* there = find(name);
      if (there == nullptr) files_.push_back({name, value});
      if (there == nullptr || report::print_json(*there) == report::print_json(value)) return name;
      name = std::to_string(i) + "-" + wanted;
    }
  }
  std::string file(const InputFile& given) { return file(given, given.name); }
  const Value* find(const std::string& name) const {
    for (const Member& member : files_)
      if (member.key == name) return &member.value;
    return nullptr;
  }
  void maybe_file(const char* name, const std::optional<InputFile>& given) {
    if (given) option(name, file(*given));
  }

  // What was set in a scenario, and then edited.
  static std::vector<std::string> changes_of(const config::Scenario& scenario) {
    std::vector<std::string> all = scenario.source->assignments;
    for (const config::Edit& edit : edits_of(scenario)) all.push_back(to_set_text(edit));
    return all;
  }

  void named_files(const ScenarioWithFiles& about) {
    for (const InputFile& given : about.files) file(given);
  }

  // The scenario of a question that has one.
  void add_scenario(const ScenarioWithFiles& about) {
    if (!about.scenario.source) return;
    set_ = std::get<Value::List>(list_of(changes_of(about.scenario)).data);
    const std::string& path = about.scenario.file();
    const std::string& text = about.scenario.source->text;
    if (path.empty() || path == "scenario") {
      scenario_ = text;
    } else {
      option("scenario", file(InputFile::of(path, text)));
    }
    named_files(about);
  }

  // One of several, which carries what was set in it.
  std::string own_scenario(const ScenarioWithFiles& about) {
    named_files(about);
    const std::string& path = about.scenario.file();
    return file(InputFile::of(path, about.scenario.source->text), path.empty() ? "scenario" : path,
                changes_of(about.scenario));
  }

  // Files of a model below its path, or the one that the path names.
  template <typename File>
  void add_model(const std::string& path, const std::vector<File>& files) {
    for (const File& given : files) {
      const bool is_whole = files.size() == 1 && path.ends_with(".json");
      file(as_input(given), is_whole ? path : path + "/" + given.name);
    }
  }
  static InputFile as_input(const InputFile& given) { return given; }
  static InputFile as_input(const ModelFile& given) {
    InputFile input = InputFile::of(given.name, given.text);
    input.shown_as = given.shown_as;
    input.size = given.size;
    return input;
  }

  // In words where they say all of it, else as a file.
  void add_anchor(const std::optional<ServeAnchor>& anchor) {
    if (!anchor) return;
    if (const auto said = parse_anchor(anchor->source); said && said->value == anchor->value)
      return option("anchor", anchor->source);
    Value::Object run{{anchor->metric, anchor->value}};
    const auto figure = [&run](const char* key, double value) {
      if (value > 0) run.push_back({key, value});
    };
    figure("concurrency", anchor->concurrency);
    figure("rate", anchor->rate);
    figure("tokens_in", anchor->tokens_in);
    figure("tokens_out", anchor->tokens_out);
    if (!anchor->model.empty()) run.push_back({"model_id", anchor->model});
    const bool is_name = !anchor->source.empty() && anchor->source.find('=') == std::string::npos;
    option("anchor",
           file(InputFile::of(is_name ? anchor->source : "anchor.json", report::print_json(run))));
  }

  void add(const PlanQuestion& asked) {
    add_scenario(asked.about);
    add(asked.settings);
    option("draws", asked.draws);
    option("confirm", asked.confirm);
    option_if(asked.years > 0, "years", asked.years);
    option_if(!asked.gates.empty(), "gate", list_of(asked.gates));
    flag("page", asked.page);
    flag("launch", asked.launch);
  }
  void add(const FitQuestion& asked) {
    option("model", asked.model.empty() ? std::string("model") : asked.model);
    add_model(asked.model.empty() ? "model" : asked.model, asked.model_files);
    word("gpu", asked.accelerator);
    option_if(asked.tp > 0, "tp", asked.tp);
    option("pp", asked.pp);
    option("ep", asked.ep);
    word("quant", asked.quantisation);
    word("kv", asked.kv_dtype);
    option_if(asked.context > 0, "context", asked.context);
    word("engine", asked.engine);
    maybe("util", asked.memory_fraction);
    maybe("chunk", asked.batched_tokens);
    maybe("max-seqs", asked.max_sequences);
  }
  void add(const TrainQuestion& asked) {
    add_scenario(asked.about);
    flag("trace", asked.trace);
  }
  void add_space(const auto& asked) {
    add_scenario(asked.about);
    add(asked.settings);
    option("placement", word_for(kPlacements, asked.placement));
    option_if(!asked.gpus.empty(), "gpus", list_of(asked.gpus));
    option_if(!asked.precisions.empty(), "precision", list_of(asked.precisions));
    option("headroom", percent_of(asked.headroom));
  }
  void add(const SearchQuestion& asked) {
    add_space(asked);
    if (asked.objective) option("objective", word_for(kObjectives, *asked.objective));
    flag("exhaustive", asked.exhaustive);
  }
  void add(const ScaleQuestion& asked) {
    add_space(asked);
    option("efficiency", percent_of(asked.efficiency));
    if (asked.day_value) option("day-value", asked.day_value->base());
  }
  void add(const ServeQuestion& asked) {
    add_scenario(asked.about);
    maybe("concurrency", asked.concurrency);
    maybe("kv-tokens", asked.kv_tokens);
    add_anchor(asked.anchor);
    option_if(!asked.batches.empty(), "batches", list_of(asked.batches));
  }
  void add(const SimulateQuestion& asked) {
    add_scenario(asked.about);
    add(asked.settings);
    option_if(asked.requests > 0, "requests", asked.requests);
    option_if(asked.kv_tokens > 0, "kv-tokens", asked.kv_tokens);
    if (asked.router) option("router", word_for(kRouters, *asked.router));
    time("timeout", asked.timeout);
    time("first-token-timeout", asked.first_token_timeout);
    option_if(asked.max_waiting > 0, "max-waiting", asked.max_waiting);
    option_if(asked.max_replicas > 0, "max-replicas", asked.max_replicas);
    option_if(asked.target_load > 0, "target-load", asked.target_load);
    time("start-time", asked.start_time);
    flag("plain", asked.plain);
    flag("trace", asked.trace);
    add_anchor(asked.anchor);
  }
  void add(const SizeQuestion& asked) {
    add_scenario(asked.about);
    add(asked.settings);
    maybe("spares", asked.spares);
    time("cold-start", asked.cold_start);
    time("maintenance", asked.maintenance);
    option("confirm", asked.confirm);
    option_if(asked.weeks > 0, "weeks", asked.weeks);
    option_if(asked.fleet > 0, "fleet", asked.fleet);
  }
  void add(const FillQuestion& asked) {
    if (!asked.jobs) add_scenario(asked.about);
    add(asked.settings);
    word("gpu", asked.gpu);
    option_if(asked.gpus > 0, "gpus", asked.gpus);
    flag("simulate", asked.simulate);
    time("think", asked.think_time);
    maybe_file("jobs", asked.jobs);
    maybe("busy", asked.busy);
  }
  void add(const CostQuestion& asked) {
    add_scenario(asked.about);
    add(asked.settings);
    option("draws", asked.draws);
    word("bill", asked.bill_of);
  }
  void add(const DemandQuestion& asked) {
    Value::List files;
    for (const InputFile& given : asked.files) files.emplace_back(file(given));
    option_if(!files.empty(), "files", files);
    add(asked.settings);
    flag("fit", asked.task == DemandTask::kFit);
    flag("convert", asked.task == DemandTask::kConvert);
    if (asked.time_unit) option("time-unit", word_for(kTimeUnits, *asked.time_unit));
    option("block", asked.block_tokens);
    time("interval", asked.interval);
    option("compress", asked.compress);
    flag("spread", asked.spread);
    if (asked.task != DemandTask::kGenerate) return;
    option("generate", asked.model_file ? file(*asked.model_file) : asked.model);
    time("duration", asked.duration);
    if (asked.rate) option("rate", format_exact(any(*asked.rate)));
  }
  void add(const AuditQuestion& asked) {
    option("claim", file(asked.claim));
    if (asked.gate) option("gate", word_for(kAuditGates, *asked.gate));
  }
  void add(const ExplainQuestion& asked) {
    Value::List words{asked.subject};
    if (asked.about) {
      add_scenario(*asked.about);
      if (!scenario_) {
        words.push_back(options_.back().value);
        options_.pop_back();
      }
    }
    option("word", words);
    add(asked.settings);
  }
  void add(const DiffQuestion& asked) {
    option("before", side(asked.before));
    option("after", side(asked.after));
    add(asked.settings);
    flag("running", asked.before_runs);
    option("draws", asked.draws);
    option_if(!asked.gates.empty(), "gate", list_of(asked.gates));
  }
  std::string side(const PlanSide& side) {
    if (const auto* plan = std::get_if<InputFile>(&side)) return file(*plan);
    return own_scenario(std::get<ScenarioWithFiles>(side));
  }
  void add(const ValidateQuestion& asked) {
    option(word_for(kValidateKinds, asked.kind), asked.rows ? file(*asked.rows) : std::string());
    maybe_file("weights", asked.weights);
    word("gpu", asked.gpu);
    word("stack", asked.stack);
  }
  void add(const CalibrateQuestion& asked) {
    std::visit([this](const auto& from) { add(from); }, asked.from);
    add(asked.settings);
  }
  void add(const SiteMeasurements& from) {
    Value::List files;
    Value::List scenarios;
    Value::List times;
    for (const InputFile& given : from.files) files.emplace_back(file(given));
    for (const auto& about : from.scenarios) scenarios.emplace_back(own_scenario(about));
    for (const Seconds step : from.step_times) times.emplace_back(text_of(step));
    option_if(!files.empty(), "files", files);
    option_if(!scenarios.empty(), "for", scenarios);
    option_if(!times.empty(), "step-time", times);
    word("gpu", from.gpu);
    word("engine", from.engine);
    word("precision", from.precision);
    option_if(from.tp > 0, "tp", from.tp);
    flag("where-did-it-go", from.find_gap);
    flag("for-overlay", from.for_overlay);
  }
  void add(const TrainingRefit& /*from*/) { verb_ = "calibrate training"; }
  void add(const ServingRefit& from) {
    verb_ = "calibrate serving";
    option("data", file(from.rows));
    maybe_file("weights", from.weights);
    option("rows-per-cell", from.rows_per_cell);
    option("scale", from.scale);
    option("spread", from.spread);
    flag("rows", from.all_rows);
  }
  void add_tables(const std::vector<MeasuredTable>& tables) {
    Value::List words;
    for (const MeasuredTable& table : tables)
      words.emplace_back(table.source + "=" + file(table.file));
    option("files", words);
  }
  void add(const KernelTables& from) {
    verb_ = "calibrate kernels";
    add_tables(from.tables);
    word("chip", from.chip);
    Value::List names;
    for (const auto& [said, chip] : from.names) names.emplace_back(said + "=" + chip);
    option_if(!names.empty(), "name", names);
    word("date", from.date);
    option("worst", from.worst);
  }
  void add(const CollectiveTables& from) {
    verb_ = "calibrate collectives";
    add_tables(from.tables);
    Value::List bounds;
    for (const auto& [link, ranks] : from.bounds)
      bounds.emplace_back(link + "=" + std::to_string(ranks));
    option_if(!bounds.empty(), "most", bounds);
    word("date", from.date);
  }
  void add(const CatalogQuestion& asked) {
    Value::List words;
    const auto say = [&words](const std::string& text) {
      if (!text.empty()) words.emplace_back(text);
    };
    const bool imports = asked.task == CatalogTask::kImport;
    if (asked.task == CatalogTask::kCheck) say("check");
    if (asked.task == CatalogTask::kShow) say("show");
    if (imports) say("import");
    if (asked.task == CatalogTask::kList) say(asked.noun);
    const std::string path = imports && asked.match.empty() ? "import" : asked.match;
    say(path);
    option_if(!words.empty(), "words", words);
    add(asked.settings);
    if (imports) add_import(asked, path);
    word("name", asked.name);
    if (asked.import) option("as", word_for(kImportKinds, *asked.import));
    word("date", asked.date);
  }
  void add(const EmitQuestion& asked) {
    option("target", asked.target);
    if (asked.plan) {
      // A saved plan names its scenario, which stands among the files under that name.
      own_scenario(asked.about);
      option("scenario", file(*asked.plan));
    } else {
      add_scenario(asked.about);
    }
    add(asked.settings);
  }
  void add(const ReadQuestion& asked) {
    Value::List files;
    for (const InputFile& given : asked.files) files.emplace_back(file(given));
    option("files", files);
  }
  void add(const ObserveQuestion& asked) {
    Value::List files;
    for (const InputFile& given : asked.files) files.emplace_back(file(given));
    option("sources", files);
    Value::List scenarios;
    for (const auto& about : asked.scenarios) scenarios.emplace_back(own_scenario(about));
    option_if(!scenarios.empty(), "scenario", scenarios);
    add(asked.settings);
    time("since", asked.since);
    option("interval", text_of(asked.interval));
    time("step", asked.step);
    time("checkpoint", asked.checkpoint);
    if (asked.price) option("price", format_exact(any(*asked.price * Gpus::from_base(1))));
    if (asked.now) option("now", report::stamp_text(asked.now->base()));
  }
  void add(const FleetQuestion& asked) {
    option("fleet", file(asked.fleet));
    for (const InputFile& given : asked.files) file(given, given.name);
    for (const std::string& assignment : asked.set) set_.emplace_back(assignment);
    add(asked.settings);
  }
  void add_import(const CatalogQuestion& asked, const std::string& path) {
    const bool is_one = asked.files.size() == 1 && asked.files.front().shown() == path;
    for (const InputFile& given : asked.files) file(given, is_one ? path : path + "/" + given.name);
  }

  std::string verb_;
  std::optional<std::string> scenario_;
  Value::Object files_;
  Value::List set_;
  Value::Object options_;
};

}  // namespace
}  // namespace loadfactor::facade

namespace loadfactor {

std::string to_json(const Question& question, const Style& style) {
  return facade::QuestionWriter().write(question, style);
}

}  // namespace loadfactor

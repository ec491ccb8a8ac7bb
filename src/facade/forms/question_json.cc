#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/document.h"
#include "config/reader.h"
#include "config/reading/scenario_reader.h"
#include "facade/ask.h"
#include "facade/forms/form.h"
#include "facade/forms/given_file.h"
#include "facade/forms/read_question.h"
#include "loadfactor/engine.h"

namespace loadfactor::facade {
namespace {

using config::Node;
using config::NodeKind;

// A question carries whole files.
constexpr config::Limits kQuestionLimits{.scalar_bytes = std::size_t{64} << 20U};

// The key of its scenario.
constexpr const char* kScenario = "scenario";
constexpr std::array<std::string_view, 5> kKeys{"verb", kScenario, "files", "set", "options"};

constexpr std::array kAliases{Alias{"search", "train", "search"}, Alias{"scale", "train", "scale"},
                              Alias{"simulate", "serve", "simulate"},
                              Alias{"size", "serve", "search"}};

// The files that came with the question; all others come from outside, where there is one.
class GivenFiles final : public FileSource {
 public:
  explicit GivenFiles(FileSource* outside) : outside_(outside) {}

  void add(InputFile file) { files_[file.name] = std::move(file); }
  // What is replaced in a scenario before anything else is.
  void set_in(const std::string& name, std::vector<std::string> assignments) {
    own_set_[name] = std::move(assignments);
  }
  Result<InputFile> open(const std::string& path) override {
    const auto found = files_.find(path);
    if (found != files_.end()) return found->second;
    if (outside_ != nullptr) return outside_->open(path);
    return Error{.code = lf::kCannotRead,
                 .message = fmt::format("the question has no file '{}'", path),
                 .hint = "add it to `files`"};
  }
  Result<std::vector<InputFile>> open_model(const std::string& path) override {
    if (outside_ != nullptr && !carries(path)) return outside_->open_model(path);
    TRY(auto files, open_model_beside("", path));
    for (InputFile& file : files) {
      if (file.shown_as.empty()) file.shown_as = file.name;
      file.name = file.name == path ? "config.json" : file.name.substr(path.size() + 1);
    }
    return files;
  }
  Result<InputFile> open_beside(const std::string& scenario, const std::string& path) override {
    if (outside_ != nullptr && !carries(path)) return outside_->open_beside(scenario, path);
    return open(path);
  }
  Result<std::vector<InputFile>> open_model_beside(const std::string& scenario,
                                                   const std::string& path) override {
    if (outside_ != nullptr && !carries(path)) return outside_->open_model_beside(scenario, path);
    std::vector<InputFile> found;
    for (const auto& [name, file] : files_)
      if (name == path || name.starts_with(path + "/")) found.push_back(file);
    if (!found.empty()) return found;
    TRY(InputFile file, open(path));
    return std::vector<InputFile>{std::move(file)};
  }
  bool has(const std::string& path) const override {
    return carries(path) || (outside_ != nullptr && outside_->has(path));
  }
  // The question itself has the file, or files of the folder.
  bool carries(const std::string& path) const {
    return std::any_of(files_.begin(), files_.end(), [&](const auto& entry) {
      return entry.first == path || entry.first.starts_with(path + "/");
    });
  }
  std::string date_of(const std::string& path) const override {
    return outside_ == nullptr || carries(path) ? std::string() : outside_->date_of(path);
  }
  Result<std::shared_ptr<MetricFeed>> connect(const std::string& address,
                                              const ServerAccess& access) override {
    return outside_ == nullptr ? FileSource::connect(address, access)
                               : outside_->connect(address, access);
  }
  std::optional<double> now() const override {
    return outside_ == nullptr ? std::nullopt : outside_->now();
  }
  std::optional<config::Scenario> parse(const std::string& name, const std::string& text,
                                        std::span<const std::string> assignments,
                                        Diagnostics& diagnostics) override {
    std::vector<std::string> all;
    if (const auto own = own_set_.find(name); own != own_set_.end()) all = own->second;
    all.insert(all.end(), assignments.begin(), assignments.end());
    const auto found = files_.find(name);
    return config::parse_scenario(found == files_.end() ? name : found->second.shown(), text, all,
                                  diagnostics);
  }

 private:
  FileSource* outside_;
  std::map<std::string, InputFile> files_;
  std::map<std::string, std::vector<std::string>> own_set_;
};

class QuestionReader {
 public:
  QuestionReader(const config::Document& document, const GivenQuestion& given,
                 Diagnostics& diagnostics)
      : document_(&document),
        given_(&given),
        settings_(given.settings),
        diagnostics_(&diagnostics),
        verb_(given.verb),
        files_(given.outside),
        scenario_name_(given.scenario_name) {
    style_.reproducible = given.reproducible;
  }

  std::optional<AskedText> read() {
    if (document_->root.kind != NodeKind::kMap) {
      refuse(lf::kWrongType, document_->root.position, "a question is an object");
      return std::nullopt;
    }
    for (const InputFile& file : given_->files) files_.add(file);
    const Node* options = is_scenario_itself() ? take_scenario_itself() : read_members();
    if (given_->scenario) take_text(std::string(given_->scenario->bytes));
    if (!make_form()) return std::nullopt;
    if (options != nullptr)
      for (const auto& member : options->members) read_option(member);
    if (has_scenario_ && !names_scenario_) form_->take_scenario(scenario_name_);
    check_required();
    if (!diagnostics_->empty()) return std::nullopt;
    auto question = form_->question({files_, set_, settings_, *diagnostics_});
    if (!question) return std::nullopt;
    if (!form_->overlays.empty() && given_->outside == nullptr) {
      refuse(lf::kUsage, document_->root.position, "a question lays no folder over the catalogue",
             "that is for the command line: --catalog DIR");
      return std::nullopt;
    }
    style_.tornado = form_->style.tornado;
    style_.facility = form_->style.facility;
    return AskedText{{*std::move(question), style_}, form_->overlays};
  }

 private:
  void refuse(int code, config::Position at, std::string message, std::string hint = {}) {
    diagnostics_->add(document_->error(code, at, std::move(message), std::move(hint)));
  }

  void refuse_key(const config::Member& member, const std::string& where,
                  const std::vector<std::string>& known) {
    const auto nearest = config::suggest(member.key, known);
    refuse(lf::kUnknownKey, member.key_position,
           fmt::format("unknown key '{}' in {}", member.key, where),
           nearest ? fmt::format("did you mean '{}'?", *nearest)
                   : fmt::format("one of: {}", fmt::join(known, ", ")));
  }

  bool is_text(const Node& node, const std::string& what) {
    if (node.kind == NodeKind::kScalar && node.style == config::ScalarStyle::kQuoted) return true;
    refuse(lf::kWrongType, node.position, fmt::format("{} is a text", what));
    return false;
  }

  // All but the options, whose meaning depends on the verb.
  const Node* read_members() {
    const Node* options = nullptr;
    std::string scenario;
    for (const auto& [key, at, value] : document_->root.members) {
      if (key == "verb") {
        if (is_text(value, "'verb'")) verb_ = value.scalar;
      } else if (key == kScenario) {
        has_scenario_ = is_text(value, "'scenario'");
        scenario = value.scalar;
      } else if (key == "files") {
        for (const auto& file : value.members) read_file(file);
      } else if (key == "set") {
        set_ = texts_of(value, "an item of 'set'");
      } else if (key == "options") {
        options = &value;
      } else if (key != "loadfactor") {
        refuse_key({key, at, {}}, "a question", {kKeys.begin(), kKeys.end()});
      }
    }
    // Either the name of a file that came along, or the text itself.
    if (files_.carries(scenario)) {
      scenario_name_ = scenario;
    } else if (has_scenario_) {
      take_text(std::move(scenario));
    }
    return options;
  }

  // Some send a scenario in JSON where a question is expected.
  bool is_scenario_itself() const {
    const auto& members = document_->root.members;
    const auto is_key = [](const config::Member& member) {
      return std::find(kKeys.begin(), kKeys.end(), member.key) != kKeys.end();
    };
    return given_->may_be_scenario && !members.empty() &&
           std::none_of(members.begin(), members.end(), is_key);
  }
  const Node* take_scenario_itself() {
    take_text(document_->text);
    return nullptr;
  }
  void take_text(std::string text) {
    has_scenario_ = true;
    files_.add(InputFile::of(scenario_name_, std::move(text)));
  }

  // A text, or an object with more: see value_of.
  void read_file(const config::Member& file) {
    if (file.value.kind != NodeKind::kMap) {
      if (is_text(file.value, "a file")) files_.add(InputFile::of(file.key, file.value.scalar));
      return;
    }
    InputFile given = InputFile::of(file.key, "");
    std::string shown_as;
    std::optional<std::int64_t> size;
    for (const auto& [key, at, value] : file.value.members) {
      if (key == "text") {
        given = InputFile::of(file.key, value.scalar);
      } else if (key == "base64") {
        const auto bytes = from_base64(value.scalar);
        if (!bytes) refuse(lf::kWrongType, value.position, "not a text in base64");
        given = InputFile::of(file.key, bytes.value_or(""));
      } else if (key == "upload" && given_->open_upload) {
        auto opened = given_->open_upload(value.scalar);
        if (!opened) refuse(opened.error().code, value.position, opened.error().message);
        if (opened) given = *std::move(opened);
        given.name = file.key;
      } else if (key == "shown_as") {
        shown_as = value.scalar;
      } else if (key == "size") {
        read_number(value, size.emplace());
      } else if (key == "set") {
        files_.set_in(file.key, texts_of(value, "an item of 'set'"));
      } else {
        refuse_key({key, at, {}}, "a file", {"text", "base64", "shown_as", "size", "set"});
      }
    }
    given.shown_as = shown_as;
    given.size = size;
    files_.add(std::move(given));
  }

  std::vector<std::string> texts_of(const Node& list, const std::string& what) {
    std::vector<std::string> texts;
    for (const Node& item : list.items)
      if (is_text(item, what)) texts.push_back(item.scalar);
    return texts;
  }

  template <typename T>
  void read_number(const Node& node, T& to) {
    const std::string& word = node.scalar;
    const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), to);
    if (failed != std::errc() || end != word.data() + word.size())
      refuse(lf::kNotANumber, node.position, fmt::format("'{}' is no number", word));
  }

  bool make_form() {
    const auto alias = std::find_if(kAliases.begin(), kAliases.end(),
                                    [&](const Alias& row) { return row.name == verb_; });
    const std::string_view name = alias == kAliases.end() ? std::string_view(verb_) : alias->verb;
    std::vector<std::string> known;
    for (const VerbRow& row : verb_rows()) {
      known.emplace_back(row.name);
      if (row.name == name) form_ = row.form();
    }
    if (form_ == nullptr) {
      for (const Alias& row : kAliases) known.emplace_back(row.name);
      const auto nearest = config::suggest(verb_, known);
      refuse(lf::kUnknownWord, document_->root.position, fmt::format("no verb '{}'", verb_),
             nearest ? fmt::format("did you mean '{}'?", *nearest)
                     : fmt::format("one of: {}", fmt::join(known, ", ")));
      return false;
    }
    if (alias != kAliases.end()) take(*form_->find(alias->option), "", document_->root.position);
    return true;
  }

  void take(Option& option, const std::string& word, config::Position at) {
    option.is_given = true;
    const bool is_beside = form_->find(kScenario) != nullptr && option.name != kScenario;
    if (option.is_positional && option.kind == Option::Kind::kWord && !is_beside)
      names_scenario_ = true;
    const std::string wrong = option.take(word);
    if (!wrong.empty()) refuse(lf::kOutOfRange, at, fmt::format("{}: {}", option.name, wrong));
  }

  // The options that every verb has.
  bool read_common(const config::Member& member) {
    const std::string& word = member.value.scalar;
    const std::map<std::string_view, bool*> switches{{"quiet", &style_.quiet},
                                                     {"explain", &style_.explain},
                                                     {"reproducible", &style_.reproducible}};
    if (const auto found = switches.find(member.key); found != switches.end()) {
      *found->second = word == "true";
      return true;
    }
    if (member.key == "seed") return read_number(member.value, settings_.seed), true;
    if (member.key == "threads") return read_number(member.value, settings_.threads), true;
    if (member.key == "today") return settings_.today = word, true;
    return false;
  }

  void read_option(const config::Member& member) {
    if (read_common(member)) return;
    Option* option = form_->find(member.key);
    if (option == nullptr) {
      std::vector<std::string> known{"seed",  "threads", "today",
                                     "quiet", "explain", "reproducible"};
      for (const Option& each : form_->options())
        if (each.kind != Option::Kind::kOutput) known.push_back(each.name);
      return refuse_key(member, "the options", known);
    }
    const bool asks_for_form = member.value.style == config::ScalarStyle::kBoolean;
    if (option->kind == Option::Kind::kOutput && asks_for_form && form_->writes(*option)) {
      if (member.value.scalar == "true") take(*option, "-", member.value.position);
      return;
    }
    if (option->kind == Option::Kind::kOutput)
      return refuse(lf::kUsage, member.key_position,
                    fmt::format("'{}' writes a file: it is for the command line", member.key));
    const Node& value = member.value;
    if (value.kind == NodeKind::kList) {
      for (const Node& item : value.items) take(*option, item.scalar, item.position);
    } else if (value.kind != NodeKind::kScalar) {
      refuse(lf::kWrongType, value.position, fmt::format("'{}' is a single value", member.key));
    } else if (option->kind != Option::Kind::kSwitch) {
      take(*option, value.scalar, value.position);
    } else if (value.style != config::ScalarStyle::kBoolean) {
      refuse(lf::kWrongType, value.position, fmt::format("'{}' is true or false", member.key));
    } else if (value.scalar == "true") {
      take(*option, "", value.position);
    }
  }

  void check_required() {
    for (const Option& option : form_->options()) {
      if (!option.is_required || option.is_given || has_scenario_) continue;
      refuse(lf::kMissingKey, document_->root.position,
             fmt::format("'{}' needs a '{}'", verb_, option.name));
    }
  }

  const config::Document* document_;
  const GivenQuestion* given_;
  Settings settings_;
  Diagnostics* diagnostics_;
  std::string verb_;
  GivenFiles files_;
  std::vector<std::string> set_;
  std::string scenario_name_;
  bool has_scenario_ = false;
  bool names_scenario_ = false;
  std::unique_ptr<Form> form_;
  Style style_;
};

}  // namespace

std::span<const Alias> verb_aliases() {
  return kAliases;
}

std::optional<AskedText> read_question(const GivenQuestion& given, Diagnostics& diagnostics) {
  const auto document = config::parse_json("question", given.json, kQuestionLimits);
  if (!document) {
    diagnostics.add(document.error());
    return std::nullopt;
  }
  return QuestionReader(*document, given, diagnostics).read();
}

}  // namespace loadfactor::facade

namespace loadfactor {

std::optional<StyledQuestion> question_from_json(const std::string& text, const Settings& settings,
                                                 Diagnostics& diagnostics, std::string_view verb) {
  auto read = facade::read_question({.json = text, .verb = std::string(verb), .settings = settings},
                                    diagnostics);
  if (!read) return std::nullopt;
  return std::move(read->asked);
}

Result<StyledQuestion> question_from_json(const std::string& text, const Settings& settings) {
  Diagnostics diagnostics;
  auto asked = question_from_json(text, settings, diagnostics);
  if (!asked) return facade::as_one(diagnostics);
  return *std::move(asked);
}

}  // namespace loadfactor

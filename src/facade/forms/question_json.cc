#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/document.h"
#include "config/reader.h"
#include "facade/ask.h"
#include "facade/forms/form.h"
#include "facade/forms/given_file.h"
#include "facade/forms/question_files.h"
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

// A day as `2026-11-15`.
bool is_date(const std::string& text) {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  const auto number = [&](std::size_t from, std::size_t length, auto& to) {
    const char* begin = text.data() + from;
    return std::from_chars(begin, begin + length, to).ptr == begin + length;
  };
  return text.size() == 10 && text[4] == '-' && text[7] == '-' && number(0, 4, year) &&
         number(5, 2, month) && number(8, 2, day) &&
         (std::chrono::year(year) / static_cast<int>(month) / static_cast<int>(day)).ok();
}

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
    if (!is_scenario_itself()) refuse_repeated_keys(document_->root, "question");
    const Node* options = is_scenario_itself() ? take_scenario_itself() : read_members();
    if (given_->scenario) take_text(std::string(given_->scenario->bytes));
    if (!make_form()) return std::nullopt;
    if (options != nullptr)
      for (const auto& member : options->members) read_option(member);
    check_scenario();
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

  // Another program on the way may have seen the other of two values for one key.
  void refuse_repeated_keys(const Node& map, const std::string& name) {
    const config::MapReader reports_them(*document_, map, name, *diagnostics_);
    for (const config::Member& member : map.members)
      if (member.value.kind == NodeKind::kMap) refuse_repeated_keys(member.value, member.key);
  }

  bool is_text(const Node& node, const std::string& what) {
    if (node.kind == NodeKind::kScalar && node.style == config::ScalarStyle::kQuoted) return true;
    refuse(lf::kWrongType, node.position, fmt::format("{} is a text", what));
    return false;
  }

  bool is_kind(const Node& node, NodeKind kind, const std::string& what) {
    if (node.kind == kind) return true;
    refuse(lf::kWrongType, node.position,
           fmt::format("{} is {}", what, kind == NodeKind::kMap ? "an object" : "a list"));
    return false;
  }

  bool is_switch(const Node& node, const std::string& name) {
    if (node.style == config::ScalarStyle::kBoolean) return true;
    refuse(lf::kWrongType, node.position, fmt::format("'{}' is true or false", name));
    return false;
  }

  void read_verb(const Node& value) {
    if (!is_text(value, "'verb'")) return;
    if (!given_->verb.empty() && value.scalar != given_->verb)
      refuse(lf::kUsage, value.position,
             fmt::format("'{}' was asked, and the question says '{}'", given_->verb, value.scalar));
    verb_ = value.scalar;
  }

  // All but the options, whose meaning depends on the verb.
  const Node* read_members() {
    const Node* options = nullptr;
    std::string scenario;
    for (const auto& [key, at, value] : document_->root.members) {
      if (key == "verb") {
        read_verb(value);
      } else if (key == kScenario) {
        has_scenario_ = is_text(value, "'scenario'");
        scenario = value.scalar;
      } else if (key == "files") {
        if (is_kind(value, NodeKind::kMap, "'files'"))
          for (const auto& file : value.members) read_file(file);
      } else if (key == "set") {
        set_ = texts_of(value);
      } else if (key == "options") {
        if (is_kind(value, NodeKind::kMap, "'options'")) options = &value;
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
      if ((key == "text" || key == "base64" || key == "upload" || key == "shown_as") &&
          !is_text(value, fmt::format("'{}'", key)))
        continue;
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
        files_.set_in(file.key, texts_of(value));
      } else {
        refuse_key({key, at, {}}, "a file", {"text", "base64", "shown_as", "size", "set"});
      }
    }
    given.shown_as = shown_as;
    given.size = size;
    files_.add(std::move(given));
  }

  std::vector<std::string> texts_of(const Node& list) {
    std::vector<std::string> texts;
    if (!is_kind(list, NodeKind::kList, "'set'")) return texts;
    for (const Node& item : list.items)
      if (is_text(item, "an item of 'set'")) texts.push_back(item.scalar);
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
    const std::string wrong = option.take(word);
    if (!wrong.empty()) refuse(lf::kOutOfRange, at, fmt::format("{}: {}", option.name, wrong));
  }

  // As the command line bounds them; 0 leaves them as they are for whoever asks.
  void read_threads(const Node& value) {
    constexpr int kMaxThreads = 4096;
    int threads = 0;
    read_number(value, threads);
    if (threads < 0 || threads > kMaxThreads)
      refuse(lf::kOutOfRange, value.position,
             fmt::format("threads: {} is not from 0 to {}", value.scalar, kMaxThreads));
    else if (threads > 0)
      settings_.threads = threads;
  }

  // The options that every verb has.
  bool read_common(const config::Member& member) {
    const std::string& word = member.value.scalar;
    const std::map<std::string_view, bool*> switches{{"quiet", &style_.quiet},
                                                     {"explain", &style_.explain},
                                                     {"reproducible", &style_.reproducible}};
    if (const auto found = switches.find(member.key); found != switches.end()) {
      if (is_switch(member.value, member.key)) *found->second = word == "true";
      return true;
    }
    if (member.key == "seed") return read_number(member.value, settings_.seed), true;
    if (member.key == "threads") return read_threads(member.value), true;
    if (member.key != "today") return false;
    if (!is_date(word))
      refuse(lf::kOutOfRange, member.value.position, fmt::format("'{}' is no day", word),
             "write 2026-11-15");
    settings_.today = word;
    return true;
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
    const bool is_boolean = member.value.style == config::ScalarStyle::kBoolean;
    if (option->kind == Option::Kind::kOutput && is_boolean && form_->writes(*option)) {
      if (member.value.scalar == "true") take(*option, "-", member.value.position);
      return;
    }
    if (option->kind == Option::Kind::kOutput)
      return refuse(lf::kUsage, member.key_position,
                    fmt::format("'{}' writes a file: it is for the command line", member.key));
    const Node& value = member.value;
    const bool is_list = value.kind == NodeKind::kList;
    const bool takes_many = option->kind == Option::Kind::kWords || option->takes_several;
    if (is_list && (takes_many || value.items.size() == 1)) {
      for (const Node& item : value.items) take(*option, item.scalar, item.position);
    } else if (value.kind != NodeKind::kScalar) {
      refuse(lf::kWrongType, value.position, fmt::format("'{}' is a single value", member.key));
    } else if (option->kind == Option::Kind::kMaybeWord && is_boolean) {
      if (value.scalar == "true") take(*option, "", value.position);
    } else if (option->kind != Option::Kind::kSwitch) {
      take(*option, value.scalar, value.position);
    } else if (is_switch(value, member.key) && value.scalar == "true") {
      take(*option, "", value.position);
    }
  }

  // The scenario goes to the option for it, unless that names another file.
  void check_scenario() {
    const auto& options = form_->options();
    const bool is_named = std::any_of(options.begin(), options.end(), [](const Option& option) {
      return option.is_scenario && option.is_given;
    });
    if (has_scenario_ && !is_named && !form_->take_scenario(scenario_name_))
      refuse(lf::kUsage, document_->root.position, fmt::format("'{}' reads no scenario", verb_));
    if (!set_.empty() && form_->set_help.empty())
      refuse(lf::kUsage, document_->root.position,
             fmt::format("nothing can be set for '{}'", verb_), "its options say it all");
  }

  void check_required() {
    for (const Option& option : form_->options()) {
      if (!option.is_required || option.is_given) continue;
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

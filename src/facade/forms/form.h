// The options of a verb, filled in one by one, and the question that they make. The command line
// and JSON fill in the same forms.
#pragma once

#include <charconv>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loadfactor/ask.h"
#include "loadfactor/result.h"

namespace loadfactor::facade {

// How to be let in by a server; secrets stand in files.
struct ServerAccess {
  std::string token_file;
  std::string user_file;
  std::string ca_file;
};

// Where files come from: the disk of a user, or the question itself.
class FileSource {
 public:
  FileSource() = default;
  virtual ~FileSource() = default;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  // The file that a user names.
  virtual Result<InputFile> open(const std::string& path) = 0;
  // A model's config.json under the path itself, or the files of a folder below it.
  virtual Result<std::vector<InputFile>> open_model(const std::string& path) = 0;
  // The same for paths that a scenario writes, which are relative to it; names stay as written.
  virtual Result<InputFile> open_beside(const std::string& scenario, const std::string& path) = 0;
  virtual Result<std::vector<InputFile>> open_model_beside(const std::string& scenario,
                                                           const std::string& path) = 0;
  // Whether a word names a file rather than an entry of the catalogue.
  virtual bool has(const std::string& path) const = 0;
  // YYYY-MM-DD of the last change; empty where it is not known.
  virtual std::string date_of(const std::string& path) const = 0;
  virtual std::optional<config::Scenario> parse(const std::string& name, const std::string& text,
                                                std::span<const std::string> assignments,
                                                Diagnostics& diagnostics) = 0;
  // A server of metrics at an address; LF603 where none can be asked from here.
  virtual Result<std::shared_ptr<MetricFeed>> connect(const std::string& address,
                                                      const ServerAccess& access);
  // Seconds since 1970, where there is a clock.
  virtual std::optional<double> now() const { return std::nullopt; }
};

// What a form is read with.
struct Reading {
  FileSource& files;
  std::vector<std::string> set;  // Assignments to the scenario.
  Settings settings;
  Diagnostics& diagnostics;

  std::nullopt_t refuse(Error error) const {
    diagnostics.add(std::move(error));
    return std::nullopt;
  }
};

struct Option {
  enum class Kind : std::uint8_t {
    kSwitch,
    kWord,
    kMaybeWord,  // The word may be left out.
    kWords,      // Any number of them, one at a time.
    kOutput,  // Where the command line writes another form of the answer, or how where it takes no
              // word. In JSON, `true` asks for what that form needs.
  };
  std::string name;        // Without dashes.
  std::string short_name;  // A letter, or none.
  Kind kind = Kind::kWord;
  std::string value_name;
  std::string help;
  std::string group;
  std::string shown_default;
  bool is_positional = false;
  bool is_required = false;
  bool is_scenario = false;    // Names the scenario, or what stands in its place.
  bool takes_several = false;  // Several words may stand behind one flag.
  bool is_json_only = false;   // What a program may ask and the command line decides itself.
  bool is_given = false;
  // Takes one word, empty for a switch; says what is wrong with it, or nothing.
  std::function<std::string(const std::string& word)> take;
};

// Another form of an answer that the command line writes where an option says.
struct Extra {
  std::string option;
  Format format;
  const std::string* path;
  std::string remark;  // Behind "wrote FILE".
};

// Options in the order in which help shows them.
class Flags {
 public:
  Flags() = default;
  virtual ~Flags() = default;
  Flags(const Flags&) = delete;
  Flags& operator=(const Flags&) = delete;

  std::deque<Option>& options() { return options_; }
  const std::deque<Option>& options() const { return options_; }
  Option* find(std::string_view name);
  bool is_given(std::string_view name) const;

  Option& add(std::string name, Option::Kind kind, std::string help, std::string value_name);
  Option& flag(std::string name, bool& to, std::string help);
  Option& word(std::string name, std::string& to, std::string help, std::string value_name);
  Option& words(std::string name, std::vector<std::string>& to, std::string help,
                std::string value_name);
  // `8,16`, or the option once for each; `take` says what is wrong with an item.
  Option& list(std::string name, std::string help, std::string value_name,
               std::function<std::string(const std::string&)> take);
  template <typename T>
  Option& number(std::string name, T& to, std::string help, std::string value_name,
                 double least = std::numeric_limits<double>::lowest(),
                 double most = std::numeric_limits<double>::max());
  Option& positional(Option& option, bool required = true);

  std::string set_help;  // What --set replaces; empty: the verb has no such option.

 private:
  std::deque<Option> options_;
};

// Where the command line puts the files of an answer.
struct Saving {
  std::string folder;        // Empty: nowhere.
  bool with_answer = false;  // Shows the answer as well.
  bool is_guarded = false;   // Files of other content that are there already are not replaced.
};

class Form : public Flags {
 public:
  // The scenario, or what stands in its place, by the name that opens it. False where the verb
  // reads none.
  virtual bool take_scenario(const std::string& name);
  // Whether the option writes another form of the answer.
  bool writes(const Option& option) const;
  // Nothing, and everything that is wrong, where the options do not make a question.
  virtual std::optional<Question> question(const Reading& reading) = 0;

  bool has_page = false;              // Can be written as HTML,
  bool wants_page = false;            // and shall be,
  bool wants_engine = false;          // with the engine inside.
  bool has_workbook = false;          // Can be written as a workbook.
  bool has_comment = false;           // Has the format `github-comment`.
  bool takes_folder = false;          // What `-o` names is a folder for its files.
  Style style;                        // What options say about it.
  std::vector<Extra> extras;          // In the order in which they are written.
  std::vector<std::string> overlays;  // Folders to be laid over the catalogue.
  Saving saving;

 protected:
  Option& output(std::string name, std::string& to, std::string help, std::string value_name,
                 Format format, std::string remark = "");
  // What the verb reads, by the name that opens it.
  Option& scenario_at(std::string name, std::string help, std::string value_name,
                      bool required = true);
  // The scenario that the verb reads, in which --set replaces values.
  Option& scenario(std::string help, bool required = true);
  Option& gates(std::vector<std::string>& to, std::string help);

  // The scenario that was named, with what is set in it and the files that it names.
  std::optional<ScenarioWithFiles> read_scenario(const Reading& reading, std::string_view verb);
  std::string path_;  // The scenario's.
};

// What --set says of itself, where a verb says nothing else.
inline constexpr const char* kSetHelp = "replace a value: money.electricity='0.1 USD/kWh'";

// A scenario with what is set in it and the files that it names, as far as the verb reads them.
std::optional<ScenarioWithFiles> read_scenario_from(const Reading& reading, const std::string& path,
                                                    std::string_view verb);
// The same of a text that has been read.
std::optional<ScenarioWithFiles> read_scenario_at(const Reading& reading, const std::string& path,
                                                  const std::string& text, std::string_view verb);

// What is wrong with a number, or nothing.
std::string range_fault(const std::string& text, double value, double least, double most);
Error usage(std::string message, std::string hint);
// What is wrong with the word of an option, whatever the other options are: it points at the word.
Error at_option(Error error, std::string_view option, const std::string& word);
// Whether an error points at this word of an option.
bool is_at_option(const Error& error, std::string_view option, std::string_view word);
// The time that an option gives; nothing for an empty text.
Result<std::optional<Seconds>> read_time(std::string_view option, const std::string& text);

template <typename T>
struct NumberOf {
  using type = T;
};
template <typename T>
struct NumberOf<std::optional<T>> {
  using type = T;
};

template <typename T>
Option& Flags::number(std::string name, T& to, std::string help, std::string value_name,
                      double least, double most) {
  Option& option =
      add(std::move(name), Option::Kind::kWord, std::move(help), std::move(value_name));
  option.take = [&to, least, most](const std::string& text) -> std::string {
    typename NumberOf<T>::type value{};
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc() || end != text.data() + text.size())
      return "'" + text + "' is no " + (std::is_floating_point_v<decltype(value)> ? "" : "whole ") +
             "number";
    std::string fault = range_fault(text, static_cast<double>(value), least, most);
    if (fault.empty()) to = value;
    return fault;
  };
  return option;
}

// The verbs of the façade, as the command line names them.
struct VerbRow {
  std::string_view name;  // `calibrate kernels` is one below another.
  std::string_view help;
  std::unique_ptr<Form> (*form)();
};
std::span<const VerbRow> verb_rows();

}  // namespace loadfactor::facade

// What files of a launch say, key by key, each with its place; contradictions are errors.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/source_text.h"
#include "launch/findings/secrets.h"
#include "launch/shell/shell.h"
#include "launch/shell/shell_values.h"
#include "loadfactor/result.h"

namespace loadfactor::launch {

struct Source {
  std::string name;
  std::string text;
  config::LineIndex lines;
  std::string file = {};  // The file that it stands in, whose lines it has; empty: its own.

  const std::string& shown() const { return file.empty() ? name : file; }
};

// The line of a file in which a text begins that stands in it, at a line or in the next one; 0
// where it is written in another way.
std::uint32_t line_of_text(const Source& whole, std::string_view text, std::uint32_t line);

// A place in one of the files; without a file: nowhere.
struct Place {
  const Source* source = nullptr;
  std::uint32_t line = 0;
  std::uint32_t column = 1;
  std::uint32_t length = 1;
};
// `train.sh:12`.
std::string to_text(const Place& place);

// How firmly a file says something: a command line overrides the configuration that it names.
enum class Weight : std::uint8_t { kConfiguration, kFirm };
class AsConfiguration;

struct Finding {
  std::string key;
  std::string value;  // As a scenario would have it.
  Place place;
  bool is_guess = false;
  std::string why;  // Why a guess was made.
  Weight weight = Weight::kFirm;
};

// A key that a file sets to something that is not in the files.
struct OpenKey {
  Place place;
  std::string why;
};

// A script that a command line hands to the batch system.
struct Submission {
  const Source* source = nullptr;
  std::vector<Word> words;      // What it says to the batch system,
  std::vector<Word> arguments;  // to the script,
  Variables variables;          // and of its environment.
};

class Findings {
 public:
  explicit Findings(Diagnostics& diagnostics) : diagnostics_(&diagnostics) {}

  const Source& add(std::string name, std::string text);
  // A file that stands in another one from a line on: its lines are those of the other.
  const Source& add_part(const Source& whole, const std::string& name, std::string_view text,
                         std::uint32_t line);
  // Files that are read as configurations of a command, by the last part of their names.
  void promise(std::string_view name);
  bool reads(std::string_view name) const;
  // Whether a file is among those that are read, whatever it is.
  bool is_given(std::string_view name) const;
  // All files that are given, for those that name each other.
  void offer(std::string_view name, std::string text);
  const ScriptFiles& offered() const { return offered_; }

  // A second value of a key that differs from the first is LF521 at its place. A guess gives way,
  // and so does a configuration to a command line.
  void set(std::string_view key, std::string value, const Place& place) {
    set(key, std::move(value), place, weight_);
  }
  void set(std::string_view key, std::string value, const Place& place, Weight weight);
  void set(std::string_view key, std::int64_t value, const Place& place) {
    set(key, std::to_string(value), place);
  }
  void guess(std::string_view key, std::string value, std::string why);
  // A guess that follows from others answers an open key too.
  void conclude(std::string_view key, std::string value, std::string why);
  // As it is said where there is no doubt, and as a guess where there is one.
  void take(std::string_view key, std::string value, const Place& place, const std::string& doubt);
  // The key is said, and its value is not in the files: no default stands for it.
  void leave_open(std::string_view key, const Place& place, std::string why);
  bool is_open(std::string_view key) const;
  const std::map<std::string, OpenKey, std::less<>>& open() const { return open_; }

  const Finding* find(std::string_view key) const;
  bool is_guess(std::string_view key) const;
  std::optional<std::int64_t> number(std::string_view key) const;
  void erase(std::string_view key);
  // What is found, or open, under one key stands under another one that has nothing yet.
  void move(std::string_view key, const std::string& to);
  // Something that was seen and has no key: a remark of the scenario. What is seen in several
  // lines of a file is said once.
  void remark(std::string text, const Place& place);
  void error(int code, const Place& place, std::string message, std::string hint = {});

  const std::map<std::string, Finding, std::less<>>& all() const { return found_; }
  std::vector<std::string> remarks() const;

  // A server by its host and port; empty ones are the default. The same command twice, as `ps`
  // shows a shell and what it started, is one server.
  void add_server(std::string address, const Place& place) {
    servers_.try_emplace(std::move(address), place);
  }
  const std::map<std::string, Place>& servers() const { return servers_; }
  // Those of no pool are of this one.
  void name_servers(const std::string& pool);
  // Plain values of a ConfigMap, which containers may take as their environment.
  void add_values(std::string name, Variables values) {
    values_.insert_or_assign(std::move(name), std::move(values));
  }
  const std::map<std::string, Variables, std::less<>>& values() const { return values_; }
  // Scripts of a ConfigMap that a container starts, and that are read with it.
  void mark_started(std::string name) { started_.insert(std::move(name)); }
  bool is_started(std::string_view name) const { return started_.contains(name); }
  // Scripts by the last part of their names.
  void submit(std::string_view script, Submission submission);
  std::vector<Submission> submissions_of(std::string_view script) const;
  // What a command sets in a file of values: `a.b[0].c`, and where it says so.
  struct Setting {
    std::string path;
    Word value;
    Place place;
  };
  void add_setting(Setting setting) { settings_.push_back(std::move(setting)); }
  const std::vector<Setting>& settings() const { return settings_; }
  // Flags of a program as they run, which a patch of them begins with: `--tp-size 4`.
  void add_flag(std::string flag);
  const std::vector<std::string>& flags() const { return flags_; }
  // What the files hold and nothing that is told repeats.
  Secrets& secrets() { return secrets_; }
  bool has_launch = false;  // Whether anything that launches, or hardware, was seen.

 private:
  friend class AsConfiguration;
  struct Remark {
    std::string text;
    std::string file;                  // Empty: of no file.
    std::vector<std::uint32_t> lines;  // None: of the whole file.
  };
  Weight weight_ = Weight::kFirm;
  std::deque<Source> sources_;
  std::map<std::string, Finding, std::less<>> found_;
  std::map<std::string, OpenKey, std::less<>> open_;
  std::vector<Remark> remarks_;
  std::vector<std::string> flags_;
  std::map<std::string, Place> servers_;
  std::set<std::string, std::less<>> promised_;
  ScriptFiles offered_;
  Secrets secrets_;
  std::vector<Setting> settings_;
  std::map<std::string, Variables, std::less<>> values_;
  std::set<std::string, std::less<>> started_;
  std::map<std::string, std::vector<Submission>, std::less<>> submissions_;
  std::set<std::string> errors_;  // Those that were told; each is told once.
  Diagnostics* diagnostics_;
};

// While it lives, what is found is said by a configuration, which a command line overrides.
class AsConfiguration {
 public:
  explicit AsConfiguration(Findings& findings) : findings_(&findings) {
    findings.weight_ = Weight::kConfiguration;
  }
  ~AsConfiguration() { findings_->weight_ = Weight::kFirm; }
  AsConfiguration(const AsConfiguration&) = delete;
  AsConfiguration& operator=(const AsConfiguration&) = delete;

 private:
  Findings* findings_;
};

// A number as Python, YAML and TOML may write it, without the underscores between its digits;
// anything else as it is.
std::string plain_number(std::string_view text);

}  // namespace loadfactor::launch

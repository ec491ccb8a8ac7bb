// What reading a launch needs to know of other programs, beside their flags: data/integrations.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/vocabulary/program.h"

namespace loadfactor::launch {

// Programs that container images start by themselves.
class Images {
 public:
  Images();
  // Such as `vllm/vllm-openai:v0.10.0`, behind any registry; empty where none is known.
  std::string program(std::string_view image) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// Names of older releases that scripts still have.
class OldNames {
 public:
  explicit OldNames(std::string_view program);
  // The name of today; the same one where nothing is known of it.
  std::string_view current(std::string_view written) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// Variables of the environment that change how a program computes.
std::vector<std::string> variables_of(std::string_view program);

// Flags and keys, with their values, that change nothing of what is predicted.
class Harmless {
 public:
  explicit Harmless(std::string_view program);
  bool has(std::string_view name, std::string_view value) const;

 private:
  struct Row {
    std::string name;  // With a star at its end: every name that begins so.
    std::string value;
  };
  std::vector<Row> rows_;
};

// The format of the weights that a quantization of an engine means: empty where the checkpoint
// says it, nothing where the engine has no such word.
std::optional<std::string> precision_of_quantization(std::string_view program,
                                                     std::string_view word);

// The format that the name of a checkpoint tells: `…-FP8`, `….w4a16`; empty where it tells none.
std::string precision_in_name(std::string_view name);

// A flag of scripts that train with the Trainer of Hugging Face, and what it says.
struct TrainerFlag {
  Flag flag;
  std::string key;    // Empty: a scenario has none, and the remark says what is missing.
  std::string value;  // What a switch means, or the values that need no remark, with bars between.
  std::string remark;
};
std::vector<TrainerFlag> read_trainer_flags();

// An optimizer by its name in files of the Trainer and of those built on it.
struct KnownOptimizer {
  std::string moments;  // The nearest format that a scenario has; empty: none is near.
  std::string says;     // What is otherwise than two moments in that format; empty: nothing.
};
std::optional<KnownOptimizer> optimizer_named(std::string_view name);

// A key of torchtitan's TOML.
struct TitanKey {
  std::string section;
  std::string name;
  std::string key;
  std::vector<std::string> choices;  // A star: any word. None: whole numbers.
};
std::vector<TitanKey> read_titan_keys();

// Whether a query, or the name of a metric, counts the requests that are running.
bool counts_running(std::string_view query);

}  // namespace loadfactor::launch

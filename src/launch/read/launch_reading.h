// Files of a launch as a scenario: read together, completed, and written with every guess marked.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/findings/findings.h"

namespace loadfactor::launch {

struct LaunchFile {
  std::string name;
  std::string text;
};

// Who knows names of models and chips. Each answers the catalogue's name, or nothing.
struct Names {
  std::function<std::string(const std::string& name)> model;
  std::function<std::string(const std::string& name)> accelerator;
  std::function<std::int64_t(const std::string& name)> layers_of;  // A model's; 0: not known.
  // Whether a model has experts, which the ranks of a replica may share.
  std::function<bool(const std::string& name)> has_experts;
  // The format that a model's own checkpoint is stored in; empty where it is a plain one.
  std::function<std::string(const std::string& name)> stored_format;
  // Whether a word is a format to train in, or to serve in.
  std::function<bool(const std::string& word, bool serves)> is_format;
  // The model of exactly these dimensions: `layers`, `hidden`, ….
  using Dimensions = std::function<std::optional<std::int64_t>(std::string_view)>;
  std::function<std::string(const Dimensions&)> model_of;
  // The first of these dimensions that a model has otherwise; nothing where it has none so.
  struct OtherDimension {
    std::string name;
    std::int64_t value = 0;  // The model's.
  };
  std::function<std::optional<OtherDimension>(const std::string& name, const Dimensions&)> differs;
};

struct Guess {
  std::string key;
  std::string value;
  std::string why;
};

struct LaunchReading {
  std::string scenario;  // YAML, commented.
  std::vector<Guess> guesses;
  std::vector<std::string> unknown;  // Keys that are left blank.
  std::vector<std::string> remarks;
};

// Nothing, and everything that is wrong at its line, where the files contradict themselves or
// launch nothing.
std::optional<LaunchReading> read_launch(const std::vector<LaunchFile>& files, const Names& names,
                                         Diagnostics& diagnostics);

}  // namespace loadfactor::launch

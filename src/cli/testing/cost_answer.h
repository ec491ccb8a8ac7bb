// The shipped questions of `loadfactor cost`, and figures of its answers by their path.
#pragma once

#include <charconv>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/testing/program.h"
#include "config/document.h"

namespace loadfactor::cli::testing {

inline std::string shipped(const std::string& name) {
  return std::string(LF_SOURCE_DIR) + "/data/scenarios/cost/" + name + ".yaml";
}

// An answer in JSON, by paths such as "options.0.break_even.value". An item of a list is found by
// the whole of its kind or the beginning of another value: "options[kind=own]".
class Answer {
 public:
  explicit Answer(const std::string& text) : document_(*config::parse_json("answer", text)) {}

  const config::Node* find(const std::string& path) const {
    const config::Node* node = member(&document_.root, "answer");
    std::istringstream words(path);
    for (std::string word; node != nullptr && std::getline(words, word, '.');)
      node = step(node, word);
    return node;
  }
  double number(const std::string& path) const {
    const config::Node* node = find(path);
    if (node == nullptr || node->kind != config::NodeKind::kScalar) {
      ADD_FAILURE() << "no number at " << path;
      return 0;
    }
    double value = 0;
    std::from_chars(node->scalar.data(), node->scalar.data() + node->scalar.size(), value);
    return value;
  }
  std::string text(const std::string& path) const {
    const config::Node* node = find(path);
    return node == nullptr ? "(missing)" : node->scalar;
  }

 private:
  static const config::Node* member(const config::Node* node, const std::string& key) {
    for (const auto& candidate : node->members) {
      if (candidate.key == key) return &candidate.value;
    }
    return nullptr;
  }
  static const config::Node* step(const config::Node* node, const std::string& word) {
    const auto bracket = word.find('[');
    const config::Node* inner = member(node, word.substr(0, bracket));
    if (bracket == std::string::npos || inner == nullptr) return inner;
    const auto equals = word.find('=', bracket);
    const std::string key = word.substr(bracket + 1, equals - bracket - 1);
    const std::string value = word.substr(equals + 1, word.size() - equals - 2);
    for (const auto& item : inner->items) {
      const config::Node* found = member(&item, key);
      if (found == nullptr) continue;
      const bool meant = key == "kind" ? found->scalar == value : found->scalar.starts_with(value);
      if (meant) return &item;
    }
    return nullptr;
  }

  config::Document document_;
};

inline Answer answer_of(const std::string& name, std::vector<std::string> more = {}) {
  std::vector<std::string> words{"cost", shipped(name), "--format", "json", "--draws", "256"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = loadfactor(words);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return Answer(outcome.status == 0 ? outcome.out : "{\"answer\": {}}");
}

inline void expect_near(double actual, double expected, double tolerance = 1e-4) {
  EXPECT_NEAR(actual, expected, std::abs(expected) * tolerance);
}

}  // namespace loadfactor::cli::testing

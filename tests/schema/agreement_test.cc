// The schemas and our readers agree on what a file may say: they were written apart, so each is
// the other's check.
#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "tests/schema/file_kind.h"
#include "tests/schema/json_schema.h"
#include "tests/schema/schema_walk.h"

namespace loadfactor::schema {
namespace {

constexpr std::string_view kNobodysKey = "zzzzzzzz";

std::vector<Sample> samples_of(const FileKind& kind) {
  std::vector<Sample> samples = shipped_files(kind);
  if (kind.schema == "scenario") {
    for (auto& sample : odd_scenarios()) samples.push_back(std::move(sample));
  }
  if (kind.schema == "node") {  // No machine that ships tells how its bus is shared.
    Sample sample = samples.front();
    sample.tree["bus"] = {{"per_switch", 2},      {"per_socket", 4},
                          {"beyond_switch", 0.9}, {"beyond_socket", 0.5},
                          {"kind", "assumed"},    {"source", "general-knowledge"},
                          {"date", "2026"}};
    samples.push_back(std::move(sample));
  }
  return samples;
}

// All scenarios, and of the others a few that are spread over all.
std::vector<Sample> few_samples_of(const FileKind& kind) {
  constexpr std::size_t kEnough = 5;
  std::vector<Sample> all = samples_of(kind);
  if (kind.schema == "scenario") return all;
  const std::size_t stride = (all.size() + kEnough - 1) / kEnough;
  std::vector<Sample> few;
  for (std::size_t i = 0; i < all.size(); i += stride) few.push_back(std::move(all[i]));
  return few;
}

// JSON is YAML, so the reader can be asked about a tree that was changed.
Diagnostics read_tree(const FileKind& kind, const std::string& path, const Json& tree) {
  return kind.read(path, tree.dump(1));
}

// One kind of file, seen by its schema and by its reader.
class Pair {
 public:
  explicit Pair(const FileKind& kind)
      : kind_(&kind), schema_(load_schema(std::string(kind.schema))) {}

  // What the schema refuses the reader refuses; what the reader refuses with one of the codes of
  // structure the schema refuses.
  void expect_agreement(const std::string& file, const Json& tree, const std::set<int>& codes,
                        const std::string& change) const {
    const Diagnostics diagnostics = read_tree(*kind_, file, tree);
    const auto& errors = diagnostics.errors();
    const bool structural = std::any_of(errors.begin(), errors.end(), [&](const Error& error) {
      return codes.contains(error.code);
    });
    const bool accepted = schema_.accepts(tree);
    EXPECT_TRUE(accepted || !diagnostics.empty()) << file << change << " is read\n"
                                                  << schema_.complaints(tree);
    EXPECT_FALSE(accepted && structural) << file << change << " is accepted\n"
                                         << render(diagnostics);
  }

  // Calls `visit(sample, path)` for every value of a few files.
  template <typename Visit>
  void for_each_member(const Visit& visit) const {
    for (const Sample& sample : few_samples_of(*kind_)) {
      for (const Path& path : member_paths(schema_, sample.tree)) visit(sample, path);
    }
  }

  const FileKind& kind() const { return *kind_; }
  const JsonSchema& schema() const { return schema_; }

 private:
  const FileKind* kind_;
  JsonSchema schema_;
};

// The keys that the reader knows in a map, which it lists when it meets an unknown one.
std::set<std::string> keys_the_reader_knows(const FileKind& kind, const Sample& sample,
                                            const Path& map) {
  Json tree = sample.tree;
  tree[map][std::string(kNobodysKey)] = 1;
  const Diagnostics diagnostics = read_tree(kind, sample.path, tree);
  for (const Error& error : diagnostics.errors()) {
    constexpr std::string_view kLead = "known here: ";
    if (error.code != lf::kUnknownKey || !error.hint.starts_with(kLead)) continue;
    std::set<std::string> keys;
    std::istringstream words(error.hint.substr(kLead.size()));
    for (std::string word; words >> word;) {
      if (word.ends_with(',')) word.pop_back();
      keys.insert(word);
    }
    return keys;
  }
  ADD_FAILURE() << sample.path << map.to_string() << ": the reader takes an unknown key\n"
                << render(diagnostics);
  return {};
}

// For a model that is described in one way the reader also knows the keys that begin another, to
// say that they contradict each other.
void forget_rivals(std::set<std::string>& known, const std::set<std::string>& listed) {
  for (const char* rival : {"config", "params", "layers"}) {
    const bool one_is_listed =
        listed.contains("config") || listed.contains("params") || listed.contains("layers");
    if (one_is_listed && !listed.contains(rival)) known.erase(rival);
  }
}

TEST(AgreementTest, EveryMapHasTheKeysThatItsReaderKnowsAndNoOthers) {
  for (const FileKind& kind : file_kinds()) {
    const JsonSchema schema = load_schema(std::string(kind.schema));
    std::set<const Json*> met;
    for (const Sample& sample : samples_of(kind)) {
      for (const ClosedMap& map : closed_maps(schema, sample.tree)) {
        auto known = keys_the_reader_knows(kind, sample, map.path);
        bool found = false;
        for (const Json* rule : map.rules) {
          auto here = known;
          if (map.path.to_string().ends_with("/model")) forget_rivals(here, keys_of(*rule));
          if (here != keys_of(*rule)) continue;
          found = true;
          met.insert(rule);
        }
        EXPECT_TRUE(found) << sample.path << map.path.to_string() << ": the reader knows "
                           << Json(known) << ", the schema " << Json(keys_of(*map.rules.front()));
      }
    }
    for (const Json* rule : closing_rules(schema))
      EXPECT_TRUE(met.contains(rule)) << kind.schema << ": no file has " << Json(keys_of(*rule));
  }
}

TEST(AgreementTest, AnUnknownKeyIsRefusedInEveryMap) {
  for (const FileKind& kind : file_kinds()) {
    const JsonSchema schema = load_schema(std::string(kind.schema));
    for (const Sample& sample : few_samples_of(kind)) {
      for (const ClosedMap& map : closed_maps(schema, sample.tree)) {
        Json tree = sample.tree;
        tree[map.path][std::string(kNobodysKey)] = 1;
        EXPECT_FALSE(schema.accepts(tree)) << sample.path << map.path.to_string();
      }
    }
  }
}

// What a schema cannot know: names of other parts, what a kind of layer inherits, and which layers
// are dense.
bool is_beyond_a_schema(const FileKind& kind, const Path& path) {
  const std::string text = path.to_string();
  if (kind.schema == "training-calibration")
    return text.ends_with("/kernels") || text.ends_with("/attention");
  return kind.schema == "model" && (text.starts_with("/layer_") || text == "/mlp");
}

TEST(AgreementTest, AKeyIsNeededByBothOrByNeither) {
  const std::set<int> codes{lf::kMissingKey, lf::kWrongSchema, lf::kContradictoryKeys};
  for (const FileKind& kind : file_kinds()) {
    const Pair pair(kind);
    pair.for_each_member([&](const Sample& sample, const Path& path) {
      Json tree = sample.tree;
      tree[path.parent_pointer()].erase(path.back());
      const bool beyond = is_beyond_a_schema(kind, path);
      pair.expect_agreement(sample.path, tree, beyond ? std::set<int>{} : codes,
                            " without " + path.to_string());
    });
  }
}

TEST(AgreementTest, AValueOfAWrongTypeIsRefusedByBothOrByNeither) {
  const std::set<int> codes{lf::kWrongType, lf::kUnknownWord, lf::kNotANumber};
  const std::vector<Json> strangers{Json{{std::string(kNobodysKey), 1}},
                                    Json::array({Json::array({1})}), true, "zz zz"};
  for (const FileKind& kind : file_kinds()) {
    const Pair pair(kind);
    pair.for_each_member([&](const Sample& sample, const Path& path) {
      for (const Json& stranger : strangers) {
        Json tree = sample.tree;
        tree[path] = stranger;
        const bool beyond = is_beyond_a_schema(kind, path) && stranger.is_string();
        pair.expect_agreement(sample.path, tree, beyond ? std::set<int>{} : codes,
                              path.to_string() + " = " + stranger.dump());
      }
    });
  }
}

TEST(AgreementTest, WhatAScenarioLeavesBlankIsTakenByBothOrByNeither) {
  const FileKind& kind = file_kinds().back();
  ASSERT_EQ(kind.schema, "scenario");
  const JsonSchema schema = load_schema("scenario");
  for (const Sample& sample : samples_of(kind)) {
    for (const Path& path : member_paths(schema, sample.tree)) {
      Json tree = sample.tree;
      tree[path] = nullptr;
      const Diagnostics diagnostics = read_tree(kind, sample.path, tree);
      EXPECT_EQ(schema.accepts(tree), diagnostics.empty())
          << sample.path << path.to_string() << " is blank\n"
          << schema.complaints(tree) << render(diagnostics);
    }
  }
}

}  // namespace
}  // namespace loadfactor::schema

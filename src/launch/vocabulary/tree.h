// A YAML or JSON document to be written, with a remark behind each value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loadfactor::config {
struct Node;
}

namespace loadfactor::launch {

struct Branch;

struct Tree {
  enum class Kind : std::uint8_t { kNothing, kWord, kText, kList, kMap };
  Kind kind = Kind::kNothing;
  std::string scalar;  // A word (a number, true, false) or a text.
  std::vector<Tree> items;
  std::vector<Branch> branches;

  Tree();
  Tree(const Tree& other);
  Tree(Tree&& other) noexcept;
  Tree& operator=(const Tree& other);
  Tree& operator=(Tree&& other) noexcept;
  ~Tree();

  static Tree word(std::string_view plain);
  static Tree number(std::int64_t count);
  static Tree flag(bool is);
  static Tree text(std::string_view words);
  static Tree list(std::vector<Tree> items = {});
  static Tree texts(const std::vector<std::string>& words);
  static Tree map();
  static Tree map(std::vector<Branch> branches);

  // Sets a key, in the order of calls.
  Tree& set(std::string key, Tree value, std::string remark = {});
  Tree& set(std::string key, std::string_view words, std::string remark = {});
  Tree& set(std::string key, const char* words, std::string remark = {});
  // The value of a key, made where it is missing.
  Tree& at(std::string_view key);
  const Tree* find(std::string_view key) const;
  // The value at `spec.template.spec`, or nothing.
  const Tree* path(std::string_view keys) const;
};

struct Branch {
  std::string key;
  Tree value;
  std::string remark;  // Behind the value, or above what stands below the key.
};

// Remarks become comments.
std::string to_yaml(const Tree& tree);
// JSON has no comments: remarks are left out.
std::string to_json(const Tree& tree);
// A document that was read.
Tree tree_of(const config::Node& node);

}  // namespace loadfactor::launch

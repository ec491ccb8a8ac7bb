#include "launch/read/manifests/container_command.h"

#include <algorithm>
#include <utility>

namespace loadfactor::launch {
namespace {

using config::Node;
using config::NodeKind;

// `$(TP)` becomes what the container's environment has; the rest stays.
void substitute(Word& word, const Variables& environment) {
  if (word.text.find("$(") == std::string::npos) return;
  std::string text;
  std::string_view rest = word.text;
  bool is_known = true;
  while (!rest.empty()) {
    const auto from = rest.find("$(");
    const auto to = rest.find(')', std::min(from, rest.size()));
    if (from == std::string_view::npos || to == std::string_view::npos) break;
    const auto found = environment.find(rest.substr(from + 2, to - from - 2));
    text += rest.substr(0, from);
    text += found == environment.end() ? std::string(rest.substr(from, to - from + 1))
                                       : found->second.text;
    is_known = is_known && found != environment.end() && found->second.is_known;
    rest.remove_prefix(to + 1);
  }
  // A word that is one variable stands where its value does.
  const auto whole = environment.find(std::string_view(word.text).substr(2, word.text.size() - 3));
  const bool is_whole = word.text.starts_with("$(") && word.text.ends_with(')') &&
                        whole != environment.end() && whole->second.origin != nullptr;
  if (is_whole) {
    word.line = whole->second.line;
    word.column = whole->second.column;
    word.origin = whole->second.origin;
  }
  word.text = text + std::string(rest);
  word.is_known = is_known;
}

// What a container takes of the ConfigMaps in the same files: all values of one.
Variables taken_values(const Node& node, const Findings& findings) {
  const Node* list = member(node, "envFrom");
  Variables taken;
  if (list == nullptr) return taken;
  for (const Node& each : list->items) {
    const auto found = findings.values().find(words(each, "configMapRef.name"));
    if (found == findings.values().end()) continue;
    for (const auto& [name, value] : found->second) taken[words(each, "prefix") + name] = value;
  }
  return taken;
}

// One value of one.
const Word* taken_value(const Node& variable, const Findings& findings) {
  const auto found = findings.values().find(words(variable, "valueFrom.configMapKeyRef.name"));
  if (found == findings.values().end()) return nullptr;
  const auto value = found->second.find(words(variable, "valueFrom.configMapKeyRef.key"));
  return value == found->second.end() ? nullptr : &value->second;
}

// What compose puts into its files: the lines of `.env`, where it is given.
Variables interpolated(const Findings& findings) {
  const auto found = findings.offered().find(".env");
  return found == findings.offered().end() ? Variables() : read_shell(found->second).variables;
}

// A command of compose in one line, with quotes and `${MODEL:-name}` as a shell has them.
std::vector<Word> composed_words(const Node& node, const Findings& findings) {
  std::string text = node.scalar;
  std::replace(text.begin(), text.end(), '\n', ' ');
  const ShellText script = read_shell(text, interpolated(findings));
  std::vector<Word> words;
  for (const auto& command : script.commands)
    words.insert(words.end(), command.begin(), command.end());
  for (Word& each : words) {
    each.line = node.position.line;
    each.column = node.position.column;
  }
  return words;
}

}  // namespace

Variables container_variables(const Source& source, const Node& node, const Findings& findings) {
  Variables variables = taken_values(node, findings);
  const Node* list = member(node, "env");
  if (list == nullptr) list = member(node, "environment");
  const auto here = [&](Word value) {
    value.origin = &source;
    return value;
  };
  if (list == nullptr) return variables;
  for (const Node& each : list->items) {
    const Node* value = member(each, "value");
    if (value != nullptr) variables[words(each, "name")] = here(word(*value));
    if (const Word* taken = taken_value(each, findings)) variables[words(each, "name")] = *taken;
    // Compose also writes `- NAME=value`.
    const auto equals = each.scalar.find('=');
    if (each.kind != NodeKind::kScalar || equals == std::string::npos) continue;
    Word assigned = here(word(each));
    assigned.text = each.scalar.substr(equals + 1);
    variables[each.scalar.substr(0, equals)] = std::move(assigned);
  }
  for (const auto& each : list->members) variables[each.key] = here(word(each.value));
  for (auto& [name, value] : variables) {
    const Variables others = variables;
    substitute(value, others);
  }
  return variables;
}

std::vector<Word> container_command(const Node& node, const Variables& variables,
                                    const Images& images, const Findings& findings) {
  std::vector<Word> all;
  const auto add = [&](const Node* list, bool splits) {
    if (list == nullptr) return;
    if (list->kind == NodeKind::kScalar && splits) {
      for (Word& each : composed_words(*list, findings)) all.push_back(std::move(each));
    } else if (list->kind == NodeKind::kScalar) {
      all.push_back(word(*list));
    }
    for (const Node& item : list->items) {
      if (splits && item.scalar.find('$') != std::string::npos)
        for (Word& each : composed_words(item, findings)) all.push_back(std::move(each));
      else
        all.push_back(word(item));
    }
  };
  const bool is_composed = member(node, "args") == nullptr && member(node, "name") == nullptr;
  if (is_composed) add(member(node, "entrypoint"), true);
  add(member(node, "command"), is_composed);
  add(member(node, "args"), false);
  const Node* image = member(node, "image");
  const bool is_own = member(node, is_composed ? "entrypoint" : "command") == nullptr;
  if (image != nullptr && is_own && !images.program(image->scalar).empty())
    all.insert(all.begin(), word(*image));
  for (Word& each : all) substitute(each, variables);
  return all;
}

std::string side_of(const std::vector<Word>& command, const std::string& pool) {
  for (std::size_t i = 0; i + 1 < command.size(); ++i)
    if (command[i].text == "--disaggregation-mode" &&
        (command[i + 1].text == "prefill" || command[i + 1].text == "decode"))
      return command[i + 1].text;
  for (const Word& each : command) {
    if (each.text == "--is-prefill-worker") return "prefill";
    if (each.text == "--is-decode-worker") return "decode";
  }
  return pool;
}

}  // namespace loadfactor::launch

#include "launch/emit/flag_patch.h"

#include <algorithm>
#include <string_view>

#include "config/document.h"

namespace loadfactor::launch {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// A line without the remark behind it.
std::string_view bare(std::string_view line) {
  return trimmed(line.substr(0, std::min(line.find("  # "), line.size())));
}

// `--flag value` or `export LF_NAME=value`; anything else is no setting.
void add_line(const EmittedFile& file, std::string_view line, std::string_view scenario,
              std::vector<FlagSetting>& settings) {
  constexpr std::string_view kVariable = "export LF_";
  const bool is_said =
      scenario.empty() || line.find(std::string(scenario) + ":") != std::string_view::npos;
  line = bare(line);
  if (file.role == Role::kArguments && line.starts_with("-")) {
    const auto end = std::min(line.find(' '), line.size());
    settings.push_back({file.path, std::string(line.substr(0, end)),
                        std::string(trimmed(line.substr(end))), is_said});
  } else if (file.role == Role::kCommand && line.starts_with(kVariable)) {
    line.remove_prefix(std::string_view("export ").size());
    const auto end = std::min(line.find('='), line.size());
    settings.push_back({file.path, std::string(line.substr(0, end)),
                        std::string(line.substr(std::min(end + 1, line.size()))), is_said});
  }
}

void add_tree(const std::string& file, const config::Node& node, const std::string& path,
              std::vector<FlagSetting>& settings) {
  for (const auto& each : node.members)
    add_tree(file, each.value, path.empty() ? each.key : path + "." + each.key, settings);
  for (std::size_t i = 0; i < node.items.size(); ++i)
    add_tree(file, node.items[i], path + "[" + std::to_string(i) + "]", settings);
  if (node.kind == config::NodeKind::kScalar) settings.push_back({file, path, node.scalar});
}

const FlagSetting* find(const std::vector<FlagSetting>& settings, const FlagSetting& wanted) {
  const auto found = std::find_if(settings.begin(), settings.end(), [&](const FlagSetting& each) {
    return each.file == wanted.file && each.flag == wanted.flag;
  });
  return found == settings.end() ? nullptr : &*found;
}

}  // namespace

std::vector<FlagSetting> flag_settings(std::span<const EmittedFile> files,
                                       std::string_view scenario) {
  std::vector<FlagSetting> settings;
  for (const EmittedFile& file : files) {
    if (file.role == Role::kConfig) {
      const bool is_json = file.path.ends_with(".json");
      if (!is_json && !file.path.ends_with(".yaml")) continue;
      const auto tree = is_json ? config::parse_json(file.path, file.text)
                                : config::parse_yaml(file.path, file.text);
      if (tree) add_tree(file.path, tree->root, "", settings);
      continue;
    }
    for (std::string_view rest = file.text; !rest.empty();) {
      const auto end = std::min(rest.find('\n'), rest.size());
      add_line(file, rest.substr(0, end), scenario, settings);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return settings;
}

std::vector<FlagChange> flag_patch(std::span<const EmittedFile> before,
                                   std::span<const EmittedFile> after, std::string_view running) {
  const auto old = flag_settings(before, running);
  const auto fresh = flag_settings(after, {});
  std::vector<FlagChange> changes;
  for (const FlagSetting& each : old) {
    const FlagSetting* now = find(fresh, each);
    const bool is_same = now != nullptr && now->value == each.value;
    if (is_same && each.is_said) continue;
    changes.push_back({each.file, each.flag, each.is_said ? each.value : "",
                       now == nullptr ? "" : now->value, each.is_said, now != nullptr,
                       !each.is_said && (is_same || now == nullptr)});
  }
  for (const FlagSetting& each : fresh)
    if (find(old, each) == nullptr)
      changes.push_back({each.file, each.flag, "", each.value, false, true});
  return changes;
}

}  // namespace loadfactor::launch

// Scripts, and the lines in them that speak to batch systems.
#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "launch/read/flags.h"
#include "launch/read/readers.h"

namespace loadfactor::launch {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

// `h100:8`, `gpu:h100:8`, `8`.
void read_gpus(std::string_view text, std::string_view key, const Place& place,
               Findings& findings) {
  std::vector<std::string> parts;
  std::string part;
  for (const char c : text) {
    if (c == ':' || c == '=') {
      parts.push_back(std::exchange(part, ""));
    } else if (c == '(' || c == ',') {
      break;
    } else {
      part += c;
    }
  }
  parts.push_back(part);
  if (const auto count = whole_number(parts.back()); count && *count > 0)
    findings.set(key, *count, place);
  for (const auto& each : parts)
    if (!each.empty() && each != "gpu" && !whole_number(each))
      findings.set("hardware", each, place);
}

Program sbatch_flags() {
  std::vector<Flag> flags;
  flags.push_back({"--nodes", {"-N"}, FlagKind::kText, {}, {}});
  flags.push_back({"--job-name", {"-J"}, FlagKind::kText, {}, {}});
  flags.push_back({"--array", {"-a"}, FlagKind::kText, {}, {}});
  for (const char* name :
       {"--gpus-per-node", "--gres", "--gpus", "--ntasks-per-node", "--constraint"})
    flags.push_back({name, {}, FlagKind::kText, {}, {}});
  flags.push_back({"--gpus", {"-G"}, FlagKind::kText, {}, {}});
  flags.push_back({"--exclusive", {}, FlagKind::kSwitch, {}, {}});
  flags.push_back({"--requeue", {}, FlagKind::kSwitch, {}, {}});
  return {"sbatch", {}, std::move(flags)};
}

}  // namespace

void read_sbatch(const Source& source, const ShellText& script, Findings& findings) {
  std::vector<Word> words;
  for (const Word& comment : script.comments) {
    if (!comment.text.starts_with("#SBATCH")) continue;
    // What stands behind a mark of its own is a comment of the line.
    std::string_view line = std::string_view(comment.text).substr(7);
    if (const auto mark = line.find(" #"); mark != std::string_view::npos)
      line = line.substr(0, mark);
    const auto more = split_words(line, comment.line, comment.column + 7);
    words.insert(words.end(), more.begin(), more.end());
  }
  if (words.empty()) return;
  findings.has_launch = true;
  GivenFlags flags(sbatch_flags(), source, words, findings);
  flags.count("--nodes", "nodes");
  flags.word("--job-name", "name");
  for (const char* name : {"--gpus-per-node", "--gres"})
    if (const std::string text = flags.text(name); !text.empty())
      read_gpus(text, "gpus_per_node", flags.place(name), findings);
  if (const std::string text = flags.text("--gpus"); !text.empty())
    read_gpus(text, "world", flags.place("--gpus"), findings);
  const std::string array = flags.text("--array");
  // Where two pools are submitted apart, the mark of each file says how many of which.
  const bool is_split = source.text.find(" prefill.replicas=") != std::string::npos;
  if (const auto dash = array.find('-'); dash != std::string::npos && !is_split) {
    const auto first = whole_number(std::string_view(array).substr(0, dash));
    const auto last = whole_number(std::string_view(array).substr(dash + 1));
    if (first && last && *last >= *first)
      findings.set("array", *last - *first + 1, flags.place("--array"));
  }
}

void read_marks(const Source& source, const ShellText& script, Findings& findings) {
  constexpr std::string_view kMark = "# loadfactor:";
  for (const Word& comment : script.comments) {
    if (!comment.text.starts_with(kMark)) continue;
    const auto words =
        split_words(std::string_view(comment.text).substr(kMark.size()), comment.line,
                    comment.column + static_cast<std::uint32_t>(kMark.size()));
    for (const Word& word : words) {
      const auto equals = word.text.find('=');
      if (equals == std::string::npos) continue;
      const std::string key = word.text.substr(0, equals);
      const std::string value = word.text.substr(equals + 1);
      const Place place = place_of(source, word);
      if (value.empty()) continue;
      if (key == "hardware") findings.set("hardware", value, place);
      if (key == "framework") findings.set("train.stack.framework", value, place);
      if (key == "model") findings.set("mark.model", value, place);
      if (key == "release") findings.set("serve.deployment.release", '"' + value + '"', place);
      if (key == "gpus") findings.set("world", value, place);
      if (key == "replicas") findings.set("serve.deployment.replicas", value, place);
      if (key == "prefill.replicas")
        findings.set("serve.deployment.prefill.replicas", value, place);
      if (key == "decode.replicas") findings.set("serve.deployment.decode.replicas", value, place);
    }
  }
}

void read_variables(const Source& source, const ShellText& script, Findings& findings) {
  struct VariableRow {
    std::string_view name, key;
  };
  constexpr std::array kRows{
      VariableRow{"LF_MODEL", "train.model"},
      VariableRow{"LF_SEQUENCE", "train.sequence"},
      VariableRow{"LF_MICRO_BATCH", "train.layout.micro_batch"},
      VariableRow{"LF_GRADIENT_ACCUMULATION", "accumulation"},
      VariableRow{"LF_GLOBAL_BATCH", "train.global_batch"},
      VariableRow{"LF_PRECISION", "train.precision"},
      VariableRow{"LF_STEPS", "steps"},
      VariableRow{"LF_SHARD_GROUP", "train.layout.shard_group"},
  };
  const auto find = [&](std::string_view name) {
    const auto found = script.variables.find(name);
    return found == script.variables.end() || !found->second.is_known ? nullptr : &found->second;
  };
  for (const auto& [name, key] : kRows)
    if (const Word* word = find(name)) findings.set(key, word->text, place_of(source, *word));
  if (const Word* word = find("LF_RECOMPUTE")) {
    const bool is_word = word->text == "none" || word->text == "selective" || word->text == "full";
    const bool is_layers = word->text.starts_with("layers:");
    findings.set("train.layout.recompute",
                 is_word     ? word->text
                 : is_layers ? "{layers: " + word->text.substr(7) + "}"
                             : "[" + word->text + "]",
                 place_of(source, *word));
  }
  if (const Word* word = find("LF_OFFLOAD"))
    findings.set("train.layout.offload", "[" + word->text + "]", place_of(source, *word));
  if (const Word* word = find("LF_STRATEGY")) {
    const std::string& text = word->text;
    findings.set("train.layout.zero",
                 text == "ddp"              ? "0"
                 : text == "zero-1"         ? "1"
                 : text == "fsdp-gradients" ? "2"
                                            : "3",
                 place_of(source, *word));
    findings.guess("train.stack.framework", text == "ddp" ? "distributeddataparallel" : "fsdp2",
                   "by its strategy");
  }
}

void read_script(const Source& source, Findings& findings) {
  const ShellText script = read_shell(source.text);
  read_sbatch(source, script, findings);
  read_marks(source, script, findings);
  read_variables(source, script, findings);
  bool found = false;
  for (const auto& command : script.commands) found |= read_command(source, command, findings);
  if (found) return;
  // A file of flags alone, one or more a line.
  std::vector<Word> words;
  for (const auto& command : script.commands) {
    if (!command.front().text.starts_with("--")) return;
    words.insert(words.end(), command.begin(), command.end());
  }
  if (!words.empty()) read_bare_arguments(source, words, findings);
}

void read_dockerfile(const Source& source, Findings& findings) {
  // `ENV` sets what the words below may name; the last CMD and ENTRYPOINT make the command.
  std::string script;
  std::string entry, command;
  std::string_view rest = source.text;
  bool continues = false;
  std::string* target = nullptr;
  while (!rest.empty()) {
    const auto end = std::min(rest.find('\n'), rest.size());
    std::string line(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    std::string_view body = trimmed(line);
    if (!continues) {
      target = nullptr;
      const auto takes = [&](std::string_view word) {
        if (!body.starts_with(word)) return false;
        body = trimmed(body.substr(word.size()));
        return true;
      };
      if (takes("ENTRYPOINT ")) {
        entry.clear();
        target = &entry;
      } else if (takes("CMD ")) {
        command.clear();
        target = &command;
      } else if (takes("ENV ")) {
        script += "export ";
        target = &script;
      }
    }
    continues = body.ends_with('\\');
    if (continues) body.remove_suffix(1);
    if (target == nullptr) {
      script += '\n';
      continue;
    }
    std::string text(body);
    // `["vllm", "serve"]` is a list of words.
    const bool is_list = text.starts_with("[") || (target != &script && text.ends_with("]"));
    if (is_list || (target != &script && text.find("\", \"") != std::string::npos))
      std::replace_if(
          text.begin(), text.end(), [](char c) { return c == '[' || c == ']' || c == ','; }, ' ');
    *target += text + (target == &script && !continues ? "\n" : " ");
    if (target != &script) script += '\n';
  }
  script += entry + " " + command + "\n";
  const ShellText parsed = read_shell(script);
  for (const auto& each : parsed.commands) {
    std::vector<Word> words = each;
    for (Word& word : words) word.line = std::min(word.line, source.lines.size());
    read_command(source, words, findings);
  }
}

void read_processes(const Source& source, Findings& findings) {
  for (std::uint32_t line = 1; line <= source.lines.size(); ++line) {
    const auto words = split_words(source.lines.line(source.text, line), line, 1);
    // Workers of a server show their own command lines; a server is said once.
    Diagnostics ignored;
    read_command(source, words, findings);
  }
}

void read_argument_dump(const Source& source, Findings& findings) {
  const Program megatron = read_program("megatron");
  std::vector<Word> words;
  for (std::uint32_t line = 1; line <= source.lines.size(); ++line) {
    const auto parts = split_words(source.lines.line(source.text, line), line, 1);
    for (std::size_t i = 1; i + 1 < parts.size(); ++i) {
      const std::string& dots = parts[i].text;
      if (dots.size() < 3 || dots.find_first_not_of('.') != std::string::npos) continue;
      const std::string& value = parts[i + 1].text;
      if (parts[i - 1].text == "world_size")
        findings.set("world", value, place_of(source, parts[i + 1]));
      std::string name = "--" + parts[i - 1].text;
      std::replace(name.begin(), name.end(), '_', '-');
      const auto match = megatron.find(name);
      if (!match || value == "None" || value == "False") break;
      Word flag = parts[i - 1];
      flag.text = name;
      words.push_back(flag);
      if (value == "True") break;
      if (match->flag->kind == FlagKind::kSwitch) {
        words.pop_back();
        break;
      }
      std::string text = value;
      std::erase_if(text, [](char c) { return c == '[' || c == ']' || c == '\'' || c == ','; });
      Word given = parts[i + 1];
      given.text = text;
      if (match->flag->kind == FlagKind::kInteger && !whole_number(text)) {
        words.pop_back();
        break;
      }
      words.push_back(given);
      break;
    }
  }
  read_megatron(source, words, findings);
}

void read_toml(const Source& source, Findings& findings) {
  struct KeyRow {
    std::string_view section, name, key;
  };
  constexpr std::array kRows{
      KeyRow{"parallelism", "tensor_parallel_degree", "train.layout.tp"},
      KeyRow{"parallelism", "pipeline_parallel_degree", "train.layout.pp"},
      KeyRow{"parallelism", "context_parallel_degree", "train.layout.cp"},
      KeyRow{"parallelism", "expert_parallel_degree", "train.layout.ep"},
      KeyRow{"parallelism", "data_parallel_replicate_degree", "copies"},
      KeyRow{"parallelism", "data_parallel_shard_degree", "shares"},
      KeyRow{"parallelism", "fsdp_reshard_after_forward", "reshard"},
      KeyRow{"parallelism", "pipeline_parallel_schedule", "titan_schedule"},
      KeyRow{"parallelism", "pipeline_parallel_microbatch_size", "train.layout.micro_batch"},
      KeyRow{"training", "seq_len", "train.sequence"},
      KeyRow{"training", "local_batch_size", "local_batch"},
      KeyRow{"training", "batch_size", "local_batch"},
      KeyRow{"training", "global_batch_size", "train.global_batch"},
      KeyRow{"training", "steps", "steps"},
      KeyRow{"activation_checkpoint", "mode", "train.layout.recompute"},
  };
  findings.has_launch = true;
  findings.guess("train.stack.framework", "torchtitan", "by its keys");
  findings.guess("program", "torchtitan", "by its keys");
  std::string section, name, flavor;
  for (std::uint32_t line = 1; line <= source.lines.size(); ++line) {
    std::string_view text = source.lines.line(source.text, line);
    if (const auto mark = text.find('#'); mark != std::string_view::npos)
      text = text.substr(0, mark);
    text = trimmed(text);
    if (text.empty()) continue;
    const Place place{&source, line, 1, config::count_characters(text)};
    if (text.starts_with("[")) {
      section = std::string(
          text.substr(1, text.find(']') == std::string_view::npos ? 0 : text.find(']') - 1));
      continue;
    }
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) {
      findings.error(501, place, "neither a section nor a key", "TOML has `key = value`");
      continue;
    }
    const std::string key(trimmed(text.substr(0, equals)));
    std::string value(trimmed(text.substr(equals + 1)));
    std::erase(value, '"');
    if (section == "model" && key == "name") name = value;
    if (section == "model" && key == "flavor") flavor = value;
    for (const KeyRow& row : kRows) {
      if (row.section != section || row.name != key) continue;
      const bool is_word = row.key == "reshard" || row.key == "titan_schedule" ||
                           row.key == "train.layout.recompute";
      if (!is_word && !whole_number(value))
        findings.error(505, place, fmt::format("'{}' is no whole number", value));
      else
        findings.set(row.key, value, place);
    }
  }
  if (name == "llama3" && !flavor.empty()) {
    std::string size = flavor;
    std::transform(size.begin(), size.end(), size.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    findings.guess("train.model", "llama-3.1-" + size,
                   fmt::format("model {} in its flavor {}", name, flavor));
  }
  findings.guess("train.precision", "bf16", "torchtitan's default");
}

}  // namespace loadfactor::launch

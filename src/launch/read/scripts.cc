// Scripts, and the lines in them that speak to batch systems.
#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/findings/flags.h"
#include "launch/read/readers.h"
#include "launch/shell/shell_reader.h"
#include "launch/vocabulary/reading_tables.h"
#include "launch/vocabulary/titan_models.h"

namespace loadfactor::launch {
namespace {

// `h100:8`, `gpu:h100:8`, `8`; without a key the kind alone.
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
  if (const auto count = whole_number(parts.back()); count && *count > 0 && !key.empty())
    findings.set(key, *count, place);
  for (const auto& each : parts)
    if (!each.empty() && each != "gpu" && !whole_number(each)) read_gpu_type(each, place, findings);
}

// The jobs of `0-3`, `1,2,7`, `0-6:2` or `0-7%2` that run at once; nothing where it is no such
// list.
std::optional<std::int64_t> jobs_of_array(std::string_view text) {
  constexpr std::int64_t kMost = 4'000'000;
  const auto mark = text.find('%');
  const auto limit = mark == std::string_view::npos ? std::optional<std::int64_t>(kMost)
                                                    : whole_number(text.substr(mark + 1));
  text = text.substr(0, mark);
  std::int64_t jobs = 0;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    const auto dash = part.find('-');
    const auto colon = part.find(':');
    const auto first = whole_number(part.substr(0, std::min(dash, colon)));
    const auto last = dash == std::string_view::npos
                          ? first
                          : whole_number(part.substr(dash + 1, colon - dash - 1));
    const auto step = colon == std::string_view::npos ? std::optional<std::int64_t>(1)
                                                      : whole_number(part.substr(colon + 1));
    const bool is_range =
        first && last && step && *first >= 0 && *last <= kMost && *step > 0 && *last >= *first;
    if (!is_range) return std::nullopt;
    jobs += (*last - *first) / *step + 1;
  }
  if (jobs == 0 || !limit || *limit < 1) return std::nullopt;
  return std::min(jobs, *limit);
}

// `4`, or `2-4`, of which the least is sure.
void read_node_count(const GivenFlags& flags, Findings& findings) {
  const std::string text = flags.text("--nodes");
  if (text.empty() || flags.leaves_open("--nodes", "nodes")) return;
  const auto dash = text.find('-');
  const auto least = whole_number(std::string_view(text).substr(0, dash));
  if (!least)
    return findings.error(lf::kWrongType, flags.place("--nodes"),
                          fmt::format("--nodes: '{}' is no number of nodes", text), "4, or 2-4");
  if (dash == std::string::npos) return flags.say("--nodes", "nodes", *least);
  findings.guess("nodes", std::to_string(*least), fmt::format("the least of --nodes {}", text));
}

Program sbatch_flags() {
  std::vector<Flag> flags;
  flags.push_back({"--nodes", {"-N"}, FlagKind::kText, {}, {}});
  flags.push_back({"--job-name", {"-J"}, FlagKind::kText, {}, {}});
  flags.push_back({"--array", {"-a"}, FlagKind::kText, {}, {}});
  flags.push_back({"--partition", {"-p"}, FlagKind::kText, {}, {}});
  flags.push_back({"--ntasks", {"-n"}, FlagKind::kText, {}, {}});
  flags.push_back({"--cpus-per-task", {"-c"}, FlagKind::kText, {}, {}});
  flags.push_back({"--time", {"-t"}, FlagKind::kText, {}, {}});
  for (const char* name : {"--gpus-per-node", "--gres", "--ntasks-per-node", "--constraint"})
    flags.push_back({name, {}, FlagKind::kText, {}, {}});
  flags.push_back({"--gpus", {"-G"}, FlagKind::kText, {}, {}});
  flags.push_back({"--exclusive", {}, FlagKind::kSwitch, {}, {}});
  flags.push_back({"--requeue", {}, FlagKind::kSwitch, {}, {}});
  return {"sbatch", {}, std::move(flags)};
}

}  // namespace

namespace {

// A job of several parts has the words of each apart; the one with GPUs is read.
std::vector<Word> part_with_gpus(const Source& source, const std::vector<Word>& words,
                                 Findings& findings) {
  std::vector<std::vector<Word>> parts(1);
  for (const Word& word : words) {
    if (word.text == "hetjob" || word.text == "packjob")
      parts.emplace_back();
    else
      parts.back().push_back(word);
  }
  if (parts.size() == 1) return words;
  const auto has_gpus = [](const std::vector<Word>& part) {
    return std::any_of(part.begin(), part.end(), [](const Word& word) {
      return word.text.starts_with("--gpus") || word.text.starts_with("-G") ||
             (word.text.find("gpu") != std::string::npos && !word.text.starts_with("--part"));
    });
  };
  const auto count = std::count_if(parts.begin(), parts.end(), has_gpus);
  const auto first = std::find_if(parts.begin(), parts.end(), has_gpus);
  if (count > 1)
    findings.remark("several parts of this job have GPUs, and the first of them is read",
                    place_of(source, words.front()));
  return first == parts.end() ? parts.front() : *first;
}

}  // namespace

namespace {

// The words of all lines for the batch system, which stand before the first command.
std::vector<Word> batch_words(const ShellText& script) {
  std::vector<Word> words;
  for (const Word& comment : script.comments) {
    if (!comment.text.starts_with("#SBATCH") || !comment.doubt.empty()) continue;
    // What stands behind a mark of its own is a comment of the line.
    std::string_view line = std::string_view(comment.text).substr(7);
    if (const auto mark = line.find(" #"); mark != std::string_view::npos)
      line = line.substr(0, mark);
    const auto more = separated_options(split_words(line, comment.line, comment.column + 7));
    words.insert(words.end(), more.begin(), more.end());
  }
  return words;
}

// What a command line says to the batch system stands in place of what the script says.
std::vector<Word> without_overridden(const Source& source, const std::vector<Word>& words,
                                     const std::vector<Submission>& submissions,
                                     Findings& findings) {
  if (submissions.empty()) return words;
  Diagnostics unheard;
  Findings none(unheard);
  const Program program = sbatch_flags();
  std::vector<Word> kept;
  bool is_dropped = false;
  for (const Word& word : words) {
    if (!word.text.starts_with('-')) {
      if (!is_dropped) kept.push_back(word);
      continue;
    }
    is_dropped = false;
    const auto match = program.find(word.text.substr(0, word.text.find('=')));
    for (const Submission& each : submissions) {
      const GivenFlags given(program, *each.source, each.words, none);
      if (!match || given.find(match->flag->name) == nullptr) continue;
      is_dropped = true;
      findings.remark(fmt::format("{} is overridden by the command line at {}", match->flag->name,
                                  to_text(given.place(match->flag->name))),
                      place_of(source, word));
      break;
    }
    if (!is_dropped) kept.push_back(word);
  }
  return kept;
}

}  // namespace

void read_sbatch(const Source& source, const ShellText& script, Findings& findings) {
  for (const Word& comment : script.comments)
    if (comment.text.starts_with("#SBATCH") && !comment.doubt.empty())
      findings.remark("Slurm does not read this line, which " + comment.doubt,
                      place_of(source, comment));
  const auto submissions = findings.submissions_of(source.name);
  const std::vector<Word> words =
      without_overridden(source, batch_words(script), submissions, findings);
  if (!words.empty())
    read_batch_words(source, part_with_gpus(source, words, findings), source, findings);
  for (const Submission& each : submissions)
    read_batch_words(*each.source, each.words, source, findings);
}

namespace {

// The variables that Slurm sets from what a job asks for.
Variables batch_variables(const Source& source, const std::vector<Word>& words) {
  // What is wrong with the words is told where they are read.
  Diagnostics unheard;
  Findings none(unheard);
  const GivenFlags flags(sbatch_flags(), source, words, none);
  Variables variables;
  const auto set = [&](const char* flag, std::initializer_list<const char*> names) {
    const std::string text = flags.text(flag);
    const auto colon = text.rfind(':');
    const std::string count = colon == std::string::npos ? text : text.substr(colon + 1);
    if (!whole_number(count)) return;
    for (const char* name : names)
      variables[name] = {count,
                         flags.find(flag)->at.line,
                         flags.find(flag)->at.column,
                         true,
                         {},
                         0,
                         std::string::npos,
                         &source};
  };
  set("--nodes", {"SLURM_NNODES", "SLURM_JOB_NUM_NODES"});
  set("--ntasks", {"SLURM_NTASKS", "SLURM_NPROCS"});
  set("--cpus-per-task", {"SLURM_CPUS_PER_TASK"});
  set("--ntasks-per-node", {"SLURM_NTASKS_PER_NODE"});
  set("--gres", {"SLURM_GPUS_ON_NODE"});
  set("--gpus-per-node", {"SLURM_GPUS_ON_NODE", "SLURM_GPUS_PER_NODE"});
  return variables;
}

}  // namespace

namespace {

// The one pool that a script starts; empty where it starts none, or both.
std::string pool_of(const Source& source) {
  const auto has = [&](std::string_view text) {
    return source.text.find(text) != std::string::npos;
  };
  const bool fills = has("--disaggregation-mode prefill") || has("kv_producer");
  const bool decodes = has("--disaggregation-mode decode") || has("kv_consumer");
  if (fills == decodes) return {};
  return fills ? "prefill" : "decode";
}

void read_array(const GivenFlags& flags, const std::string& key, Findings& findings) {
  const std::string array = flags.text("--array");
  if (array.empty()) return;
  const auto jobs = jobs_of_array(array);
  if (!jobs)
    return findings.error(lf::kWrongType, flags.place("--array"),
                          fmt::format("--array: '{}' is no list of jobs", array),
                          "0-3, 1,2,7, 0-6:2, or 0-7%2 for two at once");
  findings.set(key, *jobs, flags.place("--array"));
}

}  // namespace

void read_batch_words(const Source& source, Words words, const Source& script, Findings& findings) {
  findings.has_launch = true;
  GivenFlags flags(sbatch_flags(), source, words, findings);
  // Where two pools are submitted apart, each has machines of its own; the mark of a file that was
  // emitted says how many replicas there are of which.
  const std::string pool = pool_of(script);
  const bool is_marked = script.text.find(" prefill.replicas=") != std::string::npos;
  const bool is_apart = is_marked || !pool.empty();
  for (const char* name : {"--gpus-per-node", "--gres"})
    if (const std::string text = flags.text(name); !text.empty())
      read_gpus(text, is_apart ? "" : "gpus_per_node", flags.place(name), findings);
  if (const std::string text = flags.text("--gpus"); !text.empty())
    read_gpus(text, is_apart ? "" : "world", flags.place("--gpus"), findings);
  if (!is_marked)
    read_array(flags, pool.empty() ? "array" : fmt::format("serve.deployment.{}.replicas", pool),
               findings);
  if (const std::string partition = flags.text("--partition"); !partition.empty())
    findings.guess(kPartition, partition, "--partition of the job");
  const std::string job = flags.text("--job-name");
  if (is_apart && !job.empty()) findings.guess("name", job, "the job's");
  if (is_apart) return;
  read_node_count(flags, findings);
  flags.word("--job-name", "name");
  flags.count("--ntasks-per-node", "tasks");
  // What the steps of the job may take a part of.
  for (const auto& [key, all] :
       {std::pair("nodes", kJobNodes), std::pair("gpus_per_node", kJobGpus)})
    if (const Finding* found = findings.find(key); found != nullptr && !found->is_guess)
      findings.set(all, found->value, found->place);
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
      if (key == "gpus") findings.set("mark.gpus", value, place);
      if (key == "replicas") findings.set("serve.deployment.replicas", value, place);
      if (key == "prefill.replicas")
        findings.set("serve.deployment.prefill.replicas", value, place);
      if (key == "decode.replicas") findings.set("serve.deployment.decode.replicas", value, place);
    }
  }
}

namespace {

void read_strategy(const Source& source, const Word& word, Findings& findings) {
  struct StrategyRow {
    std::string_view word, stage;
  };
  constexpr std::array kStrategies{StrategyRow{"ddp", "0"}, StrategyRow{"zero-1", "1"},
                                   StrategyRow{"fsdp-gradients", "2"}, StrategyRow{"fsdp", "3"},
                                   StrategyRow{"hsdp", "3"}};
  const auto* row = std::find_if(kStrategies.begin(), kStrategies.end(),
                                 [&](const StrategyRow& each) { return each.word == word.text; });
  if (row == kStrategies.end())
    return findings.error(lf::kWrongType, place_of(source, word),
                          fmt::format("LF_STRATEGY: '{}' is no strategy", word.text),
                          "ddp, zero-1, fsdp-gradients, fsdp or hsdp");
  findings.take("train.layout.zero", std::string(row->stage), place_of(source, word), word.doubt);
  findings.guess("train.stack.framework", word.text == "ddp" ? "distributeddataparallel" : "fsdp2",
                 "by its strategy");
}

}  // namespace

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
    if (const Word* word = find(name))
      findings.take(key, word->text, place_of(source, *word), word->doubt);
  if (const Word* word = find("LF_RECOMPUTE")) {
    const bool is_word = word->text == "none" || word->text == "selective" || word->text == "full";
    const bool is_layers = word->text.starts_with("layers:");
    findings.set("train.layout.recompute",
                 is_word     ? word->text
                 : is_layers ? "{layers: " + word->text.substr(7) + "}"
                             : "[" + word->text + "]",
                 place_of(source, *word));
  }
  if (const Word* word = find("LF_SAVE_MODE"); word != nullptr && word->text == "synchronous")
    findings.take("train.failures.checkpoint", word->text, place_of(source, *word), word->doubt);
  if (const Word* word = find("NEURON_LOGICAL_NC_CONFIG");
      word != nullptr && whole_number(word->text))
    findings.take(kNeuronJoined, word->text, place_of(source, *word), word->doubt);
  if (const Word* word = find("LF_OFFLOAD"))
    findings.set("train.layout.offload", "[" + word->text + "]", place_of(source, *word));
  if (const Word* word = find("LF_STRATEGY")) read_strategy(source, *word, findings);
}

void read_visible(std::string_view devices, const Place& place, Findings& findings) {
  if (devices.empty() || devices.front() == '-') return;
  const auto count = std::count(devices.begin(), devices.end(), ',') + 1;
  // Servers of one script may have different ones: the most that one of them has.
  if (findings.number("visible").value_or(0) >= count) return;
  findings.erase("visible");
  findings.set("visible", static_cast<std::int64_t>(count), place);
}

namespace {

// What torchtitan's own script takes from its environment.
void read_titan_variables(const Source& source, const Variables& variables, Findings& findings) {
  const Finding* program = findings.find("program");
  if (program == nullptr || program->value != "torchtitan") return;
  const auto find = [&](std::string_view name) {
    const auto found = variables.find(name);
    return found == variables.end() || !found->second.is_known ? nullptr : &found->second;
  };
  if (const Word* word = find("NGPU"); word != nullptr && whole_number(word->text))
    findings.take("gpus_per_node", word->text, place_of(source, *word), word->doubt);
  for (const char* name : {"CONFIG", "CONFIG_FILE"}) {
    const Word* word = find(name);
    if (word == nullptr) continue;
    // A file of an earlier release is called as the configuration is today.
    std::string_view config = word->text;
    config.remove_prefix(config.rfind('/') + 1);
    if (config.ends_with(".toml")) config.remove_suffix(5);
    if (const auto model = titan_model_of(std::string(config)); !model.model.empty())
      findings.guess("train.model", model.model, "the configuration " + word->text);
  }
}

// What LLaMA-Factory and ms-swift take from their environment, which they start torchrun with.
void read_factory_variables(const Source& source, const Variables& variables, Findings& findings) {
  const Finding* launcher = findings.find(kPlainLauncher);
  const bool is_factory = launcher != nullptr && launcher->value == "llamafactory-cli";
  if (!is_factory && findings.find(kPlainSwift) == nullptr) return;
  for (const auto& [name, key] :
       {std::pair("NNODES", "nodes"), std::pair("NPROC_PER_NODE", "gpus_per_node")}) {
    const auto found = variables.find(std::string_view(name));
    if (found == variables.end()) continue;
    const Word& word = found->second;
    if (word.is_known && whole_number(word.text))
      findings.take(key, word.text, place_of(source, word), word.doubt);
    else
      findings.leave_open(key, place_of(source, word), std::string(name) + " is set elsewhere");
  }
  if (!is_factory && findings.find("gpus_per_node") != nullptr)
    findings.guess("nodes", "1", "ms-swift's default");
}

}  // namespace

void read_script(const Source& source, Findings& findings) {
  read_script(source, ScriptStart{}, findings);
}

bool read_script(const Source& source, const ScriptStart& start, Findings& findings) {
  const auto submitted = findings.submissions_of(source.name);
  const bool is_given = start.arguments == nullptr && submitted.size() == 1;
  const auto read = [&](Variables variables) {
    return read_shell(source.text, std::move(variables), &findings.offered(),
                      is_given ? &submitted.front().arguments : start.arguments);
  };
  ShellText script = read(start.variables);
  // Once more with the variables that the batch system sets.
  if (const auto words = batch_words(script); !words.empty() || !submitted.empty()) {
    Variables variables = start.variables;
    for (const Submission& each : submitted) {
      variables.insert(each.variables.begin(), each.variables.end());
      variables.merge(batch_variables(*each.source, each.words));
    }
    variables.merge(batch_variables(source, words));
    script = read(std::move(variables));
  }
  if (script.unclosed) {
    findings.error(lf::kSyntax, place_of(source, *script.unclosed), "nothing closes this quote",
                   "the shell would not run the script");
    return false;
  }
  read_sbatch(source, script, findings);
  read_marks(source, script, findings);
  read_variables(source, script, findings);
  if (const auto found = script.variables.find("CUDA_VISIBLE_DEVICES");
      found != script.variables.end() && found->second.is_known)
    read_visible(found->second.text, place_of(source, found->second), findings);
  for (const HereDocument& document : script.here_documents)
    if (document.file.ends_with(".yaml") || document.file.ends_with(".yml") ||
        document.file.ends_with(".json") || document.file.ends_with(".toml"))
      findings.promise(document.file);
  bool found = false;
  for (std::size_t i = 0; i < script.commands.size(); ++i) {
    const auto& command = script.commands[i];
    if (!read_command(source, command, findings, start.pool)) continue;
    found = true;
    if (script.in_open_loop.contains(i) && !findings.servers().empty())
      findings.leave_open("serve.deployment.replicas", place_of(source, command.front()),
                          "it starts in a loop, and how often is not in the text");
  }
  read_titan_variables(source, script.variables, findings);
  read_factory_variables(source, script.variables, findings);
  read_here_documents(source, script, found, findings);
  if (found) return true;
  // A file of flags alone, one or more a line.
  std::vector<Word> words;
  for (const auto& command : script.commands) {
    if (!command.front().text.starts_with("--")) return false;
    words.insert(words.end(), command.begin(), command.end());
  }
  return !words.empty() && read_bare_arguments(source, words, findings);
}

void read_processes(const Source& source, Findings& findings) {
  for (std::uint32_t line = 1; line <= source.lines.size(); ++line) {
    const auto words = split_words(source.lines.line(source.text, line), line, 1);
    read_command(source, words, findings);
  }
}

void read_argument_dump(const Source& source, Findings& findings) {
  const Program megatron = read_program("megatron");
  const OldNames old_names("megatron");
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
      name = old_names.current(name);
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
      // A list of layers keeps its brackets; of others the first entry is read.
      if (match->flag->name == "--moe-layer-freq")
        for (std::size_t more = i + 2; more < parts.size(); ++more) text += parts[more].text;
      else
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
  read_megatron({.source = source, .words = words, .at = {&source, 1}, .is_dump = true}, findings);
}

}  // namespace loadfactor::launch

// Lines of a script, and words of a command, that speak to Slurm.
#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/findings/flags.h"
#include "launch/read/readers.h"
#include "launch/read/scripts/script_parts.h"
#include "launch/shell/shell_reader.h"
#include "launch/vocabulary/reading_tables.h"

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
  constexpr std::int64_t kMaxJobs = 4'000'000;
  const auto mark = text.find('%');
  const auto limit = mark == std::string_view::npos ? std::optional<std::int64_t>(kMaxJobs)
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
        first && last && step && *first >= 0 && *last <= kMaxJobs && *step > 0 && *last >= *first;
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

}  // namespace loadfactor::launch

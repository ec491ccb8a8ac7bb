// An array of Slurm.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "launch/emit/shell_text.h"
#include "launch/submit/sweep_job.h"

namespace loadfactor::launch {

std::string ArrayPlace::part(int shard) const {
  return fmt::format("{}/part-{}.sqlite", folder, shard);
}

std::string ArrayPlace::parts() const {
  return shell_word(folder) + "/part-*.sqlite";
}

std::string array_indices(const std::vector<int>& shards) {
  std::string out;
  for (std::size_t i = 0; i < shards.size();) {
    std::size_t end = i;
    while (end + 1 < shards.size() && shards[end + 1] == shards[end] + 1) ++end;
    if (!out.empty()) out += ',';
    out += end == i ? fmt::format("{}", shards[i]) : fmt::format("{}-{}", shards[i], shards[end]);
    i = end + 1;
  }
  return out;
}

std::string without_dashes(const std::string& setting) {
  return setting.substr(std::min(setting.find_first_not_of('-'), setting.size()));
}

std::string taken_setting(const std::string& setting) {
  // `-a 0-3` is `--array=0-3`; sbatch takes the first letters of a long name, too.
  constexpr std::array<std::pair<std::string_view, char>, 3> kTaken{
      {{"array", 'a'}, {"output", 'o'}, {"wrap", '\0'}}};
  const std::string name = without_dashes(setting);
  const std::string word = name.substr(0, name.find_first_of("= "));
  const bool is_short = setting.starts_with('-') && !setting.starts_with("--");
  for (const auto& [taken, letter] : kTaken) {
    const bool is_meant =
        is_short ? name.starts_with(letter) : word.size() > 1 && taken.starts_with(word);
    if (is_meant) return std::string(taken);
  }
  return {};
}

// A path as sbatch reads it in a script: its spaces and quotation marks behind a backslash.
std::string sbatch_word(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (std::string_view(" \"'\\\t").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string array_script(const SweepJob& job, const ArrayPlace& place) {
  std::string text = "#!/bin/bash\n";
  const auto line = [&text](const std::string& option, const std::string& remark) {
    text += fmt::format("{:<44} # {}\n", "#SBATCH --" + option, remark);
  };
  line("job-name=" + plain_name(job.name), "the sweep's name");
  line(fmt::format("array=0-{}", job.shards - 1), "one element for each shard");
  line("ntasks=1", "a shard is one process");
  line(fmt::format("cpus-per-task={}", place.threads), "its threads");
  line("requeue", "what is preempted starts again and goes on where it stopped");
  line("signal=B:TERM@60", "a minute before its time is over it writes what is done");
  line("open-mode=append", "a second try adds to the log");
  for (const std::string& setting : job.settings) line(setting, "as asked");
  text += fmt::format("#SBATCH --output={}/shard-%a.log\n", sbatch_word(place.folder));
  std::string words;
  for (const std::string& word : job.options) words += " " + shell_word(word);
  text += fmt::format(
      "exec {} sweep {} --shard \"$SLURM_ARRAY_TASK_ID/{}\" \\\n"
      "  -o {}/part-\"$SLURM_ARRAY_TASK_ID\".sqlite --jobs \"${{SLURM_CPUS_PER_TASK:-1}}\"{}\n",
      shell_word(place.program), shell_word(job.sweep), job.shards, shell_word(place.folder),
      words);
  return text;
}

}  // namespace loadfactor::launch

// The job completion file of Slurm (jobcomp/filetxt), which a cluster without accounts may write:
// one line a job, `JobId=7 UserId=ada(1000) … Name=train JobState=COMPLETED …`.
#include <algorithm>

#include "observe/read/cells.h"
#include "observe/read/slurm_words.h"

namespace loadfactor::observe {
namespace {

// Names and paths may hold anything, also what looks like a field: those before the folder are
// taken from the text before it, each where it stands last.
std::string_view completion_field(std::string_view line, std::string_view key) {
  const auto at = line.rfind(key);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + key.size());
  return rest.substr(0, rest.find(' '));
}

std::optional<JobRecord> completed_job_of(std::string_view line) {
  const std::string_view before = line.substr(0, line.find(" WorkDir="));
  JobRecord job;
  job.id = std::string(completion_field(before.substr(0, before.find(' ')), "JobId="));
  const auto end = find_job_end(completion_field(before, " JobState="));
  if (job.id.empty() || !end) return std::nullopt;
  // Only what ended is written: a job that waits again is a try that came to nothing.
  job.end_state = *end == JobEnd::kFinished ? JobEnd::kFinished : JobEnd::kFailed;
  const auto name = before.find(" Name=");
  const auto name_end = before.rfind(" JobState=");
  constexpr std::size_t kNameKey = std::string_view(" Name=").size();
  if (name != std::string_view::npos && name + kNameKey <= name_end)
    job.name = std::string(before.substr(name + kNameKey, name_end - name - kNameKey));
  const std::string_view user = completion_field(before, " UserId=");
  job.user = std::string(user.substr(0, user.find('(')));
  job.account = std::string(completion_field(line, " Account="));
  job.nodes = expand_hosts(completion_field(before, " NodeList="));
  job.gpus = count_gpus(completion_field(line, " Tres="));
  job.shards = count_shards(completion_field(line, " Tres="));
  job.accelerator = gpu_kind(completion_field(line, " Tres="));
  job.start = read_stamp(completion_field(before, " StartTime=")).value_or(0);
  job.end = std::max(job.start, read_stamp(completion_field(before, " EndTime=")).value_or(0));
  return job;
}

}  // namespace

bool looks_like_completions(std::string_view text) {
  return text.starts_with("JobId=") && text.find(" JobState=") != std::string_view::npos;
}

std::vector<JobRecord> read_completions(std::string_view text) {
  std::vector<JobRecord> jobs;
  while (!text.empty())
    if (auto job = completed_job_of(take_line(text))) jobs.push_back(*std::move(job));
  return jobs;
}

}  // namespace loadfactor::observe

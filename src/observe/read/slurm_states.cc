// The words by which Slurm says how a job stands.
#include <algorithm>
#include <array>

#include "observe/read/slurm_words.h"

namespace loadfactor::observe {
namespace {

struct StateWord {
  std::string_view word;
  std::string_view code;  // As squeue shortens it.
  JobEnd end;
};
constexpr std::array kStates{StateWord{"COMPLETED", "CD", JobEnd::kFinished},
                             StateWord{"CANCELLED", "CA", JobEnd::kFinished},
                             StateWord{"TIMEOUT", "TO", JobEnd::kFinished},
                             StateWord{"REVOKED", "RV", JobEnd::kFinished},
                             StateWord{"PREEMPTED", "PR", JobEnd::kFailed},
                             StateWord{"FAILED", "F", JobEnd::kFailed},
                             StateWord{"NODE_FAIL", "NF", JobEnd::kFailed},
                             StateWord{"OUT_OF_MEMORY", "OOM", JobEnd::kFailed},
                             StateWord{"BOOT_FAIL", "BF", JobEnd::kFailed},
                             StateWord{"LAUNCH_FAILED", "LF", JobEnd::kFailed},
                             StateWord{"RECONFIG_FAIL", "RF", JobEnd::kFailed},
                             StateWord{"REQUEUED", "RQ", JobEnd::kFailed},
                             StateWord{"DEADLINE", "DL", JobEnd::kFailed},
                             StateWord{"SPECIAL_EXIT", "SE", JobEnd::kFailed},
                             StateWord{"RUNNING", "R", JobEnd::kRunning},
                             StateWord{"COMPLETING", "CG", JobEnd::kRunning},
                             StateWord{"SUSPENDED", "S", JobEnd::kRunning},
                             StateWord{"CONFIGURING", "CF", JobEnd::kRunning},
                             StateWord{"RESIZING", "RS", JobEnd::kRunning},
                             StateWord{"STOPPED", "ST", JobEnd::kRunning},
                             StateWord{"SIGNALING", "SI", JobEnd::kRunning},
                             StateWord{"STAGE_OUT", "SO", JobEnd::kRunning},
                             StateWord{"PENDING", "PD", JobEnd::kPending},
                             StateWord{"REQUEUE_HOLD", "RH", JobEnd::kPending},
                             StateWord{"REQUEUE_FED", "", JobEnd::kPending},
                             StateWord{"RESV_DEL_HOLD", "RD", JobEnd::kPending}};

// `OUT_OF_ME+` in a column that was too narrow.
bool is_cut_from(std::string_view cell, std::string_view word) {
  constexpr std::size_t kFewest = 4;
  return cell.size() > kFewest && cell.back() == '+' &&
         word.starts_with(cell.substr(0, cell.size() - 1));
}

}  // namespace

std::optional<JobEnd> find_job_end(std::string_view state) {
  // `CANCELLED by 1000` is CANCELLED.
  const std::string_view word = state.substr(0, state.find(' '));
  for (const StateWord& known : kStates)
    if (word.starts_with(known.word) || is_cut_from(word, known.word)) return known.end;
  return std::nullopt;
}

std::optional<JobEnd> find_job_end_by_code(std::string_view code) {
  for (const StateWord& known : kStates)
    if (!code.empty() && code == known.code) return known.end;
  return std::nullopt;
}

}  // namespace loadfactor::observe

// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/sweep_queue.hpp"

#include <sstream>

#include "config/text/printable.hpp"
#include "sweep/slurm/command.hpp"

namespace tsunagi::app {

std::string last_line(const std::string& text) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) out = config::printable(line);
  return out;
}

SweepQueue ask_queue(const std::vector<sweep::slurm::Job>& jobs) {
  if (jobs.empty()) return {};
  const sweep::slurm::Answer answer = sweep::slurm::ask(sweep::slurm::queue_words(jobs));
  if (answer.code == 0) return {sweep::slurm::parse_queue(answer.text), ""};
  if (answer.code == 127) return {{}, "squeue is not on the PATH"};
  if (sweep::slurm::knows_no_job(answer.text)) return {};
  return {{}, "squeue says: " + last_line(answer.text)};
}

}  // namespace tsunagi::app

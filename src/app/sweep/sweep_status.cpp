// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/shell/exit_codes.hpp"
#include "app/shell/output.hpp"
#include "app/sweep/sweep_jobs.hpp"
#include "app/sweep/sweep_orders.hpp"
#include "app/sweep/sweep_queue.hpp"
#include "report/formats/table_layout.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {
namespace {

namespace slurm = sweep::slurm;
using Json = nlohmann::ordered_json;
using report::Align;

/// How far a sweep is.
struct Status {
  sweep::Standing points;
  std::vector<slurm::JobStanding> jobs;
  std::string unknown;  ///< why nothing is known of the jobs; "" if it is
};

const char* kind_of(const slurm::Job& job) { return job.collects ? "collector" : "shards"; }

std::string table_of(const sweep::Standing& points, bool has_jobs) {
  report::TextTable table;
  table.column("state", Align::left);
  table.column("points", Align::right);
  const auto row = [&table](const char* state, std::size_t count) { table.row({state, fmt::format("{}", count)}); };
  row("done", points.done);
  row("failed", points.failed);
  if (has_jobs) row("running", points.running);
  if (has_jobs) row("queued", points.queued);
  row("missing", points.missing);
  row("total", points.total());
  return table.text();
}

/// The jobs that have not ended; "" if all have.
std::string table_of(const std::vector<slurm::JobStanding>& jobs) {
  report::TextTable table;
  table.column("job", Align::right);
  table.column("kind", Align::left);
  for (const char* count : {"tasks", "queued", "running", "ended"}) table.column(count, Align::right);
  table.column("waits for", Align::left);
  bool any = false;
  for (const slurm::JobStanding& s : jobs) {
    if (s.queued + s.running == 0) continue;
    any = true;
    const auto text = [](std::size_t count) { return fmt::format("{}", count); };
    table.row({fmt::format("{}", s.job.id), kind_of(s.job), text(s.job.tasks), text(s.queued), text(s.running),
               text(s.ended()), fmt::format("{}", fmt::join(s.reasons, ", "))});
  }
  return any ? "\n" + table.text() : "";
}

Json json_of(const slurm::JobStanding& s, bool is_known) {
  const auto known = [is_known](std::size_t count) { return is_known ? Json(count) : Json(nullptr); };
  return {{"job", s.job.id},           {"kind", kind_of(s.job)},      {"tasks", s.job.tasks},
          {"queued", known(s.queued)}, {"running", known(s.running)}, {"ended", known(s.ended())},
          {"waits_for", s.reasons}};
}

std::string json_of(const OpenedSweep& opened, const Status& status) {
  const bool is_known = status.unknown.empty() && !status.jobs.empty();
  const auto of_jobs = [is_known](std::size_t count) { return is_known ? Json(count) : Json(nullptr); };
  Json jobs = Json::array();
  for (const slurm::JobStanding& s : status.jobs) jobs.push_back(json_of(s, status.unknown.empty()));
  const Json out{{"sweep", opened.sweep.name},
                 {"folder", opened.folder.string()},
                 {"points",
                  {{"total", status.points.total()},
                   {"done", status.points.done},
                   {"failed", status.points.failed},
                   {"running", of_jobs(status.points.running)},
                   {"queued", of_jobs(status.points.queued)},
                   {"missing", status.points.missing}}},
                 {"jobs", jobs}};
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// What a user may want to do about it, on standard error.
void tell(const OpenedSweep& opened, const Status& status) {
  if (!status.unknown.empty())
    write_stderr(fmt::format("tsunagi: what jobs are at is not known: {}\n", status.unknown));
  else if (!status.jobs.empty() && status.points.missing > 0)
    write_stderr(
        fmt::format("tsunagi: no job has the {} that {} missing; `tsunagi sweep submit` submits what is, "
                    "{} has what tasks said\n",
                    status.points.missing == 1 ? "point" : fmt::format("{} points", status.points.missing),
                    status.points.missing == 1 ? "is" : "are", (opened.folder / "slurm").string()));
}

}  // namespace

int sweep_status(const po::variables_map& values, const OpenedSweep& opened) {
  const std::string format = values.count("format") == 0 ? "table" : chosen(values, "format", {"table", "json"});
  const sweep::Store store = opened.existing_store();
  Complaints complaints;
  const auto complain = [&complaints](const std::string& line) { complaints.tell(line); };
  // The queue first: what has ended since has its results by the time we look for them.
  const std::vector<slurm::Job> jobs = slurm::jobs_of(store.folder(), complain);
  const SweepQueue queue = ask_queue(jobs);
  const slurm::Hands hands(jobs, queue.tasks);
  Failures failures;
  Status status;
  status.unknown = queue.unknown;
  status.jobs = slurm::job_standings(jobs, queue.tasks);
  status.points =
      sweep::standing(opened.points, store, [&hands](const std::string& id) { return hands.of(id); },
                      {complain, [&failures](const sweep::Point& p, const sweep::Result& r) { failures.add(p, r); }});
  const bool has_jobs = !jobs.empty() && queue.unknown.empty();
  write_stdout(format == "json" ? json_of(opened, status)
                                : table_of(status.points, has_jobs) + (has_jobs ? table_of(status.jobs) : ""));
  complaints.end();
  failures.tell();
  tell(opened, status);
  return status.points.failed > 0 ? exit_failed : exit_ok;
}

}  // namespace tsunagi::app

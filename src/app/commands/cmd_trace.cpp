// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>

#include "app/commands.hpp"
#include "app/files/run_file.hpp"
#include "app/shell/exit_codes.hpp"
#include "app/shell/output.hpp"
#include "app/shell/output_format.hpp"
#include "app/shell/progress.hpp"
#include "experiment/simulate.hpp"
#include "experiment/version.hpp"
#include "trace/catalog.hpp"
#include "trace/names.hpp"
#include "units/parse.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {
namespace {

CommandLine trace_line() {
  CommandLine line(
      "trace RUN.json --out FILE [options]",
      "Simulates one run and writes a timeline: packets on every wire, link-layer packets, stages of devices,\n"
      "calls and steps of ranks, credits and queues. Chrome traces open in ui.perfetto.dev,\n"
      "chrome://tracing and speedscope, Perfetto traces (a quarter as large, in whole nanoseconds) in\n"
      "ui.perfetto.dev, VCD in GTKWave.",
      "  tsunagi trace configs/runs/tca_pio_ping_pong.json --out pio.json --to \"20 us\"\n"
      "  tsunagi trace configs/runs/mpi_latency.json --out mpi.pftrace\n"
      "  tsunagi trace configs/runs/tca_dma_ping_pong.json --out dma.vcd --match '*peach2*'\n");
  add_run_input(line);
  line.option("out", po::value<std::string>()->value_name("FILE"),
              "the file to write (required): .json for chrome, .pftrace or .perfetto-trace, .vcd; -: standard output");
  line.option("format", po::value<std::string>()->default_value(trace::formats().front())->value_name("NAME"),
              "chrome (JSON), perfetto (protobuf) or vcd");
  line.completes("format", trace::formats());
  line.option("match", po::value<std::string>()->default_value("")->value_name("GLOBS"),
              "only devices, ranks and wires with such names, e.g. 'node0.*,*peach2.e > *' (default: all)");
  line.option("from", po::value<std::string>()->default_value("0 ns")->value_name("TIME"),
              "leave out what is over before that simulated time");
  line.option("to", po::value<std::string>()->value_name("TIME"), "leave out what begins after that simulated time");
  line.option("limit-size", po::value<std::string>()->default_value("1 GiB")->value_name("SIZE"),
              "stop recording when the file is that large");
  return line;
}

template <class Parse>
auto parsed(const po::variables_map& values, const char* option, Parse parse) {
  try {
    return parse(values[option].as<std::string>());
  } catch (const std::invalid_argument& e) {
    throw UsageError(fmt::format("--{}: {}", option, e.what()));
  }
}

trace::Selection selection(const po::variables_map& values) {
  const Time from = parsed(values, "from", parse_time);
  const Time to = values.count("to") == 0 ? Time::max() : parsed(values, "to", parse_time);
  try {
    return trace::Selection(values["match"].as<std::string>(), from, to);
  } catch (const std::invalid_argument& e) {
    throw UsageError(e.what());
  }
}

struct Wish {
  std::string file;
  int descriptor;  // or this, if it is not -1
  std::string format;
  trace::Selection selection;
  Bytes limit;
};

/// Whether `file` is our standard output, by that name or another.
bool is_our_stdout(const std::string& file) {
  if (is_stdout(file)) return true;
  struct stat given {};
  struct stat ours {};
  return ::stat(file.c_str(), &given) == 0 && ::fstat(STDOUT_FILENO, &ours) == 0 && given.st_dev == ours.st_dev &&
         given.st_ino == ours.st_ino;
}

Wish wish_of(const po::variables_map& values) {
  Wish wish{values["out"].as<std::string>(), -1, output_format(values, trace::formats()), selection(values),
            parsed(values, "limit-size", parse_bytes)};
  // The simulating process has no standard output of its own.
  if (is_our_stdout(wish.file)) wish.descriptor = ::dup(STDOUT_FILENO);
  if (wish.limit == Bytes::zero()) throw UsageError("--limit-size must not be 0 B");
  return wish;
}

/// Writes the trace while the run goes on. The file that was there is kept until nothing can be refused any more.
class Tracer final : public Observer {
 public:
  explicit Tracer(const Wish& wish) : wish_(wish) {}
  /// Of a run that failed, too, the file is valid.
  ~Tracer() override {
    if (!trace_ || finished_) return;
    try {
      finish(Time::zero());
    } catch (const std::exception&) {
      // The failure that ended the run is the one to tell.
    }
  }
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  void begin(const Machine& machine, const comm::Library& library) override {
    nothing_ = matches_nothing(machine.channels(), library.ranks());
    if (wish_.descriptor >= 0)
      output_.emplace(wish_.descriptor, wish_.limit);
    else
      output_.emplace(wish_.file, wish_.limit);
    try {
      trace_ = trace::open(wish_.format, *output_, machine.channels(), wish_.selection, experiment::version());
    } catch (...) {
      output_->discard();  // not even its header is whole
      throw;
    }
  }
  net::Listener& stages() override { return *trace_; }
  comm::Listener& calls() override { return *trace_; }
  void end(Time t) override { finish(t); }
  /// What the user should know of it.
  std::string remarks() const {
    std::string text = output_->full() ? output_->full_message() + "\n" : "";
    if (nothing_) text += "--match: no device, rank or wire has such a name\n";
    if (trace_->late() != 0)
      text += fmt::format("{} changes came late and stand later in the trace than they happened\n", trace_->late());
    return text;
  }

 private:
  bool matches_nothing(const std::vector<net::ChannelInfo>& channels, int ranks) const {
    const trace::Selection& s = wish_.selection;
    for (int rank = 0; rank < ranks; ++rank)
      if (s.place(fmt::format("rank {}", rank))) return false;
    return std::none_of(channels.begin(), channels.end(),
                        [&](const net::ChannelInfo& c) { return s.place(c.name()) || s.place(c.from_device); });
  }
  void finish(Time t) {
    finished_ = true;
    trace_->finish(t);
    output_->close();
  }

  const Wish& wish_;
  std::optional<trace::Output> output_;
  std::unique_ptr<trace::Trace> trace_;
  bool finished_ = false;
  bool nothing_ = false;
};

/// Says that the trace is cut short; makes its file valid if the simulating process could not.
void tell_cut(const Wish& wish, const runner::Outcome& outcome) {
  const std::string cut =
      fmt::format("tsunagi trace: {} is cut short at {}", wish.file, rounded_time(outcome.cost.simulated));
  try {
    if (wish.descriptor >= 0)
      write_stderr(cut + (outcome.incomplete ? "\n" : ", and not valid\n"));
    else if (trace::mend(wish.file, wish.format))
      write_stderr(cut + "\n");
  } catch (const std::exception& e) {
    write_stderr(fmt::format("{}, and not valid: {}\n", cut, e.what()));
  }
}

runner::Outcome traced(const Wish& wish, const RunConfig& run) {
  runner::Options options;
  options.patience_s = patience_s;
  const RunProgress progress(options);
  const auto simulation = [&wish](const RunConfig& config, const std::string& findings, report::Recorder& recorder) {
    Tracer tracer(wish);
    runner::Counts counts = experiment::simulate(config, findings, recorder, &tracer);
    counts.report = tracer.remarks();
    return counts;
  };
  return runner::run_one(run, simulation, options);
}

/// Whether nobody reads the pipe any more that the trace goes to.
bool is_left(const Wish& wish) {
  pollfd polled{wish.descriptor, POLLOUT, 0};
  return wish.descriptor >= 0 && ::poll(&polled, 1, 0) == 1 && (polled.revents & POLLERR) != 0;
}

int run_trace(const po::variables_map& values) {
  if (values.count("out") == 0) throw UsageError("where to? usage: tsunagi trace RUN.json --out FILE");
  check_out(values);
  const Wish wish = wish_of(values);
  const RunFile file = read_run(values, "trace");
  const runner::Outcome outcome = traced(wish, file.config);
  if (!outcome.report.empty()) write_stderr("tsunagi trace: " + outcome.report);
  if (outcome.status == runner::Status::ok) return exit_ok;
  if (is_left(wish)) ::raise(SIGPIPE);  // ends silently, as every command whose reader has gone
  const int failed = tell_failure("trace", file.document, outcome);
  tell_cut(wish, outcome);
  return failed;
}

}  // namespace

Command trace_command() { return {"trace", "write a timeline of one run for a viewer", trace_line, run_trace}; }

}  // namespace tsunagi::app

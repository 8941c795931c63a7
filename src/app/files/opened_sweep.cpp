// SPDX-License-Identifier: Apache-2.0
#include "app/files/opened_sweep.hpp"

#include <fmt/format.h>

#include <unordered_set>

#include "app/files/config_files.hpp"
#include "app/files/input_file.hpp"
#include "app/files/run_file.hpp"
#include "app/shell/output.hpp"
#include "cluster/catalogs.hpp"
#include "experiment/version.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {
namespace {

sweep::Sweep load_sweep(const po::variables_map& values, const std::string& file) {
  const config::Document document = load_input(file);
  require_kind(document, "sweep", "to vary a run: tsunagi run RUN.json --vary POINTER=VALUE,VALUE");
  sweep::Sweep out = sweep::read_sweep(document, overrides(values), config::resolver<RunConfig>(all_kinds()));
  app::tell(runner::title_faults(document, out.base, sweep::varied(out)));
  return out;
}

/// What `open` opens.
template <class Open>
sweep::Store store_of(const OpenedSweep& opened, Open open) {
  try {
    sweep::Store store = open(opened.folder, opened.manifest());
    if (store.restored_by() > 0)
      write_stderr(fmt::format("tsunagi: {} has lost its sweep.json, but holds {} results of this sweep\n",
                               opened.folder.string(), store.restored_by()));
    return store;
  } catch (const sweep::ForeignFolder& e) {
    throw UsageError(e.what());
  }
}

}  // namespace

OpenedSweep::OpenedSweep(const po::variables_map& values, const std::string& from)
    : file(input_path(values, from, {"sweeps"})),
      sweep(load_sweep(values, file)),
      plan(sweep, all_kinds(), experiment::model_version()),
      points(sweep::points_of(plan, all_kinds())),
      folder(values.count("out") != 0 ? values["out"].as<std::string>() : sweep.name + ".results") {}

sweep::Manifest OpenedSweep::manifest() const {
  const auto has = [this, ids = std::unordered_set<std::string>()](const std::string& id) mutable {
    if (ids.empty())
      for (std::size_t i = 0; i < plan.size(); ++i) ids.insert(plan.id(i));
    return ids.count(id) != 0;
  };
  return {experiment::model_version(), sweep.name, plan.hash(), plan.axes(), has};
}

std::vector<std::string> OpenedSweep::outputs() const {
  std::vector<std::string> out;
  for (const std::string& name :
       {std::string("sweep.json"), std::string("results.csv"), std::string("results.jsonl"),
        std::string("results.sqlite"), sweep.name + ".gp", sweep.name + ".dat", sweep.name + ".svg"})
    out.push_back((folder / name).string());
  return out;
}

sweep::Store OpenedSweep::store() const { return store_of(*this, sweep::Store::open); }

sweep::Store OpenedSweep::existing_store() const { return store_of(*this, sweep::Store::existing); }

}  // namespace tsunagi::app

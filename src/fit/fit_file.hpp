// SPDX-License-Identifier: Apache-2.0
// A fit as written: which parameters of which parts are free, and which measured curves they are to come close to.
// docs/fit.md walks through one.
#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"

namespace tsunagi::fit {

/// A free parameter: a value of a part's file, wherever that part is used.
struct FreeParameter {
  std::string file;                ///< the part, relative to the fit
  std::string path;                ///< JSON pointer of the value in it: "/engine/start_cycles"
  std::vector<std::string> range;  ///< lowest and highest value, as it would be written: "10 ns", "4"
};
void describe(FreeParameter& c, config::Describer& d);

/// One measured curve, and what simulates it.
struct Curve {
  std::string name;
  std::string data;                ///< CSV with a line of names, relative to the fit
  std::vector<std::string> where;  ///< "column=text": only such lines count
  std::string x;                   ///< column along which it goes
  std::string x_unit;              ///< "B"; empty: bare numbers
  std::string y;                   ///< column of the measured value, > 0
  std::string unit;                ///< of y: "ns", "Gb/s"; empty: a bare number
  std::string run;                 ///< the run, relative to the fit
  std::vector<std::string> set;    ///< overrides of it, "POINTER=VALUE"
  std::string along;               ///< JSON pointer of the list in the run that gets all x: "/scenario/sizes"
  std::string expression;          ///< over the rows of `run` and the place `x`, as of figures, in base units
  double weight = 1;
  std::string id;  ///< by which `check` tells its mean error; empty: it does not
  double aim = 0;  ///< mean error in per cent that is not to be exceeded
};
void describe(Curve& c, config::Describer& d);

struct FitFile {
  std::string name;
  std::string title;
  std::vector<FreeParameter> parameters;
  std::vector<Curve> curves;
};
void describe(FitFile& c, config::Describer& d);

/// The file's own rules; places are looked up in `document`. Throws config::ConfigError with all faults.
FitFile read_fit(const config::Document& document);

}  // namespace tsunagi::fit

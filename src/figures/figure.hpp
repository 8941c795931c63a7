// SPDX-License-Identifier: Apache-2.0
// A published figure is data: configs/figures/<system>.json holds what was published, the runs that
// reproduce it and one expression over their rows (figures/expression.hpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/describe.hpp"

namespace tsunagi::figures {

/// How a simulated value is held against the published one.
enum class Compare { near, at_least, at_most, between };

/// What a figure that comes out proves (docs/fitting.md).
enum class Role {
  predicted,  ///< no value and no mechanism was chosen for it, or `Basis` says which
  fitted,     ///< a parameter was fitted to it, or was to be
  derived,    ///< an identity, a quotient of fitted figures, what holds by construction: no evidence either way
};

/// How good a prediction is.
enum class Basis {
  none,                   ///< not told
  unseen,                 ///< all that it turns on stood before its first run
  mechanism_added_after,  ///< a mechanism was modelled after it had been seen
  loose_bound,            ///< hardly anything could break its bound
};

/// One run that a figure needs.
struct FigureRun {
  std::string name;                ///< what the expression calls it
  std::string file;                ///< relative to the figure file
  std::vector<std::string> set;    ///< "POINTER=VALUE", as `tsunagi run --set`
  std::vector<std::string> where;  ///< "column=text": only such rows count
};
void describe(FigureRun& c, config::Describer& d);

/// Where plots of a figure's runs show it.
struct FigurePoint {
  std::string x;   ///< column along the x axis: "size"
  std::string at;  ///< place on it, as the column prints it: "8 KiB"
  std::string y;   ///< column that the figure is a value of: "latency"
};
void describe(FigurePoint& c, config::Describer& d);

struct Figure {
  std::string id;
  std::string measure;
  Compare compare = Compare::near;
  double value = 0;
  double upper = 0;      ///< of `between`
  double tolerance = 0;  ///< of `near`, a fraction of the value; 0: exact
  std::string unit;
  std::string section;  ///< of the paper
  std::string note;
  Role role = Role::predicted;
  Basis basis = Basis::none;  ///< of a prediction that has a run
  std::string first_run;      ///< the day of the first run that was committed, "2026-11-20"; empty: it has none
  std::string reason;         ///< why it has its role
  std::string moves_with;     ///< the figure whose sensitivity stands for its own; empty: none
  std::string takes;           ///< how long its runs take, if that is minutes; empty: less
  std::vector<FigureRun> runs;
  std::string expression;  ///< gives the value in `unit`
  FigurePoint point;       ///< without `x`: plots do not show it
};
void describe(Figure& c, config::Describer& d);

/// True when the figure says how it is simulated.
inline bool has_run(const Figure& figure) { return !figure.runs.empty(); }

/// True when its runs take minutes: `check --quick` leaves it out.
inline bool takes_minutes(const Figure& figure) { return !figure.takes.empty(); }

/// True when `simulated`, in the figure's unit, agrees with what was published.
bool agrees(const Figure& figure, double simulated);

/// How far a simulated value is from the published one, as a fraction of it; of `between` from the nearer end. Nothing
/// if that is 0.
std::optional<double> deviation(const Figure& figure, double simulated);

/// The same for people: "+0.08 %"; of a bound how far it is on its good or its bad side: "6.60 % inside", "2.10 %
/// outside".
/// "-" if there is nothing to tell.
std::string deviation_text(const Figure& figure, double simulated);

/// "0.9 +-5%", ">= 95", "<= 5", "3.1 .. 3.2".
std::string published(const Figure& figure);

/// A simulated value with four digits, whole from 10000 on: "0.9007", "10240".
std::string rounded(double simulated);

/// The word of the file for it: "near", "at_least", …
std::string name_of(Compare compare);

/// "fitted", "predicted", "derived".
std::string name_of(Role role);

/// "unseen", "mechanism_added_after", "loose_bound"; "" for none.
std::string name_of(Basis basis);

/// "mechanism added after".
std::string words_of(Basis basis);

/// "fitted", "predicted: mechanism added after".
std::string role_of(const Figure& figure);

/// One file: the figures of one system.
struct FigureFile {
  std::string system;
  std::string paper;
  std::vector<Figure> figures;
};
void describe(FigureFile& c, config::Describer& d);

/// A figure that is known not to come out, told instead of hidden.
struct KnownMiss {
  std::string id;
  double simulated = 0;  ///< in the figure's unit, when it was listed
  std::string missing_mechanism;
  std::string tried;
};
void describe(KnownMiss& c, config::Describer& d);

/// configs/figures/missed.json.
struct MissedFile {
  std::vector<KnownMiss> missed;
};
void describe(MissedFile& c, config::Describer& d);

/// True when a listed value is more than 1 % away from the simulated one.
bool has_moved(const KnownMiss& listed, double simulated);

}  // namespace tsunagi::figures

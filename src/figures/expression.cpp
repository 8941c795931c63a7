// SPDX-License-Identifier: Apache-2.0
#include "figures/expression.hpp"

#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <utility>

#include "config/expression_size.hpp"
#include "figures/account_functions.hpp"
#include "figures/columns.hpp"
#include "figures/trimmed.hpp"

namespace tsunagi::figures {
namespace {

const Constants& units() {
  static const Constants all{{"ns", 1e-9},  {"us", 1e-6},     {"ms", 1e-3},        {"s", 1},     {"B", 1},
                             {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}, {"KB", 1e3},  {"MB", 1e6},
                             {"GB", 1e9},   {"KB_s", 1e3},    {"MB_s", 1e6},       {"GB_s", 1e9}};
  return all;
}

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool starts_number(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.'; }

void check_size(const std::string& expression) {
  if (const std::string why = config::too_complex(expression); !why.empty()) throw ExpressionError(why);
}

bool same(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

/// The row that column references mean inside an aggregate.
struct RowContext {
  std::size_t index = 0;
  std::optional<std::size_t> length;  ///< rows of the columns met so far
};

/// Replaces columns and aggregates by numbers and leaves the rest to muParser.
class Evaluator {
 public:
  Evaluator(const Columns& columns, const Constants& more) : columns_(columns), more_(more) {}

  double value(const std::string& text, RowContext* row) {
    const std::string numbers = substitute(text, row);
    try {
      mu::Parser parser;
      for (const Constants* all : {&units(), &more_})
        for (const auto& [name, v] : *all) parser.DefineConst(name, v);
      parser.SetExpr(numbers);
      return parser.Eval();
    } catch (const mu::Parser::exception_type& e) {
      throw ExpressionError(fmt::format("in \"{}\": {}", trimmed(text), e.GetMsg()));
    }
  }

 private:
  /// What comes after a function's name: its arguments and where it ends.
  struct Call {
    std::vector<std::string> arguments;
    std::size_t end;
  };

  static Call read_call(const std::string& text, std::size_t open) {
    Call call{{""}, open};
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = open; i < text.size(); ++i) {
      const char c = text[i];
      if (c == '\'') quoted = !quoted;
      if (!quoted && c == '(' && depth++ == 0) continue;
      if (!quoted && c == ')' && --depth == 0) {
        call.end = i + 1;
        return call;
      }
      if (!quoted && c == ',' && depth == 1)
        call.arguments.emplace_back();
      else
        call.arguments.back() += c;
    }
    throw ExpressionError(fmt::format("\"(\" without \")\" in \"{}\"", text));
  }

  std::string substitute(const std::string& text, RowContext* row) {
    std::string out;
    std::size_t i = 0;
    while (i < text.size()) {
      if (starts_number(text[i]))
        i = copy_number(text, i, out);
      else if (starts_name(text[i]))
        i = substitute_name(text, i, row, out);
      else if (text[i] == '\'')
        throw ExpressionError(
            "a text may only stand as the last argument of at() or of what speaks of steps and copies");
      else
        out += text[i++];
    }
    return out;
  }

  static std::size_t copy_number(const std::string& text, std::size_t i, std::string& out) {
    while (i < text.size() && starts_number(text[i])) out += text[i++];
    if (i + 1 < text.size() && (text[i] == 'e' || text[i] == 'E')) {
      const bool sign = text[i + 1] == '+' || text[i + 1] == '-';
      const std::size_t digit = i + (sign ? 2 : 1);
      if (digit < text.size() && std::isdigit(static_cast<unsigned char>(text[digit])) != 0)
        while (i <= digit || (i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0))
          out += text[i++];
    }
    return i;
  }

  std::size_t substitute_name(const std::string& text, std::size_t i, RowContext* row, std::string& out) {
    const std::size_t begin = i;
    while (i < text.size() && in_name(text[i])) ++i;
    const std::string name = text.substr(begin, i - begin);
    if (i + 1 < text.size() && text[i] == '.' && starts_name(text[i + 1])) {
      const std::size_t column = ++i;
      while (i < text.size() && in_name(text[i])) ++i;
      out += number(cell(name, text.substr(column, i - column), row));
      return i;
    }
    const std::size_t open = text.find_first_not_of(" \t", i);
    if (open == std::string::npos || text[open] != '(') {
      out += name;
      return i;
    }
    const Call call = read_call(text, open);
    if (is_account_function(name)) {
      const std::string run = call.arguments.empty() ? "" : trimmed(call.arguments.front());
      if (row != nullptr) join(run, name + "(" + run + ")", *row);
      const auto index = row == nullptr ? std::nullopt : std::optional(row->index);
      out += number(account(columns_, name, call.arguments, index));
    } else if (const auto v = aggregate(name, call.arguments)) {
      out += number(*v);
    } else {
      out += name + "(";
      for (std::size_t a = 0; a < call.arguments.size(); ++a)
        out += (a == 0 ? "" : ",") + substitute(call.arguments[a], row);
      out += ")";
    }
    return call.end;
  }

  static std::string number(double v) {
    if (!std::isfinite(v)) throw NoValue("a part of the expression is no finite number");
    return fmt::format("({:.17g})", v);
  }

  /// `what`, of each row of a run, stands in an aggregate beside what stands there already.
  void join(const std::string& run, const std::string& what, RowContext& row) {
    const std::size_t rows = columns_.rows(run);
    if (row.length && *row.length != rows)
      throw ExpressionError(fmt::format("{} has {} rows, another column beside it {}", what, rows, *row.length));
    row.length = rows;
    if (rows == 0) throw NoValue(fmt::format("run \"{}\" has no rows", run));
  }

  double cell(const std::string& run, const std::string& column, RowContext* row) {
    if (row == nullptr) {
      const std::size_t rows = columns_.rows(run);
      if (rows != 1)
        throw ExpressionError(
            fmt::format("{}.{} has {} rows; say which: min(), max(), first(), last(), at()", run, column, rows));
      return columns_.number(run, column, 0);
    }
    join(run, run + "." + column, *row);
    return columns_.number(run, column, row->index);
  }

  /// The argument's value in each row.
  std::vector<double> each(const std::string& function, const std::string& argument) {
    RowContext row;
    std::vector<double> out;
    do {
      out.push_back(value(argument, &row));
      if (!row.length) throw ExpressionError(fmt::format("{}({}) speaks of no column", function, trimmed(argument)));
    } while (++row.index < *row.length);
    return out;
  }

  std::optional<double> aggregate(const std::string& name, const std::vector<std::string>& arguments) {
    const bool lookup = name == "at" || name == "first_above";
    const bool ends = name == "first" || name == "last";
    if (lookup && arguments.size() != 3) throw ExpressionError(fmt::format("{}() takes three arguments", name));
    if (ends && arguments.size() != 1) throw ExpressionError(fmt::format("{}() takes one argument", name));
    if (name == "at") return at(arguments);
    if (name == "first_above") return first_above(arguments);
    if (!ends && ((name != "min" && name != "max") || arguments.size() != 1)) return std::nullopt;
    const std::vector<double> values = each(name, arguments[0]);
    if (name == "min") return *std::min_element(values.begin(), values.end());
    if (name == "max") return *std::max_element(values.begin(), values.end());
    return name == "first" ? values.front() : values.back();
  }

  double at(const std::vector<std::string>& arguments) {
    const std::vector<double> values = each("at", arguments[0]);
    const std::vector<bool> chosen = matches(trimmed(arguments[1]), trimmed(arguments[2]));
    if (columns_.dry()) return values.front();
    if (chosen.size() != values.size()) throw ExpressionError("the columns of at() are of different length");
    const auto hits = std::count(chosen.begin(), chosen.end(), true);
    if (hits != 1)
      throw NoValue(fmt::format("{} rows where {} is {}", hits, trimmed(arguments[1]), trimmed(arguments[2])));
    return values[static_cast<std::size_t>(std::find(chosen.begin(), chosen.end(), true) - chosen.begin())];
  }

  std::vector<bool> matches(const std::string& key, const std::string& wanted) {
    std::vector<bool> out;
    if (!wanted.empty() && wanted.front() == '\'') {
      if (wanted.size() < 2 || wanted.back() != '\'')
        throw ExpressionError(fmt::format("{}: a quote is missing", wanted));
      const std::size_t dot = key.find('.');
      if (dot == std::string::npos) throw ExpressionError(fmt::format("at(): \"{}\" is no column", key));
      const std::string run = key.substr(0, dot);
      for (std::size_t i = 0; i < columns_.rows(run); ++i)
        out.push_back(columns_.text(run, key.substr(dot + 1), i) == wanted.substr(1, wanted.size() - 2));
      return out;
    }
    const double number = value(wanted, nullptr);
    for (const double v : each("at", key)) out.push_back(same(v, number));
    return out;
  }

  double first_above(const std::vector<std::string>& arguments) {
    const std::vector<double> keys = each("first_above", arguments[0]);
    const std::vector<double> values = each("first_above", arguments[1]);
    const double threshold = value(arguments[2], nullptr);
    if (columns_.dry()) return keys.front();
    if (keys.size() != values.size()) throw ExpressionError("the columns of first_above() are of different length");
    std::optional<double> best;
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (values[i] > threshold && (!best || keys[i] < *best)) best = keys[i];
    if (!best) throw NoValue(fmt::format("{} never exceeds {}", trimmed(arguments[1]), trimmed(arguments[2])));
    return *best;
  }

  const Columns& columns_;
  const Constants& more_;
};

}  // namespace

double evaluate(const std::string& expression, const Tables& tables, const Constants& more) {
  check_size(expression);
  const Columns columns(tables);
  const double v = Evaluator(columns, more).value(expression, nullptr);
  if (!std::isfinite(v)) throw NoValue("the expression is no finite number");
  return v;
}

void check_expression(const std::string& expression, const std::vector<std::string>& run_names, const Constants& more) {
  check_size(expression);
  const Columns columns(run_names);
  try {
    Evaluator(columns, more).value(expression, nullptr);
  } catch (const NoValue&) {
    return;  // dry rows hold ones; a difference of two may be 0
  }
}

}  // namespace tsunagi::figures

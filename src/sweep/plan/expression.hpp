// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace mu {
class Parser;
}

namespace tsunagi::sweep {

/// What is wrong with an expression.
class ExpressionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An expression of muParser over a fixed list of names, for example "2*mps + 24" or "mps > 512 && lanes == 1".
class Expression {
 public:
  /// Throws ExpressionError for a syntax error, a name that is none of `names` or a list of several values.
  Expression(std::string text, const std::vector<std::string>& names);
  Expression(Expression&&) noexcept;
  ~Expression();

  const std::string& text() const { return text_; }
  /// Indices of the names that occur in it, ascending.
  const std::vector<std::size_t>& used() const { return used_; }
  /// Its value when used name `used()[k]` is `values[k]`; may be no finite number. Throws ExpressionError.
  double value(const std::vector<double>& values);

 private:
  std::string text_;
  std::vector<std::size_t> used_;
  std::vector<double> values_;  // what the parser's variables are bound to
  std::unique_ptr<mu::Parser> parser_;
};

}  // namespace tsunagi::sweep

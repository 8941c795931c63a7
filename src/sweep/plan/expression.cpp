// SPDX-License-Identifier: Apache-2.0
#include "sweep/plan/expression.hpp"

#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <utility>

#include "config/expression_size.hpp"
#include "config/suggest.hpp"

namespace tsunagi::sweep {
namespace {

[[noreturn]] void fail(const std::string& text, const std::string& why) {
  throw ExpressionError(fmt::format("in \"{}\": {}", text, why));
}

/// muParser would let "lanes = 1" assign.
bool assigns(const std::string& text) {
  const std::string comparison = "=!<>";
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '=') continue;
    const bool first = i + 1 < text.size() && text[i + 1] == '=';
    const bool second = i > 0 && comparison.find(text[i - 1]) != std::string::npos;
    if (!first && !second) return true;
  }
  return false;
}

}  // namespace

Expression::Expression(std::string text, const std::vector<std::string>& names)
    : text_(std::move(text)), parser_(std::make_unique<mu::Parser>()) {
  if (const std::string why = config::too_complex(text_); !why.empty()) throw ExpressionError(why);
  if (assigns(text_)) fail(text_, "\"=\" would assign; equality is \"==\"");
  try {
    parser_->SetExpr(text_);
    for (const auto& variable : parser_->GetUsedVar()) {
      const auto name = std::find(names.begin(), names.end(), variable.first);
      if (name == names.end()) fail(text_, config::detail::unknown("name", variable.first, names));
      used_.push_back(static_cast<std::size_t>(name - names.begin()));
    }
    std::sort(used_.begin(), used_.end());
    values_.assign(used_.size(), 1);
    for (std::size_t k = 0; k < used_.size(); ++k) parser_->DefineVar(names[used_[k]], &values_[k]);
    parser_->Eval();
    if (const int results = parser_->GetNumResults(); results != 1)
      fail(text_, fmt::format("gives {} values, not one", results));
  } catch (const mu::Parser::exception_type& e) {
    fail(text_, e.GetMsg());
  }
}

Expression::Expression(Expression&&) noexcept = default;
Expression::~Expression() = default;

double Expression::value(const std::vector<double>& values) {
  std::copy(values.begin(), values.end(), values_.begin());
  try {
    return parser_->Eval();
  } catch (const mu::Parser::exception_type& e) {
    fail(text_, e.GetMsg());
  }
}

}  // namespace tsunagi::sweep

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "lesson/assignment.hpp"

namespace tsunagi::lesson {

/// A student's number in the question's unit: "3.5" is in it, "3500 MB/s" is brought to it. Throws
/// std::invalid_argument, which says what is wanted, for what is no finite number or measures something else.
double answer_in(const std::string& text, const std::string& unit);

/// Whether an answer is as near to the formula's value as the question allows.
bool is_right(const Question& question, const Asked& asked, double answer);

/// What to think about after this answer: the nearest of the question's mistakes, if it leads there; else of those that
/// can be made anywhere (bits for bytes, a prefix, there and back; binary for decimal units, of bytes and rates; a
/// share for percent) the one that does; else the question's hint.
std::string hint_for(const Question& question, const Asked& asked, double answer);

}  // namespace tsunagi::lesson

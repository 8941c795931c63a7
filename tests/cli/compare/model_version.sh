#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# model_version.sh CMAKE ROOT: the models' version follows what the sources say that decide results, wherever they lie, and
# no others: not their comments, nor their white space.
set -eu
cmake=$1
root=$2
script=$root/tools/model_version.cmake
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

version_of() {
  "$cmake" -DROOT="$1" -DOUT="$work/version.hpp" -P "$script"
  cat "$work/version.hpp"
}
expect() { # = or !=, what; against the version before, which this one then is
  now=$(version_of "$work/a")
  [ "$now" "$1" "$before" ] || { echo "$2: $before, then $now"; exit 1; }
  before=$now
}
link=$work/a/models/pcie/link.cpp
says() { # = or !=, what, text of link.cpp (printf)
  printf "$3" >"$link"
  expect "$1" "$2"
}

mkdir -p "$work/a/models/pcie" "$work/a/src/units" "$work/a/src/app" "$work/a/src/report/formats"
printf 'int latency = 7;\n' >"$link"
echo 'int fs = 1;' >"$work/a/src/units/time.hpp"
before=$(version_of "$work/a")
cp -r "$work/a" "$work/b"
[ "$(version_of "$work/b")" = "$before" ] || { echo "the folder's name counts"; exit 1; }
echo 'int help;' >"$work/a/src/app/help.cpp"
echo 'text' >"$work/a/models/README.md"
echo 'int comma;' >"$work/a/src/report/formats/csv.cpp"
expect = "what decides no result changed"
says != "a model changed" 'int latency = 8;\n'
echo 'int fs = 2;' >"$work/a/src/units/time.hpp"
expect != "a unit changed"
echo 'int digest;' >"$work/a/src/report/digest.cpp"
expect != "a file was added"

# White space and comments.
says = "white space" '\n  int\tlatency=\n8 ;'
says = "comments" '// one "\n/* two // */ int /**/ latency /* **/ = 8; // don%st\n// last' "'"
says = "a comment that goes on behind a backslash" 'int latency = 8; // one \\\n int two;\n'
says != "a second statement" 'int latency = 8;\nint two;\n'
says != "two words are one" 'int latency = 8;\ninttwo;\n'
says != "two signs" 'int a = b + +c;\n'
says != "are one" 'int a = b ++c;\n'

# Literals.
says != "what looks like a comment in a string" 'auto a = "http://x /* y */", b = 1;\n'
says != "and changes" 'auto a = "http://z /* y */", b = 1;\n'
says != "a blank in a string" 'auto a = "http://z  /* y */", b = 1;\n'
says = "a comment behind a string" 'auto a = "http://z  /* y */", b = 1;  // "\n'
says != "a quotation mark in a string" 'auto a = "\\"//", b = 1;\n'
says != "and what is behind it" 'auto a = "\\"//", b = 2;\n'
says != "a quotation mark alone" "auto a = '\"', b = 1; // \"\n"
says != "and what is behind it" "auto a = '\"', b = 2; // \"\n"
says = "a comment behind it" "auto a = '\"', b = 2; /* \" */\n"
says != "a number with separators" "auto a = 1'000, b = 1'000'000; // it's\n"
says != "and another" "auto a = 1'000, b = 1'000'001; // it's\n"
says = "a comment behind it" "auto a = 1'000, b = 1'000'001; // isn't\n"
says != "a raw string" 'auto a = R"x(1 // 2\n  " 3)x";\n'
says != "and a blank line in it" 'auto a = R"x(1 // 2\n\n  " 3)x";\n'

# Lines of the preprocessor.
says != "a macro" '#define A 1\nint a;\n'
says = "a comment behind it" '#  define A /* one */ 1  // two\n\nint a;\n'
says = "a line that goes on" '#define A \\\n  1\nint a;\n'
says != "a macro of two lines" '#define A \\\n  1 int a;\n'
says != "a macro with an argument" '#define A(x) 1\n'
says != "a macro of brackets" '#define A (x) 1\n'

mv "$link" "$work/a/models/pcie/wire.cpp"
expect != "a file was renamed"

# What is left out is included by nothing that counts.
cat >"$work/sources.cmake" <<END
include($script)
model_sources($root sources)
foreach(source \${sources})
  message("\${source}")
endforeach()
foreach(writer \${MODEL_WRITERS})
  message("without \${writer}")
endforeach()
END
"$cmake" -P "$work/sources.cmake" >"$work/sources" 2>&1
cd "$root"
sed -n 's/^without //p' "$work/sources" >"$work/without"
[ "$(wc -l <"$work/without")" -gt 5 ] || { echo "nothing is left out?"; exit 1; }
while read -r writer; do
  [ -e "$writer.hpp" ] || { echo "$writer.hpp is left out, and is not there"; exit 1; }
  ! grep -v '^without ' "$work/sources" | xargs grep -lF "#include \"${writer#src/}.hpp\"" || {
    echo "includes $writer.hpp, which tools/model_version.cmake leaves out"; exit 1; }
done <"$work/without"

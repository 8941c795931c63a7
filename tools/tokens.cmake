# SPDX-License-Identifier: Apache-2.0
# tokens(TEXT out): what a C++ source or a JSON file with comments says, a token a line, without comments and white space.
# Two texts with the same tokens mean the same; white space counts only within a literal. A line of "#" ends with a token
# of its own, and so does the name of a macro that has arguments.
# A text with a raw string, whose end no regular expression of CMake finds, stays as it is.
set(token_string [=["[^"\]*(\\.[^"\]*)*"]=])
set(token_char [=['[^'\]*(\\.[^'\]*)*']=])
set(token_word [=[[A-Za-z_][A-Za-z0-9_]*]=])
set(token_number [=[[0-9]('?[A-Za-z0-9_.])*]=])  # 1'000'000 is one
set(token_marks [==[<<=|>>=|\.\.\.|->\*|::|->|\+\+|--|&&|\|\||##|<<|>>|[-+*/%&|^=!<>]=]==])
set(token_comment "//[^\n\\]*(\\\\.[^\n\\]*)*|/\\*[^*]*\\*+([^*/][^*]*\\*+)*/")
set(token_raw "(^|[^A-Za-z0-9_])(u8|[uUL])?R\"[^()\\ \t\n]*\\(")
string(ASCII 1 token_line_end)
string(ASCII 2 token_arguments)
set(token_space "[ \t\r\n]+|\\\\\r?\n")
# Groups: 1 what lies between, 2 and 3 within comments, 4 the token.
set(token_next
  "(${token_space}|${token_comment})*(${token_string}|${token_char}|${token_word}|${token_number}|${token_marks}|.)")

function(tokens text out)
  if(NOT text MATCHES "${token_raw}")
    string(REGEX REPLACE "(\n[ \t]*#[^\n\\]*(\\\\.[^\n\\]*)*)" "\\1\n${token_line_end}" text "\n${text}")
    string(REGEX REPLACE "(\n[ \t]*#[ \t]*define[ \t]+[A-Za-z0-9_]+)\\(" "\\1${token_arguments}(" text "${text}")
    string(REGEX REPLACE "${token_next}" "\\4\n" text "${text}\n;")  # behind the last token nothing would match
  endif()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

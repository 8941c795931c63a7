// SPDX-License-Identifier: Apache-2.0
// What shells read. All that there is to know they ask the program, so that nothing here has to follow its options.
#include "app/shell/command_line.hpp"
#include "app/shell/complete.hpp"
#include "config/suggest.hpp"

namespace tsunagi::app {
namespace {

constexpr const char* bash = R"(# Completion of tsunagi's command line for bash.
_tsunagi() {
  local line word=${COMP_WORDS[COMP_CWORD]}
  [ "$word" = "=" ] && word=
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      ":files .json")
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -d -- "$word"; compgen -f -X '!*.json' -- "$word") ;;
      ":files")
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
      ":folders")
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
      *) COMPREPLY+=("${line%%$'\t'*}") ;;
    esac
  done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _tsunagi tsunagi
)";

constexpr const char* zsh = R"(#compdef tsunagi
# Completion of tsunagi's command line for zsh.
_tsunagi() {
  local line
  local -a lines candidates
  lines=("${(@f)$("${(Q)words[1]}" __complete "${(Q@)words[2,CURRENT]}" 2>/dev/null)}")
  case $lines[1] in
    ":files .json") _files -g '*.json' ;;
    ":files") _files ;;
    ":folders") _files -/ ;;
    "") return 1 ;;
    *)
      for line in $lines; do
        line=${line//:/\\:}
        candidates+=("${line%%$'\t'*}${${line#*$'\t'}:+:${line#*$'\t'}}")
      done
      _describe tsunagi candidates ;;
  esac
}
if [ "$funcstack[1]" = _tsunagi ]; then
  _tsunagi "$@"
else
  compdef _tsunagi tsunagi
fi
)";

constexpr const char* fish = R"(# Completion of tsunagi's command line for fish.
function __tsunagi_complete
    set -l before (commandline -opc)
    set -l typed (commandline -ct)
    set -l lines ($before[1] __complete $before[2..-1] "$typed" 2>/dev/null)
    switch "$lines[1]"
        case ':files .json'
            __fish_complete_path "$typed" | string match -r '^[^\t]*(?:/|\.json)(?:\t.*)?$'
        case ':files'
            __fish_complete_path "$typed"
        case ':folders'
            __fish_complete_directories "$typed"
        case '*'
            printf '%s\n' $lines
    end
end
complete -c tsunagi -f -a '(__tsunagi_complete)'
)";

struct Shell {
  const char* name;
  const char* script;
};

constexpr Shell all_shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

}  // namespace

std::vector<std::string> shells() {
  std::vector<std::string> names;
  for (const Shell& shell : all_shells) names.emplace_back(shell.name);
  return names;
}

std::string completion_script(const std::string& name) {
  for (const Shell& shell : all_shells)
    if (name == shell.name) return shell.script;
  throw UsageError(config::detail::unknown("shell", name, shells()));
}

}  // namespace tsunagi::app

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

// Each script calls `renderctl complete -- WORD…`, so the completions always match the installed renderctl. It never
// evaluates a word of the command line.

const posixQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const fishQuoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const bash = (program: string): string => `# bash completion of renderctl
_renderctl() {
  local line kind=
  COMPREPLY=()
  while IFS= read -r line; do
    if [ -z "$kind" ]; then kind=$line; else COMPREPLY+=("\${line%%$'\\t'*}"); fi
  done < <(${posixQuoted(program)} complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
  if [ "$kind" = files ]; then compopt -o default 2> /dev/null; fi
}
complete -F _renderctl renderctl`;

const zsh = (program: string): string => `#compdef renderctl
# zsh completion of renderctl
_renderctl() {
  local line
  local -a answer found
  answer=("\${(@f)$(${posixQuoted(program)} complete -- "\${(@Q)words[2,CURRENT]}" 2> /dev/null)}")
  if [[ $answer[1] == files ]]; then
    [[ $PREFIX != --*=* ]] || compset -P '*='
    _files
    return
  fi
  for line in "\${(@)answer[2,-1]}"; do
    found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe renderctl found
}
if [[ $funcstack[1] == _renderctl ]]; then
  _renderctl
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _renderctl renderctl
fi`;

const fish = (program: string): string => `# fish completion of renderctl
function __renderctl_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l answer (${fishQuoted(program)} complete -- $words[2..-1] "$current" 2> /dev/null)
    if test "$answer[1]" = files
        set -l option (string match -r -- '^--[\\w-]+=' "$current")
        for file in (__fish_complete_path (string replace -- "$option" '' "$current"))
            printf '%s\\n' "$option$file"
        end
    else
        printf '%s\\n' $answer[2..-1]
    end
end
complete -c renderctl -f -a '(__renderctl_complete)'`;

const SCRIPTS: Readonly<Record<Shell, (program: string) => string>> = { bash, zsh, fish };

export const completionScript = (shell: Shell, program: string): string => SCRIPTS[shell](program);

# Completes viz-server in bash: source <(viz-server completion bash)
_viz_server() {
  local IFS=$'\n'
  COMPREPLY=($("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _viz_server viz-server

#compdef viz-server
# Completes viz-server in zsh, after compinit: source <(viz-server completion zsh)
_viz_server() {
  local -a found
  found=("${(@f)$("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n $found ]]; then
    compadd -a found
  else
    _files
  fi
}
compdef _viz_server viz-server

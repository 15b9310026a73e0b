# Completes viz-server in fish: viz-server completion fish | source
function __viz_server_complete
    set -l words (commandline -opc) (commandline -ct)
    $words[1] complete -- $words[2..-1] 2>/dev/null
end
complete -c viz-server -a '(__viz_server_complete)'

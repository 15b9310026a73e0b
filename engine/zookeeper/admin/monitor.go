package admin

import (
	"context"
	"strings"

	"github.com/zkviz/zkviz/engine/zookeeper/access"
)

// Figures is what a server reports beyond its Status, by mntr or by the command monitor of its AdminServer.
type Figures struct {
	Told           bool  // it has answered
	Sessions       int64 // of the whole ensemble
	Version        string
	Watches        int64 // of its clients, child watches too; a persistent watch counts as one of each kind
	LeaderUptimeMS int64 // how long the server has led, in ms; 0 if it doesn't report that. ZooKeeper does from 3.6 on
}

// maxFigures is how many bytes of an answer to mntr are read. What is needed comes early, before the figures of each
// part of the tree.
const maxFigures = 64 << 10

// AskFigures asks a server by the four-letter word mntr, which ZooKeeper only answers if its whitelist has it: if
// not, the Figures aren't told. It is an error if the server doesn't answer before ctx ends.
func AskFigures(ctx context.Context, dial access.Dialer, addr string) (Figures, error) {
	answer, err := dial.Ask(ctx, addr, "mntr", maxFigures)
	if err != nil {
		return Figures{}, err
	}
	return readFigures(answer), nil
}

func readFigures(answer string) (f Figures) {
	for line := range strings.Lines(answer) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "\t")
		switch name {
		case "zk_server_state":
			f.Told = true
		case "zk_version":
			f.Version = ShortVersion(value)
		case "zk_watch_count":
			f.Watches = number(value)
		case "zk_global_sessions":
			f.Sessions = number(value)
		case "zk_leader_uptime":
			f.LeaderUptimeMS = number(value)
		}
	}
	return f
}

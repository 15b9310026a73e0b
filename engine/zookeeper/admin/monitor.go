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
	Traffic        Traffic
}

// maxFigures is how many bytes of an answer to mntr are read. A server with thousands of znodes in its root tells more:
// then the figures that come late, those of reads and writes, may be missing.
const maxFigures = 512 << 10

// AskFigures asks a server by the four-letter word mntr, which ZooKeeper only answers if its whitelist has it: if
// not, the Figures aren't told. It is an error if the server doesn't answer before ctx ends.
func AskFigures(ctx context.Context, dial access.Dialer, addr string) (Figures, error) {
	answer, err := dial.Ask(ctx, addr, "mntr", maxFigures)
	if err != nil {
		return Figures{}, err
	}
	return readFigures(answer), nil
}

func readFigures(answer string) Figures {
	all := map[string]string{}
	for line := range strings.Lines(answer) {
		if name, value, ok := strings.Cut(line, "\t"); ok && strings.HasSuffix(value, "\n") { // the last may be cut
			all[strings.TrimPrefix(name, "zk_")] = strings.TrimSpace(value)
		}
	}
	f := figuresOf(func(name string) string { return all[name] })
	if f.Told = all["server_state"] != ""; !f.Told {
		return Figures{}
	}
	return f
}

// figuresOf reads figures by their names, which mntr shows with zk_ before them.
func figuresOf(get func(name string) string) Figures {
	return Figures{Told: true, Version: ShortVersion(get("version")), Watches: number(get("watch_count")),
		Sessions: number(get("global_sessions")), LeaderUptimeMS: number(get("leader_uptime")), Traffic: trafficOf(get)}
}

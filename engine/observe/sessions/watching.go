package sessions

import (
	"strings"

	"github.com/zkviz/zkviz/engine/zookeeper/admin"
)

// Watch is a session's watch on a znode: from a get, an exists, or a persistent one. ZooKeeper reports neither
// which of these it is nor child watches.
type Watch struct {
	Session int64
	Path    string
}

// summary counts the watches of a server's clients, without child watches.
type summary struct{ watches, paths, sessions int }

// parseSummary parses the answer to wchs:
//
//	2 connections watching 3 paths
//	Total watches:4
func parseSummary(text string) (s summary) {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if total, ok := strings.CutPrefix(strings.TrimSpace(line), "Total watches:"); ok {
			s.watches = count(whole(total))
		} else if len(fields) == 5 && fields[1] == "connections" {
			s.sessions, s.paths = count(whole(fields[0])), count(whole(fields[3]))
		}
	}
	return s
}

// lists returns the number of a server's child watches without our own, given its watches of other kinds. Our sessions
// have one persistent watch each, but many child watches on a server before ZooKeeper 3.6: there, nobody knows.
func lists(f admin.Figures, others []Watch, isMine func(session int64) bool) (n int, known bool) {
	mine := 0
	for _, w := range others {
		if isMine(w.Session) {
			mine++
		}
	}
	old := strings.HasPrefix(f.Version, "3.4.") || strings.HasPrefix(f.Version, "3.5.")
	return max(count(f.Watches)-len(others)-mine, 0), f.Told && (mine == 0 || !old)
}

// parseWatches parses the answer to wchp: a line for each znode, followed by an indented line for each session that
// watches it. It reads at most that many watches; more reports whether there are more.
func parseWatches(text string, most int) (all []Watch, more bool) {
	path := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "/"):
			path = line
		case path == "" || len(path) > maxPath || !strings.HasPrefix(line, "\t"):
		default:
			session, ok := parseSession(line[1:])
			if !ok {
				continue
			}
			if len(all) == most {
				return all, true
			}
			all = append(all, Watch{session, strings.ToValidUTF8(path, "\uFFFD")})
		}
	}
	return all, false
}

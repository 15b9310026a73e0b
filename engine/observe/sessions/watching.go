package sessions

import "strings"

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

// watchCount is the number of a server's watches. It has child watches, too, and a persistent watch, which is of
// both kinds, twice.
type watchCount struct {
	all int
	old bool // the server is older than ZooKeeper 3.6, and has no persistent watches
}

// parseWatchCount parses the answer to mntr, where each line is a name, a tab and a value.
func parseWatchCount(text string) (c watchCount) {
	for line := range strings.Lines(text) {
		switch name, value, _ := strings.Cut(strings.TrimSpace(line), "\t"); name {
		case "zk_watch_count":
			c.all = count(whole(value))
		case "zk_version":
			c.old = old(value)
		}
	}
	return c
}

// old reports whether a version is one before 3.6.
func old(version string) bool {
	return strings.HasPrefix(version, "3.4.") || strings.HasPrefix(version, "3.5.")
}

// lists returns the number of child watches without our own, given the watches of other kinds. Our sessions have one
// persistent watch each, but many child watches on an old server: there, nobody knows.
func (c watchCount) lists(others []Watch, isMine func(session int64) bool) (n int, known bool) {
	mine := 0
	for _, w := range others {
		if isMine(w.Session) {
			mine++
		}
	}
	return max(c.all-len(others)-mine, 0), mine == 0 || !c.old
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

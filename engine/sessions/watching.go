package sessions

import "strings"

// Watch is that a session watches a znode: by a get, an exists, or a watch that stays. ZooKeeper does not say which of
// these, nor who watches lists of children.
type Watch struct {
	Session int64
	Path    string
}

// summary counts the watches of a server's clients, those of lists of children left out.
type summary struct{ watches, paths, sessions int }

// parseSummary reads what a server says to wchs:
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

// parseWatches reads what a server says to wchp: a line for each znode, and below it one, indented, for each session
// that watches it. At most so many are read; more reports whether there are more.
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

package embed

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/server"
)

// javaDate is how Java writes a moment.
const javaDate = "Mon Jan 02 15:04:05 MST 2006"

// dump tells of sessions by the time at which they expire, of ephemeral znodes, and of connections.
func (s *Server) dump(_ *conn, w *bytes.Buffer) {
	sessions := s.core.Sessions()
	var rows []row
	owners := 0
	for _, x := range sessions {
		rows = append(rows, row{x.Deadline, fmt.Sprintf("0x%x", x.ID)})
		if len(s.core.Tree().Ephemerals(x.ID)) > 0 {
			owners++
		}
	}
	w.WriteString("SessionTracker dump:\n")
	s.sets(w, "Session", rows)
	w.WriteString("ephemeral nodes dump:\n")
	fmt.Fprintf(w, "Sessions with Ephemerals (%d):\n", owners)
	for _, x := range sessions {
		if len(s.core.Tree().Ephemerals(x.ID)) == 0 {
			continue
		}
		fmt.Fprintf(w, "0x%x:\n", x.ID)
		for _, path := range s.core.Tree().Ephemerals(x.ID) {
			fmt.Fprintf(w, "\t%s\n", path)
		}
	}
	w.WriteString("Connections dump:\n")
	s.sets(w, "Connections", s.connectionRows(sessions))
}

// connectionRows has a connection end with its session, or, without one, for want of a handshake.
func (s *Server) connectionRows(sessions []server.SessionInfo) []row {
	deadline := make(map[int64]time.Duration, len(sessions))
	for _, x := range sessions {
		deadline[x.ID] = x.Deadline
	}
	var rows []row
	for _, c := range s.connections() {
		at, ok := deadline[c.core.Session()]
		if !ok {
			at = c.came + s.cfg.GreetWithin
		}
		rows = append(rows, row{at, fmt.Sprintf("ip: /%s sessionId: 0x%x", c.remote, c.core.Session())})
	}
	return rows
}

// row is a line of a dump: something that ends at a time.
type row struct {
	at   time.Duration // of the server's clock
	text string
}

// sets writes rows in groups that end at the same second.
func (s *Server) sets(w *bytes.Buffer, name string, rows []row) {
	moment := func(r row) string { return s.start.Add(r.at).Format(javaDate) }
	slices.SortStableFunc(rows, func(a, b row) int { return compare(int64(a.at), int64(b.at)) })
	var groups [][]row
	for i, r := range rows {
		if i == 0 || moment(rows[i-1]) != moment(r) {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], r)
	}
	fmt.Fprintf(w, "%s Sets (%d)/(%d):\n", name, len(groups), len(rows))
	for _, g := range groups {
		fmt.Fprintf(w, "%d expire at %s:\n", len(g), moment(g[0]))
		for _, r := range g {
			fmt.Fprintf(w, "\t%s\n", r.text)
		}
	}
}

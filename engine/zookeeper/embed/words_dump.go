package embed

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/zookeeper/server"
)

// javaDate is Java's format for a time.
const javaDate = "Mon Jan 02 15:04:05 MST 2006"

// dump shows sessions by the time at which they expire, ephemeral znodes, and connections.
func (ws *words) dump(_ *conn, w *bytes.Buffer) {
	deadlines := make(map[int64]time.Duration)
	inPortions(ws.s, ws.s.core.EachSession(), func(x server.SessionInfo) bool {
		deadlines[x.ID] = x.Deadline
		return true
	})
	var rows []row
	for _, id := range slices.Sorted(maps.Keys(deadlines)) {
		rows = append(rows, row{deadlines[id], fmt.Sprintf("0x%x", id)})
	}
	w.WriteString("SessionTracker dump:\n")
	ws.sets(w, "Session", rows)
	w.WriteString("ephemeral nodes dump:\n")
	ws.ephemerals(w)
	w.WriteString("Connections dump:\n")
	ws.sets(w, "Connections", ws.connectionRows(deadlines))
}

// ephemerals shows as many ephemeral znodes as fit.
func (ws *words) ephemerals(w *bytes.Buffer) {
	var all []entry
	left := maxWord
	inPortions(ws.s, ws.owned(), func(x entry) bool {
		left -= len(x.path) + len("\t\n")
		all = append(all, x)
		return left > 0
	})
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(a.session, b.session) })
	owners := 0
	for i, x := range all {
		if i == 0 || all[i-1].session != x.session {
			owners++
		}
	}
	fmt.Fprintf(w, "Sessions with Ephemerals (%d):\n", owners)
	for i, x := range all {
		if i == 0 || all[i-1].session != x.session {
			fmt.Fprintf(w, "0x%x:\n", x.session)
		}
		fmt.Fprintf(w, "\t%s\n", x.path)
	}
	if left <= 0 {
		w.WriteString(cutWord)
	}
}

func (ws *words) owned() iter.Seq[entry] {
	return func(yield func(entry) bool) {
		for session, path := range ws.s.core.Tree().EachOwned() {
			if !yield(entry{path, session}) {
				return
			}
		}
	}
}

// connectionRows lists connections. Each expires with its session, or without one, at the deadline for its handshake.
func (ws *words) connectionRows(deadlines map[int64]time.Duration) []row {
	var rows []row
	for _, c := range ws.connections() {
		ws.s.mu.Lock()
		session := c.core.Session()
		ws.s.mu.Unlock()
		at, ok := deadlines[session]
		if !ok {
			at = c.came + ws.s.cfg.GreetWithin
		}
		rows = append(rows, row{at, fmt.Sprintf("ip: /%s sessionId: 0x%x", c.remote, session)})
	}
	return rows
}

// row is a line of a dump, about something that expires.
type row struct {
	at   time.Duration // on the server's clock
	text string
}

// sets writes rows in groups that expire in the same second.
func (ws *words) sets(w *bytes.Buffer, name string, rows []row) {
	moment := func(r row) string { return ws.s.start.Add(r.at).Format(javaDate) }
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.at, b.at) })
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

package tap

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/capture"
)

// Breakdown splits a tap's figures by path and by client.
type Breakdown struct {
	Began, At time.Time
	Span      time.Duration // what Recent covers: the last 30 to 60 seconds
	Total     Row
	Paths     []PathRow // those with most recent requests first
	// OtherPaths counts what has no row in Paths, and OtherClients what has none in Clients.
	OtherPaths   Row
	Clients      []ClientRow
	OtherClients Row
	Open         []int64 // the sessions that are connected now, in order
	Herds        []Herd  // largest first
}

// Row has the counts since Since, and the recent ones. Rows of others leave Since zero.
type Row struct {
	All, Recent Tally
	Since       time.Time
}

// PathRow has the counts of requests for a path. A multi counts for its first path.
type PathRow struct {
	// Path is a znode; sequential znodes and what is below them count for the znode above. It is empty for requests
	// without a path, and cut after MaxKey bytes.
	Path      string
	Sequences bool // sequential znodes are among those that it counts
	Row
	// Woken is how many watch events the last change there caused that caused any, and MostWoken the most of one change.
	Woken, MostWoken int
}

// ClientRow has the counts of a session's client.
type ClientRow struct {
	Session int64
	Client  string // its last host:port
	Server  string // its last server
	Open    bool   // it is connected
	Over    bool   // the session is
	Told    Told
	Row
}

// Told is the last watch event that a client received.
type Told struct {
	At   time.Time // zero if it has received none
	Type string
	Path string // cut after MaxKey bytes
	// Asked is when the client's first request after that passed; zero if none has.
	Asked time.Time
}

// MaxKey is how many bytes of a path are kept.
const MaxKey = 512

// clip cuts a path.
func clip(path string) string {
	if len(path) <= MaxKey {
		return path
	}
	return strings.ToValidUTF8(path[:MaxKey], "") + "…"
}

// Group returns the znode for which a path counts: the one above the first sequential znode in it, or itself.
func Group(path string) string {
	for at := 0; at < len(path); {
		end := len(path)
		if i := strings.IndexByte(path[at+1:], '/'); i >= 0 {
			end = at + 1 + i
		}
		if _, ok := event.Sequence(path[at:end]); ok {
			return cmp.Or(path[:at], "/")
		}
		at = end
	}
	return path
}

// tally counts an answered request for its path and its client.
func (l *listener) tally(s *session, r *capture.Request, path string, code zoo.Code, took time.Duration) {
	if r.Op == event.Create && r.Mode.IsSequential() && code != zoo.OK {
		path += "0000000000" // the number that it hasn't got
	}
	one := request{code: code, writes: r.Changes(), took: took,
		watch: r.Sent.Watch != event.NoWatch && (code == zoo.OK || code == zoo.ErrNoNode && r.Op == event.Exists)}
	l.each(s, path, func(t *tally) { t.answered(&one) })
}

// each calls f with the tallies of a path, of a client, and of all.
func (l *listener) each(s *session, path string, f func(*tally)) {
	now, key := turnOf(l.now), keyOf(path)
	of := l.counts.paths.row(key, l.now)
	of.sequences = of.sequences || len(key) < min(len(path), MaxKey)
	of.each(now, f)
	l.counts.total.each(now, f)
	who := l.counts.clients.row(s.Session, l.now)
	who.from, who.server = s.from, s.server
	who.each(now, f)
}

// keyOf returns the key of a path's row.
func keyOf(path string) string { return Group(clip(path)) }

// told counts a watch event that a client receives.
func (l *listener) told(s *session, at time.Time, what, path string) {
	l.counts.Wakeups++
	s.told = Told{At: at, Type: what, Path: clip(path)}
	l.each(s, path, func(t *tally) { t.Wakeups++ })
}

// woken counts a watch event for the change that caused it.
func (l *listener) woken(e event.Event) {
	h := l.counts.changes.woke(e.Cause)
	if h == nil {
		return
	}
	if h.Wakeups == 2 {
		h.Session = l.sessionOf(h.by)
	}
	if r := l.counts.paths.rows[keyOf(h.Path)]; r != nil {
		r.woken, r.mostWoken = h.Wakeups, max(r.mostWoken, h.Wakeups)
	}
}

// sessionOf returns the session with that number, or 0.
func (l *listener) sessionOf(who event.Actor) int64 {
	for _, s := range l.sessions {
		if s.ID == who {
			return s.Session
		}
	}
	return 0
}

// Breakdown returns the figures by path and by client.
func (t *Tap) Breakdown() Breakdown {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.breakdown()
}

func (l *listener) breakdown() Breakdown {
	now, c := turnOf(l.now), &l.counts
	b := Breakdown{Began: l.began, At: l.now, Herds: c.changes.herds(), Total: c.total.figures(now),
		OtherPaths: c.paths.others.figures(now), OtherClients: c.clients.others.figures(now)}
	b.Span = min(turnEvery+time.Duration(l.now.UnixNano()%int64(turnEvery)), l.now.Sub(l.began))
	b.Total.Since = l.began
	for path, r := range c.paths.rows {
		b.Paths = append(b.Paths, PathRow{path, r.sequences, r.figures(now), r.woken, r.mostWoken})
	}
	for id, r := range c.clients.rows {
		one := ClientRow{Session: id, Client: r.from, Server: l.servers[r.server], Row: r.figures(now)}
		if s := l.sessions[id]; s != nil && !s.Gone {
			one.Open, one.Told = s.decoder != nil, s.told
		} else {
			one.Over = true
		}
		b.Clients = append(b.Clients, one)
	}
	for id, s := range l.sessions {
		if s.decoder != nil && !s.Gone {
			b.Open = append(b.Open, id)
		}
	}
	slices.Sort(b.Open)
	slices.SortFunc(b.Paths, func(x, y PathRow) int {
		return cmp.Or(busier(&x.Row, &y.Row), cmp.Compare(x.Path, y.Path))
	})
	slices.SortFunc(b.Clients, func(x, y ClientRow) int {
		return cmp.Or(busier(&x.Row, &y.Row), cmp.Compare(x.Session, y.Session))
	})
	return b
}

// busier orders rows by their recent requests, then by all.
func busier(a, b *Row) int {
	return cmp.Or(cmp.Compare(b.Recent.Requests, a.Recent.Requests), cmp.Compare(b.All.Requests, a.All.Requests),
		cmp.Compare(b.All.Wakeups, a.All.Wakeups))
}

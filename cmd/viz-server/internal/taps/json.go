// Package taps carries a tap's figures: as JSON objects, from one viz-server to another, and to the locks that they are
// about. The command tap and its pages write them; the list of locks, on pages and by the command, reads them.
package taps

import (
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/tap"
)

// Figures are all that a tap tells.
type Figures struct {
	Listens  string    `json:"listens"` // where clients connect
	Servers  string    `json:"servers"` // those behind it
	Since    time.Time `json:"since"`
	Time     time.Time `json:"time"`
	All      Counts    `json:"all"`
	Sessions []string  `json:"sessions"` // those that are connected now
	*Tables

	open map[string]bool  // whether a session is connected
	told map[string]*Told // what a session's client was told last
}

// index makes what Of looks up for each lock.
func (f *Figures) index() *Figures {
	f.open, f.told = make(map[string]bool, len(f.Sessions)), make(map[string]*Told, len(f.Clients))
	for _, id := range f.Sessions {
		f.open[id] = true
	}
	for i := range f.Clients {
		f.told[f.Clients[i].Session] = f.Clients[i].Told
	}
	return f
}

// FiguresOf returns all that a tap tells.
func FiguresOf(b *tap.Breakdown, listens, servers string) *Figures {
	f := &Figures{Listens: listens, Servers: servers, Since: b.Began, Time: b.At, All: counts(&b.Total.All),
		Tables: TablesOf(b, tap.MaxRows)}
	for _, id := range b.Open {
		f.Sessions = append(f.Sessions, handover.SessionText(id))
	}
	return f.index()
}

// Tables is a tap's breakdown as a JSON object.
type Tables struct {
	Codes        map[string]int `json:"codes,omitempty"`         // errors of all requests, by their words
	Recent       *Counts        `json:"recent,omitempty"`        // of all requests
	SpanS        float64        `json:"recent_s,omitempty"`      // what recent covers, in seconds
	Paths        []Path         `json:"paths,omitempty"`         // busiest first
	OtherPaths   *Counts        `json:"other_paths,omitempty"`   // what has no row in Paths
	Clients      []Client       `json:"clients,omitempty"`       // busiest first
	OtherClients *Counts        `json:"other_clients,omitempty"` // what has no row in Clients
	Herds        []Herd         `json:"largest_herds,omitempty"` // largest first
}

// Did names the change that a kind of event made to a znode.
func Did(change event.Kind) string { return strings.TrimPrefix(change.String(), "znode.") }

// LatencyText writes a latency with a precision that readers can use.
func LatencyText(d time.Duration) string {
	if d < time.Millisecond {
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(100 * time.Microsecond).String()
}

// Counts are figures of a path, a client or everybody.
type Counts struct {
	Requests   int            `json:"requests"`
	Writes     int            `json:"writes"`
	Errors     int            `json:"errors"`
	Codes      map[string]int `json:"codes,omitempty"`
	WatchesSet int            `json:"watches_set"`
	Wakeups    int            `json:"wakeups"`
	P50        float64        `json:"p50_ms"`
	P99        float64        `json:"p99_ms"`
	Max        float64        `json:"max_ms"`
}

// Path has the figures of a znode, with those of the sequential znodes in it.
type Path struct {
	Path      string    `json:"path"`
	Sequences bool      `json:"sequences,omitempty"`
	Since     time.Time `json:"since"`
	Counts
	Recent    Counts `json:"recent"`
	Woken     int    `json:"last_change_woke"`
	MostWoken int    `json:"a_change_woke_at_most"`
}

// Client has the figures of a session's client.
type Client struct {
	Session string    `json:"session"`
	Client  string    `json:"client"`
	Server  string    `json:"server"`
	Open    bool      `json:"connected"`
	Over    bool      `json:"session_over,omitempty"`
	Since   time.Time `json:"since"`
	Counts
	Recent Counts `json:"recent"`
	Told   *Told  `json:"told,omitempty"` // the last watch event that it received
}

// Told is a watch event that a client received.
type Told struct {
	Time  time.Time  `json:"time"`
	Type  string     `json:"type"`
	Path  string     `json:"path"`
	Asked *time.Time `json:"asked_again,omitempty"` // its first request afterwards; left out if none came
}

// Herd is a change that woke several clients.
type Herd struct {
	Time    time.Time `json:"time"`
	Path    string    `json:"path"`
	Change  string    `json:"change"`
	Session string    `json:"by,omitempty"`
	Wakeups int       `json:"wakeups"`
}

// TablesOf returns a breakdown as an object, with most rows at most of each kind.
func TablesOf(b *tap.Breakdown, most int) *Tables {
	recent := counts(&b.Total.Recent)
	t := &Tables{Codes: codes(&b.Total.All), Recent: &recent, SpanS: b.Span.Seconds()}
	paths, clients := b.OtherPaths.All.Requests, b.OtherClients.All.Requests
	for i := range b.Paths {
		if i >= most {
			paths = -1
			break
		}
		t.Paths = append(t.Paths, PathOf(&b.Paths[i]))
	}
	for i := range b.Clients {
		if i >= most {
			clients = -1
			break
		}
		t.Clients = append(t.Clients, clientOf(&b.Clients[i]))
	}
	if paths > 0 {
		c := counts(&b.OtherPaths.All)
		t.OtherPaths = &c
	}
	if clients > 0 {
		c := counts(&b.OtherClients.All)
		t.OtherClients = &c
	}
	for _, h := range b.Herds {
		t.Herds = append(t.Herds, Herd{h.At, h.Path, Did(h.Change), sessionText(h.Session), h.Wakeups})
	}
	return t
}

// PathOf returns a path's row as an object.
func PathOf(r *tap.PathRow) Path {
	return Path{Path: r.Path, Sequences: r.Sequences, Since: r.Since, Counts: counts(&r.All),
		Recent: counts(&r.Recent), Woken: r.Woken,
		MostWoken: r.MostWoken}
}

func clientOf(r *tap.ClientRow) Client {
	c := Client{Session: sessionText(r.Session), Client: r.Client, Server: r.Server, Open: r.Open,
		Over: r.Over, Since: r.Since,
		Counts: counts(&r.All), Recent: counts(&r.Recent)}
	if !r.Told.At.IsZero() {
		c.Told = &Told{Time: r.Told.At, Type: r.Told.Type, Path: r.Told.Path}
		if !r.Told.Asked.IsZero() {
			c.Told.Asked = &r.Told.Asked
		}
	}
	return c
}

func counts(t *tap.Tally) Counts {
	return Counts{Requests: t.Requests, Writes: t.Writes, Errors: t.Errors, Codes: codes(t), WatchesSet: t.WatchesSet,
		Wakeups: t.Wakeups, P50: Millis(t.Latency.P50), P99: Millis(t.Latency.P99), Max: Millis(t.Latency.Max)}
}

func codes(t *tap.Tally) map[string]int {
	if len(t.Codes) == 0 {
		return nil
	}
	all := map[string]int{}
	for _, c := range t.Codes {
		word := c.Code.Error()
		if c.Code == zoo.OK {
			word = "other"
		}
		all[word] += c.N
	}
	return all
}

// Millis returns a latency in ms.
func Millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// sessionText writes a session; empty for none.
func sessionText(session int64) string {
	if session == 0 {
		return ""
	}
	return handover.SessionText(session)
}

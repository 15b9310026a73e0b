package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/taps"
	"github.com/zkviz/zkviz/engine/base/escape"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/tap"
)

// tapLines prints a tap's records and figures.
type tapLines struct {
	mu    sync.Mutex
	out   io.Writer
	json  *json.Encoder // nil for text
	began time.Time
}

func newTapLines(out io.Writer, asJSON bool) *tapLines {
	l := &tapLines{out: out, began: time.Now()}
	if asJSON {
		l.json = json.NewEncoder(out)
		l.json.SetEscapeHTML(false)
	}
	return l
}

// tapLine is a record in JSON.
type tapLine struct {
	Time      time.Time `json:"time"`
	What      tap.Kind  `json:"what"`
	Client    string    `json:"client,omitempty"`
	Session   string    `json:"session,omitempty"`
	Server    string    `json:"server,omitempty"`
	Op        string    `json:"op,omitempty"`
	Path      string    `json:"path,omitempty"`
	Watch     bool      `json:"watch,omitempty"`
	Error     string    `json:"error,omitempty"`
	LatencyMS float64   `json:"latency_ms,omitempty"`
	Zxid      string    `json:"zxid,omitempty"`
	Bytes     int       `json:"bytes,omitempty"`
	TimeoutMS int64     `json:"timeout_ms,omitempty"`
	New       bool      `json:"new,omitempty"`
	Wanted    string    `json:"wanted,omitempty"` // the session that it asked for but didn't get
	MovedFrom string    `json:"moved_from,omitempty"`
	Reason    string    `json:"reason,omitempty"`
	Missed    int       `json:"missed_bytes,omitempty"`
}

// print prints a record.
func (l *tapLines) print(r tap.Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.json == nil {
		fmt.Fprintf(l.out, "%s  %-21s  %-18s  %s\n", r.At.Format("15:04:05.000"), r.Client, sessionJSON(r.Session),
			escape.Line(recordText(r)))
		return
	}
	line := tapLine{
		Time: r.At, What: r.Kind, Client: r.Client, Session: sessionJSON(r.Session), Server: r.Server, Op: r.Op,
		Path: r.Path, Watch: r.Watch, LatencyMS: taps.Millis(r.Latency), Bytes: r.Bytes, TimeoutMS: r.Timeout.Milliseconds(),
		New: r.New, Wanted: sessionJSON(r.Wanted), MovedFrom: r.Moved, Missed: r.Missed,
	}
	if r.Code != zoo.OK {
		line.Error = r.Code.Error()
	}
	if r.Zxid != 0 {
		line.Zxid = fmt.Sprintf("%#x", uint64(r.Zxid))
	}
	if r.Reason != 0 {
		line.Reason = r.Reason.String()
	}
	_ = l.json.Encode(line) // as with text: nobody is left to tell
}

// recordText describes a client's action.
func recordText(r tap.Record) string {
	why := voice().Say("reason." + r.Reason.String())
	switch r.Kind {
	case tap.Connected:
		return connectedText(r)
	case tap.Refused:
		if r.Session == 0 {
			return r.Server + " opens no session for it"
		}
		return r.Server + " refuses its session, which has ended"
	case tap.Disconnected:
		return "disconnected from " + r.Server + ": " + why
	case tap.Notified:
		return "told " + r.Op + " " + r.Path
	case tap.SessionEnded:
		return "its session ends: " + why
	case tap.Gap:
		return "a gap: " + sentence.Grouped(r.Missed) + " bytes were passed on unread because zkviz was too far behind"
	case tap.Unseen:
		return "passed on unread from here: this isn't ZooKeeper's protocol, or too much of it"
	}
	text := r.Op
	if r.Path != "" {
		text += " " + r.Path
	}
	if r.Watch {
		text += " watch"
	}
	return fmt.Sprintf("%s: %s, %s", text, r.Code, taps.LatencyText(r.Latency))
}

func connectedText(r tap.Record) string {
	switch {
	case r.Wanted != 0:
		return fmt.Sprintf("connected to %s, new session, timeout %v, though it asked for %s", r.Server, r.Timeout,
			sessionJSON(r.Wanted))
	case r.Moved != "":
		return "moves from " + r.Moved + " to " + r.Server
	case r.New:
		return fmt.Sprintf("connected to %s, new session, timeout %v", r.Server, r.Timeout)
	}
	return "connected to " + r.Server + " with its old session"
}

// every prints the figures of each interval until ctx ends.
func (l *tapLines) every(ctx context.Context, d time.Duration, t *tap.Tap) {
	tick := time.NewTicker(d)
	defer tick.Stop()
	var before tap.Figures
	for {
		select {
		case <-ctx.Done():
			return
		case at := <-tick.C:
			now := t.Figures()
			l.interval(at, t.Recent(), before, now)
			before = now
		}
	}
}

// interval prints the figures of one interval.
func (l *tapLines) interval(at time.Time, took tap.Latency, before, now tap.Figures) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.json != nil {
		_ = l.json.Encode(figuresLine(at, "interval", took, subtract(now, before)))
		return
	}
	d := subtract(now, before)
	fmt.Fprintf(l.out, "%s  %s open, %s, half within %s, 99%% within %s, %s; %s set, %s; %s moved, %s expired%s\n",
		at.Format("15:04:05"), count(now.Open, "connection"), count(d.Requests, "request"), taps.LatencyText(took.P50),
		taps.LatencyText(took.P99), count(d.Errors, "error"), watchesText(d.WatchesSet),
		count(d.Wakeups, "wakeup"), count(d.Moved, "session"), sentence.Grouped(d.Expired), gapText(d))
}

func watchesText(n int) string {
	if n == 1 {
		return "1 watch"
	}
	return sentence.Grouped(n) + " watches"
}

func gapText(f tap.Figures) string {
	if f.Gaps == 0 {
		return ""
	}
	return fmt.Sprintf("; %s: %s bytes were passed on unread", count(f.Gaps, "gap"), sentence.Grouped(f.MissedBytes))
}

// subtract returns the difference of two figures.
func subtract(now, before tap.Figures) tap.Figures {
	now.Connections -= before.Connections
	now.TurnedAway -= before.TurnedAway
	now.Sessions -= before.Sessions
	now.Reconnected -= before.Reconnected
	now.Moved -= before.Moved
	now.Expired -= before.Expired
	now.Closed -= before.Closed
	now.Requests -= before.Requests
	now.Errors -= before.Errors
	now.WatchesSet -= before.WatchesSet
	now.Wakeups -= before.Wakeups
	now.Pings -= before.Pings
	now.Gaps -= before.Gaps
	now.MissedBytes -= before.MissedBytes
	now.Unseen -= before.Unseen
	now.Ops = nil
	return now
}

// tapFigures holds figures in JSON.
type tapFigures struct {
	Time        time.Time `json:"time"`
	What        string    `json:"what"`
	Connections int       `json:"connections"`
	Open        int       `json:"open"`
	TurnedAway  int       `json:"turned_away"`
	Sessions    int       `json:"sessions"`
	Reconnected int       `json:"reconnected"`
	Moved       int       `json:"moved"`
	Expired     int       `json:"expired"`
	Closed      int       `json:"closed"`
	Requests    int       `json:"requests"`
	Errors      int       `json:"errors"`
	WatchesSet  int       `json:"watches_set"`
	Wakeups     int       `json:"wakeups"`
	Pings       int       `json:"pings"`
	Gaps        int       `json:"gaps"`
	MissedBytes int       `json:"missed_bytes"`
	Unseen      int       `json:"unseen_connections"`
	P50         float64   `json:"p50_ms"`
	P99         float64   `json:"p99_ms"`
	Max         float64   `json:"max_ms"`
	Ops         []tapOp   `json:"ops,omitempty"`
	*taps.Tables
}

// tapOp holds an operation's figures in JSON.
type tapOp struct {
	Op       string  `json:"op"`
	Requests int     `json:"requests"`
	Errors   int     `json:"errors"`
	P50      float64 `json:"p50_ms"`
	P99      float64 `json:"p99_ms"`
	Max      float64 `json:"max_ms"`
}

func figuresLine(at time.Time, what string, took tap.Latency, f tap.Figures) tapFigures {
	line := tapFigures{
		Time: at, What: what, Connections: f.Connections, Open: f.Open, TurnedAway: f.TurnedAway, Sessions: f.Sessions,
		Reconnected: f.Reconnected, Moved: f.Moved, Expired: f.Expired, Closed: f.Closed, Requests: f.Requests,
		Errors: f.Errors, WatchesSet: f.WatchesSet, Wakeups: f.Wakeups, Pings: f.Pings, Gaps: f.Gaps,
		MissedBytes: f.MissedBytes, Unseen: f.Unseen, P50: taps.Millis(took.P50), P99: taps.Millis(took.P99),
		Max: taps.Millis(took.Max),
	}
	for _, o := range f.Ops {
		line.Ops = append(line.Ops, tapOp{o.Op.String(), o.Requests, o.Errors, taps.Millis(o.Latency.P50),
			taps.Millis(o.Latency.P99), taps.Millis(o.Latency.Max)})
	}
	return line
}

// summary prints the figures since the start.
func (l *tapLines) summary(servers []string, f tap.Figures, b tap.Breakdown) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.json != nil {
		line := figuresLine(time.Now(), "summary", f.Latency, f)
		line.Tables = taps.TablesOf(&b, tap.MaxRows)
		_ = l.json.Encode(line)
		return
	}
	took := time.Since(l.began)
	w := tabwriter.NewWriter(l.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\n%s, seen for %v\n\n", escape.Line(strings.Join(servers, ",")), took.Round(100*time.Millisecond))
	fmt.Fprintf(w, "  connections\t%s, %s turned away, %s unread\n", sentence.Grouped(f.Connections),
		sentence.Grouped(f.TurnedAway), sentence.Grouped(f.Unseen))
	fmt.Fprintf(w, "  sessions\t%s; %s back, %s of them to another server; %s closed, %s expired\n",
		sentence.Grouped(f.Sessions), sentence.Grouped(f.Reconnected), sentence.Grouped(f.Moved), sentence.Grouped(f.Closed),
		sentence.Grouped(f.Expired))
	fmt.Fprintf(w, "  watches\t%s set, %s told\n", sentence.Grouped(f.WatchesSet), sentence.Grouped(f.Wakeups))
	fmt.Fprintf(w, "  gaps\t%s, %s bytes\n", sentence.Grouped(f.Gaps), sentence.Grouped(f.MissedBytes))
	fmt.Fprintf(w, "  requests\t%s, %s failed\t%s\n\n", sentence.Grouped(f.Requests), sentence.Grouped(f.Errors),
		percentiles(f.Latency))
	for _, o := range f.Ops {
		fmt.Fprintf(w, "    %s\t%s, %s failed\t%s\n", o.Op, sentence.Grouped(o.Requests), sentence.Grouped(o.Errors),
			percentiles(o.Latency))
	}
	_ = w.Flush()
	printBreakdown(l.out, &b)
}

func percentiles(l tap.Latency) string {
	if l.Max == 0 {
		return ""
	}
	return fmt.Sprintf("half within %s, 99%% within %s, all within %s", taps.LatencyText(l.P50),
		taps.LatencyText(l.P99), taps.LatencyText(l.Max))
}

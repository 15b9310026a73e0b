package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/zkviz/zkviz/engine/base/escape"
	"github.com/zkviz/zkviz/engine/observe/ensemble"
	"github.com/zkviz/zkviz/engine/run/cluster/follow"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
)

// ensembleLines prints how the servers are: first in one line, and then each change.
type ensembleLines struct {
	from follow.Ensemble
	json bool
	last int // the number of the last change that is printed, or came before the first line
	now  ensemble.State
}

// first prints how the servers are now. It prints nothing if nobody can tell.
func (p *ensembleLines) first(ctx context.Context, out io.Writer) error {
	s, known := p.from.Ensemble(ctx)
	if !known {
		return nil
	}
	p.last, p.now = s.Last(), s
	if p.json {
		return json.NewEncoder(out).Encode(ensembleJSON(&s, nil))
	}
	_, err := fmt.Fprintf(out, "%s\n", ensembleText(&s))
	return err
}

// changes prints what has changed since the last call.
func (p *ensembleLines) changes(ctx context.Context, out io.Writer) error {
	s, known := p.from.Ensemble(ctx)
	if !known {
		return nil
	}
	news := s.After(p.last)
	p.last, p.now = s.Last(), s
	for i := range news {
		if err := p.change(out, &s, &news[i]); err != nil {
			return err
		}
	}
	return nil
}

func (p *ensembleLines) change(out io.Writer, s *ensemble.State, c *ensemble.Change) error {
	if p.json {
		return json.NewEncoder(out).Encode(ensembleJSON(s, c))
	}
	_, err := fmt.Fprintf(out, "%s  ensemble  %s\n", wallTime(c.MS), ensembleChange(s, c))
	return err
}

func ensembleText(s *ensemble.State) string { return escape.Line(voice().Says(s.Says())) }

func ensembleChange(s *ensemble.State, c *ensemble.Change) string {
	return escape.Line(voice().Says(c.Tells(s.Name)))
}

// outlast waits until the locks can be read, and prints meanwhile what changes among the servers.
func (c *locksCmd) outlast(term *terminal, l *follow.Locks, p *ensembleLines, send sender) (follow.Report, error) {
	for {
		select {
		case <-term.ctx.Done():
			return follow.Report{}, context.Cause(term.ctx)
		case <-time.After(followInterval):
		}
		if err := p.changes(term.ctx, term.out); err != nil {
			return follow.Report{}, err
		}
		send.servers(&p.now)
		r, err := l.Report(term.ctx, c.Path, c.Herds)
		if err == nil && r.Away == "" {
			r, err = c.report(term, l) // all of it
		}
		if r.Away == "" {
			return r, err
		}
	}
}

// ensembleObject is the state of the servers as a JSON object.
type ensembleObject struct {
	Time        string `json:"time"`   // when the servers were asked
	Quorum      *bool  `json:"quorum"` // null if nobody tells
	Since       string `json:"quorum_lost_since,omitempty"`
	Leader      string `json:"leader,omitempty"` // host:port
	LeaderSince string `json:"leader_since,omitempty"`
	Longer      bool   `json:"longer,omitempty"` // it may have led, or the quorum may have been lost, since before that
	Epoch       int64  `json:"epoch,omitempty"`
	Sessions    *int64 `json:"sessions,omitempty"`     // left out if no leader tells
	Own         int    `json:"own_sessions,omitempty"` // zkviz's, among sessions
	loadObject
	Servers []serverObject `json:"servers"`
	Said    string         `json:"said"` // all of it in words
	Change  *changedObject `json:"change,omitempty"`
}

// loadObject is how busy servers are.
type loadObject struct {
	Connections int64   `json:"connections"`
	Outstanding int64   `json:"outstanding"` // requests
	Latency     float64 `json:"latency_ms"`  // average since the server's start
	MaxLatency  int64   `json:"max_latency_ms"`
}

type serverObject struct {
	Server  string `json:"server"`         // host:port
	Mode    string `json:"mode,omitempty"` // as the server says, or looking; left out if it doesn't say
	Version string `json:"version,omitempty"`
	Zxid    string `json:"zxid,omitempty"`
	Behind  int64  `json:"behind,omitempty"`      // transactions
	More    bool   `json:"behind_more,omitempty"` // it may be further behind
	*loadObject
	Traffic *trafficObject `json:"traffic,omitempty"` // left out if it doesn't tell
	Why     string         `json:"why,omitempty"`     // why it says nothing
}

// trafficObject is what a server does for its own clients, whatever the path.
type trafficObject struct {
	SpanMS     int64            `json:"span_ms"`
	SinceStart bool             `json:"since_start,omitempty"` // the span is the server's whole life, else the last look's
	Reads      servedObject     `json:"reads"`                 // heartbeats too
	Writes     servedObject     `json:"writes"`                // those that failed, too
	Failures   map[string]int64 `json:"failures,omitempty"`    // by the names of mntr
}

type servedObject struct {
	PerSecond float64 `json:"per_second"`
	AverageMS float64 `json:"average_ms"`
	P99MS     int64   `json:"p99_ms"` // of a sample since the server's start
}

// changedObject is a change among the servers.
type changedObject struct {
	Time     string        `json:"time"`
	Event    ensemble.Kind `json:"event"`
	Was      string        `json:"was,omitempty"` // the leader before
	WasEpoch int64         `json:"was_epoch,omitempty"`
	Lost     int64         `json:"lost_ms,omitempty"` // how long there was no quorum, at most
	Longer   bool          `json:"longer,omitempty"`  // and at least, instead
	Said     string        `json:"said"`
}

// ensembleJSON returns the object with the state. The change may be nil.
func ensembleJSON(s *ensemble.State, c *ensemble.Change) any {
	o := ensembleObject{Time: wallTime(s.AtMS), Leader: s.Leader, Epoch: s.Epoch, Said: ensembleText(s),
		Servers:    []serverObject{},
		loadObject: loadObject{s.Connections, s.Outstanding, s.LatencyMS, s.MaxLatencyMS}}
	if is := s.Quorum == ensemble.Serves; is || s.Quorum == ensemble.Lost {
		o.Quorum = &is
	}
	if s.Quorum == ensemble.Lost {
		o.Since, o.Longer = wallTime(s.Since.MS), s.Since.AtLeast
	}
	if s.Leader != "" {
		o.LeaderSince, o.Longer = wallTime(s.LeaderSince.MS), s.LeaderSince.AtLeast
	}
	if s.Sessions >= 0 {
		o.Sessions, o.Own = &s.Sessions, s.Own
	}
	for i := range s.Servers {
		o.Servers = append(o.Servers, serverJSON(&s.Servers[i]))
	}
	if c != nil {
		o.Change = &changedObject{wallTime(c.MS), c.Kind, c.Was, c.WasEpoch, c.ForMS, c.Longer, ensembleChange(s, c)}
	}
	return struct {
		Ensemble ensembleObject `json:"ensemble"`
	}{o}
}

func serverJSON(s *ensemble.Server) serverObject {
	o := serverObject{Server: s.Addr, Mode: s.Mode, Version: s.Version, Behind: s.Behind, More: s.BehindMore,
		Why: voice().Says(s.Why)}
	if s.Zxid != 0 {
		o.Zxid = fmt.Sprintf("%#x", uint64(s.Zxid))
	}
	if s.Tells() {
		o.loadObject = &loadObject{s.Connections, s.Outstanding, s.LatencyMS, s.MaxLatencyMS}
	}
	o.Traffic = trafficJSON(s)
	return o
}

func trafficJSON(s *ensemble.Server) *trafficObject {
	r, now := s.Rates()
	if r.SpanMS == 0 {
		return nil
	}
	o := &trafficObject{SpanMS: r.SpanMS, SinceStart: !now,
		Reads:    servedObject{r.PerSecond(r.Reads), r.Reads.AverageMS(), s.Traffic.Reads.P99MS},
		Writes:   servedObject{r.PerSecond(r.Writes), r.Writes.AverageMS(), s.Traffic.Writes.P99MS},
		Failures: map[string]int64{}}
	for f, n := range r.Failures.Failures {
		if n > 0 {
			o.Failures[admin.Failure(f).String()] = n
		}
	}
	return o
}

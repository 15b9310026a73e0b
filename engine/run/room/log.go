package room

import (
	"context"
	"io"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/trace"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// Log is the history of a branch. It is readable as long as its run is kept.
type Log struct {
	Run    string // its name without the generation
	Name   string // its name
	Header event.Header

	room   *room
	branch int
}

// Log finds a branch of a run. It reports whether the run is kept, and whether it has the branch.
func (s *Runs) Log(run string, branch int) (log Log, kept, found bool) {
	r, ok := s.rooms.find(run)
	if !ok {
		return Log{}, false, false
	}
	name, h, ok := r.headerOf(branch)
	return Log{Run: r.id, Name: name, Header: h, room: r, branch: branch}, true, ok
}

// Events calls yield with all events, including those before the branch began, until yield returns false. It
// returns false if the run was dropped before the end.
func (l Log) Events(yield func(event.Event) bool) bool { return l.From(1, yield) }

// From is Events from an event on.
func (l Log) From(seq event.Seq, yield func(event.Event) bool) bool {
	return l.room.events(l.branch, seq, yield)
}

func (r *room) headerOf(branch int) (name string, h event.Header, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if branch < 0 || branch >= len(r.branches) {
		return r.name(), event.Header{}, false
	}
	return r.name(), r.branches[branch].header, true
}

// TraceFile returns the name of the trace file of a run's branch.
func TraceFile(run string, branch int) string {
	id, _ := ofName(run)
	return "zkviz-" + id + "-" + strconv.Itoa(branch) + ".jsonl"
}

// WriteTrace writes the log as a trace file until ctx ends. It returns false if w failed, or the run was dropped before
// the end.
func (l Log) WriteTrace(ctx context.Context, w io.Writer) bool {
	t := trace.NewWriter(w, l.Header)
	whole := l.Events(func(e event.Event) bool {
		t.Append(e)
		return ctx.Err() == nil
	})
	return whole && t.Flush() == nil
}

// Repeat computes a simulated run again that was kept elsewhere, and calls do with the log of its branch after these
// faults. It calls far now and then with the number of events so far.
func (s *Runs) Repeat(
	ctx context.Context, who ClientKey, query string, faults []string, far func(events int), do func(Log)) error {
	within, cancel := context.WithTimeout(withTeller(ctx, func(p *protocol.Progress) {
		if p != nil {
			far(p.Events)
		}
	}), s.within)
	defer cancel()
	r, err := s.openRoom(within, who, protocol.Request{Do: protocol.Open, Query: query})
	if err != nil {
		return err
	}
	defer func() { s.rooms.leave(r, who, time.Now()) }()
	for i, text := range faults {
		f, err := fault.Parse(text)
		if err == nil {
			err = r.carryOut(within, i, f)
		}
		if err != nil {
			return err
		}
	}
	log, _, _ := s.Log(r.id, len(faults))
	do(log)
	return nil
}

package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/taps"
	"github.com/zkviz/zkviz/engine/base/escape"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
)

// throughFlag names a tap, through which some of the clients connect.
type throughFlag struct {
	Tap string `name:"tap" placeholder:"URL" help:"Add the figures of a running viz-server tap to the locks. This is the address of its page (its --addr), such as http://10.0.3.7:8081. It knows only the clients that connect through it."`
}

// remote returns the tap, nil if none is named.
func (f throughFlag) remote() (*taps.Remote, error) {
	if f.Tap == "" {
		return nil, nil
	}
	r, err := taps.NewRemote(f.Tap)
	if err != nil {
		return nil, fmt.Errorf("--tap: %w", err)
	}
	return r, nil
}

// through finds what a tap tells about locks.
type through struct {
	figures *taps.Figures // nil if it tells nothing
	outer   func(string) (string, error)
}

// throughOf asks the tap, and complains if it doesn't answer.
func throughOf(ctx context.Context, term *terminal, from *taps.Remote, by access.Dialer) (t through) {
	if from == nil {
		return t
	}
	f, err := from.Figures(ctx)
	if err != nil {
		term.complain("%s", escape.Line(err.Error()))
		return t
	}
	return through{f, by.Outer}
}

// of returns what the tap tells about a lock; nil for nothing.
func (t through) of(r *locks.Row) *taps.Seen {
	if t.figures == nil {
		return nil
	}
	path, err := t.outer(r.Path)
	if err != nil {
		return nil
	}
	s := t.figures.Of(r, path)
	if len(s.Says()) == 0 {
		return nil
	}
	return s
}

// print prints a line for each thing that the tap tells about a lock.
func (t through) print(w io.Writer, r *locks.Row) {
	s := t.of(r)
	if s == nil {
		return
	}
	var all []string
	for _, said := range s.Says() {
		all = append(all, lockText(said))
	}
	fmt.Fprintf(w, "  %s\n", strings.Join(all, "; "))
	for i := range r.Holding {
		t.client(w, s, r.Holding[i].Session)
	}
	for i := range r.Waiters {
		t.client(w, s, r.Waiters[i].Session)
	}
}

// client prints what a client that comes through the tap was told.
func (t through) client(w io.Writer, s *taps.Seen, session int64) {
	if said := s.LastTold(session); said.Key != "" {
		fmt.Fprintf(w, "  %s: %s\n", ownerText(session), lockText(said))
	}
}

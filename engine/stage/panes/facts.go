package panes

import (
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene"
)

// Facts holds everything that the panes are filled from.
type Facts struct {
	State    *view.State   // at the playhead
	At, End  time.Duration // time of the playhead, and how far the branch can be played
	Seq      event.Seq     // last event that has happened
	History  *view.History // of the branch that is shown; nil without one
	All      int           // number of events of the branch, as far as the server has them
	Branch   int           // ID of the branch that is shown
	Branches []Branch
	Steps    []time.Duration // ends of the lesson's steps on this branch
	Quiet    []Stretch       // played fast
	Fast     bool            // the playhead is in one of them and time passes
	Selected string          // "client-3", a znode's path or ""
	Playing  bool
	Speed    float64
	Host     event.Host
	Link     string // what is wrong with the connection, or ""
	// Computing says how far the computation is that the reader waits for, or is "".
	Computing string

	Task string // the reader's task as written, or ""
	// Forbids says why a kind of fault is forbidden for the selection; nil if nothing is forbidden.
	Forbids func(kind string) string
	// Told returns the picture in words.
	Told func() []scene.Entry
	// Foreign reports whether the log is of another recipe than the source on the page.
	Foreign bool
	Beside  Beside
	// Promises lists the rules that the run is judged by.
	Promises []string
	// Verdict is on the whole branch.
	Verdict promise.Verdict
	Lags    bool // Verdict doesn't cover all events yet
}

// Stretch is a span of time.
type Stretch struct{ From, To time.Duration }

// Branch is one history in the list of branches.
type Branch struct {
	ID     int
	Parent int           // -1 for the first
	From   event.Seq     // its first event that it doesn't share with its parent
	At     time.Duration // time of that event
	Fault  string        // as written; "" for the first
}

// Name returns the branch's name in the list.
func (b Branch) Name(say Say) string {
	if b.Fault == "" {
		return say("branch.main")
	}
	return say("branch.name", strconv.Itoa(b.ID), letterFault(b.Fault))
}

// forks returns the times at which branches leave their parents.
func forks(branches []Branch) []time.Duration {
	var at []time.Duration
	for _, b := range branches {
		if b.Fault != "" {
			at = append(at, b.At)
		}
	}
	return at
}

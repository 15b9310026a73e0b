package panes

import (
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/check"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
	"github.com/zkviz/zkviz/wasm/scene"
)

// Facts is all that the panes are filled from.
type Facts struct {
	State    *view.State   // at the playhead
	At, End  time.Duration // of the playhead, and how far the branch can be played
	Seq      event.Seq     // of the last event that has happened
	History  *view.History // of the branch that is shown; nil while there is none
	All      int           // events of the branch, as far as the server has them
	Branch   int           // that is shown
	Branches []Branch
	Steps    []time.Duration // where the lesson's steps end on this branch
	Quiet    []Stretch       // of its time that are played fast
	Fast     bool            // the playhead is in one of them, and time passes
	Selected string          // "client-3", a znode's path or empty
	Playing  bool
	Speed    float64
	Host     event.Host
	Link     string // what is the matter with the connection, empty if nothing

	Task string // that the reader is at, as written; empty for none
	// Forbids says why a kind of fault must not be done to what is selected; nil if nothing is forbidden.
	Forbids func(kind string) string
	// Told is the picture in words.
	Told func() []scene.Entry
	// Foreign is a log of another recipe than the one whose source is beside it.
	Foreign bool
	Beside  Beside
	// Promises are the rules that the run is judged by.
	Promises []string
	// Report is that on the whole branch.
	Report check.Report
	Lags   bool // there are events which they are not of yet
}

// Stretch is a part of the time.
type Stretch struct{ From, To time.Duration }

// Branch is one history in the list of branches.
type Branch struct {
	ID     int
	Parent int           // -1 for the first
	From   event.Seq     // its first event that is not its parent's
	At     time.Duration // of that
	Fault  string        // as written; empty for the first
}

// Name is what the list calls the branch.
func (b Branch) Name(say Say) string {
	if b.Fault == "" {
		return say("branch.main")
	}
	return say("branch.name", strconv.Itoa(b.ID), letterFault(b.Fault))
}

// forks are the times at which branches leave their parents.
func forks(branches []Branch) []time.Duration {
	var at []time.Duration
	for _, b := range branches {
		if b.Fault != "" {
			at = append(at, b.At)
		}
	}
	return at
}

package story

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
	"github.com/zkviz/zkviz/static/strings/words"
)

// Options says which window of a log to plan, and for how large a picture.
type Options struct {
	Width, Height float64       // CSS px
	Down          bool          // time runs down instead of across, for pictures that are higher than wide
	From, To      time.Duration // the window; To 0 means the log's end
	After, UpTo   event.Seq     // the window in events, instead, if UpTo isn't 0: what follows After
	Cast          []Lane        // who has a lane in any case, if there is room for all; see Sheets
	Words         words.Words
}

// Plan is the story of a window in plain values. Lengths are CSS px from the upper left corner. Lists are in the order
// of their events.
type Plan struct {
	Width, Height float64
	Down          bool
	From, To      time.Duration
	Lanes         []Lane
	Pieces        []Piece // the time axis
	Ticks         []Tick
	Bars          []Bar
	Messages      []Message
	Marks         []Mark
	Labels        []text.Label
	Hidden        int // clients without a lane, most of which do nothing in the window
	Heartbeats    int // messages that only say that somebody is alive, and arrived: they aren't drawn
	Polls         int // messages of refused tries, repeated, in folded stretches: they aren't drawn, either

	across float64 // where the first lane begins, across the time
	words  words.Words
}

// Lane is the line of one actor.
type Lane struct {
	Actor event.Actor
	At    float64 // its place across the time
	Whole string  // the actor's name
	Name  text.Label
	Index int // of a client's colour, from 0; -1 for others
}

// Piece is a stretch of time. A folded one is drawn shorter than the others.
type Piece struct {
	From, To time.Duration
	A, B     float64 // its place along the time
	Folded   bool
	Says     text.Label // for a folded one, how long it is
	Polls    int        // tries in it that aren't drawn
}

// Tick is a time on the axis.
type Tick struct {
	At   float64
	Text text.Label
}

// BarKind says what lasts.
type BarKind uint8

// The kinds of bars. Each bar of a client lies on its lane.
const (
	Lives    BarKind = iota // its process runs
	Waits                   // it waits to get in
	Inside                  // it is inside, by the servers' account
	Believes                // it believes that it is inside
	Thinks                  // likewise, and it isn't
	Paused                  // nothing of it runs
	Stalled                 // its program doesn't run, its timers do
	Leads                   // a server leads, or a node is primary
	Votes                   // a server serves nobody, since it has no leader yet
	Down                    // a server doesn't run
	Apart                   // a link between servers passes nothing
	Keeps                   // a node keeps a client's lock, or its entry
	barKinds
)

var barNames = [barKinds]string{"lives", "waits", "inside", "believes", "thinks", "paused", "stalled",
	"leads", "votes", "down", "apart", "keeps"}

func (k BarKind) String() string { return barNames[k] }

// Bar is something that lasts.
type Bar struct {
	Kind       BarKind
	Actor      event.Actor
	Peer       event.Actor // the other end of a link
	Begun, End event.Seq   // the events that began and ended it, 0 if outside the window
	From, To   time.Duration
	Phase      string // what a client believes
	Path       string // what a node keeps

	Lane int
	A, B float64 // its place along the time
}

// Look says what kind of message a line is.
type Look uint8

const (
	Request Look = iota // from a client
	Reply               // to a client
	Notice              // unasked: a watch event, or what a node sends to those who listen
	Between             // from server to server
	looks
)

var lookNames = [looks]string{"request", "reply", "notice", "between"}

func (l Look) String() string { return lookNames[l] }

// Message is a line from the lane of its sender to that of its receiver.
type Message struct {
	Seq       event.Seq // the event that sent it
	Look      Look
	Op        event.Op
	From, To  event.Actor
	Text      string // a command
	Cause     event.Seq
	Sent, Got time.Duration // Got is when it was lost, if it was
	Lost      bool
	Poll      bool // of a try that is refused, like the one before it
	heartbeat bool
	client    event.Actor   // whose server isn't known yet
	takes     time.Duration // 0 if unknown

	Index          int // of its client's colour, -1 between servers
	X0, Y0, X1, Y1 float64
}

// MarkKind says what happened at a moment.
type MarkKind uint8

const (
	Expired  MarkKind = iota // a session ended at the server, or a lock's time was up
	Crashed                  // a client's process crashed, or a server stopped
	Vanished                 // a client's machine
	Written                  // a store took a write
	Torn                     // likewise, while another client's work lies there
	Twice                    // likewise, though it has had that already
	Refused                  // a store refused a write
	Jumped                   // a node's clock was set
	Reports                  // a client's phase, apart from being inside
	Commits                  // a leader has a quorum for a write
	Cut                      // a client is cut off
	markKinds
)

var markNames = [markKinds]string{"expired", "crashed", "vanished", "written", "torn", "twice", "refused", "jumped",
	"reports", "commits", "cut"}

func (k MarkKind) String() string { return markNames[k] }

// Mark is something that happened at a moment.
type Mark struct {
	Kind  MarkKind
	Seq   event.Seq
	Actor event.Actor // on whose lane it is
	Peer  event.Actor // the client that it is about, if that isn't the actor
	At    time.Duration
	Text  string // a client's phase, or what was written
	N     int64

	Lane int
	X, Y float64
}

// Make plans the story of a window of a log.
func Make(h *view.History, o Options) *Plan {
	r := read(h, o)
	p := &Plan{Width: o.Width, Height: o.Height, Down: o.Down, From: r.from, To: r.to, words: o.Words,
		Bars: r.bars, Marks: r.marks, Messages: r.messages, Heartbeats: r.heartbeats}
	p.chooseLanes(r, o.Cast)
	p.fold()
	p.dropFolded()
	p.placeAll()
	p.label()
	return p
}

// point returns the place of a moment on the axis and a place across it.
func (p *Plan) point(along, across float64) (x, y float64) {
	if p.Down {
		return across, along
	}
	return along, across
}

// rect returns a rectangle, of lengths along the time and across it.
func (p *Plan) rect(along, across, long, wide float64) geom.Rect {
	if p.Down {
		return geom.R(across, along, wide, long)
	}
	return geom.R(along, across, long, wide)
}

// Size returns the size in CSS px of a picture for a page: across a wide screen, or down a narrow one. The picture may
// be lower, if it has few lanes.
func Size(down bool) (width, height float64) {
	if down {
		return 352, 720
	}
	return 760, 470
}

package protocol

import (
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/base/jsontext"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Message is a message to a viewer: a *Run, *Branch, *Steps, *Verdict, *Connection, *Contenders, *Fork, *Explored,
// *Progress, *Pong or *Refusal.
type Message interface {
	object
	// say returns the message's kind as it is written.
	say() string
}

// Run describes a run completely. From now on the viewer follows it.
type Run struct {
	Run      string       // its name, for Resume
	Header   event.Header // of the log, as in a trace file
	Query    string       // the scenario, for a link; empty if there is none
	Branches []Row
	Steps    []Step
}

func (*Run) say() string { return "run" }

func (m *Run) fields(f field) {
	f("run", always, &m.Run)
	f("header", always, &m.Header)
	f("query", unlessZero, &m.Query)
	f("branches", always, &m.Branches)
	f("steps", always, &m.Steps)
}

// Row is a branch of a run. Its events before From are its parent's.
type Row struct {
	ID     int
	Parent int // -1 for none
	At     time.Duration
	From   event.Seq // its first own event
	Fault  string
	Events event.Seq // sequence number of its last event so far; 0 for none
	Ended  bool
}

func (r *Row) fields(f field) {
	f("id", always, &r.ID)
	f("parent", always, &r.Parent)
	f("at_ms", always, &r.At)
	f("from", always, &r.From)
	f("fault", always, &r.Fault)
	f("events", always, &r.Events)
	f("ended", always, &r.Ended)
}

// Branch is a new or changed branch.
type Branch struct {
	Row
	Steps []Step
}

func (*Branch) say() string { return "branch" }

func (m *Branch) fields(f field) {
	m.Row.fields(f)
	f("steps", always, &m.Steps)
}

// Step says where a lesson's step stops. A step that looks back shows again what the earlier step Again did. Seq
// and At say how far the run had come by then. One that loops plays over and
// over, from the beginning of the step Loop to the moment that it shows.
type Step struct {
	Anchor string
	Branch int
	Seq    event.Seq
	At     time.Duration
	Again  string
	Linger time.Duration // how much later than the step of Again it stops
	Loop   string
	Focus  []string // what the step is about, as in lessons.Step, like Shows
	Shows  []string
}

func (s *Step) fields(f field) {
	f("anchor", always, &s.Anchor)
	f("branch", always, &s.Branch)
	f("seq", always, &s.Seq)
	f("at_ms", always, &s.At)
	f("again", unlessZero, &s.Again)
	f("linger_ms", unlessZero, &s.Linger)
	f("loop", unlessZero, &s.Loop)
	f("focus", unlessZero, &s.Focus)
	f("shows", unlessZero, &s.Shows)
}

// Steps lists the steps known so far.
type Steps struct{ Steps []Step }

func (*Steps) say() string      { return "steps" }
func (m *Steps) fields(f field) { f("steps", always, &m.Steps) }

// Connection says whether the cluster is in reach.
type Connection struct {
	OK  bool
	Why sentence.Sentence // why it is out of reach
	// Failed says that the run has ended with this error. Otherwise the cluster is just out of reach.
	Failed bool
}

func (*Connection) say() string { return "link" }

func (m *Connection) fields(f field) {
	f("ok", always, &m.OK)
	f("why", unlessZero, &m.Why)
	f("failed", unlessZero, &m.Failed)
}

// SaysPong is how a Pong is written.
const SaysPong = `{"say":"pong"}`

// Pong answers a Ping.
type Pong struct{}

func (*Pong) say() string { return "pong" }

func (*Pong) fields(field) {}

// Contenders says how many contender clients are running, and how many are allowed.
type Contenders struct{ Clients, Most int }

func (*Contenders) say() string { return "contenders" }

func (m *Contenders) fields(f field) {
	f("clients", always, &m.Clients)
	f("most", always, &m.Most)
}

// Fork is what was seen, as a scenario of a recipe of the same kind: see engine/analysis/fork.
type Fork struct {
	Use   string              // what a recipe must be to stand for it
	Said  []sentence.Sentence // what to know about it
	Seen  string              // who got in, in the form of fork.Seen
	Query string              // the scenario without the recipe
	// Whole is a longer query of which Query is only the part that fits into an address; empty if Query is all.
	Whole string
}

func (*Fork) say() string { return "fork" }

func (m *Fork) fields(f field) {
	f("use", always, &m.Use)
	f("said", always, &m.Said)
	f("seen", always, &m.Seen)
	f("query", always, &m.Query)
	f("whole", unlessZero, &m.Whole)
}

// Explored is what came of looking for a schedule that breaks a promise: see engine/run/explore.
type Explored struct {
	Held  bool                // no schedule broke one
	Tried int                 // schedules: up to the one that broke a promise, or all, unless there was an end before
	Of    int                 // how many were to be tried
	Said  []sentence.Sentence // the result, and more about it
	Link  string              // the address of a run in the Lab in which the promise breaks; empty if none
}

func (*Explored) say() string { return "explored" }

func (m *Explored) fields(f field) {
	f("held", always, &m.Held)
	f("tried", always, &m.Tried)
	f("of", always, &m.Of)
	f("said", always, &m.Said)
	f("link", unlessZero, &m.Link)
}

// Progress says how far the computation is that a request waits for.
type Progress struct {
	Do     string // the request's Do
	Events int    // so far; 0 before it has begun
	Tried  int    // Explore: schedules so far; 0 before it has begun
	Of     int    // Explore: how many are to be tried
	Broke  bool   // Explore: one has broken a promise, and smaller runs are tried
}

// SaysProgress is how a Progress begins as it is written.
const SaysProgress = `{"say":"progress",`

func (*Progress) say() string { return "progress" }

func (m *Progress) fields(f field) {
	f("do", always, &m.Do)
	f("events", always, &m.Events)
	f("tried", unlessZero, &m.Tried)
	f("of", unlessZero, &m.Of)
	f("broke", unlessZero, &m.Broke)
}

// Stopped is the key of the reason for a refusal if the viewer has stopped the request.
const Stopped = "refused.stopped"

// Refusal says why a request is refused.
type Refusal struct {
	Why sentence.Sentence
	Do  string // the request's Do
	// AgainMS is the time until another try is useful; 0 if it will be refused again.
	AgainMS int64
}

func (*Refusal) say() string { return "error" }

func (m *Refusal) fields(f field) {
	f("why", always, &m.Why)
	f("do", always, &m.Do)
	f("again_ms", unlessZero, &m.AgainMS)
}

// AppendMessage appends m to dst in the form that ParseMessage reads.
func AppendMessage(dst []byte, m Message) []byte { return appendObject(dst, said{m}) }

// said is a message preceded by its kind.
type said struct{ Message }

func (s said) fields(f field) {
	kind := s.say()
	f("say", always, &kind)
	s.Message.fields(f)
}

// ParseMessage reads a message to a viewer. It ignores unknown fields, because the sender may be newer.
func ParseMessage(text []byte) (Message, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("read a message: it is not UTF-8")
	}
	var k kind
	if err := parseWhole(string(text), &k); err != nil {
		return nil, err
	}
	for _, m := range []Message{new(Run), new(Branch), new(Steps), new(Verdict), new(Connection), new(Contenders),
		new(Fork), new(Explored), new(Progress), new(Pong), new(Refusal)} {
		if m.say() == k.say {
			return m, parseWhole(string(text), m)
		}
	}
	return nil, fmt.Errorf("read a message: unknown type %q", Clip(k.say))
}

// kind is the field that all messages have.
type kind struct{ say string }

func (k *kind) fields(f field) { f("say", always, &k.say) }

func parseWhole(text string, o object) error {
	d := decoder{Decoder: jsontext.Decoder{Text: text}}
	err := d.object(o)
	if err == nil && d.More() {
		err = errors.New("something follows its end")
	}
	if err != nil {
		return fmt.Errorf("read a message: %w", err)
	}
	return nil
}

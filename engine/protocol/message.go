package protocol

import (
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/jsontext"
	"github.com/zkviz/zkviz/engine/sentence"
)

// Message is what a viewer is told: a *Run, *Branch, *Steps, *Connection, *Contenders or *Refusal.
type Message interface {
	object
	// say is the message's kind, as it is written.
	say() string
}

// Run is all that there is to say of a run. The viewer follows it from now on.
type Run struct {
	Run      string       // its name, to resume it by
	Header   event.Header // of the log, as in a trace file
	Query    string       // the scenario, for a link to it; empty if there is none
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
	Events event.Seq // sequence number of its last event so far, 0 for none
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

// Branch is a branch that is new or has changed.
type Branch struct {
	Row
	Steps []Step
}

func (*Branch) say() string { return "branch" }

func (m *Branch) fields(f field) {
	m.Row.fields(f)
	f("steps", always, &m.Steps)
}

// Step is where a step of a lesson stops. One that looks back shows again what the earlier step Again did; Seq and At
// are how far the run has been told by then.
type Step struct {
	Anchor string
	Branch int
	Seq    event.Seq
	At     time.Duration
	Again  string
	Focus  []string // what the step is about, as in lessons.Step, as is
	Shows  []string
}

func (s *Step) fields(f field) {
	f("anchor", always, &s.Anchor)
	f("branch", always, &s.Branch)
	f("seq", always, &s.Seq)
	f("at_ms", always, &s.At)
	f("again", unlessZero, &s.Again)
	f("focus", unlessZero, &s.Focus)
	f("shows", unlessZero, &s.Shows)
}

// Steps are those that are known by now.
type Steps struct{ Steps []Step }

func (*Steps) say() string      { return "steps" }
func (m *Steps) fields(f field) { f("steps", always, &m.Steps) }

// Connection says whether the cluster can be reached.
type Connection struct {
	OK  bool
	Why sentence.Sentence // not
	// Failed is that the run has ended with this error, rather than that the cluster is out of reach.
	Failed bool
}

func (*Connection) say() string { return "link" }

func (m *Connection) fields(f field) {
	f("ok", always, &m.OK)
	f("why", unlessZero, &m.Why)
	f("failed", unlessZero, &m.Failed)
}

// Contenders says how many clients of ours contend, and may.
type Contenders struct{ Clients, Most int }

func (*Contenders) say() string { return "contenders" }

func (m *Contenders) fields(f field) {
	f("clients", always, &m.Clients)
	f("most", always, &m.Most)
}

// Refusal says why a request is not fulfilled.
type Refusal struct {
	Why sentence.Sentence
	Do  string // the request's
	// AgainMS is after how long it is worth another try; 0 if it will be refused again.
	AgainMS int64
}

func (*Refusal) say() string { return "error" }

func (m *Refusal) fields(f field) {
	f("why", always, &m.Why)
	f("do", always, &m.Do)
	f("again_ms", unlessZero, &m.AgainMS)
}

// AppendMessage adds m to dst as ParseMessage reads it.
func AppendMessage(dst []byte, m Message) []byte { return appendObject(dst, said{m}) }

// said is a message with its kind before it.
type said struct{ Message }

func (s said) fields(f field) {
	kind := s.say()
	f("say", always, &kind)
	s.Message.fields(f)
}

// ParseMessage reads what a viewer is told. Fields that it does not know are left out: the other end may be newer.
func ParseMessage(text []byte) (Message, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("read a message: it is not UTF-8")
	}
	var k kind
	if err := parseWhole(string(text), &k); err != nil {
		return nil, err
	}
	for _, m := range []Message{new(Run), new(Branch), new(Steps), new(Connection), new(Contenders), new(Refusal)} {
		if m.say() == k.say {
			return m, parseWhole(string(text), m)
		}
	}
	return nil, fmt.Errorf("read a message: it says %q, which is unknown", Clip(k.say))
}

// kind is what all messages have.
type kind struct{ say string }

func (k *kind) fields(f field) { f("say", always, &k.say) }

func parseWhole(text string, o object) error {
	d := decoder{Decoder: jsontext.Decoder{Text: text}}
	err := d.object(o)
	if err == nil && d.More() {
		err = errors.New("there is more after it")
	}
	if err != nil {
		return fmt.Errorf("read a message: %w", err)
	}
	return nil
}

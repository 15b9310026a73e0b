package challenge

import (
	"slices"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// Feat is something that may happen without breaking a promise, so that no rule covers it; a challenge can still
// ask for it. In a task, Name replaces the name of a rule.
type Feat struct {
	Name   string
	Seq    event.Seq
	At     time.Duration
	Client event.Actor // to which it happened
}

// The feats.
const (
	// GoneAlive: a session's end deleted a znode of a client that still runs.
	GoneAlive = "gone-alive"
	// BegunTwice: somebody began what another client has begun and that client has neither crashed nor finished.
	BegunTwice = "begun-twice"
	// Skipped: somebody saw a later value of what it follows without having seen the one before.
	Skipped = "skipped"
	// GaveUp: somebody gave up waiting.
	GaveUp = "gave-up"
)

// The feats of an ensemble.
const (
	// NoQuorum: a leader gave up because it heard from no quorum.
	NoQuorum = "no-quorum"
	// TwoLeaders: a server led while another still considered itself the leader.
	TwoLeaders = "two-leaders"
	// Cut: part of a server's log was cut off.
	Cut = "cut-off"
	// Copied: a server threw away its state and took its leader's.
	Copied = "copied"
	// DoubtKept: a client lost its connection without an answer to a write, and the write was carried out.
	DoubtKept = "doubt-kept"
	// DoubtLost: likewise, but the write was never carried out.
	DoubtLost = "doubt-lost"
	// Leads and a server's name: that server led.
	Leads = "leads-"
)

var feats = []string{GoneAlive, BegunTwice, Skipped, GaveUp, NoQuorum, TwoLeaders, Cut, Copied, DoubtKept, DoubtLost}

// IsFeat reports whether there is a feat of that name.
func IsFeat(name string) bool {
	return slices.Contains(feats, name) || strings.HasPrefix(name, Leads)
}

// OfServers reports whether the feat of that name is one of an ensemble.
func OfServers(name string) bool {
	return strings.HasPrefix(name, Leads) || slices.Index(feats, name) >= slices.Index(feats, NoQuorum)
}

// MaxFeats is how many feats a Book lists. More of the same teach nothing more.
const MaxFeats = 1000

// Feats returns a log's feats, in order.
func Feats(log Log) []Feat {
	b := NewBook()
	for i := range log.Len() {
		b.Append(log.Event(i))
	}
	return b.Feats()
}

// Book is an event.Sink that notes feats, and what is known about the clients while a log is read.
type Book struct {
	crashed, gone map[event.Actor]bool   // they have ended in any way
	worker        map[string]event.Actor // by path, the client that works on it
	saw           map[seen]int64
	ledger        ledger
	feats         []Feat
}

// NewBook returns a Book for the start of a log.
func NewBook() *Book {
	return &Book{
		crashed: map[event.Actor]bool{}, gone: map[event.Actor]bool{}, worker: map[string]event.Actor{},
		saw: map[seen]int64{}, ledger: newLedger(),
	}
}

// Feats returns the feats so far, in order.
func (b *Book) Feats() []Feat { return b.feats[:len(b.feats):len(b.feats)] }

type seen struct {
	who  event.Actor
	path string
}

// Append reads the next event.
func (b *Book) Append(e event.Event) {
	switch e.Kind {
	case event.ClientCrashed:
		b.crashed[e.Actor], b.gone[e.Actor] = true, true
	case event.ClientExited:
		b.gone[e.Actor] = true
	case event.ZnodeDeleted:
		if e.Reason == event.BySessionExpired && !b.gone[e.Peer] {
			b.happened(GoneAlive, e, e.Peer)
		}
	case event.RecipePhase:
		b.says(e)
	default:
		b.readServers(e)
	}
}

func (b *Book) says(e event.Event) {
	switch program.Phase(e.Text) {
	case program.Began:
		if was, ok := b.worker[e.Path]; ok && was != e.Actor && !b.crashed[was] {
			b.happened(BegunTwice, e, was)
		}
		b.worker[e.Path] = e.Actor
	case program.Done:
		delete(b.worker, e.Path)
	case program.Saw:
		s := seen{e.Actor, e.Path}
		if last, ok := b.saw[s]; ok && e.N > last+1 {
			b.happened(Skipped, e, e.Actor)
		}
		b.saw[s] = e.N
	case program.GaveUp:
		b.happened(GaveUp, e, e.Actor)
	}
}

func (b *Book) happened(name string, e event.Event, who event.Actor) {
	if len(b.feats) < MaxFeats {
		b.feats = append(b.feats, Feat{name, e.Seq, e.At, who})
	}
}

package redis

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/redis/resp"
	"github.com/zkviz/zkviz/engine/remote"
)

// Witness infers from commands and their answers which keys there are at a real node. It sees those of a run's own
// clients alone, in the order in which the answers came: of two that crossed each other it takes the one to be later
// that set the key.
type Witness struct {
	id    event.Actor
	emit  func(event.Event) event.Seq
	keys  map[string]*witnessed
	paths map[string]bool // all that were ever set
}

// witnessed is a key that is there.
type witnessed struct {
	owner event.Actor
	text  string
	set   time.Duration // when the answer came that said so
	ends  time.Duration // 0 for never
	list  int           // elements, of a list
}

// NewWitness is for a node of which nothing is known.
func NewWitness(id event.Actor, emit func(event.Event) event.Seq) *Witness {
	return &Witness{id: id, emit: emit, keys: make(map[string]*witnessed), paths: make(map[string]bool)}
}

// seen is one command and its answer.
type seen struct {
	*Witness
	from      event.Actor
	sent, now time.Duration
	cause     event.Seq
	args      []string
	v         resp.Value
}

// Saw takes a command that was sent at a time, and the answer that has come now.
func (w *Witness) Saw(from event.Actor, r remote.Request, sent time.Duration, reply remote.Reply, now time.Duration,
	cause event.Seq) {
	args, _ := r.Body.([]string)
	v, _ := reply.Body.(resp.Value)
	if len(args) < 2 || v.Kind == resp.Error {
		return
	}
	s := seen{w, from, sent, now, cause, args, v}
	switch strings.ToUpper(args[0]) {
	case "SET":
		s.assigned()
	case "SETNX":
		if v.Int == 1 {
			s.set(args[1], args[2], 0)
		}
	case "DEL":
		if v.Int > 0 {
			s.gone(args[1], event.ByOp)
		}
	case "EXPIRE", "PEXPIRE":
		s.expires(args[1], args[2], args[0][0] == 'E' || args[0][0] == 'e')
	case "INCR":
		s.set(args[1], strconv.FormatInt(v.Int, 10), 0)
	case "LPUSH":
		s.pushed(args[1], args[2:])
	case "BLPOP":
		s.popped()
	case "EVAL":
		s.script()
	}
}

// assigned is a SET that was answered: with OK, or of one with GET with what was there.
func (s seen) assigned() {
	words := s.args[3:]
	has := func(word string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, word) })
	}
	switch {
	case has("GET") && has("NX") && s.v.Kind != resp.Nil, !has("GET") && s.v.Kind != resp.Status:
		return
	}
	var ends time.Duration
	for i, w := range words {
		if strings.EqualFold(w, "PX") && i+1 < len(words) {
			ends = s.in(words[i+1], time.Millisecond)
		}
	}
	s.set(s.args[1], s.args[2], ends)
}

// in is when a time is over that began when the command was sent.
func (s seen) in(number string, unit time.Duration) time.Duration {
	n, _ := strconv.ParseInt(number, 10, 64)
	return s.sent + time.Duration(n)*unit
}

func (s seen) set(path, text string, ends time.Duration) {
	s.keys[path] = &witnessed{owner: s.from, text: text, set: s.now, ends: ends}
	s.paths[path] = true
	s.emit(event.Event{Kind: event.EntrySet, Actor: s.id, Peer: s.from, Path: path, Text: event.Preview([]byte(text)),
		N: int64(ends), Cause: s.cause})
}

// gone is that a key was deleted, unless another client has set it since the command was sent.
func (s seen) gone(path string, why event.Reason) {
	k := s.keys[path]
	if k == nil || k.owner != s.from && k.set > s.sent {
		return
	}
	delete(s.keys, path)
	s.emit(event.Event{Kind: event.EntryGone, Actor: s.id, Peer: s.from, Path: path, Reason: why, Cause: s.cause})
}

func (s seen) expires(path, number string, seconds bool) {
	k := s.keys[path]
	if s.v.Int != 1 || k == nil {
		return
	}
	unit := time.Millisecond
	if seconds {
		unit = time.Second
	}
	k.ends = s.in(number, unit)
	s.emit(event.Event{Kind: event.EntryExpires, Actor: s.id, Peer: s.from, Path: path, N: int64(k.ends), Cause: s.cause})
}

func (s seen) pushed(path string, values []string) {
	s.set(path, "["+strings.Join(values, " ")+"]", 0)
	s.keys[path].list = int(s.v.Int)
}

// popped is that a BLPOP has got something: the list is gone with its last element.
func (s seen) popped() {
	if len(s.v.List) != 2 {
		return
	}
	path := s.v.List[0].Str
	s.emit(event.Event{Kind: event.RequestServed, Actor: s.id, Peer: s.from, Path: path, Op: event.Command})
	if k := s.keys[path]; k != nil {
		if k.list--; k.list <= 0 {
			k.set = 0
			s.gone(path, event.ByOp)
		}
	}
}

// script is a script of ours that did something.
func (s seen) script() {
	script := FindScript(s.args[1])
	if script == nil || s.v.Int == 0 || len(s.args) < 3+script.Keys+script.Args {
		return
	}
	keys, args := s.args[3:3+script.Keys], s.args[3+script.Keys:]
	switch script {
	case &compareAndDelete, &releaseAndPublish:
		s.gone(keys[0], event.ByOp)
	case &compareAndExpire:
		s.expires(keys[0], args[1], false)
	case &releaseAndSignal:
		s.gone(keys[0], event.ByOp)
		s.pushed(keys[1], []string{"1"})
		s.keys[keys[1]].ends, s.keys[keys[1]].list = s.in(args[1], time.Millisecond), 1
		s.emit(event.Event{Kind: event.EntryExpires, Actor: s.id, Peer: s.from, Path: keys[1],
			N: int64(s.keys[keys[1]].ends), Cause: s.cause})
	case &acquireWithFence:
		s.set(keys[0], args[0], s.in(args[1], time.Millisecond))
		s.set(keys[1], strconv.FormatInt(s.v.Int, 10), 0)
	}
}

// Tick says which keys have ended by now.
func (w *Witness) Tick(now time.Duration) {
	var over []string
	for path, k := range w.keys {
		if k.ends > 0 && now > k.ends {
			over = append(over, path)
		}
	}
	slices.Sort(over)
	for _, path := range over {
		delete(w.keys, path)
		w.emit(event.Event{Kind: event.EntryGone, Actor: w.id, Path: path, Reason: event.ByTimer})
	}
}

// Ends reports whether there is a key that ends by itself.
func (w *Witness) Ends() bool {
	for _, k := range w.keys {
		if k.ends > 0 {
			return true
		}
	}
	return false
}

// Left are all keys that were set: that one is gone is not always known.
func (w *Witness) Left() (paths []string) {
	for path := range w.paths {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths
}

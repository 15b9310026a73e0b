package redis

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/redis/resp"
	"github.com/zkviz/zkviz/engine/stores/remote"
)

// Shadow keeps the shadow state of a real node: it infers from commands and replies which keys exist. It sees only the
// run's own clients, in the order in which the replies arrived: of two that crossed, the one that set the key counts as
// later. It implements remote.Shadow.
type Shadow struct {
	id    event.Actor
	emit  func(event.Event) event.Seq
	keys  map[string]*shadowKey
	paths map[string]bool           // all that were ever set
	open  map[int]*remote.RoundTrip // by connection, requests without a reply
	maybe map[string]remote.RoundTrip
	kept  map[int]string // by connection, what a BLPOP waits for
}

// shadowKey holds what is known of an existing key.
type shadowKey struct {
	owner event.Actor
	text  string
	set   time.Duration // when the reply arrived
	ends  time.Duration // 0 for never
	list  int           // number of elements, for a list
}

// NewShadow returns a Shadow for a node of unknown contents.
func NewShadow(id event.Actor, emit func(event.Event) event.Seq) *Shadow {
	return &Shadow{id: id, emit: emit, keys: make(map[string]*shadowKey), paths: make(map[string]bool),
		open: make(map[int]*remote.RoundTrip), maybe: make(map[string]remote.RoundTrip), kept: make(map[int]string)}
}

// seen is one command and its reply.
type seen struct {
	*Shadow
	remote.RoundTrip
	args []string
	v    resp.Value
}

// Asked implements remote.Shadow. A BLPOP on a missing list waits.
func (w *Shadow) Asked(x remote.RoundTrip) {
	w.open[x.Conn] = &x
	args, _ := x.Request.Body.([]string)
	if len(args) < 2 {
		return
	}
	if token, path := tokenOf(args); path != "" {
		w.paths[path] = true
		delete(w.maybe, token)
	}
	if strings.EqualFold(args[0], "BLPOP") && w.keys[args[1]] == nil {
		w.kept[x.Conn] = args[1]
		w.emit(event.Event{Kind: event.RequestWaits, Actor: w.id, Peer: x.From, Path: args[1], Op: event.Command,
			Cause: x.Cause})
	}
}

// tokenOf returns the value and the key that a command would set.
func tokenOf(args []string) (token, path string) {
	switch strings.ToUpper(args[0]) {
	case "SET", "SETNX":
		if len(args) > 2 {
			return args[2], args[1]
		}
	case "EVAL":
		if FindScript(args[1]) == &acquireWithFence && len(args) > 5 {
			return args[5], args[3]
		}
	}
	return "", ""
}

// served ends the wait of a BLPOP.
func (w *Shadow) served(x remote.RoundTrip, why event.Reason) {
	if path, ok := w.kept[x.Conn]; ok {
		delete(w.kept, x.Conn)
		w.emit(event.Event{Kind: event.RequestServed, Actor: w.id, Peer: x.From, Path: path, Op: event.Command,
			Reason: why})
	}
}

// Closed implements remote.Shadow. What the last command on the connection would set may exist: see found.
func (w *Shadow) Closed(conn int, _ time.Duration, cause event.Seq) {
	x := w.open[conn]
	if x == nil {
		return
	}
	delete(w.open, conn)
	x.Cause = cause
	w.served(*x, event.ConnLost)
	args, _ := x.Request.Body.([]string)
	if token, path := tokenOf(args); path != "" {
		w.maybe[token] = *x
	}
}

// found records that a key has a value: if no reply reported it, a command without a reply has set it.
func (s seen) found(path, token string) {
	x, ok := s.maybe[token]
	if k := s.keys[path]; !ok || k != nil && k.text == token {
		return
	}
	delete(s.maybe, token)
	args, _ := x.Request.Body.([]string)
	if _, of := tokenOf(args); of != path {
		return
	}
	before := seen{s.Shadow, x, args, resp.Value{}}
	before.Now = s.Sent
	before.set(path, token, before.endsOf())
}

// endsOf returns when a key set by a command expires, 0 for never.
func (s seen) endsOf() time.Duration {
	if strings.EqualFold(s.args[0], "EVAL") {
		return s.in(s.args[6], time.Millisecond)
	}
	for i, w := range s.args {
		if i > 2 && strings.EqualFold(w, "PX") && i+1 < len(s.args) {
			return s.in(s.args[i+1], time.Millisecond)
		}
	}
	return 0
}

// Answered implements remote.Shadow.
func (w *Shadow) Answered(x remote.RoundTrip) {
	delete(w.open, x.Conn)
	args, _ := x.Request.Body.([]string)
	v, _ := x.Reply.Body.(resp.Value)
	if len(args) < 2 {
		return
	}
	s := seen{w, x, args, v}
	if v.Kind == resp.Error {
		w.served(x, event.ByUnknown)
		return
	}
	switch strings.ToUpper(args[0]) {
	case "SET":
		s.assigned()
	case "SETNX":
		if v.Int == 1 {
			s.set(args[1], args[2], 0)
		}
	case "GET":
		if v.Kind == resp.Bulk {
			s.found(args[1], v.Str)
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

// assigned handles the reply to a SET: OK, or with GET the old value.
func (s seen) assigned() {
	has := func(word string) bool {
		return slices.ContainsFunc(s.args[3:], func(w string) bool { return strings.EqualFold(w, word) })
	}
	if has("GET") && s.v.Kind == resp.Bulk {
		s.found(s.args[1], s.v.Str)
	}
	switch {
	case has("GET") && has("NX") && s.v.Kind != resp.Nil, !has("GET") && s.v.Kind != resp.Status:
		return
	}
	s.set(s.args[1], s.args[2], s.endsOf())
}

// in returns the end of a time that began when the command was sent.
func (s seen) in(number string, unit time.Duration) time.Duration {
	n, _ := strconv.ParseInt(number, 10, 64)
	return s.Sent + time.Duration(n)*unit
}

func (s seen) set(path, text string, ends time.Duration) {
	s.keys[path] = &shadowKey{owner: s.From, text: text, set: s.Now, ends: ends}
	s.paths[path] = true
	s.emit(event.Event{Kind: event.EntrySet, Actor: s.id, Peer: s.From, Path: path, Text: event.Preview([]byte(text)),
		N: int64(ends), Cause: s.Cause})
}

// gone records a deletion, unless another client has set the key since the command was sent.
func (s seen) gone(path string, why event.Reason) {
	k := s.keys[path]
	if k == nil || k.owner != s.From && k.set > s.Sent {
		return
	}
	delete(s.keys, path)
	s.emit(event.Event{Kind: event.EntryGone, Actor: s.id, Peer: s.From, Path: path, Reason: why, Cause: s.Cause})
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
	s.emit(event.Event{Kind: event.EntryExpires, Actor: s.id, Peer: s.From, Path: path, N: int64(k.ends), Cause: s.Cause})
}

func (s seen) pushed(path string, values []string) {
	s.set(path, "["+strings.Join(values, " ")+"]", 0)
	s.keys[path].list = int(s.v.Int)
}

// popped handles the reply to a BLPOP: if it got something, the list is deleted with its last element.
func (s seen) popped() {
	if len(s.v.List) != 2 {
		s.served(s.RoundTrip, event.ByTimer)
		return
	}
	s.served(s.RoundTrip, event.NoReason)
	path := s.v.List[0].Str
	if k := s.keys[path]; k != nil {
		if k.list--; k.list <= 0 {
			k.set = 0
			s.gone(path, event.ByOp)
		}
	}
}

// script handles a script of ours that changed something.
func (s seen) script() {
	script := FindScript(s.args[1])
	if script == nil || s.v.Int == 0 || len(s.args) < 3+script.Keys+script.Args {
		return
	}
	keys, args := s.args[3:3+script.Keys], s.args[3+script.Keys:]
	if script != &acquireWithFence {
		s.found(keys[0], args[0]) // it has found its token
	}
	switch script {
	case &compareAndDelete, &releaseAndPublish:
		s.gone(keys[0], event.ByOp)
	case &compareAndExpire:
		s.expires(keys[0], args[1], false)
	case &releaseAndSignal:
		s.gone(keys[0], event.ByOp)
		s.pushed(keys[1], []string{"1"})
		s.keys[keys[1]].ends, s.keys[keys[1]].list = s.in(args[1], time.Millisecond), 1
		s.emit(event.Event{Kind: event.EntryExpires, Actor: s.id, Peer: s.From, Path: keys[1],
			N: int64(s.keys[keys[1]].ends), Cause: s.Cause})
	case &acquireWithFence:
		s.set(keys[0], args[0], s.in(args[1], time.Millisecond))
		s.set(keys[1], strconv.FormatInt(s.v.Int, 10), 0)
	}
}

// Tick implements remote.Shadow.
func (w *Shadow) Tick(now time.Duration) {
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

// Ends implements remote.Shadow: a waiting client keeps no key.
func (w *Shadow) Ends(func(event.Actor) bool) bool {
	for _, k := range w.keys {
		if k.ends > 0 {
			return true
		}
	}
	return false
}

// Left implements remote.Shadow: it returns all keys that were, or may have been, set.
func (w *Shadow) Left() (paths []string) {
	for path := range w.paths {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths
}

package port

import (
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/redis"
	"github.com/zkviz/zkviz/engine/stores/redis/resp"
	"github.com/zkviz/zkviz/engine/stores/remote"
)

// conn is one connection. It implements remote.Link.
type conn struct {
	s            *Server
	net          net.Conn
	in           *resp.Reader
	session      remote.Session
	who          event.Actor
	order        int      // order of arrival
	name         string   // the name it gave itself, guarded by the server's lock
	known        bool     // it has sent a request
	hungUp       bool     // closed by the server
	pending      []string // keys of its requests without a reply, oldest first
	pendingBytes int      // bytes of these, except the oldest
	self         bool     // its own goroutine executes a command, and writes the results

	writing sync.Mutex // keeps writes in order

	mu     sync.Mutex // guards the fields below
	cond   *sync.Cond
	out    []byte
	unread int // bytes of out and of what is being written
	closed bool
}

func newConn(s *Server, c net.Conn, who event.Actor) *conn {
	k := &conn{s: s, net: c, in: resp.NewReader(c), who: who, order: s.came}
	k.in.Share(s.input)
	k.cond = sync.NewCond(&k.mu)
	k.session = s.node.Connect(k, who, s.now())
	return k
}

// read executes requests until the connection ends.
func (k *conn) read() {
	defer k.gone()
	for {
		args, err := k.in.Command()
		if err != nil {
			var p resp.ProtocolError
			if errors.As(err, &p) {
				k.send(resp.Err("ERR " + p.Error()))
				k.flush()
			}
			return
		}
		if len(args) == 0 {
			continue
		}
		if !k.handle(args) {
			k.flush()
			return
		}
		if k.in.Buffered() == 0 && !k.flush() {
			return
		}
	}
}

// handle executes a command. It reports false after the last one. Scripts run one at a time, and after a slow one the
// next waits for as long again: so another command waits for at most one script.
func (k *conn) handle(args []string) bool {
	if !redis.Evals(args) {
		return k.carryOut(args)
	}
	s := k.s
	s.scripts.Lock()
	defer s.scripts.Unlock()
	began := time.Now()
	more := k.carryOut(args)
	if took := time.Since(began); took > longScript {
		time.Sleep(took)
	}
	return more
}

func (k *conn) carryOut(args []string) bool {
	s := k.s
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	if v, known := k.serverCommand(args); known {
		k.send(v)
		return !strings.EqualFold(args[0], "QUIT")
	}
	k.logConnected()
	if mayWait(args) && sizeOf(args) > maxWaiting {
		k.send(resp.Err("ERR too many bytes for this node: name fewer or shorter keys"))
		return true
	}
	k.self = true
	for _, a := range splitChannels(args) {
		if k.pendingBytes += sizeOf(a); len(k.pending) == 0 {
			k.pendingBytes = 0
		}
		if k.pendingBytes > maxPending {
			k.hangUp()
			return false
		}
		k.ask(a)
	}
	k.self = false
	s.plan()
	return true
}

// ask sends a command to the node.
func (k *conn) ask(args []string) {
	s := k.s
	r, cause := remote.Request{Body: args}, event.Seq(0)
	if len(s.observed) > 0 {
		r = redis.RequestTo(args, s.node.Script)
		cause = k.emitFrom(event.Event{Kind: event.OpSent, Op: event.Command, Path: r.Path, Text: r.Text, Watch: r.Watch})
	}
	k.pending = append(k.pending, r.Path)
	k.session.Handle(r, s.now(), cause)
}

// mayWait reports whether a node may keep the command's words after executing it.
func mayWait(args []string) bool {
	switch strings.ToUpper(args[0]) {
	case "BLPOP", "SUBSCRIBE":
		return true
	}
	return false
}

// sizeOf returns the size of a command in bytes.
func sizeOf(args []string) (n int) {
	for _, a := range args {
		n += len(a) + 16
	}
	return n
}

// splitChannels splits a SUBSCRIBE or UNSUBSCRIBE into one command for each channel.
func splitChannels(args []string) [][]string {
	if len(args) <= 2 || !strings.EqualFold(args[0], "SUBSCRIBE") && !strings.EqualFold(args[0], "UNSUBSCRIBE") {
		return [][]string{args}
	}
	var list [][]string
	for _, channel := range args[1:] {
		list = append(list, []string{args[0], channel})
	}
	return list
}

// gone handles the end of the connection.
func (k *conn) gone() {
	s := k.s
	s.mu.Lock()
	defer s.mu.Unlock()
	k.end()
	k.in.Free()
	lost := k.logGone()
	k.session.Lost(s.now(), lost)
	if k.known {
		s.emit(event.Event{Kind: event.ClientExited, Actor: k.who, Cause: lost})
	}
	delete(s.conns, k)
	s.plan()
}

// end closes the connection. Unwritten output is lost.
func (k *conn) end() {
	k.mu.Lock()
	k.closed = true
	k.unread -= len(k.out) // flush gives back what is being written
	k.s.unread.Add(-int64(len(k.out)))
	k.out = nil
	k.mu.Unlock()
	k.cond.Broadcast()
	_ = k.net.Close()
}

// Reply implements remote.Link.
func (k *conn) Reply(r remote.Reply, _ bool, cause event.Seq) {
	e := event.Event{Kind: event.MsgSent, Op: event.Command, Path: k.pending[0], Text: r.Text, Cause: cause}
	if r.Failed {
		e.Code = 1
	}
	k.pending = slices.Delete(k.pending, 0, 1)
	e.Cause = k.emitTo(e)
	e.Kind = event.OpDone
	k.emitFrom(e)
	k.send(r.Body.(resp.Value))
}

// Push implements remote.Link.
func (k *conn) Push(p remote.Push, cause event.Seq) {
	e := event.Event{Kind: event.PushSent, Op: event.Command, Path: p.Path, Text: p.Text, Cause: cause}
	e.Cause = k.emitTo(e)
	e.Kind, e.Op = event.PushDelivered, event.NoOp
	k.emitFrom(e)
	k.send(p.Body.(resp.Value))
}

// Close implements remote.Link.
func (k *conn) Close(event.Reason, event.Seq) { k.hangUp() }

// hangUp closes the connection of a client that exceeds a limit.
func (k *conn) hangUp() {
	k.hungUp = true
	k.end()
}

// send queues a value: for the connection's own goroutine if that is executing a command, else for the writer. It
// closes the connection of a client that doesn't read its replies.
func (k *conn) send(v resp.Value) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return
	}
	before := len(k.out)
	k.out = resp.Append(k.out, v)
	k.unread += len(k.out) - before
	all := k.s.unread.Add(int64(len(k.out) - before))
	if k.unread > maxOutput || all > allOutput && k.unread > allOutput/k.s.cfg.Conns {
		k.closed, k.hungUp = true, true
		_ = k.net.Close()
	}
	if !k.self {
		k.cond.Signal()
	}
}

// flush writes what is queued. It reports false if the connection has ended.
func (k *conn) flush() bool {
	k.writing.Lock()
	defer k.writing.Unlock()
	k.mu.Lock()
	out, closed := k.out, k.closed
	if !closed {
		k.out = nil
	}
	k.mu.Unlock()
	if len(out) == 0 || closed {
		return !closed
	}
	_, err := k.net.Write(out)
	k.mu.Lock()
	k.unread -= len(out)
	k.mu.Unlock()
	k.s.unread.Add(-int64(len(out)))
	return err == nil
}

// write writes what others cause to be sent on the connection.
func (k *conn) write() {
	for {
		k.mu.Lock()
		for len(k.out) == 0 && !k.closed {
			k.cond.Wait()
		}
		closed := k.closed
		k.mu.Unlock()
		if closed || !k.flush() {
			return
		}
	}
}

package embed

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/engine/wire"
)

// Bounds on what waits to be written to one client, in bytes.
const (
	// highWater is from where the client's own requests wait until it has read the answers to those before.
	highWater = 64 << 10
	// maxPending is how far a client may fall behind with its watch events, which nothing can hold up
	// without holding up others. Beyond it the connection is closed. Watch events have about 60 bytes.
	maxPending = 8 << 20
	// shortReply is the longest reply that is encoded under the server's lock. A longer one takes room of all, and is
	// encoded while it is written, in pieces.
	shortReply = 16 << 10
	piece      = 16 << 10
	// hugeReply is the longest that does not have to wait behind huge ones: Apache's clients take no more by default.
	hugeReply = 1 << 20
	// uncounted is what a connection may have pending without its being counted among what all have.
	uncounted = 4 << 10
)

var (
	// errSlow says that a client did not read its watch events for too long.
	errSlow = errors.New("it does not read: more than 8 MiB of watch events wait for it")
	// errBehind says that of all that have not read their watch events it is the furthest behind.
	errBehind = errors.New("it does not read: the server has too much to write, and most of it for this client")
)

// out is what is to be written to one client. Anyone who has something for it appends; one at a time writes.
//
// A reply is written by the goroutine that handled the request, and a watch event by the one that handled
// the change: at the usual load nothing is handed from one goroutine to another. A write that would block, and a
// long reply, is left to a goroutine of its own, which ends when all is written: meanwhile the client's pings are
// read.
type out struct {
	sock  net.Conn
	try   *tryer // writes what can be written at once
	all   *pressure
	moved *atomic.Int64 // of the connection

	mu      sync.Mutex
	room    sync.Cond // a writer has stopped, or little is pending again
	queue   []part    // what comes before pending; nil unless there is a long reply
	pending []byte    // frames, complete
	events  int       // bytes of watch events in pending
	size    int       // bytes of all frames that are not written, but for long replies
	counted int       // of these, in all
	spare   []byte    // a buffer for next time
	busy    bool      // there is a writer
	end     bool      // close when all is written, however slowly it is read; nothing is appended any more
	err     error     // why nothing can be written any more

	// The writer's own.
	active []byte // what is being written
	of     part   // where it comes from
	more   bool   // of.reply has more pieces
	buffer []byte // for pieces
}

// part is frames, or a long reply.
type part struct {
	frames []byte
	reply  *wire.Pieces // nil: it is frames
	room   *claim       // for what is long; nil for frames that size counts
}

func newOut(sock net.Conn, all *pressure, moved *atomic.Int64) *out {
	o := &out{sock: sock, try: newTryer(sock), all: all, moved: moved}
	o.room.L = &o.mu
	return o
}

// begin locks the buffer to append frames to, and gives it; done or doneEvent unlocks it.
func (o *out) begin() []byte {
	o.mu.Lock()
	return o.pending
}

// done is the end of what begin began. Nothing is kept of what comes after the end.
func (o *out) done(b []byte) {
	if !o.end && o.err == nil {
		o.resize(len(b) - len(o.pending))
		o.pending = b
	}
	o.mu.Unlock()
}

// doneEvent is done for a watch event. It fails when too many of them wait.
func (o *out) doneEvent(b []byte) error {
	defer o.mu.Unlock()
	if o.end || o.err != nil {
		return nil
	}
	n := len(b) - len(o.pending)
	o.resize(n)
	o.events += n
	o.pending = b
	if o.events > maxPending {
		return errSlow
	}
	return nil
}

// append puts something long behind all that is pending. It gives the room back once that is written.
func (o *out) append(long part) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.end || o.err != nil {
		long.room.give()
		return
	}
	long.room.waits.Store(true)
	if len(o.pending) > 0 {
		o.queue = append(o.queue, part{frames: o.pending})
		o.pending = nil
	}
	o.queue = append(o.queue, long)
}

// resize counts n bytes more.
func (o *out) resize(n int) {
	o.size += n
	if counts := o.size / uncounted * uncounted; counts != o.counted {
		o.all.bytes.Add(int64(counts - o.counted))
		o.counted = counts
	}
}

// behind reports whether no more requests should be carried out until more is written.
func (o *out) behind() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.late()
}

func (o *out) late() bool {
	return len(o.pending) > highWater || len(o.queue) > 0 || o.size > uncounted && o.all.scarce()
}

// unread is how many bytes of frames the client has not read, 0 if it is over.
func (o *out) unread() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return 0
	}
	return o.size
}

// finish has the connection closed once everything is written.
func (o *out) finish() {
	o.mu.Lock()
	o.end = true
	o.mu.Unlock()
}

// fail has nothing more written, and lets those go on who wait for that.
func (o *out) fail(err error) {
	o.mu.Lock()
	if o.err == nil {
		o.err = err
	}
	o.drop()
	o.room.Broadcast()
	o.mu.Unlock()
}

// drop forgets what no writer has begun, and counts none of it any more. What a writer has begun is gone as soon as
// its socket is closed: if it went on to count until then, others would have to give way for it.
func (o *out) drop() {
	for _, p := range o.queue {
		p.room.give()
	}
	o.queue, o.pending, o.spare = nil, nil, nil
	o.resize(-o.size)
}

// push writes what can be written without blocking. If it reports that something is left, its caller sees to it
// that rest is called: until then nobody else writes.
func (o *out) push() (left bool) {
	if !o.start() {
		return false
	}
	for o.try.able() && o.of.room == nil {
		n, err := o.try.write(o.active)
		if err != nil {
			o.stop(err)
			return false
		}
		if n > 0 {
			o.moved.Add(1)
		}
		if n < len(o.active) {
			o.active = o.active[n:]
			return true
		}
		if !o.next() {
			return false
		}
	}
	return true
}

// rest writes everything that push has left, however long that takes.
func (o *out) rest() {
	for {
		for len(o.active) > 0 {
			n, err := o.sock.Write(o.active[:min(len(o.active), 4*piece)])
			if err != nil {
				o.stop(err)
				return
			}
			o.moved.Add(1)
			o.active = o.active[n:]
			o.patient()
		}
		if !o.next() {
			return
		}
	}
}

// patient gives the last replies their time anew, since the client reads on.
func (o *out) patient() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.end {
		_ = o.sock.SetWriteDeadline(time.Now().Add(partWithin))
	}
}

// wait blocks while so much is pending that no more requests should be read.
func (o *out) wait() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.err == nil && o.busy && o.late() {
		o.room.Wait()
	}
	return o.err
}

// settle blocks until everything is written, or nothing can be.
func (o *out) settle() {
	if o.push() {
		o.rest()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.err == nil && o.busy {
		o.room.Wait()
	}
}

// join waits for the writer to stop, after fail and the end of the socket.
func (o *out) join() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.busy {
		o.room.Wait()
	}
}

// start makes the caller the writer, if there is something to write and no other writer.
func (o *out) start() bool {
	o.mu.Lock()
	if o.busy || o.err != nil || len(o.pending) == 0 && len(o.queue) == 0 {
		o.mu.Unlock()
		return false
	}
	o.take()
	o.busy = true
	o.mu.Unlock()
	o.encode()
	return true
}

// take takes what comes next to be written.
func (o *out) take() {
	if len(o.queue) == 0 {
		o.of = part{frames: o.pending}
		o.pending, o.spare = o.spare[:0], nil
		o.events = 0
	} else {
		o.of = o.queue[0]
		o.queue[0] = part{}
		if o.queue = o.queue[1:]; len(o.queue) == 0 {
			o.queue = nil
		}
	}
	o.active, o.more = o.of.frames, o.of.reply != nil
}

// encode makes the next piece of a long reply, outside of all locks.
func (o *out) encode() {
	if !o.more {
		return
	}
	if o.buffer == nil {
		o.buffer = make([]byte, 0, min(piece, int(o.of.room.bytes)))
	}
	o.active, o.more = o.of.reply.Append(o.buffer[:0], piece)
}

// next takes what is to be written next. It reports false when there is nothing: then the caller is the
// writer no longer.
func (o *out) next() bool {
	if o.more {
		o.encode()
		return true
	}
	o.mu.Lock()
	o.written()
	if o.err == nil && (len(o.pending) > 0 || len(o.queue) > 0) {
		o.take()
		o.room.Broadcast()
		o.mu.Unlock()
		o.encode()
		return true
	}
	o.release()
	o.mu.Unlock()
	return false
}

// written is the end of what the writer took.
func (o *out) written() {
	if o.of.room == nil {
		if cap(o.of.frames) <= o.all.keep() {
			o.spare = o.of.frames[:0]
		}
		if o.err == nil { // otherwise drop has done so
			o.resize(-len(o.of.frames))
		}
	}
	o.of.room.give()
	o.of, o.active, o.buffer, o.more = part{}, nil, nil, false
}

func (o *out) stop(err error) {
	o.mu.Lock()
	if o.err == nil {
		o.err = err
	}
	o.written()
	o.busy = false
	o.drop()
	o.room.Broadcast()
	o.mu.Unlock()
}

func (o *out) release() {
	o.busy = false
	o.room.Broadcast()
}

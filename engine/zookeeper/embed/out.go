package embed

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// Bounds in bytes on what waits to be written to one client.
const (
	// highWater is the size from which the client's own requests wait until it has read earlier answers.
	highWater = 64 << 10
	// maxPending bounds a client's unread watch events, because delaying them would delay other clients. Beyond it
	// the connection closes. A watch event has about 60 bytes.
	maxPending = 8 << 20
	// shortReply is the longest reply that is encoded under the server's lock. A longer one needs room from a
	// budget, and is encoded in pieces while it is written.
	shortReply = 16 << 10
	piece      = 16 << 10
	// hugeReply is the longest reply that doesn't have to wait behind huge ones. By default, Apache's clients accept no
	// longer ones.
	hugeReply = 1 << 20
	// uncounted is how much a connection may have pending without counting it in the total.
	uncounted = 4 << 10
)

var (
	// errSlow reports that a client didn't read its watch events for too long.
	errSlow = errors.New("it does not read: more than 8 MiB of watch events wait for it")
	// errBehind reports that a client is the furthest behind with its watch events.
	errBehind = errors.New("it does not read: the server has too much to write, and most of it for this client")
)

// out holds what is to be written to one client. Any goroutine may append; one at a time writes.
//
// The goroutine that handled a request writes its reply, and the goroutine that made a change writes the watch
// events. So at normal load no data passes between goroutines. A write that would block, or a long reply, gets a
// goroutine of its own that ends when everything is written. The client's pings are still read meanwhile.
type out struct {
	sock  net.Conn
	try   *tryer // writes what doesn't block
	all   *pressure
	moved *atomic.Int64 // the connection's progress

	mu      sync.Mutex
	room    sync.Cond // a writer has stopped, or little is pending again
	queue   []part    // precedes pending; nil unless there is a long reply
	pending []byte    // complete frames
	events  int       // bytes of watch events in pending
	size    int       // bytes of all unwritten frames, without long replies
	counted int       // how many of these are in all.bytes
	spare   []byte    // a buffer for reuse
	busy    bool      // a writer is active
	end     bool      // close when everything is written, however slowly; nothing can be appended any more
	err     error     // why nothing can be written

	// Only for the writer.
	active []byte // the bytes being written
	of     part   // the part that they come from
	more   bool   // of.reply has more pieces
	buffer []byte // for pieces
}

// part is a number of frames, or a long reply.
type part struct {
	frames []byte
	reply  *wire.Pieces // nil for frames
	room   *claim       // for a long reply; nil for frames that size counts
}

func newOut(sock net.Conn, all *pressure, moved *atomic.Int64) *out {
	o := &out{sock: sock, try: newTryer(sock), all: all, moved: moved}
	o.room.L = &o.mu
	return o
}

// begin locks and returns the buffer for new frames. done or doneEvent unlocks it.
func (o *out) begin() []byte {
	o.mu.Lock()
	return o.pending
}

// done completes begin. After finish, frames are dropped.
func (o *out) done(b []byte) {
	if !o.end && o.err == nil {
		o.resize(len(b) - len(o.pending))
		o.pending = b
	}
	o.mu.Unlock()
}

// doneEvent does what done does, for a watch event. It fails when too many events wait.
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

// append queues a long reply behind everything pending. It releases the room once the reply is written.
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

// resize adds n bytes to the counts.
func (o *out) resize(n int) {
	o.size += n
	if counts := o.size / uncounted * uncounted; counts != o.counted {
		o.all.bytes.Add(int64(counts - o.counted))
		o.counted = counts
	}
}

// behind reports whether requests must wait until more is written.
func (o *out) behind() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.late()
}

func (o *out) late() bool {
	return len(o.pending) > highWater || len(o.queue) > 0 || o.size > uncounted && o.all.scarce()
}

// unread returns how many bytes of frames the client has not read, or 0 once the connection has failed.
func (o *out) unread() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return 0
	}
	return o.size
}

// finish makes the connection close once everything is written.
func (o *out) finish() {
	o.mu.Lock()
	o.end = true
	o.mu.Unlock()
}

// fail stops all writing and wakes those that wait for it.
func (o *out) fail(err error) {
	o.mu.Lock()
	if o.err == nil {
		o.err = err
	}
	o.drop()
	o.room.Broadcast()
	o.mu.Unlock()
}

// drop drops and uncounts everything unwritten. That includes what a writer has begun, which ends as soon as its
// socket closes. If it still counted until then, other connections would have to give way for it.
func (o *out) drop() {
	for _, p := range o.queue {
		p.room.give()
	}
	o.queue, o.pending, o.spare = nil, nil, nil
	o.resize(-o.size)
}

// push writes what it can without blocking. If it reports that something is left, its caller must arrange a call of
// rest. Until then nobody else writes.
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

// rest writes everything that push has left, however long it takes.
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

// patient extends the deadline for the last replies while the client reads on.
func (o *out) patient() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.end {
		_ = o.sock.SetWriteDeadline(time.Now().Add(partWithin))
	}
}

// wait blocks while too much is pending to read more requests.
func (o *out) wait() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.err == nil && o.busy && o.late() {
		o.room.Wait()
	}
	return o.err
}

// settle blocks until everything is written or the connection has failed.
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

// join waits for the writer to stop, after fail and the close of the socket.
func (o *out) join() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.busy {
		o.room.Wait()
	}
}

// start makes the caller the writer if there is something to write and no other writer.
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

// take takes the next part to write.
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

// encode encodes the next piece of a long reply, outside all locks.
func (o *out) encode() {
	if !o.more {
		return
	}
	if o.buffer == nil {
		o.buffer = make([]byte, 0, min(piece, int(o.of.room.bytes)))
	}
	o.active, o.more = o.of.reply.Append(o.buffer[:0], piece)
}

// next takes the next bytes to write. It reports false when there are none. The caller is then no longer the writer.
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

// written completes the part that the writer took.
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

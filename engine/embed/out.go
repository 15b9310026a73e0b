package embed

import (
	"errors"
	"net"
	"sync"
)

// Bounds on what waits to be written to one client, in bytes.
const (
	// highWater is from where the client's own requests wait until it has read the answers to those before.
	highWater = 64 << 10
	// maxPending is how far a client may fall behind with its watch events, which nothing can hold up
	// without holding up others. Beyond it the connection is closed. Watch events have about 60 bytes.
	maxPending = 8 << 20
	// keepBuffer is the largest buffer that is kept for the next time.
	keepBuffer = 64 << 10
)

// errSlow says that a client did not read its watch events for too long.
var errSlow = errors.New("it does not read: more than 8 MiB of watch events wait for it")

// out is what is to be written to one client. Whoever has something for it appends; one at a time writes.
//
// A reply is written by the goroutine that handled the request, and a watch event by the one that handled
// the change: at the usual load nothing is handed from one goroutine to another. A write that would block is
// left to a goroutine of its own, which ends when all is written: meanwhile the client's pings are read.
type out struct {
	sock net.Conn
	try  *tryer // writes what can be written at once

	mu      sync.Mutex
	room    sync.Cond // a writer has stopped, or little is pending again
	pending []byte    // frames, complete
	events  int       // bytes of watch events in pending
	active  []byte    // what a writer is writing
	spare   []byte    // a buffer for next time
	busy    bool      // there is a writer
	end     bool      // close when all is written; nothing is appended any more
	err     error     // why nothing can be written any more
}

func newOut(sock net.Conn) *out {
	o := &out{sock: sock, try: newTryer(sock)}
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
	o.events += len(b) - len(o.pending)
	o.pending = b
	if o.events > maxPending {
		return errSlow
	}
	return nil
}

// waiting is how many bytes nobody has begun to write.
func (o *out) waiting() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.pending)
}

// finish has the connection closed once everything is written.
func (o *out) finish() {
	o.mu.Lock()
	o.end = true
	o.mu.Unlock()
}

// fail has nothing more written, and whoever waits for that go on.
func (o *out) fail(err error) {
	o.mu.Lock()
	if o.err == nil {
		o.err = err
	}
	o.pending, o.spare = nil, nil
	o.room.Broadcast()
	o.mu.Unlock()
}

// push writes what can be written without blocking. If it reports that something is left, its caller sees to it
// that rest is called: until then nobody else writes.
func (o *out) push() (left bool) {
	if !o.start() {
		return false
	}
	for o.try.able() {
		n, err := o.try.write(o.active)
		if err != nil {
			o.stop(err)
			return false
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
		if _, err := o.sock.Write(o.active); err != nil {
			o.stop(err)
			return
		}
		if !o.next() {
			return
		}
	}
}

// wait blocks while so much is pending that no more requests should be read.
func (o *out) wait() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.err == nil && o.busy && len(o.pending) > highWater {
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

// start makes the caller the writer, if there is something to write and no other writer.
func (o *out) start() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.busy || o.err != nil || len(o.pending) == 0 {
		return false
	}
	o.swap()
	o.busy = true
	return true
}

// swap takes what is pending to be written.
func (o *out) swap() {
	o.active, o.pending, o.spare = o.pending, o.spare[:0], nil
	o.events = 0
}

// next takes what has come meanwhile. It reports false when there is nothing: then the caller is the
// writer no longer.
func (o *out) next() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if cap(o.active) <= keepBuffer {
		o.spare = o.active[:0]
	}
	o.active = nil
	if len(o.pending) > 0 && o.err == nil {
		o.swap()
		o.room.Broadcast()
		return true
	}
	o.release()
	return false
}

func (o *out) stop(err error) {
	o.mu.Lock()
	if o.err == nil {
		o.err = err
	}
	o.active, o.pending, o.spare = nil, nil, nil
	o.release()
	o.mu.Unlock()
}

func (o *out) release() {
	o.busy = false
	o.room.Broadcast()
}

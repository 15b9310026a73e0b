package sim

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// step is what kind of thing happens next.
type step uint8

const (
	// At a client: these wait while its process is paused.
	stepStart     step = iota // the process starts
	stepReply                 // a reply arrives
	stepNotify                // a watch event arrives
	stepPong                  // the answer to a ping arrives
	stepWelcome               // the answer to a handshake arrives
	stepHungUp                // the server's end of the connection arrives
	stepTimer                 // a wait is over
	stepBeat                  // time to ping, or to give the connection up
	stepReconnect             // time to try again
	stepStored                // a store's answer arrives
	// At the server.
	stepRequest // a request arrives
	stepPing    // a ping arrives
	stepHello   // a handshake arrives
	stepGone    // the client's end of the connection arrives
	stepTick    // a deadline is there
	// To the world.
	stepFault
	stepResume // a pause ends
	stepHeal   // a cut ends
	stepHurry  // a delay ends
	stepUp     // the server starts again
	// To a store outside.
	stepStore // a write arrives
)

const lastAtClient = stepStored

// action is one thing that will happen.
type action struct {
	step   step
	typ    zoo.EventType // of a notification
	client *client
	conn   *conn
	req    *request
	write  *write
	path   string
	cause  event.Seq // the message's own event
	n      int64     // timer's generation, or fault's index
}

// agenda is all that will happen, earliest first and, at one time, first planned first.
type agenda struct {
	heap  []due
	slots []action
	free  []int32
	count uint64
}

type due struct {
	at    time.Duration
	order uint64
	slot  int32
}

func (d due) before(e due) bool { return d.at < e.at || d.at == e.at && d.order < e.order }

func (g *agenda) add(at time.Duration, a action) {
	var slot int32
	if n := len(g.free); n > 0 {
		slot, g.free = g.free[n-1], g.free[:n-1]
		g.slots[slot] = a
	} else {
		slot = int32(len(g.slots))
		g.slots = append(g.slots, a)
	}
	g.count++
	g.heap = append(g.heap, due{at, g.count, slot})
	g.up(len(g.heap) - 1)
}

func (g *agenda) next() (time.Duration, action, bool) {
	if len(g.heap) == 0 {
		return 0, action{}, false
	}
	top := g.heap[0]
	last := len(g.heap) - 1
	g.heap[0] = g.heap[last]
	g.heap = g.heap[:last]
	if last > 0 {
		g.down(0)
	}
	a := g.slots[top.slot]
	g.slots[top.slot] = action{}
	g.free = append(g.free, top.slot)
	return top.at, a, true
}

// Four children a node: fewer levels, and the children share a cache line or two.
const arity = 4

func (g *agenda) up(i int) {
	d := g.heap[i]
	for i > 0 {
		parent := (i - 1) / arity
		if !d.before(g.heap[parent]) {
			break
		}
		g.heap[i] = g.heap[parent]
		i = parent
	}
	g.heap[i] = d
}

func (g *agenda) down(i int) {
	d, n := g.heap[i], len(g.heap)
	for {
		first := i*arity + 1
		if first >= n {
			break
		}
		least := first
		for c := first + 1; c < min(first+arity, n); c++ {
			if g.heap[c].before(g.heap[least]) {
				least = c
			}
		}
		if !g.heap[least].before(d) {
			break
		}
		g.heap[i] = g.heap[least]
		i = least
	}
	g.heap[i] = d
}

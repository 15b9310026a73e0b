package room

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/engine/hub"
	"github.com/zkviz/zkviz/engine/protocol"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/sentence"
)

// room is one run or observation and what can be told of it. Any number of connections follow it; it
// outlives them for a while, so that a lost one can go on.
//
// What changes in a room is state with a version, not a queue of messages: a follower that was away gets
// what is true now, and costs no memory meanwhile.
type room struct {
	id     string
	header event.Header // of all branches, but for their faults
	query  string       // the scenario, as run.ParseQuery reads it; empty for an observation

	bell *hub.Bell
	// carryOut does a fault to a branch; nil where that cannot be done.
	carryOut func(ctx context.Context, branch int, f fault.Fault) error
	// contend makes it so many clients of ours that contend in the room; nil where that cannot be done.
	contend func(clients int) error
	// stop ends what runs, if anything does, and returns when it has cleaned up.
	stop func()
	done chan struct{} // closed when what runs has ended

	use      use      // of what is scarce, until it has ended
	observes bool     // what nobody of ours does
	cluster  *Cluster // that it observes; nil if none

	// Guarded by the rooms' mutex.
	owner     Asker         // who the room counts for: one of those who follow it, or who left last
	followers map[Asker]int // connections, without zeros
	used      int           // when it was used last, as rooms.uses counts
	since     time.Time     // when a follower left last
	held      []*keptLog
	growing   *keptLog // the log that is not computed ahead; nil if there is none

	// grow asks for memory for the log that is not computed ahead, clear gives it back; nil if there is none.
	grow  func(bytes int) error
	clear func()

	mu sync.Mutex
	// generation counts how often the room's history began anew: an observation's does when its log is full.
	generation   int
	version      int // of the last change
	gone         bool
	branches     []branch
	tree         *run.Tree // of a simulated run
	steps        []protocol.Step
	stepsAt      int // version of the last change of steps
	connection   protocol.Connection
	connectionAt int
	contenders   int
	contendAt    int // version of the last change of contenders
}

// use is what a room's run takes of what is scarce.
type use uint8

const (
	onlyMemory use = iota
	ofCluster      // sessions on it
	ofZoo          // an observation of what runs inside
)

// uses reports whether something of the room's still goes on there.
func (r *room) uses(u use) bool { return r.use == u && !r.over() }

// change lets f change the room's state, and tells the followers. f gets the new version.
func (r *room) change(f func(version int)) {
	r.changeUnless(func() bool { return false }, f)
}

// changeUnless is change, unless the state is the same as it would be then.
func (r *room) changeUnless(same func() bool, f func(version int)) {
	r.mu.Lock()
	if same() {
		r.mu.Unlock()
		return
	}
	r.version++
	f(r.version)
	r.mu.Unlock()
	r.bell.Ring()
}

// addBranch puts b at the end and gives it its number.
func (r *room) addBranch(b branch) (id int) {
	r.change(func(v int) {
		b.id, b.changed = len(r.branches), v
		r.branches = append(r.branches, b)
		id = b.id
	})
	return id
}

// touchLog tells the followers a log's branch again, since it ended.
func (r *room) touchLog(l eventLog) {
	r.change(func(v int) {
		for i := range r.branches {
			if r.branches[i].log == l {
				r.branches[i].changed = v
			}
		}
	})
}

func (r *room) setSteps(steps []protocol.Step) {
	r.change(func(v int) { r.steps, r.stepsAt = steps, v })
}

// setConnection says whether the cluster can be reached.
func (r *room) setConnection(ok bool, why sentence.Sentence) {
	r.changeUnless(func() bool {
		if r.connectionAt == 0 {
			return ok
		}
		return r.connection.OK == ok && r.connection.Why.String() == why.String()
	}, func(v int) { r.connection, r.connectionAt = protocol.Connection{OK: ok, Why: why}, v })
}

// fail says what the run has ended with.
func (r *room) fail(why sentence.Sentence) {
	r.change(func(v int) { r.connection, r.connectionAt = protocol.Connection{Why: why, Failed: true}, v })
}

// setContenders says how many clients of ours contend.
func (r *room) setContenders(n int) {
	r.change(func(v int) { r.contenders, r.contendAt = n, v })
}

// contending is how many clients of ours contend.
func (r *room) contending() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.contenders
}

// name is the run's, for the page. Another generation is another run to it.
func (r *room) name() string {
	if r.generation == 0 {
		return r.id
	}
	return r.id + "." + strconv.Itoa(r.generation)
}

// ofName takes the generation off a run's name.
func ofName(name string) (id string, generation int) {
	id, suffix, _ := strings.Cut(name, ".")
	generation, err := strconv.Atoi(suffix)
	if err != nil {
		generation = 0
	}
	return id, generation
}

func (r *room) whole() *protocol.Run {
	say := &protocol.Run{Run: r.name(), Header: r.header, Query: r.query, Steps: r.steps}
	for _, b := range r.branches {
		say.Branches = append(say.Branches, b.row())
	}
	return say
}

// nothing is what a new follower knows.
const nothing = -1

// vanish lets go of all that the room keeps, and tells its followers that it is gone.
func (r *room) vanish() {
	r.change(func(int) { r.gone, r.branches, r.tree, r.steps = true, nil, nil, nil })
}

// news is what a follower is told.
type news struct {
	says                []protocol.Message
	version, generation int  // of the state that it knows then
	branches            int  // how many there are then
	gone                bool // the room is no longer kept
}

// newsSince are the news for a follower that knows the state of version known of a generation.
func (r *room) newsSince(known, generation int) news {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := news{version: r.version, generation: r.generation, branches: len(r.branches), gone: r.gone}
	if r.gone || known == r.version && generation == r.generation {
		return n
	}
	afresh := generation != r.generation
	if afresh {
		n.says = append(n.says, r.whole())
	}
	if r.connectionAt > max(known, 0) { // 0: nothing was ever said of it
		connection := r.connection
		n.says = append(n.says, &connection)
	}
	if r.contendAt > max(known, 0) || afresh && r.contendAt > 0 {
		n.says = append(n.says, &protocol.Contenders{Clients: r.contenders, Most: protocol.MaxContenders})
	}
	for _, b := range r.branches {
		if b.changed > known && !afresh {
			n.says = append(n.says, r.sayBranch(b))
		}
	}
	if r.stepsAt > known && !afresh {
		n.says = append(n.says, &protocol.Steps{Steps: r.steps})
	}
	return n
}

// appendFrame writes the events of a branch from next on, as many as there are and one frame takes. It returns which
// event comes after them: next itself if there are none, or none of that generation. The caller holds on to no log
// while it sends the frame, so that the memory of a room that is dropped is free at once.
func (r *room) appendFrame(dst []byte, generation, id int, next event.Seq) ([]byte, event.Seq) {
	r.mu.Lock()
	if generation != r.generation || id >= len(r.branches) {
		r.mu.Unlock()
		return dst, next
	}
	log := r.branches[id].log
	r.mu.Unlock()
	return appendFrame(dst, id, log, next)
}

func (r *room) sayBranch(b branch) *protocol.Branch {
	say := &protocol.Branch{Row: b.row()}
	if b.id == 0 {
		say.Steps = r.steps
	}
	return say
}

// keep is for how long the room stays when nobody follows it.
func (r *room) keep() time.Duration {
	switch {
	case r.growing == nil || r.over():
		return KeepIdle
	case r.observes:
		return KeepSeenIdle
	}
	return KeepLiveIdle
}

// idle reports whether nobody follows the room.
func (r *room) idle() bool { return len(r.followers) == 0 }

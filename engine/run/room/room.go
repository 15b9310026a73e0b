package room

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// room is one run or observation and its state. Any number of connections follow it. It outlives them for a while,
// so that a lost one can resume.
//
// A room's changes are state with a version, not a queue of messages. A follower that was away gets the current
// state, and costs no memory meanwhile.
type room struct {
	id     string
	header event.Header // for all branches, apart from their faults
	query  string       // the scenario, in the form of run.ParseQuery; empty for an observation

	bell *hub.Bell
	// carryOut injects a fault into a branch; nil if the room allows none.
	carryOut func(ctx context.Context, branch int, f fault.Fault) error
	// contend sets the number of contenders in the room; nil if it allows none.
	contend func(clients int) error
	// stop ends what runs in the room, if anything, and returns when it has cleaned up.
	stop func()
	done chan struct{} // closed when it has ended

	use      use      // the scarce resource that it uses until it has ended
	observes bool     // it observes clients that are not ours
	cluster  *Cluster // the observed cluster, or nil
	class    string   // whose clients are seen inside another program; empty for none

	// Guarded by the rooms' mutex.
	owner     ClientKey         // the client that the room counts for: one of its followers, or the last one
	followers map[ClientKey]int // connections by client, without zeros
	used      int               // the value of rooms.uses at its last use
	since     time.Time         // when a follower last left
	held      []*keptLog
	growing   *keptLog // a log that grows; nil for computed ones

	// grow requests memory for the growing log, and clear returns it; nil without one.
	grow  func(bytes int) error
	clear func()

	mu sync.Mutex
	// generation counts restarts of the room's history: an observation's restarts when its log is full.
	generation   int
	version      int // of the last change
	gone         bool
	branches     []branch
	tree         *run.Tree // for a simulated run
	steps        []protocol.Step
	stepsAt      int // version of the last change of steps
	connection   protocol.Connection
	connectionAt int
	contenders   int
	contendAt    int // version of the last change of contenders
}

// use names the scarce resource that a room's run uses.
type use uint8

const (
	onlyMemory use = iota
	ofCluster      // sessions on the cluster
	ofZoo          // an observation of what runs inside
)

// uses reports whether the room still uses that resource.
func (r *room) uses(u use) bool { return r.use == u && !r.over() }

// change lets f change the room's state, and notifies the followers. f gets the new version.
func (r *room) change(f func(version int)) {
	r.changeUnless(func() bool { return false }, f)
}

// changeUnless does what change does, unless same says that nothing would change.
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

// addBranch appends b and gives it its number.
func (r *room) addBranch(b branch) (id int) {
	r.change(func(v int) {
		b.id, b.changed = len(r.branches), v
		r.branches = append(r.branches, b)
		id = b.id
	})
	return id
}

// touchLog makes the followers receive a log's branch again, because the log has ended.
func (r *room) touchLog(l *hub.Log) {
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

// setConnection sets whether the cluster is in reach.
func (r *room) setConnection(ok bool, why sentence.Sentence) {
	r.changeUnless(func() bool {
		if r.connectionAt == 0 {
			return ok
		}
		return r.connection.OK == ok && r.connection.Why.String() == why.String()
	}, func(v int) { r.connection, r.connectionAt = protocol.Connection{OK: ok, Why: why}, v })
}

// fail sets the error with which the run has ended.
func (r *room) fail(why sentence.Sentence) {
	r.change(func(v int) { r.connection, r.connectionAt = protocol.Connection{Why: why, Failed: true}, v })
}

// setContenders sets the number of contenders.
func (r *room) setContenders(n int) {
	r.change(func(v int) { r.contenders, r.contendAt = n, v })
}

// contending returns the number of contenders.
func (r *room) contending() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.contenders
}

// name returns the run's name for the page. For a page, another generation is another run.
func (r *room) name() string {
	if r.generation == 0 {
		return r.id
	}
	return r.id + "." + strconv.Itoa(r.generation)
}

// ofName splits a run's name into room and generation.
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

// nothing is the version that a new follower knows.
const nothing = -1

// vanish releases everything that the room keeps, and tells its followers that it is gone.
func (r *room) vanish() {
	r.change(func(int) { r.gone, r.branches, r.tree, r.steps = true, nil, nil, nil })
}

// news is what a follower receives.
type news struct {
	says                []protocol.Message
	version, generation int  // of the state that it knows afterwards
	branches            int  // the number of branches then
	gone                bool // the room no longer exists
}

// newsSince returns the news for a follower that knows version known of a generation.
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
	if r.connectionAt > max(known, 0) { // 0: it was never set
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

// appendFrame writes the events of a branch from next on, as many as exist and fit into a frame. It returns the
// event after them, or next itself if there are none or the generation has changed. The caller holds on to no log
// while it sends the frame, so that the memory of a dropped room is free at once.
func (r *room) appendFrame(dst []byte, generation, id int, next event.Seq) ([]byte, event.Seq) {
	r.mu.Lock()
	if generation != r.generation || id >= len(r.branches) {
		r.mu.Unlock()
		return dst, next
	}
	log := r.branches[id].log
	r.mu.Unlock()
	return log.AppendBlock(protocol.AppendFrame(dst, id), next)
}

func (r *room) sayBranch(b branch) *protocol.Branch {
	say := &protocol.Branch{Row: b.row()}
	if b.id == 0 {
		say.Steps = r.steps
	}
	return say
}

// keep returns how long the room stays without followers.
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

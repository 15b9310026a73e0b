package web

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/engine/hub"
)

// room is one run or observation and what can be told of it. Any number of connections follow it; it
// outlives them for a while, so that a lost one can go on.
//
// What changes in a room is state with a version, not a queue of messages: a follower that was away gets
// what is true now, and costs no memory meanwhile.
type room struct {
	id      string
	host    string // hostSim, hostLive, hostObserved or hostZoo
	recipe  string
	root    string
	clients int
	query   string // the scenario, as run.ParseQuery reads it; empty for an observation

	bell *hub.Bell
	// carryOut does a fault to a branch; nil where that cannot be done.
	carryOut func(ctx context.Context, branch int, f fault.Fault) error
	// contend makes it so many clients of ours that contend in the room; nil where that cannot be done.
	contend func(clients int) error
	// stop ends what runs, if anything does, and returns when it has cleaned up.
	stop func()
	done chan struct{} // closed when what runs has ended

	mu sync.Mutex
	// generation counts how often the room's history began anew: an observation's does when its log is full.
	generation int
	version    int // of the last change
	branches   []branch
	steps      []stepRow
	stepsAt    int // version of the last change of steps
	link       sayLink
	linkAt     int
	contenders int
	contendAt  int // version of the last change of contenders
	followers  int
	idle       time.Time // since when nobody follows
}

// change lets f change the room's state, and tells the followers. f gets the new version.
func (r *room) change(f func(version int)) {
	r.mu.Lock()
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

func (r *room) setSteps(steps []stepRow) {
	r.change(func(v int) { r.steps, r.stepsAt = steps, v })
}

// setLink says whether the cluster can be reached.
func (r *room) setLink(ok bool, text string) {
	r.mu.Lock()
	same := r.linkAt > 0 && r.link.OK == ok && r.link.Text == text || r.linkAt == 0 && ok
	r.mu.Unlock()
	if !same {
		r.change(func(v int) { r.link, r.linkAt = sayLink{Say: "link", OK: ok, Text: text}, v })
	}
}

// fail says what the run has ended with.
func (r *room) fail(text string) {
	r.change(func(v int) { r.link, r.linkAt = sayLink{Say: "link", Text: text, Failed: true}, v })
}

// setContenders says how many clients of ours contend.
func (r *room) setContenders(n int) {
	r.change(func(v int) { r.contenders, r.contendAt = n, v })
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

func (r *room) whole() sayRun {
	say := sayRun{
		Say: "run", Run: r.name(), Host: r.host, Recipe: r.recipe, Root: r.root, Clients: r.clients, Query: r.query,
		Branches: make([]branchRow, 0, len(r.branches)), Steps: r.someSteps(),
	}
	for _, b := range r.branches {
		say.Branches = append(say.Branches, b.row())
	}
	return say
}

func (r *room) someSteps() []stepRow {
	if r.steps == nil {
		return []stepRow{} // an empty list, not null
	}
	return r.steps
}

// nothing is what a new follower knows.
const nothing = -1

// news are the messages for a follower that knows the state of version known of a generation, what it knows
// after them, and the logs of all branches then, by number.
func (r *room) news(known, generation int) (says []any, nowKnown, nowGeneration int, logs []eventLog) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range r.branches {
		logs = append(logs, b.log)
	}
	if known == r.version && generation == r.generation {
		return nil, known, generation, logs
	}
	afresh := generation != r.generation
	if afresh {
		says = append(says, r.whole())
	}
	if r.linkAt > max(known, 0) { // 0: nothing was ever said of it
		says = append(says, r.link)
	}
	if r.contendAt > max(known, 0) || afresh && r.contendAt > 0 {
		says = append(says, sayContenders{Say: "contenders", Clients: r.contenders, Most: MaxContenders})
	}
	for _, b := range r.branches {
		if b.changed > known && !afresh {
			says = append(says, r.sayBranch(b))
		}
	}
	if r.stepsAt > known && !afresh {
		says = append(says, saySteps{Say: "steps", Steps: r.someSteps()})
	}
	return says, r.version, r.generation, logs
}

func (r *room) sayBranch(b branch) sayBranch {
	say := sayBranch{Say: "branch", branchRow: b.row(), Steps: []stepRow{}}
	if b.id == 0 {
		say.Steps = r.someSteps()
	}
	return say
}

// kept is how many events the room keeps in memory.
func (r *room) kept() (events int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range r.branches {
		st := b.log.Status()
		events += int(st.Next - st.First)
	}
	return events
}

// follow counts a new follower in.
func (r *room) follow() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.followers++
}

// leave counts a follower out.
func (r *room) leave(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.followers--
	r.idle = now
}

// keep is for how long the room stays when nobody follows it.
func (r *room) keep() time.Duration {
	if r.host != hostSim && !r.over() {
		return KeepLiveIdle
	}
	return KeepIdle
}

// idleFor is how long nobody has followed the room; false if somebody does.
func (r *room) idleFor(now time.Time) (time.Duration, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.followers > 0 {
		return 0, false
	}
	return now.Sub(r.idle), true
}

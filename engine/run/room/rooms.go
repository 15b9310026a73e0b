package room

import (
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run"
)

// rooms holds all runs that the server keeps. Rooms without followers make way for new ones; see evict.
type rooms struct {
	maxRooms, maxRoomsEach int
	maxKept, maxKeptEach   int // bytes

	mu         sync.Mutex
	byID       map[string]*room
	count      int // rooms opened so far
	uses       int // counts the uses of rooms
	accounting accounting
	closed     bool

	totals   totals
	stopping sync.WaitGroup
}

func newRooms() *rooms {
	return &rooms{
		maxRooms: MaxRooms, maxRoomsEach: MaxRoomsPerClient, maxKept: MaxKept, maxKeptEach: MaxKeptPerClient,
		byID: map[string]*room{}, accounting: newAccounting(),
	}
}

var (
	// ErrClosing refuses requests while the server stops.
	ErrClosing = sentence.Error("refused.stopping")
	errGone    = sentence.Error("refused.gave-way")
)

// newGrowing returns a new room with a growing log.
func (rs *rooms) newGrowing(h event.Header, who ClientKey, of use) *room {
	r := rs.newRoom(h, who)
	r.use, r.growing = of, &keptLog{}
	r.grow = func(bytes int) error { return rs.grow(r, bytes) }
	r.clear = func() { rs.clear(r) }
	return r
}

// newRoom returns a room that is not open yet and counts for who. Its name can't be guessed.
func (rs *rooms) newRoom(h event.Header, who ClientKey) *room {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.count++
	name := fmt.Sprintf("r%d-%s", rs.count, strings.ToLower(rand.Text()[:8]))
	return &room{id: name, header: h, bell: new(hub.Bell), owner: who, followers: map[ClientKey]int{}}
}

// open adds r with logs that its caller has pinned. Its owner follows it at once. open returns a busy error if too
// many rooms or logs are in use.
func (rs *rooms) open(r *room, logs ...*keptLog) error {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.closed {
		return ErrClosing
	}
	runs := rs.bounded("runs", sentence.Arg{}, rs.maxRooms, rs.maxRoomsEach, func(*room) bool { return true })
	if err := rs.evict(r.owner, 1, runs); err != nil {
		return err
	}
	for _, k := range logs {
		if err := rs.evictOwn(r.owner, k.needs(r.owner), rs.memory()); err != nil {
			return err
		}
	}
	if r.growing != nil {
		rs.accounting.add(r.growing, 0)
		logs = append(logs, r.growing)
	}
	for _, k := range logs {
		rs.accounting.hold(k, r.owner)
	}
	r.held = logs
	rs.byID[r.id] = r
	rs.follow(r, r.owner)
	return nil
}

// keep keeps a log that was computed for who, with that many pins. Callers hold rs.mu.
func (rs *rooms) keep(k *keptLog, who ClientKey, pins int) error {
	if err := rs.evictAny(who, k.size, rs.memory()); err != nil {
		return err
	}
	rs.accounting.add(k, pins)
	return nil
}

// fork adds a branch to r. Its caller has pinned the log.
func (rs *rooms) fork(r *room, tree *run.Tree, parent int, k *keptLog) error {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.byID[r.id] != r {
		return errGone
	}
	rs.use(r)
	if err := rs.evictOwn(r.owner, k.needs(r.owner), rs.memory()); err != nil {
		return err
	}
	if rs.byID[r.id] != r { // the client of the branch has left meanwhile
		return errGone
	}
	b := k.branch
	b.Parent = parent
	var err error
	if b.Branch, err = tree.Add(b.Branch); err != nil {
		return err
	}
	rs.accounting.hold(k, r.owner)
	r.held = append(r.held, k)
	r.addBranch(simBranch(b, k.key))
	return nil
}

// grow lets r's growing log take more bytes. It returns hub.ErrFull if the log is large enough to start again, and
// a busy error if no memory is left.
func (rs *rooms) grow(r *room, bytes int) error {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	switch {
	case rs.byID[r.id] != r:
		return errGone
	case r.growing.size+bytes > MaxLiveBytes:
		return hub.ErrFull
	}
	if err := rs.evict(r.owner, bytes, rs.memory()); err != nil {
		return err
	}
	if rs.byID[r.id] != r { // r was the room without followers
		return errGone
	}
	rs.accounting.resize(r.growing, r.growing.size+bytes)
	return nil
}

// clear restarts the accounting of r's growing log.
func (rs *rooms) clear(r *room) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.byID[r.id] == r {
		rs.accounting.resize(r.growing, 0)
	}
}

// unpin removes a request's pin from a log.
func (rs *rooms) unpin(k *keptLog) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.accounting.unpin(k)
}

// drop removes a room and notifies its followers. What runs in it cleans up in the background; close waits for that.
func (rs *rooms) drop(r *room) {
	delete(rs.byID, r.id)
	for _, k := range r.held {
		rs.accounting.release(k, r.owner)
	}
	r.held = nil
	r.vanish()
	if r.stop != nil {
		rs.stopping.Go(r.stop)
	}
}

// dropIdle drops the rooms without followers that satisfy wanted.
func (rs *rooms) dropIdle(wanted func(*room) bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, r := range rs.byID {
		if r.idle() && wanted(r) {
			rs.drop(r)
		}
	}
}

// follow adds who to the followers of r.
func (rs *rooms) follow(r *room, who ClientKey) {
	r.followers[who]++
	rs.use(r)
	rs.settle(r)
}

// leave removes who from the followers of r.
func (rs *rooms) leave(r *room, who ClientKey, now time.Time) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if r.followers[who]--; r.followers[who] == 0 {
		delete(r.followers, who)
	}
	r.since = now
	rs.use(r)
	rs.settle(r)
}

func (rs *rooms) use(r *room) {
	rs.uses++
	r.used = rs.uses
}

// settle makes a room that has followers count for one of them.
func (rs *rooms) settle(r *room) {
	if r.idle() || r.followers[r.owner] > 0 {
		return
	}
	old := r.owner
	r.owner = ""
	for who := range r.followers {
		if r.owner == "" || who < r.owner {
			r.owner = who
		}
	}
	for _, k := range r.held {
		rs.accounting.hold(k, r.owner)
		rs.accounting.release(k, old)
	}
}

// NotKept reports that a run no longer exists.
func NotKept(name string) error { return sentence.Error("refused.not-kept", sentence.Quote(name)) }

// enter finds a run's room and follows it.
func (rs *rooms) enter(name string, who ClientKey) (*room, error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	id, _ := ofName(name)
	r, ok := rs.byID[id]
	if !ok {
		return nil, NotKept(name)
	}
	rs.follow(r, who)
	return r, nil
}

// find finds a run's room without following it.
func (rs *rooms) find(name string) (*room, bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	id, _ := ofName(name)
	r, ok := rs.byID[id]
	return r, ok
}

// admit makes place for one more of the rooms that b bounds. Callers prevent others from opening one meanwhile.
func (rs *rooms) admit(who ClientKey, b bound) error {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	return rs.evict(who, 1, b)
}

// mayContend returns a busy error if r may not have n contenders.
func (rs *rooms) mayContend(r *room, n int) error {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	all, mine := n, n
	for _, other := range rs.byID {
		if other == r {
			continue
		}
		has := other.contending()
		all += has
		if other.owner == r.owner {
			mine += has
		}
	}
	switch {
	case mine > MaxContendersPerClient:
		return busy("busy.contenders.own", sentence.Number(mine), sentence.Number(MaxContendersPerClient))
	case all > MaxContendersInAll:
		return busy("busy.contenders", sentence.Number(all), sentence.Number(MaxContendersInAll))
	}
	return nil
}

// enterWhere follows a room that satisfies wanted, if there is one.
func (rs *rooms) enterWhere(who ClientKey, wanted func(*room) bool) (*room, bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, r := range rs.byID {
		if wanted(r) {
			rs.follow(r, who)
			return r, true
		}
	}
	return nil, false
}

// ownerOf returns the client that r counts for.
func (rs *rooms) ownerOf(r *room) ClientKey {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.use(r)
	return r.owner
}

// sweep drops the rooms that have had no followers for too long.
func (rs *rooms) sweep(now time.Time) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, r := range rs.byID {
		if r.idle() && now.Sub(r.since) >= r.keep() {
			rs.drop(r)
		}
	}
}

// close drops every room and waits until everything has cleaned up.
func (rs *rooms) close() {
	rs.mu.Lock()
	rs.closed = true
	for _, r := range rs.byID {
		rs.drop(r)
	}
	rs.mu.Unlock()
	rs.stopping.Wait()
}

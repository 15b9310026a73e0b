package web

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/hub"
)

// rooms are all runs that the server keeps. Those that nobody follows make way for new ones.
type rooms struct {
	maxRooms, maxKept int

	mu     sync.Mutex
	byID   map[string]*room
	count  int // of rooms ever opened
	closed bool

	stopping sync.WaitGroup
}

func newRooms() *rooms {
	return &rooms{maxRooms: MaxRooms, maxKept: MaxKept, byID: map[string]*room{}}
}

var errClosing = errors.New("the server is stopping")

// newRoom is a room that is not open yet. Its name cannot be guessed by who was not told.
func (rs *rooms) newRoom(host string) *room {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.count++
	name := fmt.Sprintf("r%d-%s", rs.count, strings.ToLower(rand.Text()[:8]))
	return &room{id: name, host: host, bell: new(hub.Bell), idle: time.Now()}
}

// open adds r, which its caller follows at once. It fails if there are too many rooms in use.
func (rs *rooms) open(r *room) error {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if err := rs.makePlace(r); err != nil {
		return err
	}
	r.follow()
	rs.byID[r.id] = r
	return nil
}

// makePlace takes out the rooms that were idle for longest until there is place for r.
func (rs *rooms) makePlace(r *room) error {
	if rs.closed {
		return errClosing
	}
	kept := r.kept()
	for _, other := range rs.byID {
		kept += other.kept()
	}
	for len(rs.byID) >= rs.maxRooms || kept > rs.maxKept {
		oldest := rs.oldestIdle()
		if oldest == nil {
			return errors.New("the server keeps as many runs as it may, and all are being watched; close a page and try again")
		}
		kept -= oldest.kept()
		rs.drop(oldest)
	}
	return nil
}

// drop forgets a room. What runs in it cleans up on its own; close waits for that.
func (rs *rooms) drop(r *room) {
	delete(rs.byID, r.id)
	if r.stop != nil {
		rs.stopping.Go(r.stop)
	}
}

func (rs *rooms) oldestIdle() (oldest *room) {
	var longest time.Duration = -1
	now := time.Now()
	for _, r := range rs.byID {
		if d, idle := r.idleFor(now); idle && d > longest {
			oldest, longest = r, d
		}
	}
	return oldest
}

// enter finds a run's room and follows it.
func (rs *rooms) enter(name string) (*room, error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	id, _ := ofName(name)
	r, ok := rs.byID[id]
	if !ok {
		return nil, fmt.Errorf("the run %q is no longer kept; open it anew", clip(name))
	}
	r.follow()
	return r, nil
}

// find is enter without following.
func (rs *rooms) find(name string) (*room, bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	id, _ := ofName(name)
	r, ok := rs.byID[id]
	return r, ok
}

// enterWhere follows the first room that is as wanted, if there is one.
func (rs *rooms) enterWhere(wanted func(*room) bool) (*room, bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, r := range rs.byID {
		if wanted(r) {
			r.follow()
			return r, true
		}
	}
	return nil, false
}

// countWhere is how many rooms are as wanted.
func (rs *rooms) countWhere(wanted func(*room) bool) (n int) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, r := range rs.byID {
		if wanted(r) {
			n++
		}
	}
	return n
}

// sweep drops the rooms that nobody has followed for as long as they are kept.
func (rs *rooms) sweep(now time.Time) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, r := range rs.byID {
		if d, idle := r.idleFor(now); idle && d >= r.keep() {
			rs.drop(r)
		}
	}
}

// dropIdle drops the rooms that are as wanted and that nobody follows.
func (rs *rooms) dropIdle(wanted func(*room) bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, r := range rs.byID {
		if _, idle := r.idleFor(time.Now()); idle && wanted(r) {
			rs.drop(r)
		}
	}
}

// close drops every room and waits until what ran in them has cleaned up.
func (rs *rooms) close() {
	rs.mu.Lock()
	rs.closed = true
	for _, r := range rs.byID {
		rs.drop(r)
	}
	rs.mu.Unlock()
	rs.stopping.Wait()
}

package embed

import (
	"container/list"
	"errors"
)

// errCrowdedOut reports that a connection gave way to a newer one.
var errCrowdedOut = errors.New("there are too many connections, and of those without a session it was the oldest")

// admission decides which connections get in, by their number in all and from each address. The server's lock guards
// it. It doesn't count connections from within the process.
type admission struct {
	most, mostPerHost int // 0 for no limit
	perHost           map[string]int
	count             int
	sessionless       list.List // connections without a session, in the order of their arrival
}

// enterHost counts one more connection of that host. It reports false if there is no room.
func (a *admission) enterHost(host string) bool {
	if a.mostPerHost > 0 && a.perHost[host] >= a.mostPerHost {
		return false
	}
	a.perHost[host]++
	return true
}

func (a *admission) leaveHost(host string) {
	if a.perHost[host]--; a.perHost[host] <= 0 {
		delete(a.perHost, host)
	}
}

// enter counts a connection towards the limit for all addresses. When there are too many, the oldest without a
// session gives way, so that idle connections keep nobody out. The caller must cut that one without the lock. enter
// reports false if there is none.
func (a *admission) enter(c *conn) (oldest *conn, entered bool) {
	if a.most > 0 && a.count >= a.most {
		first := a.sessionless.Front()
		if first == nil {
			return nil, false
		}
		oldest = first.Value.(*conn)
		a.leave(oldest)
	}
	a.count++
	c.counted = true
	c.sessionless = a.sessionless.PushBack(c)
	return oldest, true
}

// opened records that a connection has a session.
func (a *admission) opened(c *conn) {
	if c.sessionless != nil {
		a.sessionless.Remove(c.sessionless)
		c.sessionless = nil
	}
}

// leave stops counting a connection.
func (a *admission) leave(c *conn) {
	a.opened(c)
	if c.counted {
		c.counted = false
		a.count--
	}
}

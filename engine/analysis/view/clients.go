package view

import "github.com/zkviz/zkviz/engine/event"

// Clients lists the clients: client 1 first.
type Clients []Client

// Get returns the client a, or nil if the log hasn't mentioned it.
func (l Clients) Get(a event.Actor) *Client {
	if a < 1 || int(a) > len(l) {
		return nil
	}
	return &l[a-1]
}

// ensure returns the client a, made if it is new; nil for ZooKeeper and for actors that no host writes.
func (l *Clients) ensure(a event.Actor) *Client {
	if a < 1 || a > event.MaxActor {
		return nil
	}
	for int(a) > len(*l) {
		next := event.Actor(len(*l) + 1)
		*l = append(*l, Client{Name: next.String()})
	}
	return &(*l)[a-1]
}

// requestOf returns the request that the client waits for, or 0.
func (l Clients) requestOf(a event.Actor) event.Seq {
	if c := l.Get(a); c != nil {
		return c.request
	}
	return 0
}

// Woken returns the number of all wakeups: by release, by arrival, and by a change of data.
func (l Clients) Woken() (n int) {
	for i := range l {
		n += l[i].Woken
	}
	return n
}

// printing reports whether the page's client still believes that it is inside, as it did then.
func (l Clients) printing(w *Write) bool {
	c := l.Get(w.Client)
	return c != nil && c.Belief.Phase.Inside() && c.Belief.Term == w.Term && !c.Crashed && !c.Exited
}

// doubts reports whether a znode's session may have expired before its client could get in by it.
func (l Clients) doubts(n *Node) bool {
	c := l.Get(n.Creator)
	return c != nil && c.Overdue && c.Session == n.Owner && !n.Held
}

package access

import (
	"fmt"
	"strings"
	"sync"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// chroot is the znode that a client sees as the root; empty for the root itself.
type chroot string

// Outer converts a path below the chroot to the servers' path. It returns an error for an invalid one.
func (d Dialer) Outer(path string) (string, error) {
	if d.Chroot == "" {
		return path, nil
	}
	return chroot(d.Chroot).outer(path)
}

// Inner converts a servers' path to one below the chroot. It returns an error if the path isn't below it.
func (d Dialer) Inner(path string) (string, error) {
	if d.Chroot == "" {
		return path, nil
	}
	return chroot(d.Chroot).inner(path)
}

// outer converts a client's path to the server's.
func (c chroot) outer(path string) (string, error) {
	switch {
	case path == "/":
		return string(c), nil
	case !strings.HasPrefix(path, "/"):
		return "", fmt.Errorf("the path %q does not begin with a slash: it has no place below %s", path, c)
	}
	return string(c) + path, nil
}

// inner converts a server's path to the client's.
func (c chroot) inner(path string) (string, error) {
	if path == string(c) {
		return "/", nil
	}
	rest, ok := strings.CutPrefix(path, string(c))
	if !ok || rest[0] != '/' {
		return "", fmt.Errorf("the server reports %q, which is not below %s", path, c)
	}
	return rest, nil
}

// request converts a client's request for the server.
func (c chroot) request(frame []byte, asked *asked) (wire.Record, error) {
	r := new(wire.Request)
	if err := wire.DecodeSent(frame, r); err != nil {
		return nil, fmt.Errorf("request %v below %s: %w", r.Op, c, err)
	}
	if err := asked.push(r.Xid, r.Op); err != nil {
		return nil, err
	}
	if pathless(r.Op) {
		return raw(frame), nil
	}
	return r, c.move(r)
}

// pathless reports whether requests of an operation have no path.
func pathless(op wire.Op) bool {
	switch op {
	case wire.OpCloseSession, wire.OpPing, wire.OpAuth, wire.OpSASL, wire.OpWhoAmI, wire.OpReconfig:
		return true
	}
	return false
}

// move converts every path of a request.
func (c chroot) move(r *wire.Request) (err error) {
	switch r.Op {
	case wire.OpMulti, wire.OpMultiRead:
		for i := range r.Ops {
			if err := c.move(&r.Ops[i]); err != nil {
				return err
			}
		}
		return nil
	case wire.OpSetWatches, wire.OpSetWatches2:
		for _, list := range [][]string{r.DataWatches, r.ExistWatches, r.ChildWatches, r.PersistentWatches,
			r.RecursiveWatches} {
			if err := each(list, c.outer); err != nil {
				return err
			}
		}
		return nil
	}
	r.Path, err = c.outer(r.Path)
	return err
}

// reply converts a server's message for the client.
func (c chroot) reply(frame []byte, asked *asked) (wire.Record, error) {
	if wire.IsNotification(frame) {
		n := new(wire.Notification)
		err := wire.DecodeNotification(frame, n)
		if err == nil {
			n.Path, err = c.inner(n.Path)
		}
		return n, err
	}
	if len(frame) < replyHead {
		return nil, wire.ErrFrame
	}
	op, ok := asked.pop(frame)
	if !ok || !hasPath(op) || codeOf(frame) != zoo.OK {
		return raw(frame), nil
	}
	r := new(wire.Response)
	if err := wire.DecodeResponse(frame, op, r); err != nil {
		return nil, err
	}
	return r, c.back(r)
}

// hasPath reports whether the reply to an operation contains a path.
func hasPath(op wire.Op) bool {
	switch op {
	case wire.OpCreate, wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL, wire.OpSync, wire.OpGetEphemerals,
		wire.OpMulti:
		return true
	}
	return false
}

// back converts every path of a reply.
func (c chroot) back(r *wire.Response) (err error) {
	if r.Path != "" {
		if r.Path, err = c.inner(r.Path); err != nil {
			return err
		}
	}
	for i := range r.Results {
		if p := &r.Results[i].Path; *p != "" {
			if *p, err = c.inner(*p); err != nil {
				return err
			}
		}
	}
	if r.Op != wire.OpGetEphemerals {
		return nil
	}
	below := r.Children[:0] // the server compares prefixes of names: /app2 begins with /app
	for _, p := range r.Children {
		if p, err := c.inner(p); err == nil {
			below = append(below, p)
		}
	}
	r.Children = below
	return nil
}

// each converts every path of a list.
func each(list []string, by func(string) (string, error)) (err error) {
	for i := range list {
		if list[i], err = by(list[i]); err != nil {
			return err
		}
	}
	return nil
}

// asked is the queue of a client's unanswered requests, in order.
type asked struct {
	mu  sync.Mutex
	all []question
}

type question struct {
	xid int32
	op  wire.Op
}

// maxAsked is how many requests may lack an answer.
const maxAsked = 100_000

func (a *asked) push(xid int32, op wire.Op) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.all) == maxAsked {
		return fmt.Errorf("too many unanswered requests: %d", maxAsked)
	}
	a.all = append(a.all, question{xid, op})
	return nil
}

// pop removes the first request with the reply's xid and returns its operation.
func (a *asked) pop(frame []byte) (wire.Op, bool) {
	var head wire.Response
	_ = wire.DecodeResponse(frame[:replyHead], wire.OpPing, &head) // it is long enough
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, q := range a.all {
		if q.xid == head.Xid {
			a.all = append(a.all[:i], a.all[i+1:]...)
			return q.op, true
		}
	}
	return 0, false
}

package benchzk

import (
	"fmt"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// requests repeats one operation, with up to depth requests outstanding.
type requests struct {
	p       *peer.Peer
	op      string
	path    string
	depth   int
	created int
	sent    []time.Time // of the outstanding requests, from index at on
	at      int
	req     wire.Request
	msg     peer.Message
}

func (r *requests) run(until time.Time, took []time.Duration) ([]time.Duration, error) {
	r.prepare()
	begun := false
	return r.work(func(now time.Time) bool {
		more := now.Before(until) || !begun
		begun = true
		return more
	}, took)
}

// prepare fills in the constant parts of the request.
func (r *requests) prepare() {
	r.req = wire.Request{Path: r.path, Version: -1}
	switch r.op {
	case "create":
		r.req.Op, r.req.ACL, r.req.Data = wire.OpCreate, zoo.OpenACL(), make([]byte, dataBytes)
	case "set":
		r.req.Op, r.req.Data = wire.OpSetData, make([]byte, dataBytes)
	case "get":
		r.req.Op = wire.OpGetData
	}
}

// work sends requests while more returns true, and receives until none is outstanding.
func (r *requests) work(more func(now time.Time) bool, took []time.Duration) ([]time.Duration, error) {
	r.sent, r.at = r.sent[:0], 0
	now := time.Now()
	for {
		for r.outstanding() < r.depth && more(now) {
			r.next()
			r.sent = append(r.sent, now)
		}
		if err := r.p.Flush(); err != nil {
			return took, err
		}
		if r.outstanding() == 0 {
			return took, nil
		}
		for first := true; first || r.p.Ready(); first = false {
			if err := r.receive(); err != nil {
				return took, err
			}
			now = time.Now()
			took = append(took, now.Sub(r.sent[r.at]))
			r.at++
		}
		if r.outstanding() == 0 {
			r.sent, r.at = r.sent[:0], 0
		}
	}
}

func (r *requests) outstanding() int { return len(r.sent) - r.at }

// next queues the next request.
func (r *requests) next() {
	r.req.Xid++
	switch r.req.Op {
	case wire.OpCreate:
		r.req.Path = r.child(r.created)
		r.created++
	case wire.OpDelete:
		r.created--
		r.req.Path = r.child(r.created)
	}
	r.p.Queue(&r.req)
}

func (r *requests) child(i int) string { return r.path + "/" + strconv.Itoa(1_000_000_000+i) }

func (r *requests) receive() error {
	if err := r.p.RecvInto(&r.msg); err != nil {
		return fmt.Errorf("%s %s: %w", r.op, r.path, err)
	}
	if m := &r.msg; m.IsNotification || m.Response.Code != zoo.OK {
		return &zoo.Error{Op: r.op, Path: r.path, Code: m.Response.Code}
	}
	return nil
}

// end deletes the created znodes.
func (r *requests) end() error {
	r.req, r.depth = wire.Request{Op: wire.OpDelete, Version: -1}, 100
	if _, err := r.work(func(time.Time) bool { return r.created > 0 }, nil); err != nil {
		return err
	}
	return r.p.Close()
}

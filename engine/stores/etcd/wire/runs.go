package wire

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/etcd"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/remote/real"
)

// mark ends the marker key of a run's root, which is under a lease as long as the run lives. All keys of a run begin
// with its root, so those below a root without a marker are of a dead run and can be deleted. No one else's keys have
// such names.
const mark = "/.run"

// id matches the end of a root.
var id = regexp.MustCompile("^" + real.IDPattern + "$")

// admin opens a connection that is not part of a run.
func (a Address) admin(ctx context.Context, do func(*Conn) error) error {
	k, err := a.Dial(ctx, real.Network)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, k.cancel)
	defer stop()
	defer func() { _ = k.Close() }()
	return do(k)
}

// order makes a call that must succeed.
func (k *Conn) order(c etcd.Call) (*etcd.Answer, error) {
	var m answerMessage
	path, body := message(&c)
	if err := k.post(path, body, &m); err != nil {
		return nil, err
	}
	return m.answer(&c), nil
}

func (a Address) begin(ctx context.Context, root string) error {
	return a.admin(ctx, func(k *Conn) error {
		lease, err := k.order(etcd.Call{Kind: etcd.Grant, TTL: int64(real.MarkLasts.Seconds())})
		if err != nil {
			return k.refusal(err)
		}
		put := etcd.Op{Kind: etcd.Put, Key: root + mark, Value: "alive", Lease: lease.Lease}
		if _, err := k.order(etcd.Call{Then: []etcd.Op{put}}); err != nil {
			return k.refusal(err)
		}
		return k.sweep(real.Base(root))
	})
}

// sweep removes the keys of dead runs whose roots have a prefix.
func (k *Conn) sweep(base string) error {
	const many = 10_000
	var m answerMessage
	all := keyMessage{Key: []byte(base), RangeEnd: []byte(etcd.End(base)), KeysOnly: true, Limit: many}
	if err := k.post("/v3/kv/range", all, &m); err != nil {
		return k.refusal(err)
	}
	known := map[string]bool{}
	for _, kv := range m.KVs {
		name, _, below := strings.Cut(strings.TrimPrefix(string(kv.Key), base), "/")
		if root := base + name; below && id.MatchString(name) && !known[root] {
			known[root] = true
			if err := k.removeDead(root); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeDead removes the keys below a root, unless its run lives.
func (k *Conn) removeDead(root string) error {
	dead := txnMessage{
		Compare: []*keyMessage{{Key: []byte(root + mark), Target: "CREATE", Result: "EQUAL", CreateRevIs: new(int64)}},
		Success: []opMessage{{Delete: below(root)}},
	}
	var m answerMessage
	return k.post("/v3/kv/txn", dead, &m)
}

// below returns the range of the keys below a root.
func below(root string) *keyMessage {
	return &keyMessage{Key: []byte(root + "/"), RangeEnd: []byte(etcd.End(root + "/"))}
}

func (a Address) remove(ctx context.Context, root string, _ []string) error {
	return a.admin(ctx, func(k *Conn) error {
		var m answerMessage
		return k.post("/v3/kv/deleterange", below(root), &m)
	})
}

// refusal adds to an error of etcd what the user can do about it.
func (k *Conn) refusal(err error) error {
	var e etcd.Error
	switch {
	case !errors.As(err, &e):
		return err
	case strings.Contains(string(e), "user name is empty"):
		return real.Refused(fmt.Sprintf("the etcd at %s wants a user and a password: "+
			"name it as http://user:password@host:port", k.addr.Host))
	case strings.Contains(string(e), "permission denied"):
		return real.Refused(fmt.Sprintf("the etcd at %s does not let %q read and write keys that begin with %s: grant the "+
			"user a role that may", k.addr.Host, k.addr.User, real.Roots))
	}
	return real.Refused(fmt.Sprintf("the etcd at %s: %s", k.addr.Host, e))
}

// Node returns the etcd as a node of a run.
func (a Address) Node() real.Node {
	return real.Node{
		Dial: func(ctx context.Context, dial real.Dialer) (real.Wire, error) { return a.Dial(ctx, dial) },
		Shadow: func(id event.Actor, emit func(event.Event) event.Seq) remote.Shadow {
			return etcd.NewShadow(id, emit)
		},
		Begin: a.begin, Remove: a.remove,
	}
}

// Clear removes all keys, other users' too. It is for tests.
func (k *Conn) Clear() error {
	var m answerMessage
	return k.post("/v3/kv/deleterange", keyMessage{Key: []byte{0}, RangeEnd: []byte{0}}, &m)
}

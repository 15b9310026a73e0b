package wire

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/zkviz/zkviz/engine/etcd"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/remote"
	"github.com/zkviz/zkviz/engine/remote/real"
)

// What runs leave at an etcd has names that begin with that of their root, and each root has a mark under a lease for
// as long as its run lives. So what is below a root without a mark is of a dead run, and can go. Keys of others have no
// such names.
const mark = "/.run"

// id is what a root ends in.
var id = regexp.MustCompile("^" + real.IDPattern + "$")

// admin is a connection for what is no part of a run.
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

// sweep removes what dead runs have left whose roots begin so.
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

// removeDead removes what is below a root, unless its run lives.
func (k *Conn) removeDead(root string) error {
	dead := txnMessage{
		Compare: []*keyMessage{{Key: []byte(root + mark), Target: "CREATE", Result: "EQUAL", CreateRevIs: new(int64)}},
		Success: []opMessage{{Delete: below(root)}},
	}
	var m answerMessage
	return k.post("/v3/kv/txn", dead, &m)
}

// below is the range of all that is below a root.
func below(root string) *keyMessage {
	return &keyMessage{Key: []byte(root + "/"), RangeEnd: []byte(etcd.End(root + "/"))}
}

func (a Address) remove(ctx context.Context, root string, _ []string) error {
	return a.admin(ctx, func(k *Conn) error {
		var m answerMessage
		return k.post("/v3/kv/deleterange", below(root), &m)
	})
}

// refusal says what is to be done about what etcd refuses.
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

// Node is the etcd as a node of a run.
func (a Address) Node() real.Node {
	return real.Node{
		Dial: func(ctx context.Context, dial real.Dialer) (real.Wire, error) { return a.Dial(ctx, dial) },
		Witness: func(id event.Actor, emit func(event.Event) event.Seq) remote.Witness {
			return etcd.NewWitness(id, emit)
		},
		Begin: a.begin, Remove: a.remove,
	}
}

// Clear removes all keys, also those of others. It is for tests.
func (k *Conn) Clear() error {
	var m answerMessage
	return k.post("/v3/kv/deleterange", keyMessage{Key: []byte{0}, RangeEnd: []byte{0}}, &m)
}

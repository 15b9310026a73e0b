package attacks

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/wire/peer"
	"github.com/zkviz/zkviz/engine/zoo"
)

// The sizes of auth-names.
const (
	authName     = 900_000 // bytes of a large name
	authNames0   = 50_000  // small names, from one session, in all
	authLarge    = 1500    // large names, in all
	authASecond  = 60
	authSessions = handful
)

func authNames(ctx context.Context, w *World) error {
	var t tally
	w.sessions(ctx, authSessions, &t, func(ctx context.Context, i int, p *peer.Peer) {
		defer closing(p)
		beat := time.NewTicker(time.Second * authSessions / authASecond)
		defer beat.Stop()
		auth := func(name []byte) bool {
			a, _, err := p.Do(wire.Request{Xid: wire.XidAuth, Op: wire.OpAuth, Scheme: "digest",
				Auth: append(name, ":secret"...)})
			if err != nil {
				t.add("cut off")
				return false
			}
			t.add("answered with " + a.Code.Error())
			return true
		}
		if i == 0 { // many small names, and an ACL that stands for all of them
			for k := range w.n(authNames0) {
				if ctx.Err() != nil || !auth(fmt.Appendf(nil, "name-%d", k)) {
					return
				}
			}
			// it may be refused
			_, _, _ = p.Do(wire.Request{Op: wire.OpCreate, Path: Root + "-acl",
				ACL: []zoo.ACL{{Perms: zoo.PermAll, Scheme: "auth"}}, Flags: int32(zoo.Ephemeral)})
			return
		}
		for k := range w.n(authLarge / authSessions) {
			name := bytes.Repeat([]byte{'a' + byte(i)}, w.n(authName))
			if !auth(strconv.AppendInt(name, int64(k), 10)) {
				return
			}
			select {
			case <-beat.C:
			case <-ctx.Done():
				return
			}
		}
	})
	w.note("%s", &t)
	return nil
}

package shared_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/zkviz/zkviz/engine/run/shared"
	"github.com/zkviz/zkviz/engine/testing/port"
)

// enough is how many appends show that an owner works.
const enough = 20

// TestKilledOwner kills the owner: another one goes on at the next number, and nothing is lost or stored twice.
func TestKilledOwner(t *testing.T) {
	h := newHerd(t, port.Free(t))
	owner := h.owner(nil, enough)
	owner.kill()
	h = h.without(owner)
	h.owner(h.now(), enough)
	h.check(owner)
}

// TestStoppedOwner stops the owner's process until another has taken over. When it goes on, with an append that may be
// under way, it is refused.
func TestStoppedOwner(t *testing.T) {
	h := newHerd(t, port.Free(t))
	owner := h.owner(nil, enough)
	owner.signal(syscall.SIGSTOP)
	others := h.without(owner)
	others.owner(others.now(), enough)
	said := len(owner.all())
	owner.signal(syscall.SIGCONT)
	owner.await(h.ctx, said, "refused", 1)
	if why := refusals(owner); !strings.Contains(why[0], shared.ErrNotOwner.Error()) {
		t.Error(why)
	}
	h.check()
}

// TestKilledNATS kills NATS, twice. Everybody notices, and all goes on by itself when it's back with its files.
func TestKilledNATS(t *testing.T) {
	h := newHerd(t, port.Free(t))
	for range 2 {
		h.owner(h.now(), enough)
		said := h.now()
		h.nats.kill()
		for _, m := range h.members {
			said[m] = m.await(h.ctx, said[m], "link down", 1)
		}
		h.nats = startNATS(t, h.ctx, h.nats.dir, h.nats.port)
		for _, m := range h.members {
			said[m] = m.await(h.ctx, said[m], "link up", 1)
		}
		h.owner(said, enough)
		for _, m := range h.members {
			m.await(h.ctx, said[m], "read", 1)
		}
	}
	h.check()
}

// TestEpochsGoOn kills a NATS that has no lease and no mark of one left: the next owner still has a later epoch.
func TestEpochsGoOn(t *testing.T) {
	ctx := patient(t)
	n := startNATS(t, ctx, t.TempDir(), port.Free(t))
	b := open(t, shared.Config{URL: n.url(), Lease: shared.LeaseAtLeast})
	before := uint64(0)
	for range 3 {
		l := must(b.Own(ctx, theLog))
		if l.Epoch() <= before {
			t.Errorf("epoch %d comes after %d", l.Epoch(), before)
		}
		before = l.Epoch()
		l.Release(ctx)
		if err := shared.NoLeases(ctx, b); err != nil {
			t.Fatal(err)
		}
		_, changed := b.Link()
		n.kill()
		<-changed
		n = startNATS(t, ctx, n.dir, n.port)
	}
}

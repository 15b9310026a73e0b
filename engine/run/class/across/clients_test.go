package across_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/class"
	"github.com/zkviz/zkviz/engine/run/shared"
	"github.com/zkviz/zkviz/engine/testing/natstest"
)

// zookeeper is a server's ZooKeeper inside, as classes see it: a client is what was last done with it.
type zookeeper struct {
	mu      sync.Mutex
	moves   map[int]string
	gone    map[int]bool // learners without a page
	changed func(learner int)
}

func (z *zookeeper) Check(class.Lock) error { return nil }

func (z *zookeeper) Open(_ string, _ class.Lock, changed func(int)) class.Crowd {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.moves, z.gone, z.changed = map[int]string{}, map[int]bool{}, changed
	return z
}

var errHas = sentence.Error("refused.client.has")

func (z *zookeeper) Move(learner int, _, do string) error {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.moves[learner] == do {
		return errHas
	}
	z.moves[learner] = do
	z.changed(learner) // who hears that mustn't ask at once how it is
	return nil
}

func (z *zookeeper) Here(learner int, here bool) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.gone[learner] = !here
}

func (z *zookeeper) View(learner int) class.ClientView {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.moves[learner] == "" {
		return class.ClientView{Is: "none"}
	}
	return class.ClientView{Is: z.moves[learner], Behind: 1}
}

func (z *zookeeper) Close() {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.moves = nil
}

// String returns who has done what, and who is gone.
func (z *zookeeper) String() string {
	z.mu.Lock()
	defer z.mu.Unlock()
	return fmt.Sprint(z.moves, z.gone)
}

// becomes waits until the ZooKeeper has clients as wanted.
func (z *zookeeper) becomes(t *testing.T, want string) {
	t.Helper()
	for end := time.Now().Add(patience); z.String() != want; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the clients are %s, not %s", z, want)
		}
	}
}

// serveWith is serve with a ZooKeeper inside.
func serveWith(t *testing.T, cfg shared.Config) (*server, *zookeeper) {
	s, z := serve(t, cfg), &zookeeper{}
	s.Hall = class.NewHall(class.HallConfig{Now: time.Now, Lines: s.lines, Crowds: z})
	return s, z
}

// TestClientsOfTwoServers has learners at two servers move their clients, which are at the one that owns the class. If
// that ends, the next one's ZooKeeper has none of them.
func TestClientsOfTwoServers(t *testing.T) {
	n := natstest.Start(t)
	cfg := shared.Config{URL: n.URL(), Lease: unhurried}
	a, mine := serveWith(t, cfg)
	b, other := serveWith(t, cfg)
	name, secret, err := a.Begin(a.ctx, "x", class.Place{Page: "/zoo"})
	if err != nil {
		t.Fatal(err)
	}
	teacher, ann, bob := b.enter(name, "x"), a.enter(name, "y"), b.enter(name, "z")
	teacher.does(`{"do":"hello","secret":%q}`, secret)
	ann.does(`{"do":"join","key":%q,"name":"Ann"}`, key("ann"))
	bob.does(`{"do":"join","key":%q,"name":"Bob"}`, key("bob"))
	teacher.until(`"elsewhere":true`)
	if err := bob.try(`{"do":"take"}`); !errors.Is(err, class.ErrNoClients) {
		t.Errorf("before there are clients, it is %v", err)
	}
	teacher.does(`{"do":"clients","lock":{"path":"/q","way":"queue"}}`)
	bob.until(`"is":"none"`)
	ann.does(`{"do":"take"}`)
	bob.does(`{"do":"sleep"}`)
	ann.until(`"is":"take"`)
	bob.until(`"is":"sleep","behind":1,"name":"Ann"`)
	if err := bob.try(`{"do":"sleep"}`); err == nil || sentence.From(err).Key != "refused.client.has" {
		t.Errorf("what the owner refuses is %v", err)
	}
	again := b.enter(name, "z")
	again.does(`{"do":"join","key":%q}`, key("bob"))
	again.until(`"is":"sleep"`)
	late, _ := serveWith(t, cfg)
	third := late.enter(name, "z")
	third.does(`{"do":"join","key":%q}`, key("bob"))
	third.until(`"is":"sleep"`)
	third.Leave()
	again.Leave()
	bob.Leave()
	mine.becomes(t, "map[1:take 2:sleep] map[2:true]")
	bob = b.enter(name, "z")
	bob.does(`{"do":"join","key":%q}`, key("bob"))
	mine.becomes(t, "map[1:take 2:sleep] map[2:false]")
	if got := other.String(); got != "map[] map[]" {
		t.Errorf("at the server that doesn't own the class are %s", got)
	}
	late.stop()
	a.stop()
	teacher.until(`"elsewhere":false`)
	bob.until(`"is":"none"`)
	bob.does(`{"do":"take"}`)
	other.becomes(t, "map[2:take] map[]")
	teacher.does(`{"do":"clients"}`)
	if err := bob.try(`{"do":"take"}`); !errors.Is(err, class.ErrNoClients) {
		t.Errorf("after them, it is %v", err)
	}
	other.becomes(t, "map[] map[]")
	if got := mine.String(); !strings.HasPrefix(got, "map[]") {
		t.Errorf("at the server that has ended are %s", got)
	}
}

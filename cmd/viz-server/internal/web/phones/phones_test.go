package phones

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/host/contend"
	"github.com/zkviz/zkviz/engine/run/class"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
)

// patience is how long a test waits for what must come. short is the timeout of sessions that end, long that of others:
// a busy machine may stall for many seconds.
const patience, short, long = time.Minute, 6 * time.Second, 40 * time.Second

// listen starts a ZooKeeper on which sessions last from 4 to 40 seconds.
func listen(t *testing.T) func() (net.Conn, error) {
	s, err := embed.Listen(embed.Config{Tick: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s.Dial
}

// table is a class whose learners have clients.
type table struct {
	class.Crowd
	t    *testing.T
	bell hub.Bell
}

func sit(t *testing.T, p *Phones, way contend.Way) *table {
	b := &table{t: t}
	b.Crowd = p.Open("kdm3f7", class.Lock{Path: "/q", Way: string(way)}, func(int) { b.bell.Ring() })
	t.Cleanup(func() {
		b.Close()
		b.Crowd.(*crowd).Wait()
	})
	return b
}

// do does all that a learner wants.
func (b *table) do(learner int, all ...string) {
	b.t.Helper()
	for _, do := range all {
		if err := b.Move(learner, "", do); err != nil {
			b.t.Fatalf("%d can't %s: %v", learner, do, err)
		}
	}
}

// until waits until a learner's client is as wanted.
func (b *table) until(learner int, is string) class.ClientView {
	b.t.Helper()
	end := time.After(patience)
	for {
		news := b.bell.Next()
		v := b.View(learner)
		if v.Is == is {
			return v
		}
		select {
		case <-news:
		case <-end:
			b.t.Fatalf("the client of %d is %+v, not %s", learner, v, is)
		}
	}
}

// refused checks why a move is refused.
func (b *table) refused(learner int, do, key string) {
	b.t.Helper()
	err := b.Move(learner, "", do)
	if err == nil || sentence.From(err).Key != "refused.client."+key {
		b.t.Errorf("%s of %d: %v, want %s", do, learner, err, key)
	}
}

// quickly returns a config that lets learners move as fast as they like.
func quickly(dial func() (net.Conn, error), timeout time.Duration) Config {
	now := time.Now()
	return Config{Dial: dial, SessionTimeout: timeout, Pace: time.Millisecond, Now: func() time.Time {
		now = now.Add(time.Hour)
		return now
	}}
}

// TestMoves checks each move, and that one which makes no sense is refused.
func TestMoves(t *testing.T) {
	t.Parallel()
	b := sit(t, New(quickly(listen(t), long)), contend.Queue)
	for _, do := range []string{"release", "sleep", "wake", "lose", "back"} {
		b.refused(1, do, "none")
	}
	if v := b.View(1); v.Is != "none" {
		t.Errorf("without a client it is %+v", v)
	}
	b.do(1, "take")
	b.refused(1, "take", "has")
	b.until(1, "holds")
	b.refused(1, "wake", "awake")
	b.refused(1, "back", "there")
	b.do(2, "take")
	if v := b.until(2, "waits"); v.Behind != 1 || v.Before != 1 {
		t.Errorf("the second waits as %+v", v)
	}
	b.do(1, "lose")
	b.refused(1, "lose", "lost")
	if v := b.View(1); v.Is != "lost" || v.Believes != "holds" {
		t.Errorf("without a network it is %+v", v)
	}
	b.do(1, "back", "sleep")
	for _, do := range []string{"take", "release", "sleep"} {
		b.refused(1, do, "asleep")
	}
	if v := b.View(1); v.Is != "asleep" || v.Believes != "holds" {
		t.Errorf("asleep it is %+v", v)
	}
	b.do(1, "wake", "release")
	b.refused(1, "release", "free")
	b.until(1, "free")
	b.until(2, "holds")
	b.do(1, "take")
	b.until(1, "waits")
	b.do(1, "release") // gives up
	b.until(1, "free")
	b.Close()
	b.refused(3, "take", "over")
}

// TestSleepers checks that another gets the lock of a holder who sleeps, or has no network, for longer than a session
// lasts, and that the holder learns of it later.
func TestSleepers(t *testing.T) {
	t.Parallel()
	for goes, comes := range map[string]string{"sleep": "wake", "lose": "back"} {
		t.Run(goes, func(t *testing.T) {
			t.Parallel()
			dial := listen(t)
			holder, next := sit(t, New(quickly(dial, short)), contend.Queue), sit(t, New(quickly(dial, long)), contend.Queue)
			holder.do(1, "take")
			holder.until(1, "holds")
			next.do(1, "take")
			if v := next.until(1, "waits"); v.Behind != 0 || v.Before != 1 {
				t.Errorf("behind a stranger it waits as %+v", v)
			}
			holder.do(1, goes)
			next.until(1, "holds")
			if v := holder.View(1); v.Believes != "holds" {
				t.Errorf("the first is %+v", v)
			}
			holder.do(1, comes)
			holder.until(1, "expired")
			holder.do(1, "take")
			holder.until(1, "waits")
		})
	}
}

// TestLimits checks that there are as many clients as may be, that one whose learner has gone makes room, and that
// nobody moves too fast.
func TestLimits(t *testing.T) {
	t.Parallel()
	cfg := quickly(listen(t), 4*time.Second)
	cfg.Most = 2
	p := New(cfg)
	a, b := sit(t, p, contend.Herd), sit(t, p, contend.Queue)
	a.do(1, "take")
	a.until(1, "holds")
	b.do(1, "take")
	for learner := 2; learner < 1000; learner++ {
		a.refused(learner, "take", "full")
	}
	a.Here(1, false)
	a.Here(1, true)
	a.Here(1, false)
	a.until(1, "none")
	for end := time.Now().Add(patience); b.Move(2, "", "take") != nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("who has gone makes no room")
		}
	}
	if err := p.Check(class.Lock{Path: "/q", Way: "in turn"}); err == nil {
		t.Error("any way is taken")
	}
	now := time.Now()
	p.cfg.Now = func() time.Time { return now }
	fast := 0
	for range 1000 {
		if err := b.Move(9, "", "back"); err != nil && sentence.From(err).Key == "refused.client.fast" {
			fast++
		}
	}
	if fast != 1000-Burst {
		t.Errorf("of 1000 moves at once, %d are too fast", fast)
	}
}

// zooLogOf is a log of the Zoo. It implements room.ZooLog.
type zooLogOf struct {
	sessions chan int64

	mu      sync.Mutex
	said    []string
	clients map[int64]event.Actor
}

func (l *zooLogOf) Tell(session int64, e event.Event) event.Seq {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.said = append(l.said, strings.TrimSpace(fmt.Sprint(e.Kind, " ", e.Text)))
	l.sessions <- session
	return 0
}

func (l *zooLogOf) ClientOf(session int64) event.Actor {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.clients[session]
}

// TestSeenInTheZoo checks what the log of a room gets of a learner's client, and that nobody there can disturb it.
func TestSeenInTheZoo(t *testing.T) {
	t.Parallel()
	p := New(quickly(listen(t), long))
	told := &zooLogOf{sessions: make(chan int64, 100), clients: map[int64]event.Actor{}}
	log := p.Contend("/q", told, func(int) {})
	b := sit(t, p, contend.Queue)
	if err := b.Move(7, "Maximiliana Mustermann", "take"); err != nil {
		t.Fatal(err)
	}
	b.until(7, "holds")
	session := <-told.sessions
	b.do(7, "sleep", "wake", "release")
	b.until(7, "free")
	told.mu.Lock()
	got := strings.Join(told.said, "|")
	told.mu.Unlock()
	const want = "client.started contender|recipe.note Maximilia…|recipe.phase waiting|recipe.phase holding|" +
		"recipe.note #7|client.paused|client.resumed|recipe.phase released"
	if got != want {
		t.Errorf("the log has %s\nwant %s", got, want)
	}
	if err := log.Do(session, fault.Fault{Kind: fault.Crash}); !errors.Is(err, errOwn) {
		t.Errorf("a learner's client is crashed: %v", err)
	}
	if err := log.Do(1, fault.Fault{Kind: fault.Crash}); !errors.Is(err, contend.ErrNoMember) {
		t.Errorf("a stranger is crashed: %v", err)
	}
	if v := b.View(7); v.Client != "" {
		t.Errorf("before the log knows it, its name is %q", v.Client)
	}
	b.do(7, "sleep")
	told.mu.Lock()
	told.clients[session] = 5
	told.mu.Unlock()
	var now []string
	for _, e := range log.Now(session) {
		now = append(now, strings.TrimSpace(fmt.Sprint(e.Kind, " ", e.Text)))
	}
	const begins = "client.started contender|recipe.note #7|recipe.phase released|client.paused"
	if got := strings.Join(now, "|"); got != begins {
		t.Errorf("a later log begins with %s", got)
	}
	if v := b.View(7); v.Client != "client-5" {
		t.Errorf("its name is %q", v.Client)
	}
	log.Close()
	if v := b.View(7); v.Client != "" {
		t.Errorf("when nobody looks, its name is %q", v.Client)
	}
}

package shared_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/zkviz/zkviz/engine/run/shared"
	"github.com/zkviz/zkviz/engine/testing/golden"
	"github.com/zkviz/zkviz/engine/testing/natstest"
)

// patience is how long a test waits for an event, and unhurried a lease that no busy machine ends.
const (
	patience  = 3 * time.Minute
	unhurried = time.Hour
)

func patient(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

func open(t testing.TB, cfg shared.Config) *shared.Bus {
	t.Helper()
	b, err := shared.Open(patient(t), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// stage is where a script plays: two servers, a and b, with one NATS.
type stage struct {
	t      *testing.T
	ctx    context.Context
	buses  map[string]*shared.Bus
	logs   map[string]*shared.Log   // by server and name
	leases map[string]*shared.Lease // likewise
	epochs []uint64                 // in the order of their owners, since their values depend on who renews when

	heard chan string
	mu    sync.Mutex
	wait  map[string]chan *shared.Lease // who waits for a name
}

// TestServersGolden plays what two servers do with one NATS.
func TestServersGolden(t *testing.T) {
	n := natstest.Start(t)
	s := &stage{
		t: t, ctx: patient(t), buses: map[string]*shared.Bus{}, logs: map[string]*shared.Log{},
		leases: map[string]*shared.Lease{}, heard: make(chan string, 100), wait: map[string]chan *shared.Lease{},
	}
	for _, name := range []string{"a", "b"} {
		s.buses[name] = open(t, shared.Config{URL: n.URL(), Lease: unhurried})
	}
	golden.Script(t, "testdata/servers", func(_ *testing.T, d *datadriven.TestData) string {
		out, err := s.run(d)
		if err != nil {
			out += err.Error() + "\n"
		}
		return out
	})
}

func (s *stage) run(d *datadriven.TestData) (string, error) {
	var on, name string
	d.ScanArgs(s.t, "on", &on)
	d.ScanArgs(s.t, "name", &name)
	bus, key := s.buses[on], on+" "+name
	if s.logs[key] == nil {
		l, err := bus.Log(name)
		if err != nil {
			return "", err
		}
		s.logs[key] = l
	}
	if do := s.commands()[d.Cmd]; do != nil {
		return do(d, bus, s.logs[key], key)
	}
	s.t.Fatalf("%s: no command %s", d.Pos, d.Cmd)
	return "", nil
}

type command func(d *datadriven.TestData, bus *shared.Bus, log *shared.Log, key string) (string, error)

func (s *stage) commands() map[string]command {
	return map[string]command{
		"own": s.own, "wait": s.begin, "got": s.got, "release": s.release,
		"take": s.take, "append": s.append, "last": s.last, "delete": s.delete, "forget": s.forget, "read": s.read,
		"stream": s.stream,
		"answer": s.answer, "ask": s.ask, "hear": s.hear, "tell": s.tell, "listen": s.listen, "say": s.say,
	}
}

// epoch returns the epoch of the server's lease, or the one that the script says: #2 for that of the second owner.
func (s *stage) epoch(d *datadriven.TestData, key string) uint64 {
	var nth int
	d.MaybeScanArgs(s.t, "epoch", &nth)
	if nth > 0 {
		return s.epochs[nth-1]
	}
	if l := s.leases[key]; l != nil {
		return l.Epoch()
	}
	return 1 << 40
}

func (s *stage) nth(epoch uint64) int { return slices.Index(s.epochs, epoch) + 1 }

func (s *stage) owner(key string, l *shared.Lease) string {
	if len(s.epochs) > 0 && l.Epoch() <= s.epochs[len(s.epochs)-1] {
		s.t.Errorf("epoch %d comes after %v", l.Epoch(), s.epochs)
	}
	s.epochs = append(s.epochs, l.Epoch())
	s.leases[key] = l
	return fmt.Sprintf("%s is owned, epoch #%d\n", key, len(s.epochs))
}

func (s *stage) own(_ *datadriven.TestData, bus *shared.Bus, _ *shared.Log, key string) (string, error) {
	l, err := bus.Own(s.ctx, strings.Fields(key)[1])
	if err != nil {
		return "", err
	}
	return s.owner(key, l), nil
}

func (s *stage) begin(_ *datadriven.TestData, bus *shared.Bus, _ *shared.Log, key string) (string, error) {
	got := make(chan *shared.Lease, 1)
	s.wait[key] = got
	go func() {
		if l, err := bus.Own(s.ctx, strings.Fields(key)[1]); err == nil {
			got <- l
		}
	}()
	return "", nil
}

func (s *stage) got(_ *datadriven.TestData, _ *shared.Bus, _ *shared.Log, key string) (string, error) {
	select {
	case l := <-s.wait[key]:
		return s.owner(key, l), nil
	case <-s.ctx.Done():
		return "", s.ctx.Err()
	}
}

func (s *stage) release(_ *datadriven.TestData, _ *shared.Bus, _ *shared.Log, key string) (string, error) {
	l := s.leases[key]
	l.Release(s.ctx)
	select {
	case <-l.Lost():
		return fmt.Sprintf("held: %v, and lost\n", l.Held()), nil
	default:
		return fmt.Sprintf("held: %v, and not lost\n", l.Held()), nil
	}
}

func (s *stage) take(d *datadriven.TestData, _ *shared.Bus, log *shared.Log, key string) (string, error) {
	last, err := log.Take(s.ctx, s.epoch(d, key))
	return fmt.Sprintf("last %d\n", last), err
}

func (s *stage) append(d *datadriven.TestData, _ *shared.Bus, log *shared.Log, key string) (string, error) {
	var after uint64
	var bytes int
	d.ScanArgs(s.t, "after", &after)
	d.MaybeScanArgs(s.t, "bytes", &bytes)
	n, err := log.Append(s.ctx, s.epoch(d, key), after, []byte(strings.TrimSpace(d.Input)+strings.Repeat(".", bytes)))
	if err != nil {
		var behind shared.BehindError
		isOwner := !errors.Is(err, shared.ErrNotOwner)
		return fmt.Sprintf("behind: %v, not the owner: %v\n", errors.As(err, &behind), !isOwner), err
	}
	return fmt.Sprintf("number %d\n", n), nil
}

func (s *stage) last(_ *datadriven.TestData, _ *shared.Bus, log *shared.Log, _ string) (string, error) {
	n, err := log.Last(s.ctx)
	return fmt.Sprintf("last %d\n", n), err
}

func (s *stage) delete(d *datadriven.TestData, _ *shared.Bus, log *shared.Log, key string) (string, error) {
	return "", log.Delete(s.ctx, s.epoch(d, key))
}

func (s *stage) forget(d *datadriven.TestData, _ *shared.Bus, log *shared.Log, key string) (string, error) {
	return "", log.Forget(s.ctx, s.epoch(d, key))
}

var errEnough = errors.New("that's enough")

func (s *stage) read(d *datadriven.TestData, _ *shared.Bus, log *shared.Log, _ string) (string, error) {
	var from, count uint64
	d.ScanArgs(s.t, "from", &from)
	d.ScanArgs(s.t, "count", &count)
	var b strings.Builder
	err := log.Read(s.ctx, from, func(n uint64, data []byte) error {
		fmt.Fprintf(&b, "%d %s\n", n, data)
		if count--; count == 0 {
			return errEnough
		}
		return nil
	})
	return b.String(), err
}

// stream shows all that is stored, with marks.
func (s *stage) stream(_ *datadriven.TestData, bus *shared.Bus, _ *shared.Log, key string) (string, error) {
	all, err := shared.Everything(s.ctx, bus, strings.Fields(key)[1])
	var b strings.Builder
	for _, e := range all {
		text := map[bool]string{true: "(mark)", false: e.Data}[e.Mark]
		fmt.Fprintf(&b, "epoch #%d number %d %s\n", s.nth(e.Epoch), e.N, text)
	}
	return b.String(), err
}

func (s *stage) answer(_ *datadriven.TestData, _ *shared.Bus, _ *shared.Log, key string) (string, error) {
	return "", s.leases[key].Answer(func(_ context.Context, data []byte) []byte {
		return fmt.Appendf(nil, "%s says: you said %s", key, data)
	})
}

func (s *stage) ask(d *datadriven.TestData, bus *shared.Bus, _ *shared.Log, key string) (string, error) {
	answer, err := bus.Ask(s.ctx, strings.Fields(key)[1], []byte(d.Input))
	return string(answer), err
}

func (s *stage) hear(_ *datadriven.TestData, bus *shared.Bus, _ *shared.Log, key string) (string, error) {
	stop, err := bus.Hear(strings.Fields(key)[1], func(data []byte) { s.heard <- fmt.Sprintf("%s hears %s", key, data) })
	if err == nil {
		s.t.Cleanup(stop)
	}
	return "", err
}

func (s *stage) listen(_ *datadriven.TestData, bus *shared.Bus, _ *shared.Log, key string) (string, error) {
	stop, err := bus.Listen(strings.Fields(key)[1], func(data []byte) { s.heard <- fmt.Sprintf("%s hears %s", key, data) })
	if err == nil {
		s.t.Cleanup(stop)
	}
	return "", err
}

func (s *stage) say(d *datadriven.TestData, bus *shared.Bus, _ *shared.Log, key string) (string, error) {
	return s.hears(d, bus.Say(strings.Fields(key)[1], []byte(strings.TrimSpace(d.Input))))
}

func (s *stage) tell(d *datadriven.TestData, _ *shared.Bus, _ *shared.Log, key string) (string, error) {
	return s.hears(d, s.leases[key].Tell([]byte(strings.TrimSpace(d.Input))))
}

// hears waits until all have heard that should.
func (s *stage) hears(d *datadriven.TestData, err error) (string, error) {
	var hearers int
	d.ScanArgs(s.t, "hearers", &hearers)
	var all []string
	for range hearers {
		select {
		case h := <-s.heard:
			all = append(all, h+"\n")
		case <-s.ctx.Done():
			return "", s.ctx.Err()
		}
	}
	slices.Sort(all)
	return strings.Join(all, ""), err
}

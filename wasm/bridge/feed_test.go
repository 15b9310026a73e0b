package bridge

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/run/room"
	"github.com/zkviz/zkviz/engine/stage/player"
	"github.com/zkviz/zkviz/lessons"
)

// wire is a connection to rooms in this process. It implements transport for a feed, and room.Viewer.
type wire struct {
	reader   *reader
	requests chan []byte
	got      chan func()
	cut      func()
	mute     bool // requests are sent, and nobody gets them
	frames   int
}

func (w *wire) send(r protocol.Request) bool {
	if !w.mute {
		w.requests <- protocol.AppendRequest(nil, r)
	}
	return true
}

func (w *wire) reach() bool { return true }
func (w *wire) again()      {}
func (w *wire) end()        {}

func (w *wire) Receive(ctx context.Context) ([]byte, error) {
	select {
	case text := <-w.requests:
		return text, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (w *wire) Message(_ context.Context, text []byte) error {
	m, err := protocol.ParseMessage(text)
	w.got <- func() { w.reader.take(m) }
	return err
}

func (w *wire) Frame(_ context.Context, frame []byte) error {
	frame = slices.Clone(frame)
	w.got <- func() { w.frames++; w.reader.takeEvents(frame) }
	return nil
}

func (w *wire) Ping(context.Context) error { return nil }
func (w *wire) Close(room.Reason, string)  { w.cut() }
func (w *wire) Cut()                       { w.cut() }

// reader is somebody with a run on the stage, and what happened.
type reader struct {
	feed
	t    *testing.T
	wire *wire

	fresh int // how many runs began
	lost  int // faults that came to nothing
	other int // branches that aren't what they were
}

// newReader follows a run to its end, in rooms of its own.
func newReader(t *testing.T, query string) *reader {
	t.Helper()
	r := &reader{t: t}
	r.player, r.damaged = player.New(), func(err error) { t.Error(err) }
	r.player.Do("motion", "reduced")
	r.ask = func() { r.open(protocol.Request{Do: protocol.Open, Query: query}) }
	r.connect()
	r.ask()
	r.until("the run", r.rests)
	return r
}

// connect connects the reader to other rooms, which know nothing of the run.
func (r *reader) connect() {
	r.t.Helper()
	ctx, cut := context.WithCancel(context.Background())
	runs, served := room.New(room.Config{Page: true}), make(chan struct{})
	place, err := runs.Connect("test", cut)
	if err != nil {
		r.t.Fatal(err)
	}
	w := &wire{reader: r, requests: make(chan []byte, protocol.RequestBurst), got: make(chan func(), 1000), cut: cut}
	go func() { defer close(served); runs.Serve(ctx, ctx, place, w) }()
	r.t.Cleanup(func() { cut(); <-served; runs.Close() })
	r.wire, r.server = w, w
}

// goOnElsewhere loses the connection, and continues with other rooms.
func (r *reader) goOnElsewhere() {
	r.close()
	r.connect()
	r.goOn(r.player.Log.Run().ID)
}

func (r *reader) take(m protocol.Message) {
	switch m := m.(type) {
	case *protocol.Run:
		fresh, lost := r.takeRun(m, player.Run{ID: m.Run, Header: m.Header})
		if r.lost += lost; fresh {
			r.fresh++
		}
	case *protocol.Branch:
		if r.settle(); !r.takeRow(m.Row, nil) {
			r.other++
		}
	case *protocol.Verdict:
		r.check(r.player.PutVerdict(*m))
	case *protocol.Refusal:
		if m.Do == protocol.Resume && r.repeatable() {
			r.ask()
			return
		}
		r.lost += r.refused(m.Do)
	}
}

func (r *reader) until(what string, so func() bool) {
	r.t.Helper()
	for !so() {
		(<-r.wire.got)()
	}
}

func (r *reader) fault(text string) bool {
	return r.send(protocol.Request{Do: protocol.Inject, Branch: r.player.Log.Branch(), Fault: text})
}

// place says what the reader sees.
func (r *reader) place() string {
	p := r.player
	return fmt.Sprint(p.Version(), p.Log.Branch(), p.Log.Branches(), p.Log.Have(), p.Head.At(), p.Head.Seq(), p.Selected())
}

const twoOfThree = "recipe=unique-lock&clients=3"

// TestGoOnElsewhere checks that a run goes on over a connection to somebody who doesn't know it: it's computed there
// with its branches, nothing of it comes again, the picture stays, and a fault that waited is carried out.
func TestGoOnElsewhere(t *testing.T) {
	r := newReader(t, twoOfThree)
	for i, text := range []string{"crash client-1 at 2s", "pause client-2 at 4s for 9s", "expire client-3 at 1s"} {
		if r.player.Do("branch", fmt.Sprint(i/2)); !r.fault(text) {
			t.Fatalf("%s: nobody takes it", text)
		}
		r.until("its branch", func() bool { return r.player.Log.Branch() == i+1 && r.rests() })
	}
	r.player.Do("branch", "2")
	r.player.Do("seek", "5000")
	r.player.Select("client-2")
	before := r.place()
	r.goOnElsewhere()
	for r.redoing == 0 {
		(<-r.wire.got)()
		if r.place() != before {
			t.Fatalf("on the way it shows %s, before %s", r.place(), before)
		}
	}
	if !r.fault("crash client-2 at 5s") || !r.fault("crash client-3 at 5s") {
		t.Fatal("a fault doesn't wait")
	}
	r.until("the first branch of that", func() bool { return r.player.Log.Branch() == 4 })
	r.until("the second", func() bool { return r.player.Log.Branch() == 5 && r.rests() })
	got := r.player.Log.Branches()[4:]
	if got[0].Parent != 2 || got[1].Parent != 2 || got[1].Fault != "crash client-3 at 5s" {
		t.Errorf("the branches are %+v", got)
	}
	r.player.Do("branch", "2")
	r.goOnElsewhere()
	r.until("all branches", r.rests)
	if r.fresh != 1 || r.lost != 0 || r.other != 0 || r.wire.frames > 0 {
		t.Errorf("it began %d times, lost %d faults, found %d other branches, and got %d frames", r.fresh, r.lost, r.other,
			r.wire.frames)
	}
}

// TestGoOnWithPending checks that faults wait which the reader asks for before the run is there again, up to a limit,
// and what becomes of one that was asked for when the connection was lost.
func TestGoOnWithPending(t *testing.T) {
	r := newReader(t, twoOfThree)
	r.wire.mute = true
	if !r.fault("crash client-1 at 1s") || r.rests() {
		t.Fatal("it doesn't wait for the branch of a fault")
	}
	r.goOnElsewhere()
	for i := range mostPending {
		if !r.fault(fmt.Sprintf("crash client-2 at %ds", i+1)) {
			t.Fatalf("%d faults don't wait", i+1)
		}
	}
	if r.fault("crash client-3 at 1s") {
		t.Error("more faults wait than may")
	}
	r.until("their branches", r.rests)
	rows := r.player.Log.Branches()
	if r.lost != 1 || len(rows) != mostPending+1 || rows[1].Fault != "crash client-2 at 1s" {
		t.Errorf("lost %d faults, and the branches are %+v", r.lost, rows)
	}
}

// TestGoOnWithAnother checks that a run that isn't the one that was shown comes whole, and nothing that waited for that
// is done to it.
func TestGoOnWithAnother(t *testing.T) {
	r := newReader(t, twoOfThree)
	r.ask = func() { r.open(protocol.Request{Do: protocol.Open, Query: twoOfThree + "&seed=5"}) }
	r.goOnElsewhere()
	r.fault("crash client-1 at 1s")
	r.until("the other run", r.rests)
	if r.fresh != 2 || r.lost != 1 || r.player.Log.Run().Header.Seed != 5 || len(r.player.Log.Branches()) != 1 {
		t.Errorf("it began %d times, lost %d faults, and shows %+v", r.fresh, r.lost, r.player.Log.Run())
	}
	if r.ask = func() { r.open(protocol.Request{Do: protocol.Open, Query: "recipe=xyzzy"}) }; !r.rests() {
		t.Error("it doesn't rest")
	}
	seen := r.place()
	r.goOnElsewhere()
	r.fault("crash client-1 at 1s")
	r.until("a refusal", func() bool { return r.stopped })
	if r.lost != 2 || r.place() != seen || r.fault("crash client-1 at 1s") && r.stopped {
		t.Errorf("after a refusal it has lost %d faults, shows %s, and doesn't try again", r.lost, r.place())
	}
}

// TestTooManyBranches checks that a run with more branches than can be made again at once isn't left.
func TestTooManyBranches(t *testing.T) {
	r := newReader(t, twoOfThree)
	for i := 1; i <= mostRedone+1; i++ {
		if !r.repeatable() {
			t.Fatalf("with %d faults it can't be made again", i-1)
		}
		putBranch(t, r.player, player.Branch{ID: i, From: 1, Ended: true})
	}
	if r.repeatable() || r.rests() {
		t.Error("with too many branches it may be left")
	}
}

// TestLessonsByTheirScenarios checks that the run of a lesson's scenario is the lesson's own: a page that has lost its
// server asks for that.
func TestLessonsByTheirScenarios(t *testing.T) {
	book, err := lessons.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range book.Lessons {
		sc := l.Scenario.WithDefaults()
		again, err := room.Asked(sc.Query())
		if err != nil || again.Query() != sc.Query() {
			t.Errorf("%s: %s, asked for again as %s, %v", l.Slug, sc.Query(), again.Query(), err)
		}
	}
}

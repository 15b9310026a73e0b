package attacks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/zkviz/zkviz/cmd/attack/internal/target"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/trace"
	"github.com/zkviz/zkviz/engine/program"
	"github.com/zkviz/zkviz/engine/zoo"
)

// The sizes of trace-bombs.
const (
	bombWatches  = 90_000
	bombZnodes   = 90_000
	bombReaders  = 10_000
	readersAgain = 9                // times that each enters
	bombTime     = 10 * time.Second // of a processor, for one command on one of them
)

// bomb is a log that is small and may be slow.
type bomb struct {
	name   string
	header event.Header
	step   time.Duration // between two events; all happens within what one picture shows
	events func(n func(int) int, add func(event.Event))
}

// bombs are logs in which much of one thing is there, or goes, at a time.
func bombs() []bomb {
	return []bomb{
		{"watches of one client", event.Header{Recipe: "predecessor-lock", Clients: 1}, time.Microsecond, watchBomb},
		{"znodes that fall at once", event.Header{Recipe: "predecessor-lock", Clients: 1}, 0, znodeBomb},
		{"znodes that fall one after the other", event.Header{Recipe: "predecessor-lock", Clients: 1}, time.Microsecond,
			znodeBomb},
		{"readers", event.Header{Recipe: "read-write-lock", Clients: bombReaders}, time.Microsecond, readerBomb},
	}
}

func watchBomb(n func(int) int, add func(event.Event)) {
	watches := n(bombWatches)
	set := func(i int) {
		add(event.Event{Kind: event.WatchSet, Peer: 1, Path: znode(i), Watch: event.DataWatch})
	}
	for i := range watches {
		set(i)
	}
	for i := range watches { // and away, from the last
		add(event.Event{Kind: event.WatchFired, Peer: 1, Path: znode(watches - 1 - i), Watch: event.DataWatch,
			Type: uint8(zoo.NodeDeleted)})
	}
	for i := range watches {
		set(i)
	}
}

func znodeBomb(n func(int) int, add func(event.Event)) {
	znodes := n(bombZnodes)
	add(event.Event{Kind: event.ClientStarted, Actor: 1})
	for i := range znodes {
		add(event.Event{Kind: event.ZnodeCreated, Peer: 1, Path: znode(i), Zxid: int64(i + 1)})
	}
	for i := range znodes {
		add(event.Event{Kind: event.ZnodeDeleted, Peer: 1, Path: znode(i), Zxid: int64(znodes + i + 1), Reason: event.ByOp})
	}
}

// readerBomb has readers hold a lock together, enter it again and again, and leave from the last, while znodes fall.
func readerBomb(n func(int) int, add func(event.Event)) {
	readers := n(bombReaders)
	path := func(i int) string { return fmt.Sprintf("/bomb/read-%010d", i) }
	for i := range readers {
		a, s := event.Actor(i+1), int64(0x1000+i)
		add(event.Event{Kind: event.ClientStarted, Actor: a})
		add(event.Event{Kind: event.SessionCreated, Peer: a, Session: s, N: int64(time.Hour)})
		add(event.Event{Kind: event.ConnOpened, Actor: a, Session: s, N: int64(time.Hour)})
		add(event.Event{Kind: event.ZnodeCreated, Peer: a, Path: path(i), Zxid: int64(i + 1), Session: s})
	}
	for range readersAgain {
		for i := range readers {
			add(event.Event{Kind: event.RecipePhase, Actor: event.Actor(i + 1), Text: string(program.Reading), Path: path(i)})
		}
	}
	znodeBomb(n, add)
	add(event.Event{Kind: event.RecipePhase, Actor: 1, Text: string(program.Writing), Path: "/bomb/write-0000000000"})
	for i := range readers {
		add(event.Event{Kind: event.RecipePhase, Actor: event.Actor(readers - i), Text: string(program.Released)})
	}
}

func znode(i int) string { return fmt.Sprintf("/bomb/n-%010d", i) }

func playBombs(ctx context.Context, w *World) error {
	for i, b := range bombs() {
		file := filepath.Join(w.Dir, fmt.Sprintf("bomb-%d.trace", i))
		if err := w.write(file, b); err != nil {
			return err
		}
		defer os.Remove(file)
		for _, command := range []string{"check", "render"} {
			if ctx.Err() != nil {
				w.note("%s of %s: there was no time left", command, b.name)
				continue
			}
			w.defuse(ctx, command, file, b.name)
		}
	}
	return nil
}

func (w *World) write(file string, b bomb) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	h := b.header
	h.Host, h.Root, h.Rounds, h.Seed = "sim", "/bomb", 1, 1
	h.Clients = min(h.Clients, max(1, w.n(h.Clients)))
	t, seq := trace.NewWriter(f, h), event.Seq(0)
	add := func(e event.Event) {
		seq++
		e.Seq, e.At = seq, time.Duration(seq)*b.step
		t.Append(e)
	}
	add(event.Event{Kind: event.RunStarted, Text: h.Recipe})
	add(event.Event{Kind: event.ZnodeCreated, Path: h.Root})
	b.events(w.n, add)
	add(event.Event{Kind: event.RunEnded, Reason: event.EndAllDone})
	return errors.Join(t.Flush(), f.Close())
}

// defuse runs a command on a trace. It is the processor's time that counts: a busy machine makes it no slower.
func (w *World) defuse(early context.Context, command, file, name string) {
	ctx, cancel := context.WithTimeout(early, 3*bombTime)
	defer cancel()
	_, errs, used, err := w.run(ctx, command, file)
	switch {
	case used >= bombTime:
		w.broken("%s of %s took %v of a processor and more, not at most %v", command, name, used.Round(time.Millisecond),
			bombTime)
	case early.Err() != nil:
		w.note("%s of %s: there was not enough time", command, name)
	case ctx.Err() != nil && used < bombTime:
		w.broken("%s of %s was not over after %v, %v of a processor", command, name, 3*bombTime, used.Round(time.Millisecond))
	case err != nil && strings.Contains(string(errs), "fatal error"):
		w.broken("%s of %s died: %.200s", command, name, errs)
	default:
		w.note("%s of %s took %v of a processor", command, name, used.Round(time.Millisecond))
	}
}

// run runs a command of the program with what it may have of memory.
func (w *World) run(ctx context.Context, args ...string) (out, errs []byte, used time.Duration, err error) {
	cmd := target.Limited(ctx, w.MemoryMB, w.Program, args...)
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &o, &e, 10*time.Second
	err = cmd.Run()
	if s := cmd.ProcessState; s != nil {
		used = s.UserTime() + s.SystemTime()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("viz-server %s: %w", args[0], err)
	}
	return o.Bytes(), e.Bytes(), used, err
}

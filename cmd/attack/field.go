package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/zkviz/zkviz/cmd/attack/internal/attacks"
	"github.com/zkviz/zkviz/cmd/attack/internal/client"
	"github.com/zkviz/zkviz/cmd/attack/internal/meter"
	"github.com/zkviz/zkviz/cmd/attack/internal/target"
	"github.com/zkviz/zkviz/engine/apache"
)

// The polite users' addresses, 127.0.0.N, and what they do. Attackers come from 127.0.1.N.
const (
	visitorHost = 2
	clientHost  = 3
	classHost   = 4
	ownHost     = 5 // of this program itself, for cleaning up
	newcomers   = 2 // their net

	visitorPause  = 250 * time.Millisecond
	clientPause   = 20 * time.Millisecond
	learnerPause  = 8 * time.Second
	learnerWaits  = 15 * time.Second
	newcomerPause = 1500 * time.Millisecond
	newcomerWaits = 5 * time.Second
	startPatience = 20 * time.Second // for the class to have its runs
	zkPath        = "/zkviz"
)

// crowd is how many polite users there are beside the visitor and the client.
type crowd struct {
	learners int
	clients  int           // of the recipe that each learner runs
	pause    time.Duration // between two things that a learner does
}

// aClass is the crowd that a server must bear.
func aClass() crowd { return crowd{learners: 30, clients: 200, pause: learnerPause} }

// field is the server under attack, with everything around it: a real ZooKeeper, a gate in front of that, and the
// polite users.
type field struct {
	crowd    crowd
	program  string
	memoryMB int
	dir      string // everything temporary

	zk     *apache.Server
	gate   *target.Gate
	server *target.Server

	pages, answers, arrivals meter.Samples // of the visitor, the ZooKeeper client, and the newcomers
	class                    *meter.Class

	leave  context.CancelFunc
	polite sync.WaitGroup

	outside, inside int // znodes on either ZooKeeper when nobody has done anything
}

// newField builds and starts everything but the server.
func newField(ctx context.Context, o options, c crowd) (f *field, err error) {
	if err := errors.Join(supported(), apache.Find()); err != nil {
		return nil, err
	}
	f = &field{crowd: c, program: o.server, memoryMB: o.memoryMB}
	if f.dir, err = os.MkdirTemp("", "zkviz-attack-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.close()
		}
	}()
	for _, dir := range []string{f.serverDir(), f.attackerDir()} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, err
		}
	}
	if f.program == "" {
		f.program = filepath.Join(f.dir, "viz-server")
		build := exec.CommandContext(ctx, "go", "build", "-o", f.program, "./cmd/viz-server")
		if text, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("build viz-server, which is done in the project's folder: %w\n%s", err, text)
		}
	}
	if f.program, err = filepath.Abs(f.program); err != nil {
		return nil, err
	}
	if f.zk, err = apache.Start(apache.Config{HeapMB: 256}); err != nil {
		return nil, err
	}
	if f.outside, err = f.znodesOutside(); err != nil {
		return nil, err
	}
	f.gate, err = target.NewGate(f.zk.Addr)
	return f, err
}

func (f *field) serverDir() string   { return filepath.Join(f.dir, "server") }
func (f *field) attackerDir() string { return filepath.Join(f.dir, "attacker") }

// ready has a server run, and polite users with it. It does nothing if all is well.
func (f *field) ready(ctx context.Context) (err error) {
	if f.server != nil && f.server.Death() == "" {
		return nil
	}
	f.dismiss()
	f.server, err = target.Start(target.Config{
		Program: f.program, MemoryMB: f.memoryMB, Dir: f.serverDir(), Apart: true,
		Args: []string{"--addr", "127.0.0.1:0", "--zk", f.gate.Addr, "--zk-path", zkPath, "--zk-listen", "127.0.0.1:0"},
	})
	if err != nil {
		f.server = nil
		return err
	}
	if f.inside, err = f.znodesInside(ctx); err != nil {
		return err
	}
	f.inside++ // the polite client's
	f.invite(ctx)
	for end := time.Now().Add(startPatience); f.class.Started() < f.crowd.learners && time.Now().Before(end) &&
		ctx.Err() == nil; {
		time.Sleep(100 * time.Millisecond)
	}
	return ctx.Err()
}

// invite lets the polite users in.
func (f *field) invite(ctx context.Context) {
	ctx, f.leave = context.WithCancel(ctx)
	s := f.server
	f.class = &meter.Class{
		From: client.Address(0, classHost), Base: s.Pages, Learners: f.crowd.learners, Clients: f.crowd.clients,
		Pause: f.crowd.pause, Patience: learnerWaits,
	}
	f.polite.Go(func() { meter.Visitor(ctx, client.Address(0, visitorHost), s.Pages, visitorPause, &f.pages) })
	f.polite.Go(func() { meter.ZooKeeper(ctx, client.Address(0, clientHost), s.ZooKeeper, clientPause, &f.answers) })
	f.polite.Go(func() { f.class.Attend(ctx) })
}

// dismiss sends the polite users home.
func (f *field) dismiss() {
	if f.leave != nil {
		f.leave()
		f.polite.Wait()
		f.leave = nil
	}
}

// newcome lets newcomers come until the returned function is called.
func (f *field) newcome(ctx context.Context, live bool) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	n := meter.Newcomers{Base: f.server.Pages, Live: live, Pause: newcomerPause, Patience: newcomerWaits, Net: newcomers}
	var coming sync.WaitGroup
	coming.Go(func() { n.Come(ctx, &f.arrivals) })
	return func() { cancel(); coming.Wait() }
}

// znodesInside counts those of the ZooKeeper inside, but for the polite client's own.
func (f *field) znodesInside(ctx context.Context) (int, error) {
	return attacks.Count(ctx, client.Address(0, ownHost), f.server.ZooKeeper, meter.PolitePath)
}

// znodesOutside counts those of the real ZooKeeper.
func (f *field) znodesOutside() (int, error) {
	for line := range strings.Lines(f.zk.Word("mntr")) {
		if text, ok := strings.CutPrefix(line, "zk_znode_count"); ok {
			return strconv.Atoi(strings.TrimSpace(text))
		}
	}
	return 0, errors.New("count the znodes on ZooKeeper: it does not say")
}

// shut ends the server as its operator would, and says what is wrong with that.
func (f *field) shut() error {
	f.dismiss()
	if f.server == nil {
		return nil
	}
	defer func() { f.server = nil }()
	return f.server.Stop()
}

// close ends whatever still runs, and removes all files.
func (f *field) close() {
	f.dismiss()
	if f.server != nil {
		f.server.Kill()
	}
	if f.gate != nil {
		f.gate.Close()
	}
	if f.zk != nil {
		f.zk.Close()
	}
	_ = os.RemoveAll(f.dir) // a temporary folder: whatever stays is the system's to clear
}

package attack

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// attacker is a process that runs attacks at the lowest priority until its standard input ends. It stops nothing
// cleanly, since the accidents and people that it stands for don't either.
type attacker struct {
	pages, zookeeper string
	class            string // the polite one
	scale            float64
}

// attack is an entry in holding or working.
type attack struct {
	name string
	play func(ctx context.Context, a *attacker, t *tally) // runs as long as the process
}

// tally counts the results of one attack's requests, and reports the first success.
type tally struct {
	net           byte // gives each attack its own addresses, so that attacks don't compete
	done, refused atomic.Int64
	first         func()
}

// count adds a result, and reports whether the server accepted the request.
func (t *tally) count(err error) bool {
	if err != nil {
		t.refused.Add(1)
		return false
	}
	if t.done.Add(1) == 1 {
		t.first()
	}
	return true
}

// handful is the number of addresses of an attack.
const handful = 8

// from returns one of the addresses, in turn.
func (t *tally) from(i int) from { return from{t.net, byte(1 + i%handful)} }

// play runs attacks. It prints each name once the attack has begun, and the results at the end.
func (a *attacker) play(names []string, in io.Reader, out io.Writer) {
	lines := make(chan string)
	all := slices.Concat(holding, working)
	tallies := make([]tally, len(all))
	for i, l := range all {
		if slices.Contains(names, l.name) {
			tallies[i].net, tallies[i].first = byte(10+i), func() { lines <- l.name }
			go l.play(context.Background(), a, &tallies[i])
		}
	}
	over := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, in)
		close(over)
	}()
	for {
		select {
		case line := <-lines:
			fmt.Fprintln(out, line)
			continue
		case <-over:
		}
		break
	}
	for i, l := range all {
		if t := &tallies[i]; t.first != nil {
			fmt.Fprintf(out, "%s: %d done, %d refused\n", l.name, t.done.Load(), t.refused.Load())
		}
	}
}

// attackers is an attacker process, as seen by the test.
type attackers struct {
	t     *testing.T
	names []string
	cmd   *exec.Cmd
	in    io.Closer
	out   *bufio.Scanner
}

// startAttackers starts attacks, and in a rehearsal waits until all have begun. They end with the test at the latest.
func startAttackers(t *testing.T, s *server, scale float64, names []string) *attackers {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	a := &attackers{t: t, names: names, cmd: exec.Command("nice", "-n", "19", self, "-play", strings.Join(names, ","),
		"-pages", s.pages, "-zookeeper", s.zookeeper, "-class", s.class, "-scale", fmt.Sprint(scale))}
	a.cmd.Stderr = os.Stderr
	in, err := a.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	a.in, a.out = in, bufio.NewScanner(out)
	t.Cleanup(func() { a.end() })
	begun := make(chan struct{})
	defer close(begun)
	go func() {
		select {
		case <-begun:
		case <-s.ended:
			_ = in.Close()
		case <-time.After(beginWithin):
			_ = in.Close() // end reports what the server did not accept
		}
	}()
	for n := 0; scale < 1 && n < len(names) && a.out.Scan(); n++ {
	}
	return a
}

// beginWithin bounds the time until the server has accepted each attack's first request.
const beginWithin = 5 * time.Minute

// end ends the attacks, and returns their results.
func (a *attackers) end() string {
	if a.in == nil {
		return ""
	}
	_ = a.in.Close()
	a.in = nil
	var all []string
	for a.out.Scan() {
		switch name, outcome, ended := strings.Cut(a.out.Text(), ": "); {
		case strings.HasPrefix(outcome, "0 done"):
			a.t.Errorf("the server took nothing from %s: %s", name, outcome)
		case ended:
			all = append(all, a.out.Text())
		}
	}
	if err := a.cmd.Wait(); err != nil {
		a.t.Errorf("the attackers of %v ended with %v", a.names, err)
	}
	return strings.Join(all, "\n")
}

func namesOf(all []attack) (names []string) {
	for _, l := range all {
		names = append(names, l.name)
	}
	return names
}

// named returns the attacks in a list of names, or all if the list is empty.
func named(all []attack, list string) []attack {
	if list == "" {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(l attack) bool {
		return !slices.Contains(strings.Split(list, ","), l.name)
	})
}

// size returns a scaled size, at least 1.
func (a *attacker) size(full int) int { return max(1, int(float64(full)*a.scale)) }

// start calls do with 0 to n-1, at most perSecond new calls a second. Each call repeats forever, with a pause.
func start(n, perSecond int, pause time.Duration, do func(i int)) {
	for i := range n {
		go func() {
			for {
				do(i)
				time.Sleep(pause)
			}
		}()
		time.Sleep(time.Second / time.Duration(perSecond))
	}
	select {}
}

// storm calls do forever, perSecond times a second, with at most so many workers.
func storm(perSecond, workers int, do func(i int)) {
	beat := time.NewTicker(time.Second / time.Duration(perSecond))
	busy := make(chan struct{}, workers)
	for i := 0; ; i++ {
		<-beat.C
		busy <- struct{}{}
		go func() {
			do(i)
			<-busy
		}()
	}
}

// parts is the number of requests in a multi, and ahead the number of multis in flight.
const (
	parts = 500
	ahead = 8
)

// many sends n requests as multis, several in flight.
func many(p *peer.Peer, n int, request func(i int) wire.Request) error {
	var out []int
	for sent, done := 0, 0; done < n; {
		for ; len(out) < ahead && sent < n; sent += out[len(out)-1] {
			multi := wire.Request{Op: wire.OpMulti}
			for i := sent; i < min(n, sent+parts); i++ {
				multi.Ops = append(multi.Ops, request(i))
			}
			if err := p.Send(multi); err != nil {
				return err
			}
			out = append(out, len(multi.Ops))
		}
		m, err := p.Recv()
		if err != nil {
			return err
		}
		if m.IsNotification {
			continue
		}
		if m.Response.Code != zoo.OK {
			return m.Response.Code
		}
		done, out = done+out[0], out[1:]
	}
	return nil
}

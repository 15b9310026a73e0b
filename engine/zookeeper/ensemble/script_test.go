package ensemble_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
	"github.com/zkviz/zkviz/engine/testing/golden"
	"github.com/zkviz/zkviz/engine/testing/virtual"
	"github.com/zkviz/zkviz/engine/zookeeper/ensemble"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// TestGoldenScripts plays the scripts in testdata. Each begins with what it shows. The commands:
//
//	ensemble voters=3 [observers=1] [tick=500ms] [turn=50ms] [flaw=NAME]   sets it up and starts it
//	run 300ms                     lets time pass, and prints what happens
//	quietly 300ms                 lets time pass
//	propose x [at=2]              makes the leader, or that server, propose x
//	crash 3 | power 3 | start 3 | pause 3 for=1s | slow 3 for=1s
//	partition 1 2 | 3 for=1s
//	show                          prints every server
func TestGoldenScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var p *play
		golden.Script(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "ensemble" {
				p = newPlay(t, d)
				return p.take()
			}
			return p.do(t, d)
		})
	})
}

// play is a running script.
type play struct {
	*virtual.World
	printed int
}

func newPlay(t *testing.T, d *datadriven.TestData) *play {
	cfg := ensemble.Config{Tick: 500 * time.Millisecond}
	for _, arg := range d.CmdArgs {
		switch arg.Key {
		case "voters":
			cfg.Voters, _ = strconv.Atoi(arg.Vals[0])
		case "observers":
			cfg.Observers, _ = strconv.Atoi(arg.Vals[0])
		case "tick":
			cfg.Tick, _ = time.ParseDuration(arg.Vals[0])
		case "turn":
			cfg.PhaseDelay, _ = time.ParseDuration(arg.Vals[0])
		case "flaw":
			cfg.Flaws, _ = zab.ParseFlaw(arg.Vals[0])
		default:
			d.Fatalf(t, "an ensemble has no %s", arg.Key)
		}
	}
	p := &play{World: virtual.New(cfg, 1, 0)}
	p.Start()
	return p
}

func (p *play) do(t *testing.T, d *datadriven.TestData) string {
	var id int
	var length time.Duration
	if len(d.CmdArgs) > 0 {
		id, _ = strconv.Atoi(d.CmdArgs[0].Key)
	}
	if d.HasArg("for") {
		var text string
		d.ScanArgs(t, "for", &text)
		length, _ = time.ParseDuration(text)
	}
	switch server := zab.ID(id); d.Cmd {
	case "run", "quietly":
		length, err := time.ParseDuration(d.CmdArgs[0].Key)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		p.Run(p.Now + length)
	case "propose":
		at := p.Leader()
		if d.HasArg("at") {
			var n int
			d.ScanArgs(t, "at", &n)
			at = zab.ID(n)
		}
		if at == 0 {
			return "nobody leads"
		}
		p.Server(at).Propose(virtual.Word(d.CmdArgs[0].Key), 0)
	case "crash":
		p.Crash(server, 0, 0)
	case "power":
		p.LosePower(server, 0, 0)
	case "start":
		p.StartAgain(server, 0)
	case "pause":
		p.Pause(server, length, 0)
	case "slow":
		p.SlowDisk(server, length)
	case "partition":
		p.Partition(sides(d), length, 0)
	case "show":
		return p.show()
	default:
		d.Fatalf(t, "there is no command %s", d.Cmd)
	}
	if d.Cmd == "quietly" {
		p.printed = len(p.Record.Events)
	}
	return p.take()
}

func sides(d *datadriven.TestData) (s ensemble.Sides) {
	side := &s.A
	for _, arg := range d.CmdArgs {
		if n, err := strconv.Atoi(arg.Key); err == nil {
			*side = side.With(zab.ID(n))
		} else if arg.Key == "|" {
			side = &s.B
		}
	}
	return s
}

// take returns the events since the last call, without pings.
func (p *play) take() string {
	var b strings.Builder
	for _, e := range p.Record.Events[p.printed:] {
		if e.Op != event.ServerPing {
			e.N = 0 // flights and digests
			b.WriteString(eventtext.Of(e) + "\n")
		}
	}
	p.printed = len(p.Record.Events)
	return b.String()
}

// show returns the state of every server: its role, its promised and adopted epochs, and its log. A bar separates
// the entries that are not on disk.
func (p *play) show() string {
	var b strings.Builder
	for id := zab.ID(1); int(id) <= p.Size(); id++ {
		s := p.Server(id)
		state := "down"
		if s.Up() {
			state = fmt.Sprintf("%v %v", s.Node().State(), s.Node().Phase())
		}
		fmt.Fprintf(&b, "%d %s, epochs %d %d, log", id, state, s.Disk.Accepted, s.Disk.Current)
		if z := s.Disk.Snapshot.Zxid; z != 0 {
			fmt.Fprintf(&b, " snapshot %d.%d", z.Epoch(), z.Counter())
		}
		for i, e := range s.Disk.Log {
			if i == s.Disk.Durable {
				b.WriteString(" |")
			}
			fmt.Fprintf(&b, " %d.%d:%s", e.Zxid.Epoch(), e.Zxid.Counter(), e.Txn)
		}
		if s.Up() {
			fmt.Fprintf(&b, ", has%v", p.Apps[id])
		}
		b.WriteString("\n")
	}
	return b.String()
}

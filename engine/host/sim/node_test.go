package sim_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/host/sim"
	"github.com/zkviz/zkviz/engine/stores/redis"
	"github.com/zkviz/zkviz/engine/stores/redis/model"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
	"github.com/zkviz/zkviz/engine/testing/golden"
)

// redisNodes returns nodes that all follow the first.
func redisNodes(n int) []sim.System {
	return []sim.System{{Nodes: n, New: func(id event.Actor, emit func(event.Event) event.Seq, _ uint64) remote.Node {
		return model.New(model.Config{ID: id, Emit: emit})
	}}}
}

var errOver = errors.New("over")

// programs lists what the clients of a script can run.
var programs = map[string]func(systems.World) error{
	// hold sets a key for a second, works for three, and deletes it.
	"hold": func(w systems.World) error {
		r := redis.New(w.Connect(1))
		for {
			got, err := r.SetNXPX("lock", w.Name(), time.Second)
			if err != nil {
				return err
			}
			if got {
				break
			}
			if err := w.Poll(400 * time.Millisecond); err != nil {
				return err
			}
		}
		w.Phase(program.Holding, program.Subject{Path: "lock"})
		if err := w.Work(3 * time.Second); err != nil {
			return err
		}
		_, err := r.CompareAndDelete("lock", w.Name())
		return err
	},
	// renew holds a key for as long as a thread beside it renews it, and works until all others wait.
	"renew": func(w systems.World) error {
		r := redis.New(w.Connect(1))
		if got, err := r.SetNXPX("lock", w.Name(), time.Second); err != nil || !got {
			return fmt.Errorf("set: %t, %w", got, err)
		}
		w.Phase(program.Holding, program.Subject{Path: "lock"})
		stop := w.Beside(func(w systems.World) error {
			r := redis.New(w.Connect(1))
			for {
				if err := w.Sleep(700 * time.Millisecond); err != nil {
					return err
				}
				if mine, err := r.CompareAndExpire("lock", w.Name(), time.Second); err != nil || !mine {
					return errOver
				}
			}
		})
		defer stop()
		if err := w.Work(2 * time.Second); err != nil {
			w.Phase(program.Lost, program.Subject{Path: "lock"})
			return nil
		}
		w.Phase(program.Released, program.Subject{Path: "lock"})
		return nil
	},
	// wait waits for an element for at most five seconds.
	"wait": func(w systems.World) error {
		v, got, err := redis.New(w.Connect(1)).BLPop("list", 5*time.Second)
		w.Note(fmt.Sprintf("%q %t", v, got))
		return err
	},
	// listen subscribes and waits for a message.
	"listen": func(w systems.World) error {
		r := redis.New(w.Connect(1))
		if err := r.Subscribe("news"); err != nil {
			return err
		}
		text, err := r.Next(4 * time.Second)
		w.Note(text)
		return err
	},
	// give settles, then pushes an element and publishes a message.
	"give": func(w systems.World) error {
		if err := w.Work(program.UntilSettled); err != nil {
			return err
		}
		r := redis.New(w.Connect(1))
		if _, err := r.Do("LPUSH", "list", "1"); err != nil {
			return err
		}
		_, err := r.Do("PUBLISH", "news", "hello")
		return err
	},
	// later pushes an element after a second.
	"later": func(w systems.World) error {
		if err := w.Sleep(time.Second); err != nil {
			return err
		}
		_, err := redis.New(w.Connect(1)).Do("LPUSH", "list", "1")
		return err
	},
	// count adds one to a number every half second, four times.
	"count": func(w systems.World) error {
		r := redis.New(w.Connect(1))
		for range 4 {
			n, err := r.Do("INCR", "n")
			w.Note(fmt.Sprint(n.Int, err))
			if err := w.Sleep(500 * time.Millisecond); err != nil {
				return err
			}
		}
		return nil
	},
}

// TestGoldenNodes plays scripts: a line "run PROGRAM …", with a program for each client and nodes=N, and a fault a
// line.
func TestGoldenNodes(t *testing.T) {
	golden.Script(t, "testdata/nodes", func(t *testing.T, d *datadriven.TestData) string {
		cfg := sim.Config{NoZooKeeper: true, Systems: redisNodes(1), Seed: 1, MaxTime: time.Minute}
		var procs []systems.Program
		for _, a := range d.CmdArgs {
			if a.Key == "nodes" {
				cfg.Systems = redisNodes(int(a.Vals[0][0] - '0'))
				continue
			}
			procs = append(procs, systems.Program{Main: programs[a.Key]})
		}
		for _, line := range strings.Split(d.Input, "\n") {
			if line == "" {
				continue
			}
			f, err := fault.Parse(line)
			if err != nil {
				return err.Error()
			}
			cfg.Faults = append(cfg.Faults, f)
		}
		var log event.Log
		if err := sim.Run(context.Background(), cfg, procs, &log); err != nil {
			return err.Error()
		}
		var b []byte
		for _, e := range log.Events {
			switch e.Kind {
			case event.MsgSent, event.MsgReceived:
				if e.Op != event.Replicate {
					continue
				}
			case event.ClientStarted, event.RunStarted:
				continue
			}
			b = append(b, eventtext.Of(e)+"\n"...)
		}
		return string(b)
	})
}

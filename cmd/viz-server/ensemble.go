package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/zkviz/zkviz/engine/base/escape"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
)

// ensembleHelp lists the commands that can be typed while an ensemble runs.
const ensembleHelp = `crash server-1                            end its process at once
start server-1                            start its process again, with what is on its disk
restart server-1 for 5s                   crash it, and start it again after this time
power server-1 for 5s                     the same, but it loses what is not on its disk
pause server-1 for 5s                     pause its process
slow server-1 for 5s                      make each write to its disk take a second
partition server-1 | server-2 server-3 for 10s
                                          let nothing through between the two groups
heal                                      let everything through again
status                                    print each server's state
help                                      print this list
Ctrl-C stops all servers.
`

// ensemble runs an ensemble until the user interrupts.
func (c *zookeeperCmd) ensemble(cfg embed.Config, term *terminal) error {
	e, err := embed.ListenEnsemble(embed.EnsembleConfig{
		Config: cfg, Servers: c.Servers, Observers: c.Observers, Latency: c.Latency, Fsync: c.Fsync,
	})
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%w with --addr", err)
	}
	if err != nil {
		return err
	}
	if at := e.ConnectString(); !embed.Loopback(c.Addr) {
		term.say("warning: anyone who can reach %s can read and write every znode that no ACL protects", at)
	}
	fmt.Fprintf(term.out, "ZooKeeper-compatible ensemble on %s, tick %v, keeping its data only until it stops. "+
		"Type help for the faults that you can cause. Ctrl-C stops it.\n", e.ConnectString(), c.Tick)
	if term.in != nil {
		go control(e, term)
	}
	printChanges(term.ctx, e, term)
	return e.Close()
}

// control carries out typed commands until the input ends.
func control(e *embed.Ensemble, term *terminal) {
	lines := bufio.NewScanner(term.in)
	for lines.Scan() {
		switch text := strings.TrimSpace(lines.Text()); text {
		case "":
		case "help":
			fmt.Fprint(term.out, ensembleHelp)
		case "heal":
			e.Heal()
		case "status":
			for i, s := range e.State() {
				fmt.Fprintf(term.out, "%s zxid %#x, %s, %s\n", describe(i, s), s.Zxid, count(s.Sessions, "session"), s.Addr)
			}
		default:
			if err := runTyped(e, text); err != nil {
				term.complain("%v; type help", err)
			}
		}
	}
}

func runTyped(e *embed.Ensemble, text string) error {
	if slices.Contains(strings.Fields(text), "at") {
		return fmt.Errorf("%s: it happens as soon as you type it; leave out 'at' and its time", escape.Line(text))
	}
	f, err := fault.Parse(fault.WithTime(text, 0))
	if err == nil {
		err = e.Inject(f)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", escape.Line(text), err)
	}
	return nil
}

// printChanges prints each change of a server's state until ctx ends.
func printChanges(ctx context.Context, e *embed.Ensemble, term *terminal) {
	var printed []string
	for {
		for i, s := range e.State() {
			if i == len(printed) {
				printed = append(printed, "")
			}
			if now := describe(i, s); now != printed[i] {
				printed[i] = now
				fmt.Fprintln(term.out, now)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-e.Changed():
		}
	}
}

// describe returns a server's state in words.
func describe(i int, s embed.ServerState) string {
	name := fmt.Sprintf("server-%d", i+1)
	switch {
	case !s.Up:
		return name + " is down"
	case s.Paused:
		return name + " is paused"
	case !s.Serves:
		return name + " looks for a leader"
	case s.Mode == "leader":
		return fmt.Sprintf("%s leads epoch %d", name, s.Epoch)
	case s.Mode == "observer":
		return fmt.Sprintf("%s observes epoch %d", name, s.Epoch)
	}
	return fmt.Sprintf("%s follows in epoch %d", name, s.Epoch)
}

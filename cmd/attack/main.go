// Command attack plays against a viz-server what somebody could who means it no good, or an accident: attacks on
// its memory, on its processors, on what all users share, and on the operator's data. The server is held to an
// amount of memory, and polite users work with it meanwhile: a visitor, a ZooKeeper client, a class of learners,
// newcomers. The program ends with 1 if an attack was not survived or anybody was not served, and with 2 if it
// could not play. Run it with make attack.
//
// # How it measures
//
// It runs viz-server serve with RLIMIT_DATA of 1 GB (ulimit -d): that counts what Go has mapped to write to and not
// what it has only reserved, so a server that wants more dies as it would in a container. Beside it run an Apache
// ZooKeeper, behind a gate that counts who connects, and the polite users, in this process and at its priority, each at
// an address of its own: a visitor who loads a page every 250 ms, a ZooKeeper client with a round trip every 20 ms,
// thirty learners behind one address, and newcomers who want a lesson, the Zoo, Live or figures at once. An attack is a
// process of its own at nice 19 with a bounded rate, so that what is measured is the server under a network's worth of
// attack rather than meters without a processor. It comes from one address or from many of 127.0.0.0/8, since budgets
// go by the address, and can dial nothing but loopback addresses: the dialer looks at each.
//
// A page may take 200 ms and an answer of the ZooKeeper inside 50 ms, at the 99th percentile of each attack. Afterwards
// open files, memory, temporary files and znodes on both ZooKeepers have to be as before; at the end the server must
// stop as it is asked to. Attacks on the operator's data, on his cluster by a foreign page, and on the commands that
// read traces are played on servers and processes of their own; commands are held to the processor's time that they
// take. How much of the processors programs used that are not part of it is read from /proc/stat: above a tenth, its
// times mean nothing, and it says so and fails.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/zkviz/zkviz/cmd/attack/internal/attacks"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// options are the command line.
type options struct {
	span     time.Duration
	only     string
	list     bool
	server   string
	memoryMB int
	learners int
	play     string
}

func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	var o options
	flags := flag.NewFlagSet("attack", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.DurationVar(&o.span, "for", 10*time.Minute, "how long all attacks may take together")
	flags.StringVar(&o.only, "only", "", "the attacks to play, separated by commas; all if empty")
	flags.BoolVar(&o.list, "list", false, "name the attacks and what they show")
	flags.StringVar(&o.server, "server", "", "a built viz-server; without it, one is built")
	flags.IntVar(&o.memoryMB, "memory", 1024, "what the server may have of memory, in MB")
	flags.IntVar(&o.learners, "learners", aClass().learners,
		"how many learners there are; with fewer, the figures say less")
	flags.StringVar(&o.play, "play", "", "be the attacker: for this program's own use")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	held, err := o.do(ctx, in, out)
	switch {
	case err != nil:
		fmt.Fprintln(errs, "attack:", err)
		return 2
	case !held:
		return 1
	}
	return 0
}

// do does what the options say. It reports whether everything held.
func (o options) do(ctx context.Context, in io.Reader, out io.Writer) (held bool, err error) {
	if o.play != "" {
		return true, beAttacker(ctx, o.play, in, out)
	}
	var names []string
	for name := range strings.SplitSeq(o.only, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	chosen, err := attacks.Find(names)
	if err != nil {
		return false, fmt.Errorf("-only: %w", err)
	}
	if o.list {
		for _, a := range chosen {
			fmt.Fprintf(out, "%-18s %s\n", a.Name, a.Shows)
		}
		return true, nil
	}
	if o.span <= 0 || o.memoryMB <= 0 || o.learners <= 0 {
		return false, fmt.Errorf("-for, -memory and -learners are more than 0, not %v, %d and %d", o.span, o.memoryMB,
			o.learners)
	}
	c := aClass()
	c.learners = o.learners
	return campaign(ctx, o, c, chosen, out)
}

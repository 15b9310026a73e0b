// Command attack plays against a viz-server what somebody could who means it no good, or an accident: attacks on
// its memory, on its processors, on what all users share, and on the operator's data. The server is held to an
// amount of memory, and polite users work with it meanwhile: a visitor, a ZooKeeper client, a class of learners,
// newcomers. The program ends with 1 if an attack was not survived or anybody was not served, and with 2 if it
// could not play. Run it with make attack. ARCHITECTURE.md says how it measures.
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
	flags.IntVar(&o.learners, "learners", aClass().learners, "how many learners there are; with fewer, the figures say less")
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
		return false, fmt.Errorf("-for, -memory and -learners are more than 0, not %v, %d and %d", o.span, o.memoryMB, o.learners)
	}
	c := aClass()
	c.learners = o.learners
	return campaign(ctx, o, c, chosen, out)
}

// Command conform compares the embedded server with Apache ZooKeeper. It sends the same generated sequences of
// requests, connections and faults to both, and reports differences that a client can see. It exits with 1 if there
// is a difference, and with 2 if it could not compare.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/testing/conform"
	"github.com/zkviz/zkviz/engine/testing/conform/servers"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

const usage = `usage: conform [flags]

Compares server B, by default the embedded server, with server A, by default Apache ZooKeeper as Debian packages
it (apt install zookeeper). Both must be stand-alone servers without data that nobody else uses: what is sent
to them can harm an ensemble.

`

type options struct {
	ops, lanes, most, size int
	seed                   uint64
	a, b                   string
	shrink                 bool
	first                  int
	play                   string
}

func run(ctx context.Context, args []string, out, errs io.Writer) int {
	var o options
	flags := flag.NewFlagSet("conform", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.Usage = func() { fmt.Fprint(errs, usage); flags.PrintDefaults() }
	flags.IntVar(&o.ops, "ops", 1_000_000, "requests to compare")
	flags.Uint64Var(&o.seed, "seed", 0, "of the scripts; 0 draws one, which is printed")
	flags.IntVar(&o.first, "first", 0, "number of the first script, to repeat one")
	flags.IntVar(&o.size, "size", 1000, "requests in a script")
	flags.IntVar(&o.lanes, "lanes", 2, "pairs of servers that work at once")
	flags.IntVar(&o.most, "most", 20, "differences after which it gives up")
	flags.BoolVar(&o.shrink, "shrink", true, "reduce each difference to a minimal script")
	flags.StringVar(&o.a, "a", "zookeeper", `"zookeeper", "embedded", or host:port of a server`)
	flags.StringVar(&o.b, "b", "embedded", "as -a")
	flags.StringVar(&o.play, "play", "", "play the script in this file on A and print it with its answers")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if o.seed == 0 {
		o.seed = rand.Uint64N(1_000_000)
	}
	if o.play != "" {
		return play(o, out, errs)
	}
	return compare(ctx, o, out, errs)
}

func play(o options, out, errs io.Writer) int {
	text, err := os.ReadFile(o.play)
	if err == nil {
		var recorded string
		if recorded, err = servers.Record(o.a, string(text), 0); err == nil {
			fmt.Fprint(out, recorded)
			return 0
		}
	}
	fmt.Fprintln(errs, "conform:", err)
	return 2
}

func compare(ctx context.Context, o options, out, errs io.Writer) int {
	c := conform.Config{
		A: servers.Named(o.a), B: servers.Named(o.b), First: o.first,
		Generator: conform.Generator{Seed: o.seed, Requests: o.size},
		Requests:  int64(o.ops), Lanes: o.lanes, Most: o.most, Shrink: o.shrink,
	}
	fmt.Fprintf(out, "%s against %s, seed %d\n", o.b, o.a, o.seed)
	start, last := time.Now(), time.Time{}
	c.Found = func(d *conform.Difference) { fmt.Fprintf(out, "\n%s\n", d) }
	c.Progress = func(r conform.Report) {
		if now := time.Now(); now.Sub(last) > 5*time.Second {
			last = now
			fmt.Fprintf(out, "%v  %d requests, %d scripts, %d differences\n", now.Sub(start).Round(time.Second), r.Requests,
				r.Scripts, r.Total())
		}
	}
	r, err := conform.Run(ctx, c)
	fmt.Fprintf(out, "%d requests in %d scripts, %v: %d differences\n", r.Requests, r.Scripts,
		time.Since(start).Round(time.Second), r.Total())
	for _, kind := range slices.Sorted(maps.Keys(r.Differences)) {
		fmt.Fprintf(out, "%6d  %s\n", r.Differences[kind], kind)
	}
	if err == nil {
		err = ctx.Err() // an interrupted comparison proves nothing
	}
	switch {
	case err != nil:
		fmt.Fprintln(errs, "conform:", err)
		return 2
	case r.Total() > 0:
		return 1
	}
	return 0
}

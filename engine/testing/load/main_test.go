// Package load keeps many sessions and watches on an embedded server for a while and checks the cost. It fails if
// the server's memory grows or a session is lost. Then it drops some connections without closing their sessions,
// and checks when their ephemeral znodes go. It contains only tests.
//
// The server runs in a process of its own, this test program started again, so that its memory is separate from the
// clients'. Run it with make load.
package load

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"time"
)

// options holds the settings that make load accepts in LOAD.
type options struct {
	sessions int           // from the beginning to the end
	watches  int           // on znodes, all sessions together
	span     time.Duration // counted from when all sessions are open
	timeout  time.Duration // of the sessions
	every    time.Duration // between two memory samples
	killed   int           // connections to drop at the end
}

// asked holds the command line's options. Only TestMain writes it.
var asked options

func TestMain(m *testing.M) {
	serve := flag.Bool("serve", false, "be the server: for this program's own use")
	flag.IntVar(&asked.sessions, "sessions", 1000, "how many sessions there are")
	flag.IntVar(&asked.watches, "watches", 10_000, "how many watches they have together")
	flag.DurationVar(&asked.span, "for", 0, "how long; without it TestLoad is small and short")
	flag.DurationVar(&asked.timeout, "timeout", 10*time.Second, "the sessions' timeout; they ping every third of it")
	flag.DurationVar(&asked.every, "every", 5*time.Second, "how often the server's memory is looked at")
	flag.IntVar(&asked.killed, "kill", 100, "how many connections are dropped at the end")
	flag.Parse()
	if *serve {
		if err := beServer(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "load:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// TestLoad runs the load of make load. Without -for it is a small, short load: it takes all the same steps, but
// only prints what depends on the machine's speed.
func TestLoad(t *testing.T) {
	o := asked
	if o.span == 0 {
		t.Parallel()
		o = options{sessions: 20, watches: 200, span: time.Second, timeout: 30 * time.Second, every: 100 * time.Millisecond,
			killed: 3}
	}
	kept, err := load(o, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	if asked.span > 0 && !kept {
		t.Error("the server does not bear the load")
	}
}

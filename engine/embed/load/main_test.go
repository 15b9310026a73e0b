// Package load keeps many sessions and watches on an embedded server for a while, and looks at what that costs: a
// server whose memory grows, or that loses a session, fails. Then it drops some connections without a word, and
// looks at when their ephemeral znodes go. It is only tests.
//
// The server is a process of its own, this test's program called again, so that its memory can be told from the
// clients'. Run it with make load.
package load

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"time"
)

// options are what make load may be told in LOAD.
type options struct {
	sessions int           // that last from the beginning to the end
	watches  int           // on znodes, all sessions together
	span     time.Duration // from when all are there
	timeout  time.Duration // of the sessions
	every    time.Duration // between two looks at the memory
	killed   int           // connections that are dropped at the end
}

// asked is what the command line says. Only TestMain writes it.
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

// TestLoad is what make load runs. Without -for it is a small load for a short time: it goes the same way to its end,
// but what depends on the machine's pace is only printed.
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

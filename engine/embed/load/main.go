// Load keeps many sessions and watches on an embedded server for a while, and looks at what that costs: a
// server whose memory grows, or that loses a session, fails. Then it drops some connections without a word, and
// looks at when their ephemeral znodes go.
//
// The server is a process of its own, this program called again, so that its memory can be told from the
// clients'. Run it with make load.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

// options are the command line.
type options struct {
	sessions int           // that last from the beginning to the end
	watches  int           // on znodes, all sessions together
	span     time.Duration // from when all are there
	timeout  time.Duration // of the sessions
	every    time.Duration // between two looks at the memory
	killed   int           // connections that are dropped at the end
}

func main() {
	var o options
	serve := flag.Bool("serve", false, "be the server: for this program's own use")
	flag.IntVar(&o.sessions, "sessions", 1000, "how many sessions there are")
	flag.IntVar(&o.watches, "watches", 10_000, "how many watches they have together")
	flag.DurationVar(&o.span, "for", 10*time.Minute, "how long")
	flag.DurationVar(&o.timeout, "timeout", 10*time.Second, "the sessions' timeout; they ping every third of it")
	flag.DurationVar(&o.every, "every", 5*time.Second, "how often the server's memory is looked at")
	flag.IntVar(&o.killed, "kill", 100, "how many connections are dropped at the end")
	flag.Parse()
	var err error
	if *serve {
		err = beServer(os.Stdin, os.Stdout)
	} else {
		err = load(o, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

package clienttest

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// Program is a running client that takes commands line by line. It ends with the test at the latest.
type Program struct {
	tb   testing.TB
	cmd  *exec.Cmd
	in   io.WriteCloser
	said chan string // closed when it has ended
	last []string    // of its output
	over bool
}

const (
	patience = 10 * time.Minute // bounds every wait, even on a slow machine
	unheard  = 1000             // lines: a program with more unread output has to wait
	kept     = 20               // lines, for the error if it ends too early
)

// Start starts a program. Hear gets the lines of both its outputs.
func Start(tb testing.TB, cmd *exec.Cmd) *Program {
	tb.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	p := &Program{tb: tb, cmd: cmd, in: in, said: make(chan string, unheard)}
	go func() {
		defer close(p.said)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			p.said <- strings.TrimSpace(lines.Text())
		}
	}()
	tb.Cleanup(p.kill)
	return p
}

// Tell sends the program a line. It does nothing if the program has ended.
func (p *Program) Tell(line string) { _, _ = fmt.Fprintln(p.in, line) }

// Hear waits for a line that contains one of these texts, and returns both. The test fails if none comes.
func (p *Program) Hear(any ...string) (which, line string) {
	p.tb.Helper()
	late := time.After(patience)
	for {
		select {
		case line, ok := <-p.said:
			if !ok {
				p.tb.Errorf("%s has ended before it printed one of %q; it printed\n%s", p.cmd, any, p.words())
				return "", ""
			}
			p.keep(line)
			for _, want := range any {
				if strings.Contains(line, want) {
					return want, line
				}
			}
		case <-late:
			p.tb.Errorf("%s does not print one of %q", p.cmd, any)
			return "", ""
		}
	}
}

// End ends the program's input, at which the program should end, and waits until it has.
func (p *Program) End() {
	p.tb.Helper()
	late := time.AfterFunc(patience, func() { _ = p.cmd.Process.Kill() })
	defer late.Stop()
	if err := p.wait(); err != nil {
		p.tb.Errorf("%s: %v; it printed\n%s", p.cmd, err, p.words())
	}
}

// wait ends the program's input, and reads its remaining output.
func (p *Program) wait() error {
	p.over = true
	_ = p.in.Close() // it may have ended by itself
	for line := range p.said {
		p.keep(line)
	}
	return p.cmd.Wait()
}

func (p *Program) keep(line string) {
	if p.last = append(p.last, line); len(p.last) > kept {
		p.last = p.last[1:]
	}
}

func (p *Program) words() string { return strings.Join(p.last, "\n") }

// kill ends a program that has not ended.
func (p *Program) kill() {
	if p.over {
		return
	}
	_ = p.cmd.Process.Kill() // it may have ended by itself
	_ = p.wait()             // reports the signal
	if p.tb.Failed() {
		p.tb.Logf("%s said\n%s", p.cmd, p.words())
	}
}

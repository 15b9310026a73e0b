package programs

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/testing/clienttest"
)

// Program is a process with clients of one library. It ends with the test at the latest.
type Program struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	over chan struct{} // closed once it has ended and all its lines are in the book

	mu   sync.Mutex
	book *Book
}

// The libraries, by the letter with which the names of their clients begin.
const (
	Curator     = "j" // and ZooKeeper's own recipes
	Kazoo       = "k"
	GoZooKeeper = "g"
)

// recipeJars are the files of ZooKeeper's own recipes.
const recipeJars = ":/usr/share/java/zookeeper-recipes-lock.jar:/usr/share/java/zookeeper-recipes-election.jar"

var (
	//go:embed testdata/Programs.java
	curatorSource []byte
	//go:embed testdata/programs.py
	kazooSource []byte
)

// Need skips the test if a library isn't installed, or fails it if CI is set.
func Need(tb testing.TB) {
	tb.Helper()
	clienttest.Need(tb, clienttest.Curator, clienttest.Kazoo)
}

// Start starts a program for clients of a library, given by its letter, with the given session timeout. Its lines go
// into the book. With PEM files of an authority, a certificate and its key, kazoo's clients connect by TLS. Programs
// with go-zookeeper's clients are the test's own binary: TestMain has to call Main.
func Start(tb testing.TB, b *Book, library, servers string, session time.Duration, files ...string) *Program {
	tb.Helper()
	timeout := fmt.Sprint(session.Milliseconds())
	var cmd *exec.Cmd
	switch library {
	case Curator:
		cmd = clienttest.Curator.Command(tb.Context(), "-cp", clienttest.Jars+recipeJars,
			source(tb, "Programs.java", curatorSource), servers, timeout)
	case Kazoo:
		file := source(tb, "programs.py", kazooSource)
		cmd = clienttest.Kazoo.Command(tb.Context(), append([]string{file, servers, timeout}, files...)...)
	default:
		self, err := os.Executable()
		if err != nil {
			tb.Fatal(err)
		}
		cmd = exec.CommandContext(tb.Context(), self)
		cmd.Env = append(cmd.Environ(), variable+"="+servers+" "+session.String())
	}
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
	p := &Program{cmd: cmd, in: in, over: make(chan struct{}), book: b}
	go func() {
		defer close(p.over)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			p.says(lines.Text())
		}
		_ = cmd.Wait() // a signal, if it was killed
	}()
	tb.Cleanup(p.Kill)
	return p
}

// source writes a program into a file, and returns its name.
func source(tb testing.TB, name string, text []byte) string {
	tb.Helper()
	file := filepath.Join(tb.TempDir(), name)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		tb.Fatal(err)
	}
	return file
}

// WriteTo redirects its lines into another book.
func (p *Program) WriteTo(b *Book) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.book = b
}

func (p *Program) says(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.book.add(text)
}

// Over returns a channel that is closed once the program has ended and all its lines are in the book.
func (p *Program) Over() <-chan struct{} { return p.over }

// Ended reports whether the program has ended.
func (p *Program) Ended() bool {
	select {
	case <-p.over:
		return true
	default:
		return false
	}
}

// Tell sends it a line. A program that has ended doesn't get it.
func (p *Program) Tell(words ...string) { _, _ = fmt.Fprintln(p.in, strings.Join(words, " ")) }

// Signal sends it a signal.
func (p *Program) Signal(s os.Signal) error { return p.cmd.Process.Signal(s) }

// Kill ends it at once.
func (p *Program) Kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.over
}

// End ends its input, so that it closes its sessions.
func (p *Program) End() {
	_ = p.in.Close()
	late := time.AfterFunc(patience, func() { _ = p.cmd.Process.Kill() })
	defer late.Stop()
	<-p.over
}

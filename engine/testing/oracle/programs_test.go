package oracle

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/testing/clienttest"
)

const (
	sessionTimeout = 10 * time.Second
	patience       = 10 * time.Minute // bounds every wait, even on a slow machine
)

// book collects what all programs have said.
type book struct {
	tb    testing.TB
	mu    sync.Mutex
	lines []Line
	other []string      // output that isn't a Line
	news  chan struct{} // closed with the next line
}

func newBook(tb testing.TB) *book { return &book{tb: tb, news: make(chan struct{})} }

func (b *book) add(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l, ok := Parse(text); ok {
		b.lines = append(b.lines, l)
	} else {
		b.other = append(b.other, text)
	}
	b.ring()
}

// ring wakes all waiting goroutines. The caller holds mu.
func (b *book) ring() {
	close(b.news)
	b.news = make(chan struct{})
}

// all returns what has been said so far.
func (b *book) all() []Line {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.lines)
}

// await waits for a matching line, from the nth on, and returns it.
func (b *book) await(n int, what string, is func(Line) bool) Line {
	b.tb.Helper()
	late := time.After(patience)
	for {
		b.mu.Lock()
		lines, news := b.lines, b.news
		b.mu.Unlock()
		for ; n < len(lines); n++ {
			if is(lines[n]) {
				return lines[n]
			}
		}
		select {
		case <-news:
		case <-late:
			b.tb.Fatalf("no program says that %s; they said\n%s", what, b.text())
		}
	}
}

func (b *book) text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all strings.Builder
	for _, l := range b.lines {
		fmt.Fprintln(&all, l)
	}
	return all.String() + strings.Join(b.other, "\n")
}

// len returns the number of lines.
func (b *book) len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.lines)
}

// program is a process with clients of one library.
type program struct {
	tb   testing.TB
	cmd  *exec.Cmd
	in   io.WriteCloser
	over chan struct{} // closed once it has ended and all its lines are in the book

	mu   sync.Mutex
	book *book
}

// write redirects its lines into another book.
func (p *program) write(b *book) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.book = b
}

func (p *program) says(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.book.add(text)
}

// ended reports whether the program has ended.
func (p *program) ended() bool {
	select {
	case <-p.over:
		return true
	default:
		return false
	}
}

// The clients' names begin with a letter for their library.
const (
	curators = "j"
	kazoos   = "k"
	gozks    = "g"
)

// recipeJars are the files of ZooKeeper's own recipes.
const recipeJars = ":/usr/share/java/zookeeper-recipes-lock.jar:/usr/share/java/zookeeper-recipes-election.jar"

// start starts a program for clients of a library, with the given session timeout.
func start(tb testing.TB, b *book, library, servers string, session time.Duration) *program {
	tb.Helper()
	timeout := fmt.Sprint(session.Milliseconds())
	var cmd *exec.Cmd
	switch library {
	case curators:
		cmd = clienttest.Curator.Command(tb.Context(), "-cp", clienttest.Jars+recipeJars, "testdata/Programs.java", servers,
			timeout)
	case kazoos:
		cmd = clienttest.Kazoo.Command(tb.Context(), "testdata/programs.py", servers, timeout)
	default:
		self, err := os.Executable()
		if err != nil {
			tb.Fatal(err)
		}
		cmd = exec.CommandContext(tb.Context(), self, "-gozk", servers, "-session", session.String())
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
	p := &program{tb: tb, cmd: cmd, in: in, over: make(chan struct{}), book: b}
	go func() {
		defer close(p.over)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			p.says(lines.Text())
		}
		_ = cmd.Wait() // a signal, if it was killed
	}()
	tb.Cleanup(p.kill)
	return p
}

// tell sends it a line. A program that has ended doesn't get it.
func (p *program) tell(words ...string) { _, _ = fmt.Fprintln(p.in, strings.Join(words, " ")) }

// kill ends it at once.
func (p *program) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.over
}

// end ends its input, so that it closes its sessions.
func (p *program) end() {
	_ = p.in.Close()
	late := time.AfterFunc(patience, func() { _ = p.cmd.Process.Kill() })
	defer late.Stop()
	<-p.over
}

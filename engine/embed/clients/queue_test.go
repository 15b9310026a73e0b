package clients

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/live/clienttest"
	"github.com/zkviz/zkviz/static/join"
)

// oneQueue lets the programs that a reader may run stand in one queue with each other. They find it taken,
// and when all of them wait, it is opened: each must get in three times, and alone. Their sessions are as short as
// a reader likes them, and some give up with an error on a machine that stands still: then all try again.
func oneQueue(t *testing.T, addr string) {
	programs, err := join.Programs()
	if err != nil {
		t.Fatal(err)
	}
	clienttest.Need(t, clienttest.Curator, clienttest.Kazoo, clienttest.ZkCli)
	conn := connect(t, addr)
	create(t, conn, filepath.Dir(join.Path), "")
	create(t, conn, join.Path, "")
	const tries = 4
	for try := 1; ; try++ {
		lock := zk.NewLock(conn, join.Path, zk.WorldACL(zk.PermAll))
		if err := lock.Lock(); err != nil {
			t.Fatal(err)
		}
		said, gaveUp := runTogether(t, addr, programs, func(oneGaveUp <-chan struct{}) {
			awaitChildren(t, conn, join.Path, func(n int) bool { return n > len(programs) }, oneGaveUp)
			if err := lock.Unlock(); err != nil {
				t.Error(err)
			}
		})
		awaitChildren(t, conn, join.Path, func(n int) bool { return n == 0 }, nil)
		if len(gaveUp) == 0 {
			takeTurns(t, said, programs)
			return
		}
		if try == tries {
			t.Fatalf("in %d tries not all came to their end: %q", tries, gaveUp)
		}
		t.Logf("try %d: %q", try, gaveUp)
	}
}

// runTogether starts the programs, does something, and returns the lines that they printed until they had ended, and
// what those said that gave up. They print to one pipe, so the order of the lines is that in which they were printed.
func runTogether(t *testing.T, addr string, programs []join.Program, then func(oneGaveUp <-chan struct{})) (said,
	gaveUp []string) {
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	var ended sync.WaitGroup
	var mu sync.Mutex
	oneGaveUp := make(chan struct{})
	for _, p := range programs {
		cmd := program(t, p, addr)
		cmd.Stdout = in
		var errs strings.Builder
		cmd.Stderr = &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended.Go(func() {
			if err := cmd.Wait(); err != nil {
				mu.Lock()
				defer mu.Unlock()
				if gaveUp = append(gaveUp, fmt.Sprintf("%s: %v\n%s", cmd, err, errs.String())); len(gaveUp) == 1 {
					close(oneGaveUp)
				}
			}
		})
	}
	in.Close()
	then(oneGaveUp)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		said = append(said, lines.Text())
	}
	ended.Wait()
	return said, gaveUp
}

// program is how a program's reader runs it, with the server's address and no time to spend inside.
func program(t *testing.T, p join.Program, addr string) *exec.Cmd {
	cmd := exec.CommandContext(within(t), p.Command[0], append(p.Command[1:], addr, "0")...)
	cmd.Dir = "../../../static/join"
	cmd.WaitDelay = time.Minute // for what it started itself
	return cmd
}

// awaitChildren waits until there are as many as wanted, or never will be.
func awaitChildren(t *testing.T, conn *zk.Conn, path string, enough func(n int) bool, never <-chan struct{}) {
	t.Helper()
	timeout := time.After(limit)
	for {
		names, _, changed, err := conn.ChildrenW(path)
		if err != nil {
			t.Fatal(err)
		}
		if enough(len(names)) {
			return
		}
		select {
		case <-changed:
		case <-never:
			return
		case <-timeout:
			t.Fatalf("after %v these stand in the queue: %q", limit, names)
		}
	}
}

// takeTurns wants that anyone who goes in comes out before the next one, and that each went in three times.
func takeTurns(t *testing.T, said []string, programs []join.Program) {
	t.Helper()
	entered := map[string]int{}
	var inside string
	for _, line := range said {
		name, what, _ := strings.Cut(line, ": ")
		switch {
		case what == "inside" && inside == "":
			inside = name
			entered[name]++
		case what == "leaving" && inside == name:
			inside = ""
		default:
			t.Errorf("%q, while %q was inside", line, inside)
		}
	}
	for _, p := range programs {
		if entered[p.Name] != 3 {
			t.Errorf("%s went in %d times, want 3", p.Name, entered[p.Name])
		}
	}
	if t.Failed() {
		t.Log("they said:\n" + strings.Join(said, "\n"))
	}
}

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

	"github.com/zkviz/zkviz/engine/testing/clienttest"
	"github.com/zkviz/zkviz/static/join"
)

// oneQueue puts the programs offered to readers into one queue. They find the lock taken, and it opens when all of
// them wait. Each must then get in three times, and alone. Their sessions are short, so on a machine that stalls
// some give up with an error. Then all try again.
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

// runTogether starts the programs and calls then. It returns the lines that they printed until they ended, and the
// errors of those that gave up. They print to one pipe, which keeps the order of their lines.
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

// program returns the command that a reader would run, with the server's address and no delay inside the lock.
func program(t *testing.T, p join.Program, addr string) *exec.Cmd {
	cmd := exec.CommandContext(within(t), p.Command[0], append(p.Command[1:], addr, "0")...)
	cmd.Dir = "../../../static/join"
	cmd.WaitDelay = time.Minute // for its own child processes
	return cmd
}

// awaitChildren waits until there are enough children or never closes.
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

// takeTurns checks that each program leaves before the next one enters, and that each entered three times.
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

package clients

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/static/join"
)

// oneQueue lets the programs that a reader may run stand in one queue with each other. They find it taken,
// and when all of them wait, it is opened: each must get in three times, and alone.
func oneQueue(t *testing.T, addr string) {
	programs, err := join.Programs()
	if err != nil {
		t.Fatal(err)
	}
	needCurator(t)
	needKazoo(t)
	need(t, "/usr/share/zookeeper/bin/zkCli.sh", "zookeeper")
	conn := connect(t, addr)
	create(t, conn, filepath.Dir(join.Path), "")
	create(t, conn, join.Path, "")
	lock := zk.NewLock(conn, join.Path, zk.WorldACL(zk.PermAll))
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	said := runTogether(t, addr, programs, func() {
		awaitChildren(t, conn, join.Path, 1+len(programs))
		if err := lock.Unlock(); err != nil {
			t.Error(err)
		}
	})
	takeTurns(t, said, programs)
	newWitness(t, addr).wantLeft(join.Path)
}

// runTogether starts the programs, does something, and returns the lines that they printed until they had
// ended. They print to one pipe, so the order of the lines is that in which they were printed.
func runTogether(t *testing.T, addr string, programs []join.Program, then func()) []string {
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	var ended sync.WaitGroup
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
				t.Errorf("%s: %v\n%s", cmd, err, errs.String())
			}
		})
	}
	in.Close()
	then()
	var said []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		said = append(said, lines.Text())
	}
	ended.Wait()
	return said
}

// program is how a program's reader runs it, with the server's address and no time to spend inside.
func program(t *testing.T, p join.Program, addr string) *exec.Cmd {
	cmd := command(t, p.Command[0], append(p.Command[1:], addr, "0")...)
	cmd.Dir = "../../../static/join"
	cmd.WaitDelay = time.Minute // for what it started itself
	return cmd
}

func awaitChildren(t *testing.T, conn *zk.Conn, path string, n int) {
	t.Helper()
	timeout := time.After(limit)
	for {
		names, _, changed, err := conn.ChildrenW(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(names) >= n {
			return
		}
		select {
		case <-changed:
		case <-timeout:
			t.Fatalf("after %v only %d of %d stand in the queue: %q", limit, len(names), n, names)
		}
	}
}

// takeTurns wants that whoever goes in comes out before the next one, and that each went in three times.
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

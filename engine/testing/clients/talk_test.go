package clients

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// A talk is a file of testdata/talk: commands for command lines, and their answers.
//
//	NAME> COMMAND    goes to the command line of that name, which is started at its first command
//	ANSWER           a line that it must print then; … stands for anything
//	~ ANSWER         a line that it prints then, maybe after others
//	# REMARK
//
// The answers to one command may come in any order, because different threads print results and watch events. The
// command lines may print nothing else except noise.
type talk struct {
	t     *testing.T
	start func() *exec.Cmd
	ready string // what a command line prints when it has connected
	// A command with an answer, and that answer. It follows commands without answers, before the turn of another
	// command line.
	settle, settled string
	lines           map[string]*commandLine
}

type commandLine struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Scanner
	wanted []string // expected answers that have not arrived
}

// follow plays a file's talk from start to end.
func (k *talk) follow(file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		k.t.Fatal(err)
	}
	k.hold(file, string(text))
	k.end()
}

// hold plays more of the talk.
func (k *talk) hold(file, text string) {
	var at *commandLine
	for i, line := range strings.Split(text, "\n") {
		where := fmt.Sprintf("%s:%d", file, i+1)
		name, said, isCommand := strings.Cut(line, "> ")
		switch {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
		case isCommand && !strings.Contains(name, " "):
			if next := k.line(name); at != nil && next != at && len(at.wanted) == 0 && k.settle != "" {
				k.say(at, k.settle, where)
				at.wanted = append(at.wanted, k.settled)
			}
			k.hear(at, where)
			at = k.line(name)
			k.say(at, said, where)
		default:
			at.wanted = append(at.wanted, line)
		}
	}
	k.hear(at, file)
}

// line returns the command line of that name and starts it if necessary.
func (k *talk) line(name string) *commandLine {
	if l := k.lines[name]; l != nil {
		return l
	}
	cmd := k.start()
	in, err := cmd.StdinPipe()
	if err != nil {
		k.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		k.t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	if k.lines == nil {
		k.lines = map[string]*commandLine{}
	}
	l := &commandLine{cmd: cmd, in: in, out: bufio.NewScanner(out)}
	late := time.AfterFunc(limit, func() { in.Close() }) // this ends it, even if it is the child of a script
	k.t.Cleanup(func() { late.Stop() })
	k.lines[name] = l
	for l.out.Scan() {
		if strings.Contains(l.out.Text(), k.ready) {
			return l
		}
	}
	k.t.Fatalf("%s ended before it was connected", name)
	return nil
}

func (k *talk) say(l *commandLine, what, where string) {
	k.t.Helper()
	if _, err := fmt.Fprintln(l.in, what); err != nil {
		k.t.Fatalf("%s: %v", where, err)
	}
}

// hear waits for every expected answer of a command line.
func (k *talk) hear(l *commandLine, where string) {
	k.t.Helper()
	for l != nil && len(l.wanted) > 0 {
		if !l.out.Scan() {
			k.t.Fatalf("before %s: it ended, and should still have said %q", where, l.wanted)
		}
		heard := strings.TrimSpace(l.out.Text())
		if noise(heard) {
			continue
		}
		i := slices.IndexFunc(l.wanted, func(w string) bool { return matches(strings.TrimPrefix(w, "~ "), heard) })
		if i >= 0 {
			l.wanted = slices.Delete(l.wanted, i, i+1)
		} else if !strings.HasPrefix(l.wanted[0], "~ ") {
			k.t.Fatalf("before %s: it said\n%s\nand should have said\n%s", where, heard, strings.Join(l.wanted, "\n"))
		}
	}
}

// end ends all command lines, which may then print only their farewells.
func (k *talk) end() {
	for name, l := range k.lines {
		_, _ = fmt.Fprintln(l.in, "quit") // it may have received it before
		for l.out.Scan() {
			if heard := strings.TrimSpace(l.out.Text()); !noise(heard) && !farewell(heard) {
				k.t.Errorf("%s said in the end, unexpectedly, %q", name, heard)
			}
		}
		if err := l.cmd.Wait(); err != nil {
			k.t.Errorf("%s: %v", name, err)
		}
	}
}

// noise reports whether a line is empty, the head of a watch event, a start-up message of zkCli.sh, or cli_mt's
// complaint that the machine delayed it by more than 200 ms.
func noise(line string) bool {
	return line == "" || line == "WATCHER::" || line == "Welcome to ZooKeeper!" ||
		strings.HasPrefix(line, "JLine ") || strings.HasPrefix(line, "SLF4J: ") ||
		strings.Contains(line, ":ZOO_WARN@zookeeper_interest@") && strings.Contains(line, ": Exceeded deadline by ")
}

// farewell reports whether a line belongs to the end of a command line. The Java client may notice the server's
// close before its own. cli_mt repeats its last "od".
func farewell(line string) bool {
	for _, start := range []string{"Quitting...", "session Id = ", "Recvd ",
		"WatchedEvent state:Closed", "WatchedEvent state:Disconnected"} {
		if strings.HasPrefix(line, start) {
			return true
		}
	}
	return false
}

// matches reports whether a line matches the pattern, in which … stands for anything.
func matches(pattern, line string) bool {
	first, rest, more := strings.Cut(strings.TrimSpace(pattern), "…")
	line, ok := strings.CutPrefix(line, first)
	if !ok || !more {
		return ok && line == ""
	}
	parts := strings.Split(rest, "…")
	for _, part := range parts[:len(parts)-1] {
		if _, line, ok = strings.Cut(line, part); !ok {
			return false
		}
	}
	return strings.HasSuffix(line, parts[len(parts)-1])
}

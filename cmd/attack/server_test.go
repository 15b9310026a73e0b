package attack

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// server is the viz-server under attack, in its own process.
type server struct {
	pages     string // http://host:port
	zookeeper string // host:port of the one inside
	class     string // the polite guests'

	dir   string // its temporary folder
	log   string // the file with its stderr
	cmd   *exec.Cmd
	ended chan struct{}
	err   error // its exit error; set before ended is closed
}

// startServer builds viz-server and starts it with a limit on its data. The test kills it at its end.
func startServer(t *testing.T, memoryMB int, args ...string) *server {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "viz-server")
	if text, err := exec.Command("go", "build", "-o", program, "../viz-server").CombinedOutput(); err != nil {
		t.Fatalf("build viz-server: %v\n%s", err, text)
	}
	s := &server{dir: t.TempDir(), log: filepath.Join(dir, "log"), ended: make(chan struct{})}
	script := fmt.Sprintf(`ulimit -d %d && exec "$0" "$@" 2>'%s'`, memoryMB<<10, s.log)
	s.cmd = exec.Command("sh", append([]string{"-c", script, program, "--addr", "127.0.0.1:0", "--zk-listen",
		"127.0.0.1:0"}, args...)...)
	s.cmd.Env = append(os.Environ(), "TMPDIR="+s.dir)
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for (s.pages == "" || s.zookeeper == "") && lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		switch i := strings.LastIndex(line, " "); {
		case strings.HasPrefix(line, "http://"):
			s.pages = strings.TrimSuffix(line, "/")
		case strings.HasPrefix(line, "ZooKeeper "):
			s.zookeeper = line[i+1:]
		}
	}
	go func() { // ends with the process
		_, _ = io.Copy(io.Discard, out)
		s.err = s.cmd.Wait()
		close(s.ended)
	}()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill() // it may have ended
		<-s.ended
	})
	if s.pages == "" || s.zookeeper == "" {
		t.Fatalf("viz-server ended before it listened: %s", s.said())
	}
	return s
}

func (s *server) pid() int { return s.cmd.Process.Pid }

func (s *server) said() string {
	text, err := os.ReadFile(s.log)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// death returns why the server died: Go's line with the reason, or else its exit error. It is "" while alive.
func (s *server) death() string {
	select {
	case <-s.ended:
	default:
		return ""
	}
	for line := range strings.Lines(s.said()) {
		if strings.HasPrefix(line, "fatal error:") || strings.HasPrefix(line, "panic:") {
			return strings.TrimSpace(line)
		}
	}
	return fmt.Sprint("it ended with ", s.err)
}

// stop interrupts the server, which must end cleanly and leave no temporary files.
func (s *server) stop(t *testing.T) {
	t.Helper()
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // checked below if it has died
	select {
	case <-s.ended:
		if s.err != nil {
			t.Errorf("the server ended with %v: %s", s.err, s.said())
		}
	case <-time.After(time.Minute):
		t.Error("the server did not end within a minute")
	}
	if left, err := os.ReadDir(s.dir); err != nil || len(left) > 0 {
		t.Errorf("the server left temporary files: %v %v", left, err)
	}
}

// Allowed differences after the attacks: guests' open files, a share of the memory, and parents of attackers' znodes.
const (
	slackFiles = 40
	restShare  = 0.75
	maxZnodes  = 20
	restWithin = 2 * time.Minute
)

// wantRest waits until the server has released the attackers' resources.
func (s *server) wantRest(t *testing.T, before usage) {
	t.Helper()
	var err error
	for end := time.Now().Add(restWithin); time.Now().Before(end) && s.death() == ""; sleep(t.Context(), lookEvery) {
		now := s.usage(t)
		znodes, counted := s.znodes()
		switch {
		case counted != nil:
			err = fmt.Errorf("count the znodes: %w", counted)
		case znodes > maxZnodes:
			err = fmt.Errorf("%d znodes are left on the ZooKeeper inside", znodes)
		case now.files > before.files+slackFiles:
			err = fmt.Errorf("%d files are open, and %d were before", now.files, before.files)
		case asked.span > 0 && now.residentMB > int(restShare*float64(asked.memoryMB)):
			err = fmt.Errorf("%d MB are resident", now.residentMB)
		default:
			return
		}
	}
	t.Errorf("%v after the attacks: %v %s", restWithin, err, s.death())
}

// znodes returns the number of znodes on the ZooKeeper inside.
func (s *server) znodes() (int, error) {
	text, err := from{0, 5}.word(s.zookeeper, "mntr")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(text) {
		if number, ok := strings.CutPrefix(line, "zk_znode_count"); ok {
			return strconv.Atoi(strings.TrimSpace(number))
		}
	}
	return 0, errors.New("mntr does not tell")
}

// usage is a process's resource usage.
type usage struct{ residentMB, peakMB, files int }

// usage reads the server's usage from /proc, or nothing if it has died.
func (s *server) usage(t *testing.T) (u usage) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.pid()))
	files, err2 := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.pid()))
	if err := errors.Join(err, err2); err != nil && s.death() == "" {
		t.Log(err)
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		kb, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB")) // other fields aren't numbers
		switch name {
		case "VmRSS":
			u.residentMB = kb >> 10
		case "VmHWM":
			u.peakMB = kb >> 10
		}
	}
	u.files = len(files)
	return u
}

// resetPeak resets the peak memory. If the system forbids it, the peak covers the process's whole life.
func resetPeak(pid int) { _ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0) }

// ticks holds processor times in kernel ticks: total, busy, and those of some processes and their ended children.
type ticks struct{ machine, busy, ours int64 }

func ticksOf(pids []int) (t ticks) {
	text, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(text), "\n")
	for i, n := range numbers(strings.TrimPrefix(line, "cpu")) {
		if i > 7 { // user time already includes guests
			break
		}
		t.machine += n
		if i != 3 && i != 4 { // idle, and waiting for a disk
			t.busy += n
		}
	}
	for _, pid := range pids {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, rest, _ := strings.Cut(string(text), ") ") // a name in brackets comes first, then the state
		if all := numbers(strings.TrimLeft(rest, "RSDZTtWXxKPI ")); len(all) > 13 {
			t.ours += all[10] + all[11] + all[12] + all[13] // utime, stime, cutime, cstime
		}
	}
	return t
}

// others returns the processor share of other programs between two readings.
func (t ticks) others(now ticks) float64 {
	if now.machine == t.machine {
		return 0
	}
	return max(0, float64(now.busy-t.busy-(now.ours-t.ours))/float64(now.machine-t.machine))
}

func numbers(text string) (all []int64) {
	for field := range strings.FieldsSeq(text) {
		n, _ := strconv.ParseInt(field, 10, 64) // all fields are numbers
		all = append(all, n)
	}
	return all
}

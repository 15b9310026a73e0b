// Package benchzk compares the embedded server with Apache ZooKeeper, each in a process of its own on this machine,
// with the same client. It measures create, set, get and watch round trips over 1, 10 and 100 connections, with one
// request at a time and with many outstanding. It prints a table and marks where the embedded server misses a promise
// of docs/budgets.md. A miss fails no test, since figures also depend on the machine. The package contains only tests.
//
// Run it with make bench-zk, on an idle machine.
package benchzk

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/zktest"
)

// options holds the settings that make bench-zk accepts in BENCH.
type options struct {
	play   bool
	viz    string        // the viz-server to measure, built if empty
	span   time.Duration // of each round of a measurement
	rounds int           // per measurement
	only   string        // operations, comma-separated
	conns  int           // at most
	warm   time.Duration // how long each server warms up with each operation
	alone  bool          // without a ZooKeeper to compare with
	starts int           // how often to start the embedded server
}

// asked holds the command line's options. Only TestMain writes it.
var asked options

func TestMain(m *testing.M) {
	flag.BoolVar(&asked.play, "play", false, "measure: without it tests only go the same way, in a short time")
	flag.StringVar(&asked.viz, "viz", "", "the `viz-server` to measure; built first if not given")
	flag.DurationVar(&asked.span, "span", time.Second, "how long each round of a measurement takes")
	flag.IntVar(&asked.rounds, "rounds", 3, "how many rounds each measurement has; the best one counts")
	flag.StringVar(&asked.only, "only", "", "the `operations` to measure, with commas between; all if not given")
	flag.BoolVar(&asked.alone, "alone", false, "measure the embedded server only, beside nothing")
	flag.IntVar(&asked.starts, "starts", 9, "how often the embedded server is started; the median counts")
	flag.Parse()
	asked.conns, asked.warm = 100, time.Second
	if !asked.play {
		asked.span, asked.warm, asked.rounds, asked.starts, asked.conns = time.Millisecond, time.Millisecond, 1, 1, 10
	}
	os.Exit(m.Run())
}

// need skips a test or fails it without ZooKeeper. It also skips in short mode, unless this is a real measurement.
func need(t *testing.T) {
	if !asked.play && testing.Short() {
		t.Skip("starts several servers")
	}
	zktest.Need(t)
}

// missed logs that a figure misses its promise. It fails no test, because any other load on the machine changes all
// figures.
func missed(t *testing.T, format string, args ...any) {
	t.Helper()
	t.Logf("missed: "+format, args...)
}

// TestBeside runs the comparison for make bench-zk.
func TestBeside(t *testing.T) {
	need(t)
	kept, err := bench(asked, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	if !kept {
		missed(t, "the embedded server does not keep all that is promised of it")
	}
}

// bench measures and prints, and reports whether every promise was kept.
func bench(o options, out io.Writer) (bool, error) {
	dir, err := os.MkdirTemp("", "benchzk")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	if err := o.build(dir); err != nil {
		return false, err
	}
	servers, err := startAll(o)
	for _, s := range servers {
		defer s.stop()
	}
	if err != nil {
		return false, err
	}
	if err := warm(servers, o); err != nil {
		return false, err
	}
	report := newReport(out, servers)
	for _, c := range cells(o.only, o.conns) {
		row, err := measure(servers, c, o)
		if err != nil {
			return false, fmt.Errorf("%v: %w", c, err)
		}
		report.add(c, row)
	}
	return report.end(), nil
}

// build compiles the viz-server to measure into that folder, unless one was given.
func (o *options) build(dir string) error {
	if o.viz != "" {
		return nil
	}
	o.viz = filepath.Join(dir, "viz-server")
	out, err := exec.Command("go", "build", "-o", o.viz, "github.com/zkviz/zkviz/cmd/viz-server").CombinedOutput()
	if err != nil {
		return fmt.Errorf("build viz-server: %w\n%s", err, out)
	}
	return nil
}

// cells returns what to measure, in the order of the table, with at most that many connections.
func cells(only string, most int) []cell {
	var all []cell
	for _, op := range []string{"create", "set", "get", "watch"} {
		if only != "" && !strings.Contains(","+only+",", ","+op+",") {
			continue
		}
		for _, conns := range []int{1, 10, 100} {
			if conns > most {
				break
			}
			all = append(all, cell{op, conns, 1}, cell{op, conns, 50})
		}
	}
	return all
}

// startAll starts the embedded server, which comes first, and two ZooKeepers.
func startAll(o options) ([]*server, error) {
	ours, err := startEmbedded(o.viz, o.starts)
	if err != nil {
		return nil, err
	}
	servers := []*server{ours}
	if o.alone {
		return servers, nil
	}
	if err := apache.Find(); err != nil {
		return servers, err
	}
	for _, fsync := range []bool{true, false} {
		s, err := startApache(fsync)
		if err != nil {
			return servers, err
		}
		servers = append(servers, s)
	}
	return servers, nil
}

// Package versus compares a simulated system with a real one: it draws scripts from seeds, plays each on both, and
// makes one that shows a difference short. It doesn't know what a step is: engine/testing/redisconform, sqlconform and
// etcdconform do, and their tests call it. ZooKeeper's servers are compared by engine/testing/conform.
package versus

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/testing/planted"
	"github.com/zkviz/zkviz/engine/testing/shrink"
)

var (
	total   = flag.Int("steps", 0, "how many steps are played on both; 0 for as many as make verify plays")
	first   = flag.Uint64("first", 1, "the first script's seed")
	failing = flag.Bool("failing", false, "a difference is expected: report the first as it is")
)

// Failing reports whether a difference is expected, so that nobody need wait long for what may not come.
func Failing() bool { return *failing }

// Difference is the first difference between the two.
type Difference struct {
	Step            int // index in the script
	Simulated, Real string
}

const simulated = "  simulated "

// String describes the difference.
func (d *Difference) String() string {
	return fmt.Sprintf("step %d:\n%s%s\n  real      %s", d.Step+1, simulated, d.Simulated, d.Real)
}

// Trial says how two systems are compared.
type Trial[Step any] struct {
	Length int // of a script; a short one is easy to read, a long one reaches more states
	Steps  int // of all scripts together, unless the flag -steps is set
	Draw   func(seed uint64, length int) []Step
	// Play plays a script on both, and returns the first difference, or nil.
	Play func(script []Step) (*Difference, error)
	// Show returns a script in readable form; nil for a line for each step.
	Show func(script []Step) string
}

// Run plays scripts, and reports a difference with as short a script as possible.
func (c Trial[Step]) Run(t *testing.T) {
	t.Helper()
	if *total > 0 {
		c.Steps = *total
	}
	for seed := *first; int(seed-*first)*c.Length < c.Steps; seed++ {
		script := c.Draw(seed, c.Length)
		found, err := c.Play(script)
		switch {
		case err != nil:
			t.Fatalf("seed %d: %v", seed, err)
		case found == nil:
			continue
		case *failing:
			t.Fatalf("seed %d, %v", seed, found)
		}
		small, again, err := c.shrink(script)
		switch {
		case err != nil:
			t.Fatalf("seed %d: %v", seed, err)
		case again == nil:
			t.Errorf("seed %d, once only, %v\n%s", seed, found, c.show(script[:found.Step+1]))
		default:
			t.Fatalf("seed %d, %v\n%s", seed, again, c.show(small))
		}
	}
}

// shrink shortens a script for as long as it shows a difference. The difference is nil if it doesn't come again.
func (c Trial[Step]) shrink(script []Step) (_ []Step, d *Difference, err error) {
	shows := func(script []Step) (int, bool) {
		if err != nil {
			return 0, false
		}
		var found *Difference
		if found, err = c.Play(script); found == nil || err != nil {
			return 0, false
		}
		d = found
		return found.Step + 1, true
	}
	need, ok := shows(script)
	if !ok {
		return script, nil, err
	}
	script = shrink.Steps(script[:need], shows)
	return script, d, err
}

func (c Trial[Step]) show(script []Step) string {
	if c.Show != nil {
		return c.Show(script)
	}
	var lines []string
	for _, s := range script {
		lines = append(lines, fmt.Sprint(s))
	}
	return strings.Join(lines, "\n")
}

// Bug is a name, a file, and a piece of the file with what replaces it, so that the simulated system is wrong.
type Bug [4]string

// Planted checks that a test of the package in this folder, whose Trial compares, finds each bug soon: a comparison
// that finds nothing may be blind. The bugs are only in the programs that it builds. args tell these the real servers.
func Planted(t *testing.T, folder, test string, bugs []Bug, args ...string) {
	t.Helper()
	args = append([]string{"-test.run", test + "$", "-steps", "6000", "-failing"}, args...)
	for i, bug := range bugs {
		t.Run(bug[0], func(t *testing.T) {
			planted.Seen(t, i, folder+bug[1], planted.Edit{bug[2], bug[3]}, simulated, args...)
		})
	}
}

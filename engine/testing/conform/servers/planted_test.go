package servers_test

import (
	"bytes"
	"errors"
	"os/exec"
	"testing"

	"github.com/zkviz/zkviz/engine/testing/planted"
	"github.com/zkviz/zkviz/engine/testing/zktest"
)

// within is the limit of requests for finding a planted bug.
const within = "10000"

// bugs are planted as edits of a file of the product.
var bugs = []struct {
	name, file string
	edits      []planted.Edit
}{
	{"a wrong error code", "engine/zookeeper/znode/delete.go", []planted.Edit{
		{"return zoo.ErrNotEmpty\n", "return zoo.ErrNodeExists\n"},
	}},
	{"cversion not raised by a delete", "engine/zookeeper/znode/tree.go", []planted.Edit{
		{"s.Cversion = 2*n.creates - s.NumChildren\n", "s.Cversion = n.creates\n"},
	}},
	{"a quota that is not noticed to go", "engine/zookeeper/znode/quota.go", []planted.Edit{
		{"\t\tdelete(t.counted, counted)\n", ""},
	}},
	{"a quota below a quota that counts nothing", "engine/zookeeper/znode/quota.go", []planted.Edit{
		{
			"\tfor path != \"\" && !a.counted[path] {\n\t\tpath, _ = cut(path)\n\t}\n",
			"\tat := path\n\tfor path = \"\"; at != \"\"; at, _ = cut(at) {\n\t\tif a.counted[at] {\n\t\t\tpath = " +
				"at\n\t\t}\n\t}\n",
		},
	}},
	{"a watch that fires after the reply", "engine/zookeeper/embed/link.go", []planted.Edit{
		{
			"func (c *conn) Notify(n wire.Notification, watch event.Watch, cause event.Seq) {\n",
			"var late []func()\n\n" +
				"func (c *conn) Notify(n wire.Notification, watch event.Watch, cause event.Seq) {\n" +
				"\tif c == c.s.current {\n\t\tlate = append(late, func() { c.notify(n, watch, cause) })\n\t\treturn\n\t}\n" +
				"\tc.notify(n, watch, cause)\n}\n\n" +
				"func (c *conn) notify(n wire.Notification, watch event.Watch, cause event.Seq) {\n",
		},
		{
			"\tc.s.observations.replied(c, to, r, cause)\n",
			"\tc.s.observations.replied(c, to, r, cause)\n\tfor _, f := range late {\n\t\tf()\n\t}\n\tlate = nil\n",
		},
	}},
}

// TestPlantedBugsAreFound checks that the comparison finds each of these bugs within 10,000 requests.
func TestPlantedBugsAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the product several times")
	}
	zktest.Need(t)
	t.Parallel() // TestKeptReal mostly waits
	for i, bug := range bugs {
		t.Run(bug.name, func(t *testing.T) {
			program := planted.Build(t, i, "../../../../"+bug.file, bug.edits, "build",
				"github.com/zkviz/zkviz/cmd/conform")
			for _, seed := range []string{"1", "2"} { // one alone might find it by luck
				out, err := exec.Command(program, "-ops", within, "-seed", seed, "-lanes", "1", "-most", "1",
					"-shrink=false").CombinedOutput()
				var exit *exec.ExitError
				if !errors.As(err, &exit) || exit.ExitCode() != 1 || !bytes.Contains(out, []byte(": 1 differences\n")) {
					t.Errorf("not found within %s requests of seed %s: %v\n%s", within, seed, err, out)
				}
			}
		})
	}
}

package servers_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/live/zktest"
)

// within is how many requests may be needed to find a planted bug.
const within = "10000"

// edit replaces one piece of a source file.
type edit struct{ old, new string }

// planted are bugs, as edits of a file of the product. They are only in the program that the test builds.
var planted = []struct {
	name, file string
	edits      []edit
}{
	{"a wrong error code", "engine/znode/delete.go", []edit{
		{"return zoo.ErrNotEmpty\n", "return zoo.ErrNodeExists\n"},
	}},
	{"cversion not raised by a delete", "engine/znode/tree.go", []edit{
		{"s.Cversion = 2*n.creates - s.NumChildren\n", "s.Cversion = n.creates\n"},
	}},
	{"a quota that is not noticed to go", "engine/znode/quota.go", []edit{
		{"\t\tdelete(t.counted, counted)\n", ""},
	}},
	{"a quota below a quota that counts nothing", "engine/znode/quota.go", []edit{
		{
			"\tfor path != \"\" && !a.counted[path] {\n\t\tpath, _ = cut(path)\n\t}\n",
			"\tat := path\n\tfor path = \"\"; at != \"\"; at, _ = cut(at) {\n\t\tif a.counted[at] {\n\t\t\tpath = " +
				"at\n\t\t}\n\t}\n",
		},
	}},
	{"a watch that fires after the reply", "engine/embed/link.go", []edit{
		{
			"func (c *conn) Notify(n wire.Notification, watch event.Watch, cause event.Seq) {\n",
			"var late []func()\n\n" +
				"func (c *conn) Notify(n wire.Notification, watch event.Watch, cause event.Seq) {\n" +
				"\tif c == c.s.current {\n\t\tlate = append(late, func() { c.notify(n, watch, cause) })\n\t\treturn\n\t}\n" +
				"\tc.notify(n, watch, cause)\n}\n\n" +
				"func (c *conn) notify(n wire.Notification, watch event.Watch, cause event.Seq) {\n",
		},
		{
			"\tc.s.tap.replied(c, to, r, cause)\n",
			"\tc.s.tap.replied(c, to, r, cause)\n\tfor _, f := range late {\n\t\tf()\n\t}\n\tlate = nil\n",
		},
	}},
}

// A harness that finds nothing may be blind. This one sees each of these within 10,000 requests.
func TestPlantedBugsAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the product several times")
	}
	zktest.Need(t)
	t.Parallel() // TestKeptReal mostly waits
	for _, bug := range planted {
		t.Run(bug.name, func(t *testing.T) {
			program := build(t, bug.file, bug.edits)
			for _, seed := range []string{"1", "2"} { // one alone might be lucky
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

// build makes cmd/conform with an edited file laid over the product's.
func build(t *testing.T, file string, edits []edit) string {
	const top = "../../.."
	file, err := filepath.Abs(filepath.Join(top, file))
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(source)
	for _, e := range edits {
		if strings.Count(text, e.old) != 1 {
			t.Fatalf("%s has not just one place to plant the bug in: adapt this test to\n%s", file, e.old)
		}
		text = strings.Replace(text, e.old, e.new, 1)
	}
	dir := t.TempDir()
	with, overlay, program := filepath.Join(dir, "with.go"), filepath.Join(dir, "overlay.json"),
		filepath.Join(dir, "conform")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {file: with}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{with: text, overlay: string(replace)} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "build", "-overlay", overlay, "-o", program, "./cmd/conform")
	cmd.Dir = top
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build with the bug: %v\n%s", err, out)
	}
	return program
}

package servers_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/zkviz/zkviz/engine/testing/conform/servers"
	"github.com/zkviz/zkviz/engine/testing/zktest"
)

var rewrite = flag.Bool("record", false, "ask ZooKeeper again for the answers in the scripts of testdata")

// TestGolden checks that the embedded server replies to the scripts in testdata as recorded from ZooKeeper 3.8.0.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("../testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if *rewrite {
				want = []byte(again(t, file, string(want)))
			}
			got, err := servers.Record("embedded", string(want), 0)
			if err != nil {
				t.Fatal(err)
			}
			if line, a, b := firstDifference(string(want), got); line > 0 {
				t.Errorf("line %d: ZooKeeper says\n%s\nand the embedded server\n%s", line, a, b)
			}
		})
	}
}

func again(t *testing.T, file, text string) string {
	zktest.Need(t)
	recorded, err := servers.Record("zookeeper", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(recorded), 0o644); err != nil {
		t.Fatal(err)
	}
	return recorded
}

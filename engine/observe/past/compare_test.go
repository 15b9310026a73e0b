package past_test

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/observe/past"
	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// compared compares files and returns the zxids that are read.
func compared(t *testing.T, files map[string][]byte) (past.Compared, []int64) {
	t.Helper()
	dir := folder(t, files)
	var paths []string
	for name := range files {
		if p := filepath.Join(dir, filepath.Dir(name)); !slices.Contains(paths, p) {
			paths = append(paths, p)
		}
	}
	f, err := past.Find(paths...)
	if err != nil {
		t.Fatal(err)
	}
	c, err := f.Compare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var zxids []int64
	m := past.NewMerge(f.Servers(), nil, func(past.Trouble) {})
	defer m.Close()
	for {
		step, err := m.Next(t.Context())
		if err == io.EOF {
			return c, zxids
		}
		if err != nil {
			t.Fatal(err)
		}
		zxids = append(zxids, step.Txn.Zxid)
	}
}

// TestSideBySide checks each server's share: what it lacks, how far it is behind, and where it differs.
func TestSideBySide(t *testing.T) {
	const epoch = 1 << 32
	odd := made(3, 3)
	odd[0].Path = "/other"
	torn := txnlogtest.Log(made(epoch+1, epoch+4)...)
	c, zxids := compared(t, map[string][]byte{
		"a/s1/version-2/log.1":         txnlogtest.Log(made(1, 7)...), // 6 and 7 never reached the others
		"a/s2/version-2/log.1":         txnlogtest.Log(slices.Concat(made(1, 2), odd, made(4, 5))...),
		"a/s2/version-2/log.100000001": torn[:len(torn)-1024-10],
		"a/s3/version-2/log.2":         txnlogtest.Log(made(2, 3)...),
		"a/s3/version-2/log.5":         txnlogtest.Log(slices.Concat(made(5, 5), made(epoch+1, epoch+5))...),
	})
	if got, want := fmt.Sprint(zxids),
		"[1 2 3 4 5 6 7 4294967297 4294967298 4294967299 4294967300 4294967301]"; got != want {
		t.Errorf("it reads %s, not %s", got, want)
	}
	var lanes []string
	for _, l := range c.Sources {
		lanes = append(lanes, fmt.Sprintf("%s: %d from %#x to %#x, %d epochs, %d gaps, %d torn, lacks %d, behind %d", l.Name,
			l.Txns, l.First.Zxid, l.Last.Zxid, len(l.Epochs), len(l.Gaps), len(l.Torn), l.Lacks, l.Behind))
	}
	want := []string{
		"s1: 7 from 0x1 to 0x7, 1 epochs, 0 gaps, 0 torn, lacks 0, behind 5",
		"s2: 8 from 0x1 to 0x100000003, 2 epochs, 0 gaps, 1 torn, lacks 0, behind 2",
		"s3: 8 from 0x2 to 0x100000005, 2 epochs, 1 gaps, 0 torn, lacks 1, behind 0",
	}
	if !slices.Equal(lanes, want) {
		t.Errorf("the servers have\n%s\nnot\n%s", strings.Join(lanes, "\n"), strings.Join(want, "\n"))
	}
	if len(c.Differ) != 1 || c.Differ[0].Zxid != 3 || c.Differ[0].Versions[1].Facts[0].Path != "/other" ||
		c.Differ[0].Versions[0].Facts[0].Path != "/3" || c.Differ[0].Versions[0].Sum != c.Differ[0].Versions[2].Sum {
		t.Errorf("they differ in %+v", c.Differ)
	}
	if len(c.OnlyIn) != 1 || c.OnlyIn[0].Server != 0 || c.OnlyIn[0].Txns != 2 || c.OnlyIn[0].First.Zxid != 6 ||
		c.OnlyIn[0].Passed != past.Of(1)|past.Of(2) {
		t.Errorf("one alone has %+v", c.OnlyIn)
	}
	if len(c.Gaps) != 0 || c.Txns != 12 {
		t.Errorf("together they have %d transactions, and gaps %v", c.Txns, c.Gaps)
	}
}

// TestMostAreRight checks that the majority's transaction is read, even if another comes first.
func TestMostAreRight(t *testing.T) {
	odd := []wire.Txn{{Session: 7, Cxid: 1, Zxid: 1, Op: wire.OpCreate, Path: "/odd"}}
	dir := folder(t, map[string][]byte{"s1/log.1": txnlogtest.Log(odd...), "s2/log.1": txnlogtest.Log(made(1, 1)...),
		"s3/log.1": txnlogtest.Log(made(1, 1)...)})
	f, err := past.Find(filepath.Join(dir, "s1"), filepath.Join(dir, "s2"), filepath.Join(dir, "s3"))
	if err != nil {
		t.Fatal(err)
	}
	m := past.NewMerge(f.Servers(), nil, nil)
	defer m.Close()
	step, err := m.Next(t.Context())
	if err != nil || step.Txn.Path != "/1" || step.Others != past.Of(0) {
		t.Errorf("%v: it reads %q, and %b have something else", err, step.Txn.Path, step.Others)
	}
}

// TestNames checks the names that tell servers apart.
func TestNames(t *testing.T) {
	log := txnlogtest.Log(made(1, 1)...)
	for _, c := range []struct{ paths, want string }{
		{"zk/a/version-2 zk/b/version-2", "[a b]"},
		{"1/data zk/2/data", "[1 zk/2]"},
		{"zk1/version-2", "[zk1]"},
	} {
		files := map[string][]byte{}
		var named []string
		for _, p := range strings.Fields(c.paths) {
			files[p+"/log.1"] = log
			named = append(named, p)
		}
		dir := folder(t, files)
		for i := range named {
			named[i] = filepath.Join(dir, named[i])
		}
		f, err := past.Find(named...)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, s := range f.Servers() {
			names = append(names, s.Name)
		}
		if len(names) == 1 {
			names[0] = filepath.Base(names[0])
		}
		if fmt.Sprint(names) != c.want {
			t.Errorf("%s are %v, not %s", c.paths, names, c.want)
		}
	}
}

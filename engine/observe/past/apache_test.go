package past_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/adler32"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/past"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// mutilations is how many times the files of a real server are damaged.
const mutilations = 300

// TestMutilated damages the files of a real ZooKeeper that served a lock and was killed. Every intact transaction
// is read, everything missing is reported, and no holder is named that the intact files don't name.
func TestMutilated(t *testing.T) {
	zktest.Need(t)
	s := worked(t)
	intact := map[string][]byte{}
	list, err := os.ReadDir(s.Files())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if intact[e.Name()], err = os.ReadFile(filepath.Join(s.Files(), e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	frames := framesOf(intact)
	toolkit(t, s.Files(), frames)
	truth := follow(t, s.Files())
	if !slices.Equal(truth.zxids, zxidsOf(frames)) || len(truth.zxids) < 200 || len(truth.lacks) > 0 {
		t.Fatalf("of %d transactions it reads %d, and lacks %v", len(frames), len(truth.zxids), truth.lacks)
	}
	told := map[string]int{}
	for seed := range uint64(mutilations) {
		m := mutilated(rand.New(rand.NewPCG(seed, 32)), intact, frames)
		dir := folder(t, m.files)
		for _, name := range m.folders {
			if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		got := follow(t, dir)
		m.judge(t, seed, &truth, &got)
		told[m.how]++
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%d transactions in %d files, damaged: %v", len(frames), len(intact), told)
}

// worked returns a stopped server that has served a lock and was stopped and killed a few times.
func worked(t *testing.T) *apache.Server {
	t.Helper()
	s, err := apache.Start(apache.Config{Settings: []string{"snapCount=60", "preAllocSize=32"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	dial := func() *peer.Peer {
		p, err := peer.Dial(s.Addr, wire.ConnectRequest{TimeoutMS: 60_000})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Abort)
		return p
	}
	do := func(p *peer.Peer, r wire.Request) string {
		r.Xid, r.ACL, r.Version = 1, zoo.OpenACL(), -1
		answer, _, err := p.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		return answer.Path
	}
	do(dial(), wire.Request{Op: wire.OpCreate, Path: lock})
	for range 3 {
		var line []*peer.Peer
		var paths []string
		for turn := range 30 {
			p := dial()
			line = append(line, p)
			paths = append(paths, do(p, wire.Request{Op: wire.OpCreate, Path: lock + "/lock-",
				Data: bytes.Repeat([]byte{byte(turn)}, turn*7), Flags: int32(zoo.EphemeralSequential)}))
			if len(line) < 4 {
				continue
			}
			if turn%5 == 0 { // a waiter leaves
				do(line[2], wire.Request{Op: wire.OpCloseSession})
				line, paths = slices.Delete(line, 2, 3), slices.Delete(paths, 2, 3)
			}
			do(line[0], wire.Request{Op: wire.OpSetData, Path: paths[0], Data: []byte("mine")})
			if turn%3 == 0 {
				do(line[0], wire.Request{Op: wire.OpCloseSession})
			} else {
				do(line[0], wire.Request{Op: wire.OpDelete, Path: paths[0]})
			}
			line, paths = line[1:], paths[1:]
		}
		s.Kill()
		if err := s.Again(); err != nil {
			t.Fatal(err)
		}
	}
	do(dial(), wire.Request{Op: wire.OpCreate, Path: "/last"})
	s.Kill()
	return s
}

// frame is a transaction's place in a file.
type frame struct {
	file    string
	at, end int
	zxid    int64
}

// framesOf returns the frames of logs, in order. A frame is a checksum, a length, that many bytes, and a B.
func framesOf(files map[string][]byte) (all []frame) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		b := files[name]
		if !strings.HasPrefix(name, "log.") {
			continue
		}
		for at := 16; at+12 <= len(b); {
			n := int(binary.BigEndian.Uint32(b[at+8:]))
			end := at + 12 + n + 1
			if n == 0 || end > len(b) || b[end-1] != 'B' ||
				uint64(adler32.Checksum(b[at+12:end-1])) != binary.BigEndian.Uint64(b[at:]) {
				break
			}
			all = append(all, frame{name, at, end, int64(binary.BigEndian.Uint64(b[at+12+12:]))})
			at = end
		}
	}
	slices.SortStableFunc(all, func(a, b frame) int { return int(a.zxid - b.zxid) })
	return all
}

func zxidsOf(frames []frame) (zxids []int64) {
	for _, f := range frames {
		zxids = append(zxids, f.zxid)
	}
	return zxids
}

// toolkit compares a log's count of transactions with that of ZooKeeper's own tool.
func toolkit(t *testing.T, dir string, frames []frame) {
	t.Helper()
	last := frames[len(frames)/2].file
	want := 0
	for _, f := range frames {
		if f.file == last {
			want++
		}
	}
	out, err := exec.CommandContext(t.Context(), "java", "-cp", "/usr/share/java/zookeeper.jar:"+
		"/usr/share/java/commons-cli.jar:/usr/share/java/slf4j-simple.jar",
		"org.apache.zookeeper.server.persistence.TxnLogToolkit", "--dump", filepath.Join(dir, last)).CombinedOutput()
	if n := strings.Count(string(out), " zxid 0x"); err != nil || n != want {
		t.Errorf("ZooKeeper's tool finds %d transactions in %s, not %d: %v\n%s", n, last, want, err, out)
	}
}

// followed is what was read from files.
type followed struct {
	zxids   []int64
	lacks   []past.Trouble
	holding map[int64]string // after each transaction
	unsure  map[int64]bool
	changes map[string]bool
	claims  []string // certain changes
}

// follow reads files as log --hands does.
func follow(t *testing.T, dir string) followed {
	t.Helper()
	f := followed{holding: map[int64]string{}, unsure: map[int64]bool{}, changes: map[string]bool{}}
	files, err := past.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	turns := past.NewHandovers(lock)
	lacks := func(trouble past.Trouble) { f.lacks = append(f.lacks, trouble) }
	err = files.ReadWith(t.Context(), lock, lacks, turns.Before,
		func(_ *replay.State, x *wire.Txn, facts []replay.Fact) error {
			f.zxids = append(f.zxids, x.Zxid)
			for _, c := range turns.Take(x, facts) {
				text := fmt.Sprintf("%#x %t %s %v", c.Zxid, c.Got, c.Hand.Path, c.Reason)
				f.changes[text] = true
				if !c.Unsure {
					f.claims = append(f.claims, text)
				}
			}
			f.holding[x.Zxid] = names(turns.Holding())
			_, f.unsure[x.Zxid] = turns.Unsure()
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func names(hands []handover.Hand) (text string) {
	for _, h := range hands {
		text += fmt.Sprintf("%s by %#x since %#x; ", h.Path, h.Session, h.Zxid)
	}
	return text
}

// mutilation is a set of damaged files.
type mutilation struct {
	how     string
	file    string
	files   map[string][]byte
	folders []string
	beside  string  // a file put beside them
	between bool    // the truncated file ends between two transactions
	whole   []frame // intact frames
	all     []frame
}

// mutilated damages one of the logs, or puts something beside them.
func mutilated(chance *rand.Rand, intact map[string][]byte, frames []frame) mutilation {
	var logs []string
	for _, name := range slices.Sorted(maps.Keys(intact)) {
		if strings.HasPrefix(name, "log.") && slices.ContainsFunc(frames, func(f frame) bool { return f.file == name }) {
			logs = append(logs, name)
		}
	}
	slices.SortFunc(logs, func(a, b string) int { return len(a)*1000 + strings.Compare(a, b) - len(b)*1000 })
	m := mutilation{files: maps.Clone(intact), file: logs[chance.IntN(len(logs))], all: frames}
	b := slices.Clone(intact[m.file])
	used := 0
	for _, f := range frames {
		if f.file == m.file {
			used = max(used, f.end)
		}
	}
	shift := 0 // bytes missing at the beginning
	switch chance.IntN(10) {
	case 0:
		m.how, b = "cut off", b[:chance.IntN(used)]
		m.between = len(b) == 16 || slices.ContainsFunc(frames, func(f frame) bool {
			return f.file == m.file && f.end == len(b)
		})
	case 1:
		m.how = "zeros"
		from := chance.IntN(used)
		clear(b[from:min(used, from+1+chance.IntN(600))])
	case 2:
		m.how = "a byte"
		b[chance.IntN(used)] ^= byte(1 << chance.IntN(8))
	case 3:
		m.how, m.file = "the newest is empty", logs[len(logs)-1]
		b = nil
	case 4:
		m.how, shift = "without its beginning", 1+chance.IntN(200)
		b = b[shift:]
	case 5:
		m.how = "another's beside"
		m.beside = fmt.Sprintf("log.%xx", 1+chance.IntN(400))
		m.files[m.beside] = []byte("no log\n")
	case 6:
		m.how = "packed"
		m.files[m.file+".gz"] = zipped(b)
		delete(m.files, m.file)
	case 7:
		m.how = "an unfinished snapshot"
		m.beside = fmt.Sprintf("snapshot.%x.tmp", 1+chance.IntN(400))
		for _, name := range slices.Sorted(maps.Keys(intact)) {
			if b := intact[name]; strings.HasPrefix(name, "snapshot.") {
				m.files[m.beside] = b[:chance.IntN(len(b))]
			}
		}
	case 8:
		m.how = "a folder"
		m.beside = "log.old"
		m.folders = []string{m.beside}
	case 9:
		m.how, m.file = "one less", logs[1+chance.IntN(len(logs)-2)]
		b = nil
		delete(m.files, m.file)
	}
	if _, there := m.files[m.file]; there {
		m.files[m.file] = b
	}
	for _, f := range frames {
		if f.file != m.file || m.how == "packed" || f.at >= shift && f.end-shift <= len(b) &&
			bytes.Equal(b[f.at-shift:f.end-shift], intact[f.file][f.at:f.end]) {
			m.whole = append(m.whole, f)
		}
	}
	return m
}

// judge compares what was read of the damaged files with the contents of the intact ones.
func (m *mutilation) judge(t *testing.T, seed uint64, truth, got *followed) {
	t.Helper()
	say := func(form string, args ...any) {
		t.Helper()
		t.Errorf("%d, %s, %s: %s; it lacks %v", seed, m.how, m.file, fmt.Sprintf(form, args...), got.lacks)
	}
	if !slices.Equal(got.zxids, zxidsOf(m.whole)) {
		say("%d transactions are read, and %d are whole", len(got.zxids), len(m.whole))
		return
	}
	m.named(say, got)
	if m.beside != "" && !got.names(m.beside) {
		say("nothing says what %s is", m.beside)
	}
	for _, z := range got.zxids {
		if !got.unsure[z] && got.holding[z] != truth.holding[z] {
			say("at %#x it is held by %q, and was by %q", z, got.holding[z], truth.holding[z])
		}
		if len(m.whole) == len(m.all) && got.unsure[z] {
			say("at %#x nothing is missing, and it isn't known who holds it", z)
		}
	}
	for _, c := range got.claims {
		if !truth.changes[c] {
			say("it says %s", c)
		}
	}
	if len(m.whole) == len(m.all) && len(got.claims) != len(truth.claims) {
		say("it changed hands %d times, and did %d times", len(got.claims), len(truth.claims))
	}
}

// named checks that every run of missing transactions is reported.
func (m *mutilation) named(say func(string, ...any), got *followed) {
	last := int64(0)
	missing := false
	left := map[int64]bool{}
	for _, f := range m.whole {
		left[f.zxid] = true
	}
	for _, f := range m.all {
		switch {
		case !left[f.zxid]:
			missing = true
		case missing && !m.lacks(got, last, f.zxid):
			say("nothing says that transactions between %#x and %#x are missing", last, f.zxid)
			return
		default:
			last, missing = f.zxid, false
		}
	}
	if missing && !m.between { // if it ends between two, nothing shows that there were more
		if !got.names(m.file) {
			say("nothing says that transactions after %#x are missing", last)
		}
	}
}

// names reports whether a trouble names a file.
func (f *followed) names(file string) bool {
	return slices.ContainsFunc(f.lacks, func(t past.Trouble) bool { return filepath.Base(t.Path) == file })
}

// lacks reports whether a gap between two transactions was reported, or a snapshot has everything before the first.
func (m *mutilation) lacks(got *followed, after, before int64) bool {
	if after == 0 {
		for name := range m.files {
			if zxid, ok := txnlog.SnapshotZxid(name); ok && zxid == before-1 {
				return true
			}
		}
	}
	return slices.ContainsFunc(got.lacks, func(t past.Trouble) bool {
		var gap *past.GapError
		return errors.As(t.Err, &gap) && gap.Before == before && (gap.After == after || after == 0)
	})
}

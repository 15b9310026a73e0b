package past_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/past"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// zipped gzips a file.
func zipped(b []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, _ = z.Write(b)
	_ = z.Close()
	return out.Bytes()
}

// TestLacking reads a good log beside what crashes, full disks and admins leave. Those files are reported.
func TestLacking(t *testing.T) {
	const epoch = 1 << 32
	good, next := txnlogtest.Log(made(1, 5)...), txnlogtest.Log(made(6, 9)...)
	for name, test := range map[string]struct {
		files map[string][]byte
		n     int
		want  string // the reported trouble; empty for none
	}{
		"empty": {map[string][]byte{"log.100000001": nil}, 5,
			"log.100000001 the log is torn at byte 0: the file is empty"},
		"short": {map[string][]byte{"log.100000001": good[:7]}, 5, "in its header"},
		"zeros": {map[string][]byte{"log.6": make([]byte, 1<<16)}, 5,
			"log.6 the log is torn at byte 0: the file begins with z"},
		"something": {map[string][]byte{"log.6": []byte("cat: /var/log: no such file")}, 5,
			"doesn't begin with a log's header"},
		"packed": {map[string][]byte{"log.6.gz": zipped(next)}, 9, ""},
		"twice":  {map[string][]byte{"log.1.gz": zipped(good)}, 5, ""},
		"packed instead of an empty one": {map[string][]byte{"log.6": nil, "log.6.gz": zipped(next)}, 9,
			"log.6 the log is torn"},
		"half packed": {map[string][]byte{"log.6.gz": zipped(next)[:40]}, 5, "log.6.gz the log is torn"},
		"unfinished": {map[string][]byte{"snapshot.5.tmp": []byte("x")}, 5,
			"snapshot.5.tmp not a snapshot"},
		"a folder":  {map[string][]byte{"log.old/log.6": next}, 5, "log.old it's a folder"},
		"another's": {map[string][]byte{"log.txt": []byte("x")}, 5, "log.txt not a transaction log"},
		"cut": {map[string][]byte{"log.6": next[:len(next)-1024-3],
			"log.100000001": txnlogtest.Log(made(epoch+1, epoch+1)...)}, 9, "log.6 the log is torn"},
	} {
		test.files["log.1"] = good
		dir := folder(t, test.files)
		zxids, troubles := read(t, dir)
		if len(zxids) != test.n || test.want == "" && troubles != nil || !strings.Contains(fmt.Sprint(troubles), test.want) {
			t.Errorf("%s: %d transactions, not %d; it says %q, not %q", name, len(zxids), test.n, troubles, test.want)
		}
		var named []string // as by a shell's version-2/log.*
		for file := range test.files {
			if file != "log.old/log.6" {
				named = append(named, filepath.Join(dir, file))
			}
		}
		if name == "another's" { // refused when it is named
			continue
		}
		if again, _ := read(t, named...); len(again) != test.n {
			t.Errorf("%s: named one by one they have %d transactions", name, len(again))
		}
	}
	dir := folder(t, map[string][]byte{"log.1": nil, "snapshot.x": nil})
	if _, err := past.Find(dir); !errors.Is(err, past.ErrNoLog) || !strings.Contains(err.Error(), "the file is empty") ||
		!strings.Contains(err.Error(), "snapshot.x") {
		t.Errorf("nothing whole: %v", err)
	}
}

const lock, sessionA, sessionB, sessionC = "/lock", 0xa, 0xb, 0xc

func queued(zxid, session int64, n int) wire.Txn {
	return wire.Txn{Zxid: zxid, TimeMS: 1000 * zxid, Session: session, Cxid: 1, Op: wire.OpCreate, Ephemeral: true,
		Path: fmt.Sprintf("%s/lock-%010d", lock, n)}
}

func left(zxid, session int64, n int) wire.Txn {
	return wire.Txn{Zxid: zxid, TimeMS: 1000 * zxid, Session: session, Cxid: 2, Op: wire.OpDelete,
		Path: fmt.Sprintf("%s/lock-%010d", lock, n)}
}

// tree returns a snapshot with sessions in a queue, by their sequence numbers.
func tree(zxid int64, line map[int]int64) []byte {
	return txnlogtest.Versions()[0].Snapshot(content(line), zxid)
}

// ahead returns one that was written while its server went on until another transaction.
func ahead(zxid, until int64, line map[int]int64) []byte {
	of := content(line)
	of.Until = until
	return txnlogtest.Latest().Snapshot(of, zxid)
}

func content(line map[int]int64) txnlogtest.Tree {
	of := txnlogtest.Tree{Nodes: []txnlog.Node{{Path: "/", ACL: zoo.OpenACL()}, {Path: lock, ACL: zoo.OpenACL()}}}
	made := []int64{0, 2, 3, 20}
	for n := range made {
		if session, there := line[n]; there {
			of.Nodes = append(of.Nodes, txnlog.Node{Path: fmt.Sprintf("%s/lock-%010d", lock, n), ACL: zoo.OpenACL(),
				Stat: zoo.Stat{Czxid: made[n], Mzxid: made[n], Ctime: int64(n + 1), EphemeralOwner: session}})
		}
	}
	return of
}

// handed describes how the lock changes hands in files, and how it ends.
func handed(t *testing.T, dir string) string {
	t.Helper()
	f, err := past.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	of, b := past.NewHandovers(lock), &strings.Builder{}
	err = f.ReadWith(t.Context(), lock, func(x past.Trouble) {
		if gap := (*past.GapError)(nil); errors.As(x.Err, &gap) {
			fmt.Fprintf(b, "gap %d-%d, known %t; ", gap.After, gap.Before, gap.Known)
		}
	}, of.Before, func(_ *replay.State, x *wire.Txn, facts []replay.Fact) error {
		for _, c := range of.Take(x, facts) {
			fmt.Fprintf(b, "%d: %x got %t by %s unsure %t; ", c.Zxid, c.Hand.Session, c.Got, c.Reason, c.Unsure)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	_, unsure := of.Unsure()
	for _, h := range of.Holding() {
		fmt.Fprintf(b, "%x since %d, ", h.Session, h.GotMS)
	}
	fmt.Fprintf(b, "unsure %t", unsure)
	return b.String()
}

// TestHole leaves out transactions. What existed before them counts as uncertain, unless a snapshot confirms it.
func TestHole(t *testing.T) {
	begin := []wire.Txn{{Zxid: 1, TimeMS: 1000, Op: wire.OpCreate, Path: lock}, queued(2, sessionA, 1)}
	damaged := txnlogtest.Log(append(begin, queued(3, sessionB, 2), left(4, sessionA, 1), left(5, sessionB, 2))...)
	damaged[bytes.Index(damaged, []byte("lock-0000000002"))]++
	after := txnlogtest.Log(queued(20, sessionC, 3), left(21, sessionB, 2), left(22, sessionC, 3))
	for name, test := range map[string]struct {
		files map[string][]byte
		want  string
	}{
		"between the snapshot and the log": {
			map[string][]byte{"snapshot.a": tree(10, map[int]int64{1: sessionA}), "log.14": after},
			"gap 10-20, known false; 20: c got true by none unsure true; 22: c got false by op unsure true; unsure true",
		},
		"in a log": {
			map[string][]byte{"log.1": damaged},
			"2: a got true by none unsure false; gap 2-4, known false; 4: a got false by none unsure true; " +
				"4: a got false by op unsure true; unsure true",
		},
		"between logs, and a snapshot is in it": {
			map[string][]byte{"log.1": txnlogtest.Log(begin...), "snapshot.13": tree(19, map[int]int64{2: sessionB}),
				"log.14": after},
			"2: a got true by none unsure false; gap 2-20, known true; 20: a got false by none unsure true; " +
				"20: b got true by none unsure true; 21: b got false by op unsure false; " +
				"21: c got true by none unsure false; 22: c got false by op unsure false; unsure false",
		},
		"likewise, and the holder is still there": {
			map[string][]byte{"log.1": txnlogtest.Log(begin...), "snapshot.13": tree(19, map[int]int64{1: sessionA}),
				"log.14": after},
			"2: a got true by none unsure false; gap 2-20, known true; a since 2000, unsure false",
		},
		"a snapshot comes after it": {
			map[string][]byte{"log.1": txnlogtest.Log(begin...), "log.14": after, "snapshot.15": tree(21,
				map[int]int64{3: sessionC})},
			"2: a got true by none unsure false; gap 2-20, known false; 20: a got false by none unsure true; " +
				"20: c got true by none unsure true; 22: c got true by none unsure true; 22: c got false by op unsure false; " +
				"unsure false",
		},
		"the snapshot before the log lacks what went while it was written": {
			map[string][]byte{"snapshot.13": ahead(19, 21, nil), "log.14": after},
			"20: c got true by none unsure true; 22: c got true by none unsure true; 22: c got false by op unsure false; " +
				"unsure false",
		},
		"likewise after a hole": {
			map[string][]byte{"log.1": txnlogtest.Log(begin...), "snapshot.13": ahead(19, 21, map[int]int64{3: sessionC}),
				"log.14": after},
			"2: a got true by none unsure false; gap 2-20, known true; 20: a got false by none unsure true; " +
				"20: c got true by none unsure true; 22: c got true by none unsure true; 22: c got false by op unsure false; " +
				"unsure false",
		},
		"likewise in the log after a hole": {
			map[string][]byte{"log.1": txnlogtest.Log(begin...), "snapshot.14": ahead(20, 21, map[int]int64{3: sessionC}),
				"log.14": after},
			"2: a got true by none unsure false; gap 2-20, known false; 20: a got false by none unsure true; " +
				"20: c got true by none unsure true; 22: c got true by none unsure true; 22: c got false by op unsure false; " +
				"unsure false",
		},
		"the lock is new since": {
			map[string][]byte{"log.1": txnlogtest.Log(begin...), "log.14": txnlogtest.Log(
				wire.Txn{Zxid: 20, TimeMS: 20_000, Op: wire.OpCreate, Path: lock}, queued(21, sessionC, 0))},
			"2: a got true by none unsure false; gap 2-20, known false; 20: a got false by none unsure true; " +
				"21: c got true by none unsure false; c since 21000, unsure false",
		},
	} {
		if got := handed(t, folder(t, test.files)); got != test.want {
			t.Errorf("%s: it tells\n%s\nnot\n%s", name, got, test.want)
		}
	}
}

// TestTornEpoch checks that an unreadable end of an epoch may have held any number of transactions.
func TestTornEpoch(t *testing.T) {
	const epoch = 1 << 32
	first := txnlogtest.Log(made(1, 5)...)
	second := txnlogtest.Log(made(epoch+1, epoch+2)...)
	for torn, want := range map[bool]int{false: 0, true: 2} {
		content := first
		if torn {
			content = first[:len(first)-1024-2]
		}
		one, two := folder(t, map[string][]byte{"log.1": content, "log.100000001": second}), folder(t, map[string][]byte{
			"log.1": first, "log.100000001": second})
		if _, troubles := read(t, one); len(troubles) != want {
			t.Errorf("torn %t: it says %q", torn, troubles)
		}
		if _, troubles := read(t, one, two); torn && len(troubles) != 1 { // the other has the missing transactions
			t.Errorf("torn %t, beside a whole one: it says %q", torn, troubles)
		}
	}
}

// TestDamagedTurns damages logs of a lock at random, beside snapshots. Every certain statement must be true.
func TestDamagedTurns(t *testing.T) {
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 2))
		all, line := []wire.Txn{{Zxid: 1, TimeMS: 1000, Op: wire.OpCreate, Path: lock}}, []int{}
		truth := map[int64]int{} // the holder after a transaction, by number; -1 for nobody
		truth[1] = -1
		for next := 0; len(all) < 60; {
			zxid := int64(len(all) + 1)
			if len(line) == 0 || len(line) < 4 && rng.IntN(2) == 0 {
				all = append(all, queued(zxid, int64(100+next), next))
				line = append(line, next)
				next++
			} else {
				i := rng.IntN(len(line))
				all = append(all, left(zxid, int64(100+line[i]), line[i]))
				line = append(line[:i:i], line[i+1:]...)
			}
			if truth[zxid] = -1; len(line) > 0 {
				truth[zxid] = line[0]
			}
		}
		cut := 10 + rng.IntN(40)
		files := map[string][]byte{"log.1": txnlogtest.Log(all[:cut]...), fmt.Sprintf("log.%x",
			cut+1): txnlogtest.Log(all[cut:]...)}
		for name, b := range files {
			if at := rng.IntN(len(b)); rng.IntN(3) > 0 {
				clear(b[at:min(len(b), at+1+rng.IntN(400))])
				files[name] = b
			}
		}
		f, err := past.Find(folder(t, files))
		if errors.Is(err, past.ErrNoLog) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		of := past.NewHandovers(lock)
		certain := func(zxid int64, h handover.Hand) {
			if want := fmt.Sprintf("%s/lock-%010d", lock, truth[zxid]); h.Path != want {
				t.Errorf("seed %d: after %d it says that it's held with %s, not %s", seed, zxid, h.Path, want)
			}
		}
		err = f.ReadWith(t.Context(), lock, func(past.Trouble) {}, of.Before,
			func(_ *replay.State, x *wire.Txn, facts []replay.Fact) error {
				for _, c := range of.Take(x, facts) {
					if c.Got && !c.Unsure {
						certain(x.Zxid, c.Hand)
					}
				}
				_, unsure := of.Unsure()
				for _, h := range of.Holding() {
					if !unsure {
						certain(x.Zxid, h)
					}
				}
				if !unsure && len(of.Holding()) == 0 && truth[x.Zxid] >= 0 {
					t.Errorf("seed %d: after %d it says that nobody holds it", seed, x.Zxid)
				}
				return nil
			})
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

// TestClock checks that zxids decide the order, and that a jump back in time is reported.
func TestClock(t *testing.T) {
	all := made(1, 6)
	all[2].TimeMS += 86_400_000
	all[4].TimeMS -= 900 // clocks may differ by that much
	zxids, troubles := read(t, folder(t, map[string][]byte{"log.1": txnlogtest.Log(all...)}))
	if len(zxids) != 6 || len(troubles) != 1 || !strings.Contains(troubles[0], "the time goes back from") ||
		!strings.Contains(troubles[0], "at the transaction 0x4") {
		t.Errorf("%v, %q", zxids, troubles)
	}
	f, err := past.Find(folder(t, map[string][]byte{"log.1": txnlogtest.Log(all...)}))
	if err != nil {
		t.Fatal(err)
	}
	w := past.Everything()
	w.Until = 5000
	if zxid, err := f.LastWithin(t.Context(), &w); zxid != 5 || err != nil {
		t.Errorf("the last within is %d, %v", zxid, err)
	}
}

// TestUnreadable checks that a log without read permission is reported.
func TestUnreadable(t *testing.T) {
	dir := folder(t, map[string][]byte{"log.1": txnlogtest.Log(made(1, 5)...), "log.6": txnlogtest.Log(made(6, 6)...)})
	if err := os.Chmod(filepath.Join(dir, "log.6"), 0); err != nil {
		t.Fatal(err)
	}
	if file, err := os.Open(filepath.Join(dir, "log.6")); err == nil {
		_ = file.Close()
		t.Skip("this user may read anything")
	}
	if zxids, troubles := read(t, dir); len(zxids) != 5 || !strings.Contains(fmt.Sprint(troubles), "permission denied") {
		t.Errorf("%v, %q", zxids, troubles)
	}
}

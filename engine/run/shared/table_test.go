package shared

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/zkviz/zkviz/engine/testing/golden"
)

// TestEntryRoundTrips checks that entries come back as they were, and their bytes, which other versions read.
func TestEntryRoundTrips(t *testing.T) {
	for _, c := range []struct {
		e    entry
		want string
	}{
		{entry{kind: kindTaken, epoch: 1, since: 1_800_000_000_000}, "010201000080a0f1c2b134"},
		{entry{kindData, 300, 2, 7, 1, []byte("seven 7")}, "0101ac02020701736576656e2037"},
		{entry{kind: kindDeleted, epoch: 1<<64 - 1, n: 1}, "0103ffffffffffffffffff01010000"},
	} {
		b := bytesOf(c.e)
		if got := fmt.Sprintf("%x", b); got != c.want {
			t.Errorf("%+v is %s, not %s", c.e, got, c.want)
		}
		if got, err := decode(b); err != nil || fmt.Sprint(got) != fmt.Sprint(c.e) {
			t.Errorf("%+v came back as %+v: %v", c.e, got, err)
		}
	}
}

// TestNoEntry checks that decode refuses what isn't an entry, whatever a stranger stores.
func TestNoEntry(t *testing.T) {
	whole := string(bytesOf(entry{kind: kindData, epoch: 300, n: 2, bytes: 7, since: 1}))
	for i := range len(whole) {
		if _, err := decode([]byte(whole[:i])); err == nil {
			t.Errorf("the first %d bytes count as an entry", i)
		}
	}
	for _, s := range []string{
		"\x02\x01\x01\x01\x01\x01", "\x01\x00\x01\x01\x01\x01", "\x01\x04\x01\x01\x01\x01", // version, kinds
		"\x01\x01\x01\x00\x01\x01",              // an entry with number 0
		"\x01\x01" + strings.Repeat("\xff", 99), // a number beyond 64 bits
		whole + strings.Repeat("x", EntryBytes+1),
	} {
		if _, err := decode([]byte(s)); !errors.Is(err, errEntry) {
			t.Errorf("%.20q…: %v", s, err)
		}
	}
}

// TestHolds checks how long an owner believes in its lease, on clocks that stand still or jump.
func TestHolds(t *testing.T) {
	at := func(running, ofDay time.Duration) instant { return instant{running, ofDay} }
	const lease, most = 3 * time.Second, 2500 * time.Millisecond
	for _, c := range []struct {
		what string
		now  instant
		want bool
	}{
		{"at once", at(0, 0), true},
		{"a moment before", at(most-1, most-1), true},
		{"at the end", at(most, most), false},
		{"much later, as after a pause", at(30*time.Second, 30*time.Second), false},
		{"after the machine slept", at(0, time.Hour), false},
		{"the day was set back", at(most, -time.Hour), false},
		{"the day was set back, and it's early", at(time.Second, -time.Hour), true},
	} {
		if got := c.now.holds(at(0, 0), lease); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
}

// TestTailGolden plays what may follow a log's end.
func TestTailGolden(t *testing.T) {
	var log tail
	now := time.UnixMilli(1_800_000_000_000)
	put := func(e entry) string {
		log = tail{seq: log.seq + 1, entry: e}
		return fmt.Sprintf("kind %d, epoch %d, number %d, %d bytes, began %d\n", e.kind, e.epoch, e.n, e.bytes, e.since)
	}
	golden.Script(t, "testdata/tail", func(t *testing.T, d *datadriven.TestData) string {
		var epoch, after uint64
		var bytes, hours int
		d.MaybeScanArgs(t, "epoch", &epoch)
		d.MaybeScanArgs(t, "after", &after)
		d.MaybeScanArgs(t, "bytes", &bytes)
		d.MaybeScanArgs(t, "hours", &hours)
		now = now.Add(time.Duration(hours) * time.Hour)
		var e entry
		var err error
		switch d.Cmd {
		case "take":
			var done bool
			if e, done, err = log.take(epoch, now); done {
				return "done\n"
			}
		case "append":
			e, err = log.append(after, make([]byte, bytes), now)
		case "delete":
			e = log.delete()
		}
		if err != nil {
			return err.Error() + "\n"
		}
		return put(e)
	})
}

// TestOrderGolden shows which entries a reader delivers, from the number that it waits for.
func TestOrderGolden(t *testing.T) {
	words := map[step]string{deliver: "deliver", skip: "skip", gap: "gap", deleted: "deleted"}
	var b strings.Builder
	for _, k := range []kind{kindData, kindTaken, kindDeleted} {
		for n := uint64(4); n <= 6; n++ {
			fmt.Fprintf(&b, "waits for 5, kind %d number %d comes: %s\n", k, n, words[entryNext(5, entry{kind: k, n: n})])
		}
	}
	golden.Compare(t, "testdata/order.txt", b.String())
}

// TestCheckName checks names that would mean something else to NATS.
func TestCheckName(t *testing.T) {
	for _, name := range []string{"", "a.b", "*", ">", "a b", "ä", "a/b", "a\n", strings.Repeat("a", NameBytes+1)} {
		if CheckName(name) == nil {
			t.Errorf("%q is a name", name)
		}
	}
	for _, name := range []string{"a", "Class-7_x", strings.Repeat("a", NameBytes)} {
		if err := CheckName(name); err != nil {
			t.Error(err)
		}
	}
}

// TestRedacted checks that no password of an address gets into an error.
func TestRedacted(t *testing.T) {
	for _, url := range []string{"nats://me:secret@a:1,tls://secret@b:2", "nats://secret:\x00", "me:secret@host"} {
		if got := redacted(Config{URL: url}); strings.Contains(got, "secret") {
			t.Error(got)
		}
	}
}

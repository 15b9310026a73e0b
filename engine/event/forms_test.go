package event_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/event"
)

// TestQuoted checks that exactly these are escaped: control characters, quotes, backslashes, <>&, line separators and
// invalid UTF-8. It tries each character alone and in context.
func TestQuoted(t *testing.T) {
	quoted := func(s string) string { return string(event.AppendQuoted(nil, s)) }
	want := func(r rune) string {
		switch {
		case r == '"' || r == '\\':
			return `\` + string(r)
		case r < ' ' || strings.ContainsRune("<>&\x7f\u2028\u2029", r):
			return fmt.Sprintf(`\u%04x`, r)
		}
		return string(r)
	}
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		if got := quoted("a" + string(r) + "b"); got != `"a`+want(r)+`b"` {
			t.Errorf("%U is written %s", r, got)
		}
	}
	for s, want := range map[string]string{
		"": `""`, "\xff": `"\ufffd"`, "a\xe2\x80": `"a\ufffd\ufffd"`, "\xed\xa0\x80": `"\ufffd\ufffd\ufffd"`,
		"\uFFFD": "\"\uFFFD\"",
	} {
		if got := quoted(s); got != want {
			t.Errorf("%q is written %s", s, got)
		}
	}
	if got := string(event.AppendQuoted([]byte("x"), "a")); got != `x"a"` {
		t.Errorf("behind something else: %s", got)
	}
}

func TestGoldenJSON(t *testing.T) {
	for _, c := range []struct {
		e    event.Event
		want string
	}{
		{event.Event{Seq: 1, Kind: event.RunStarted}, `{"seq":1,"at_ns":0,"kind":"run.started"}`},
		{full,
			`{"seq":2147483648,"at_ns":5002100000,"kind":"op.done","cause":7,"actor":"client-10000","peer":"client-2","op":"setWatches",` +
				`"watch":"child","type":"children","mode":"255","path":"/zkviz/lock-é","text":"\u003cb\u003e\u0026\"\\\u000a\u2028",` +
				`"zxid":-1,"session":"0xff8100ff00010000","n":1099511627776,"code":-112,"line":65535}`},
	} {
		if got := string(event.AppendJSON(nil, c.e)); got != c.want {
			t.Errorf("\ngot  %s\nwant %s", got, c.want)
		}
	}
}

func TestNames(t *testing.T) {
	var got []string
	for o := event.NoOp; o <= event.Replicate+1; o++ {
		got = append(got, o.String())
	}
	for w := event.NoWatch; w <= event.RecursiveWatch+1; w++ {
		got = append(got, w.String())
	}
	for i := range uint8(8) {
		got = append(got, event.TypeName(i), event.ModeName(i))
	}
	for _, a := range []event.Actor{event.ZooKeeper, 1, 10_000, event.Server(3), event.Node(5), event.Store(1000)} {
		got = append(got, a.String())
	}
	got = append(got, event.Kind(0).String(), (event.OpRefused + 1).String())
	const want = "none connect ping create delete exists get set children multi sync check closeSession setWatches " +
		"getACL setACL " +
		"getEphemerals getAllChildrenNumber multiRead addWatch removeWatches checkWatches auth whoAmI reconfig " +
		"notification FOLLOWERINFO OBSERVERINFO LEADERINFO ACKEPOCH DIFF TRUNC SNAP NEWLEADER UPTODATE PROPOSAL ACK COMMIT " +
		"INFORM REQUEST REVALIDATE PING SYNC command replicate 45 " +
		"none data exist child persistent recursive 6 " +
		"0 persistent created ephemeral deleted persistent-sequential changed ephemeral-sequential children container " +
		"5 persistent-ttl 6 persistent-sequential-ttl 7 7 zookeeper client-1 client-10000 server-3 node-5 store-1000 0 86"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %q\nwant %q", strings.Join(got, " "), want)
	}
	for i := range uint8(8) {
		n, ok := event.ParseType(event.TypeName(i))
		if want := i >= 1 && i <= 4; ok != want || ok && n != i {
			t.Errorf("type %d is read as %d, %t", i, n, ok)
		}
		n, ok = event.ParseMode(event.ModeName(i))
		if want := i <= 6; ok != want || ok && n != i {
			t.Errorf("mode %d is read as %d, %t", i, n, ok)
		}
	}
	for _, s := range []string{"", "lock", "7"} {
		_, op := event.ParseOp(s)
		_, watch := event.ParseWatch(s)
		_, typ := event.ParseType(s)
		_, mode := event.ParseMode(s)
		if op || watch || typ || mode {
			t.Errorf("%q is a name", s)
		}
	}
}

func TestNumber(t *testing.T) {
	for path, want := range map[string]int64{
		"": -1, "/": -1, "000000001": -1, "0000000001": 1, "/lock-0000000007": 7, "/lock-000000000x": -1,
		"/lock-/000000007": -1,
		"/lock-x000000007": -1, "/lock-:000000007": -1, "/a/0000000009": 9, "/lock-00000000010": -1,
		"/lock-1234567890": 1234567890,
		"/lock-9999999999": -1, "/lock-00000000-7": -1, "/lock-2147483647": 2147483647, "/lock-2147483648": -1,
		"/lock--2147483648": -1, "/block-17640397801234567890": -1,
	} {
		if got := event.Number(path); got != want {
			t.Errorf("the number of %q is %d, not %d", path, got, want)
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		n := r.Int64N(math.MaxInt32)
		if got := event.Number(fmt.Sprintf("/lock-%010d", n)); got != n {
			t.Errorf("%d is read as %d", n, got)
		}
	}
	for name, want := range map[string]int64{"l--2147483648": -2147483648, "__lock__-1999999999": -1999999999,
		"lock-1999999999": 1999999999, "lock--0000000005": 5, "-2147483647": 2147483647} {
		if got, ok := event.Sequence(name); got != want || !ok {
			t.Errorf("the sequence number of %q is %d, %t", name, got, ok)
		}
	}
}

func TestStem(t *testing.T) {
	const guid, plain = "8d4e2b6a-0c1f-4e5d-9a7b-1234567890ab", "8d4e2b6a0c1f4e5d9a7b1234567890ab"
	for name, want := range map[string]string{
		"lock-0000000007":                    "lock",
		"0000000007":                         "",
		"l-0000000007":                       "l",
		"a0000000007":                        "a",
		"short":                              "short",
		"ten-digits":                         "",
		"lock_0000000007":                    "lock",
		"lock-100001f2a-0000000007":          "lock",
		"read-write-100001f2a-0000000007":    "read-write",
		"lock-cafe-0000000007":               "lock-cafe", // a word
		"lock-decade-0000000007":             "lock-decade",
		"lock-a1b2-0000000007":               "lock-a1b2", // too short to be a session
		"lock-a1b2c-0000000007":              "lock",
		"lock-9a9a9-0000000007":              "lock",
		"lock-a1b2g-0000000007":              "lock-a1b2g",
		"lock-a1b`c-0000000007":              "lock-a1b`c",
		"lock-a1b:c-0000000007":              "lock-a1b:c",
		"lock-a1b/c-0000000007":              "lock-a1b/c",
		"lock-A1B2C-0000000007":              "lock-A1B2C",
		"-100001f2a-0000000007":              "100001f2a",
		"x-100001f2a-0000000007":             "x",
		"x-100001f2a-12-0000000007":          "x",
		"x-y-12-0000000007":                  "x-y-12",
		"x-12-0000000007":                    "x-12",
		"100001f2a-lock-0000000007":          "lock",
		"100001f2a_lock-0000000007":          "lock",
		"1-lock-0000000007":                  "1-lock",
		"_c_" + guid + "-lock-0000000007":    "lock",
		"_c_" + guid + "lock-0000000007":     "lock",
		"_c_" + guid + "-0000000007":         "0c1f-4e5d-9a7b", // not an ID, but parts of it are
		"_c_" + plain + "lock-0000000007":    "lock",
		"_c_" + plain + "__lock__0000000007": "lock",
		plain + "-0000000007":                plain,
		plain[1:] + "lock-0000000007":        plain[1:] + "lock",
	} {
		if got := event.Stem(name); got != want {
			t.Errorf("the stem of %q is %q, not %q", name, got, want)
		}
	}
}

func TestPreview(t *testing.T) {
	a := strings.Repeat("a", event.MaxText)
	for _, c := range []struct{ name, data, want string }{
		{"nothing", "", ""},
		{"text", "abc é", "abc é"},
		{"as long as it may be", a, a},
		{"longer", a + "b", a},
		{"no UTF-8", "a\xffb\xfe\xfdc", "a\uFFFDb\uFFFDc"},
		{"a character cut in two", a[1:] + "é", a[1:]},
		{"no UTF-8, which takes more as UTF-8", a[1:] + "\xff", a[1:]},
		{"no UTF-8 again and again", strings.Repeat("a\xff", 200), strings.Repeat("a\uFFFD", 64)},
	} {
		if got := event.Preview([]byte(c.data)); got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
	r := rand.New(rand.NewPCG(1, 9))
	for range 2000 {
		data := make([]byte, r.IntN(600))
		for i := range data {
			data[i] = "abc\xc3\xa9\xf0\x9d\x84\x9e\xff"[r.IntN(10)]
		}
		var want []rune
		for _, r := range string(data[:min(len(data), event.MaxText)]) {
			if r == utf8.RuneError && len(want) > 0 && want[len(want)-1] == utf8.RuneError {
				continue
			}
			if len(string(want))+utf8.RuneLen(r) > event.MaxText {
				break
			}
			want = append(want, r)
		}
		if got := event.Preview(data); got != string(want) {
			t.Fatalf("%q\nof %q, want\n%q", got, data, string(want))
		}
	}
}

// TestActorsAndReasonsParseBack checks that all names parse, and no others.
func TestActorsAndReasonsParseBack(t *testing.T) {
	kinds := map[event.ActorKind]int{}
	for a := event.Actor(-2); a < 40_000; a++ {
		got, ok := event.ParseActor(a.String())
		if known := a.Kind() != event.NoActor; ok != known || ok && got != a {
			t.Fatalf("%d is written %q and read as %d, %t", a, a, got, ok)
		}
		kinds[a.Kind()]++
		if n := a.Number(); a.Kind() == event.AServer && event.Server(n) != a || a.Kind() == event.AStore &&
			event.Store(n) != a || a.Kind() == event.ANode && event.Node(n) != a {
			t.Fatalf("%s has the number %d", a, n)
		}
	}
	if kinds[event.ASystem] != 1 || kinds[event.AClient] != event.MaxActor || kinds[event.AServer] != event.MaxServers ||
		kinds[event.AStore] != event.MaxStores || kinds[event.ANode] != event.MaxNodes {
		t.Errorf("there are %v", kinds)
	}
	for _, name := range []string{"", "client-", "client-0", "client-01", "client--1", "client-10001", "server-0",
		"store-1001", "3", "zookeeper-1", "client-1 "} {
		if a, ok := event.ParseActor(name); ok {
			t.Errorf("%q is read as %d", name, a)
		}
	}
	for _, r := range event.Reasons() {
		if got, ok := event.ParseReason(r.String()); !ok || got != r {
			t.Errorf("reason %d is written %q and read as %d, %t", r, r, got, ok)
		}
	}
	if len(event.Reasons()) != int(event.QuorumBack) {
		t.Errorf("there are %d reasons", len(event.Reasons()))
	}
}

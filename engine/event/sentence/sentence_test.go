package sentence_test

import (
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// say fills in the few sentences that these tests use.
func say(key string, args ...string) string {
	text := map[string]string{
		"seconds": "{0} s", "list.more": "{0}, {1}", "list.last": "{0} and {1}", "list.others": "{0} and {1} others",
		"list.sentences": "{0}; {1}", "says": "{0}.", "left": "{0} left {1}", "error.text": "{0}",
		"failed": "{0} failed: {1}",
	}[key]
	for i, a := range args {
		text = strings.ReplaceAll(text, "{"+string(rune('0'+i))+"}", a)
	}
	return text
}

func TestSays(t *testing.T) {
	clients := func(n int) (list []event.Actor) {
		for a := range event.Actor(n) {
			list = append(list, a+1)
		}
		return list
	}
	left := func(a event.Actor) sentence.Sentence {
		return sentence.Of("left", sentence.Client(a), sentence.Path("/l/a"))
	}
	for _, c := range []struct {
		arg         sentence.Arg
		plain, page string
	}{
		{sentence.Text("as it is"), "as it is", "AS IT IS"},
		{sentence.Client(12), "client-12", "L"},
		{sentence.Client(event.ZooKeeper), "zookeeper", "@"},
		{sentence.Clients(nil), "", ""},
		{sentence.Clients(clients(1)), "client-1", "A"},
		{sentence.Clients(clients(2)), "client-1 and client-2", "A and B"},
		{sentence.Clients(clients(4)), "client-1, client-2, client-3 and client-4", "A, B, C and D"},
		{sentence.Clients(clients(5)), "client-1, client-2, client-3 and 2 others", "A, B, C and 2 others"},
		{sentence.SomeOf(clients(4), 1000), "client-1, client-2, client-3 and 997 others", "A, B, C and 997 others"},
		{sentence.Path("/l/item-1"), "item-1", "/l/item-1"},
		{sentence.Path("item"), "item", "item"},
		{sentence.Paths([]string{"/l/a", "/l/b", "/m/c"}), "a, b and c", "/l/a, /l/b and /m/c"},
		{sentence.Paths([]string{"a", "b", "c", "d", "e"}), "a, b, c and 2 others", "a, b, c and 2 others"},
		{sentence.Time(0), "0.0 s", "0.0 s"},
		{sentence.Time(14200 * time.Millisecond), "14.2 s", "14.2 s"},
		{sentence.Time(14*time.Second + 1234567), "14.001 s", "14.001 s"},
		{sentence.Time(100 * time.Second), "100.0 s", "100.0 s"},
		{sentence.Span(90 * time.Second), "1 min 30 s", "1 min 30 s"},
		{sentence.Span(1234567), "1 ms", "1 ms"},
		{sentence.Request(event.Create, "/l/a b"), "create /l/a b", "create: /l/a b"},
		{sentence.Request(event.CloseSession, ""), "closeSession", "closeSession: "},
		{sentence.Duration(1234567), "1.234567ms", "1.234567ms"},
		{sentence.Quote("a\n\"b\u202e"), `"a\n\"b\u202e"`, `"a\n\"b\u202e"`},
		{sentence.Quote(strings.Repeat("é", 61)), `"` + strings.Repeat("é", 60) + `…"`, `"` + strings.Repeat("é", 60) + `…"`},
		{sentence.Quote(strings.Repeat("é", 60)), `"` + strings.Repeat("é", 60) + `"`, `"` + strings.Repeat("é", 60) + `"`},
		{sentence.Number(7), "7", "7"},
		{sentence.Number(int64(-1) << 62), "-4611686018427387904", "-4611686018427387904"},
		{sentence.Sentences(), "", ""},
		{sentence.Sentences(left(1)), "client-1 left a", "A left /l/a"},
		{sentence.Sentences(left(1), left(2), left(3)),
			"client-1 left a; client-2 left a; client-3 left a", "A left /l/a; B left /l/a; C left /l/a"},
	} {
		s := sentence.Of("says", c.arg)
		if got := (sentence.Voice{Say: say}).Says(s); got != c.plain+"." {
			t.Errorf("%+v: %q, want %q", c.arg, got, c.plain)
		}
		page := sentence.Voice{
			Say: say, Client: func(a event.Actor) string { return string(rune('@' + a)) },
			Path:    func(p string) string { return p },
			Request: func(op event.Op, path string) string { return op.String() + ": " + path }, Text: strings.ToUpper,
		}
		if got := page.Says(s); got != c.page+"." {
			t.Errorf("%+v: %q, want %q", c.arg, got, c.page)
		}
	}
	if got := (sentence.Voice{Say: say}).Says(sentence.Sentence{}); got != "" {
		t.Errorf("the zero sentence says %q", got)
	}
	s := sentence.Of("broken.order", sentence.Client(2), sentence.Number(3), sentence.Time(time.Second))
	if got := s.String(); got != "broken.order(client-2, 3, 1.0 s)" {
		t.Errorf("for a program's log it is %q", got)
	}
}

// TestAListIsCopied checks that a sentence doesn't change after it was made.
func TestAListIsCopied(t *testing.T) {
	clients, paths := []event.Actor{1, 2}, []string{"/a", "/b"}
	s := sentence.Of("left", sentence.Clients(clients), sentence.Paths(paths))
	clients[0], paths[0] = 9, "/z"
	if got := (sentence.Voice{Say: say}).Says(s); got != "client-1 and client-2 left a and b" {
		t.Errorf("it says %q", got)
	}
}

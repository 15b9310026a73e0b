package observe

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/wire/reader"
)

// numberedLog gives events their places in a log, after a RunStarted at the zxid.
func numberedLog(zxid int64, events ...event.Event) []event.Event {
	events = append([]event.Event{{Kind: event.RunStarted, Path: "/a", Zxid: zxid, N: 1}}, events...)
	for i := range events {
		events[i].Seq = event.Seq(i + 1)
	}
	return events
}

// TestRecall checks what an observer says of a znode that it reads again, after a log that goes on.
func TestRecall(t *testing.T) {
	found := event.Event{Kind: event.ZnodeFound, Path: "/a", Text: "one", Code: 3, N: 7, Zxid: 5}
	created := event.Event{Kind: event.ZnodeCreated, Path: "/a", Text: "one", N: 3, Zxid: 20}
	dated := event.Event{Kind: event.ZnodeFound, Path: "/a", N: 7}
	changed := event.Event{Kind: event.ZnodeChanged, Path: "/a", Text: "one", N: 3, Zxid: 30}
	missed := event.Event{Kind: event.RecipeNote, Reason: event.LeftMissed, Path: "/a", N: 2}
	stat := func(czxid, mzxid int64, version int32) zoo.Stat {
		return zoo.Stat{Czxid: czxid, Mzxid: mzxid, Version: version, DataLength: 3, Ctime: 7}
	}
	for _, c := range []struct {
		name string
		log  []event.Event
		stat zoo.Stat
		data string
		want string
	}{
		{"unchanged since before the log", []event.Event{found}, stat(5, 9, 4), "one", ""},
		{"changed during the log", []event.Event{found}, stat(5, 11, 4), "one", "changed /a"},
		{"unchanged since it came", []event.Event{created, dated}, stat(20, 20, 0), "one", ""},
		{"changed since it came", []event.Event{created, dated}, stat(20, 21, 1), "one", "changed /a"},
		{"changed often since it came", []event.Event{created, dated}, stat(20, 25, 4), "one", "missed /a 3, changed /a"},
		{"changed often since its last change", []event.Event{created, dated, missed, changed}, stat(20, 35, 8), "two",
			"missed /a 4, changed /a"},
		{"it isn't known how often it has changed", []event.Event{found, changed}, stat(5, 35, 8), "two", "changed /a"},
		{"unchanged since its last change", []event.Event{created, dated, changed}, stat(20, 30, 1), "one", ""},
		{"came with changes", []event.Event{missed, created, dated}, stat(20, 29, 2), "one", ""},
		{"came with changes, and has other data", []event.Event{missed, created, dated}, stat(20, 29, 2), "two",
			"changed /a"},
		{"came with changes, and had another", []event.Event{missed, created, dated}, stat(20, 29, 3), "one", "changed /a"},
		{"without a date", []event.Event{created}, stat(20, 20, 0), "one", "found /a"},
		{"before its change", []event.Event{created, dated, missed}, stat(20, 29, 3), "two", "changed /a"},
		{"before it came", []event.Event{missed}, stat(20, 29, 2), "two", "created /a, found /a"},
		{"before it was found", nil, stat(5, 9, 4), "one", "found /a"},
		{"another one", []event.Event{created, dated}, stat(40, 40, 0), "one", "deleted /a, created /a, found /a"},
	} {
		f := newFake(false)
		if err := f.recall(slices.Values(numberedLog(10, c.log...))); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		f.answers(reader.Data, "/a", wire.Response{Stat: c.stat, Data: []byte(c.data)})
		if got := f.log.text(); got != c.want {
			t.Errorf("%s: it says %q, not %q", c.name, got, c.want)
		}
		for i, e := range f.log {
			if want := event.Seq(2 + len(c.log) + i); e.Seq != want {
				t.Errorf("%s: event %d is %s", c.name, want, eventtext.Of(e))
			}
		}
	}
}

// TestRecallClients checks that the clients of a log stay, also where it was cut off while one was introduced.
func TestRecallClients(t *testing.T) {
	f := newFake(false)
	if err := f.recall(slices.Values(numberedLog(10,
		event.Event{Kind: event.ClientStarted, Actor: 1}, event.Event{Kind: event.SessionSeen, Peer: 1, Session: 7},
		event.Event{Kind: event.ZnodeFound, Path: "/a", Zxid: 5, Peer: 1, Session: 7},
		event.Event{Kind: event.ZnodeDeleted, Path: "/a", Peer: 1, Reason: event.ByUnknown},
		event.Event{Kind: event.ClientStarted, Actor: 2}))); err != nil {
		t.Fatal(err)
	}
	f.answers(reader.Data, "/a", wire.Response{Stat: zoo.Stat{Czxid: 20, EphemeralOwner: 8}})
	f.answers(reader.Data, "/a", wire.Response{Stat: zoo.Stat{Czxid: 21, EphemeralOwner: 7}})
	f.answers(reader.Data, "/a", wire.Response{Stat: zoo.Stat{Czxid: 22, EphemeralOwner: 9}})
	var got []string
	for _, e := range f.log {
		if e.At = 0; e.Kind != event.ZnodeFound {
			got = append(got, strings.Join(strings.Fields(eventtext.Of(e))[2:], " "))
		}
	}
	want := `zookeeper session.seen client-2, session 0x8
zookeeper znode.created /a, ephemeral, client-2, zxid 0x14, session 0x8
zookeeper znode.deleted /a, unknown, client-2
zookeeper znode.created /a, ephemeral, client-1, zxid 0x15, session 0x7
zookeeper znode.deleted /a, unknown, client-1
client-3 client.started
zookeeper session.seen client-3, session 0x9
zookeeper znode.created /a, ephemeral, client-3, zxid 0x16, session 0x9`
	if text := strings.Join(got, "\n"); text != want || f.owners.present != 1 {
		t.Errorf("%d are present:\n%s", f.owners.present, text)
	}
}

// TestRecallRefuses checks that an observer doesn't go on with what isn't a log of its own.
func TestRecallRefuses(t *testing.T) {
	znode := event.Event{Kind: event.ZnodeFound, Path: "/a", Zxid: 5}
	at := func(path string) event.Event { return event.Event{Kind: event.ZnodeCreated, Path: path, Zxid: 20} }
	gap := numberedLog(10, znode)
	gap[1].Seq++
	early := numberedLog(10, znode)
	early[0].At = 1
	other := numberedLog(10)
	other[0].Path = "/b"
	for want, log := range map[string][]event.Event{
		`event 3: it comes after event 1`:              gap,
		`event 2: it is earlier than the event before`: early,
		`event 1: it is about "/b"`:                    other,
		`event 2: the log ends there`:                  numberedLog(10, event.Event{Kind: event.RunEnded}),
		`event 2: unexpected run.started`:              numberedLog(10, event.Event{Kind: event.RunStarted}),
		`event 1: unexpected znode.found`:              {{Seq: 1, Kind: event.ZnodeFound, Path: "/a"}},
		`event 3: "/a" exists already`:                 numberedLog(10, znode, znode),
		`event 2: "/b" is outside "/a"`:                numberedLog(10, at("/b")),
		`event 2: "/a/." is outside "/a"`:              numberedLog(10, at("/a/.")),
		`event 2: "/a//b" is outside "/a"`:             numberedLog(10, at("/a//b")),
		`event 2: "/a/../b" is outside "/a"`:           numberedLog(10, at("/a/../b")),
		`it doesn't say when it began`:                 numberedLog(0, znode),
	} {
		f := newFake(false)
		err := f.recall(slices.Values(log))
		if !errors.Is(err, ErrAfter) || err.Error() != "this log can't go on: "+want {
			t.Errorf("it says %v, not %s", err, want)
		}
		if len(f.log) > 0 {
			t.Errorf("the log has %s", f.log.text())
		}
	}
}

// TestRecallOmissions checks that what is left out is said again only if it isn't the same, once that is known.
func TestRecallOmissions(t *testing.T) {
	note := func(reason event.Reason, path string, n int64) event.Event {
		return event.Event{Kind: event.RecipeNote, Reason: reason, Path: path, N: n}
	}
	before := []event.Event{{Kind: event.ZnodeFound, Path: "/a", Zxid: 5}, note(event.LeftData, "/a", 0),
		{Kind: event.ZnodeFound, Path: "/a/b", Zxid: 5}, {Kind: event.ZnodeFound, Path: "/a/c", Zxid: 5}}
	secrets := note(event.LeftData, "/a/b", 1)
	for name, c := range map[string]struct {
		log  []event.Event
		want string
	}{
		"the same":          {[]event.Event{secrets}, ""},
		"cut off":           {[]event.Event{note(event.LeftDeep, "/a/c", 0)}, "/a/b and 1 more may not be read"},
		"less before":       {[]event.Event{note(event.LeftData, "/a/b", 0)}, "/a/b and 1 more may not be read"},
		"another list":      {[]event.Event{note(event.LeftPaths, "", MaxObservedPath), secrets}, ""},
		"missed in between": {[]event.Event{note(event.LeftDeep, "/a/c", 0), note(event.LeftMissed, "/a", 3), secrets}, ""},
		"a limit":           {[]event.Event{secrets, note(event.LeftOwners, "", MaxObservedClients)}, ""},
		"everything":        {[]event.Event{note(event.LeftNothing, "", 0)}, "/a/b and 1 more may not be read"},
	} {
		f := newFake(false)
		f.requests.asking = 0
		if err := f.recall(slices.Values(numberedLog(10, append(slices.Clone(before), c.log...)...))); err != nil {
			t.Fatal(err)
		}
		f.oneShot = true // there is no watch to ask for
		f.begin(&reader.Conn{}, "")
		f.oneShot = false
		for f.requests.ready() {
			for _, q := range f.askOne() {
				a := wire.Response{Zxid: now, Stat: zoo.Stat{Czxid: 5, NumChildren: 2}, Children: []string{"b", "c"}}
				if q.Path != "/a" {
					a.Stat.NumChildren = 0
					if q.Kind == reader.Data {
						a = wire.Response{Zxid: now, Code: zoo.ErrNoAuth}
					}
				}
				f.receive(reader.Message{Asked: &q, Answer: a})
			}
		}
		var got []string
		for _, e := range f.log {
			got = append(got, words(e))
		}
		said := strings.Join(got, "; ")
		if c.want == "" && said != "" || !strings.Contains(said, c.want) || strings.Contains(said, "is shown") {
			t.Errorf("%s: it says %q", name, said)
		}
	}
}

package bridge

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/link"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// TestLink checks that a link names the faults of the branch that is shown and of its ancestors, in order, and reads
// back as the same moment.
func TestLink(t *testing.T) {
	branches := []player.Branch{
		{ID: 0, Parent: -1}, {ID: 1, Parent: 0, Fault: "crash client-1 at 2s"},
		{ID: 2, Parent: 0, Fault: "cut client-2 at 1s for 3s"}, {ID: 3, Parent: 1, Fault: "expire client-3 at 5s"},
	}
	place := link.Place{Set: true, At: 5500 * time.Millisecond, Seq: 214, Sum: "00000000000000ab"}
	moment := link.Moment{Place: place, Select: "client-3"}
	text := Link("recipe=unique-lock&clients=3", branches, 3, moment)
	got, err := url.ParseQuery(text)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"crash client-1 at 2s", "expire client-3 at 5s"}; !slices.Equal(got["fault"], want) {
		t.Errorf("the faults are %q, want %q", got["fault"], want)
	}
	if back, err := link.Take(got); err != nil || !reflect.DeepEqual(back, moment) {
		t.Errorf("the moment is %+v, %v, want %+v", back, err, moment)
	}
	lesson := AddressOf("lesson=the-herd&"+Link("", branches, 3, moment)+"&theme=dark", "")
	if lesson.Bad != nil || !reflect.DeepEqual(lesson.Link, moment) || len(lesson.Faults) != 2 || !lesson.Dark {
		t.Errorf("the page asks the stage for %+v", lesson)
	}
}

// TestAddressOf checks which parts of a frame's address count: a bad moment gives an error and no faults, and a frame
// that is reloaded returns to its last position.
func TestAddressOf(t *testing.T) {
	const faults = "&fault=crash+client-1+at+1s"
	for query, bad := range map[string]string{
		"at=soon": "bad.link.at", "at=-1s": "bad.link.at", "at=2s&event=x": "bad.link.event",
		"at=2s&event=99999999999": "bad.link.event", "event=1&sum=xyzzy": "bad.link.sum",
		"event=1&sum=11111111111111111": "bad.link.sum", "at=1s&select=a%00b": "bad.link.select",
		"at=1s&trace=" + strings.Repeat("x", 81): "bad.link.trace", "at=1s&trace=a%1bb": "bad.link.trace",
		"at=1s&bytes=3000": "bad.link.long", "event=1&sum=1" + strings.Repeat(faults, link.MaxFaults+1): "bad.link.faults",
	} {
		w := AddressOf("lesson=the-herd&"+query+faults, "")
		if w.Bad == nil || sentence.From(w.Bad).Key != bad || w.Faults != nil || w.Link.Set || w.Lesson != "the-herd" {
			t.Errorf("%.40s: %v, and %+v", query, w.Bad, w)
		}
	}
	if link.MaxFaults > mostRedone {
		t.Errorf("a link may have %d faults, and the page requests %d", link.MaxFaults, mostRedone)
	}
	was := AddressOf("query=recipe%3Dunique-lock&at=1s&beside=a&moment=5",
		"run=r1&branch=2&selected=%2Flocks&file=a.jsonl&beside=b&in-step=handover&fault=crash+client-1+at+1s&step=fan&"+
			"at=4s&event=9")
	want := player.Place{At: 4 * time.Second, Seq: 9, Step: "fan"}
	if was.Run != "r1" || was.Was != want || was.Beside != "b" || was.InStep != "handover" || was.Moment != 0 ||
		len(was.WasFaults) != 1 || was.Faults != nil || !was.Reopens || was.File {
		t.Errorf("a reloaded frame is at %+v", was)
	}
}

// TestAddressOfTheLab checks that a link to the Lab that no server has read gets the run beside it whole.
func TestAddressOfTheLab(t *testing.T) {
	const lab = "query=recipe%3Dunique-lock%26seed%3D4&lab=link&at=1s"
	for beside, want := range map[string]string{
		"": "", "&in-step=time": "", "&beside=children-lock&beside-event=9&beside-sum=a": "recipe=children-lock&seed=4",
		"&beside-seed=7": "recipe=unique-lock&seed=7", "&beside=seed%3D%26clients%3D2": "clients=2&recipe=unique-lock",
	} {
		w := AddressOf(lab+beside, "")
		if w.Bad != nil || w.Beside != want || w.Link.Beside.Seq > 0 != strings.Contains(beside, "event") {
			t.Errorf("%q: beside it is %q, %v, want %q", beside, w.Beside, w.Bad, want)
		}
	}
	if w := AddressOf(lab+"&beside=a%3D%25zz", ""); w.Bad == nil || w.Beside != "" {
		t.Errorf("a damaged run beside is %q, %v", w.Beside, w.Bad)
	}
}

// TestDiffers checks that the difference from one run gives the other one again.
func TestDiffers(t *testing.T) {
	const one = "recipe=unique-lock&clients=3&seed=1&fault=crash+client-1+at+1s"
	for _, c := range []struct {
		other  string
		faults []string
		want   string
	}{
		{one, nil, "recipe=unique-lock"},
		{strings.Replace(one, "unique", "children", 1), nil, "recipe=children-lock"},
		{"recipe=unique-lock&clients=3&seed=1", nil, "fault="},
		{one, []string{"crash client-2 at 2s"}, "fault=crash+client-1+at+1s&fault=crash+client-2+at+2s"},
	} {
		other := WithFaults(c.other, c.faults)
		differs := Differs(WithFaults(one, nil), other)
		back, err := link.Beside{What: differs}.Scenario(WithFaults(one, nil))
		if differs != c.want || err != nil || !reflect.DeepEqual(back, other) {
			t.Errorf("%s differs by %s, want %s, and gives %v, %v", c.other, differs, c.want, back, err)
		}
	}
}

// TestHolds checks when a log is known to be the one that a link was made from.
func TestHolds(t *testing.T) {
	events := make([]event.Event, 5)
	for i := range events {
		events[i] = event.Event{Seq: event.Seq(i + 1), Kind: event.RecipeNote, Actor: 1, Text: "hm", Line: uint16(i)}
	}
	p := player.New()
	holds := func(seq event.Seq, sum string) string {
		holds, known := Holds(p.Log.Shown(), link.Place{Seq: seq, Sum: sum})
		return fmt.Sprint(holds, known)
	}
	sum := link.Hash{UpTo: 3}
	for _, e := range events {
		sum.Append(e)
	}
	if got := holds(3, sum.Sum()); got != "false false" {
		t.Errorf("before the run: %s", got)
	}
	p.Open(player.Run{ID: "r", Header: event.Header{Host: event.Simulated, Clients: 1}})
	if err := p.PutBranch(player.Branch{Parent: -1, From: 1, Events: 5, Ended: true}, nil); err != nil {
		t.Fatal(err)
	}
	if got := holds(3, sum.Sum()); got != "false false" {
		t.Errorf("before its events: %s", got)
	}
	if err := p.Append(0, events); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		seq  event.Seq
		sum  string
		want string
	}{{3, sum.Sum(), "true true"}, {2, sum.Sum(), "false true"}, {9, sum.Sum(), "false true"}, {3, "", "false false"}} {
		if got := holds(c.seq, c.sum); got != c.want {
			t.Errorf("event %d with %q: %s, want %s", c.seq, c.sum, got, c.want)
		}
	}
}

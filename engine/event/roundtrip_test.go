package event_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// anyEvent returns a random event that a decoder accepts. Each field is zero, at a limit or random.
func anyEvent(r *rand.Rand) event.Event {
	number := func(low, high int64) int64 {
		switch r.IntN(5) {
		case 0:
			return 0
		case 1:
			return low
		case 2:
			return high
		case 3:
			return min(max(int64(r.IntN(300)), low), high)
		}
		if span := uint64(high) - uint64(low); span != math.MaxUint64 {
			return low + int64(r.Uint64N(span+1))
		}
		return int64(r.Uint64())
	}
	text := func(most int) string {
		letters := []string{"a", "/", "é", "𝄞", "\x00", "\xff", "\u2028", "<", `"`, "\n", "\x7f"}
		var s strings.Builder
		for range number(0, int64(most)/4) {
			s.WriteString(letters[r.IntN(len(letters))])
		}
		return s.String()
	}
	last := func(valid func(uint8) bool) int64 {
		n := uint8(0)
		for valid(n + 1) {
			n++
		}
		return int64(n)
	}
	ops := last(func(n uint8) bool { return event.Op(n).String() != strconv.Itoa(int(n)) })
	watches := last(func(n uint8) bool { return event.Watch(n).String() != strconv.Itoa(int(n)) })
	kinds := last(func(n uint8) bool { return event.Kind(n).Valid() })
	e := event.Event{
		At: time.Duration(number(0, math.MaxInt64)), Zxid: number(math.MinInt64, math.MaxInt64),
		Session: number(math.MinInt64, math.MaxInt64), N: number(math.MinInt64, math.MaxInt64),
		Path: text(600), Text: text(event.MaxText), Seq: event.Seq(max(1, number(1, math.MaxUint32))),
		Actor: event.Actor(number(0, event.MaxActor)), Peer: event.Actor(number(0, event.MaxActor)),
		Code: int32(number(math.MinInt32, math.MaxInt32)), Line: uint16(number(0, math.MaxUint16)),
		Kind: event.Kind(1 + r.IntN(int(kinds))), Op: event.Op(number(0, ops)), Watch: event.Watch(number(0, watches)),
		Type: uint8(number(0, 255)), Mode: uint8(number(0, 255)), Reason: event.Reason(number(0,
			int64(event.ConnTooManyWatches))),
	}
	e.Cause = event.Seq(number(0, int64(e.Seq)-1))
	return e
}

// TestAnyEventCounts checks that the hash covers the binary forms of random events, and that no form is the beginning
// of another's, so that different logs have different bytes.
func TestAnyEventCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var all []byte
	events := map[string]event.Event{}
	var sink, second event.HashSink
	tee := event.Tee{&sink, &second}
	var some []event.Event
	for _, text := range []string{"abc", "\x01\x01a"} { // where one string ends and the next begins
		for cut := 1; cut < len(text); cut++ {
			some = append(some, event.Event{Seq: 1, Kind: event.OpSent, Path: text[:cut], Text: text[cut:]},
				event.Event{Seq: 1, Kind: event.OpSent, Path: text[:cut], N: 1, Text: text[cut:]})
		}
	}
	for range 5000 {
		some = append(some, anyEvent(r))
	}
	for _, e := range some {
		form := event.AppendBinary(nil, e)
		if other, ok := events[string(form)]; ok && other != e {
			t.Fatalf("%+v and %+v have the same form", e, other)
		}
		events[string(form)], all = e, append(all, form...)
		tee.Append(e)
	}
	previous := ""
	for i, form := range slices.Sorted(maps.Keys(events)) {
		if i > 0 && strings.HasPrefix(form, previous) {
			t.Fatalf("the form of %+v begins as that of %+v", events[form], events[previous])
		}
		previous = form
	}
	want := fnv.New64a()
	want.Write(all)
	for _, h := range []event.HashSink{sink, second} {
		if h.Sum() != want.Sum64() || h.Count != len(some) {
			t.Errorf("the hash of %d events is %x, and that of their bytes %x", h.Count, h.Sum(), want.Sum64())
		}
	}
	if got := new(event.HashSink).Sum(); got != fnv.New64a().Sum64() {
		t.Errorf("the hash of no event is %x", got)
	}
}

// TestGoldenBytes pins the binary form.
func TestGoldenBytes(t *testing.T) {
	for _, c := range []struct {
		e    event.Event
		want []string
	}{
		{event.Event{Seq: 9, Kind: event.RunStarted}, []string{"01", "01", "09"}},
		{event.Event{Kind: event.ZnodeFound, N: -3}, []string{"24", "40", "05"}},
		{full, []string{
			"0f", "ffff03", "8080808008", "a0fa97d112", "f9ffffff07", "904e", "02", "0e2f7a6b76697a2f6c6f636b2dc3a9",
			"808080808040", "0d",
			"01", "80808480f09fc0c0ff01", "0a3c623e26225c0ae280a8", "03", "04", "ffff03", "ff01", "df01",
		}},
	} {
		if got := hex.EncodeToString(event.AppendBinary(nil, c.e)); got != strings.Join(c.want, "") {
			t.Errorf("got  %s\nwant %s", got, strings.Join(c.want, ""))
		}
	}
}

// TestJSONOfAnyEvent parses the JSON form with encoding/json and compares every field.
func TestJSONOfAnyEvent(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		e := anyEvent(r)
		want := map[string]any{"seq": num(e.Seq), "at_ns": num(e.At), "kind": e.Kind.String()}
		for key, v := range map[string]int64{
			"cause": int64(e.Cause), "zxid": e.Zxid, "n": e.N,
			"code": int64(e.Code), "line": int64(e.Line),
		} {
			if v != 0 {
				want[key] = num(v)
			}
		}
		for key, v := range map[string]struct {
			set  bool
			text string
		}{
			"actor": {e.Actor != 0, e.Actor.String()}, "peer": {e.Peer != 0, e.Peer.String()},
			"reason": {e.Reason != 0, e.Reason.String()}, "op": {e.Op != 0, e.Op.String()},
			"watch": {e.Watch != 0, e.Watch.String()},
			"type":  {e.Type != 0, event.TypeName(e.Type)}, "mode": {e.Mode != 0, event.ModeName(e.Mode)},
			"path": {e.Path != "", string([]rune(e.Path))}, "text": {e.Text != "", string([]rune(e.Text))},
			"session": {e.Session != 0, fmt.Sprintf("%#x", uint64(e.Session))},
		} {
			if v.set {
				want[key] = v.text
			}
		}
		b := event.AppendJSON([]byte("before"), e)
		d := json.NewDecoder(strings.NewReader(strings.TrimPrefix(string(b), "before")))
		d.UseNumber()
		var got map[string]any
		if err := d.Decode(&got); err != nil || d.More() || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%s: %v\ngot  %v\nwant %v", b, err, got, want)
		}
	}
}

func num[T ~uint32 | ~int64](n T) json.Number { return json.Number(fmt.Sprintf("%d", n)) }

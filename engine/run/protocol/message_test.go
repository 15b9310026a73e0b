package protocol_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/packed"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// messages lists one message of each kind, with its bytes.
var messages = []struct {
	m    protocol.Message
	text string
}{
	{
		&protocol.Run{Run: "r1-abcd",
			Header: event.Header{Recipe: "unique-lock", Host: "sim", Seed: 1<<64 - 1, Hold: -1, Faults: []string{"a"},
				Systems: []event.System{{Kind: "zookeeper", Servers: 1}}}, Query: "recipe=unique-lock&clients=4",
			Branches: []protocol.Row{{Parent: -1, From: 1, Events: 57, Ended: true}},
			Steps: []protocol.Step{{Anchor: "a", Seq: 3, At: 1500 * time.Microsecond, Focus: []string{"client-1"},
				Shows: []string{"zxid"}},
				{Anchor: "b", Branch: 1, Again: "a"}}},
		`{"say":"run","run":"r1-abcd",` +
			`"header":{"recipe":"unique-lock","host":"sim","seed":"18446744073709551615","hold_ns":-1,"faults":["a"],"systems":[{"kind":"zookeeper","servers":1}]},"query":"recipe=unique-lock\u0026clients=4",` +
			`"branches":[{"id":0,"parent":-1,"at_ms":0,"from":1,"fault":"","events":57,"ended":true}],` +
			`"steps":[{"anchor":"a","branch":0,"seq":3,"at_ms":1.5,"focus":["client-1"],"shows":["zxid"]},{"anchor":"b","branch":1,"seq":0,"at_ms":0,"again":"a"}]}`,
	},
	{&protocol.Run{}, `{"say":"run","run":"","header":{},"branches":[],"steps":[]}`},
	{
		&protocol.Branch{Row: protocol.Row{ID: 2, Parent: 1, At: 2*time.Second + 1, From: 9, Fault: "crash client-2 at 2s",
			Events: 12}},
		`{"say":"branch","id":2,"parent":1,"at_ms":2000.000001,"from":9,"fault":"crash client-2 at 2s","events":12,"ended":false,"steps":[]}`,
	},
	{&protocol.Steps{}, `{"say":"steps","steps":[]}`},
	{
		&protocol.Verdict{Branch: 1, Events: 57, From: 2, Deeds: []promise.Violation{
			{Rule: "order", At: 1500 * time.Microsecond, Seq: 9, Clients: []event.Actor{2, 1}, How: "late",
				Sentence: sentence.Of("broken.order", sentence.Client(2))},
			{Rule: "gave-up", Seq: 12}}, Unjudged: []string{"total-order"}},
		`{"say":"verdict","branch":1,"events":57,"from":2,"deeds":[` +
			`{"rule":"order","at_ms":1.5,"seq":9,"clients":[2,1],"how":"late","why":{"key":"broken.order","args":[{"kind":1,"client":2}]}},` +
			`{"rule":"gave-up","at_ms":0,"seq":12,"clients":[]}],"unjudged":["total-order"]}`,
	},
	{&protocol.Verdict{}, `{"say":"verdict","branch":0,"events":0,"deeds":[]}`},
	{&protocol.Connection{OK: true}, `{"say":"link","ok":true}`},
	{
		&protocol.Connection{Why: sentence.Of("a.b", sentence.Text("<no>"), sentence.Number(-3)), Failed: true},
		`{"say":"link","ok":false,"why":{"key":"a.b","args":[{"text":"\u003cno\u003e"},{"kind":7,"number":-3}]},"failed":true}`,
	},
	{&protocol.Pong{}, protocol.SaysPong},
	{&protocol.Contenders{Clients: 3, Most: 10}, `{"say":"contenders","clients":3,"most":10}`},
	{
		&protocol.Fork{Use: "lock", Said: []sentence.Sentence{sentence.Of("fork.lock")}, Seen: "lock_1.1", Query: "clients=2",
			Whole: "clients=3"},
		`{"say":"fork","use":"lock","said":[{"key":"fork.lock"}],"seen":"lock_1.1","query":"clients=2","whole":"clients=3"}`,
	},
	{&protocol.Fork{}, `{"say":"fork","use":"","said":[],"seen":"","query":""}`},
	{&protocol.Progress{Do: "open", Events: 1_250_000}, `{"say":"progress","do":"open","events":1250000}`},
	{
		&protocol.Progress{Do: "explore", Tried: 7, Of: 1000, Broke: true},
		`{"say":"progress","do":"explore","events":0,"tried":7,"of":1000,"broke":true}`,
	},
	{
		&protocol.Explored{Tried: 8, Of: 1000, Said: []sentence.Sentence{sentence.Of("explored.held")},
			Link: "/lab?recipe=a"},
		`{"say":"explored","held":false,"tried":8,"of":1000,"said":[{"key":"explored.held"}],"link":"/lab?recipe=a"}`,
	},
	{&protocol.Explored{Held: true}, `{"say":"explored","held":true,"tried":0,"of":0,"said":[]}`},
	{&protocol.Refusal{Why: sentence.Of("no"), Do: "open"}, `{"say":"error","why":{"key":"no"},"do":"open"}`},
	{
		&protocol.Refusal{Why: sentence.Of("busy", sentence.Sentences(sentence.Of("no"))), Do: "open",
			AgainMS: 5000},
		`{"say":"error","why":{"key":"busy","args":[{"kind":9,"sentences":[{"key":"no"}]}]},"do":"open","again_ms":5000}`,
	},
}

func TestMessagesAreWrittenAsBefore(t *testing.T) {
	for _, c := range messages {
		if got := string(protocol.AppendMessage(nil, c.m)); got != c.text {
			t.Errorf("%T is written\n%s, want\n%s", c.m, got, c.text)
		}
		got, err := protocol.ParseMessage([]byte(c.text))
		if err != nil || !reflect.DeepEqual(got, c.m) {
			t.Errorf("%s is read as %+v, %v", c.text, got, err)
		}
	}
}

// draw fills a message with random values.
func draw(r *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[sentence.Sentence]() {
			v.Set(reflect.ValueOf(drawSentence(r, 3)))
			return
		}
		for i := range v.NumField() {
			draw(r, v.Field(i))
		}
	case reflect.Slice:
		if n := r.IntN(4); n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				draw(r, v.Index(i))
			}
		}
	case reflect.String:
		all := []string{"", "a", "/locks", "\"\\/", "\b\f\n\r\t\x00\x1f\x7f", "é", "😀", "\u2028\u2029", "<&>", "�"}
		s := ""
		for range r.IntN(4) {
			s += all[r.IntN(len(all))]
		}
		v.SetString(s)
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Uint32:
		v.SetUint(uint64(r.Uint32() >> r.IntN(32)))
	case reflect.Uint64:
		v.SetUint(r.Uint64() >> r.IntN(64))
	case reflect.Int32:
		v.SetInt(int64(int32(r.Uint32()) >> r.IntN(32)))
	case reflect.Int, reflect.Int64:
		n := int64(r.Uint64()>>1) >> r.IntN(63)
		if v.Type() == reflect.TypeFor[time.Duration]() {
			n %= int64(20 * 24 * time.Hour) // as far as milliseconds can represent nanoseconds
		}
		if r.IntN(2) == 0 {
			n = -n
		}
		v.SetInt(n)
	}
}

// drawSentence draws a sentence with every kind of argument, nested at most that deep.
func drawSentence(r *rand.Rand, deep int) sentence.Sentence {
	if r.IntN(8) == 0 {
		return sentence.Sentence{}
	}
	names := []string{"a", "/l/b", "<\"é"}
	clients := []event.Actor{event.Actor(r.IntN(9)), 2, 3, 4, 5}
	args := []sentence.Arg{
		sentence.Text(names[r.IntN(3)]), sentence.Quote(names[r.IntN(3)]), sentence.Client(clients[0]),
		sentence.Clients(clients),
		sentence.SomeOf(clients[:2], r.IntN(1000)), sentence.Path(names[1]), sentence.Paths(names),
		sentence.Time(time.Duration(r.Int64())),
		sentence.Span(time.Duration(-r.Int64())), sentence.Duration(time.Second), sentence.Request(event.Create, "/a"),
		sentence.Number(r.Int64() - 1<<62),
	}
	if deep > 0 {
		args = append(args, sentence.Sentences(drawSentence(r, deep-1), drawSentence(r, deep-1)))
	}
	r.Shuffle(len(args), func(i, j int) { args[i], args[j] = args[j], args[i] })
	return sentence.Of(names[r.IntN(3)], args[:1+r.IntN(len(args))]...)
}

// TestMessagesComeBack checks that every kind of message survives writing and reading, and is JSON.
func TestMessagesComeBack(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 0))
		m := reflect.New(reflect.TypeOf(messages[r.IntN(len(messages))].m).Elem())
		draw(r, m.Elem())
		want := m.Interface().(protocol.Message)
		text := protocol.AppendMessage([]byte("x"), want)[1:]
		got, err := protocol.ParseMessage(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %s\nis read as %+v, %v,\nwant %+v", seed, text, got, err, want)
		}
		if !json.Valid(text) {
			t.Fatalf("seed %d: %s is no JSON", seed, text)
		}
	}
}

// TestMessagesMayBeNewer checks that a viewer ignores what it doesn't know, and reports what it can't read.
func TestMessagesMayBeNewer(t *testing.T) {
	newer := `{"also":{"a":[1,-2.5e3,true,false,null,"\u00e9",{}]},"say":"contenders","clients":3,"x":[],"most":4}`
	if got, err := protocol.ParseMessage([]byte(newer)); err != nil ||
		!reflect.DeepEqual(got, &protocol.Contenders{Clients: 3, Most: 4}) {
		t.Errorf("%s is read as %+v, %v", newer, got, err)
	}
	odd := `{"say":"run","header":{"recipe":7,"systems":[{"kind":1},{"kind":"x","new":[1]}],"seed":5,"faults":"no","store":"yes",` +
		`"clients":"3","host":"sim","parents":["/a"],"rounds":2}}`
	header := event.Header{Host: event.Simulated, Parents: []string{"/a"}, Rounds: 2,
		Systems: []event.System{{}, {Kind: "x"}}}
	if got, err := protocol.ParseMessage([]byte(odd)); err != nil ||
		!reflect.DeepEqual(got, &protocol.Run{Header: header}) {
		t.Errorf("%s is read as %+v, %v", odd, got, err)
	}
	for text, want := range map[string]string{
		``:                                "ends where",
		`[]`:                              "byte 1",
		`{"say":"hello"}`:                 `unknown type "hello"`,
		`{}`:                              `unknown type ""`,
		`{"say":"steps"} {}`:              "something follows",
		`{"say":"steps","steps":{}}`:      `"steps": byte`,
		`{"say":"contenders","most":1.5}`: "whole number",
		`{"say":"steps","steps":[{"at_ms":1e300}]}`:                         "whole number",
		`{"say":"link","ok":1}`:                                             "true or false",
		`{"say":"verdict","deeds":[{"seq":-1}]}`:                            "whole number",
		`{"say":"verdict","deeds":[{"clients":[1e9]}]}`:                     "whole number",
		`{"say":"verdict","deeds":[{"clients":["a"]}]}`:                     "a number",
		`{"say":"verdict","deeds":7}`:                                       `"deeds"`,
		`{"say":"error","do":"a` + "\n" + `"}`:                              "allowed in a string",
		`{"say":"error","do":"\q"}`:                                         "an escape",
		`{"say":"error","do":"\u12"}`:                                       "an escape",
		`{"say":"error","do":"\`:                                            "an escape",
		`{"say":"error","do":"`:                                             "end of a string",
		`{"say":"link","x":01}`:                                             "a number",
		`{"say":"link","x":1.}`:                                             "a number",
		`{"say":"link","x":1e}`:                                             "a number",
		`{"say":"link","x":nul}`:                                            "null",
		"{\"say\":\"\xff\"}":                                                "UTF-8",
		`{"x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`: "too deep",
	} {
		if m, err := protocol.ParseMessage([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is read as %+v, %v; want an error with %q", text, m, err, want)
		}
	}
}

// FuzzParseMessage checks that accepted messages are JSON and survive writing and reading.
func FuzzParseMessage(f *testing.F) {
	for _, c := range messages {
		f.Add([]byte(c.text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := protocol.ParseMessage(text)
		if err != nil {
			return
		}
		if !json.Valid(text) {
			t.Fatalf("%s is no JSON, and was read as %+v", text, m)
		}
		written := protocol.AppendMessage(nil, m)
		again, err := protocol.ParseMessage(written)
		if err != nil || string(protocol.AppendMessage(nil, again)) != string(written) {
			t.Fatalf("%s was read, written as %s, and read as %+v, %v", text, written, again, err)
		}
	})
}

// block encodes consecutive events.
func block(events ...event.Event) []byte {
	var w packed.Encoder
	w.Begin(1)
	for i, e := range events {
		if i == 0 {
			w.Begin(e.Seq)
		}
		w.Append(e)
	}
	return w.Block()
}

func TestFrames(t *testing.T) {
	want := []event.Event{
		{Seq: 7, At: time.Second, Kind: event.ClientStarted, Actor: 1},
		{Seq: 8, At: time.Second, Kind: event.ZnodeCreated, Path: "/a", Text: "b", Zxid: -1, Session: 1 << 60},
	}
	for _, branch := range []int{0, 1, 127, 128, 1<<31 - 1} {
		frame := append(protocol.AppendFrame([]byte("x"), branch), block(want...)...)[1:]
		id, got, err := protocol.ParseFrame(frame, new(packed.Decoder))
		if err != nil || id != branch || !reflect.DeepEqual(got, want) {
			t.Errorf("branch %d came as %d with %+v, %v", branch, id, got, err)
		}
		if id, got, err := protocol.ParseFrame(frame[:len(frame)-1], new(packed.Decoder)); err == nil || id != branch ||
			len(got) != 1 {
			t.Errorf("of a frame without its end came %d events of branch %d, %v", len(got), id, err)
		}
	}
	for _, bad := range []string{"", "\x02", "\x02\x00", "\x01\x00\x01", "\x00\x00\x01", "\x02\x80",
		"\x02\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x01",
		"\x02\x00" + string(block(event.Event{Kind: event.Unknown, Seq: 1, Op: 255}))} {
		if _, _, err := protocol.ParseFrame([]byte(bad), new(packed.Decoder)); err == nil {
			t.Errorf("%q is a frame", bad)
		}
	}
}

// FuzzParseFrame checks that accepted events survive writing and reading.
func FuzzParseFrame(f *testing.F) {
	f.Add(append(protocol.AppendFrame(nil, 3), block(event.Event{Seq: 1, Kind: event.RunStarted, Text: "a"})...))
	f.Fuzz(func(t *testing.T, frame []byte) {
		branch, events, err := protocol.ParseFrame(frame, new(packed.Decoder))
		if err != nil {
			return
		}
		again := append(protocol.AppendFrame(nil, branch), block(events...)...)
		id, same, err := protocol.ParseFrame(again, new(packed.Decoder))
		if err != nil || id != branch || !reflect.DeepEqual(same, events) {
			t.Fatalf("% x was read as %+v, and then as %+v, %v", frame, events, same, err)
		}
	})
}

// TestVerdictsComeInParts checks that no part is longer than a frame, and that together they are the whole.
func TestVerdictsComeInParts(t *testing.T) {
	for _, n := range []int{0, 1, 100, 2000} {
		whole := protocol.Verdict{Branch: 3, Events: 9, From: 7, Unjudged: []string{"a"}}
		for i := range n {
			whole.Deeds = append(whole.Deeds, promise.Violation{Rule: "order", Seq: event.Seq(i),
				Sentence: sentence.Of("broken.order", sentence.Path(strings.Repeat("x", i)))})
		}
		parts, left := 0, whole
		for ; left.Events != 0; parts++ {
			part := left.Part()
			text := protocol.AppendMessage(nil, &part)
			m, err := protocol.ParseMessage(text)
			if err != nil || len(text) > protocol.MaxFrame || !reflect.DeepEqual(m, &part) {
				t.Fatalf("part %d has %d bytes: %v", parts+1, len(text), err)
			}
			if part.Branch != 3 || part.From != left.From || len(part.Deeds) == 0 && n > 0 {
				t.Fatalf("part %d is of branch %d, from %d on, with %d deeds", parts+1, part.Branch, part.From, len(part.Deeds))
			}
			if part.Events != 0 {
				break
			}
			left.From, left.Deeds = left.From+len(part.Deeds), left.Deeds[len(part.Deeds):]
		}
		if left.From+len(left.Deeds) != 7+n || n == 2000 && (parts < 50 || parts > 100) {
			t.Errorf("%d deeds come in %d parts", n, parts+1)
		}
	}
	long := protocol.Verdict{Deeds: []promise.Violation{{Rule: strings.Repeat("x", protocol.MaxFrame)}, {Rule: "y"}}}
	if part := long.Part(); len(part.Deeds) != 1 {
		t.Errorf("a long deed comes with %d", len(part.Deeds))
	}
}

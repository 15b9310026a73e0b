package link_test

import (
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/link"
)

// TestMoment checks that a moment reads back as written, and that what isn't its own stays in the query.
func TestMoment(t *testing.T) {
	for _, m := range []link.Moment{
		{},
		{Place: link.Place{Set: true}},
		{Place: link.Place{Set: true, At: 6787705630}},
		{Place: link.Place{Set: true, At: 6787705630, Seq: 73, Sum: "ab"}},
		{Place: link.Place{Set: true, At: time.Minute, Seq: 1}, Select: "/locks/a b&c=d"},
		{Place: link.Place{Set: true, At: time.Second}, Trace: "Größe 1.jsonl", Select: "client-2"},
		{Place: link.Place{Set: true, At: time.Second, Seq: 4, Sum: "ffffffffffffffff"}, Unknown: []string{"a", "b"},
			Beside: link.Beside{What: "recipe=unique-lock&fault=", InStep: "handover", Seq: 9, Sum: "1"}},
		{Beside: link.Beside{What: "children-lock", Seed: "7", InStep: "time"}},
	} {
		q, err := link.Parse(link.Join("recipe=unique-lock&seed=2", m.Query()))
		if err != nil {
			t.Fatal(err)
		}
		if back, err := link.Take(q); err != nil || !reflect.DeepEqual(back, m) {
			t.Errorf("%s is %+v, %v, want %+v", m.Query(), back, err, m)
		}
		if rest := q.Encode(); rest != "recipe=unique-lock&seed=2" {
			t.Errorf("%s leaves %s", m.Query(), rest)
		}
	}
}

// TestOldLinks checks that links as earlier versions made them name the same moments, byte for byte.
func TestOldLinks(t *testing.T) {
	for query, want := range map[string]link.Place{
		"at=5.5s&event=214&sum=00000000000000ab": {Set: true, At: 5500 * time.Millisecond, Seq: 214, Sum: "00000000000000ab"},
		"at=12.019995031s&event=99":              {Set: true, At: 12019995031, Seq: 99},
		"at=2.5s":                                {Set: true, At: 2500 * time.Millisecond},
		"event=7&sum=ab":                         {Set: true, Seq: 7, Sum: "ab"},
		"at=2s&sum=ab":                           {Set: true, At: 2 * time.Second}, // of no event
		"":                                       {},
	} {
		q, _ := url.ParseQuery(query)
		m, err := link.Take(q)
		if err != nil || !reflect.DeepEqual(m, link.Moment{Place: want}) {
			t.Errorf("%s is %+v, %v, want %+v", query, m, err, want)
		}
		if want.Sum != "" && want.At > 0 && m.Query() != query {
			t.Errorf("%s is written %s", query, m.Query())
		}
	}
}

// TestBadLinks checks that what is damaged or hostile gets a sentence.
func TestBadLinks(t *testing.T) {
	for query, want := range map[string]string{
		"%zz":                                    "bad.link",
		"at=1s&x=" + strings.Repeat("y", 2048):   "bad.link.long",
		"at=soon":                                "bad.link.at",
		"at=-1ns":                                "bad.link.at",
		"at=99999999999999999999h":               "bad.link.at",
		"event=0":                                "bad.link.event",
		"event=-1":                               "bad.link.event",
		"event=4294967296":                       "bad.link.event",
		"event=1e3":                              "bad.link.event",
		"event=1&sum=0x1":                        "bad.link.sum",
		"event=1&sum=" + strings.Repeat("0", 17): "bad.link.sum",
		"beside=a&beside-event=x":                "bad.link.event",
		"beside=a&beside-sum=x":                  "bad.link.sum",
		"select=a%00":                            "bad.link.select",
		"select=%ff":                             "bad.link.select",
		"select=%1b%5b2J":                        "bad.link.select",
		"trace=a%0ab":                            "bad.link.trace",
		"trace=" + strings.Repeat("é", 81):       "bad.link.trace",
	} {
		q, err := link.Parse(query)
		if err == nil {
			var m link.Moment
			if m, err = link.Take(q); !reflect.DeepEqual(m, link.Moment{}) {
				t.Errorf("%.40s: %+v beside an error", query, m)
			}
		}
		if err == nil || sentence.From(err).Key != want {
			t.Errorf("%.40s: %v, want %s", query, err, want)
		}
	}
}

// TestUnknownParameters checks that those of a newer version are put apart, and those written by hand are not.
func TestUnknownParameters(t *testing.T) {
	known := func(name string) bool { return name == "recipe" }
	for query, want := range map[string]struct {
		rest    string
		unknown []string
	}{
		"recipe=a&at=1s&disk=slow&colour=red": {"recipe=a", []string{"colour", "disk"}},
		"recipe=a&disk=slow":                  {"disk=slow&recipe=a", nil},
		"recipe=a&at=1s&unknown=recipe":       {"recipe=a", []string{"recipe"}},
	} {
		q, _ := url.ParseQuery(query)
		m, err := link.Take(q)
		if err != nil {
			t.Fatal(err)
		}
		if m.PutApart(q, known); q.Encode() != want.rest || !slices.Equal(m.Unknown, want.unknown) {
			t.Errorf("%s leaves %s without %q", query, q.Encode(), m.Unknown)
		}
	}
}

// TestSum checks what the hash covers: the events up to one, without the lines of the source.
func TestSum(t *testing.T) {
	log := []event.Event{{Seq: 1, Kind: event.RecipeNote, Actor: 1, Text: "a", Line: 3},
		{Seq: 2, Kind: event.RecipeNote, Actor: 1, Text: "b", Line: 4}, {Seq: 3, Kind: event.RecipeNote, Actor: 2, Text: "c"}}
	sum := func(upTo event.Seq) string {
		return link.Sum(func(s event.Seq) (event.Event, bool) {
			if int(s) > len(log) {
				return event.Event{}, false
			}
			return log[s-1], true
		}, upTo)
	}
	two := sum(2)
	log[1].Line, log[2].Text = 99, "d"
	if len(two) != 16 || sum(2) != two {
		t.Errorf("the hash of two events is %s, then %s", two, sum(2))
	}
	if log[0].Text = "x"; sum(2) == two || sum(3) == sum(2) || sum(4) != "" {
		t.Errorf("of other events it is %s and %s, of too few %q", sum(2), sum(3), sum(4))
	}
	h := link.Hash{UpTo: 2}
	for _, e := range log {
		h.Append(e)
	}
	if h.Sum() != sum(2) {
		t.Errorf("a sink's hash is %s, want %s", h.Sum(), sum(2))
	}
}

// TestAddresses checks which addresses are links: of any host, below any path, of a server or a site of files.
func TestAddresses(t *testing.T) {
	for text, want := range map[string]link.Address{
		"http://127.0.0.1:8080/lessons/the-herd?at=2s#release": {Lesson: "the-herd", Step: "release"},
		"https://example.org/team/zkviz/lessons/the-herd.html": {Lesson: "the-herd", Folder: "zkviz"},
		"https://example.org/es/lessons/the-herd/index.html":   {Lesson: "the-herd", Folder: "es"},
		" /lessons/the-herd/\n":                                {Lesson: "the-herd"},
		"localhost:8080/lab?recipe=unique-lock":                {},
		"127.0.0.1:8080/lab":                                   {},
		"/zkviz/lab/?recipe=unique-lock":                       {Folder: "zkviz"},
		"lab?recipe=a:b":                                       {},
		"https://[::1]:8080/lab.html?recipe=unique-lock":       {},
		"https://a/es/lab/barrier.html?recipe=barrier":         {Folder: "es"},
	} {
		got, err := link.ParseAddress(text)
		if got.Query == nil {
			t.Errorf("%s has no parameters", text)
		}
		if got.Query = nil; err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %+v, %v, want %+v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "bad.link.address", "/": "bad.link.address", "http://": "bad.link.address", "lessons": "bad.link.address",
		"/lessons": "bad.link.address", "/live?path=/": "bad.link.address", "ftp://a/lab": "bad.link.address",
		"/lab/barrier.html?recipe=herd": "bad.link.address",
		"javascript:alert(1)//lab":      "bad.link.address", "/lab?%zz": "bad.link", "http://a/lab\x00": "bad.link.address",
		"/lab?a=" + strings.Repeat("b", 3000): "bad.link.long", "mailto:lab@example.org": "bad.link.address",
	} {
		if got, err := link.ParseAddress(text); err == nil || sentence.From(err).Key != want {
			t.Errorf("%.60q is %+v, %v, want %s", text, got, err, want)
		}
	}
}

// FuzzLink checks that any address is read or refused in a sentence, and what is read is written and read the same.
func FuzzLink(f *testing.F) {
	f.Add("https://a/zkviz/lessons/b?fault=x&at=1s&event=2&sum=3&select=%2Fa&unknown=u&disk=slow#c")
	f.Add("/lab?recipe=a&beside=fault%3D&in-step=time&beside-event=1&beside-sum=f&beside-seed=4&trace=t")
	f.Add("lab?at=9223372036854775807ns&event=4294967295")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := link.ParseAddress(text)
		if err != nil {
			if sentence.From(err).Key == "" {
				t.Fatalf("%q: %v is no sentence", text, err)
			}
			return
		}
		m, err := link.Take(a.Query)
		if err != nil {
			return
		}
		m.PutApart(a.Query, func(name string) bool { return name == "recipe" })
		other, err := m.Beside.Scenario(a.Query)
		if (other == nil) != (m.Beside.What+m.Beside.Seed == "") && err == nil {
			t.Fatalf("%q: beside it is %v", text, other)
		}
		q, err := url.ParseQuery(m.Query())
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if back, err := link.Take(q); err != nil || !reflect.DeepEqual(back, m) || len(q) > 0 {
			t.Fatalf("%q: %+v is written %s and read %+v, %v", text, m, m.Query(), back, err)
		}
	})
}

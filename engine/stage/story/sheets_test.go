package story_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/stage/story"
	"github.com/zkviz/zkviz/engine/testing/anylog"
	"github.com/zkviz/zkviz/engine/testing/golden"
)

// sheet is what a page reads.
type sheet struct {
	Events, Sheets, Lanes, Sheet, Per, Width, Height int

	Says, SVG     string
	Pieces, Spots [][]float64
	Turns         [][2]any
}

// sheetsOf returns the sheets of a log.
func sheetsOf(header event.Header, h *view.History) *story.Sheets {
	all := story.NewSheets(header)
	for i := range h.Len() {
		all.Append(h.Event(i))
	}
	return all
}

// asked returns a sheet, which must be JSON with an SVG in it.
func asked(t *testing.T, all *story.Sheets, a story.Ask) (s sheet) {
	t.Helper()
	text := all.AppendSheet(nil, a, english)
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatalf("%v: %.300s", err, text)
	}
	if strings.ContainsAny(string(text), "<>") {
		t.Errorf("a sheet could end a script: %.300s", text)
	}
	for d := xml.NewDecoder(strings.NewReader(s.SVG)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return s
		} else if err != nil {
			t.Fatalf("%v: %.300s", err, s.SVG)
		}
		if e, ok := token.(xml.StartElement); ok && !slices.Contains(shapes, e.Name.Local) {
			t.Errorf("there is an element %s", e.Name.Local)
		}
	}
}

var shapes = []string{"svg", "title", "desc", "rect", "circle", "line", "path", "text"}

// wide asks for a sheet across a wide page.
func wide(n int) story.Ask { return story.Ask{Sheet: n, Width: 1000, Height: 320} }

// headerOf returns the header of a simulated log.
func headerOf(h *view.History) event.Header { return h.StateAtSeq(0).Header }

// TestSheetsHaveTheWholeStory checks that every message that a whole picture has is on the sheet of its event, that a
// message under way is on the next one, too, and that all sheets have the same lanes and follow on each other in time.
func TestSheetsHaveTheWholeStory(t *testing.T) {
	for name, h := range map[string]*view.History{
		"a chain": simulated(t, run.Scenario{Recipe: "predecessor-lock", Clients: 6, Rounds: 4, Seed: 1}),
		"servers": simulated(t, run.Scenario{Recipe: "unique-lock", Clients: 3, Rounds: 2, Servers: 3, Seed: 2}),
		"a store": simulated(t, run.Scenario{Recipe: "fenced-lock", Clients: 3, Rounds: 2, Seed: 3}),
	} {
		all, want := sheetsOf(headerOf(h), h), map[event.Seq]bool{}
		whole := story.Make(h, story.Options{Words: english, Width: 1000, Height: 900})
		for _, m := range whole.Messages {
			want[m.Seq] = m.Poll
		}
		first := asked(t, all, wide(0))
		if first.Sheets < 2 || first.Events != h.Len() {
			t.Fatalf("%s: %d sheets of %d events, of %d", name, first.Sheets, first.Events, h.Len())
		}
		end := 0.0
		for n := range first.Sheets {
			s := asked(t, all, wide(n))
			if s.Lanes != first.Lanes || s.Height != first.Height {
				t.Errorf("%s: sheet %d has %d lanes in %d px, and the first %d in %d", name, n, s.Lanes, s.Height, first.Lanes,
					first.Height)
			}
			if s.Pieces[0][0] != end {
				t.Errorf("%s: sheet %d begins at %v ms, and the one before ends at %v", name, n, s.Pieces[0][0], end)
			}
			end = s.Pieces[len(s.Pieces)-1][1]
			for _, x := range s.Spots {
				seq := int(x[0])
				if after := n * s.Per; seq > after && (seq <= after+s.Per || n == s.Sheets-1) {
					delete(want, event.Seq(seq))
				} else if seq > after {
					t.Errorf("%s: sheet %d has event %d", name, n, seq)
				}
			}
		}
		for seq, poll := range want {
			if !poll {
				t.Errorf("%s: no sheet has the message of event %d", name, seq)
			}
		}
		if last := h.Event(h.Len() - 1).At; end != float64(last)/1e6 {
			t.Errorf("%s: the last sheet ends at %v ms, and the log at %s", name, end, last)
		}
	}
}

// TestSheetsGrow checks that a log which grows has its sheets as if it had been there at once.
func TestSheetsGrow(t *testing.T) {
	h := simulated(t, run.Scenario{Recipe: "children-lock", Clients: 5, Rounds: 3, Seed: 4})
	grown, counts := story.NewSheets(headerOf(h)), []int{}
	for i := range h.Len() {
		grown.Append(h.Event(i))
		if i%50 == 0 {
			counts = append(counts, asked(t, grown, wide(1000)).Sheets)
		}
	}
	all := sheetsOf(headerOf(h), h)
	for n := range asked(t, all, wide(0)).Sheets {
		if a, b := grown.AppendSheet(nil, wide(n), english), all.AppendSheet(nil, wide(n), english); string(a) != string(b) {
			t.Errorf("sheet %d is another one if the log has grown", n)
		}
	}
	if !slices.IsSorted(counts) || counts[0] != 1 || counts[len(counts)-1] < 3 {
		t.Errorf("the numbers of sheets are %d", counts)
	}
}

// TestSheetOfACrowd checks that more clients than fit make a sheet neither higher nor empty.
func TestSheetOfACrowd(t *testing.T) {
	h := simulated(t, run.Scenario{Recipe: "children-lock", Clients: 200, Seed: 1})
	all := sheetsOf(headerOf(h), h)
	for _, a := range []story.Ask{wide(3), {Sheet: 3, Width: 340, Height: 720, Down: true}} {
		s := asked(t, all, a)
		if s.Height > 1200 || s.Width != int(a.Width) || len(s.Spots) == 0 || s.Lanes < 200 {
			t.Errorf("%+v: %d by %d px with %d spots", a, s.Width, s.Height, len(s.Spots))
		}
	}
}

// TestSheetLights checks that the cause of an event is lit, also on the sheets before it.
func TestSheetLights(t *testing.T) {
	h := simulated(t, run.Scenario{Recipe: "predecessor-lock", Clients: 6, Rounds: 4, Seed: 1})
	all := sheetsOf(headerOf(h), h)
	lit := wide(0)
	lit.Lit = event.Seq(h.Len() - 1)
	for lit.Sheet = range asked(t, all, wide(0)).Sheets {
		if asked(t, all, lit).SVG == asked(t, all, wide(lit.Sheet)).SVG {
			t.Errorf("on sheet %d nothing is lit", lit.Sheet)
		}
	}
	lit.Lit = event.Seq(h.Len() + 1)
	if asked(t, all, lit).SVG != asked(t, all, wide(lit.Sheet)).SVG {
		t.Error("an event that isn't there is lit")
	}
}

// TestParseAsk checks that a page gets some sheet, whatever it asks for.
func TestParseAsk(t *testing.T) {
	least := story.Ask{Width: 240, Height: 240}
	for query, want := range map[string]story.Ask{
		"": least, "sheet=x&width=&height=-4&lit=-1&theme=blue&down=": least,
		"sheet=2&width=900&height=400&down=1&theme=dark&lit=7": {Sheet: 2, Width: 900, Height: 400, Down: true, Dark: true,
			Lit: 7},
		"sheet=9999999999&width=1e9&height=99999&lit=99999999": {Sheet: story.MostEvents, Width: 240, Height: 2400,
			Lit: story.MostEvents},
	} {
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if got := story.ParseAsk(q); got != want {
			t.Errorf("%s asks for %+v, want %+v", query, got, want)
		}
	}
}

// TestSheetsOfAnything checks that any log has sheets, whatever the names in it.
func TestSheetsOfAnything(t *testing.T) {
	const hostile = "</script><img src=x onerror=alert(1)>\"'&\u2028\u202e\x00\xff"
	asked(t, story.NewSheets(event.Header{}), wide(0))
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 7))
		all := story.NewSheets(event.Header{Clients: rng.IntN(5)})
		for _, e := range anylog.Log(rng, rng.IntN(400), false) {
			if e.Kind == event.StoreWritten || e.Kind == event.OpSent {
				e.Path, e.Text = hostile, hostile
			}
			all.Append(e)
		}
		a := wide(rng.IntN(4))
		a.Down, a.Lit = rng.IntN(2) == 0, event.Seq(rng.IntN(all.Len()+2))
		asked(t, all, a)
	}
}

// TestMostEvents checks that a log that is too long has the story of its beginning, and that it says so.
func TestMostEvents(t *testing.T) {
	all := story.NewSheets(event.Header{Clients: 1})
	for i := range story.MostEvents {
		if !all.Append(event.Event{At: time.Duration(i), Kind: event.RecipePhase, Actor: 1}) {
			t.Fatalf("event %d is one too many", i+1)
		}
	}
	if s := asked(t, all, wide(0)); s.Says != "Events 1 to 160 of 250,000" {
		t.Error(s.Says)
	}
	if all.Append(event.Event{At: story.MostEvents}) || all.Len() != story.MostEvents {
		t.Error("there are more")
	}
	if s := asked(t, all, wide(0)); s.Says != "Events 1 to 160 of the first 250,000" {
		t.Error(s.Says)
	}
}

// TestGoldenSheet compares what a page gets of a small run, without the picture, with testdata.
func TestGoldenSheet(t *testing.T) {
	h := believers(t, 1)
	s := asked(t, sheetsOf(headerOf(h), h), wide(0))
	var b strings.Builder
	fmt.Fprintf(&b, "%s; sheet %d of %d, %d events each; %d lanes, %d by %d px\n", s.Says, s.Sheet, s.Sheets, s.Per,
		s.Lanes, s.Width, s.Height)
	for _, x := range s.Pieces {
		fmt.Fprintf(&b, "piece %v\n", x)
	}
	for _, x := range s.Spots {
		fmt.Fprintf(&b, "spot %v\n", x)
	}
	for _, x := range s.Turns {
		fmt.Fprintf(&b, "turn %v %v\n", x[0], x[1])
	}
	golden.Compare(t, "testdata/sheet.txt", b.String())
}

// BenchmarkSheet makes sheets of a short log and of a long one, at random.
func BenchmarkSheet(b *testing.B) {
	for _, events := range []int{10_000, 100_000} {
		h := long(b, events)
		all := sheetsOf(headerOf(h), h)
		var text []byte
		b.Run(fmt.Sprint(events), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				a := story.Ask{Sheet: i * 7919 % (events / 160), Width: 1400, Height: 400}
				a.Lit = event.Seq(a.Sheet*160 + 80)
				text = all.AppendSheet(text[:0], a, english)
			}
		})
	}
}

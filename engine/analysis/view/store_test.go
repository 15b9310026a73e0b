package view_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// A store keeps its latest writes, refused ones included, and the greatest number that it accepted.
func TestStore(t *testing.T) {
	s := view.New()
	write := func(kind event.Kind, who event.Actor, text string, fence int64) {
		s.Apply(event.Event{Seq: s.Seq + 1, At: s.At + time.Second, Kind: kind, Actor: who, Path: "ledger", Text: text,
			N: fence})
	}
	write(event.StoreWritten, 1, "a", 6)
	write(event.StoreWritten, 2, "b", 8)
	before := s.Clone()
	write(event.StoreRefused, 1, "c", 6)
	got := s.Stores[0]
	if got.Name != "ledger" || got.Greatest != 8 {
		t.Errorf("the store is %+v", got)
	}
	want := view.Write{Client: 1, Text: "c", Fence: 6, Refused: true, At: 3 * time.Second}
	if last := got.Writes[view.KeptWrites-1]; !reflect.DeepEqual(last, want) {
		t.Errorf("its last write is %+v", last)
	}
	if b := before.Stores[0]; b.Writes[view.KeptWrites-1].Client != 2 {
		t.Errorf("what happens later shows in an earlier state: %+v", b)
	}
	for range 20 {
		write(event.StoreWritten, 1, "d", 0)
	}
	if got := s.Stores[0]; got.Greatest != 8 || got.Writes[0].Text != "d" {
		t.Errorf("after many writes the store is %+v", got)
	}
}

// allForms declares a store of each form.
var allForms = event.Drawing{Stores: []event.StoreDrawing{{Name: "store-0", Form: event.StoreSheet},
	{Name: "store-1", Form: event.StoreNumbers}, {Name: "store-2", Form: event.StoreValues},
	{Name: "store-3", Form: event.StoreTasks}, {Name: "store-4", Form: "a later one"},
	{Name: "store-5", Form: event.StoreSheet, Trays: 2}, {Name: "store-6", Form: event.StoreDocument}}}

// TestStoresAreTheModel compares stores of all forms with the model, in logs that consist mostly of writes.
func TestStoresAreTheModel(t *testing.T) {
	seeds := uint64(200)
	if testing.Short() {
		seeds = 50
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 3))
		var log []event.Event
		for i := range 120 {
			e := event.Event{Kind: event.StoreWritten, Actor: event.Actor(1 + r.IntN(4)), N: r.Int64N(3),
				At: time.Duration(i) * time.Second, Path: fmt.Sprint("store-", pick(r, 0, 1, 2, 3, 5, 6))}
			switch e.Path {
			case "store-0", "store-5":
				e.Text = "page"
			case "store-6":
				e.Text = pick(r, event.FirstHalf, event.SecondHalf, event.ACopy, "else")
			case "store-3":
				e.Text = fmt.Sprint("task-", r.IntN(16), pick(r, " open", " taken", " done"))
			default:
				e.Text = fmt.Sprint(r.IntN(9))
			}
			switch r.IntN(12) {
			case 0:
				e.Kind = event.StoreRefused
			case 1, 2, 3, 4:
				e.Kind, e.Text = event.RecipePhase, string(pick(r, program.Holding, program.Holding,
					program.Released, program.Lost))
			case 5:
				e.Kind = pick(r, event.ClientCrashed, event.ClientExited, event.ClientPaused, event.ClientStarted)
			}
			log = append(log, e)
		}
		holdToModel(t, fmt.Sprint("seed ", seed), event.Header{Clients: 4, Drawing: allForms}, numbered(log))
	}
}

// happens handles a word of a story that isn't about a store: "+A" lets a client in, "-A" makes it leave, "xA"
// crash, "eA" exit. It returns false for any other word.
func happens(s *view.State, word string) bool {
	e := event.Event{Seq: s.Seq + 1, At: s.At + time.Second, Kind: event.RecipePhase}
	switch word[0] {
	case '+':
		e.Text = string(program.Holding)
	case '-':
		e.Text = string(program.Released)
	case 'x':
		e.Kind = event.ClientCrashed
	case 'e':
		e.Kind = event.ClientExited
	default:
		return false
	}
	e.Actor = event.Actor(word[1] - '@')
	s.Apply(e)
	return true
}

// writes makes the client with that letter write a text to a store.
func writes(s *view.State, client byte, store, text string) {
	s.Apply(event.Event{Seq: s.Seq + 1, At: s.At + time.Second, Kind: event.StoreWritten,
		Actor: event.Actor(client - '@'), Path: store, Text: text})
}

// TestSheets checks sheets against stories: a letter prints as that client, other words are as in happens; "|" is
// where a new sheet must begin, "*" means that the sheet is torn.
func TestSheets(t *testing.T) {
	for _, story := range []string{
		"+A A A A -A |+B B B B",
		"+A A +B B* A* B* -B A*",
		"+A A xA |+B B B",
		"+A A A xA A |+B B",
		"+A A xA |+B B A* B*",
		"+A A eA A |+B B",
		"+A A eA |+B B B",
		"+A A +B B* -B +C C* -A -C +B |B",
		"+A A -A +A |A",
		"+A A +A A +B B* +A A*",
		"+A A +B +C B* C*",
		"|A |B",
	} {
		s := view.NewFor(event.Header{Drawing: allForms})
		fresh := true
		for _, word := range strings.Fields(story) {
			fresh = fresh || strings.HasPrefix(word, "|")
			torn := strings.HasSuffix(word, "*")
			word = strings.Trim(word, "|*")
			if happens(s, word) {
				continue
			}
			writes(s, word[0], "store-0", "page")
			pages, is := s.Stores[0].Sheet(0)
			if last := pages[len(pages)-1]; last.Fresh != fresh || is != torn {
				t.Errorf("%s: at %s a new sheet is %t, and torn %t", story, word, last.Fresh, is)
			}
			fresh = false
		}
	}
}

// TestNumbersTwice checks that a number given out again is noticed, as long as it is among the last 64.
func TestNumbersTwice(t *testing.T) {
	s := view.NewFor(event.Header{Drawing: allForms})
	give := func(text string) bool {
		s.Apply(event.Event{Seq: s.Seq + 1, At: s.At, Kind: event.StoreWritten, Actor: 1, Path: "store-1", Text: text})
		return s.Stores[1].Writes[view.KeptWrites-1].Twice
	}
	for _, c := range []struct {
		text string
		want bool
	}{{"1", false}, {"3", false}, {"2", false}, {"3", true}, {"no number", false}, {"66", false}, {"3", true},
		{"2", false}, {"200", false}, {"66", false}, {"137", false}, {"137", true}, {"-9223372036854775808", false},
		{"9223372036854775807", false}, {"9223372036854775807", true}} {
		if got := give(c.text); got != c.want {
			t.Errorf("%s is given again: %t", c.text, got)
		}
	}
	if got := s.Stores[1].Twice; got != 4 {
		t.Errorf("%d were given again", got)
	}
}

// TestTrays checks that a sheet with several trays is torn when more clients are inside than there are trays. In a
// story a digit is the tray that the page must lie on; the rest is as in TestSheets.
func TestTrays(t *testing.T) {
	for _, story := range []string{
		"+A |A0 +B |B1 A0 B1",
		"+A |A0 A0 -A |+B |B0 +C |C1 B0",
		"+A |A0 +B |B1 +C C0* A0* B1",
		"+A |A0 +B |B1 xA +C |C0 B1 C0",
		"+A |A0 +B |B1 xA A0 +C |C0",
		"+A |A0 +B |B1 +C C0* -A C0* -C |+D |D0",
	} {
		s := view.NewFor(event.Header{Drawing: allForms})
		printer := &s.Stores[5]
		for _, word := range strings.Fields(story) {
			fresh, torn := strings.HasPrefix(word, "|"), strings.HasSuffix(word, "*")
			word = strings.Trim(word, "|*")
			if happens(s, word) {
				continue
			}
			writes(s, word[0], "store-5", "page")
			tray := int(word[1] - '0')
			last := printer.Writes[view.KeptWrites-1]
			if _, is := printer.Sheet(tray); last.Tray != tray || last.Fresh != fresh || is != torn {
				t.Errorf("%s: at %s the page is on tray %d, a new sheet is %t, and torn %t", story, word, last.Tray,
					last.Fresh, is)
			}
		}
	}
}

// TestDocuments checks a document and its copies: "A1" and "A2" write a half as that client, "A=" copies, the rest
// is as in happens. After a colon come the writers of the halves, "." for nobody; "*" means that it counts as torn.
func TestDocuments(t *testing.T) {
	for _, story := range []string{
		"+A A1:A. A2:AA A=:AA -A +B B1:BA B2:BB",
		"+A A1:A. +B B=:A.* A2:AA B=:AA",
		"+A A1:A. xA +B B=:.. B1:B. B2:BB",
		"+A A1:A. A2:AA -A +B B1:BA -B +C C=:AA",
		"+A A1:A. +B B1:B. B2:BB A2:BA* +C C=:BA* -A -B C=:BA*",
		"+A A1:A. +B B1:B. A2:BA B2:BB",
		"+A A1:A. A2:AA -A +A A1:AA A2:AA",
		"+A A1:A. A2:AA -A +A A1:AA +B B=:AA*",
		"+A A2:.A* A1:AA",
		"A1:A. A2:AA B1:BA C=:AA",
	} {
		s := view.NewFor(event.Header{Drawing: allForms})
		doc := &s.Stores[6]
		for _, word := range strings.Fields(story) {
			do, want, _ := strings.Cut(word, ":")
			if happens(s, do) {
				continue
			}
			before := doc.Torn
			wrote := map[byte]string{'1': event.FirstHalf, '2': event.SecondHalf, '=': event.ACopy}[do[1]]
			writes(s, do[0], "store-6", wrote)
			got, last := "", doc.Writes[view.KeptWrites-1]
			for _, h := range last.Halves {
				got += strings.ReplaceAll(string(rune('@'+h.Writer)), "@", ".")
			}
			if doc.Torn > before {
				got += "*"
			}
			if got != want || last.Halves != doc.Halves {
				t.Errorf("%s: after %s its halves are %s", story, do, got)
			}
		}
	}
}

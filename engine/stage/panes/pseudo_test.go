package panes_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/stage/panes"
	"github.com/zkviz/zkviz/recipes"
	ui "github.com/zkviz/zkviz/static/strings"
)

// TestPanesInPseudo reads all panes in the pseudo-language over runs of the whole catalogue, and checks that all texts
// come from the language files or the log.
func TestPanesInPseudo(t *testing.T) {
	w, err := ui.Load(ui.Pseudo)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]bool{}
	for _, r := range recipes.All() {
		s := run.Scenario{Recipe: r.Name, Clients: max(4, r.MinClients), Seed: 1, Hold: time.Second}
		for _, text := range []string{
			"pause client-1 at 1s for 20s", "cut client-2 at 2s for 8s", "crash client-3 at 3s", "expire client-4 at 1500ms",
			"drop client-4 at 1s", "restart server at 4s for 2s",
		} {
			f, err := fault.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			s.Faults = append(s.Faults, f)
			if s.WithDefaults().Validate() != nil {
				s.Faults = s.Faults[:len(s.Faults)-1] // there is no ZooKeeper to do it to
			}
		}
		var log event.Log
		log.Header = s.WithDefaults().Header(event.Simulated)
		if err := run.Sim(context.Background(), s, &log); err != nil {
			t.Fatalf("%s: %v", r.Name, err)
		}
		history, checker := view.NewHistoryFor(log.Header), check.New(log.Header.Rules(), log.Header)
		for _, e := range log.Events {
			history.Append(e)
			checker.Append(e)
		}
		known := knownOf(log)
		for what, text := range everything(history, log.Header.Rules(), checker.Report().Verdict, w.Say) {
			rest, _ := ui.Unmarked(text, 0)
			for word := range strings.FieldsFuncSeq(rest, func(r rune) bool { return strings.ContainsRune(" ·,→×+…", r) }) {
				if strings.IndexFunc(word, unicode.IsLetter) >= 0 && !strings.Contains(known, word) && !said[word] {
					said[word] = true
					t.Errorf("%s: %s says %q: %q", r.Name, what, word, text)
				}
			}
		}
	}
}

// everything returns all texts of the panes for a run, by their place.
func everything(history *view.History, promises []string, report promise.Verdict, say panes.Say) map[string]string {
	all := map[string]string{}
	facts := func(where string, in panes.Inspected) {
		all[where] = in.Title
		for _, f := range in.Facts {
			all[where+", "+f.Name] = f.Name + " " + f.Value
		}
	}
	var log panes.Log
	var holding panes.Holding
	for seq := event.Seq(1); int(seq) <= history.Len(); seq++ {
		for _, c := range panes.Chain(history, seq, say) {
			all[fmt.Sprint("the chain to event ", seq)] += c.When + " " + c.Kind + " " + c.Text + " "
		}
		if seq%20 != 0 && int(seq) < history.Len() {
			continue
		}
		s := history.StateAtSeq(seq)
		for _, m := range log.Window(history, seq, say).Marks {
			row := panes.NewRow(history, m, say)
			where := fmt.Sprint("the log at event ", m.First)
			all[where], all[where+", why"] = row.Who.Label+" "+row.Text, row.Why
		}
		for i := range s.Clients {
			name := fmt.Sprint("client-", i+1)
			facts(fmt.Sprint("the inspector at ", seq, " of ", name), panes.Inspect(s, s.At, name, "a.go", say))
		}
		for i := range s.Tree.Nodes {
			path := s.Tree.Nodes[i].Path
			facts(fmt.Sprint("the inspector at ", seq, " of ", path), panes.Inspect(s, s.At, path, "a.go", say))
		}
		facts(fmt.Sprint("the counters at ", seq), panes.Inspected{Facts: panes.Counts(s, say)})
		asked := panes.Facts{State: s, At: s.At, Seq: seq, History: history, Host: event.Observed}
		panel, _ := holding.At(&asked, "", say)
		all[fmt.Sprint("who holds what at ", seq)] = spoken(panel)
		chart := panes.NewChart(s, say)
		all[fmt.Sprint("the chart at ", seq)] = chart.Text + " " + chart.Alt
		for i, v := range panes.Judge(promises, report, history, seq, say) {
			all[fmt.Sprint("the verdict at ", seq, ", ", i)] = v.Text + " " + v.Detail
		}
		all[fmt.Sprint("the clock at ", seq)] = panes.Clock(s.At, seq, history.Len(), history.Len(), say) +
			panes.ClockAloud(s.At, seq,
				history.Len(), say)
	}
	return all
}

// knownOf returns all texts that a run brings with it: names and data of znodes, sessions, and events' names and texts.
func knownOf(log event.Log) string {
	all := []string{"ZooKeeper", "a.go", "DIFF", "TRUNC", "SNAP"}
	var letters []string
	for c := 'A'; c <= 'Z'; c++ {
		all = append(all, string(c))
		for _, after := range []string{"#", "'"} { // locks' tokens begin so, and texts in statements end so
			letters = append(letters, event.Actor(1+c-'A').String()+after, string(c)+after)
		}
	}
	for n := 1; n <= event.MaxNodes; n++ {
		all = append(all, event.Node(n).String())
	}
	lettered := strings.NewReplacer(letters...)
	for _, e := range log.Events {
		hex := func(n int64) string { return "0x" + strconv.FormatInt(n, 16) }
		all = append(all, e.Path, panes.Short(e.Path), e.Text)
		all = append(all, lettered.Replace(e.Text), e.Kind.String(), hex(e.Session), hex(e.Zxid))
	}
	return strings.Join(all, "\n")
}

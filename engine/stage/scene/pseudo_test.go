package scene_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

// TestLongerWords draws runs of the whole catalogue in the pseudo-language, and checks that each text comes from the
// language files or the log, and that longer texts keep the laws.
func TestLongerWords(t *testing.T) {
	said := map[string]bool{}
	var f scene.Frame
	draw := func(name string, s *view.State, at time.Duration, width, height float64) {
		f.Draw(s, at, scene.Options{Words: pseudo, Width: width, Height: height, Theme: display.Light()})
		known := data(s)
		for i := range f.Ops {
			if text := f.Ops[i].Text; !isMarked(text, known) && !said[text] {
				said[text] = true
				t.Errorf("%s: the picture says %q", name, text)
			}
		}
	}
	moments(t, 16, func(m *moment) {
		for _, st := range stages {
			draw(m.String(), m.state, m.at, st.width, st.height)
			for _, l := range laws {
				if how := l.broken(m.state, &f); how != "" {
					t.Errorf("%v, %s: %s: %s", m, st.name, l.name, how)
				}
			}
		}
	})
	for name, s := range fixtures() {
		draw(name, s, now, 1400, 700)
		if how := cutOff(s, &f); how != "" {
			t.Errorf("%s: %s", name, how)
		}
	}
}

// isMarked reports whether every part of a text is between marks or is data.
func isMarked(text, known string) bool {
	rest, _ := uistrings.Unmarked(text, 0) // a shortened text ends without its mark
	for part := range strings.FieldsFuncSeq(rest, func(r rune) bool { return r == '·' || r == '…' || r == '→' }) {
		part = strings.Trim(part, " 0123456789")
		if strings.IndexFunc(part, unicode.IsLetter) >= 0 && !strings.Contains(known, part) {
			return false
		}
	}
	return true
}

// data returns all texts that a run brings with it: names, letters, and what programs wrote and reported.
func data(s *view.State) string {
	all := []string{"ZooKeeper", s.Root, s.Header.Drawing.Queue, strings.Join(s.Header.Keeps, "\n")}
	for _, system := range s.Header.Systems {
		all = append(all, "S") // part of the servers' names
		all = append(all, system.Addresses...)
	}
	for i := range s.Tree.Nodes {
		all = append(all, s.Tree.Nodes[i].Path, s.Tree.Nodes[i].Data)
	}
	all = append(all, s.Header.Drawing.Gate, "SET NX GET", "SELECT … FOR UPDATE") // short forms of commands
	for i := range s.Remotes.Entries {
		all = append(all, s.Remotes.Entries[i].Path, s.Remotes.Entries[i].Text)
	}
	for _, x := range s.Remotes.Transcript {
		all = append(all, x.Text, x.Result)
	}
	for i := range s.Remotes.Kept {
		all = append(all, s.Remotes.Kept[i].Path)
	}
	for i := range s.Remotes.Locks { // of rows, and of gaps between them
		all = append(all, s.Remotes.Locks[i].Path)
	}
	for i := range s.Watches.List {
		all = append(all, s.Watches.List[i].Path)
	}
	for i := range s.Flights.List {
		all = append(all, s.Flights.List[i].Text, strings.ReplaceAll(s.Flights.List[i].Text, s.Root+"/", ""))
	}
	for i := range s.Clients {
		c := &s.Clients[i]
		all = append(all, c.Name, c.Note, c.Belief.Path, c.Asks, c.Listens, c.Role)
		if i < 26 {
			letter := string(rune('A' + i))
			all = append(all, letter, "+"+letter, "-"+letter, "×"+letter)
		}
	}
	for i := range s.Stores {
		all = append(all, s.Stores[i].Name)
		for _, task := range s.Stores[i].Tasks {
			all = append(all, task.Name)
		}
		for j := range s.Stores[i].Writes {
			w := &s.Stores[i].Writes[j]
			all = append(all, w.Text)
			if n := int(w.Client) - 1; n >= 0 && n < len(s.Clients) {
				all = append(all, string(rune('A'+n%26))+" "+strings.TrimPrefix(w.Text, s.Clients[n].Name+" "))
			}
		}
	}
	all = append(all, "S1 S2 S3 S4 S5 S6 S7 S8 S9")
	for i := range s.Ensemble.Servers {
		n := &s.Ensemble.Servers[i]
		all = append(all, fmt.Sprintf("S%d 0x%x %v", i+1, n.Ballot.Vote.Zxid, n.Sync.How))
	}
	return strings.Join(all, "\n")
}

package scene_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
)

// TestLawsOverTheCatalogue checks pictures of all recipes and pitfalls against the laws, on every stage, moving or not.
func TestLawsOverTheCatalogue(t *testing.T) {
	var f scene.Frame
	on := stages
	lawful := func(m *moment) {
		for i, st := range on {
			if testing.Short() && i != m.n%len(on) {
				continue
			}
			o := scene.Options{Words: english, Width: st.width, Height: st.height, Theme: display.Light()}
			f.Draw(m.state, m.at, o)
			for _, l := range laws {
				if how := l.broken(m.state, &f); how != "" {
					t.Errorf("%v, %s: %s: %s", m, st.name, l.name, how)
				}
			}
			o.Still, o.Selected, o.Focus = true, "client-1", []string{"client-2", "lock", "root"}
			f.Draw(m.state, m.at, o)
			for _, l := range laws {
				if how := l.broken(m.state, &f); how != "" {
					t.Errorf("%v, %s, still: %s: %s", m, st.name, l.name, how)
				}
			}
		}
	}
	moments(t, 64, lawful)
	crowds, err := dots()
	if err != nil {
		t.Fatal(err)
	}
	momentsOf(crowds, 12, lawful)
	ensembles, err := served()
	if err != nil {
		t.Fatal(err)
	}
	on = append(slices.Clip(on), half)
	momentsOf(ensembles, 12, lawful)
}

// TestCatalogueShowsEveryZnode checks that each znode below the root can be hit, or that the picture counts it.
func TestCatalogueShowsEveryZnode(t *testing.T) {
	var f scene.Frame
	moments(t, 64, func(m *moment) {
		for _, st := range stages {
			f.Draw(m.state, m.at, scene.Options{Words: english, Width: st.width, Height: st.height, Theme: display.Light(),
				Still: true})
			more := func(o display.Op) bool { return o.Kind == display.Text && strings.HasPrefix(o.Text, "+") }
			if slices.ContainsFunc(f.Ops, more) {
				continue
			}
			for i := range m.state.Tree.Nodes {
				n := &m.state.Tree.Nodes[i]
				if n.Gone || !strings.HasPrefix(n.Path, m.state.Root+"/") {
					continue
				}
				if !slices.ContainsFunc(f.Hits, func(h display.Hit) bool { return h.ID == n.Path }) {
					t.Errorf("%v, %s: %s is not shown", m, st.name, n.Path)
				}
			}
		}
	})
}

// TestCatalogueMoves checks Frame.Moving against real runs, and that a picture doesn't depend on what was drawn before.
func TestCatalogueMoves(t *testing.T) {
	var f, later scene.Frame
	moments(t, 6, func(m *moment) {
		o := scene.Options{Words: english, Width: 768, Height: 600, Theme: display.Light()}
		var fresh scene.Frame
		f.Draw(m.state, m.at, o)
		fresh.Draw(m.state, m.at, o)
		if !slices.Equal(f.Ops, fresh.Ops) || !slices.Equal(f.Hits, fresh.Hits) || f.Moving != fresh.Moving {
			t.Errorf("%v: the picture depends on what was drawn before", m)
		}
		same := true
		for _, ms := range []time.Duration{16, 200, 1000, 3000, 3_600_000} {
			later.Draw(m.state, m.at+ms*time.Millisecond, o)
			same = same && slices.Equal(f.Ops, later.Ops)
		}
		if same == f.Moving {
			t.Errorf("%v: Moving is %v, and all later pictures being the same is %v", m, f.Moving, same)
		}
		o.Still = true
		f.Draw(m.state, m.at, o)
		later.Draw(m.state, m.at+time.Hour, o)
		if f.Moving || !slices.Equal(f.Ops, later.Ops) {
			t.Errorf("%v: the still picture moves", m)
		}
	})
}

// letter returns the name of client i, from 0, on the stage.
func letter(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return fmt.Sprint(i + 1)
}

// TestCatalogueSaysWhoIsInside checks that a picture says that a client is inside exactly while one is, and names it if
// it is alone. It also checks that a picture marks wrong beliefs exactly while there are any.
func TestCatalogueSaysWhoIsInside(t *testing.T) {
	var f scene.Frame
	seen := map[int]bool{}
	moments(t, 24, func(m *moment) {
		inside, deluded, who := 0, 0, ""
		for i := range m.state.Clients {
			c := &m.state.Clients[i]
			if c.Inside {
				inside, who = inside+1, letter(i)
			} else if c.Belief.Phase.Inside() && !c.Crashed && !c.Exited {
				deluded++
			}
		}
		seen[min(inside, 2)] = true
		seen[10+min(deluded, 1)] = true
		for _, st := range stages {
			f.Draw(m.state, m.at, scene.Options{Words: english, Width: st.width, Height: st.height, Theme: display.Light()})
			truth, belief := inAndOut(&f)
			ok := len(truth) == 0
			switch {
			case inside == 1:
				ok = len(truth) == 1 && slices.Contains([]string{who + " is inside", who + " leads", "inside", "leads"}, truth[0])
			case inside > 1:
				ok = len(truth) > 0
			}
			if !ok {
				t.Errorf("%v, %s: %d clients are inside, and the picture says %q", m, st.name, inside, truth)
			}
			tight := m.condition == "crowd" || st.name == "phone page" // without room for words, a mark says it
			if belief > deluded || !tight && belief < deluded {
				t.Errorf("%v, %s: %d believe wrongly that they are inside; said %d times", m, st.name, deluded, belief)
			}
		}
	})
	if len(seen) != 5 {
		t.Errorf("nobody, one and several clients inside, and believed to be: only %v were seen", seen)
	}
}

// inAndOut returns the texts in a picture that say who is inside, and the number of wrong beliefs that it shows.
func inAndOut(f *scene.Frame) (truth []string, belief int) {
	thinks := false // the last text was the first line of a belief
	for i := range f.Ops {
		o := &f.Ops[i]
		second := thinks
		if o.Kind == display.Text {
			thinks = o.Text == "thinks it"
		}
		switch {
		case o.Kind != display.Text || o.Mono || second:
		case o.Text == "thinks it" || o.Text == "inside?":
			belief++
		case o.Fill != display.Light().OnAcc || f.Ops[i-1].Text == "thinks it": // the second line of a belief
		case o.Text == "inside" || o.Text == "leads" || strings.HasSuffix(o.Text, " inside") ||
			strings.HasSuffix(o.Text, " leads"):
			truth = append(truth, o.Text)
		}
	}
	return truth, belief
}

package scene_test

import (
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
)

// halfPhone is the size of one of two pictures on an upright phone.
var halfPhone = [2]float64{half.width, half.height}

// grove returns a state of n clients with these znodes, whose paths are relative, below the root.
func grove(n int, nodes ...view.Node) *view.State {
	s := base("children-lock", n)
	s.Header.Drawing.Kind = ""
	for _, at := range nodes {
		at.Path = root + "/" + at.Path
		at.Created = time.Second
		add(s, at)
	}
	return s
}

func plainNode(path, data string) view.Node {
	return view.Node{Path: path, Number: -1, Mode: zoo.Persistent, Data: data, Bytes: int64(len(data))}
}

func parentNode(path string, next int64) view.Node {
	return view.Node{Path: path, Number: -1, Mode: zoo.Persistent, Data: "x", Bytes: 1, Next: next, Numbers: true}
}

func numberedNode(path string, number, owner int) view.Node {
	return view.Node{Path: path, Number: int64(number), Mode: zoo.EphemeralSequential, Owner: session(owner)}
}

// TestShortTree checks that half a phone has the whole of a small tree: which texts it has, and which it hasn't.
func TestShortTree(t *testing.T) {
	group := func() *view.State {
		s := grove(6, parentNode("group", 3), numberedNode("group/member-A-0000000000", 0, 0),
			numberedNode("group/member-B-0000000001", 1, 1), numberedNode("group/member-C-0000000002", 2, 2),
			plainNode("orders", ""), plainNode("orders/for-B", "E to B"))
		s.Watches.List = append(s.Watches.List, view.Watch{Client: 1, Path: root + "/orders/for-A", Set: time.Second})
		return s
	}
	lasting := func(path string, number int64) view.Node {
		return view.Node{Path: path, Number: number, Mode: zoo.PersistentSequential}
	}
	over := func(n view.Node) view.Node {
		n.Gone, n.GoneAt = true, now-time.Second
		return n
	}
	for name, c := range map[string]struct {
		state       *view.State
		focus       []string
		size        [2]float64
		have, lacks []string
	}{
		"the root beside the box's name": {group(), nil, halfPhone, []string{"/zkviz/printer", "group", "next: 3",
			"member-A-000·A", "member-B-001·B", "member-C-002·C", "orders", "for-A", "for-B", "E to B"},
			[]string{"persistent", "+1 more"}},
		"in full where there's room": {group(), nil, [2]float64{700, 600}, []string{"/zkviz/printer", "persistent · next: 3",
			"for-A", "E to B"}, nil},
		"data that fits": {grove(3, plainNode("a", ""), plainNode("a/b", "tcp:10.0.0.7"), plainNode("c", ""),
			plainNode("c/d", ""), plainNode("e", ""), plainNode("e/f", "")), nil, halfPhone,
			[]string{"a", "b", "tcp:10.0.0.7", "c", "d", "e", "f"}, []string{"+1 more"}},
		"numbers without owners": {grove(6, parentNode("group", 3), lasting("group/member-A-0000000000", 0),
			lasting("group/member-B-0000000001", 1), lasting("group/member-C-0000000002", 2)), nil, [2]float64{140, 312},
			[]string{"000", "001", "002"}, []string{"+2"}},
		"one in focus at the end of a row": {grove(6, parentNode("group", 5), numberedNode("group/member-A-0000000000", 0, 0),
			numberedNode("group/member-B-0000000001", 1, 1), numberedNode("group/member-C-0000000002", 2, 2),
			numberedNode("group/member-D-0000000003", 3, 3), numberedNode("group/member-E-0000000004", 4, 4)),
			[]string{"group/member-E-0000000004"}, [2]float64{191, 312}, []string{"004·E"}, nil},
		"names beside their data": {grove(4, plainNode("services", ""), plainNode("services/service-0", "address of A"),
			plainNode("services/service-1", "address of D"), plainNode("services/service-2", "address of C")), nil,
			[2]float64{191, 312}, []string{"service-0", "address of A", "service-1", "address of D"}, nil},
		"what's over goes first": {grove(3, parentNode("group", 5), over(numberedNode("group/member-A-0000000000", 0, 0)),
			over(numberedNode("group/member-B-0000000001", 1, 1)), over(numberedNode("group/member-C-0000000002", 2, 2)),
			numberedNode("group/member-A-0000000003", 3, 0), numberedNode("group/member-B-0000000004", 4, 1)), nil,
			[2]float64{190, 312}, []string{"002", "003·A", "004·B"}, []string{"+4", "000", "001"}},
		"what's in focus has a place": {grove(3, parentNode("a", 1), parentNode("b", 1), parentNode("c", 1),
			parentNode("d", 1), parentNode("e", 1), parentNode("e/deep", 1)), []string{"deep"}, halfPhone,
			[]string{"e", "deep", "+4 more"}, []string{"b", "c", "d"}},
	} {
		var f scene.Frame
		f.Draw(c.state, now, scene.Options{Words: english, Width: c.size[0], Height: c.size[1], Theme: display.Light(),
			Focus: c.focus, Still: true})
		var texts []string
		for _, o := range f.Ops {
			if o.Kind == display.Text {
				texts = append(texts, o.Text)
			}
		}
		for _, s := range c.have {
			if !slices.Contains(texts, s) {
				t.Errorf("%s: %q isn't among %q", name, s, texts)
			}
		}
		for _, s := range c.lacks {
			if slices.Contains(texts, s) {
				t.Errorf("%s: %q is among %q", name, s, texts)
			}
		}
	}
}

// TestSiblingsOfAParent checks that a childless znode doesn't share its row with the next if another sibling has
// children: it would look like the parent of the next.
func TestSiblingsOfAParent(t *testing.T) {
	gone := plainNode("ready-1", "")
	gone.Gone, gone.GoneAt = true, now-time.Second
	s := grove(3, plainNode("arrived", ""), plainNode("arrived/round-1-A", ""), plainNode("arrived/round-1-B", ""),
		plainNode("arrived/round-1-C", ""),
		plainNode("inside", ""), gone)
	s.Watches.List = append(s.Watches.List, view.Watch{Client: 2, Path: root + "/ready-2", Set: time.Second})
	var f scene.Frame
	f.Draw(s, now, scene.Options{Words: english, Width: 390, Height: 338, Theme: display.Light(), Still: true})
	at := map[string]float32{}
	for _, o := range f.Ops {
		if o.Kind == display.Text {
			at[o.Text] = o.Y
		}
	}
	if at["round-1-A"] != at["round-1-B"] {
		t.Error("the children don't share a row")
	}
	if at["ready-1"] <= at["inside"] {
		t.Errorf("ready-1 is at %g, inside at %g", at["ready-1"], at["inside"])
	}
}

package scene_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
)

// TestNamesTellProgramsApart checks that cards show the different stems of two programs, also on a phone. A stem that
// nearly all names share is left out if it doesn't fit.
func TestNamesTellProgramsApart(t *testing.T) {
	for _, test := range []struct {
		stems         []string
		width, height float64
		want          []string
	}{
		{[]string{"web-lock", "batch-lock"}, 760, 470, []string{"web-lock-007", "batch-lock-008"}},
		{[]string{"web-lock", "batch-lock"}, 390, 300, []string{"web…007", "bat…008"}},
		{[]string{"program-1", "program-2"}, 390, 300, []string{"p…1-007", "p…2-008"}},
		{[]string{"read", "write"}, 760, 470, []string{"read-007", "write-008"}},
		{[]string{"read", "write"}, 340, 300, []string{"007", "008"}},
	} {
		s := base("text-order", 6)
		for i := range s.Clients {
			path := fmt.Sprintf("%s/%s-%x-%010d", root, test.stems[i%2], session(i), i+7)
			add(s, view.Node{Path: path, Number: int64(i + 7), Mode: zoo.EphemeralSequential,
				Owner: session(i), Creator: event.Actor(i + 1), Created: time.Second})
			s.Clients[i].Belief.Path = path
		}
		var f scene.Frame
		f.Draw(s, now, scene.Options{Words: english, Width: test.width, Height: test.height, Theme: display.Light()})
		var texts []string
		for _, op := range f.Ops {
			if op.Kind == display.Text {
				texts = append(texts, op.Text)
			}
		}
		for _, want := range test.want {
			if !slices.Contains(texts, want) {
				t.Errorf("%.0f px wide, there is no %q among %q", test.width, want, strings.Join(texts, ", "))
			}
		}
	}
}

// TestNamesKeepTheirAccents checks that a name looks as it does in the log and the inspector: accents stay letters.
// Characters that hide or reverse text become dots, and so do piled-up marks, which would cover what is above them.
func TestNamesKeepTheirAccents(t *testing.T) {
	for name, want := range map[string]string{
		"cafe\u0301":                         "cafe\u0301",
		"vie\u0323\u0302t":                   "vie\u0323\u0302t",
		"замо\u0301к":                        "замо\u0301к",
		"می\u200cخواهم":                      "می\u200cخواهم",
		"z" + strings.Repeat("\u0301", 9):    "z" + strings.Repeat("\u0301", 3) + "·",
		"a\u200bb\u202ec\xffd\u2066e\u061cf": "a·b·c·d·e·f",
		"soft\u00adhyphen":                   "soft·hyphen",
	} {
		s := base("tree", 1)
		add(s, view.Node{Path: root + "/" + name, Number: -1, Created: time.Second})
		if said := drawn(s); !slices.ContainsFunc(said, func(s string) bool { return strings.HasPrefix(s, want) }) {
			t.Errorf("%q is not shown as %q: %q", name, want, said)
		}
	}
}

package lessons_test

import (
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/recipes"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

// TestPicturesOfRecipes checks that each recipe's picture shows a client at work, and the picture of an exclusion
// pitfall two clients inside.
func TestPicturesOfRecipes(t *testing.T) {
	words, err := uistrings.Load(uistrings.Source)
	if err != nil {
		t.Fatal(err)
	}
	srv := webtest.Serve(t, web.Config{})
	for _, r := range recipes.All() {
		status, _, svg := webtest.Get(t, srv.URL+"/recipes/"+r.Name+".svg")
		system, brief := "ZooKeeper", "ZooKeeper"
		switch {
		case !event.HasZooKeeper(r.Systems):
			system = words["scene.system."+string(r.Systems[0].Kind)]
			brief = system
		case r.Servers > 1: // the box has the znodes of one server, and says so
			system, _, _ = strings.Cut(words["scene.znodes-of"], "{")
			brief, _, _ = strings.Cut(words["scene.whose"], "{")
			brief = ">" + brief
		}
		if status != 200 || !strings.Contains(svg, system) && !strings.Contains(svg, brief) {
			t.Errorf("%s: %d, without %s", r.Name, status, system)
		}
	}
	for name, want := range map[string]int{"predecessor-lock": 1, "no-second-look": 2, "text-order": 2} {
		if _, _, svg := webtest.Get(t, srv.URL+"/recipes/"+name+".svg"); strings.Count(svg, " is inside<") != want {
			t.Errorf("%s: %d are inside, not %d", name, strings.Count(svg, " is inside<"), want)
		}
	}
}

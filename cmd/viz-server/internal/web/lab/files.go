package lab

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/a-h/templ"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/analysis/challenge"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/link"
	"github.com/zkviz/zkviz/engine/run/room"
	"github.com/zkviz/zkviz/recipes"
)

// ofRecipe answers /lab and /lab/RECIPE on a site of files, where no server reads a scenario: with a page for each
// recipe. scenario.js fills it from its address, and the page's worker runs the scenario.
func (s *Pages) ofRecipe(w http.ResponseWriter, r *http.Request) {
	name := cmp.Or(r.PathValue("recipe"), recipes.Default)
	if _, ok := recipe.Find(name); !ok {
		s.site.NotFound(w, r)
		return
	}
	s.site.Cached(w, r, func() (templ.Component, error) {
		sc, err := room.Asked("recipe=" + name)
		if err != nil {
			return nil, err
		}
		p := page.LabProps{Frame: s.site.CachedFrame(r, "lab"), Nodes: nodes()}
		p.Recipes, p.Pitfalls = recipeNames()
		s.showScenario(&p, sc)
		p.Summary, p.UsualLatency = p.Say("recipe."+name), "" // that depends on the number of clients
		p.Files = &page.LabFiles{
			Parameters: parameterNames(), Moment: strings.Join(link.MomentNames, " "),
			OfTask: strings.Join(link.TaskNames, " "), Frame: strings.Join(link.FrameNames, " "), Longest: link.Max,
			TitleMax: maxTaskTitle, TextMax: maxTaskText, ParMax: maxTaskPar,
		}
		if len(p.Rules) > 0 {
			task := challenge.Task{Step: taskStep, Rule: p.Rules[0].Name, Times: 1, Par: 1}
			p.Files.Task = page.LabTask{Goal: p.Rules[0].Title, Par: "1", Task: task.String()}
		}
		return page.Lab(p), nil
	})
}

// parameterNames returns the names of a scenario's parameters.
func parameterNames() string {
	var names []string
	for _, p := range run.Parameters() {
		names = append(names, p.Name)
	}
	return strings.Join(names, " ")
}

// onFiles returns the handlers that differ on a site of files.
func (s *Pages) onFiles() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"/lab":          s.ofRecipe,
		"/lab/{recipe}": s.ofRecipe,
	}
}

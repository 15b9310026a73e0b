package lab

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/explore"
	"github.com/zkviz/zkviz/engine/run/link"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/run/room"
	"github.com/zkviz/zkviz/recipes"
)

// lab answers /lab: a scenario in the format of run.ParseQuery; the moment to show, as package link reads it; and
// optionally a task: title, text, rule=NAME and par=1.
func (s *Pages) lab(w http.ResponseWriter, r *http.Request) {
	p := page.LabProps{Frame: s.site.Frame(r, "lab")}
	p.Recipes, p.Pitfalls = recipeNames()
	p.Nodes = nodes()
	q, err := labQuery(r)
	given := maps.Clone(q)
	var sc run.Scenario
	var moment link.Moment
	if err == nil {
		moment, err = link.Take(q)
	}
	if err == nil {
		p.Task, err = takeTask(q, moment)
	}
	if err == nil {
		moment.PutApart(q, run.IsParameter)
		sc, err = room.Asked(q.Encode())
	}
	if err == nil {
		err = putMoment(&p, moment, q)
	}
	if err != nil {
		p.Error = sentence.From(err)
		showRejected(&p, given)
		s.site.Render(w, r, http.StatusBadRequest, page.Lab(p))
		return
	}
	s.site.CachedFor(w, r, site.Needs{Query: r.URL.RawQuery}, func() (templ.Component, error) {
		s.showScenario(&p, sc)
		return page.Lab(p), nil
	})
}

// labQuery returns the address's query, with the usual recipe if it names none.
func labQuery(r *http.Request) (url.Values, error) {
	q, err := link.Parse(r.URL.RawQuery)
	if err != nil {
		return url.Values{}, err
	}
	if !q.Has("recipe") {
		q.Set("recipe", recipes.Default)
	}
	return q, nil
}

// showScenario fills the form with a scenario.
func (s *Pages) showScenario(p *page.LabProps, sc run.Scenario) {
	s.site.About(&p.Frame, sc)
	r, _ := recipe.Find(sc.Recipe) // the scenario was validated
	p.Recipe, p.Cure = r.Name, r.Cure
	p.Rules = rulesToBreak(r.Name)
	written := func(name string) string { return sc.Written(name)[0] }
	p.Clients, p.Rounds, p.Seed, p.Hold = written("clients"), written("rounds"), written("seed"), written("hold")
	p.Arrivals = sc.Written("arrival")
	p.Faults, p.UsualServers = sc.Written("fault"), sc.Usual().Written("servers")[0]
	if sc.Servers != sc.Usual().Servers {
		p.Servers = written("servers")
	}
	p.Database = string(sc.Database)
	if sc.Observers > 0 {
		p.Hidden = append(p.Hidden, hidden(sc, "observers"))
	}
	if sc.Store != "" {
		p.Hidden = append(p.Hidden, hidden(sc, "store"))
	}
	if sc.Poll != (recipe.Poll{}) {
		p.Hidden = append(p.Hidden, hidden(sc, "poll"))
	}
	if sc.FirstNumber != 0 {
		p.Hidden = append(p.Hidden, hidden(sc, "first-number"))
	}
	p.Even, p.Flaws = s.even(sc.Servers, p.Lang), sc.Written("flaw")
	for _, flaw := range p.Flaws[min(1, len(p.Flaws)):] { // the form has one field
		p.Hidden = append(p.Hidden, [2]string{"flaw", flaw})
	}
	p.Flaws = p.Flaws[:min(1, len(p.Flaws))]
	if f, err := explore.OfFlaw(context.Background(), sc.Flaws); err == nil { // only for a single flaw
		p.Shows = f.Link()
	}
	p.SessionTimeout = written("session-timeout")
	p.Source = s.course.Source(sc.Recipe)
	p.Query = sc.Query()
	p.Besides = s.suggestions(p.Frame, sc)
	pace := room.PaceOf(sc.Clients)
	p.UsualLatency = pace.Latency.String()
	if sc.Latency != pace.Latency || sc.Jitter != pace.Jitter || sc.Stagger != pace.Stagger {
		p.Latency = written("latency")
		p.Hidden = append(p.Hidden, hidden(sc, "jitter"), hidden(sc, "stagger"))
	}
	if sc.SessionTimeout != sc.Usual().SessionTimeout {
		p.Timeout = p.SessionTimeout
	}
}

// even explains an even number of servers; nil for an odd number. On a site of files, scripts put the numbers in.
func (s *Pages) even(servers int, lang page.Lang) *page.Even {
	e := &page.Even{Servers: strconv.Itoa(servers), Fewer: strconv.Itoa(servers - 1)}
	if s.site.Exported() {
		e.Servers, e.Fewer = "{0}", "{1}"
	} else if servers%2 != 0 {
		return nil
	}
	e.Lesson, e.Anchor = s.course.OnEven(lang)
	return e
}

// hidden returns a parameter that has no field in the form.
func hidden(sc run.Scenario, name string) [2]string { return [2]string{name, sc.Written(name)[0]} }

// showRejected fills the form with rejected values, so that the reader can correct them.
func showRejected(p *page.LabProps, q url.Values) {
	p.Recipe = protocol.Clip(q.Get("recipe"))
	p.Rules = rulesToBreak(p.Recipe)
	p.Task = page.LabTask{Title: protocol.Clip(q.Get("title")), Text: protocol.Clip(q.Get("text")),
		Rule: protocol.Clip(q.Get("rule")), Par: protocol.Clip(q.Get("par"))}
	p.Beside, p.BesideSeed = protocol.Clip(q.Get("beside")), protocol.Clip(q.Get("beside-seed"))
	p.Clients, p.Rounds = protocol.Clip(q.Get("clients")), protocol.Clip(q.Get("rounds"))
	p.Seed, p.Hold = protocol.Clip(q.Get("seed")), protocol.Clip(q.Get("hold"))
	p.Database = protocol.Clip(q.Get("database"))
	p.Servers, p.Flaws = protocol.Clip(q.Get("servers")), q["flaw"][:min(len(q["flaw"]), 1)]
	p.Latency, p.Timeout = protocol.Clip(q.Get("latency")), protocol.Clip(q.Get("session-timeout"))
	for _, f := range q["fault"][:min(len(q["fault"]), protocol.MaxFaults)] {
		p.Faults = append(p.Faults, protocol.Clip(f))
	}
	p.Arrivals = q["arrival"] // no longer than the address
	// These have no field to correct them in.
	for _, name := range []string{"observers", "jitter", "stagger", "poll", "first-number"} {
		var g run.Given
		if v := q.Get(name); v != "" && g.Set(name, v) == nil {
			p.Hidden = append(p.Hidden, [2]string{name, v})
		}
	}
}

// nodes returns the nodes of the recipes that run on other systems than ZooKeeper.
func nodes() map[string]page.Nodes {
	all := make(map[string]page.Nodes)
	for _, r := range recipes.All() {
		if n := event.NodesOf(r.Systems); n > 0 {
			all[r.Name] = page.Nodes{Count: strconv.Itoa(n), Tables: run.Database(r) != "",
				Where:    fault.WhereOn(event.HasZooKeeper(r.Systems), true),
				Replicas: slices.ContainsFunc(r.Systems, event.System.Replicated)}
		}
	}
	return all
}

// recipeNames returns the recipes and the pitfalls in the order of the catalogue.
func recipeNames() (right, wrong []string) {
	for _, r := range recipes.All() {
		if r.Kind == recipe.Pitfall {
			wrong = append(wrong, r.Name)
		} else {
			right = append(right, r.Name)
		}
	}
	return right, wrong
}

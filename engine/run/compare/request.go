package compare

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
)

// Limits of one comparison on a page.
const (
	maxCompared = 6
	maxSizes    = 8
	// maxEnsembleClients limits the clients with several servers, where each write takes dozens of messages.
	maxEnsembleClients = 200
)

// Request says what a page compares on the simulator: each recipe with each number of clients, in ascending order.
type Request struct {
	Recipes            []string
	Clients            []int
	Servers, Observers int
}

// ParseRequest reads recipe=NAME&recipe=NAME&clients=2,10,100&servers=3&observers=1. If q doesn't say how many servers,
// it says so afterwards: as many as the recipes are for.
func ParseRequest(q url.Values) (Request, error) {
	r := Request{Recipes: q["recipe"]}
	if strings.TrimSpace(q.Get("servers")) == "" {
		q.Set("servers", strconv.Itoa(recipe.Servers(r.Recipes...)))
	}
	if err := r.readEnsemble(q); err != nil {
		return r, err
	}
	if len(r.Recipes) > maxCompared {
		return r, sentence.Error("bad.compare.recipes", sentence.Number(maxCompared), sentence.Number(len(r.Recipes)))
	}
	if err := r.readClients(q.Get("clients")); err != nil {
		return r, err
	}
	for _, x := range r.Runs() {
		if _, err := r.Scenario(x); err != nil {
			return r, err
		}
	}
	if most := r.Clients[len(r.Clients)-1]; r.Servers > 1 && most > maxEnsembleClients {
		return r, sentence.Error("bad.compare.among", sentence.Number(maxEnsembleClients), sentence.Number(most))
	}
	return r, nil
}

// readEnsemble reads the numbers of servers and observers. Their limits are checked later with the other parameters.
func (r *Request) readEnsemble(q url.Values) error {
	var g run.Given
	for _, name := range []string{"servers", "observers"} {
		if text := strings.TrimSpace(q.Get(name)); text != "" {
			if err := g.Set(name, text); err != nil {
				return err
			}
		}
	}
	s := g.Scenario()
	r.Servers, r.Observers = s.Servers, s.Observers
	return nil
}

// readClients reads numbers of clients, separated by commas, and sorts them.
func (r *Request) readClients(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil {
			return sentence.Error("bad.compare.clients", sentence.Quote(text))
		}
		r.Clients = append(r.Clients, n)
	}
	slices.Sort(r.Clients)
	if r.Clients = slices.Compact(r.Clients); len(r.Clients) > maxSizes {
		return sentence.Error("bad.compare.sizes", sentence.Number(maxSizes), sentence.Number(len(r.Clients)))
	}
	return nil
}

// Run is one of the runs to compare.
type Run struct {
	Recipe  string
	Clients int
}

// Runs returns the runs, the cheap ones first.
func (r Request) Runs() (all []Run) {
	for _, n := range r.Clients {
		for _, name := range r.Recipes {
			all = append(all, Run{name, n})
		}
	}
	return all
}

// Scenario returns a run on the simulator, with defaults for other parameters.
func (r Request) Scenario(x Run) (run.Scenario, error) {
	var g run.Given
	err := errors.Join(g.Set("recipe", x.Recipe), g.Set("clients", strconv.Itoa(x.Clients)),
		g.Set("servers", strconv.Itoa(r.Servers)), g.Set("observers", strconv.Itoa(r.Observers)))
	if err != nil {
		return run.Scenario{}, err
	}
	return g.Valid()
}

// Failed says which run failed, and why.
func (x Run) Failed(err error) error {
	return sentence.Wrap(err, "failed.compare", sentence.Text(x.Recipe), sentence.Number(x.Clients))
}

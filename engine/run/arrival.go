package run

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event/arrival"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/recipe"
)

// MaxVisits bounds the visits of all clients of a scenario, as far as its arrivals list them.
const MaxVisits = 10_000

const arrivalForm = "'client-2 at 1.5s for 20s at 40s for 1s' (perhaps with 'as ROLE' and 'timeout 8s')"

// arrivalList reads and writes when clients come, one text for each client.
type arrivalList struct{ optional }

func (arrivalList) read(s *Scenario, texts []string) error {
	if len(texts) > MaxClients {
		return sentence.Error("bad.arrivals", sentence.Number(MaxClients), sentence.Number(len(texts)))
	}
	s.Arrivals = nil
	for _, text := range texts {
		a, err := arrival.Parse(text)
		if err != nil {
			return err
		}
		s.Arrivals = append(s.Arrivals, a)
	}
	return nil
}

func (arrivalList) write(s Scenario) []string { return written(s.Arrivals) }

func (v arrivalList) json(s Scenario) any {
	if len(s.Arrivals) == 0 {
		return nil
	}
	return v.write(s)
}

func (arrivalList) judge(s Scenario, r recipe.Recipe) error {
	if len(s.Arrivals) == 0 {
		return nil
	}
	if r.Use == "" {
		return sentence.Error("bad.arrival.recipe", sentence.Text(r.Name))
	}
	said, visits, roles := map[int]bool{}, 0, rolesOf(r, s.Clients)
	for _, a := range s.Arrivals {
		if err := a.Validate(s.Clients, roles); err != nil {
			return err
		}
		if visits += len(a.Visits); said[a.Client] {
			return sentence.Error("bad.arrival.twice", sentence.Number(a.Client))
		}
		said[a.Client] = true
	}
	if visits > MaxVisits {
		return sentence.Error("bad.arrival.many", sentence.Number(MaxVisits), sentence.Number(visits))
	}
	return nil
}

// fewest is a number of clients among which every role occurs.
const fewest = 6

// rolesOf returns the roles that clients have in a recipe.
func rolesOf(r recipe.Recipe, clients int) (roles []string) {
	if r.Role == nil {
		return nil
	}
	for i := 1; i <= max(clients, fewest); i++ {
		if role := r.Role(i, max(clients, fewest)); !slices.Contains(roles, role) {
			roles = append(roles, role)
		}
	}
	return roles
}

// arrivals returns the known arrivals, by client.
func (s Scenario) arrivals() map[int]arrival.Arrival {
	known := make(map[int]arrival.Arrival, len(s.Arrivals))
	for _, a := range s.Arrivals {
		known[a.Client] = a
	}
	return known
}

package run

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/recipe"
)

// storeName is the store that holders write to, of a recipe that leaves a choice.
type storeName struct{ optional }

func (storeName) read(s *Scenario, texts []string) error {
	if texts[0] == "" {
		return sentence.Error("bad.value.store")
	}
	s.Store = texts[0]
	return nil
}

// usual returns the recipe's default store, empty if it leaves no choice.
func (storeName) usual(r recipe.Recipe) string {
	if len(r.OtherStores) == 0 {
		return ""
	}
	return r.Drawing.Stores[0].Name
}

func (storeName) write(s Scenario) []string {
	if s.Store == "" {
		return nil
	}
	return []string{s.Store}
}

func (storeName) json(s Scenario) any {
	if s.Store == "" {
		return nil
	}
	return s.Store
}

func (storeName) judge(s Scenario, r recipe.Recipe) error {
	if s.Store == "" || otherStore(r, s.Store) >= 0 {
		return nil
	}
	return sentence.Error("bad.store", sentence.Text(r.Name), sentence.Quote(s.Store))
}

// otherStore returns the index of the recipe's other store of that name, or -1.
func otherStore(r recipe.Recipe, name string) int {
	return slices.IndexFunc(r.OtherStores, func(d event.StoreDrawing) bool { return d.Name == name })
}

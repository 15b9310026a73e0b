package recipes_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/recipe"
	runs "github.com/zkviz/zkviz/engine/run"
	_ "github.com/zkviz/zkviz/recipes"
)

// What a read-write lock protects stays whole, also when a writer dies. In the run that shows the pitfall, copies are
// torn.
func TestDocumentIsTornByThePitfallAlone(t *testing.T) {
	pitfall, _ := recipe.Find("wrong-predecessor")
	if torn, _ := documentOf(t, "recipe=wrong-predecessor&"+pitfall.Seen); torn == 0 {
		t.Error("wrong-predecessor: nothing is torn")
	}
	if torn, _ := documentOf(t, "recipe=read-write-lock&"+pitfall.Seen); torn > 0 {
		t.Errorf("the cure: %d torn", torn)
	}
	for seed := range 40 {
		query := fmt.Sprintf("recipe=read-write-lock&clients=7&latency=40ms&jitter=20ms&seed=%d", seed)
		torn, versions := documentOf(t, query+"&fault=crash+client-4+at+3s")
		if torn > 0 || versions < 2 {
			t.Errorf("%s: %d torn of %d versions", query, torn, versions)
		}
	}
}

// documentOf counts what is torn in a run, and the versions that were begun.
func documentOf(t *testing.T, query string) (torn, versions int) {
	s, err := runs.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	s = s.WithDefaults()
	log := event.Log{Header: s.Header(event.Simulated)}
	if err := runs.Sim(context.Background(), s, &log); err != nil {
		t.Fatal(err)
	}
	state := view.NewFor(log.Header)
	for _, e := range log.Events {
		state.Apply(e)
	}
	return state.Stores[0].Torn, state.Stores[0].Versions
}

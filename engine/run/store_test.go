package run_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
)

// TestStore checks that a run writes to the store that it names, comes back unchanged from each form, and says so in
// its header.
func TestStore(t *testing.T) {
	for named, want := range map[string]string{"": "ledger", "printer": "printer"} {
		s := run.Scenario{Recipe: "etcd-mutex", Clients: 2, Seed: 1, Store: named}.WithDefaults()
		file, err := s.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if byFile, err := run.ReadFile(bytes.NewReader(file)); err != nil || !reflect.DeepEqual(byFile, s) {
			t.Errorf("%q: by file %+v, %v", named, byFile, err)
		}
		if byQuery, err := run.ParseQuery(s.Query()); err != nil || !reflect.DeepEqual(byQuery, s) {
			t.Errorf("%q: by query %+v, %v", named, byQuery, err)
		}
		if said := strings.Contains(s.Command(), " --store "+want); said != (named != "") {
			t.Errorf("%q: by command %s", named, s.Command())
		}
		if stores := s.Header(event.Simulated).Drawing.Stores; len(stores) != 1 || stores[0].Name != want {
			t.Errorf("%q: the header says %+v", named, stores)
		}
		log := event.Log{}
		if err := run.Sim(t.Context(), s, &log); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, e := range log.Events {
			if e.Kind == event.StoreWritten {
				if n++; e.Path != want || e.N == 0 {
					t.Errorf("%q: %s is written with the number %d", named, e.Path, e.N)
				}
			}
		}
		if n == 0 {
			t.Errorf("%q: nothing is written", named)
		}
	}
}

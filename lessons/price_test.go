package lessons_test

import (
	"context"
	"testing"

	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/compare"
)

// With many clients, a lock takes fewer requests for each number than a counter whose writes come too late. The
// buttons of that step show this.
func TestPriceOfCounting(t *testing.T) {
	l, _ := open(t).Find("counting-together")
	perNumber := map[string]float64{}
	for _, b := range l.Step("price").Buttons {
		s := compare.Contest()
		s.Recipe, s.Clients = b.Recipe, b.Clients
		row, err := compare.Measure(context.Background(), "sim", run.Sim, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		perNumber[b.ID] = row.PerRelease.Requests
	}
	if perNumber["lock"] == 0 || perNumber["counter"] <= perNumber["lock"] {
		t.Errorf("a number takes so many requests: %v", perNumber)
	}
}

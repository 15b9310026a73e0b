package attacks

import (
	"context"
	"fmt"

	"github.com/zkviz/zkviz/cmd/attack/internal/client"
	"github.com/zkviz/zkviz/recipes"
)

// bigFiguresAsked is how many ask at once for figures of big runs.
const bigFiguresAsked = 30

// names are the catalogue's recipes.
func names() (all []string) {
	for _, r := range recipes.All() {
		all = append(all, r.Name)
	}
	return all
}

func bigFigures(ctx context.Context, w *World) error {
	all := names()
	for n, from := range [][]client.From{{loner()}, sources()} {
		early, cancel := part(ctx, 0.5*float64(n+1))
		asking, done := browsers(from)
		var t tally
		each(early, w.n(bigFiguresAsked), func(ctx context.Context, i int) {
			url := fmt.Sprintf("%s/api/figures?recipe=%s&clients=%d", w.Pages, all[i%len(all)], max(10, w.n(runClients)-n))
			t.add(w.get(ctx, asking[i%len(asking)], url, nil))
		})
		done()
		cancel()
		w.note("from %d addresses: %s", len(from), &t)
		w.hints(&t)
	}
	return nil
}

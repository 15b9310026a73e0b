package attacks

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/zkviz/zkviz/cmd/attack/internal/client"
	"github.com/zkviz/zkviz/recipes"
)

// The sizes of live-storm, page-storm, many-figures and big-figures: requests a second, and in all.
const (
	liveASecond     = 50
	liveInAll       = 1000
	stormASecond    = 100
	stormInAll      = 2000
	figuresASecond  = 150
	smallFigures    = 3000
	smallestFigures = 3  // clients
	bigFiguresAsked = 30 // at once
)

// storm asks for pages again and again, at most so many at once.
func (w *World) storm(ctx context.Context, n, perSecond, atOnce int, page func(i int) (string, http.Header)) error {
	asking, done := browsers(sources())
	defer done()
	var t tally
	paced(ctx, w.n(n), perSecond, atOnce, func(ctx context.Context, i int) {
		where, header := page(i)
		t.add(w.get(ctx, asking[i%len(asking)], w.Pages+where, header))
	})
	w.note("%s", &t)
	w.hints(&t)
	return nil
}

func liveStorm(ctx context.Context, w *World) error {
	return w.storm(ctx, liveInAll, liveASecond, 32, func(int) (string, http.Header) { return "/live", nil })
}

func pageStorm(ctx context.Context, w *World) error {
	pages := []string{
		"/", "/recipes", "/lessons/03-the-herd", "/lab", "/zoo", "/lessons/08-two-believe?theme=dark",
		"/lab/compare?recipe=unique-lock&clients=2", "/nothing-here", "/lessons/03-the-herd/release.svg", "/static/app.js",
		"/stage",
		"/lab?recipe=children-lock&clients=%d",
	}
	return w.storm(ctx, stormInAll, stormASecond, 64, func(i int) (string, http.Header) {
		page := pages[i%len(pages)]
		if strings.Contains(page, "%d") {
			page = fmt.Sprintf(page, 2+i%500)
		}
		encoding := []string{"br", "gzip", "identity", "gzip, deflate, br"}[i/len(pages)%4]
		return page, http.Header{"Accept-Encoding": {encoding}}
	})
}

// figures is the address of the figures of one recipe after the other.
func figures(i, clients int) string {
	all := recipes.All()
	return fmt.Sprintf("/api/figures?recipe=%s&clients=%d", all[i%len(all)].Name, clients)
}

func manyFigures(ctx context.Context, w *World) error {
	kinds := len(recipes.All())
	return w.storm(ctx, smallFigures, figuresASecond, 32, func(i int) (string, http.Header) {
		return figures(i, smallestFigures+i/kinds), nil
	})
}

func bigFigures(ctx context.Context, w *World) error {
	twice(ctx, 1, func(ctx context.Context, n int, from []client.From) {
		asking, done := browsers(from)
		defer done()
		var t tally
		each(ctx, w.n(bigFiguresAsked), func(ctx context.Context, i int) {
			where := figures(i, max(10, w.n(runClients)-n))
			t.add(w.get(ctx, asking[i%len(asking)], w.Pages+where, nil))
		})
		w.note("from %d addresses: %s", len(from), &t)
		w.hints(&t)
	})
	return nil
}

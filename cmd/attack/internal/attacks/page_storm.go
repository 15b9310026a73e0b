package attacks

import (
	"context"
	"fmt"
	"net/http"
	"strings"
)

// The sizes of page-storm.
const (
	stormASecond = 100
	stormInAll   = 2000
)

func pageStorm(ctx context.Context, w *World) error {
	asking, done := browsers(sources())
	defer done()
	pages := []string{
		"/", "/recipes", "/lessons/03-the-herd", "/lab", "/zoo", "/lessons/05-two-believe?theme=dark", "/lab/compare?recipe=unique-lock&clients=2",
		"/nothing-here", "/lessons/03-the-herd/release.svg", "/static/app.js", "/stage", "/lab?recipe=children-lock&clients=%d",
	}
	var t tally
	paced(ctx, w.n(stormInAll), stormASecond, 64, func(ctx context.Context, i int) {
		url := w.Pages + pages[i%len(pages)]
		if strings.Contains(url, "%d") {
			url = fmt.Sprintf(url, 2+i%500)
		}
		encoding := []string{"br", "gzip", "identity", "gzip, deflate, br"}[i/len(pages)%4]
		t.add(w.get(ctx, asking[i%len(asking)], url, http.Header{"Accept-Encoding": {encoding}}))
	})
	w.note("%s", &t)
	w.hints(&t)
	return nil
}

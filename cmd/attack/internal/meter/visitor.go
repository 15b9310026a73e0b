package meter

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/zkviz/zkviz/cmd/attack/internal/client"
)

// visitorPages are what the visitor loads in turn.
var visitorPages = []string{"/", "/lessons/03-the-herd", "/lab", "/recipes", "/live", "/zoo", "/static/app.css"}

// visitorPatience is how long the visitor waits for one page.
const visitorPatience = 10 * time.Second

// Visitor loads a page after every pause, one after the other, until ctx ends. It comes with new connections for
// each round, as another visitor would.
func Visitor(ctx context.Context, from client.From, base string, pause time.Duration, s *Samples) {
	browser := from.HTTP(visitorPatience)
	defer browser.CloseIdleConnections()
	for i := 0; ctx.Err() == nil; i++ {
		page := visitorPages[i%len(visitorPages)]
		if page == visitorPages[0] {
			browser.CloseIdleConnections()
		}
		start := time.Now()
		err := load(ctx, browser, base+page)
		if took := time.Since(start); err == nil {
			s.answered(took)
		} else if ctx.Err() == nil {
			s.failed(took, fmt.Errorf("load %s: %w", page, err))
		}
		rest(ctx, pause-time.Since(start))
	}
}

// load gets the whole of a page.
func load(ctx context.Context, browser *http.Client, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := browser.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the server answered %s", resp.Status)
	}
	return nil
}

// rest waits for d, or until ctx ends.
func rest(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

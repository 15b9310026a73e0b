package taps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/observe/tap"
)

// FiguresAt is the path at which a tap's page has its figures.
const FiguresAt = "/tap.json"

const (
	maxAnswer = 8 << 20         // bytes; every row with the longest paths, escaped
	askEvery  = time.Second     // how often a tap is asked, at most
	askLimit  = 2 * time.Second // for one answer
)

// Remote asks a tap for its figures: a viz-server tap with a page, which runs by itself.
type Remote struct {
	at     string
	client *http.Client

	mu    sync.Mutex
	asked time.Time
	last  *Figures
	err   error
}

// NewRemote returns a Remote for the address of a tap's page, such as http://10.0.3.7:8081.
func NewRemote(text string) (*Remote, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the address of a tap's page is like http://10.0.3.7:8081")
	}
	return &Remote{at: strings.TrimSuffix(u.String(), "/"), client: &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Figures returns what the tap tells now, at most a second old, or why it tells nothing.
func (r *Remote) Figures(ctx context.Context) (*Figures, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.asked) >= askEvery {
		r.last, r.err = r.ask(ctx)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		r.asked = time.Now()
	}
	return r.last, r.err
}

func (r *Remote) ask(ctx context.Context) (*Figures, error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	wrong := func(err error) error { return fmt.Errorf("the tap at %s: %w", r.at, err) }
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, r.at+FiguresAt, nil)
	if err != nil {
		return nil, wrong(err)
	}
	answer, err := r.client.Do(q)
	if err != nil {
		return nil, wrong(errors.Unwrap(err))
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return nil, wrong(err)
	}
	var f Figures
	if answer.StatusCode != http.StatusOK || json.Unmarshal(body, &f) != nil || f.Tables == nil || f.Time.IsZero() ||
		len(f.Paths) > tap.MaxRows || len(f.Clients) > tap.MaxRows {
		return nil, wrong(fmt.Errorf("no tap of viz-server answers there (status %d)", answer.StatusCode))
	}
	return f.index(), nil
}

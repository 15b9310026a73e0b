package export

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
)

// answer is what the pages' handler gives for an address.
type answer struct {
	address string // where redirects have led
	kind    string // Content-Type
	body    []byte
	source  http.Handler // answers with the body in other encodings
}

// errNowhere reports a link that leads nowhere.
var errNowhere = errors.New("there is no such page")

// ask returns the answer for an address. It asks once for each file.
func (x *exporter) ask(ctx context.Context, address string) (*answer, error) {
	key, _, _ := cut(address)
	if site.VariesByQuery(address) {
		key = address
	}
	if a, ok := x.answers[key]; ok {
		return a, nil
	}
	a, err := x.answerTo(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	x.answers[key] = a
	return a, nil
}

// soon is the longest time after which a page that isn't ready is asked for again.
const soon = 10 * time.Second

// answerTo asks until the page is complete, however long that takes on this machine.
func (x *exporter) answerTo(ctx context.Context, address string) (*answer, error) {
	got, err := request(ctx, x.cfg.Pages, address, "")
	for err == nil && got.again > 0 && got.again <= soon {
		pause, end := context.WithTimeout(ctx, got.again)
		<-pause.Done()
		end()
		got, err = request(ctx, x.cfg.Pages, address, "")
	}
	if err != nil {
		return nil, err
	}
	switch {
	case got.status >= 300 && got.status < 400:
		return x.ask(ctx, got.header.Get("Location"))
	case got.status == http.StatusNotFound && !isNotFound(address):
		return nil, errNowhere
	case got.status != http.StatusOK && got.status != http.StatusNotFound || got.again > 0:
		return nil, fmt.Errorf("the answer is %d: %.200s", got.status, got.body.Bytes())
	}
	return &answer{address, got.header.Get("Content-Type"), got.body.Bytes(), x.cfg.Pages}, nil
}

// request asks a handler for an address in an encoding.
func request(ctx context.Context, from http.Handler, address, encoding string) (*recorder, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	r.Host, r.RemoteAddr = "localhost", "127.0.0.1:0"
	r.Header.Set("Accept-Encoding", encoding)
	w := &recorder{header: http.Header{}, status: http.StatusOK}
	from.ServeHTTP(w, r)
	seconds, _ := strconv.Atoi(cmp.Or(w.header.Get("Refresh"), w.header.Get("Retry-After")))
	w.again = time.Duration(seconds) * time.Second
	return w, context.Cause(ctx)
}

// recorder is an http.ResponseWriter that keeps the answer.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
	again  time.Duration // after which to ask again, since the page isn't complete or isn't there yet; 0 if it is
}

// Header returns the answer's header.
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader keeps the status.
func (r *recorder) WriteHeader(status int) { r.status = status }

// Write keeps a part of the body.
func (r *recorder) Write(b []byte) (int, error) { return r.body.Write(b) }

// cut splits an address into path, query and fragment. The latter two keep their signs.
func cut(address string) (path, query, fragment string) {
	u, err := url.Parse(address)
	if err != nil {
		return address, "", ""
	}
	if u.RawQuery != "" {
		query = "?" + u.RawQuery
	}
	if u.Fragment != "" {
		fragment = "#" + u.EscapedFragment()
	}
	return u.EscapedPath(), query, fragment
}

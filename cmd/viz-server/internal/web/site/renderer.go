package site

import (
	"bytes"
	"net/http"
	"runtime"

	"github.com/a-h/templ"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/body"
	"github.com/zkviz/zkviz/engine/run/room"
)

const html = "text/html; charset=utf-8"

// renderer makes pages and other answers, a few at a time. Clients take turns, so that one who asks for thousands
// doesn't delay the others. Pages that many requests share are made once.
type renderer struct {
	turns *room.Turns
	pages *Cache[pageKey, *body.Body]
}

// pageKey holds everything that a cached page depends on.
type pageKey struct {
	path string
	Needs
}

// Needs says what a cached page depends on besides its path.
type Needs struct {
	Query string // of its address; there are many
	Zoo   string // the address of the ZooKeeper inside as the reader knows it
}

// maxPageBytes limits the cached pages, in bytes with their compressed forms.
const maxPageBytes = 32 << 20

func newRenderer() *renderer {
	return &renderer{turns: room.NewTurns(runtime.NumCPU()), pages: NewCache[pageKey, *body.Body](maxPageBytes)}
}

// inTurn makes and compresses a body in the client's turn.
func (m *renderer) inTurn(r *http.Request, make func() (*body.Body, error)) (*body.Body, error) {
	leave, err := m.turns.Enter(r.Context(), ClientOf(r))
	if err != nil {
		return nil, err
	}
	defer leave()
	c, err := make()
	if err == nil {
		c.Prepare(r)
	}
	return c, err
}

// page returns a page that depends only on the key, from the cache or newly made.
func (m *renderer) page(r *http.Request, key pageKey, make func() (templ.Component, error)) (*body.Body, error) {
	if c, ok := m.pages.Get(key); ok && c.Ready(r) {
		return c, nil
	}
	return m.inTurn(r, func() (*body.Body, error) {
		if c, ok := m.pages.Get(key); ok {
			return c, nil
		}
		page, err := make()
		if err != nil {
			return nil, err
		}
		effort := body.Thorough
		if key.Query != "" {
			effort = body.Quick // there are many
		}
		c, err := render(r, page, effort)
		if err == nil {
			m.pages.Put(key, c, 2*c.Size()+len(key.Query)) // both compressed forms are shorter
		}
		return c, err
	})
}

// render renders a page completely before the first byte is sent, so that none breaks off.
func render(r *http.Request, c templ.Component, effort int) (*body.Body, error) {
	var b bytes.Buffer
	err := c.Render(r.Context(), &b)
	return body.New(html, b.Bytes(), effort), err
}

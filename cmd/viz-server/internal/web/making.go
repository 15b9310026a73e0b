package web

import (
	"bytes"
	"net/http"
	"runtime"

	"github.com/a-h/templ"

	"github.com/zkviz/zkviz/engine/room"
)

const html = "text/html; charset=utf-8"

// making makes answers of what pages consist of, a few at a time: askers take turns, so that a page is there soon for
// whoever asks for one while others ask for thousands. What is the same for many requests is made once.
type making struct {
	turns *room.Turns
	still *kept[stillKey, body]
	*packer
}

// stillKey is what a page that stays the same depends on: its path, its query if that counts, and the address of the
// ZooKeeper inside as its reader knows it.
type stillKey struct{ path, query, zoo string }

// maxStill bounds the pages that are kept, in bytes.
const maxStill = 16 << 20

func newMaking() *making {
	return &making{turns: room.NewTurns(runtime.NumCPU()), still: newKept[stillKey, body](maxStill), packer: newPacker()}
}

// inTurn has a body made and compressed when it is the asker's turn.
func (m *making) inTurn(r *http.Request, effort int, make func() (body, error)) (body, form, error) {
	leave, err := m.turns.Enter(r.Context(), askerOf(r))
	if err != nil {
		return body{}, form{}, err
	}
	defer leave()
	b, err := make()
	if err != nil {
		return body{}, form{}, err
	}
	return b, m.form(b, r, effort), nil
}

// page is a page that depends on nothing but the key: the one that is kept, or a new one.
func (m *making) page(r *http.Request, key stillKey, make func() (templ.Component, error)) (body, form, error) {
	if b, ok := m.still.get(key); ok {
		if f, ok := m.find(b, r); ok {
			return b, f, nil
		}
	}
	effort := thorough
	if key.query != "" {
		effort = quick // there are many of these
	}
	return m.inTurn(r, effort, func() (body, error) {
		if b, ok := m.still.get(key); ok {
			return b, nil
		}
		c, err := make()
		if err != nil {
			return body{}, err
		}
		b, err := rendered(r, c)
		if err == nil {
			m.still.put(key, b, len(b.plain)+len(key.query))
		}
		return b, err
	})
}

// rendered is a page in full: it is complete before the first byte is sent, so that none breaks off.
func rendered(r *http.Request, c templ.Component) (body, error) {
	var b bytes.Buffer
	err := c.Render(r.Context(), &b)
	return newBody(html, b.Bytes()), err
}

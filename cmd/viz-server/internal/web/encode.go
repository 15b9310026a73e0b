package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
)

// smallest is the minimum size, in bytes, of bodies that are worth compressing.
const smallest = 512

// content is a body with its compressed forms. Each form is made once, when a request first asks for it.
type content struct {
	kind   string // Content-Type
	plain  []byte
	tag    string // hash of the plain body
	effort int    // of compressing, 1 to 11; 0 means only the forms in packed

	mu     sync.Mutex
	packed map[string][]byte // by Content-Encoding
}

// Efforts of compressing a body that is made for one request, or for many.
const (
	quick    = 1
	thorough = 5
)

func newContent(kind string, plain []byte, effort int) *content {
	sum := sha256.Sum256(plain)
	return &content{kind: kind, plain: plain, tag: hex.EncodeToString(sum[:12]), effort: effort,
		packed: map[string][]byte{}}
}

// varies reports whether the form of the body depends on the request.
func (c *content) varies() bool {
	return c.effort == 0 && len(c.packed) > 0 || c.effort > 0 && len(c.plain) >= smallest && compressible(c.kind)
}

// encoding returns the best encoding that the request accepts, empty for none.
func (c *content) encoding(r *http.Request) string {
	if !c.varies() {
		return ""
	}
	for _, name := range []string{"br", "gzip"} {
		if accepts(r.Header.Get("Accept-Encoding"), name) && (c.effort > 0 || c.packed[name] != nil) {
			return name
		}
	}
	return ""
}

// etag returns a different tag for each form of the body.
func (c *content) etag(encoding string) string { return `"` + c.tag + encoding + `"` }

// ready reports whether the answer requires no compression now.
func (c *content) ready(r *http.Request) bool {
	encoding := c.encoding(r)
	c.mu.Lock()
	defer c.mu.Unlock()
	return encoding == "" || c.packed[encoding] != nil || holds(r.Header.Get("If-None-Match"), c.etag(encoding))
}

// form returns the body in an encoding.
func (c *content) form(encoding string) []byte {
	if encoding == "" {
		return c.plain
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.packed[encoding] == nil {
		c.packed[encoding] = compress(encoding, c.plain, c.effort)
	}
	return c.packed[encoding]
}

// quickWriters reuses writers, because they are slow to make.
var quickWriters = map[string]*sync.Pool{
	"br":   {New: func() any { return newWriter("br", quick) }},
	"gzip": {New: func() any { return newWriter("gzip", quick) }},
}

type writer interface {
	io.WriteCloser
	Reset(io.Writer)
}

func newWriter(encoding string, effort int) writer {
	if encoding == "br" {
		return brotli.NewWriterLevel(nil, effort)
	}
	w, _ := gzip.NewWriterLevel(nil, min(effort, gzip.BestCompression)) // the level is valid
	return w
}

func compress(encoding string, plain []byte, effort int) []byte {
	var w writer
	if effort == quick {
		w = quickWriters[encoding].Get().(writer)
		defer quickWriters[encoding].Put(w)
	} else {
		w = newWriter(encoding, effort)
	}
	var to bytes.Buffer // writing to it never fails
	w.Reset(&to)
	_, _ = w.Write(plain)
	_ = w.Close()
	return to.Bytes()
}

func compressible(kind string) bool {
	kind, _, _ = strings.Cut(kind, ";")
	switch kind {
	case "image/svg+xml", "text/javascript", "application/json", "application/wasm", "application/jsonl":
		return true
	}
	return strings.HasPrefix(kind, "text/")
}

// accepts reports whether an Accept-Encoding header lists name, unless with q=0.
func accepts(header, name string) bool {
	for part := range strings.SplitSeq(header, ",") {
		coding, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		if !strings.EqualFold(strings.TrimSpace(coding), name) {
			continue
		}
		q, found := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
		weight, err := strconv.ParseFloat(q, 64)
		return !found || err == nil && weight > 0
	}
	return false
}

// With askAgain browsers ask whether their copy is still valid. With forGood they don't, because the address changes
// with the content.
const (
	askAgain = "no-cache"
	forGood  = "public, max-age=31536000, immutable"
)

// serve answers with c, or with 304 if the browser's copy is valid.
func (c *content) serve(w http.ResponseWriter, r *http.Request, caching string) {
	c.respond(w, r, http.StatusOK, caching)
}

// respond is serve for any status.
func (c *content) respond(w http.ResponseWriter, r *http.Request, status int, caching string) {
	h, encoding := w.Header(), c.encoding(r)
	h.Set("ETag", c.etag(encoding))
	h.Set("Cache-Control", caching)
	if c.varies() {
		h.Add("Vary", "Accept-Encoding")
	}
	if status == http.StatusOK && holds(r.Header.Get("If-None-Match"), c.etag(encoding)) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := c.form(encoding)
	h.Set("Content-Type", c.kind)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if encoding != "" {
		h.Set("Content-Encoding", encoding)
	}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // a failure means that the browser has left
	}
}

// holds reports whether an If-None-Match header lists the tag.
func holds(header, tag string) bool {
	for part := range strings.SplitSeq(header, ",") {
		if part = strings.TrimPrefix(strings.TrimSpace(part), "W/"); part == tag || part == "*" {
			return true
		}
	}
	return false
}

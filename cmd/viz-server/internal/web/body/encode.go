// Package body holds the bodies of answers, each with its compressed forms, and the files under /static. It knows
// neither pages nor routes. Package web and the packages below it answer with it.
package body

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

// Body is a body with its compressed forms. Each form is made once, when a request first asks for it.
type Body struct {
	kind   string // Content-Type
	plain  []byte
	tag    string // hash of the plain body
	effort int    // of compressing, 1 to 11; 0 means only the forms in packed

	mu     sync.Mutex
	packed map[string][]byte // by Content-Encoding
}

// Efforts of compressing a body that is made for one request, or for many.
const (
	Quick    = 1
	Thorough = 5
)

// New returns a body with a Content-Type. Effort is how well it is compressed, from 1 to 11.
func New(kind string, plain []byte, effort int) *Body {
	sum := sha256.Sum256(plain)
	return &Body{kind: kind, plain: plain, tag: hex.EncodeToString(sum[:12]), effort: effort,
		packed: map[string][]byte{}}
}

// varies reports whether the form of the body depends on the request.
func (b *Body) varies() bool {
	return b.effort == 0 && len(b.packed) > 0 || b.effort > 0 && len(b.plain) >= smallest && compressible(b.kind)
}

// encoding returns the best encoding that the request accepts, empty for none.
func (b *Body) encoding(r *http.Request) string {
	if !b.varies() {
		return ""
	}
	for _, name := range []string{"br", "gzip"} {
		if accepts(r.Header.Get("Accept-Encoding"), name) && (b.effort > 0 || b.packed[name] != nil) {
			return name
		}
	}
	return ""
}

// etag returns a different tag for each form of the body.
func (b *Body) etag(encoding string) string { return `"` + b.tag + encoding + `"` }

// Ready reports whether the answer requires no compression now.
func (b *Body) Ready(r *http.Request) bool {
	encoding := b.encoding(r)
	b.mu.Lock()
	defer b.mu.Unlock()
	return encoding == "" || b.packed[encoding] != nil || holds(r.Header.Get("If-None-Match"), b.etag(encoding))
}

// Prepare compresses the body if the answer requires it.
func (b *Body) Prepare(r *http.Request) {
	if !b.Ready(r) {
		b.form(b.encoding(r))
	}
}

// Size returns the size of the plain body in bytes.
func (b *Body) Size() int { return len(b.plain) }

// form returns the body in an encoding.
func (b *Body) form(encoding string) []byte {
	if encoding == "" {
		return b.plain
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.packed[encoding] == nil {
		b.packed[encoding] = compress(encoding, b.plain, b.effort)
	}
	return b.packed[encoding]
}

// quickWriters reuses writers, because they are slow to make.
var quickWriters = map[string]*sync.Pool{
	"br":   {New: func() any { return newWriter("br", Quick) }},
	"gzip": {New: func() any { return newWriter("gzip", Quick) }},
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
	if effort == Quick {
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
	case "image/svg+xml", "text/javascript", "application/json", "application/wasm", "application/jsonl",
		"application/octet-stream":
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

// With AskAgain browsers ask whether their copy is still valid. With ForGood they don't, because the address changes
// with the content.
const (
	AskAgain = "no-cache"
	ForGood  = "public, max-age=31536000, immutable"
)

// Serve answers with the body, or with 304 if the browser's copy is valid.
func (b *Body) Serve(w http.ResponseWriter, r *http.Request, caching string) {
	b.Respond(w, r, http.StatusOK, caching)
}

// Respond is Serve for any status.
func (b *Body) Respond(w http.ResponseWriter, r *http.Request, status int, caching string) {
	h, encoding := w.Header(), b.encoding(r)
	h.Set("ETag", b.etag(encoding))
	h.Set("Cache-Control", caching)
	if b.varies() {
		h.Add("Vary", "Accept-Encoding")
	}
	if status == http.StatusOK && holds(r.Header.Get("If-None-Match"), b.etag(encoding)) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := b.form(encoding)
	h.Set("Content-Type", b.kind)
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

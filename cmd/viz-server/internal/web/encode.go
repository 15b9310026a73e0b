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

// smallest is the size, in bytes, from which it pays to compress.
const smallest = 512

// content is a body, which is compressed as requests accept it: once for each encoding, when the first asks for that.
type content struct {
	kind   string // Content-Type
	plain  []byte
	tag    string // of the plain body
	effort int    // of compressing, 1 to 11; 0: there are the encodings in packed and no others

	mu     sync.Mutex
	packed map[string][]byte // by Content-Encoding
}

// How much effort goes into compressing a body: one that is made for one request, or for many.
const (
	quick    = 1
	thorough = 5
)

func newContent(kind string, plain []byte, effort int) *content {
	sum := sha256.Sum256(plain)
	return &content{kind: kind, plain: plain, tag: hex.EncodeToString(sum[:12]), effort: effort,
		packed: map[string][]byte{}}
}

// varies reports whether the body is sent as the request accepts it.
func (c *content) varies() bool {
	return c.effort == 0 && len(c.packed) > 0 || c.effort > 0 && len(c.plain) >= smallest && compressible(c.kind)
}

// encoding is the best that the request accepts, empty for none.
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

// etag tells the forms of the body apart.
func (c *content) etag(encoding string) string { return `"` + c.tag + encoding + `"` }

// ready reports whether nothing need be compressed to answer the request.
func (c *content) ready(r *http.Request) bool {
	encoding := c.encoding(r)
	c.mu.Lock()
	defer c.mu.Unlock()
	return encoding == "" || c.packed[encoding] != nil || holds(r.Header.Get("If-None-Match"), c.etag(encoding))
}

// form is the body in an encoding.
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

// quickWriters are kept, since they take a while to make.
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
	w, _ := gzip.NewWriterLevel(nil, min(effort, gzip.BestCompression)) // there is that level
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
	var to bytes.Buffer // which takes everything
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

// accepts reads an Accept-Encoding header: a name counts unless its q is 0.
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

// Browsers ask again whether what they have is still right, or, where the address changes with the
// content, do not.
const (
	askAgain = "no-cache"
	forGood  = "public, max-age=31536000, immutable"
)

// serve answers with c, or with 304 if the browser has it already.
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
		_, _ = w.Write(body) // a browser that left is nobody's loss
	}
}

// holds reads an If-None-Match header.
func holds(header, tag string) bool {
	for part := range strings.SplitSeq(header, ",") {
		if part = strings.TrimPrefix(strings.TrimSpace(part), "W/"); part == tag || part == "*" {
			return true
		}
	}
	return false
}

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

	"github.com/andybalholm/brotli"
)

// smallest is the size, in bytes, from which it pays to compress.
const smallest = 512

// content is a body with its type, in as many encodings as there are.
type content struct {
	kind  string // Content-Type
	forms []form // the best first, the plain one last
}

// form is a body in one encoding.
type form struct {
	encoding string // as in Content-Encoding, empty for none
	body     []byte
	tag      string // ETag
}

func newForm(encoding string, body []byte) form {
	sum := sha256.Sum256(body)
	return form{encoding, body, `"` + hex.EncodeToString(sum[:12]) + `"`}
}

// pack compresses a body at the given level of effort, 1 to 11.
func pack(kind string, body []byte, effort int) content {
	c := content{kind: kind}
	if len(body) >= smallest && compressible(kind) {
		var br, gz bytes.Buffer
		compress(brotli.NewWriterLevel(&br, effort), body)
		gw, _ := gzip.NewWriterLevel(&gz, min(effort, gzip.BestCompression))
		compress(gw, body)
		c.forms = append(c.forms, newForm("br", br.Bytes()), newForm("gzip", gz.Bytes()))
	}
	c.forms = append(c.forms, newForm("", body))
	return c
}

// compress writes to memory, which takes everything.
func compress(w io.WriteCloser, body []byte) {
	_, _ = w.Write(body)
	_ = w.Close()
}

func compressible(kind string) bool {
	kind, _, _ = strings.Cut(kind, ";")
	switch kind {
	case "image/svg+xml", "text/javascript", "application/json", "application/wasm", "application/jsonl":
		return true
	}
	return strings.HasPrefix(kind, "text/")
}

// pick chooses the best form that the request accepts.
func (c content) pick(r *http.Request) form {
	accept := r.Header.Get("Accept-Encoding")
	last := len(c.forms) - 1
	for _, f := range c.forms[:last] {
		if accepts(accept, f.encoding) {
			return f
		}
	}
	return c.forms[last]
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
func (c content) serve(w http.ResponseWriter, r *http.Request, caching string) {
	c.respond(w, r, http.StatusOK, caching)
}

// respond is serve for any status.
func (c content) respond(w http.ResponseWriter, r *http.Request, status int, caching string) {
	c.pick(r).respond(w, r, status, caching, c.kind, len(c.forms) > 1)
}

// respond answers with a body in this form. Varies is that there are other forms of it.
func (f form) respond(w http.ResponseWriter, r *http.Request, status int, caching, kind string, varies bool) {
	h := w.Header()
	h.Set("ETag", f.tag)
	h.Set("Cache-Control", caching)
	if varies {
		h.Add("Vary", "Accept-Encoding")
	}
	if status == http.StatusOK && holds(r.Header.Get("If-None-Match"), f.tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", kind)
	h.Set("Content-Length", strconv.Itoa(len(f.body)))
	if f.encoding != "" {
		h.Set("Content-Encoding", f.encoding)
	}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(f.body) // a browser that left is nobody's loss
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

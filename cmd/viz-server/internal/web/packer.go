package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"sync"

	"github.com/andybalholm/brotli"
)

// packer compresses what is made for a request: only as the request accepts it, and equal bodies once while the result
// is kept.
type packer struct {
	kept *kept[packedKey, form]

	// Writers for quick, which take a while to make.
	brotli, gzip sync.Pool
}

type packedKey struct {
	sum      [sha256.Size]byte
	encoding string
}

// maxPacked bounds what is kept compressed, in bytes.
const maxPacked = 16 << 20

// How much effort goes into compressing a body: one that is made for one request, or for many.
const (
	quick    = 1
	thorough = 5
)

func newPacker() *packer {
	return &packer{
		kept:   newKept[packedKey, form](maxPacked),
		brotli: sync.Pool{New: func() any { return brotli.NewWriterLevel(io.Discard, quick) }},
		gzip: sync.Pool{New: func() any {
			w, _ := gzip.NewWriterLevel(io.Discard, quick) // the level is one that there is
			return w
		}},
	}
}

// body is what is to be compressed.
type body struct {
	kind  string // Content-Type
	plain []byte
	sum   [sha256.Size]byte
}

func newBody(kind string, plain []byte) body { return body{kind, plain, sha256.Sum256(plain)} }

// varies reports whether the body is sent as the request accepts it.
func (b body) varies() bool { return len(b.plain) >= smallest && compressible(b.kind) }

// find is the body as the request accepts it, if it need not be compressed for that. Its tag is that of the plain body
// with the encoding.
func (p *packer) find(b body, r *http.Request) (f form, ok bool) {
	accept := r.Header.Get("Accept-Encoding")
	switch {
	case !b.varies():
	case accepts(accept, "br"):
		f.encoding = "br"
	case accepts(accept, "gzip"):
		f.encoding = "gzip"
	}
	f.body, f.tag = b.plain, `"`+hex.EncodeToString(b.sum[:12])+f.encoding+`"`
	if f.encoding == "" || holds(r.Header.Get("If-None-Match"), f.tag) {
		return f, true // as it is, or not sent at all
	}
	kept, ok := p.kept.get(packedKey{b.sum, f.encoding})
	if ok {
		return kept, true
	}
	return f, false
}

// form is the body as the request accepts it.
func (p *packer) form(b body, r *http.Request, effort int) form {
	f, ok := p.find(b, r)
	if !ok {
		f.body = p.compress(f.encoding, b.plain, effort)
		p.kept.put(packedKey{b.sum, f.encoding}, f, len(f.body))
	}
	return f
}

func (p *packer) compress(encoding string, plain []byte, effort int) []byte {
	var to bytes.Buffer
	switch {
	case effort != quick && encoding == "br":
		compress(brotli.NewWriterLevel(&to, effort), plain)
	case effort != quick:
		w, _ := gzip.NewWriterLevel(&to, effort)
		compress(w, plain)
	case encoding == "br":
		w := p.brotli.Get().(*brotli.Writer)
		defer p.brotli.Put(w)
		w.Reset(&to)
		compress(w, plain)
	default:
		w := p.gzip.Get().(*gzip.Writer)
		defer p.gzip.Put(w)
		w.Reset(&to)
		compress(w, plain)
	}
	return to.Bytes()
}

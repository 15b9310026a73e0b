// Package export writes the pages of viz-server as a site of files, for any host that serves files.
//
// It asks the pages' handler in this process for the first page, and then for everything that links lead to. So a site
// has what the server has, and no link of it leads nowhere. Links become relative: the site works below any path. It
// knows no page; package web makes a handler whose pages say what takes a server. cmd/viz-server calls it.
package export

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/body"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
)

// Config configures an export.
type Config struct {
	Dir     string       // the folder to write: new, empty, or of an earlier export
	Pages   http.Handler // web.Server with Config.Exported
	Address string       // the site's absolute address with a slash at the end; empty if it is unknown
	Base    string       // the path of the site at its host, with slashes around it, for 404.html
	Wrote   func(Sum)    // hears of each file; nil for nobody
}

// Sum is what has been written.
type Sum struct {
	Files         int
	Bytes, Packed int64 // of the plain files, and of them as br where there is that form
}

// notFound is an address that no page has. A host answers with the page there where it has no file.
const notFound = "/404"

// isNotFound reports whether an address is notFound in any language.
func isNotFound(address string) bool { return strings.HasSuffix(address, notFound) }

// exporter is an export at work.
type exporter struct {
	cfg     Config
	answers map[string]*answer // by address, without the query that decides nothing
	wanted  []*answer          // to be written
	seen    map[string]bool    // the names of those, and of the files that are written
	folder  *folder
	sum     Sum
	kept    []keptFile // what a browser may keep of the site
}

// Write writes the site. Nothing appears in the folder before all of it is there.
func Write(ctx context.Context, cfg Config) (Sum, error) {
	if cfg.Base == "" {
		cfg.Base = "/"
	}
	to, err := openFolder(cfg.Dir)
	if err != nil {
		return Sum{}, err
	}
	defer to.discard()
	x := &exporter{cfg: cfg, answers: map[string]*answer{}, seen: map[string]bool{}, folder: to}
	if err := x.all(ctx); err != nil {
		return x.sum, err
	}
	return x.sum, to.commit()
}

func (x *exporter) all(ctx context.Context) error {
	x.answers[manifestAt] = made(manifestAt, "application/json", manifest)
	x.answers[workerAt] = made(workerAt, script, "")
	x.seen[site.File(workerAt)] = true // it's made last
	first := []string{"/", "/stage", notFound, iconAt}
	for _, address := range slices.Sorted(maps.Keys(pngIcons)) {
		picture, err := drawIcon(pngIcons[address].pixels, pngIcons[address].whole)
		if err != nil {
			return err
		}
		x.answers[address] = made(address, "image/png", picture)
		first = append(first, address)
	}
	for _, address := range first {
		a, err := x.ask(ctx, address)
		if err != nil && !(address == "/stage" && errors.Is(err, errNowhere)) {
			return err
		}
		if err == nil {
			x.want(a)
		}
	}
	if err := x.writeWanted(ctx); err != nil {
		return err
	}
	last, err := x.forOffline()
	if err != nil {
		return err
	}
	x.wanted = append(last, x.forCrawlers()...)
	return x.writeWanted(ctx)
}

// writeWanted writes the wanted files, and all that their links lead to.
func (x *exporter) writeWanted(ctx context.Context) error {
	for len(x.wanted) > 0 {
		a := x.wanted[0]
		x.wanted = x.wanted[1:]
		if err := x.write(ctx, a); err != nil {
			return fmt.Errorf("make %s: %w", a.address, err)
		}
		a.body, a.source = nil, nil
	}
	return nil
}

// want has a file written, unless it is already.
func (x *exporter) want(a *answer) {
	if name := site.File(a.address); !x.seen[name] {
		x.seen[name] = true
		x.wanted = append(x.wanted, a)
	}
}

// forms are the compressed forms that hosts look for beside a file: the ending, and the encoding's name.
var forms = []struct{ ending, encoding string }{{".br", "br"}, {".gz", "gzip"}}

// write writes a file and its compressed forms.
func (x *exporter) write(ctx context.Context, a *answer) error {
	plain, source := a.body, a.source
	if strings.HasPrefix(a.kind, "text/html") {
		var err error
		if plain, err = x.relink(ctx, a); err != nil {
			return err
		}
		source = serving(a.kind, plain)
	}
	name, packed := site.File(a.address), len(plain)
	for _, form := range forms {
		got, err := request(ctx, source, a.address, form.encoding)
		if err != nil {
			return err
		}
		if got.header.Get("Content-Encoding") != form.encoding {
			continue
		}
		if err := x.folder.put(name+form.ending, got.body.Bytes()); err != nil {
			return err
		}
		if form.encoding == "br" {
			packed = got.body.Len()
		}
	}
	if err := x.folder.put(name, plain); err != nil {
		return err
	}
	x.keep(name, plain)
	x.sum.Files++
	x.sum.Bytes += int64(len(plain))
	x.sum.Packed += int64(packed)
	if x.cfg.Wrote != nil {
		x.cfg.Wrote(x.sum)
	}
	return nil
}

// serving returns a handler that answers everything with a body, in the encoding that is asked for.
func serving(kind string, plain []byte) http.HandlerFunc {
	b := body.New(kind, plain, body.Thorough)
	return func(w http.ResponseWriter, r *http.Request) { b.Serve(w, r, body.AskAgain) }
}

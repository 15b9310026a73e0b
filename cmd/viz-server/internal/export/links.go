package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
)

// addressed lists the attributes that hold addresses. Those for scripts are addresses only if they begin with a slash.
var addressed = []string{"href", "src", "srcset", "action", "data-address", "data-from", "data-to", "data-index",
	"data-reel", "data-program", "data-words", "data-worker", "data-script", "data-offline"}

// relink returns a document with its links to other pages changed to links between files. It leaves all else as it is.
func (x *exporter) relink(ctx context.Context, from *answer) ([]byte, error) {
	var out bytes.Buffer
	z := html.NewTokenizer(bytes.NewReader(from.body))
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			if err := z.Err(); !errors.Is(err, io.EOF) {
				return nil, err
			}
			return out.Bytes(), nil
		case html.StartTagToken, html.SelfClosingTagToken:
			raw := slices.Clone(z.Raw()) // Token changes what it is made from
			t := z.Token()
			changed, err := x.relinkTag(ctx, from, &t)
			if err != nil {
				return nil, err
			}
			if changed {
				raw = []byte(t.String())
			}
			out.Write(raw)
		default:
			out.Write(z.Raw())
		}
	}
}

// relinkTag changes a tag's links. It reports whether there are any.
func (x *exporter) relinkTag(ctx context.Context, from *answer, t *html.Token) (changed bool, err error) {
	for i, attr := range t.Attr {
		if attr.Key == "content" && strings.HasPrefix(attr.Val, "/") && isImage(t) {
			if t.Attr[i].Val, err = x.absolute(ctx, attr.Val); err != nil {
				return false, fmt.Errorf("the link to %w", err)
			}
			changed = true
			continue
		}
		forScripts := strings.HasPrefix(attr.Key, "data-")
		if !slices.Contains(addressed, attr.Key) || forScripts && !strings.HasPrefix(attr.Val, "/") {
			continue
		}
		to, err := x.link(ctx, from, attr.Val)
		if err != nil {
			return false, fmt.Errorf("the link to %w", err)
		}
		if to != attr.Val {
			t.Attr[i].Val, changed = to, true
		}
	}
	return changed, nil
}

// isImage reports whether a tag names the picture that others show of a page.
func isImage(t *html.Token) bool {
	return slices.Contains(t.Attr, html.Attribute{Key: "property", Val: "og:image"})
}

// absolute returns the absolute link to a file, and has the file written.
func (x *exporter) absolute(ctx context.Context, to string) (string, error) {
	target, err := x.ask(ctx, to)
	if err != nil {
		return "", err
	}
	x.want(target)
	return x.cfg.Address + escaped(site.File(target.address)), nil
}

// link returns the link between files for a link on a page, and has the file written that it leads to.
func (x *exporter) link(ctx context.Context, from *answer, to string) (string, error) {
	u, err := url.Parse(to)
	if err != nil {
		return "", err
	}
	if u.Scheme != "" || u.Host != "" || u.Path == "" {
		return to, nil
	}
	address := (&url.URL{Path: from.address}).ResolveReference(u).String()
	target, err := x.ask(ctx, address)
	if err != nil {
		return "", err
	}
	x.want(target)
	_, query, fragment := cut(address)
	if site.VariesByQuery(address) {
		query = ""
	}
	if isNotFound(from.address) { // a host shows this page at any address
		return x.cfg.Base + escaped(site.File(target.address)) + query + fragment, nil
	}
	return relative(site.File(from.address), site.File(target.address)) + query + fragment, nil
}

// relative returns the link from one file to another.
func relative(from, to string) string {
	folder := path.Dir(from)
	up := ""
	for folder != "." && !strings.HasPrefix(to, folder+"/") {
		folder, up = path.Dir(folder), up+"../"
	}
	if folder != "." {
		to = strings.TrimPrefix(to, folder+"/")
	}
	return up + escaped(to)
}

// escaped returns a file's name as a link to it.
func escaped(name string) string { return (&url.URL{Path: name}).String() }

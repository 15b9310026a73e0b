package export

import (
	"encoding/xml"
	"maps"
	"path"
	"slices"
	"strings"
)

// made returns an answer that no page of the server is.
func made(address, kind, text string) *answer {
	return &answer{address, kind, []byte(text), serving(kind, []byte(text))}
}

// The addresses of the manifest, and of the icon in it, which pages call by another name.
const manifestAt, iconAt = "/manifest.webmanifest", "/static/icon.svg"

// pngIcons are the icons for those that take no SVG, by their addresses. Phones cut the last to a shape of their own.
var pngIcons = map[string]struct {
	pixels float64
	whole  bool
}{
	"/static/icon-192.png":   {192, false},
	"/static/icon-512.png":   {512, false},
	"/static/icon-whole.png": {512, true},
}

// manifest describes the site to browsers that can keep it like a program.
const manifest = `{
  "name": "zkviz",
  "description": "How programs take turns with ZooKeeper, with the real code running.",
  "start_url": "index.html",
  "scope": "./",
  "display": "minimal-ui",
  "icons": [
    { "src": "static/icon.svg", "sizes": "any", "type": "image/svg+xml" },
    { "src": "static/icon-192.png", "sizes": "192x192", "type": "image/png" },
    { "src": "static/icon-512.png", "sizes": "512x512", "type": "image/png" },
    { "src": "static/icon-whole.png", "sizes": "512x512", "type": "image/png", "purpose": "maskable" }
  ]
}
`

// notListed names the pages that search engines needn't know, in any language.
var notListed = []string{"404.html", "stage.html"}

// forCrawlers returns robots.txt, and sitemap.xml if the site's address is known, which it needs.
func (x *exporter) forCrawlers() []*answer {
	const robots = "User-agent: *\nAllow: /\n"
	if x.cfg.Address == "" {
		return []*answer{made("/robots.txt", "text/plain; charset=utf-8", robots)}
	}
	var sitemap strings.Builder
	sitemap.WriteString(xml.Header + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, name := range slices.Sorted(maps.Keys(x.seen)) {
		if strings.HasSuffix(name, ".html") && !slices.Contains(notListed, path.Base(name)) {
			sitemap.WriteString("<url><loc>")
			_ = xml.EscapeText(&sitemap, []byte(x.cfg.Address+escaped(name))) // a Builder takes everything
			sitemap.WriteString("</loc></url>\n")
		}
	}
	sitemap.WriteString("</urlset>\n")
	return []*answer{
		made("/robots.txt", "text/plain; charset=utf-8", robots+"Sitemap: "+x.cfg.Address+"sitemap.xml\n"),
		made("/sitemap.xml", "application/xml", sitemap.String()),
	}
}

package main

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/export"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/lessons"
	"github.com/zkviz/zkviz/static"
)

type exportCmd struct {
	Dir     string   `arg:"" help:"The folder to write: a new or empty one, or one that export has written before."`
	Lessons []string `placeholder:"NAME,..." help:"The lessons to write (default: all). Separate several by commas."`
	Site    string   `placeholder:"URL" help:"The address that the site will have, such as https://example.org/zkviz/, for search engines and for links that people share."`
	Base    string   `placeholder:"PATH" help:"The path that the site will have on its host, such as /zkviz/ (default: the path in --site, or /). Only 404.html needs it: all other pages work at any path."`
}

func (c *exportCmd) Run(term *terminal) error {
	if err := c.validate(); err != nil {
		return err
	}
	book, err := lessons.Open(term.ctx)
	if err != nil {
		return err
	}
	if err := c.checkLessons(book); err != nil {
		return err
	}
	address := c.Site
	if address == "" {
		address = "/"
	}
	pages, err := web.New(term.ctx, web.Config{Book: book, Exported: address, Lessons: c.Lessons})
	if err != nil {
		return err
	}
	defer pages.Close()
	if _, err := static.Files.Open("built/stage.wasm.br"); err != nil {
		term.complain("this program was built without the moving picture, so the site has still pictures only. make site " +
			"builds both")
	}
	var files atomic.Int64
	bar := startBar(term, func() string { return fmt.Sprintf("%s written", count(int(files.Load()), "file")) })
	sum, err := export.Write(term.ctx, export.Config{
		Dir: c.Dir, Pages: pages, Address: c.Site, Base: c.Base,
		Wrote: func(s export.Sum) { files.Store(int64(s.Files)) },
	})
	bar.stop()
	if err != nil {
		return err
	}
	fmt.Fprintf(term.out, "%s: %s, %.1f MB, or %.1f MB where the host sends the compressed forms beside them\n",
		c.Dir, count(sum.Files, "file"), float64(sum.Bytes)/1e6, float64(sum.Packed)/1e6)
	return nil
}

// validate checks --site and --base, and fills in what follows from the other.
func (c *exportCmd) validate() error {
	if c.Site != "" {
		u, err := url.Parse(c.Site)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
			return fmt.Errorf("--site: %q isn't an address such as https://example.org/zkviz/", c.Site)
		}
		if u.User != nil {
			return fmt.Errorf("--site: leave the name and password out of %s: the site shows its address to everybody",
				u.Redacted())
		}
		u = u.JoinPath("/")
		c.Site = u.String()
		if c.Base == "" {
			c.Base = u.EscapedPath()
		}
	}
	if c.Base == "" {
		c.Base = "/"
	}
	base := c.Base
	if !strings.HasSuffix(base, "/") {
		base += "/"
	}
	if u, err := url.Parse(base); err != nil || !strings.HasPrefix(base, "/") || strings.HasPrefix(base, "//") ||
		u.RawQuery != "" || u.Fragment != "" || u.ForceQuery || strings.Contains(base, `\`) { // a slash, for browsers
		return fmt.Errorf("--base: %q isn't a path such as /zkviz/", c.Base)
	}
	c.Base = base
	return nil
}

// checkLessons refuses names that no lesson has.
func (c *exportCmd) checkLessons(book *lessons.Book) error {
	var known []string
	for _, l := range book.Lessons {
		known = append(known, l.Slug)
	}
	var all []error
	for i, name := range c.Lessons {
		if l, ok := book.Find(name); ok {
			c.Lessons[i] = l.Slug
		} else if near, ok := run.Nearest(name, known); ok {
			all = append(all, fmt.Errorf("there is no lesson %q; did you mean %s?", name, near))
		} else {
			all = append(all, fmt.Errorf("there is no lesson %q; the lessons are %s", name, strings.Join(known, ", ")))
		}
	}
	return errors.Join(all...)
}

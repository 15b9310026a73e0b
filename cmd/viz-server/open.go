package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
)

type openCmd struct {
	Link  string `arg:"" help:"A link that a page's Share, explore or fork made: the address of a lesson or of the Lab on any server or site, or the part of it after the host."`
	Trace string `placeholder:"FILE" help:"The trace file, if the link is of one."`
	Check bool   `help:"Only check whether this version shows what the link was made from: the exit code is 0 if it does, and 1 if it doesn't."`
	Addr  string `default:"127.0.0.1:0" placeholder:"HOST:PORT" help:"Where to serve the page (default: ${default}, any free port)."`
}

// Run says what the link shows, and serves the pages until it is interrupted.
func (c *openCmd) Run(term *terminal) error {
	l, err := readLinked(term.ctx, c.Link, c.Trace)
	if err != nil {
		return err
	}
	if err := l.print(term.out); err != nil {
		return err
	}
	switch {
	case c.Check && l.found == unchecked && l.moment.Trace != "":
		return fmt.Errorf("the link is of the file %s: give it with --trace", l.moment.Trace)
	case c.Check && l.found == unchecked:
		return errors.New("the link has no hash, so nobody can tell whether it shows the same as it did")
	case c.Check && l.found != asLinked:
		return errVerdict
	case c.Check:
		return nil
	}
	return c.serve(term, l)
}

// serve serves the pages, and prints the address of the link's moment on them.
func (c *openCmd) serve(term *terminal, l *linked) error {
	log := loggingFlags{LogFormat: "text", LogLevel: "warn"}.logger(term.log())
	err := web.Serve(term.ctx, web.Config{Addr: c.Addr, Version: version(), Log: log,
		Listening: func(url string) { fmt.Fprintln(term.out, url+l.address) }})
	if errors.Is(term.ctx.Err(), context.Canceled) && err == nil {
		return nil
	}
	return err
}

// print prints what the link is of, and whether this version shows what it was made from.
func (l *linked) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name, text string) {
		if text != "" {
			fmt.Fprintf(w, "%s\t%s\n", name, text)
		}
	}
	row("What", l.what)
	for _, f := range l.scenario.Faults {
		row("Fault", f.String())
	}
	if m := l.moment; m.Set {
		at := duration(float64(m.At.Microseconds()) / 1000)
		if m.Seq > 0 {
			at += fmt.Sprintf(", after event %d", m.Seq)
		}
		row("Moment", at)
	}
	row("Selected", l.moment.Select)
	row("Beside it", l.beside)
	if l.moment.Trace == "" {
		row("The run", l.scenario.Command())
	}
	if err := w.Flush(); err != nil {
		return err
	}
	said := []string{l.found.words()}
	if len(l.moment.Unknown) > 0 {
		said = append([]string{voice().Says(l.moment.LeftOut())}, said...)
	}
	_, err := fmt.Fprintf(out, "\n%s\n\n", strings.Join(said, "\n"))
	return err
}

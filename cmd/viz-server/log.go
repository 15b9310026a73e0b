package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/base/escape"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/past"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

type logCmd struct {
	Files   []string `arg:"" name:"file" help:"Transaction logs and snapshots, or the version-2 folder that holds them."`
	Below   string   `placeholder:"PATH" default:"/" help:"Print only what happened to this znode and to those below it."`
	Hands   string   `placeholder:"PATH" help:"Print only when the lock, the leadership or whatever else this znode stands for changed hands, and why."`
	Session []string `placeholder:"0xID" help:"Print only what these sessions requested."`
	Kind    []string `placeholder:"KIND" help:"Print only these kinds: ${log_kinds}."`
	Since   string   `placeholder:"TIME" help:"Start at this time, such as 2026-11-25T03:00, or this long before the log ends, such as 2h."`
	Until   string   `placeholder:"TIME" help:"Stop at this time."`
	Servers bool     `help:"Compare the folders of several servers: what each has, its gaps and torn logs, how far it is behind, and where the servers differ."`
	Trace   string   `placeholder:"FILE" help:"Save what happened below --below from --since on as a trace. Open it on a page with Open… to see any moment of it, or render it."`
	Addr    string   `placeholder:"HOST:PORT" help:"Serve a page at this address, such as 127.0.0.1:8080, that finds and shows any moment of the files."`
	JSON    bool     `name:"json" help:"Print one JSON object a line."`
	holdFlags
}

func (c *logCmd) Run(term *terminal) error {
	if err := c.checkMode(); err != nil {
		return err
	}
	w, err := c.filter()
	if err != nil {
		return err
	}
	files, err := findPast(c.Files)
	if err != nil {
		return err
	}
	if c.Addr != "" {
		return c.serve(term, files)
	}
	r := startFileProgress(term, &files)
	defer r.stop()
	if err := c.setTimes(term, r, files, &w); err != nil {
		return err
	}
	out := bufio.NewWriter(r)
	switch {
	case c.Servers:
		return errors.Join(c.servers(term, out, files), out.Flush())
	case c.Trace != "":
		return c.save(term, r, files, w)
	case c.Hands != "":
		return errors.Join(c.hands(term, r, out, files, w), out.Flush())
	}
	return errors.Join(c.print(term, r, out, files, w), out.Flush())
}

// findPast finds the files of a ZooKeeper's past. If zkviz may not read them, the error says what is enough.
func findPast(paths []string) (past.Files, error) {
	files, err := past.Find(paths...)
	if errors.Is(err, os.ErrPermission) {
		err = fmt.Errorf("%w; zkviz needn't be root: it's enough to be in the group of these files, usually zookeeper", err)
	}
	return files, err
}

// print prints the events.
func (c *logCmd) print(term *terminal, r *fileProgress, out *bufio.Writer, files past.Files, w past.Filter) error {
	p := factPrinter(&factLine{out: out})
	if c.JSON {
		p = &factJSON{json.NewEncoder(out)}
	}
	trouble := r.troublePrinter(out, c.JSON)
	if err := c.collectVisitors(term, files, &w); err != nil {
		return err
	}
	requested := newPresence(w.Below, w.Sessions)
	err := files.Read(term.ctx, c.Below, trouble, func(s *replay.State, t *wire.Txn, facts []replay.Fact) error {
		requested.take(s, t, facts)
		if !w.At(t.TimeMS) { // later ones may match: clocks go back
			return nil
		}
		for i := range facts {
			if f := &facts[i]; w.Has(f, len(facts)) {
				if err := p.print(t, f); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return cmp.Or(err, requested.check())
}

// collectVisitors collects the sessions that touched anything below --below, if session events are wanted.
func (c *logCmd) collectVisitors(term *terminal, files past.Files, w *past.Filter) error {
	if c.Below == "/" || !slices.ContainsFunc(w.Kinds, past.OfSession) {
		return nil
	}
	w.Come = map[int64]struct{}{}
	return files.Read(term.ctx, c.Below, func(past.Trouble) {}, func(_ *replay.State, _ *wire.Txn,
		facts []replay.Fact) error {
		for i := range facts {
			if f := &facts[i]; !past.OfSession(f.Kind) {
				w.Come[f.By] = struct{}{}
			}
		}
		return nil
	})
}

// filter returns the filter for what to print, without the times.
func (c *logCmd) filter() (w past.Filter, err error) {
	if c.Trace != "" && (c.Hands != "" || c.JSON || len(c.Kind)+len(c.Session) > 0) {
		return w, errors.New("--trace saves everything that happens below a znode: leave out --hands, --kind, " +
			"--session and --json")
	}
	if c.Hands != "" {
		if err := znode.CheckPath(c.Hands); err != nil {
			return w, fmt.Errorf("--hands %q: %w", c.Hands, err)
		}
		if c.Below != "/" || len(c.Kind) > 0 {
			return w, errors.New("--hands already selects what is printed: leave out --below and --kind")
		}
		c.Below = c.Hands
	}
	if err := znode.CheckPath(c.Below); err != nil {
		return w, fmt.Errorf("--below %q: %w", c.Below, err)
	}
	w = past.Everything()
	w.Below = c.Below
	for _, text := range c.Session {
		id, err := past.ParseSession(text)
		if err != nil {
			return w, fmt.Errorf("--session %w", err)
		}
		w.Sessions = append(w.Sessions, id)
	}
	for _, text := range c.Kind {
		kind, ok := past.ParseKind(text)
		if !ok {
			return w, fmt.Errorf("--kind %q is unknown; the kinds are %s", text, kindList())
		}
		w.Kinds = append(w.Kinds, kind)
	}
	return w, nil
}

func kindList() string {
	names := make([]string, len(past.Kinds))
	for i, k := range past.Kinds {
		names[i] = k.String()
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// setTimes sets the filter's start and end. For a duration before the end it first finds the end.
func (c *logCmd) setTimes(term *terminal, r *fileProgress, files past.Files, w *past.Filter) (err error) {
	if c.Until != "" {
		if w.Until, err = parseTime("--until", c.Until); err != nil {
			return err
		}
	}
	switch before, isDuration := time.ParseDuration(c.Since); {
	case c.Since == "":
	case isDuration == nil:
		r.seeking.Store(true)
		last, err := files.LastTime(term.ctx)
		r.seeking.Store(false)
		if err != nil {
			return err
		}
		w.Since = last - before.Milliseconds()
	default:
		if w.Since, err = parseTime("--since", c.Since); err != nil {
			return err
		}
	}
	return nil
}

// parseTime parses a time and returns milliseconds since 1970.
func parseTime(flag, text string) (int64, error) {
	for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04Z07:00"} {
		if t, err := time.Parse(form, text); err == nil {
			return t.UnixMilli(), nil
		}
	}
	text = strings.Replace(text, " ", "T", 1)
	for _, form := range []string{"2006-01-02T15:04:05.999", "2006-01-02T15:04", "2006-01-02"} {
		if t, err := time.ParseInLocation(form, text, time.Local); err == nil {
			return t.UnixMilli(), nil
		}
	}
	return 0, fmt.Errorf("%s %q is not a time: write 2026-11-25T03:00, or 2026-11-25T03:00:00.5Z", flag, text)
}

type factPrinter interface {
	print(t *wire.Txn, f *replay.Fact) error
}

// factLine prints a fact as a line of text.
type factLine struct{ out io.Writer }

func (p *factLine) print(t *wire.Txn, f *replay.Fact) error {
	_, err := fmt.Fprintln(p.out, escape.Line(fmt.Sprintf("%s  %#x  %s  %s", wallTime(t.TimeMS), t.Zxid, requester(f.By),
		factText(t, f))))
	return err
}

// wallTime formats a wall-clock time with its zone, so that lines from several places can be merged.
func wallTime(ms int64) string {
	return time.UnixMilli(ms).Format("2006-01-02T15:04:05.000Z07:00")
}

func requester(session int64) string {
	if session == 0 {
		return "the server"
	}
	return handover.SessionText(session)
}

// ownerText returns a znode's session, or says that it has none.
func ownerText(session int64) string {
	if session == 0 {
		return voice().Say("hands.ownerless")
	}
	return handover.SessionText(session)
}

// factText describes an event in words.
func factText(t *wire.Txn, f *replay.Fact) string {
	switch f.Kind {
	case event.SessionCreated:
		return fmt.Sprintf("session opened, timeout %s", time.Duration(f.N))
	case event.SessionClosed:
		return "session closed by its client"
	case event.SessionExpired:
		return "session expired"
	case event.ZnodeCreated:
		return fmt.Sprintf("created %s, %s%s", f.Path, event.ModeName(f.Mode), dataText(f))
	case event.ZnodeChanged:
		return fmt.Sprintf("set %s%s", f.Path, dataText(f))
	case event.ZnodeDeleted:
		lived, known := f.Lived(t.TimeMS)
		if !known {
			lived = -1
		}
		return voice().Says(handover.Gone(sentence.Text(f.Path), f.Why(), f.Went.Owner, lived))
	}
	if f.Type != 0 {
		return fmt.Sprintf("a transaction of unknown type %d", f.Type)
	}
	text := strings.TrimSpace(fmt.Sprintf("%s %s", f.Op, f.Path))
	if f.Code != 0 {
		if text == event.NoOp.String() {
			text = "a request"
		}
		if f.Part > 0 {
			return fmt.Sprintf("%s failed because its part %d of %d failed: %s", text, f.Part, f.Parts, zoo.Code(f.Code))
		}
		text += " failed: " + zoo.Code(f.Code).Error()
	}
	return text
}

func dataText(f *replay.Fact) string {
	if f.N == 0 {
		return ""
	}
	if f.Text == "" { // the log doesn't say
		return ", " + count(int(f.N), "byte")
	}
	return fmt.Sprintf(", %s: %q", count(int(f.N), "byte"), f.Text)
}

// factJSON prints a fact as a JSON object.
type factJSON struct{ enc *json.Encoder }

func (p *factJSON) print(t *wire.Txn, f *replay.Fact) error {
	o := struct {
		Time    string `json:"time"`
		Zxid    string `json:"zxid"`
		Session string `json:"session,omitempty"` // the one that asked for it
		Kind    string `json:"kind"`
		Op      string `json:"op,omitempty"`
		Path    string `json:"path,omitempty"`
		Mode    string `json:"mode,omitempty"`
		Owner   string `json:"owner,omitempty"`
		Bytes   int64  `json:"bytes,omitempty"`
		Data    string `json:"data,omitempty"` // the beginning of it
		Reason  string `json:"reason,omitempty"`
		Code    int32  `json:"code,omitempty"`
		Part    int    `json:"part,omitempty"` // the part of a multi that failed
		Parts   int    `json:"parts,omitempty"`
		Type    int32  `json:"unknown_type,omitempty"` // the transaction's type
		Timeout int64  `json:"timeout_ms,omitempty"`
		Lived   *int64 `json:"lived_ms,omitempty"`
	}{Time: wallTime(t.TimeMS), Zxid: fmt.Sprintf("%#x", t.Zxid), Kind: f.Kind.String(), Path: f.Path, Data: f.Text,
		Code: f.Code}
	owner := f.Went.Owner
	switch f.Kind {
	case event.SessionCreated:
		o.Timeout = time.Duration(f.N).Milliseconds()
	case event.ZnodeCreated:
		o.Mode, o.Bytes, owner = event.ModeName(f.Mode), f.N, f.Session
	case event.ZnodeChanged:
		o.Bytes = f.N
	case event.ZnodeDeleted:
		o.Reason = f.Reason.String()
		if ms, known := f.Lived(t.TimeMS); known {
			o.Lived = &ms
		}
	case event.TxnApplied:
		o.Op, o.Part, o.Parts, o.Type = f.Op.String(), f.Part, f.Parts, f.Type
	}
	if f.By != 0 {
		o.Session = requester(f.By)
	}
	if owner != 0 {
		o.Owner = requester(owner)
	}
	return p.enc.Encode(o)
}

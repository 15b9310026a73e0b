package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/zkviz/zkviz/engine/event"
)

// appendHeader writes the first line.
func appendHeader(dst []byte, h event.Header) []byte {
	dst = fmt.Appendf(dst, `{"format":%q,"version":%d`, Format, Version)
	return append(event.AppendHeader(dst, h), '}')
}

// errNoHeader is that a line is not what appendHeader writes.
var errNoHeader = errors.New("no header")

// parseHeader reads the first line, and with it the version.
func parseHeader(line []byte) (event.Header, int, error) {
	var is struct {
		Format  string
		Version int
	}
	if err := json.Unmarshal(line, &is); err != nil || is.Format != Format {
		return event.Header{}, 0, errNoHeader
	}
	if is.Version < 1 || is.Version > Version {
		return event.Header{}, 0, fmt.Errorf("the trace has format version %d; this program reads versions 1 to %d", is.Version, Version)
	}
	var h event.Header
	f := headerReader{}
	if err := json.Unmarshal(line, &f.members); err != nil {
		return event.Header{}, 0, errNoHeader
	}
	h.Visit(&f)
	if f.err == nil {
		f.err = validate(h)
	}
	if f.err != nil {
		return event.Header{}, 0, fmt.Errorf("trace line 1: %w", f.err)
	}
	return h, is.Version, nil
}

// validate refuses what no run has.
func validate(h event.Header) error {
	switch {
	case h.Clients < 0 || h.Clients > event.MaxActor:
		return fmt.Errorf("%d clients; the most is %d", h.Clients, event.MaxActor)
	case h.Rounds < 0:
		return fmt.Errorf("%d rounds cannot be", h.Rounds)
	case h.Hold < -1: // zoo.UntilSettled
		return fmt.Errorf("a hold of %s cannot be", h.Hold)
	case h.SessionTimeout < 0:
		return fmt.Errorf("a session timeout of %s cannot be", h.SessionTimeout)
	case h.Latency < 0:
		return fmt.Errorf("a latency of %s cannot be", h.Latency)
	}
	if n := len(h.Promises) + len(h.Limits); n > event.MaxRules {
		return fmt.Errorf("%d rules; the most is %d", n, event.MaxRules)
	}
	if n := len(h.Systems); n > event.MaxSystems {
		return fmt.Errorf("%d systems; the most is %d", n, event.MaxSystems)
	}
	for _, s := range h.Systems {
		if s.Servers < 0 || s.Servers > event.MaxServers {
			return fmt.Errorf("a system of %d servers; the most is %d", s.Servers, event.MaxServers)
		}
	}
	return nil
}

// headerReader is the event.Fields that read JSON. Its err is the first field that is not what it is to be.
type headerReader struct {
	members map[string]json.RawMessage
	err     error
}

// read leaves v as it is if there is no such field.
func (r *headerReader) read(name string, v any) {
	b, ok := r.members[name]
	if !ok || r.err != nil {
		return
	}
	if json.Unmarshal(b, v) != nil {
		r.err = fmt.Errorf("the header's %q is not what it is to be: %.40s", name, b)
	}
}

func (r *headerReader) Text(name string, v *string)    { r.read(name, v) }
func (r *headerReader) Texts(name string, v *[]string) { r.read(name, v) }
func (r *headerReader) Int(name string, v *int64)      { r.read(name, v) }
func (r *headerReader) Bool(name string, v *bool)      { r.read(name, v) }

func (r *headerReader) Number(name string, v *uint64) {
	var s string
	r.read(name, &s)
	if s == "" || r.err != nil {
		return
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		r.err = fmt.Errorf("the header's %q is no number: %.40q", name, s)
	}
	*v = n
}

func (r *headerReader) List(name string, _ int, each func(int, event.Fields)) int {
	var items []map[string]json.RawMessage
	if r.read(name, &items); r.err != nil {
		return 0
	}
	for i, members := range items {
		item := headerReader{members: members}
		if each(i, &item); item.err != nil {
			r.err = item.err
			return i
		}
	}
	return len(items)
}

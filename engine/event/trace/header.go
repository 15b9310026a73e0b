package trace

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/jsontext"
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
		return event.Header{}, 0, fmt.Errorf("the trace has format version %d; this program reads versions 1 to %d",
			is.Version, Version)
	}
	d := jsontext.Decoder{Text: string(line)}
	values, err := d.Object()
	if err != nil {
		return event.Header{}, 0, errNoHeader
	}
	h, err := event.ParseHeader(values)
	if err == nil {
		err = validate(h)
	}
	if err != nil {
		return event.Header{}, 0, fmt.Errorf("trace line 1: %w", err)
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

package trace

import (
	"errors"
	"fmt"

	"github.com/zkviz/zkviz/engine/base/jsontext"
	"github.com/zkviz/zkviz/engine/event"
)

// appendHeader appends the first line.
func appendHeader(dst []byte, h event.Header) []byte {
	dst = fmt.Appendf(dst, `{"format":%q,"version":%d`, Format, Version)
	return append(event.AppendHeader(dst, h), '}')
}

// errNoHeader reports that a line was not written by appendHeader.
var errNoHeader = errors.New("no header")

// parseHeader reads the first line and returns its header and version.
func parseHeader(line []byte) (event.Header, int, error) {
	d := jsontext.Decoder{Text: string(line)}
	values, err := d.Object()
	if err != nil || d.More() || !isFormat(values["format"]) {
		return event.Header{}, 0, errNoHeader
	}
	version := int64(0)
	if text, ok := values["version"]; ok {
		if version, err = (&jsontext.Decoder{Text: text}).Whole(32); err != nil {
			return event.Header{}, 0, errNoHeader
		}
	}
	if version < 1 || version > Version {
		return event.Header{}, 0, fmt.Errorf("the trace has format version %d; this program reads versions 1 to %d",
			version, Version)
	}
	h, err := event.ParseHeader(values)
	if err == nil {
		err = validate(h)
	}
	if err != nil {
		return event.Header{}, 0, fmt.Errorf("trace line 1: %w", err)
	}
	return h, int(version), nil
}

func isFormat(text string) bool {
	name, err := (&jsontext.Decoder{Text: text}).Quoted()
	return err == nil && name == Format
}

// validate rejects values that no run has.
func validate(h event.Header) error {
	switch {
	case h.Clients < 0 || h.Clients > event.MaxActor:
		return fmt.Errorf("%d clients; the most is %d", h.Clients, event.MaxActor)
	case h.Rounds < 0:
		return fmt.Errorf("%d rounds cannot be", h.Rounds)
	case h.Hold < -1: // program.UntilSettled
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
		if n := len(s.Addresses); n > event.MaxServers {
			return fmt.Errorf("addresses of %d servers; the most is %d", n, event.MaxServers)
		}
	}
	return nil
}
